// Partition by cost: where nodes run when what they take decides.
#include "models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr int slow = 3000;  // microseconds: much more than anything else here takes
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});

session_options by_cost() {
    session_options o;
    o.partition = partition_by::cost;
    o.log = [](severity, std::string_view) {};
    return o;
}
using other_nodes = only<cpu, op::sub>;  // no other CPU is appended
struct delayed {                         // kernels of lab<0>, until the end of the scope
    explicit delayed(int microseconds) { lab_delay = microseconds; }
    ~delayed() { lab_delay = 0; }
};
// Islands of two nodes that the engine runs, between nodes that it does not: 500 nodes, 87 islands.
std::string islands() {
    std::string text = "g (float[4] x) => (float[4] y) { v0 = Sub(x, x) ";
    int at = 0;
    const auto add = [&](const std::string& node) {
        text += "v" + std::to_string(at + 1) + " = " + node + "(v" + std::to_string(at) +
                (node == "Relu" || node == "Abs" ? ") " : ", x) ");
        ++at;
    };
    for (int k = 0; k < 87; ++k) {
        add("Add");
        add("Relu");
        for (int i = 0; i < 3; ++i) add("Abs");
    }
    while (at < 498) add("Abs");
    return text + "y = Sub(v" + std::to_string(at) + ", x) }";
}
}  // namespace

TEST_CASE("By cost nodes leave a slower provider, and the plan shows both costs", "[cost]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }");
    loom engine;
    engine.log->delay = slow;
    const inlay::session s{m, by_cost(), engine, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector{2.f, 0.f, 6.f, 0.f});
    const plan_report plan = s.plan();
    CHECK(plan.count(cpu::name) == 2);
    REQUIRE(plan.costs);
    CHECK(plan.costs->greedy > slow * 1e-6);
    CHECK(plan.costs->measured < plan.costs->greedy);
    CHECK(plan.costs->lower_bound <= plan.costs->predicted);
    CHECK(plan.costs->tried == 2);
    const auto& answers = line_of(plan, "Relu").answers;
    REQUIRE(answers.size() == 1);
    CHECK(has_text(answers[0].text, "by cost it runs on CPUExecutionProvider: "));
    CHECK(has_text(answers[0].text, " us on EngineExecutionProvider"));
    std::ostringstream text;
    text << plan;
    CHECK(has_text(text.str(), "by cost, of 2 plans: greedy "));
}

TEST_CASE("By cost a fast provider keeps what it took, although a slow one takes it too", "[cost]") {
    const delayed later(slow);
    const model m = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }");
    const inlay::session before{m, by_cost(), loom{}, alpha{}, other_nodes{}};
    before.run({{"x", x4}});
    CHECK(before.plan().count(loom::name) == 2);
    const inlay::session behind{m, by_cost(), alpha{}, loom{}, other_nodes{}};
    behind.run({{"x", x4}});
    CHECK(behind.plan().count(loom::name) == 2);
}

TEST_CASE("By cost each part of a graph goes to the provider that is faster for it", "[cost]") {
    // The engine is slow where it multiplies, alpha everywhere; beta multiplies, and does not add.
    const delayed later(slow);
    const model m =
        model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) b = Relu(a) c = Sub(b, x) y = Mul(c, x) }");
    loom engine;
    engine.log->delay = slow;
    engine.log->delayed_operator = "Mul";
    const inlay::session s{m, by_cost(), engine, alpha{}, beta{}, other_nodes{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector{1.f, -4.f, 9.f, -16.f});
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Add").provider == loom::name);
    CHECK(line_of(plan, "Relu").provider == loom::name);
    CHECK(line_of(plan, "Mul").provider == beta::name);
}

TEST_CASE("Islands whose engine takes long for each run are all dissolved", "[cost]") {
    const model m = model_of(islands());
    REQUIRE(m.view().nodes.size() == 500);
    loom engine;
    const inlay::session greedy{m, engine, cpu{}};
    const auto expected = floats(greedy.run({{"x", x4}})[0]);
    CHECK(greedy.plan().count(loom::name) == 2 * 87);
    engine.log->delay = 200;
    const inlay::session s{m, by_cost(), engine, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == expected);
    const plan_report plan = s.plan();
    CHECK(plan.count(loom::name) == 0);
    CHECK(plan.costs->measured < plan.costs->greedy / 4);
}

TEST_CASE("Later shapes are placed as the first ones were, without another trial", "[cost]") {
    const model m = model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }");
    loom engine;
    engine.log->delay = slow;
    const inlay::session s{m, by_cost(), engine, cpu{}};
    s.run({{"x", x4}});
    const int compiled = engine.log->compiled;
    CHECK(compiled == 1);
    CHECK(floats(s.run({{"x", tensor({2}, {1.f, -1.f})}})[0]) == std::vector{2.f, 0.f});
    CHECK(engine.log->compiled == compiled);
    CHECK(s.plan().count(cpu::name) == 2);
}

TEST_CASE("Where inputs cannot be made up, or a trial fails, the partition is by order and the plan says so",
          "[cost]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }");
    loom engine;
    engine.run_fails = true;
    const inlay::session s{m, by_cost(), engine, cpu{}};
    CHECK_FALSE(s.try_run(std::vector<feed>{{"x", x4}}));
    const plan_report plan = s.plan();
    CHECK(plan.count(loom::name) == 2);
    CHECK_FALSE(plan.costs);
    CHECK(std::ranges::any_of(plan.notes, [](const std::string& n) {
        return has_text(n, "the partition is by order, for no plan could be timed: ") &&
               has_text(n, "the engine stalled");
    }));
}
