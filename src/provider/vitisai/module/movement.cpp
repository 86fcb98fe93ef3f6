// What moves elements: shapes, parts, joins, borders, images of other sizes; and codes of 8 bits.
#include "writer.hpp"
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/split.hpp>
#include <inlay/onnx/transpose.hpp>
#include <provider/move_rules.hpp>
#include <provider/resize_rules.hpp>

namespace inlay {
inline namespace v1 {
namespace {
int known_point(const node_writer& a) {
    const auto q = a.to.quantised(a.n);
    if (!q) refuse("it has no scale and zero point of 8 bits that are known before the run");
    return point_of(*q);
}
void write_encoder(const node_writer& a) {
    const int point = known_point(a);
    a.put(a.to.fixed(a.input(0), point));
}
void write_decoder(const node_writer& a) {
    const int point = known_point(a);
    const stream x = a.input(0);
    if (a.to.quantised_as(a.n.input_id(0)) != a.to.quantised(a.n))
        refuse("its codes stand for other numbers to those who read them beside it");
    stream y = x.codes ? a.to.decoded(x, point) : x;
    y.point = point;
    a.put(y);
}

void write_same(const node_writer& a) {
    require_same(a);
    a.put(a.input(0));
}
void write_transpose(const node_writer& a) {
    xir_integers order;
    for (int i = 0; i < a.n.input(0).dims.rank; ++i) order.push_back(op::transpose::axis(a.n, i));
    if (order.size() < 2) return write_same(a);
    xir_attributes all;
    all.set("order", order);
    a.put(a.to.made("transpose", std::move(all), {{"input", {a.plain(0).op}}}, a.output_info()));
}
void write_concat(const node_writer& a) {
    const int rank = a.n.output(0).dims.rank;
    bool last = false;
    for (int k = 0; k < a.n.input_count(); ++k) last |= a.to.is_channels_last(a.n.input_id(k));
    std::vector<xir::Op*> parts;
    for (int k = 0; k < a.n.input_count(); ++k) parts.push_back(a.to.operand(a.n.input_id(k), rank, last).op);
    const xir_tensor y{a.output_info().dims, last};
    xir_attributes all;
    all.set("axis", std::int32_t(place_of_axis(normal_axis(a.n.integer("axis", 1), rank), y)));
    a.put(a.to.made("concat", std::move(all), {{"input", parts}}, y));
}

// Numbers by ONNX's axes in the order that the tensor has them.
xir_integers in_order(const xir_integers& by_axis, const xir_tensor& t) {
    return t.channels_last ? xir_integers{by_axis[0], by_axis[2], by_axis[3], by_axis[1]} : by_axis;
}
// Elements first, first + step, ... along each axis, as many as y has.
stream cut(const node_writer& a, const stream& x, const xir_integers& first, const xir_integers& step, const shape& y) {
    xir_integers end;
    for (int i = 0; i < y.rank; ++i) {
        const auto at = std::size_t(i);
        end.push_back(first[at] + (std::int32_t(y[i]) - 1) * step[at] + 1);
    }
    xir_attributes all;
    all.set("begin", in_order(first, x.info)).set("end", in_order(end, x.info)).set("strides", in_order(step, x.info));
    return a.to.made("strided_slice", std::move(all), {{"input", {x.op}}}, {y, x.info.channels_last});
}
void write_split(const node_writer& a) {
    const stream x = a.input(0);
    const int rank = x.info.dims.rank, axis = op::split::axis(a.n);
    xir_integers first(std::size_t(rank), 0);
    for (int k = 0; k < a.n.output_count(); ++k) {
        if (!a.n.has_output(k)) refuse("one of its results has no name");
        const shape y = a.output_info(k).dims;
        a.put(cut(a, x, first, xir_integers(std::size_t(rank), 1), y), k);
        first[std::size_t(axis)] += std::int32_t(y[axis]);
    }
}
void write_slice(const node_writer& a) {
    const op::slice::cut c = forward_cut(a.n);
    (void)a.output_info();
    const stream x = a.input(0);
    xir_integers first, step;
    for (int i = 0; i < c.dims.rank; ++i) {
        first.push_back(std::int32_t(c.start[i]));
        step.push_back(std::int32_t(std::min<std::int64_t>(c.step[i], x.info.dims[i])));
    }
    a.put(cut(a, x, first, step, c.dims));
}
void write_pad(const node_writer& a) {
    const padding mode = op::pad::mode(a.n);
    if (mode != padding::constant)
        refuse("mode is " + std::string(a.n.text("mode", "constant")) + ", and it pads with a constant here");
    const pad_axes axes = known_pads(a.n);
    const stream x = a.input(0);
    xir_integers before, after, paddings;
    for (int i = 0; i < x.info.dims.rank; ++i) {
        const pad_axis& p = axes.list[std::size_t(i)];
        if (p.length != p.input) refuse("a pad is negative");
        before.push_back(std::int32_t(p.at));
        after.push_back(std::int32_t(p.size - p.at - p.length));
    }
    before = in_order(before, x.info);
    after = in_order(after, x.info);
    for (std::size_t i = 0; i < before.size(); ++i) paddings.insert(paddings.end(), {before[i], after[i]});
    xir_attributes all;
    all.set("paddings", paddings).set("mode", std::string("CONSTANT"));
    all.set("constant_values", std::vector<float>(paddings.size(), padded_with(a.n)));
    a.put(a.to.made("pad", std::move(all), {{"input", {x.op}}}, {a.output_info().dims, x.info.channels_last}));
}
void write_resize(const node_writer& a) {
    using namespace resizing;
    geometry p;
    if (const std::string_view fault = read(a.n, p); !fault.empty()) refuse(std::string(fault));
    a.require_image();
    if (!p.decided || p.keep != policy::stretch) refuse("its sizes keep the aspect ratio, which XIR has not");
    require_resizing(a.n, p, "XIR", "is not XIR's");
    const shape &x = a.n.input(0).dims, y = a.output_info().dims;
    for (int i : {2, 3})
        if (y[i] % x[i] != 0) refuse("it resizes by no whole number, and XIR's scale is a float");
    xir_attributes all;
    all.set("scale", std::vector<float>{float(y[3] / x[3]), float(y[2] / x[2])});
    all.set("mode", std::string(p.mode == interpolation::nearest ? "NEAREST" : "BILINEAR"));
    const bool corners = p.where == coordinates::align_corners;
    all.set("align_corners", corners).set("half_pixel_centers", !corners && p.where != coordinates::asymmetric);
    a.put(a.to.made("resize", std::move(all), {{"input", {a.image().op}}}, {y, true}));
}
}  // namespace

writer_function find_movement(std::string_view op) {
    static constexpr named_writer all[] = {{"Concat", write_concat},
                                           {"DequantizeLinear", write_decoder},
                                           {"Dropout", write_same},
                                           {"Flatten", write_same},
                                           {"Identity", write_same},
                                           {"Pad", write_pad},
                                           {"QuantizeLinear", write_encoder},
                                           {"Reshape", write_same},
                                           {"Resize", write_resize},
                                           {"Slice", write_slice},
                                           {"Split", write_split},
                                           {"Squeeze", write_same},
                                           {"Transpose", write_transpose},
                                           {"Unsqueeze", write_same},
                                           {"Upsample", write_resize}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
