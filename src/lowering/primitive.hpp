// What regions are made of for providers that write them for a library: operations in which every attribute, axis,
// padding, version and broadcast of ONNX is resolved. canonical.cpp makes them of nodes, expand.cpp takes apart those
// that a library lacks, region_lowering.cpp says in which order their elements lie.
#pragma once
#include "quantisation.hpp"
#include "resizing.hpp"
#include <inlay/sdk/engine.hpp>
#include <inlay/support/window_axis.hpp>
#include <limits>
#include <variant>

namespace inlay {
inline namespace v1 {
namespace lowering {
// What a primitive reads or gives: a value of the graph, or one between primitives, whose ids follow those.
struct operand {
    int id = -1;
    shape dims{};  // by ONNX's axes, in whatever order the elements lie
    element type = element::f32;
    std::optional<quantisation>
        quantized{};  // what integers of 8 bits stand for; of constant weights: what they are made of
    layout order = layout::plain;
    bool constant = false;
    std::function<std::vector<float>()> elements{};  // of a constant that the graph does not have, in ONNX's order
    bool is_quantized() const { return is_byte(type); }
};
// One for each axis, mostly.
using integers = std::vector<std::int64_t>;

enum class function : std::uint8_t {
    abs,
    elu,  // alpha
    exp,
    floor,
    hard_sigmoid,  // alpha, beta
    hard_swish,
    leaky_relu,  // alpha
    log,
    neg,
    reciprocal,
    relu,
    sigmoid,
    sin,
    sqrt,
    tanh,
};
struct unary_prim {  // element by element
    function does;
    operand x, y;
    float alpha = 0, beta = 0;
};
struct clamp_prim {
    operand x, y;
    float low, high;  // -no_bound, no_bound: none
};
enum class arithmetic : std::uint8_t { add, sub, mul, div, max, min, pow, prelu };
struct binary_prim {  // each operand may broadcast
    arithmetic does;
    operand a, b, y;
};
struct conv_prim {  // w: [outputs, inputs of a group, ...window]
    operand x, w, y;
    std::optional<operand> bias;
    std::vector<window_axis> window;  // after: as much as windows at all outputs reach
    std::int64_t groups = 1;
    bool depthwise() const { return groups > 1 && w.dims[1] == 1; }
    bool dilated() const {
        return std::ranges::any_of(window, [](const window_axis& a) { return a.dilation != 1; });
    }
};
struct deconv_prim {  // w: [inputs, outputs of a group, ...window]
    operand x, w, y;
    std::optional<operand> bias;
    std::vector<window_axis> window;  // before, after: what is cut from the result; after < 0: zeros that follow
    std::int64_t groups = 1;
};
struct dense_prim {  // rows [m, k] times [outputs, k], a bias for each output
    operand x, w, y;
    std::optional<operand> bias;
};
struct matmul_prim {  // neither is constant weights
    operand a, b, y;
};
enum class pooling : std::uint8_t { average, max };
struct pool_prim {
    pooling does;
    operand x, y;
    std::vector<window_axis> window;  // after: as in conv_prim
    bool counts_padding = false, gives_indices = false;
};
enum class reduction : std::uint8_t { max, mean, min, prod, sum };
struct reduce_prim {  // each of the axes stays, with length 1
    reduction does;
    operand x, y;
    integers axes;
};
struct softmax_prim {  // log: its logarithm
    operand x, y;
    int axis;
    bool log = false;
};
struct affine_prim {  // x * scale + shift, an element of each for each channel
    operand x, scale, shift, y;
};
struct instance_norm_prim {  // to mean 0 and variance 1, for each image and channel
    operand x, y;
    float epsilon;
};
struct lrn_prim {  // over `size` channels, of which `below` come before
    operand x, y;
    std::int64_t size, below;
    float alpha, beta, bias;  // alpha: for each element of the sum
};
struct reshape_prim {  // the same elements in the same order
    operand x, y;
};
struct transpose_prim {
    operand x, y;
    integers axes;  // of the input, by those of the result
};
struct concat_prim {  // parts one after another along the axis
    std::vector<operand> parts;
    operand y;
    int axis;
};
struct slice_prim {  // elements start, start + step, ... of each axis, as many as y has
    operand x, y;
    integers start, step;
};
struct pad_prim {
    operand x, y;
    integers before, after;  // negative: cut away
    std::string_view mode;
    float value;
};
struct gather_prim {  // along one axis, which the indices replace as one axis
    operand x, y;
    int axis;
    std::optional<integers> places;  // the indices, where they are known
};
struct blocks_prim {  // DepthToSpace, or the reverse
    operand x, y;
    std::int64_t block;
    bool to_depth = false, columns_first = false;
};
struct resize_prim {
    operand x, y;
    resizing_facts facts;
};
struct quantize_prim {  // to what y's integers stand for
    operand x, y;
};
struct dequantize_prim {  // from what x's integers stand for
    operand x, y;
};
// Any of them.
using primitive = std::variant<unary_prim, clamp_prim, binary_prim, conv_prim, deconv_prim, dense_prim, matmul_prim,
                               pool_prim, reduce_prim, softmax_prim, affine_prim, instance_norm_prim, lrn_prim,
                               reshape_prim, transpose_prim, concat_prim, slice_prim, pad_prim, gather_prim,
                               blocks_prim, resize_prim, quantize_prim, dequantize_prim>;
enum class kind : std::uint8_t {  // in the order of the variant
    unary,
    clamp,
    binary,
    conv,
    deconv,
    dense,
    matmul,
    pool,
    reduce,
    softmax,
    affine,
    instance_norm,
    lrn,
    reshape,
    transpose,
    concat,
    slice,
    pad,
    gather,
    blocks,
    resize,
    quantize,
    dequantize
};
inline kind kind_of(const primitive& p) { return kind(p.index()); }
// Which one of its kind it is, such as a function.
template <class P> constexpr int which(const P& p) {
    if constexpr (requires { p.does; })
        return int(p.does);
    else if constexpr (requires { p.log; })
        return p.log;
    else if constexpr (requires { p.to_depth; })
        return p.to_depth;
    else if constexpr (requires { p.facts; })
        return int(p.facts.how.mode);
    else
        return 0;
}
// f(operand) for each tensor that a primitive reads: not for weights, which a writer may want in another form.
template <class P, class F> void each_input(P& p, F f) {
    if constexpr (requires { p.x; }) f(p.x);
    if constexpr (requires { p.a; }) {
        f(p.a);
        f(p.b);
    }
    if constexpr (requires { p.parts; })
        for (auto& part : p.parts) f(part);
}
// The first of them: the one that rules speak of.
template <class P> const operand& data_of(const P& p) {
    if constexpr (requires { p.x; })
        return p.x;
    else if constexpr (requires { p.a; })
        return p.a;
    else
        return p.parts.front();
}

constexpr float no_bound = std::numeric_limits<float>::max();
// Where axis i of ONNX is in memory; only tensors of 4 dimensions have their channels last.
constexpr int place_of_axis(int i, layout order) {
    constexpr int places[] = {0, 3, 1, 2};
    return order == layout::channels_last ? places[i] : i;
}
// One for each axis, in the order of memory.
template <class List> List in_memory(const List& by_axis, layout order) {
    List all = by_axis;
    for (int i = 0; i < int(std::size(by_axis)); ++i)
        all[std::size_t(place_of_axis(i, order))] = by_axis[std::size_t(i)];
    return all;
}
inline integers dims_in_memory(const operand& t) { return in_memory(integers(t.dims.begin(), t.dims.end()), t.order); }
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
