// Files that are not valid but whose meaning is clear: they load, with a warning; strictly they do not.
#include "models.hpp"
#include <inlay/inlay.hpp>

using namespace inlay;
using namespace inlay::testing;

namespace {
// What is assumed of the model, reported in one warning, for which strict limits refuse it.
model assumed(const onnx::ModelProto& m, const std::string& warning) {
    const model loaded_model = loaded(m);
    CAPTURE(warning);
    REQUIRE(loaded_model.warnings().size() == 1);
    CHECK(loaded_model.warnings()[0] == warning);
    model_options strict = plain();
    strict.limits.strict = true;
    const error e = refused(m, strict);
    CHECK(e.code == error_code::invalid_model);
    CHECK(contains(e.text, warning.substr(0, std::min(warning.find(" (and so"), warning.rfind(": ")))));
    CHECK(contains(e.hint, warning.substr(warning.rfind(": ") + 2)));
    return loaded_model;
}
onnx::ModelProto at_opset(int version, const std::string& graph) {
    return proto_of("<ir_version: 8, opset_import: [\"\" : " + std::to_string(version) + "]> g " + graph);
}
tensor numbers(const shape& dims, const std::vector<float>& values) { return tensor(dims, values); }
std::vector<float> ran(const model& m, std::vector<feed> feeds) {
    const session s{m, reference{}};
    return elements<float>(s.run(feeds)[0]);
}
}  // namespace

TEST_CASE("A valid model has no warnings, strictly too", "[assume]") {
    model_options strict;
    strict.limits.strict = true;
    CHECK(loaded(graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }"), strict).warnings().empty());
}

TEST_CASE("com.microsoft that is not imported has version 1, in functions too", "[assume]") {
    const std::string node = "(float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }";
    const model m = assumed(graph_of(node),
                            "the node that makes `y` (Gelu) is of the domain `com.microsoft`, which the model does not "
                            "import: its version 1 is meant");
    CHECK(m.view().nodes[0].version == 1);
    CHECK(m.opsets().size() == 1);  // those that the file has
    assumed(proto_of("<ir_version: 10, opset_import: [\"\" : 17, \"f\" : 1]> g (float[2] x) => (float[2] y) { y = "
                     "f.f(x) }\n<domain: \"f\", opset_import: [\"\" : 17]> f (a) => (b) { b = com.microsoft.Gelu(a) }"),
            "the node that makes `y` (Gelu) is of the domain `com.microsoft`, which the model does not import: its "
            "version 1 is meant");
    CHECK(contains(refused(graph_of("(float[2] x) => (float[2] y) { y = acme.Gelu(x) }")).text, "acme"));
}

TEST_CASE("Initializers that are no inputs are read in files of an older IR version", "[assume]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Add(x, w) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    p.set_ir_version(3);
    const model m = assumed(p, "the initializer `w` is no input, as IR version 3 requires: version 4 is meant");
    CHECK(m.ir_version() == 3);
    CHECK(m.view().values[find_value(m.view(), "y")].dims == shape{2});
    CHECK(ran(m, {{"x", numbers({2}, {5, 6})}}) == std::vector<float>{6, 8});
    *p.mutable_graph()->add_input() = p.graph().input(0);
    p.mutable_graph()->mutable_input(1)->set_name("w");
    CHECK(loaded(p).warnings().empty());
}

TEST_CASE("Activations of recurrent networks are known in any case", "[assume]") {
    const std::string graph =
        "(float[1,1,1] x, float[1,1,1] w) => (float[?,?,?] h) { [a] n, h = RNN<hidden_size = 1, "
        "activations = [\"relu\"]>(x, w, w) }";
    const model m = assumed(graph_of(graph), "`a` (RNN) names an activation as `relu`: Relu is meant");
    CHECK(ran(m, {{"x", numbers({1, 1, 1}, {-2})}, {"w", numbers({1, 1, 1}, {1})}}) == std::vector<float>{0});
    CHECK(ran(m, {{"x", numbers({1, 1, 1}, {2})}, {"w", numbers({1, 1, 1}, {1})}}) == std::vector<float>{2});
}

TEST_CASE("Nodes of which the same is assumed are one warning", "[assume]") {
    const std::string graph =
        "(float[1,1,1] x, float[1,1,1] w) => (float[?,?,?] h) { [a] i, j = RNN<hidden_size = 1, activations = "
        "[\"tanh\"]>(x, w, w) [b] n, h = RNN<hidden_size = 1, activations = [\"tanh\"]>(j, w, w) }";
    assumed(graph_of(graph), "`a` (RNN) names an activation as `tanh` (and so do 1 more): Tanh is meant");
}

TEST_CASE("Of a domain that is imported twice, the last version counts", "[assume]") {
    auto p = at_opset(13, "(float[2] x) => (float[2] y) { y = Relu(x) }");
    p.add_opset_import()->set_domain("ai.onnx");
    p.mutable_opset_import(1)->set_version(14);
    const model m = assumed(p, "the domain `ai.onnx` is imported twice: version 14, the last one, is meant");
    CHECK(m.view().nodes[0].version == 14);
}

TEST_CASE("An output that is listed twice is given twice", "[assume]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    *p.mutable_graph()->add_output() = p.graph().output(0);
    const model m = assumed(p, "the output `y` is listed twice: it is given twice");
    for (const model& variant : {m, loaded(p, {})}) {
        REQUIRE(variant.outputs().size() == 2);
        CHECK(variant.outputs()[1].name == "y");
        const session s{variant, cpu{}};
        const auto results = s.run({{"x", numbers({2}, {-1, 3})}});
        CHECK(std::ranges::distance(results) == 2);
        for (const auto& [name, y] : results) CHECK(elements<float>(*y.as_tensor()) == std::vector<float>{0, 3});
    }
}

TEST_CASE("GroupNormalization of opsets 18 to 20 scales groups", "[assume]") {
    for (int version : {18, 20}) {
        const model m = assumed(at_opset(version,
                                         "(float[1,4,1] x, float[2] s, float[2] b) => (float[1,4,1] y) { [n] y = "
                                         "GroupNormalization<num_groups = 2, epsilon = 0.0>(x, s, b) }"),
                                "`n` (GroupNormalization) is deprecated in opset " + std::to_string(version) +
                                    ": scale and bias are per group, as version 18 had them");
        CHECK(ran(m, {{"x", numbers({1, 4, 1}, {1, 3, 4, 8})},
                      {"s", numbers({2}, {1, 10})},
                      {"b", numbers({2}, {0, 1})}}) == std::vector<float>{-1, 1, -9, 11});
    }
    CHECK(loaded(at_opset(21,
                          "(float[1,4,1] x, float[4] s, float[4] b) => (float[1,4,1] y) { y = "
                          "GroupNormalization<num_groups = 2>(x, s, b) }"))
              .warnings()
              .empty());
}

TEST_CASE("LayerNormalization before opset 17 is that of opset 17", "[assume]") {
    const model m = assumed(at_opset(12,
                                     "(float[1,2] x, float[2] s) => (float[1,2] y) { [n] y = LayerNormalization<axis = "
                                     "-1, epsilon = 0.0>(x, s) }"),
                            "`n` (LayerNormalization) is no operator of opset 12: its version of opset 17 is meant");
    CHECK(m.view().nodes[0].version == 17);
    CHECK(m.view().values[find_value(m.view(), "y")].dims == shape{1, 2});
    CHECK(ran(m, {{"x", numbers({1, 2}, {1, 3})}, {"s", numbers({2}, {1, 2})}}) == std::vector<float>{-1, 2});
}

TEST_CASE("SimplifiedLayerNormalization is RMSNormalization", "[assume]") {
    const std::string node = "SimplifiedLayerNormalization<axis = -1, epsilon = 0.0, stash_type = 1>(x, s) }";
    const model m = assumed(at_opset(17, "(float[1,2] x, float[2] s) => (float[1,2] y) { [n] y = " + node),
                            "`n` (SimplifiedLayerNormalization) is no operator of ONNX: RMSNormalization is meant");
    CHECK(ops(m.view()) == "RMSNormalization");
    CHECK(m.view().nodes[0].version == 23);
    CHECK(ran(m, {{"x", numbers({1, 2}, {1, 7})}, {"s", numbers({2}, {5, 10})}}) == std::vector<float>{1, 14});
    const model two =
        assumed(at_opset(17, "(float[1,2] x, float[2] s) => (float[1,2] y, float[1,1] d) { [n] y, d = " + node),
                "`n` (SimplifiedLayerNormalization) is no operator of ONNX: that of com.microsoft is meant");
    const session s{two, cpu{}};
    const auto results = s.run({{"x", numbers({1, 2}, {1, 7})}, {"s", numbers({2}, {5, 10})}});
    CHECK(elements<float>(results[0]) == std::vector<float>{1, 14});
    CHECK(elements<float>(results[1]) == std::vector<float>{0.2f});
}

TEST_CASE("ImageScaler is a product and a sum", "[assume]") {
    for (int version : {6, 8, 13}) {
        const model m =
            assumed(at_opset(version,
                             "(float[1,2,1,2] x) => (float[1,2,1,2] z) { [n] y = ImageScaler<scale = "
                             "2.0, bias = [0.5, -1.0]>(x) z = Neg(y) }"),
                    "`n` (ImageScaler) is no operator of ONNX any more: its input times `scale` plus `bias` "
                    "is meant");
        CAPTURE(version);
        CHECK(ran(m, {{"x", numbers({1, 2, 1, 2}, {1, 2, 3, 4})}}) == std::vector<float>{-2.5, -4.5, -5, -7});
    }
}

TEST_CASE("Experimental operators of old files, which ONNX Runtime still runs", "[assume]") {
    struct operator_case {
        std::string node, meaning;
        std::vector<float> y;
    };
    const std::vector<operator_case> cases{
        {"Affine<alpha = 2.0, beta = 3.0>", "its input times `alpha` plus `beta` is meant", {5, 7, 3, -1, 3, 13}},
        {"Affine", "its input times `alpha` plus `beta` is meant", {1, 2, 0, -2, 0, 5}},
        {"Scale<scale = -2.0>", "its input times `scale` is meant", {-2, -4, 0, 4, 0, -10}},
        {"ScaledTanh<alpha = 2.0, beta = 0.5>",
         "`alpha` times the Tanh of `beta` times its input is meant",
         {.924234f, 1.523188f, 0, -1.523188f, 0, 1.973228f}},
        {"ParametricSoftplus<alpha = 2.0, beta = 0.5>",
         "`alpha` times the Softplus of `beta` times its input is meant",
         {1.948154f, 2.626523f, 1.386294f, .626523f, 1.386294f, 5.157779f}},
        {"Crop<border = [1, 0, 0, 1]>", "the Slice between its borders is meant", {2, 0}},
        {"Crop<border = [1, 1, 0, 0], scale = [1, 1]>", "the Slice between its borders is meant", {0}}};
    for (int version : {1, 6, 7, 9})
        for (const auto& [node, meaning, expected] : cases) {
            CAPTURE(version, node);
            const std::string op = node.substr(0, node.find('<'));
            const model m =
                assumed(at_opset(version, "(float[1,1,2,3] x) => (float[?,?,?,?] y) { [n] y = " + node + "(x) }"),
                        "`n` (" + op + ") is no operator of ONNX any more: " + meaning);
            const auto y = ran(m, {{"x", numbers({1, 1, 2, 3}, {1, 2, 0, -2, 0, 5})}});
            REQUIRE(y.size() == expected.size());
            for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-6));
        }
    const auto reason = [](int version, const std::string& node) {
        return refused(at_opset(version, "(float[1,1,2,3] x) => (float[?,?,?,?] y) { y = " + node + "(x) }")).text;
    };
    for (const char* node : {"Crop<border = [1, 1, 0]>", "Crop<border = [-1, 1, 0, 0]>", "ScaledTanh<alpha = 1.0>",
                             "Crop<border = [1, 1, 0, 0], scale = [1]>", "ParametricSoftplus<beta = 1.0>"})
        CHECK(contains(reason(7, node), "is no operator of opset 7"));
    CHECK(contains(reason(10, "Affine<alpha = 2.0>"), "is no operator of opset 10"));
}

