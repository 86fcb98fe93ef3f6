#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <on_test_devices/ml/feature_vectorizer.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::same;

namespace {
outcome joined(std::vector<operand> inputs, std::vector<std::int64_t> widths = {}) {
    return run<op::feature_vectorizer, device::reference>(
        {std::move(inputs),
         [=](graph_data& g) {
             std::vector<attribute> entries;
             if (!widths.empty()) entries.push_back(g.make("inputdimensions", std::span<const std::int64_t>(widths)));
             return entries;
         },
         0,
         {element::f32}});
}
}  // namespace
TEMPLATE_TEST_CASE("FeatureVectorizer puts features side by side as floats", "", float, double, std::int64_t,
                   std::int32_t) {
    const tensor a = list<TestType>({1, 2, 3, 4}).reshaped({2, 2}), b = list<TestType>({5, 6}).reshaped({2, 1});
    CHECK(same<float>(joined({a, b}, {2, 1})[0], tensor({2, 3}, {1.f, 2.f, 5.f, 3.f, 4.f, 6.f})));
    CHECK(same<float>(joined({list<TestType>({1, 2}), list<TestType>({3})})[0], tensor({1, 3}, {1.f, 2.f, 3.f})));
    CHECK(same<float>(joined({a.reshaped({2, 1, 2}), b.reshaped({2, 1, 1})}, {2, 1})[0],
                      tensor({2, 3}, {1.f, 2.f, 5.f, 3.f, 4.f, 6.f})));
    CHECK(joined({tensor(element_of<TestType>, {0, 2}), tensor(element_of<TestType>, {0, 3})})[0].shape() ==
          shape{0, 5});
}
TEST_CASE("FeatureVectorizer refuses inputs that do not fit each other") {
    const tensor a({2, 1}, {1.f, 2.f});
    CHECK(joined({a, tensor({1, 1}, {1.f})}).answer.reason == "the inputs differ in rows");
    CHECK(joined({a, tensor({2, 1}, {1, 2})}).answer.reason == "the inputs differ in type");
    CHECK(joined({a, a}, {1}).answer.reason == "inputdimensions has not one number for each input");
    CHECK(joined({a, a}, {1, 2}).answer.reason == "inputdimensions differ from the inputs' features");
    CHECK(joined({a, operand()}).answer.reason == "an input is missing");
}
