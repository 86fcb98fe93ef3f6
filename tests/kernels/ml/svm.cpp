#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <on_test_devices/ml/svm.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::same;

namespace {
using reals = std::vector<double>;
using ints = std::vector<std::int64_t>;
struct model {
    reals coefficients{}, vectors{}, rho{0.2}, prob_a{}, prob_b{};
    ints labels{}, counts{};
    std::string_view kernel = "RBF", post = "NONE";
    std::int64_t supports = 0, one_class = 0;
    reals kernel_params{0.5, 0.1, 2};
    attributes make() const {
        return [m = *this](graph_data& g) {
            std::vector<attribute> entries;
            const auto add = [&](std::string_view name, const auto& x) {
                using T = typename std::remove_cvref_t<decltype(x)>::value_type;
                if (!x.empty()) entries.push_back(g.make(name, std::span<const T>(x)));
            };
            add("coefficients", m.coefficients);
            add("support_vectors", m.vectors);
            add("rho", m.rho);
            add("prob_a", m.prob_a);
            add("prob_b", m.prob_b);
            add("classlabels_ints", m.labels);
            add("vectors_per_class", m.counts);
            add("kernel_params", m.kernel_params);
            entries.push_back(g.make("kernel_type", m.kernel));
            entries.push_back(g.make("post_transform", m.post));
            entries.push_back(g.make("n_supports", m.supports));
            entries.push_back(g.make("one_class", m.one_class));
            return entries;
        };
    }
};
const tensor rows({3, 2}, {1.f, 2.f, -1.f, -3.f, 0.1f, -0.2f});
const model regression{.coefficients = {0.5, -0.7}, .vectors = {1, 0, 0, 1}, .supports = 2},
    two{.coefficients = {0.5, -0.7}, .vectors = {1, 0, 0, 1}, .labels = {5, 6}, .counts = {1, 1}},
    three{.coefficients = {0.5, -0.7, 0.3, 0.2, 0.4, -0.6},
          .vectors = {1, 0, 0, 1, -1, -1},
          .rho = {0.2, -0.1, 0.05},
          .labels = {5, 6, 7},
          .counts = {1, 1, 1}};
outcome regressed(const model& m, const tensor& x = rows) {
    return run<op::svm_regressor, device::reference>({{x}, m.make(), 0, {element::f32}});
}
outcome classified(const model& m, const tensor& x = rows) {
    return run<op::svm_classifier, device::reference>({{x}, m.make(), 0, {element::i64, element::f32}});
}
void expect(const model& m, ints labels, std::vector<float> scores) {
    const outcome y = classified(m);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    CHECK(same<std::int64_t>(y[0], tensor({3}, labels)));
    CHECK(same<float>(y[1], tensor({3, std::int64_t(scores.size()) / 3}, scores), 2e-5));
}
model with(model m, std::string_view kernel, std::string_view post = "NONE") {
    m.kernel = kernel;
    m.post = post;
    return m;
}
model likely(model m, reals a, reals b) {
    m.prob_a = a;
    m.prob_b = b;
    return m;
}
}  // namespace

// Expected: what ONNX Runtime gives.
TEST_CASE("SVMRegressor with each kernel, for one class, and as a linear model") {
    CHECK(same<float>(regressed(with(regression, "LINEAR"))[0], tensor({3, 1}, {-0.7f, 1.8f, 0.39f}), 1e-5));
    CHECK(same<float>(regressed(with(regression, "POLY"))[0], tensor({3, 1}, {-0.467f, -1.092f, 0.21125f}), 1e-5));
    CHECK(same<float>(regressed(with(regression, "RBF"))[0], tensor({3, 1}, {0.01015f, 0.20061f, 0.18786f}), 1e-5));
    CHECK(
        same<float>(regressed(with(regression, "SIGMOID"))[0], tensor({3, 1}, {-0.09182f, 0.62977f, 0.27444f}), 1e-5));
    model m = with(regression, "SIGMOID");
    m.one_class = 1;
    CHECK(same<float>(regressed(m)[0], tensor({3, 1}, {-1.f, 1.f, 1.f})));
    CHECK(same<float>(regressed({.coefficients = {0.5, -0.7}, .kernel = "LINEAR"})[0],
                      tensor({3, 1}, {-0.7f, 1.8f, 0.39f}), 1e-5));
}
TEST_CASE("SVMClassifier of two classes") {
    expect(with(two, "LINEAR"), {6, 5, 5}, {0.7f, -0.7f, -1.8f, 1.8f, -0.39f, 0.39f});
    expect(with(two, "RBF", "LOGISTIC"), {5, 5, 5}, {0.49746f, 0.50254f, 0.45002f, 0.54998f, 0.45317f, 0.54683f});
    expect(with(two, "RBF", "SOFTMAX"), {5, 5, 5}, {0.98985f, 0.01015f, 0.79939f, 0.20061f, 0.81214f, 0.18786f});
    expect(with(likely(two, {-1.5}, {0.1}), "POLY"), {6, 6, 5},
           {0.30992f, 0.69008f, 0.14945f, 0.85055f, 0.55395f, 0.44605f});
}
TEST_CASE("SVMClassifier of three classes, by pairs, by probabilities and as a linear model") {
    expect(with(three, "LINEAR"), {6, 5, 7}, {-0.7f, -0.8f, 2.65f, 1.8f, 0.9f, -3.55f, 0.39f, -0.05f, -0.09f});
    expect(with(likely(three, {-1.5, -1, -0.8}, {0.1, 0, 0.2}), "LINEAR"), {6, 5, 7},
           {0.1573f, 0.7029f, 0.1398f, 0.68618f, 0.03195f, 0.28187f, 0.37373f, 0.25661f, 0.36966f});
    expect({.coefficients = {0.5, 0.25, -0.5, 0.1, 0.3, 0.2}, .labels = {5, 6, 7}, .kernel = "LINEAR"}, {5, 6, 5},
           {1.2f, -0.1f, 0.9f, -1.05f, 0.4f, -0.7f, 0.2f, 0.13f, 0.19f});
}
TEMPLATE_TEST_CASE("Support vector machines of every type, on rows or one row", "", float, double, std::int64_t,
                   std::int32_t) {
    CHECK(same<float>(regressed(with(regression, "LINEAR"), list<TestType>({1, 2}))[0], tensor({1, 1}, {-0.7f}), 1e-5));
    CHECK(classified(two, tensor(element_of<TestType>, {0, 2}))[1].shape() == shape{0, 2});
}
TEST_CASE("Support vector machines whose lists do not fit are refused") {
    const auto is_refused = [](model m, auto change) {
        change(m);
        return !(m.labels.empty() ? regressed(m) : classified(m)).answer;
    };
    for (const model& m : {regression, two, three}) {
        CHECK(!is_refused(m, [](model&) {}));
        CHECK(is_refused(m, [](model& x) { x.coefficients.pop_back(); }));
        CHECK(
            !(m.labels.empty() ? regressed(m, tensor(shape{}, {1.f})) : classified(m, tensor(shape{}, {1.f}))).answer);
        CHECK(is_refused(m, [](model& x) { x.vectors.pop_back(); }));
        CHECK(is_refused(m, [](model& x) { x.rho.clear(); }));
        CHECK(is_refused(m, [](model& x) { x.kernel = "COSINE"; }));
        CHECK(is_refused(m, [](model& x) { x.post = "TANH"; }));
        CHECK(is_refused(m, [](model& x) { x.kernel_params.pop_back(); }));
    }
    CHECK(is_refused(regression, [](model& x) { x.supports = -1; }));
    CHECK(is_refused(two, [](model& x) { x.counts = {-1, 3}; }));
    CHECK(is_refused(two, [](model& x) { x.counts = {2}; }));
    CHECK(is_refused(two, [](model& x) { x.labels = {5}; }));
    CHECK(is_refused(two, [](model& x) { x.prob_a = {1}; }));
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(is_refused(two, [&](model& x) { x.counts = {most, most}; }));
    CHECK(is_refused(regression, [&](model& x) { x.supports = most; }));
}
