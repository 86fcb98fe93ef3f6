// What the passes offer as one node: LayerNormalization, matmuls with what follows them, the shuffle of channels, the
// end of squeeze-excite. And what they leave alone.
#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
// What is offered for a matmul b with a bias and the nodes of `body`; and how that reads where they are an activation.
std::string offered_after_product(const std::string& body, const std::string& results,
                                  const std::vector<named_weights>& constants = numbers) {
    return offers(after("(float[N,3] x, float[3,4] w) => (float[N,4] y" + results +
                            ") { a = MatMul(x, w) b = Add(a, shift) " + body + " }",
                        {"fuse_matmul"}, constants));
}
std::string with(const std::string& operands, const std::string& name) {
    return "FusedMatMul(0 1 " + operands + ")=" + name + " FusedMatMul(0 1)=";
}
}  // namespace

TEST_CASE("The nodes of a layer normalisation are offered as one", "[passes]") {
    const auto offered = [](const std::string& body, const std::string& more = "") {
        return offers(after("(float[N,S,4] x" + more + ") => (float[N,S,4] y) { " + body + " }",
                            {"fuse_layer_normalization"}, numbers));
    };
    const std::string mean = "m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) ",
                      var = "p = Pow(d, two) v = ReduceMean<axes = [-1]>(p) ", root = "e = Add(v, eps) r = Sqrt(e) ";
    const std::string expected = "LayerNormalization(0 1 2 3 4 5 6 7 8)";
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift)") == expected);
    CHECK(offered("m = ReduceMean<axes = [2], keepdims = 1>(x) d = Sub(x, m) p = Mul(d, d) v = ReduceMean<axes = "
                  "[2]>(p) e = Add(eps, v) r = Pow(e, half) n = Div(d, r) t = Mul(scale, n) y = Add(shift, t)") ==
          expected);
    CHECK(offered("whole = Constant<value_int = 2>() " + mean + "p = Pow(d, whole) v = ReduceMean<axes = [-1]>(p) " +
                  root + "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift)") == expected);
    CHECK(offered(mean + var + root + "i = Reciprocal(r) n = Mul(i, d) t = Mul(n, scale) y = Add(t, shift)") ==
          "LayerNormalization(0 1 2 3 4 5 6 7 8 9)");
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, scale) y = Add(t, x)") ==
          "LayerNormalization(0 1 2 3 4 5 6 7)");
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, s) y = Add(t, shift)", ", float[4] s") == expected);
    // What is not one.
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, s) y = Add(t, shift)", ", float[N,1,4] s") ==
          "");  // another scale for each sample
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, two) y = Add(t, shift)") == "");  // one scale for all
    CHECK(offered(mean + var + root + "n = Div(r, d) t = Mul(n, scale) y = Add(t, shift)") == "");
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, scale) q = Add(t, shift) y = Add(q, v)") ==
          "");  // the variance is needed elsewhere
    CHECK(offered(mean + var + root + "n = Div(d, r) t = Mul(n, scale) q = Add(t, shift) y = Add(q, m)") == "");
    CHECK(offered(mean + "p = Pow(d, three) v = ReduceMean<axes = [-1]>(p) " + root +
                  "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift)") == "");
    CHECK(offered(mean + "p = Pow(d, two) v = ReduceMean<axes = [1]>(p) " + root +
                  "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift)") == "");
    CHECK(offered("m = ReduceMean<axes = [1]>(x) d = Sub(x, m) p = Pow(d, two) v = ReduceMean<axes = [1]>(p) " + root +
                  "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift)") == "");
    CHECK(offered("m = ReduceMean<axes = [-1]>(x) d = Sub(m, x) " + var + root +
                  "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift)") == "");
    CHECK(offers(after("(float[N,S,4] x) => (float[N,S,4] y, float[N,S,4] d) { " + mean + var + root +
                           "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift) }",
                       {"fuse_layer_normalization"}, numbers)) == "");

    const model m = after("(float[N,S,4] x) => (float[N,S,4] y) { " + mean + var + root +
                              "n = Div(d, r) t = Mul(n, scale) y = Add(t, shift) }",
                          {"fuse_layer_normalization"}, numbers);
    CHECK(m.view().nodes.size() == 9);  // nothing is replaced
    CHECK(offer(m).record.domain == "");
    CHECK(offer(m).version() == 17);
    CHECK(offer(m).integer("axis", 0) == -1);
    CHECK(offer(m).real("epsilon", 0) == Approx(1e-5));
    CHECK(inputs_of(m) == "x scale shift");
}
TEST_CASE("A layer normalisation may take its axes from an input and cover several", "[passes]") {
    auto p = proto_of(
        "<ir_version: 9, opset_import: [\"\" : 18]> g (float[N,2,2] x) => (float[N,2,2] y) { a = Constant<value_ints = "
        "[1, -1]>() m = ReduceMean(x, a) d = Sub(x, m) "
        "p = Mul(d, d) v = ReduceMean(p, a) e = Add(v, eps) r = Sqrt(e) n = Div(d, r) t = Mul(n, s) y = Add(t, b) }");
    for (const named_weights& c : numbers)
        if (c.name == "eps") constant(p, c);
    for (const char* name : {"s", "b"}) *p.mutable_graph()->add_initializer() = weights(name, {2, 2}, {1, 2, 3, 4});
    const model m = loaded(p, {});
    REQUIRE(offers(m) == "LayerNormalization(0 1 2 3 4 5 6 7 8)");
    CHECK(offer(m).integer("axis", 0) == -2);
}

TEST_CASE("MatMul and what follows are offered as one node", "[passes]") {
    const auto offered = [](const std::string& body, const std::string& more = "", const std::string& results = "") {
        return offers(after("(float[N,S,3] x, float[3,4] w" + more + ") => (float[N,S,4] y" + results +
                                ") { a = MatMul(x, w) " + body + " }",
                            {"fuse_matmul"}, numbers));
    };
    CHECK(offered("y = Add(a, shift)") == "FusedMatMul(0 1)=");
    CHECK(offered("y = Add(shift, a)") == "FusedMatMul(0 1)=");
    CHECK(offered("y = Add(a, b)", ", float[1,1,4] b") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(a, shift) y = Relu(c)") == "FusedMatMul(0 1 2)=Relu FusedMatMul(0 1)=");
    CHECK(offered("y = Relu(a)") == "FusedMatMul(0 1)=Relu");
    CHECK(offered("c = Add(a, shift) y = Add(z, c)", ", float[N,S,4] z") == "FusedMatMul(0 1 2)= FusedMatMul(0 1)=");
    CHECK(offered("y = Add(z, a)", ", float[N,S,4] z") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(a, shift) e = Add(z, c) y = Relu(e)", ", float[N,S,4] z") ==
          "FusedMatMul(0 1 2 3)=Relu FusedMatMul(0 1 2)= FusedMatMul(0 1)=");
    // What is not one.
    CHECK(offered("y = Add(a, b)", ", float[1,4,1] b") == "");
    CHECK(offered("y = Add(a, five)") == "");
    CHECK(offered("y = Add(a, z)", ", float[N,1,4] z") == "");
    CHECK(offered("y = Add(a, a)") == "");
    CHECK(offered("c = Add(a, shift) y = Mul(c, a)") == "");
    CHECK(offered("y = Add(a, shift)", "", ", float[N,S,4] a") == "");
    CHECK(offered("c = Add(a, shift) y = Relu(c)", "", ", float[N,S,4] c") == "FusedMatMul(0 1)=");
    CHECK(offers(after("(float[3] x, float[3,4] w) => (float[4] y) { a = MatMul(x, w) y = Add(a, shift) }",
                       {"fuse_matmul"}, numbers)) == "");

    const model m = after(
        "(float[N,S,3] x, float[3,4] w, float[N,S,4] z) => (float[N,S,4] y) { a = MatMul(x, w) b = Add(a, shift) y = "
        "Add(z, b) }",
        {"fuse_matmul"}, numbers);
    CHECK(inputs_of(m, 0) == "x w shift z");
    CHECK(inputs_of(m, 1) == "x w shift -");
    CHECK(offer(m).record.name == "MatMul_0+Add_1+Add_2");
    CHECK(offer(m).output(0).name == "y");
}

TEST_CASE("Two products by codes, of which one gates the other, are offered as one node", "[passes]") {
    const std::string size = "<N = 2, K = 16, block_size = 16, accuracy_level = 4>",
                      codes = "= {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}";
    const auto offered = [&](const std::string& body, const std::string& more = "", const std::string& results = "") {
        return after(
            proto_of("<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (float[S,16] x" + more +
                     ") => (float[S,2] y" + results + ") <uint8[2,1,8] g " + codes + ", uint8[2,1,8] u " + codes +
                     ", float[2,1] s = {1, 2}, uint8[2] z = {7, 8}, float[2] b = {1, 2}> { " + body + " }"),
            {"fuse_gated_matmul"});
    };
    const std::string gate = "a = com.microsoft.MatMulNBits" + size + "(x, g, s) ",
                      up = "c = com.microsoft.MatMulNBits" + size + "(x, u, s, z, \"\", b) ",
                      silu = "i = Sigmoid(a) j = Mul(a, i) ";
    const model m = offered(gate + up + silu + "y = Mul(j, c)");
    REQUIRE(offers(m) == "GatedMatMulNBits(0 1 2 3 4)=Silu");
    CHECK(inputs_of(m) == "x g s - - u s z b");
    CHECK(offer(m).integer("accuracy_level", 0) == 4);
    CHECK(offer(m).output(0).name == "y");
    CHECK(offers(offered(up + gate + silu + "y = Mul(c, j)")) == "GatedMatMulNBits(0 1 2 3 4)=Silu");
    CHECK(offers(offered(gate + up + "i = Relu(a) y = Mul(i, c)")) == "GatedMatMulNBits(0 1 2 3)=Relu");
    // What is not one.
    CHECK(offers(offered(gate + up + "y = Mul(a, c)")) == "");
    CHECK(offers(offered(gate + up + silu + "y = Add(j, c)")) == "");
    CHECK(offers(offered(gate + up + silu + "y = Mul(j, c)", "", ", float[S,2] c")) == "");
    CHECK(offers(offered(gate + up + silu + "y = Mul(j, c)", "", ", float[S,2] j")) == "");
    CHECK(offers(offered(gate + silu + "y = Mul(j, w)", ", float[S,2] w")) == "");
    CHECK(offers(offered(gate + silu + "n = Neg(x) c = com.microsoft.MatMulNBits" + size +
                         "(n, u, s) y = Mul(j, c)")) == "");  // of another value
    CHECK(offers(offered(gate + silu + "c = com.microsoft.MatMulNBits<N = 2, K = 16, block_size = 16>(x, u, s) " +
                         "y = Mul(j, c)")) == "");  // rounded otherwise
    CHECK(offers(offered(gate + silu + "c = com.microsoft.MatMulNBits" + size + "(x, u, t) y = Mul(j, c)",
                         ", float[2,1] t")) == "");  // scales that are no constants
}

TEST_CASE("Products of one value by constant weights are offered as one node", "[passes]") {
    const std::vector<named_weights> constants{{"w1", {3, 4}, std::vector<float>(12, 1)},
                                               {"w2", {3, 4}, std::vector<float>(12, 2)},
                                               {"w3", {3, 2}, std::vector<float>(6, 3)},
                                               {"w4", {2, 3, 4}, std::vector<float>(24, 4)},
                                               {"b", {4}, {1, 2, 3, 4}}};
    const auto join = [&](const std::string& body, const std::string& results, const std::string& more = "") {
        return after("(float[N,S,3] x" + more + ") => (" + results + ") { " + body + " }", {"fuse_joined_matmul"},
                     constants);
    };
    const model m =
        join("q = MatMul(x, w1) y = Add(q, b) v = MatMul(x, w3) k = MatMul(x, w2) z = Add(b, k) u = Softmax(z)",
             "float[N,S,4] y, float[N,S,2] v, float[N,S,4] u");
    REQUIRE(offers(m) == "JoinedMatMul(0 1 2 3 4)");
    CHECK(ops(m.view()) == "MatMul Add MatMul MatMul Add Softmax");  // nothing is replaced
    CHECK(inputs_of(m) == "x w1 b w3 - w2 b");
    REQUIRE(offer(m).output_count() == 3);
    CHECK(offer(m).output(0).name == "y");
    CHECK(offer(m).output(1).name == "v");
    CHECK(offer(m).output(2).name == "z");
    const auto two = [&](const std::string& body, const std::string& more = "") {
        return offers(join(body, "float[N,S,4] y, float[N,S,4] z", more));
    };
    CHECK(two("y = MatMul(x, w1) z = MatMul(x, w2)") == "JoinedMatMul(0 1)");
    CHECK(two("y = MatMul(x, w1) a = MatMul(x, w2) s = Softmax(a) c = Neg(a) z = Mul(c, s)") == "JoinedMatMul(0 1)");
    CHECK(offers(
              join("a = MatMul(x, w1) c = MatMul(x, w2) d = MatMul(x, w3) e = MatMul(x, w1) f = MatMul(x, w2) h = "
                   "MatMul(x, w3)",
                   "float[N,S,4] a, float[N,S,4] c, float[N,S,2] d, float[N,S,4] e, float[N,S,4] f, float[N,S,2] h")) ==
          "JoinedMatMul(0 1 2 3) JoinedMatMul(4 5)");
    // A bias that a node makes is left to the Add.
    const model computed =
        join("y = MatMul(x, w1) a = MatMul(x, w2) n = Neg(b) z = Add(a, n)", "float[N,S,4] y, float[N,S,4] z");
    REQUIRE(offers(computed) == "JoinedMatMul(0 1)");
    CHECK(inputs_of(computed) == "x w1 - w2 -");
    // What is not joined.
    CHECK(offers(after("(float[1,3] x) => (float[1,4] y) { a = MatMul(x, w1) c = MatMul(x, w2) y = Add(a, c) }",
                       {"fuse_joined_matmul"}, constants)) == "");       // of one row, each could be the other's bias
    CHECK(two("y = MatMul(x, w1) n = Neg(x) z = MatMul(n, w2)") == "");  // of different values
    CHECK(two("y = MatMul(x, w1) z = MatMul(x, w)", ", float[3,4] w") == "");  // weights that are no constant
    CHECK(two("y = MatMul(x, w1) a = MatMul(x, w2) z = Relu(a)") == "");       // FusedMatMul takes the activation,
    CHECK(two("y = MatMul(x, w1) a = MatMul(x, w2) z = Add(a, r)", ", float[N,S,4] r") == "");  // and the residual
    CHECK(offers(after("(float[2,S,3] x) => (float[2,S,4] y, float[2,S,4] z) { y = MatMul(x, w4) z = MatMul(x, w1) }",
                       {"fuse_joined_matmul"}, constants)) == "");  // a matrix for each sample
    CHECK(offers(after("(float[3] x) => (float[4] y, float[4] z) { y = MatMul(x, w1) z = MatMul(x, w2) }",
                       {"fuse_joined_matmul"}, constants)) == "");
}

TEST_CASE("MatMuls by blocks of 4-bit values are offered as one node, and large weights stay quantized", "[passes]") {
    struct weights_of {
        std::int64_t k, n;
        bool by_columns = false, zeros = false;
    };
    const auto with_codes = [](const weights_of& w, const std::string& body, const std::string& results) {
        auto p = proto_of("<ir_version: 10, opset_import: [\"\" : 21]> g (float[N,S," + std::to_string(w.k) +
                          "] x) => (" + results + ") { " + body + " }");
        const std::int64_t blocks = (w.k + 15) / 16, rows = w.by_columns ? w.n : w.k;
        const auto add = [&](const std::string& name, int type, std::int64_t first, std::int64_t second,
                             std::size_t bytes) {
            onnx::TensorProto t;
            t.set_name(name);
            t.set_data_type(type);
            t.add_dims(first);
            t.add_dims(second);
            t.set_raw_data(std::string(bytes, '\1'));
            *p.mutable_graph()->add_initializer() = t;
        };
        const auto two = [&](const std::string& name, int type, std::int64_t length, std::size_t bits) {
            const std::int64_t first = w.by_columns ? rows : length, second = w.by_columns ? length : w.n;
            add(name, type, first, second, (std::size_t(first * second) * bits + 7) / 8);
        };
        two("w", onnx::TensorProto::INT4, w.k, 4);
        two("s", onnx::TensorProto::FLOAT, blocks, 32);
        if (w.zeros) two("z", onnx::TensorProto::INT4, blocks, 4);
        constant(p, {"b", {w.n}, std::vector<float>(std::size_t(w.n), 1)});
        return p;
    };
    const auto offered = [&](const weights_of& w, const std::string& body,
                             const std::string& results = "float[N,S,M] y") {
        return offers(after(with_codes(w, body, results), {"fuse_blocked_matmul"}));
    };
    const std::string rows = "d = DequantizeLinear<axis = 0, block_size = 16>(w, s) ",
                      columns =
                          "d = DequantizeLinear<axis = -1, block_size = 16>(w, s) t = Transpose<perm = [1, 0]>(d) ";
    CHECK(offered({32, 6}, rows + "y = MatMul(x, d)") == "BlockedMatMul(0 1)");
    CHECK(offered({40, 6, false, true}, "d = DequantizeLinear<axis = 0, block_size = 16>(w, s, z) y = MatMul(x, d)") ==
          "BlockedMatMul(0 1)");
    CHECK(offered({32, 6, true}, columns + "y = MatMul(x, t)") == "BlockedMatMul(0 1 2)");
    CHECK(offered({32, 6}, rows + "a = MatMul(x, d) y = Add(b, a)") == "BlockedMatMul(0 1 2) BlockedMatMul(0 1)");
    // What is not one.
    CHECK(offered({32, 6}, rows + "y = MatMul(x, d)", "float[N,S,M] y, float[32,6] d") == "");
    CHECK(offered({32, 6}, rows + "a = MatMul(x, d) c = Neg(d) e = MatMul(x, c) y = Add(a, e)") == "");
    CHECK(offered({32, 32}, rows + "y = MatMul(d, x)") == "");
    CHECK(offered({32, 32}, rows + "t = Transpose<perm = [1, 0]>(d) y = MatMul(x, t)") ==
          "");  // blocks along the columns
    CHECK(offered({32, 32, true}, columns + "y = MatMul(x, d)") == "");

    const auto whole = [&](std::int64_t n) {
        return loaded(with_codes({128, n}, rows + "a = MatMul(x, d) y = Add(a, b)", "float[N,S,M] y"), {});
    };
    const auto matrix = [](const model& m) { return node_view{m.view(), m.view().nodes[0]}.output(0).is_constant(); };
    CHECK_FALSE(matrix(whole(160)));
    CHECK(inputs_of(whole(160)) == "x w s - b");
    CHECK(offer(whole(160)).integer("block_size", 0) == 16);
    CHECK(matrix(whole(8)));  // as numbers it takes no more than other constants do
}

TEST_CASE("A product of 8-bit integers with the Cast, the scale and the bias behind it is offered as one node",
          "[passes]") {
    const std::string weights = "<int8[3,4] w = {1,2,3,4,5,6,7,8,9,10,11,12}, int8 wz = {1}>";
    const auto offered = [&](const std::string& body, const std::string& more = "",
                             const std::string& results = "float[N,S,4] y") {
        return offers(after(
            "(uint8[N,S,3] x, uint8 xz, float s" + more + ") => (" + results + ") " + weights + " { " + body + " }",
            {"fuse_matmul_integer"}, numbers));
    };
    const std::string product = "a = MatMulInteger(x, w, xz, wz) ", floats = product + "b = Cast<to = 1>(a) ",
                      scaled = floats + "c = Mul(b, s) ";
    CHECK(offered(floats + "y = Mul(b, s)") == "FusedMatMulInteger(0 1 2)");
    CHECK(offered(floats + "y = Mul(s, b)") == "FusedMatMulInteger(0 1 2)");
    CHECK(offered(floats + "y = Mul(b, scale)") == "FusedMatMulInteger(0 1 2)");
    CHECK(offered(floats + "y = Mul(b, t)", ", float[1,1,1] t") == "FusedMatMulInteger(0 1 2)");
    CHECK(offered(scaled + "y = Add(c, shift)") == "FusedMatMulInteger(0 1 2 3) FusedMatMulInteger(0 1 2)");
    CHECK(offered(scaled + "y = Add(shift, c)") == "FusedMatMulInteger(0 1 2 3) FusedMatMulInteger(0 1 2)");
    CHECK(offered(scaled + "y = Add(c, z)", ", float[N,S,4] z") == "FusedMatMulInteger(0 1 2)");
    CHECK(offered("a = MatMulInteger(x, w) b = Cast<to = 1>(a) y = Mul(b, s)") == "FusedMatMulInteger(0 1 2)");
    // What is not one.
    CHECK(offered(floats + "y = Mul(b, t)", ", float[N,S,1] t") == "");
    CHECK(offered(floats + "y = Mul(b, t)", ", float[1,1,1,1] t", "float[1,N,S,4] y") == "");
    CHECK(offered(floats + "y = Mul(b, b)") == "");
    CHECK(offered(product + "b = Cast<to = 11>(a) c = Mul(b, t) y = Cast<to = 1>(c)", ", double t") == "");
    CHECK(offered(floats + "y = Mul(b, s)", "", "float[N,S,4] y, int32[N,S,4] a") == "");
    CHECK(offered(floats + "y = Mul(b, s)", "", "float[N,S,4] y, float[N,S,4] b") == "");
    CHECK(offered("a = MatMulInteger(x, v, xz) b = Cast<to = 1>(a) y = Mul(b, s)", ", int8[3,4] v") ==
          "");  // weights that are no constant
    CHECK(offered("a = MatMulInteger(x, w, xz, vz) b = Cast<to = 1>(a) y = Mul(b, s)", ", int8 vz") == "");

    const model m = after(
        "(uint8[N,S,3] x, uint8 xz, float s) => (float[N,S,4] y) " + weights + " { " + scaled + "y = Add(shift, c) }",
        {"fuse_matmul_integer"}, numbers);
    CHECK(inputs_of(m, 0) == "x w xz wz s shift");
    CHECK(inputs_of(m, 1) == "x w xz wz s -");
    CHECK(offer(m).output(0).name == "y");
}

TEST_CASE("HardSwish and HardSigmoid are activations where they are written with Clip", "[passes]") {
    std::vector<named_weights> constants = numbers;
    for (float x : {0.f, 6.f, 1 / 6.f}) constants.push_back({x == 0 ? "zero" : x == 6 ? "six" : "sixth", {}, {x}});
    const auto offered = [&](const std::string& body, const std::string& results = "") {
        return offered_after_product(body, results, constants);
    };
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) e = Mul(b, d) y = Div(e, six)") ==
          with("2 3 4 5", "HardSwish"));
    CHECK(offered("c = Add(three, b) d = Clip(c, zero, six) e = Div(d, six) y = Mul(e, b)") ==
          with("2 3 4 5", "HardSwish"));
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) e = Mul(d, sixth) y = Mul(b, e)") ==
          with("2 3 4 5", "HardSwish"));
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) y = Div(d, six)") == with("2 3 4", "HardSigmoid"));
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) y = Mul(sixth, d)") == with("2 3 4", "HardSigmoid"));
    // What is neither.
    CHECK(offered("c = Add(b, two) d = Clip(c, zero, six) e = Mul(b, d) y = Div(e, six)") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, three) e = Mul(b, d) y = Div(e, six)") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) e = Mul(b, d) y = Div(e, three)") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) y = Div(six, d)") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) e = Mul(b, d) f = Div(e, six) y = Add(f, c)") ==
          "FusedMatMul(0 1)=");
    CHECK(offered("c = Add(b, three) d = Clip(c, zero, six) e = Mul(b, d) y = Div(e, six)", ", float[N,4] d") ==
          "FusedMatMul(0 1)=");
}

