// What an engine compiled, as an embedded model has it: restored once, and run by several threads at a time.
#include "../models.hpp"
#include "engine/saved_regions.hpp"
#include "test_providers.hpp"
#include <inlay/embedded_context.hpp>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string saved_by(loom_engine& e, const graph_data& of) {  // its only node
    const graph_view g = of.view();
    const int node = 0;
    const auto compiled = e.compile({g, {&node, 1}, g.inputs, g.outputs});
    REQUIRE(compiled);
    return (*compiled)->save().value_or_raise();
}
struct woven {  // y = relu(x)
    graph_data graph{};
    std::string bytes{};

    explicit woven(const loom& options) {
        loom_engine e(options);
        const int x = graph.add_value("x", element::f32, {4}), y = graph.add_value("y", element::f32, {4});
        graph.inputs = {x};
        graph.outputs = {y};
        graph.add_node("", "Relu", 14, "r", {}, std::array{x}, std::array{y});
        bytes = saved_by(e, graph);
        graph.nodes.clear();
        const saved_key fields = key_of(e, options_of(options));
        std::vector<std::string_view> key;
        for (const auto& [name, value] : fields) key.insert(key.end(), {name, value});
        const int context = graph.add_value("context", element::u8, {std::int64_t(bytes.size())});
        graph.add_node("com.microsoft", "EPContext", 1, "EPContext_0",
                       std::array{graph.make("source", std::string_view(loom::name)),
                                  graph.make("partition_name", std::string_view("region 0")),
                                  graph.make("key", std::span<const std::string_view>(key))},
                       std::array{context, x}, std::array{y});
    }
    status bind(restored_region& r, const loom& e) const {
        const graph_view g = graph.view();
        const auto open = [](const void* p) { return static_cast<const loom*>(p)->open(); };
        return r.bind({g, g.nodes[0]}, bytes.data(), {loom::name, &e, open, options_of(e)});
    }
};
}  // namespace

TEST_CASE("Runs at a time of a restored region have an executable each, and those are kept", "[regions][threads]") {
    const loom e;
    const woven w(e);
    restored_region r;
    REQUIRE(w.bind(r, e) == status::ok);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int k = 0; k < 50; ++k) {
                const std::array<float, 4> x{float(t), -1, float(k), -2};
                std::array<float, 4> y{};
                const void* in[] = {nullptr, x.data()};
                void* out[] = {y.data()};
                context c;
                wrong += r.run({in, out}, c) != status::ok || y != std::array<float, 4>{float(t), 0, float(k), 0};
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(e.log->runs == 200);
    CHECK(e.log->instances <= 4);
}

TEST_CASE("The reason of a failed run stays, whichever run has its executable next", "[regions]") {
    loom e;
    e.run_fails = true;
    e.log->tells_input = true;
    const woven w(e);
    restored_region r;
    REQUIRE(w.bind(r, e) == status::ok);
    context first, second;
    for (const auto& [c, number] : {std::pair(&first, 3.f), std::pair(&second, 50.f)}) {
        const std::array<float, 4> x{number};
        std::array<float, 4> y{};
        const void* in[] = {nullptr, x.data()};
        void* out[] = {y.data()};
        CHECK(r.run({in, out}, *c) == status::failed);
    }
    CHECK(e.log->instances == 1);
    CHECK(first.detail.view() == "the engine stalled at 3");
    CHECK(second.detail.view() == "the engine stalled at 50");
}

TEST_CASE("Regions with the same options share an engine while one is there, others have their own", "[regions]") {
    loom e;
    const woven w(e);
    {
        restored_region first, second;
        CHECK(w.bind(first, e) == status::ok);
        CHECK(w.bind(second, e) == status::ok);
        CHECK(e.log->engines == 1);
    }
    restored_region later, stranger;
    CHECK(w.bind(later, e) == status::ok);
    CHECK(e.log->engines == 2);
    e.threads_of_yarn = 7;
    CHECK(w.bind(stranger, e) == status::unsupported);
    CHECK(e.log->engines == 3);
    CHECK(stranger.why() == "`region 0`: `option threads_of_yarn` is `2` in the file and `7` here");
}

TEST_CASE("Bytes that are cut or changed are refused when they are restored", "[regions]") {
    const loom e;
    woven w(e);
    const std::string whole = w.bytes;
    for (const std::string& bytes : {std::string("x"), whole.substr(0, whole.size() / 2), "loom 5" + whole.substr(6)}) {
        w.bytes = bytes + std::string(whole.size(), ' ');  // the value's size stays
        restored_region r;
        CHECK(w.bind(r, e) == status::failed);
        CHECK(has_text(r.why(), "cannot restore it: the cards are torn"));
    }
}
