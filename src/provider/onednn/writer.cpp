#include "writer.hpp"
#include <lowering/weights.hpp>
#include <numeric>

namespace inlay {
inline namespace v1 {
using namespace lowering;
namespace {
constexpr float endless = std::numeric_limits<float>::infinity();
using attribute_list = const_dnnl_primitive_attr_t;

dnnl_epilogue epilogue_of(const unary_prim& p) {
    switch (p.does) {
        case function::abs: return {dnnl_eltwise_abs};
        case function::elu: return {dnnl_eltwise_elu, p.alpha};
        case function::exp: return {dnnl_eltwise_exp};
        case function::gelu: return {dnnl_eltwise_gelu_erf};
        case function::gelu_by_tanh: return {dnnl_eltwise_gelu_tanh};
        case function::hard_sigmoid: return {dnnl_eltwise_hardsigmoid, p.alpha, p.beta};
        case function::hard_swish: return {dnnl_eltwise_hardswish, 1.f / 6, .5f};
        case function::leaky_relu: return {dnnl_eltwise_relu, p.alpha};
        case function::log: return {dnnl_eltwise_log};
        case function::mish: return {dnnl_eltwise_mish};
        case function::neg: return {dnnl_eltwise_linear, -1};
        case function::reciprocal: return {dnnl_eltwise_pow, 1, -1};
        case function::relu: return {dnnl_eltwise_relu};
        case function::round: return {dnnl_eltwise_round};
        case function::sigmoid: return {dnnl_eltwise_logistic};
        case function::softplus: return {dnnl_eltwise_soft_relu, p.alpha};
        case function::sqrt: return {dnnl_eltwise_sqrt};
        case function::swish: return {dnnl_eltwise_swish, p.alpha};
        case function::tanh: return {dnnl_eltwise_tanh};
        default: refuse("oneDNN has no such function");
    }
}
dnnl_epilogue epilogue_of(const clamp_prim& p) {
    const float low = p.low == -no_bound ? -endless : p.low, high = p.high == no_bound ? endless : p.high;
    if (low == 0 && high == endless) return {dnnl_eltwise_relu};
    return {dnnl_eltwise_clip, low, high};
}
dnnl_alg_kind_t algorithm_of(arithmetic f) {
    switch (f) {
        case arithmetic::add: return dnnl_binary_add;
        case arithmetic::sub: return dnnl_binary_sub;
        case arithmetic::mul: return dnnl_binary_mul;
        case arithmetic::div: return dnnl_binary_div;
        case arithmetic::max: return dnnl_binary_max;
        case arithmetic::min: return dnnl_binary_min;
        default: return dnnl_alg_kind_undef;
    }
}
bool may_swap(arithmetic f) { return f != arithmetic::sub && f != arithmetic::div; }
std::pair<dnnl_alg_kind_t, float> algorithm_of(reduction f) {
    switch (f) {
        case reduction::l1: return {dnnl_reduction_norm_lp_power_p_sum, 1.f};
        case reduction::l2: return {dnnl_reduction_norm_lp_sum, 2.f};
        case reduction::max: return {dnnl_reduction_max, 0.f};
        case reduction::mean: return {dnnl_reduction_mean, 0.f};
        case reduction::min: return {dnnl_reduction_min, 0.f};
        case reduction::prod: return {dnnl_reduction_mul, 0.f};
        case reduction::sum: return {dnnl_reduction_sum, 0.f};
        default: return {dnnl_reduction_norm_lp_power_p_sum, 2.f};
    }
}
struct window_lists {  // of the spatial axes
    dnnl_dims_t strides{}, kernel{}, dilations{}, before{}, after{};
    explicit window_lists(std::span<const window_axis> axes) {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            strides[i] = axes[i].stride;
            kernel[i] = axes[i].kernel;
            dilations[i] = axes[i].dilation - 1;
            before[i] = axes[i].before;
            after[i] = axes[i].after;
        }
    }
};
bool multiplies_bytes_exactly() {
    constexpr int vnni = (dnnl_cpu_isa_avx2_vnni | dnnl_cpu_isa_avx512_core_vnni) & ~dnnl_cpu_isa_avx512_core;
    return (dnnl().dnnl_get_effective_cpu_isa() & vnni) != 0;
}
// On processors that do not, two products with 255 fit into 16 bits where the weights have 7.
void check_products(const operand& x, std::span<const char> weights) {
    const auto is_small = [](char w) {
        return -64 <= static_cast<signed char>(w) && static_cast<signed char>(w) <= 64;
    };
    if (x.type != element::u8 || !std::ranges::all_of(weights, is_small))
        refuse(
            "on a processor without VNNI oneDNN's products of 8 bits are right for unsigned activations and weights "
            "of 7 bits only");
}
dnnl_scaling scaling_of(int argument, const operand& x) {
    return {argument, {x.quantized->scales[0]}, 0, x.quantized->zero};
}
// The filters of each group, which are an axis before the others.
shape grouped(const shape& w, std::int64_t groups) {
    if (groups == 1) return w;
    shape s{groups, w[0] / groups};
    for (int i = 1; i < w.rank; ++i) s.push_back(w[i]);
    return s;
}

// What ends a convolution or a product: each reads what the one before gives, and nothing else does.
struct primitive_ends {
    struct step {
        dnnl_epilogue epilogue;
        std::optional<operand> second{};  // of two operands
    };
    std::optional<operand> bias{};  // of a product without one
    std::vector<step> list{};
    std::optional<operand> y{};  // what the last gives
};
class primitive_writer {
    program_builder& l_;
    primitive_ends ends_{};
    int temporaries_ = -1;

    operand temporary(const shape& dims, element type = element::f32) { return {--temporaries_, dims, type}; }
    template <class F, class... A, class... B>
    void write_one(int slot, const operand& y, const shape& dims, F create, const std::tuple<A...>& before,
                   const std::tuple<B...>& after, const dnnl_arguments& more = {});
    void write_function(const dnnl_epilogue&, int slot, const operand& y);
    void write_pair(dnnl_alg_kind_t, int a, int b, const operand& y, std::span<const dnnl_scaling> = {},
                    std::span<const dnnl_epilogue> = {});
    void write_epilogue(const dnnl_epilogue&, int slot, const operand& y);

    using plan_with = std::function<planned_primitive(attribute_list, const dnnl_layout& y)>;
    using arguments_with = std::function<dnnl_arguments(const planned_primitive&)>;
    struct product {
        operand y;   // of the last primitive
        shape dims;  // of the result, as oneDNN has it
        std::vector<dnnl_epilogue> epilogues{};
        std::vector<dnnl_scaling> scalings{};
    };
    product product_of(const operand& y, const shape& dims);
    void write_whole(const product&, const plan_with&, const arguments_with&);
    void write(product, const plan_with&, const arguments_with&);
    int weights(const operand& x, const operand& w, product&, int mask);
    template <class F>
    void convolve(F create, dnnl_alg_kind_t, const operand& x, int filters, const std::optional<operand>& bias, product,
                  const window_lists&);
    void multiply(int a, int b, const std::optional<operand>& bias, product);

    operand dequantized(const operand& x);
    template <class P> void write_in_floats(P);
    // Elements that keep their values, of integers of 8 bits too.
    template <class P> bool keeps_scale(const P& p) {
        bool same = true;
        each_input(p, [&](const operand& x) { same &= x.quantized == p.y.quantized; });
        return same;
    }
    bool write_sum(const binary_prim&);
    void move(const reshape_prim& p) { l_.give(p.y, l_.at(p.x)); }
    void move(const transpose_prim&);
    void move(const slice_prim& p) { l_.give(p.y, l_.part(l_.at(p.x), p.y.dims, of_list(p.start))); }
    void move(const concat_prim&);
    void move(const pool_prim&);
    static shape of_list(const integers& list) {
        shape s;
        for (const std::int64_t n : list) s.push_back(n);
        return s;
    }
    template <class P> void write_moving(const P& p) {
        if (!keeps_scale(p)) return write_in_floats(p);
        try {
            move(p);
        } catch (const refused_node&) {
            if (!p.y.is_quantized()) throw;
            write_in_floats(p);
        }
    }

  public:
    explicit primitive_writer(program_builder& l) : l_(l) {}
    void write(const primitive& p, primitive_ends ends) {
        ends_ = std::move(ends);
        write_to<onednn_rules>(*this, p);
    }

    void write(const unary_prim&);
    void write(const clamp_prim&);
    void write(const binary_prim&);
    void write(const conv_prim&);
    void write(const deconv_prim&);
    void write(const dense_prim&);
    void write(const matmul_prim&);
    void write(const pool_prim& p) {
        if (p.does == pooling::average && p.counts_padding && p.is_padded() && p.x.is_quantized())
            return write_in_floats(p);  // its zeros are not the integers'
        write_moving(p);
    }
    void write(const reduce_prim&);
    void write(const softmax_prim&);
    void write(const batch_norm_prim&);
    void write(const layer_norm_prim&);
    void write(const lrn_prim&);
    void write(const reshape_prim& p) { write_moving(p); }
    void write(const transpose_prim& p) { write_moving(p); }
    void write(const concat_prim& p) { write_moving(p); }
    void write(const slice_prim& p) { write_moving(p); }
    void write(const gather_prim&);
    void write(const blocks_prim&);
    void write(const resize_prim&);
    void write(const quantize_prim&);
    void write(const dequantize_prim&);
};

// --- primitives of one and two tensors
// `create` gets the tensor and the result, of these dimensions, between `before` and `after`.
template <class F, class... A, class... B>
void primitive_writer::write_one(int slot, const operand& y, const shape& dims, F create,
                                 const std::tuple<A...>& before, const std::tuple<B...>& after,
                                 const dnnl_arguments& more) {
    const int output = l_.in_some_layout(slot, [&](int x) {
        const dnnl_layout result = any_layout(dims, y.type);
        const dnnl_attributes attr = attributes();
        const std::tuple ends(const_dnnl_memory_desc_t(l_.layout(x).get()), const_dnnl_memory_desc_t(result.get()));
        const planned_primitive planned =
            std::apply([&](const auto&... args) { return plan_primitive(create, args...); },
                       std::tuple_cat(before, ends, after, std::tuple(attribute_list(attr.get()))));
        const int out = l_.written(y, planned.argument(DNNL_ARG_DST));
        dnnl_arguments list = more;
        list.insert(list.end(), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
        l_.add(planned, std::move(list));
        return out;
    });
    l_.give(y, output);
}
void primitive_writer::write_function(const dnnl_epilogue& e, int slot, const operand& y) {
    write_one(slot, y, l_.dims(slot), dnnl().dnnl_eltwise_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, e.algorithm), std::tuple(e.alpha, e.beta));
}
// b broadcasts to a.
void primitive_writer::write_pair(dnnl_alg_kind_t algorithm, int a, int b, const operand& y,
                                  std::span<const dnnl_scaling> scalings, std::span<const dnnl_epilogue> ends) {
    const bool alike = l_.dims(a) == l_.dims(b);
    const auto type_of = [&](int slot) { return stored_type(l_.layout(slot)); };
    if (alike && l_.is_plain(a) && !l_.is_plain(b) && is_whole(l_.layout(b)))
        a = l_.as(a, type_of(a) == type_of(b) ? l_.layout(b) : like(l_.layout(b), type_of(a)));
    const int output = l_.in_some_layout(a, [&](int first) {
        const bool follows = alike && is_whole(l_.layout(first)) && type_of(first) == type_of(b);
        const int second = follows ? l_.as(b, l_.layout(first)) : l_.plain(b);
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_binary_primitive_desc_create, algorithm, l_.layout(first).get(), l_.layout(second).get(),
            any_layout(l_.dims(first), y.type).get(), attribute_list(attributes(ends, {}, scalings).get()));
        const int out = l_.written(y, planned.argument(DNNL_ARG_DST));
        dnnl_arguments list = l_.arguments_of(scalings);
        list.insert(list.end(), {{DNNL_ARG_SRC_0, first}, {DNNL_ARG_SRC_1, second}, {DNNL_ARG_DST, out}});
        l_.add(planned, std::move(list));
        return out;
    });
    l_.give(y, output);
}
void primitive_writer::write_epilogue(const dnnl_epilogue& e, int slot, const operand& y) {
    e.slot < 0 ? write_function(e, slot, y) : write_pair(e.algorithm, slot, e.slot, y);
}
void primitive_writer::write(const unary_prim& p) {
    p.y.is_quantized() ? write_in_floats(p) : write_function(epilogue_of(p), l_.at(p.x), p.y);
}
void primitive_writer::write(const clamp_prim& p) {
    p.y.is_quantized() ? write_in_floats(p) : write_function(epilogue_of(p), l_.at(p.x), p.y);
}
void primitive_writer::write(const binary_prim& p) {
    if (p.y.is_quantized()) {
        if (!write_sum(p)) write_in_floats(p);
        return;
    }
    const auto number_of = [&](const operand& x) {
        std::deque<std::vector<float>> buffers;
        return l_.is_trial() ? 1 : floats_of(l_.of(), x, buffers)[0];
    };
    if (p.does == arithmetic::pow) return write_function({dnnl_eltwise_pow, 1, number_of(p.b)}, l_.at(p.a), p.y);
    if (p.a.dims != p.y.dims && !may_swap(p.does)) {  // oneDNN would have to broadcast its first operand
        const float c = number_of(p.a);
        const bool sub = p.does == arithmetic::sub;
        return write_function(sub ? dnnl_epilogue{dnnl_eltwise_linear, -1, c} : dnnl_epilogue{dnnl_eltwise_pow, c, -1},
                              l_.at(p.b), p.y);
    }
    const bool swaps = p.a.dims != p.y.dims;
    const int a = l_.at(swaps ? p.b : p.a), rank = l_.dims(a).rank;
    const operand& second = swaps ? p.a : p.b;
    const int b = l_.reshaped(l_.at(second), padded(second.dims, rank));
    if (p.does != arithmetic::prelu) return write_pair(algorithm_of(p.does), a, b, p.y);
    const int output = l_.in_some_layout(a, [&](int x) {
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_prelu_forward_primitive_desc_create, dnnl_forward_inference, l_.layout(x).get(),
            any_layout(l_.dims(b)).get(), any_layout(l_.dims(a)).get(), attribute_list(attributes().get()));
        const int slopes = l_.as(b, planned.argument(DNNL_ARG_WEIGHTS)),
                  out = l_.written(p.y, planned.argument(DNNL_ARG_DST));
        l_.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, slopes}, {DNNL_ARG_DST, out}});
        return out;
    });
    l_.give(p.y, output);
}
// A sum of integers of 8 bits in one step: a (sa / sy) + b (sb / sy), and the zero points as one number. False: it is
// none.
bool primitive_writer::write_sum(const binary_prim& p) try {
    if (p.does != arithmetic::add) return false;
    const bool swaps = p.a.dims != p.y.dims;
    const operand &a = swaps ? p.b : p.a, &b = swaps ? p.a : p.b;
    const float of_y = p.y.quantized->scales[0], of_a = a.quantized->scales[0] / of_y,
                of_b = b.quantized->scales[0] / of_y;
    const float zero = float(p.y.quantized->zero) - float(a.quantized->zero) * of_a - float(b.quantized->zero) * of_b;
    const int first = l_.at(a), second = l_.reshaped(l_.at(b), padded(b.dims, l_.dims(first).rank));
    const std::array scalings{dnnl_scaling{DNNL_ARG_SRC_0, {of_a}}, dnnl_scaling{DNNL_ARG_SRC_1, {of_b}}};
    const std::array ends{dnnl_epilogue{dnnl_eltwise_linear, 1, zero}};
    write_pair(dnnl_binary_add, first, second, p.y, scalings, ends);
    return true;
} catch (const refused_node&) {
    return false;
}

