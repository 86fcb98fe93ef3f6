// GemmaRotaryEmbedding (com.microsoft, since 1): for q and k: x * cos(emb) + x_rot * sin(emb), the cosines and sines
// rounded to fp16, as are the products; emb is the same for all heads. Inputs: emb, [batch, rows, size], of
// float32; q, q_rot, k, k_rot, [batch, heads, rows, size].
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/presence.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct gemma_rotary_embedding : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "GemmaRotaryEmbedding";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements = hana::tuple_t<types<float, float16>>;
    static constexpr int required_inputs = 5;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 5) return no("there must be five inputs");
        for (int k = 0; k < 5; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        for (int k = 0; k < 5; ++k)
            if (!n.input(k).dims.known()) return yes();
        const shape& e = n.input(0).dims;
        for (int k : {1, 3}) {
            const shape& x = n.input(k).dims;
            if (e.rank != 3 || x.rank != 4 || x != shape{e[0], x[1], e[1], e[2]} || x != n.input(k + 1).dims)
                return no("q and k must be [batch, heads, rows, size], and emb [batch, rows, size]");
            if (std::size_t(k / 2) < y.size()) y[std::size_t(k / 2)] = x;
        }
        return yes();
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(1); }
};
}  // namespace op

template <> struct kernel<op::gemma_rotary_embedding, device::reference, types<float, float16>> : simple_kernel {
    struct params {
        std::int64_t batches, inner, heads[2];  // inner: rows * size
        presence has;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {2, 3, 4})
            if (n.input(k).type != n.input(1).type) return no("q and k must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& e = n.input(0).dims;
        return {e[0], e[1] * e[2], {n.input(1).dims[1], n.input(3).dims[1]}, presence(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto rounded = [](double x) { return static_cast<float16>(float(x)); };
        c.split(p.batches * p.inner, 256, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const std::int64_t b = i / p.inner, d = i % p.inner;
                const double angle = double(a.in<float>(0)[i]);
                const float cosine = static_cast<float>(rounded(std::cos(angle))),
                            sine = static_cast<float>(rounded(std::sin(angle)));
                for (int k : {0, 1})
                    for (std::int64_t h = 0; h < p.heads[k] && p.has.has_out(k); ++h) {
                        const std::int64_t at = (b * p.heads[k] + h) * p.inner + d;
                        const float x = static_cast<float>(
                                        rounded(static_cast<float>(a.in<float16>(1 + 2 * k)[at]) * cosine)),
                                    turned = static_cast<float>(
                                        rounded(static_cast<float>(a.in<float16>(2 + 2 * k)[at]) * sine));
                        a.out<float16>(k)[at] = rounded(x + turned);
                    }
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
