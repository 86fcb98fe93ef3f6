// Engines: opened once, queried for reasons, compiled once per plan, executed once per run at a time.
#include "../models.hpp"
#include "test_providers.hpp"
#include <future>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr std::string_view two_regions =
    "g (float[4] x) => (float[4] y) { a = Add(x, x) b = Relu(a) c = Sub(b, x) d = Mul(c, x) y = Relu(d) }";
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});
const std::vector<float> y4{1.f, 0.f, 9.f, 0.f};  // by hand
constexpr int regions = 2;

std::string reason(const plan_report::line& l, std::string_view provider) {
    for (const auto& a : l.answers)
        if (a.provider == provider) return a.text;
    return "no answer";
}
struct forgetful_engine final : engine {
    void propose(const free_nodes&, proposals&) override {}
    result<std::shared_ptr<const compiled_region>> compile(const region&) override { return nullptr; }
};
struct forgetful {
    static constexpr std::string_view name = "ForgetfulExecutionProvider";
    static result<std::shared_ptr<engine>> open() { return std::make_shared<forgetful_engine>(); }
};
struct loom_and_cpu : loom {
    static constexpr std::string_view name = "BothExecutionProvider";
    static constexpr auto devices = cpu::devices;
    static constexpr auto kernels = hana::tuple_t<op::sub>;
};
session_options with(fallback f) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
}  // namespace

TEST_CASE("An engine is opened once per session, bodies of control flow included", "[engines]") {
    const loom e;
    const inlay::session s{model_of("g (bool c, float[4] x) => (float[4] y) { y = If(c) "
                                    "<then_branch = t () => (float[4] p) { p = Add(x, x) }, "
                                    "else_branch = e () => (float[4] q) { q = Relu(x) }> }"),
                           e, cpu{}};
    for (const bool c : {true, false}) (void)s.run({{"c", tensor(shape{}, {c})}, {"x", x4}});
    CHECK(e.log->engines == 1);
    CHECK(e.log->runs == 2);
}

TEST_CASE("An engine is queried once where all shapes are known", "[engines]") {
    loom p;
    const inlay::session s{model_of(two_regions), p, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == y4);
    CHECK(p.log->queries == 1);
    CHECK(p.log->compiled == regions);
}
TEST_CASE("An engine is queried once about a body whose shapes are known, by the check and by its plan", "[engines]") {
    const loom e;
    const inlay::session s{model_of("g (bool c, float[4] x) => (float[4] y) { y = If(c) "
                                    "<then_branch = t () => (float[4] p) { p = Add(x, x) }, "
                                    "else_branch = e () => (float[4] q) { q = Relu(x) }> }"),
                           e, cpu{}};
    CHECK(e.log->queries == 3);  // the graph, and each branch
    for (const bool c : {true, false}) (void)s.run({{"c", tensor(shape{}, {c})}, {"x", x4}});
    CHECK(s.plan().count(loom::name) == 0);
    CHECK(e.log->runs == 2);
    CHECK(e.log->queries == 3);
}
TEST_CASE("What a report plans of a model with a free dimension, the runs of that size have", "[engines]") {
    const loom e;
    const inlay::session s{model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }"), e, cpu{}};
    for (int k = 0; k < 3; ++k) CHECK(s.plan().count(loom::name) == 2);
    CHECK(e.log->compiled == 1);
    CHECK(floats(s.run({{"x", ones({1})}})[0]) == std::vector{2.f});
    CHECK(e.log->compiled == 1);
}
TEST_CASE("What an engine refuses, the plan shows in the engine's words, also after the next plan", "[engines]") {
    const inlay::session s{model_of("g (float[N] x, float[1] w) => (float[N] y) { a = Sub(x, x) y = Add(a, w) }"),
                           loom{}, cpu{}};
    for (const std::int64_t n : {3, 5}) {
        (void)s.run({{"x", tensor({n}, std::vector<float>(std::size_t(n), 1.f))}, {"w", tensor({1}, {1.f})}});
        const plan_report plan = s.plan();
        CHECK(reason(line_of(plan, "Sub"), loom::name) == "it has no Sub");
        CHECK(reason(line_of(plan, "Add"), loom::name) == "input 1 is [1], not floats of [" + std::to_string(n) + "]");
    }
}

