// GridSample (since 16): Y[n, c, o] = X[n, c] at the place grid[n, o], which counts from -1 to 1 along each spatial
// axis, the last axis first. It is the nearest element, or the weighted mean of 2 (linear) or 4 (cubic, a = -0.75)
// along each axis. Places outside are zero, those of the border, or reflected by it. Integers are truncated towards
// zero. A coordinate that is no number is outside; with other padding than zeros it is the first element's.
// Cubic weights beyond the border are those of the place itself, of elements that are the border's, as in PyTorch and
// ONNX Runtime; the reference evaluator of ONNX moves the place to the border first. And GridSample of com.microsoft
// (1), of images.
#pragma once
#include "batch_normalization.hpp"
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <inlay/support/truncate.hpp>
#include <cmath>
#include <complex>

namespace inlay {
inline namespace v1 {
namespace grid_sampling {
enum class method : std::uint8_t { nearest, linear, cubic };
enum class padding : std::uint8_t { zeros, border, reflection };
inline constexpr int most_axes = max_rank - 2;

struct geometry {
    shape lengths, steps;  // of X's spatial axes; elements from one position to the next
    std::int64_t batch = 0, channels = 0, size = 0, places = 0;  // size, places: elements of an image of X and of Y
    int axes = 0;
    method interpolation = method::linear;
    padding beyond = padding::zeros;
    bool corners = false;  // -1 and 1 are the centres of the first and last elements, not their outer edges
    element grid = element::f32;
    constexpr verdict read_attributes(const node_view& n) {
        const std::string_view mode = n.text("mode", "linear"), pad = n.text("padding_mode", "zeros");
        if (mode == "nearest")
            interpolation = method::nearest;
        else if (mode == "cubic" || mode == "bicubic")
            interpolation = method::cubic;
        else if (mode != "linear" && mode != "bilinear")
            return no("mode is none of nearest, linear, cubic");
        if (pad == "border")
            beyond = padding::border;
        else if (pad == "reflection")
            beyond = padding::reflection;
        else if (pad != "zeros")
            return no("padding_mode is none of zeros, border, reflection");
        corners = n.integer("align_corners", 0) != 0;
        return yes();
    }
    constexpr void read_shapes(const node_view& n) {  // which are known
        const shape &x = n.input(0).dims, &g = n.input(1).dims;
        axes = x.rank - 2;
        const shape strides = strides_of(x, layout::plain);
        for (int i = 2; i < x.rank; ++i) {
            lengths.push_back(x[i]);
            steps.push_back(strides[i]);
        }
        batch = x[0];
        channels = x[1];
        size = x.elements(2);
        places = g.elements(1, g.rank - 1);
        grid = n.input(1).type;
    }
};

// The position of an output along an axis, its elements and their weights; index -1: padding.
struct taps {
    int count = 1;
    std::int64_t index[4];
    double weight[4];
};
template <class A> A reflected(A x, A low, A high) noexcept {  // until it is between them
    const A range = high - low;
    if (x < low || x > high) {
        const A way = x < low ? low - x : x - high, times = std::floor(way / range), rest = way - times * range;
        x = (x < low) != (std::fmod(times, A(2)) != 0) ? low + rest : high - rest;
    }
    return x >= low && x <= high ? x : low;  // where the range is empty, or x is no finite number
}
inline std::int64_t index_of(const geometry& g, std::int64_t i, std::int64_t length) noexcept {
    if (i >= 0 && i < length) return i;
    if (g.beyond == padding::zeros || length == 0) return -1;
    if (g.beyond == padding::border) return i < 0 ? 0 : length - 1;
    const std::int64_t period = g.corners ? 2 * (length - 1) : 2 * length;
    if (period == 0) return 0;
    i = (i % period + period) % period;
    return i < length ? i : 2 * length - (g.corners ? 2 : 1) - i;
}
// The coordinate in elements, with padding applied. Far outside positions are clamped to a few elements outside.
template <class A> A position(const geometry& g, A normal, std::int64_t length) noexcept {
    A x = g.corners ? (normal + 1) / 2 * A(length - 1) : ((normal + 1) * A(length) - 1) / 2;
    if (g.interpolation == method::nearest) x = std::nearbyint(x);
    const A low = g.corners ? A(0) : A(-0.5), high = g.corners ? A(length - 1) : A(length) - A(0.5);
    if (g.beyond == padding::zeros || (g.beyond == padding::border && g.interpolation == method::cubic))
        return x >= A(-8) ? std::min(x, A(length + 8)) : A(-8);
    if (g.beyond == padding::reflection) return reflected(x, low, high);
    if (x >= low && x <= high) return x;
    return x > high ? A(length - 1) : A(0);
}
template <class A> void fill_taps(const geometry& g, A normal, std::int64_t length, taps& t) noexcept {
    const A x = position(g, normal, length), below = std::floor(x);
    const double r = double(x - below), a = -0.75;
    const std::int64_t first = std::int64_t(below);
    const auto outer = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    const auto inner = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    switch (g.interpolation) {
        case method::nearest: t = {1, {index_of(g, first, length)}, {1}}; break;
        case method::linear: t = {2, {index_of(g, first, length), index_of(g, first + 1, length)}, {1 - r, r}}; break;
        case method::cubic:
            t = {4,
                 {index_of(g, first - 1, length), index_of(g, first, length), index_of(g, first + 1, length),
                  index_of(g, first + 2, length)},
                 {outer(r + 1), inner(r), inner(1 - r), outer(2 - r)}};
            break;
    }
}
// The taps of all axes of one output; its coordinates are those of row `place` of the grid.
inline void fill_place(const geometry& g, const arguments& a, std::int64_t place, taps (&t)[most_axes]) noexcept {
    for (int i = 0; i < g.axes; ++i) {
        const std::int64_t at = place * g.axes + g.axes - 1 - i, length = g.lengths[i];
        if (g.grid == element::f64)
            fill_taps(g, a.in<double>(1)[at], length, t[i]);
        else if (g.grid == element::f32)
            fill_taps(g, a.in<float>(1)[at], length, t[i]);
        else if (g.grid == element::f16)
            fill_taps(g, float(a.in<float16>(1)[at]), length, t[i]);
        else
            fill_taps(g, float(a.in<bfloat16>(1)[at]), length, t[i]);
    }
}
constexpr verdict shapes_of(const node_view& n, std::span<shape> y) noexcept {
    geometry g;
    if (const verdict v = g.read_attributes(n); !v) return v;
    if (!n.has_input(0) || !n.has_input(1)) return no("X or the grid is missing");
    const shape &x = n.input(0).dims, &grid = n.input(1).dims;
    const shape& dims = x.rank >= 0 ? x : grid;
    if (dims.rank < 0) return yes();
    if (dims.rank < 3) return no("X has no spatial axis");
    if (x.rank >= 0 && grid.rank >= 0 && x.rank != grid.rank) return no("X and the grid differ in rank");
    const auto differ = [](std::int64_t a, std::int64_t b) { return a >= 0 && b >= 0 && a != b; };
    if (x.rank >= 0 && grid.rank >= 0 && differ(x[0], grid[0])) return no("X and the grid differ in batches");
    if (grid.rank >= 0 && differ(grid[grid.rank - 1], grid.rank - 2))
        return no("the grid has another number of coordinates than X has spatial axes");
    y[0] = shape::of_rank(dims.rank, -1);
    y[0][0] = x.rank >= 0 && x[0] >= 0 ? x[0] : grid.rank >= 0 ? grid[0] : -1;
    if (x.rank >= 0) y[0][1] = x[1];
    for (int i = 2; i < dims.rank; ++i)
        if (grid.rank >= 0) y[0][i] = grid[i - 1];
    for (int i = 2; i < x.rank; ++i)
        if (x[i] >= std::int64_t(1) << 40) return no("X is too large");
    return countable(y[0]) ? yes() : no("the output is too large");
}
}  // namespace grid_sampling

namespace op {
struct grid_sample : standard {
    static constexpr std::string_view onnx_name = "GridSample";
    static constexpr version_range versions{16, 22};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements =
        hana::tuple_t<types<float, any_float>, types<double, any_float>, types<float16, any_float>,
                      types<bfloat16, any_float>, types<std::int8_t, any_float>, types<std::int16_t, any_float>,
                      types<std::int32_t, any_float>, types<std::int64_t, any_float>, types<std::uint8_t, any_float>,
                      types<std::uint16_t, any_float>, types<std::uint32_t, any_float>, types<std::uint64_t, any_float>,
                      types<bool, any_float>, types<std::string, any_float>, types<std::complex<float>, any_float>,
                      types<std::complex<double>, any_float>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        return grid_sampling::shapes_of(n, y);
    }
};
struct microsoft_grid_sample : grid_sample {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements =
        hana::tuple_t<types<float, any_float>, types<double, any_float>, types<float16, any_float>>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.has_input(0) && n.input(0).dims.rank >= 0 && n.input(0).dims.rank != 4)
            return no("X must have four dimensions");
        return grid_sampling::shapes_of(n, y);
    }
};
}  // namespace op

