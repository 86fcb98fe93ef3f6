// DynamicTimeWarping (com.microsoft, since 1): of a matrix of costs, [M, N] or [1, M, N], the rows and the columns of
// the cheapest path to the last element, [2, length]. A step goes along both axes where that is cheaper than along
// either, along the rows where that is cheaper than along both or the columns, else along the columns; a path begins
// where such steps lead into its first row or column from outside.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct dynamic_time_warping : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "DynamicTimeWarping";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float>;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank >= 0 && x.rank != 2 && (x.rank != 3 || (x[0] >= 0 && x[0] != 1)))
            return no("the costs must be [rows, columns], or [1, rows, columns]");
        if (x.rank >= 0 && !countable(x)) return no("the input is too large");
        y[0] = {2, -1};
        return yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::i32; }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        const shape& x = n.input(0).dims;
        y[0] = {2, x[x.rank - 2] + x[x.rank - 1]};
    }
};
}  // namespace op

template <> struct kernel<op::dynamic_time_warping, device::reference, types<float>> : simple_kernel {
    struct params {
        std::int64_t rows, columns;
    };
    enum step : std::uint8_t { both, row, column };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[x.rank - 2], x[x.rank - 1]};
    }
    // The costs of two rows, with one element more before them; how each element was reached.
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, 2 * (p.columns + 1) * std::int64_t(sizeof(float)) + p.rows * p.columns};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        auto* trace = reinterpret_cast<step*>(reinterpret_cast<float*>(c.scratch) + 2 * (p.columns + 1));
        if (!walk(p, a.in<float>(0), c, trace)) return c.end_of_run();
        std::int64_t length = 0;
        const auto for_each_step = [&](auto f) {  // of the path, from its end
            std::int64_t i = p.rows, j = p.columns;
            while (i > 0 && j > 0) {
                f(i - 1, j - 1);
                const step s = trace[(i - 1) * p.columns + j - 1];
                i -= s != column;
                j -= s != row;
            }
        };
        for_each_step([&](std::int64_t, std::int64_t) { ++length; });
        auto* y = c.output<std::int32_t>(0, {2, length});
        if (!y && length > 0) return c.fail("no memory for the path", status::out_of_memory);
        std::int64_t k = length;
        for_each_step([&](std::int64_t i, std::int64_t j) {
            --k;
            y[k] = std::int32_t(i);
            y[length + k] = std::int32_t(j);
        });
        return status::ok;
    }

  private:
    static bool walk(const params& p, const float* x, context& c, step* trace) noexcept {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        float *above = reinterpret_cast<float*>(c.scratch), *now = above + p.columns + 1;
        std::fill_n(above, p.columns + 1, infinity);
        above[0] = 0;
        stop_check stops(c);
        for (std::int64_t i = 0; i < p.rows; ++i) {
            if (stops(p.columns)) return false;
            now[0] = infinity;
            for (std::int64_t j = 0; j < p.columns; ++j) {
                const float diagonal = above[j], up = above[j + 1], left = now[j];
                const step s = diagonal < up && diagonal < left ? both : up < diagonal && up < left ? row : column;
                trace[i * p.columns + j] = s;
                now[j + 1] = (s == both ? diagonal : s == row ? up : left) + x[i * p.columns + j];
            }
            std::swap(above, now);
        }
        return true;
    }
};
}  // namespace v1
}  // namespace inlay
