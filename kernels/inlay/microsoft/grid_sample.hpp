// GridSample of com.microsoft, since 1: ONNX's, of images only.
#pragma once
#include <inlay/onnx/grid_sample.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct microsoft_grid_sample : grid_sample {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements =
        hana::tuple_t<types<float, any_float>, types<double, any_float>, types<float16, any_float>>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.has_input(0) && n.input(0).dims.rank >= 0 && n.input(0).dims.rank != 4)
            return no("X must have four dimensions");
        return grid_sampling::shapes_of(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay
