#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <on_test_devices/ml/linear.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::same;

namespace {
using reals = std::vector<double>;
struct model {
    reals coefficients, intercepts;
    std::string_view post = "NONE";
    std::vector<std::int64_t> labels{};
    std::int64_t targets = 1;
    attributes make() const {
        return [m = *this](graph_data& g) {
            std::vector list{g.make("coefficients", std::span<const double>(m.coefficients)),
                             g.make("intercepts", std::span<const double>(m.intercepts)),
                             g.make("post_transform", m.post), g.make("targets", m.targets)};
            if (!m.labels.empty()) list.push_back(g.make("classlabels_ints", std::span<const std::int64_t>(m.labels)));
            return list;
        };
    }
};
const tensor rows({2, 2}, {1.f, 2.f, -1.f, -3.f});
outcome regressed(const model& m, const tensor& x = rows) {
    return run<op::linear_regressor, device::reference>({{x}, m.make(), 0, {element::f32}});
}
outcome classified(const model& m, const tensor& x = rows) {
    return run<op::linear_classifier, device::reference>({{x}, m.make(), 0, {element::i64, element::f32}});
}
void expect(const model& m, std::vector<std::int64_t> labels, std::vector<float> scores) {
    const outcome y = classified(m);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    CHECK(same<std::int64_t>(y[0], tensor({2}, labels)));
    CHECK(same<float>(y[1], tensor({2, 2}, scores), 1e-5));
}
}  // namespace

TEMPLATE_TEST_CASE("LinearRegressor of every type", "", float, double, std::int64_t, std::int32_t) {
    const tensor x = list<TestType>({1, 2, -1, -3}).reshaped({2, 2});
    CHECK(same<float>(regressed({{0.5, 0.25}, {0.1}}, x)[0], tensor({2, 1}, {1.1f, -1.15f}), 1e-6));
    CHECK(same<float>(regressed({{0.5, 0.25, -0.5, 0.1}, {}, "NONE", {}, 2}, x)[0],
                      tensor({2, 2}, {1.f, -0.3f, -1.25f, 0.2f}), 1e-6));
    CHECK(same<float>(regressed({{0.5, 0.25, -0.5, 0.1}, {0.1, 0.2}, "SOFTMAX", {}, 2}, x)[0],
                      tensor({2, 2}, {0.7685248f, 0.2314752f, 0.1750863f, 0.8249137f}), 1e-6));
    CHECK(same<float>(regressed({{2, 3}, {}}, list<TestType>({1, 2}))[0], tensor({1, 1}, {8.f})));
}
// Expected: what ONNX Runtime gives.
TEST_CASE("LinearClassifier of a score for each class, and of one score for two classes") {
    expect({{0.5, 0.25, -0.5, 0.1}, {0.1, 0.2}, "NONE", {5, 6}}, {5, 6}, {1.1f, -0.1f, -1.15f, 0.4f});
    expect({{0.5, 0.25, -0.5, 0.1}, {0.1, 0.2}, "LOGISTIC", {5, 6}}, {5, 6},
           {0.7502601f, 0.4750208f, 0.2404891f, 0.5986877f});
    expect({{0.5, 0.25}, {0.1}, "NONE", {5, 6}}, {6, 5}, {-0.1f, 1.1f, 2.15f, -1.15f});
    expect({{0.5, 0.25}, {0.1}, "LOGISTIC", {5, 6}}, {6, 5}, {0.2497399f, 0.7502601f, 0.7595109f, 0.2404891f});
    CHECK(classified({{0.5, 0.25, 1, 1}, {}, "NONE", {5, 6}}, tensor(element::f32, {0, 2}))[1].shape() == shape{0, 2});
}
TEST_CASE("Linear models whose lists do not fit are refused") {
    CHECK(!regressed({{1, 2, 3}, {}}).answer);
    CHECK(!regressed({{1, 2}, {1, 2}}).answer);
    CHECK(!regressed({{1, 2}, {}, "TANH"}).answer);
    CHECK(!regressed({{1, 2}, {}, "NONE", {}, 0}).answer);
    CHECK(!regressed({{}, {}, "NONE", {}, std::int64_t(1) << 60}, tensor(element::f32, {1, 0})).answer);
    CHECK(!classified({{1, 2}, {}}).answer);
    CHECK(!classified({{1, 2, 3, 4}, {0, 0}, "NONE", {1, 2, 3}}).answer);
    CHECK(!regressed({{1, 2}, {}}, tensor({1, 1, 2}, {1.f, 2.f})).answer);
}
