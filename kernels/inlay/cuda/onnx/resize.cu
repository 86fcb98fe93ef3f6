// Device code of kernels/inlay/cuda/onnx/resize.hpp.
#include "resize.hpp"
#include <inlay/cuda/support/launch.cuh>

namespace inlay {
inline namespace v1 {
namespace resizing {
namespace {
struct places_body {  // rows first, then columns
    geometry p;
    axis_factor rows, columns;
    resize_on_cuda<float>::place* places;
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
        places[i] = {std::int32_t(inside(double(first), length)), std::int32_t(inside(double(first + 1), length)),
                     float(w[0]), float(w[1])};
    }
};
template <int W, bool Linear, class T> struct resize_body {
    using place = resize_on_cuda<float>::place;
    divider depth, out_columns, out_rows;  // depth: in steps of W
    std::int64_t rows, columns;
    const place *row, *column;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t image = i;
        const std::int64_t channel = depth.split(image);
        const place c = column[out_columns.split(image)], r = row[out_rows.split(image)];
        const auto from = [&](std::int32_t v, std::int32_t u) {
            return load_lanes<W>(x + (((image * rows + v) * columns + u) * std::int64_t(depth.by) + channel) * W);
        };
        const lanes<T, W> top_left = from(r.near, c.near);
        if constexpr (Linear) {
            const auto down = [&](std::int32_t u, const lanes<T, W>& top, float(&v)[W]) {
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
            lanes<T, W> values;
            for (int k = 0; k < W; ++k) values.at[k] = narrowed<T>(left[k]);
            store_lanes(y + i * W, values);
        } else
            store_lanes(y + i * W, top_left);
    }
};

struct table_body {  // one position of one axis
    geometry p;
    axis_factor factors[max_rank];
    axis_table tables[max_rank];
    INLAY_ON_DEVICE void operator()(std::int64_t o) const {
        int axis = 0;
        for (; o >= p.y[axis]; ++axis) o -= p.y[axis];
        const axis_factor& f = factors[axis];
        fill_place(p, f, tables[axis], keeps(p, f, axis), half_width(p, f.scale), p.x[axis], p.y[axis], o);
    }
};
template <class T> struct window_body {  // sums as weigh() has them: those of the last axis first
    axis_table tables[max_rank];
    divider y[max_rank];
    std::int64_t length[max_rank], from[max_rank];
    int rank;
    T beyond;
    const T* x;
    T* out;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        window windows[max_rank];
        std::int64_t rest = i, offset = 0, at[max_rank], k[max_rank];
        double sums[max_rank];
        for (int a = rank - 1; a >= 0; --a) at[a] = a > 0 ? y[a].split(rest) : rest;
        int count = 0;
        for (int a = 0; a < rank; ++a) {
            const axis_table& t = tables[a];
            const std::int64_t first = t.first[at[a]];
            if (first == nowhere) {
                out[i] = beyond;
                return;
            }
            if (t.taps == 1) {
                offset += first * from[a];
                continue;
            }
            k[count] = 0;
            sums[count] = 0;
            windows[count++] = {first, length[a], from[a], t.taps, t.weights + at[a] * t.taps};
        }
        for (;;) {
            std::int64_t source = offset;
            for (int w = 0; w < count; ++w)
                source += inside(double(windows[w].first + k[w]), windows[w].length) * windows[w].stride;
            double value = widened(x[source]);
            int w = count - 1;
            for (; w >= 0; --w) {
                sums[w] += windows[w].weights[k[w]] * value;
                if (++k[w] < windows[w].taps) break;
                value = sums[w];
                sums[w] = 0;
                k[w] = 0;
            }
            if (w >= 0) continue;
            out[i] = narrowed<T>(static_cast<computed<T>>(value));
            return;
        }
    }
};
template <class T>
status weigh_windows(const typename resize_on_cuda<T>::params& q, const T* x, T* y, context& c) noexcept {
    const geometry& p = q.p;
    table_body fill{p, {}, {}};
    window_body<T> weigh{{}, {}, {}, {}, p.y.rank, static_cast<T>(float(p.extrapolation)), x, y};
    std::byte* scratch = c.scratch;
    std::int64_t places = 0;
    for (int a = 0; a < p.y.rank; ++a) {
        axis_table& t = fill.tables[a];
        fill.factors[a] = q.factors[a];
        t.first = reinterpret_cast<std::int64_t*>(scratch);
        scratch += p.y[a] * 8;
        if (p.mode != interpolation::nearest) {
            t.weights = reinterpret_cast<double*>(scratch);
            scratch += p.y[a] * 8 * taps_at_most(p, a);
            if (!keeps(p, q.factors[a], a)) t.taps = 2 * half_width(p, q.factors[a].scale);
        }
        weigh.tables[a] = t;
        weigh.y[a] = divider(p.y[a]);
        weigh.length[a] = p.x[a];
        weigh.from[a] = p.from[a];
        places += p.y[a];
    }
    const status s = launch(c, places, fill);
    return s == status::ok ? launch(c, p.y.elements(), weigh) : s;
}
}  // namespace
template <class T>
status resize_on_cuda<T>::run(const params& q, const state&, const arguments& a, context& c) noexcept {
    const geometry& p = q.p;
    if (p.y.elements() == 0) return status::ok;
    if (q.depth == 0) return weigh_windows<T>(q, a.in<T>(0), a.out<T>(0), c);
    auto* places = reinterpret_cast<resize_on_cuda<float>::place*>(c.scratch);
    if (const status s = launch(c, p.y[2] + p.y[3], places_body{p, q.factors[2], q.factors[3], places});
        s != status::ok)
        return s;
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    const auto start = [&]<int W, bool Linear>(std::integral_constant<int, W>, std::bool_constant<Linear>) noexcept {
        return launch(c, p.y.elements() / W,
                      resize_body<W, Linear, T>{divider(q.depth / W), divider(p.y[3]), divider(p.y[2]), p.x[2], p.x[3],
                                                places, places + p.y[2], x, y});
    };
    constexpr int w = full_lanes<T>;
    const bool wide = q.depth % w == 0 && is_aligned(x, y), linear = p.mode == interpolation::linear;
    if (wide)
        return linear ? start(std::integral_constant<int, w>{}, std::true_type{})
                      : start(std::integral_constant<int, w>{}, std::false_type{});
    return linear ? start(std::integral_constant<int, 1>{}, std::true_type{})
                  : start(std::integral_constant<int, 1>{}, std::false_type{});
}
template struct resize_on_cuda<float>;
template struct resize_on_cuda<float16>;
template struct resize_on_cuda<bfloat16>;
}  // namespace resizing
}  // namespace v1
}  // namespace inlay
