// Windows of vectors of channels, and what a Fold makes of one: for the families of pools.
#pragma once
#include "along.hpp"
#include "pool_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::pool_windows {
struct window {  // taps inside the input, and what is between them
    const float* x;
    std::int64_t frames, rows, columns, frame, row, column;
};

struct average {
    using exact = average;
    static constexpr bool divides = true;
    lanes sum = lanes(0.f);
    INLAY_STATIC void add(average& s, lanes x) { s.sum += x; }
    INLAY_STATIC bool done(const average&) { return true; }
    INLAY_STATIC lanes result(const average& s, lanes factor) { return s.sum * factor; }
};

// At most as many channels as there are lanes, without haste.
template <class Fold>
INLAY_LOCAL void fold_few(const window& w, std::int64_t channels, lanes factor, float* y) noexcept {
    Fold all;
    for (std::int64_t t = 0; t < w.frames; ++t)
        for (std::int64_t i = 0; i < w.rows; ++i)
            for (std::int64_t j = 0; j < w.columns; ++j)
                Fold::add(all, load_some(w.x + t * w.frame + i * w.row + j * w.column, channels));
    store_some(y, channels, Fold::result(all, factor));
}

template <class Fold, int Lanes> INLAY_INLINE void fold(const window& w, std::int64_t c, lanes factor, float* y) {
    Fold all[Lanes];
    const float* frame = w.x + c;
    for (std::int64_t t = 0; t < w.frames; ++t, frame += w.frame) {
        const float* row = frame;
        for (std::int64_t i = 0; i < w.rows; ++i, row += w.row) {
            const float* x = row;
            for (std::int64_t j = 0; j < w.columns; ++j, x += w.column)
                _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v)
                    Fold::add(all[v], lanes::load_unaligned(x + v * lane_count));
        }
    }
    _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) {
        if (Fold::done(all[v]))
            Fold::result(all[v], factor).store_unaligned(y + c + v * lane_count);
        else
            fold_few<typename Fold::exact>(
                {w.x + c + v * lane_count, w.frames, w.rows, w.columns, w.frame, w.row, w.column}, lane_count, factor,
                y + c + v * lane_count);
    }
}
template <class Fold> INLAY_LOCAL void pool(const pool_f32_call& call, std::int64_t first, std::int64_t last) noexcept {
    const window_axis &frames = call.frames, &rows = call.rows, &columns = call.columns;
    const std::int64_t n = call.channels, row = columns.in * call.x_pixel, frame = rows.in * row;
    float* y = call.y + first * columns.out * call.y_pixel;
    for (std::int64_t r = first; r < last; ++r) {
        const std::int64_t image = r / (frames.out * rows.out), t = r / rows.out % frames.out, o = r % rows.out;
        const std::int64_t front = frames.taps(t, 0), back = frames.taps(t, frames.in), top = rows.taps(o, 0),
                           bottom = rows.taps(o, rows.in);
        const float* const x =
            call.x + (image * frames.in + frames.position(t, front)) * frame + rows.position(o, top) * row;
        const float height = static_cast<float>(frames.counted(t, call.include_padding)) *
                             static_cast<float>(rows.counted(o, call.include_padding));
        for (std::int64_t p = 0; p < columns.out; ++p, y += call.y_pixel) {
            const std::int64_t left = columns.taps(p, 0), right = columns.taps(p, columns.in);
            const window w{x + columns.position(p, left) * call.x_pixel,
                           back - front,
                           bottom - top,
                           right - left,
                           frames.dilation * frame,
                           rows.dilation * row,
                           columns.dilation * call.x_pixel};
            const float count =
                Fold::divides ? height * static_cast<float>(columns.counted(p, call.include_padding)) : 1;
            const lanes factor(count > 0 ? 1 / count : 0);
            std::int64_t c = 0;
            for (; c + 4 * lane_count <= n; c += 4 * lane_count) fold<Fold, 4>(w, c, factor, y);
            for (; c + lane_count <= n; c += lane_count) fold<Fold, 1>(w, c, factor, y);
            if (c < n && n >= lane_count)
                fold<Fold, 1>(w, n - lane_count, factor, y);  // once more, over channels that are done
            else if (c < n)
                fold_few<typename Fold::exact>(w, n, factor, y);
        }
    }
}
}  // namespace INLAY_LEVEL::pool_windows
}  // namespace v1
}  // namespace inlay
