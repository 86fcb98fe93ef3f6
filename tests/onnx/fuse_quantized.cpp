// Operators between DequantizeLinear and QuantizeLinear of 8 bits: what replaces them, and what does not.
#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
const std::string codes =
    "<float s = {0.5}, float t = {0.25}, uint8 z = {128}, uint8 bottom = {0}, uint8 seven = {7}, int8 iz = {3}, "
    "int8[3,2,1,1] w = {1,2,3,4,5,6}, float[3] ws = {0.5,0.25,2}, float[2] us = {0.5,0.25}, int32[3] b = {10,20,30}, "
    "float[3] bs = "
    "{0.25,0.125,1}, float[3] far = {0.25,0.125,1.1}, int8[2,3] m = {1,2,3,4,5,6}, int32[3] nothing = {0,0,0}, "
    "int32[3] something = {0,1,0}, float zero = {0}, float six = {6}, float three = {3}> ";
std::string graph(const std::string& body, const std::string& inputs, const std::string& outputs) {
    return "(" + inputs + ") => (" + outputs + ") " + codes + "{ " + body + " }";
}
// What is offered where the constants are folded.
std::string offered(const std::string& body, const std::string& inputs = "uint8[N,2,5,5] x",
                    const std::string& outputs = "uint8[?,?,?,?] y") {
    return offers(after(graph(body, inputs, outputs), {"fold_constants", "fuse_quantized"}));
}
const std::string decode = "a = DequantizeLinear(x, s, z) ", encode = "y = QuantizeLinear(c, t, z)",
                  same = "y = QuantizeLinear(c, s, z)", relu_codes = "y = QuantizeLinear(e, t, bottom)";
// Of one input and one result of other scale.
std::string between(const std::string& node) { return offered(decode + node + " " + encode); }
// Of an input and a result with one scale and zero point.
std::string moving(const std::string& node) { return offered(decode + node + " " + same); }
const std::string decode_weights = "v = DequantizeLinear<axis = 0>(w, ws) d = DequantizeLinear<axis = 0>(b, bs) ";
std::string constant_text(const model& m, std::size_t fused, int k) {  // of one value
    const node_view n = offer(m, fused);
    REQUIRE(n.has_input(k));
    REQUIRE(n.input_integers(k));
    return std::to_string((*n.input_integers(k))[0]);
}
}  // namespace

TEST_CASE("A convolution of codes is offered with its weights and its bias as they are in the file", "[passes]") {
    const model m =
        after(graph(decode + decode_weights + "c = Conv(a, v, d) " + encode, "uint8[N,2,5,5] x", "uint8[N,3,5,5] y"),
              {"fold_constants", "fuse_quantized"});
    CHECK(ops(m.view()) == "DequantizeLinear DequantizeLinear DequantizeLinear Conv QuantizeLinear");
    CHECK(offers(m) == "QLinearConv(0 3 4)");
    CHECK(inputs_of(m) == "x s z w ws int8 0 t z b");  // a zero point that is absent is a constant
    CHECK(offer(m).output(0).name == "y");
    CHECK(constant_text(m, 0, 5) == "0");
    // Without folding, DequantizeLinear of the weights is in the run, and vanishes too.
    CHECK(offers(after(
              graph(decode + decode_weights + "c = Conv(a, v, d) " + encode, "uint8[N,2,5,5] x", "uint8[N,3,5,5] y"),
              {"fuse_quantized"})) == "QLinearConv(0 1 2 3 4)");
    CHECK(offered(decode + decode_weights + "c = Conv(a, v) " + encode) == "QLinearConv(0 3 4)");
    CHECK(offered(decode + decode_weights + "c = Conv<strides = [2, 2]>(a, v, d) e = Relu(c) " + relu_codes) ==
          "QLinearConv(0 3 4 5)");
    const model strided = after(graph(decode + decode_weights + "c = Conv<strides = [2, 2]>(a, v, d) " + encode,
                                      "uint8[N,2,5,5] x", "uint8[N,3,3,3] y"),
                                {"fold_constants", "fuse_quantized"});
    CHECK(offer(strided).integers("strides")[1] == 2);
}

