#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <on_test_devices/ml/feature_scaling.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::quiet_nan;
using elementwise::same;

namespace {
attributes reals(std::string name, std::vector<double> x, std::string second_name = "", std::vector<double> z = {}) {
    return [=](graph_data& g) {
        std::vector list{g.make(name, std::span<const double>(x))};
        if (!second_name.empty()) list.push_back(g.make(second_name, std::span<const double>(z)));
        return list;
    };
}
attributes norm(std::string name) {
    return [=](graph_data& g) { return std::vector{g.make("norm", std::string_view(name))}; };
}
}  // namespace

TEMPLATE_TEST_CASE("Binarizer, Scaler and Normalizer of every type", "", float, double, std::int64_t, std::int32_t) {
    const tensor x = list<TestType>({3, -1, 2, -4}).reshaped({2, 2});
    const auto above = [](graph_data& g) { return std::vector{g.make("threshold", 2.)}; };
    CHECK(same<TestType>(on_reference<op::binarizer>({{x}, above}), list<TestType>({1, 0, 0, 0}).reshaped({2, 2})));
    CHECK(same<float>(on_reference<op::scaler>({{x}, reals("offset", {1, -1}, "scale", {2, 0.5}), 0, {element::f32}}),
                      tensor({2, 2}, {4.f, 0.f, 2.f, -1.5f})));
    CHECK(same<float>(on_reference<op::scaler>({{x}, reals("offset", {1}), 0, {element::f32}}),
                      tensor({2, 2}, {2.f, -2.f, 1.f, -5.f})));
    CHECK(same<float>(on_reference<op::normalizer>({{x}, norm("L1"), 0, {element::f32}}),
                      tensor({2, 2}, {0.75f, -0.25f, 2 / 6.f, -4 / 6.f}), 1e-6));
    CHECK(same<float>(on_reference<op::normalizer>({{x}, norm("MAX"), 0, {element::f32}}),
                      tensor({2, 2}, {1.f, -1 / 3.f, 1.f, -2.f}), 1e-6));
    CHECK(same<float>(on_reference<op::normalizer>({{list<TestType>({3, -4, 0})}, norm("L2"), 0, {element::f32}}),
                      tensor({3}, {0.6f, -0.8f, 0.f}), 1e-6));
}
TEST_CASE("Normalizer leaves rows as they are whose divisor is 0, and takes rows of no features") {
    CHECK(same<float>(on_reference<op::normalizer>({{tensor({2, 2}, {0.f, 0.f, -1.f, 0.f})}}),
                      tensor({2, 2}, {0.f, 0.f, -1.f, 0.f})));
    CHECK(on_reference<op::normalizer>({{tensor(element::f32, {3, 0})}}).shape() == shape{3, 0});
    CHECK(on_reference<op::scaler>({{tensor(element::f32, {0, 3})}, reals("scale", {1, 2, 3})}).shape() == shape{0, 3});
}
TEST_CASE("Imputer puts one value in place of another, NaN too, one for all features or one each") {
    const tensor x({2, 2}, {quiet_nan, 1.f, 2.f, quiet_nan});
    const auto nan_to = [](std::vector<double> with) {
        return [=](graph_data& g) {
            return std::vector{g.make("replaced_value_float", double(quiet_nan)),
                               g.make("imputed_value_floats", std::span<const double>(with))};
        };
    };
    CHECK(same<float>(on_reference<op::imputer>({{x}, nan_to({7, 8})}), tensor({2, 2}, {7.f, 1.f, 2.f, 8.f})));
    CHECK(same<float>(on_reference<op::imputer>({{x}, nan_to({5})}), tensor({2, 2}, {5.f, 1.f, 2.f, 5.f})));
    const auto whole = [](std::vector<std::int64_t> with) {
        return [=](graph_data& g) {
            return std::vector{g.make("replaced_value_int64", std::int64_t(-1)),
                               g.make("imputed_value_int64s", std::span<const std::int64_t>(with))};
        };
    };
    CHECK(same<std::int64_t>(on_reference<op::imputer>({{list<std::int64_t>({-1, 4})}, whole({9})}),
                             list<std::int64_t>({9, 4})));
    CHECK(same<std::int32_t>(on_reference<op::imputer>({{list<std::int32_t>({-1, 4, -1})}, whole({1, 2, 3})}),
                             list<std::int32_t>({1, 4, 3})));
    CHECK(run<op::imputer, device::reference>({{list<std::int32_t>({1})}, whole({std::int64_t(1) << 40})})
              .answer.reason == "a value to put in does not fit the input's type");
}
TEST_CASE("Lists that do not fit the features, and norms that are none, are refused") {
    const tensor x({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    constexpr const char* unfit = "an attribute has neither one value nor one for each feature";
    CHECK(run<op::scaler, device::reference>({{x}, reals("scale", {1, 2})}).answer.reason == unfit);
    CHECK(run<op::imputer, device::reference>({{x}, reals("imputed_value_floats", {1, 2})}).answer.reason == unfit);
    CHECK(run<op::imputer, device::reference>({{x}}).answer.reason == "no values of the input's type to put in");
    CHECK(run<op::normalizer, device::reference>({{x}, norm("L3")}).answer.reason == "norm must be MAX, L1 or L2");
}
