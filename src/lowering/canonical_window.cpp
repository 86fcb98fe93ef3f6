// Convolutions, products, pools and reductions as primitives.
#include "canonical.hpp"
#include "weights.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>
#include <inlay/support/activation.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
std::int64_t end_pad(const window_axis& a) {  // for windows at all outputs
    const std::int64_t reach = (a.kernel - 1) * a.dilation + 1;
    return std::max<std::int64_t>(0, (a.out - 1) * a.stride + reach - a.in - a.before);
}
template <class Axes, class P> P read_filters(node_lowering& a, Axes& c) {
    shape y;
    require(Axes::read(a.n, c, y));
    P p{a.input(0), a.weights(1), a.result(), {}, {}, c.group};
    if (a.n.has_input(2)) p.bias = a.value(a.n.input_id(2));
    p.window = windows_of(c);
    return p;
}
void lower_conv(node_lowering& a) {
    convolution c;
    a.add(read_filters<convolution, conv_prim>(a, c));
}
void lower_conv_transpose(node_lowering& a) {
    transposed_convolution c;
    auto p = read_filters<transposed_convolution, deconv_prim>(a, c);
    for (window_axis& w : p.window)
        w.after = w.stride * (w.in - 1) + (w.kernel - 1) * w.dilation + 1 - w.before - w.out;
    a.add(std::move(p));
}

// rows times constant weights, [outputs, depth] where `by_output`, else [depth, outputs]
void add_product(node_lowering& a, const operand& x, operand w, bool by_output, float alpha,
                 std::optional<operand> bias, const operand& y) {
    const shape dims = w.dims;
    const std::int64_t outputs = dims[by_output ? 0 : 1], depth = dims[by_output ? 1 : 0];
    if (!by_output || alpha != 1)
        w.elements = [copy = w.elements ? w.elements : a.copy_of(1), dims, by_output, alpha] {
            std::vector<float> values = copy();
            if (!by_output) values = permuted(values.data(), dims, std::array{1, 0});
            for (float& value : values) value *= alpha;
            return values;
        };
    w.dims = {outputs, depth};
    if (w.quantized && !by_output) w.quantized->axis = 1 - w.quantized->axis;
    a.add(dense_prim{x, w, y, std::move(bias)});
}
// C as one row, where it is a constant one.
std::optional<operand> row_of(node_lowering& a, std::int64_t outputs, float beta) {
    if (!a.has_constant_floats(2)) return std::nullopt;
    const shape& c = a.n.input(2).dims;
    const bool is_scalar = c.elements() == 1;
    if (!is_scalar && (c[c.rank - 1] != c.elements() || c.elements() != outputs)) return std::nullopt;
    return a.constant({outputs}, [copy = a.copy_of(2), outputs, beta] {
        std::vector<float> values = copy();
        if (values.size() == 1) values.resize(std::size_t(outputs), values[0]);
        for (float& x : values) x *= beta;
        return values;
    });
}
void lower_whole_gemm(node_lowering& a) {
    if (a.n.has_input(2) && a.n.version() < 7)
        refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    a.add(gemm_prim{a.input(0), a.input(1), a.optional_input(2), a.result(), a.n.integer("transA", 0) != 0,
                    a.n.integer("transB", 0) != 0, a.real("alpha", 1), a.real("beta", 1)});
}
operand transposed(node_lowering& a, const operand& x) {
    const operand y = a.between({x.dims[1], x.dims[0]}, x);
    a.add(transpose_prim{x, y, {1, 0}});
    return y;
}
operand scaled(node_lowering& a, const operand& x, float factor) {
    if (factor == 1) return x;
    const operand y = a.between(x.dims, x);
    a.add(binary_prim{arithmetic::mul, x, a.number(factor, x), y});
    return y;
}
// C is added by itself where it is not one constant row, or where the product has no bias.
void add_gemm(node_lowering& a, const operand& result) {
    const float alpha = a.real("alpha", 1), beta = a.real("beta", 1);
    const bool by_output = a.n.integer("transB", 0) != 0, by_weights = a.has_constant_floats(1);
    if (a.is_quantized() && alpha != 1) refuse("products in 8 bits have no alpha");
    operand x = a.input(0);
    if (a.n.integer("transA", 0) != 0) x = transposed(a, x);
    const bool biased = a.n.has_input(2) && beta != 0;
    const std::optional<operand> row = biased && by_weights ? row_of(a, a.n.output(0).dims[1], beta) : std::nullopt;
    const bool adds = biased && !row;
    if (adds && a.is_quantized()) refuse("C of shape " + to_string(a.n.input(2).dims) + " is not one constant row");
    const operand y = adds ? a.between(result.dims, result) : result;
    if (by_weights) {
        add_product(a, x, a.weights(1), by_output, alpha, row, y);
    } else {
        const operand b = by_output ? transposed(a, a.input(1)) : a.input(1);
        a.add(matmul_prim{scaled(a, x, alpha), b, y});
    }
    if (adds) a.add(binary_prim{arithmetic::add, y, scaled(a, a.input(2), beta), result});
}
void lower_gemm(node_lowering& a) {
    if (a.library_has(kind::gemm)) return lower_whole_gemm(a);
    add_gemm(a, a.result());
}
void add_matmul(node_lowering& a, const operand& y) {
    const shape &x = a.n.input(0).dims, &b = a.n.input(1).dims;
    if (a.has_constant_floats(1) && b.rank == 2 && x.rank >= 2 && !a.library_has(kind::gemm))
        return add_product(a, a.input(0), a.weights(1), false, 1, {}, y);
    a.add(matmul_prim{a.input(0), a.input(1), y});
}
// A vector is a row on the left, a column on the right.
void lower_matmul(node_lowering& a) {
    const shape &x = a.n.input(0).dims, &b = a.n.input(1).dims;
    if ((x.rank > 1 && b.rank > 1) || a.library_has(kind::gemm)) return add_matmul(a, a.result());
    shape y = a.n.output(0).dims;
    if (b.rank == 1) y.push_back(1);
    if (x.rank == 1) {
        const std::int64_t columns = y[y.rank - 1];
        y[y.rank - 1] = 1;
        y.push_back(columns);
    }
    const operand left = x.rank == 1 ? a.input(0, {1, x[0]}) : a.input(0);
    a.add(matmul_prim{left, b.rank == 1 ? a.input(1, {b[0], 1}) : a.input(1), a.result(y)});
}

