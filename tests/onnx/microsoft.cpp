// Operators of com.microsoft that the loader replaces by ONNX's. Expected values: ONNX Runtime's, where it runs them.
#include "models.hpp"
#include <inlay/provider/reference.hpp>
#include <inlay/session.hpp>
#include <cmath>

using namespace inlay;
using namespace inlay::testing;

namespace {
onnx::ModelProto at_opset(int version, const std::string& graph) {
    return proto_of("<ir_version: 8, opset_import: [\"\" : " + std::to_string(version) +
                    ", \"com.microsoft\" : 1]> g " + graph);
}
onnx::ModelProto single(const std::string& inputs, const std::string& call, int opset = 17) {
    return at_opset(opset, "(" + inputs + ") => (y) { y = com.microsoft." + call + " }");
}
tensor ran(const onnx::ModelProto& m, std::vector<feed> feeds, bool rewritten = true) {
    const model loaded_model = loaded(m, model_options{});
    for (const node& n : loaded_model.view().nodes) CHECK(n.domain.empty() == rewritten);
    CHECK(loaded_model.warnings().empty());
    return session{loaded_model, reference{}}.run(feeds)[0];
}
std::vector<float> floats(const onnx::ModelProto& m, std::vector<feed> feeds, bool rewritten = true) {
    return elements<float>(ran(m, std::move(feeds), rewritten));
}
tensor counted(const shape& dims, float first = 0) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < dims.elements(); ++i) x.push_back(first + float(i));
    return tensor(dims, x);
}
void check_close(const std::vector<float>& actual, const std::vector<float>& expected) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(1e-6));
}
std::string why(const onnx::ModelProto& m) {
    const error e = refused(m);
    CHECK(e.code == error_code::unsupported_model);
    return e.text;
}
}  // namespace

TEST_CASE("com.microsoft.Trilu is Trilu, in models of older opsets too", "[microsoft]") {
    for (int opset : {7, 13, 14, 22}) {
        CAPTURE(opset);
        CHECK(floats(single("float[2,2] x", "Trilu(x)", opset), {{"x", tensor({2, 2}, {1.f, 2.f, 3.f, 4.f})}}) ==
              std::vector<float>{1, 2, 0, 4});
    }
    CHECK(floats(single("float[3,3] x, int64 k", "Trilu <upper = 0> (x, k)"),
                 {{"x", counted({3, 3})}, {"k", tensor(shape{}, {std::int64_t(-1)})}}) ==
          std::vector<float>{0, 0, 0, 3, 0, 0, 6, 7, 0});
    CHECK(ops(loaded(single("float[2,2] x", "Trilu(x)", 7)).view()) == "Trilu");
}

TEST_CASE("ONNX's own operators are still refused in opsets that lack them", "[microsoft]") {
    CHECK(contains(refused(at_opset(13, "(float[2,2] x) => (y) { y = Trilu(x) }")).text, "no operator of opset 13"));
    CHECK(contains(refused(at_opset(10, "(float[2] x) => (y) { y = Unique(x) }")).text, "no operator of opset 10"));
}

TEST_CASE("com.microsoft.Unique keeps the order of what it finds first", "[microsoft]") {
    for (int opset : {9, 17}) {
        const model m = loaded(at_opset(opset, "(float[n] x) => (y, i, c) { y, i, c = com.microsoft.Unique(x) }"));
        CHECK(ops(m.view()) == "Unique");
        const session s{m, reference{}};
        const auto r = s.run({{"x", tensor({6}, {2.f, 1.f, 1.f, 3.f, 4.f, 3.f})}});
        CHECK(elements<float>(r[0]) == std::vector<float>{2, 1, 3, 4});
        CHECK(elements<std::int64_t>(r[1]) == std::vector<std::int64_t>{0, 1, 1, 2, 3, 2});
        CHECK(elements<std::int64_t>(r[2]) == std::vector<std::int64_t>{1, 2, 2, 1});
    }
}

TEST_CASE("com.microsoft.ExpandDims takes its axis from an input", "[microsoft]") {
    for (const auto& [axis, expected] : std::vector<std::pair<int, shape>>{
             {0, {1, 2, 3}}, {1, {2, 1, 3}}, {2, {2, 3, 1}}, {-1, {2, 3, 1}}, {-3, {1, 2, 3}}}) {
        CAPTURE(axis);
        CHECK(ran(single("float[2,3] x, int32 a", "ExpandDims(x, a)"),
                  {{"x", counted({2, 3})}, {"a", tensor(shape{}, {std::int32_t(axis)})}})
                  .shape() == expected);
        const std::string graph = "(float[2,3] x) => (y) { a = Constant <value = int32 {" + std::to_string(axis) +
                                  "}> () y = com.microsoft.ExpandDims(x, a) }";
        if (axis >= 0) CHECK(ran(at_opset(9, graph), {{"x", counted({2, 3})}}).shape() == expected);
        CHECK(ops(loaded(at_opset(17, graph), model_options{}).view()) == "Unsqueeze");
    }
    CHECK(contains(why(single("float[2,3] x, int32 a", "ExpandDims(x, a)", 12)), "an axis that is no constant"));
}

TEST_CASE("A constant that two graphs define under one name is none to the rewriting", "[microsoft]") {
    const auto graph = [](const std::string& nodes) {
        return at_opset(12,
                        "(float[2,3] x, bool c) => (y) { y = If (c) <then_branch = t () => (float[p,q,r] u) { a = "
                        "Constant <value = int32 {0}> () u = com.microsoft.ExpandDims(x, a) }, else_branch = e () "
                        "=> (float[p,q,r] v) { " +
                            nodes + " v = com.microsoft.ExpandDims(x, a) }> }");
    };
    CHECK(contains(why(graph("k = Constant <value = float {2}> () a = Cast <to = 6> (k)")), "no constant"));
    CHECK(contains(why(graph("a = Constant <value = int32 {1}> ()")), "no constant"));
}

TEST_CASE("com.microsoft.Range takes single numbers as scalars or lists, and counts by one", "[microsoft]") {
    for (int opset : {10, 17}) {
        CHECK(floats(single("float a, float[1] b", "Range(a, b)", opset),
                     {{"a", tensor(shape{}, {1.f})}, {"b", tensor({1}, {4.f})}}) == std::vector<float>{1, 2, 3});
        CHECK(elements<std::int16_t>(ran(single("int16 a, int16 b, int16[1] c", "Range(a, b, c)", opset),
                                         {{"a", tensor(shape{}, {std::int16_t(1)})},
                                          {"b", tensor(shape{}, {std::int16_t(9)})},
                                          {"c", tensor({1}, {std::int16_t(3)})}})) ==
              std::vector<std::int16_t>{1, 4, 7});
    }
}

TEST_CASE("com.microsoft.Pad takes pads with a batch axis, and its value as a list", "[microsoft]") {
    const tensor x({2, 2}, {1.f, 1.f, 1.f, 1.f});
    CHECK(floats(single("float[2,2] x, int64[1,4] p, float[1] v", "Pad(x, p, v)"),
                 {{"x", x}, {"p", tensor({1, 4}, std::vector<std::int64_t>{1, 0, 0, 1})}, {"v", tensor({1}, {5.f})}}) ==
          std::vector<float>{5, 5, 5, 1, 1, 5, 1, 1, 5});
    CHECK(floats(single("float[2,2] x, int64[4] p", "Pad <mode = \"edge\"> (x, p)"),
                 {{"x", x}, {"p", tensor({4}, std::vector<std::int64_t>{1, 0, 0, 1})}}) == std::vector<float>(9, 1));
    const std::string constants =
        "(float[4] x) => (y) { p = Constant <value = int64[2] {-1, 2}> () v = Constant <value = float {5}> () ";
    for (int opset : {9, 11, 17})
        CHECK(floats(at_opset(opset, constants + "y = com.microsoft.Pad(x, p, v) }"), {{"x", counted({4})}}) ==
              std::vector<float>{1, 2, 3, 5, 5});
    CHECK(contains(why(single("float[4] x, int64[2] p", "Pad(x, p)", 10)), "pads that are no constants"));
}

TEST_CASE("com.microsoft.GatherND takes indices of 32 bits", "[microsoft]") {
    for (int opset : {9, 17}) {
        CHECK(floats(single("float[3,3] x, int32[2,2] i", "GatherND(x, i)", opset),
                     {{"x", counted({3, 3})}, {"i", tensor({2, 2}, std::vector<std::int32_t>{0, 1, 2, 2})}}) ==
              std::vector<float>{1, 8});
        CHECK(floats(single("float[3,3] x, int64[1,1] i", "GatherND(x, i)", opset),
                     {{"x", counted({3, 3})}, {"i", tensor({1, 1}, {std::int64_t(-1)})}}) ==
              std::vector<float>{6, 7, 8});
    }
}

TEST_CASE("com.microsoft.SampleOp gives what it is given", "[microsoft]") {
    CHECK(floats(single("float[2] x", "SampleOp(x)"), {{"x", counted({2}, 3)}}) == std::vector<float>{3, 4});
}