TEST_CASE("A bias is taken where it is int32 in steps of the products", "[passes]") {
    const auto with = [](const std::string& bias) {
        return offered(decode + "v = DequantizeLinear<axis = 0>(w, ws) " + bias + "c = Conv(a, v, d) " + encode);
    };
    const std::string expected = "QLinearConv(0 3 4)";
    CHECK(with("d = DequantizeLinear<axis = 0>(b, bs) ") == expected);
    CHECK(with("d = DequantizeLinear<axis = 0>(b, bs, nothing) ") == expected);
    CHECK(with("d = DequantizeLinear<axis = 0>(b, bs, something) ") == "");
    CHECK(with("d = DequantizeLinear<axis = 0>(b, far) ") == "");
    CHECK(with("d = DequantizeLinear(b, t) ") == "");                      // one scale, of the first channel only
    CHECK(with("d = Constant<value_floats = [1.0, 2.0, 3.0]>() ") == "");  // not quantized
    CHECK(offered(decode + "v = DequantizeLinear(w, s) d = DequantizeLinear(b, t) c = Conv(a, v, d) " + encode) ==
          expected);
    CHECK(offered(decode + "v = DequantizeLinear<axis = 1>(w, ws) c = Conv(a, v) " + encode) == "");  // no such axis
}

TEST_CASE("Products of codes are offered, Gemm with what alpha makes of the steps of its bias", "[passes]") {
    const auto product = [](const std::string& body) {
        return offered("a = DequantizeLinear(x, s, z) " + body + " " + encode, "uint8[N,2] x", "uint8[N,3] y");
    };
    CHECK(product("v = DequantizeLinear(m, s) c = MatMul(a, v)") == "QLinearMatMul(0 2 3)");
    CHECK(product("v = DequantizeLinear<axis = 1>(m, ws) c = MatMul(a, v)") == "QLinearMatMul(0 2 3)");
    CHECK(product("v = DequantizeLinear<axis = 1>(m, ws) c = Gemm(a, v)") == "QGemm(0 2 3)");
    CHECK(product("v = DequantizeLinear<axis = 1>(m, ws) d = DequantizeLinear<axis = 0>(b, bs) c = Gemm(a, v, d)") ==
          "QGemm(0 3 4)");
    const std::string half = "v = DequantizeLinear(m, s) d = DequantizeLinear(b, t) ";  // 0.25 is 0.5 * 0.5
    CHECK(product(half + "c = Gemm(a, v, d)") == "QGemm(0 3 4)");
    CHECK(product(half + "c = Gemm<alpha = 2.0>(a, v, d)") == "");
    CHECK(product(half + "c = Gemm<alpha = 2.0, beta = 2.0>(a, v, d)") == "QGemm(0 3 4)");
    CHECK(product(half + "c = Gemm<beta = 0.0>(a, v, d)") == "");
    CHECK(product("v = DequantizeLinear<axis = 0>(m, us) c = MatMul(a, v)") == "");  // of rows
    const model m = after(
        graph(decode + half + "c = Gemm<alpha = 2.0, beta = 2.0>(a, v, d) " + encode, "uint8[N,2] x", "uint8[N,3] y"),
        {"fold_constants", "fuse_quantized"});
    CHECK(inputs_of(m) == "x s z m s int8 0 b t z");
    CHECK(offer(m).real("alpha", 1) == 2);
    CHECK(!offer(m).has("beta"));
    CHECK(offered("a = DequantizeLinear(x, s, z) v = DequantizeLinear(k, t, iz) c = MatMul(a, v) " + encode,
                  "uint8[N,2,4] x, int8[N,4,3] k", "uint8[N,2,3] y") == "QLinearMatMul(0 1 2 3)");
}

TEST_CASE("Accumulators that int32 may not hold are left to float32", "[passes]") {
    const auto product = [](const std::string& depth) {
        return offered("a = DequantizeLinear(x, s, z) v = DequantizeLinear(k, s) c = MatMul(a, v) " + encode,
                       "uint8[N," + depth + "] x, uint8[" + depth + ",2] k", "uint8[N,2] y");
    };
    CHECK(product("33024") == "QLinearMatMul(0 1 2 3)");  // 33024 * 255 * 255 < 2^31
    CHECK(product("33025") == "");
    const auto windows = [](const std::string& channels) {
        return offered("a = DequantizeLinear(x, s, z) v = DequantizeLinear(k, s) c = Conv(a, v) " + encode,
                       "uint8[N," + channels + ",9,9] x, int8[2," + channels + ",3,3] k", "uint8[N,2,7,7] y");
    };
    CHECK(windows("3669") == "QLinearConv(0 1 2 3)");
    CHECK(windows("3670") == "");
}

TEST_CASE("Element-wise operators and pools of codes are those of com.microsoft", "[passes]") {
    const std::string two = decode + "d = DequantizeLinear(x2, t, seven) ",
                      more = "uint8[N,2,5,5] x, uint8[N,2,5,5] x2";
    CHECK(offered(two + "c = Add(a, d) " + encode, more) == "QLinearAdd(0 1 2 3)");
    CHECK(offered(two + "c = Mul(a, d) " + encode, more) == "QLinearMul(0 1 2 3)");
    CHECK(offered(two + "c = Sub(a, d) " + encode, more) == "");
    CHECK(offered(decode + "c = Add(a, a) " + encode) == "QLinearAdd(0 1 2)");
    CHECK(offered(two + "c = Concat<axis = 1>(a, d) " + encode, more) == "QLinearConcat(0 1 2 3)");
    CHECK(offered(two + "c = Where(q, a, d) " + encode, more + ", bool[5] q") == "QLinearWhere(0 1 2 3)");
    CHECK(between("c = Sigmoid(a)") == "QLinearSigmoid(0 1 2)");
    CHECK(between("c = LeakyRelu<alpha = 0.2>(a)") == "QLinearLeakyRelu(0 1 2)");
    CHECK(between("c = AveragePool<kernel_shape = [2, 2]>(a)") == "QLinearAveragePool(0 1 2)");
    CHECK(between("c = GlobalAveragePool(a)") == "QLinearGlobalAveragePool(0 1 2)");
    CHECK(between("c = Softmax(a)") == "QLinearSoftmax(0 1 2)");
    CHECK(between("c = ReduceMean<axes = [2, 3]>(a)") == "QLinearReduceMean(0 1 2)");
    CHECK(between("c = Tanh(a)") == "");
    // They have one type.
    CHECK(offered(decode + "d = DequantizeLinear(x2, t, iz) c = Add(a, d) " + encode,
                  "uint8[N,2,5,5] x, int8[N,2,5,5] x2") == "");
    CHECK(offered(decode + "c = Sigmoid(a) y = QuantizeLinear(c, t, iz)", "uint8[N,2,5,5] x", "int8[N,2,5,5] y") == "");
    const model m =
        after(graph(decode + "c = Softmax(a) " + encode, "uint8[N,2,5,5] x", "uint8[N,2,5,5] y"), {"fuse_quantized"});
    CHECK(offer(m).integer("opset", 0) == 13);
    CHECK(offer(m).integer("axis", 0) == -1);
    CHECK(inputs_of(m) == "x s z t z");
}

TEST_CASE("What only moves quantized values of one scale and zero point moves them as they are", "[passes]") {
    CHECK(moving("k = Constant<value_ints = [0, -1]>() c = Reshape(a, k)") == "Reshape(0 1 2)");
    CHECK(moving("c = Transpose<perm = [0, 2, 3, 1]>(a)") == "Transpose(0 1 2)");
    CHECK(moving("c = Flatten(a)") == "Flatten(0 1 2)");
    CHECK(moving("c = MaxPool<kernel_shape = [2, 2]>(a)") == "MaxPool(0 1 2)");
    CHECK(moving("c = DepthToSpace<blocksize = 1>(a)") == "DepthToSpace(0 1 2)");
    CHECK(moving("k = Constant<value_ints = [1]>() c = Slice(a, k, k, k)") == "Slice(0 1 2)");
    CHECK(moving("k = Constant<value_ints = [1]>() c = Gather(a, k)") == "Gather(0 1 2)");
    CHECK(moving("k = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() c = Resize<mode = \"nearest\">(a, , k)") ==
          "Resize(0 1 2)");
    CHECK(moving("k = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() c = Resize<mode = \"linear\">(a, , k)") == "");
    CHECK(moving("c = Concat<axis = 1>(a, a)") == "Concat(0 1 2)");
    CHECK(between("c = Transpose(a)") == "");  // another scale
    CHECK(between("c = MaxPool<kernel_shape = [2, 2]>(a)") == "");
    CHECK(offered(decode + "c, d = Split<axis = 1>(a) y = QuantizeLinear(c, s, z) u = QuantizeLinear(d, s, z)",
                  "uint8[N,2,5,5] x", "uint8[?,?,?,?] y, uint8[?,?,?,?] u") == "Split(0 1 2 3)");
    CHECK(offered(decode + "c, d = Split<axis = 1>(a) y = QuantizeLinear(c, s, z) u = QuantizeLinear(d, t, z)",
                  "uint8[N,2,5,5] x", "uint8[?,?,?,?] y, uint8[?,?,?,?] u") == "");

    const std::string pads = "p = Constant<value_ints = [0, 0, 1, 1, 0, 0, 1, 1]>() ";
    const auto padded = [&](const std::string& node) {
        return after(graph(decode + pads + node + " " + same, "uint8[N,2,5,5] x", "uint8[N,2,7,7] y"),
                     {"fold_constants", "fuse_quantized"});
    };
    const model zeros = padded("c = Pad(a, p)"), threes = padded("c = Pad(a, p, three)"),
                edges = padded("c = Pad<mode = \"edge\">(a, p)");
    CHECK(offers(zeros) == "Pad(0 1 2)");
    CHECK(constant_text(zeros, 0, 2) == "128");  // 0, quantized
    CHECK(constant_text(threes, 0, 2) == "134");
    CHECK(!offer(edges).has_input(2));
}

