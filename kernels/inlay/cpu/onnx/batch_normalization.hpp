// BatchNormalization of float32 on the CPU, in any layout: y = a x + b, with a and b per channel computed once if their
// inputs are constants.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/kept_pairs.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/batch_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::batch_normalization, device::cpu, types<float, any_float, any_float>> : batch_normalization_kernel {
    struct params : batch_normalization_params {
        bool channels_last, constant;
        std::int64_t x_pixel;
        bool x_pairs = false, y_pairs = false;  // they are kept as bf16
        constexpr std::int64_t rows_at_once() const { return 1 + 4096 / std::max<std::int64_t>(1, channels); }
        constexpr std::int64_t own_numbers() const { return constant ? 0 : (2 * channels + 15) / 16 * 16; }
    };
    struct state {
        const norm_f32_table* functions;
        const float* packed;
        kept_pairs pairs;
    };
    static constexpr unsigned reads_as_is = 0b11110;            // by load_float
    static constexpr layout_rule layouts(const node_view& n) {  // parameters per element are in ONNX's order
        return op::batch_normalization::is_spatial(n) ? layout_rule{layout::any, layout::any} : layout_rule{};
    }
    static constexpr bool strided(const node_view& n, int argument) {
        return argument == input(0) && op::batch_normalization::is_spatial(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p{batch_normalization_kernel::prepare(n), false, true, n.input_pitch(0)};
        p.x_pairs = n.input_pitch(0) < 0;
        p.y_pairs = n.output_pitch(0) < 0;
        if (p.x_pixel <= 0) p.x_pixel = p.x_pixel == 0 ? p.channels : -p.x_pixel;
        p.channels_last = n.input_layout(0) == layout::channels_last || p.inner == 1;
        for (int k = 1; k < 5; ++k) p.constant &= n.is_constant(k);
        return p;
    }
    static constexpr bool spaced(const node_view&, int argument) {
        return argument == input(0) || argument == output(0);
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        const std::int64_t bytes = 2 * p.channels * std::int64_t(sizeof(float)),
                           rows = needs(p) ? 4 * threads * p.rows_at_once() * p.channels : 0;
        return p.constant ? bytes_needed{bytes, rows} : bytes_needed{0, 4 * p.own_numbers() + rows};
    }
    static constexpr bool needs(const params& p) { return p.x_pairs || p.y_pairs; }
    static void make(const params& p, const void* const* data, float* to) noexcept {
        for (std::int64_t c = 0; c < p.channels; ++c) {
            const double a = load_float<double>(p.scale_type, data[1], c) /
                             std::sqrt(load_float<double>(p.mean_type, data[4], c) + p.epsilon);
            to[c] = static_cast<float>(a);
            to[p.channels + c] = static_cast<float>(load_float<double>(p.scale_type, data[2], c) -
                                                    load_float<double>(p.mean_type, data[3], c) * a);
        }
    }
    template <bool Pairs = true> static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&norm_f32(u.level), nullptr, {}};
        if constexpr (Pairs) s.pairs = kept_pairs::of(u.level);
        if (!p.constant) return status::ok;
        float* to = reinterpret_cast<float*>(u.storage);
        make(p, w.data, to);
        s.packed = to;
        return status::ok;
    }
    template <bool Pairs = true>
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const float *x = args.in<float>(0), *a = s.packed;
        float* y = args.out<float>(0);
        if (!a) {
            float* to = reinterpret_cast<float*>(c.scratch);
            make(p, args.inputs, to);
            a = to;
        }
        const float* b = a + p.channels;
        if (Pairs && needs(p)) {
            scale_pairs(p, s, args, a, b, c);
        } else if (p.channels_last) {
            c.split(p.samples * p.inner, 1 + (1 << 14) / std::max<std::int64_t>(p.channels, 1),
                    [&](std::int64_t first, std::int64_t end, int) {
                        s.functions->scale_shift_rows(x + first * p.x_pixel, p.x_pixel, a, b, y + first * p.channels,
                                                      end - first, p.channels);
                    });
        } else {
            c.split(p.samples * p.channels, 1 + (1 << 14) / std::max<std::int64_t>(p.inner, 1),
                    [&](std::int64_t first, std::int64_t end, int) {
                        for (std::int64_t i = first; i < end; ++i)
                            s.functions->scale_shift(x + i * p.inner, a[i % p.channels], b[i % p.channels],
                                                     y + i * p.inner, p.inner);
                    });
        }
        return status::ok;
    }

  private:
    // Pixels of channels that are kept as bf16, some at a time: as float32, in scratch.
    static void scale_pairs(const params& p, const state& s, const arguments& args, const float* a, const float* b,
                            context& c) noexcept {
        const std::int64_t rows = p.rows_at_once(), n = p.channels;
        float* const room = reinterpret_cast<float*>(c.scratch) + p.own_numbers();
        c.split(p.samples * p.inner, 1 + (1 << 14) / std::max<std::int64_t>(n, 1),
                [&](std::int64_t first, std::int64_t end, int part) {
                    float* const row_buffer = room + part * rows * n;
                    for (std::int64_t i = first, count; i < end; i += count) {
                        count = std::min(rows, end - i);
                        const auto* const pairs = args.in<std::uint16_t>(0) + i * p.x_pixel;
                        for (std::int64_t r = 0; p.x_pairs && r < count; ++r)
                            s.pairs.widen(pairs + r * p.x_pixel, row_buffer + r * n, n);
                        s.functions->scale_shift_rows(p.x_pairs ? row_buffer : args.in<float>(0) + i * p.x_pixel,
                                                      p.x_pairs ? n : p.x_pixel, a, b,
                                                      p.y_pairs ? row_buffer : args.out<float>(0) + i * n, count, n);
                        if (p.y_pairs) s.pairs.round(row_buffer, count * n, args.out<std::uint16_t>(0) + i * n);
                    }
                });
    }
};
}  // namespace v1
}  // namespace inlay
