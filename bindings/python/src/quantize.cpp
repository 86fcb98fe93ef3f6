#include "quantize.hpp"
#include "run_options.hpp"
#include "session.hpp"
#include <inlay/quantize.hpp>

namespace inlay::python {
namespace {
// The inputs of run k, from Python's sequence of dicts. Names and memory live until the next call.
calibration_data data_of(const nb::object& samples, const model& m) {
    const auto feeds = std::make_shared<std::optional<run_feeds>>();
    return {nb::len(samples), [feeds, &samples, &m](std::size_t k) {
                nb::gil_scoped_acquire gil;
                if (PyErr_CheckSignals()) throw nb::python_error();
                *feeds = std::nullopt;
                const nb::object sample = samples[k];
                feeds->emplace(sample, m.inputs());
                return (*feeds)->entries;
            }};
}
nb::list errors_of(const std::vector<layer_error>& layers) {
    nb::list list;
    for (const layer_error& e : layers)
        list.append(nb::make_tuple(text(e.value), text(e.node), text(e.op), e.sqnr, e.largest));
    return list;
}
nb::tuple quantize_file(const std::string& path, const nb::object& samples, int kind, int method, int rounding,
                        double percentile, bool symmetric, bool per_channel, int bits, int block_size, bool nbits,
                        double damping, std::vector<std::string> operators, std::vector<std::string> exclude,
                        int keep_worst, std::size_t compared, const nb::object& progress) {
    quantize_options o;
    o.kind = quantization(kind);
    o.method = range_method(method);
    o.rounding = weight_rounding(rounding);
    o.percentile = percentile;
    o.activations = symmetric ? element::i8 : element::u8;
    o.per_channel = per_channel;
    o.bits = bits;
    o.block_size = block_size;
    o.matmul_nbits = nbits;
    o.damping = damping;
    o.operators = std::move(operators);
    o.exclude = std::move(exclude);
    o.keep_worst = keep_worst;
    o.compared = compared;
    if (!progress.is_none())
        o.progress = [&progress](std::string_view phase, std::int64_t count, std::int64_t total) {
            nb::gil_scoped_acquire gil;
            progress(text(phase), count, total);
        };
    const model m(path);  // for the types of the samples
    if (nb::len(samples) > 0) o.data = data_of(samples, m);
    quantized_model q;
    {
        nb::gil_scoped_release released;
        q = quantize(std::filesystem::path(path), o);
    }
    nb::list float_nodes;
    for (const float_node& n : q.float_nodes)
        float_nodes.append(nb::make_tuple(text(n.node), text(n.op), text(n.reason)));
    return nb::make_tuple(nb::bytes(q.file.data(), q.file.size()), q.nodes, float_nodes, errors_of(q.layers),
                          errors_of(q.outputs), q.bytes_before, q.bytes_after);
}
}  // namespace

void add_quantize(nb::module_& m) {
    m.def("quantize_file", &quantize_file, nb::arg("path"), nb::arg("samples"), nb::kw_only(), nb::arg("kind"),
          nb::arg("method"), nb::arg("rounding"), nb::arg("percentile"), nb::arg("symmetric"), nb::arg("per_channel"),
          nb::arg("bits"), nb::arg("block_size"), nb::arg("nbits"), nb::arg("damping"), nb::arg("operators"),
          nb::arg("exclude"), nb::arg("keep_worst"), nb::arg("compared"), nb::arg("progress").none(),
          nb::sig("def quantize_file(path: str, samples: typing.Sequence[typing.Mapping[str, "
                  "typing.Any]], *, kind: int, method: int, rounding: int, percentile: float, symmetric: bool, "
                  "per_channel: bool, bits: int, block_size: int, nbits: bool, damping: float, operators: list[str], "
                  "exclude: list[str], keep_worst: int, compared: int, progress: typing.Callable[[str, int, "
                  "int], object] | None) -> tuple[bytes, int, list[tuple[str, str, str]], list[tuple[str, str, str, "
                  "float, float]], list[tuple[str, str, str, float, float]], int, int]"));
}
}  // namespace inlay::python
