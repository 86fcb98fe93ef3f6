// Operators with attributes, shapes and values that make no sense.
#include "attempt.hpp"
#include "engine/run_node.hpp"
#include "nonsense.hpp"
#include <inlay/provider/reference.hpp>
#include <onnx/defs/schema.h>
#include <random>

using namespace inlay;
using namespace inlay::testing;

namespace {
// What the loader requires of every node: types as in the operator's schema. Operators of Inlay's own have one type.
bool has_types(const graph_view& g, const node& n) {
    const auto* schema = onnx::OpSchemaRegistry::Schema(std::string(n.op), n.version, std::string(n.domain));
    std::map<std::string, element> bound;
    const auto agree = [&](std::span<const int> ids, const auto& formal) {
        for (std::size_t k = 0; k < ids.size(); ++k) {
            if (ids[k] < 0) continue;
            const element e = g.values[std::size_t(ids[k])].type;
            if (!schema) {
                if (e != element::f32) return false;
                continue;
            }
            const auto* p = k < formal.size()                                                          ? &formal[k]
                            : !formal.empty() && formal.back().GetOption() == onnx::OpSchema::Variadic ? &formal.back()
                                                                                                       : nullptr;
            if (!p || std::ranges::none_of(p->GetTypes(), [&](const auto& t) {
                    return *t == "tensor(" + std::string(name_of(e)) + ")";
                }))
                return false;
            if (const auto [it, isnew] = bound.emplace(p->GetTypeStr(), e); it->second != e) return false;
        }
        return true;
    };
    const std::vector<onnx::OpSchema::FormalParameter> no_parameters;
    return agree(g.list(n.inputs), schema ? schema->inputs() : no_parameters) &&
           agree(g.list(n.outputs), schema ? schema->outputs() : no_parameters);
}
}  // namespace

TEST_CASE("Every operator takes or refuses whatever it is given", "[hostile]") {
    int node_count = 0, run_count = 0;
    for (unsigned seed = 1; seed <= 200'000; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::uint8_t> bytes(160);
        for (auto& b : bytes) b = std::uint8_t(random());
        INFO("seed " << seed);
        const kernel_table& table = seed % 2 ? kernels_of<cpu>() : reference_kernels();
        nonsense n(bytes, table.entries);
        if (!n.ask(table.entries)) continue;
        ++node_count;
        const node first_node = n.graph.nodes[0];
        live_graph live(n.graph.view());
        if (!n.small || !has_types(live.view, first_node)) continue;
        std::vector<const any_value*> in;
        for (const any_value& v : n.inputs) in.push_back(v.as_tensor() && *v.as_tensor() ? &v : nullptr);
        std::vector<any_value> results(std::size_t(first_node.outputs.count));
        const candidate source{&table};
        node_environment env{*isa::choose({}), {}};
        env.bytes = 1 << 20;
        try {
            run_node(std::span(&source, 1), live, first_node, in, results, env);
            ++run_count;
        } catch (const error& e) {
            CHECK(e.code != error_code::out_of_memory);
        }
    }
    CHECK(node_count > 1000);
    CHECK(run_count > 1000);
}

