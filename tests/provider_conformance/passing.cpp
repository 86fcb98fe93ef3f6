// Providers of tests, and one that was written after the guide: they pass the conformance tests.
#include "../session/test_providers.hpp"
#include "checked.hpp"
#include "imaginary_engine.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
struct absent {
    static constexpr std::string_view name = "AbsentExecutionProvider";
    static result<std::shared_ptr<engine>> open() {
        return error(error_code::provider_unavailable, "AbsentExecutionProvider: it is not installed");
    }
};
template <provider P> void all_pass() {
    auto counts = check_passes(factory_of<P>());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::passed] > 15);
}
}  // namespace

TEST_CASE("A provider of an imaginary engine, written after the guide, passes the conformance tests",
          "[provider_conformance][threads]") {
    auto counts = check_passes(factory_of<imaginary::provider>());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::not_applicable] == 4);  // memory of its own, kernels that bind, two of absence
}
TEST_CASE("Its chains are regions", "[provider_conformance]") {
    graph_data g;
    const auto value = [&] { return g.add_value("v" + std::to_string(g.values.size()), element::f32, {4}); };
    const int x = value(), a = value(), b = value(), c = value(), d = value();
    g.inputs = {x};
    g.outputs = {c, d};  // b is read twice
    const auto add = [&](std::string_view op, int from, int to) {
        g.add_node("", op, 13, "node of v" + std::to_string(to), {}, std::vector{from}, std::vector{to});
    };
    add("Relu", x, a);
    add("Neg", a, b);
    add("Abs", b, c);
    add("Neg", b, d);
    const session s{model::from_graph(std::move(g)), imaginary::provider{}, cpu{}};
    const fetched y = s.run({{"v0", tensor({4}, {1.f, -2.f, 3.f, -4.f})}});
    CHECK(std::ranges::equal(y[0].as<float>(), std::vector{1.f, 0.f, 3.f, 0.f}));
    CHECK(std::ranges::equal(y[1].as<float>(), std::vector{1.f, 0.f, 3.f, 0.f}));
    CHECK(s.plan().steps == 3);
    CHECK(s.plan().count(imaginary::provider::name) == 4);
}
TEST_CASE("Providers of kernels pass the conformance tests", "[provider_conformance][threads]") {
    all_pass<alpha>();
    all_pass<beta>();
}
TEST_CASE("A provider with memory of its own passes the conformance tests", "[provider_conformance][threads]") {
    auto counts = check_passes(factory_of<board>());
    CHECK(counts[conformance_outcome::passed] > 18);
    CHECK(board_space::blocks.empty());
}
TEST_CASE("An engine passes the conformance tests", "[provider_conformance][threads]") { all_pass<loom>(); }
TEST_CASE("A provider that is missing is reported as unavailable, not as one that passes the conformance tests",
          "[provider_conformance]") {
    auto counts = check_passes(factory_of<absent>());
    CHECK(counts[conformance_outcome::passed] == 5);  // of names and options, and of absence
    CHECK(counts[conformance_outcome::unavailable] > 15);
}
TEST_CASE("What can only be planned for is unavailable, with the reason", "[provider_conformance]") {
    const auto f = make_factory<alpha>([](const alpha& p) { return make_handle(p); }, "there is no alpha");
    const auto results = check_conformance(f);
    REQUIRE(results.size() == 1);
    CHECK(results[0].outcome == conformance_outcome::unavailable);
    CHECK(results[0].reason == "there is no alpha");
}
