// A model whose type carries what an engine compiled: it is restored and run, or refused with the field that differs.
#include "../session/test_providers.hpp"
#include "catch.hpp"
#include <inlay/embedded.hpp>
#include <inlay/models/woven.hpp>

using namespace inlay;
using namespace inlay::testing;

namespace {
using net_type = embedded<models::woven, loom, cpu>;
using weights_type = net_type::weights_type;
void fill(auto& net, float x) {
    const auto to = net.template input<"x">();
    const auto z = net.template input<"z">();
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = x + float(i);
        z[i] = 1;
    }
}
bool is_right(const auto& net, float x) {  // y = max(0, (max(0, x + w) - z) * w)
    constexpr float w[] = {2, 2, 2, 3};
    for (std::size_t i = 0; i < 4; ++i) {
        const float d = (std::max(0.f, x + float(i) + w[i]) - 1) * w[i];
        if (net.template output<"d">()[i] != d || net.template output<"y">()[i] != std::max(0.f, d)) return false;
    }
    return true;
}
std::string why_not(const loom& e) {
    const weights_type w{e, cpu{}};
    const embedded net{w};
    CHECK(net.status() == w.status());
    CHECK(net.why() == w.why());
    return w.status() == status::ok ? "it was restored" : std::string(w.why());
}
// >>> contexts
template <class Engine> inlay::status restored_and_run(const Engine& engine) {
    const inlay::weights<inlay::models::woven, Engine, inlay::cpu> weights{engine, inlay::cpu{}};  // restores
    if (weights.status() != inlay::status::ok) return weights.status();  // why(): which field of the file differs
    inlay::embedded net{weights};
    return net.run();
}
// <<<
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
}  // namespace

TEST_CASE("What the guide to contexts restores runs", "[contexts]") { CHECK(restored_and_run(loom{}) == status::ok); }
TEST_CASE("What an engine compiled is part of the type, and is restored and run", "[contexts]") {
    static_assert(net_type::plan.step_count == 3);
    const loom e;
    const weights_type w{e, cpu{}};
    INFO(w.why());
    REQUIRE(w.status() == status::ok);
    CHECK(e.log->engines == 1);  // for both regions
    CHECK(e.log->restored == 2);
    CHECK(e.log->compiled == 0);
    CHECK(e.log->instances == 2);
    embedded net{w};
    for (const float x : {-4.f, 0.f, 7.f}) {
        fill(net, x);
        REQUIRE(net.run() == status::ok);
        CHECK(is_right(net, x));
    }
    CHECK(e.log->runs == 6);
    CHECK(e.log->instances == 2);  // the same executables again
}

TEST_CASE("A model with an engine's regions makes its weights itself, from the provider's defaults", "[contexts]") {
    net_type net;
    INFO(net.why());
    fill(net, 1);
    REQUIRE(net.run() == status::ok);
    CHECK(is_right(net, 1));
}

TEST_CASE("Concurrent runs over one weights object have an executable each", "[contexts]") {
    const loom e;
    const weights_type w{e, cpu{}};
    REQUIRE(w.status() == status::ok);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            embedded net{w};
            for (int k = 0; k < 50; ++k) {
                fill(net, float(t * k));
                wrong += net.run() != status::ok || !is_right(net, float(t * k));
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(e.log->instances >= 2);
    CHECK(e.log->instances <= 8);
}

TEST_CASE("What differs from the machine, library or options that it was compiled for is named", "[contexts]") {
    loom e;
    e.threads_of_yarn = 3;
    CHECK(why_not(e) == "`EngineExecutionProvider_0`: `option threads_of_yarn` is `2` in the file and `3` here");
    e = {};
    e.version = "1805";
    CHECK(contains(why_not(e), "`ep_sdk_version` is `1804` in the file and `1805` here"));
    e = {};
    e.machine = "drawloom";
    CHECK(contains(why_not(e), "`hardware_architecture` is `jacquard` in the file and `drawloom` here"));
    e = {};
    e.punch_cards = "oak";
    CHECK(contains(why_not(e), "`identity cards` is not in the file, and `oak` here"));
}

TEST_CASE("An engine that cannot be opened, gives no executable or fails in a run says so", "[contexts]") {
    loom e;
    e.open_fails = true;
    CHECK(contains(why_not(e), "EngineExecutionProvider cannot be used: the crank is missing"));
    e = {};
    e.log->instances_fail = true;
    CHECK(contains(why_not(e), "EngineExecutionProvider: no more slots"));
    e = {};
    e.run_fails = true;
    const weights_type w{e, cpu{}};
    embedded net{w};
    CHECK(net.run() == status::failed);
    CHECK(net.why() == "the engine stalled");
}