namespace {
constexpr const char* conv_inputs = "float[1,1,4,4] x, float[1,1,2,2] w, float[1] b, float[1,1,3,3] z";
std::vector<float> convolved(const std::string& call, int opset = 17) {
    return floats(single(conv_inputs, call, opset), {{"x", counted({1, 1, 4, 4}, -8)},
                                                     {"w", tensor({1, 1, 2, 2}, std::vector<float>(4, 1))},
                                                     {"b", tensor({1}, {1.f})},
                                                     {"z", tensor({1, 1, 3, 3}, std::vector<float>(9, .5f))}});
}
}  // namespace
TEST_CASE("com.microsoft.FusedConv adds Z and applies its activation", "[microsoft]") {
    for (int opset : {7, 11, 17, 22}) {
        CAPTURE(opset);
        const auto with = [&](const std::string& attributes) {
            return convolved("FusedConv <" + attributes + "> (x, w, b, z)", opset);
        };
        CHECK(with("activation = \"Relu\"") == std::vector<float>{0, 0, 0, 0, 0, 3.5, 11.5, 15.5, 19.5});
        check_close(with("activation = \"Tanh\""), {-1, -1, -1, -.9997532f, -.46211717f, .99817795f, 1, 1, 1});
        check_close(with("activation = \"Sigmoid\""),
                    {0, 0, 3.7252903e-06f, .010986954f, .37754071f, .97068781f, .99998987f, 1, 1});
        check_close(with("activation = \"LeakyRelu\", activation_params = [0.1]"),
                    {-2.05f, -1.65f, -1.25f, -.45f, -.05f, 3.5f, 11.5f, 15.5f, 19.5f});
        CHECK(with("activation = \"Clip\", activation_params = [-3.0, 5.0]") ==
              std::vector<float>{-3, -3, -3, -3, -.5f, 3.5f, 5, 5, 5});
        check_close(with("activation = \"HardSigmoid\", activation_params = [0.1, 0.4]"),
                    {0, 0, 0, 0, .35f, .75f, 1, 1, 1});
        check_close(with("activation = \"HardSwish\""), {0, 0, 0, 0, -.20833333f, 3.5f, 11.5f, 15.5f, 19.5f});
    }
}
TEST_CASE("com.microsoft.FusedConv does without bias, Z and activation", "[microsoft]") {
    CHECK(convolved("FusedConv <activation = \"Relu\"> (x, w)") == std::vector<float>{0, 0, 0, 0, 0, 2, 10, 14, 18});
    CHECK(convolved("FusedConv (x, w, , z)") ==
          std::vector<float>{-21.5, -17.5, -13.5, -5.5, -1.5, 2.5, 10.5, 14.5, 18.5});
    CHECK(convolved("FusedConv <pads = [1, 0, 0, 0], strides = [2, 3], kernel_shape = [2, 2], dilations = [1, 1], "
                    "group = 1, auto_pad = \"NOTSET\"> (x, w)") == std::vector<float>{-15, -6});
    CHECK(ops(loaded(single(conv_inputs, "FusedConv <activation = \"Relu\"> (x, w, b, z)")).view()) == "Conv Add Relu");
}
TEST_CASE("What com.microsoft.FusedConv cannot be is refused with the reason", "[microsoft]") {
    const auto refusal = [](const std::string& call) { return why(single(conv_inputs, call)); };
    CHECK(contains(refusal("FusedConv <activation = \"Gelu\"> (x, w)"), "the activation `Gelu`"));
    CHECK(contains(refusal("FusedConv <activation = \"Elu\"> (x, w)"), "the activation `Elu`"));
    CHECK(contains(refusal("FusedConv <activation = \"LeakyRelu\"> (x, w)"), "0 activation_params; LeakyRelu takes 1"));
    CHECK(contains(refusal("FusedConv <activation = \"Clip\", activation_params = [1.0]> (x, w)"), "Clip takes 2"));
    CHECK(contains(refusal("FusedConv <activation = 1> (x, w)"), "`activation` as INT, not as STRING"));
    CHECK(contains(refusal("FusedConv <alpha = 1.0> (x, w)"), "the attribute `alpha`"));
    CHECK(contains(refusal("FusedConv (x)"), "lacks its input 1"));
    CHECK(contains(refusal("FusedConv (x, w, b, z, z)"), "5 inputs"));
    CHECK(contains(why(single(conv_inputs, "FusedConv (x, w)", 6)), "opset 7 and later"));
    CHECK(contains(why(at_opset(17, "(float[2] x) => (y, z) { y, z = com.microsoft.Trilu(x) }")), "2 outputs"));
}
TEST_CASE("Where a model imports no ai.onnx, what is rewritten brings it", "[microsoft]") {
    const auto m = proto_of(
        "<ir_version: 8, opset_import: [\"com.microsoft\" : 1]> g (float[2,2] x) => (y) { y = com.microsoft.Trilu(x) "
        "}");
    CHECK(floats(m, {{"x", counted({2, 2})}}) == std::vector<float>{0, 1, 0, 3});
}

