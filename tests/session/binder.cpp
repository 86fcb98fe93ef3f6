// The binder by itself, over plans of the planner.
#include "parts.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr std::string_view product =
    "g (float[N,3] x) => (float[N,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}> "
    "{ a = MatMul(x, w) y = Relu(a) }";
}
TEST_CASE("A bound plan has a function for each kernel, with what it packed") {
    parts p(product, cpu{});
    const auto plan = p.bound(std::array{shape{4, 3}});
    REQUIRE(plan->steps.size() == 1);  // both nodes, fused
    for (const exec_step& e : plan->steps) {
        CHECK(e.what == exec_step::kind::kernel);
        CHECK(e.run);
    }
    CHECK(plan->states.size() == 1);
    CHECK(plan->executed == std::vector<std::int64_t>{2});
}
TEST_CASE("Plans for other shapes find what the first one packed") {
    parts p(product, cpu{});
    const auto first = p.bound(std::array{shape{4, 3}}), second = p.bound(std::array{shape{5, 3}});
    CHECK(first->states == second->states);
}
TEST_CASE("Kernels that no plan has any more are dropped on request") {
    parts p(product, cpu{});
    auto plan = p.bound(std::array{shape{4, 3}});
    const std::weak_ptr<bound_state> state = plan->states.front();
    plan.reset();
    CHECK_FALSE(state.expired());
    p.states.drop_unused();
    CHECK(state.expired());
}
TEST_CASE("An engine compiles each region of a plan once, when it is bound") {
    const loom e;
    parts p("g (float[4] x) => (float[4] y) { a = Add(x, x) b = Sub(a, x) y = Relu(b) }", e, cpu{});
    const auto plan = p.planner.plan(std::array{shape{4}});
    CHECK(e.log->compiled == 0);
    p.binder.bind(*plan, nullptr);
    CHECK(e.log->compiled == 2);
    CHECK(plan->regions.size() == 2);
}
TEST_CASE("What an engine fails to compile is a failure of its provider") {
    loom e;
    e.compile_fails = true;
    parts p("g (float[4] x) => (float[4] y) { y = Relu(x) }", e, cpu{});
    const auto plan = p.planner.plan(std::array{shape{4}});
    try {
        p.binder.bind(*plan, nullptr);
        FAIL("nothing was thrown");
    } catch (const provider_failure& f) {
        CHECK(f.provider == 0);
        CHECK(has_text(f.cause.text, "the drum is full"));
    }
}
TEST_CASE("What an engine refuses to compile is barred, and the next plan has it elsewhere") {
    const loom e;
    e.log->refuses_regions = true;
    parts p("g (float[4] x) => (float[4] y) { y = Relu(x) }", e, cpu{});
    const auto plan = p.planner.plan(std::array{shape{4}});
    CHECK_THROWS_AS(p.binder.bind(*plan, nullptr), kernel_refusal);
    CHECK(p.planner.plan(std::array{shape{4}})->plan.assigned.owners == std::vector{1});
}
