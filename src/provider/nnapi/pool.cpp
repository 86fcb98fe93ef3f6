// MaxPool, AveragePool, those over whole images, and reductions.
#include "model.hpp"
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
namespace {
void put_pooled(const node_writer& a, const window_axis& rows, const window_axis& columns) {
    const auto end = [](const window_axis& w) {
        return std::max<std::int64_t>(0, (w.out - 1) * w.stride + w.kernel - w.in - w.before);
    };
    std::vector<std::uint32_t> inputs{a.image().operand};
    for (std::int64_t x : {columns.before, end(columns), rows.before, end(rows), columns.stride, rows.stride,
                           columns.kernel, rows.kernel, std::int64_t(FUSED_NONE)})
        inputs.push_back(a.to.scalar(std::int32_t(x)));
    a.add_order(inputs);
    const bool average = a.n.record.op.ends_with("AveragePool");
    a.put(a.to.operation(average ? AVERAGE_POOL_2D : MAX_POOL_2D, inputs, a.result(a.to.image_order())));
}
void write_pool(const node_writer& a) {
    if (!a.only_first_output()) refuse("the indices of the maxima are wanted, which NNAPI's operation does not give");
    a.require_image();
    pool_windows w;
    require(w.read(a.n));
    bool padded = false;
    for (const window_axis& axis : w.axes) {
        if (axis.dilation != 1)
            refuse("it is dilated by " + std::to_string(axis.dilation) + ", and NNAPI's operation is not");
        if (axis.before >= axis.kernel || axis.after >= axis.kernel) refuse("a window may lie in the padding alone");
        padded |= axis.before > 0 || axis.after > 0;
    }
    if (a.n.record.op == "AveragePool" && w.include_padding && padded)
        refuse("count_include_pad is set, and NNAPI's means are over the elements of the image");
    put_pooled(a, w.axes[1], w.axes[2]);
}
void write_global_pool(const node_writer& a) {
    a.require_image();
    const shape& x = a.n.input(0).dims;
    const auto whole = [](std::int64_t length) {
        window_axis w;
        w.in = w.kernel = length;
        return w;
    };
    put_pooled(a, whole(x[2]), whole(x[3]));
}
std::int32_t reduction_of(std::string_view op) {
    return op == "ReduceMean"  ? MEAN
           : op == "ReduceMax" ? REDUCE_MAX
           : op == "ReduceMin" ? REDUCE_MIN
           : op == "ReduceSum" ? REDUCE_SUM
                               : REDUCE_PROD;
}
void write_reduction(const node_writer& a) {
    reduced_axes axes;
    require(axes.read(a.n));
    if (!axes.known) refuse("its axes are no constant");
    const stream x = a.input(0);
    shape kept = x.info.dims;
    std::vector<std::int32_t> list;
    for (int i = 0; i < kept.rank; ++i)
        if (axes.has(i)) {
            list.push_back(place_of_axis(i, x.info.order));
            kept[i] = 1;
        }
    if (list.empty()) return a.put(x);
    const std::int32_t code = reduction_of(a.n.record.op);
    const std::uint32_t keep = code == MEAN ? a.to.scalar(std::int32_t(1)) : a.to.scalar(true);
    a.put(a.to.operation(code, {x.operand, a.to.integers(list), keep}, {kept, x.info.type, x.info.order}));
}
}  // namespace

std::span<const named_writer> pool_writers() {
    static constexpr named_writer all[] = {
        {"MaxPool", write_pool},
        {"AveragePool", write_pool},
        {"GlobalMaxPool", write_global_pool},
        {"GlobalAveragePool", write_global_pool},
        {"ReduceMax", write_reduction},
        {"ReduceMean", write_reduction},
        {"ReduceMin", write_reduction},
        {"ReduceProd", write_reduction},
        {"ReduceSum", write_reduction},
    };
    return all;
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay
