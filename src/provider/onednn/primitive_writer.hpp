// Writes primitives as those of oneDNN, each kind in the file of its family: element_wise.cpp, products.cpp,
// windows.cpp, movement.cpp, quantized.cpp.
#pragma once
#include "program.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace dnnl_writing {
using namespace lowering;
using attribute_list = const_dnnl_primitive_attr_t;

// Functions and operands as ends of another primitive.
dnnl_epilogue epilogue_of(const unary_prim&);
dnnl_epilogue epilogue_of(const clamp_prim&);
dnnl_alg_kind_t algorithm_of(arithmetic);  // dnnl_alg_kind_undef: not as an operation of two tensors
inline bool may_swap(arithmetic f) { return f != arithmetic::sub && f != arithmetic::div; }
inline dnnl_scaling scaling_of(int argument, const operand& x) {
    return {argument, {x.quantized->scales[0]}, 0, x.quantized->zero};
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
template <class P> void primitive_writer::write_in_floats(P p) {
    each_input(p, [&](operand& x) {
        if (x.is_quantized()) x = dequantized(x);
    });
    const operand y = p.y;
    if (y.is_quantized()) p.y = temporary(y.dims);
    write(std::as_const(p));
    if (y.is_quantized()) write(quantize_prim{p.y, y});
}
}  // namespace dnnl_writing
}  // namespace v1
}  // namespace inlay
