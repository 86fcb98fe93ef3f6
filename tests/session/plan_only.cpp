// Providers that a program plans for and cannot run.
#include "../models.hpp"
#include "test_providers.hpp"
#include <inlay/plan_only.hpp>
#include <boost/hana/adapt_struct.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace inlay::testing {
// A provider with a device of its own, in memory that there is once per device, and its options.
struct absent_memory {};
struct absent {
    int device_id = 0;
    bool careful = false;
    using memory = absent_memory;
    static constexpr std::string_view name = "AbsentExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lab<2>>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::relu>;
    using conversions = lab<2>;
    verdict accepts(const node_view& n) const {
        return careful && n.record.op == "Add" ? no("too careful to add") : yes();
    }
    result<std::shared_ptr<device_session>> open() const;  // not defined, as where the library is missing
};
}  // namespace inlay::testing
BOOST_HANA_ADAPT_STRUCT(inlay::testing::absent, device_id, careful);
namespace inlay {
inline namespace v1 {
template <> struct memory_space<testing::absent_memory> {  // nor any of these
    static constexpr std::string_view name = "absent";
    static void* allocate(std::size_t bytes, int device) noexcept;
    static void release(void*, int device) noexcept;
};
template <> struct transfer<memory::host, testing::absent_memory> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept;
};
template <> struct transfer<testing::absent_memory, memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept;
};
}  // namespace v1
}  // namespace inlay
namespace {
struct unplugged_board : board {
    static constexpr std::string_view name = "UnpluggedExecutionProvider";
    result<std::shared_ptr<device_session>> open() const {
        return error(error_code::provider_unavailable, std::string(name) + ": it has no plug");
    }
};
struct planned_absent {
    using type = absent;
    static constexpr std::string_view reason = "it is still being built";
};
constexpr provider_factory factories[] = {factory_of<cpu>(), plan_only_factory_of<planned_absent>()};

const char* const text = "g (float[4] x) => (float[4] y) { a = Add(x, x) b = Relu(a) c = Mul(b, a) y = Sigmoid(c) }";
const tensor x({4}, {1.f, -2.f, 3.f, -4.f});
const std::string_view absence = "there is no board here";
handle_session board_plans(const session_options& o = {}) {
    return handle_session(model_of(text), {make_plan_only_handle(board{}, absence), make_handle(cpu{.threads = 1})}, o);
}
}  // namespace

