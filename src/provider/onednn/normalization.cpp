// Normalisations, Softmax, and what is reduced along axes.
#include "rules.hpp"
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
namespace {
void lower_batch_normalization(lowering& l, const node_view& n) {
    const shape& dims = n.input(0).dims;
    if (!op::batch_normalization::is_spatial(n)) refuse("oneDNN normalises channels, not each element of a sample");
    if (n.output_count() > 1) refuse("oneDNN is asked for no training");
    if (dims.rank < 2 || dims.rank > 5) refuse("oneDNN has it for 2 to 5 dimensions, not for " + shape_text(n, 0));
    constexpr unsigned flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;
    const int y = in_some_layout(l, l.input(n, 0), [&](int x) {
        const planned_primitive planned =
            plan_primitive(dnnl().dnnl_batch_normalization_forward_primitive_desc_create, dnnl_forward_inference,
                           l.layout(x).get(), any_layout(dims).get(), float(n.real("epsilon", 1e-5)), flags,
                           const_dnnl_primitive_attr_t(attributes().get()));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x},
                        {DNNL_ARG_SCALE, l.plain(l.input(n, 1))},
                        {DNNL_ARG_SHIFT, l.plain(l.input(n, 2))},
                        {DNNL_ARG_MEAN, l.plain(l.input(n, 3))},
                        {DNNL_ARG_VARIANCE, l.plain(l.input(n, 4))},
                        {DNNL_ARG_DST, out}});
        return out;
    });
    l.give(n, 0, y);
}
void lower_layer_normalization(lowering& l, const node_view& n) {
    const shape& dims = n.input(0).dims;
    if (n.output_count() > 1) refuse("oneDNN is asked for the normalised values only");
    std::int64_t axis = n.integer("axis", -1);
    if (axis < 0) axis += dims.rank;
    const std::int64_t rows = dims.elements(0, int(axis)), columns = dims.elements(int(axis));
    const auto parameter = [&](int k) {
        if (n.input(k).dims.elements() != columns)
            refuse("oneDNN has one scale and one bias for each element of a row");
        return l.reshaped(l.plain(l.input(n, k)), {columns});
    };
    const unsigned flags = unsigned(dnnl_use_scale) | (n.has_input(2) ? unsigned(dnnl_use_shift) : 0u);
    const int y = in_some_layout(l, l.reshaped(l.input(n, 0), {rows, columns}), [&](int x) {
        const planned_primitive planned =
            plan_primitive(dnnl().dnnl_layer_normalization_forward_primitive_desc_create, dnnl_forward_inference,
                           l.layout(x).get(), any_layout({rows, columns}).get(), const_dnnl_memory_desc_t(nullptr),
                           float(n.real("epsilon", 1e-5)), flags, const_dnnl_primitive_attr_t(attributes().get()));
        std::vector<dnnl_program::argument> all{{DNNL_ARG_SRC, x}, {DNNL_ARG_SCALE, parameter(1)}};
        if (n.has_input(2)) all.push_back({DNNL_ARG_SHIFT, parameter(2)});
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        all.push_back({DNNL_ARG_DST, out});
        l.add(planned, std::move(all));
        return out;
    });
    l.give(n, 0, y);
}
void lower_lrn(lowering& l, const node_view& n) {
    const std::int64_t size = n.integer("size", 1);
    if (size % 2 == 0) refuse("oneDNN's windows of channels are odd, not of " + std::to_string(size));
    const int y = in_some_layout(l, l.input(n, 0), [&](int x) {
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_lrn_forward_primitive_desc_create, dnnl_forward_inference, dnnl_lrn_across_channels,
            l.layout(x).get(), any_layout(n.input(0).dims).get(), size, float(n.real("alpha", 1e-4)),
            float(n.real("beta", .75)), float(n.real("bias", 1)), const_dnnl_primitive_attr_t(attributes().get()));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
        return out;
    });
    l.give(n, 0, y);
}
void lower_softmax(lowering& l, const node_view& n) {
    shape dims = n.input(0).dims;
    const bool whole = n.version() < 13;  // over all that follows the axis
    std::int64_t axis = n.integer("axis", whole ? 1 : -1);
    if (axis < 0) axis += dims.rank;
    int from = l.input(n, 0);
    if (whole) {
        dims = {dims.elements(0, int(axis)), dims.elements(int(axis))};
        from = l.reshaped(from, dims);
        axis = 1;
    }
    const dnnl_alg_kind_t how = n.record.op == "LogSoftmax" ? dnnl_softmax_log : dnnl_softmax_accurate;
    const int y = in_some_layout(l, from, [&](int x) {
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_softmax_forward_primitive_desc_create, dnnl_forward_inference, how, l.layout(x).get(),
            any_layout(dims).get(), int(axis), const_dnnl_primitive_attr_t(attributes().get()));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
        return out;
    });
    l.give(n, 0, y);
}

struct reduction {
    std::string_view op;
    dnnl_alg_kind_t algorithm;
    float p = 0;
};
constexpr reduction reductions[] = {
    {"ReduceL1", dnnl_reduction_norm_lp_power_p_sum, 1},
    {"ReduceL2", dnnl_reduction_norm_lp_sum, 2},
    {"ReduceMax", dnnl_reduction_max},
    {"ReduceMean", dnnl_reduction_mean},
    {"ReduceMin", dnnl_reduction_min},
    {"ReduceProd", dnnl_reduction_mul},
    {"ReduceSum", dnnl_reduction_sum},
    {"ReduceSumSquare", dnnl_reduction_norm_lp_power_p_sum, 2},
};
void lower_reduction(lowering& l, const node_view& n) {
    reduced_axes axes;
    check_read([&] { return axes.read(n); });
    if (!axes.known) refuse("oneDNN's axes are constants");
    shape kept = padded(n.input(0).dims, 1);
    for (int i = 0; i < kept.rank; ++i)
        if (axes.has(i)) kept[i] = 1;
    if (kept == n.input(0).dims) refuse("it reduces nothing");
    const auto r = std::ranges::find(reductions, n.record.op, &reduction::op);
    const int y = in_some_layout(l, l.input(n, 0), [&](int x) {
        const planned_primitive planned =
            plan_primitive(dnnl().dnnl_reduction_primitive_desc_create, r->algorithm, l.layout(x).get(),
                           any_layout(kept).get(), r->p, 0.f, const_dnnl_primitive_attr_t(attributes().get()));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
        return out;
    });
    l.give(n, 0, y);
}
}  // namespace

std::span<const rule> normalization_rules() {
    static const std::vector<rule> rules = [] {
        std::vector<rule> all{{"BatchNormalization", lower_batch_normalization},
                              {"LRN", lower_lrn},
                              {"LayerNormalization", lower_layer_normalization},
                              {"LogSoftmax", lower_softmax},
                              {"Softmax", lower_softmax}};
        for (const reduction& r : reductions) all.push_back({r.op, lower_reduction, 1});
        return all;
    }();
    return rules;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay
