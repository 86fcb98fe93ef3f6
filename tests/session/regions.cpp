// Sets of nodes that can be regions.
#include "../models.hpp"
#include <inlay/sdk/engine.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Convex sets are as few as paths through other nodes allow", "[regions]") {
    const model m = model_of(
        "g (float[2] x) => (float[2] y) { a = Relu(x) b = Sin(a) c = Relu(b) d = Relu(a) "
        "e = Add(c, d) y = Sin(e) }");
    using sets = std::vector<std::vector<int>>;
    CHECK(convex_sets(m.view(), std::array{0, 2, 3, 4}) == sets{{0, 3}, {2, 4}});  // a and d, c and e
    CHECK(convex_sets(m.view(), std::array{0, 1, 2, 3, 4, 5}).size() == 1);
    CHECK(convex_sets(m.view(), {}).empty());
}
TEST_CASE("Nodes that an engine refuses one by one part those that it takes", "[regions]") {
    const model m = model_of("g (float[2] x) => (float[2] y) { a = Relu(x) b = Sin(a) y = Relu(b) }");
    proposals answer;
    propose_each({m.view(), std::array{0, 1, 2}}, answer, [](int i) { return i == 1 ? "no sines" : ""; });
    CHECK(answer.regions() == std::vector<std::vector<int>>{{0}, {2}});
    REQUIRE(answer.refusals().size() == 1);
    CHECK(answer.refusals()[0].node == 1);
    CHECK(answer.refusals()[0].reason == "no sines");
}