TEST_CASE("com.microsoft.NhwcFusedConv is channels last, with the filters of Conv", "[microsoft]") {
    const std::string inputs = "float[1,2,3,2] x, float[1,2,2,2] w, float[1] b, float[1,1,2,1] z";
    const std::vector<feed> in{{"x", counted({1, 2, 3, 2})},
                               {"w", tensor({1, 2, 2, 2}, {1.f, 0.f, 0.f, 0.f, 10.f, 0.f, 0.f, 0.f})},
                               {"b", tensor({1}, {.5f})},
                               {"z", tensor({1, 1, 2, 1}, {0.f, -100.f})}};
    // of pixel (0, i): channel 0 + 10 times channel 1
    CHECK(floats(single(inputs, "NhwcFusedConv (x, w, b)"), in) == std::vector<float>{10.5, 32.5});
    CHECK(floats(single(inputs, "NhwcFusedConv <activation = \"Relu\"> (x, w, b, z)"), in) ==
          std::vector<float>{10.5, 0});
    CHECK(ran(single(inputs, "NhwcFusedConv <kernel_shape = [2, 2]> (x, w)"), in).shape() == shape{1, 1, 2, 1});
    const tensor line = ran(single("float[1,3,2] x, float[1,2,1] w", "NhwcFusedConv <kernel_shape = [1]> (x, w)"),
                            {{"x", counted({1, 3, 2})}, {"w", tensor({1, 2, 1}, {1.f, 10.f})}});
    CHECK(line.shape() == shape{1, 3, 1});
    CHECK(elements<float>(line) == std::vector<float>{10, 32, 54});
    CHECK(contains(why(single(inputs, "NhwcFusedConv <kernel_shape = [1,1,1,1,1,1,1,1,1]> (x, w)")), "9 axes"));
}

TEST_CASE("com.microsoft.QLinearConv is ONNX's, or channels last", "[microsoft]") {
    const std::string rest =
                          ", float xs, uint8 xz, int8[1,2,2,2] w, float[1] ws, int8[1] wz, float ys, uint8 yz, "
                          "int32[1] b",
                      names = "(x, xs, xz, w, ws, wz, ys, yz, b)";
    std::vector<std::uint8_t> pixels, planes(12);
    for (std::uint8_t i = 0; i < 12; ++i) pixels.push_back(std::uint8_t(7 * i));
    for (std::size_t i = 0; i < 12; ++i) planes[i % 2 * 6 + i / 2] = pixels[i];
    const auto convolved = [&](const tensor& x, const std::string& dims, const std::string& attributes) {
        return elements<std::uint8_t>(
            ran(single("uint8" + dims + " x" + rest, "QLinearConv " + attributes + names),
                {{"x", x},
                 {"xs", tensor(shape{}, {.5f})},
                 {"xz", tensor(shape{}, {std::uint8_t(3)})},
                 {"w", tensor({1, 2, 2, 2}, std::vector<std::int8_t>{1, 2, 3, 4, -5, 6, 7, -8})},
                 {"ws", tensor({1}, {.25f})},
                 {"wz", tensor({1}, {std::int8_t(0)})},
                 {"ys", tensor(shape{}, {2.f})},
                 {"yz", tensor(shape{}, {std::uint8_t(100)})},
                 {"b", tensor({1}, {std::int32_t(16)})}}));
    };
    const std::vector<std::uint8_t> expected{118, 127};
    CHECK(convolved(tensor({1, 2, 3, 2}, pixels), "[1,2,3,2]", "<channels_last = 1>") == expected);
    CHECK(convolved(tensor({1, 2, 2, 3}, planes), "[1,2,2,3]", "") == expected);
    CHECK(contains(why(single("uint8[1,2,3,2] x" + rest, "QLinearConv " + names, 9)), "takes opset 10"));
}

TEST_CASE("com.microsoft.GatedAdd and ScaledSiLU round after each step", "[microsoft]") {
    const std::vector<feed> in{{"x", tensor({2, 2}, {1.f, 2.f, 3.f, 4.f})}, {"g", tensor({2, 1}, {2.f, -1.f})}};
    CHECK(floats(single("float[2,2] x, float[2,1] g", "GatedAdd (x, x, g)"), in) == std::vector<float>{3, 6, 0, 0});
    CHECK(contains(why(single("float[2,2] x, float[2,1] g", "GatedAdd (x, x, g, g)")), "gate_weight"));
    const std::vector<feed> silu{{"x", tensor({2}, {1.f, -2.f})}, {"s", tensor(shape{}, {2.f})}};
    check_close(floats(single("float[2] x, float s", "ScaledSiLU <alpha = 0.5> (x)"), silu), {.31122965f, -.26894143f});
    check_close(floats(single("float[2] x, float s", "ScaledSiLU <alpha = 0.5> (x, s)"), silu),
                {1.7615942f, -.07194484f});
    check_close(floats(single("float[2] x, float s", "ScaledSiLU (x)"), silu), {.73105858f, -.23840584f});
}