TEST_CASE("Both forms of GELU are activations, however they are written", "[passes]") {
    const auto offered = [](const std::string& body, const std::string& results = "") {
        return offered_after_product(body, results);
    };
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) m = Mul(b, d) y = Mul(m, half)") ==
          with("2 3 4 5 6", "Gelu"));
    CHECK(offered("c = Mul(inverse, b) e = Erf(c) d = Add(one, e) h = Mul(half, b) y = Mul(h, d)") ==
          with("2 3 4 5 6", "Gelu"));
    CHECK(offered("h = Mul(b, half) c = Div(b, root2) e = Erf(c) d = Add(e, one) y = Mul(d, h)") ==
          with("2 3 4 5 6", "Gelu"));
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) h = Mul(d, half) y = Mul(b, h)") ==
          with("2 3 4 5 6", "Gelu"));
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) m = Mul(b, d) y = Div(m, two)") ==
          with("2 3 4 5 6", "Gelu"));
    CHECK(offered("p = Pow(b, three) q = Mul(p, c1) s = Add(b, q) u = Mul(s, c2) t = Tanh(u) h = Mul(b, half) d = "
                  "Add(t, one) y = Mul(h, d)") == with("2 3 4 5 6 7 8 9", "GeluTanh"));
    CHECK(offered("p2 = Mul(b, b) p = Mul(p2, b) q = Mul(c1, p) s = Add(q, b) u = Mul(c2, s) t = Tanh(u) d = Add(one, "
                  "t) h = Mul(d, half) y = Mul(b, h)") == with("2 3 4 5 6 7 8 9 10", "GeluTanh"));
    // What is not one.
    CHECK(offered("c = Div(b, two) e = Erf(c) d = Add(e, one) m = Mul(b, d) y = Mul(m, half)") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Div(root2, b) e = Erf(c) d = Add(e, one) m = Mul(b, d) y = Mul(m, half)") ==
          "FusedMatMul(0 1)=");
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, half) m = Mul(b, d) y = Mul(m, half)") ==
          "FusedMatMul(0 1)=");
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) m = Mul(b, d) y = Mul(m, two)") == "FusedMatMul(0 1)=");
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) m = Mul(b, d) n = Mul(m, half) y = Add(n, c)") ==
          "FusedMatMul(0 1)=");
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) m = Mul(b, d) n = Mul(m, half) y = Add(n, b)") ==
          "FusedMatMul(0 1)=");
    CHECK(offered("c = Div(b, root2) e = Erf(c) d = Add(e, one) m = Mul(b, d) y = Mul(m, half)", ", float[N,4] e") ==
          "FusedMatMul(0 1)=");
    CHECK(offered("p = Pow(b, two) q = Mul(p, c1) s = Add(b, q) u = Mul(s, c2) t = Tanh(u) h = Mul(b, half) d = Add(t, "
                  "one) y = Mul(h, d)") == "FusedMatMul(0 1)=");
    CHECK(offered("p = Pow(b, three) q = Mul(p, c2) s = Add(b, q) u = Mul(s, c2) t = Tanh(u) h = Mul(b, half) d = "
                  "Add(t, one) y = Mul(h, d)") == "FusedMatMul(0 1)=");
}

