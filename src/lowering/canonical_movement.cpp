// What moves elements, and what quantizes floats to 8 bits, as primitives.
#include "canonical.hpp"
#include <inlay/onnx/concat.hpp>
#include <inlay/onnx/gather.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>
#include <inlay/onnx/transpose.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
void lower_same(node_lowering& a) {
    if (a.n.record.op == "Dropout" && !op::dropout::passes_through(a.n)) refuse("it may be training");
    if (!a.only_first_output()) refuse("a second result is wanted");
    a.add_same();
}
void lower_transpose(node_lowering& a) {
    integers axes;
    for (int i = 0; i < a.n.input(0).dims.rank; ++i) axes.push_back(op::transpose::axis(a.n, i));
    if (axes.size() < 2) return a.add_same();
    a.add(transpose_prim{a.input(0), a.result(), std::move(axes)});
}
void lower_concat(node_lowering& a) {
    if (a.n.input_count() == 1) return a.add_same();
    concat_prim p{{}, a.result(), op::concat::axis(a.n, a.n.output(0).dims.rank)};
    for (int k = 0; k < a.n.input_count(); ++k) p.parts.push_back(a.input(k));
    a.add(std::move(p));
}
void lower_whole_split(node_lowering& a) {
    split_prim p{a.input(0), a.result(), {}, op::split::axis(a.n)};
    for (int k = 0; k < a.n.output_count(); ++k) {
        if (!a.n.has_output(k)) refuse("one of its results has no name");
        if (k > 0) p.rest.push_back(a.result(k));
    }
    if (p.rest.empty()) return a.add_same();
    a.add(std::move(p));
}
void lower_split(node_lowering& a) {
    if (a.library_has(kind::split)) return lower_whole_split(a);
    const operand x = a.input(0);
    const int axis = op::split::axis(a.n);
    integers start(std::size_t(x.dims.rank), 0);
    const integers step(start.size(), 1);
    for (int k = 0; k < a.n.output_count(); ++k) {
        if (a.n.has_output(k)) a.add(slice_prim{x, a.result(k), start, step});
        const auto length = op::split::length(a.n, x.dims[axis], k);
        if (!length) refuse("its lengths are no constant");
        start[std::size_t(axis)] += *length;
    }
}
void lower_slice(node_lowering& a) {
    op::slice::cut c;
    require(op::slice::read(a.n, c));
    if (!c.is_known) refuse("starts, ends, axes and steps are no constants");
    const operand x = a.input(0);
    slice_prim p{x, a.result(), {c.start.begin(), c.start.end()}, {}};
    for (int i = 0; i < c.dims.rank; ++i) p.step.push_back(std::min(c.step[i], x.dims[i]));
    a.add(std::move(p));
}
void lower_pad(node_lowering& a) {
    pad_axes axes;
    require(op::pad::read(a.n, axes));
    if (!axes.is_known) refuse("its pads are no constant");
    pad_prim p{a.input(0), a.result(), {}, {}, a.n.text("mode", "constant"), float(a.n.real("value", 0))};
    if (a.n.has_input(2) && is_integer(a.n.input(0).type)) {
        const auto value = a.n.input_integers(2);
        if (!value || value->size() != 1) refuse("the constant that it pads with is known only while it runs");
        p.whole_value = (*value)[0];
    } else if (a.n.has_input(2)) {
        const auto value = a.n.input_reals(2);
        if (!value || value->size() != 1)
            refuse("the constant that it pads with is known only while it runs, or no float");
        p.value = float((*value)[0]);
    }
    for (int i = 0; i < p.x.dims.rank; ++i) {
        const pad_axis& axis = axes.list[std::size_t(i)];
        p.before.push_back(axis.at - axis.first);
        p.after.push_back(axis.size - axis.input - p.before.back());
    }
    if (p.before.empty()) return a.add_same();
    a.add(std::move(p));
}
void lower_gather(node_lowering& a) {
    const operand x = a.input(0);
    gather_prim p{x, {}, op::gather::axis(a.n), {}};
    shape joined = x.dims;
    joined[p.axis] = a.n.input(1).dims.elements();
    p.y = a.result(joined);
    p.places = a.known_places({x.dims[p.axis]});
    if (!p.places) p.indices = a.input(1, {a.n.input(1).dims.elements()});
    a.add(std::move(p));
}
void add_tile(node_lowering& a, const operand& x, integers repeats) {
    if (std::ranges::all_of(repeats, [](std::int64_t n) { return n == 1; })) return a.add(reshape_prim{x, a.result()});
    a.add(tile_prim{x, a.result(), std::move(repeats)});
}
void lower_tile(node_lowering& a) {
    if (a.n.version() < 6) refuse("version 1 of it repeats one axis");
    const operand x = a.input(0), y = a.result();
    integers repeats;
    for (int i = 0; i < x.dims.rank; ++i) repeats.push_back(x.dims[i] ? y.dims[i] / x.dims[i] : 1);
    add_tile(a, x, std::move(repeats));
}
void lower_expand(node_lowering& a) {
    if (a.library_has(kind::broadcast)) return a.add(broadcast_prim{a.input(0), a.result()});
    const shape y = a.result().dims;
    const operand x = a.input(0, of_rank(a.n.input(0).dims, y.rank));
    integers repeats;
    for (int i = 0; i < y.rank; ++i) repeats.push_back(x.dims[i] ? y[i] / x.dims[i] : 1);
    add_tile(a, x, std::move(repeats));
}
template <bool ToDepth> void lower_blocks(node_lowering& a) {
    a.add(blocks_prim{a.input(0), a.result(), a.n.integer("blocksize", 1), ToDepth, a.n.text("mode", "DCR") != "DCR"});
}
void lower_resize(node_lowering& a) {
    resizing::geometry geometry;
    if (const std::string_view fault = read(a.n, geometry); !fault.empty()) refuse(std::string(fault));
    if (!geometry.decided) refuse("whether its scales or its sizes are empty is known only while it runs");
    if (geometry.keep != resizing::policy::stretch) refuse("its sizes keep the aspect ratio");
    a.add(resize_prim{a.input(0), a.result(), resizing_facts::of(a.n, geometry)});
}
void lower_quantize(node_lowering& a) {
    if (a.library_has(kind::quantize_blocks)) return lower_quantize_blocks(a);
    a.add(quantize_prim{a.input(0), a.result()});
}
void lower_dequantize(node_lowering& a) {
    if (a.library_has(kind::quantize_blocks)) return lower_quantize_blocks(a);
    a.add(dequantize_prim{a.input(0), a.result()});
}
}  // namespace