TEST_CASE("A plan only is the plan of a session that runs, but for the weights that it does not pack") {
    const inlay::session real{model_of(text), board{}, cpu{.threads = 1}};
    const plan_report runs = real.plan(), plans = board_plans().plan();
    REQUIRE(plans.nodes.size() == runs.nodes.size());
    for (std::size_t i = 0; i < runs.nodes.size(); ++i) {
        CHECK(plans.nodes[i].provider == runs.nodes[i].provider);
        CHECK(plans.nodes[i].kernel == runs.nodes[i].kernel);
    }
    CHECK(plans.count(board::name) == 2);
    CHECK(plans.transfers.size() == runs.transfers.size());
    CHECK(plans.transfers.front().to == "board");
    CHECK(plans.steps == runs.steps);
    CHECK(plans.arena_bytes == runs.arena_bytes);
    CHECK(runs.packed_bytes >= 0);
    CHECK(plans.packed_bytes == -1);
    CHECK(has_text(text_of(plans), "packed weights size known at run"));
}
TEST_CASE("A provider is not usable for the reason that its plan, its maker or its device gives") {
    CHECK(why_unusable(factory_of<cpu>()) == "");
    CHECK(why_unusable(plan_only_factory_of<planned_absent>()) == planned_absent::reason);
    CHECK(has_text(why_unusable(factory_of<unplugged_board>()), "it has no plug"));
    provider_factory broken = factory_of<cpu>();
    broken.make_of = [](const void*, const option_list&) -> result<provider_handle> {
        return error(error_code::invalid_option, "it takes no options");
    };
    CHECK(why_unusable(broken) == "it takes no options");
}
TEST_CASE("A plan only says that it is one, and why") {
    const plan_report r = board_plans().plan();
    REQUIRE(!r.notes.empty());
    CHECK(
        r.notes.back() ==
        "this is a plan only, no weights are packed and nothing can be run: BoardExecutionProvider: there is no board "
        "here");
    CHECK(inlay::session(model_of(text), board{}, cpu{}).plan().notes.empty());
}
TEST_CASE("A device that cannot be opened is planned for where only a plan is requested") {
    session_options o;
    const auto session_of = [&] {
        return handle_session(model_of(text), {make_handle(unplugged_board{}), make_handle(cpu{.threads = 1})}, o);
    };
    CHECK(raised([&] { (void)session_of(); }).code == error_code::provider_unavailable);
    o.plan_only = true;
    const handle_session s = session_of();
    const plan_report r = s.plan();
    CHECK(r.count(unplugged_board::name) == 2);
    CHECK(r.notes.back() ==
          "this is a plan only, no weights are packed and nothing can be run: UnpluggedExecutionProvider: it has no "
          "plug");
    CHECK(raised([&] {
              (void)s.run({{"x", x}});
          }).text == "UnpluggedExecutionProvider: this session can only plan: it has no plug");
    o.fallback = fallback::any();
    o.log = [](severity, std::string_view) {};
    CHECK(floats(session_of().run({{"x", x}})[0]).size() == 4);
    const handle_session with_board(model_of(text), {make_handle(board{}), make_handle(cpu{.threads = 1})},
                                    {.plan_only = true});
    CHECK(with_board.plan().notes.empty());
    CHECK(floats(with_board.run({{"x", x}})[0]).size() == 4);
}
TEST_CASE("The memory of a plan only is that of a session that runs") {
    const inlay::session real{model_of(text), board{}, cpu{.threads = 1}};
    const memory_report runs = real.memory(), plans = board_plans().memory();
    CHECK(plans.spaces.size() == 2);
    CHECK(plans.arena_bytes() == runs.arena_bytes());
    CHECK(plans.unplanned == runs.unplanned);
}
TEST_CASE("A session that can only plan refuses to run, to bind and to warm up, with the reason") {
    const handle_session s = board_plans();
    for (const error& e : {raised([&] {
                               (void)s.run({{"x", x}});
                           }),
                           raised([&] { (void)s.bind(); }), raised([&] { s.warm_up(1); }), raised([&] {
                               (void)s.trace({{"x", x}});
                           })}) {
        CHECK(e.code == error_code::provider_unavailable);
        CHECK(e.provider == board::name);
        CHECK(e.text == "BoardExecutionProvider: this session can only plan: there is no board here");
    }
    const std::vector<feed> feeds{{"x", x}};
    const auto tried = s.try_run(feeds);
    REQUIRE(!tried);
    CHECK(tried.why().code == error_code::provider_unavailable);
}
TEST_CASE("Under fallback::any the next providers run what one that cannot run was to take, and the plan says so") {
    session_options o;
    o.fallback = fallback::any();
    o.log = [](severity, std::string_view) {};
    const handle_session s = board_plans(o);
    const auto y = s.run({{"x", x}});
    CHECK(y.executed().front().nodes == 0);
    CHECK(floats(y[0]) == floats(inlay::session(model_of(text), cpu{}).run({{"x", x}})[0]));
    const plan_report r = s.plan();
    CHECK(r.count(board::name) == 0);
    REQUIRE(r.notes.size() == 1);
    CHECK(r.notes[0] ==
          "BoardExecutionProvider failed: there is no board here; the next providers of the list took over");
}
TEST_CASE("Regions that an engine proposes are planned where it cannot run") {
    const handle_session s(model_of(text), {make_plan_only_handle(loom{}, absence), make_handle(cpu{})});
    const plan_report r = s.plan();
    CHECK(r.count(loom::name) == 3);
    CHECK(line_of(r, "Add").kernel == "region");
    CHECK(raised([&] { (void)s.run({{"x", x}}); }).code == error_code::provider_unavailable);
}
TEST_CASE("Bodies of control flow are planned too, and values of data-dependent size") {
    const char* const late =
        "g (float[4] x, bool c) => (int64[1,N] y, float[4] z) { a = Relu(x) y = NonZero(a) "
        "z = If(c) <then_branch = t () => (float[4] p) { p = Add(x, x) }, "
        "else_branch = e () => (float[4] q) { q = Sigmoid(x) }> }";
    const handle_session plans(model_of(late), {make_plan_only_handle(board{}, absence), make_handle(cpu{})});
    const inlay::session runs{model_of(late), board{}, cpu{}};
    CHECK(line_of(plans.plan(), "If").body.size() == 2);
    CHECK(line_of(plans.plan(), "If").body[0].provider == line_of(runs.plan(), "If").body[0].provider);
    CHECK(plans.memory().unplanned == runs.memory().unplanned);
    CHECK(runs.memory().unplanned > 0);
}
TEST_CASE("A provider without its library is found by name, takes options and plans for its second device") {
    const auto plans = [](std::vector<provider_choice> list) {
        return handle_session(model_of(text), make_handles(factories, list).value_or_raise());
    };
    const provider_choice first("absent", {{"device_id", "0"}}), second("absent", {{"device_id", "1"}});
    const handle_session s = plans({first, second});
    CHECK(s.providers() ==
          std::vector<std::string>{"AbsentExecutionProvider:0", "AbsentExecutionProvider:1", "CPUExecutionProvider"});
    const plan_report r = s.plan();
    CHECK(r.count("AbsentExecutionProvider:0") == 2);
    CHECK(r.transfers.front().to == "absent");
    const handle_session divided = plans({provider_choice("absent", {{"careful", "true"}}), second});
    CHECK(divided.plan().count("AbsentExecutionProvider:1") == 1);
    CHECK(std::ranges::any_of(divided.plan().transfers, [](const auto& c) { return c.to == "absent:1"; }));
}
TEST_CASE("The list of names shows which providers can only be planned for") {
    const auto handles = make_handles(factories, std::vector<provider_choice>{"abacus"});
    REQUIRE(!handles);
    CHECK(handles.why().text ==
          "inlay: there is no provider `abacus` in this program; it has: CPUExecutionProvider AbsentExecutionProvider "
          "(plan only)");
    const auto outcome = make_handles(factories, std::vector<provider_choice>{"absent"});
    REQUIRE(outcome);
    CHECK((*outcome).front().plan_only == "it is still being built");
}
