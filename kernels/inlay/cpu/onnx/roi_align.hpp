// RoiAlign of float32 on the CPU, in either layout: where the points of each bin are and what they weigh is found once
// for all channels. MaxRoiPool of float32: of a row of bins first the largest pixel of each column.
#pragma once
#include <inlay/cpu/isa/sample_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/roi_align.hpp>
#include <inlay/support/input_order.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::roi_align, device::cpu, types<float>> : simple_kernel {
    struct params {
        roi_align r;
        bool channels_last;
    };
    struct state {
        const sample_f32_table* functions;
    };
    using extent = roi_align::extent<float>;
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static constexpr verdict supports(const node_view& n) {
        return n.input(0).dims.elements(2) <= std::numeric_limits<std::int32_t>::max()
                   ? yes()
                   : no("the fast kernel takes images of less than 2^31 pixels");
    }
    static constexpr params prepare(const node_view& n) {
        const auto r = roi_align::of(n);
        return {r, n.input_layout(0) == layout::channels_last && r.channels > 1};
    }
    static constexpr std::int64_t points_bytes = (sizeof(sample_f32_points) + 63) / 64 * 64;
    static constexpr std::int64_t zeros_bytes(const params& p) {
        return p.channels_last ? (4 * p.r.channels + 63) / 64 * 64 : 0;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, zeros_bytes(p) + threads * points_bytes};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &sample_f32(u.level);
        return status::ok;
    }
    // Points [first, first + count) of outputs [bin, bin + outputs).
    static void find(const params& q, const extent& rows, const extent& columns, std::int64_t bin, std::int64_t outputs,
                     std::int64_t first, std::int64_t count, sample_f32_points& to) noexcept {
        const roi_align& p = q.r;
        const float share = p.maximum ? 1.f : 1.f / static_cast<float>(rows.points * columns.points);
        roi_align::place<float> r{}, c{};
        for (std::int64_t s = 0; s < count; ++s)
            for (std::int64_t i = 0; i < outputs; ++i) {
                const std::int64_t o = bin + i, point = first + s;
                const bool in = roi_align::find(rows, o / p.out_width, point / columns.points, p.height, r) &&
                                roi_align::find(columns, o % p.out_width, point % columns.points, p.width, c);
                for (int k = 0; k < 4; ++k) {
                    to.pixel[s][k][i] =
                        in ? std::int32_t((k < 2 ? r.low : r.high) * p.width + (k % 2 ? c.high : c.low)) : -1;
                    to.weight[s][k][i] =
                        in ? (k < 2 ? r.of_low : r.of_high) * (k % 2 ? c.of_high : c.of_low) * share : 0;
                }
            }
        constexpr std::int64_t vector = 16;  // what is read beyond the last one
        for (std::int64_t s = 0; s < count; ++s)
            for (int k = 0; k < 4; ++k)
                for (std::int64_t i = outputs; i % vector != 0; ++i) {
                    to.pixel[s][k][i] = 0;
                    to.weight[s][k][i] = 0;
                }
    }
    static void align(const params& q, const state& s, const float* x, float* y, const extent& rows,
                      const extent& columns, sample_f32_points& points, const float* zeros) noexcept {
        const roi_align& p = q.r;
        const std::int64_t bins = p.out_height * p.out_width, samples = rows.points * columns.points;
        if (samples == 0) {
            std::fill_n(y, p.channels * bins, 0.f);
            return;
        }
        for (std::int64_t bin = 0; bin < bins; bin += sample_f32_points::outputs) {
            const std::int64_t outputs = std::min(sample_f32_points::outputs, bins - bin);
            for (std::int64_t first = 0; first < samples; first += sample_f32_points::most) {
                const std::int64_t count = std::min(sample_f32_points::most, samples - first);
                find(q, rows, columns, bin, outputs, first, count, points);
                s.functions->region({x, zeros, y + bin * (q.channels_last ? p.channels : 1), p.height * p.width,
                                     p.channels, bins, outputs, count, q.channels_last, p.maximum, first > 0},
                                    points);
            }
        }
    }
    static status run(const params& q, const state& s, const arguments& a, context& c) noexcept {
        const roi_align& p = q.r;
        auto* const zeros = reinterpret_cast<float*>(c.scratch);
        if (q.channels_last) std::fill_n(zeros, p.channels, 0.f);
        std::atomic<const char*> problem = nullptr;
        c.split(p.count, 1, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            auto& points = *reinterpret_cast<sample_f32_points*>(c.scratch + zeros_bytes(q) + part * points_bytes);
            for (std::int64_t k = first; k < end && !c.stopped() && !problem; ++k) {
                const float* region = a.in<float>(1) + 4 * k;
                const std::int64_t image = a.in<std::int64_t>(2)[k];
                extent rows{}, columns{};
                if (image < 0 || image >= p.images)
                    problem = "a batch index is out of range";
                else if (!p.read(region[0], region[2], p.out_width, columns) ||
                         !p.read(region[1], region[3], p.out_height, rows))
                    problem = "a region is not finite, or too large";
                else
                    align(q, s, a.in<float>(0) + image * p.channels * p.height * p.width,
                          a.out<float>(0) + k * p.channels * p.out_height * p.out_width, rows, columns, points, zeros);
            }
        });
        if (problem) return c.fail(problem.load());
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};

