// What only moves elements, or gives them other dimensions: a view where oneDNN has one, of a tensor reordered where it
// has none.
#include "rules.hpp"
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
namespace {
void lower_reshape(lowering& l, const node_view& n) {
    if (n.record.op == "Dropout") {
        if (n.has_output(1)) refuse("oneDNN has no mask of Dropout");
        if (!op::dropout::passes_through(n)) refuse("it may be training");
    }
    l.give(n, 0, l.reshaped(l.input(n, 0), n.output(0).dims));
}
void lower_transpose(lowering& l, const node_view& n) {
    const int rank = n.input(0).dims.rank;
    const auto perm = n.integers("perm");
    std::array<int, max_rank> places{};  // of each axis of the input in the result
    for (int i = 0; i < rank; ++i) places[std::size_t(perm.empty() ? rank - 1 - i : perm[std::size_t(i)])] = i;
    l.give(n, 0, rank ? l.permuted(l.input(n, 0), places) : l.input(n, 0));
}
void lower_slice(lowering& l, const node_view& n) {
    op::slice::cut c;
    check_read([&] { return op::slice::read(n, c); });
    if (!c.known) refuse("oneDNN's parts begin and end at constants");
    for (std::int64_t step : c.step)
        if (step != 1) refuse("oneDNN's parts have steps of 1, not of " + std::to_string(step));
    l.give(n, 0, c.dims.rank ? l.part(l.input(n, 0), c.dims, c.start) : l.input(n, 0));
}
void lower_split(lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    const int axis = op::split::axis(n);
    shape start = shape::of_rank(x.rank, 0);
    for (int k = 0; k < n.output_count(); ++k) {
        const auto length = op::split::length(n, x[axis], k);
        if (!length) refuse("oneDNN's parts have constant lengths");
        if (n.has_output(k)) l.give(n, k, l.part(l.input(n, 0), n.output(k).dims, start));
        start[axis] += *length;
    }
}
// Blocks of pixels beside channels: [N, C, H, W] with C as `block` by `block` times channels, in one of two orders.
void lower_blocks(lowering& l, const node_view& n) {
    const bool to_space = n.record.op == "DepthToSpace", channels_behind = n.text("mode", "DCR") == "DCR";
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    const std::int64_t block = n.integer("blocksize", 1), channels = to_space ? y[1] : x[1];
    if (to_space) {
        const shape inner = channels_behind ? shape{x[0], block, block, channels, x[2], x[3]}
                                            : shape{x[0], channels, block, block, x[2], x[3]};
        constexpr std::array<int, 6> from_behind{0, 3, 5, 1, 2, 4}, from_front{0, 1, 3, 5, 2, 4};
        return l.give(
            n, 0,
            l.reshaped(l.permuted(l.reshaped(l.input(n, 0), inner), channels_behind ? from_behind : from_front), y));
    }
    constexpr std::array<int, 6> places{0, 3, 4, 1, 5, 2};
    l.give(n, 0,
           l.reshaped(l.permuted(l.reshaped(l.input(n, 0), {x[0], channels, y[2], block, y[3], block}), places), y));
}
planned_primitive plan_concat(const dnnl_layout& to, std::span<const const_dnnl_memory_desc_t> from, int axis) {
    dnnl_primitive_desc_t desc = nullptr;
    onednn_check(dnnl().dnnl_concat_primitive_desc_create(&desc, dnnl().engine, to.get(), int(from.size()), axis,
                                                          from.data(), attributes().get()));
    return planned_primitive(desc);
}
void lower_concat(lowering& l, const node_view& n) {
    const int rank = n.output(0).dims.rank;
    std::int64_t axis = n.integer("axis", 1);
    if (axis < 0) axis += rank;
    std::vector<int> parts;
    for (int k = 0; k < n.input_count(); ++k) {
        const int slot = l.input(n, k);
        parts.push_back(is_whole(l.layout(slot)) ? slot : l.plain(slot));
    }
    const auto join = [&] {
        std::vector<const_dnnl_memory_desc_t> from;
        std::vector<dnnl_program::argument> all;
        for (const int slot : parts) {
            all.push_back({DNNL_ARG_MULTIPLE_SRC + int(from.size()), slot});
            from.push_back(l.layout(slot).get());
        }
        const planned_primitive planned = plan_concat(any_layout(n.output(0).dims), from, int(axis));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        all.push_back({DNNL_ARG_DST, out});
        l.add(planned, std::move(all));
        return out;
    };
    try {
        return l.give(n, 0, join());
    } catch (const onednn_refusal&) {
        for (int& slot : parts) slot = l.plain(slot);
    }
    l.give(n, 0, join());
}
}  // namespace

std::span<const rule> movement_rules() {
    static constexpr rule rules[] = {
        {"Concat", lower_concat},      {"DepthToSpace", lower_blocks},    {"SpaceToDepth", lower_blocks},
        {"Dropout", lower_reshape, 1}, {"Flatten", lower_reshape, 1},     {"Identity", lower_reshape, 1},
        {"Reshape", lower_reshape, 1}, {"Slice", lower_slice, 1},         {"Split", lower_split, 1},
        {"Squeeze", lower_reshape, 1}, {"Transpose", lower_transpose, 1}, {"Unsqueeze", lower_reshape, 1},
    };
    return rules;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay
