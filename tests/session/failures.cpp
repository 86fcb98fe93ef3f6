// What may fail while a session is made or runs: which provider is at fault, which takes over, and what is reported.
#include "../models.hpp"
#include "test_providers.hpp"
#include <inlay/any_session.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct quick {
    static constexpr std::string_view name = "quick";
};
struct slow {
    static constexpr std::string_view name = "slow";
};
// What the quick kernel of the mill answers when it is bound.
status answer_of_bind = status::ok;
struct mill {
    static constexpr std::string_view name = "MillExecutionProvider";
    static constexpr auto devices = hana::tuple_t<quick>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
struct careful_mill : mill {  // has a second kernel
    static constexpr std::string_view name = "CarefulMillExecutionProvider";
    static constexpr auto devices = hana::tuple_t<quick, slow>;
};
struct out_of_paper {
    static constexpr std::string_view name = "PaperExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lab<1>>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
    bool from_the_start = true;
    std::shared_ptr<bool> empty = std::make_shared<bool>(false);
    verdict accepts(const node_view&) const {
        if (from_the_start || *empty) throw std::bad_alloc();
        return yes();
    }
};
struct many_hands : beta {  // its kernels do not run on the session's pool
    static constexpr std::string_view name = "ManyHandsExecutionProvider";
    int threads = 7;
};
struct two_hands : cpu {  // its kernels do
    static constexpr std::string_view name = "TwoHandsExecutionProvider";
};
const char* const one_relu = "g (float[4] x) => (float[4] y) { y = Relu(x) }";
const char* const late_relu = "g (float[4] x, bool[4] c) => (float[N] y) { v = Compress<axis = 0>(x, c) y = Relu(v) }";
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});
const std::vector<float> relu_x4{1.f, 0.f, 3.f, 0.f};
session_options quiet(fallback f = {}) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
struct bind_answers {
    explicit bind_answers(status s) { answer_of_bind = s; }
    ~bind_answers() { answer_of_bind = status::ok; }
};
bool any_has(const std::vector<std::string>& notes, std::string_view text) {
    return std::ranges::any_of(notes, [&](const std::string& n) { return has_text(n, text); });
}
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct kernel<op::relu, quick, types<float>> : kernel<op::relu, device::reference, types<float>> {
    static status bind(const params&, constants, const setup& u, state&) noexcept {
        if (answer_of_bind != status::ok) *u.failure = error(error_code::provider_failed, "the wheel is too small");
        return answer_of_bind;
    }
};
template <> struct kernel<op::relu, slow, types<float>> : kernel<op::relu, device::reference, types<float>> {};
}  // namespace v1
}  // namespace inlay

