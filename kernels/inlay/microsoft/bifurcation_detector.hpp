// BifurcationDetector (com.microsoft, since 1): tokens = cur_tokens, then those of pred_tokens that go on as src_tokens
// does from prev_suffix_match_idx, and the first that does not. suffix_match_idx: where in src_tokens the last n of
// tokens end, for the largest n from min_ngram_size to max_ngram_size for which they come up there at all, -1 if that
// is more than once, or if none do; no larger n is tried once they end with src_tokens. Inputs: src_tokens, cur_tokens,
// prev_suffix_match_idx, pred_tokens.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace op {
struct bifurcation_detector : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "BifurcationDetector";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<std::int64_t>;
    static constexpr int required_inputs = 3;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("src_tokens, cur_tokens or prev_suffix_match_idx is missing");
        if (n.input_count() > 4) return no("there are too many inputs");
        const std::int64_t least = n.integer("min_ngram_size", 1), most = n.integer("max_ngram_size", 3);
        if (least < 1 || most < least) return no("min_ngram_size must be positive, and at most max_ngram_size");
        for (int k : {0, 1, 3})
            if (n.has_input(k) && n.input(k).dims.rank >= 0 && n.input(k).dims.rank != 1)
                return no("the tokens must have one axis");
        if (n.input(2).dims.known() && n.input(2).dims.elements() != 1)
            return no("prev_suffix_match_idx must be one number");
        y[0] = {-1};  // also without pred_tokens: the kernel allocates its outputs while it runs
        if (y.size() > 1) y[1] = n.input(2).dims;
        return yes();
    }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        y[0] = {n.input(1).dims[0] + (n.has_input(3) ? n.input(3).dims[0] : 0)};
        if (y.size() > 1) y[1] = n.input(2).dims;
    }
};
}  // namespace op

template <> struct kernel<op::bifurcation_detector, device::reference, types<std::int64_t>> : simple_kernel {
    struct params {
        std::int64_t source, current, predicted, least, most;  // source, current, predicted: tokens
        shape index;
        presence has;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2, 3})
            if (n.has_input(k) && n.input(k).type != element::i64) return no("the tokens must be int64");
        return n.has_output(0) && n.has_output(1) ? yes() : no("tokens and suffix_match_idx must both be there");
    }
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims[0],
                n.input(1).dims[0],
                n.has_input(3) ? n.input(3).dims[0] : 0,
                n.integer("min_ngram_size", 1),
                n.integer("max_ngram_size", 3),
                n.input(2).dims,
                presence(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t *source = a.in<std::int64_t>(0), *predicted = p.has.in<std::int64_t>(a, 3);
        std::int64_t accepted_count = 0;
        if (predicted) {
            const std::int64_t from = *a.in<std::int64_t>(2);
            if (from < 0 || from > p.source) return c.fail("prev_suffix_match_idx is not in src_tokens");
            if (p.predicted != p.source + 1 - from)
                return c.fail("pred_tokens must have one token more than src_tokens has from prev_suffix_match_idx on");
            while (accepted_count < p.source - from && predicted[accepted_count] == source[from + accepted_count])
                ++accepted_count;
            ++accepted_count;
        }
        const std::int64_t count = p.current + accepted_count;
        auto *tokens = c.output<std::int64_t>(0, {count}), *index = c.output<std::int64_t>(1, p.index);
        if ((!tokens && count > 0) || !index) return c.fail("no memory for the tokens", status::out_of_memory);
        std::copy_n(a.in<std::int64_t>(1), p.current, tokens);
        if (accepted_count) std::copy_n(predicted, accepted_count, tokens + p.current);
        stop_check stops(c);
        *index = -1;
        for (std::int64_t n = p.least; n <= std::min({p.most, count, p.source}); ++n) {
            if (stops(n * p.source)) return c.end_of_run();
            const auto find = [&](const std::int64_t* first) {
                return std::search(first, source + p.source, tokens + count - n, tokens + count);
            };
            const std::int64_t* match = find(source);
            if (match == source + p.source) break;
            *index = match - source + n;
            if (*index == p.source) break;
            if (find(match + 1) != source + p.source) *index = -1;
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
