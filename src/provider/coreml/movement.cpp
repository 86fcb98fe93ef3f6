// What gives the same elements other dimensions, or another place.
#include "program.hpp"
#include <inlay/onnx/concat.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace {
void write_reshape(const mil_node& a) { a.put(a.input(0)); }
void write_dropout(const mil_node& a) {
    require_first_output(a, "its mask is wanted");
    if (!op::dropout::passes_through(a.n)) refuse("it may be training");
    a.put(a.input(0));
}
void write_transpose(const mil_node& a) {
    const auto given = a.n.integers("perm");
    integers order(given.begin(), given.end());
    if (given.empty())
        for (int i = a.rank() - 1; i >= 0; --i) order.push_back(i);
    if (order.size() < 2) return a.put(a.input(0));
    a.put_operation("transpose", {{"perm", order}});
}
void write_concat(const mil_node& a) {
    std::vector<variable> parts;
    for (int k = 0; k < a.n.input_count(); ++k) parts.push_back(a.input(k));
    const tensor_info y = a.output_info();
    const auto axis = std::int64_t(op::concat::axis(a.n, a.rank()));
    if (parts.size() == 1) return a.put(parts[0]);
    a.put(a.to.operation("concat", {{"values", parts}, {"axis", axis}, {"interleave", false}}, y));
}
void write_split(const mil_node& a) {
    const int axis = op::split::axis(a.n);
    integers lengths;
    std::vector<tensor_info> parts;
    for (int k = 0; k < a.n.output_count(); ++k) {
        const auto length = op::split::length(a.n, a.n.input(0).dims[axis], k);
        if (!length) refuse("its lengths are not constant");
        shape part = a.n.input(0).dims;
        part[axis] = *length;
        lengths.push_back(*length);
        parts.push_back(info_of(part, a.type()));
    }
    const auto made =
        a.to.operations("split", {{"x", a.input(0)}, {"split_sizes", lengths}, {"axis", std::int64_t(axis)}}, parts);
    for (int k = 0; k < a.n.output_count(); ++k)
        if (a.n.has_output(k)) a.put(made[std::size_t(k)], k);
}
void write_slice(const mil_node& a) {
    op::slice::cut c;
    require(op::slice::read(a.n, c));
    if (!c.known) refuse("its starts, ends, axes or steps are not constant");
    integers begin, end, stride;
    for (int i = 0; i < a.rank(); ++i) {
        if (c.step[i] < 0) refuse("its steps go backwards");
        begin.push_back(c.start[i]);
        end.push_back(c.start[i] + (c.dims[i] - 1) * c.step[i] + 1);
        stride.push_back(c.step[i]);
    }
    a.put_operation("slice_by_index", {{"begin", begin}, {"end", end}, {"stride", stride}});
}
void write_gather(const mil_node& a) {
    const tensor_info x = a.input(0).info;
    if (x.type == element::boolean) refuse("Core ML's gather does not take bool");
    const variable indices = a.input(1);
    const int axis = normal_axis(a.n.integer("axis", 0), a.rank());
    shape dims = x.dims;  // with the indices' dimensions in place of the axis
    dims.rank = axis;
    if (a.rank() - 1 + indices.info.dims.rank > 5) refuse("its result has more than Core ML's 5 dimensions");
    for (const std::int64_t d : indices.info.dims) dims.push_back(d);
    for (int i = axis + 1; i < x.dims.rank; ++i) dims.push_back(x.dims[i]);
    a.put(a.to.operation(
        "gather",
        {{"x", a.input(0)}, {"indices", indices}, {"axis", std::int64_t(axis)}, {"batch_dims", std::int64_t(0)}},
        with_dims(x, dims)));
}
void write_expand(const mil_node& a) { a.put(a.to.broadcast_to(a.input(0), a.output_info().dims)); }
void write_tile(const mil_node& a) {
    if (a.n.version() < 6) refuse("version 1 of it repeats one axis");
    const auto repeats = a.n.input_integers(1);
    if (!repeats) refuse("its repeats are not constant");
    if (repeats->empty()) return a.put(a.input(0));
    a.put_operation("tile", {{"reps", integers(repeats->begin(), repeats->end())}});
}
void write_pad(const mil_node& a) {
    require_floats(a);
    if (op::pad::mode(a.n) != padding::constant) refuse("it pads with other elements than a constant");
    pad_axes axes;
    require(op::pad::read(a.n, axes));
    const auto value = a.n.has_input(2) ? a.n.input_reals(2) : std::nullopt;
    if (!axes.known || (a.n.has_input(2) && (!value || value->size() != 1))) refuse("its pads are not constant");
    integers pads;
    for (int i = 0; i < a.rank(); ++i) {
        const pad_axis& p = axes.list[std::size_t(i)];
        if (p.length != p.input) refuse("it takes elements away");
        pads.insert(pads.end(), {p.at, p.size - p.at - p.length});
    }
    if (pads.empty()) return a.put(a.input(0));
    const double constant = value ? (*value)[0] : a.n.real("value", 0);
    a.put_operation("pad",
                    {{"pad", pads}, {"mode", std::string_view("constant")}, {"constant_val", a.number(constant)}});
}
void write_depth_to_space(const mil_node& a) {
    require_floats(a);
    const bool by_column = a.n.text("mode", "DCR") == "CRD";
    a.put_operation(by_column ? "pixel_shuffle" : "depth_to_space",
                    {{by_column ? "upscale_factor" : "block_size", a.n.integer("blocksize", 1)}});
}
// Resize and Upsample by whole numbers to the nearest element, where that is the one at (place / scale), rounded down.
bool repeats_elements(const node_view& n) {
    const std::string_view places = n.text("coordinate_transformation_mode", "half_pixel"),
                           rounding = n.text("nearest_mode", "round_prefer_floor");
    return n.version() <= 10 || (places == "asymmetric" && rounding == "floor") ||
           (places == "half_pixel" && rounding.starts_with("round_prefer"));
}
void write_resize(const mil_node& a) {
    require_floats(a);
    const std::string mode(a.n.text("mode", "nearest"));
    if (mode != "nearest") refuse("its mode is " + mode + "; nearest is written");
    if (!repeats_elements(a.n) || a.n.has("axes") || a.n.text("keep_aspect_ratio_policy", "stretch") != "stretch")
        refuse("Core ML does not choose the nearest element as its attributes do");
    const shape &x = a.n.input(0).dims, &y = a.n.output(0).dims;
    const int scales = a.n.version() <= 10 ? 1 : 2;
    const auto given = a.n.has_input(scales) ? a.n.input_reals(scales)
                       : a.n.has("scales")   ? std::optional(a.n.reals("scales"))
                                             : std::nullopt;
    if (given && !given->empty() && int(given->size()) != x.rank) refuse("it has not one scale for each axis");
    for (int i = 0; i < x.rank; ++i) {
        const auto scale = y[i] / x[i];
        const bool as_given = !given || given->empty() || (*given)[std::size_t(i)] == double(scale);
        if (y[i] % x[i] != 0 || !as_given || (i < x.rank - 2 && scale != 1) || x.rank < 3)
            refuse("it does not enlarge the last two axes of at least 3 by whole numbers");
    }
    a.put_operation("upsample_nearest_neighbor", {{"scale_factor_height", y[x.rank - 2] / x[x.rank - 2]},
                                                  {"scale_factor_width", y[x.rank - 1] / x[x.rank - 1]}});
}
}  // namespace

std::span<const mil_rule> movement_rules() {
    static constexpr mil_rule all[] = {
        {"Reshape", write_reshape},     {"Flatten", write_reshape},  {"Squeeze", write_reshape},
        {"Unsqueeze", write_reshape},   {"Identity", write_reshape}, {"Dropout", write_dropout},
        {"Transpose", write_transpose}, {"Concat", write_concat},    {"Split", write_split},
        {"Slice", write_slice},         {"Gather", write_gather},    {"Expand", write_expand},
        {"Tile", write_tile},           {"Pad", write_pad},          {"DepthToSpace", write_depth_to_space},
        {"Resize", write_resize},       {"Upsample", write_resize}};
    return all;
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay
