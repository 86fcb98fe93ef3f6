// The runner by itself, in contexts of a pool.
#include "engine/run_failures.hpp"
#include "engine/runner.hpp"
#include "engine/session_core.hpp"
#include "parts.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});

struct runnable : parts {
    session_core around;  // whose bodies of control flow there are
    inlay::runner runner;
    template <class... Ps>
    explicit runnable(std::string_view text, const Ps&... ps)
        : parts(text, ps...),
          around(from, graph.states, options(), {make_handle(ps)...}),
          runner(setup, graph, states, around.bodies) {}
    std::unique_ptr<run_context> context() {
        auto c = contexts.take(bound(std::array{x4.shape()}), setup.run_bytes);
        c->clear_failure();
        return c;
    }
};
constexpr std::string_view chain = "g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }";
}  // namespace

TEST_CASE("The steps of a plan are run in a context, whose outputs are read afterwards") {
    runnable r(chain, cpu{});
    const auto c = r.context();
    c->set_input(0, x4);
    REQUIRE(r.runner.execute(*c, {}) == status::ok);
    CHECK(floats(c->output_view(0)) == std::vector{2.f, 0.f, 6.f, 0.f});
    CHECK(floats(*c->fetch(0).as_tensor()) == std::vector{2.f, 0.f, 6.f, 0.f});
    CHECK(c->executed == std::vector<std::int64_t>{2});
}
TEST_CASE("What looks at the steps is called before and after each") {
    runnable r(chain, reference{});
    const auto c = r.context();
    c->set_input(0, x4);
    std::size_t calls = 0;
    CHECK(r.runner.execute_marked(*c, {}, [&] { ++calls; }) == status::ok);
    CHECK(calls == 2 * c->plan->steps.size());
}
TEST_CASE("A step that fails is named with its provider") {
    runnable r(chain, alpha{});
    const auto c = r.context();
    c->set_input(0, x4);
    lab_fails = true;
    const status s = r.runner.execute(*c, {});
    lab_fails = false;
    CHECK(s == status::failed);
    CHECK(failed_provider(*c, r.setup.handles) == 0);
    const error e = raised([&] { raise_status(*c, s, r.setup.handles); });
    CHECK(e.provider == alpha::name);
    CHECK(has_text(e.text, "the lab is on fire"));
}
TEST_CASE("A context that is given back has the next run of its plan") {
    runnable r(chain, cpu{});
    const auto plan = r.bound(std::array{x4.shape()});
    auto c = r.contexts.take(plan, r.setup.run_bytes);
    const run_context* const first = c.get();
    CHECK(r.contexts.held_bytes() == 0);
    r.contexts.give_back(std::move(c));
    CHECK(r.contexts.held_bytes() > 0);
    CHECK(r.contexts.take(plan, r.setup.run_bytes).get() == first);
    CHECK(r.contexts.held_bytes() == 0);
}
