// CumSum (since 11) and CumProd (since 26): the sums, or products, of the elements up to each, along the axis that
// input 1 names; without the element itself if `exclusive`, from the end if `reverse`. Integers wrap around.
#pragma once
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct cum_sum : standard {
    static constexpr std::string_view onnx_name = "CumSum";
    static constexpr version_range versions{11, 14};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape &x = n.input(0).dims, &axis = n.input(1).dims;
        if (n.input(1).type != element::i32 && n.input(1).type != element::i64)
            return no("the axis is neither int32 nor int64");
        if (axis.known() && axis.elements() != 1) return no("the axis is not one number");
        if (const auto number = n.input_integers(1); number && x.rank >= 0 && normal_axis((*number)[0], x.rank) < 0)
            return no("axis is out of range");
        return same_shape(n, y);
    }
};
struct cum_prod : cum_sum {
    static constexpr std::string_view onnx_name = "CumProd";
    static constexpr version_range versions{26, 26};
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct cum_sum_params {
    shape dims;
    bool long_axis, exclusive, reverse;  // long_axis: it is int64
    static constexpr cum_sum_params of(const node_view& n) {
        return {n.input(0).dims, n.input(1).type == element::i64, n.integer("exclusive", 0) != 0,
                n.integer("reverse", 0) != 0};
    }
};
template <class T, bool Product> struct cumulating_kernel : simple_kernel {
    using params = cum_sum_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const int axis = normal_axis(p.long_axis ? *a.in<std::int64_t>(1) : *a.in<std::int32_t>(1), p.dims.rank);
        if (axis < 0) return c.fail("axis is out of range");
        const std::int64_t length = p.dims[axis], inner = p.dims.elements(axis + 1), count = p.dims.elements();
        if (count == 0) return status::ok;
        // Neighbouring sums together, so that memory is read in its order.
        const std::int64_t width = std::min(inner, most), blocks = (inner + width - 1) / width;
        c.split(count / (length * inner) * blocks, 1 + (1 << 14) / (length * width),
                [&](std::int64_t first, std::int64_t end, int) noexcept {
                    for (std::int64_t block = first; block < end; ++block) {
                        const std::int64_t column = block % blocks * width,
                                           at = block / blocks * length * inner + column +
                                                (p.reverse ? (length - 1) * inner : 0),
                                           step = p.reverse ? -inner : inner;
                        if (inner == 1)
                            one(p, a.in<T>(0) + at, a.out<T>(0) + at, length, step);
                        else
                            some(p, a.in<T>(0) + at, a.out<T>(0) + at, length, step, std::min(width, inner - column));
                    }
                });
        return status::ok;
    }

  private:
    template <class U> struct wide { using type = accumulator<U>; };
    template <std::integral U> struct wide<U> { using type = std::make_unsigned_t<U>; };
    using A = typename wide<T>::type;
    static constexpr std::int64_t most = 64;  // sums in registers

    static A with(A accumulator, T x) noexcept {
        return Product ? accumulator * static_cast<A>(x) : accumulator + static_cast<A>(x);
    }
    static void one(const params& p, const T* x, T* y, std::int64_t length, std::int64_t step) noexcept {
        A accumulator = Product;
        for (std::int64_t k = 0; k < length; ++k, x += step, y += step) {
            const A next = with(accumulator, *x);
            *y = static_cast<T>(p.exclusive ? accumulator : next);
            accumulator = next;
        }
    }
    static void some(const params& p, const T* x, T* y, std::int64_t length, std::int64_t step,
                     std::int64_t n) noexcept {
        A accumulators[most];
        std::fill_n(accumulators, n, A(Product));
        const bool exclusive = p.exclusive;
        for (std::int64_t k = 0; k < length; ++k, x += step, y += step)
            for (std::int64_t i = 0; i < n; ++i) {
                const A next = with(accumulators[i], x[i]);
                y[i] = static_cast<T>(exclusive ? accumulators[i] : next);
                accumulators[i] = next;
            }
    }
};
template <class T> struct kernel<op::cum_sum, device::reference, types<T>> : cumulating_kernel<T, false> {};
template <class T> struct kernel<op::cum_prod, device::reference, types<T>> : cumulating_kernel<T, true> {};
}  // namespace v1
}  // namespace inlay