template <class T> struct grid_sample_kernel : simple_kernel {
    using params = grid_sampling::geometry;
    static constexpr bool is_complex =
        std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
    static constexpr bool is_number = floating<T> || is_complex || (std::is_integral_v<T> && !std::is_same_v<T, bool>);
    using sum_type = std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, std::string>, double,
                                        std::conditional_t<is_complex, T, accumulator<T>>>;
    static constexpr verdict supports(const node_view& n) {
        return is_number || n.text("mode", "linear") == "nearest" ? yes()
                                                                  : no("elements of this type have no weighted mean");
    }
    static constexpr params prepare(const node_view& n) {
        params g;
        (void)g.read_attributes(n);
        g.read_shapes(n);
        return g;
    }
    static sum_type weigh(const params& g, const grid_sampling::taps* t, int axis, const T* x) noexcept {
        if (axis == g.axes) return static_cast<sum_type>(*x);
        sum_type sum{};
        for (int k = 0; k < t[axis].count; ++k)
            if (t[axis].index[k] >= 0)
                sum += scaled(t[axis].weight[k], weigh(g, t, axis + 1, x + t[axis].index[k] * g.steps[axis]));
        return sum;
    }
    static T at(const params& g, const grid_sampling::taps* t, const T* x) noexcept {
        if (g.interpolation == grid_sampling::method::nearest) {
            for (int i = 0; i < g.axes; ++i) {
                if (t[i].index[0] < 0) return T{};
                x += t[i].index[0] * g.steps[i];
            }
            return *x;
        }
        if constexpr (is_number) {
            const sum_type sum = weigh(g, t, 0, x);
            if constexpr (std::is_integral_v<T>)
                return truncate<T>(sum);
            else
                return static_cast<T>(sum);
        } else
            return T{};
    }
    static status run(const params& g, const state&, const arguments& a, context& c) noexcept {
        std::int64_t work = std::max<std::int64_t>(g.channels, 1);
        for (int i = 0; i < g.axes; ++i) work *= 1 << int(g.interpolation);
        work += 16 * g.axes;
        c.split(g.batch * g.places, 1 + 16384 / work, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            grid_sampling::taps t[grid_sampling::most_axes];
            for (std::int64_t place = first; place < end && !ends(work); ++place) {
                grid_sampling::fill_place(g, a, place, t);
                const std::int64_t n = place / g.places, o = place % g.places;
                const T* x = a.in<T>(0) + n * g.channels * g.size;
                T* y = a.out<T>(0) + n * g.channels * g.places + o;
                for (std::int64_t k = 0; k < g.channels; ++k) y[k * g.places] = at(g, t, x + k * g.size);
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }

  private:
    static sum_type scaled(double weight, sum_type x) noexcept {
        if constexpr (is_complex)
            return static_cast<typename T::value_type>(weight) * x;
        else
            return static_cast<sum_type>(weight) * x;
    }
};
template <std::derived_from<op::grid_sample> Op, class T>
struct kernel<Op, device::reference, types<T, any_float>> : grid_sample_kernel<T> {};
}  // namespace v1
}  // namespace inlay
