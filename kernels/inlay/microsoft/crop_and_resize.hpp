// CropAndResize (com.microsoft, since 1): Y[r] = the part of image batch_indices[r] within a box, resized to crop_size.
// The first and last pixels of a crop are at the edges of the box, the one of a crop of one in its middle. Boxes are
// y1, x1, y2, x2, from 0 to 1 between the image's first and last pixels; places outside have extrapolation_value.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct crop_and_resize : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "CropAndResize";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, double, float16>;
    static constexpr int required_inputs = 4;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view mode = n.text("mode", "bilinear");
        if (mode != "bilinear" && mode != "nearest") return no("mode is neither bilinear nor nearest");
        for (int k : {0, 1, 2, 3})
            if (!n.has_input(k)) return no("an input is missing");
        const shape &x = n.input(0).dims, &boxes = n.input(1).dims, &images = n.input(2).dims;
        if (n.input(1).type != n.input(0).type) return no("X and the boxes differ in type");
        if (n.input(2).type != element::i32 || n.input(3).type != element::i32)
            return no("batch_indices or crop_size is not int32");
        if (x.rank >= 0 && x.rank != 4) return no("X must have four dimensions");
        if (boxes.rank >= 0 && (boxes.rank != 2 || (boxes[1] >= 0 && boxes[1] != 4)))
            return no("the boxes must be rows of four numbers");
        if (images.rank >= 0 && images.rank != 1) return no("batch_indices is not a list");
        if (boxes.rank == 2 && images.rank == 1 && boxes[0] >= 0 && images[0] >= 0 && boxes[0] != images[0])
            return no("the boxes and batch_indices differ in length");
        y[0] = {boxes.rank == 2 ? boxes[0] : -1, x.rank == 4 ? x[1] : -1, -1, -1};
        if (const auto size = n.input_integers(3)) {
            if (size->size() != 2) return no("crop_size must have two numbers");
            if ((*size)[0] < 1 || (*size)[1] < 1) return no("crop_size must be positive");
            y[0][2] = (*size)[0];
            y[0][3] = (*size)[1];
        }
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::crop_and_resize, device::reference, types<T>> : simple_kernel {
    using A = accumulator<T>;
    struct params {
        std::int64_t images, channels, height, width, count, rows, columns;
        double beyond;
        bool nearest;
    };
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        return {x[0],
                x[1],
                x[2],
                x[3],
                y[0],
                y[2],
                y[3],
                n.real("extrapolation_value", 0),
                n.text("mode", "bilinear") == "nearest"};
    }
    struct place {
        std::int64_t low, high;
        A rest;
    };
    // Where pixel i of `count` between `from` and `to` lies among `length`; false: outside.
    static bool find(A from, A to, std::int64_t i, std::int64_t count, std::int64_t length, bool nearest,
                     place& p) noexcept {
        const A last_index = A(length - 1);
        const A at = count > 1 ? from * last_index + A(i) * ((to - from) * last_index / A(count - 1))
                               : (from + to) / 2 * last_index;
        if (!(at >= 0 && at <= last_index)) return false;
        const A low = nearest ? std::round(at) : std::floor(at);
        p.low = std::min(std::int64_t(low), length - 1);
        p.high = std::min(p.low + (at > low), length - 1);
        p.rest = at - low;
        return true;
    }
    static A value(const params& p, const T* x, const place& r, const place& q) noexcept {
        const auto pixel = [&](std::int64_t i, std::int64_t j) { return static_cast<A>(x[i * p.width + j]); };
        if (p.nearest) return pixel(r.low, q.low);
        const A top = pixel(r.low, q.low) + (pixel(r.low, q.high) - pixel(r.low, q.low)) * q.rest,
                bottom = pixel(r.high, q.low) + (pixel(r.high, q.high) - pixel(r.high, q.low)) * q.rest;
        return top + (bottom - top) * r.rest;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const T* boxes = a.in<T>(1);
        const std::int64_t plane = p.height * p.width, crop = p.rows * p.columns;
        for (std::int64_t k = 0; k < p.count; ++k)
            if (const std::int32_t image = a.in<std::int32_t>(2)[k]; image < 0 || image >= p.images)
                return c.fail("a batch index is out of range");
        const std::int64_t work = 16 + 8 * p.channels;
        c.split(p.count * crop, 1 + 16384 / work, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t i = first; i < end && !ends(work); ++i) {
                const std::int64_t k = i / crop, o = i % crop;
                const T* x = a.in<T>(0) + a.in<std::int32_t>(2)[k] * p.channels * plane;
                T* y = a.out<T>(0) + k * p.channels * crop + o;
                const auto edge = [&](int e) { return static_cast<A>(boxes[4 * k + e]); };
                place r{}, q{};
                const bool in = find(edge(0), edge(2), o / p.columns, p.rows, p.height, p.nearest, r) &&
                                find(edge(1), edge(3), o % p.columns, p.columns, p.width, p.nearest, q);
                for (std::int64_t m = 0; m < p.channels; ++m)
                    y[m * crop] = static_cast<T>(in ? value(p, x + m * plane, r, q) : static_cast<A>(p.beyond));
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
