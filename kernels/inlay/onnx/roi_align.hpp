// RoiAlign (since 10): Y[r, c, i, j] = the mean, or the maximum, of points in bin (i, j) of region r of an image, each
// of them the bilinear mean of four pixels; for the maximum its largest weighted pixel, as in ONNX. The points are
// in a grid of sampling_ratio * sampling_ratio, or as many as the bin has pixels. Since version 16 pixels have their
// centres at 0.5 unless coordinate_transformation_mode says otherwise. MaxRoiPool (1): the maximum of the pixels of
// each bin, which are whole; 0 of none.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace regions {
constexpr verdict shapes_of(const node_view& n, std::int64_t coordinates, std::int64_t height, std::int64_t width,
                            std::span<shape> y) noexcept {
    if (!n.has_input(0) || !n.has_input(1)) return no("X or the regions are missing");
    const shape &x = n.input(0).dims, &r = n.input(1).dims;
    if (x.rank >= 0 && x.rank != 4) return no("X must have four dimensions");
    if (r.rank >= 0 && (r.rank != 2 || (r[1] >= 0 && r[1] != coordinates)))
        return no("the regions must be rows of as many numbers as the operator has for each");
    if (n.input(1).type != n.input(0).type) return no("X and the regions differ in type");
    if (height < 1 || width < 1) return no("the output's height and width must be positive");
    y[0] = {r.rank == 2 ? r[0] : -1, x.rank == 4 ? x[1] : -1, height, width};
    return countable(y[0]) ? yes() : no("the output is too large");
}
}  // namespace regions

struct roi_align {
    static constexpr std::int64_t most_points = 1 << 15;  // along an axis of a bin
    std::int64_t images, channels, height, width, count, out_height, out_width, ratio;
    double scale;
    bool half_pixel, maximum;
    static constexpr roi_align of(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        const bool shifts = n.version() >= 16 && n.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
        return {x[0],
                x[1],
                x[2],
                x[3],
                y[0],
                y[2],
                y[3],
                n.integer("sampling_ratio", 0),
                n.real("spatial_scale", 1),
                shifts,
                n.text("mode", "avg") == "max"};
    }
    // A region in pixels of its image: where it begins, the size of a bin, and how many points that has along the axis.
    template <class A> struct extent {
        A start, bin;
        std::int64_t points;
    };
    // begin, end: of the region along an axis of `bins` bins. False where it is infinite or needs too many points.
    template <class A> bool read(A begin, A end, std::int64_t bins, extent<A>& e) const noexcept {
        const A shift = half_pixel ? A(0.5) : A(0), first = begin * A(scale) - shift;
        A length = end * A(scale) - shift - first;
        if (!half_pixel) length = std::max(length, A(1));
        e.start = first;
        e.bin = length / A(bins);
        if (!std::isfinite(first) || !std::isfinite(length)) return false;
        const A points = ratio > 0 ? A(ratio) : std::ceil(length / A(bins));
        e.points = points > 0 ? points <= A(most_points) ? std::int64_t(points) : -1 : 0;
        return e.points >= 0;
    }
    // One point along an axis: the two pixels and their weights; false: outside.
    template <class A> struct place {
        std::int64_t low, high;
        A of_low, of_high;
    };
    template <class A>
    static bool find(const extent<A>& e, std::int64_t bin, std::int64_t point, std::int64_t length,
                     place<A>& p) noexcept {
        A at = e.start + A(bin) * e.bin + (A(point) + A(0.5)) * e.bin / A(e.points);
        if (!(at >= A(-1) && at <= A(length)) || length == 0) return false;
        at = std::max(at, A(0));
        p.low = std::int64_t(at);
        if (p.low >= length - 1) {
            p.low = p.high = length - 1;
            at = A(p.low);
        } else
            p.high = p.low + 1;
        p.of_high = at - A(p.low);
        p.of_low = 1 - p.of_high;
        return true;
    }
};

namespace op {
struct roi_align : standard {
    static constexpr std::string_view onnx_name = "RoiAlign";
    static constexpr version_range versions{10, 22};
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view mode = n.text("mode", "avg"),
                               corner_mode = n.text("coordinate_transformation_mode", "half_pixel");
        if (mode != "avg" && mode != "max") return no("mode is neither avg nor max");
        if (n.version() >= 16 && corner_mode != "half_pixel" && corner_mode != "output_half_pixel")
            return no("coordinate_transformation_mode is neither half_pixel nor output_half_pixel");
        const std::int64_t ratio = n.integer("sampling_ratio", 0);
        if (ratio < 0 || ratio > v1::roi_align::most_points) return no("sampling_ratio is out of range");
        if (!n.has_input(2)) return no("batch_indices is missing");
        const shape &r = n.has_input(1) ? n.input(1).dims : shape::unknown(), &b = n.input(2).dims;
        if (n.input(2).type != element::i64) return no("batch_indices is not int64");
        if (b.rank >= 0 && b.rank != 1) return no("batch_indices is not a list");
        if (r.rank == 2 && b.rank == 1 && r[0] >= 0 && b[0] >= 0 && r[0] != b[0])
            return no("the regions and batch_indices differ in length");
        return regions::shapes_of(n, 4, n.integer("output_height", 1), n.integer("output_width", 1), y);
    }
};
struct max_roi_pool : standard {
    static constexpr std::string_view onnx_name = "MaxRoiPool";
    static constexpr version_range versions{1, 22};
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const auto pooled = n.integers("pooled_shape");
        if (pooled.size() != 2) return no("pooled_shape must have two numbers");
        return regions::shapes_of(n, 5, pooled[0], pooled[1], y);
    }
};
}  // namespace op

