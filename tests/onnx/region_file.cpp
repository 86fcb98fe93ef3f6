// Regions as ONNX files, and sets of nodes that can be regions.
#include "../model_constants.hpp"
#include "models.hpp"
#include <inlay/inlay.hpp>
#include <inlay/sdk/region_file.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
model loaded_graph(const std::string& text) { return loaded(graph_of(text)); }
std::vector<float> floats(const tensor& t) { return elements<float>(t); }
std::vector<int> nodes_of(const model& m, std::vector<std::string_view> operators = {}) {
    std::vector<int> indices;
    for (std::size_t i = 0; i < m.view().nodes.size(); ++i)
        if (operators.empty() || std::ranges::find(operators, m.view().nodes[i].op) != operators.end())
            indices.push_back(int(i));
    return indices;
}
model reloaded(const model& m, std::span<const int> nodes, const constant_source* constants) {
    const region_values ends = ends_of(m.view(), nodes);
    const std::string bytes = to_onnx({m.view(), nodes, ends.inputs, ends.outputs, constants}).value_or_raise();
    return model::from_memory(std::as_bytes(std::span(bytes)));
}
}  // namespace

TEST_CASE("A region written as ONNX computes what it computed in its model", "[region_file]") {
    const model m = loaded_graph(
        "(float[1,2,3,3] x, float[2] s) => (float[1,2,3,3] y, float[2,3] z) "
        "<float[2,2,1,1] w = {1, 2, 3, 4}, int64[2] dims = {2, 3}> { c = Conv <kernel_shape = [1,1]> (x, w) "
        "r = LeakyRelu <alpha = 0.5> (c) t = Transpose <perm = [0,1,3,2]> (r) y = Add(t, x) "
        "d = ConstantOfShape <value = float[1] {2.5}> (dims) u = Unsqueeze(s, axes) z = Mul(d, u) "
        "axes = Constant <value = int64[1] {1}> () }");
    const std::vector<feed> in{{"x", tensor({1, 2, 3, 3}, {1.f, -2.f, 3.f, -4.f, 5.f, -6.f, 7.f, -8.f, 9.f, 1.f, 2.f,
                                                           3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f})},
                               {"s", tensor({2}, {2.f, 3.f})}};
    const auto constants = model_constants(m);
    const model again = reloaded(m, nodes_of(m), &constants);
    REQUIRE(again.inputs().size() == 2);
    CHECK(again.inputs()[0].name == "i0");
    CHECK(again.outputs()[0].name == "o0");
    const inlay::session first{m, reference{}}, second{again, reference{}};
    const fetched y = first.run(in), z = second.run({{"i0", in[0].value}, {"i1", in[1].value}});
    CHECK(floats(y[0]) == floats(z[0]));
    CHECK(floats(y[1]) == floats(z[1]));
}

TEST_CASE("Constants without data are initializers where the graph has their elements, else inputs", "[region_file]") {
    std::string weights = "0.5";
    for (int k = 1; k < 400; ++k) weights += ", 0.5";
    const model m = loaded_graph("(float[20] x) => (float[20] y) <float[20,20] w = {" + weights +
                                 "}, float[20] b = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20}> "
                                 "{ p = MatMul(x, w) q = Add(p, b) y = Relu(q) }");
    const model again = reloaded(m, nodes_of(m), nullptr);
    REQUIRE(again.inputs().size() == 2);  // x and w
    CHECK(again.inputs()[1].shape == shape{20, 20});
}

TEST_CASE("Large constants of a region may stay in memory, as external data at their addresses", "[region_file]") {
    std::string weights;
    for (int k = 0; k < 256; ++k) weights += (k ? ", " : "") + std::to_string(k);
    const model m = loaded_graph("(float[256] x) => (float[256] y) <float[256] w = {" + weights +
                                 "}, float[1] one = {1}> { a = Add(x, w) y = Mul(a, one) }");
    const auto constants = model_constants(m);
    const std::vector<int> nodes = nodes_of(m);
    const region_values ends = ends_of(m.view(), nodes);
    const region r{m.view(), nodes, ends.inputs, ends.outputs, &constants};
    ::onnx::ModelProto proto;
    REQUIRE(proto.ParseFromString(to_onnx(r, elements_in::memory).value_or_raise()));
    REQUIRE(proto.graph().initializer_size() == 2);
    const auto& large = proto.graph().initializer(0);
    CHECK(large.data_location() == ::onnx::TensorProto::EXTERNAL);
    std::map<std::string, std::string> facts;
    for (const auto& e : large.external_data()) facts[e.key()] = e.value();
    CHECK(facts["location"] == "*/_ORT_MEM_ADDR_/*");
    CHECK(facts["length"] == "1024");
    CHECK(reinterpret_cast<const float*>(std::stoull(facts["offset"]))[7] == 7.f);
    CHECK(proto.graph().initializer(1).data_location() == ::onnx::TensorProto::DEFAULT);
    CHECK(to_onnx(r).value_or_raise().size() > 1024);
}
