// MatMulInteger16 (com.microsoft, since 1): MatMul of 16-bit integers into 32 bits, uint32 where both are unsigned;
// accumulators wrap around.
#pragma once
#include <inlay/onnx/matmul.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct matmul_integer16 : matmul {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MatMulInteger16";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements =
        hana::tuple_t<types<std::int16_t, std::int16_t>, types<std::int16_t, std::uint16_t>,
                      types<std::uint16_t, std::int16_t>, types<std::uint16_t, std::uint16_t>>;
    static constexpr int required_inputs = 2;
    static constexpr element output_type(const node_view& n, int) {
        return n.input_type(0) == element::u16 && n.input_type(1) == element::u16 ? element::u32 : element::i32;
    }
};
}  // namespace op

template <class A, class B> struct kernel<op::matmul_integer16, device::reference, types<A, B>> : simple_kernel {
    using params = matmul_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.batches * p.m, 1, [&](std::int64_t begin, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t line = begin; line < end; ++line) {
                const auto at = p.matrices(line / p.m);
                const A* x = a.in<A>(0) + (at.a * p.m + line % p.m) * p.k;
                const B* w = a.in<B>(1) + at.b * p.k * p.n;
                if (!multiply_row<std::uint32_t>(
                        p.n, p.k, ends, [&](std::int64_t k) { return static_cast<std::uint32_t>(x[k]); },
                        [&](std::int64_t k, std::int64_t j) { return w[k * p.n + j]; },
                        [&](std::int64_t j, std::uint32_t sum) { a.out<std::uint32_t>(0)[line * p.n + j] = sum; }))
                    return;
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
