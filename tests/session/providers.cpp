// Providers together with the CPU: priority, regions, memory of their own, and what happens when they refuse or fail.
#include "../models.hpp"
#include "test_providers.hpp"
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const mixed =
    "mixed (float[4] x, float[4] z) => (float[4] y) {"
    " [n0] a = Add(x, z) [n1] b = Relu(a) [n2] c = Mul(b, z) [n3] d = Sub(c, x) [n4] e = Add(d, b) [n5] y = Relu(e) }";
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f}), z4({4}, {2.f, 2.f, 2.f, 2.f});
const std::vector<float> mixed_y{8.f, 2.f, 12.f, 4.f};  // by hand

bool capable(std::string_view provider, std::string_view op) {
    return provider == alpha::name  ? op == "Add" || op == "Relu"
           : provider == beta::name ? op == "Relu" || op == "Mul"
                                    : provider == cpu::name;
}
template <class... P> void check_order(const model& m, P... p) {
    const inlay::session s{m, p...};
    trace.clear();
    CHECK(floats(s.run({{"x", x4}, {"z", z4}})[0]) == mixed_y);
    const plan_report plan = s.plan();
    std::vector<ran> expected;
    for (const auto& l : plan.nodes) {
        std::string first;
        for (const std::string& name : s.providers())
            if (first.empty() && capable(name, l.op)) first = name;
        CAPTURE(l.op);
        CHECK(l.provider == first);
        if (first != cpu::name) expected.push_back({operator_key("", l.node), first == alpha::name ? 0 : 1});
    }
    REQUIRE(trace.size() == expected.size());  // what ran is what the plan says, in the graph's order
    for (std::size_t k = 0; k < trace.size(); ++k) {
        CHECK(trace[k].node == expected[k].node);
        CHECK(trace[k].device == expected[k].device);
    }
}
const char* const around =
    "around (float[8] x) => (float[8] y) {"  // the board runs Add and Relu
    " a = Sub(x, x) b = Add(a, x) c = Relu(b) d = Add(c, a) y = Mul(d, a) }";
session_options with(fallback f, std::vector<std::string>* warnings = nullptr) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [warnings](severity, std::string_view text) {
        if (warnings) warnings->emplace_back(text);
    };
    return o;
}
}  // namespace

TEST_CASE("In every order of three providers each node runs on the first that can", "[providers]") {
    const model m = model_of(mixed);
    check_order(m, alpha{}, beta{}, cpu{});
    check_order(m, alpha{}, cpu{}, beta{});
    check_order(m, beta{}, alpha{}, cpu{});
    check_order(m, beta{}, cpu{}, alpha{});
    check_order(m, cpu{}, alpha{}, beta{});
    check_order(m, cpu{}, beta{}, alpha{});
}

TEST_CASE("Taking an operator from a provider moves its nodes to the next", "[providers]") {
    const inlay::session s{model_of(mixed), only<alpha, op::relu>{}, beta{}};
    CHECK(floats(s.run({{"x", x4}, {"z", z4}})[0]) == mixed_y);
    CHECK(s.plan().count(alpha::name) == 2);
    CHECK(s.plan().count(beta::name) == 1);
    CHECK(s.plan().count(cpu::name) == 3);
    CHECK(line_of(s.plan(), "Add").provider == cpu::name);
}

TEST_CASE("A kernel's refusal is reported with its reason, and the next provider takes the node", "[providers]") {
    const inlay::session s{
        model_of(
            "g (float[4] x, float[1] z, double[4] w) => (float[4] y, double[4] v) { y = Add(x, z) v = Add(w, w) }"),
        alpha{}};
    const fetched y = s.run({{"x", x4}, {"z", tensor({1}, {1.f})}, {"w", tensor({4}, {1., 2., 3., 4.})}});
    CHECK(floats(y[0]) == std::vector{2.f, -1.f, 4.f, -3.f});
    const plan_report plan = s.plan();
    REQUIRE(line_of(plan, "Add").answers.size() >= 1);
    CHECK(line_of(plan, "Add").answers[0].provider == alpha::name);
    CHECK(line_of(plan, "Add").answers[0].text == "the lab does not broadcast");
    CHECK(line_of(plan, "Add", 1).answers[0].text == "element type not covered (found double, nearest takes float)");
    CHECK(has_text(text_of(plan), "AlphaExecutionProvider: the lab does not broadcast"));
}

