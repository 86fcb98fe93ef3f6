// Pools, those over whole images, reductions, and where the greatest or least element is.
#include "graph.hpp"
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
struct windows {
    std::vector<UINT> strides, kernel, start, end, dilations;
    bool past_padding = false;  // the last ones reach beyond the padding that was asked for
};
windows read_windows(const pool_windows& p, int rank) {
    windows w;
    for (int i = rank == 5 ? 0 : 1; i < 3; ++i) {  // a single axis has another of one element before it
        const window_axis& axis = p.axes[std::size_t(i)];
        const std::int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
        if (axis.before >= reach || std::int64_t(last_pad(axis)) >= reach)
            refuse("a window may lie in the padding alone");
        w.strides.push_back(UINT(axis.stride));
        w.kernel.push_back(UINT(axis.kernel));
        w.start.push_back(UINT(axis.before));
        w.end.push_back(last_pad(axis));
        w.dilations.push_back(UINT(axis.dilation));
        w.past_padding |= std::int64_t(last_pad(axis)) > axis.after;
    }
    return w;
}
void write_pool(const node_writer& a) {
    if (!a.only_first_output()) refuse("the indices of the maxima are wanted, which are not written here");
    pool_windows p;
    require(p.read(a.n));
    const tensor_info y = a.output_info();
    const shape &x = a.dims(0), image = x.rank == 3 ? shape{x[0], x[1], 1, x[2]} : x,
                result = x.rank == 3 ? shape{y.dims[0], y.dims[1], 1, y.dims[2]} : y.dims;
    const windows w = read_windows(p, x.rank);
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0, image)), out = m.out(with_dims(y, result));
    const auto axes = UINT(w.strides.size());
    if (a.n.record.op == "MaxPool") {
        const dml_max_pooling d{in,
                                out,
                                nullptr,
                                axes,
                                m.list(w.strides),
                                m.list(w.kernel),
                                m.list(w.start),
                                m.list(w.end),
                                m.list(w.dilations)};
        return a.put(m.made(DML_OPERATOR_MAX_POOLING2, &d));
    }
    for (UINT dilation : w.dilations)
        if (dilation != 1) refuse("it is dilated by " + std::to_string(dilation) + ", and DirectML's operator is not");
    if (p.include_padding && w.past_padding)
        refuse("count_include_pad is set, and the last windows reach beyond the padding");
    const dml_average_pooling d{
        in, out, axes, m.list(w.strides), m.list(w.kernel), m.list(w.start), m.list(w.end), p.include_padding};
    a.put(m.made(DML_OPERATOR_AVERAGE_POOLING, &d));
}

// Of integers, these are cut off, or sums that a float cannot hold.
bool wants_floats(DML_REDUCE_FUNCTION f) {
    return f == DML_REDUCE_FUNCTION_AVERAGE || f == DML_REDUCE_FUNCTION_L2 || f == DML_REDUCE_FUNCTION_LOG_SUM ||
           f == DML_REDUCE_FUNCTION_LOG_SUM_EXP;
}
void put_reduced(const node_writer& a, DML_REDUCE_FUNCTION function, std::vector<UINT> axes) {
    const stream x = a.input(0);
    if (wants_floats(function) && !is_float(x.info.type)) refuse("it reduces integers");
    (void)a.output_info();
    shape kept = x.info.dims;
    for (UINT i : axes) kept[int(i)] = 1;
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const auto count = UINT(axes.size());
    const dml_reduce d{function, in, m.out({kept, x.info.type}), count, m.list(std::move(axes))};
    a.put(m.made(DML_OPERATOR_REDUCE, &d));
}
template <DML_REDUCE_FUNCTION Function> void write_global_pool(const node_writer& a) {
    std::vector<UINT> axes;
    for (int i = 2; i < a.rank(); ++i) axes.push_back(UINT(i));
    if (axes.empty()) refuse("X has no spatial axis");
    put_reduced(a, Function, std::move(axes));
}
template <DML_REDUCE_FUNCTION Function> void write_reduction(const node_writer& a) {
    reduced_axes axes;
    require(axes.read(a.n));
    if (!axes.known) refuse("its axes are no constant");
    std::vector<UINT> list;
    for (int i = 0; i < a.rank(); ++i)
        if (axes.has(i)) list.push_back(UINT(i));
    if (list.empty()) refuse("it reduces no axis");
    put_reduced(a, Function, std::move(list));
}
template <DML_OPERATOR_TYPE Type> void write_arg(const node_writer& a) {
    const int axis = normal_axis(a.n.integer("axis", 0), a.rank());
    if (axis < 0) refuse("axis is out of range");
    const stream x = a.input(0);
    shape kept = x.info.dims;
    kept[axis] = 1;
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_arg d{in, m.out({kept, element::i64}), 1, m.list(std::vector{UINT(axis)}),
                    a.n.integer("select_last_index", 0) != 0};
    const stream y = m.made(Type, &d);
    a.to.put(a.n.output_id(0), a.to.reshaped(y, {a.n.output(0).dims, element::i64}));
}
}  // namespace

std::span<const named_writer> pool_writers() {
    static constexpr named_writer all[] = {
        {"ArgMax", write_arg<DML_OPERATOR_ARGMAX>},
        {"ArgMin", write_arg<DML_OPERATOR_ARGMIN>},
        {"AveragePool", write_pool},
        {"GlobalAveragePool", write_global_pool<DML_REDUCE_FUNCTION_AVERAGE>},
        {"GlobalMaxPool", write_global_pool<DML_REDUCE_FUNCTION_MAX>},
        {"MaxPool", write_pool},
        {"ReduceL1", write_reduction<DML_REDUCE_FUNCTION_L1>},
        {"ReduceL2", write_reduction<DML_REDUCE_FUNCTION_L2>},
        {"ReduceLogSum", write_reduction<DML_REDUCE_FUNCTION_LOG_SUM>},
        {"ReduceLogSumExp", write_reduction<DML_REDUCE_FUNCTION_LOG_SUM_EXP>},
        {"ReduceMax", write_reduction<DML_REDUCE_FUNCTION_MAX>},
        {"ReduceMean", write_reduction<DML_REDUCE_FUNCTION_AVERAGE>},
        {"ReduceMin", write_reduction<DML_REDUCE_FUNCTION_MIN>},
        {"ReduceProd", write_reduction<DML_REDUCE_FUNCTION_MULTIPLY>},
        {"ReduceSum", write_reduction<DML_REDUCE_FUNCTION_SUM>},
        {"ReduceSumSquare", write_reduction<DML_REDUCE_FUNCTION_SUM_SQUARE>},
    };
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
