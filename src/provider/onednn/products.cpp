// Convolutions and matmuls, with what ends them.
#include "primitive_writer.hpp"
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
namespace dnnl_writing {
namespace {
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
// The filters of each group, which are an axis before the others.
shape grouped(const shape& w, std::int64_t groups) {
    if (groups == 1) return w;
    shape s{groups, w[0] / groups};
    for (int i = 1; i < w.rank; ++i) s.push_back(w[i]);
    return s;
}
}  // namespace

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
}  // namespace dnnl_writing
}  // namespace v1
}  // namespace inlay
