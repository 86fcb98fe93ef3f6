// What plans report: schedules and memory.
#include "../models.hpp"
#include "test_providers.hpp"
#include <inlay/report_json.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct rounding {
    static constexpr std::string_view name = "rounding";
};
struct rounder {  // its precision is its own, not the session's
    std::string precision = "standard";
    static constexpr std::string_view name = "RounderExecutionProvider";
    static constexpr auto devices = hana::tuple_t<rounding>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::relu>;
    element operands(element type) const { return precision == "float16" ? element::f16 : type; }
};
struct mute_rounder {  // nor does it say what it multiplies
    std::string precision = "float16";
    static constexpr std::string_view name = "MuteRounderExecutionProvider";
    static constexpr auto devices = hana::tuple_t<rounding>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::relu>;
};
}  // namespace
BOOST_HANA_ADAPT_STRUCT(rounder, precision);
BOOST_HANA_ADAPT_STRUCT(mute_rounder, precision);
namespace inlay {
inline namespace v1 {
template <> struct kernel<op::add, rounding, types<float>> : kernel<op::add, device::reference, types<float>> {
    static constexpr bool reduced(const params&) { return true; }
};
template <> struct kernel<op::relu, rounding, types<float>> : kernel<op::relu, device::reference, types<float>> {};
}  // namespace v1
}  // namespace inlay

