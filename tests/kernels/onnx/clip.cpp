// Mirrors kernels/inlay/onnx/clip.hpp and kernels/inlay/cpu/onnx/clip.hpp.
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/clip.hpp>
#include <on_test_devices/onnx/clip.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

template <class T> static tensor scalar(double x) { return list<T>({x}).reshaped({}); }

TEMPLATE_TEST_CASE("Clip moves what is out of range to the nearer bound", "", float, double, float16, bfloat16,
                   std::int8_t, std::int32_t, std::int64_t) {
    using T = TestType;
    const tensor x = list<T>({-9, -2, 0, 1, 2, 3});
    CHECK(same<T>(on_reference<op::clip>({{x, scalar<T>(-2), scalar<T>(2)}}), list<T>({-2, -2, 0, 1, 2, 2})));
    CHECK(same<T>(on_reference<op::clip>({{x, operand{}, scalar<T>(1)}}), list<T>({-9, -2, 0, 1, 1, 1})));
    CHECK(same<T>(on_reference<op::clip>({{x, scalar<T>(0)}}), list<T>({0, 0, 0, 1, 2, 3})));
    CHECK(same<T>(on_reference<op::clip>({{x}}), x));
    CHECK(same<T>(on_reference<op::clip>({{x, scalar<T>(2), scalar<T>(1)}}),
                  list<T>({1, 1, 1, 1, 1, 1})));  // the upper bound wins
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
        for (const std::vector<operand>& inputs : {std::vector<operand>{x, scalar<T>(-2), scalar<T>(2)},
                                                   {x, operand{}, scalar<T>(1)},
                                                   {x, scalar<T>(0)},
                                                   {x}})
            CHECK(devices_agree<op::clip>({inputs}));
}
TEMPLATE_TEST_CASE("Clip of unsigned integers", "", std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    tensor x({3}, {T(0), T(9), std::numeric_limits<T>::max()});
    CHECK(elements<T>(on_reference<op::clip>({{x, scalar<T>(3)}}))[2] == std::numeric_limits<T>::max());
    CHECK(same<T>(on_reference<op::clip>({{x, scalar<T>(3), scalar<T>(5)}}), list<T>({3, 5, 5})));
}
TEST_CASE("Clip before version 11 reads its bounds from attributes") {
    const attributes bounds = [](graph_data& g) { return std::vector{g.make("min", -1.), g.make("max", 1.)}; };
    const attributes low = [](graph_data& g) { return std::vector{g.make("min", -1.)}; };
    for (int version : {1, 6}) {
        CHECK(same<float>(on_reference<op::clip>(
                              {.inputs = {list<float>({-3, 0, 3, quiet_nan})}, .with = bounds, .version = version}),
                          list<float>({-1, 0, 1, quiet_nan})));
        CHECK(same<double>(on_reference<op::clip>({.inputs = {list<double>({-3, 3})}, .with = low, .version = version}),
                           list<double>({-1, 3})));
        agree<op::clip>({.inputs = {random_tensor({37}, 1)}, .with = bounds, .version = version});
    }
}
TEST_CASE("Clip by default has the finite numbers as its range") {
    CHECK(same<float>(on_reference<op::clip>({{list<float>({-infinity, infinity, quiet_nan})}}),
                      tensor({3}, {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), quiet_nan})));
    CHECK(same<float16>(on_reference<op::clip>({{list<float16>({-infinity, infinity})}}),
                        list<float16>({-65504, 65504})));
}
TEST_CASE("Clip of a constant is plain, whatever layout its bounds have") {
    call c{{operand::weight(random_tensor({1, 3, 2, 2}, 1, -3, 3)), list<float>({-1}).reshaped({1, 1, 1, 1}),
            list<float>({1}).reshaped({1, 1, 1, 1})}};
    c.in = layout::channels_last;
    agree<op::clip>(c);
}
TEST_CASE("Clip refuses bounds that are no scalars") {
    CHECK(!run<op::clip, device::reference>({{list<float>({1, 2}), list<float>({1, 2})}}).answer);
    CHECK(!run<op::clip, device::reference>({{list<float>({1, 2}), operand{}, list<float>({})}}).answer);
}
TEST_CASE("Clip on the CPU agrees with the reference kernel at every tail length") {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor x = random_tensor({n}, unsigned(n));
        const float unusual[] = {quiet_nan, infinity, -infinity, -0.f};
        for (int i = 0; i < n; i += 5) x.as<float>()[std::size_t(i)] = unusual[i % 4];
        agree<op::clip>({{x, scalar<float>(-1), operand::weight(scalar<float>(2))}});
        agree<op::clip>({{x, scalar<float>(0)}});
    }
    agree<op::clip>({{random_tensor({2, 3, 5, 7}, 1), scalar<float>(0), scalar<float>(6)}});
    agree<op::clip>({{random_tensor({50000}, 1), scalar<float>(0), scalar<float>(6)}});
    agree<op::clip>({{random_tensor({20}, 1), scalar<float>(quiet_nan), scalar<float>(6)}});
    agree<op::clip>({{random_tensor({20}, 1), scalar<float>(0), scalar<float>(quiet_nan)}});
}
