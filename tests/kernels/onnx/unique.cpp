// Mirrors kernels/inlay/onnx/unique.hpp.
#include "../../stopped_run.hpp"
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <map>
#include <on_test_devices/onnx/unique.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::quiet_nan;

namespace {
using indices = std::vector<std::int64_t>;
attributes how(std::int64_t sorted, std::optional<std::int64_t> axis = {}) {
    return [=](graph_data& g) {
        std::vector list{g.make("sorted", sorted)};
        if (axis) list.push_back(g.make("axis", *axis));
        return list;
    };
}
outcome run_unique(const tensor& x, attributes with = how(1)) {
    return run<op::unique, device::reference>(
        {.inputs = {x}, .with = std::move(with), .outputs = {x.type(), element::i64, element::i64, element::i64}});
}
void check(const tensor& x, attributes with, const tensor& values, const indices& first, const indices& inverse,
           const indices& counts) {
    const outcome o = run_unique(x, std::move(with));
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    CHECK(same(o[0], values));
    const auto numbers = [&](std::size_t k) {
        return indices(o[k].as<std::int64_t>().begin(), o[k].as<std::int64_t>().end());
    };
    CHECK(numbers(1) == first);
    CHECK(numbers(2) == inverse);
    CHECK(numbers(3) == counts);
}
}  // namespace

