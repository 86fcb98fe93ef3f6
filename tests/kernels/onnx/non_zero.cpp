// Mirrors kernels/inlay/onnx/non_zero.hpp.
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/non_zero.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::quiet_nan;

namespace {
using indices = std::vector<std::int64_t>;
outcome run_non_zero(const tensor& x) {
    return run<op::non_zero, device::reference>({.inputs = {x}, .outputs = {element::i64}});
}
indices found(const tensor& x) {
    const outcome o = run_non_zero(x);
    INFO(o.answer.reason);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    CHECK(o[0].shape()[0] == x.shape().rank);
    const auto y = o[0].as<std::int64_t>();
    return {y.begin(), y.end()};
}
}  // namespace

TEMPLATE_TEST_CASE("NonZero returns the place of every element but the zeros, axis by axis", "", float, double, float16,
                   bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, bool) {
    const tensor x = elementwise::list<TestType>({1, 0, 1, 1}).reshaped({2, 2});
    CHECK(found(x) == indices{0, 1, 1, 0, 0, 1});
    CHECK(found(elementwise::list<TestType>({0, 0, 5, 0, 0, 0, 7, 0}).reshaped({2, 2, 2})) ==
          indices{0, 1, 1, 1, 0, 0});
    CHECK(found(tensor(element_of<TestType>, {3})).empty());
}
TEMPLATE_TEST_CASE("Zeros of either sign are zeros, NaN and the smallest numbers are not", "", float, double, float16,
                   bfloat16) {
    tensor x = elementwise::list<TestType>({0, -0., quiet_nan, 1, -1});
    std::memset(static_cast<std::byte*>(x.data()) + 3 * sizeof(TestType), 0, sizeof(TestType));
    *(static_cast<std::byte*>(x.data()) + 3 * sizeof(TestType)) = std::byte(1);
    CHECK(found(x) == indices{2, 3, 4});
}
TEST_CASE("NonZero takes the extremes of integers, every byte but 0 for true, and complex numbers") {
    CHECK(found(tensor({3}, {std::numeric_limits<std::int64_t>::min(), std::int64_t(0), std::int64_t(1) << 40})) ==
          indices{0, 2});
    tensor truth(element::boolean, {3});
    static_cast<std::uint8_t*>(truth.data())[1] = 2;
    CHECK(found(truth) == indices{1});
    CHECK(found(tensor({3}, std::vector<std::complex<float>>{{0, 0}, {-0.f, -0.f}, {0, 1}})) == indices{2});
    CHECK(found(tensor({5}, std::vector<std::complex<double>>{{0, 0}, {-0., -0.}, {0, 1}, {-1, 0}, {0, -0.}})) ==
          indices{2, 3});
}
TEST_CASE("NonZero of strings finds those that are not empty") {
    CHECK(found(tensor({2, 2}, std::vector<std::string>{"", "0", "a", ""})) == indices{0, 1, 1, 0});
}
TEST_CASE("NonZero of a scalar and of nothing") {
    CHECK(run_non_zero(tensor(shape{}, {3.f}))[0].shape() == shape{0, 1});
    CHECK(run_non_zero(tensor(shape{}, {0.f}))[0].shape() == shape{0, 0});
    CHECK(run_non_zero(tensor(element::f32, {0, 2}))[0].shape() == shape{2, 0});
    CHECK(run_non_zero(tensor(element::u4, {2})).answer.reason == "no kernel for these types");
}
TEMPLATE_TEST_CASE("NonZero on other devices agrees with the reference kernel", "", float, float16, std::int64_t,
                   std::uint8_t) {
    for (const std::int64_t n : {0, 1, 7, 8, 255, 2047, 2048, 2049, 9000}) {
        CAPTURE(n);
        tensor x = elementwise::random_tensor<TestType>({n, 3}, unsigned(n), 0, 3);
        for (std::size_t i = 0; i < std::size_t(3 * n); i += 2) x.as<TestType>()[i] = TestType(0);
        CHECK(devices_agree<op::non_zero>({.inputs = {x}, .outputs = {element::i64}}));
        CHECK(devices_agree<op::non_zero>({.inputs = {x.reshaped({3, 1, n})}, .outputs = {element::i64}}));
    }
    CHECK(devices_agree<op::non_zero>(
        {.inputs = {elementwise::list<TestType>({2}).reshaped({})}, .outputs = {element::i64}}));
}
