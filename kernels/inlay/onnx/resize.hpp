// Resize (since 10), Upsample (7 to 9): y[o] = sum of weight(o, i) * x[i] along each axis: nearest (one element),
// linear or cubic. What the versions up to 10 leave open (x[o / scale], rounded up where it shrinks, else down) is as
// in ONNX's test cases of that time. The scales, where they are given, make the coordinates, not the lengths.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/input_order.hpp>
#include <inlay/support/on_device.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

namespace inlay {
inline namespace v1 {
namespace resizing {
enum class interpolation : std::uint8_t { nearest, linear, cubic };
enum class coordinates : std::uint8_t {
    half_pixel,
    half_pixel_symmetric,
    pytorch_half_pixel,
    asymmetric,
    align_corners,
    crop,
    tf_half_pixel
};
enum class rounding : std::uint8_t { prefer_floor, prefer_ceil, floor, ceil, by_direction };
enum class policy : std::uint8_t { stretch, not_larger, not_smaller };

struct geometry {
    shape x, y, from;  // from: strides of x
    shape axes;        // those that scales, sizes and roi speak of, in their order
    interpolation mode = interpolation::nearest;
    coordinates where = coordinates::half_pixel;
    rounding nearest = rounding::prefer_floor;
    policy keep = policy::stretch;
    element roi_type = element::undefined;
    int roi = -1, scales = -1, sizes = -1;  // inputs
    bool antialias = false, exclude_outside = false;
    bool decided = true;  // which of scales and sizes is empty
    double a = -0.75, extrapolation = 0;
    std::array<double, max_rank> fixed{};  // Upsample 7: scales by attribute, where there is no such input
};
template <class E, std::size_t N>
constexpr bool choose(std::string_view text, const std::string_view (&names)[N], E& e) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == text) {
            e = E(i);
            return true;
        }
    return false;
}
constexpr bool is_empty(const node_view& n, int k) {
    return !n.has_input(k) || (n.input(k).dims.known() && n.input(k).dims.elements() == 0);
}

// What attributes and inputs of Upsample and of Resize 10 say, which round as ONNX's test cases of that time do. These
// functions return what is wrong, if anything is.
constexpr std::string_view read_scales(const node_view& n, geometry& p) {
    p.where = coordinates::asymmetric;
    p.nearest = rounding::by_direction;
    if (n.version() >= 9) {
        if (!n.has_input(1)) return "it needs scales";
        p.scales = 1;
        return {};
    }
    const auto scales = n.reals("scales");
    if (scales.size() > max_rank || (p.x.rank >= 0 && scales.size() != std::size_t(p.x.rank)))
        return "scales do not fit the input";
    std::ranges::copy(scales, p.fixed.begin());
    return {};
}
// Which of the inputs of Resize since 11 are given.
constexpr std::string_view read_inputs(const node_view& n, geometry& p) {
    if (!is_empty(n, 2)) p.scales = 2;
    if (!is_empty(n, 3)) p.sizes = 3;
    if (p.scales >= 0 && p.sizes >= 0 && !(n.input(2).dims.known() && n.input(3).dims.known()))
        p.decided = false;
    else if ((p.scales < 0) == (p.sizes < 0))
        return "it needs either scales or sizes";
    else if (p.scales >= 0 && p.keep != policy::stretch)
        return "keep_aspect_ratio_policy is for sizes, not for scales";
    if (p.where != coordinates::crop) return {};
    if (is_empty(n, 1)) return "tf_crop_and_resize needs the input roi";
    p.roi = 1;
    p.roi_type = n.input(1).type;
    if (p.roi_type != element::f32 && p.roi_type != element::f64 && p.roi_type != element::f16)
        return "roi is of no float type";
    return {};
}
// Resize since 11.
constexpr std::string_view read_all(const node_view& n, geometry& p) {
    constexpr std::string_view roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
                               wheres[] = {"half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",  "asymmetric",
                                           "align_corners", "tf_crop_and_resize",   "tf_half_pixel_for_nn"},
                               policies[] = {"stretch", "not_larger", "not_smaller"};
    if (!choose(n.text("coordinate_transformation_mode", "half_pixel"), wheres, p.where))
        return "unknown coordinate_transformation_mode";
    if (!choose(n.text("nearest_mode", "round_prefer_floor"), roundings, p.nearest)) return "unknown nearest_mode";
    if (!choose(n.text("keep_aspect_ratio_policy", "stretch"), policies, p.keep))
        return "unknown keep_aspect_ratio_policy";
    if (const std::string_view fault = read_inputs(n, p); !fault.empty()) return fault;
    p.antialias = n.integer("antialias", 0) != 0 && p.mode != interpolation::nearest;
    p.exclude_outside = n.integer("exclude_outside", 0) != 0;
    p.a = n.real("cubic_coeff_a", -0.75);
    p.extrapolation = n.real("extrapolation_value", 0);
    return {};
}
// The axes, where the input's rank is known.
constexpr std::string_view read_axes(const node_view& n, geometry& p) {
    const auto listed = n.integers("axes");
    if (listed.size() > std::size_t(p.x.rank)) return "more axes than the input has";
    bool seen[max_rank] = {};
    for (std::int64_t axis : listed) {
        const int i = normal_axis(axis, p.x.rank);
        if (i < 0 || seen[i]) return "an axis is out of range or listed twice";
        seen[i] = true;
        p.axes.push_back(i);
    }
    if (!n.has("axes"))
        for (int i = 0; i < p.x.rank; ++i) p.axes.push_back(i);
    const auto holds = [&](int k, int count) {
        return k < 0 || !n.input(k).dims.known() || n.input(k).dims.elements() == count;
    };
    if (!holds(p.scales, p.axes.rank) || !holds(p.sizes, p.axes.rank) || !holds(p.roi, 2 * p.axes.rank))
        return "scales, sizes or roi do not fit the axes";
    return {};
}
// Everything but input values.
constexpr std::string_view read(const node_view& n, geometry& p) {
    constexpr std::string_view modes[] = {"nearest", "linear", "cubic"};
    p.x = n.input(0).dims;
    if (!choose(n.text("mode", "nearest"), modes, p.mode)) return "unknown mode";
    const std::string_view fault = n.version() <= 10 ? read_scales(n, p) : read_all(n, p);
    if (!fault.empty()) return fault;
    if (p.scales >= 0 && n.input(p.scales).type != element::f32) return "scales are not of type float";
    if (p.sizes >= 0 && n.input(p.sizes).type != element::i64) return "sizes are not of type int64";
    return p.x.rank < 0 ? std::string_view{} : read_axes(n, p);
}
constexpr double whole(double x) { return double(std::int64_t(x)); }  // rounded down, of 0 <= x < 2^62
// The one scale of sizes that keep the aspect ratio.
constexpr double kept_ratio(const geometry& p, const std::int64_t* sizes) {
    double ratio = 0;
    for (int i = 0; i < p.axes.rank; ++i) {
        const double r = double(sizes[i]) / double(p.x[int(p.axes[i])]);
        if (i == 0 || (p.keep == policy::not_larger ? r < ratio : r > ratio)) ratio = r;
    }
    return ratio;
}
inline constexpr double longest = 0x1p31;  // of an axis
// Of each axis in p.axes, where they are known; empty where they are not.
constexpr std::span<const double> known_scales(const node_view& n, const geometry& p) {
    return n.version() < 9 ? n.reals("scales")
           : p.scales >= 0 ? n.input_reals(p.scales).value_or(std::span<const double>{})
                           : std::span<const double>{};
}
constexpr std::span<const std::int64_t> known_sizes(const node_view& n, const geometry& p) {
    return p.sizes >= 0 ? n.input_integers(p.sizes).value_or(std::span<const std::int64_t>{})
                        : std::span<const std::int64_t>{};
}
}  // namespace resizing

namespace op {
struct resize : standard {
    static constexpr std::string_view onnx_name = "Resize";
    static constexpr version_range versions{10, 19};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                  std::uint16_t, std::uint32_t, std::uint64_t, bool, std::string, std::complex<float>,
                  std::complex<double>>;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        using namespace resizing;
        geometry p;
        if (const auto problem = read(n, p); !problem.empty()) return no(problem);
        if (p.x.rank < 0) return yes();
        y[0] = p.x;
        for (std::int64_t axis : p.axes) {
            y[0][int(axis)] = -1;
            if (double(p.x[int(axis)]) >= longest) return no("the input is too large");
        }
        if (!p.decided) return yes();
        const bool sized = p.sizes >= 0, stretch = p.keep == policy::stretch;
        const auto scales = known_scales(n, p);
        const auto sizes = known_sizes(n, p);
        const std::size_t count = sized ? sizes.size() : scales.size();
        if (count == 0) return yes();  // not known
        if (count != std::size_t(p.axes.rank)) return no("scales or sizes do not fit the axes");
        bool known = true;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t length = p.x[int(p.axes[int(i)])];
            known = known && length >= 0;
            if (!sized && !(scales[i] > 0)) return no("a scale is not above 0");
            if (sized && sizes[i] < 0) return no("a size is negative");
            if (sized && length == 0 && (sizes[i] > 0 || !stretch)) return no("nothing to resize: the input is empty");
        }
        const double ratio = sized && known && !stretch ? kept_ratio(p, sizes.data()) : -1;
        double total = 1;
        for (std::size_t i = 0; i < count; ++i) {
            const int axis = int(p.axes[int(i)]);
            const double length = double(p.x[axis]);
            const double d = sized && stretch                  ? double(sizes[i])
                             : length < 0 || (sized && !known) ? -1
                             : length == 0                     ? 0
                             : sized                           ? ratio * length + 0.5
                                                               : length * scales[i];
            if (!(d < longest)) return no("the output is too large");
            y[0][axis] = d < 0 ? -1 : std::int64_t(d);
        }
        for (std::int64_t d : y[0]) total *= d < 0 ? 1 : double(d);
        if (total >= 0x1p48) return no("the output is too large");
        return yes();
    }
};
struct upsample : resize {
    static constexpr std::string_view onnx_name = "Upsample";
    static constexpr version_range versions{7, 9};
};
}  // namespace op

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
    const double i = double(o), target = f.scale * double(length), last = double(length - 1);
    outside = false;
    switch (p.where) {
        case coordinates::half_pixel: return (i + 0.5) / f.scale - 0.5;
        case coordinates::half_pixel_symmetric:
            return double(length) / 2 * (1 - double(resized) / target) + (i + 0.5) / f.scale - 0.5;
        case coordinates::pytorch_half_pixel: return resized > 1 ? (i + 0.5) / f.scale - 0.5 : 0;
        case coordinates::asymmetric: return i / f.scale;
        case coordinates::align_corners: return target == 1 ? 0 : i * last / (target - 1);
        case coordinates::tf_half_pixel: return (i + 0.5) / f.scale;
        case coordinates::crop: break;
    }
    const double at =
        f.start * last + (target == 1 ? (f.end - f.start) * last / 2 : i * (f.end - f.start) * last / (target - 1));
    outside = !(at >= 0 && at <= last);
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

// Types that are only moved: one loop for all of a size.
template <std::size_t Bytes> struct unit { std::byte bytes[Bytes]; };
template <class T>
using movable_unit = std::conditional_t<std::is_same_v<T, std::string>, std::string, unit<sizeof(T)>>;

template <class T> T from_real(double x) noexcept {  // integers: rounded to the nearest, ties to even, and saturated
    if constexpr (std::is_integral_v<T>) {
        constexpr double end = static_cast<double>(std::uint64_t(1) << (std::numeric_limits<T>::digits - 1)) * 2;
        x = std::nearbyint(x);
        return x >= end                                        ? std::numeric_limits<T>::max()
               : x <= double(std::numeric_limits<T>::lowest()) ? std::numeric_limits<T>::lowest()
               : x == x                                        ? static_cast<T>(x)
                                                               : T(0);
    } else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(x);
    else
        return T(x);
}

// Calls f(offset in y, output position) for the positions with flat index [begin, end).
template <class F> void walk(const geometry& p, std::int64_t begin, std::int64_t end, F f) noexcept {
    shape at = shape::of_rank(p.y.rank, 0);
    std::int64_t rest = begin;
    for (int i = p.y.rank - 1; i >= 0; --i) {
        at[i] = rest % p.y[i];
        rest /= p.y[i];
    }
    for (std::int64_t k = begin; k < end; ++k) {
        f(k, at);
        for (int i = p.y.rank - 1; i >= 0 && ++at[i] == p.y[i]; --i) at[i] = 0;
    }
}
template <class T>
void move_nearest(const geometry& p, const axis_table (&t)[max_rank], const void* from, void* to, const void* beyond,
                  std::int64_t begin, std::int64_t end) noexcept {
    walk(p, begin, end, [&](std::int64_t k, const shape& at) {
        std::int64_t offset = 0;
        bool outside = false;
        for (int i = 0; i < p.y.rank; ++i) {
            const std::int64_t first = t[i].first[at[i]];
            if (first == nowhere)
                outside = true;
            else
                offset += first * p.from[i];
        }
        static_cast<T*>(to)[k] = outside ? *static_cast<const T*>(beyond) : static_cast<const T*>(from)[offset];
    });
}
// One output position: where its windows begin, along the axes that have more than one tap.
struct window {
    std::int64_t first, length, stride, taps;
    const double* weights;
};
template <class T> double weigh(const window* w, int count, const T* x) noexcept {
    if (count == 0) return static_cast<double>(static_cast<accumulator<T>>(*x));
    double sum = 0;
    for (std::int64_t k = 0; k < w->taps; ++k) {
        const std::int64_t i = std::min(std::max(w->first + k, std::int64_t(0)), w->length - 1);
        sum += w->weights[k] * weigh(w + 1, count - 1, x + i * w->stride);
    }
    return sum;
}
template <class T>
void weigh_windows(const geometry& p, const axis_table (&t)[max_rank], const T* x, T* y, std::int64_t begin,
                   std::int64_t end) noexcept {
    walk(p, begin, end, [&](std::int64_t k, const shape& at) {
        window windows[max_rank];
        int count = 0;
        std::int64_t offset = 0;
        bool outside = false;
        for (int i = 0; i < p.y.rank; ++i) {
            const std::int64_t first = t[i].first[at[i]];
            outside |= first == nowhere;
            if (t[i].taps > 1)
                windows[count++] = {first, p.x[i], p.from[i], t[i].taps, t[i].weights + at[i] * t[i].taps};
            else if (!outside)
                offset += first * p.from[i];
        }
        y[k] = from_real<T>(outside ? p.extrapolation : weigh(windows, count, x + offset));
    });
}

template <class T> struct plain_kernel : simple_kernel {
    static constexpr bool is_number =
        is_small_float<T> || std::is_floating_point_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>);
    using params = geometry;
    static constexpr verdict supports(const node_view& n) {
        return is_number || n.text("mode", "nearest") == "nearest" ? yes()
                                                                   : no("elements of this type have no weighted mean");
    }
    static constexpr geometry prepare(const node_view& n) {
        geometry p;
        read(n, p);
        p.y = n.output(0).dims;
        p.from = strides_of(p.x, layout::plain);
        return p;
    }
    static constexpr bytes_needed footprint(const geometry& p, isa::level, int) {
        return {0, p.y.elements() > 0 ? table_bytes(p) : 0};
    }
    static status run(const geometry& p, const state&, const arguments& a, context& c) noexcept {
        if (p.y.elements() == 0) return status::ok;
        axis_table t[max_rank];
        if (p.x.elements() == 0 || !fill_tables(p, a, c.scratch, t))
            return c.fail("a scale or a region does not fit the output's shape");
        if (p.mode == interpolation::nearest) {
            T beyond{};
            if constexpr (is_number)
                beyond = from_real<T>(p.extrapolation);
            else if constexpr (!std::is_same_v<T, std::string>)
                beyond = T(p.extrapolation);
            c.split(p.y.elements(), 4096, [&](std::int64_t begin, std::int64_t end, int) noexcept {
                move_nearest<movable_unit<T>>(p, t, a.inputs[0], a.outputs[0], &beyond, begin, end);
            });
        } else if constexpr (is_number) {
            std::int64_t taps = 1;
            for (int i = 0; i < p.y.rank; ++i) taps *= t[i].taps;
            c.split(p.y.elements(), 1024, [&](std::int64_t begin, std::int64_t end, int) noexcept {
                const std::int64_t some = std::max<std::int64_t>(1, stop_check::step / taps);
                for (; begin < end && !c.stopped(); begin += some)
                    weigh_windows(p, t, a.in<T>(0), a.out<T>(0), begin, std::min(begin + some, end));
            });
            if (c.stopped()) return status::stopped;
        }
        return status::ok;
    }
};
}  // namespace resizing

template <class T> struct kernel<op::resize, device::reference, types<T>> : resizing::plain_kernel<T> {};
template <class T> struct kernel<op::upsample, device::reference, types<T>> : resizing::plain_kernel<T> {};
}  // namespace v1
}  // namespace inlay
