// EmbedLayerNormalization (com.microsoft, since 1): s = the sum of a word's embedding, its position's and its
// segment's, y = (s - mean) / sqrt(var + epsilon) * gamma + beta. Positions count from 0 where none are given.
// mask_index is how many ones the mask of each batch has, 0 without a mask. Accumulates in double. Inputs:
// input_ids, segment_ids, word_embedding, position_embedding, segment_embedding, gamma, beta, mask, position_ids.
// Outputs: y, mask_index, s.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <algorithm>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct embedding_params {
    std::int64_t batches = 0, length = 0, width = 0, words = 0, places = 0, segments = 0, place_step = 0;
    double epsilon = 0;
    presence has{};
    static constexpr verdict read(const node_view& n, embedding_params& p) {
        p.has = presence(n);
        for (int k : {0, 2, 3, 5, 6})
            if (!p.has.has_in(k)) return no("an input is missing");
        if (p.has.has_in(1) != p.has.has_in(4)) return no("segment_ids and segment_embedding must come together");
        p.epsilon = n.real("epsilon", 1e-12f);
        for (int k = 0; k < 9; ++k)
            if (p.has.has_in(k) && !n.input(k).dims.known()) return yes();
        const shape &ids = n.input(0).dims, &words = n.input(2).dims, &places = n.input(3).dims;
        if (ids.rank != 2) return no("input_ids must be [batch, words]");
        for (int k : {1, 7})
            if (p.has.has_in(k) && n.input(k).dims != ids) return no("segment_ids and mask must be as input_ids");
        if (words.rank != 2 || places.rank != 2 || words[1] != places[1] || words[1] < 1)
            return no("the embeddings must be matrices of one width");
        p.batches = ids[0];
        p.length = ids[1];
        p.width = words[1];
        p.words = words[0];
        p.places = places[0];
        if (p.has.has_in(4)) {
            const shape& s = n.input(4).dims;
            if (s.rank != 2 || s[1] != p.width) return no("the embeddings must be matrices of one width");
            p.segments = s[0];
        }
        for (int k : {5, 6})
            if (n.input(k).dims != shape{p.width}) return no("gamma and beta must be as long as an embedding");
        if (!p.has.has_in(8)) return yes();
        const shape& at = n.input(8).dims;
        if (at != ids && at != shape{1, p.length}) return no("position_ids must be [batch or 1, words]");
        p.place_step = at[0] == 1 ? 0 : p.length;
        return yes();
    }
};
namespace op {
struct embed_layer_normalization : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "EmbedLayerNormalization";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(2)};
    static constexpr auto elements = each_type<float, float16>;
    static constexpr int required_inputs = 1;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 9) return no("there are too many inputs");
        embedding_params p;
        if (const verdict v = embedding_params::read(n, p); !v) return v;
        if (p.width == 0) return yes();  // a shape is not known
        const shape output_shape{p.batches, p.length, p.width};
        if (!countable(output_shape)) return no("the output is too large");
        for (std::size_t k = 0; k < y.size(); ++k) y[k] = k == 1 ? shape{p.batches} : output_shape;
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return k == 1 ? element::i32 : n.input_type(2); }
};
}  // namespace op

template <class T> struct kernel<op::embed_layer_normalization, device::reference, types<T>> : simple_kernel {
    using params = embedding_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {3, 4, 5, 6})
            if (n.has_input(k) && n.input(k).type != n.input(2).type)
                return no("embeddings, gamma and beta must have one type");
        for (int k : {0, 1, 7, 8})
            if (n.has_input(k) && n.input(k).type != element::i32) return no("ids and mask must be int32");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)params::read(n, p);
        return p;
    }
    // Whether all indexes are within their embeddings; writes how many words the masks leave.
    static status check(const params& p, const arguments& a, context& c) noexcept {
        const auto within = [](std::int64_t i, std::int64_t count) { return i >= 0 && i < count; };
        for (std::int64_t row = 0; row < p.batches * p.length; ++row) {
            if (!within(a.in<std::int32_t>(0)[row], p.words)) return c.fail("a word is not in word_embedding");
            if (p.has.has_in(1) && !within(a.in<std::int32_t>(1)[row], p.segments))
                return c.fail("a segment is not in segment_embedding");
            if (!within(place(p, a, row), p.places)) return c.fail("a position is not in position_embedding");
        }
        if (auto* index = p.has.out<std::int32_t>(a, 1))
            for (std::int64_t b = 0; b < p.batches; ++b) {
                const std::int32_t* mask = p.has.in<std::int32_t>(a, 7);
                index[b] = mask ? std::int32_t(std::count(mask + b * p.length, mask + (b + 1) * p.length, 1)) : 0;
            }
        return status::ok;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const status s = check(p, a, c); s != status::ok) return s;
        c.split(p.batches * p.length, 4096 / p.width + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end && !c.stopped(); ++row) embed(p, a, row);
        });
        return c.stopped() ? status::stopped : status::ok;
    }
    static std::int64_t place(const params& p, const arguments& a, std::int64_t row) noexcept {
        const std::int32_t* positions = p.has.in<std::int32_t>(a, 8);
        return positions ? positions[row / p.length * p.place_step + row % p.length] : row % p.length;
    }

  private:
    static void embed(const params& p, const arguments& a, std::int64_t row) noexcept {
        using A = accumulator<T>;
        const T *word = a.in<T>(2) + a.in<std::int32_t>(0)[row] * p.width,
                *at = a.in<T>(3) + place(p, a, row) * p.width,
                *segment = p.has.has_in(1) ? a.in<T>(4) + a.in<std::int32_t>(1)[row] * p.width : nullptr;
        const T *gamma = a.in<T>(5), *beta = a.in<T>(6);
        const auto sum_at = [&](std::int64_t i) {
            return double(static_cast<A>(word[i]) + static_cast<A>(at[i]) + (segment ? static_cast<A>(segment[i]) : 0));
        };
        double sum = 0, squares = 0;
        for (std::int64_t i = 0; i < p.width; ++i) sum += sum_at(i);
        const double mean = sum / double(p.width);
        for (std::int64_t i = 0; i < p.width; ++i) squares += (sum_at(i) - mean) * (sum_at(i) - mean);
        const double inverse = 1 / std::sqrt(squares / double(p.width) + p.epsilon);
        T *y = a.out<T>(0) + row * p.width, *sums = p.has.out<T>(a, 2);
        for (std::int64_t i = 0; i < p.width; ++i) {
            const double s = sum_at(i);
            y[i] = static_cast<T>(static_cast<A>((s - mean) * inverse * double(static_cast<A>(gamma[i])) +
                                                 double(static_cast<A>(beta[i]))));
            if (sums) sums[row * p.width + i] = static_cast<T>(static_cast<A>(s));
        }
    }
};
}  // namespace v1
}  // namespace inlay
