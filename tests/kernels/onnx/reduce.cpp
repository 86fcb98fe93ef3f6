// Mirrors kernels/inlay/onnx/reduce.hpp, and those of the same name for devices.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/reduce.hpp>
#include <on_test_devices/onnx/reduce.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
attributes keep(std::int64_t keepdims, std::int64_t noop = 0) {
    return [=](graph_data& g) {
        return std::vector{g.make("keepdims", keepdims), g.make("noop_with_empty_axes", noop)};
    };
}
attributes old(const numbers& axes, std::int64_t keepdims) {
    return [=](graph_data& g) {
        return std::vector{g.make("axes", std::span<const std::int64_t>(axes)), g.make("keepdims", keepdims)};
    };
}
tensor axes(const numbers& a) { return tensor({std::int64_t(a.size())}, a); }
}  // namespace

TEMPLATE_TEST_CASE("ReduceMean of every type, along any axes", "", float, double, float16, bfloat16, std::int32_t,
                   std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 5, 6, 7}).reshaped({2, 3});
    CHECK(same<T>(on_reference<op::reduce_mean>({.inputs = {x, axes({0})}, .with = keep(0)}), list<T>({3, 4, 5})));
    CHECK(same<T>(on_reference<op::reduce_mean>({.inputs = {x, axes({-1})}}), list<T>({2, 6}).reshaped({2, 1})));
    CHECK(same<T>(on_reference<op::reduce_mean>({.inputs = {x, axes({1, 0})}, .with = keep(0)}),
                  list<T>({4}).reshaped({})));
    CHECK(same<T>(on_reference<op::reduce_mean>({.inputs = {x}, .with = old({1}, 1), .version = 13}),
                  list<T>({2, 6}).reshaped({2, 1})));
    CHECK(same<T>(on_reference<op::reduce_mean>({.inputs = {x}, .version = 1}), list<T>({4}).reshaped({1, 1})));
}
TEST_CASE("ReduceMean without axes takes all of them, or none where it says so") {
    const tensor x = list<float>({1, 3}).reshaped({2, 1});
    CHECK(same<float>(on_reference<op::reduce_mean>({.inputs = {x}, .with = keep(1)}),
                      list<float>({2}).reshaped({1, 1})));
    CHECK(same<float>(on_reference<op::reduce_mean>({.inputs = {x, axes({})}, .with = keep(0)}),
                      list<float>({2}).reshaped({})));
    CHECK(same<float>(on_reference<op::reduce_mean>({.inputs = {x, axes({})}, .with = keep(0, 1)}), x));
    CHECK(same<float>(on_reference<op::reduce_mean>({.inputs = {x}, .with = keep(1, 1)}), x));
    CHECK(same<float>(on_reference<op::reduce_mean>({.inputs = {list<float>({5}).reshaped({})}}),
                      list<float>({5}).reshaped({})));
    agree<op::reduce_mean>({.inputs = {x}, .with = keep(1, 1)});
    agree<op::reduce_mean>({.inputs = {list<float>({5}).reshaped({})}});
}
TEST_CASE("ReduceMean of integers rounds towards zero and does not overflow early") {
    CHECK(
        same<std::int32_t>(on_reference<op::reduce_mean>({{list<std::int32_t>({-1, -2})}}), list<std::int32_t>({-1})));
    CHECK(same<std::int32_t>(on_reference<op::reduce_mean>({{list<std::int32_t>({2147483647, 2147483645})}}),
                             list<std::int32_t>({2147483646})));
    CHECK(same<std::int32_t>(on_reference<op::reduce_mean>({{tensor(element::i32, {0})}}), list<std::int32_t>({0})));
}
TEST_CASE("ReduceMean of nothing is NaN, and NaN passes") {
    CHECK(same<float>(
        on_reference<op::reduce_mean>({.inputs = {tensor(element::f32, {2, 0}), axes({1})}, .with = keep(0)}),
        list<float>({quiet_nan, quiet_nan})));
    CHECK(on_reference<op::reduce_mean>({.inputs = {tensor(element::f32, {0, 2}), axes({1})}}).shape() == shape{0, 1});
    CHECK(same<float>(
        on_reference<op::reduce_mean>(
            {.inputs = {list<float>({1, quiet_nan, 2, infinity}).reshaped({2, 2}), axes({1})}, .with = keep(0)}),
        list<float>({quiet_nan, infinity})));
    agree<op::reduce_mean>({.inputs = {tensor(element::f32, {2, 0}), axes({1})}});
    agree<op::reduce_mean>({.inputs = {tensor(element::f32, {0, 2}), axes({1})}});
    agree<op::reduce_mean>({.inputs = {tensor(element::f32, {3, 0, 2}), axes({0, 1})}});
}
TEMPLATE_TEST_CASE("ReduceSum, ReduceProd, ReduceMax and ReduceMin of every type, along any axes", "", float, double,
                   float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor x = list<T>({1, 5, 3, 4, 2, 6}).reshaped({2, 3});
    CHECK(same<T>(on_reference<op::reduce_sum>({.inputs = {x, axes({0})}, .with = keep(0)}), list<T>({5, 7, 9})));
    CHECK(same<T>(on_reference<op::reduce_prod>({.inputs = {x, axes({-1})}}), list<T>({15, 48}).reshaped({2, 1})));
    CHECK(same<T>(on_reference<op::reduce_max>({.inputs = {x, axes({1})}, .with = keep(0)}), list<T>({5, 6})));
    CHECK(same<T>(on_reference<op::reduce_min>({.inputs = {x, axes({0, 1})}, .with = keep(0)}),
                  list<T>({1}).reshaped({})));
    CHECK(same<T>(on_reference<op::reduce_sum>({.inputs = {x}, .with = old({1}, 1), .version = 11}),
                  list<T>({9, 12}).reshaped({2, 1})));
    CHECK(same<T>(on_reference<op::reduce_max>({.inputs = {x}, .with = old({1}, 0), .version = 13}), list<T>({5, 6})));
}
TEMPLATE_TEST_CASE("ReduceL1, ReduceL2 and ReduceSumSquare of every type, in every version", "", float, double, float16,
                   bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const double sign = std::is_unsigned_v<T> ? 1 : -1;
    const tensor x = list<T>({3, sign * 4, 0, sign * 5, 12, 0}).reshaped({2, 3});
    CHECK(same<T>(on_reference<op::reduce_l1>({.inputs = {x, axes({1})}, .with = keep(0)}), list<T>({7, 17})));
    CHECK(same<T>(on_reference<op::reduce_l2>({.inputs = {x, axes({-1})}}), list<T>({5, 13}).reshaped({2, 1})));
    CHECK(same<T>(on_reference<op::reduce_sum_square>({.inputs = {x, axes({0})}, .with = keep(0)}),
                  list<T>({34, 160, 0})));
    CHECK(same<T>(on_reference<op::reduce_l1>({.inputs = {x, axes({})}, .with = keep(0, 1)}),
                  list<T>({3, 4, 0, 5, 12, 0}).reshaped({2, 3})));
    CHECK(same<T>(on_reference<op::reduce_sum_square>({.inputs = {x}, .with = keep(0)}), list<T>({194}).reshaped({})));
    for (int version : {1, 11, 13}) {
        CHECK(same<T>(on_reference<op::reduce_l1>({.inputs = {x}, .with = old({1}, 1), .version = version}),
                      list<T>({7, 17}).reshaped({2, 1})));
        CHECK(same<T>(on_reference<op::reduce_l2>({.inputs = {x}, .with = old({1}, 0), .version = version}),
                      list<T>({5, 13})));
        CHECK(same<T>(on_reference<op::reduce_sum_square>({.inputs = {x}, .with = old({-2}, 0), .version = version}),
                      list<T>({34, 160, 0})));
    }
    if constexpr (floating<T>)
        for (const double odd : {double(quiet_nan), double(infinity)}) {
            const call c{.inputs = {list<T>({1, odd})}, .with = keep(0)};
            CHECK(same<T>(on_reference<op::reduce_l1>(c), list<T>({odd}).reshaped({})));
            CHECK(same<T>(on_reference<op::reduce_l2>(c), list<T>({odd}).reshaped({})));
            CHECK(same<T>(on_reference<op::reduce_sum_square>(c), list<T>({odd}).reshaped({})));
        }
}
TEST_CASE("Magnitudes and squares of integers wrap around, a root saturates") {
    using limits = std::numeric_limits<std::int64_t>;
    CHECK(elements<std::int64_t>(on_reference<op::reduce_l1>({{tensor({1}, {limits::min()})}}))[0] == limits::min());
    CHECK(elements<std::int64_t>(
              on_reference<op::reduce_sum_square>({{tensor({2}, {std::int64_t(1) << 32, std::int64_t(3)})}}))[0] == 9);
    CHECK(elements<std::int32_t>(on_reference<op::reduce_l2>({{tensor({2}, {2147483647, 2147483647})}}))[0] ==
          2147483647);
    CHECK(elements<std::int32_t>(on_reference<op::reduce_l2>({{tensor({2}, {1, 2})}}))[0] == 2);
}
TEMPLATE_TEST_CASE("ReduceLogSum and ReduceLogSumExp of every float type, in every version", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    const double precision = std::is_same_v<T, double>    ? 1e-15
                             : std::is_same_v<T, float>   ? 2e-7
                             : std::is_same_v<T, float16> ? 1e-3
                                                          : 8e-3;
    const tensor x = list<T>({1, 3, 0, 0.5, 0.25, 0.25}).reshaped({2, 3});
    CHECK(same<T>(on_reference<op::reduce_log_sum>({.inputs = {x, axes({1})}, .with = keep(0)}),
                  list<T>({1.3862943611198906, 0}), precision));
    CHECK(same<T>(on_reference<op::reduce_log_sum>({.inputs = {list<T>({0, -1}), axes({0})}, .with = keep(0, 1)}),
                  list<T>({quiet_nan}).reshaped({})));
    CHECK(same<T>(on_reference<op::reduce_log_sum_exp>({.inputs = {list<T>({0, 0, 1, 1}).reshaped({2, 2}), axes({1})}}),
                  list<T>({0.69314718055994531, 1.6931471805599453}).reshaped({2, 1}), precision));
    for (int version : {1, 11, 13}) {
        CHECK(same<T>(on_reference<op::reduce_log_sum>({.inputs = {x}, .with = old({1}, 1), .version = version}),
                      list<T>({1.3862943611198906, 0}).reshaped({2, 1}), precision));
        CHECK(same<T>(on_reference<op::reduce_log_sum_exp>(
                          {.inputs = {list<T>({5, 0, 5, 0}).reshaped({2, 2})}, .version = version}),
                      list<T>({5.699862529049064}).reshaped({1, 1}), precision));
    }
    for (int version : {18, 28}) {
        const auto result = [&](std::initializer_list<double> v) {
            return on_reference<op::reduce_log_sum_exp>({.inputs = {list<T>(v)}, .with = keep(0), .version = version});
        };
        const auto is = [&](const tensor& y, double expected) {
            return same<T>(y, list<T>({expected}).reshaped({}), precision);
        };
        CHECK(is(result({1000, 1000}), 1000.6931471805599));
        CHECK(is(result({-1000, -1000}), -999.30685281944005));
        CHECK(is(result({-infinity, 2}), 2));
        CHECK(is(result({2, -infinity}), 2));
        CHECK(is(result({-infinity, -infinity}), -infinity));
        CHECK(is(result({infinity, 1, infinity}), infinity));
        CHECK(is(result({quiet_nan, 1}), quiet_nan));
        CHECK(is(result({1, quiet_nan, infinity}), quiet_nan));
        CHECK(is(on_reference<op::reduce_log_sum_exp>(
                     {.inputs = {tensor(element_of<T>, {0})}, .with = keep(0), .version = version}),
                 -infinity));
        CHECK(is(on_reference<op::reduce_log_sum>(
                     {.inputs = {tensor(element_of<T>, {0})}, .with = keep(0), .version = version}),
                 -infinity));
    }
}
TEMPLATE_TEST_CASE("Logarithms of integers truncate", "", std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    CHECK(elements<T>(on_reference<op::reduce_log_sum>({.inputs = {list<T>({3, 5})}, .version = 18}))[0] == 2);
    CHECK(elements<T>(on_reference<op::reduce_log_sum_exp>({.inputs = {list<T>({3, 3})}, .version = 18}))[0] == 3);
    CHECK(elements<T>(on_reference<op::reduce_log_sum>({.inputs = {list<T>({0})}, .version = 13}))[0] ==
          std::numeric_limits<T>::lowest());
}
TEST_CASE("ReduceMax and ReduceMin of bytes and of truth") {
    CHECK(same<std::int8_t>(on_reference<op::reduce_max>({{list<std::int8_t>({-128, -1})}}), list<std::int8_t>({-1})));
    CHECK(same<std::uint8_t>(on_reference<op::reduce_min>({{list<std::uint8_t>({255, 7})}}), list<std::uint8_t>({7})));
    tensor truth = list<bool>({0, 1});
    static_cast<std::uint8_t*>(truth.data())[1] = 2;  // as true as 1
    CHECK(same<bool>(on_reference<op::reduce_max>({{truth}}), list<bool>({1})));
    CHECK(same<bool>(on_reference<op::reduce_min>({{truth}}), list<bool>({0})));
}
TEST_CASE("Reductions of integers wrap around") {
    CHECK(same<std::int32_t>(on_reference<op::reduce_sum>({{list<std::int32_t>({2147483647, 1})}}),
                             list<std::int32_t>({-2147483648.})));
    CHECK(same<std::int32_t>(on_reference<op::reduce_prod>({{list<std::int32_t>({65536, 65536, 3})}}),
                             list<std::int32_t>({0})));
}
TEMPLATE_TEST_CASE("Of nothing the sum is 0, the product 1, and an extreme what is further than any number", "", float,
                   std::int32_t, std::uint64_t) {
    using T = TestType;
    using limits = std::numeric_limits<T>;
    const call empty_call{.inputs = {tensor(element_of<T>, {0})}, .with = keep(0)};
    CHECK(elements<T>(on_reference<op::reduce_sum>(empty_call))[0] == T(0));
    CHECK(elements<T>(on_reference<op::reduce_prod>(empty_call))[0] == T(1));
    CHECK(elements<T>(on_reference<op::reduce_max>(empty_call))[0] ==
          (floating<T> ? -limits::infinity() : limits::lowest()));
    CHECK(elements<T>(on_reference<op::reduce_min>(empty_call))[0] ==
          (floating<T> ? limits::infinity() : limits::max()));
    if constexpr (floating<T>) {
        agree<op::reduce_sum>(empty_call);
        agree<op::reduce_prod>(empty_call);
        agree<op::reduce_max>(empty_call);
        agree<op::reduce_min>(empty_call);
    }
}
TEST_CASE("NaN passes through ReduceMax and ReduceMin") {
    for (const tensor& x :
         {list<float>({quiet_nan, 1, 2}), list<float>({1, quiet_nan, 2}), list<float>({1, 2, quiet_nan})}) {
        CHECK(same<float>(on_reference<op::reduce_max>({.inputs = {x}, .with = keep(0)}),
                          list<float>({quiet_nan}).reshaped({})));
        CHECK(same<float>(on_reference<op::reduce_min>({.inputs = {x}, .with = keep(0)}),
                          list<float>({quiet_nan}).reshaped({})));
        agree<op::reduce_max>({{x}});
        agree<op::reduce_min>({{x}});
    }
}
TEMPLATE_TEST_CASE("Reductions agree with the reference kernel for every set of axes, in both layouts", "",
                   op::reduce_sum, op::reduce_prod, op::reduce_max, op::reduce_min, op::reduce_l1, op::reduce_l2,
                   op::reduce_sum_square, op::reduce_log_sum, op::reduce_log_sum_exp) {
    const tensor x = random_tensor({3, 18, 5, 7}, 1, 0.8, 1.2), deep = random_tensor({2, 3, 4, 5, 6}, 2, 0.8, 1.2);
    for (int set = 0; set < 32; ++set)
        for (std::int64_t k : {0, 1}) {
            numbers axis_list;
            for (int i = 0; i < 5; ++i)
                if (set >> i & 1) axis_list.push_back(i);
            CAPTURE(set, k);
            agree<TestType>({.inputs = {deep, axes(axis_list)}, .with = keep(k, 1)}, 2e-6);
            if (set < 16) agree<TestType>({.inputs = {x, axes(axis_list)}, .with = keep(k, 1)}, 2e-6);
        }
}
TEMPLATE_TEST_CASE(
    "Reductions on the CPU and on other devices agree with the reference kernel at every tail length, NaN and "
    "infinities included",
    "", op::reduce_max, op::reduce_min, op::reduce_l1, op::reduce_l2, op::reduce_sum_square, op::reduce_log_sum,
    op::reduce_log_sum_exp) {
    for (int n = 0; n <= 67; ++n)
        for (std::int64_t axis : {0, 1, 2}) {
            CAPTURE(n, axis);
            tensor along = random_tensor({4, 3, n}, unsigned(n)), across = random_tensor({2, n, 5}, unsigned(n) + 100);
            if (std::is_same_v<TestType, op::reduce_log_sum>)
                along = random_tensor({4, 3, n}, unsigned(n), 0.1, 4),
                across = random_tensor({2, n, 5}, unsigned(n) + 100, 0.1, 4);
            agree<TestType>({.inputs = {along, axes({axis})}}, 2e-6);
            agree<TestType>({.inputs = {across, axes({axis})}, .with = keep(0)}, 2e-6);
            for (tensor* x : {&along, &across})
                for (std::int64_t i = n % 11; i < x->elements(); i += 11)
                    x->as<float>()[std::size_t(i)] = i % 3 == 0 ? quiet_nan : i % 2 ? infinity : -infinity;
            agree<TestType>({.inputs = {along, axes({axis})}}, 2e-6);
            agree<TestType>({.inputs = {across, axes({axis})}, .with = keep(0)}, 2e-6);
        }
    const tensor x = random_tensor({2, 60001}, 1, 0, 1);
    agree<TestType>({.inputs = {x, axes({1})}}, 2e-6);
    agree<TestType>({.inputs = {x.reshaped({60001, 2}), axes({0})}}, 2e-6);
}
TEST_CASE("ReduceMean refuses axes out of range and waits for axes that are not known") {
    for (std::int64_t a : {-3, 2})
        CHECK(run<op::reduce_mean, device::reference>({.inputs = {tensor(element::f32, {2, 2}), axes({a})}})
                  .answer.reason == "an axis is out of range");
    graph_data g;
    const int in = g.add_value("", element::f32, shape{2, 3}), axes = g.add_value("", element::i64, shape{1}),
              out = g.add_value("", element::f32, shape::unknown());
    g.add_node("", "ReduceMean", 18, "n", {}, std::vector{in, axes}, std::vector{out});
    const graph_view v = g.view();
    std::array<shape, 1> y{shape::unknown()};
    CHECK(op::reduce_mean::shapes({v, v.nodes[0]}, y));
    CHECK_FALSE(y[0].known());
}