TEST_CASE("Windows that make no sense are refused", "[hostile]") {
    const auto conv = [](const std::string& attributes, const std::string& w = "1,1,3,3") {
        return "g (float[1,1,8,8] x, float[" + w + "] w) => (float[?,?,?,?] y) { y = Conv<" + attributes + ">(x, w) }";
    };
    for (const char* odd :
         {"strides = [0,1]", "strides = [-1,1]", "strides = [9223372036854775807,9223372036854775807]", "strides = [1]",
          "dilations = [0,0]", "dilations = [-3,1]", "dilations = [9223372036854775807,1]", "pads = [-1,-1,-1,-1]",
          "pads = [9223372036854775807,0,9223372036854775807,0]", "pads = [1]", "group = 0", "group = -1",
          "group = 9223372036854775807", "kernel_shape = [0,0]", "kernel_shape = [-3,3]", "kernel_shape = [5,5]"})
        check_hostile_text(std::string("Conv with ") + odd, conv(odd), "shape_mismatch");
    check_hostile_text("Conv with an unknown auto_pad", conv(R"(auto_pad = "SIDEWAYS")"), "shape_mismatch");
    check_hostile_text("Conv with a kernel larger than its input", conv("group = 1", "1,1,9,9"), "shape_mismatch");
    check_hostile_text("Conv with an empty kernel", conv("group = 1", "1,1,0,3"), "shape_mismatch");
    check_hostile_text("Conv with huge strides, which is allowed", conv("strides = [1073741824,1073741824]"),
                       "load: ok; cpu: ok; reference: ok");
    for (const char* op : {"MaxPool", "AveragePool"})
        for (const char* odd :
             {"kernel_shape = [0,0]", "kernel_shape = [-1,2]", "kernel_shape = [9223372036854775807,1]",
              "kernel_shape = [2,2], strides = [0,1]", "kernel_shape = [2,2], strides = [-9223372036854775808,1]",
              "kernel_shape = [2]", "kernel_shape = [2,2], pads = [-1,0,0,0]",
              "kernel_shape = [2,2], pads = "
              "[9223372036854775807,9223372036854775807,9223372036854775807,9223372036854775807]",
              "kernel_shape = [2,2], dilations = [0,1]"})
            check_hostile_text(
                std::string(op) + " with " + odd,
                std::string("g (float[1,1,8,8] x) => (float[?,?,?,?] y) { y = ") + op + "<" + odd + ">(x) }",
                "shape_mismatch|invalid_model");
}

TEST_CASE("Axes that make no sense are refused", "[hostile]") {
    for (const char* perm : {"[0]", "[0,0]", "[0,2]", "[-1,0]", "[9223372036854775807,0]", "[0,1,2,3,4,5,6,7,8,9]"})
        check_hostile_text(std::string("Transpose with perm = ") + perm,
                           std::string("g (float[2,3] x) => (float[?,?] y) { y = Transpose<perm = ") + perm + ">(x) }",
                           "shape_mismatch");
    for (const char* axis : {"-9223372036854775808", "9223372036854775807", "2", "-3"}) {
        check_hostile_text(std::string("Concat along axis ") + axis,
                           std::string("g (float[2,3] x) => (float[?,?] y) { y = Concat<axis = ") + axis + ">(x, x) }",
                           "shape_mismatch");
        check_hostile_text(
            std::string("LayerNormalization along axis ") + axis,
            std::string("g (float[2,3] x, float[3] s) => (float[?,?] y) { y, m, d = LayerNormalization<axis = ") +
                axis + ">(x, s) }",
            "shape_mismatch");
        check_hostile_text(std::string("Softmax along axis ") + axis,
                           std::string("g (float[2,3] x) => (float[?,?] y) { y = Softmax<axis = ") + axis + ">(x) }",
                           "shape_mismatch");
        check_hostile_text(
            std::string("Gather along axis ") + axis,
            std::string("g (float[2,3] x, int64[1] i) => (float[?,?] y) { y = Gather<axis = ") + axis + ">(x, i) }",
            "shape_mismatch");
        check_hostile_text(
            std::string("Split along axis ") + axis,
            std::string("g (float[2,3] x) => (float[?,?] y) { y, z = Split<axis = ") + axis + ", num_outputs = 2>(x) }",
            "shape_mismatch");
    }
}