// --- integers of 8 bits as floats, and back
operand primitive_writer::dequantized(const operand& x) {
    const operand y = temporary(x.dims);
    write(dequantize_prim{x, y});
    return y;
}
template <class P> void primitive_writer::write_in_floats(P p) {
    each_input(p, [&](operand& x) {
        if (x.is_quantized()) x = dequantized(x);
    });
    const operand y = p.y;
    if (y.is_quantized()) p.y = temporary(y.dims);
    write(std::as_const(p));
    if (y.is_quantized()) write(quantize_prim{p.y, y});
}
void primitive_writer::write(const quantize_prim& p) {
    const int x = l_.at(p.x), y = l_.written(p.y, like(l_.layout(x), p.y.type));
    l_.reorder(x, y, std::array{scaling_of(DNNL_ARG_DST, p.y)});
    l_.give(p.y, y);
}
void primitive_writer::write(const dequantize_prim& p) {
    const int x = l_.at(p.x), y = l_.written(p.y, like(l_.layout(x), p.y.type));
    l_.reorder(x, y, std::array{scaling_of(DNNL_ARG_SRC, p.x)});
    l_.give(p.y, y);
}

// --- convolutions and products, with what ends them
primitive_writer::product primitive_writer::product_of(const operand& y, const shape& dims) {
    product p{ends_.y ? *ends_.y : y, dims};
    const auto slot_of = [&](const operand& x) {
        if (x.dims == y.dims) return l_.reshaped(l_.at(x), dims);
        const bool row = x.dims.rank > dims.rank;
        return l_.reshaped(l_.at(x), padded(row ? shape{x.dims.elements()} : x.dims, dims.rank));
    };
    for (const primitive_ends::step& e : ends_.list) {
        p.epilogues.push_back(e.epilogue);
        if (e.second) p.epilogues.back().slot = slot_of(*e.second);
    }
    if (p.y.is_quantized()) p.scalings.push_back(scaling_of(DNNL_ARG_DST, p.y));
    return p;
}
// With all epilogues in it.
void primitive_writer::write_whole(const product& p, const plan_with& plan, const arguments_with& arguments) {
    std::vector<dnnl_layout> operand_layouts;
    for (const dnnl_epilogue& e : p.epilogues)
        if (e.slot >= 0) {
            const shape dims = l_.dims(e.slot);
            operand_layouts.push_back(dims == p.dims ? any_layout(dims) : plain_layout(dims));
        }
    const planned_primitive planned =
        plan(attributes(p.epilogues, operand_layouts, p.scalings).get(), any_layout(p.dims, p.y.type));
    dnnl_arguments list = arguments(planned);
    for (std::size_t k = 0; k < p.epilogues.size(); ++k)
        if (p.epilogues[k].slot >= 0) {
            const int name = DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(k)) | DNNL_ARG_SRC_1;
            list.push_back({name, l_.as(p.epilogues[k].slot, planned.argument(name))});
        }
    const dnnl_arguments scales = l_.arguments_of(p.scalings);
    list.insert(list.end(), scales.begin(), scales.end());
    const int out = l_.written(p.y, planned.argument(DNNL_ARG_DST));
    list.push_back({DNNL_ARG_DST, out});
    l_.add(planned, std::move(list));
    l_.give(p.y, out);
}
// Epilogues that oneDNN does not support are primitives after it.
void primitive_writer::write(product p, const plan_with& plan, const arguments_with& arguments) {
    try {
        return write_whole(p, plan, arguments);
    } catch (const refused_node&) {
        if (p.epilogues.empty() && !p.y.is_quantized()) throw;
    }
    const operand y = p.y;
    const std::vector<dnnl_epilogue> epilogues = std::move(p.epilogues);
    p.epilogues.clear();
    p.y = temporary(p.dims);
    std::erase_if(p.scalings, [](const dnnl_scaling& s) { return s.argument == DNNL_ARG_DST; });
    write_whole(p, plan, arguments);
    for (const dnnl_epilogue& e : epilogues) {
        const bool is_last = &e == &epilogues.back() && !y.is_quantized();
        const int from = l_.at(p.y);
        p.y = is_last ? y : temporary(p.dims);
        write_epilogue(e, from, p.y);
    }
    if (y.is_quantized()) {
        p.y.dims = y.dims;
        write(quantize_prim{p.y, y});
    }
}
// Where x is of 8 bits, the weights are too. mask: the axes of outputs, which may have a scale each.
int primitive_writer::weights(const operand& x, const operand& w, product& p, int mask) {
    if (!x.is_quantized()) return w.constant && w.elements ? l_.constant(w) : l_.at(w);
    operand with_sign = x;
    with_sign.type = element::i8;
    const byte_weights in_bytes(*w.quantized, with_sign);
    const auto quantized = [&] {
        std::deque<std::vector<float>> buffers;
        const float* const values = floats_of(l_.of(), w, buffers);
        return in_bytes.quantized({values, values + w.dims.elements()}, std::size_t(w.dims[0]),
                                  std::size_t(w.dims.elements(1)));
    };
    if (!multiplies_bytes_exactly()) check_products(x, quantized());
    p.scalings.push_back(scaling_of(DNNL_ARG_SRC, x));
    p.scalings.push_back({DNNL_ARG_WEIGHTS, in_bytes.scales(), in_bytes.each() ? mask : 0});
    return l_.constant(w.dims, element::i8, quantized);
}
// filters: in the order that oneDNN has their axes.
template <class F>
void primitive_writer::convolve(F create, dnnl_alg_kind_t algorithm, const operand& x, int filters,
                                const std::optional<operand>& bias, product p, const window_lists& w) {
    const dnnl_layout source = any_layout(x.dims, x.type),
                      weights = any_layout(l_.dims(filters), stored_type(l_.layout(filters))),
                      row = bias ? plain_layout(bias->dims) : nullptr;
    write(
        std::move(p),
        [&](attribute_list attr, const dnnl_layout& y) {
            return plan_primitive(create, dnnl_forward_inference, algorithm, source.get(), weights.get(), row.get(),
                                  y.get(), w.strides, w.dilations, w.before, w.after, attr);
        },
        [&](const planned_primitive& planned) {
            dnnl_arguments list{{DNNL_ARG_SRC, l_.as(l_.at(x), planned.argument(DNNL_ARG_SRC))},
                                {DNNL_ARG_WEIGHTS, l_.as(filters, planned.argument(DNNL_ARG_WEIGHTS))}};
            if (bias) list.push_back({DNNL_ARG_BIAS, l_.plain(l_.at(*bias))});
            return list;
        });
}
void primitive_writer::write(const conv_prim& p) {
    product result = product_of(p.y, p.y.dims);
    const int w = weights(p.x, p.w, result, p.groups > 1 ? 3 : 1);
    convolve(dnnl().dnnl_convolution_forward_primitive_desc_create, dnnl_convolution_direct, p.x,
             l_.reshaped(w, grouped(p.w.dims, p.groups)), p.bias, std::move(result), window_lists(p.window));
}
void primitive_writer::write(const deconv_prim& p) {
    std::array<int, max_rank + 1> places{};  // the channels of the result come before those of the input
    for (int i = 0; i < int(places.size()); ++i) places[std::size_t(i)] = i;
    const std::size_t first = p.groups > 1;
    std::swap(places[first], places[first + 1]);
    const int filters = l_.permuted(l_.reshaped(l_.at(p.w), grouped(p.w.dims, p.groups)), places);
    convolve(dnnl().dnnl_deconvolution_forward_primitive_desc_create, dnnl_deconvolution_direct, p.x, filters, p.bias,
             product_of(p.y, p.y.dims), window_lists(p.window));
}
// a b, over matrices of one rank; bias: one row. Constant weights are packed as oneDNN likes them, if it has that.
void primitive_writer::multiply(int a, int b, const std::optional<operand>& bias, product p) {
    a = l_.from_first(a);
    b = l_.from_first(b);
    const shape row_dims = bias ? padded({bias->dims.elements()}, p.dims.rank) : shape{};
    const int row = bias ? l_.plain(l_.reshaped(l_.at(*bias), row_dims)) : -1;
    const auto multiply_by = [&](int x, const dnnl_layout& w) {
        write(
            p,
            [&](attribute_list attr, const dnnl_layout&) {
                return plan_primitive(dnnl().dnnl_matmul_primitive_desc_create, l_.layout(x).get(), w.get(),
                                      bias ? l_.layout(row).get() : nullptr, plain_layout(p.dims, p.y.type).get(),
                                      attr);
            },
            [&](const planned_primitive& planned) {
                dnnl_arguments list{{DNNL_ARG_SRC, x},
                                    {DNNL_ARG_WEIGHTS, l_.as(b, planned.argument(DNNL_ARG_WEIGHTS))}};
                if (bias) list.push_back({DNNL_ARG_BIAS, row});
                return list;
            });
    };
    l_.as_it_lies_or_plain(a, [&](int x) {
        try {
            multiply_by(x, p.dims.rank == 2 ? l_.any_if_constant(b) : l_.layout(b));
        } catch (const refused_node&) {
            multiply_by(x, plain_layout(l_.dims(b), stored_type(l_.layout(b))));
        }
    });
}
void primitive_writer::write(const dense_prim& p) {
    const std::int64_t outputs = p.w.dims[0], depth = p.w.dims[1], rows = p.x.dims.elements() / depth;
    product result = product_of(p.y, {rows, outputs});
    const int w = weights(p.x, p.w, result, 2);
    multiply(l_.reshaped(l_.at(p.x), {rows, depth}), l_.permuted(w, std::array{1, 0}), p.bias ? p.bias : ends_.bias,
             std::move(result));
}
void primitive_writer::write(const matmul_prim& p) {
    const shape &of_a = p.a.dims, &of_b = p.b.dims;
    const bool by_one = of_b.rank == 2 && of_a.rank > 2;  // rows of all matrices
    const int rank = by_one ? 2 : std::max(of_a.rank, of_b.rank);
    const shape a = by_one ? shape{of_a.elements(0, of_a.rank - 1), of_a[of_a.rank - 1]} : padded(of_a, rank);
    product result = product_of(p.y, by_one ? shape{a[0], of_b[1]} : padded(p.y.dims, rank));
    if (p.a.is_quantized()) {
        if (p.b.type != element::i8 || p.b.quantized->zero != 0) refuse("oneDNN's weights of 8 bits are signed");
        if (!multiplies_bytes_exactly()) check_products(p.a, std::array{char(127)});
        result.scalings.push_back(scaling_of(DNNL_ARG_SRC, p.a));
        result.scalings.push_back(scaling_of(DNNL_ARG_WEIGHTS, p.b));
    }
    multiply(l_.reshaped(l_.at(p.a), a), l_.reshaped(l_.at(p.b), padded(of_b, rank)), ends_.bias, std::move(result));
}

// --- windows, norms and reductions
void primitive_writer::move(const pool_prim& p) {
    const window_lists w(p.window);
    const dnnl_alg_kind_t algorithm = p.does == pooling::max ? dnnl_pooling_max
                                      : p.counts_padding     ? dnnl_pooling_avg_include_padding
                                                             : dnnl_pooling_avg_exclude_padding;
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_pooling_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, algorithm),
              std::tuple(w.strides, w.kernel, w.dilations, w.before, w.after));
}
void primitive_writer::write(const reduce_prim& p) {
    const auto [algorithm, power] = algorithm_of(p.does);
    if (p.x.dims == p.y.dims && power == 0) return l_.give(p.y, l_.at(p.x));
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_reduction_primitive_desc_create, std::tuple(algorithm),
              std::tuple(power, 0.f));
}
void primitive_writer::write(const softmax_prim& p) {
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_softmax_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, p.log ? dnnl_softmax_log : dnnl_softmax_accurate), std::tuple(p.axis));
}
void primitive_writer::write(const batch_norm_prim& p) {
    constexpr unsigned flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;
    const auto channels = [&](const operand& x) { return l_.plain(l_.at(x)); };
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_batch_normalization_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference), std::tuple(p.epsilon, flags),
              {{DNNL_ARG_SCALE, channels(p.scale)},
               {DNNL_ARG_SHIFT, channels(p.shift)},
               {DNNL_ARG_MEAN, channels(p.mean)},
               {DNNL_ARG_VARIANCE, channels(p.variance)}});
}
// Over the last axes; factors that are no row of these are other primitives.
void primitive_writer::write(const layer_norm_prim& p) {
    const int first = int(p.axes[0]);
    const shape rows{p.x.dims.elements(0, first), p.x.dims.elements(first)};
    shape row = p.x.dims;
    std::fill_n(row.dims.begin(), first, 1);
    const auto is_row = [&](const std::optional<operand>& x) { return x && padded(x->dims, row.rank) == row; };
    if ((p.scale && !is_row(p.scale)) || (p.shift && !is_row(p.shift))) {
        const operand plain = temporary(p.x.dims), scaled = p.shift ? temporary(p.x.dims) : p.y;
        write(layer_norm_prim{p.x, plain, {}, {}, p.axes, p.epsilon});
        if (p.scale) write(binary_prim{arithmetic::mul, plain, *p.scale, scaled});
        if (p.shift) write(binary_prim{arithmetic::add, p.scale ? scaled : plain, *p.shift, p.y});
        return;
    }
    unsigned flags = dnnl_normalization_flags_none;
    dnnl_arguments more;
    const auto add = [&](const std::optional<operand>& x, int name, unsigned flag) {
        if (!x) return;
        flags |= flag;
        more.push_back({name, l_.plain(l_.reshaped(l_.at(*x), {rows[1]}))});
    };
    add(p.scale, DNNL_ARG_SCALE, dnnl_use_scale);
    add(p.shift, DNNL_ARG_SHIFT, dnnl_use_shift);
    write_one(l_.reshaped(l_.at(p.x), rows), p.y, rows, dnnl().dnnl_layer_normalization_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference), std::tuple(const_dnnl_memory_desc_t(nullptr), p.epsilon, flags),
              more);
}
void primitive_writer::write(const lrn_prim& p) {
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_lrn_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, dnnl_lrn_across_channels),
              std::tuple(p.size, p.alpha * float(p.size), p.beta, p.bias));
}
void primitive_writer::write(const resize_prim& p) {
    const bool nearest = p.facts.geometry.mode == resizing::interpolation::nearest;
    const float* const factors = nullptr;  // those of the lengths
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_resampling_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, nearest ? dnnl_resampling_nearest : dnnl_resampling_linear, factors),
              std::tuple());
}

// --- elements that move: views, mostly
void primitive_writer::move(const transpose_prim& p) {
    std::array<int, max_rank> places{};  // of each axis of the input in the result
    for (std::size_t i = 0; i < p.axes.size(); ++i) places[std::size_t(p.axes[i])] = int(i);
    l_.give(p.y, l_.permuted(l_.at(p.x), places));
}
void primitive_writer::move(const concat_prim& p) {
    std::vector<int> parts;
    for (const operand& x : p.parts) {
        const int slot = l_.at(x);
        parts.push_back(is_whole(l_.layout(slot)) ? slot : l_.plain(slot));
    }
    const dnnl_layout y = any_layout(p.y.dims, p.y.type);
    const auto join = [&] {
        std::vector<const_dnnl_memory_desc_t> from;
        dnnl_arguments list;
        for (const int slot : parts) {
            list.push_back({DNNL_ARG_MULTIPLE_SRC + int(from.size()), slot});
            from.push_back(l_.layout(slot).get());
        }
        dnnl_primitive_desc_t desc = nullptr;
        onednn_check(dnnl().dnnl_concat_primitive_desc_create(&desc, dnnl().engine, y.get(), int(from.size()), p.axis,
                                                              from.data(), attributes().get()));
        const planned_primitive planned(desc);
        const int out = l_.written(p.y, planned.argument(DNNL_ARG_DST));
        list.push_back({DNNL_ARG_DST, out});
        l_.add(planned, std::move(list));
        l_.give(p.y, out);
    };
    try {
        return join();
    } catch (const refused_node&) {
        for (int& slot : parts) slot = l_.plain(slot);
    }
    join();
}
void primitive_writer::write(const gather_prim& p) {
    shape start = shape::of_rank(p.x.dims.rank, 0);
    start[p.axis] = (*p.places)[0];
    l_.give(p.y, l_.part(l_.at(p.x), p.y.dims, start));
}
// Blocks of pixels and channels: [N, C, H, W] with C as `block` by `block` times channels, in one of two orders.
void primitive_writer::write(const blocks_prim& p) {
    const shape &x = p.x.dims, &y = p.y.dims;
    const auto turned = [&](const shape& inner, const std::array<int, 6>& places) {
        l_.give(p.y, l_.reshaped(l_.permuted(l_.reshaped(l_.at(p.x), inner), places), y));
    };
    if (p.to_depth) return turned({x[0], x[1], y[2], p.block, y[3], p.block}, {0, 3, 4, 1, 5, 2});
    if (p.columns_first) return turned({x[0], y[1], p.block, p.block, x[2], x[3]}, {0, 1, 3, 5, 2, 4});
    turned({x[0], p.block, p.block, y[1], x[2], x[3]}, {0, 3, 5, 1, 2, 4});
}

// --- which primitives end others
// Of a region: who reads each value.
class value_readers {
    std::map<int, std::vector<int>> readers_{};

  public:
    value_readers(std::span<const primitive> primitives, std::span<const int> results) {
        for (std::size_t k = 0; k < primitives.size(); ++k) {
            const auto reads = [&](const operand& x) { readers_[x.id].push_back(int(k)); };
            primitive p = primitives[k];
            std::visit(
                [&](auto& prim) {
                    each_input(prim, reads);
                    each_parameter(prim, reads);
                },
                p);
        }
        for (int id : results) readers_[id].push_back(-1);
    }
    int only(int id) const {  // or -1
        const auto at = readers_.find(id);
        return at == readers_.end() || at->second.size() != 1 ? -1 : at->second[0];
    }
};
bool has_epilogues(const primitive& p) {
    const kind k = kind_of(p);
    return k == kind::conv || k == kind::deconv || k == kind::dense || k == kind::matmul;
}
// A primitive and those that end it.
class chain {
    const primitive& first_;
    operand y_;

    bool is_product() const { return kind_of(first_) == kind::dense || kind_of(first_) == kind::matmul; }
    bool takes_bias(const binary_prim& p, const operand& addend) const {
        const auto* const dense = std::get_if<dense_prim>(&first_);
        return dense && !dense->bias && !ends.bias && ends.list.empty() && p.does == arithmetic::add &&
               addend.constant && addend.dims.elements() == y_.dims[y_.dims.rank - 1] && is_row(addend);
    }
    bool is_row(const operand& x) const {
        const std::int64_t columns = x.dims.rank ? x.dims[x.dims.rank - 1] : 1;
        return columns == x.dims.elements() && (columns == 1 || columns == y_.dims[y_.dims.rank - 1]);
    }
    bool add(const dnnl_epilogue& epilogue) {
        ends.list.push_back({epilogue});
        return true;
    }
    // Integers of one scale are limited as the floats before them.
    bool keeps_scale(const operand& y) const { return !y_.is_quantized() || y.quantized == y_.quantized; }
    bool take(const unary_prim& p) {
        return (!y_.is_quantized() || p.does == function::relu) && keeps_scale(p.y) && add(epilogue_of(p));
    }
    bool take(const clamp_prim& p) { return keeps_scale(p.y) && add(epilogue_of(p)); }
    bool take(const quantize_prim&) { return !y_.is_quantized(); }
    // One other operand broadcasts; that of a product is a row, or as large as the result.
    bool take(const binary_prim& p) {
        const bool first = p.a.id == y_.id;
        const operand& second = first ? p.b : p.a;
        const dnnl_alg_kind_t algorithm = algorithm_of(p.does);
        const bool fits = algorithm != dnnl_alg_kind_undef && (first || may_swap(p.does)) && p.y.dims == y_.dims;
        if (!fits || p.y.is_quantized() || second.id == y_.id) return false;
        if (takes_bias(p, second)) {
            ends.bias = second;
            return true;
        }
        const bool has_operand = std::ranges::any_of(ends.list, [](const auto& e) { return e.second.has_value(); });
        if (has_operand || (is_product() && !is_row(second) && second.dims != y_.dims)) return false;
        ends.list.push_back({{algorithm}, second});
        return true;
    }
    template <class P> bool take(const P&) { return false; }