TEST_CASE("A plan names what a provider of its own precision rounds", "[report]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }");
    const plan_report half = inlay::session{m, rounder{.precision = "float16"}, cpu{.threads = 1}}.plan();
    CHECK(half.precision == "float16");
    CHECK(line_of(half, "Add").precision == "float16");
    CHECK(line_of(half, "Relu").precision.empty());
    CHECK(has_text(text_of(half), "precision float16, with less than float in 1 node"));
    for (const char* exact : {"standard", "strict"}) {
        const plan_report r =
            inlay::session{m, rounder{.precision = exact}, cpu{.threads = 1, .precision = precision::bfloat16}}.plan();
        CHECK(r.precision == "bfloat16");
        CHECK(line_of(r, "Add").precision.empty());
    }
}
TEST_CASE("A precision of a type of its own that cannot be read is reported by plan and log", "[report]") {
    std::vector<std::string> log;
    session_options o;
    o.log = [&](severity, std::string_view text) { log.emplace_back(text); };
    const inlay::session s{model_of("g (float[4] x) => (float[4] y) { y = Relu(x) }"), o, mute_rounder{}};
    REQUIRE(log.size() == 1);
    CHECK(has_text(log[0], "MuteRounderExecutionProvider has a `precision` of a type of its own"));
    CHECK(s.plan().notes == log);
    CHECK(s.plan().precision == "standard");
}
TEST_CASE("A plan's schedule stands for every node once, and every step reads what is there", "[report]") {
    const inlay::session s{model_of("g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y) { c = Conv(x, w) r = "
                                    "Relu(c) a = Add(r, r) y = Sqrt(a) }"),
                           board{}, cpu{.threads = 1}};
    const plan_report p = s.plan();
    REQUIRE(int(p.schedule.size()) == p.steps);
    std::vector<int> nodes, results;
    int transfers = 0;
    for (const plan_report::step& step : p.schedule) {
        CAPTURE(step.kind, step.name);
        nodes.insert(nodes.end(), step.nodes.begin(), step.nodes.end());
        for (int v : step.inputs)
            CHECK((std::ranges::count(results, v) == 1 || p.values[std::size_t(v)].name == "x" ||
                   p.values[std::size_t(v)].name == "w"));
        results.insert(results.end(), step.outputs.begin(), step.outputs.end());
        if (step.kind == "transfer") {
            ++transfers;
            CHECK(step.provider.empty());
            CHECK(p.values[std::size_t(step.inputs.at(0))].space != p.values[std::size_t(step.outputs.at(0))].space);
        } else
            for (int n : step.nodes) CHECK(step.provider == p.nodes[std::size_t(n)].provider);
    }
    std::ranges::sort(nodes);
    CHECK(nodes == std::vector{0, 1, 2, 3});
    CHECK(transfers == int(p.transfers.size()));
    CHECK(transfers == 2);
    REQUIRE(p.outputs.size() == 1);
    CHECK(p.values[std::size_t(p.outputs[0])].name == "y");
    CHECK(p.values[std::size_t(p.outputs[0])].bytes == 4 * 6 * 6 * 4);
}
TEST_CASE("The memory of each space holds every value while it lives, apart from all others", "[report]") {
    const inlay::session s{model_of("g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y, float[1,4,6,6] a) { "
                                    "c = Conv(x, w) r = Relu(c) a = Add(r, r) t = Softmax(c) y = Sqrt(t) }"),
                           board{}, cpu{.threads = 1}};
    const memory_report m = s.memory();
    const plan_report p = s.plan();
    CHECK(int(m.steps.size()) == p.steps);
    CHECK(m.arena_bytes() == p.arena_bytes);
    CHECK(m.scratch_bytes == p.scratch_bytes);
    CHECK(m.packed_bytes == p.packed_bytes);
    REQUIRE(m.spaces.size() == 2);
    CHECK(m.spaces[0].name == "host");
    CHECK(m.spaces[1].name == "board");
    std::int64_t live = 0;
    for (const memory_report::space& space : m.spaces) {
        CAPTURE(space.name);
        live += space.live_bytes;
        CHECK(!space.values.empty());
        CHECK(space.live.size() == m.steps.size());
        CHECK(space.live_bytes <= space.arena_bytes);
        CHECK(*std::ranges::max_element(space.live) <= space.live_bytes);
        CHECK(space.fragmentation() >= 0);
        for (const memory_report::lifetime& a : space.values) {
            CAPTURE(a.value);
            CHECK(a.offset + a.bytes <= space.arena_bytes);
            for (const memory_report::lifetime& b : space.values)
                if (a.root != b.root && a.first_step <= b.last_step && b.first_step <= a.last_step)
                    CHECK((a.offset >= b.offset + b.bytes || b.offset >= a.offset + a.bytes));
        }
    }
    CHECK(live == p.live_bytes);
    const auto& host = m.spaces[0].values;
    const auto x = std::ranges::find(host, "x", &memory_report::lifetime::value),
               y = std::ranges::find(host, "y", &memory_report::lifetime::value);
    REQUIRE(x != host.end());
    REQUIRE(y != host.end());
    CHECK(x->input);
    CHECK(x->first_step == -1);
    CHECK(x->last_step == p.steps);
    const auto output = std::ranges::find_if(  // y itself has its channels last
        host, [](const memory_report::lifetime& l) { return l.value == "y" && l.output; });
    REQUIRE(output != host.end());
    CHECK(output->last_step == p.steps);
    const auto t = std::ranges::find(host, "t", &memory_report::lifetime::value);
    REQUIRE(t != host.end());
    CHECK(y->root == t->root);  // Sqrt works in place
    CHECK(host[std::size_t(y->root)].value != "y");
}
TEST_CASE("Memory is planned for the shapes given", "[report]") {
    const inlay::session s{model_of("g (float[N,4] x) => (float[N,4] y) { r = Relu(x) y = Sqrt(r) }"),
                           cpu{.threads = 1}};
    CHECK(s.memory().inputs == std::vector<std::pair<std::string, shape>>{{"x", {1, 4}}});
    CHECK(s.memory({{"x", {64, 4}}}).arena_bytes() > s.memory({{"x", {1, 4}}}).arena_bytes());
    CHECK_THROWS_AS(s.memory({{"z", {1, 4}}}), inlay::error);
}
TEST_CASE("A session gives back the memory of the runs that are over, and later runs take their own", "[report]") {
    const inlay::session s{
        model_of("g (float[N] x, bool c) => (float[N] y, float[M] z) { r = Exp(x) y = If(c)<then_branch = t () => "
                 "(float[N] u) { u = Sqrt(r) }, else_branch = e () => (float[N] v) { v = Neg(r) }> n = NonZero(x) "
                 "f = Cast<to = 1>(n) m = Constant<value_ints = [-1]>() z = Reshape(f, m) }"),
        cpu{.threads = 1}};
    const auto run = [&](std::int64_t n) {
        const fetched results = s.run({{"x", ones({n})}, {"c", tensor(shape{}, {true})}});
        return std::pair(floats(results[0]), floats(results[1]));
    };
    const auto held_bytes = [&] { return s.memory({{"x", {4}}}).held_bytes; };
    CHECK(held_bytes() == 0);
    const auto small = run(4);
    CHECK(held_bytes() > 0);
    run(100'000);
    CHECK(held_bytes() >= 400'000);
    CHECK(run(4) == small);
    CHECK(held_bytes() >= 400'000);  // until it is released
    s.release_memory();
    CHECK(held_bytes() == 0);
    CHECK(run(4) == small);
    CHECK(held_bytes() > 0);
    CHECK(held_bytes() < 100'000);
}
TEST_CASE("Reports as JSON have their schema, and names of a file that no JSON may hold are replaced or escaped",
          "[report]") {
    const inlay::session s{model_of("g (float[N,4] x) => (float[N,4] y) { r = Relu(x) y = Sqrt(r) }"),
                           cpu{.threads = 1}};
    plan_report p = s.plan();
    p.model = "a\xff\"\\\n";
    CHECK(json_of(p).starts_with(
        R"({"schema":"inlay.plan","version":1,"model":"a\ufffd\"\\\u000a","inputs":[{"name":"x","shape":[1,4]}],)"));
    CHECK(has_text(json_of(p), R"("notes":[]})"));
    memory_report m = s.memory();
    m.spaces[0].arena_bytes = 0;
    CHECK(json_of(m).starts_with(R"({"schema":"inlay.memory","version":1,"model":"g","inputs":[)"));
    CHECK(has_text(json_of(m), R"("fragmentation":0,)"));
    const std::string profile = json_of(s.bind({{"x", {2, 4}}}).profile(3));
    CHECK(profile.starts_with(R"({"schema":"inlay.profile","version":1,"model":"g",)"));
    CHECK(has_text(profile, R"("runs":3,"peaks":null,"steps":[{"node":)"));
    CHECK(has_text(profile, R"("inputs":[{"name":"x","type":"float","shape":[2,4],"constant":false}])"));
}
