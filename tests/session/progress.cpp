// Progress of loading and planning: what is reported, and how the caller ends it.
#include "../models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr std::string_view text =
    "g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y) <float[1,4,1,1] b = {1, 2, 3, 4}> { c = Conv(x, w) r "
    "= Relu(c) a = Add(r, r) s = Sqrt(a) y = Add(s, b) }";
struct progress_call {
    stage phase;
    std::int64_t count, total;
};
struct listener {  // ends the work, or throws, at one of its calls
    std::vector<progress_call> calls{};
    int end_at = -1, throw_at = -1;
    struct thrown {};
    progress_function function() {
        return [this](stage s, std::int64_t count, std::int64_t total) {
            calls.push_back({s, count, total});
            if (int(calls.size()) - 1 == throw_at) throw thrown{};
            return int(calls.size()) - 1 != end_at;
        };
    }
    std::vector<stage> stages() const {  // each new one
        std::vector<stage> list;
        for (const progress_call& t : calls)
            if (list.empty() || list.back() != t.phase) list.push_back(t.phase);
        return list;
    }
};
model_options telling(listener& l) {
    model_options o;
    o.progress = l.function();
    return o;
}
session_options session_telling(listener& l) {
    session_options o;
    o.progress = l.function();
    return o;
}
inlay::session<board, cpu> everything(listener& l) {
    return {model_of(text, telling(l)), session_telling(l), board{}, cpu{.threads = 1}};
}
std::size_t blocks_on_the_board() {
    const std::lock_guard guard(board_space::lock);
    return board_space::blocks.size();
}
}  // namespace

TEST_CASE("Stages come in order, and each goes from nothing to all", "[progress]") {
    listener l;
    everything(l);
    CHECK(l.stages() == std::vector{stage::load, stage::passes, stage::partition, stage::plan, stage::pack});
    for (std::size_t k = 0; k < l.calls.size(); ++k) {
        CAPTURE(k, name_of(l.calls[k].phase), l.calls[k].count, l.calls[k].total);
        const bool first = k == 0 || l.calls[k - 1].phase != l.calls[k].phase,
                   ends_stage = k + 1 == l.calls.size() || l.calls[k + 1].phase != l.calls[k].phase;
        CHECK(l.calls[k].total > 0);
        if (first)
            CHECK(l.calls[k].count == 0);
        else {
            CHECK(l.calls[k].count > l.calls[k - 1].count);
            CHECK(l.calls[k].total == l.calls[k - 1].total);
        }
        if (ends_stage) CHECK(l.calls[k].count == l.calls[k].total);
    }
}
TEST_CASE("A long stage is reported a hundred times at most, besides its start", "[progress]") {
    std::string nodes, before = "x";
    for (int k = 0; k < 450; ++k) {
        const std::string now = k == 449 ? "y" : "v" + std::to_string(k);
        nodes += now + " = " + (k % 2 ? "Tanh" : "Sqrt") + "(" + before + ") ";
        before = now;
    }
    listener l;
    const inlay::session s{model_of("g (float[4] x) => (float[4] y) { " + nodes + "}"), session_telling(l),
                           reference{}};
    CHECK(s.plan().steps == 450);
    const auto packing = std::ranges::count(l.calls, stage::pack, &progress_call::phase);
    CHECK(packing > 50);
    CHECK(packing <= 101);
}
TEST_CASE("False ends the work at any call, and leaves nothing behind", "[progress]") {
    listener whole;
    everything(whole);
    const std::size_t blocks = blocks_on_the_board();
    for (int k = 0; k < int(whole.calls.size()); ++k) {
        CAPTURE(k);
        listener l{.end_at = k};
        const error e = raised([&] { everything(l); });
        CHECK(e.code == error_code::stopped);
        CHECK(has_text(
            e.text, "ended the work in the stage `" + std::string(name_of(whole.calls[std::size_t(k)].phase)) + "`"));
        CHECK(int(l.calls.size()) == k + 1);  // no further call
        CHECK(blocks_on_the_board() == blocks);
    }
}
TEST_CASE("A model whose session was ended makes another", "[progress]") {
    const model m = model_of("g (float[2] x) => (float[2] y) { r = Relu(x) y = Sqrt(r) }");
    listener whole;
    (void)inlay::session{m, session_telling(whole), cpu{}};
    for (int k = 0; k < int(whole.calls.size()); ++k) {
        CAPTURE(k);
        listener l{.end_at = k};
        const auto outcome = inlay::session<cpu>::try_make(m, session_telling(l), cpu{});
        REQUIRE_FALSE(outcome);
        CHECK(outcome.why().code == error_code::stopped);
        CHECK(floats(inlay::session{m, cpu{}}.run({{"x", tensor({2}, {4.f, 9.f})}}).at("y")) == std::vector{2.f, 3.f});
    }
}
TEST_CASE("What a progress function throws reaches the caller as it is", "[progress]") {
    listener whole;
    everything(whole);
    const std::size_t blocks = blocks_on_the_board();
    for (int k = 0; k < int(whole.calls.size()); ++k) {
        CAPTURE(k);
        listener l{.throw_at = k};
        CHECK_THROWS_AS(everything(l), listener::thrown);
        CHECK(blocks_on_the_board() == blocks);
    }
    model_options o;
    o.progress = [](stage, std::int64_t, std::int64_t) -> bool { throw std::runtime_error("mine"); };
    CHECK_THROWS_WITH(model::try_load(serialized(text), o), "mine");  // it is no error of the model's
}
TEST_CASE("Where shapes are free, planning is reported when they are known, once for each", "[progress]") {
    listener l;
    const inlay::session s{model_of("g (float[N,4] x) => (float[N,4] y) { y = Relu(x) }"), session_telling(l),
                           cpu{.threads = 1}};
    CHECK(l.stages() == std::vector{stage::partition});
    l.calls.clear();
    s.run({{"x", ones({2, 4})}});
    CHECK(l.stages() == std::vector{stage::plan, stage::pack});
    l.calls.clear();
    s.run({{"x", ones({2, 4})}});
    CHECK(l.calls.empty());
}
TEST_CASE("A session goes on after a plan that its caller ended", "[progress]") {
    bool going = true;
    session_options o;
    o.progress = [&](stage, std::int64_t, std::int64_t) { return going; };
    const inlay::session s{model_of("g (float[N,4] x) => (float[N,4] y) { y = Relu(x) }"), o, cpu{.threads = 1}};
    going = false;
    CHECK(raised([&] { s.run({{"x", ones({2, 4})}}); }).code == error_code::stopped);
    CHECK(raised([&] { (void)s.bind({{"x", {2, 4}}}); }).code == error_code::stopped);
    CHECK(raised([&] { (void)s.plan(); }).code == error_code::stopped);
    going = true;
    CHECK(floats(s.run({{"x", ones({1, 4})}}).at("y")) == std::vector{1.f, 1.f, 1.f, 1.f});
}
TEST_CASE("Plans of bodies, which runs create, are not reported", "[progress]") {
    listener l;
    const inlay::session s{
        model_of("g (bool c, float[2] x) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] p) { p = Relu(x) "
                 "}, else_branch = e () => (float[2] q) { q = Sqrt(x) }> }"),
        session_telling(l), cpu{.threads = 1}};
    l.calls.clear();
    s.run({{"c", tensor(shape{}, {true})}, {"x", ones({2})}});
    CHECK(l.calls.empty());
}