TEST_CASE("A Loop's body that declares the iteration number with one dimension gets it so", "[assume]") {
    for (int version : {11, 17}) {
        const auto p =
            at_opset(version,
                     "(int64 n, bool c) => (int64[?] y) { [l] y = Loop(n, c) <body = b (int64[1] i, bool[1] go) "
                     "=> (bool[1] on, int64[1] z) { on = Identity(go) z = Add(i, i) }> }");
        const model m = assumed(p,
                                "`l` (Loop) declares the iteration number or the condition of its body with one "
                                "dimension: the body gets it so");
        const session s{m, reference{}};
        const tensor y = s.run({{"n", tensor(shape{}, {std::int64_t(3)})}, {"c", tensor(shape{}, {true})}})[0];
        CHECK(y.shape() == shape{3, 1});
        CHECK(elements<std::int64_t>(y) == std::vector<std::int64_t>{0, 2, 4});
    }
}

TEST_CASE("A session logs what was assumed of its model", "[assume]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    *p.mutable_graph()->add_output() = p.graph().output(0);
    session_options o;
    std::vector<std::string> said;
    o.log = [&](severity s, std::string_view text) {
        CHECK(s == severity::warning);
        said.emplace_back(text);
    };
    const session s{loaded(p), o, reference{}};
    CHECK(said == std::vector<std::string>{"the output `y` is listed twice: it is given twice"});
}

TEST_CASE("A Loop's body that declares its numbers with one dimension may use names of the graph outside", "[assume]") {
    const model m =
        assumed(graph_of("(int64 n, bool[1] c, int64[1] i) => (int64[?,?] y, int64[1] k) { k = Neg(i) [l] y = "
                         "Loop(n, c) <body = b (int64[1] i, bool[1] go) => (bool[1] go, int64[1] z) { z = "
                         "Add(i, i) }> }"),
                "`l` (Loop) declares the iteration number or the condition of its body with one "
                "dimension: the body gets it so");
    const session s{m, reference{}};
    const auto results = s.run(
        {{"n", tensor(shape{}, {std::int64_t(3)})}, {"c", tensor({1}, {true})}, {"i", tensor({1}, {std::int64_t(5)})}});
    CHECK(elements<std::int64_t>(results[0]) == std::vector<std::int64_t>{0, 2, 4});
    CHECK(elements<std::int64_t>(results[1]) == std::vector<std::int64_t>{-5});
}

TEST_CASE("ai.onnx.ml that is not imported has the newest version", "[assume]") {
    const model m =
        assumed(graph_of("(float[2,2] x) => (float[2,2] y) { [n] y = ai.onnx.ml.Normalizer<norm = \"MAX\">(x) }"),
                "`n` (Normalizer) is of the domain `ai.onnx.ml`, which the model does not import: its version "
                "5 is meant");
    CHECK(ran(m, {{"x", numbers({2, 2}, {1, 4, 4, 2})}}) == std::vector<float>{0.25f, 1, 1, 0.5f});
}

TEST_CASE("LayerNormalization of older opsets computes in the type of its scale", "[assume]") {
    const model m = loaded(at_opset(12,
                                    "(float[1,2] a, float[2] s) => (float[1,2] y) { x = Cast<to = 10>(a) [n] y = "
                                    "LayerNormalization<axis = -1, epsilon = 0.0>(x, s) }"));
    REQUIRE(m.warnings().size() == 2);
    CHECK(m.warnings()[1] ==
          "`n` (LayerNormalization) has an input and a scale of different types: it is computed in the type of its "
          "scale");
    CHECK(ran(m, {{"a", numbers({1, 2}, {1, 3})}, {"s", numbers({2}, {1, 2})}}) == std::vector<float>{-1, 2});
}