  public:
    primitive_ends ends{};
    std::vector<int> members{};  // but the first

    explicit chain(const primitive& first) : first_(first), y_(result_of(first)) {}
    static operand result_of(const primitive& p) {
        return std::visit([](const auto& prim) { return prim.y; }, p);
    }
    const operand& y() const { return y_; }
    // Whether it ends the chain.
    bool add(int k, const primitive& p) {
        constexpr std::size_t most = 3;
        if (ends.list.size() >= most || !std::visit([&](const auto& prim) { return take(prim); }, p)) return false;
        members.push_back(k);
        y_ = result_of(p);
        ends.y = y_;
        return true;
    }
};
}  // namespace

// Each chain is written in the place of its last member.
dnnl_program onednn_writer::finish() {
    const value_readers readers(primitives_, results_);
    const auto count = int(primitives_.size());
    std::vector<int> written_at(primitives_.size());
    std::vector<std::optional<chain>> chains(primitives_.size());
    std::iota(written_at.begin(), written_at.end(), 0);
    for (int k = count - 1; k >= 0; --k) {
        if (!has_epilogues(primitives_[std::size_t(k)])) continue;
        chain c(primitives_[std::size_t(k)]);
        for (int next = readers.only(c.y().id); next >= 0 && written_at[std::size_t(next)] == next;
             next = readers.only(c.y().id))
            if (!c.add(next, primitives_[std::size_t(next)])) break;
        if (c.members.empty()) continue;
        for (const int member : c.members) written_at[std::size_t(member)] = -1;
        written_at[std::size_t(k)] = -1;
        written_at[std::size_t(c.members.back())] = k;
        const auto last_index = std::size_t(c.members.back());
        chains[last_index].emplace(std::move(c));
    }
    primitive_writer w(to_);
    for (int k = 0; k < count; ++k)
        if (const int from = written_at[std::size_t(k)]; from >= 0)
            w.write(primitives_[std::size_t(from)],
                    chains[std::size_t(k)] ? chains[std::size_t(k)]->ends : primitive_ends{});
    return to_.finish();
}
}  // namespace v1
}  // namespace inlay
