// MaxPool, AveragePool, those over whole images, and reductions.
#include "writer.hpp"
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::int64_t most_of_window = 256, most_of_pool_stride = 256;  // of a DPU

void put_pooled(const node_writer& a, const xir_window& w, bool whole, bool count_pads) {
    const bool average = a.n.record.op.ends_with("AveragePool");
    xir_attributes all = w.attributes();
    all.set("global", whole);
    if (average) all.set("count_include_pad", count_pads).set("count_include_invalid", false);
    a.put(a.to.made(average ? "avgpool2d" : "maxpool2d", std::move(all), {{"input", {a.image().op}}},
                    {a.output_info().dims, true}));
}
void write_pool(const node_writer& a) {
    if (!a.only_first_output()) refuse("the indices of the maxima are wanted, which XIR's operation does not give");
    a.require_image();
    pool_windows read;
    require(read.read(a.n));
    xir_window w;
    bool beyond = false, padded = false;
    for (int i : {0, 1}) {
        const window_axis& axis = read.axes[std::size_t(i + 1)];
        const auto at = std::size_t(i);
        if (axis.dilation != 1) refuse("it is dilated by " + std::to_string(axis.dilation) + ", and XIR's is not");
        w.kernel[at] = axis.kernel;
        w.strides[at] = axis.stride;
        w.before[at] = axis.before;
        w.after[at] = std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + axis.kernel - axis.in - axis.before);
        if (w.before[at] >= axis.kernel || w.after[at] >= axis.kernel) refuse("a window may lie in the padding alone");
        beyond |= w.after[at] > axis.after;
        padded |= w.before[at] > 0 || w.after[at] > 0;
    }
    const bool average = a.n.record.op == "AveragePool";
    if (average && read.include_padding && beyond) refuse("it counts pads, and has windows that reach beyond them");
    a.refuse_on_dpu(average && padded && !read.include_padding, "it leaves pads out of means, and a DPU counts them");
    a.require_on_dpu("the window", w.kernel, most_of_window);
    a.require_on_dpu("the stride", w.strides, most_of_pool_stride);
    put_pooled(a, w, false, read.include_padding);
}
void write_global_pool(const node_writer& a) {
    a.require_image();
    const shape& x = a.n.input(0).dims;
    xir_window w;
    w.kernel = {x[2], x[3]};
    a.require_on_dpu("the window", w.kernel, most_of_window);
    put_pooled(a, w, true, false);
}
std::string reduction_of(std::string_view op) {
    return op == "ReduceMean"  ? "reduction_mean"
           : op == "ReduceMax" ? "reduction_max"
           : op == "ReduceSum" ? "reduction_sum"
                               : "reduction_product";
}
void write_reduction(const node_writer& a) {
    reduced_axes axes;
    require(axes.read(a.n));
    if (!axes.known) refuse("its axes are no constant");
    const stream x = a.input(0);
    xir_tensor kept = x.info;
    xir_integers list;
    for (int i = 0; i < kept.dims.rank; ++i)
        if (axes.has(i)) {
            list.push_back(std::int32_t(place_of_axis(i, x.info)));
            kept.dims[i] = 1;
        }
    if (list.empty()) return a.put(x);
    xir_attributes all;
    all.set("axis", list).set("keep_dims", true);
    a.put(a.to.made(reduction_of(a.n.record.op), std::move(all), {{"input", {x.op}}}, kept));
}
}  // namespace

writer_function find_pool(std::string_view op) {
    static constexpr named_writer all[] = {{"MaxPool", write_pool},
                                           {"AveragePool", write_pool},
                                           {"GlobalMaxPool", write_global_pool},
                                           {"GlobalAveragePool", write_global_pool},
                                           {"ReduceMax", write_reduction},
                                           {"ReduceMean", write_reduction},
                                           {"ReduceSum", write_reduction},
                                           {"ReduceProd", write_reduction}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
