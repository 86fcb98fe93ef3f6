// Elements of constants that are put into a region's ONNX later: it is what to_onnx() gives with them.
#include "../model_constants.hpp"
#include "models.hpp"
#include <inlay/sdk/region_file.hpp>
#include <lowering/onnx_region.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string numbers(int count) {
    std::string list;
    for (int k = 0; k < count; ++k) list += (k ? ", " : "") + std::to_string(k % 90);
    return list;
}
// In the order of names; data of the types of small constants as raw bytes.
std::map<std::string, std::string> initializers_of(::onnx::GraphProto& g) {
    std::map<std::string, std::string> initializers;
    for (auto& t : *g.mutable_initializer()) {
        const auto raw = [&](const auto& list) {
            if (t.has_raw_data()) return;
            t.set_raw_data(list.data(), std::size_t(list.size()) * sizeof(*list.data()));
        };
        if (t.float_data_size() > 0) raw(t.float_data());
        if (t.int64_data_size() > 0) raw(t.int64_data());
        t.clear_float_data();
        t.clear_int64_data();
        initializers[t.name()] = t.SerializeAsString();
    }
    g.clear_initializer();
    return initializers;
}
void check_same(const model& m, elements_in in) {
    std::vector<int> nodes;
    for (int i = 0; i < int(m.view().nodes.size()); ++i) nodes.push_back(i);
    const region_values ends = ends_of(m.view(), nodes);
    const auto weights = model_constants(m);
    std::map<int, const void*> addresses;  // each read once, for what is created on demand is created each time
    auto once = [&](int k) {
        const void*& p = addresses[k];
        for (int v = 0; !p && v < int(m.view().values.size()); ++v)
            if (m.view().values[std::size_t(v)].constant == k) p = weights.elements(v);
        return p;
    };
    const constants_of<decltype(once)> constants(m.view(), once);
    const region r{m.view(), nodes, ends.inputs, ends.outputs, &constants};
    const lowering::attribute_tensors attributes(r);
    const region without{m.view(), nodes, ends.inputs, ends.outputs, &attributes};
    ::onnx::ModelProto a, b;
    REQUIRE(a.ParseFromString(to_onnx(r, in).value_or_raise()));
    REQUIRE(b.ParseFromString(lowering::with_elements(to_onnx(without).value_or_raise(), r, in).value_or_raise()));
    CHECK(initializers_of(*a.mutable_graph()) == initializers_of(*b.mutable_graph()));
    CHECK(a.SerializeAsString() == b.SerializeAsString());
}
}  // namespace

TEST_CASE("A region's ONNX with elements that come later is the one that has them at once", "[region_file]") {
    const model m = loaded(graph_of(
        "(float[20] x, float16[20] h) => (float[20] y, float16[20] z, float[3] k, int8[1200] j) <float[20,20] w = {" +
        numbers(400) + "}, float[20] b = {" + numbers(20) + "}, float16[20] c = {" + numbers(20) +
        "}, int8[1200] i = {" + numbers(1200) +
        "}, int64[1] three = {3}> { p = MatMul (x, w) q = Add (p, b) "
        "y = MatMul (q, w) z = Add (h, c) k = ConstantOfShape <value = float[1] {2.5}> (three) j = Identity (i) }"));
    for (const elements_in in : {elements_in::bytes, elements_in::memory}) check_same(m, in);
}
TEST_CASE("Of a region without constants nothing is to be added", "[region_file]") {
    const model m = loaded(graph_of("(float[2] x) => (float[2] y) { r = Relu (x) y = Abs (r) }"));
    check_same(m, elements_in::bytes);
    const int nodes[] = {0, 1};
    const region_values ends = ends_of(m.view(), nodes);
    const region r{m.view(), nodes, ends.inputs, ends.outputs};
    const std::string onnx = to_onnx(r).value_or_raise();
    CHECK(lowering::with_elements(onnx, r, elements_in::bytes).value_or_raise().size() == onnx.size());
}
