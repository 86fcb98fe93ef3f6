// QLinearConv, QLinearMatMul, and 8 bits in general, on XNNPACK, compared with the reference kernels.
#include "../../byte_cases.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr xnnpack one_thread{.intra_op_num_threads = 1};
#if defined(__aarch64__)
constexpr bool on_arm = true;
#else
constexpr bool on_arm = false;
#endif

// Signed numbers as quantized values of the type, whose zero point is 0 or 128.
tensor codes(element type, const shape& dims, const std::function<int(int)>& number) {
    tensor t(type, dims);
    for (std::int64_t k = 0; k < dims.elements(); ++k)
        static_cast<std::uint8_t*>(t.data())[k] = std::uint8_t(number(int(k)) + (type == element::u8 ? 128 : 0));
    return t;
}
int weight(int k) { return k * 29 % 61 - 30; }

struct linear_case {
    shape weights;
    std::vector<float> scales{.02f};
    std::int64_t group = 1;
    bool bias = true;
    element x = element::u8, w = element::i8, y = element::u8;
};
std::vector<int> linear_inputs(graph_maker& g, int x, const linear_case& c, float result_scale = .7f) {
    const auto scalar = [&](element type, int number) {
        return g.constant(codes(type, {}, [=](int) { return number; }));
    };
    const int n = int(c.scales.size());
    const shape scale_dims = n > 1 ? shape{n} : shape{};
    return {x,
            g.floats({}, {.05f}),
            scalar(c.x, 3),
            g.constant(codes(c.w, c.weights, weight)),
            g.floats(scale_dims, c.scales),
            g.constant(codes(c.w, scale_dims, [](int) { return 0; })),
            g.floats({}, {result_scale}),
            scalar(c.y, -5)};
}
int linear_conv(graph_maker& g, int x, const linear_case& c) {
    std::vector<int> inputs = linear_inputs(g, x, c);
    if (c.bias) {
        tensor b(element::i32, {c.weights[0]});
        for (std::int64_t k = 0; k < c.weights[0]; ++k) b.as<std::int32_t>()[std::size_t(k)] = int(k) * 5000 - 6000;
        inputs.push_back(g.constant(b));
    }
    return g.node("QLinearConv", inputs, {g.list("pads", {1, 1, 1, 1}), g.with("group", c.group)}, 10, c.y);
}
void check_conv(const linear_case& c) {
    graph_maker g;
    const shape x{2, 4, 6, 5};
    const int in = g.input(x, c.x);
    check_bytes(one_thread, g.done({linear_conv(g, in, c)}), x, c.x);
}
void check_product(const shape& x, const linear_case& c) {
    graph_maker g;
    const int in = g.input(x, c.x);
    check_bytes(one_thread, g.done({g.node("QLinearMatMul", linear_inputs(g, in, c, .1f), {}, 21, c.y)}), x, c.x);
}
// The numbers are right; on Arm's processors because weights of -128 are another provider's.
void check_largest(const model& m, std::string_view op, element e, int weight) {
    const inlay::session s{m, quiet(), one_thread, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", codes(e, {2, 64}, [](int k) { return k < 64 ? -128 : 127; })}};
    CHECK(steps_between(s.run(in)[0], plain.run(in)[0]) <= 1);
    CHECK(refusal_of<xnnpack>(s.plan(), op) ==
          (on_arm && weight == -128
               ? "XNNPACK's products of 8 bits on Arm's processors are right for weights from -127 on"
               : "taken"));
}
}  // namespace

TEST_CASE("QLinearConv is XNNPACK's, with signed and unsigned elements, groups, biases and scales", "[xnnpack]") {
    for (const element e : {element::u8, element::i8}) {
        check_conv({.weights = {3, 4, 3, 3}, .x = e, .y = e});
        check_conv({.weights = {3, 4, 3, 3}, .scales = {.02f, .01f, .04f}, .x = e, .y = e});
        check_conv({.weights = {3, 4, 3, 3}, .bias = false, .x = e, .w = element::u8, .y = e});
        check_conv({.weights = {6, 2, 3, 3}, .group = 2, .x = e, .y = e});
        check_conv({.weights = {4, 1, 3, 3}, .group = 4, .x = e, .y = e});
        check_conv({.weights = {4, 1, 3, 3}, .scales = {.02f, .01f, .04f, .03f}, .group = 4, .x = e, .y = e});
    }
    check_conv({.weights = {3, 4, 3, 3}, .x = element::u8, .y = element::i8});
}
TEST_CASE("QLinearMatMul by a constant matrix is XNNPACK's", "[xnnpack]") {
    for (const element e : {element::u8, element::i8}) {
        check_product({2, 7}, {.weights = {7, 3}, .x = e, .y = e});
        check_product({2, 3, 7}, {.weights = {7, 3}, .x = e, .w = element::u8, .y = e});
    }
}
TEST_CASE("The largest codes are multiplied without loss", "[xnnpack]") {
    for (const element e : {element::u8, element::i8})
        for (const int w : {-128, -127, 127}) {
            CAPTURE(int(e), w);
            const linear_case c{.weights = {64, 16}, .x = e, .y = e};
            const tensor weights = codes(c.w, c.weights, [=](int k) { return k % 16 == 3 ? -w / 2 : w; });
            graph_maker g;
            std::vector<int> inputs = linear_inputs(g, g.input({2, 64}, e), c, 16);
            inputs[3] = g.constant(weights);
            check_largest(g.done({g.node("QLinearMatMul", inputs, {}, 21, e)}), "QLinearMatMul", e, w);

            graph_maker h;
            const std::vector<int> of_float = linear_inputs(h, h.input({2, 64}, e), c, 16);
            const int x = h.node("DequantizeLinear", {of_float[0], of_float[1], of_float[2]}),
                      decoded = h.node("DequantizeLinear", {h.constant(weights), of_float[4], of_float[5]}),
                      y = h.node("MatMul", {x, decoded});
            check_largest(h.done({h.node("QuantizeLinear", {y, of_float[6], of_float[7]}, {}, 13, e)}), "MatMul", e, w);
        }
}
TEST_CASE("Nodes in 8 bits, and what encodes before and decodes behind them, are one region", "[xnnpack]") {
    graph_maker g;
    const shape dims{1, 4, 6, 5};
    const int x = g.input(dims),
              q = g.node("QuantizeLinear",
                         {x, g.floats({}, {.05f}), g.constant(codes(element::u8, {}, [](int) { return 3; }))}, {}, 13,
                         element::u8);
    const int c = linear_conv(g, q, {.weights = {3, 4, 3, 3}, .scales = {.02f, .01f, .04f}});
    const int d = g.node("DequantizeLinear",
                         {c, g.floats({}, {.7f}), g.constant(codes(element::u8, {}, [](int) { return -5; }))});
    const model m = g.done({g.node("Relu", {x}), d});
    const inlay::session s{m, quiet(), one_thread, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(dims)}};
    const auto y = floats(s.run(in)[1]), expected = floats(plain.run(in)[1]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(.7001));
    CHECK(*std::ranges::max_element(expected) > *std::ranges::min_element(expected) + 7);
    CHECK(s.plan().count(xnnpack::name) == 4);
    CHECK(s.plan().steps == 1);
}
