// Fused nodes in sessions: what they compute is what the model's own nodes compute, at every shape; and the plan says
// which took what.
#include "../models.hpp"
#include <inlay/onnx/binary.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor random(const shape& dims, unsigned seed) {
    tensor t(element::f32, dims);
    std::mt19937 g(seed);
    for (float& x : t.as<float>()) x = float(g() % 2001) / 1000 - 1;
    return t;
}
// A layer of two heads, with everything that is fused: projections, attention, residuals, layer normalisations, GELU.
const char* const layer =
    R"(layer (float[N,S,8] x, float[N,1,1,S] mask, float[8,8] wq, float[8,8] wk, float[8,8] wv, float[8,8] wo, float[8,16] w1, float[16,8] w2, float[8] b, float[16] b1, float[8] gain) => (float[?,S,8] y) {
    to4 = Constant<value_ints = [0, 0, 2, 4]>() to3 = Constant<value_ints = [0, 0, 8]>() half = Constant<value_float = 0.5>() one = Constant<value_float = 1.0>() two = Constant<value_float = 2.0>()
    eps = Constant<value_float = 0.00001>() root2 = Constant<value_float = 1.41421354>()
    q0 = MatMul(x, wq) q1 = Add(q0, b) q2 = Reshape(q1, to4) q = Transpose<perm = [0, 2, 1, 3]>(q2)
    k0 = MatMul(x, wk) k1 = Add(k0, b) k2 = Reshape(k1, to4) k = Transpose<perm = [0, 2, 3, 1]>(k2)
    v0 = MatMul(x, wv) v1 = Add(v0, b) v2 = Reshape(v1, to4) v = Transpose<perm = [0, 2, 1, 3]>(v2)
    s0 = MatMul(q, k) s1 = Div(s0, two) s2 = Add(s1, mask) p = Softmax(s2) o0 = MatMul(p, v) o1 = Transpose<perm = [0, 2, 1, 3]>(o0) o = Reshape(o1, to3)
    a0 = MatMul(o, wo) a1 = Add(a0, b) a = Add(a1, x)
    m = ReduceMean<axes = [-1]>(a) d = Sub(a, m) dd = Pow(d, two) var = ReduceMean<axes = [-1]>(dd) ve = Add(var, eps) r = Sqrt(ve) n0 = Div(d, r) n1 = Mul(n0, gain) n = Add(n1, b)
    f0 = MatMul(n, w1) f1 = Add(f0, b1) g0 = Div(f1, root2) g1 = Erf(g0) g2 = Add(g1, one) g3 = Mul(f1, g2) g = Mul(g3, half)
    h0 = MatMul(g, w2) h1 = Add(h0, b) y = Add(h1, n)
})";
std::vector<feed> feeds(std::int64_t batch, std::int64_t rows) {
    return {{"x", random({batch, rows, 8}, 1)},
            {"mask", random({batch, 1, 1, rows}, 2)},
            {"wq", random({8, 8}, 3)},
            {"wk", random({8, 8}, 4)},
            {"wv", random({8, 8}, 5)},
            {"wo", random({8, 8}, 6)},
            {"w1", random({8, 16}, 7)},
            {"w2", random({16, 8}, 8)},
            {"b", random({8}, 9)},
            {"b1", random({16}, 10)},
            {"gain", random({8}, 11)}};
}
}  // namespace