TEST_CASE("Gemm between Reshapes is MatMul over the leading axes", "[passes]") {
    const std::string same = "s = Shape<end = 2>(x) to = Concat<axis = 0>(s, four) ",
                      swapped =
                          "s = Shape<end = 1>(x) t = Shape<start = 1, end = 2>(x) to = Concat<axis = 0>(t, s, four) ";
    const auto left = [&](const std::string& gemm, const std::string& to, const std::string& results = "") {
        return ops(after("(float[N,S,3] x, int64[2] open) => (float[?,?,4] y" + results +
                             ") { flat = Constant<value_ints = [-1, 3]>() four = Constant<value_ints = [4]>() f = "
                             "Reshape(x, flat) " +
                             gemm + " " + to + "y = Reshape(g, to) }",
                         {"fold_shapes", "unflatten_gemm", "fold_constants", "eliminate_dead"},
                         {{"w", {3, 4}, std::vector<float>(12, 1)},
                          {"wt", {4, 3}, std::vector<float>(12, 1)},
                          {"c", {4}, {1, 2, 3, 4}},
                          {"d", {1, 4}, {1, 2, 3, 4}}})
                       .view());
    };
    CHECK(left("g = Gemm(f, w, c)", same) == "MatMul Add");
    const std::string expected = "Reshape Gemm Shape Concat Reshape";
    CHECK(left("g = Gemm(f, w)", same) == expected);
    CHECK(left("g = Gemm(f, w, d)", same) == expected);
    CHECK(left("g = Gemm<transB = 1>(f, wt, c)", same) == expected);
    CHECK(left("g = Gemm<alpha = 2.0>(f, w, c)", same) == expected);
    CHECK(left("g = Gemm<beta = 2.0>(f, w, c)", same) == expected);
    CHECK(left("g = Gemm(f, w, c)", same, ", float[?,4] g") == expected);
    CHECK(left("g = Gemm(f, w, c)", swapped) == "Reshape Gemm Shape Shape Concat Reshape");
    CHECK(left("g = Gemm(f, w, c)", "to = Concat<axis = 0>(open, four) ") == "Reshape Gemm Concat Reshape");
}