TEST_CASE("ThresholdedRelu, DynamicSlice and MeanVarianceNormalization of older files have their later meaning",
          "[assume]") {
    const model relu = assumed(at_opset(9, "(float[3] x) => (float[3] y) { [n] y = ThresholdedRelu<alpha = 2.0>(x) }"),
                               "`n` (ThresholdedRelu) is no operator of opset 9: its version of opset 10 is meant");
    CHECK(ran(relu, {{"x", numbers({3}, {1, 2, 3})}}) == std::vector<float>{0, 0, 3});

    const model slice = assumed(at_opset(9,
                                         "(float[3,2] x, int64[2] s, int64[2] e) => (float[?,?] y) { [n] y = "
                                         "DynamicSlice(x, s, e) }"),
                                "`n` (DynamicSlice) is no operator of ONNX: Slice of opset 10 is meant");
    CHECK(ran(slice, {{"x", numbers({3, 2}, {0, 1, 2, 3, 4, 5})},
                      {"s", tensor({2}, {std::int64_t(1), std::int64_t(0)})},
                      {"e", tensor({2}, {std::int64_t(3), std::int64_t(1)})}}) == std::vector<float>{2, 4});

    struct activation_case {
        std::string attributes;
        std::vector<float> y;
    };
    const std::vector<activation_case> cases{
        // as ONNX Runtime gives them
        {"", {-1.069045f, -.267261f, 1.336306f, -.925820f, -.462910f, 1.388730f}},
        {"<across_channels = 1>", {-1.237437f, -.972272f, -.441942f, .353553f, .618718f, 1.679379f}},
        {"<across_channels = 1, normalize_variance = 0>",
         {-4.666667f, -3.666667f, -1.666667f, 1.333333f, 2.333333f, 6.333333f}},
        {"<across_channels = 0, normalize_variance = 0>", {-1.333333f, -.333333f, 1.666667f, -2, -1, 3}}};
    for (int version : {7, 8})
        for (const auto& [attributes, expected] : cases) {
            CAPTURE(version, attributes);
            const model m = assumed(at_opset(version,
                                             "(float[1,2,1,3] x) => (float[?,?,?,?] y) { [n] y = "
                                             "MeanVarianceNormalization" +
                                                 attributes + "(x) }"),
                                    "`n` (MeanVarianceNormalization) is no operator of opset " +
                                        std::to_string(version) + ": that of opset 9 over the axes of images is meant");
            const auto y = ran(m, {{"x", numbers({1, 2, 1, 3}, {1, 2, 4, 7, 8, 12})}});
            for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-5));
        }
}

TEST_CASE("What a node or a file says that means nothing gives a warning", "[assume]") {
    const auto check_warning = [](const onnx::ModelProto& m, const std::string& fault) {
        CAPTURE(fault);
        const model loaded_model = loaded(m);
        CHECK(std::ranges::any_of(loaded_model.warnings(),
                                  [&](const std::string& text) { return contains(text, fault); }));
        model_options strict = plain();
        strict.limits.strict = true;
        CHECK(contains(refused(m, strict).text, fault));
    };
    check_warning(
        proto_of(
            "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (float[2] x) => (float[2] y) { y = "
            "com.microsoft.Gelu<sharp = 1>(x) }"),
        "(Gelu) has the attribute `sharp`, which the operator has not");
    check_warning(
        proto_of(
            "<ir_version: 8, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 3]> g (int64[2] x) => (float[2,2] y) { y = "
            "ai.onnx.ml.OneHotEncoder<cats_int64s = [1, 2], cats_strings = [\"a\", \"b\"]>(x) }"),
        "(OneHotEncoder) has both `cats_int64s` and `cats_strings`");
    check_warning(graph_of("(float[2] x) => (int64[2] y) { y = Relu(x) }"),
                  "the output `y` of the graph `g` is declared as tensor(int64)");
    check_warning(
        graph_of(
            "(int64 n, bool c, float[2] x) => (float[2] y) { y = Loop(n, c, x) <body = b (int64 i, bool ci, float[2] "
            "s) => (bool co, float[2] t, float[2] u) { co = Identity(ci) t = Neg(s) u = Abs(s) }> }"),
        "(Loop) has a body with 3 outputs, not 2");
    check_warning(
        graph_of(
            "(float[3,2] x) => (float[3,2] y) { y = Scan<num_scan_inputs = 1, body = b (float[2] i) => (float[2] o, "
            "float[2] p) { o = Relu(i) p = Neg(i) }>(x) }"),
        "(Scan) has a body with 2 outputs, not 1");
    check_warning(graph_of("(bool c, float[2] x) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] a) { a = "
                           "Relu(x) }, else_branch = e () => () { b = Neg(x) }> }"),
                  "(If) has a body with 0 outputs, not 1");
}

TEST_CASE("Cast before opset 6 names the type that it makes", "[types]") {
    const model m = loaded(at_opset(5,
                                    "(float[2] x) => (float[2] y) { a = Cast<to = \"INT64\">(x) y = Cast<to = "
                                    "\"FLOAT\">(a) }"));
    CHECK(m.view().values[find_value(m.view(), "a")].type == element::i64);
    CHECK(ran(m, {{"x", numbers({2}, {1.5f, -2.5f})}}) == std::vector<float>{1, -2});
}
