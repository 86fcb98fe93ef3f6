// Mirrors kernels/inlay/onnx/unary.hpp and kernels/inlay/cpu/onnx/unary.hpp.
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/unary.hpp>
#include <on_test_devices/onnx/unary.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("Relu keeps positives, clears negatives and passes NaN", "", float, double, float16, bfloat16) {
    CHECK(same<TestType>(on_reference<op::relu>({{list<TestType>({-2, 0, 3, -infinity, infinity, quiet_nan})}}),
                         list<TestType>({0, 0, 3, 0, infinity, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::relu>({.inputs = {list<TestType>({-1, 1})}, .version = 1}),
                         list<TestType>({0, 1})));
}
TEMPLATE_TEST_CASE("Relu of integers keeps the extremes", "", std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
    using limits = std::numeric_limits<TestType>;
    const tensor x({4}, {limits::min(), TestType(-1), TestType(7), limits::max()});
    CHECK(elements<TestType>(on_reference<op::relu>({{x}}))[3] == limits::max());
    CHECK(elements<TestType>(on_reference<op::relu>({{x}}))[0] == 0);
    CHECK(elements<TestType>(on_reference<op::relu>({{x}}))[2] == 7);
}
TEMPLATE_TEST_CASE("Sigmoid, Tanh, Erf and Sqrt give their known values", "", float, double, float16, bfloat16) {
    const double precision = std::is_same_v<TestType, double>    ? 1e-15
                             : std::is_same_v<TestType, float>   ? 2e-7
                             : std::is_same_v<TestType, float16> ? 1e-3
                                                                 : 8e-3;
    const tensor x = list<TestType>({-infinity, -1, 0, 0.5, infinity, quiet_nan});
    CHECK(same<TestType>(on_reference<op::sigmoid>({{x}}),
                         list<TestType>({0, 0.26894142136999512, 0.5, 0.62245933120185456, 1, quiet_nan}), precision));
    CHECK(same<TestType>(on_reference<op::tanh>({{x}}),
                         list<TestType>({-1, -0.76159415595576489, 0, 0.46211715726000976, 1, quiet_nan}), precision));
    CHECK(same<TestType>(on_reference<op::erf>({{x}}),
                         list<TestType>({-1, -0.84270079294971487, 0, 0.52049987781304654, 1, quiet_nan}), precision));
    CHECK(same<TestType>(on_reference<op::sqrt>({{list<TestType>({0, 2.25, infinity, -1, quiet_nan})}}),
                         list<TestType>({0, 1.5, infinity, quiet_nan, quiet_nan}), precision));
}
TEMPLATE_TEST_CASE("HardSigmoid and HardSwish bend where their formulas say", "", float, double, float16, bfloat16) {
    const tensor x = list<TestType>({-infinity, -4, -1, 0, 1, 4, infinity, quiet_nan});
    CHECK(same<TestType>(on_reference<op::hard_sigmoid>({{x}}), list<TestType>({0, 0, 0.3, 0.5, 0.7, 1, 1, quiet_nan}),
                         4e-3));
    const attributes with = [](graph_data& g) { return std::vector{g.make("alpha", 0.25), g.make("beta", 0.25)}; };
    CHECK(same<TestType>(on_reference<op::hard_sigmoid>({.inputs = {x}, .with = with}),
                         list<TestType>({0, 0, 0, 0.25, 0.5, 1, 1, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::hard_swish>({{x}}),
                         list<TestType>({quiet_nan, -0.0, -1. / 3, 0, 2. / 3, 4, infinity, quiet_nan}), 4e-3));
}
TEMPLATE_TEST_CASE("Exp, Log, Sin, Cos, Softplus and Reciprocal give their known values", "", float, double, float16,
                   bfloat16) {
    const double precision = std::is_same_v<TestType, double>    ? 1e-15
                             : std::is_same_v<TestType, float>   ? 2e-7
                             : std::is_same_v<TestType, float16> ? 1e-3
                                                                 : 8e-3;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const tensor x = list({-infinity, -1, 0, 0.5, infinity, quiet_nan});
    CHECK(same<TestType>(on_reference<op::exp>({{x}}),
                         list({0, 0.36787944117144233, 1, 1.6487212707001282, infinity, quiet_nan}), precision));
    CHECK(same<TestType>(on_reference<op::log>({{x}}),
                         list({quiet_nan, quiet_nan, -infinity, -0.69314718055994531, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::sin>({{x}}),
                         list({quiet_nan, -0.84147098480789651, 0, 0.47942553860420301, quiet_nan, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::cos>({{x}}),
                         list({quiet_nan, 0.54030230586813972, 1, 0.87758256189037271, quiet_nan, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::softplus>({{x}}),
                         list({0, 0.31326168751822286, 0.69314718055994531, 0.97407698418010669, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::reciprocal>({{list({-infinity, -4, 0, -0., 0.5, quiet_nan})}}),
                         list({-0., -0.25, infinity, -infinity, 2, quiet_nan}), precision));
}
TEMPLATE_TEST_CASE("Neg, Abs, Sign, Floor, Ceil and Round, which takes ties to even", "", float, double, float16,
                   bfloat16) {
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const tensor x = list({-infinity, -2.5, -1.5, -0.25, -0., 0, 0.5, 1.5, 2.75, infinity, quiet_nan});
    CHECK(same<TestType>(on_reference<op::neg>({{x}}),
                         list({infinity, 2.5, 1.5, 0.25, 0, -0., -0.5, -1.5, -2.75, -infinity, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::abs>({{x}}),
                         list({infinity, 2.5, 1.5, 0.25, 0, 0, 0.5, 1.5, 2.75, infinity, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::sign>({{x}}), list({-1, -1, -1, -1, 0, 0, 1, 1, 1, 1, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::floor>({{x}}),
                         list({-infinity, -3, -2, -1, -0., 0, 0, 1, 2, infinity, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::ceil>({{x}}),
                         list({-infinity, -2, -1, -0., -0., 0, 1, 2, 3, infinity, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::round>({{x}}),
                         list({-infinity, -2, -2, -0., -0., 0, 0, 2, 3, infinity, quiet_nan})));
}
TEMPLATE_TEST_CASE("Neg, Abs and Sign of signed integers: the least is its own negative", "", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t) {
    const TestType least = std::numeric_limits<TestType>::min();
    const tensor x({4}, {least, TestType(-3), TestType(0), TestType(7)});
    CHECK(same<TestType>(on_reference<op::neg>({{x}}), tensor({4}, {least, TestType(3), TestType(0), TestType(-7)})));
    CHECK(same<TestType>(on_reference<op::abs>({{x}}), tensor({4}, {least, TestType(3), TestType(0), TestType(7)})));
    CHECK(same<TestType>(on_reference<op::sign>({{x}}),
                         tensor({4}, {TestType(-1), TestType(-1), TestType(0), TestType(1)})));
    if constexpr (sizeof(TestType) >= 4)
        for (int n = 0; n <= 9; ++n) {
            tensor y = random_tensor<TestType>({n}, unsigned(n), -2e9, 2e9);
            if (n > 2) y.as<TestType>()[2] = least;
            CHECK(devices_agree<op::relu>({{y}}));
            CHECK(devices_agree<op::neg>({{y}}));
            CHECK(devices_agree<op::abs>({{y}}));
            CHECK(devices_agree<op::sign>({{y}}));
        }
}
TEMPLATE_TEST_CASE("Abs and Sign of unsigned integers", "", std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    const tensor x({2}, {TestType(0), std::numeric_limits<TestType>::max()});
    CHECK(same<TestType>(on_reference<op::abs>({{x}}), x));
    CHECK(same<TestType>(on_reference<op::sign>({{x}}), tensor({2}, {TestType(0), TestType(1)})));
}
TEMPLATE_TEST_CASE("LeakyRelu, Elu and Selu bend at 0", "", float, double, float16, bfloat16) {
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const double precision = std::is_same_v<TestType, bfloat16>  ? 8e-3
                             : std::is_same_v<TestType, float16> ? 1e-3
                                                                 : 2e-7;
    const tensor x = list({-infinity, -1, -0., 2, infinity, quiet_nan});
    CHECK(same<TestType>(on_reference<op::leaky_relu>({{x}}), list({-infinity, -0.01f, -0., 2, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::elu>({{x}}), list({-1, -0.63212055882855768, -0., 2, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::selu>({{x}}),
                         list({-1.7580993408473766, -1.1113307378125628, -0., 2.1014019742642864, infinity, quiet_nan}),
                         precision));
    const attributes with = [](graph_data& g) { return std::vector{g.make("alpha", 0.5), g.make("gamma", 2.)}; };
    CHECK(same<TestType>(on_reference<op::leaky_relu>({.inputs = {x}, .with = with}),
                         list({-infinity, -0.5, -0., 2, infinity, quiet_nan}), precision));
    CHECK(same<TestType>(on_reference<op::elu>({.inputs = {x}, .with = with}),
                         list({-0.5, -0.31606027941427884, -0., 2, infinity, quiet_nan}), precision));
    CHECK(same<TestType>(on_reference<op::selu>({.inputs = {x}, .with = with}),
                         list({-1, -0.63212055882855768, -0., 4, infinity, quiet_nan}), precision));
}
TEMPLATE_TEST_CASE("Gelu, Mish, Swish and Softsign give their known values", "", float, double, float16, bfloat16) {
    const double precision = std::is_same_v<TestType, double>    ? 1e-14
                             : std::is_same_v<TestType, float>   ? 2e-7
                             : std::is_same_v<TestType, float16> ? 1e-3
                                                                 : 8e-3;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const tensor x = list({-infinity, -1, 0, 0.5, 3, infinity, quiet_nan});
    const attributes by_tanh = [](graph_data& g) {
        return std::vector{g.make("approximate", std::string_view("tanh"))};
    };
    CHECK(same<TestType>(
        on_reference<op::gelu>({{x}}),
        list({quiet_nan, -0.15865525393145707, 0, 0.34573123063700656, 2.99595030590511, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(
        on_reference<op::gelu>({.inputs = {x}, .with = by_tanh}),
        list({quiet_nan, -0.15880800939172324, 0, 0.34571400982514394, 2.996362607918227, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(
        on_reference<op::mish>({{x}}),
        list({quiet_nan, -0.30340146137410895, 0, 0.3752452113048951, 2.9865350049679575, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(
        on_reference<op::swish>({{x}}),
        list({quiet_nan, -0.26894142136999512, 0, 0.31122966560092727, 2.8577223804672998, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(on_reference<op::softsign>({{x}}),
                         list({quiet_nan, -0.5, 0, 1. / 3, 0.75, quiet_nan, quiet_nan}), precision));
    const attributes twice = [](graph_data& g) { return std::vector{g.make("alpha", 2.)}; };
    CHECK(same<TestType>(on_reference<op::swish>({.inputs = {list({-1, 0.5})}, .with = twice}),
                         list({-0.11920292202211755, 0.36552928931500244}), precision));
    CHECK(same<TestType>(on_reference<op::softsign>({.inputs = {list({-1})}, .version = 1}), list({-0.5})));
}
TEST_CASE("Gelu refuses an approximation that it does not know") {
    const attributes with = [](graph_data& g) { return std::vector{g.make("approximate", std::string_view("Tanh"))}; };
    CHECK(run<op::gelu, device::reference>({.inputs = {list<float>({1})}, .with = with}).answer.reason ==
          "approximate must be none or tanh");
    CHECK_FALSE(run<op::gelu, device::cpu>({.inputs = {list<float>({1})}, .with = with}).answer);
}
TEMPLATE_TEST_CASE("Celu, ThresholdedRelu and Shrink bend where their formulas say", "", float, double, float16,
                   bfloat16) {
    const double precision = std::is_same_v<TestType, bfloat16>  ? 8e-3
                             : std::is_same_v<TestType, float16> ? 1e-3
                                                                 : 2e-7;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const tensor x = list({-infinity, -1, -0.25, 0, 1, 2, infinity, quiet_nan});
    const auto with = [](const char* name, double value, const char* second_name = "",
                         double second = 0) -> attributes {
        return [=](graph_data& g) {
            return std::vector{g.make(std::string_view(name), value), g.make(std::string_view(second_name), second)};
        };
    };
    CHECK(same<TestType>(on_reference<op::celu>({.inputs = {x}, .with = with("alpha", 0)}),
                         list({-0., -0., -0., 0, 1, 2, infinity, quiet_nan})));
    CHECK(same<TestType>(on_reference<op::celu>({{x}}),
                         list({-1, -0.63212055882855768, -0.22119921692859512, 0, 1, 2, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::celu>({.inputs = {x}, .with = with("alpha", 2)}),
                         list({-2, -0.78693868057473315, -0.23500619483080887, 0, 1, 2, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(on_reference<op::thresholded_relu>({{x}}), list({0, 0, 0, 0, 0, 2, infinity, 0})));
    CHECK(same<TestType>(on_reference<op::thresholded_relu>({.inputs = {x}, .with = with("alpha", -0.5)}),
                         list({0, 0, -0.25, 0, 1, 2, infinity, 0})));
    CHECK(same<TestType>(on_reference<op::shrink>({{x}}), list({-infinity, -1, 0, 0, 1, 2, infinity, 0})));
    CHECK(same<TestType>(on_reference<op::shrink>({.inputs = {x}, .with = with("lambd", 1, "bias", 0.5)}),
                         list({-infinity, 0, 0, 0, 0, 1.5, infinity, 0})));
}
TEMPLATE_TEST_CASE("Shrink of integers", "", std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const attributes with =
                         [](graph_data&g) {
                             return std::vector{g.make("lambd", 1.5), g.make("bias", 1.5)};
                         },
                     hostile = [](graph_data&g) { return std::vector{g.make("bias", 1e30)}; };
    CHECK(same<T>(on_reference<op::shrink>({.inputs = {list<T>({0, 1, 2, 7})}, .with = with}), list<T>({0, 0, 0, 5})));
    CHECK(same<T>(on_reference<op::shrink>({{list<T>({0, 1, 7})}}), list<T>({0, 1, 7})));
    if constexpr (std::is_signed_v<T>)
        CHECK(
            same<T>(on_reference<op::shrink>({.inputs = {list<T>({-1, -2, -7})}, .with = with}), list<T>({0, 0, -5})));
    CHECK(elements<T>(on_reference<op::shrink>({.inputs = {list<T>({7})}, .with = hostile}))[0] ==
          std::numeric_limits<T>::lowest());
}
TEMPLATE_TEST_CASE("Tan, the inverse and the hyperbolic functions give their known values", "", float, double, float16,
                   bfloat16) {
    const double precision = std::is_same_v<TestType, double>    ? 1e-14
                             : std::is_same_v<TestType, float>   ? 3e-7
                             : std::is_same_v<TestType, float16> ? 1e-3
                                                                 : 8e-3;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<TestType>(v); };
    const tensor x = list({-infinity, -0.5, -0., 0.5, 2, infinity, quiet_nan});
    CHECK(same<TestType>(
        on_reference<op::tan>({{x}}),
        list({quiet_nan, -0.54630248984379051, -0., 0.54630248984379051, -2.1850398632615190, quiet_nan, quiet_nan}),
        precision));
    CHECK(same<TestType>(
        on_reference<op::asin>({{x}}),
        list({quiet_nan, -0.52359877559829887, -0., 0.52359877559829887, quiet_nan, quiet_nan, quiet_nan}), precision));
    CHECK(same<TestType>(
        on_reference<op::acos>({{x}}),
        list({quiet_nan, 2.0943951023931957, 1.5707963267948966, 1.0471975511965979, quiet_nan, quiet_nan, quiet_nan}),
        precision));
    CHECK(same<TestType>(on_reference<op::atan>({{x}}),
                         list({-1.5707963267948966, -0.46364760900080609, -0., 0.46364760900080609, 1.1071487177940904,
                               1.5707963267948966, quiet_nan}),
                         precision));
    CHECK(same<TestType>(
        on_reference<op::sinh>({{x}}),
        list({-infinity, -0.52109530549374738, -0., 0.52109530549374738, 3.6268604078470186, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(
        on_reference<op::cosh>({{x}}),
        list({infinity, 1.1276259652063807, 1, 1.1276259652063807, 3.7621956910836314, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(
        on_reference<op::asinh>({{x}}),
        list({-infinity, -0.48121182505960347, -0., 0.48121182505960347, 1.4436354751788103, infinity, quiet_nan}),
        precision));
    CHECK(same<TestType>(on_reference<op::acosh>({{x}}),
                         list({quiet_nan, quiet_nan, quiet_nan, quiet_nan, 1.3169578969248166, infinity, quiet_nan}),
                         precision));
    CHECK(same<TestType>(
        on_reference<op::atanh>({{x}}),
        list({quiet_nan, -0.54930614433405489, -0., 0.54930614433405489, quiet_nan, quiet_nan, quiet_nan}), precision));
}
TEST_CASE("Not takes every byte but 0 for true") {
    tensor x = list<bool>({0, 1, 0});
    static_cast<std::uint8_t*>(x.data())[2] = 2;
    CHECK(same<bool>(on_reference<op::logical_not>({{x}}), list<bool>({1, 0, 0})));
    agree<op::logical_not, bool>({{x}});
}
TEST_CASE("Element-wise functions keep the shape, empty ones too") {
    CHECK(on_reference<op::tanh>({{tensor(element::f32, {2, 0, 3})}}).shape() == shape{2, 0, 3});
    CHECK(on_reference<op::tanh>({{tensor(element::f32, {})}}).shape() == shape{});
    agree<op::sigmoid>({{tensor(element::f32, {2, 0, 3})}});
    agree<op::sigmoid>({{tensor(element::f32, {})}});
}

TEMPLATE_TEST_CASE("Element-wise functions on the CPU agree with the reference kernel at every tail length", "",
                   op::relu, op::sigmoid, op::tanh, op::erf, op::sqrt, op::hard_sigmoid, op::hard_swish, op::exp,
                   op::log, op::neg, op::abs, op::reciprocal, op::leaky_relu, op::elu, op::selu, op::softplus, op::sign,
                   op::sin, op::cos, op::floor, op::ceil, op::round, op::gelu, op::mish, op::swish, op::softsign,
                   op::celu, op::thresholded_relu, op::shrink, op::tan, op::asin, op::acos, op::atan, op::sinh,
                   op::cosh, op::asinh, op::acosh, op::atanh) {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor x = random_tensor({n}, unsigned(n));
        const float unusual[] = {quiet_nan, infinity, -infinity, -0.f, 1e-40f, -1e-40f};
        for (int i = 0; i < n; i += 5) x.as<float>()[std::size_t(i)] = unusual[i % 6];
        agree<TestType>({{x}}, 4e-7);
    }
    agree<TestType>({{random_tensor({2, 3, 5, 7}, 1)}}, 4e-7);
    agree<TestType>({{random_tensor({70001}, 2)}}, 4e-7);
}
TEST_CASE("Gelu by tanh, and Swish with another alpha, on the CPU agree with the reference kernel") {
    const attributes by_tanh =
                         [](graph_data&g) { return std::vector{g.make("approximate", std::string_view("tanh"))}; },
                     alpha = [](graph_data&g) { return std::vector{g.make("alpha", -1.75)}; };
    for (int n : {0, 1, 3, 16, 67, 70001}) {
        CAPTURE(n);
        agree<op::gelu>({.inputs = {random_tensor({n}, unsigned(n), -12, 12)}, .with = by_tanh}, 4e-7);
        agree<op::swish>({.inputs = {random_tensor({n}, unsigned(n), -12, 12)}, .with = alpha}, 4e-7);
    }
}
TEST_CASE("Element-wise functions of the CPU work in place") {
    for (isa::level level : tested_levels())
        for (int n = 0; n <= 67; ++n) {
            CAPTURE(isa::name_of(level), n);
            tensor x = random_tensor({n}, unsigned(n)), y(element::f32, {n});
            unary_f32(level).tanh(x.as<float>().data(), y.as<float>().data(), n, 0, 0);
            unary_f32(level).tanh(x.as<float>().data(), x.as<float>().data(), n, 0, 0);
            CHECK(same<float>(x, y));
        }
}
TEST_CASE("Results do not depend on the number of threads") {
    const call single{.inputs = {random_tensor({100003}, 3)}};
    call three = single;
    three.threads = 3;
    CHECK(same<float>(run<op::erf, device::cpu>(three)[0], run<op::erf, device::cpu>(single)[0]));
}

TEMPLATE_TEST_CASE("Floor, Ceil, Round, Sign and Abs on the CPU are exact over all floats", "", op::floor, op::ceil,
                   op::round, op::sign, op::abs) {
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < std::uint64_t(1) << 32; bits += 65537)
        x.push_back(std::bit_cast<float>(std::uint32_t(bits)));
    for (float at : {0.5f, 1.5f, 2.5f, 0.49999997f, 8388607.5f, 8388609.f, 2147483648.f, 3e9f})
        x.insert(x.end(), {at, -at});
    agree<TestType>({{tensor({std::int64_t(x.size())}, x)}}, 0);
}

// Distance to the exact result in units of the last place, subnormal results included.
static double ulps(float result, double exact) {
    if (std::isnan(exact) || std::isinf(exact) || exact == 0)
        return (std::isnan(exact) ? std::isnan(result)
                                  : double(result) == exact && std::signbit(result) == std::signbit(exact))
                   ? 0
                   : 1e9;
    return std::abs(result - exact) / std::ldexp(1., std::max(std::ilogb(static_cast<float>(exact)) - 23, -149));
}
struct exact_function {
    const char* name;
    unary_f32_table::map (*of)(isa::level);
    double (*exact)(double);
    float from = -infinity;
};
template <auto Family, auto Function> unary_f32_table::map of(isa::level l) { return Family(l).*Function; }
constexpr float special_floats[] = {0.f,
                                    -0.f,
                                    infinity,
                                    -infinity,
                                    quiet_nan,
                                    1e-45f,
                                    -1e-45f,
                                    88.f,
                                    -88.f,
                                    -104.f,
                                    9.02f,
                                    3.85f,
                                    88.7228f,
                                    88.7229f,
                                    89.f,
                                    1e-38f,
                                    1.17549435e-38f,
                                    1.f,
                                    0.99999994f,
                                    1.0000001f,
                                    0.70710677f,
                                    0.70710683f,
                                    1.4142135f,
                                    3.4028235e38f,
                                    11999.f,
                                    -11999.f,
                                    12001.f,
                                    1.5707964f,
                                    3.1415927f,
                                    4096.f,
                                    4097.f,
                                    0.5f,
                                    0.50000006f,
                                    -0.5f,
                                    -1.f,
                                    0.41421357f,
                                    2.4142137f,
                                    10.f,
                                    89.4159851f,
                                    89.4159927f,
                                    89.5f};  // at and next to the limits of one formula's range
// The functions of the CPU are within 4 units in the last place over all of float32, at every level.
static void check_units(std::initializer_list<exact_function> functions) {
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < std::uint64_t(1) << 32; bits += 8191)
        x.push_back(std::bit_cast<float>(std::uint32_t(bits)));
    x.insert(x.end(), std::begin(special_floats), std::end(special_floats));
    std::vector<float> y(x.size());
    for (const auto& f : functions)
        for (isa::level level : tested_levels()) {
            f.of(level)(x.data(), y.data(), std::int64_t(x.size()), 1, 1);
            double worst = 0;
            float at = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (x[i] < f.from) continue;
                const double exact = f.exact(x[i]);
                const float rounded = static_cast<float>(exact);
                if (const double e = ulps(y[i], rounded == 0 || std::isinf(rounded) ? rounded : exact); !(e <= worst)) {
                    worst = e;
                    at = x[i];
                }
            }
            CAPTURE(f.name, isa::name_of(level), at);
            CHECK(worst <= 4);
        }
}
TEST_CASE(
    "Exp, Log, Elu, Sigmoid, Tanh, Erf, Softplus, Mish, Softsign and Swish are within 4 units in the last place over "
    "all floats") {
    check_units(
        {{"exp", of<unary_f32, &unary_f32_table::exp>, [](double x) { return std::exp(x); }},
         {"log", of<unary_f32, &unary_f32_table::log>, [](double x) { return std::log(x); }},
         {"mish", of<unary_f32, &unary_f32_table::mish>,
          [](double x) { return x * std::tanh(std::max(x, 0.) + std::log1p(std::exp(-std::abs(x)))); },
          -87.f},  // below, e^x is subnormal and times x
         {"softsign", of<unary_f32, &unary_f32_table::softsign>, [](double x) { return x / (1 + std::abs(x)); }},
         {"swish", of<unary_f32, &unary_f32_table::swish>,
          [](double x) { return x < 0 ? x * (std::exp(x) / (1 + std::exp(x))) : x / (1 + std::exp(-x)); }, -87.f},
         {"softplus", of<unary_f32, &unary_f32_table::softplus>,
          [](double x) { return std::max(x, 0.) + std::log1p(std::exp(-std::abs(x))); }},
         {"elu", of<unary_f32, &unary_f32_table::elu>, [](double x) { return x < 0 ? std::expm1(x) : x; }},
         {"sigmoid", of<unary_f32, &unary_f32_table::sigmoid>, [](double x) { return 1 / (1 + std::exp(-x)); }},
         {"tanh", of<unary_f32, &unary_f32_table::tanh>, [](double x) { return std::tanh(x); }},
         {"erf", of<unary_f32, &unary_f32_table::erf>, [](double x) { return std::erf(x); }}});
}
TEST_CASE(
    "Sin, Cos, Tan, Sinh, Cosh and their inverses, and that of Tanh, are within 4 units in the last place over all "
    "floats") {
    check_units({{"sin", of<circular_f32, &circular_f32_table::sin>, [](double x) { return std::sin(x); }},
                 {"cos", of<circular_f32, &circular_f32_table::cos>, [](double x) { return std::cos(x); }},
                 {"tan", of<circular_f32, &circular_f32_table::tan>, [](double x) { return std::tan(x); }},
                 {"asin", of<arc_f32, &arc_f32_table::asin>, [](double x) { return std::asin(x); }},
                 {"acos", of<arc_f32, &arc_f32_table::acos>, [](double x) { return std::acos(x); }},
                 {"atan", of<arc_f32, &arc_f32_table::atan>, [](double x) { return std::atan(x); }},
                 {"sinh", of<hyperbolic_f32, &hyperbolic_f32_table::sinh>, [](double x) { return std::sinh(x); }},
                 {"cosh", of<hyperbolic_f32, &hyperbolic_f32_table::cosh>, [](double x) { return std::cosh(x); }},
                 {"asinh", of<hyperbolic_f32, &hyperbolic_f32_table::asinh>, [](double x) { return std::asinh(x); }},
                 {"acosh", of<hyperbolic_f32, &hyperbolic_f32_table::acosh>, [](double x) { return std::acosh(x); }},
                 {"atanh", of<hyperbolic_f32, &hyperbolic_f32_table::atanh>, [](double x) { return std::atanh(x); }}});
}
TEMPLATE_TEST_CASE("Erf of integers is truncated: 1 where a double cannot tell it from 1", "", std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    const auto y = run<op::erf, device::reference>({.inputs = {elementwise::list<TestType>({0, 1, 5, 6, 100})}});
    REQUIRE(y.code == status::ok);
    CHECK(elementwise::same<TestType>(y[0], elementwise::list<TestType>({0, 0, 0, 1, 1})));
    if (std::is_signed_v<TestType>)
        CHECK(elementwise::same<TestType>(
            run<op::erf, device::reference>({.inputs = {elementwise::list<TestType>({-1, -5, -6, -100})}})[0],
            elementwise::list<TestType>({0, 0, -1, -1})));
}
