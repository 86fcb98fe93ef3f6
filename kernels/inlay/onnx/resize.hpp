// Resize (since 10), Upsample (7 to 9): y[o] = sum of weight(o, i) * x[i] along each axis: nearest (one element),
// linear or cubic. What the versions up to 10 leave undefined (x[o / scale], rounded up where it shrinks, else down) is
// as in ONNX's test cases of that time. The scales, where they are given, determine the coordinates, not the lengths.
#pragma once
#include <inlay/support/input_order.hpp>
#include <inlay/support/resize_positions.hpp>
#include <inlay/support/stop_check.hpp>
#include <complex>

namespace inlay {
inline namespace v1 {
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
        bool is_known = true;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t length = p.x[int(p.axes[int(i)])];
            is_known = is_known && length >= 0;
            if (!sized && !(scales[i] > 0)) return no("a scale is not above 0");
            if (sized && sizes[i] < 0) return no("a size is negative");
            if (sized && length == 0 && (sizes[i] > 0 || !stretch)) return no("nothing to resize: the input is empty");
        }
        const double ratio = sized && is_known && !stretch ? kept_ratio(p, sizes.data()) : -1;
        double total = 1;
        for (std::size_t i = 0; i < count; ++i) {
            const int axis = int(p.axes[int(i)]);
            const double length = double(p.x[axis]);
            const double d = sized && stretch                     ? double(sizes[i])
                             : length < 0 || (sized && !is_known) ? -1
                             : length == 0                        ? 0
                             : sized
                                 ? ratio * length + 0.5
                                 : double(float(length) * float(scales[i]));  // so do ONNX's inference and its runtime
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
    static constexpr version_range versions{1, 9};
};
}  // namespace op

namespace resizing {
// Types that are only moved: one loop for all of a size.
template <std::size_t Bytes> struct unit { std::byte bytes[Bytes]; };
template <class T>
using movable_unit = std::conditional_t<std::is_same_v<T, std::string>, std::string, unit<sizeof(T)>>;

template <class T> T from_real(double x) noexcept {  // integers: rounded to nearest even, and saturated
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
                const std::int64_t step = std::max<std::int64_t>(1, stop_check::step / taps);
                for (; begin < end && !c.stopped(); begin += step)
                    weigh_windows(p, t, a.in<T>(0), a.out<T>(0), begin, std::min(begin + step, end));
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
