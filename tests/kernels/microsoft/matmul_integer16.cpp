// Mirrors kernels/inlay/microsoft/matmul_integer16.hpp.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/matmul_integer16.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
template <class A, class B, class C> void check() {
    const std::vector<A> a{A(-32768), A(32767), A(3), A(-2), A(500), A(-1)};
    const std::vector<B> b{B(-32768), B(1), B(32767), B(-32768), B(7), B(-9)};
    const outcome y =
        on_plain<op::matmul_integer16>({.inputs = {tensor({2, 3}, a), tensor({3, 2}, b)}, .outputs = {element_of<C>}});
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < 3; ++k) sum += std::int64_t(a[i * 3 + k]) * std::int64_t(b[k * 2 + j]);
            CHECK(y[0].as<C>()[i * 2 + j] == C(sum));
        }
}
}  // namespace

TEST_CASE("MatMulInteger16 multiplies integers of 16 bits into 32, and wraps around") {
    check<std::int16_t, std::int16_t, std::int32_t>();
    check<std::int16_t, std::uint16_t, std::int32_t>();
    check<std::uint16_t, std::int16_t, std::int32_t>();
    check<std::uint16_t, std::uint16_t, std::uint32_t>();
}
TEST_CASE("MatMulInteger16 broadcasts as MatMul does") {
    const tensor a({2, 1, 2}, std::vector<std::int16_t>{1, 2, 3, 4}), b({2}, std::vector<std::int16_t>{5, 6});
    const outcome y = on_plain<op::matmul_integer16>({.inputs = {a, b}, .outputs = {element::i32}});
    REQUIRE(y.answer);
    CHECK(y[0].shape() == shape{2, 1});
    CHECK(y[0].as<std::int32_t>()[1] == 39);
    CHECK(reason_of<op::matmul_integer16>({.inputs = {b, a}, .outputs = {element::i32}}) ==
          "the operands disagree on the axis that is summed over");
}
