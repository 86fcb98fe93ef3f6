// EyeLike (since 9): a matrix of the input's shape with ones on diagonal k, in the input's type or in `dtype`.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct eye_like : standard {
    static constexpr std::string_view onnx_name = "EyeLike";
    static constexpr version_range versions{9, 22};
    static constexpr std::array constraints{v1::output(0)};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                  std::uint16_t, std::uint32_t, std::uint64_t, bool>;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input(0).dims.rank >= 0 && n.input(0).dims.rank != 2) return no("the input is no matrix");
        return same_shape(n, y);
    }
    static constexpr element output_type(const node_view& n, int) {
        return n.has("dtype") ? element_numbered(n.integer("dtype", 0)) : n.input_type(0);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::eye_like, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, columns, diagonal;
    };
    static constexpr verdict supports(const node_view& n) {
        return n.integer("dtype", std::int64_t(n.input(0).type)) == std::int64_t(n.output(0).type)
                   ? yes()
                   : no("the output's type is not dtype, or the input's");
    }
    static constexpr params prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return {y[0], y[1], std::clamp(n.integer("k", 0), -y[0], y[1])};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        if (p.columns == 0) return status::ok;
        T* y = a.out<T>(0);
        for (std::int64_t row = 0; row < p.rows; ++row)
            for (std::int64_t column = 0; column < p.columns; ++column) *y++ = T(column - row == p.diagonal ? 1 : 0);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
