// Windows of vectors of channels, each folded by a Fold: for the families of pools.
#pragma once
#include "along.hpp"
#include "pool_call.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::pool_windows {
template <class T> struct window_of {  // taps inside the input, and what is between them
    const T* x;
    std::int64_t frames, rows, columns, frame, row, column;
};
using window = window_of<float>;
// f(x) for the first channel of each tap.
template <class T, class F> INLAY_INLINE void each_tap(const window_of<T>& w, std::int64_t channel, F f) {
    const T* frame = w.x + channel;
    for (std::int64_t t = 0; t < w.frames; ++t, frame += w.frame) {
        const T* row = frame;
        for (std::int64_t i = 0; i < w.rows; ++i, row += w.row) {
            const T* x = row;
            for (std::int64_t j = 0; j < w.columns; ++j, x += w.column) f(x);
        }
    }
}

struct average {
    using exact = average;
    static constexpr bool divides = true;
    lanes sum = lanes(0.f);
    INLAY_STATIC void add(average& s, lanes x) { s.sum += x; }
    INLAY_STATIC bool done(const average&) { return true; }
    INLAY_STATIC lanes result(const average& s, lanes factor) { return s.sum * factor; }
};

// At most as many channels as there are lanes, element by element.
template <class Fold>
INLAY_LOCAL void fold_few(const window& w, std::int64_t channels, lanes factor, float* y) noexcept {
    Fold accumulator;
    each_tap(w, 0, [&](const float* x) INLAY_INLINED { Fold::add(accumulator, load_some(x, channels)); });
    store_some(y, channels, Fold::result(accumulator, factor));
}

template <class Fold, int Lanes> INLAY_INLINE void fold(const window& w, std::int64_t c, lanes factor, float* y) {
    Fold accumulators[Lanes];
    each_tap(w, c, [&](const float* x) INLAY_INLINED {
        _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v)
            Fold::add(accumulators[v], lanes::load_unaligned(x + v * lane_count));
    });
    _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) {
        if (Fold::done(accumulators[v]))
            Fold::result(accumulators[v], factor).store_unaligned(y + c + v * lane_count);
        else
            fold_few<typename Fold::exact>(
                {w.x + c + v * lane_count, w.frames, w.rows, w.columns, w.frame, w.row, w.column}, lane_count, factor,
                y + c + v * lane_count);
    }
}
// f(window, by how many a mean of it is divided, its output) for the rows [first, end) of all frames of all outputs.
template <class T, class F>
INLAY_INLINE void each_window(const pool_call<T>& call, std::int64_t first, std::int64_t end, F f) {
    const window_axis &frames = call.frames, &rows = call.rows, &columns = call.columns;
    const std::int64_t row = columns.in * call.x_pixel, frame = rows.in * row;
    T* y = call.y + first * columns.out * call.y_pixel;
    for (std::int64_t r = first; r < end; ++r) {
        const std::int64_t image = r / (frames.out * rows.out), t = r / rows.out % frames.out, o = r % rows.out;
        const std::int64_t front = frames.taps(t, 0), back = frames.taps(t, frames.in), top = rows.taps(o, 0),
                           bottom = rows.taps(o, rows.in);
        const T* const x =
            call.x + (image * frames.in + frames.position(t, front)) * frame + rows.position(o, top) * row;
        const float height = static_cast<float>(frames.counted(t, call.include_padding)) *
                             static_cast<float>(rows.counted(o, call.include_padding));
        for (std::int64_t p = 0; p < columns.out; ++p, y += call.y_pixel) {
            const std::int64_t left = columns.taps(p, 0), right = columns.taps(p, columns.in);
            f(window_of<T>{x + columns.position(p, left) * call.x_pixel, back - front, bottom - top, right - left,
                           frames.dilation * frame, rows.dilation * row, columns.dilation * call.x_pixel},
              height * static_cast<float>(columns.counted(p, call.include_padding)), y);
        }
    }
}
template <class Fold>
INLAY_LOCAL void pool(const pool_call<float>& call, std::int64_t first, std::int64_t end) noexcept {
    const std::int64_t n = call.channels;
    each_window(call, first, end, [=](const window& w, float counted, float* y) INLAY_INLINED {
        const float count = Fold::divides ? counted : 1;
        const lanes factor(count > 0 ? 1 / count : 0);
        std::int64_t c = 0;
        for (; c + 4 * lane_count <= n; c += 4 * lane_count) fold<Fold, 4>(w, c, factor, y);
        for (; c + lane_count <= n; c += lane_count) fold<Fold, 1>(w, c, factor, y);
        if (c < n && n >= lane_count)
            fold<Fold, 1>(w, n - lane_count, factor, y);  // once more, over channels that are done
        else if (c < n)
            fold_few<typename Fold::exact>(w, n, factor, y);
    });
}
}  // namespace INLAY_LEVEL::pool_windows
}  // namespace v1
}  // namespace inlay