std::span<const source> movement_sources() {
    static constexpr source sources[] = {
        {"Dropout", kind::reshape, -1, lower_same},
        {"Flatten", kind::reshape, -1, lower_same},
        {"Identity", kind::reshape, -1, lower_same},
        {"Reshape", kind::reshape, -1, lower_same},
        {"Squeeze", kind::reshape, -1, lower_same},
        {"Unsqueeze", kind::reshape, -1, lower_same},
        {"Transpose", kind::transpose, -1, lower_transpose},
        {"Concat", kind::concat, -1, lower_concat},
        {"Split", kind::split, -1, lower_split},
        {"Split", kind::slice, -1, lower_split},
        {"Slice", kind::slice, -1, lower_slice},
        {"Pad", kind::pad, -1, lower_pad},
        {"Expand", kind::tile, -1, lower_expand},
        {"Tile", kind::tile, -1, lower_tile},
        {"Gather", kind::gather, -1, lower_gather},
        {"DepthToSpace", kind::blocks, 0, lower_blocks<false>},
        {"SpaceToDepth", kind::blocks, 1, lower_blocks<true>},
        {"Expand", kind::broadcast, -1, lower_expand},
        {"Resize", kind::resize, -1, lower_resize},
        {"Upsample", kind::resize, -1, lower_resize},
        {"QuantizeLinear", kind::quantize, -1, lower_quantize},
        {"DequantizeLinear", kind::dequantize, -1, lower_dequantize},
    };
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