TEST_CASE("A layer of fused nodes computes what its own nodes compute, at every shape", "[session]") {
    const std::string text = std::string("<ir_version: 8, opset_import: [\"\" : 17]> ") + layer;
    const model m = model_of(text);
    const inlay::session fast{m, cpu{.threads = 2}};
    const inlay::session plain{m, reference{}};
    for (std::int64_t rows : {1, 2, 5, 33})
        for (std::int64_t batch : {1, 3}) {
            CAPTURE(rows, batch);
            const auto y = floats(fast.run(feeds(batch, rows))[0]), expected = floats(plain.run(feeds(batch, rows))[0]);
            REQUIRE(y.size() == expected.size());
            for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-5));
        }
    const plan_report fused = fast.plan(), whole = plain.plan();
    for (const auto& l : fused.nodes) CHECK((l.fused_into.empty() ? std::string(l.op) : std::string()) == "");
    for (const auto& l : whole.nodes) CHECK(l.fused_into.empty());
}
TEMPLATE_TEST_CASE(
    "A layer in 16 bits is fused as in float32, no node on the reference kernel, and rounds less than its own nodes",
    "[session]", float16, bfloat16) {
    const bool small = std::is_same_v<TestType, float16>;
    std::string text = std::string("<ir_version: 8, opset_import: [\"\" : 17]> ") + layer;
    const auto replace = [&](std::string_view pattern, const std::string& by) {
        for (std::size_t at = 0; (at = text.find(pattern, at)) != text.npos; at += by.size())
            text.replace(at, pattern.size(), by);
    };
    replace("float[", small ? "float16[" : "bfloat16[");
    for (const std::string name : {"half", "one", "two", "eps", "root2"}) {  // the text form has no numbers of 16 bits
        const std::size_t at = text.find(name + " = Constant"), end = text.find(")", at) + 1;
        text.insert(end, " " + name + " = Cast<to = " + (small ? "10" : "16") + ">(wide_" + name + ")");
        text.insert(at, "wide_");
    }
    const model m = model_of(text);
    const inlay::session fast{m, cpu{.threads = 2}};
    const inlay::session plain{m, reference{}};
    const inlay::session wide{model_of(std::string("<ir_version: 8, opset_import: [\"\" : 17]> ") + layer), cpu{}};
    double largest = 0, of_nodes = 0;
    for (std::int64_t rows : {1, 2, 5, 33})
        for (std::int64_t batch : {1, 3}) {
            std::vector<feed> in = feeds(batch, rows), in_floats = in;
            for (std::size_t k = 0; k < in.size(); ++k) {
                const tensor x = *in[k].value.as_tensor();
                tensor rounded(element_of<TestType>, x.shape()), exact(element::f32, x.shape());
                for (std::size_t i = 0; i < std::size_t(x.elements()); ++i)
                    exact.as<float>()[i] = rounded.as<TestType>()[i] = TestType(x.as<float>()[i]);
                in[k].value = rounded;
                in_floats[k].value = exact;
            }
            const auto y = elements<TestType>(fast.run(in)[0]), by_nodes = elements<TestType>(plain.run(in)[0]);
            const auto expected = floats(wide.run(in_floats)[0]);
            REQUIRE(y.size() == expected.size());
            for (std::size_t i = 0; i < y.size(); ++i) {
                largest = std::max(largest, std::abs(double(float(y[i])) - expected[i]));
                of_nodes = std::max(of_nodes, std::abs(double(float(by_nodes[i])) - expected[i]));
            }
        }
    CHECK(largest < (small ? 8e-3 : 6e-2));
    CHECK(largest < of_nodes);
    const plan_report fused = fast.plan();
    for (const auto& l : fused.nodes)
        CHECK((l.fused_into.empty() || l.kernel != "cpu" ? std::string(l.op) : std::string()) == "");
}
TEST_CASE("Where a mask makes the scores larger, the model's own nodes run", "[session]") {
    std::string text = std::string("<ir_version: 8, opset_import: [\"\" : 17]> ") + layer;
    text.replace(text.find("float[N,1,1,S] mask"), 19, "float[M,1,1,S] mask");
    const model m = model_of(text);
    auto in = feeds(1, 3);
    in[1] = {"mask", random({2, 1, 1, 3}, 2)};
    const inlay::session s{m, cpu{}};
    const inlay::session plain{m, reference{}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    REQUIRE(expected.size() == 2 * 3 * 8);
    REQUIRE(y.size() == expected.size());
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-5));
    CHECK(line_of(s.plan(), "Softmax").fused_into.empty());
}
TEST_CASE("Q, K and V by constant weights are one step, and compute what their own nodes compute", "[session]") {
    std::string text = std::string("<ir_version: 8, opset_import: [\"\" : 17]> ") + layer;
    text.replace(text.find(", float[8,8] wq, float[8,8] wk, float[8,8] wv"), 45, "");
    std::string weights;
    for (int w = 0; w < 3; ++w) {
        weights += std::string(w ? ", " : "<") + "float[8,8] w" + "qkv"[w] + " = {";
        for (int i = 0; i < 64; ++i) weights += (i ? ", " : "") + std::to_string((i * 7 + w * 5) % 11 - 5);
        weights += "}";
    }
    text.insert(text.find("{"), weights + "> ");
    const model m = model_of(text);
    const inlay::session s{m, cpu{.threads = 2}};
    const inlay::session plain{m, reference{}};
    auto in = feeds(2, 5);
    std::erase_if(in, [](const feed& f) { return f.name == "wq" || f.name == "wk" || f.name == "wv"; });
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-4));
    const plan_report r = s.plan();
    for (int k = 0; k < 3; ++k) CHECK(has_text(line_of(r, "MatMul", k).fused_into, "JoinedMatMul"));
    model_options without;
    without.without = {"fuse_joined_matmul"};
    CHECK(has_text(line_of(inlay::session{model_of(text, without), cpu{}}.plan(), "MatMul").fused_into, "FusedMatMul"));
}
TEST_CASE(
    "Dynamically quantised products are one step with what makes floats of them, and compute what their own nodes "
    "compute",
    "[session]") {
    std::string text = "g (uint8[N,S,40] x, uint8 xz, float s) => (float[N,S,33] y) <int8[40,33] w = {";
    for (int i = 0; i < 40 * 33; ++i) text += (i ? ", " : "") + std::to_string(i * 71 % 255 - 127);
    text += "}, float[33] bias = {";
    for (int i = 0; i < 33; ++i) text += (i ? ", " : "") + std::to_string(i * 7 % 11 - 5);
    text +=
        "}, float ws = {0.25}> { a = MatMulInteger(x, w, xz) t = Mul(s, ws) b = Cast<to = 1>(a) c = Mul(b, t) y = "
        "Add(bias, c) }";
    const model m = model_of(text);
    const inlay::session fast{m, cpu{.threads = 2}};
    const inlay::session plain{m, reference{}};
    for (const shape& dims : {shape{1, 1, 40}, {2, 5, 40}, {1, 70, 40}}) {
        tensor x(element::u8, dims), zero(element::u8, {}), scale(element::f32, {});
        for (std::size_t i = 0; i < x.as<std::uint8_t>().size(); ++i)
            x.as<std::uint8_t>()[i] = std::uint8_t(i * 37 % 256);
        zero.as<std::uint8_t>()[0] = 117;
        scale.as<float>()[0] = 0.01f;
        const std::vector<feed> in{{"x", x}, {"xz", zero}, {"s", scale}};
        const std::vector<float> y = floats(fast.run(in)[0]), expected = floats(plain.run(in)[0]);
        REQUIRE(y.size() == std::size_t(dims[0] * dims[1] * 33));
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-4));
    }
    const plan_report r = fast.plan();
    CHECK(has_text(line_of(r, "MatMulInteger").fused_into, "FusedMatMulInteger"));
    CHECK(line_of(r, "MatMulInteger").kernel == "cpu");
    CHECK(has_text(line_of(r, "Add").fused_into, "FusedMatMulInteger"));
}
TEST_CASE("A convolution along one axis has one set of weights for images of any width", "[session]") {
    std::string text = "g (float[N,8,H,W] x) => (float[N,16,A,B] y) <float[16,8,5,1] w = {";
    for (int i = 0; i < 16 * 8 * 5; ++i) text += (i ? ", " : "") + std::to_string(i * 7 % 11 - 5);
    const model m = model_of(text + "}> { y = Conv<pads = [2, 0, 2, 0]>(x, w) }");
    const inlay::session fast{m, cpu{.threads = 2}};
    const inlay::session plain{m, reference{}};
    for (std::int64_t width : {1, 4, 1, 2}) {
        CAPTURE(width);
        const std::vector<feed> in{{"x", random({1, 8, 30, width}, unsigned(width))}};
        const std::vector<float> y = floats(fast.run(in)[0]), expected = floats(plain.run(in)[0]);
        REQUIRE(y.size() == expected.size());
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-4));
    }
}
TEST_CASE("A squeeze-excite block computes what its own nodes compute, at every shape", "[session]") {
    const auto filled = [](const char* name, const char* dims, int count, int turn) {
        std::string text = std::string("float[") + dims + "] " + name + " = {";
        for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(float((i * 7 + turn) % 11 - 5) / 10);
        return text + "}";
    };
    const std::string text =
        "<ir_version: 8, opset_import: [\"\" : 17]> block (float[N,12,H,W] x, float[N,4,H,W] z) => (float[?,4,?,?] y) "
        "<" +
        filled("w", "12,1,3,3", 108, 0) + ", " + filled("b", "12", 12, 1) + ", " + filled("r", "3,12,1,1", 36, 2) +
        ", " + filled("e", "12,3,1,1", 36, 3) + ", " + filled("p", "4,12,1,1", 48, 4) + R"(> {
        a = Conv<group = 12, pads = [1, 1, 1, 1]>(x, w, b) a1 = Sigmoid(a) a2 = Mul(a, a1) m = GlobalAveragePool(a2)
        s0 = Conv(m, r) s1 = Relu(s0) s2 = Conv(s1, e) s = Sigmoid(s2) t = Mul(a2, s) u = Conv(t, p) y = Add(u, z) })";
    const model m = model_of(text);
    const inlay::session plain{m, reference{}};
    for (const int threads : {1, 3}) {
        const inlay::session s{m, cpu{.threads = threads}};
        for (const std::int64_t batch : {0, 1, 2})
            for (const std::int64_t side : {1, 4, 37}) {
                CAPTURE(threads, batch, side);
                const std::vector<feed> in{{"x", random({batch, 12, side, 5}, 1)},
                                           {"z", random({batch, 4, side, 5}, 2)}};
                const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
                REQUIRE(y.size() == expected.size());
                for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-5));
            }
        const plan_report r = s.plan();  // for the last shape
        CHECK(line_of(r, "Mul", 1).fused_into.starts_with("ScaledConv"));
    }
    const std::vector<feed> in{{"x", random({1, 12, 37, 5}, 1)}, {"z", random({1, 4, 37, 5}, 2)}};
    const inlay::session without{model_of(text, {.without = {"fuse_squeeze_excite"}}), cpu{}},
        reduced{m, cpu{.precision = precision::bfloat16}};
    without.run(in);
    reduced.run(in);
    for (const auto* s : {&without, &reduced}) CHECK(line_of(s->plan(), "Mul", 1).fused_into.empty());
}
TEST_CASE("A chain of element-wise operators computes what they compute one by one, at every shape", "[session]") {
    const char* const text =
        R"(<ir_version: 8, opset_import: ["" : 17]> chains (float[N,8,H,W] x, float[N,8,H,W] z, float[8,1,1] scale, float[N,8,1,1] gate) => (float[N,8,H,W] y, float[N,16,H,W] wide) {
        third = Constant<value_float = 0.333>() two = Constant<value_float = 2.0>() sizes = Constant<value_ints = [8, 8]>()
        a = Mul(x, scale) b = Add(a, z) c = Sigmoid(b) d = Mul(b, c) e = Mul(d, gate) y = Sub(e, x)
        p = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(x) f = Pow(p, two) g = Add(f, third) h = Sqrt(g) i = Div(z, h) j = HardSwish(i) wide = Concat<axis = 1>(j, p)
    })";
    const model with = model_of(text), without = model_of(text, {.without = {"fuse_element_wise"}});
    for (const int threads : {1, 3}) {
        const inlay::session fused{with, cpu{.threads = threads}}, single{without, cpu{.threads = threads}};
        for (const std::int64_t batch : {0, 1, 2})
            for (const std::int64_t side : {1, 3, 37}) {
                CAPTURE(threads, batch, side);
                const std::vector<feed> in{{"x", random({batch, 8, side, 5}, 1)},
                                           {"z", random({batch, 8, side, 5}, 2)},
                                           {"scale", random({8, 1, 1}, 3)},
                                           {"gate", random({batch, 8, 1, 1}, 4)}};
                const fetched actual = fused.run(in), separate = single.run(in);
                for (const char* name : {"y", "wide"}) {
                    REQUIRE(actual.at(name).shape() == separate.at(name).shape());
                    const auto y = actual.at(name).as<float>(), expected = separate.at(name).as<float>();
                    CHECK(std::equal(y.begin(), y.end(), expected.begin()));
                }
            }
        CHECK(line_of(fused.plan(), "Sub").fused_into.starts_with("TileProgram"));
        CHECK(line_of(fused.plan(), "Pow").fused_into.starts_with("TileProgram"));
        CHECK(line_of(single.plan(), "Sub").fused_into.empty());
    }
}
struct adder {
    static constexpr std::string_view name = "AdderExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::add>;
};
TEST_CASE("Where a provider earlier in the list takes a part of a chain, the rest runs node by node", "[session]") {
    const model m = model_of(
        R"(<ir_version: 8, opset_import: ["" : 17]> g (float[N,4] x, float[N,4] z) => (float[N,4] y) { a = Relu(x) b = Add(a, z) y = Sqrt(b) })");
    const inlay::session mixed{m, adder{}, cpu{}};
    const inlay::session alone{m, cpu{}};
    const std::vector<feed> in{{"x", random({3, 4}, 1)}, {"z", tensor({3, 4}, std::vector<float>(12, 2))}};
    const auto y = floats(mixed.run(in)[0]), expected = floats(alone.run(in)[0]);
    CHECK(y == expected);
    for (const auto& l : mixed.plan().nodes) CHECK(l.fused_into.empty());
    for (const auto& l : alone.plan().nodes) CHECK(!l.fused_into.empty());
}

