// Mirrors kernels/inlay/onnx/arg.hpp.
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/arg.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::infinity, elementwise::quiet_nan, elementwise::random_tensor;

namespace {
using indices = std::vector<std::int64_t>;
attributes along(std::int64_t axis, std::int64_t keepdims = 1, std::int64_t select_last = 0) {
    return [=](graph_data& g) {
        return std::vector{g.make("axis", axis), g.make("keepdims", keepdims),
                           g.make("select_last_index", select_last)};
    };
}
template <class Op> outcome run_arg(const tensor& x, attributes with, int version = 0) {
    return run<Op, device::reference>(
        {.inputs = {x}, .with = std::move(with), .version = version, .outputs = {element::i64}, .threads = 3});
}
template <class Op> indices found(const tensor& x, attributes with = along(0)) {
    const outcome o = run_arg<Op>(x, std::move(with));
    INFO(o.answer.reason);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    const auto y = o[0].as<std::int64_t>();
    return {y.begin(), y.end()};
}
}  // namespace

TEMPLATE_TEST_CASE("ArgMax and ArgMin of every number type find the first, or the last", "", float, double, float16,
                   bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
    const tensor x = elementwise::list<TestType>({1, 7, 3, 7, 1, 2}).reshaped({2, 3});
    CHECK(found<op::arg_max>(x, along(1)) == indices{1, 0});
    CHECK(found<op::arg_min>(x, along(-1)) == indices{0, 1});
    CHECK(found<op::arg_max>(x, along(0)) == indices{1, 0, 0});
    CHECK(found<op::arg_min>(x, along(-2)) == indices{0, 1, 1});
    const tensor equal = elementwise::list<TestType>({5, 2, 5, 2, 5});
    CHECK(found<op::arg_max>(equal, along(0, 1, 0)) == indices{0});
    CHECK(found<op::arg_max>(equal, along(0, 1, 1)) == indices{4});
    CHECK(found<op::arg_min>(equal, along(0, 1, 1)) == indices{3});
}
TEST_CASE("ArgMax of signed and unsigned extremes") {
    CHECK(found<op::arg_max>(tensor({3}, {std::uint64_t(1), ~std::uint64_t(0), std::uint64_t(1) << 63})) == indices{1});
    CHECK(found<op::arg_min>(tensor({3}, {std::int64_t(-1), std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::max()})) == indices{1});
}
TEMPLATE_TEST_CASE("NaN is what ArgMax and ArgMin find, the first or the last", "", float, double, float16, bfloat16) {
    const tensor x = elementwise::list<TestType>({1, quiet_nan, infinity, quiet_nan, -infinity});
    CHECK(found<op::arg_max>(x) == indices{1});
    CHECK(found<op::arg_min>(x) == indices{1});
    CHECK(found<op::arg_max>(x, along(0, 1, 1)) == indices{3});
    CHECK(found<op::arg_min>(x, along(0, 1, 1)) == indices{3});
}
TEST_CASE("ArgMax keeps the axis, drops it, and refuses one that it cannot search") {
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {2, 3, 4}), along(1))[0].shape() == shape{2, 1, 4});
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {2, 3, 4}), along(1, 0), 1)[0].shape() == shape{2, 4});
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {0, 3}), along(1, 0))[0].shape() == shape{0});
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {3, 0}), along(1)).answer.reason == "the axis has no elements");
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {3}), along(1)).answer.reason == "axis is out of range");
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {3}), along(-2)).answer.reason == "axis is out of range");
    CHECK(run_arg<op::arg_max>(tensor(element::f32, {}), along(0)).answer.reason == "axis is out of range");
}
TEMPLATE_TEST_CASE("ArgMax and ArgMin on other devices agree with the reference kernel along every axis", "", float,
                   float16, bfloat16, std::int32_t, std::int64_t) {
    for (const int n : {1, 2, 31, 33, 100, 1025, 3000})
        for (const std::int64_t select_last : {0, 1}) {
            CAPTURE(n, select_last);
            tensor row = random_tensor<TestType>({2, n}, unsigned(n), -20, 20);
            if constexpr (floating<TestType>)
                if (n > 31)
                    row.as<TestType>()[std::size_t(n + n / 2)] = row.as<TestType>()[std::size_t(n + 20)] =
                        TestType(quiet_nan);
            CHECK(devices_agree<op::arg_max>(
                {.inputs = {row}, .with = along(1, 1, select_last), .outputs = {element::i64}}));
            CHECK(devices_agree<op::arg_min>(
                {.inputs = {row}, .with = along(1, 1, select_last), .outputs = {element::i64}}));
            CHECK(devices_agree<op::arg_max>(
                {.inputs = {row.reshaped({n, 2})}, .with = along(0, 0, select_last), .outputs = {element::i64}}));
            CHECK(devices_agree<op::arg_min>({.inputs = {random_tensor<TestType>({3, n, 5}, 1, -20, 20)},
                                              .with = along(-2, 1, select_last),
                                              .outputs = {element::i64}}));
        }
}