TEST_CASE("Sizes that make no sense are refused, or lead to an error", "[hostile]") {
    for (const char* op : {"Reshape", "Squeeze", "Unsqueeze", "Expand"})
        for (const char* list : {"1] {9223372036854775807}", "1] {-9223372036854775808}", "2] {-1, -1}", "2] {5, -1}",
                                 "3] {4294967296, 4294967296, 0}", "9] {1, 1, 1, 1, 1, 1, 1, 1, 6}", "2] {0, 0}"})
            check_hostile_text(std::string(op) + " to int64[" + list,
                               std::string("g (float[2,3] x) => (float[?] y) { s = Constant<value = int64[") + list +
                                   ">() y = " + op + "(x, s) }");
    for (const char* list :
         {"2] {9223372036854775807, 9223372036854775807}", "2] {-1, 7}", "1] {6}", "3] {1, 1, 1}", "2] {0, 6}"})
        check_hostile_text(std::string("Split of 6 into int64[") + list,
                           std::string("g (float[6] x) => (float[?] y) { s = Constant<value = int64[") + list +
                               ">() y, z = Split(x, s) }");
    for (const char* list : {"1] {0.0}", "1] {-1.0}", "1] {1e30}", "2] {1.0, 1.0}"})
        check_hostile_text(std::string("Resize by float[") + list,
                           std::string("g (float[6] x) => (float[?] y) { s = Constant<value = float[") + list +
                               R"(>() y = Resize(x, "", s) })");
    check_hostile_text("Resize without scales and sizes", R"(g (float[6] x) => (float[?] y) { y = Resize(x) })",
                       "shape_mismatch");
    for (const char* step : {"0", "-9223372036854775808", "9223372036854775807"})
        check_hostile_text(
            std::string("Slice by steps of ") + step,
            std::string("g (float[6] x) => (float[?] y) { a = Constant<value = int64[1] {-9223372036854775808}>() b = "
                        "Constant<value = int64[1] {9223372036854775807}>() k = Constant<value = int64[1] {0}>() s = "
                        "Constant<value = int64[1] {") +
                step + "}>() y = Slice(x, a, b, k, s) }");
    check_hostile_text("an LSTM whose hidden size is not its weights'",
                       "g (float[2,1,3] x, float[1,8,3] w, float[1,8,2] r) => (float[?] y) { y = LSTM<hidden_size = "
                       "9223372036854775807>(x, w, r) }",
                       "shape_mismatch|limit_exceeded");
}

TEST_CASE("Equations of Einsum that are none", "[hostile]") {
    for (const char* text : {"......ii,...jj->...ij", "i!j,->->{", "i j\t,jk", "...i...,jk", "ij,jk->->", "ij->,jk",
                             "i.j,jk", "ij,jk-", "ij,jk>ik", "..ij,jk", "ij,jk->..", "ij,jk->i\u00e9"})
        check_hostile_text(std::string("Einsum of ") + text,
                           std::string("g (float[3,3] x, float[3,3] z) => (float[?] y) { y = Einsum<equation = \"") +
                               text + "\">(x, z) }",
                           "load: invalid_model");
    check_hostile_text("Einsum of terms and letters without end",
                       "g (float[3,3] x) => (float[?] y) { y = Einsum<equation = \"" + std::string(1 << 20, 'i') +
                           std::string(1 << 20, ',') + "\">(x) }");
}

TEST_CASE("Operators after one of unknown type", "[hostile]") {
    for (const char* node : {"EyeLike<dtype = 1>(a)", "RegexFullMatch<pattern = \"a\">(a)",
                             "ai.onnx.ml.DictVectorizer<int64_vocabulary = [1]>(a)",
                             "ai.onnx.ml.LabelEncoder<keys_int64s = [1], values_floats = [2.0]>(a)",
                             "ai.onnx.ml.TreeEnsemble<n_targets = 1, tree_roots = [0], nodes_featureids = [0], "
                             "nodes_truenodeids = [0], nodes_falsenodeids = [0], nodes_trueleafs = [1], "
                             "nodes_falseleafs = [1], nodes_modes = uint8[1] {0}, "
                             "nodes_splits = float[1] {0.5}, leaf_targetids = [0], leaf_weights = float[1] {1.0}>(a)"})
        check_hostile_text(
            std::string(node) + " of an unknown type",
            R"(<ir_version: 10, opset_import: ["" : 21, "ai.onnx.ml" : 5, "acme" : 1]> g (float[2,2] x) )"
            "=> (float[?,?] y) { a = acme.Magic(x) y = " +
                std::string(node) + " }");
    check_hostile_text("EyeLike behind Compress of opset 9, which has no inference",
                       R"(<ir_version: 5, opset_import: ["" : 9]> g (float[4,3] x, bool[4] c) => (float[?,?] y) )"
                       "{ f = Compress<axis = 0>(x, c) y = EyeLike<dtype = 1>(f) }",
                       "load: ok; cpu: ok; reference: ok");
}

