// ComplexMul, ComplexMulConj (com.microsoft, since 1): A times B, or times the conjugate of B, of complex numbers whose
// two parts are the last axis; the other axes broadcast.
#pragma once
#include <inlay/support/broadcast.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct complex_mul : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "ComplexMul";
    static constexpr version_range versions{1, 1};
    static constexpr int required_inputs = 2;
    static constexpr bool conjugate = false;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 2; ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            const shape& x = n.input(k).dims;
            if (x.rank == 0 || (x.rank > 0 && x[x.rank - 1] >= 0 && x[x.rank - 1] != 2))
                return no("the last axis must have a real and an imaginary part");
        }
        return broadcast_shape_of(2, n, y);
    }
};
struct complex_mul_conj : complex_mul {
    static constexpr std::string_view onnx_name = "ComplexMulConj";
    static constexpr bool conjugate = true;
};
}  // namespace op

template <class Op, class T> struct complex_mul_kernel : simple_kernel {
    using params = broadcast_loops<2>;
    static constexpr verdict supports(const node_view& n) {
        return n.input(0).type == n.input(1).type ? yes() : no("A and B must have one type");
    }
    static constexpr params prepare(const node_view& n) { return make_loops<2>(n, 2); }
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        using A = accumulator<T>;
        const T *a = args.in<T>(0), *b = args.in<T>(1);
        T* y = args.out<T>(0);
        const auto multiply = [&](std::int64_t at, std::int64_t i, std::int64_t j) {
            const A re = static_cast<A>(a[i]), im = static_cast<A>(a[i + 1]), second_re = static_cast<A>(b[j]),
                    second_im = static_cast<A>(b[j + 1]) * (Op::conjugate ? A(-1) : A(1));
            y[at] = static_cast<T>(re * second_re - im * second_im);
            y[at + 1] = static_cast<T>(re * second_im + im * second_re);
        };
        over_rows(p, 0, p.elements(), [&](std::int64_t at, const auto& x, std::int64_t n) {
            for (std::int64_t i = 0; i < n; i += 2) multiply(at + i, x[0] + i, x[1] + i);
        });
        return status::ok;
    }
};
template <class T>
struct kernel<op::complex_mul, device::reference, types<T>> : complex_mul_kernel<op::complex_mul, T> {};
template <class T>
struct kernel<op::complex_mul_conj, device::reference, types<T>> : complex_mul_kernel<op::complex_mul_conj, T> {};
}  // namespace v1
}  // namespace inlay