TEST_CASE("A kernel that refuses the shapes when they are known at last gives way to the next provider",
          "[providers]") {
    const inlay::session s{model_of("g (bool c, float[N] x, float[1] one, float[N] w) => (float[M] y, float[M] z) {"
                                    " v = If (c) <then_branch = t () => (float[M] a) { a = Concat <axis = 0> (x, x) }, "
                                    "else_branch = e () => (float[M] b) { b = Relu(w) }>"
                                    " y = Add(v, one) z = Add(v, v) }"),
                           alpha{}, board{}};
    trace.clear();
    const fetched y = s.run({{"c", tensor(shape{}, {true})}, {"x", ones({2})}, {"one", ones({1})}, {"w", ones({2})}});
    CHECK(floats(y[0]) == std::vector(4, 2.f));
    CHECK(floats(y[1]) == std::vector(4, 2.f));
    CHECK(trace.size() == 1);  // alpha takes the second
    CHECK(line_of(s.plan(), "Add").kernel == "chosen at run");

    const inlay::session with_board{
        model_of("g (bool c, float[N] x) => (float[M] y) {"
                 " v = If (c) <then_branch = t () => (float[M] a) { a = Concat <axis = 0> (x, "
                 "x) }, else_branch = e () => (float[M] b) { b = Relu(x) }> y = Relu(v) }"),
        board{}};
    CHECK(floats(with_board.run({{"c", tensor(shape{}, {false})}, {"x", ones({2})}})[0]) == std::vector(2, 1.f));
    CHECK(line_of(with_board.plan(), "Relu").provider == cpu::name);
    CHECK(line_of(with_board.plan(), "Relu").answers[0].text ==
          "its shapes are known only while it runs, and the provider's memory is not the host's");
}

TEST_CASE("A provider's own refusal comes before its kernels are queried", "[providers]") {
    struct choosy : alpha {
        verdict accepts(const node_view& n) const {
            return n.record.op == "Add" ? no("no additions on Sundays") : yes();
        }
    };
    const inlay::session s{model_of(mixed), choosy{}};
    s.run({{"x", x4}, {"z", z4}});
    CHECK(line_of(s.plan(), "Add").provider == cpu::name);
    CHECK(line_of(s.plan(), "Add").answers[0].text == "no additions on Sundays");
    CHECK(line_of(s.plan(), "Relu").provider == alpha::name);
}

TEST_CASE("Memory of its own: each boundary value is copied once each way", "[providers]") {
    board_space::to_board = board_space::to_host = 0;
    const inlay::session s{model_of(around), board{}};
    CHECK(board_space::to_board == 0);  // nothing moves before a run
    for (int run = 1; run <= 3; ++run) {
        trace.clear();
        CHECK(floats(s.run({{"x", ones({8})}})[0]) == std::vector(8, 0.f));
        CHECK(board_space::to_board.exchange(0) == 2);  // a, though two nodes read it, and x
        CHECK(board_space::to_host.exchange(0) == 1);   // d
        CHECK(trace.size() == 3);
    }
    const plan_report plan = s.plan();
    REQUIRE(plan.transfers.size() == 3);
    int in = 0, out = 0;
    for (const auto& t : plan.transfers) {
        CHECK(t.bytes == 32);
        if (t.from == "host" && t.to == "board") ++in;
        if (t.from == "board" && t.to == "host") {
            ++out;
            CHECK(t.value == "d");
        }
    }
    CHECK(in == 2);
    CHECK(out == 1);
}

TEST_CASE("Constants go to a provider's memory once, when the session is made", "[providers]") {
    board_space::to_board = board_space::to_host = 0;
    {
        const inlay::session s{
            model_of(
                "g (float[3] x) => (float[3] y) <float[3] k = {1, 2, 3}> { a = Add(x, k) b = Relu(a) y = Add(b, k) }"),
            board{}};
        CHECK(board_space::to_board.exchange(0) == 1);
        CHECK(floats(s.run({{"x", ones({3})}})[0]) == std::vector{3.f, 5.f, 7.f});
        CHECK(board_space::to_board.exchange(0) == 1);
        CHECK(board_space::to_host.exchange(0) == 1);
        CHECK_FALSE(board_space::blocks.empty());
    }
    CHECK(board_space::blocks.empty());  // and all of it is released with the session
}

TEST_CASE("Providers in one memory space hand values over without copies", "[providers]") {
    board_space::to_board = board_space::to_host = 0;
    const inlay::session s{
        model_of("g (float[3] x) => (float[3] y, float[3] b) { a = Add(x, x) b = Mul(a, a) y = Relu(b) }"),
        second_board{}, board{}};
    const fetched y = s.run({{"x", ones({3})}});
    CHECK(floats(y[0]) == std::vector(3, 4.f));
    CHECK(floats(y[1]) == std::vector(3, 4.f));
    CHECK(board_space::to_board.exchange(0) == 1);
    CHECK(board_space::to_host.exchange(0) == 2);
    CHECK(s.plan().count(second_board::name) == 1);
}

TEST_CASE("Inputs that leave unchanged through a provider's memory need no copy", "[providers]") {
    board_space::to_board = board_space::to_host = 0;
    const inlay::session s{model_of("g (float[3] x) => (float[3] x, float[3] y) { y = Relu(x) }"), board{}};
    CHECK(floats(s.run({{"x", ones({3})}})[0]) == std::vector(3, 1.f));
    CHECK(board_space::to_board.exchange(0) == 1);
    CHECK(board_space::to_host.exchange(0) == 1);
}

TEST_CASE("An engine takes connected nodes as one region", "[providers]") {
    const loom e;
    const inlay::session s{model_of(mixed), e, cpu{}};
    CHECK(floats(s.run({{"x", x4}, {"z", z4}})[0]) == mixed_y);
    CHECK(floats(s.run({{"x", z4}, {"z", x4}})[0]).size() == 4);
    REQUIRE(e.log->regions.size() == 2);
    CHECK(e.log->regions[0] == std::vector<std::string>{"Add", "Relu", "Mul"});
    CHECK(e.log->regions[1] == std::vector<std::string>{"Add", "Relu"});
    CHECK(e.log->compiled == 2);  // once, for both runs
    CHECK(e.log->runs == 4);
    const plan_report plan = s.plan();
    CHECK(plan.count(loom::name) == 5);
    CHECK(plan.steps == 3);
    CHECK(plan.nodes[0].kernel == "region");
    CHECK(plan.nodes[0].fused_into == plan.nodes[2].fused_into);
    CHECK(plan.nodes[0].fused_into != plan.nodes[4].fused_into);
    CHECK(line_of(plan, "Sub").provider == cpu::name);
}

TEST_CASE("An engine may take quantised weights as the file has them; kernels get the floats", "[providers]") {
    const model m = model_of(
        "g (float[3] x) => (float[3] y, float[3] z) <int8[3] w = {1, -2, 3}, float s = {0.5}> {"
        "f = DequantizeLinear(w, s) y = Mul(x, f) z = Sub(x, f) }");
    const loom e;
    const inlay::session with_engine{m, e, cpu{}};
    const inlay::session kernels{m, cpu{}};
    const auto check = [](const auto& s) {
        const fetched r = s.run({{"x", tensor({3}, {1.f, 2.f, 3.f})}});
        CHECK(floats(r[0]) == std::vector{.5f, -2.f, 4.5f});
        CHECK(floats(r[1]) == std::vector{.5f, 3.f, 1.5f});
    };
    check(with_engine);
    check(kernels);
    REQUIRE(e.log->regions.size() == 1);
    CHECK(e.log->regions[0] == std::vector<std::string>{"DequantizeLinear", "Mul"});
    CHECK(line_of(with_engine.plan(), "DequantizeLinear").provider == loom::name);
    CHECK(line_of(with_engine.plan(), "Sub").provider == cpu::name);
    CHECK(line_of(kernels.plan(), "DequantizeLinear").provider == "(folded)");
    CHECK(kernels.plan().steps == 2);
}

TEST_CASE("Priority holds between engines and kernels", "[providers]") {
    const loom e;
    const inlay::session s{model_of(mixed), beta{}, e, cpu{}};
    CHECK(floats(s.run({{"x", x4}, {"z", z4}})[0]) == mixed_y);
    CHECK(s.plan().count(beta::name) == 3);
    CHECK(s.plan().count(loom::name) == 2);  // the two Adds, each alone now
    CHECK(e.log->regions.size() == 2);
}

TEST_CASE("Conv and Relu taken together are one partition, taken alone two", "[providers]") {
    const model m =
        model_of("g (float[1,1,2,2] x) => (float[1,1,2,2] y) <float[1,1,1,1] w = {2}> { c = Conv(x, w) y = Relu(c) }");
    const std::vector<feed> in{{"x", tensor({1, 1, 2, 2}, {1.f, -1.f, 2.f, -2.f})}};
    const std::vector<float> expected{2.f, 0.f, 4.f, 0.f};
    const loom together, alone{.single = true};
    const inlay::session first{m, together, cpu{}};
    CHECK(floats(first.run(in)[0]) == expected);
    CHECK(together.log->regions == std::vector<std::vector<std::string>>{{"Conv", "Relu"}});
    CHECK(first.plan().steps == 1);
    CHECK(first.plan().count(loom::name) == 2);
    const inlay::session second{m, alone, cpu{}};
    CHECK(floats(second.run(in)[0]) == expected);
    CHECK(alone.log->regions == std::vector<std::vector<std::string>>{{"Conv"}, {"Relu"}});
    CHECK(second.plan().steps == 2);
    const inlay::session stock{m, cpu{}};
    CHECK(floats(stock.run(in)[0]) == expected);
}