TEST_CASE("Values that an operator forbids end the run with a reason", "[hostile]") {
    const auto gather = [](const char* index) {
        return std::string("g (float[4] x, int64[1] z) => (float[?] y) { k = Constant<value = int64[1] {") + index +
               "}>() i = Add(k, z) y = Gather(x, i) }";
    };
    for (const char* index : {"4", "-5", "9223372036854775807", "-9223372036854775808"}) {
        check_hostile_text(std::string("Gather of element ") + index + " of 4", gather(index), "invalid_value");
        check_hostile_text(std::string("Gather of element ") + index + " of 4, constant",
                           std::string("g (float[4] x) => (float[?] y) { k = Constant<value = int64[1] {") + index +
                               "}>() y = Gather(x, k) }",
                           "invalid_value");
    }
    check_hostile_text("integers divided by zero", "g (int64[4] a, int64[4] b) => (int64[4] y) { y = Div(a, b) }",
                       "invalid_value");
    check_hostile_text("integers divided by a constant zero",
                       "g (int64[4] a) => (int64[4] y) { b = Constant<value = int64[1] {0}>() y = Div(a, b) }",
                       "invalid_value");
    check_hostile_text("the least integer divided by -1",
                       "g (int64[1] z) => (int64[?] y) { a = Constant<value = int64[1] {-9223372036854775808}>() b = "
                       "Constant<value = int64[1] {-1}>() c = Add(a, z) y = Div(c, b) }",
                       "load: ok; cpu: ok; reference: ok");
    check_hostile_text("two constants, the least integer divided by -1",
                       "g (int64[1] z) => (int64[?] y) { a = Constant<value = int64[1] {-9223372036854775808}>() b = "
                       "Constant<value = int64[1] {-1}>() c = Div(a, b) y = Add(c, z) }",
                       "load: ok; cpu: ok; reference: ok");
    check_hostile_text("numbers that no integer holds, cast to one",
                       "g (float[1] z) => (int64[?] y) { a = Constant<value = float[3] {1e30, -1e30, 0.0}>() b = "
                       "Div(a, z) y = Cast<to = 7>(b) }",
                       "load: ok; cpu: ok; reference: ok");
    check_hostile_text("NonMaxSuppression of 2^62 boxes per class",
                       "g (float[1,4,4] b, float[1,1,4] s) => (int64[?,3] y) { n = Constant<value = int64[1] "
                       "{4611686018427387904}>() y = NonMaxSuppression(b, s, n) }",
                       "load: ok; cpu: ok");
}

TEST_CASE("Searches and sums along an axis that cannot be", "[hostile]") {
    const auto top = [](const char* k) {
        return std::string("g (float[2,4] x) => (float[?,?] y, int64[?,?] i) { k = Constant<value = int64[1] {") + k +
               "}>() y, i = TopK(x, k) }";
    };
    for (const char* k : {"5", "-1", "9223372036854775807", "-9223372036854775808"})
        check_hostile_text(std::string("TopK of ") + k + " of 4", top(k), "shape_mismatch|invalid_model");
    check_hostile_text("TopK of a data-dependent number",
                       "g (float[4] x, int64[1] z) => (float[?] y) { k = Constant<value = int64[1] "
                       "{4611686018427387904}>() n = Add(k, z) y, i = TopK(x, n) }",
                       "shape_mismatch");
    check_hostile_text("TopK along axis 2^62",
                       "g (float[4] x) => (float[?] y) { k = Constant<value = int64[1] {1}>() y, i = TopK<axis = "
                       "4611686018427387904>(x, k) }",
                       "shape_mismatch");
    check_hostile_text("ArgMax along an axis of nothing",
                       "g (float[N,0] x) => (int64[?] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }", "shape_mismatch");
    check_hostile_text("ArgMin along axis -9", "g (float[4] x) => (int64[?] y) { y = ArgMin<axis = -9>(x) }",
                       "shape_mismatch");
    check_hostile_text(
        "CumSum along axis 2^62",
        "g (float[4] x) => (float[4] y) { k = Constant<value = int64 {4611686018427387904}>() y = CumSum(x, k) }",
        "shape_mismatch");
    check_hostile_text("CumSum along a data-dependent axis",
                       "g (float[4] x, int64[1] z) => (float[4] y) { k = Constant<value = int64[1] {7}>() n = Add(k, "
                       "z) y = CumSum(x, n) }",
                       "shape_mismatch|invalid_value");
    check_hostile_text("NonZero of terabytes",
                       "g (int64[2] z) => (int64[?,?] y) { s = Constant<value = int64[2] {1048576, 1048576}>() n = "
                       "Add(s, z) x = ConstantOfShape(n) y = NonZero(x) }",
                       "limit_exceeded");
    check_hostile_text("Unique along axis 1 of one", "g (float[4] x) => (float[?] y) { y = Unique<axis = 1>(x) }",
                       "shape_mismatch");
    check_hostile_text("integers modulo zero", "g (int64[4] a, int64[4] b) => (int64[4] y) { y = Mod(a, b) }",
                       "invalid_value");
    check_hostile_text("the least integer modulo -1",
                       "g (int64[1] z) => (int64[?] y) { a = Constant<value = int64[1] {-9223372036854775808}>() b = "
                       "Constant<value = int64[1] {-1}>() c = Add(a, z) y = Mod(c, b) }",
                       "load: ok; cpu: ok; reference: ok");
}

TEST_CASE("What onnx's inference did not survive ends in an answer", "[hostile]") {
    check_hostile_text("GatherND with a negative number of batches",
                       "g (float[2,3] x, int64[2,1] i) => (float[?] y) { y = GatherND<batch_dims = -2>(x, i) }",
                       "batch_dims is out of range|invalid|mismatch");
    check_hostile_text(
        "SequenceMap over what is split along an axis that there is not",
        "g (float[2,3] x) => (seq(float[?,?]) y) { s = SplitToSequence<axis = 9>(x) y = SequenceMap<body = "
        "b (float[?,?] a) => (float[?,?] c) { c = Neg(a) }>(s) }",
        "mismatch|invalid");
    check_hostile_text(
        "SequenceMap over a tensor",
        "g (float[2,3] x) => (seq(float[?,?]) y) { y = SequenceMap<body = b (float[?,?] a) => (float[?,?] c) "
        "{ c = Neg(a) }>(x) }",
        "load: invalid_model");
    check_hostile_text(
        "SequenceMap whose body has other inputs than it is given",
        "g (float[2,3] x) => (seq(float[?,?]) y) { s = SplitToSequence(x) y = SequenceMap<body = b (float[?,?] "
        "a, float[?,?] d) => (float[?,?] c) { c = Add(a, d) }>(s) }",
        "load: invalid_model");
}

TEST_CASE("Operators of com.microsoft without outputs are refused", "[hostile]") {
    for (const entry& e : stock_kernels().entries) {
        if (e.domain != "com.microsoft") continue;
        for (const bool named : {false, true}) {
            auto m = message("g (float[2,2] x) => (float[2,2] y) { y = Relu(x) }");
            auto& s = *m.add_opset_import();
            s.set_domain("com.microsoft");
            s.set_version(1);
            auto& n = *m.mutable_graph()->add_node();
            n.set_domain("com.microsoft");
            n.set_op_type(std::string(e.name));
            for (int k = 0; k < std::max(e.required_inputs, 1); ++k) n.add_input("x");
            if (named) n.add_output("");
            CAPTURE(std::string(e.name), named);
            const std::string bytes = m.SerializeAsString();
            const auto r = model::try_load(std::as_bytes(std::span(bytes)));
            REQUIRE(!r);
            CHECK(r.why().code == error_code::invalid_model);
        }
    }
}
