// Mirrors kernels/inlay/onnx/cum_sum.hpp and kernels/inlay/cpu/onnx/cum_sum.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/cum_sum.hpp>
#include <on_test_devices/onnx/cum_sum.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes how(std::int64_t exclusive, std::int64_t reverse) {
    return [=](graph_data& g) { return std::vector{g.make("exclusive", exclusive), g.make("reverse", reverse)}; };
}
tensor axis(std::int64_t a) { return tensor(shape{}, {a}); }
outcome refused(tensor x, operand a) { return run<op::cum_sum, device::reference>({{std::move(x), std::move(a)}}); }
}  // namespace

TEMPLATE_TEST_CASE("CumSum of every type, along any axis, from either end, with the element or without", "", float,
                   double, float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4, 5, 6}).reshaped({2, 3});
    const auto sums = [&](tensor a, std::int64_t exclusive = 0, std::int64_t reverse = 0) {
        return on_reference<op::cum_sum>({.inputs = {x, a}, .with = how(exclusive, reverse), .threads = 3});
    };
    CHECK(same<T>(sums(axis(0)), list<T>({1, 2, 3, 5, 7, 9}).reshaped({2, 3})));
    CHECK(same<T>(sums(tensor({1}, {std::int32_t(-1)})), list<T>({1, 3, 6, 4, 9, 15}).reshaped({2, 3})));
    CHECK(same<T>(sums(axis(1), 1), list<T>({0, 1, 3, 0, 4, 9}).reshaped({2, 3})));
    CHECK(same<T>(sums(axis(1), 0, 1), list<T>({6, 5, 3, 15, 11, 6}).reshaped({2, 3})));
    CHECK(same<T>(sums(axis(1), 1, 1), list<T>({5, 3, 0, 11, 6, 0}).reshaped({2, 3})));
}
TEMPLATE_TEST_CASE("CumProd of every type, along any axis, from either end, with the element or without", "", float,
                   double, float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4, 5, 6}).reshaped({2, 3});
    const auto products = [&](tensor a, std::int64_t exclusive = 0, std::int64_t reverse = 0) {
        return on_reference<op::cum_prod>({.inputs = {x, a}, .with = how(exclusive, reverse), .threads = 3});
    };
    CHECK(same<T>(products(axis(0)), list<T>({1, 2, 3, 4, 10, 18}).reshaped({2, 3})));
    CHECK(same<T>(products(tensor({1}, {std::int32_t(-1)})), list<T>({1, 2, 6, 4, 20, 120}).reshaped({2, 3})));
    CHECK(same<T>(products(axis(1), 1), list<T>({1, 1, 2, 1, 4, 20}).reshaped({2, 3})));
    CHECK(same<T>(products(axis(1), 0, 1), list<T>({6, 6, 3, 120, 30, 6}).reshaped({2, 3})));
    CHECK(same<T>(products(axis(1), 1, 1), list<T>({6, 3, 1, 30, 6, 1}).reshaped({2, 3})));
}
TEST_CASE("CumProd wraps integers around, multiplies halves in float, passes NaN on and takes empty tensors") {
    CHECK(same<std::int32_t>(on_reference<op::cum_prod>({{list<std::int32_t>({65536, 65535, 65537}), axis(0)}}),
                             list<std::int32_t>({65536, -65536., -65536})));
    CHECK(same<float16>(on_reference<op::cum_prod>({{list<float16>({300, 300, .01}), axis(0)}}),
                        list<float16>({300, double(infinity), 900}), 1e-3));  // 90000 is none
    CHECK(same<float>(on_reference<op::cum_prod>({{list<float>({0, infinity, 2}), axis(0)}}),
                      list<float>({0, quiet_nan, quiet_nan})));
    CHECK(on_reference<op::cum_prod>({{tensor(element::f32, {2, 0}), axis(0)}}).shape() == shape{2, 0});
    CHECK(run<op::cum_prod, device::reference>({{tensor(element::f32, {2}), axis(1)}}).answer.reason ==
          "axis is out of range");
}
TEST_CASE("CumSum wraps integers around, sums halves in float and passes NaN on") {
    CHECK(same<std::int32_t>(on_reference<op::cum_sum>({{list<std::int32_t>({2147483647, 1, 1}), axis(0)}}),
                             list<std::int32_t>({2147483647, -2147483648., -2147483647})));
    const tensor many =
        on_reference<op::cum_sum>({{tensor({4096}, std::vector<float16>(4096, float16(1.f))), axis(0)}});
    CHECK(float(many.as<float16>()[4095]) == 4096);  // a sum in float16 would stop at 2048
    CHECK(same<float>(on_reference<op::cum_sum>({{list<float>({1, quiet_nan, 2}), axis(0)}}),
                      list<float>({1, quiet_nan, quiet_nan})));
    CHECK(on_reference<op::cum_sum>({{tensor(element::f32, {2, 0}), axis(0)}}).shape() == shape{2, 0});
}
TEST_CASE("CumSum works in place") {
    for (const std::int64_t exclusive : {0, 1})
        for (const std::int64_t reverse : {0, 1}) {
            const call c{.inputs = {random_tensor({5, 7}, 1), axis(1)}, .with = how(exclusive, reverse)};
            using kernel_of = kernel<op::cum_sum, device::reference, types<float>>;
            tensor x = c.inputs[0].value.clone();
            const void* const in[] = {x.data(), c.inputs[1].value.data()};
            void* const out[] = {x.data()};
            context alone;
            REQUIRE(kernel_of::run({{5, 7}, true, exclusive != 0, reverse != 0}, {}, {in, out}, alone) == status::ok);
            CHECK(same<float>(x, on_reference<op::cum_sum>(c)));
        }
}
TEST_CASE("CumSum refuses an axis that is out of range or no number") {
    const tensor x(element::f32, {2, 3});
    CHECK(refused(x, operand::weight(axis(2))).answer.reason == "axis is out of range");
    CHECK(refused(x, axis(-3)).answer.reason == "axis is out of range");
    CHECK(refused(tensor(element::f32, {}), axis(0)).answer.reason == "axis is out of range");
    CHECK(refused(x, tensor({2}, {std::int64_t(0), std::int64_t(1)})).answer.reason == "the axis is not one number");
    CHECK(refused(x, tensor({1}, {0.f})).answer.reason == "the axis is neither int32 nor int64");
    const tensor odd = axis(2);
    const void* const in[] = {x.data(), odd.data()};
    void* const out[] = {const_cast<void*>(x.data())};
    context alone;
    CHECK(kernel<op::cum_sum, device::reference, types<float>>::run(
              {{2, 3}, true, false, false}, {}, {in, out}, alone) == status::invalid_value);  // unknown before the run
}
TEMPLATE_TEST_CASE("CumSum on other devices agrees with the reference kernel along every axis", "", float, double,
                   std::int32_t, std::int64_t) {
    for (const int n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 5000})
        for (const std::int64_t exclusive : {0, 1})
            for (const std::int64_t reverse : {0, 1}) {
                CAPTURE(n, exclusive, reverse);
                const auto whole = [](const shape& dims) {  // numbers, whose sums are exact in any order
                    tensor x = random_tensor<TestType>(dims, 1, -9, 9);
                    for (TestType& v : x.as<TestType>()) v = TestType(std::round(double(v)));
                    return x;
                };
                const auto check = [](const call& c) {
                    agree(run<op::cum_sum, device::reference>, nullptr, on_test_devices<op::cum_sum>(), same<TestType>,
                          c, 0);
                };
                check({.inputs = {whole({3, n}), operand::weight(axis(1))}, .with = how(exclusive, reverse)});
                check({.inputs = {whole({2, n, 3}), operand::weight(axis(-2))}, .with = how(exclusive, reverse)});
            }
}
TEMPLATE_TEST_CASE("CumSum gives the sums written out whatever lies behind the axis, on one thread and three", "",
                   float, std::int64_t, float16) {
    using T = TestType;
    const auto check = [](std::int64_t length, std::int64_t inner, bool exclusive, bool reverse) {
        CAPTURE(length, inner, exclusive, reverse);
        tensor x = random_tensor<T>({2, length, inner}, 1, -9, 9);
        for (T& v : x.as<T>()) v = static_cast<T>(std::round(static_cast<double>(v)));  // sums are exact
        tensor expected(element_of<T>, {2, length, inner});
        for (std::int64_t line = 0; line < 2 * inner; ++line) {
            double total = 0;
            for (std::int64_t step = 0; step < length; ++step) {
                const std::int64_t k = reverse ? length - 1 - step : step,
                                   at = (line / inner * length + k) * inner + line % inner;
                const double before = total;
                total += static_cast<double>(x.as<T>()[std::size_t(at)]);
                expected.as<T>()[std::size_t(at)] = static_cast<T>(exclusive ? before : total);
            }
        }
        for (int threads : {1, 3}) {
            const call c{.inputs = {x, axis(1)}, .with = how(exclusive, reverse), .threads = threads};
            CHECK(same<T>(on_reference<op::cum_sum>(c), expected));
            if constexpr (floating<T>) CHECK(same<T>(result_of(run<op::cum_sum, device::cpu>, c), expected));
        }
    };
    for (std::int64_t inner = 1; inner <= 67; ++inner) check(5, inner, inner % 2, inner % 3 == 0);
    for (std::int64_t inner : {127, 128, 129, 1000})
        for (int way = 0; way < 4; ++way) check(40, inner, way % 2, way / 2);
    check(0, 3, false, false);
    check(5, 0, false, false);
}
