// Runs one model for the process that started it: the model comes by standard input, then tensors for each run.
#include "protocol.hpp"
#include <inlay/inlay.hpp>
using namespace inlay;

namespace {
void send_ports(std::span<const port> ports) {
    onnx_host::send_number(stdout, std::uint32_t(ports.size()));
    for (const port& p : ports) {
        onnx_host::send_text(stdout, p.name);
        onnx_host::send_number(stdout, std::int32_t(p.type));
        onnx_host::send_number(stdout, std::uint32_t(p.shape.rank));
        for (std::int64_t d : p.shape) onnx_host::send_number(stdout, d);
        onnx_host::send_number(stdout, p.shape.known() ? bytes_of(p.type, p.shape.elements()) : std::int64_t(0));
    }
}
// Data-dependent shapes, as of Reshape by what nodes compute of constants, are those of a run over zeros.
std::vector<port> outputs_of(const model& m, const session_base& s) {
    std::vector<port> ports(m.outputs().begin(), m.outputs().end());
    if (std::ranges::all_of(ports, [](const port& p) { return p.shape.known(); })) return ports;
    std::vector<feed> zeros;
    for (const port& p : m.inputs()) zeros.push_back({p.name, tensor(p.type, p.shape)});
    if (const auto result = s.try_run(zeros))
        for (std::size_t k = 0; k < ports.size(); ++k) ports[k].shape = tensor((*result)[k]).shape();
    return ports;
}
void serve(const model& m) {
    session_options o;
    o.log = [](severity, std::string_view) {};
    const session s{m, o, reference{}};
    onnx_host::send_text(stdout, "");
    send_ports(m.inputs());
    send_ports(outputs_of(m, s));
    std::fflush(stdout);
    for (char again = 0; std::fread(&again, 1, 1, stdin) == 1;) {
        std::vector<feed> inputs;
        for (const port& p : m.inputs()) {
            tensor t(p.type, p.shape);
            onnx_host::receive(stdin, t.data(), std::size_t(bytes_of(p.type, p.shape.elements())));
            inputs.push_back({p.name, std::move(t)});
        }
        const auto result = s.try_run(inputs);
        onnx_host::send_text(stdout, result ? "" : result.why().text);
        if (result)
            for (std::size_t k = 0; k < m.outputs().size(); ++k) {
                const tensor& y = (*result)[k];
                onnx_host::send(stdout, y.data(), std::size_t(bytes_of(y.type(), y.elements())));
            }
        std::fflush(stdout);
    }
}
}  // namespace

int main() try {
    const std::string bytes = onnx_host::receive_text(stdin);
    auto m = model::try_load(std::as_bytes(std::span(bytes)));
    if (m)
        serve(*m);
    else
        onnx_host::send_text(stdout, m.why().text);
    return 0;
} catch (const std::exception& e) {
    onnx_host::send_text(stdout, e.what());
    return 1;
}