template <pooling Does> void lower_pool(node_lowering& a) {
    pool_windows w;
    require(w.read(a.n));
    pool_prim p{Does, a.input(0), a.result(), {}, w.include_padding, false, !a.only_first_output()};
    for (std::size_t i = std::size_t(5 - p.x.dims.rank); i < w.axes.size(); ++i) {
        p.window.push_back(w.axes[i]);
        p.window.back().after = end_pad(w.axes[i]);
        p.padding_at_ends.push_back(w.axes[i].after);
        p.past_padding |= p.window.back().after > w.axes[i].after;
    }
    a.add(std::move(p));
}
template <pooling Does> void lower_global_pool(node_lowering& a) {
    pool_prim p{Does, a.input(0), a.result(), {}, false, true, false};
    for (int i = 2; i < p.x.dims.rank; ++i) {
        window_axis w;
        w.in = w.kernel = p.x.dims[i];
        p.window.push_back(w);
    }
    a.add(std::move(p));
}

// --- candidates of fusion
void add_activation(node_lowering& a, const operand& x) {
    plain_activation f;
    if (!plain_activation::read(a.n, f)) refuse("its activation is unknown");
    const operand y = a.result();
    const auto add = [&](function does, float alpha = 0, float beta = 0) {
        a.add(unary_prim{does, x, y, alpha, beta});
    };
    const auto bound = [](double limit) {
        return std::isinf(limit) ? std::copysign(no_bound, float(limit)) : float(limit);
    };
    switch (f.kind) {
        case plain_activation::none: return a.add(reshape_prim{x, y});
        case plain_activation::clip: return a.add(clamp_prim{x, y, bound(f.a), bound(f.b)});
        case plain_activation::sigmoid: return add(function::sigmoid);
        case plain_activation::hard_sigmoid: return add(function::hard_sigmoid, float(f.a), float(f.b));
        case plain_activation::hard_swish: return add(function::hard_swish);
        case plain_activation::silu: return add(function::swish, 1);
        case plain_activation::gelu: return add(function::gelu);
        case plain_activation::gelu_tanh: return add(function::gelu_by_tanh);
    }
}
// What the inputs `addends` are added to, and then the activation is of. make: of the operand that it gives.
template <class Make> void add_fused(node_lowering& a, std::initializer_list<int> addends, Make make) {
    const operand y = a.result();
    operand sum = a.between(y.dims, y);
    make(sum);
    for (const int k : addends) {
        if (!a.n.has_input(k)) continue;
        const operand next = a.between(y.dims, y);
        a.add(binary_prim{arithmetic::add, sum, a.input(k), next});
        sum = next;
    }
    add_activation(a, sum);
}
void lower_fused_conv(node_lowering& a) {
    add_fused(a, {3}, [&](const operand& y) {
        convolution c;
        auto p = read_filters<convolution, conv_prim>(a, c);
        p.y = y;
        a.add(std::move(p));
    });
}
void lower_fused_gemm(node_lowering& a) {
    add_fused(a, {}, [&](const operand& y) { add_gemm(a, y); });
}
void lower_fused_matmul(node_lowering& a) {
    if (a.n.input(0).dims.rank < 2 || a.n.input(1).dims.rank < 2) refuse("an operand is a vector");
    add_fused(a, {2, 3}, [&](const operand& y) { add_matmul(a, y); });
}

