// Where each output of a Resize lies in the input, and with which weights: the same on every device.
#pragma once
#include "on_device.hpp"
#include "resize_geometry.hpp"
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace resizing {
struct axis_factor {
    double scale = 1, start = 0, end = 1;
};
inline double roi_value(const arguments& a, const geometry& p, int i) noexcept {
    return p.roi_type == element::f64   ? a.in<double>(p.roi)[i]
           : p.roi_type == element::f16 ? double(float(a.in<float16>(p.roi)[i]))
                                        : double(a.in<float>(p.roi)[i]);
}
inline bool read_factors(const geometry& p, const arguments& a, axis_factor (&f)[max_rank]) noexcept {
    const double ratio = p.keep != policy::stretch ? kept_ratio(p, a.in<std::int64_t>(p.sizes)) : 0;
    for (int i = 0; i < p.axes.rank; ++i) {
        axis_factor& axis = f[p.axes[i]];
        const double length = double(p.x[int(p.axes[i])]);
        axis.scale = p.scales < 0 && p.sizes < 0 ? p.fixed[std::size_t(i)]
                     : p.scales >= 0             ? double(a.in<float>(p.scales)[i])
                     : p.keep != policy::stretch ? ratio
                                                 : double(a.in<std::int64_t>(p.sizes)[i]) / length;
        if (p.roi >= 0) {
            axis.start = roi_value(a, p, i);
            axis.end = roi_value(a, p, i + p.axes.rank);
        }
        if (!(axis.scale > 0 && axis.scale < longest) || !std::isfinite(axis.start) || !std::isfinite(axis.end))
            return false;
    }
    return true;
}

// Where output o lies in the input; `outside` where tf_crop_and_resize puts the extrapolation value.
INLAY_ON_DEVICE inline double source(const geometry& p, const axis_factor& f, std::int64_t o, std::int64_t length,
                                     std::int64_t resized, bool& outside) noexcept {
    const double i = double(o), target = f.scale * double(length), limit = double(length - 1);
    outside = false;
    switch (p.transformation) {
        case coordinates::half_pixel: return (i + 0.5) / f.scale - 0.5;
        case coordinates::half_pixel_symmetric:
            return double(length) / 2 * (1 - double(resized) / target) + (i + 0.5) / f.scale - 0.5;
        case coordinates::pytorch_half_pixel: return resized > 1 ? (i + 0.5) / f.scale - 0.5 : 0;
        case coordinates::asymmetric: return i / f.scale;
        case coordinates::align_corners: return target == 1 ? 0 : i * limit / (target - 1);
        case coordinates::tf_half_pixel: return (i + 0.5) / f.scale;
        case coordinates::crop: break;
    }
    const double at =
        f.start * limit + (target == 1 ? (f.end - f.start) * limit / 2 : i * (f.end - f.start) * limit / (target - 1));
    outside = !(at >= 0 && at <= limit);
    return at;
}
INLAY_ON_DEVICE inline std::int64_t inside(double i, std::int64_t length) noexcept {
    return !(i > 0) ? 0 : i > double(length - 1) ? length - 1 : std::int64_t(i);
}
INLAY_ON_DEVICE inline std::int64_t nearest(const geometry& p, double at, double scale, std::int64_t length) noexcept {
    const double below = std::floor(at), rest = at - below;
    bool up = false;
    switch (p.nearest) {
        case rounding::prefer_floor: up = rest > 0.5; break;
        case rounding::prefer_ceil: up = rest >= 0.5; break;
        case rounding::floor: break;
        case rounding::ceil: up = rest > 0; break;
        case rounding::by_direction: up = scale < 1 && rest > 0; break;
    }
    return inside(below + up, length);
}

// The weights of one output position: those of input positions first, first + 1, ... (clamped to the input).
constexpr std::int64_t half_width(const geometry& p, double scale) {  // of the window that they span
    const int reach = p.mode == interpolation::cubic ? 2 : 1;
    if (!p.antialias || scale >= 1) return reach;
    const double w = reach / scale;
    return w < longest ? std::int64_t(w) + (whole(w) < w) : std::int64_t(longest);
}
INLAY_ON_DEVICE inline double weight(const geometry& p, double distance) noexcept {
    const double x = std::abs(distance), a = p.a;
    if (p.mode == interpolation::linear) return x < 1 ? 1 - x : 0;
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}
INLAY_ON_DEVICE inline std::int64_t fill_weights(const geometry& p, double at, double scale, std::int64_t half,
                                                 std::int64_t length, double* w) noexcept {
    at = std::min(std::max(at, -double(longest)), double(longest));
    const double below = std::ceil(at) - 1, squeeze = p.antialias ? std::min(scale, 1.0) : 1.0;
    const std::int64_t first = std::int64_t(below) - half + 1;
    double sum = 0;
    for (std::int64_t k = 0; k < 2 * half; ++k) {
        const bool left_out = p.exclude_outside && (first + k < 0 || first + k >= length);
        w[k] = left_out ? 0 : weight(p, (double(first + k) - at) * squeeze);
        sum += w[k];
    }
    if (p.antialias || p.exclude_outside)
        for (std::int64_t k = 0; k < 2 * half; ++k) w[k] /= sum;
    return first;
}

// Tables in scratch: per resized axis, for each output position its first input position and its weights.
struct axis_table {
    std::int64_t* first = nullptr;  // -1 is a position too; extrapolated ones are `nowhere`
    double* weights = nullptr;
    std::int64_t taps = 1;
};
inline constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min();
constexpr double smallest_scale(const geometry& p, int axis) {  // that can give this output length
    return (double(p.y[axis]) - 0.5) / double(p.x[axis]);
}
constexpr bool is_resized(const geometry& p, int axis) {
    for (std::int64_t i : p.axes)
        if (i == axis) return true;
    return false;
}
constexpr std::int64_t taps_at_most(const geometry& p, int axis) {
    if (p.mode == interpolation::nearest || !is_resized(p, axis) || p.y[axis] < 1) return 1;
    return 2 * half_width(p, smallest_scale(p, axis));
}
constexpr std::int64_t table_bytes(const geometry& p) {
    std::int64_t bytes = 0;
    for (int i = 0; i < p.y.rank; ++i)
        bytes += p.y[i] * 8 * (1 + (p.mode == interpolation::nearest ? 0 : taps_at_most(p, i)));
    return bytes;
}
INLAY_ON_DEVICE inline void fill_place(const geometry& p, const axis_factor& f, const axis_table& t, bool same,
                                       std::int64_t half, std::int64_t length, std::int64_t resized,
                                       std::int64_t o) noexcept {
    bool outside = false;
    const double at = same ? double(o) : source(p, f, o, length, resized, outside);
    if (outside)
        t.first[o] = nowhere;
    else if (p.mode == interpolation::nearest)
        t.first[o] = same ? o : nearest(p, at, f.scale, length);
    else if (same) {
        t.first[o] = o;
        t.weights[o] = 1;
    } else
        t.first[o] = fill_weights(p, at, f.scale, half, length, t.weights + o * t.taps);
}
constexpr bool keeps(
    const geometry& p, const axis_factor& f,
    int axis) {  // a whole axis that keeps its length keeps its elements: also where the formulas would divide by zero
    return !is_resized(p, axis) || (f.scale == 1 && p.x[axis] == p.y[axis] && f.start == 0 && f.end == 1);
}
inline bool fill_tables(const geometry& p, const arguments& a, std::byte* scratch, axis_table (&t)[max_rank]) noexcept {
    axis_factor f[max_rank];
    if (!read_factors(p, a, f)) return false;
    for (int i = 0; i < p.y.rank; ++i) {
        const std::int64_t length = p.x[i], resized = p.y[i];
        t[i].first = reinterpret_cast<std::int64_t*>(scratch);
        scratch += resized * 8;
        if (p.mode != interpolation::nearest) {
            t[i].weights = reinterpret_cast<double*>(scratch);
            scratch += resized * 8 * taps_at_most(p, i);
        }
        const bool same = keeps(p, f[i], i);
        const std::int64_t half = half_width(p, f[i].scale);
        t[i].taps = same || p.mode == interpolation::nearest ? 1 : 2 * half;
        if (t[i].taps > taps_at_most(p, i)) return false;
        for (std::int64_t o = 0; o < resized; ++o) fill_place(p, f[i], t[i], same, half, length, resized, o);
    }
    return true;
}
}  // namespace resizing
}  // namespace v1
}  // namespace inlay