namespace {
// What the CPU gives, and what the reference kernels give node by node.
void check_same(const std::string& text, const std::vector<feed>& in) {
    CAPTURE(text);
    const inlay::session fast{model_of(text), cpu{}};
    const inlay::session plain{model_of(text), reference{}};
    const fetched actual = fast.run(in), expected = plain.run(in);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        REQUIRE(actual[k].shape() == expected[k].shape());
        const auto y = floats(actual[k]), right = floats(expected[k]);
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(right[i]).margin(1e-6));
    }
}
}  // namespace

TEST_CASE("Products of one row are right where one is added to the other, or depends on it", "[session]") {
    const std::string weights =
        "<float[2,2] w = {1,2,3,4}, float[2,2] a = {5,6,7,8}, float[2,2] b = {1,3,5,7}, int64[1] o = {0}> ";
    const auto check = [&](const std::string& nodes, const std::string& more = "") {
        check_same("g (float[1,2] x, float[1,2] z) => (float[1,2] y" + more + ") " + weights + "{ " + nodes + " }",
                   {{"x", random({1, 2}, 1)}, {"z", random({1, 2}, 2)}});
    };
    check("v = MatMul(x, w) t = MatMul(x, a) y = Add(v, t)");
    check("v = MatMul(x, w) t = MatMul(x, a) u = MatMul(t, b) y = Add(v, u)");
    check("v = MatMul(x, w) t = MatMul(x, a) u = ReduceMax<keepdims = 0>(t, o) y = Add(v, u)");
    check(
        "v = MatMul(x, w) t = MatMul(z, a) f = ReduceMax<keepdims = 0>(v, o)"
        " k = ReduceMax<keepdims = 0>(t, o) p = MatMul(x, b) q = MatMul(z, b) y = Add(p, k) r = Add(q, f)",
        ", float[1,2] r");
}
TEST_CASE("What raises the rank of a value is not written over it where its channels come last", "[session]") {
    const std::string conv =
        "<float[3,2,1,1] w = {1,2,3,4,5,6}, float[1,1,1,1,1] k = {2}, int64[2] l = {1,2}> { a = Conv(x, w) ";
    const auto check = [&](const std::string& nodes, const std::string& dims) {
        check_same("g (float[1,2,3,2] x) => (float[" + dims + "] y) " + conv + nodes + " }",
                   {{"x", random({1, 2, 3, 2}, 1)}});
    };
    check("y = Mul(a, k)", "1,1,3,3,2");
    check("b = Add(a, k) y = Relu(b)", "1,1,3,3,2");
    check("y = Max(a, k)", "1,1,3,3,2");
    check("y = Pow(a, k)", "1,1,3,3,2");
    check("b, c = Split<axis = 2>(a, l) y = Sub(c, k)", "1,1,3,2,2");
}
