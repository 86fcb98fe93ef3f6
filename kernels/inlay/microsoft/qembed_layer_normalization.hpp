// QEmbedLayerNormalization (com.microsoft, since 1): layer normalisation of word + position + segment embeddings, whose
// tables, and gamma and beta, are 8-bit quantized values, (value - zero point) * scale; and the number of ones of each
// row of the mask, 0 where there is none. Inputs: word and segment ids, tables of words, positions and segments, gamma,
// beta, mask, then the scales and then the zero points of the tables, of gamma and of beta.
#pragma once
#include <inlay/support/linear_code.hpp>
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qembed_layer_normalization : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QEmbedLayerNormalization";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(2)};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 1;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr bool of_segments(int k) { return k == 1 || k == 4 || k == 10 || k == 15; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 18) return no("QEmbedLayerNormalization has 18 inputs");
        for (int k = 0; k < 18; ++k)
            if (of_segments(k) ? n.has_input(k) != n.has_input(1) : k != 7 && !n.has_input(k))
                return no("an input is missing; those of segments come together");
        const shape &ids = n.input(0).dims, &words = n.input(2).dims;
        if ((ids.rank >= 0 && ids.rank != 2) || (words.rank >= 0 && words.rank != 2))
            return no("the ids must be [batch, rows], the tables [entries, size]");
        for (int k : {1, 7})
            if (n.has_input(k) && n.input(k).dims.known() && ids.known() && n.input(k).dims != ids)
                return no("segment ids and mask must have the shape of the ids");
        for (int k : {3, 4})
            if (n.has_input(k) && n.input(k).dims.known() && words.known() &&
                (n.input(k).dims.rank != 2 || n.input(k).dims[1] != words[1]))
                return no("the ids must be [batch, rows], the tables [entries, size]");
        for (int k : {5, 6})
            if (n.input(k).dims.known() && words.known() && n.input(k).dims != shape{words[1]})
                return no("gamma and beta must have one number per column of the tables");
        for (int k = 0; k < 5; ++k)
            if (n.has_input(2 + k))
                if (const verdict v = quantized::scalar_scaling(n, 8 + k, 13 + k, n.input(2 + k).type); !v) return v;
        if (ids.rank < 0 || words.rank < 0) return yes();
        y[0] = {ids[0], ids[1], words[1]};
        if (y.size() > 1) y[1] = {ids[0]};
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view&, int k) { return k == 1 ? element::i32 : element::f32; }
};
}  // namespace op

template <> struct kernel<op::qembed_layer_normalization, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        std::int64_t batches = 0, rows = 0, size = 0;
        std::array<std::int64_t, 3> entries{};  // of the tables
        element type{};
        float epsilon = 0;
        presence has{};
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {0, 1, 7})
            if (n.has_input(k) && n.input(k).type != element::i32) return no("ids and mask must be int32");
        for (int k = 3; k < 7; ++k)
            if (n.has_input(k) && n.input(k).type != n.input(2).type) return no("the tables must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& ids = n.input(0).dims;
        params p{ids[0], ids[1], n.input(2).dims[1], {}, n.input(2).type, float(n.real("epsilon", 1e-12))};
        for (int k = 0; k < 3; ++k)
            if (n.has_input(2 + k)) p.entries[k] = n.input(2 + k).dims[0];
        p.has = presence(n);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (p.rows > p.entries[1]) return c.fail("there are more rows than positions");
        const auto valid = [&](int k, std::int64_t entries) {
            const std::int32_t* ids = p.has.in<std::int32_t>(a, k);
            for (std::int64_t i = 0; ids && i < p.batches * p.rows; ++i)
                if (ids[i] < 0 || ids[i] >= entries) return false;
            return true;
        };
        if (!valid(0, p.entries[0]) || !valid(1, p.entries[2])) return c.fail("an id is out of range");
        c.split(p.batches * p.rows, 16, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) normalise(p, a, i);
        });
        count_mask(p, a);
        return status::ok;
    }

  private:
    static void normalise(const params& p, const arguments& a, std::int64_t i) noexcept {
        using quantized::linear_code;
        float* y = a.out<float>(0) + i * p.size;
        std::fill_n(y, p.size, 0.f);
        const auto add = [&](int k, std::int64_t entry) {
            const linear_code number(p.type, a, 8 + k, 13 + k, p.has);
            const std::uint8_t* codes = a.in<std::uint8_t>(2 + k) + entry * p.size;
            for (std::int64_t d = 0; d < p.size; ++d) y[d] += number.number(codes[d]);
        };
        add(0, a.in<std::int32_t>(0)[i]);
        add(1, i % p.rows);
        if (p.has.has_in(1)) add(2, a.in<std::int32_t>(1)[i]);
        double sum = 0, squares = 0;
        for (std::int64_t d = 0; d < p.size; ++d) sum += double(y[d]);
        const double mean = sum / double(p.size);
        for (std::int64_t d = 0; d < p.size; ++d) squares += (double(y[d]) - mean) * (double(y[d]) - mean);
        const double deviation = std::sqrt(squares / double(p.size) + double(p.epsilon));
        const linear_code gamma(p.type, a, 11, 16, p.has), beta(p.type, a, 12, 17, p.has);
        for (std::int64_t d = 0; d < p.size; ++d)
            y[d] = float((double(y[d]) - mean) / deviation) * gamma.number(a.in<std::uint8_t>(5)[d]) +
                   beta.number(a.in<std::uint8_t>(6)[d]);
    }
    static void count_mask(const params& p, const arguments& a) noexcept {
        std::int32_t* count = p.has.out<std::int32_t>(a, 1);
        const std::int32_t* mask = p.has.in<std::int32_t>(a, 7);
        for (std::int64_t b = 0; count && b < p.batches; ++b) {
            count[b] = 0;
            for (std::int64_t i = 0; mask && i < p.rows; ++i) count[b] += mask[b * p.rows + i] == 1;
        }
    }
};
}  // namespace v1
}  // namespace inlay
