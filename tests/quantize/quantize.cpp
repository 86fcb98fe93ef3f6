#include "../onnx/models.hpp"
#include <inlay/inlay.hpp>
#include <inlay/quantize.hpp>
#include <cmath>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct wanted_input {
    std::string name;
    shape dims;
};
calibration_data normal_data(std::vector<wanted_input> inputs, std::size_t count = 4) {
    return {count, [inputs = std::move(inputs)](std::size_t k) {
                std::vector<feed> feeds;
                std::mt19937 random(unsigned(k + 1));
                std::normal_distribution<float> normal;
                for (const wanted_input& in : inputs) {
                    tensor t(element::f32, in.dims);
                    for (float& x : t.as<float>()) x = normal(random);
                    feeds.push_back({in.name, t});
                }
                return feeds;
            }};
}
std::string numbers(int n, unsigned seed) {  // for a tensor in ONNX's text
    std::mt19937 random(seed);
    std::string text;
    for (int k = 0; k < n; ++k) text += (k ? ", " : "") + std::to_string(double(random() % 2001) / 1000 - 1);
    return "{" + text + "}";
}
struct quantized_file {
    quantized_model result;
    onnx::ModelProto message;
};
quantized_file quantized(const onnx::ModelProto& m, const quantize_options& o) {
    const scratch_folder folder;
    quantized_file d{quantize(folder.write("model.onnx", m.SerializeAsString()), o), {}};
    REQUIRE(d.message.ParseFromString(d.result.file));
    loaded(d.message);
    return d;
}
error refused_quantization(const onnx::ModelProto& m, const quantize_options& o) {
    const scratch_folder folder;
    try {
        quantize(folder.write("model.onnx", m.SerializeAsString()), o);
    } catch (const error& e) {
        return e;
    }
    FAIL("nothing was raised");
    return {};
}
std::string ops(const onnx::ModelProto& m) {  // with Q and D for the long names
    std::string text;
    for (const auto& n : m.graph().node()) {
        const std::string op = n.op_type() == "QuantizeLinear"     ? "Q"
                               : n.op_type() == "DequantizeLinear" ? "D"
                                                                   : n.op_type();
        text += (text.empty() ? "" : " ") + op;
    }
    return text;
}
const onnx::TensorProto& initializer(const onnx::ModelProto& m, const std::string& name) {
    for (const auto& t : m.graph().initializer())
        if (t.name() == name) return t;
    FAIL("there is no initializer " + name);
    return m.graph().initializer(0);
}
float scalar(const onnx::ModelProto& m, const std::string& name) {
    float x = 0;
    const std::string& raw = initializer(m, name).raw_data();
    REQUIRE(raw.size() == sizeof x);
    std::memcpy(&x, raw.data(), sizeof x);
    return x;
}
onnx::ModelProto network() {  // convolution, residual, pools, classifier
    return graph_of(
        "(float[N,2,6,6] x) => (float[N,5] y) <float[2,2,3,3] w = " + numbers(36, 1) +
        ", float[2] b = {0.5, -0.25}, float[8,5] v = " + numbers(40, 2) + ", float[5] c = " + numbers(5, 3) +
        "> { a = Conv<pads = [1, 1, 1, 1]>(x, w, b) r = Relu(a) s = Add(r, x) p = MaxPool<kernel_shape = [2, "
        "2], strides = [2, 2]>(s) q = AveragePool<kernel_shape = [2, 2]>(p) f = Flatten(q) y = Gemm(f, v, c) "
        "}");
}
quantize_options statically(std::vector<wanted_input> inputs) {
    quantize_options o;
    o.data = normal_data(std::move(inputs));
    return o;
}
}  // namespace

