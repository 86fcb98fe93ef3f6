// One spatial axis of a window that moves: of a pool or a convolution. Included by ISA translation units: no library
// headers, no symbols of its own.
#pragma once
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct window_axis {
    std::int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, before = 0,
                 after = 0;  // before, after: padding
    // How many taps of window o lie before position `end` of the input: the window's own are [taps(o, 0), taps(o, in)).
    [[gnu::always_inline]] constexpr std::int64_t taps(std::int64_t o, std::int64_t end) const {
        const std::int64_t room = end - (o * stride - before), n = room <= 0       ? 0
                                                                   : dilation == 1 ? room
                                                                                   : (room + dilation - 1) / dilation;
        return n < kernel ? n : kernel;
    }
    [[gnu::always_inline]] constexpr std::int64_t position(std::int64_t o, std::int64_t tap) const {
        return o * stride - before + tap * dilation;
    }
    // By how many of its taps window o is averaged.
    [[gnu::always_inline]] constexpr std::int64_t counted(std::int64_t o, bool padding_too) const {
        return padding_too ? taps(o, in + after) : taps(o, in) - taps(o, 0);
    }
};
}  // namespace v1
}  // namespace inlay