TEST_CASE("Relu and Clip are left out exactly where the quantized result saturates", "[passes]") {
    const std::vector<named_weights> bounds{{"zero", {}, {0}},       {"half", {}, {.5f}},      {"more", {}, {.51f}},
                                            {"least", {}, {-3.5f}},  {"inside", {}, {-3.4f}},  {"below", {}, {-9}},
                                            {"top", {}, {254.5f}},   {"upper", {}, {254.51f}}, {"six", {}, {6}},
                                            {"beyond", {}, {1e30f}}, {"unit", {}, {1}},        {"nan", {}, {NAN}}};
    const auto with = [&](const std::string& node, const std::string& end = "y = QuantizeLinear(e, unit, bottom)") {
        return offers(
            after("(uint8[N,4] x) => (uint8[N,4] y) <uint8 bottom = {0}, uint8 three = {3}, float s = {0.5}> { a = "
                  "DequantizeLinear(x, s) c = Sigmoid(a) " +
                      node + " " + end + " }",
                  {"fuse_quantized"}, bounds));
    };
    const std::string expected = "QLinearSigmoid(0 1 2 3)", shifted = "y = QuantizeLinear(e, unit, three)";
    CHECK(with("e = Relu(c)") == expected);
    CHECK(with("e = Relu(c)", shifted) == "");  // quantized values below that of 0 exist
    CHECK(with("e = Clip(c, zero)") == expected);
    CHECK(with("e = Clip(c, half)") == expected);  // half a step, which rounds to the even 0
    CHECK(with("e = Clip(c, more)") == "");
    CHECK(with("e = Clip(c, below)") == expected);
    CHECK(with("e = Clip(c, least)", shifted) == expected);   // rounds to -4, beyond the lowest
    CHECK(with("e = Clip(c, inside)", shifted) == expected);  // -3, the lowest
    CHECK(with("e = Clip(c, zero, six)") == "");
    CHECK(with("e = Clip(c, zero, top)") == "");  // rounds to the even 254
    CHECK(with("e = Clip(c, zero, upper)") == expected);
    CHECK(with("e = Clip(c, zero, beyond)") == expected);
    CHECK(with("e = Clip(c, nan)") == "");
    CHECK(with("e = Clip(c, zero, nan)") == "");
    CHECK(with("d = Relu(c) e = Clip(d, below, beyond)") == "QLinearSigmoid(0 1 2 3 4)");
    CHECK(with("d = Clip(c, zero, six) e = Relu(d)") == "");
    CHECK(with("e = Tanh(c)") == "");
    // By themselves they bound quantized values of one scale.
    const auto alone = [&](const std::string& node) {
        return after("(uint8[N,4] x) => (uint8[N,4] y) <uint8 three = {3}> { a = DequantizeLinear(x, unit, three) " +
                         node + " y = QuantizeLinear(e, unit, three) }",
                     {"fuse_quantized"}, bounds);
    };
    CHECK(offers(alone("e = Relu(a)")) == "Clip(0 1 2)");
    CHECK(constant_text(alone("e = Relu(a)"), 0, 1) == "3");
    CHECK(constant_text(alone("e = Clip(a, zero, six)"), 0, 2) == "9");
    CHECK(offers(alone("e = Clip(a, zero, nan)")) == "");
}