TEST_CASE("com.microsoft.SparseToDenseMatMul multiplies by a constant that was sparse", "[microsoft]") {
    onnx::ModelProto m = single("float[3,2] b", "SparseToDenseMatMul <alpha = 0.5> (a, b)");
    onnx::SparseTensorProto& a = *m.mutable_graph()->add_sparse_initializer();
    for (int d : {2, 3}) a.add_dims(d);
    a.mutable_values()->set_name("a");
    a.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
    a.mutable_values()->add_dims(2);
    for (float x : {2.f, -4.f}) a.mutable_values()->add_float_data(x);
    a.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    a.mutable_indices()->add_dims(2);
    for (int i : {1, 5}) a.mutable_indices()->add_int64_data(i);
    const std::vector<feed> in{{"b", counted({3, 2})}};
    CHECK(floats(m, in) == std::vector<float>{2, 3, -8, -10});
    const auto with = [&](const std::string& attributes, const std::string& dims) {
        onnx::ModelProto sparse = single("float" + dims + " b", "SparseToDenseMatMul <" + attributes + "> (a, b)");
        *sparse.mutable_graph()->add_sparse_initializer() = a;
        return sparse;
    };
    CHECK(floats(with("transA = 1", "[2,1]"), {{"b", counted({2, 1}, 1)}}) == std::vector<float>{0, 2, -8});
    CHECK(floats(with("transB = 1", "[1,3]"), {{"b", counted({1, 3}, 1)}}) == std::vector<float>{4, -12});
}

TEST_CASE("A graph's input that is declared as sparse is given dense", "[microsoft]") {
    onnx::ModelProto m = single("float[3,2] b, float[2,3] a", "SparseToDenseMatMul <alpha = 0.5> (a, b)");
    auto& type = *m.mutable_graph()->mutable_input(1)->mutable_type();
    const onnx::TypeProto::Tensor dense = type.tensor_type();
    type.mutable_sparse_tensor_type()->set_elem_type(dense.elem_type());
    *type.mutable_sparse_tensor_type()->mutable_shape() = dense.shape();
    const model loaded_model = loaded(m, model_options{});
    CHECK(loaded_model.inputs()[1].type_text == "tensor(float)");
    CHECK(loaded_model.inputs()[1].shape == shape{2, 3});
    const tensor a({2, 3}, std::vector<float>{0, 2, 0, 0, 0, -4});
    CHECK(floats(m, {{"b", counted({3, 2})}, {"a", a}}) == std::vector<float>{2, 3, -8, -10});
}

TEST_CASE("com.microsoft.FusedGemm applies every activation that it may name", "[microsoft]") {
    const std::string inputs = "float[2,2] a, float[2,3] b, float[3] c";
    const std::vector<feed> in{{"a", tensor({2, 2}, {1.f, -2.f, 3.f, .5f})},
                               {"b", tensor({2, 3}, {1.f, 2.f, -1.f, 0.f, -1.f, .25f})},
                               {"c", tensor({3}, {.5f, -1.f, -.25f})}};
    for (int opset : {7, 9, 11, 17}) {
        CAPTURE(opset);
        const auto with = [&](const std::string& attributes) {
            return floats(single(inputs, "FusedGemm <" + attributes + "> (a, b, c)", opset), in);
        };
        CHECK(with("activation = \"Relu\"") == std::vector<float>{1.5, 3, 0, 3.5, 4.5, 0});
        check_close(with("activation = \"Tanh\""),
                    {.9051482f, .9950547f, -.94137555f, .99817795f, .9997532f, -.9961465f});
        check_close(with("activation = \"Sigmoid\""),
                    {.81757444f, .95257413f, .14804718f, .9706878f, .9890131f, .04208773f});
        check_close(with("activation = \"LeakyRelu\", activation_alpha = 0.1"), {1.5, 3, -.175f, 3.5, 4.5, -.3125f});
        check_close(with("activation = \"Elu\", activation_alpha = 2.0"), {1.5, 3, -1.6524521f, 3.5, 4.5, -1.9121262f});
        check_close(with("activation = \"Celu\", activation_alpha = 2.0"), {1.5, 3, -1.166276f, 3.5, 4.5, -1.5807772f});
        check_close(with("activation = \"HardSigmoid\", activation_alpha = 0.1, activation_beta = 0.4"),
                    {.55f, .7f, .225f, .75f, .85f, .0875f});
        check_close(with("activation = \"Selu\", activation_alpha = 1.0, activation_gamma = 2.0"),
                    {3, 6, -1.6524521f, 7, 9, -1.9121262f});
        check_close(with("activation = \"Softplus\""),
                    {1.7014133f, 3.0485873f, .16022414f, 3.5297503f, 4.511048f, .04299908f});
        check_close(with("activation = \"Softsign\""), {.6f, .75f, -.6363636f, .7777778f, .8181819f, -.75757575f});
        CHECK(with("activation = \"ThresholdedRelu\", activation_alpha = 1.0") ==
              std::vector<float>{1.5, 3, 0, 3.5, 4.5, 0});
        CHECK(with("alpha = 2.0, beta = 0.5, activation = \"Relu\"") ==
              std::vector<float>{2.25, 7.5, 0, 6.25, 10.5, 0});
    }
    CHECK(floats(single(inputs, "FusedGemm <transA = 1, transB = 1, activation = \"Relu\"> (a, a)"), in) ==
          std::vector<float>{0, 4.5, 0, 0});
    CHECK(contains(why(single(inputs, "FusedGemm (a, b, c)")), "no activation"));
    CHECK(contains(why(single(inputs, "FusedGemm <activation = \"Clip\"> (a, b, c)")), "the activation `Clip`"));
    CHECK(contains(why(single(inputs, "FusedGemm <activation = \"Elu\"> (a, b, c)")),
                   "lacks the attribute `activation_alpha`"));
    CHECK(contains(why(single(inputs, "FusedGemm <activation = \"Relu\"> (a, b)", 9)), "lacks the input C"));
}

