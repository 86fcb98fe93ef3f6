// Which nodes are computed on integers of 8 bits, and what these stand for.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const std::string relu_of_bytes =
    "g (uint8[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {3}> "
    "{ d = DequantizeLinear (x, s, z) r = Relu (d) y = QuantizeLinear (r, s, z) }";

struct search {
    model m = model_of(relu_of_bytes, {.optimize = false});
    decltype(model_constants(m)) elements = model_constants(m);
    byte_graph graph{m.view(), &elements};
    std::vector<int> queried{};

    byte_nodes among(const std::vector<int>& nodes, bool answer) {
        queried.clear();
        return find_bytes(m.view(), graph, nodes, [&](std::span<const int> around, const byte_nodes&) {
            queried.assign(around.begin(), around.end());
            return answer;
        });
    }
};
}  // namespace

TEST_CASE("A node between dequantizers and a quantizer is computed in 8 bits where it is taken so") {
    search s;
    const byte_nodes bytes = s.among({0, 1, 2}, true);
    CHECK(s.queried == std::vector{0, 1, 2});
    CHECK(bytes.in_bytes[1]);
    CHECK(bytes.absorbed[2]);
    CHECK(bytes.source[std::size_t(s.graph.view(1).input_id(0))] == s.graph.view(0).input_id(0));
    CHECK_FALSE(s.among({0, 1, 2}, false).in_bytes[1]);
}
TEST_CASE("A node and what cuts its result before the quantizer are in 8 bits, with a value of its scale between") {
    const model m = model_of(
        "g (uint8[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {3}> "
        "{ d = DequantizeLinear (x, s, z) n = Neg (d) r = Relu (n) y = QuantizeLinear (r, s, z) }",
        {.optimize = false});
    const auto elements = model_constants(m);
    const byte_graph graph(m.view(), &elements);
    const byte_nodes bytes =
        find_bytes(m.view(), graph, std::array{0, 1, 2, 3}, [](auto, const byte_nodes&) { return true; });
    CHECK(bytes.in_bytes[1]);
    CHECK(bytes.in_bytes[2]);
    CHECK(bytes.absorbed[3]);
    CHECK(bytes.like[std::size_t(graph.view(1).output_id(0))] == graph.view(3).output_id(0));
    CHECK(bytes.like[std::size_t(graph.view(2).output_id(0))] == -1);
}
TEST_CASE("A node whose quantizer is outside the region stays in floats, without a query") {
    search s;
    CHECK_FALSE(s.among({0, 1}, true).in_bytes[1]);
    CHECK(s.queried.empty());
}
TEST_CASE("A product may give floats, where the library has such: then what it reads is of 8 bits") {
    const model m = model_of(
        "g (uint8[2,2] x) => (float[2,2] y) <float s = {0.5}, uint8 z = {3}, int8[2,2] w = {1, 2, 3, 4}> "
        "{ d = DequantizeLinear (x, s, z) v = DequantizeLinear (w, s) y = MatMul (d, v) }",
        {.optimize = false});
    const auto elements = model_constants(m);
    const byte_graph graph(m.view(), &elements);
    const auto bytes_of_graph = [&](bool gives_floats) {
        return find_bytes(
            m.view(), graph, std::array{0, 1, 2}, [](auto, const byte_nodes&) { return true; }, gives_floats);
    };
    CHECK_FALSE(bytes_of_graph(false).in_bytes[2]);
    CHECK(bytes_of_graph(true).in_bytes[2]);
    CHECK(bytes_of_graph(true).source[std::size_t(graph.view(2).input_id(0))] == graph.view(0).input_id(0));
    CHECK(std::ranges::count(bytes_of_graph(true).absorbed, 1) == 0);
}
TEST_CASE("A value of 8 bits stands for what its maker says, else its first reader") {
    const search s;
    const quantisation half{element::u8, 3, {0.5f}};
    CHECK(s.graph.of(s.graph.view(0).input_id(0)) == half);
    CHECK(s.graph.of(s.graph.view(2).output_id(0)) == half);
}