TEST_CASE("ReduceMean on the CPU agrees with the reference kernel at every tail length") {
    for (int n = 0; n <= 67; ++n)
        for (std::int64_t axis : {0, 1, 2}) {
            CAPTURE(n, axis);
            agree<op::reduce_mean>({.inputs = {random_tensor({4, 3, n}, unsigned(n)), axes({axis})}}, 2e-6);
            agree<op::reduce_mean>({.inputs = {random_tensor({2, n, 5}, unsigned(n)), axes({axis})}, .with = keep(0)},
                                   2e-6);
        }
}
TEST_CASE("ReduceMean on the CPU agrees with the reference kernel for every set of axes, in both layouts") {
    const tensor x = random_tensor({3, 18, 5, 7}, 1), deep = random_tensor({2, 3, 4, 5, 6}, 2);
    for (int set = 0; set < 32; ++set)
        for (std::int64_t k : {0, 1}) {
            numbers axis_list;
            for (int i = 0; i < 5; ++i)
                if (set >> i & 1) axis_list.push_back(i);
            CAPTURE(set, k);
            agree<op::reduce_mean>({.inputs = {deep, axes(axis_list)}, .with = keep(k, 1)}, 2e-6);
            if (set < 16) agree<op::reduce_mean>({.inputs = {x, axes(axis_list)}, .with = keep(k, 1)}, 2e-6);
        }
}
TEST_CASE("ReduceMean of long rows and columns stays exact on the CPU") {
    tensor x(element::f32, {2, 300001});
    for (float& v : x.as<float>()) v = 0.1f;
    agree<op::reduce_mean>({.inputs = {x, axes({1})}}, 1e-6);
    agree<op::reduce_mean>({.inputs = {x.reshaped({300001, 2}), axes({0})}}, 1e-6);
    agree<op::reduce_mean>({.inputs = {random_tensor({128, 768}, 3), axes({-1})}}, 1e-6);
}
TEMPLATE_TEST_CASE(
    "Reductions of integers on other devices agree with the reference kernel, along memory and across it", "",
    op::reduce_mean, op::reduce_sum, op::reduce_prod, op::reduce_max, op::reduce_min, op::reduce_l1, op::reduce_l2,
    op::reduce_sum_square, op::reduce_log_sum, op::reduce_log_sum_exp) {
    const auto check = [](const shape& dims, const numbers& axis_list) {
        CAPTURE(to_string(dims), axis_list);
        const runner plain = run<TestType, device::reference>;
        const std::vector<device_runner> devices = on_test_devices<TestType>();
        agree(plain, nullptr, devices, same<std::int32_t>,
              {.inputs = {random_tensor<std::int32_t>(dims, 1, -2e9, 2e9), axes(axis_list)}, .with = keep(0)}, 0);
        agree(plain, nullptr, devices, same<std::int64_t>,
              {.inputs = {random_tensor<std::int64_t>(dims, 2, -1e12, 1e12), axes(axis_list)}}, 0);
    };
    for (int n = 0; n <= 40; ++n)
        for (std::int64_t axis : {0, 1, 2}) check({4, 3, n}, {axis});
    for (const numbers& axis_list : {numbers{0, 2}, {1, 3}, {1}, {}}) check({3, 18, 5, 7}, axis_list);
    check({2, 3001, 3}, {1});
}