template <class T> struct kernel<op::roi_align, device::reference, types<T>> : simple_kernel {
    using params = roi_align;
    using A = accumulator<T>;
    static constexpr params prepare(const node_view& n) { return roi_align::of(n); }
    static A pooled(const params& p, const T* x, const roi_align::extent<A>& rows, const roi_align::extent<A>& columns,
                    std::int64_t i, std::int64_t j) noexcept {
        A sum = 0;
        bool is_first = true;
        roi_align::place<A> r{}, q{};
        for (std::int64_t k = 0; k < rows.points; ++k)
            for (std::int64_t m = 0; m < columns.points; ++m) {
                A four[4] = {};
                if (roi_align::find(rows, i, k, p.height, r) && roi_align::find(columns, j, m, p.width, q)) {
                    four[0] = r.of_low * q.of_low * static_cast<A>(x[r.low * p.width + q.low]);
                    four[1] = r.of_low * q.of_high * static_cast<A>(x[r.low * p.width + q.high]);
                    four[2] = r.of_high * q.of_low * static_cast<A>(x[r.high * p.width + q.low]);
                    four[3] = r.of_high * q.of_high * static_cast<A>(x[r.high * p.width + q.high]);
                }
                if (p.maximum) {
                    const A most = std::max(std::max(four[0], four[1]), std::max(four[2], four[3]));
                    sum = is_first ? most : std::max(sum, most);
                    is_first = false;
                } else
                    sum += four[0] + four[1] + four[2] + four[3];
            }
        return p.maximum ? sum : sum / static_cast<A>(std::max<std::int64_t>(rows.points * columns.points, 1));
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t plane = p.height * p.width;
        T* y = a.out<T>(0);
        stop_check ends(c);
        for (std::int64_t k = 0; k < p.count; ++k) {
            const T* region = a.in<T>(1) + 4 * k;
            const std::int64_t image = a.in<std::int64_t>(2)[k];
            if (image < 0 || image >= p.images) return c.fail("a batch index is out of range");
            roi_align::extent<A> rows{}, columns{};
            if (!p.read<A>(static_cast<A>(region[0]), static_cast<A>(region[2]), p.out_width, columns) ||
                !p.read<A>(static_cast<A>(region[1]), static_cast<A>(region[3]), p.out_height, rows))
                return c.fail("a region is not finite, or too large");
            const T* x = a.in<T>(0) + image * p.channels * plane;
            const std::int64_t work = 1 + 4 * rows.points * columns.points;
            for (std::int64_t channel = 0; channel < p.channels; ++channel, x += plane)
                for (std::int64_t i = 0; i < p.out_height; ++i)
                    for (std::int64_t j = 0; j < p.out_width; ++j) {
                        if (ends(work)) return c.end_of_run();
                        *y++ = static_cast<T>(pooled(p, x, rows, columns, i, j));
                    }
        }
        return status::ok;
    }
};
template <class T> struct kernel<op::max_roi_pool, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t images, channels, height, width, count, out_height, out_width;
        double scale;
    };
    using A = accumulator<T>;
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        return {x[0], x[1], x[2], x[3], y[0], y[2], y[3], n.real("spatial_scale", 1)};
    }
    struct extent {
        A start = 0, bin = 0;  // multiplied in A, so that the last bin ends where the region does
        // The pixels of a bin, of `length` in all: [first, end).
        std::int64_t first(std::int64_t i, std::int64_t length) const {
            return inside(std::floor(A(i) * bin) + start, length);
        }
        std::int64_t last(std::int64_t i, std::int64_t length) const {
            return inside(std::ceil(A(i + 1) * bin) + start, length);
        }
        static std::int64_t inside(A x, std::int64_t length) {
            return !(x > 0) ? 0 : x < A(length) ? std::int64_t(x) : length;
        }
    };
    static bool read(const params& p, T begin, T end, std::int64_t bins, extent& e) noexcept {
        const A first = std::round(static_cast<A>(begin) * static_cast<A>(p.scale)),
                scaled_end = std::round(static_cast<A>(end) * static_cast<A>(p.scale));
        e.start = first;
        e.bin = std::max<A>(scaled_end - first + 1, 1) / static_cast<A>(bins);
        return std::isfinite(first) && std::isfinite(scaled_end);
    }
    struct bin {  // its pixels; last: not included
        std::int64_t top, bottom, left, right;
        std::int64_t pixels() const {
            return std::max<std::int64_t>(bottom - top, 0) * std::max<std::int64_t>(right - left, 0);
        }
    };
    static T pooled(const params& p, const T* x, const bin& b) noexcept {
        if (b.pixels() == 0) return static_cast<T>(A(0));
        A most = static_cast<A>(x[b.top * p.width + b.left]);
        for (std::int64_t r = b.top; r < b.bottom; ++r)
            for (std::int64_t q = b.left; q < b.right; ++q)
                if (const A value = static_cast<A>(x[r * p.width + q]); value > most || value != value)
                    most = value;  // and NaN stays
        return static_cast<T>(most);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t plane = p.height * p.width, bins = p.out_height * p.out_width;
        T* y = a.out<T>(0);
        stop_check ends(c);
        for (std::int64_t k = 0; k < p.count; ++k) {
            const T* region = a.in<T>(1) + 5 * k;
            const A image = static_cast<A>(region[0]);
            if (!(image >= 0 && image < static_cast<A>(p.images))) return c.fail("a batch index is out of range");
            extent rows, columns;
            if (!read(p, region[1], region[3], p.out_width, columns) ||
                !read(p, region[2], region[4], p.out_height, rows))
                return c.fail("a region is not finite");
            const T* x = a.in<T>(0) + std::int64_t(image) * p.channels * plane;
            for (std::int64_t o = 0; o < bins; ++o) {
                const std::int64_t i = o / p.out_width, j = o % p.out_width;
                const bin b{rows.first(i, p.height), rows.last(i, p.height), columns.first(j, p.width),
                            columns.last(j, p.width)};
                for (std::int64_t channel = 0; channel < p.channels; ++channel) {
                    if (ends(1 + b.pixels())) return c.end_of_run();
                    y[(k * p.channels + channel) * bins + o] = pooled(p, x + channel * plane, b);
                }
            }
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
