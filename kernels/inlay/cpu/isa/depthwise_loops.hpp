// A strip of neighbouring output pixels at a time, and all channels of it one vector after another: every stream of
// memory is read in order. Families of window sizes share these loops: Windows::choose(call) selects each family's
// strips, so that a program links only the sizes that it needs.
#pragma once
#include "depthwise_f32.hpp"
#include "hold.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::depthwise {
constexpr int most_pixels = lane_count == 16 ? 7 : 6;  // of a strip
constexpr int registers = lane_count == 16 ? 32 : 16;
struct strip_call {
    const float *x, *weights, *bias, *add;  // x: the image's first pixel in the topmost row that the window sees
    float* y;
    std::int64_t channels, taps_y, taps_x, step_y, step_x, step_pixel,
        weights_y;              // in float32 elements; weights_y: from one row of the window to the next
    std::int64_t start, width;  // of the window in its rows: from pixel `start`, of `width`
    float low, high;
};
using strip_function = void(const strip_call&, std::int64_t first, std::int64_t end) noexcept;

// any: taps_x of them, all inside the image; else a whole row of the window, whose pixels outside are zero
enum class taps { any, inside, at_edge };
// One vector of channels of every pixel of the strip. Windows have `Columns` columns, `Stride` pixels apart, where they
// are not any.
template <int Pixels, taps Where, int Columns, int Stride, class Load, class Store>
INLAY_INLINE void one_vector(const strip_call& s, std::int64_t c, Load load, Store store) {
    const std::int64_t channels = s.channels, taps_y = s.taps_y;
    lanes sum[Pixels];
    const lanes begin = s.bias ? load(s.bias + c) : lanes(0.f);
    INLAY_UNROLL for (int p = 0; p < Pixels; ++p) sum[p] = s.add ? begin + load(s.add + p * channels + c) : begin;
    const float *x = s.x + s.start * channels + c, *w = s.weights + c;
    const std::int64_t low_pixel = -s.start, high_pixel = s.width - s.start;
    for (std::int64_t ky = 0; ky < taps_y; ++ky, x += s.step_y, w += s.weights_y) {
        if constexpr (Where == taps::any) {
            for (std::int64_t kx = 0; kx < s.taps_x; ++kx) {
                const lanes weight = load(w + kx * channels);
                INLAY_UNROLL for (int p = 0; p < Pixels; ++p) sum[p] =
                    fma(load(x + p * s.step_pixel + kx * s.step_x), weight, sum[p]);
            }
        } else {
            constexpr int input_pixels = (Pixels - 1) * Stride + Columns;
            lanes pixel[input_pixels];
            INLAY_UNROLL for (int p = 0; p < input_pixels; ++p) {
                if (Where == taps::inside || (p >= low_pixel && p < high_pixel))
                    pixel[p] = load(x + p * channels);
                else
                    pixel[p] = lanes(0.f);
                if (Stride == 1 && input_pixels + Pixels < registers)
                    pixel[p] = hold(pixel[p]);  // loads are the bottleneck of these loops
            }
            INLAY_UNROLL for (int kx = 0; kx < Columns; ++kx) {
                const lanes weight = load(w + kx * channels);
                INLAY_UNROLL for (int p = 0; p < Pixels; ++p) sum[p] = fma(pixel[p * Stride + kx], weight, sum[p]);
            }
        }
    }
    const lanes low(s.low), high(s.high);
    float* const y = s.y + c;
    INLAY_UNROLL for (int p = 0; p < Pixels; ++p) store(y + p * channels, clipped(sum[p], low, high));
}
template <int Pixels, taps Where, int Columns, int Stride>
[[gnu::noinline]] INLAY_LOCAL void strip(const strip_call& s, std::int64_t first, std::int64_t end) noexcept {
    const auto load = [](const float* p) __attribute__((always_inline)) { return lanes::load_unaligned(p); };
    const auto store = [](float* p, lanes x) __attribute__((always_inline)) { x.store_unaligned(p); };
    for (std::int64_t c = first; c < end;
         c += lane_count)  // the last vector ends with the last channel: some channels are computed twice
        one_vector<Pixels, Where, Columns, Stride>(s, smaller(c, end - lane_count), load, store);
}
[[gnu::noinline]] INLAY_LOCAL void narrow_pixel(const strip_call& s, std::int64_t first,
                                                std::int64_t end) noexcept {  // fewer channels than a vector holds
    const std::int64_t count = end - first;
    one_vector<1, taps::any, 0, 0>(
        s, first, [count](const float* p) { return load_tail(p, count); },
        [count](float* p, lanes x) { store_tail(p, count, x); });
}
template <taps Where, int Columns, int Stride>
INLAY_LOCAL constexpr strip_function* strips[7] = {
    strip<1, Where, Columns, Stride>,          strip<2, Where, Columns, Stride>, strip<3, Where, Columns, Stride>,
    strip<4, Where, Columns, Stride>,          strip<5, Where, Columns, Stride>, strip<6, Where, Columns, Stride>,
    strip<most_pixels, Where, Columns, Stride>};
struct strip_set {
    strip_function *const *inside, *const *at_edge;
};
template <int Columns, int Stride>
INLAY_LOCAL constexpr strip_set set_of{strips<taps::inside, Columns, Stride>, strips<taps::at_edge, Columns, Stride>};

// Windows without specialized code.
INLAY_INLINE strip_set any_window() { return {strips<taps::any, 0, 0>, nullptr}; }

// What the strips of a call share.
INLAY_INLINE strip_call strip_strides(const depthwise_f32_call& d, bool clips) {
    return {nullptr,
            nullptr,
            d.bias,
            nullptr,
            nullptr,
            d.channels,
            0,
            0,
            d.dilation_h * d.width * d.channels,
            d.dilation_w * d.channels,
            d.stride_w * d.channels,
            d.kernel_w * d.channels,
            0,
            d.width,
            clips ? d.post_op.low : -__builtin_inff(),
            clips ? d.post_op.high : __builtin_inff()};
}
// Those taps, of `count` in a row or column, that see the image where the window begins at `start`; else none.
struct tap_range {
    std::int64_t first, end;
};
INLAY_INLINE tap_range taps_inside(std::int64_t start, std::int64_t count, std::int64_t dilation, std::int64_t length) {
    tap_range taps{start < 0 ? (-start + dilation - 1) / dilation : 0, count};
    while (taps.end > taps.first && start + (taps.end - 1) * dilation >= length) --taps.end;
    return taps.end <= taps.first ? tap_range{0, 0} : taps;
}

template <class Windows>
INLAY_LOCAL void run(const depthwise_f32_call& d, std::int64_t row, std::int64_t row_end, std::int64_t channel,
                     std::int64_t channel_end) noexcept {
    const bool clips = d.post_op.kind == activation::clip, narrow = channel_end - channel < lane_count;
    const strip_set set = narrow ? strip_set{} : Windows::choose(d);
    strip_call s = strip_strides(d, clips);
    // Without code for edges, strips end there; each pixel that sees padding is computed alone, from the taps inside.
    const std::int64_t reach = (d.kernel_w - 1) * d.dilation_w + 1, fits = d.width + d.pad_left - reach;
    const std::int64_t left = set.at_edge ? 0 : smaller(d.out_width, (d.pad_left + d.stride_w - 1) / d.stride_w);
    const std::int64_t right = set.at_edge ? d.out_width
                               : narrow    ? left
                                           : larger(left, fits < 0 ? 0 : smaller(d.out_width, fits / d.stride_w + 1));
    const std::int64_t chunks = clips ? 1
                                      : (channel_end - channel + 255) /
                                            256;  // of channels, finished before the activation's second pass over them
    for (std::int64_t oy = row; oy < row_end; ++oy) {
        const std::int64_t top = oy * d.stride_h - d.pad_top;
        const tap_range rows = taps_inside(top, d.kernel_h, d.dilation_h, d.height);
        s.taps_y = rows.end - rows.first;
        s.x = s.taps_y ? d.x + (top + rows.first * d.dilation_h) * d.width * d.channels : d.x;
        for (std::int64_t ox = 0; ox < d.out_width;) {
            s.start = ox * d.stride_w - d.pad_left;
            std::int64_t pixels = 1, kx = 0;
            s.taps_x = d.kernel_w;
            strip_function* f;
            if (ox >= left && ox < right) {
                const std::int64_t total = right - left, turns = (total + most_pixels - 1) / most_pixels,
                                   turn = ((ox - left) * turns + total - 1) / total;
                pixels = total * (turn + 1) / turns - (ox - left);
                const bool inside = s.start >= 0 && s.start + (pixels - 1) * d.stride_w + reach <= d.width;
                f = (inside ? set.inside : set.at_edge)[pixels - 1];
            } else {
                const tap_range columns = taps_inside(s.start, d.kernel_w, d.dilation_w, d.width);
                kx = columns.first;
                s.taps_x = columns.end - kx;
                s.start += kx * d.dilation_w;
                f = narrow ? narrow_pixel : strips<taps::any, 0, 0>[0];
            }
            s.weights = d.weights + (rows.first * d.kernel_w + kx) * d.channels;
            const std::int64_t at = (oy * d.out_width + ox) * d.channels;
            s.y = d.y + at;
            s.add = d.add ? d.add + at : nullptr;
            for (std::int64_t i = 0; i < chunks; ++i) {
                const std::int64_t c = channel + (channel_end - channel) * i / chunks,
                                   end = channel + (channel_end - channel) * (i + 1) / chunks;
                f(s, c, end);
                if (!clips) activate(d.post_op, s.y + c, pixels, end - c, d.channels);
            }
            ox += pixels;
        }
    }
}
}  // namespace INLAY_LEVEL::depthwise
}  // namespace v1
}  // namespace inlay
