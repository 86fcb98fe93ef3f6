// MaxPool and AveragePool, those over whole images, and sums and the like over axes.
#include "program.hpp"
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace {
void write_pool(const mil_node& a) {
    require_floats(a);
    require_first_output(a, "the indices of the maxima are wanted");
    pool_windows w;
    require(w.read(a.n));
    const bool average = a.n.record.op == "AveragePool";
    integers kernel, strides, pads;
    for (std::size_t i = w.axes.size() - std::size_t(a.rank() - 2); i < w.axes.size(); ++i) {
        const window_axis& axis = w.axes[i];
        const std::int64_t padded = (axis.out - 1) * axis.stride + axis.kernel - axis.before,
                           after = std::max<std::int64_t>(padded - axis.in, 0);
        if (axis.dilation != 1)
            refuse("it is dilated by " + std::to_string(axis.dilation) + ", and Core ML's pools are not");
        if (axis.before >= axis.kernel || after >= axis.kernel)
            refuse("a window may lie in the padding alone, of which Core ML does not tell the result");
        if (average && w.include_padding && after > axis.after)
            refuse("ceil_mode has a window reach over the padding, which the mean would count");
        kernel.push_back(axis.kernel);
        strides.push_back(axis.stride);
        pads.insert(pads.end(), {axis.before, after});
    }
    arguments all{{"kernel_sizes", kernel},
                  {"strides", strides},
                  {"pad_type", std::string_view("custom")},
                  {"pad", pads},
                  {"ceil_mode", false}};
    if (average) all.insert(all.end(), {{"exclude_padding_from_average", !w.include_padding}});
    a.put_operation(average ? "avg_pool" : "max_pool", all);
}
void write_global_pool(const mil_node& a) {
    require_floats(a);
    integers axes;
    for (int i = 2; i < a.rank(); ++i) axes.push_back(i);
    a.put(reduced(a.to, a.n.record.op == "GlobalMaxPool" ? "reduce_max" : "reduce_mean", a.input(0), axes));
}

struct reduction {
    std::string_view op, operation;
    bool integers;
};
constexpr reduction reductions[] = {
    {"ReduceSum", "reduce_sum", true},         {"ReduceMean", "reduce_mean", false},
    {"ReduceMax", "reduce_max", true},         {"ReduceMin", "reduce_min", true},
    {"ReduceProd", "reduce_prod", true},       {"ReduceL1", "reduce_l1_norm", false},
    {"ReduceL2", "reduce_l2_norm", false},     {"ReduceSumSquare", "reduce_sum_square", false},
    {"ReduceLogSum", "reduce_log_sum", false}, {"ReduceLogSumExp", "reduce_log_sum_exp", false}};
void write_reduction(const mil_node& a) {
    const auto& r = *std::ranges::find(reductions, a.n.record.op, &reduction::op);
    if (!r.integers || a.type() == element::boolean) require_floats(a);
    reduced_axes axes;
    require(axes.read(a.n));
    if (!axes.known) refuse("its axes are not constant");
    integers list;
    for (int i = 0; i < a.rank(); ++i)
        if (axes.has(i)) list.push_back(i);
    if (a.rank() == 0) list = {0};  // a scalar has one dimension there
    if (list.empty()) refuse("it reduces no axis");
    a.put(reduced(a.to, r.operation, a.input(0), list));
}
}  // namespace

std::span<const mil_rule> pool_rules() {
    static const std::vector<mil_rule> all = [] {
        std::vector<mil_rule> rules{{"MaxPool", write_pool},
                                    {"AveragePool", write_pool},
                                    {"GlobalMaxPool", write_global_pool},
                                    {"GlobalAveragePool", write_global_pool}};
        for (const reduction& r : reductions) rules.push_back({r.op, write_reduction});
        return rules;
    }();
    return all;
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay
