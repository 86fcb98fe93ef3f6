// Models whose nodes stand in no order, as some converters write them.
#include "models.hpp"
#include <chrono>
#include <numeric>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::vector<std::string> order_of(const model& m) {
    std::vector<std::string> names;
    for (const node& n : m.view().nodes) names.emplace_back(n.name);
    return names;
}
}  // namespace

TEST_CASE("Nodes are sorted, and stand as the file has them where they can", "[sort]") {
    const auto p = graph_of(
        "(float[2] x) => (float[2] y, float[2] z) { [last] y = Add(b, a) [second] b = Relu(a) [alone] z = Relu(x) "
        "[first] a = Relu(x) }");
    CHECK(order_of(loaded(p)) == std::vector<std::string>{"alone", "first", "second", "last"});
    const auto sorted = graph_of("(float[2] x) => (float[2] y) { [b] a = Relu(x) [a] y = Relu(a) }");
    CHECK(order_of(loaded(sorted)) == std::vector<std::string>{"b", "a"});
}

TEST_CASE("What a subgraph reads from outside counts as read, and its own names do not", "[sort]") {
    const auto p = graph_of(
        "(bool c, float[2] x) => (float[2] y) { [branch] y = If(c) <then_branch = t () => (float[2] r) { [inner2] r = "
        "Add(s, a) [inner1] s = Relu(x) }, else_branch = e () => (float[2] q) { [other] q = Identity(a) }> [source] a "
        "= Relu(x) }");
    CHECK(order_of(loaded(p)) == std::vector<std::string>{"source", "branch"});
    const auto shadowing = graph_of(
        "(bool c, float[2] x) => (float[2] y, float[2] z) { [branch] y = If(c) <then_branch = t () => (float[2] r) { "
        "[inner] w = Relu(x) [end] r = Relu(w) }, else_branch = e () => (float[2] q) { [other] q = Identity(x) }> "
        "[after] z = Relu(y) }");
    CHECK(order_of(loaded(shadowing)) == std::vector<std::string>{"branch", "after"});
}

TEST_CASE("A long chain in any order gives the results of the sorted one", "[sort]") {
    const unsigned seed = unsigned(std::chrono::steady_clock::now().time_since_epoch().count());
    CAPTURE(seed);
    std::mt19937 random(seed);
    auto p = graph_of("(float[2] v0) => (float[2] v200) { v1 = Relu(v0) }");
    auto& g = *p.mutable_graph();
    g.clear_node();
    std::vector<int> at(200);
    std::iota(at.begin(), at.end(), 0);
    std::shuffle(at.begin(), at.end(), random);
    for (int i : at) {
        auto& n = *g.add_node();
        n.set_name("n" + std::to_string(i));
        n.set_op_type("Relu");
        n.add_input("v" + std::to_string(i));
        n.add_output("v" + std::to_string(i + 1));
    }
    const auto order = order_of(loaded(p));
    REQUIRE(order.size() == 200);
    for (int i = 0; i < 200; ++i) CHECK(order[std::size_t(i)] == "n" + std::to_string(i));
}