TEST_CASE("Each set of input shapes is compiled once while its plan is kept", "[providers]") {
    const model m = model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }");
    for (const int plans : {2, 1}) {
        const loom e;
        session_options o;
        o.plans = plans;
        const inlay::session s{m, o, e, cpu{}};
        CHECK(e.log->compiled == 0);
        for (const std::int64_t n : {3, 5, 3, 5})
            CHECK(floats(s.run({{"x", ones({n})}})[0]) == std::vector(std::size_t(n), 2.f));
        CHECK(e.log->compiled == (plans == 2 ? 2 : 4));
    }
}

TEST_CASE("fallback::never keeps every node on the first provider, or says which cannot stay", "[providers]") {
    const model simple = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }"), m = model_of(mixed);
    const inlay::session s{simple, with(fallback::never()), alpha{}};
    CHECK(s.providers() == std::vector<std::string>{"AlphaExecutionProvider"});
    CHECK_FALSE(s.plan().implicit_cpu);
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector{2.f, 0.f, 6.f, 0.f});
    const auto outcome = session<alpha, cpu>::try_make(m, with(fallback::never()), alpha{}, cpu{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::no_provider);
    CHECK(outcome.why().op == "Mul");
    CHECK(has_text(outcome.why().text, "AlphaExecutionProvider: no kernel for this operator (Mul)"));
    CHECK(has_text(outcome.why().text, "CPUExecutionProvider: fallback::never: only the first provider may run nodes"));
}

TEST_CASE("fallback::only lets the named operators leave the first provider", "[providers]") {
    const model m = model_of(mixed);
    const inlay::session s{m, with(fallback::only({"Mul", "Sub"})), alpha{}};
    CHECK(floats(s.run({{"x", x4}, {"z", z4}})[0]) == mixed_y);
    CHECK(s.plan().count(alpha::name) == 4);
    const auto outcome = session<alpha>::try_make(m, with(fallback::only({"Mul"})), alpha{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().op == "Sub");
    CHECK(has_text(outcome.why().text, "fallback::only: this operator may not leave the first provider"));
}

TEST_CASE("An engine that cannot compile what it proposed is an error, or replaced and reported under fallback::any",
          "[providers]") {
    const model m = model_of(mixed);
    const auto outcome =
        session<loom, cpu>::try_make(m, with(fallback::implicit_cpu()), loom{.compile_fails = true}, cpu{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::provider_failed);
    CHECK(outcome.why().provider == loom::name);
    CHECK(
        has_text(outcome.why().text,
                 "EngineExecutionProvider: it could not compile a region of 3 nodes that it had proposed: the drum is "
                 "full"));

    std::vector<std::string> warnings;
    const inlay::session s{m, with(fallback::any(), &warnings), loom{.compile_fails = true}, alpha{}};
    CHECK(floats(s.run({{"x", x4}, {"z", z4}})[0]) == mixed_y);
    const plan_report plan = s.plan();
    CHECK(plan.count(loom::name) == 0);
    CHECK(plan.count(alpha::name) == 4);
    REQUIRE(plan.notes.size() == 1);
    CHECK(has_text(plan.notes[0], "EngineExecutionProvider: it could not compile"));
    CHECK(has_text(text_of(plan), "note: EngineExecutionProvider: it could not compile"));
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] == plan.notes[0]);
    CHECK(has_text(warnings[1], "2 of 6 nodes left AlphaExecutionProvider"));  // the one that was replaced has none
}