TEST_CASE("Quantized values that are dequantized and quantized again are what they were", "[passes]") {
    const auto rest = [](const std::string& body, const std::string& more = "") {
        return ops(after(graph(body, "uint8[N,2,5,5] x", "uint8[?,?,?,?] y" + more),
                         {"eliminate_requantization", "eliminate_dead"})
                       .view());
    };
    const std::string pool = " y = MaxPool<kernel_shape = [2, 2]>(q)", low = "a = DequantizeLinear(x, s, bottom) ";
    CHECK(rest(decode + "q = QuantizeLinear(a, s, z)" + pool) == "MaxPool");
    CHECK(rest(decode + "q = QuantizeLinear(a, t, z)" + pool) == "DequantizeLinear QuantizeLinear MaxPool");
    CHECK(rest(decode + "q = QuantizeLinear(a, s, bottom)" + pool) == "DequantizeLinear QuantizeLinear MaxPool");
    CHECK(rest(decode + "y = QuantizeLinear(a, s, z)") ==
          "DequantizeLinear QuantizeLinear");  // outputs keep their names
    CHECK(rest(decode + "q = QuantizeLinear(a, s, z)" + pool, ", float[?,?,?,?] a") == "DequantizeLinear MaxPool");
    CHECK(rest(decode + "q = QuantizeLinear(a, s, z) k = DequantizeLinear(q, s, z) r = QuantizeLinear(k, s, z) y = "
                        "MaxPool<kernel_shape = [2, 2]>(r)") == "MaxPool");
    CHECK(rest(low + "c = Relu(a) q = QuantizeLinear(c, s, bottom)" + pool) == "MaxPool");
    CHECK(rest(decode + "c = Relu(a) q = QuantizeLinear(c, s, z)" + pool) ==
          "DequantizeLinear Relu QuantizeLinear MaxPool");
    CHECK(rest(low + "c = Clip(a, zero, six) q = QuantizeLinear(c, s, bottom)" + pool) ==
          "DequantizeLinear Clip QuantizeLinear MaxPool");
}

TEST_CASE("Operators that share a DequantizeLinear get one each", "[passes]") {
    const std::string two =
                          decode + "c = Sigmoid(a) d = GlobalAveragePool(a) " + encode + " u = QuantizeLinear(d, t, z)",
                      outputs = "uint8[?,?,?,?] y, uint8[?,?,?,?] u";
    const model m = after(graph(two, "uint8[N,2,5,5] x", outputs), {"fuse_quantized"});
    CHECK(ops(m.view()) == "DequantizeLinear DequantizeLinear Sigmoid GlobalAveragePool QuantizeLinear QuantizeLinear");
    CHECK(offers(m) == "QLinearGlobalAveragePool(1 3 5) QLinearSigmoid(0 2 4)");
    CHECK(inputs_of(m, 0) == "x s z t z");
    const node_view first{m.view(), m.view().nodes[2]}, second{m.view(), m.view().nodes[3]};
    CHECK(first.input_id(0) != second.input_id(0));
    // Where others read it too, it stays theirs.
    const model more =
        after(graph(two + " v = Tanh(a)", "uint8[N,2,5,5] x", outputs + ", float[?,?,?,?] v"), {"fuse_quantized"});
    CHECK(offers(more) == "QLinearGlobalAveragePool(2 4 6) QLinearSigmoid(1 3 5)");
    CHECK(node_view{more.view(), more.view().nodes[7]}.input(0).name == "a");
    const model output =
        after(graph(decode + "c = Sigmoid(a) " + encode, "uint8[N,2,5,5] x", "uint8[?,?,?,?] y, float[?,?,?,?] a"),
              {"fuse_quantized"});
    CHECK(offers(output) == "QLinearSigmoid(1 2 3)");
    // Nothing is split for operators that stay.
    CHECK(ops(after(graph(decode + "c = Tanh(a) d = Sigmoid(a) " + encode, "uint8[N,2,5,5] x",
                          "uint8[?,?,?,?] y, float[?,?,?,?] d"),
                    {"fuse_quantized"})
                  .view()) == "DequantizeLinear Tanh Sigmoid QuantizeLinear");
}

TEST_CASE("Quantized values are left to float32 where their scale is no constant, not positive, or not one",
          "[passes]") {
    CHECK(offered("a = DequantizeLinear(x, q, z) c = Sigmoid(a) " + encode, "uint8[N,2,5,5] x, float q") == "");
    CHECK(offered("a = DequantizeLinear(x, s, q) c = Sigmoid(a) " + encode, "uint8[N,2,5,5] x, uint8 q") == "");
    CHECK(offered("a = DequantizeLinear(x, zero) c = Sigmoid(a) " + encode) == "");
    CHECK(offered("a = DequantizeLinear<axis = 1>(x, ws) c = Sigmoid(a) " + encode, "uint8[N,3,5,5] x") == "");
    CHECK(offered(decode + "c = Sigmoid(a) " + encode, "uint8[N,2,5,5] x", "uint8[?,?,?,?] y, float[?,?,?,?] c") == "");
    CHECK(offered(decode + "c = Sigmoid(a) " + encode + " d = Tanh(c)", "uint8[N,2,5,5] x",
                  "uint8[?,?,?,?] y, float[?,?,?,?] d") == "");
    CHECK(offered("c = Sigmoid(x) " + encode, "float[N,2,5,5] x") == "");
    CHECK(between("c = Add(a, s)") == "");  // a number that is not quantized
}
