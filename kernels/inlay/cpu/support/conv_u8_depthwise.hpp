// Depthwise convolution of 8-bit integers on the CPU: of a copy of some rows with their padding.
#pragma once
#include "conv_u8.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
struct conv_u8_depthwise {
    // Packs weights less t, in fours where they fit bytes, else in pairs; sums: of each channel. Returns whether in
    // fours.
    static bool pack(const conv_u8_params& p, isa::level l, const std::uint8_t* w, const std::int32_t* zeros,
                     std::int32_t* to, std::int32_t* sums) noexcept {
        const std::int64_t taps = p.taps();
        const auto number = [&](std::int64_t c, std::int64_t t) {
            return static_cast<std::int8_t>(w[c * taps + t] ^ p.w_flip) - zeros[c];
        };
        bool fours = p.in_fours(l);
        for (std::int64_t c = 0; c < p.channels; ++c) {
            std::uint32_t sum = 0;
            for (std::int64_t t = 0; t < taps; ++t) {
                sum += static_cast<std::uint32_t>(number(c, t));
                fours &= number(c, t) == static_cast<std::int8_t>(number(c, t));
            }
            sums[c] = static_cast<std::int32_t>(sum);
        }
        const std::int64_t rows = fours ? 4 : 2, bits = 32 / rows, mask = (std::int64_t(1) << bits) - 1,
                           padded_channels =
                               fours ? depthwise_u8_wide_channels(p.channels) : depthwise_u8_channels(p.channels);
        std::fill_n(to, p.weights(l), 0);
        for (std::int64_t c = 0; c < p.channels; ++c)
            for (std::int64_t t = 0; t < taps; ++t) {
                const std::int64_t y = t / p.kernel_w, line = y / rows * p.kernel_w + t % p.kernel_w;
                std::int32_t& word = to[line * padded_channels + (fours ? depthwise_u8_place(c) : c)];
                const auto part = static_cast<std::uint32_t>(number(c, t) & mask) << (y % rows * bits);
                word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) | part);
            }
        return fours;
    }
    static void run(const conv_u8_params& p, const conv_u8_state& s, const conv_u8_arguments& a, context& c) noexcept {
        over_blocks(p, s.level, a, 1, 1, c, [&](const conv_u8_region& r, float* scratch) {
            run_region(p, s, a, r, reinterpret_cast<std::uint8_t*>(scratch));
        });
    }

  private:
    static void run_region(const conv_u8_params& p, const conv_u8_state& s, const conv_u8_arguments& a,
                           const conv_u8_region& r, std::uint8_t* scratch) noexcept {
        const std::int64_t line = p.seen(r.width()) * p.channels, step = p.samples() ? p.stride_w : 1;
        const std::uint8_t* const x = a.x + r.image * p.height * p.width * p.channels;
        over_seen(
            p, r,
            [&](std::int64_t i, std::int64_t first, std::int64_t count) {
                std::memset(scratch + i * line + first * p.channels, a.padding, std::size_t(count * p.channels));
            },
            [&](std::int64_t i, std::int64_t first, std::int64_t from, std::int64_t column, std::int64_t count) {
                const std::uint8_t* const pixels = x + (from * p.width + column) * p.channels;
                std::uint8_t* const to = scratch + i * line + first * p.channels;
                if (step == 1)
                    copy(pixels, count * p.channels, p.x_flip, to);
                else
                    for (std::int64_t j = 0; j < count; ++j)
                        copy(pixels + j * step * p.channels, p.channels, p.x_flip, to + j * p.channels);
            });
        std::memset(scratch + p.seen_lines(r.rows) * line, 0, 16);
        gemm_codes codes = a.codes;
        if (p.linear) codes.y += r.at(p);
        const auto run = s.fours ? s.depthwise->run_fours : s.depthwise->run;
        run({scratch, line, p.channels, p.kernel_h, p.kernel_w, p.step_h(), p.step_w(), p.dilation_h, p.dilation_w,
             reinterpret_cast<const std::int32_t*>(s.weights), a.start, r.rows, r.width(),
             p.linear ? nullptr : a.sums + r.at(p), codes});
    }
    static void copy(const std::uint8_t* from, std::int64_t n, std::uint8_t flip, std::uint8_t* to) noexcept {
        if (flip == 0)
            std::memcpy(to, from, std::size_t(n));
        else
            for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::uint8_t>(from[i] ^ flip);
    }
};
}  // namespace v1
}  // namespace inlay
