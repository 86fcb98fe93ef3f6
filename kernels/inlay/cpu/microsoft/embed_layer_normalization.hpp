// EmbedLayerNormalization on the CPU: the sum of a row's embeddings, normalized while it is in the cache. Of fp16 only
// the looked-up rows are widened.
#pragma once
#include <inlay/cpu/isa/half_f32.hpp>
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/microsoft/embed_layer_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct embed_layer_normalization_kernel : simple_kernel {
    using plain = kernel<op::embed_layer_normalization, device::reference, types<T>>;
    using params = embedding_params;
    static constexpr bool half = !std::is_same_v<T, float>;
    struct state {
        const norm_f32_table* norm;
        const half_f32_table::format* format;  // of T, where it is not float32
    };
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    // Of a part, in rows of float32: three embeddings, gamma, beta, the sum, the result.
    static constexpr std::int64_t row(const params& p) { return (p.width + 15) / 16 * 16; }
    static constexpr std::int64_t room(const params& p) { return half ? 7 * row(p) : 0; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, 4 * threads * room(p)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.norm = &norm_f32(u.level);
        if constexpr (half) s.format = &half_f32(u.level).float16;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (const status result = plain::check(p, a, c); result != status::ok) return result;
        c.split(p.batches * p.length, 8192 / p.width + 1, [&](std::int64_t first, std::int64_t end, int part) {
            float* const scratch = reinterpret_cast<float*>(c.scratch) + part * room(p);
            const auto floats = [&](const T* x, int place) -> const float* {
                if constexpr (half) {
                    float* const to = scratch + place * row(p);
                    s.format->widen(reinterpret_cast<const std::uint16_t*>(x), to, p.width);
                    return to;
                } else
                    return x;
            };
            const float *const gamma = floats(a.in<T>(5), 3), *const beta = floats(a.in<T>(6), 4);
            for (std::int64_t i = first; i < end && !c.stopped(); ++i) {
                T *const y = a.out<T>(0) + i * p.width, *const sums = p.has.template out<T>(a, 2);
                float *sum = scratch + 5 * row(p), *result = scratch + 6 * row(p);
                if constexpr (!half) {
                    result = y;
                    sum = sums ? sums + i * p.width : y;
                }
                s.norm->add(floats(a.in<T>(2) + a.in<std::int32_t>(0)[i] * p.width, 0),
                            floats(a.in<T>(3) + plain::place(p, a, i) * p.width, 1),
                            p.has.has_in(1) ? floats(a.in<T>(4) + a.in<std::int32_t>(1)[i] * p.width, 2) : nullptr, sum,
                            p.width);
                s.norm->layer_norm({sum, gamma, beta, result, nullptr, nullptr, p.width, p.epsilon}, 0, 1);
                if constexpr (half) {
                    s.format->narrow(result, reinterpret_cast<std::uint16_t*>(y), p.width);
                    if (sums) s.format->narrow(sum, reinterpret_cast<std::uint16_t*>(sums + i * p.width), p.width);
                }
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
template <>
struct kernel<op::embed_layer_normalization, device::cpu, types<float>> : embed_layer_normalization_kernel<float> {};
template <>
struct kernel<op::embed_layer_normalization, device::cpu, types<float16>> : embed_layer_normalization_kernel<float16> {
};
}  // namespace v1
}  // namespace inlay