TEST_CASE("A network is quantized with its activation, pools and what moves values between", "[quantize]") {
    const quantized_file d = quantized(network(), statically({{"x", {2, 2, 6, 6}}}));
    CHECK(d.result.nodes == 7);
    CHECK(d.result.float_nodes.empty());
    // Nothing between Conv and Relu; one pair for x, though two nodes read it; weights and bias are dequantized.
    CHECK(ops(d.message) == "Q D D D Conv Relu Q D Add Q D MaxPool Q D AveragePool Q D Flatten Q D D D Gemm Q D");
    CHECK(initializer(d.message, "w_quantized").data_type() == onnx::TensorProto::INT8);
    CHECK(initializer(d.message, "w_scale").dims(0) == 2);
    CHECK(initializer(d.message, "b_quantized").data_type() == onnx::TensorProto::INT32);
    for (const auto& t : d.message.graph().initializer())
        CHECK((t.name() != "w" && t.name() != "v" && t.name() != "b" && t.name() != "c"));
    REQUIRE(d.result.outputs.size() == 1);
    CHECK(d.result.outputs[0].value == "y");
    CHECK(d.result.outputs[0].sqnr > 25);
    CHECK(d.result.layers.size() == 7);
}
TEST_CASE("What moves values, and pools of maxima, keep the parameters of what they move", "[quantize]") {
    const quantized_file d = quantized(network(), statically({{"x", {2, 2, 6, 6}}}));
    std::map<std::string, std::string> scale_of;  // by what is quantized
    for (const auto& n : d.message.graph().node())
        if (n.op_type() == "QuantizeLinear") scale_of[n.input(0)] = n.input(1);
    CHECK(scale_of.at("s_float") == scale_of.at("p_float"));
    CHECK(scale_of.at("q_float") == scale_of.at("f_float"));
    CHECK(scale_of.at("p_float") != scale_of.at("q_float"));
    // After Relu zero is the minimum, and so the first quantized value.
    CHECK(int(static_cast<unsigned char>(initializer(d.message, "r_zero_point").raw_data()[0])) == 0);
}
TEST_CASE("Types of activations, scales per tensor and methods of ranges are those requested", "[quantize]") {
    quantize_options o = statically({{"x", {2, 2, 6, 6}}});
    o.activations = element::i8;
    o.per_channel = false;
    const quantized_file symmetric = quantized(network(), o);
    CHECK(initializer(symmetric.message, "x_zero_point").data_type() == onnx::TensorProto::INT8);
    CHECK(initializer(symmetric.message, "x_zero_point").raw_data()[0] == 0);
    CHECK(initializer(symmetric.message, "w_scale").dims_size() == 0);
    CHECK(symmetric.result.outputs[0].sqnr > 20);
    o.activations = element::u8;
    const float whole = scalar(quantized(network(), o).message, "x_scale");
    o.method = range_method::percentile;
    o.percentile = 90;
    const float cut = scalar(quantized(network(), o).message, "x_scale");
    CHECK(cut < 0.75f * whole);
    CHECK(cut > 0.4f * whole);
    o.method = range_method::entropy;
    const float entropy = scalar(quantized(network(), o).message, "x_scale");
    CHECK(entropy <= whole);
    CHECK(entropy > 0.2f * whole);
}
TEST_CASE("A bias that its scale would not hold gets a larger one", "[quantize]") {
    const auto m = graph_of(
        "(float[1,1,4,4] x) => (float[1,1,4,4] y) <float[1,1,1,1] w = {1e-12}, float[1] b = {1000}> { y = Conv(x, w, "
        "b) "
        "}");
    const quantized_file d = quantized(m, statically({{"x", {1, 1, 4, 4}}}));
    CHECK(d.result.outputs[0].largest < 10);
}
TEST_CASE("Softmax and Sigmoid have the range from 0 to 1 whatever was seen", "[quantize]") {
    const auto m = graph_of("(float[1,4] x) => (float[1,4] y) { s = Softmax(x) y = Add(s, x) }");
    CHECK(scalar(quantized(m, statically({{"x", {1, 4}}})).message, "s_scale") == 1.f / 256);
}
TEST_CASE("A Softmax at the end of a network stays float, for nothing is gained by its codes", "[quantize]") {
    const auto m = graph_of("(float[1,4] x) => (float[1,4] y) { r = Relu(x) s = Softmax(r) y = Flatten(s) }");
    const quantized_file d = quantized(m, statically({{"x", {1, 4}}}));
    CHECK(ops(d.message) == "Q D Relu Q D Softmax Flatten");
    REQUIRE(d.result.float_nodes.size() == 1);
    CHECK(d.result.float_nodes[0].reason == "no quantized node reads what it makes");
}
TEST_CASE("A BatchNormalization stays float, and the reason names what folds it", "[quantize]") {
    const auto m = graph_of(
        "(float[1,1,2,2] x) => (float[1,1,2,2] y) <float[1,1,1,1] w = {2}, float[1] s = {1}, float[1] b = {0}, "
        "float[1] mean = {0.5}, float[1] variance = {4}> { c = Conv(x, w) y = BatchNormalization(c, s, b, mean, "
        "variance) }");
    quantize_options o = statically({{"x", {1, 1, 2, 2}}});
    const quantized_file d = quantized(m, o);
    REQUIRE(d.result.float_nodes.size() == 1);
    CHECK(d.result.float_nodes[0].op == "BatchNormalization");
    CHECK(contains(d.result.float_nodes[0].reason, "`inlay optimize` folds it into a convolution before it"));
    o.operators = {"Conv"};
    CHECK(quantized(m, o).result.float_nodes.empty());
}
TEST_CASE("Concat and its inputs have one range; a constant of Add is encoded", "[quantize]") {
    const auto m = graph_of(
        "(float[1,2] x) => (float[1,4] y) <float[2] k = {10, -30}> { a = Add(x, k) b = Sigmoid(x) y = Concat<axis = "
        "1>(a, b) }");
    const quantized_file d = quantized(m, statically({{"x", {1, 2}}}));
    std::set<std::string> scales;
    for (const auto& n : d.message.graph().node())
        if (n.op_type() == "QuantizeLinear" && n.input(0) != "x") scales.insert(n.input(1));
    CHECK(scales.size() == 1);
    CHECK(initializer(d.message, "k_quantized").data_type() == onnx::TensorProto::UINT8);
    CHECK(d.result.outputs[0].sqnr > 30);
}
TEST_CASE("Nodes and operators that are not wanted stay as they are", "[quantize]") {
    auto m = network();
    m.mutable_graph()->mutable_node(0)->set_name("block1/conv");
    m.mutable_graph()->mutable_node(6)->set_name("head");
    quantize_options o = statically({{"x", {1, 2, 6, 6}}});
    o.exclude = {"block1*"};
    const quantized_file without = quantized(m, o);
    REQUIRE(without.result.float_nodes.size() == 1);
    CHECK(without.result.float_nodes[0].node == "block1/conv");
    CHECK(without.result.float_nodes[0].reason == "it is excluded");
    CHECK(ops(without.message).starts_with("Conv Q D Relu Q D"));
    o.exclude = {};
    o.operators = {"Gemm"};
    CHECK(ops(quantized(m, o).message) == "Conv Relu Add MaxPool AveragePool Flatten Q D D D Gemm Q D");
    o.operators = {"Gem"};
    const error misspelt = refused_quantization(m, o);
    CHECK(misspelt.code == error_code::not_found);
    CHECK(contains(misspelt.hint, "`Gemm`"));
    o.operators = {};
    o.exclude = {"block2*"};
    CHECK(contains(refused_quantization(m, o).text, "no node has the name `block2*`"));
}
TEST_CASE("The node that alone does most harm stays float", "[quantize]") {
    // A weight whose input is as good as zero is so large that the other weights quantize to 0.
    const auto m = graph_of(
        "(float[1,4] x) => (float[1,1] y, float[1,1] z) <float[4,1] w = {1, -1, 0.5, 1000}, float[4,1] v = {1, -1, "
        "0.5, "
        "1}> { y = MatMul(x, w) z = MatMul(x, v) }");
    quantize_options o;
    o.data = {4, [](std::size_t k) {
                  const float a = float(k) + 1;
                  return std::vector<feed>{{"x", tensor(shape{1, 4}, {a, 0.25f * a, -a, 1e-6f})}};
              }};
    o.keep_worst = 1;
    const quantized_file d = quantized(m, o);
    CHECK(d.result.nodes == 1);
    REQUIRE(d.result.float_nodes.size() == 1);
    CHECK(d.result.float_nodes[0].node == "y");
    CHECK(contains(d.result.float_nodes[0].reason, "it does most harm"));
    o.keep_worst = 0;
    CHECK(d.result.outputs[0].sqnr > quantized(m, o).result.outputs[0].sqnr);
    o.keep_worst = 2;
    CHECK(contains(refused_quantization(m, o).text, "none of the 2 that can be quantized is"));
}
TEST_CASE("Values that are infinite in calibration keep their nodes float", "[quantize]") {
    const auto m = graph_of(
        "(float[1,4] x) => (float[1,4] y) <float[1] z = {0}> { i = Div(x, z) a = Relu(i) b = Relu(x) y = Add(a, b) }");
    const quantized_file d = quantized(m, statically({{"x", {1, 4}}}));
    CHECK(d.result.nodes == 1);
    REQUIRE(d.result.float_nodes.size() == 2);
    CHECK(contains(d.result.float_nodes[0].reason, "has infinite numbers or NaN"));
}
TEST_CASE("Dynamic quantization multiplies integers, with one encoding for all that read a value", "[quantize]") {
    const auto m = graph_of("(float[M,6] x) => (float[M,4] y, float[M,3] z) <float[6,4] w = " + numbers(24, 4) +
                            ", float[3,6] v = " + numbers(18, 5) +
                            ", float[3] c = {1, 2, 3}> { y = MatMul(x, w) z = Gemm<transB = 1>(x, v, c) }");
    quantize_options o;
    o.kind = quantization::dynamically;
    o.data = normal_data({{"x", {5, 6}}});
    const quantized_file d = quantized(m, o);
    CHECK(ops(d.message) == "DynamicQuantizeLinear MatMulInteger Cast Mul Mul MatMulInteger Cast Mul Mul Add");
    for (const layer_error& e : d.result.outputs) CHECK(e.sqnr > 30);
    o.data = {};
    CHECK(quantized(m, o).result.outputs.empty());
}
TEST_CASE("Matrices become integers of 4 and 8 bits, by DequantizeLinear and by MatMulNBits", "[quantize]") {
    auto m =
        graph_of("(float[M,64] x) => (float[M,4] y) <float[64,4] w = " + numbers(256, 6) + "> { y = MatMul(x, w) }");
    m.mutable_opset_import(0)->set_version(21);
    m.set_ir_version(10);
    quantize_options o;
    o.kind = quantization::weights_only;
    o.data = normal_data({{"x", {80, 64}}});
    for (const bool nbits : {false, true})
        for (const int bits : {4, 8})
            for (const auto rounding : {weight_rounding::nearest, weight_rounding::error_feedback}) {
                CAPTURE(nbits, bits, int(rounding));
                o.matmul_nbits = nbits;
                o.bits = bits;
                o.rounding = rounding;
                const quantized_file d = quantized(m, o);
                CHECK(ops(d.message) == (nbits ? "MatMulNBits" : "D MatMul"));
                CHECK(d.result.outputs[0].sqnr > (bits == 4 ? 15 : 40));
                CHECK(initializer(d.message, "w_quantized").raw_data().size() == std::size_t(64 * 4 * bits / 8));
            }
    o.matmul_nbits = false;
    o.bits = 4;
    m.set_ir_version(8);
    CHECK(quantized(m, o).message.ir_version() == 10);  // of int4
    o.bits = 8;
    o.block_size = 0;
    m.mutable_opset_import(0)->set_version(13);
    CHECK(quantized(m, o).message.ir_version() == 8);
    CHECK(initializer(quantized(m, o).message, "w_scale").dims_size() == 1);  // of int8 with a scale per column
    o.block_size = 32;
    const error old = refused_quantization(m, o);
    CHECK(old.code == error_code::unsupported_model);
    CHECK(contains(old.text, "is of opset 13"));
    CHECK(contains(old.hint, "MatMulNBits"));
}
TEST_CASE("Gemm's matrix becomes integers whichever way it lies", "[quantize]") {
    auto m = graph_of("(float[M,32] x) => (float[M,3] y, float[M,3] z) <float[3,32] w = " + numbers(96, 7) +
                      ", float[32,3] v = " + numbers(96, 8) +
                      ", float[3] c = {1, 2, 3}> { y = Gemm<transB = 1>(x, w, c) z = Gemm(x, v) }");
    m.mutable_opset_import(0)->set_version(21);
    m.set_ir_version(10);
    quantize_options o;
    o.kind = quantization::weights_only;
    o.data = normal_data({{"x", {7, 32}}});
    o.bits = 8;
    for (const bool nbits : {false, true}) {
        o.matmul_nbits = nbits;
        const quantized_file d = quantized(m, o);
        CHECK(ops(d.message) == (nbits ? "MatMulNBits Add MatMulNBits" : "D Gemm D Gemm"));
        for (const layer_error& e : d.result.outputs) CHECK(e.sqnr > 40);
    }
}
TEST_CASE("Weights of nodes Constant are replaced too, and captured values stay readable", "[quantize]") {
    const auto m = graph_of(
        "(float[1,2] x, bool t) => (float[1,2] y) { w = Constant<value = float[2,2] {1, 2, 3, 4}>() a = MatMul(x, w) y "
        "= "
        "If(t) <then_branch = g () => (float[1,2] r) { r = Relu(a) }, else_branch = h () => (float[1,2] s) { s = "
        "Identity(a) }> }");
    quantize_options o;
    o.data = {2, [](std::size_t k) {
                  return std::vector<feed>{{"x", tensor(shape{1, 2}, {1.f, -2.f})}, {"t", tensor(shape{}, {k == 0})}};
              }};
    const quantized_file d = quantized(m, o);
    CHECK(ops(d.message) == "Q D D MatMul Q D If");
    CHECK(d.result.outputs[0].sqnr > 30);
}
TEST_CASE("What cannot be quantized is refused with the reason", "[quantize]") {
    const quantize_options o = statically({{"x", {1, 2, 6, 6}}});
    const auto text_of = [](const error& e) { return e.text + " | " + e.hint; };
    quantize_options bare;
    CHECK(contains(text_of(refused_quantization(network(), bare)), "needs calibration data, and there are none"));
    const auto already =
        graph_of("(float[1,4] x) => (uint8[1,4] y) <float s = {1}, uint8 z = {0}> { y = QuantizeLinear(x, s, z) }");
    CHECK(contains(text_of(refused_quantization(already, o)), "quantized already"));
    auto old = network();
    old.mutable_opset_import(0)->set_version(12);
    CHECK(contains(text_of(refused_quantization(old, o)), "is of opset 12, and scales per channel are of opset 13"));
    CHECK(contains(text_of(refused_quantization(old, o)), "quantize per tensor"));
    quantize_options per_tensor = o;
    per_tensor.per_channel = false;
    CHECK(quantized(old, per_tensor).result.nodes == 7);
    CHECK(contains(text_of(refused_quantization(graph_of("(float[2] x) => (float[2] y) { y = Sin(x) }"), o)),
                   "no node of the model can be quantized"));
    CHECK(contains(text_of(refused_quantization(graph_of("(float16[2] x) => (float16[2] y) { y = Relu(x) }"), o)),
                   "is float16, not float"));
    quantize_options wrong = statically({{"x", {1, 3, 6, 6}}});
    CHECK(contains(text_of(refused_quantization(network(), wrong)), "sample 0 of the calibration data: "));
    for (const auto change :
         {+[](quantize_options& q) { q.percentile = 0; }, +[](quantize_options& q) { q.bits = 5; },
          +[](quantize_options& q) { q.block_size = 48; }, +[](quantize_options& q) { q.activations = element::i16; },
          +[](quantize_options& q) { q.damping = 0; }, +[](quantize_options& q) { q.keep_worst = -1; }}) {
        quantize_options bad = o;
        change(bad);
        CHECK(refused_quantization(network(), bad).code == error_code::invalid_argument);
    }
}
