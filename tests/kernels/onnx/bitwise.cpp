// Mirrors kernels/inlay/onnx/bitwise.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/bitwise.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes to(const char* direction) {
    return [=](graph_data& g) { return std::vector{g.make("direction", std::string_view(direction))}; };
}
}  // namespace

TEMPLATE_TEST_CASE("Bitwise operators of every integer type", "", std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const T ones = static_cast<T>(~T(0));
    const tensor a({3}, {T(12), T(5), ones}), b({1}, {T(10)});
    CHECK(same<T>(on_reference<op::bitwise_and>({{a, b}}), tensor({3}, {T(8), T(0), T(10)})));
    CHECK(same<T>(on_reference<op::bitwise_or>({{a, b}}), tensor({3}, {T(14), T(15), ones})));
    CHECK(same<T>(on_reference<op::bitwise_xor>({{a, b}}), tensor({3}, {T(6), T(15), static_cast<T>(ones ^ T(10))})));
    CHECK(same<T>(on_reference<op::bitwise_not>({{a}}),
                  tensor({3}, {static_cast<T>(ones ^ T(12)), static_cast<T>(ones ^ T(5)), T(0)})));
    CHECK(on_reference<op::bitwise_not>({{tensor(element_of<T>, {2, 0})}}).shape() == shape{2, 0});
    CHECK(on_reference<op::bitwise_and>({{tensor(element_of<T>, {0}), b}}).shape() == shape{0});
    CHECK_FALSE(run<op::bitwise_and, device::reference>({{a, tensor({2}, {T(1), T(2)})}}).answer);
}
TEMPLATE_TEST_CASE("BitShift, and by as many bits as there are or more", "", std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    constexpr T bits = sizeof(T) * 8, top = static_cast<T>(std::uint64_t(1) << (bits - 1)),
                most = std::numeric_limits<T>::max();
    const tensor x({6}, {T(3), T(16), T(1), T(1), most, T(0)}),
        by({6}, {T(1), T(4), static_cast<T>(bits - 1), bits, most, T(5)});
    CHECK(same<T>(on_reference<op::bit_shift>({.inputs = {x, by}, .with = to("LEFT")}),
                  tensor({6}, {T(6), static_cast<T>(256), top, T(0), T(0), T(0)})));
    CHECK(same<T>(on_reference<op::bit_shift>({.inputs = {x, by}, .with = to("RIGHT")}),
                  tensor({6}, {T(1), T(1), T(0), T(0), T(0), T(0)})));
    CHECK(same<T>(
        on_reference<op::bit_shift>(
            {.inputs = {tensor({2}, {T(1), T(2)}), tensor({2, 1}, {T(0), T(1)})}, .with = to("LEFT"), .version = 11}),
        tensor({2, 2}, {T(1), T(2), T(2), T(4)})));
    if constexpr (std::is_signed_v<T>) {
        const tensor negative({5}, {T(-8), T(-1), T(-8), T(-8), T(8)}), far({5}, {T(1), T(3), bits, T(-1), T(-1)});
        CHECK(same<T>(on_reference<op::bit_shift>({.inputs = {negative, far}, .with = to("RIGHT")}),
                      tensor({5}, {T(-4), T(-1), T(-1), T(-1), T(0)})));
        CHECK(same<T>(on_reference<op::bit_shift>({.inputs = {negative, far}, .with = to("LEFT")}),
                      tensor({5}, {T(-16), T(-8), T(0), T(0), T(0)})));
    }
}
TEST_CASE("BitShift refuses what is no direction") {
    const tensor x = list<std::uint8_t>({1});
    for (const char* direction : {"", "left", "UP"})
        CHECK(run<op::bit_shift, device::reference>({.inputs = {x, x}, .with = to(direction)}).answer.reason ==
              "direction must be LEFT or RIGHT");
    CHECK(run<op::bit_shift, device::reference>({.inputs = {x}, .with = to("LEFT")}).answer.reason ==
          "an input is missing");
}
TEMPLATE_TEST_CASE(
    "Bitwise operators and BitShift on other devices agree with the reference kernel at every tail length, and where "
    "they broadcast",
    "", std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
    std::uint64_t) {
    using T = TestType;
    const auto noise = [](const shape& dims, unsigned seed) {
        tensor t(element_of<T>, dims);
        std::mt19937_64 g(seed);
        for (T& x : t.as<T>()) x = static_cast<T>(g());
        return t;
    };
    const auto check = [](const tensor& a, const tensor& b, const tensor& bits) {
        agree<op::bitwise_and, T>({{a, b}});
        agree<op::bitwise_or, T>({{a, b}});
        agree<op::bitwise_xor, T>({{a, b}});
        agree<op::bitwise_not, T>({{a}});
        for (const char* direction : {"LEFT", "RIGHT"})
            for (const tensor& by : {b, bits}) agree<op::bit_shift, T>({.inputs = {a, by}, .with = to(direction)});
    };
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        check(noise({2, n}, 1), noise({2, n}, 2),
              random_tensor<T>({n}, 3, std::is_signed_v<T> ? -1 : 0, sizeof(T) * 8 + 1));
    }
    check(noise({2, 8, 3, 5}, 4), noise({8, 1, 1}, 5), random_tensor<T>({5}, 6, 0, sizeof(T) * 8));
}