TEST_CASE("A provider that fails in a run is an error, or replaced and reported under fallback::any", "[providers]") {
    const model m = model_of(mixed);
    const std::vector<feed> in{{"x", x4}, {"z", z4}};
    SECTION("an engine") {
        const inlay::session strict{m, loom{.run_fails = true}, cpu{}};
        const auto failed = strict.try_run(in);
        REQUIRE_FALSE(failed);
        CHECK(failed.why().code == error_code::provider_failed);
        CHECK(failed.why().provider == loom::name);
        CHECK(has_text(failed.why().text, "the engine stalled"));

        std::vector<std::string> warnings;
        const loom e{.run_fails = true};
        const inlay::session s{m, with(fallback::any(), &warnings), e, cpu{}};
        for (int run = 0; run < 3; ++run) CHECK(floats(s.run(in)[0]) == mixed_y);
        CHECK(e.log->runs == 1);
        CHECK(s.plan().count(loom::name) == 0);
        REQUIRE(s.plan().notes.size() == 1);
        CHECK(has_text(s.plan().notes[0], "the engine stalled"));
        REQUIRE(warnings.size() == 2);
        CHECK(has_text(warnings[0], "nodes left EngineExecutionProvider"));
        CHECK(warnings[1] == s.plan().notes[0]);
    }
    SECTION("kernels") {
        const inlay::session strict{m, alpha{}};
        const inlay::session s{m, with(fallback::any()), alpha{}, beta{}};
        lab_fails = true;
        const auto failed = strict.try_run(in);
        REQUIRE_FALSE(failed);
        CHECK(failed.why().code == error_code::provider_failed);
        CHECK(failed.why().provider == alpha::name);
        CHECK(failed.why().op == "Add");
        CHECK(has_text(failed.why().text, "the lab is on fire"));
        CHECK(floats(s.run(in)[0]) == mixed_y);
        lab_fails = false;
        CHECK(floats(s.run(in)[0]) == mixed_y);
        CHECK(s.plan().count(alpha::name) == 0);
        CHECK(s.plan().count(beta::name) == 3);
        CHECK(floats(strict.run(in)[0]) == mixed_y);  // the strict session still has it
    }
    SECTION("kernels in a body") {
        const inlay::session s{model_of("g (int64 n, float[4] x) => (float[4] y) { on = Constant <value = bool {1}> ()"
                                        " y = Loop (n, on, x) <body = b (int64 i, bool go, float[4] v) => (bool again, "
                                        "float[4] next) { again = Identity(go) next = Add(v, x) }> }"),
                               with(fallback::any()), alpha{}};
        lab_fails = true;
        CHECK(floats(s.run({{"n", tensor(shape{}, {std::int64_t(2)})}, {"x", x4}})[0]) ==
              std::vector{3.f, -6.f, 9.f, -12.f});
        lab_fails = false;
        REQUIRE(s.plan().notes.size() == 1);
        CHECK(line_of(s.plan(), "Loop").body[1].provider == cpu::name);
    }
}

TEST_CASE("A binding ends where its provider fails, and the next one does without it", "[providers]") {
    const inlay::session s{model_of(mixed), with(fallback::any()), loom{.run_fails = true}, cpu{}};
    binding first = s.bind();
    CHECK(first.run() == status::failed);
    CHECK(first.why() == "the engine stalled");
    binding second = s.bind();
    std::ranges::copy(x4.as<float>(), second.input("x").as<float>().begin());
    std::ranges::copy(z4.as<float>(), second.input("z").as<float>().begin());
    CHECK(second.run() == status::ok);
    CHECK(floats(second.output("y")) == mixed_y);
}

TEST_CASE("A provider whose memory cannot be reached any more is replaced", "[providers]") {
    const model simple = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Sub(a, x) }");
    const inlay::session strict{simple, board{}};
    const inlay::session s{simple, with(fallback::any()), board{}};
    board_space::unplugged = true;
    const auto failed = strict.try_run(std::vector<feed>{{"x", x4}});
    CHECK(floats(s.run({{"x", x4}})[0]) == floats(x4));
    board_space::unplugged = false;
    REQUIRE_FALSE(failed);
    CHECK(failed.why().provider == board::name);
    CHECK(has_text(failed.why().text, "a transfer between memory spaces of BoardExecutionProvider failed"));
    CHECK(s.plan().count(board::name) == 0);
}

TEST_CASE("A provider may fail under many runs at once", "[providers][threads]") {
    for (int round = 0; round < 5; ++round) {
        const inlay::session s{model_of(mixed), with(fallback::any()), loom{.run_fails = true}, cpu{.threads = 1}};
        std::atomic<int> wrong{0};
        std::vector<std::thread> callers;
        for (int t = 0; t < 4; ++t)
            callers.emplace_back([&] {
                for (int i = 0; i < 5; ++i)
                    if (floats(s.run({{"x", x4}, {"z", z4}})[0]) != mixed_y) ++wrong;
            });
        for (auto& c : callers) c.join();
        CHECK(wrong == 0);
        CHECK(s.plan().notes.size() == 1);
        CHECK(s.plan().count(loom::name) == 0);
    }
}
