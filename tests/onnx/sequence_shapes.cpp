// Mirrors src/onnx/sequence_shapes.hpp.
#include "models.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
const std::string standard_inputs = "float[N,3] a, float[N,3] b, float[2,3] c, float[3] d";
// Of the value `y` of a graph without its output's declaration: [N,3], with ? for a dimension whose name is new.
std::string shape_of(const std::string& nodes, const std::string& inputs = standard_inputs) {
    const model m = loaded(graph_of("(" + inputs + ", int64 i, bool p) => (float y) { " + nodes + " }"));
    const graph_view& g = m.view();
    const shape& dims = g.values[std::size_t(find_value(g, "y"))].dims;
    if (dims.rank < 0) return "unknown";
    std::string text;
    for (const std::int64_t d : dims) {
        const std::string_view name = d < -1 ? g.symbols[std::size_t(-2 - d)] : "?";
        text += (text.empty() ? "" : ",") + (d >= 0 ? std::to_string(d) : name.size() > 1 ? "?" : std::string(name));
    }
    return "[" + text + "]";
}
}  // namespace

TEST_CASE("SequenceAt gives what the tensors of a sequence have in common", "[sequence_shapes]") {
    const auto at = [](const std::string& members) {
        return shape_of("s = SequenceConstruct(" + members + ") y = SequenceAt(s, i)");
    };
    CHECK(at("a") == "[N,3]");
    CHECK(at("a, b") == "[N,3]");
    CHECK(at("a, c") == "[?,3]");
    CHECK(at("c, c, c") == "[2,3]");
    CHECK(at("a, d") == "unknown");
    CHECK(shape_of("s = SequenceConstruct(a, b) t = SequenceInsert(s, b) u = SequenceErase(t, i) v = Identity(u) "
                   "y = SequenceAt(v, i)") == "[N,3]");
    CHECK(shape_of("s = SequenceConstruct(a) t = SequenceInsert(s, c, i) y = SequenceAt(t, i)") == "[?,3]");
    CHECK(shape_of("s = SequenceEmpty() t = SequenceInsert(s, c) y = SequenceAt(t, i)") == "unknown");
}
TEST_CASE("Parts of SplitToSequence have a known length where it is one for all", "[sequence_shapes]") {
    const auto part = [](const std::string& nodes) {
        return shape_of(nodes + " y = SequenceAt(s, i)", "float[N,6] a, int64 k");
    };
    CHECK(part("s = SplitToSequence<axis = 1>(a)") == "[N,1]");
    CHECK(part("s = SplitToSequence(a)") == "[1,6]");
    CHECK(part("s = SplitToSequence<axis = -1, keepdims = 0>(a)") == "[N]");
    CHECK(part("s = SplitToSequence<axis = 1>(a, k)") == "[N,?]");
    const auto constant = [&](const std::string& value, const std::string& axis) {
        return part("l = Constant<" + value + ">() s = SplitToSequence<keepdims = 0, axis = " + axis + ">(a, l)");
    };
    CHECK(constant("value_int = 2", "1") == "[N,2]");
    CHECK(constant("value_int = 4", "1") == "[N,?]");
    CHECK(constant("value_int = 2", "0") == "[?,6]");
    CHECK(constant("value_ints = [3, 3]", "-1") == "[N,3]");
    CHECK(constant("value_ints = [2, 4]", "1") == "[N,?]");
}
TEST_CASE("ConcatFromSequence leaves open how long its axis is", "[sequence_shapes]") {
    const auto joined = [](const std::string& members, const std::string& attributes) {
        return shape_of("s = SequenceConstruct(" + members + ") y = ConcatFromSequence<" + attributes + ">(s)");
    };
    CHECK(joined("a, b", "axis = 1") == "[N,?]");
    CHECK(joined("a, c", "axis = -2") == "[?,3]");
    CHECK(joined("a, b", "axis = 0, new_axis = 1") == "[?,N,3]");
    CHECK(joined("c, c", "axis = 1, new_axis = 1") == "[2,?,3]");
    CHECK(joined("c, c", "axis = -1, new_axis = 1") == "[2,3,?]");
    CHECK(joined("a, b", "axis = 2") == "unknown");
    CHECK(joined("a, d", "axis = 0") == "unknown");
}
TEST_CASE("What a sequence from outside holds is not known", "[sequence_shapes]") {
    CHECK(shape_of("y = SequenceAt(s, i)", "seq(float[2,3]) s") == "unknown");
    CHECK(shape_of("t = SequenceInsert(s, c) y = SequenceAt(t, i)", "seq(float[2,3]) s, float[2,3] c") == "unknown");
    CHECK(shape_of("s = SequenceConstruct(c) t = Loop(i, p, s) <body = b (int64 k, bool o, seq(float[2,3]) u) => "
                   "(bool q, seq(float[2,3]) v) { q = Identity(o) w = Concat<axis = 0>(c, c) v = SequenceInsert(u, w) "
                   "}> y = SequenceAt(t, i)") == "unknown");
}