template <> struct kernel<op::max_roi_pool, device::cpu, types<float>> : simple_kernel {
    using plain = kernel<op::max_roi_pool, device::reference, types<float>>;
    using params = plain::params;
    struct span {
        std::int64_t first, end;
    };
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    // Of a part: the spans of rows and columns of bins, the largest pixel of each column of the image.
    static constexpr std::int64_t spans_bytes(const params& p) {
        return std::int64_t(sizeof(span)) * (p.out_height + p.out_width);
    }
    static constexpr std::int64_t room(const params& p) { return (spans_bytes(p) + 4 * p.width + 63) / 64 * 64; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) { return {0, threads * room(p)}; }
    static void pool(const params& p, const float* x, float* y, const span* rows, const span* columns,
                     float* most) noexcept {
        const auto larger = [](float a, float b) { return b > a || b != b ? b : a; };  // NaN stays
        for (std::int64_t i = 0; i < p.out_height; ++i, y += p.out_width) {
            const auto [top, bottom] = rows[i];
            const std::int64_t left = columns[0].first, right = columns[p.out_width - 1].end;
            for (std::int64_t r = top; r < bottom; ++r) {
                const float* const row = x + r * p.width;
                if (r == top)
                    std::copy(row + left, row + std::max(left, right), most + left);
                else
                    for (std::int64_t q = left; q < right; ++q) most[q] = larger(most[q], row[q]);
            }
            for (std::int64_t j = 0; j < p.out_width; ++j) {
                const auto [first, end] = columns[j];
                float maximum = top < bottom && first < end ? most[first] : 0;
                for (std::int64_t q = first + 1; q < end && top < bottom; ++q) maximum = larger(maximum, most[q]);
                y[j] = maximum;
            }
        }
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t plane = p.height * p.width, bins = p.out_height * p.out_width;
        std::atomic<const char*> problem = nullptr;
        c.split(p.count, 1, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            auto* const rows = reinterpret_cast<span*>(c.scratch + part * room(p));
            auto* const columns = rows + p.out_height;
            auto* const most = reinterpret_cast<float*>(columns + p.out_width);
            for (std::int64_t k = first; k < end && !problem; ++k) {
                const float* const region = a.in<float>(1) + 5 * k;
                plain::extent down, across;
                if (!(region[0] >= 0 && region[0] < float(p.images))) {
                    problem = "a batch index is out of range";
                    return;
                }
                if (!plain::read(p, region[1], region[3], p.out_width, across) ||
                    !plain::read(p, region[2], region[4], p.out_height, down)) {
                    problem = "a region is not finite";
                    return;
                }
                for (std::int64_t i = 0; i < p.out_height; ++i)
                    rows[i] = {down.first(i, p.height), down.last(i, p.height)};
                for (std::int64_t j = 0; j < p.out_width; ++j)
                    columns[j] = {across.first(j, p.width), across.last(j, p.width)};
                const float* const x = a.in<float>(0) + std::int64_t(region[0]) * p.channels * plane;
                for (std::int64_t channel = 0; channel < p.channels && !c.stopped(); ++channel)
                    pool(p, x + channel * plane, a.out<float>(0) + (k * p.channels + channel) * bins, rows, columns,
                         most);
            }
        });
        if (problem) return c.fail(problem.load());
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
