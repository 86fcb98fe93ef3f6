// NGramRepeatBlock (com.microsoft, since 1): scores, in which those tokens have -infinity that would end an n-gram of
// ngram_size tokens which input_ids, a text per row, have already.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace op {
struct ngram_repeat_block : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "NGramRepeatBlock";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(1)};
    static constexpr auto elements = float_types;
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        if (n.integer("ngram_size", 0) < 1) return no("ngram_size must be positive");
        if (n.input(0).type != element::i64 && n.input(0).type != element::undefined)
            return no("input_ids must be of 64-bit integers");
        const shape &ids = n.input(0).dims, &scores = n.input(1).dims;
        if ((ids.rank >= 0 && ids.rank != 2) || (scores.rank >= 0 && scores.rank != 2))
            return no("input_ids and scores must have two axes");
        if (ids.rank == 2 && scores.rank == 2 && ids[0] >= 0 && scores[0] >= 0 && ids[0] != scores[0])
            return no("there must be as many rows of input_ids as of scores");
        y[0] = scores;
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::ngram_repeat_block, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, length, vocabulary, size;
    };
    static constexpr params prepare(const node_view& n) {
        const shape &ids = n.input(0).dims, &scores = n.input(1).dims;
        return {scores[0], ids[1], scores[1], n.integer("ngram_size", 0)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto blocked = static_cast<T>(static_cast<accumulator<T>>(-std::numeric_limits<float>::infinity()));
        std::copy_n(a.in<T>(1), p.rows * p.vocabulary, a.out<T>(0));
        if (p.size > p.length) return status::ok;
        stop_check ends(c);
        for (std::int64_t row = 0; row < p.rows; ++row) {
            const std::int64_t *ids = a.in<std::int64_t>(0) + row * p.length, *tail = ids + p.length - (p.size - 1);
            for (std::int64_t i = 0; i + p.size <= p.length; ++i) {
                if (ends(p.size)) return c.end_of_run();
                if (!std::equal(tail, ids + p.length, ids + i)) continue;
                const std::int64_t token = ids[i + p.size - 1];
                if (token < 0 || token >= p.vocabulary) return c.fail("a token is not in the vocabulary");
                a.out<T>(0)[row * p.vocabulary + token] = blocked;
            }
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
