// The planner by itself.
#include "parts.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr std::string_view product =
    "g (float[N,3] x) => (float[N,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}> "
    "{ a = MatMul(x, w) y = Relu(a) }";
}
TEST_CASE("A plan has steps, owners and places, and nothing is bound") {
    parts p(product, cpu{});
    const auto plan = p.planner.plan(std::array{shape{4, 3}});
    CHECK(plan->key == std::vector{shape{4, 3}});
    CHECK(plan->plan.steps.size() == 1);  // both nodes, fused
    CHECK(plan->plan.assigned.owners == std::vector{0, 0});
    CHECK(plan->places.size() == plan->plan.arguments.size());
    CHECK(plan->output_places.size() == 1);
    CHECK(plan->run_bytes >= plan->plan.arena_bytes[0]);
    CHECK(plan->steps.empty());
    CHECK(plan->states.empty());
    CHECK(plan->packed_bytes == 0);
}
TEST_CASE("A node that no provider runs is an error with every reason, with shapes and without") {
    parts p("g (float[N] x) => (float[N] y) { y = Sub(x, x) }", alpha{}, loom{});
    const error coverage = raised([&] { p.planner.check_coverage(); });
    CHECK(coverage.code == error_code::no_provider);
    CHECK(has_text(coverage.text, "AlphaExecutionProvider: "));
    CHECK(has_text(coverage.text, "EngineExecutionProvider: "));
    CHECK(raised([&] { (void)p.planner.plan(std::array{shape{3}}); }).code == error_code::no_provider);
}
TEST_CASE("A run that would take more than its limit is refused before anything is bound") {
    parts p(product, cpu{});
    p.setup.run_bytes = 1;
    CHECK(raised([&] { (void)p.planner.plan(std::array{shape{4, 3}}); }).code == error_code::limit_exceeded);
}
TEST_CASE("A provider that failed has no node of a later plan") {
    parts p(parts::options(fallback::any()), "g (float[3] x) => (float[3] y) { y = Relu(x) }", alpha{}, cpu{});
    CHECK(p.planner.plan(std::array{shape{3}})->plan.assigned.owners == std::vector{0});
    REQUIRE(p.setup.failed.replace(0, "it is worn out"));
    const auto after = p.planner.plan(std::array{shape{3}});
    CHECK(after->plan.assigned.owners == std::vector{1});
    CHECK(after->failures == 1);
}