TEST_CASE("Nodes of data-dependent shapes stay outside, and the plan says so", "[engines]") {
    const inlay::session s{model_of("g (float[4] x) => (int64[1,N] y) { a = Relu(x) i = NonZero(a) y = Add(i, i) }"),
                           loom{}, cpu{}};
    (void)s.run({{"x", x4}});
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == loom::name);
    CHECK(reason(line_of(plan, "Add"), loom::name) ==
          "its shapes are known only while it runs, and an engine compiles for shapes");
}

TEST_CASE("A node that an engine forgets is refused, with a reason", "[engines]") {
    const inlay::session s{model_of(two_regions), forgetful{}, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == y4);
    CHECK(reason(line_of(s.plan(), "Sub"), forgetful::name) == "its engine neither took nor refused the node");
}

TEST_CASE("Each run at a time has executables of its own, which later runs find again", "[engines]") {
    const loom e;
    const inlay::session s{model_of(two_regions), e, cpu{}};
    for (int run = 0; run < 3; ++run) CHECK(floats(s.run({{"x", x4}})[0]) == y4);
    CHECK(e.log->instances == regions);
    binding first = s.bind(), second = s.bind();
    CHECK(e.log->instances == 2 * regions);  // the first has the context of the runs
    CHECK(e.log->compiled == regions);
}

