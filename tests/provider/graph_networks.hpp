// Convolution networks made by hand, whole, compared with the reference kernels.
#pragma once
#include "engines.hpp"

namespace inlay::testing {
namespace graph_networks {
inline int conv(graph_maker& g, int x, const shape& w, std::int64_t pad, std::int64_t stride = 1,
                std::int64_t group = 1) {
    return g.node("Conv", {x, g.weights(w), g.numbers({w[0]})},
                  {g.list("pads", {pad, pad, pad, pad}), g.list("strides", {stride, stride}), g.with("group", group)});
}
inline int relu(graph_maker& g, int x) { return g.node("Relu", {x}); }
inline int relu6(graph_maker& g, int x) { return g.node("Clip", {x, g.floats({}, {0}), g.floats({}, {6})}); }

// SqueezeNet's fire: a narrow layer, then two wide ones side by side.
inline int fire(graph_maker& g, int x, std::int64_t in, std::int64_t narrow, std::int64_t wide) {
    const int s = relu(g, conv(g, x, {narrow, in, 1, 1}, 0));
    return g.node("Concat",
                  {relu(g, conv(g, s, {wide, narrow, 1, 1}, 0)), relu(g, conv(g, s, {wide, narrow, 3, 3}, 1))},
                  {g.with("axis", std::int64_t(1))});
}
inline int pool(graph_maker& g, int x) {
    return g.node("MaxPool", {x},
                  {g.list("kernel_shape", {3, 3}), g.list("strides", {2, 2}), g.with("ceil_mode", std::int64_t(1))});
}
inline int squeezenet(graph_maker& g, int x) {
    int y = pool(g, relu(g, conv(g, x, {16, 3, 3, 3}, 0, 2)));
    y = pool(g, fire(g, fire(g, y, 16, 8, 16), 32, 8, 16));
    y = fire(g, y, 32, 16, 24);
    y = relu(g, conv(g, g.node("Dropout", {y}), {10, 48, 1, 1}, 0));
    return g.node("Softmax", {g.node("Flatten", {g.node("GlobalAveragePool", {y})})});
}
// MobileNetV2's block: wider, one filter a channel, narrower, and the input again where it has that size.
inline int block(graph_maker& g, int x, std::int64_t in, std::int64_t out, std::int64_t stride) {
    const std::int64_t wide = 3 * in;
    int y = relu6(g, conv(g, x, {wide, in, 1, 1}, 0));
    y = relu6(g, conv(g, y, {wide, 1, 3, 3}, 1, stride, wide));
    y = conv(g, y, {out, wide, 1, 1}, 0);
    return stride == 1 && in == out ? g.node("Add", {x, y}) : y;
}
inline int mobilenet(graph_maker& g, int x) {
    int y = relu6(g, conv(g, x, {8, 3, 3, 3}, 1, 2));
    y = block(g, block(g, block(g, y, 8, 12, 2), 12, 12, 1), 12, 16, 2);
    y = g.node("BatchNormalization",
               {y, g.weights({16}), g.numbers({16}), g.numbers({16}), g.floats({16}, std::vector<float>(16, .5f))});
    y = g.node("HardSwish", {conv(g, y, {32, 16, 1, 1}, 0)}, {}, 14);
    y = g.node("Reshape", {g.node("GlobalAveragePool", {y}), g.integers({-1, 32})});
    return g.node("Gemm", {y, g.weights({10, 32}), g.numbers({10})}, {g.with("transB", std::int64_t(1))});
}
}  // namespace graph_networks
// The engine has so many of its nodes, the kernels of the processor the others, and the numbers are right.
template <provider P> plan_report check_network(const P& p, graph_function* network, const shape& x, int nodes) {
    const model m = model_of(x, network);
    const session s{m, quiet(), p, cpu{.threads = 1}};
    const session fast{m, quiet(), cpu{.threads = 1}};
    const session plain{m, quiet(), reference{}};
    for (float first : {-2.f, 0.f}) {
        const std::vector<feed> in{{"x", ramp(x, first)}};
        const std::vector<float> expected = floats(plain.run(in)[0]);
        CHECK(*std::ranges::max_element(expected) > *std::ranges::min_element(expected) + .01f);
        check_close(floats(s.run(in)[0]), expected);
        check_close(floats(fast.run(in)[0]), expected);  // and by the kernels of this processor
    }
    const plan_report plan = s.plan();
    CHECK(plan.count(P::name) == nodes);
    return plan;
}
}  // namespace inlay::testing
