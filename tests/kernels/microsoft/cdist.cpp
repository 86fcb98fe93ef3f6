// Mirrors kernels/inlay/microsoft/cdist.hpp.
#include "../../catch.hpp"
#include "../../run_on.hpp"
#include <cmath>
#include <on_test_devices/microsoft/cdist.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome distances(const tensor& a, const tensor& b, std::string metric = "", int threads = 1) {
    call c{{a, b}};
    if (!metric.empty())
        c.with = [=](graph_data& g) { return std::vector{g.make("metric", std::string_view(metric))}; };
    c.threads = threads;
    return run<op::cdist, device::reference>(c);
}
}  // namespace

TEMPLATE_TEST_CASE("CDist gives the squared distance of each two rows, or its root", "", float, double) {
    const tensor a({2, 3}, std::vector<TestType>{1, 2, 3, 4, 6, 8}), b({1, 3}, std::vector<TestType>{1, 2, 3});
    const auto squared = distances(a, b);
    CHECK(squared[0].shape() == shape{2, 1});
    CHECK(elements<TestType>(squared[0]) == std::vector<TestType>{0, 50});
    CHECK(elements<TestType>(distances(a, b, "sqeuclidean")[0]) == std::vector<TestType>{0, 50});
    CHECK(elements<TestType>(distances(a, a, "euclidean")[0])[1] == Approx(7.0710678));
}
TEST_CASE("CDist is the same on every number of threads") {
    std::vector<float> x;
    for (int i = 0; i < 300 * 7; ++i) x.push_back(float(i * 37 % 101));
    const tensor a({300, 7}, x);
    CHECK(elements<float>(distances(a, a)[0]) == elements<float>(distances(a, a, "", 4)[0]));
}
TEST_CASE("CDist takes no rows, rows of nothing, infinities and NaN") {
    CHECK(distances(tensor(element::f32, {0, 2}), tensor(element::f32, {3, 2}))[0].shape() == shape{0, 3});
    CHECK(elements<float>(distances(tensor(element::f32, {1, 0}), tensor(element::f32, {2, 0}))[0]) ==
          std::vector<float>{0, 0});
    const tensor odd({2, 1}, {INFINITY, NAN}), unit({1, 1}, {1.f});
    const auto y = elements<float>(distances(odd, unit)[0]);
    CHECK(y[0] == INFINITY);
    CHECK(std::isnan(y[1]));
}
TEST_CASE("CDist's shape rule keeps rows whose number is not known, and waits for ranks") {
    const auto result = [](const shape& a, const shape& b) {
        graph_data g;
        const std::vector in{g.add_value("", element::f32, a), g.add_value("", element::f32, b)};
        g.add_node("com.microsoft", "CDist", 1, "n", {}, in,
                   std::vector{g.add_value("", element::f32, shape::unknown())});
        const graph_view v = g.view();
        std::array<shape, 1> y{shape::unknown()};
        const verdict answer = op::cdist::shapes({v, v.nodes.back()}, y);
        INFO(answer.reason);
        CHECK(bool(answer));
        return y[0];
    };
    CHECK(result({-2, 3}, {4, -1}) == shape{-2, 4});
    CHECK(result(shape::unknown(), {4, 3}).rank == -1);
    CHECK(result({4, 3}, shape::unknown()).rank == -1);
}
TEST_CASE("CDist refuses other metrics and what does not fit") {
    const tensor a(element::f32, {2, 3});
    CHECK(distances(a, a, "cosine").answer.reason == "the metric is neither sqeuclidean nor euclidean");
    CHECK(distances(a, tensor(element::f32, {2, 4})).answer.reason == "the rows of A and B have different lengths");
    CHECK(distances(a, tensor(element::f32, {3})).answer.reason == "A and B must have two axes");
    CHECK(distances(a, tensor(element::f64, {2, 3})).answer.reason == "A and B must have one type");
    CHECK(distances(tensor(element::f32, {std::int64_t(1) << 40, 0}), tensor(element::f32, {std::int64_t(1) << 40, 0}))
              .answer.reason == "the output is too large");
}
