// Mirrors kernels/inlay/onnx/comparison.hpp and kernels/inlay/cpu/onnx/comparison.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/comparison.hpp>
#include <on_test_devices/onnx/comparison.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
template <class Op> void check(std::vector<operand> inputs, std::initializer_list<double> expected) {
    CHECK(same<bool>(on_reference<Op>({.inputs = inputs, .outputs = {element::boolean}}), list<bool>(expected)));
}
template <class Op> void check_cpu(const call& c) {  // other devices have fewer types
    agree(run<Op, device::reference>, run<Op, device::cpu>, {}, elementwise::same<bool>, c, 0);
}
}  // namespace

TEMPLATE_TEST_CASE("Comparisons of every number type, and NaN with nothing", "", float, double, float16, bfloat16,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    const tensor a = list<T>({1, 2, 3}), b = list<T>({2});
    check<op::less>({a, b}, {1, 0, 0});
    check<op::less_or_equal>({a, b}, {1, 1, 0});
    check<op::greater>({a, b}, {0, 0, 1});
    check<op::greater_or_equal>({a, b}, {0, 1, 1});
    check<op::equal>({a, b}, {0, 1, 0});
    if constexpr (floating<T>) {
        const tensor x = list<T>({quiet_nan, -infinity, 1, -0.}), y = list<T>({quiet_nan, 0, quiet_nan, 0});
        check<op::less>({x, y}, {0, 1, 0, 0});
        check<op::less_or_equal>({x, y}, {0, 1, 0, 1});
        check<op::greater>({y, x}, {0, 1, 0, 0});
        check<op::greater_or_equal>({y, x}, {0, 1, 0, 1});
        check<op::equal>({x, y}, {0, 0, 0, 1});
    }
}
TEST_CASE("Comparisons of extremes") {
    const tensor a({2}, {std::uint64_t(1), ~std::uint64_t(0)}), b({2}, {~std::uint64_t(0), std::uint64_t(1)});
    check<op::less>({a, b}, {1, 0});
    check<op::greater>({a, b}, {0, 1});
    const tensor c({1}, {std::numeric_limits<std::int64_t>::min()}), d({1}, {std::numeric_limits<std::int64_t>::max()});
    check<op::less>({c, d}, {1});
    check<op::greater_or_equal>({c, d}, {0});
}
TEST_CASE("Equal of strings, and of truth, where every byte but 0 is true") {
    check<op::equal>({tensor({2}, std::vector<std::string>{"a", "b"}), tensor({1}, std::vector<std::string>{"b"})},
                     {0, 1});
    tensor two(element::boolean, {1});
    std::memset(two.data(), 2, 1);
    check<op::equal>({list<bool>({0, 1}), two}, {0, 1});
    const call truth{.inputs = {list<bool>({0, 1}), two}, .outputs = {element::boolean}};
    agree(run<op::equal, device::reference>, nullptr, on_test_devices<op::equal>(), elementwise::same<bool>, truth, 0);
}
TEST_CASE("Comparisons broadcast, and before version 7 from an axis on") {
    const tensor column = list<float>({1, 2, 3}).reshaped({3, 1}), row = list<float>({2, 3});
    CHECK(same<bool>(on_reference<op::greater>({.inputs = {column, row}, .outputs = {element::boolean}}),
                     list<bool>({0, 0, 0, 0, 1, 0}).reshaped({3, 2})));
    CHECK(same<bool>(on_reference<op::less>({.inputs = {row, column}, .outputs = {element::boolean}}),
                     list<bool>({0, 0, 0, 0, 1, 0}).reshaped({3, 2})));
    CHECK(run<op::equal, device::reference>(
              {.inputs = {list<float>({1, 2}), list<float>({1, 2, 3})}, .outputs = {element::boolean}})
              .answer.reason == "the inputs' shapes do not broadcast");
    const attributes with = [](graph_data& g) {
        return std::vector{g.make("broadcast", std::int64_t(1)), g.make("axis", std::int64_t(0))};
    };
    const tensor a = list<float>({0, 1, 2, 3, 4, 5}).reshaped({2, 3}), two = list<float>({1, 4});
    CHECK(same<bool>(
        on_reference<op::greater>({.inputs = {a, two}, .with = with, .version = 1, .outputs = {element::boolean}}),
        list<bool>({0, 0, 1, 0, 0, 1}).reshaped({2, 3})));
}
TEMPLATE_TEST_CASE("Comparisons on the CPU agree with the reference kernel at every tail length", "", float, float16,
                   bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
    using T = TestType;
    const auto few_values = [](std::int64_t n,
                               unsigned seed) {  // few values, so that some are equal; negative ones too
        tensor x = random_tensor<T>({n}, seed, std::is_unsigned_v<T> ? 0 : -3, 3);
        for (std::int64_t i = 0; i < n; ++i)
            if (T& e = x.as<T>()[std::size_t(i)]; i % 7 == seed % 7)
                e = floating<T> ? static_cast<T>(i % 2 ? quiet_nan : -infinity) : std::numeric_limits<T>::max();
        return x;
    };
    std::vector<int> lengths{511, 512, 513, 1100};
    for (int n = 0; n <= 67; ++n) lengths.push_back(n);
    for (int n : lengths)
        for (int form = 0; form < 3; ++form) {
            CAPTURE(n, form);
            const call c{.inputs = {few_values(form == 1 ? 1 : n, 1), few_values(form == 2 ? 1 : n, 2)},
                         .outputs = {element::boolean}};
            check_cpu<op::less>(c);
            check_cpu<op::greater>(c);
            check_cpu<op::less_or_equal>(c);
            check_cpu<op::greater_or_equal>(c);
            check_cpu<op::equal>(c);
        }
}
TEMPLATE_TEST_CASE("Comparisons on every device agree with the reference kernel whatever broadcasts", "", op::less,
                   op::greater, op::less_or_equal, op::greater_or_equal, op::equal) {
    const shape shapes[] = {{2, 3, 4, 5},  {3, 1, 1},      {2, 1, 4, 5}, {5}, {},
                            {2, 3, 1, 16}, {2, 1, 20, 16}, {1, 20, 1},   {0}};
    for (const shape& a : shapes)
        for (const shape& b : shapes) {
            shape common;
            if (!broadcast(a, b, common)) continue;
            CAPTURE(to_string(a), to_string(b));
            agree<TestType, bool>({.inputs = {random_tensor<std::int32_t>(a, 1), random_tensor<std::int32_t>(b, 2)},
                                   .outputs = {element::boolean}});
            agree<TestType, bool>({.inputs = {random_tensor<float16>(a, 1), random_tensor<float16>(b, 2)},
                                   .outputs = {element::boolean}});
        }
}
