// AffineGrid (since 20): for each place of a picture of `size`, N x C x [D x] H x W, the place that theta maps it to:
// theta (x, y[, z], 1). Coordinates run from -1 to 1, between the centres of the outermost places (align_corners) or
// between their outer edges. An axis of one place, whose centres are one, has -1.
//
// ONNX's function of the same name fails where N is 1 and there are two axes, and is of opset 20 alone.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct affine_grid : standard {
    static constexpr std::string_view onnx_name = "AffineGrid";
    static constexpr version_range versions{20, 20};
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        const shape &theta = n.input(0).dims, &count = n.input(1).dims;
        if (theta.rank >= 0 && theta.rank != 3) return no("theta is not of rank 3");
        if (n.input(1).type != element::i64) return no("size is not int64");
        if (count.known() && (count.rank != 1 || (count[0] != 4 && count[0] != 5)))
            return no("size is neither four numbers nor five");
        const auto size = n.input_integers(1);
        if (!size || theta.rank < 0) return yes();
        const int axes = int(size->size()) - 2;
        if (axes != 2 && axes != 3) return no("size is neither four numbers nor five");
        const std::array expected{(*size)[0], std::int64_t(axes), std::int64_t(axes + 1)};
        for (int k = 0; k < 3; ++k)
            if (theta[k] >= 0 && theta[k] != expected[std::size_t(k)]) return no("theta does not fit size");
        y[0] = {(*size)[0]};
        for (int k = 0; k < axes; ++k) y[0].push_back((*size)[std::size_t(2 + k)]);
        y[0].push_back(axes);
        for (const std::int64_t d : y[0])
            if (d < 0) return no("a size is negative");
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::affine_grid, device::reference, types<T>> : simple_kernel {
    struct params {
        shape dims;  // of the output
        bool corners;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.output(0).dims, n.integer("align_corners", 0) != 0};
    }
    static double coordinate(const params& p, std::int64_t i, std::int64_t length) {
        if (!p.corners) return double(2 * i + 1) / double(length) - 1;
        return length == 1 ? -1 : 2 * double(i) / double(length - 1) - 1;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const int axes = p.dims.rank - 2;
        const std::int64_t width = p.dims[axes], rows = p.dims.elements(0, axes);  // of all pictures
        c.split(rows, 1 + 1024 / (width + 1), [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end; ++row) {
                double at[4] = {};  // x, y, z, 1
                std::int64_t rest = row;
                for (int k = axes - 1; k > 0; --k) {
                    at[axes - k] = coordinate(p, rest % p.dims[k], p.dims[k]);
                    rest /= p.dims[k];
                }
                at[axes] = 1;
                const T* theta = a.in<T>(0) + rest * axes * (axes + 1);
                T* y = a.out<T>(0) + row * width * axes;
                for (std::int64_t i = 0; i < width; ++i) {
                    at[0] = coordinate(p, i, width);
                    for (int k = 0; k < axes; ++k) {
                        double sum = 0;
                        for (int j = 0; j <= axes; ++j)
                            sum += double(static_cast<accumulator<T>>(theta[k * (axes + 1) + j])) * at[j];
                        *y++ = static_cast<T>(static_cast<accumulator<T>>(sum));
                    }
                }
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
