// Mirrors include/inlay/checked_size.hpp.
#include "../catch.hpp"
#include <inlay/plan/plan.hpp>
#include <inlay/tensor.hpp>
using namespace inlay;

namespace {
constexpr std::int64_t bit(int n) { return std::int64_t(1) << n; }
}  // namespace

TEST_CASE("Products of sizes are exact, or too large to count") {
    STATIC_REQUIRE(checked_product(6, 7) == 42);
    STATIC_REQUIRE(checked_product(bit(31), bit(31)) == bit(62));
    STATIC_REQUIRE(checked_product(bit(40), bit(22)) == bit(62));
    STATIC_REQUIRE(checked_product(bit(40), bit(23)) == too_large);
    STATIC_REQUIRE(checked_product(bit(62), 2) == too_large);
    STATIC_REQUIRE(checked_product(3, bit(62)) == too_large);
    STATIC_REQUIRE(checked_product(too_large, 1) == too_large);
    STATIC_REQUIRE(checked_product(too_large, too_large) == too_large);
    STATIC_REQUIRE(checked_product(too_large, 0) == 0);
    STATIC_REQUIRE(checked_product(0, bit(62)) == 0);
}
TEST_CASE("Sums of sizes are exact, or too large to count") {
    STATIC_REQUIRE(checked_sum(bit(62), bit(61)) == bit(62) + bit(61));
    STATIC_REQUIRE(checked_sum(bit(62), bit(62)) == too_large);
    STATIC_REQUIRE(checked_sum(too_large, too_large) == too_large);
    STATIC_REQUIRE(checked_sum(0, 7) == 7);
}
TEST_CASE("Elements and bytes of a shape do not wrap around") {
    STATIC_REQUIRE(shape{bit(52), 1 << 10}.elements() == bit(62));
    STATIC_REQUIRE(shape{bit(52), 1 << 12}.elements() == too_large);
    STATIC_REQUIRE(shape{bit(32), bit(32), 4}.elements() == too_large);  // 2^66: 0 where it wraps
    STATIC_REQUIRE(shape{bit(52), 1 << 12, 0}.elements() == 0);
    STATIC_REQUIRE(bytes_of(element::f32, bit(60)) == bit(62));
    STATIC_REQUIRE(bytes_of(element::f32, bit(62)) == too_large);  // 2^64: 0 where it wraps
    STATIC_REQUIRE(bytes_of(element::u8, bit(62)) == bit(62));
    STATIC_REQUIRE(bytes_of(element::i4, bit(62) + 1) == bit(61) + 1);
    STATIC_REQUIRE(bytes_of(element::u2, too_large) == bit(61));
    STATIC_REQUIRE(padded_bytes(65) == 128);
    STATIC_REQUIRE(padded_bytes(too_large) == too_large);
    STATIC_REQUIRE(strides_of({0, bit(40), bit(40)}, layout::plain)[0] == too_large);
}
TEST_CASE("A tensor of more elements than can be counted is refused") {
    for (const shape& dims : {shape{bit(52), 1 << 12}, shape{bit(32), bit(32)}, shape{bit(62)}}) {
        CAPTURE(to_string(dims));
        CHECK_THROWS_AS(tensor(element::f32, dims), error);
        CHECK_THROWS_AS(tensor::uninitialized(element::f32, dims), error);
        CHECK_THROWS_AS(tensor(element::string, dims), error);
    }
}
