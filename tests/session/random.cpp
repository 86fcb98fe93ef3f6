// Random numbers in sessions: when they are drawn, and which nodes and runs have the same ones.
#include "../models.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const numbers =
    "<ir_version: 10, opset_import: [\"\" : 22]> g () => (float[4] a, float[4] b) "
    "{ a = RandomUniform<shape = [4]>() b = RandomUniform<shape = [4]>() }";
const char* const seeded =
    "<ir_version: 10, opset_import: [\"\" : 22]> g () => (float[4] a, float[4] b) "
    "{ a = RandomNormal<shape = [4], seed = 3.0>() b = RandomNormal<shape = [4], seed = 4.0>() }";
}  // namespace

TEST_CASE("Random numbers are drawn in each run, by each node: none is a constant, and no two nodes are one",
          "[random]") {
    const model m = model_of(numbers);
    CHECK(m.view().nodes.size() == 2);
    const inlay::session s{m, cpu{}};
    const inlay::session by_reference{m, reference{}};
    std::vector<std::vector<float>> draws;
    for (const auto* source : {&s, &s})
        for (const fetched y = source->run({}); const std::size_t k : {0, 1}) draws.push_back(floats(y[k]));
    for (const fetched y = by_reference.run({}); const std::size_t k : {0, 1}) draws.push_back(floats(y[k]));
    std::ranges::sort(draws);
    CHECK(std::ranges::adjacent_find(draws) == draws.end());
}
TEST_CASE("A seed gives the same numbers in every run of every session", "[random]") {
    const model m = model_of(seeded);
    const inlay::session s{m, cpu{}};
    const inlay::session by_reference{model_of(seeded), reference{}};
    const fetched first = s.run({}), again = s.run({}), elsewhere = by_reference.run({});
    CHECK(floats(first[0]) == floats(again[0]));
    CHECK(floats(first[1]) == floats(elsewhere[1]));
    CHECK(floats(first[0]) != floats(first[1]));
}
TEST_CASE("Numbers that follow a shape are drawn in each run, where the shape is known early or late", "[random]") {
    const inlay::session s{
        model_of("<ir_version: 10, opset_import: [\"\" : 22]> g (float[N] x, bool[N] c) => (float[N] y, float[?] z) "
                 "{ y = RandomUniformLike(x) k = Compress(x, c) z = RandomNormalLike(k) }"),
        cpu{}};
    const tensor x({3}, {1.f, 2.f, 3.f}), c({3}, {true, false, true});
    const fetched first = s.run({{"x", x}, {"c", c}}), second = s.run({{"x", x}, {"c", c}});
    CHECK(first[1].shape() == shape{2});
    CHECK(floats(first[0]) != floats(second[0]));
    CHECK(floats(first[1]) != floats(second[1]));
}
