// Mirrors kernels/inlay/microsoft/gelu.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/microsoft/gelu.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
constexpr double phi1 = 0.8413447460685429, phi2 = 0.9772498680518208;  // of the normal distribution, up to 1 and 2
template <class T>
inline constexpr double tolerance = std::is_same_v<T, bfloat16>  ? 8e-3
                                    : std::is_same_v<T, float16> ? 1e-3
                                                                 : 1e-6;
}  // namespace

TEMPLATE_TEST_CASE("The forms of Gelu that com.microsoft has", "", float, double, float16, bfloat16) {
    using T = TestType;
    const auto of = [](std::initializer_list<double> v) { return list<T>(v).reshaped({2, 2}); };
    const tensor x = of({1, -1, 0, 2}), bias = list<T>({1, -1});
    const double p = tolerance<T>;
    CHECK(same<T>(on_reference<op::microsoft_gelu>({{x}}), of({phi1, phi1 - 1, 0, 2 * phi2}), p));
    CHECK(same<T>(on_reference<op::bias_gelu>({{x, bias}}), of({2 * phi2, 2 * phi2 - 2, phi1, phi1}), p));
    CHECK(same<T>(on_reference<op::fast_gelu>({{x}}), of({0.841192, -0.158808, 0, 1.954598}), p));
    CHECK(same<T>(on_reference<op::fast_gelu>({{x, bias}}), of({1.954598, -0.045402, 0.841192, 0.841192}), p));
    CHECK(same<T>(on_reference<op::quick_gelu>({{x}}), of({0.845796, -0.154204, 0, 1.935660}), p));
    CHECK(same<T>(on_reference<op::bias_split_gelu>({{x, list<T>({1, 2})}}),
                  list<T>({2 * phi1, 3.9998733}).reshaped({2, 1}), p));
    CHECK(same<T>(on_reference<op::bias_add>({{x, bias, of({1, 2, 3, 4})}}), of({3, 0, 4, 5})));
}
TEST_CASE("com.microsoft's Gelu carries NaN through, and refuses a bias that does not fit") {
    const tensor x = list<float>({quiet_nan, 1}).reshaped({1, 2});
    CHECK(same<float>(on_reference<op::bias_add>({{x, list<float>({1, 2}), x}}),
                      list<float>({quiet_nan, 4}).reshaped({1, 2})));
    CHECK(run<op::bias_gelu, device::reference>({{x, list<float>({1, 2, 3})}}).answer.reason ==
          "the bias has another length than the last axis");
    CHECK(run<op::bias_gelu, device::reference>({{x, x}}).answer.reason == "the bias must have one axis");
    CHECK(run<op::bias_gelu, device::reference>({{x}}).answer.reason == "the bias is missing");
    CHECK(run<op::bias_gelu, device::reference>({{x, list<double>({1, 2})}}).answer.reason ==
          "input and bias must have one type");
    CHECK(run<op::bias_add, device::reference>({{x, list<float>({1, 2}), list<float>({1, 2})}}).answer.reason ==
          "input and skip differ in shape");
    CHECK(
        run<op::bias_split_gelu, device::reference>({{list<float>({1, 2, 3}), list<float>({1, 2, 3})}}).answer.reason ==
        "the last axis must be even");
    CHECK(on_reference<op::bias_gelu>({{tensor(element::f32, {0, 2}), list<float>({1, 2})}}).shape() == shape{0, 2});
    CHECK(same<float>(on_reference<op::fast_gelu>({{tensor(shape{}, {1.f})}}), tensor(shape{}, {.841192f}), 1e-6));
    CHECK(run<op::fast_gelu, device::reference>({{tensor(shape{}, {1.f}), list<float>({1})}}).answer.reason ==
          "the input has no axis");
}