TEST_CASE("com.microsoft.ConvTransposeWithDynamicPads cuts by pads that a run gives", "[microsoft]") {
    const std::string inputs = "float[1,1,3,3] x, float[1,2,2,2] w, int64[4] p, float[2] b";
    const std::vector<feed> in{{"x", counted({1, 1, 3, 3})},
                               {"w", counted({1, 2, 2, 2})},
                               {"p", tensor({4}, std::vector<std::int64_t>{1, 0, 0, 1})},
                               {"b", tensor({2}, {1.f, 2.f})}};
    const std::vector<float> plain{0,  0,  2,  3,  4,  0,  3,  0,  4,  0,  6,  9,  8,  12, 10, 0,  6,
                                   0,  7,  0,  12, 18, 14, 21, 16, 0,  0,  6,  7,  12, 12, 15, 16, 20,
                                   20, 18, 21, 24, 28, 30, 24, 30, 28, 35, 32, 36, 42, 42, 49, 48},
        biased{1,  1,  3,  4,  5,  1,  4,  1,  5,  1,  7,  10, 9,  13, 11, 1,  7,  1,  8,  1,
               13, 19, 15, 22, 17, 1,  1,  1,  1,  1,  2,  2,  8,  9,  14, 14, 17, 18, 22, 22,
               20, 23, 26, 30, 32, 26, 32, 30, 37, 34, 38, 44, 44, 51, 50, 2,  2,  2,  2,  2};
    for (int opset : {11, 17, 22}) {
        CAPTURE(opset);
        CHECK(floats(single(inputs, "ConvTransposeWithDynamicPads <strides = [2, 2]> (x, w, p)", opset), in) == plain);
        CHECK(floats(single(inputs,
                            "ConvTransposeWithDynamicPads <strides = [2, 2], output_padding = [1, 0]> (x, w, p, b)",
                            opset),
                     in) == biased);
    }
    const std::string graph =
        "(float[1,1,3,3] x, float[1,2,2,2] w) => (y) { p = Constant <value = int64[4] {1, 0, 0, 1}> () "
        "y = com.microsoft.ConvTransposeWithDynamicPads <strides = [2, 2]> (x, w, p) }";
    CHECK(floats(at_opset(9, graph), {in[0], in[1]}) == plain);
    CHECK(ops(loaded(at_opset(17, graph), model_options{}).view()) == "ConvTranspose");
    CHECK(floats(single(inputs, "ConvTransposeWithDynamicPads <auto_pad = \"SAME_UPPER\"> (x, w, p)"), in) ==
          std::vector<float>{0, 0, 1, 0, 5, 11, 6, 23, 29, 0, 4, 13, 12, 37, 59, 42, 103, 125});
    CHECK(contains(why(single(inputs, "ConvTransposeWithDynamicPads (x, w)")), "lacks the input Pads"));
    CHECK(contains(why(single(inputs, "ConvTransposeWithDynamicPads (x, w, p)", 10)), "Pads that are no constant"));
    CHECK(contains(why(at_opset(17,
                                "(float[1,1,3] x, float[1,2,2] w) => (y) { p = Constant <value = int64[2] {-1, 0}> () "
                                "y = com.microsoft.ConvTransposeWithDynamicPads (x, w, p) }")),
                   "negative pad -1"));
}