TEST_CASE("Reshape, Transpose and Reshape of channels are offered as a shuffle", "[passes]") {
    const auto offered = [](const std::string& dims, const std::string& parts, const std::string& perm,
                            const std::string& back, const std::string& more = "", const std::string& results = "") {
        return offers(after("(float[" + dims + "] x) => (float[?,?,?,?] y" + results +
                                ") { p = Constant<value_ints = [" + parts + "]>() b = Constant<value_ints = [" + back +
                                "]>() s = Reshape(x, p) t = Transpose<perm = [" + perm + "]>(s) y = Reshape(t, b) " +
                                more + "}",
                            {"fuse_channel_shuffle"}));
    };
    const std::string expected = "ChannelShuffle(0 1 2)";
    CHECK(offered("1,12,5,7", "1,3,4,5,7", "0,2,1,3,4", "1,12,5,7") == expected);
    CHECK(offered("N,12,5,7", "-1,3,4,5,7", "0,2,1,3,4", "-1,12,5,7") == expected);  // the batch follows from the rest
    CHECK(offered("N,12,H,W", "0,3,-1,5,7", "0,2,1,3,4", "0,12,5,7") == "");
    CHECK(offered("1,12,5,7", "1,3,4,5,7", "0,1,2,4,3", "1,12,5,7") == "");
    CHECK(offered("1,12,5,7", "1,3,4,7,5", "0,2,1,3,4", "1,12,5,7") == "");
    CHECK(offered("1,12,5,7", "1,3,4,5,7", "0,2,1,3,4", "1,12,7,5") == "");
    CHECK(offered("2,12,5,7", "1,6,4,5,7", "0,2,1,3,4", "2,12,5,7") == "");
    CHECK(offered("1,12,5,7", "1,3,4,5,7", "0,2,1,3,4", "1,12,5,7", "z = Relu(s) ", ", float[?,?,?,?,?] z") ==
          "");  // the groups are needed elsewhere
    const model m = after(
        "(float[1,12,5,7] x) => (float[1,12,5,7] y) { p = Constant<value_ints = [1,3,4,5,7]>() b = Constant<value_ints "
        "= [1,12,5,7]>() s = Reshape(x, p) t = Transpose<perm = [0,2,1,3,4]>(s) y = Reshape(t, b) }",
        {"fuse_channel_shuffle"});
    CHECK(offer(m).integer("group", 0) == 3);
    CHECK(inputs_of(m) == "x");
}

