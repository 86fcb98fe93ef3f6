// What the threads of kernels/cuda/resize.hpp do.
#include "launch.cuh"
#include "resize.hpp"

namespace inlay::inline v1 {
namespace resizing {
namespace {
struct places_body {  // rows first, then columns
    geometry p;
    axis_factor rows, columns;
    image_on_cuda<float>::place* places;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const int axis = i < p.y[2] ? 2 : 3;
        const axis_factor& f = axis == 2 ? rows : columns;
        const std::int64_t o = axis == 2 ? i : i - p.y[2], length = p.x[axis], resized = p.y[axis];
        bool outside = false;
        const bool same = f.scale == 1 && length == resized;
        const double at = same ? double(o) : source(p, f, o, length, resized, outside);
        if (p.mode == interpolation::nearest || same) {
            const auto k = std::int32_t(same ? o : nearest(p, at, f.scale, length));
            places[i] = {k, -1, 1, 0};
            return;
        }
        double w[2];
        const std::int64_t first = fill_weights(p, at, f.scale, 1, length, w);
        places[i] = {std::int32_t(inside(double(first), length)), std::int32_t(inside(double(first + 1), length)), float(w[0]), float(w[1])};
    }
};
template <int W, bool Linear, class T> struct resize_body {
    using place = image_on_cuda<float>::place;
    divider depth, out_columns, out_rows;  // depth: in steps of W
    std::int64_t rows, columns;
    const place *row, *column;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t image = i;
        const std::int64_t channel = depth.split(image);
        const place c = column[out_columns.split(image)], r = row[out_rows.split(image)];
        const auto from = [&](std::int32_t v, std::int32_t u) { return load_lanes<W>(x + (((image * rows + v) * columns + u) * std::int64_t(depth.by) + channel) * W); };
        const lanes<T, W> top_left = from(r.near, c.near);
        if constexpr (Linear) {
            const auto down = [&](std::int32_t u, const lanes<T, W>& top, float (&v)[W]) {
                for (int k = 0; k < W; ++k) v[k] = widened(top.at[k]);
                if (r.far < 0) return;
                const lanes<T, W> below = from(r.far, u);
                for (int k = 0; k < W; ++k) v[k] = r.a * v[k] + r.b * widened(below.at[k]);
            };
            float left[W], right[W];
            down(c.near, top_left, left);
            if (c.far >= 0) {
                down(c.far, from(r.near, c.far), right);
                for (int k = 0; k < W; ++k) left[k] = c.a * left[k] + c.b * right[k];
            }
            lanes<T, W> all;
            for (int k = 0; k < W; ++k) all.at[k] = narrowed<T>(left[k]);
            store_lanes(y + i * W, all);
        } else store_lanes(y + i * W, top_left);
    }
};
}  // namespace
template <class T> status image_on_cuda<T>::run(const params& q, const state&, const arguments& a, context& c) noexcept {
    const geometry& p = q.p;
    if (p.y.elements() == 0) return status::ok;
    auto* places = reinterpret_cast<image_on_cuda<float>::place*>(c.scratch);
    if (const status s = launch(c, p.y[2] + p.y[3], places_body{p, q.rows, q.columns, places}); s != status::ok) return s;
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    const auto start = [&]<int W, bool Linear>(std::integral_constant<int, W>, std::bool_constant<Linear>) noexcept {
        return launch(c, p.y.elements() / W, resize_body<W, Linear, T>{divider(q.depth / W), divider(p.y[3]), divider(p.y[2]), p.x[2], p.x[3], places, places + p.y[2], x, y});
    };
    constexpr int w = full_lanes<T>;
    const bool wide = q.depth % w == 0 && aligned(x, y), linear = p.mode == interpolation::linear;
    if (wide) return linear ? start(std::integral_constant<int, w>{}, std::true_type{}) : start(std::integral_constant<int, w>{}, std::false_type{});
    return linear ? start(std::integral_constant<int, 1>{}, std::true_type{}) : start(std::integral_constant<int, 1>{}, std::false_type{});
}
template struct image_on_cuda<float>;
template struct image_on_cuda<float16>;
template struct image_on_cuda<bfloat16>;
}  // namespace resizing
}  // namespace inlay::inline v1
