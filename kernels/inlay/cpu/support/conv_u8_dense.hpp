// Convolution of 8-bit integers on the CPU as GEMM of words: rows of pixels, read in place if their bytes are words,
// else copied, with the padding that they meet, a block that fits the cache at a time.
#pragma once
#include "conv_u8.hpp"

namespace inlay {
inline namespace v1 {
struct conv_u8_dense {
    static void run(const conv_u8_params& p, const conv_u8_state& s, const conv_u8_arguments& a, context& c) noexcept {
        over_blocks(p, s.level, a, p.group, gemm_f32_panels(s.level, p.columns()), c,
                    [&](const conv_u8_region& r, float* scratch) { multiply(p, s, a, r, scratch, c); });
    }

  private:
    static void multiply(const conv_u8_params& p, const conv_u8_state& s, const conv_u8_arguments& a,
                         const conv_u8_region& r, float* scratch, const context& c) noexcept {
        const isa::level l = s.level;
        const std::int64_t n = p.columns(), channel = r.group * n, at = r.at(p);
        gemm_f32_call call = rows_of(p, s, a, r, scratch);
        call.b = {s.weights + r.group * p.packed(l)};
        call.n = n;
        call.bias = reinterpret_cast<const float*>(a.start + channel);
        float* const apart = scratch + p.copy_room(l);
        gemm_codes codes = a.codes;
        if (p.linear) {
            codes.y += at;
            codes.scales += channel;
            call.codes = &codes;
            call.y = apart + p.row_room(l);
            call.y_row = n;
        } else {
            call.y = reinterpret_cast<float*>(a.sums + at);
            call.y_row = p.out_channels;
        }
        if (s.shifted) shift(s, r, s.zeros + channel, apart, call);
        multiply_part(*s.table, l, call, {0, r.rows, 0, call.inner, r.panel, r.panel_end}, c);
    }
    // Writes -t sum(x) to the output, to which the GEMM is then added.
    static void shift(const conv_u8_state& s, const conv_u8_region& r, const std::int32_t* zeros, float* row_sums,
                      gemm_f32_call& call) noexcept {
        gemm_f32_call ones = call;
        ones.b = {s.ones};
        ones.n = 1;
        ones.bias = nullptr;
        ones.codes = nullptr;
        ones.y = row_sums;
        ones.y_row = 1;
        s.table->run(ones, {0, r.rows, 0, call.inner, 0, 1});
        const auto* const sums = reinterpret_cast<const std::int32_t*>(row_sums);
        const std::int64_t width = gemm_f32_width(s.level), first = r.panel * width,
                           count = std::min(r.panel_end * width, call.n) - first;
        for (std::int64_t i = 0; i < r.rows * call.inner; ++i)
            s.table->correct(count, 0, zeros + first, sums[i], zeros + first,
                             reinterpret_cast<std::int32_t*>(call.y + i * call.y_row + first));
        call.add = call.y;
        call.add_row = call.y_row;
    }
    // The GEMM's rows: what the pixels see of the group's channels.
    static gemm_f32_call rows_of(const conv_u8_params& p, const conv_u8_state& s, const conv_u8_arguments& a,
                                 const conv_u8_region& r, float* scratch) noexcept {
        const isa::level l = s.level;
        const std::int64_t channels = p.channels / p.group, pixel_bytes = p.plain_input ? 1 : p.channels,
                           channel_bytes = p.plain_input ? p.height * p.width : 1;
        const std::uint8_t* const x =
            a.x + r.image * p.height * p.width * p.channels + r.group * channels * channel_bytes;
        gemm_f32_call call = plain_product(scratch, 0, r.width(), p.words(l), {}, 0, nullptr, 0);
        const auto step = [&](std::int64_t pixel, std::int64_t line, std::int64_t step_h, std::int64_t step_w) {
            call.a_outer = step_h * line;
            call.a_row = step_w * pixel;
            call.step_y = p.dilation_h * line;
            call.step_x = p.dilation_w * pixel;
        };
        if (lies_in_words(p, s, x)) {
            const std::int64_t at = (r.row * p.stride_h * p.width + r.column * p.stride_w) * p.channels;
            call.a = reinterpret_cast<const float*>(x + at);
            step(p.channels / 4, p.width * p.channels / 4, p.stride_h, p.stride_w);
            return call;
        }
        const std::int64_t pixel = p.pixel(l), line = p.seen(r.width()) * pixel;
        const std::uint32_t padding = a.padding * (gemm_u8s8_group(l) == 4 ? 0x01010101u : 0x00010001u);
        over_seen(
            p, r,
            [&](std::int64_t i, std::int64_t first, std::int64_t count) {
                std::fill_n(reinterpret_cast<std::uint32_t*>(scratch + i * line + first * pixel), count * pixel,
                            padding);
            },
            [&](std::int64_t i, std::int64_t first, std::int64_t row, std::int64_t column, std::int64_t count) {
                s.table->copy_pixels(
                    {x + (row * p.width + column) * pixel_bytes, pixel_bytes * (p.samples() ? p.stride_w : 1),
                     channel_bytes, count, channels, p.x_flip, pixel},
                    scratch + i * line + first * pixel);
            });
        step(pixel, line, p.step_h(), p.step_w());
        return call;
    }
    static bool lies_in_words(const conv_u8_params& p, const conv_u8_state& s, const std::uint8_t* x) noexcept {
        return gemm_u8s8_group(s.level) == 4 && p.x_flip == 0 && !p.plain_input && p.channels / p.group % 4 == 0 &&
               !p.padded() && reinterpret_cast<std::uintptr_t>(x) % 4 == 0;
    }
};
}  // namespace v1
}  // namespace inlay