TEST_CASE("com.microsoft.BiasDropout adds bias and residual, and drops nothing unless it is trained", "[microsoft]") {
    const std::vector<feed> in{{"x", counted({2, 2})}, {"b", tensor({2}, {10.f, 20.f})}, {"r", counted({2, 2}, 100)}};
    const std::string inputs = "float[2,2] x, float[2] b, float[2,2] r";
    CHECK(floats(single(inputs, "BiasDropout (x, b)"), in) == std::vector<float>{10, 21, 12, 23});
    CHECK(floats(single(inputs, "BiasDropout <seed = 1> (x, b, r)"), in) == std::vector<float>{110, 122, 114, 126});
    const model m =
        loaded(at_opset(17, "(" + inputs + ") => (y, mask) { y, mask = com.microsoft.BiasDropout (x, b, r) }"));
    const session s{m, reference{}};
    CHECK(elements<bool>(s.run(in)[1]) == std::vector<bool>(4, true));
    CHECK(contains(why(single(inputs, "BiasDropout (x, b)", 11)), "ratio"));
}

namespace {
// Of [images, places, channels] x: normalised per image and group of channels, times gamma, plus beta, and SiLU.
std::vector<float> normalised(const std::vector<float>& x, int images, int places, int groups, bool active) {
    const int channels = 4, per_group = channels / groups;
    std::vector<float> y(x.size());
    for (int n = 0; n < images; ++n)
        for (int g = 0; g < groups; ++g) {
            double sum = 0, squares = 0;
            const auto for_each_element = [&](auto f) {
                for (int p = 0; p < places; ++p)
                    for (int c = g * per_group; c < (g + 1) * per_group; ++c)
                        f(std::size_t((n * places + p) * channels + c), c);
            };
            const double count = places * per_group;
            for_each_element([&](std::size_t i, int) { sum += x[i]; });
            for_each_element([&](std::size_t i, int) { squares += std::pow(x[i] - sum / count, 2); });
            for_each_element([&](std::size_t i, int c) {
                const double z = (x[i] - sum / count) / std::sqrt(squares / count + 1e-5) * (c + 1) + c * .5;
                y[i] = float(active ? z / (1 + std::exp(-z)) : z);
            });
        }
    return y;
}
const tensor gammas({4}, {1.f, 2.f, 3.f, 4.f}), betas({4}, {0.f, .5f, 1.f, 1.5f});
std::vector<float> some(int count) {
    std::vector<float> x;
    for (int i = 0; i < count; ++i) x.push_back(float(i * 7 % 13) - 5.f);
    return x;
}
}  // namespace
TEST_CASE("com.microsoft.GroupNorm normalises groups of channels, which may be last or first", "[microsoft]") {
    const auto x = some(2 * 6 * 4);
    const std::string inputs = "float[2,2,3,4] x, float[4] g, float[4] b";
    const std::vector<feed> in{{"x", tensor({2, 2, 3, 4}, x)}, {"g", gammas}, {"b", betas}};
    for (int opset : {9, 13, 17, 21})
        for (int groups : {1, 2, 4})
            for (int active : {0, 1}) {
                CAPTURE(opset, groups, active);
                const std::string attributes =
                    "groups = " + std::to_string(groups) + ", activation = " + std::to_string(active);
                check_close(floats(single(inputs, "GroupNorm <" + attributes + "> (x, g, b)", opset), in),
                            normalised(x, 2, 6, groups, active));
            }
    std::vector<float> first(x.size()), expected = normalised(x, 2, 6, 2, true);
    std::vector<float> moved(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t image = i / 24, place = i / 4 % 6, channel = i % 4, at = (image * 4 + channel) * 6 + place;
        first[at] = x[i];
        moved[at] = expected[i];
    }
    check_close(floats(single("float[2,4,2,3] x, float[4] g, float[4] b",
                              "GroupNorm <groups = 2, activation = 1, channels_last = 0> (x, g, b)"),
                       {{"x", tensor({2, 4, 2, 3}, first)}, in[1], in[2]}),
                moved);
    CHECK(contains(why(single(inputs, "GroupNorm <activation = 1> (x, g, b)")), "`groups`"));
    CHECK(contains(why(single(inputs, "GroupNorm <groups = 2> (x, g, b)")), "`activation`"));
    CHECK(contains(why(single(inputs, "GroupNorm <groups = 2, activation = 2> (x, g, b)")), "`activation`"));
}
TEST_CASE("com.microsoft.GroupNorm supports fp16 next to float32", "[microsoft]") {
    const auto x = some(6 * 4);
    std::vector<float16> halves;
    for (float v : x) halves.emplace_back(v);
    const tensor y =
        ran(single("float16[1,2,3,4] x, float[4] g, float[4] b", "GroupNorm <groups = 2, activation = 0> (x, g, b)"),
            {{"x", tensor({1, 2, 3, 4}, halves)}, {"g", gammas}, {"b", betas}});
    REQUIRE(y.type() == element::f16);
    const auto expected = normalised(x, 1, 6, 2, false);
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(float(y.as<float16>()[i]) == Approx(expected[i]).epsilon(.002).margin(.002));
}
TEST_CASE("com.microsoft.SkipGroupNorm adds skip and bias before, and gives the sum", "[microsoft]") {
    const auto x = some(2 * 6 * 4);
    const std::string rest = "float[4] g, float[4] b, float[4] bias";
    const tensor bias({4}, {.5f, 0.f, -.5f, 1.f});
    std::vector<float> full(x.size()), small{1, 2, 3, 4, -1, -2, -3, -4};
    for (std::size_t i = 0; i < full.size(); ++i) full[i] = small[i / 24 * 4 + i % 4];
    const auto check = [&](const std::string& type, const tensor& skip, bool with_bias) {
        CAPTURE(type, with_bias);
        const model m =
            loaded(at_opset(17, "(float[2,2,3,4] x, " + type + " skip, " + rest +
                                    ") => (y, s) { y, s = "
                                    "com.microsoft.SkipGroupNorm <groups = 2, activation = 1> (x, g, b, skip" +
                                    (with_bias ? ", bias) }" : ") }")));
        const session s{m, reference{}};
        const auto r =
            s.run({{"x", tensor({2, 2, 3, 4}, x)}, {"skip", skip}, {"g", gammas}, {"b", betas}, {"bias", bias}});
        std::vector<float> sum(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            sum[i] = x[i] + full[i] + (with_bias ? bias.as<float>()[i % 4] : 0.f);
        check_close(elements<float>(r[1]), sum);
        check_close(elements<float>(r[0]), normalised(sum, 2, 6, 2, true));
    };
    for (bool with_bias : {false, true}) {
        check("float[2,2,3,4]", tensor({2, 2, 3, 4}, full), with_bias);
        check("float[2,1,1,4]", tensor({2, 1, 1, 4}, small), with_bias);
        check("float[2,4]", tensor({2, 4}, small), with_bias);
    }
    CHECK(contains(why(single("float[2,2,3,4] x, float[2,4] skip, " + rest,
                              "SkipGroupNorm <groups = 2, activation = 1, channels_last = 0> (x, g, b, skip)")),
                   "channels_last 0"));
}

TEST_CASE("com.microsoft.Tokenizer runs in sessions, with shapes that only its texts tell", "[microsoft]") {
    const auto tokens = [](const std::string& dims, const tensor& x) {
        const model m =
            loaded(single("string" + dims + " x",
                          "Tokenizer <mark = 1, mincharnum = 1, pad_value = \"#\", separators = [\" \"]> (x)"),
                   model_options{});
        return session{m, reference{}}.run({{"x", x}})[0];
    };
    const tensor y = tokens("[n]", tensor({2}, std::vector<std::string>{"a bc", "d"}));
    CHECK(y.shape() == shape{2, 4});
    CHECK(elements<std::string>(y) == std::vector<std::string>{"\x02", "a", "bc", "\x03", "\x02", "d", "\x03", "#"});
    CHECK(tokens("[2,1]", tensor({2, 1}, std::vector<std::string>{"a", ""})).shape() == shape{2, 1, 3});
    CHECK(tokens("[n]", tensor(element::string, {0})).shape() == shape{0});
    CHECK(tokens("[2,0]", tensor(element::string, {2, 0})).shape() == shape{2, 0});
    CHECK(tokens("[n]", tensor({2}, std::vector<std::string>{"", " "})).shape() == shape{2, 0});
}
TEST_CASE("com.microsoft.MurmurHash3 and Inverse have types and shapes in models", "[microsoft]") {
    const model m = loaded(single("string[n] x", "MurmurHash3 <positive = 0> (x)"), model_options{});
    CHECK(m.outputs()[0].type == element::i32);
    const tensor y = session{m, reference{}}.run({{"x", tensor({1}, std::vector<std::string>{""})}})[0];
    CHECK(elements<std::int32_t>(y) == std::vector<std::int32_t>{0});
    check_close(floats(single("float[2,2] x", "Inverse(x)"), {{"x", tensor({2, 2}, {4.f, 7.f, 2.f, 6.f})}}, false),
                {.6f, -.7f, -.2f, .4f});
}
