#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/ml/array_feature_extractor.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome taken(const tensor& x, const tensor& places) {
    return run_everywhere<op::array_feature_extractor>({{x, places}});
}
}  // namespace
TEST_CASE("ArrayFeatureExtractor takes places of the last axis") {
    CHECK(same(taken(numbers({2, 3}), list({2, 0}))[0], tensor({2, 2}, {2.f, 0.f, 5.f, 3.f})));
    CHECK(same(taken(numbers({3}), list({1, 1}).reshaped({1, 2}))[0], tensor({1, 2}, {1.f, 1.f})));
    CHECK(taken(numbers({2, 0}), list({}))[0].shape() == shape{2, 0});
    for (const element e : {element::f32, element::f64, element::i64, element::i32, element::string}) {
        const tensor x = noise(e, {2, 2, 3}), y = taken(x, list({1}))[0];
        for (int i = 0; i < 4; ++i) CHECK(bits_at(y, i) == bits_at(x, 3 * i + 1));
    }
}
TEST_CASE("ArrayFeatureExtractor refuses places outside, and a number") {
    CHECK(taken(numbers({2, 3}), list({3})).detail == "a place is outside the last axis");
    CHECK(taken(numbers({2, 3}), list({-1})).detail == "a place is outside the last axis");
    CHECK(taken(tensor(shape{}, {1.f}), list({0})).answer.reason == "the input has no axis");
    CHECK(taken(numbers({3}), numbers({1})).answer.reason == "the places are not int64");
}
