// WordConvEmbedding (com.microsoft, since 1): of each word, a row of characters that ends before the first that is not
// positive, y[f] = the largest of tanh(W[f] * (the embeddings C of a window of characters) + B[f]). A window begins at
// each character that leaves it within the word, or at the first one. Of a word without characters 0.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct word_conv_embedding : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "WordConvEmbedding";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(1)};
    static constexpr auto elements = each_type<float>;
    static constexpr int required_inputs = 4;
    static constexpr bool differ(std::int64_t a, std::int64_t b) { return a >= 0 && b >= 0 && a != b; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        constexpr int ranks[] = {2, 4, 1, 2};
        for (int k = 0; k < 4; ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            const int rank = n.input(k).dims.rank;
            if (rank >= 0 && rank != ranks[k]) return no("an input has another number of axes than it must have");
            if (rank < 0) return yes();
        }
        if (n.input(0).type != element::i32 && n.input(0).type != element::undefined)
            return no("the characters must be 32-bit integers");
        const shape &x = n.input(0).dims, &w = n.input(1).dims, &b = n.input(2).dims, &c = n.input(3).dims;
        if (differ(w[1], 1) || differ(w[0], b[0]) || differ(w[3], c[1])) return no("W, B and C do not fit each other");
        if (x[1] >= 0 && w[2] > x[1]) return no("the window is longer than the words");
        if (differ(n.integer("embedding_size", -1), w[0]) || differ(n.integer("conv_window_size", -1), w[2]) ||
            differ(n.integer("char_embedding_size", -1), w[3]))
            return no("an attribute contradicts W");
        const shape s{x[0], w[0]};
        if (s.known() && !countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op

template <> struct kernel<op::word_conv_embedding, device::reference, types<float>> : simple_kernel {
    struct params {
        std::int64_t words, length, filters, window, size, characters;  // size: of a character's embedding
    };
    static constexpr verdict supports(const node_view& n) {
        return n.input(2).type == element::f32 && n.input(3).type == element::f32 ? yes()
                                                                                  : no("W, B and C must be floats");
    }
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims, &c = n.input(3).dims;
        return {x[0], x[1], w[0], w[2], w[3], c[0]};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        stop_check ends(c);
        for (std::int64_t i = 0; i < p.words; ++i) {
            const auto* word = a.in<std::int32_t>(0) + i * p.length;
            std::int64_t letters = 0;
            while (letters < p.length && word[letters] > 0) ++letters;
            for (std::int64_t k = 0; k < std::max(letters, p.window); ++k)
                if (letters > 0 && (word[k] < 0 || word[k] >= p.characters))
                    return c.fail("a character is out of range");
            for (std::int64_t f = 0; f < p.filters; ++f) {
                float& y = a.out<float>(0)[i * p.filters + f];
                y = letters > 0 ? -std::numeric_limits<float>::infinity() : 0;
                for (std::int64_t at = 0; letters > 0 && (at == 0 || at + p.window <= letters); ++at) {
                    if (ends(p.window * p.size + 1)) return c.end_of_run();
                    const float z = activated(p, a, word + at, f);
                    if (!(z <= y)) y = z;  // NaN too
                }
            }
        }
        return status::ok;
    }

  private:
    static float activated(const params& p, const arguments& a, const std::int32_t* window, std::int64_t filter) {
        double sum = static_cast<double>(a.in<float>(2)[filter]);
        const float* w = a.in<float>(1) + filter * p.window * p.size;
        for (std::int64_t k = 0; k < p.window; ++k)
            for (std::int64_t j = 0; j < p.size; ++j)
                sum += static_cast<double>(*w++) * static_cast<double>(a.in<float>(3)[window[k] * p.size + j]);
        return static_cast<float>(std::tanh(sum));
    }
};
}  // namespace v1
}  // namespace inlay
