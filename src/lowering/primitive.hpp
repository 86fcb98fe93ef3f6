// What regions are made of for providers that write them for a library: operations in which every attribute, axis,
// padding, version and broadcast of ONNX is resolved. canonical.cpp makes them of nodes, expand.cpp takes apart those
// that a library lacks, region_lowering.cpp says in which order their elements lie.
#pragma once
#include "quantisation.hpp"
#include "resizing.hpp"
#include <inlay/sdk/engine.hpp>
#include <inlay/support/recurrent.hpp>
#include <inlay/support/window_axis.hpp>
#include <limits>
#include <tuple>
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
    bool never_negative = false;                     // because of the node that produces it, or its integers
    bool is_quantized() const { return is_byte(type); }
};
constexpr bool is_float(element e) { return e == element::f32 || e == element::f16; }
// One for each axis, mostly.
using integers = std::vector<std::int64_t>;

enum class function : std::uint8_t {
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    celu,  // alpha
    cos,
    cosh,
    elu,  // alpha
    erf,
    exp,
    floor,
    gelu,
    gelu_by_tanh,  // its approximation
    hard_sigmoid,  // alpha, beta
    hard_swish,
    is_infinite,  // alpha, beta: whether above and below zero
    is_nan,
    leaky_relu,  // alpha
    log,
    logical_not,
    mish,
    neg,
    reciprocal,
    relu,
    round,
    selu,  // alpha, beta: its gamma
    sigmoid,
    sign,
    sin,
    sinh,
    softplus,  // alpha: steepness
    softsign,
    sqrt,
    swish,  // alpha
    tan,
    tanh,
    thresholded_relu,  // alpha
};
struct unary_prim {  // element by element
    function does;
    operand x, y;
    float alpha = 0, beta = 0;
};
struct clamp_prim {
    operand x, y;
    float low, high;                                            // -no_bound, no_bound: none
    std::optional<std::array<std::int64_t, 2>> whole_bounds{};  // of integers
};
enum class arithmetic : std::uint8_t {
    add,
    sub,
    mul,
    div,
    max,
    min,
    pow,
    prelu,
    floor_mod,
    truncated_mod,
    equal,
    greater,
    greater_or_equal,
    less,
    less_or_equal,
    logical_and,
    logical_or,
    logical_xor,
};
struct binary_prim {  // each operand may broadcast
    arithmetic does;
    operand a, b, y;
};
struct select_prim {  // a where the condition holds, else b; each may broadcast
    operand condition, a, b, y;
};
struct cast_prim {
    operand x, y;
};
struct conv_prim {  // w: [outputs, inputs of a group, ...window]
    operand x, w, y;
    std::optional<operand> bias;
    std::vector<window_axis> window;  // after: as much as windows at all outputs reach
    std::int64_t groups = 1;
    auto parameters() { return std::tie(w, bias); }
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
    auto parameters() { return std::tie(w, bias); }
};
struct dense_prim {  // [..., k] times [outputs, k], a bias for each output
    operand x, w, y;
    std::optional<operand> bias;
    auto parameters() { return std::tie(w, bias); }
};
struct matmul_prim {  // neither is constant weights
    operand a, b, y;
};
struct gemm_prim {  // alpha * a * b + beta * c, whose matrices may be transposed
    operand a, b;
    std::optional<operand> c;
    operand y;
    bool a_by_column, b_by_column;
    float alpha, beta;
    auto parameters() { return std::tie(c); }
};
enum class pooling : std::uint8_t { average, max };
struct pool_prim {
    pooling does;
    operand x, y;
    std::vector<window_axis> window;                                    // after: as in conv_prim
    bool counts_padding = false, whole = false, gives_indices = false;  // whole: one window, the image
    bool past_padding = false;   // the last windows reach beyond the padding that the model has
    integers padding_at_ends{};  // which is this
    bool is_padded() const {
        return std::ranges::any_of(window, [](const window_axis& a) { return a.before > 0 || a.after > 0; });
    }
};
enum class reduction : std::uint8_t { max, mean, min, prod, sum, l1, l2, log_sum, log_sum_exp, sum_square };
struct reduce_prim {  // each of the axes stays, with length 1
    reduction does;
    operand x, y;
    integers axes;
};
struct arg_prim {  // where the maximum or the minimum along the axis is, which stays with length 1
    reduction does;
    operand x, y;
    int axis;
    bool last_of_equals = false;
};
struct top_k_prim {  // in order; y: the values
    operand x, y, indices;
    int axis;
    std::int64_t k;
    bool largest, gives_indices = true;  // some node reads them
    auto more_results() { return std::tie(indices); }
};
struct cumulative_sum_prim {
    operand x, y;
    int axis;
    bool exclusive, reverse;
};
struct softmax_prim {  // along one axis; log: its logarithm
    operand x, y;
    int axis;
    bool log = false;
};
struct affine_prim {  // x * scale + shift, an element of each for each channel
    operand x, scale, shift, y;
    auto parameters() { return std::tie(scale, shift); }
};
struct instance_norm_prim {  // to mean 0 and variance 1, for each image and channel
    operand x, y;
    float epsilon;
};
struct batch_norm_prim {  // by numbers for each channel, which need not be constants
    operand x, scale, shift, mean, variance, y;
    float epsilon;
    auto parameters() { return std::tie(scale, shift, mean, variance); }
};
// To variance 1 over the axes, where it is centred to mean 0 before; times scale, plus shift, which broadcast.
struct layer_norm_prim {
    operand x, y;
    std::optional<operand> scale, shift;
    integers axes;
    float epsilon;
    bool centred = true;
    auto parameters() { return std::tie(scale, shift); }
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
struct tile_prim {  // each axis repeated
    operand x, y;
    integers repeats;
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
struct split_prim {  // the reverse of concat; y: the first part
    operand x, y;
    std::vector<operand> rest;
    int axis;
    auto more_results() { return std::tie(rest); }
};
struct pad_prim {
    operand x, y;
    integers before, after;  // negative: cut away
    std::string_view mode;
    float value;
    std::int64_t whole_value = 0;  // of integers
};
struct gather_prim {  // along one axis, which the indices replace as one axis
    operand x, y;
    int axis;
    std::optional<integers> places;    // the indices, where they are known
    std::optional<operand> indices{};  // where they are not
    auto parameters() { return std::tie(indices); }
};
enum class lookup : std::uint8_t { gather_elements, gather_nd, scatter_elements, scatter_nd };
struct lookup_prim {  // scatter: updates in their places
    lookup does;
    operand x, indices;
    std::optional<operand> updates;
    operand y;
    int axis = 0;                      // nd: how many axes are of the batch
    integers lengths{};                // the k-th index is less than lengths[k % lengths.size()]
    std::optional<integers> places{};  // the indices, where they are known
    auto parameters() { return std::tie(indices, updates); }
};
struct one_hot_prim {  // x: with length 1 along the axis; values: off and on
    operand x, values, y;
    int axis;
    auto parameters() { return std::tie(values); }
};
struct broadcast_prim {
    operand x, y;
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
// --- of integers as they are, with scales and zero points that may be other than one that is known
struct quantized_operand {
    operand x;
    std::optional<operand> scale, zero;
};
struct quantize_blocks_prim {  // dequantizes x, or quantizes to y: [outer, blocks, elements of a block, inner]
    bool quantizes;
    operand x, scale;
    std::optional<operand> zero;
    operand y;
    shape blocks, steps;  // steps: of scale and zero, along these
    auto parameters() { return std::tie(scale, zero); }
};
struct dynamic_quantize_prim {
    operand x, y, scale, zero;
    auto more_results() { return std::tie(scale, zero); }
};
struct quantized_conv_prim {               // without scales: y is of the sums
    quantized_operand of_x, of_w, of_y{};  // of_y: its own tensor is y
    std::optional<operand> bias{};
    operand y{};
    std::vector<window_axis> window{};
    std::int64_t groups = 1;
    auto parameters() { return std::tie(of_x, of_w, of_y, bias); }
};
struct quantized_matmul_prim {
    quantized_operand of_a, of_b, of_y;
    operand y;
    auto parameters() { return std::tie(of_a, of_b, of_y); }
};
enum class recurrence : std::uint8_t { rnn, gru, lstm };
struct recurrent_prim {  // y: all steps; results without a reader are there too
    recurrence does;
    operand x, w, r;
    std::optional<operand> bias, state, cell;
    operand y, last_state, last_cell;
    recurrent_params params;
    int functions;  // of each direction
    auto parameters() { return std::tie(w, r, bias, state, cell); }
    auto more_results() { return std::tie(last_state, last_cell); }
};
// Any of them.
using primitive =
    std::variant<unary_prim, clamp_prim, binary_prim, conv_prim, deconv_prim, dense_prim, matmul_prim, pool_prim,
                 reduce_prim, softmax_prim, affine_prim, instance_norm_prim, lrn_prim, reshape_prim, transpose_prim,
                 concat_prim, slice_prim, pad_prim, gather_prim, blocks_prim, resize_prim, quantize_prim,
                 dequantize_prim, select_prim, cast_prim, layer_norm_prim, tile_prim, gemm_prim, arg_prim, top_k_prim,
                 cumulative_sum_prim, batch_norm_prim, lookup_prim, one_hot_prim, broadcast_prim, split_prim,
                 quantize_blocks_prim, dynamic_quantize_prim, quantized_conv_prim, quantized_matmul_prim,
                 recurrent_prim>;
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
    dequantize,
    select,
    cast,
    layer_norm,
    tile,
    gemm,
    arg,
    top_k,
    cumulative_sum,
    batch_norm,
    lookup,
    one_hot,
    broadcast,
    split,
    quantize_blocks,
    dynamic_quantize,
    quantized_conv,
    quantized_matmul,
    recurrent
};
inline kind kind_of(const primitive& p) { return kind(p.index()); }
// Which one of its kind it is, such as a function; of choices and casts, the type of the result.
template <class P> constexpr int which(const P& p) {
    if constexpr (requires { p.does; })
        return int(p.does);
    else if constexpr (std::is_same_v<P, cast_prim> || std::is_same_v<P, select_prim>)
        return int(p.y.type);
    else if constexpr (requires { p.centred; })
        return !p.centred;
    else if constexpr (requires { p.log; })
        return p.log;
    else if constexpr (requires { p.to_depth; })
        return p.to_depth;
    else if constexpr (requires { p.quantizes; })
        return p.quantizes;
    else if constexpr (requires { p.facts; })
        return int(p.facts.geometry.mode);
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
    if constexpr (requires { p.condition; }) f(p.condition);
    if constexpr (requires { p.parts; })
        for (auto& part : p.parts) f(part);
    if constexpr (requires { p.of_x; }) {
        f(p.of_x.x);
        f(p.of_w.x);
    }
    if constexpr (requires { p.of_a; }) {
        f(p.of_a.x);
        f(p.of_b.x);
    }
}
// f(operand) for each of these that is there.
template <class F> void each_of(operand& x, F f) {
    if (x.id >= 0) f(x);
}
template <class F> void each_of(std::optional<operand>& x, F f) {
    if (x) f(*x);
}
template <class F> void each_of(std::vector<operand>& operands, F f) {
    for (operand& x : operands) f(x);
}
template <class F> void each_of(quantized_operand& c, F f) {
    each_of(c.scale, f);
    each_of(c.zero, f);
}
// f(operand) for each other tensor that it reads: weights, and what else it reads next to its data.
template <class P, class F> void each_parameter(P& p, F f) {
    if constexpr (requires { p.parameters(); })
        std::apply([&](auto&... parameter) { (each_of(parameter, f), ...); }, p.parameters());
}
// f(operand) for each tensor that it gives.
template <class P, class F> void each_result(P& p, F f) {
    f(p.y);
    if constexpr (requires { p.more_results(); })
        std::apply([&](auto&... result) { (each_of(result, f), ...); }, p.more_results());
}
// The first of them: the one that rules speak of.
template <class P> const operand& data_of(const P& p) {
    if constexpr (requires { p.x; })
        return p.x;
    else if constexpr (requires { p.a; })
        return p.a;
    else if constexpr (requires { p.of_x; })
        return p.of_x.x;
    else if constexpr (requires { p.of_a; })
        return p.of_a.x;
    else
        return p.parts.front();
}

// Channels-last and plain put the elements in the same order.
constexpr bool same_either_way(const shape& dims) { return dims.rank != 4 || dims[1] == 1 || dims[2] * dims[3] == 1; }
// With as many axes of length 1 before the others.
constexpr shape of_rank(const shape& dims, int rank) {
    shape result = shape::of_rank(rank, 1);
    for (int i = 0; i < dims.rank; ++i) result[rank - dims.rank + i] = dims[i];
    return result;
}
constexpr float no_bound = std::numeric_limits<float>::max();
// Where axis i of ONNX is in memory; only tensors of 4 dimensions have their channels last.
constexpr int place_of_axis(int i, layout order) {
    constexpr int places[] = {0, 3, 1, 2};
    return order == layout::channels_last ? places[i] : i;
}
// One for each axis, in the order of memory.
template <class List> List in_memory(const List& by_axis, layout order) {
    List by_memory = by_axis;
    for (int i = 0; i < int(std::size(by_axis)); ++i)
        by_memory[std::size_t(place_of_axis(i, order))] = by_axis[std::size_t(i)];
    return by_memory;
}
inline integers dims_in_memory(const operand& t) { return in_memory(integers(t.dims.begin(), t.dims.end()), t.order); }
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