TEMPLATE_TEST_CASE("Unique of every number type, sorted or in the order of first occurrence", "", float, double,
                   float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const tensor x = list({2, 1, 1, 3, 4, 3});
    check(x, how(0), list({2, 1, 3, 4}), {0, 1, 3, 4}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1});
    check(x, how(1), list({1, 2, 3, 4}), {1, 0, 3, 4}, {1, 0, 0, 2, 3, 2}, {2, 1, 2, 1});
    check(x.reshaped({2, 3}), how(1), list({1, 2, 3, 4}), {1, 0, 3, 4}, {1, 0, 0, 2, 3, 2},
          {2, 1, 2, 1});  // all axes count as one
}
TEST_CASE("Unique of slices along an axis compares them element by element") {
    const tensor rows = elementwise::list<float>({1, 0, 0, 1, 0, 0, 2, 3, 4}).reshaped({3, 3});
    check(rows, how(1, 0), elementwise::list<float>({1, 0, 0, 2, 3, 4}).reshaped({2, 3}), {0, 2}, {0, 0, 1}, {2, 1});
    const tensor deep = elementwise::list<float>({1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1}).reshaped({2, 4, 2});
    check(deep, how(1, 1), elementwise::list<float>({0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1}).reshaped({2, 3, 2}),
          {1, 0, 2}, {1, 0, 2, 0}, {2, 1, 1});
    check(deep, how(0, -2), elementwise::list<float>({1, 1, 0, 1, 2, 1, 1, 1, 0, 1, 2, 1}).reshaped({2, 3, 2}),
          {0, 1, 2}, {0, 1, 2, 1}, {1, 2, 1});
}
TEST_CASE("Unique orders negative numbers, and takes zeros of either sign and all NaN for one each") {
    check(elementwise::list<float>({quiet_nan, 0, -1, -0., -quiet_nan, 3}), how(1),
          elementwise::list<float>({-1, 0, 3, quiet_nan}), {2, 1, 5, 0}, {3, 1, 0, 1, 3, 2}, {1, 2, 1, 2});
    check(elementwise::list<std::int8_t>({-128, 127, -1, -128}), how(1),
          elementwise::list<std::int8_t>({-128, -1, 127}), {0, 2, 1}, {0, 2, 1, 0}, {2, 1, 1});
}
TEST_CASE("Unique of strings and of truth") {
    check(tensor({4}, std::vector<std::string>{"b", "a", "", "b"}), how(1),
          tensor({3}, std::vector<std::string>{"", "a", "b"}), {2, 1, 0}, {2, 1, 0, 2}, {1, 1, 2});
    check(tensor({4}, std::vector<std::string>{"b", "a", "", "b"}), how(0),
          tensor({3}, std::vector<std::string>{"b", "a", ""}), {0, 1, 2}, {0, 1, 2, 0}, {2, 1, 1});
    tensor truth(element::boolean, {4});
    static_cast<std::uint8_t*>(truth.data())[1] = 1;
    static_cast<std::uint8_t*>(truth.data())[3] = 2;  // as true as 1
    check(truth, how(1), elementwise::list<bool>({0, 1}), {0, 1}, {0, 1, 0, 1}, {2, 2});
}
TEST_CASE("Unique of nothing, of a scalar, and of slices without elements") {
    check(tensor(element::f32, {0}), how(1), tensor(element::f32, {0}), {}, {}, {});
    check(tensor(shape{}, {3.f}), how(1), elementwise::list<float>({3}), {0}, {0}, {1});
    check(tensor(element::f32, {2, 0}), how(1, 1), tensor(element::f32, {2, 0}), {}, {}, {});
    check(tensor(element::f32, {2, 0}), how(1, 0), tensor(element::f32, {1, 0}), {0}, {0, 0}, {2});
}
TEST_CASE("Unique makes only the outputs that are wanted") {
    const tensor x = elementwise::list<float>({2, 1, 2});
    const outcome outputs = run<op::unique, device::reference>(
        {.inputs = {x}, .outputs = {element::f32, element::undefined, element::undefined, element::i64}});
    REQUIRE(outputs.code == status::ok);
    CHECK(same(outputs[3], tensor({2}, {std::int64_t(1), std::int64_t(2)})));
    CHECK(!outputs[1]);
    const outcome single = run<op::unique, device::reference>({.inputs = {x}});
    REQUIRE(single.code == status::ok);
    CHECK(same(single[0], elementwise::list<float>({1, 2})));
}
TEST_CASE("Unique refuses an axis out of range and elements without an order") {
    CHECK(run_unique(tensor(element::f32, {2, 3}), how(1, 2)).answer.reason == "axis is out of range");
    CHECK(run_unique(tensor(element::f32, {}), how(1, 0)).answer.reason == "axis is out of range");
    CHECK(run_unique(tensor(element::f8e5m2, {2})).answer.reason == "its elements have no order");
}
TEMPLATE_TEST_CASE("Unique orders complex numbers by their real parts, then by the others, and NaN last", "", float,
                   double) {
    using z = std::complex<TestType>;
    const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
    const tensor x({8}, std::vector<z>{{1, 2}, {nan, 0}, {1, -1}, {-1, 5}, {1, 2}, {0, nan}, {-0., 0}, {0, -0.}});
    check(x, how(1), tensor({5}, std::vector<z>{{-1, 5}, {-0., 0}, {1, -1}, {1, 2}, {nan, 0}}), {3, 6, 2, 0, 1},
          {3, 4, 2, 0, 3, 4, 1, 1}, {1, 2, 1, 2, 2});
    check(tensor({2, 2}, std::vector<z>{{1, 2}, {0, 1}, {1, 2}, {0, -1}}), how(1, 0),
          tensor({2, 2}, std::vector<z>{{1, 2}, {0, -1}, {1, 2}, {0, 1}}), {1, 0}, {1, 0}, {1, 1});
}
TEST_CASE("Unique agrees with a map, for any number of elements") {
    for (const std::int64_t n : {1, 2, 15, 16, 17, 100, 5000})
        for (const std::int64_t sorted : {0, 1}) {
            CAPTURE(n, sorted);
            std::mt19937 random(static_cast<unsigned>(n));
            std::vector<std::int64_t> x, counts, first;
            for (std::int64_t i = 0; i < n; ++i) x.push_back(std::int64_t(random() % 97) - 40);
            std::map<std::int64_t, std::int64_t> occurrences;  // how often
            std::vector<std::int64_t> order;
            for (const std::int64_t v : x)
                if (occurrences[v]++ == 0) order.push_back(v);
            if (sorted) std::ranges::sort(order);
            for (const std::int64_t v : order) {
                counts.push_back(occurrences[v]);
                first.push_back(std::ranges::find(x, v) - x.begin());
            }
            std::vector<std::int64_t> inverse;
            for (const std::int64_t v : x) inverse.push_back(std::ranges::find(order, v) - order.begin());
            check(tensor({n}, x), how(sorted), tensor({std::int64_t(order.size())}, order), first, inverse, counts);
        }
}
TEST_CASE("Unique of many elements ends when the run is stopped") {
    const tensor x = elementwise::random_tensor<float>({60000}, 1, 0, 1000);
    CHECK(stopped_run<op::unique, device::reference>({{x}}).code == status::stopped);
}
TEMPLATE_TEST_CASE("Unique on other devices agrees with the reference kernel", "", float, float16, std::int64_t,
                   std::uint8_t) {
    for (const std::int64_t n : {0, 1, 2, 255, 2048, 2049, 5000}) {
        CAPTURE(n);
        tensor x = elementwise::random_tensor<TestType>({n}, unsigned(n), 0, 50);
        for (TestType& v : x.as<TestType>()) v = TestType(std::round(double(v)));
        if constexpr (floating<TestType>)
            for (std::size_t i = 3; i < std::size_t(n); i += 100) x.as<TestType>()[i] = TestType(quiet_nan);
        CHECK(devices_agree<op::unique>(
            {.inputs = {x}, .outputs = {x.type(), element::i64, element::i64, element::i64}}));
        CHECK(devices_agree<op::unique>(
            {.inputs = {x}, .with = how(1, 0), .outputs = {x.type(), element::undefined, element::i64}}));
    }
}
