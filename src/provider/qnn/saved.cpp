// Graphs as bytes: a header, what the arguments are, and the context as QNN writes it. The bytes are a file's: each
// number is looked at before it is used.
#include "program.hpp"
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
struct header {
    char magic[8] = {'i', 'n', 'l', 'q', 'n', 'n', ' ', '1'};
    std::uint64_t inputs = 0, outputs = 0;
};
struct argument {
    std::uint32_t id = 0;
    qnn_abi::data_type type{};
    float scale = 0;  // of codes, else 0
    std::int32_t zero = 0;
};
template <class T> void append(std::string& to, const T& x) { to.append(reinterpret_cast<const char*>(&x), sizeof x); }
template <class T> T take(std::string_view& from) {
    if (from.size() < sizeof(T)) refuse("the saved region is too short");
    T x;
    std::memcpy(&x, from.data(), sizeof x);
    from.remove_prefix(sizeof x);
    return x;
}
}  // namespace

std::string qnn_graph::saved() const {
    std::uint64_t size = 0, written = 0;
    backend_->call(backend_->f().context_get_binary_size, context_, &size);
    header h;
    h.inputs = inputs_;
    h.outputs = arguments_.size() - inputs_;
    std::string bytes;
    append(bytes, h);
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
        const qnn_program::tensor_facts& t = arguments_[k];
        append(bytes, argument{ids_[k], t.type, t.scales.empty() ? 0.f : t.scales[0], t.zero});
    }
    const std::size_t at = bytes.size();
    bytes.resize(at + std::size_t(size));
    backend_->call(backend_->f().context_get_binary, context_, static_cast<void*>(bytes.data() + at), size, &written);
    bytes.resize(at + std::size_t(std::min(size, written)));
    return bytes;
}
std::shared_ptr<const qnn_graph> qnn_graph::restored(std::shared_ptr<const qnn_backend> backend, std::string_view bytes,
                                                     std::vector<qnn_program::tensor_facts> arguments,
                                                     std::size_t inputs) {
    const auto graph = std::make_shared<qnn_graph>(std::move(backend));
    const auto h = take<header>(bytes);
    if (std::memcmp(h.magic, header().magic, sizeof h.magic) != 0) refuse("it is no saved region of QNN");
    if (h.inputs != inputs || h.outputs != arguments.size() - inputs) refuse("it has other inputs and outputs");
    for (qnn_program::tensor_facts& t : arguments) {
        const auto a = take<argument>(bytes);
        if (a.type != t.type) refuse("its tensors are of other types");
        graph->ids_.push_back(a.id);
        const bool codes = t.type == qnn_abi::data_type::ufixed_8 || t.type == qnn_abi::data_type::sfixed_8;
        if (codes && !(a.scale > 0 && std::isnormal(a.scale))) refuse("its quantized values have no scale");
        if (codes) t.scales = {a.scale};
        t.zero = a.zero;
    }
    graph->arguments_ = std::move(arguments);
    graph->inputs_ = inputs;
    const qnn_backend& b = *graph->backend_;
    b.call(b.f().context_create_from_binary, b.backend(), b.device(), nullptr, static_cast<const void*>(bytes.data()),
           std::uint64_t(bytes.size()), &graph->context_, nullptr);
    b.call(b.f().graph_retrieve, graph->context_, qnn_graph_name, &graph->graph_);
    return graph;
}
}  // namespace v1
}  // namespace inlay