// --- on integers of 8 bits
void lower_qlinear_conv(node_lowering& a) {
    if (a.library_has(kind::quantized_conv)) return lower_quantized_conv(a);
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y, 3, 8));
    conv_prim p{a.byte_input(0), a.byte_weights(3), a.result(), {}, {}, c.group};
    p.window = windows_of(c);
    if (a.n.has_input(8)) {
        const quantisation of_x = *p.x.quantized, of_w = *p.w.quantized;
        p.bias = a.constant({y[1]}, [sums = a.integers_of(8), of_x, of_w] {
            std::vector<float> values;
            for (const std::int32_t b : sums())
                values.push_back(
                    float(double(b) * of_x.scales[0] * of_w.scales[of_w.scales.size() > 1 ? values.size() : 0]));
            return values;
        });
        p.bias->constant = a.n.is_constant(8);
    }
    a.add(std::move(p));
}
void lower_qlinear_matmul(node_lowering& a) {
    if (a.library_has(kind::quantized_matmul)) return lower_quantized_matmul(a);
    const operand x = a.byte_input(0), w = a.byte_weights(3);
    if (w.dims.rank != 2 || x.dims.rank < 2 || w.quantized->scales.size() > 1)
        refuse("it is not rows times a matrix of one scale");
    add_product(a, x, w, false, 1, {}, a.result());
}
template <bool Whole> void lower_qlinear_average_pool(node_lowering& a) {
    if (a.n.integer("channels_last", 0) != 0) refuse("its channels are the last axis");
    (void)a.byte_input(0);
    Whole ? lower_global_pool<pooling::average>(a) : lower_pool<pooling::average>(a);
}
template <arithmetic Does> void lower_qlinear_pair(node_lowering& a) {
    a.add(binary_prim{Does, a.byte_input(0), a.byte_input(3), a.result()});
}
void lower_qlinear_sigmoid(node_lowering& a) { a.add(unary_prim{function::sigmoid, a.byte_input(0), a.result()}); }

template <reduction Does> void lower_reduction(node_lowering& a) {
    reduced_axes axes;
    require(axes.read(a.n));
    if (!axes.is_known) refuse("its axes are no constant");
    const operand x = a.input(0);
    shape dims = x.dims;
    integers list;
    for (int i = 0; i < dims.rank; ++i)
        if (axes.has(i)) {
            list.push_back(i);
            dims[i] = 1;
        }
    if (list.empty() && Does > reduction::sum) refuse("it reduces no axis");
    if (list.empty()) return a.add_same();
    a.add(reduce_prim{Does, x, a.result(dims), std::move(list)});
}
}  // namespace

