// RoiAlign of floats on the CPU, in either layout: where the points of each bin are and what they weigh is found once
// for all channels.
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
        const std::int64_t bins = p.out_height * p.out_width, all = rows.points * columns.points;
        if (all == 0) {
            std::fill_n(y, p.channels * bins, 0.f);
            return;
        }
        for (std::int64_t bin = 0; bin < bins; bin += sample_f32_points::outputs) {
            const std::int64_t outputs = std::min(sample_f32_points::outputs, bins - bin);
            for (std::int64_t first = 0; first < all; first += sample_f32_points::most) {
                const std::int64_t count = std::min(sample_f32_points::most, all - first);
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
        c.split(p.count, 1, [&](std::int64_t first, std::int64_t last, int part) noexcept {
            auto& points = *reinterpret_cast<sample_f32_points*>(c.scratch + zeros_bytes(q) + part * points_bytes);
            for (std::int64_t k = first; k < last && !c.stopped() && !problem; ++k) {
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
}  // namespace v1
}  // namespace inlay
