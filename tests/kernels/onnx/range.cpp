#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/onnx/range.hpp>
#include <on_test_devices/onnx/range.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class T>
outcome range_of(
    T start, T limit, T delta, attributes with = [](graph_data&) { return std::vector<attribute>{}; }) {
    return run<op::range, device::reference>(
        {{tensor(shape{}, {start}), tensor(shape{}, {limit}), tensor(shape{}, {delta})}, with});
}
template <class T> std::vector<T> numbers_in(T start, T limit, T delta) {
    const outcome y = range_of(start, limit, delta);
    INFO(y.answer.reason);
    REQUIRE(y.answer);
    const auto s = y[0].as<T>();
    return {s.begin(), s.end()};
}
}  // namespace

TEMPLATE_TEST_CASE("Range counts up and down", "", float, double, std::int16_t, std::int32_t, std::int64_t) {
    using v = std::vector<TestType>;
    CHECK(numbers_in<TestType>(3, 9, 3) == v{3, 6});
    CHECK(numbers_in<TestType>(10, 4, -2) == v{10, 8, 6});
    CHECK(numbers_in<TestType>(0, 7, 3) == v{0, 3, 6});
    CHECK(numbers_in<TestType>(5, 5, 1) == v{});
    CHECK(numbers_in<TestType>(5, 3, 1) == v{});
    CHECK(range_of<TestType>(1, 5, 0).answer.reason == "delta is 0");
}
TEMPLATE_TEST_CASE("Range on other devices counts as the reference kernel does", "", float, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    for (T limit = 0; limit <= 67; ++limit)
        CHECK(
            devices_agree<op::range>({{tensor(shape{}, {T(-3)}), tensor(shape{}, {limit}), tensor(shape{}, {T(2)})}}));
}
TEST_CASE("Range does not overflow") {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    CHECK(numbers_in<std::int64_t>(least, most, most) == std::vector<std::int64_t>{least, -1, most - 1});
    CHECK(numbers_in<std::int64_t>(most, least, least) == std::vector<std::int64_t>{most, -1});
    CHECK(!range_of<std::int64_t>(least, most, 1).answer);
    CHECK(!range_of<double>(0, 1e300, 1).answer);
    CHECK(!range_of<float>(0, std::numeric_limits<float>::infinity(), 1).answer);
    CHECK(!range_of<float>(0, std::numeric_limits<float>::quiet_NaN(), 1).answer);
    CHECK(numbers_in<float>(0, 5, std::numeric_limits<float>::infinity()) == std::vector<float>{});
}
TEST_CASE("Range computes the small floats in float or double") {
    const outcome y = range_of(float16(0.1f), float16(5.f), float16(0.3f));
    REQUIRE(y.answer);
    CHECK(y[0].elements() == 17);
    for (int i = 0; i < 17; ++i)
        CHECK(y[0].as<float16>()[std::size_t(i)].bits ==
              float16(float(float16(0.1f)) + float(i) * float(float16(0.3f))).bits);
    const outcome z = range_of(bfloat16(1.f), bfloat16(1000.f), bfloat16(1.f), integer("stash_type", 11));
    REQUIRE(z[0].elements() == 999);
    CHECK(float(z[0].as<bfloat16>()[998]) == 1000.f);  // 999, rounded
}