TEST_CASE("Concurrent runs over an engine are right", "[engines][threads]") {
    const loom e;
    const inlay::session s{model_of(two_regions), e, cpu{.threads = 1}};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 1; t <= 4; ++t)
        threads.emplace_back([&, t] {
            const float k = float(t);
            for (int run = 0; run < 50; ++run)
                wrong += floats(s.run({{"x", tensor({4}, {k, -k, 2 * k, 0.f})}})[0]) !=
                         std::vector{k * k, k * 0, 4 * k * k, 0.f};
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(e.log->compiled == regions);
}

TEST_CASE("An engine that cannot be opened is an error of the session, or replaced under fallback::any", "[engines]") {
    const model m = model_of(two_regions);
    const auto outcome =
        session<loom, cpu>::try_make(m, with(fallback::implicit_cpu()), loom{.open_fails = true}, cpu{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::provider_unavailable);
    CHECK(outcome.why().provider == loom::name);
    CHECK(outcome.why().text == "the crank is missing");
    const inlay::session s{m, with(fallback::any()), loom{.open_fails = true}, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == y4);
    REQUIRE(s.plan().notes.size() == 1);
    CHECK(has_text(s.plan().notes[0], "EngineExecutionProvider failed: the crank is missing"));
}

TEST_CASE("A run for which an engine has no executable fails with the engine's reason, or is replaced", "[engines]") {
    const loom strict, replaced;
    const model m = model_of(two_regions);
    const inlay::session s{m, strict, cpu{}}, t{m, with(fallback::any()), replaced, cpu{}};
    strict.log->instances_fail = replaced.log->instances_fail = true;
    const std::vector<feed> feeds{{"x", x4}};
    const auto failed = s.try_run(feeds);
    REQUIRE_FALSE(failed);
    CHECK(failed.why().code == error_code::provider_failed);
    CHECK(failed.why().provider == loom::name);
    CHECK(has_text(failed.why().text, "no more slots"));
    CHECK(floats(t.run(feeds)[0]) == y4);
    CHECK(t.plan().count(loom::name) == 0);
    strict.log->instances_fail = false;
    CHECK(floats(s.run(feeds)[0]) == y4);
}

TEST_CASE("A provider with kernels and an engine queries the engine first", "[engines]") {
    const inlay::session s{model_of(two_regions), loom_and_cpu{}, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == y4);
    CHECK(s.plan().count(loom_and_cpu::name) == 5);
    CHECK(line_of(s.plan(), "Add").kernel == "region");
    CHECK(line_of(s.plan(), "Sub").kernel == "cpu");
}

TEST_CASE("A region that a second set of shapes requires is compiled once for all, where the engine can", "[engines]") {
    const model m = model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }");
    loom p;
    p.log->takes_any_shapes = true;
    const inlay::session s{m, p, cpu{}};
    for (const std::int64_t n : {3, 2, 5, 3, 1}) {
        tensor x(element::f32, {n});
        x.as<float>()[0] = 1.f;
        const auto y = floats(s.run({{"x", x}})[0]);
        REQUIRE(std::int64_t(y.size()) == n);
        CHECK(y[0] == 2.f);
    }
    CHECK(p.log->compiled == 1);
    CHECK(p.log->compiled_for_any == 1);
}
TEST_CASE("While an engine compiles a region for any shapes, other plans have those that it compiled before",
          "[engines][threads]") {
    loom p;
    p.log->takes_any_shapes = true;
    std::promise<void> passed;  // the plan of another thread has its first region
    std::thread second_thread;
    std::atomic<std::thread::id> other_id{};
    session_options o = with(fallback::any());
    o.progress = [&](stage at, std::int64_t count, std::int64_t) {
        if (at == stage::pack && count == 1 && std::this_thread::get_id() == other_id) passed.set_value();
        return true;
    };
    const inlay::session s{model_of("g (float[N] x) => (float[N] y) { a = Relu(x) b = Neg(a) y = Add(b, b) }"), o, p,
                           cpu{.threads = 1}};
    const auto run = [&](std::int64_t n) { (void)s.run({{"x", tensor(element::f32, {n})}}); };
    run(1);
    bool in_time = false;
    p.log->compiles_for_any = [&](std::string_view op) {
        if (op != "Add") return;
        second_thread = std::thread([&] {
            other_id = std::this_thread::get_id();
            run(3);
        });
        in_time = passed.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    };
    run(2);
    second_thread.join();
    CHECK(in_time);
    CHECK(p.log->compiled_for_any == 2);
}
TEST_CASE("An engine that compiles for known shapes only does so for each set of them", "[engines]") {
    const model m = model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }");
    loom p;
    const inlay::session s{m, p, cpu{}};
    for (const std::int64_t n : {3, 2, 5, 3}) s.run({{"x", tensor(element::f32, {n})}});
    CHECK(p.log->compiled == 3);
}
TEST_CASE("A region that reads what follows from the shapes is compiled for each set of them", "[engines]") {
    const model m = model_of("g (float[N] x) => (float[M] y) { n = Shape(x) z = ConstantOfShape(n) y = Add(x, z) }");
    loom p;
    p.log->takes_any_shapes = true;
    const inlay::session s{m, p, cpu{}};
    for (const std::int64_t n : {3, 2})
        CHECK(floats(s.run({{"x", tensor(element::f32, {n})}})[0]).size() == std::size_t(n));
    CHECK(p.log->compiled_for_any == 0);
}
TEST_CASE("What an engine proposed and cannot compile goes to the next provider, with the reason", "[engines]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }");
    loom p;
    p.log->refuses_regions = true;
    const inlay::session s{m, with(fallback::implicit_cpu()), p, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector{2.f, 0.f, 6.f, 0.f});
    const plan_report plan = s.plan();
    CHECK(plan.count(cpu::name) == 2);
    CHECK(reason(line_of(plan, "Relu"), loom::name) ==
          "it could not compile a region of 2 nodes that it had proposed: the pattern is too wide");
    const auto alone = session<loom, cpu>::try_make(m, with(fallback::never()), loom(p), cpu{});
    REQUIRE_FALSE(alone);
    CHECK(alone.why().code == error_code::no_provider);
    CHECK(has_text(alone.why().text, "the pattern is too wide"));
}