TEST_CASE("A kernel that refuses a node when it is bound loses it, and the plan shows why", "[failures]") {
    const bind_answers unsupported(status::unsupported);
    for (const fallback& f : {fallback::implicit_cpu(), fallback::any(), fallback::only({"Relu"})}) {
        const inlay::session s{model_of(one_relu), quiet(f), mill{}};
        CHECK(floats(s.run({{"x", x4}})[0]) == relu_x4);
        const auto line = line_of(s.plan(), "Relu");
        CHECK(line.provider == cpu::name);
        REQUIRE(line.answers.size() == 1);
        CHECK(line.answers[0].provider == mill::name);
        CHECK(line.answers[0].text == "the wheel is too small");
    }
    const error e = raised([] { inlay::session{model_of(one_relu), quiet(fallback::never()), mill{}}; });
    CHECK(e.code == error_code::no_provider);
    CHECK(has_text(e.text, "the wheel is too small"));
}
TEST_CASE("The provider's next kernel takes such a node", "[failures]") {
    const bind_answers unsupported(status::unsupported);
    const inlay::session s{model_of(one_relu), quiet(fallback::never()), careful_mill{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == relu_x4);
    const auto line = line_of(s.plan(), "Relu");
    CHECK(line.kernel == "slow");
    REQUIRE(line.answers.size() == 1);
    CHECK(line.answers[0].text == "the wheel is too small");
}
TEST_CASE("So does the next kernel where the node is chosen at run", "[failures]") {
    const bind_answers unsupported(status::unsupported);
    const inlay::session s{model_of(late_relu), quiet(), mill{}};
    const std::vector<feed> in{{"x", x4}, {"c", tensor({4}, {true, true, true, true})}};
    for (int k = 0; k < 2; ++k) {
        const fetched y = s.run(in);
        CHECK(floats(y[0]) == relu_x4);
        CHECK(y.executed()[0].nodes == 0);
        CHECK(y.executed()[1].nodes == 2);
    }
    CHECK(any_has(s.plan().notes, "the wheel is too small"));
}
TEST_CASE("Under fallback::any a provider that cannot bind is replaced", "[failures]") {
    const bind_answers failed(status::failed);
    const error e = raised([] { inlay::session{model_of(one_relu), quiet(), mill{}}; });
    CHECK(e.code == error_code::provider_failed);
    CHECK(e.provider == mill::name);
    CHECK(has_text(e.text, "the wheel is too small"));
    const inlay::session s{model_of(one_relu), quiet(fallback::any()), mill{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == relu_x4);
    CHECK(line_of(s.plan(), "Relu").provider == cpu::name);
    CHECK(any_has(s.plan().notes, "MillExecutionProvider failed"));
    const inlay::session late{model_of(late_relu), quiet(fallback::any()), mill{}};
    CHECK(floats(late.run({{"x", x4}, {"c", tensor({4}, {true, true, true, true})}})[0]) == relu_x4);
    CHECK(any_has(late.plan().notes, "MillExecutionProvider failed"));
}

TEST_CASE("A failed bound run keeps the reason", "[failures]") {
    const inlay::session s{model_of("g (float[3] x, int64[1] at) => (float[N] y) { i = Range(z, e, o) y = Gather(x, i) "
                                    "e = Squeeze(at) z = Constant<value_int = 0>() o = Constant<value_int = 1>() }"
                                    ""),
                           reference{}};
    binding b = s.bind();
    b.input("at").as<std::int64_t>()[0] = 9;
    CHECK(b.run() == status::invalid_value);
    CHECK(has_text(b.why(), "Gather"));
    CHECK(b.why() != name_of(error_code::invalid_value));
    b.input("at").as<std::int64_t>()[0] = 2;
    CHECK(b.run() == status::ok);
    CHECK(b.why().empty());
}
TEST_CASE("An exception that is not Inlay's is named as what it is", "[failures]") {
    session_options o = quiet(fallback::any());
    o.log = [](severity, std::string_view text) {
        if (has_text(text, "on fire")) throw std::runtime_error("the log is full");
    };
    const inlay::session s{model_of("g (float[4] x) => (float[4] y) { y = Add(x, x) }"), o, alpha{}};
    binding b = s.bind();
    lab_fails = true;
    const status outcome = b.run();
    lab_fails = false;
    CHECK(outcome == status::failed);
    CHECK(has_text(b.why(), "the log is full"));
}
TEST_CASE("Where memory ends, try_make and try_run return an error", "[failures]") {
    const auto outcome = inlay::session<out_of_paper>::try_make(model_of(one_relu), quiet(), out_of_paper{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::out_of_memory);
    const out_of_paper later{.from_the_start = false};
    auto s = inlay::session<out_of_paper>::try_make(model_of("g (float[N] x) => (float[N] y) { y = Relu(x) }"), quiet(),
                                                    later);
    REQUIRE(s);
    *later.empty = true;
    const std::vector<feed> in{{"x", x4}};
    const auto run = s->try_run(in);
    REQUIRE_FALSE(run);
    CHECK(run.why().code == error_code::out_of_memory);
}
TEST_CASE("A failed transfer is charged to the provider that it was for", "[failures]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { y = Mul(x, x) }");
    board_space::unplugged = true;
    const error e = raised([&] { (void)inlay::session{m, quiet(), board{}, second_board{}}.run({{"x", x4}}); });
    const inlay::session s{m, quiet(fallback::any()), board{}, second_board{}};
    const auto y = floats(s.run({{"x", x4}})[0]);
    board_space::unplugged = false;
    CHECK(e.provider == second_board::name);
    CHECK(y == std::vector{1.f, 4.f, 9.f, 16.f});
    CHECK(any_has(s.plan().notes, "SecondBoardExecutionProvider"));
    CHECK_FALSE(any_has(s.plan().notes, "inlay: BoardExecutionProvider"));
}

TEST_CASE("Only a provider whose kernels run on the session's threads says how many there are", "[failures]") {
    const model m = model_of(one_relu);
    CHECK(inlay::session{m, quiet(), many_hands{}, cpu{.threads = 2}}.plan().threads == 2);
    two_hands two;
    two.threads = 2;
    CHECK(inlay::session{m, quiet(), two}.plan().threads == 2);
}
TEST_CASE("A precision that no provider honours is reported", "[failures]") {
    const model m = model_of(one_relu);
    two_hands strict;
    strict.precision = precision::strict;
    const inlay::session s{m, quiet(), cpu{.precision = precision::bfloat16}, strict};
    CHECK(any_has(s.plan().notes, "the precision `strict` of TwoHandsExecutionProvider is not used"));
    CHECK(inlay::session{m, quiet(), cpu{.precision = precision::strict}}.plan().notes.empty());
}

namespace {
template <class... P> std::vector<std::string> warnings_of(const model& m, fallback f, P... p) {
    std::vector<std::string> texts;
    session_options o;
    o.fallback = std::move(f);
    o.log = [&](severity, std::string_view text) { texts.emplace_back(text); };
    const inlay::session s{m, o, p...};
    for (int k = 0; k < 2; ++k) (void)s.run({{"x", x4}});
    return texts;
}
const char* const mixed_nodes =
    "g (float[4] x) => (float[4] y) { a = Add(x, x) b = Mul(a, x) c = Sub(b, x) y = Relu(c) }";
}  // namespace
TEST_CASE("Nodes that leave the first provider are one warning of a session", "[failures]") {
    const model m = model_of(mixed_nodes);
    CHECK(warnings_of(m, {}, alpha{}, beta{}) ==
          std::vector<std::string>{"2 of 4 nodes left AlphaExecutionProvider: 1 on BetaExecutionProvider, 1 on "
                                   "CPUExecutionProvider, which was appended; plan() shows why"});
    CHECK(warnings_of(m, {}, alpha{}, cpu{}) ==
          std::vector<std::string>{
              "2 of 4 nodes left AlphaExecutionProvider: 2 on CPUExecutionProvider; plan() shows why"});
    CHECK(warnings_of(m, {}, cpu{}).empty());
    CHECK(warnings_of(m, {}).empty());
    CHECK(warnings_of(model_of("g (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }"), {}, alpha{}).empty());
}
TEST_CASE("Results tell how many nodes each provider ran", "[failures]") {
    const auto counts = [](const std::vector<provider_count>& entries) {
        std::vector<std::pair<std::string, std::int64_t>> list;
        for (const provider_count& c : entries) list.emplace_back(c.provider, c.nodes);
        return list;
    };
    using list = std::vector<std::pair<std::string, std::int64_t>>;
    const inlay::session s{model_of(mixed_nodes, {.optimize = false}), quiet(), alpha{}, beta{}};
    const list expected{{"AlphaExecutionProvider", 2}, {"BetaExecutionProvider", 1}, {"CPUExecutionProvider", 1}};
    CHECK(counts(s.run({{"x", x4}}).executed()) == expected);
    binding b = s.bind();
    for (int k = 0; k < 2; ++k) REQUIRE(b.run() == status::ok);
    CHECK(counts(b.executed()) == expected);

    const inlay::session loop{
        model_of(
            "g (float[4] x, int64 n) => (float[4] y) { y = Loop(n, , x) <body = b (int64 i, bool c, float[4] v) => "
            "(bool go, float[4] w) { go = Identity(c) w = Add(v, v) }> }",
            {.optimize = false}),
        quiet(), alpha{}};
    for (const std::int64_t trips : {0, 3}) {
        const fetched y = loop.run({{"x", x4}, {"n", tensor(shape{}, {trips})}});
        CHECK(counts(y.executed()) == list{{"AlphaExecutionProvider", trips}, {"CPUExecutionProvider", trips}});
    }
    const inlay::session fused{model_of("g (float[1,4,4,4] x) => (float[1,4,4,4] y) <float[4,4,1,1] w = "
                                        "{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}> { a = Conv(x, w) y = Relu(a) }"),
                               cpu{}};
    CHECK(counts(fused.run({{"x", ones({1, 4, 4, 4})}}).executed()) == list{{"CPUExecutionProvider", 2}});
}
