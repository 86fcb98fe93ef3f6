// MoEGroupRouter (com.microsoft, since 1): s = Sigmoid(logits); of the topk_group groups of experts whose group_topk
// largest s + bias have the largest sum, the top_k experts of the largest s + bias have log(max(s, 1e-20)), all others
// router_sentinel. Ties go to the first, NaN before all. Or, with the second and third output instead:
// s + bias and s of all experts, where logits may be projection_weight's product with the tokens. Inputs: logits,
// expert_bias, projection_weight [experts, width].
#pragma once
#include <inlay/onnx/unary.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct group_router_params {
    std::int64_t tokens = 0, experts = 0, width = 0, k = 0, groups = 1, top_groups = 1, summed = 2;
    double sentinel = -10000;
    bool projected = false, has_scores = false;  // has_scores: s of all experts is an output
    presence has{};

    constexpr std::int64_t size() const { return experts / groups; }
    constexpr verdict read(const node_view& n) {
        if (!n.has_input(0) || !n.has_input(1)) return no("logits or expert_bias is missing");
        has = presence(n);
        k = n.integer("top_k", 0);
        groups = n.integer("n_group", 1);
        top_groups = n.integer("topk_group", 1);
        summed = n.integer("group_topk", 2);
        sentinel = n.real("router_sentinel", -10000);
        if (k < 1 || groups < 1 || top_groups < 1 || summed < 1)
            return no("top_k, n_group, topk_group and group_topk must be positive");
        if (top_groups > groups) return no("topk_group must not be larger than n_group");
        has_scores = has.has_out(1) || has.has_out(2);
        if (has_scores && (!has.has_out(1) || !has.has_out(2) || has.has_out(0)))
            return no("selection_scores and router_weights come together, and without router_probs");
        if (has_scores && groups != 1) return no("scores of all experts need one group");
        projected = has.has_in(2);
        return projected && !has_scores ? no("projection_weight needs selection_scores and router_weights") : yes();
    }
    constexpr verdict read_shapes(const node_view& n) {  // where all of them are known
        const shape& x = n.input(0).dims;
        if (projected ? x.rank != 2 : x.rank < 2)
            return no("logits must be [..., experts], and what is projected [tokens, width]");
        width = x[x.rank - 1];
        experts = width;
        tokens = x.elements(0, x.rank - 1);
        if (projected) {
            const shape& w = n.input(2).dims;
            if (w.rank != 2 || w[1] != width) return no("projection_weight must be [experts, width]");
            experts = w[0];
        }
        if (n.input(1).dims != shape{experts}) return no("expert_bias must have one number per expert");
        if (experts < 1 || experts % groups != 0) return no("the experts do not divide into groups");
        return k <= top_groups * size() ? yes() : no("top_k is larger than the groups that are chosen");
    }
};
namespace op {
struct moe_group_router : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MoEGroupRouter";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.required_outputs = 0};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 3) return no("there are too many inputs");
        group_router_params p;
        if (const verdict v = p.read(n); !v) return v;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        if (const verdict v = p.read_shapes(n); !v) return v;
        for (shape& s : y) s = {p.tokens, p.experts};
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return k == 0 ? n.input_type(0) : element::f32; }
};
}  // namespace op

template <class T> struct kernel<op::moe_group_router, device::reference, types<T>> : simple_kernel {
    using params = group_router_params;
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(2) && n.input(2).type != n.input(0).type)
            return no("logits and projection_weight must have one type");
        return n.input(1).type == element::f32 ? yes() : no("expert_bias must be float");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        (void)p.read_shapes(n);
        return p;
    }
    static constexpr std::int64_t numbers(const params& p) { return 2 * p.experts + p.groups; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * numbers(p) * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.tokens, 1 + 4096 / p.experts, [&](std::int64_t first, std::int64_t end, int part) {
            float *weights = reinterpret_cast<float*>(c.scratch) + part * numbers(p), *ranks = weights + p.experts;
            stop_check stops(c);
            for (std::int64_t t = first; t < end; ++t) {
                if (stops(p.experts * (p.projected ? p.width : p.k + p.summed))) return;
                score(p, a, t, weights, ranks);
                if (!p.has_scores) {
                    if (p.has.has_out(0)) route(p, weights, ranks, a.out<T>(0) + t * p.experts);
                    continue;
                }
                std::copy_n(ranks, p.experts, a.out<float>(1) + t * p.experts);
                std::copy_n(weights, p.experts, a.out<float>(2) + t * p.experts);
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void score(const params& p, const arguments& a, std::int64_t t, float* weights, float* ranks) noexcept {
        const T* x = a.in<T>(0) + t * p.width;
        for (std::int64_t e = 0; e < p.experts; ++e) {
            float logit = p.projected ? 0 : static_cast<float>(x[e]);
            for (std::int64_t i = 0; p.projected && i < p.width; ++i)
                logit += static_cast<float>(x[i]) * static_cast<float>(a.in<T>(2)[e * p.width + i]);
            weights[e] = op::sigmoid::apply(logit, 0.f, 0.f);
            ranks[e] = weights[e] + a.in<float>(1)[e];
        }
    }
    static constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
    static std::int64_t best_of(const float* ranks, std::int64_t count) noexcept {  // NaN before all
        std::int64_t best = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            if (ranks[i] != ranks[i]) return i;
            if (ranks[i] > ranks[best]) best = i;
        }
        return best;
    }
    static void route(const params& p, const float* weights, float* ranks, T* y) noexcept {
        float* sums = ranks + p.experts;
        for (std::int64_t g = 0; g < p.groups; ++g) sums[g] = sum_of_largest(p, ranks + g * p.size());
        for (std::int64_t i = 0; i < p.top_groups; ++i) sums[best_of(sums, p.groups)] = minus_infinity;
        for (std::int64_t e = 0; e < p.experts; ++e) {
            if (sums[e / p.size()] != minus_infinity) ranks[e] = minus_infinity;
            y[e] = static_cast<T>(float(p.sentinel));
        }
        for (std::int64_t i = 0; i < p.k; ++i) {
            const std::int64_t e = best_of(ranks, p.experts);
            ranks[e] = minus_infinity;
            y[e] = static_cast<T>(std::log(weights[e] < 1e-20f ? 1e-20f : weights[e]));
        }
    }
    static float sum_of_largest(const params& p, const float* ranks) noexcept {
        float sum = 0, above = std::numeric_limits<float>::infinity();
        const std::int64_t limit = std::min(p.summed, p.size());
        for (std::int64_t summed_count = 0; summed_count < limit;) {  // equals are found together
            float next = minus_infinity;
            std::int64_t count = 0;
            for (std::int64_t e = 0; e < p.size(); ++e) {
                if (ranks[e] != ranks[e]) return ranks[e];
                if (!(ranks[e] < above)) continue;
                if (ranks[e] > next) {
                    next = ranks[e];
                    count = 0;
                }
                count += ranks[e] == next;
            }
            if (count == 0) break;
            for (std::int64_t i = 0; i < std::min(count, limit - summed_count); ++i) sum += next;
            summed_count += count;
            above = next;
        }
        return sum;
    }
};
}  // namespace v1
}  // namespace inlay