std::vector<window_axis> windows_of(const convolution_axes& c) {
    std::vector<window_axis> windows;
    for (int i = 0; i < c.kernel.rank; ++i) {
        windows.push_back({c.input[i], c.output[i], c.kernel[i], c.strides[i], c.dilations[i], c.pads[i], 0});
        windows.back().after = end_pad(windows.back());
    }
    return windows;
}

std::span<const source> byte_sources() {
    static constexpr source sources[] = {
        {"QLinearConv", kind::quantized_conv, -1, lower_qlinear_conv},
        {"QLinearConv", kind::conv, -1, lower_qlinear_conv},
        {"QLinearMatMul", kind::quantized_matmul, -1, lower_qlinear_matmul},
        {"QLinearMatMul", kind::dense, -1, lower_qlinear_matmul},
        {"com.microsoft:QLinearAdd", kind::binary, int(arithmetic::add), lower_qlinear_pair<arithmetic::add>},
        {"com.microsoft:QLinearAveragePool", kind::pool, int(pooling::average), lower_qlinear_average_pool<false>},
        {"com.microsoft:QLinearGlobalAveragePool", kind::pool, int(pooling::average), lower_qlinear_average_pool<true>},
        {"com.microsoft:QLinearMul", kind::binary, int(arithmetic::mul), lower_qlinear_pair<arithmetic::mul>},
        {"com.microsoft:QLinearSigmoid", kind::unary, int(function::sigmoid), lower_qlinear_sigmoid},
    };
    return sources;
}
std::span<const source> fused_sources() {
    static constexpr source sources[] = {
        {"inlay:FusedConv", kind::conv, -1, lower_fused_conv},
        {"inlay:FusedGemm", kind::dense, -1, lower_fused_gemm},
        {"inlay:FusedMatMul", kind::dense, -1, lower_fused_matmul},
    };
    return sources;
}
std::span<const source> window_sources() {
    static constexpr source sources[] = {
        {"Conv", kind::conv, -1, lower_conv},
        {"ConvTranspose", kind::deconv, -1, lower_conv_transpose},
        {"Gemm", kind::gemm, -1, lower_gemm},
        {"Gemm", kind::dense, -1, lower_gemm},
        {"MatMul", kind::matmul, -1, lower_matmul},
        {"MatMul", kind::dense, -1, lower_matmul},
        {"AveragePool", kind::pool, int(pooling::average), lower_pool<pooling::average>},
        {"GlobalAveragePool", kind::pool, int(pooling::average), lower_global_pool<pooling::average>},
        {"GlobalMaxPool", kind::pool, int(pooling::max), lower_global_pool<pooling::max>},
        {"MaxPool", kind::pool, int(pooling::max), lower_pool<pooling::max>},
        {"ReduceL1", kind::reduce, int(reduction::l1), lower_reduction<reduction::l1>},
        {"ReduceL2", kind::reduce, int(reduction::l2), lower_reduction<reduction::l2>},
        {"ReduceLogSum", kind::reduce, int(reduction::log_sum), lower_reduction<reduction::log_sum>},
        {"ReduceLogSumExp", kind::reduce, int(reduction::log_sum_exp), lower_reduction<reduction::log_sum_exp>},
        {"ReduceMax", kind::reduce, int(reduction::max), lower_reduction<reduction::max>},
        {"ReduceMean", kind::reduce, int(reduction::mean), lower_reduction<reduction::mean>},
        {"ReduceMin", kind::reduce, int(reduction::min), lower_reduction<reduction::min>},
        {"ReduceProd", kind::reduce, int(reduction::prod), lower_reduction<reduction::prod>},
        {"ReduceSum", kind::reduce, int(reduction::sum), lower_reduction<reduction::sum>},
        {"ReduceSumSquare", kind::reduce, int(reduction::sum_square), lower_reduction<reduction::sum_square>},
    };
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
