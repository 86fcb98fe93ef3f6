// DynamicQuantizeLSTM on the CPU with the standard's default activations: 8-bit integer matmuls, those of X for all
// steps at once.
#pragma once
#include <inlay/cpu/isa/rnn_f32.hpp>
#include <inlay/cpu/microsoft/matmul_integer_to_float.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/microsoft/dynamic_quantize_lstm.hpp>

namespace inlay {
inline namespace v1 {
struct dynamic_quantize_lstm_kernel : simple_kernel {
    using plain = kernel<op::dynamic_quantize_lstm, device::reference, types<float, quantized::byte>>;
    struct params : dynamic_lstm_params {
        // k: 0 for W, 1 for R. Of one direction; rows: of X or h.
        constexpr product_to_floats product(int k, std::int64_t rows) const {
            const shape x{rows, depth(k)}, w{depth(k), columns()};
            product_to_floats p{{matmul_params::of(x, w, {rows, columns()}), x, w, element::u8, weights}};
            p.b_scale.per_line = by_column[std::size_t(2 * k)];
            p.b_zero.per_line = by_column[std::size_t(2 * k + 1)];
            return p;
        }
        constexpr product_to_floats of_x() const { return product(0, steps * batch); }
        constexpr product_to_floats of_h() const { return product(1, batch); }
        constexpr std::int64_t packed(int k, isa::level l) const {  // bytes
            return product(k, 1).footprint(l, 1).constant;
        }
        constexpr std::int64_t values_room() const { return padded_floats((plain::most_values(*this) + 3) / 4); }
    };
    struct state {
        std::array<integer_product::weights, 4> weights{};  // of W and R in one direction, then in the other
        dynamic_codes quantizer;
        const rnn_f32_table* cell = nullptr;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 2 | 1 << 9 | 1 << 11;
    static constexpr verdict supports(const node_view& n) {
        params p;
        if (const verdict v = p.read_node(n); !v) return v;
        if (!p.usual_activations(params::functions)) return no("fast only with Sigmoid and Tanh in their usual places");
        if (p.clips()) return no("fast only without clip");
        if (n.has_input(7)) return no("fast only without peepholes");
        return p.flag ? no("fast only where input and forget gate are not coupled") : yes();
    }
    static constexpr params prepare(const node_view& n) { return {plain::prepare(n)}; }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        const std::int64_t products =
            std::max(p.of_x().footprint(l, threads).scratch, p.of_h().footprint(l, threads).scratch);
        return {p.directions * (p.packed(0, l) + p.packed(1, l)),
                4 * (padded_floats(p.numbers()) + p.values_room() + padded_floats(dynamic_codes::room(threads))) +
                    products};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.quantizer = dynamic_codes(u.level);
        s.cell = &rnn_f32(u.level);
        setup part = u;
        for (int d = 0; d < p.directions; ++d)
            for (int k : {0, 1}) {
                const std::int64_t zeros = p.by_column[std::size_t(2 * k + 1)] ? p.columns() : 1;
                s.weights[std::size_t(2 * d + k)] =
                    p.product(k, 1).pack(w.in<std::uint8_t>(1 + k) + d * p.depth(k) * p.columns(),
                                         w.in<std::uint8_t>(params::scaling + 2 * k + 1) + d * zeros, part);
                part.storage += p.packed(k, u.level);
            }
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float* const products = reinterpret_cast<float*>(c.scratch);
        float* const values = products + padded_floats(p.numbers());
        float* const extremes = values + p.values_room();
        float* const scratch = extremes + padded_floats(dynamic_codes::room(c.threads));
        const auto multiply = [&](int k, int d, const float* x, std::int64_t rows, float* to) {
            auto* const bytes = reinterpret_cast<std::uint8_t*>(values);
            const auto q = s.quantizer.run(x, rows * p.depth(k), bytes, extremes, c);
            const std::int64_t scales = p.by_column[std::size_t(2 * k)] ? p.columns() : 1;
            p.product(k, rows).run(s.weights[std::size_t(2 * d + k)], {bytes, &q.zero}, q.scale,
                                   a.in<float>(params::scaling + 2 * k) + d * scales, nullptr, to, scratch, c);
            return !c.stopped();
        };
        return p.run(a, c, products, multiply, [&](int, const float* sums, float* cells, float* h) {
            s.cell->lstm(sums, p.hidden, cells, h, p.hidden);
        });
    }
};
template <>
struct kernel<op::dynamic_quantize_lstm, device::cpu, types<float, quantized::byte>>
    : packs_at_run<dynamic_quantize_lstm_kernel> {};
}  // namespace v1
}  // namespace inlay