TEST_CASE("A Mul by one number per channel and the Conv behind it are offered as one node", "[passes]") {
    const auto after_scaling = [](const std::string& body, const std::string& more = ", float[N,6,1,1] s",
                                  const std::string& results = "") {
        return after(
            "(float[N,6,9,9] x, float[4,6,1,1] w" + more + ") => (float[?,?,?,?] y" + results + ") { " + body + " }",
            {"fuse_squeeze_excite"});
    };
    const auto offered = [&](const auto&... parts) { return offers(after_scaling(parts...)); };
    CHECK(offered("e = Mul(x, s) y = Conv(e, w)") == "ScaledConv(0 1)=");
    CHECK(offered("e = Mul(s, x) y = Conv(e, w)") == "ScaledConv(0 1)=");
    CHECK(offered("m = GlobalAveragePool(x) q = Conv(m, v) s = Sigmoid(q) e = Mul(x, s) y = Conv(e, w)",
                  ", float[6,6,1,1] v") == "ScaledConv(3 4)=");
    CHECK(offered("m = ReduceMean<axes = [2, 3]>(x) q = Conv(m, v) i = Sigmoid(q) t = Mul(q, i) u = Conv(t, v) s = "
                  "Sigmoid(u) e = Mul(x, s) y = Conv(e, w)",
                  ", float[6,6,1,1] v") == "ScaledConv(6 7)=");
    CHECK(offered("e = Mul(x, s) c = Conv(e, w) y = Relu(c)") == "ScaledConv(0 1 2)=Relu ScaledConv(0 1)=");
    CHECK(offered("e = Mul(x, s) c = Conv(e, w) a = Add(c, z) y = Relu(a)", ", float[N,6,1,1] s, float[N,4,9,9] z") ==
          "ScaledConv(0 1 2 3)=Relu ScaledConv(0 1 2)= ScaledConv(0 1)=");
    // What is not one.
    CHECK(offered("e = Mul(x, s) y = Conv(e, w)", ", float[1,6,1,1] s") == "");  // the same for all images
    CHECK(offered("e = Mul(x, s) y = Conv(e, w)", ", float[N,1,1,1] s") == "");
    CHECK(offered("e = Mul(x, s) y = Conv(e, w)", ", float[N,6,1,9] s") == "");
    CHECK(offered("e = Mul(x, s) y = Conv(e, w)", ", float[6,1,1] s") == "");
    CHECK(offered("e = Mul(x, x) y = Conv(e, w)") == "");
    CHECK(offered("e = Add(x, s) y = Conv(e, w)") == "");
    CHECK(offered("e = Mul(w, s) y = Conv(x, e)", ", float[4,6,1,1] s") == "");
    CHECK(offered("e = Mul(x, s) y = Conv(e, w)", ", float[N,6,1,1] s", ", float[?,?,?,?] e") ==
          "");  // the matmul is needed elsewhere
    CHECK(offered("e = Mul(x, s) c = Conv(e, w) d = Conv(e, w) y = Add(c, d)") == "");

    const model m = after_scaling("e = Mul(s, x) c = Conv<strides = [2, 2]>(e, w, b) y = Relu(c)",
                                  ", float[N,6,1,1] s, float[4] b");
    REQUIRE(offers(m) == "ScaledConv(0 1 2)=Relu ScaledConv(0 1)=");
    CHECK(inputs_of(m) == "x w b - s");
    CHECK(offer(m).record.domain == "inlay");
    CHECK(offer(m).integers("strides").size() == 2);
    CHECK(offer(m).output(0).name == "y");
}
