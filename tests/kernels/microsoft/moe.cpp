// Mirrors kernels/inlay/microsoft/moe.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/moe.hpp>
#include <on_test_devices/microsoft/moe.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor floats(const shape& dims, const real_numbers& x) { return numbers(element::f32, dims, x); }
struct options {
    std::int64_t k = 2, fusion = 0, normalise = 0, sparse = 0, bits = 4, block = 0;
    std::string_view activation = "relu";
    double alpha = 1, beta = 0, limit = 0;  // 0: no limit
    std::int64_t second_bits = 0;
};
attributes of(const options& o) {
    return [=](graph_data& g) {
        std::vector entries{g.make("k", o.k),
                            g.make("activation_type", o.activation),
                            g.make("swiglu_fusion", o.fusion),
                            g.make("normalize_routing_weights", o.normalise),
                            g.make("use_sparse_mixer", o.sparse),
                            g.make("activation_alpha", o.alpha),
                            g.make("activation_beta", o.beta),
                            g.make("expert_weight_bits", o.bits)};
        if (o.limit != 0) entries.push_back(g.make("swiglu_limit", o.limit));
        if (o.block != 0) entries.push_back(g.make("block_size", o.block));
        if (o.second_bits != 0) entries.push_back(g.make("fc2_expert_weight_bits", o.second_bits));
        return entries;
    };
}
// Three experts of three tokens of two numbers. The expected numbers are ONNX Runtime's.
call small(const options& o, bool bias = true) {
    const real_numbers values{1,     2.125, 1.25, -1,  1.25,   0.625,  0.25, -0.875, 0,      -0.125, 0.875,  0.125,
                              1.625, -0.75, 0.5,  0.5, -0.875, -1.125, 1,    0.5,    -0.125, 0.375,  -0.625, 0.25};
    real_numbers half;
    for (int i = 0; i < 24; ++i)
        if (i / 4 % 2 == 0) half.push_back(values[std::size_t(i)]);
    return {.inputs = {floats({3, 2}, {0.375, 1.5, -1.75, 1.625, -0, -0.75}),
                       floats({3, 3}, {-0.75, -1.125, -0.25, 0.875, 0.625, 0.625, -1.75, -1.625, 1.5}),
                       o.fusion ? floats({3, 4, 2}, values) : floats({3, 2, 2}, half),
                       bias ? operand(floats({3, 4}, {-0.625, 0.25, 1, -0.375, 0.875, -1, -0.25, -1.375, -0.125, 0.125,
                                                      -0.25, -0.25}))
                            : operand(),
                       floats({3, 2, 2},
                              {1.375, 1.375, -1.25, 1.125, -1.75, -0.75, -0.125, 0.125, -1, -0.75, 0.125, -0.75}),
                       bias ? operand(floats({3, 2}, {-0.625, 0.625, 0.875, -0, 0, -0})) : operand()},
            .with = of(o)};
}
bool gives(const call& c, const real_numbers& expected) {
    return same<float>(on_reference<op::moe>(c), floats({3, 2}, expected), 2e-6);
}
// Two experts of 16 int4 weights, with a scale per row.
call coded(const options& o, bool zeros) {
    call c{.inputs =
               {floats({2, 16}, {-0.25, 0.25,  -0.25, -0.5, 0.25,  -0.5,  -0.25, -0.25, 0,     -0.5, -0.5,
                                 0.5,   0,     0.75,  0,    0.5,   0.5,   -0.75, 0.5,   0.5,   0.25, -0.75,
                                 0.5,   -0.75, 0.75,  0.25, -0.25, -0.25, 0,     0.5,   -0.25, 0.25}),
                floats({2, 2}, {-0.125, 0.75, 1, 0.5}),
                numbers(
                    element::u8, {2, 16, 8},
                    {77,  49,  17,  103, 22,  53,  135, 7,   180, 103, 87,  244, 129, 77,  23,  252, 200, 164, 179, 189,
                     58,  244, 103, 110, 48,  65,  98,  160, 237, 244, 165, 75,  38,  33,  141, 58,  158, 108, 146, 222,
                     232, 252, 39,  57,  94,  159, 67,  235, 172, 234, 16,  155, 232, 55,  214, 197, 174, 145, 244, 44,
                     210, 82,  71,  184, 78,  11,  219, 183, 72,  186, 165, 2,   88,  29,  0,   246, 225, 168, 205, 70,
                     189, 48,  211, 187, 182, 137, 229, 207, 180, 219, 106, 74,  193, 183, 151, 255, 133, 123, 204, 96,
                     234, 146, 220, 71,  135, 165, 180, 157, 26,  100, 203, 194, 133, 58,  234, 235, 218, 118, 238, 28,
                     65,  53,  104, 11,  210, 103, 106, 191, 254, 239, 220, 239, 196, 126, 71,  91,  212, 111, 150, 6,
                     155, 51,  208, 19,  17,  106, 220, 22,  205, 109, 4,   45,  122, 76,  168, 68,  222, 187, 84,  145,
                     211, 238, 193, 46,  138, 5,   243, 120, 30,  76,  137, 250, 149, 130, 245, 175, 54,  1,   15,  7,
                     229, 73,  48,  89,  71,  240, 46,  179, 212, 68,  170, 152, 222, 199, 8,   79,  70,  72,  38,  96,
                     105, 95,  81,  78,  235, 9,   168, 196, 3,   162, 71,  215, 72,  72,  172, 1,   164, 116, 186, 204,
                     9,   205, 195, 150, 91,  167, 254, 135, 97,  190, 106, 150, 209, 173, 174, 74,  174, 78,  228, 14,
                     12,  185, 224, 68,  81,  137, 192, 195, 37,  45,  231, 205, 23,  123, 112, 162}),
                floats({2, 16},
                       {0.0625,  0.03125, 0.09375, 0.09375, 0.0625,  0.03125, 0.09375, 0.125,   0.0625, 0.125,   0.0625,
                        0.03125, 0.0625,  0.125,   0.03125, 0.0625,  0.03125, 0.09375, 0.0625,  0.0625, 0.03125, 0.0625,
                        0.0625,  0.03125, 0.03125, 0.0625,  0.09375, 0.0625,  0.125,   0.03125, 0.0625, 0.03125}),
                {},
                numbers(
                    element::u8, {2, 16, 8},
                    {101, 233, 185, 147, 53,  195, 62,  243, 161, 161, 41,  179, 196, 204, 232, 47,  45,  232, 201, 175,
                     92,  164, 201, 108, 116, 78,  197, 107, 108, 127, 110, 221, 91,  92,  201, 253, 0,   10,  187, 241,
                     111, 120, 157, 90,  97,  74,  109, 175, 125, 26,  224, 117, 103, 208, 79,  90,  199, 185, 117, 177,
                     141, 64,  111, 190, 223, 175, 144, 122, 21,  198, 76,  116, 233, 173, 231, 168, 122, 209, 218, 136,
                     245, 113, 74,  195, 171, 160, 98,  173, 213, 19,  185, 9,   165, 126, 22,  238, 50,  216, 5,   229,
                     220, 243, 67,  2,   204, 191, 154, 96,  32,  10,  41,  179, 108, 129, 178, 15,  60,  16,  33,  234,
                     195, 97,  181, 67,  57,  81,  212, 95,  63,  3,   52,  5,   201, 51,  161, 60,  225, 124, 101, 13,
                     113, 208, 219, 145, 214, 141, 185, 251, 207, 48,  176, 7,   24,  226, 48,  155, 242, 4,   17,  206,
                     28,  148, 189, 200, 105, 149, 244, 124, 136, 127, 71,  52,  127, 66,  225, 169, 227, 120, 83,  101,
                     98,  9,   150, 199, 103, 36,  81,  136, 90,  8,   5,   5,   100, 184, 245, 207, 89,  178, 143, 48,
                     173, 159, 249, 143, 246, 33,  236, 106, 143, 123, 87,  29,  81,  243, 31,  156, 64,  249, 130, 233,
                     31,  11,  215, 93,  228, 15,  21,  134, 215, 45,  56,  71,  238, 14,  85,  93,  23,  128, 116, 6,
                     8,   13,  161, 191, 179, 159, 105, 109, 27,  175, 160, 107, 193, 201, 137, 240}),
                floats({2, 16},
                       {0.03125, 0.03125, 0.09375, 0.125,  0.09375, 0.0625,  0.0625,  0.125,  0.09375, 0.0625,  0.125,
                        0.09375, 0.03125, 0.0625,  0.125,  0.125,   0.03125, 0.0625,  0.125,  0.125,   0.03125, 0.0625,
                        0.03125, 0.03125, 0.03125, 0.0625, 0.0625,  0.03125, 0.09375, 0.0625, 0.0625,  0.0625})},
           .with = of(o)};
    if (!zeros) return c;
    c.inputs.resize(11);
    c.inputs.push_back(
        numbers(element::u8, {2, 8}, {122, 137, 46, 57, 25, 51, 35, 181, 57, 60, 32, 128, 64, 107, 179, 255}));
    c.inputs.push_back(
        numbers(element::u8, {2, 8}, {62, 71, 225, 240, 178, 241, 207, 39, 84, 181, 222, 52, 186, 47, 251, 155}));
    return c;
}

// The formula in double: any layer's weight is w[layer][(e * rows + j) * depth + k].
struct mixture {
    std::int64_t tokens = 5, hidden = 16, inter = 32, experts = 4;
    options settings{};
    real_numbers x{}, scores{}, w[3]{}, bias[3]{}, router_weights{};

    double layer(int l, std::int64_t e, std::int64_t j, const real_numbers& v) const {
        const std::int64_t depth = std::int64_t(v.size()), rows = std::int64_t(bias[l].size()) / experts;
        double sum = bias[l][std::size_t(e * rows + j)];
        for (std::int64_t k = 0; k < depth; ++k)
            sum += w[l][std::size_t((e * rows + j) * depth + k)] * v[std::size_t(k)];
        return sum;
    }
    double activated(double v) const {
        if (settings.activation == "relu") return std::max(v, 0.);
        if (settings.activation == "silu") return v / (1 + std::exp(-v));
        return settings.activation == "gelu"
                   ? .5 * v * (1 + std::tanh(std::sqrt(2 / std::acos(-1.)) * (v + .044715 * v * v * v)))
                   : v;
    }
    double middle(std::int64_t e, std::int64_t j, const real_numbers& row) const {
        const bool gated = !w[2].empty();
        if (settings.activation != "swiglu") return activated(layer(0, e, j, row)) * (gated ? layer(2, e, j, row) : 1);
        double g = layer(0, e, settings.fusion == 1 ? 2 * j : j, row),
               l = gated ? layer(2, e, j, row) : layer(0, e, settings.fusion == 1 ? 2 * j + 1 : inter + j, row);
        if (settings.limit != 0) {
            g = std::min(g, settings.limit);
            l = std::clamp(l, -settings.limit, settings.limit);
        }
        return g / (1 + std::exp(-settings.alpha * g)) * (l + settings.beta);
    }
    real_numbers weights(std::int64_t t, bool of_top) const {  // 0 where an expert has no say
        real_numbers s(scores.begin() + t * experts, scores.begin() + (t + 1) * experts), y(s.size(), 0.);
        std::vector<std::size_t> order(s.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s[a] > s[b]; });
        double total = 0, top = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double e =
                router_weights.empty() ? std::exp(s[order[i]]) : router_weights[std::size_t(t * experts) + order[i]];
            total += e;
            if (std::int64_t(i) < settings.k) y[order[i]] = e, top += e;
        }
        for (double& v : y)
            v /= settings.normalise || (of_top && router_weights.empty()) ? top : router_weights.empty() ? total : 1;
        return y;
    }
    tensor result(bool of_top) const {
        real_numbers y(x.size(), 0.);
        for (std::int64_t t = 0; t < tokens; ++t) {
            const real_numbers row(x.begin() + t * hidden, x.begin() + (t + 1) * hidden), says = weights(t, of_top);
            for (std::int64_t e = 0; e < experts; ++e) {
                if (says[std::size_t(e)] == 0) continue;
                real_numbers h;
                for (std::int64_t j = 0; j < inter; ++j) h.push_back(middle(e, j, row));
                for (std::int64_t d = 0; d < hidden; ++d)
                    y[std::size_t(t * hidden + d)] += says[std::size_t(e)] * layer(1, e, d, h);
            }
        }
        return floats({tokens, hidden}, y);
    }
    bool third() const { return settings.activation == "swiglu" && settings.fusion == 0; }
    std::int64_t rows(int l) const {
        return l == 1 ? hidden : settings.activation == "swiglu" && settings.fusion ? 2 * inter : inter;
    }
    std::int64_t depth(int l) const { return l == 1 ? inter : hidden; }
};
tensor drawn(const shape& dims, unsigned seed, double size = 1) {
    return random_tensor<float>(dims, seed, -size, size);
}
// What a mixture of numbers has as inputs, and the mixture; T: of the inputs.
template <class T> call dense(mixture& m, bool gate) {
    const auto add = [](call& c, const tensor& t) {
        tensor input(element_of<T>, t.shape());
        for (std::size_t i = 0; i < std::size_t(t.elements()); ++i) input.as<T>()[i] = static_cast<T>(t.as<float>()[i]);
        c.inputs.push_back(input);
        return numbers(input);
    };
    call c{.inputs = {}, .with = of(m.settings)};
    m.x = add(c, drawn({m.tokens, m.hidden}, 1));
    m.scores = add(c, drawn({m.tokens, m.experts}, 2));
    for (int l = 0; l < (gate ? 3 : 2); ++l) {
        m.w[l] = add(c, drawn({m.experts, m.rows(l), m.depth(l)}, unsigned(3 + l), .5));
        m.bias[l] = add(c, drawn({m.experts, m.rows(l)}, unsigned(6 + l), .5));
    }
    return c;
}
// The same, quantized.
call in_codes(mixture& m, bool gate, bool zeros, bool has_weights = false) {
    call c{.inputs = {}, .with = of(m.settings)};
    c.inputs.resize(15);
    const auto put = [&](int k, const tensor& t) {
        c.inputs[std::size_t(k)] = t;
        return numbers(t);
    };
    m.x = put(0, drawn({m.tokens, m.hidden}, 1));
    m.scores = put(1, drawn({m.tokens, m.experts}, 2));
    if (has_weights) m.router_weights = put(14, drawn({m.tokens, m.experts}, 9));
    for (int l = 0; l < (gate ? 3 : 2); ++l) {
        const std::int64_t rows = m.rows(l), depth = m.depth(l),
                           bits = l == 1 && m.settings.second_bits ? m.settings.second_bits : m.settings.bits;
        const std::int64_t blocks = m.settings.block ? depth / m.settings.block : 1, block = depth / blocks,
                           lines = m.experts * rows;
        const tensor codes = random_codes(element::u8, {m.experts, rows, depth * bits / 8}, unsigned(3 + l));
        const shape scaled = m.settings.block ? shape{m.experts, rows, blocks} : shape{m.experts, rows};
        put(2 + 3 * l, codes);
        const auto scales = put(3 + 3 * l, random_tensor<float>(scaled, unsigned(20 + l), .01, .02));
        m.bias[l] = put(4 + 3 * l, drawn({m.experts, rows}, unsigned(6 + l)));
        const std::int64_t zero_row = ((m.settings.block ? blocks : rows) * bits + 7) / 8;
        const tensor packed =
            random_codes(element::u8, m.settings.block ? shape{m.experts, rows, zero_row} : shape{m.experts, zero_row},
                         unsigned(30 + l));
        if (zeros) put(11 + l, packed);
        const auto code = [&](const tensor& t, std::int64_t row_bytes, std::int64_t row, std::int64_t i) {
            return t.as<std::uint8_t>()[std::size_t(row * row_bytes + i * bits / 8)] >> (i * bits % 8) &
                   ((1 << bits) - 1);
        };
        m.w[l].clear();
        for (std::int64_t line = 0; line < lines; ++line)
            for (std::int64_t k = 0; k < depth; ++k) {
                const int zero = !zeros             ? 1 << (bits - 1)
                                 : m.settings.block ? code(packed, zero_row, line, k / block)
                                                    : code(packed, zero_row, line / rows, line % rows);
                m.w[l].push_back((code(codes, depth * bits / 8, line, k) - zero) *
                                 scales[std::size_t(line * blocks + k / block)]);
            }
    }
    return c;
}
std::string_view reason(const call& c) { return run<op::moe, device::reference>(c).answer.reason; }
std::string_view reason_of_codes(const call& c) { return run<op::qmoe, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("MoE sums up what a token's experts make of it, as ONNX Runtime does") {
    CHECK(gives(small({.fusion = 1, .normalise = 1, .activation = "swiglu", .alpha = 1.702, .beta = 1, .limit = 1}),
                {-0.139463633, 0.0726591721, -0.61637044, 0.0735775232, -0.300276756, 0.111743025}));
    CHECK(gives(small({.activation = "relu"}, false),
                {1.05135417, -1.751863, 0.915622294, -0.832383871, -0.785951495, 0.0969361663}));
    CHECK(gives(small({.activation = "gelu"}, false),
                {1.06300104, -1.75264311, 0.946912527, -0.762535095, -0.53414911, 0.169417128}));
    CHECK(gives(small({.activation = "silu"}, false),
                {1.11844945, -1.71888876, 0.829049468, -0.684964657, -0.441238791, 0.173450813}));
    CHECK(gives(small({.activation = "identity"}, false),
                {1.62246609, -2.22415066, -0.829523206, -2.30656552, -0.523333609, 0.356225193}));
    call ties = small({.activation = "identity"}, false);
    ties.inputs[1] = floats({3, 3}, real_numbers(9, 0));
    CHECK(gives(ties, {0.37109375, -0.3359375, 0.783854187, 0.175130218, -0.21875, 0.12109375}));
}
TEMPLATE_TEST_CASE("MoE has every activation, gate and weighing, in each type", "", float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, float16> ? 4e-3 : 3e-2;
    for (std::string_view activation : {"relu", "gelu", "silu", "identity", "swiglu"})
        for (std::int64_t fusion : {0, 1, 2})
            for (bool gate : {false, true}) {
                if (activation == "swiglu" ? gate != (fusion == 0) : fusion != 0) continue;
                for (std::int64_t k : {1, 3}) {
                    CAPTURE(activation, fusion, gate, k);
                    mixture m{.settings = {.k = k,
                                           .fusion = fusion,
                                           .normalise = k == 3 && gate,
                                           .activation = activation,
                                           .alpha = 1.5,
                                           .beta = .5,
                                           .limit = fusion == 2 ? .5 : 0.}};
                    call c = dense<T>(m, gate);
                    const tensor expected = m.result(false);
                    for (int threads : {1, 3}) {
                        c.threads = threads;
                        const auto result = numbers(on_reference<op::moe>(c));
                        for (std::size_t i = 0; i < result.size(); ++i)
                            REQUIRE(result[i] ==
                                    Approx(expected.as<float>()[i]).margin(tolerance * 4).epsilon(tolerance));
                    }
                }
            }
}
TEST_CASE("MoE takes batches of rows, no tokens, and scores that are no numbers") {
    call c = small({.fusion = 1, .normalise = 1, .activation = "swiglu"});
    const auto flat = numbers(on_reference<op::moe>(c));
    c.inputs[0] = c.inputs[0].value.reshaped({1, 3, 2});
    CHECK(on_reference<op::moe>(c).shape() == shape{1, 3, 2});
    CHECK(numbers(on_reference<op::moe>(c)) == flat);
    c.inputs[1] = floats({3, 3}, {0, NAN, 1, 0, 1, 2, 2, 1, infinity});
    const auto y = numbers(on_reference<op::moe>(c));
    CHECK(std::isnan(y[0]));
    CHECK(!std::isnan(y[2]));
    c.inputs[0] = tensor(element::f32, {0, 2});
    c.inputs[1] = tensor(element::f32, {0, 3});
    CHECK(on_reference<op::moe>(c).shape() == shape{0, 2});
}
TEST_CASE("MoE mixes sparsely: the softmax of the scores that are within two hundredths of an expert's own") {
    call c = small({.sparse = 1, .activation = "identity"}, false);
    c.inputs[1] = floats({3, 3}, {2, 1.99, 1.98, 0, 3, 1, -1, -1.01, -5});
    const auto routed = [&](std::int64_t t, real_numbers weights) {  // what one expert after another gives of it
        real_numbers y(2, 0.);
        for (std::size_t e = 0; e < 3; ++e) {
            call expert = small({.k = 1, .normalise = 1, .activation = "identity"}, false);
            real_numbers scores(9, 0.);
            for (std::size_t i = 0; i < 3; ++i) scores[i * 3 + e] = 1;
            expert.inputs[1] = floats({3, 3}, scores);
            const auto part = numbers(on_reference<op::moe>(expert));
            for (std::size_t d = 0; d < 2; ++d) y[d] += weights[e] * part[std::size_t(t) * 2 + d];
        }
        return y;
    };
    const auto y = numbers(on_reference<op::moe>(c));
    const double first = 1 / (1 + std::exp(-.01) + std::exp(-.02)), second = 1 / (1 + std::exp(-.01)),
                 negative = 1 / (1 + std::exp(-.01));
    const real_numbers weights[] = {{first, second, 0}, {0, 1, 1}, {negative, 1, 0}};
    for (std::int64_t t = 0; t < 3; ++t) {
        const auto expected = routed(t, weights[t]);
        for (std::size_t d = 0; d < 2; ++d) CHECK(y[std::size_t(t) * 2 + d] == Approx(expected[d]).margin(1e-5));
    }
    c = small({.k = 1, .sparse = 1});
    CHECK(reason(c) == "the sparse mixer is for k = 2");
}
TEST_CASE("QMoE takes quantized values with a scale per row, and weighs as ONNX Runtime does") {
    const auto gives = [](const call& c, const real_numbers& expected) {
        return same<float>(on_reference<op::qmoe>(c), floats({2, 16}, expected), 1e-5);
    };
    CHECK(gives(coded({}, false),
                {-0.106060714, 0.184979498,  0.272343159,  -0.600642383,  0.04163507,   -0.126916781, -0.241457134,
                 -0.10976319,  0.0425821394, 0.132896453,  -0.087912485,  -0.327589154, -0.252752125, 0.0476990156,
                 -0.386619598, -0.164018184, -0.222948149, -0.170074835,  1.4749068,    0.273890555,  0.577453136,
                 0.15245837,   -0.3212623,   -1.12280548,  -0.0806047469, 0.513858736,  -0.87910229,  -0.0805401057,
                 -0.115857869, -0.724786282, 0.326974005,  -0.595689237}));
    CHECK(gives(coded({.k = 1, .activation = "silu"}, true),
                {-0.0771271959, -0.183854014,  -0.690580428, 0.674246192, 0.253140956,   0.302106172, -0.0745287761,
                 -0.104803003,  0.0092741698,  -0.244859815, 0.419097632, -0.178361237,  0.190996528, 0.494643629,
                 0.299543083,   -0.0296415761, -0.621226907, 0.324170291, 1.31871593,    1.00513339,  2.03539634,
                 -0.611372352,  0.857726812,   -2.92642808,  0.627237678, -0.0475938395, 0.702138603, -1.61852574,
                 -0.619399071,  -1.64672613,   0.356678367,  1.31906533}));
    call c = coded({.activation = "silu"}, true);
    c.inputs.resize(14);
    c.inputs.push_back(floats({2, 2}, {.5, 2, 1, .25}));
    CHECK(gives(c, {-0.129985794, -0.357922286, -1.20732033,  1.38273895,  0.783952117,  0.591556787, -0.157117486,
                    -0.513483882, 0.249596283,  -0.530414045, 0.990042567, -0.696413875, 0.26542145,  1.10778475,
                    0.653962016,  0.0279514417, -0.565170288, 0.516081631, 2.26672363,   0.703808069, 1.84300697,
                    -0.926960111, 0.943647921,  -2.84835243,  0.605219781, 0.0628595203, 0.165206909, -1.49403894,
                    -0.811633348, -2.11176968,  0.0624437034, 1.17705584}));
    c.inputs[14] = floats({2, 2}, {1, -1, 0, 0});
    c.with = of({.normalise = 1, .activation = "silu"});
    CHECK(gives(c, real_numbers(32, 0)));
}
TEST_CASE("QMoE takes 2-bit, 4-bit and 8-bit quantized values in rows and in blocks, with and without zero points") {
    for (std::int64_t bits : {2, 4, 8})
        for (std::int64_t block : {0, 16})
            for (bool zeros : {false, true})
                for (int form : {0, 1, 2}) {
                    CAPTURE(bits, block, zeros, form);
                    mixture m{.settings = {.fusion = form == 1,
                                           .bits = bits,
                                           .block = block,
                                           .activation = form == 0 ? "gelu" : "swiglu",
                                           .alpha = 1.702,
                                           .beta = 1,
                                           .limit = 2,
                                           .second_bits = form == 2 ? 8 : 0}};
                    call c = in_codes(m, form == 2, zeros, form == 0);
                    const tensor expected = m.result(true);
                    for (int threads : {1, 3}) {
                        c.threads = threads;
                        CHECK(same<float>(on_reference<op::qmoe>(c), expected, 1e-4));
                    }
                }
}
TEST_CASE("QMoE has scales of another type than its tokens") {
    mixture m{.settings = {.bits = 8, .block = 16}};
    call c = in_codes(m, false, false);
    for (std::size_t k : {3, 6}) {
        const tensor& s = c.inputs[k].value;
        c.inputs[k] = numbers(element::f16, s.shape(), numbers(s));
    }
    CHECK(same<float>(on_reference<op::qmoe>(c), m.result(true), 5e-3));
}
TEST_CASE("The fast MoE agrees with the reference kernel for every activation and gate", "[threads]") {
    for (std::string_view activation : {"relu", "gelu", "silu", "identity", "swiglu"})
        for (std::int64_t fusion : {0, 1, 2})
            for (bool gate : {false, true}) {
                if (activation == "swiglu" ? gate != (fusion == 0) : fusion != 0) continue;
                for (std::int64_t tokens : {0, 1, 5, 40}) {
                    CAPTURE(activation, fusion, gate, tokens);
                    mixture m{.tokens = tokens,
                              .hidden = 19,
                              .inter = 35,
                              .settings = {.fusion = fusion, .normalise = gate, .activation = activation, .limit = 2}};
                    call c = dense<float>(m, gate);
                    for (std::size_t k = 2; k < c.inputs.size(); k += 2) c.inputs[k].constant = true;
                    agree<op::moe>(c, 1e-4);
                }
            }
    mixture m{.hidden = 24, .inter = 40};
    call half = dense<float16>(m, true);
    for (std::size_t k = 2; k < half.inputs.size(); k += 2) half.inputs[k].constant = true;
    agree<op::moe, float16>(half, 1e-2);
}
TEST_CASE("The fast QMoE agrees with the reference kernel for every size of quantized values and blocks", "[threads]") {
    for (std::int64_t bits : {2, 4, 8})
        for (std::int64_t block : {0, 16})
            for (bool zeros : {false, true})
                for (std::int64_t tokens : {0, 1, 30}) {
                    CAPTURE(bits, block, zeros, tokens);
                    mixture m{.tokens = tokens,
                              .hidden = block ? 48 : 20,
                              .inter = block ? 32 : 28,
                              .settings = {
                                  .bits = bits, .block = block, .activation = "swiglu", .second_bits = zeros ? 8 : 0}};
                    call c = in_codes(m, true, zeros);
                    for (std::size_t k : {2, 3, 5, 6, 8, 9, 11, 12, 13})
                        c.inputs[k].constant = c.inputs[k].value.elements() > 0;
                    agree<op::qmoe>(c, 5e-4);
                    if (bits == 8 || !block) continue;
                    const auto exact = numbers(on_reference<op::qmoe>(c));  // by rounded rows it is near
                    c.with = [list = c.with](graph_data& g) {
                        auto entries = list(g);
                        entries.push_back(g.make("accuracy_level", std::int64_t(4)));
                        return entries;
                    };
                    const auto near = numbers(result_of(run<op::qmoe, device::cpu>, c));
                    double size = 1e-3, most = 0;
                    for (std::size_t i = 0; i < exact.size(); ++i) {
                        size = std::max(size, std::abs(exact[i]));
                        most = std::max(most, std::abs(exact[i] - near[i]));
                    }
                    CHECK(most < .03 * size);
                }
}
TEST_CASE("MoE refuses what does not fit") {
    call c = small({});
    CHECK(reason(c) == "a bias must be [experts, rows]");
    c = small({.k = 4}, false);
    CHECK(reason(c) == "k must be from 1 to the number of experts");
    c = small({.k = 0}, false);
    CHECK(reason(c) == "k must be from 1 to the number of experts");
    c = small({.activation = "tanh"}, false);
    CHECK(reason(c) == "activation_type must be relu, gelu, silu, swiglu or identity");
    c = small({.activation = "swiglu"}, false);
    CHECK(reason(c) == "swiglu needs FC3 where it is not fused");
    c = small({.fusion = 3}, false);
    CHECK(reason(c) == "swiglu_fusion must be 0, 1 or 2");
    const auto with_input = [](std::size_t k, operand o) {
        call c = small({}, false);
        c.inputs.resize(8);
        c.inputs[k] = std::move(o);
        return c;
    };
    CHECK(reason(with_input(0, tensor(element::f32, {6}))) ==
          "the input must be [tokens, hidden] or [batch, rows, hidden]");
    CHECK(reason(with_input(1, tensor(element::f32, {2, 3}))) ==
          "router_probs must have a row per token, and a column per expert");
    CHECK(reason(with_input(2, tensor(element::f32, {3, 4}))) ==
          "FC1 must be [experts, rows, depth], its rows even for swiglu");
    CHECK(reason(with_input(4, tensor(element::f32, {3, 2, 3}))) == "weights must be [experts, rows, depth]");
    CHECK(reason(with_input(6, tensor(element::f32, {3, 3, 2}))) == "weights must be [experts, rows, depth]");
    CHECK(reason(with_input(1, tensor(element::f16, {3, 3}))) == "the inputs must have one type");
    CHECK(reason(with_input(1, {})) == "an input is missing");
    c = small({.fusion = 1, .activation = "swiglu"});
    c.inputs.push_back(tensor(element::f32, {3, 2, 2}));
    CHECK(reason(c) == "swiglu that is fused has no FC3");
}
TEST_CASE("QMoE refuses what does not fit") {
    CHECK(reason_of_codes(coded({.bits = 3}, false)) == "expert_weight_bits must be 2, 4 or 8");
    CHECK(reason_of_codes(coded({.bits = 8}, false)) == "weights must be [experts, rows, depth * bits / 8]");
    CHECK(reason_of_codes(coded({.block = 24}, false)) == "block_size must be a power of two from 16 on");
    CHECK(reason_of_codes(coded({.block = 32}, false)) == "block_size must divide the depth of all layers");
    CHECK(reason_of_codes(coded({.block = 16}, false)) == "scales must be [experts, rows], or [experts, rows, blocks]");
    call c = coded({}, true);
    c.inputs[11] = tensor(element::u8, {2, 16});
    CHECK(reason_of_codes(c) == "zero points must be those of the scales, packed in bytes");
    c = coded({}, false);
    c.inputs[3] = {};
    CHECK(reason_of_codes(c) == "scales are missing");
    c = coded({}, false);
    c.inputs[6] = tensor(element::bf16, {2, 16});
    CHECK(reason_of_codes(c) == "scales must have one type, float, float16 or bfloat16");
    c = coded({}, false);
    c.inputs.resize(15);
    c.inputs[14] = tensor(element::f32, {2, 3});
    CHECK(reason_of_codes(c) == "router_weights must have the shape of router_probs");
    c.inputs[14] = {};
    c.inputs.push_back(tensor(element::f32, {2}));
    CHECK(reason_of_codes(c) == "scales of activations and of all weights are for other quant_types");
    c.inputs.resize(15);
    c.with = [](graph_data& g) { return std::vector{g.make("quant_type", "fp8")}; };
    CHECK(reason_of_codes(c) == "quant_type must be int");
    c.with = with({{"weights_prepacked", 1}});
    CHECK(reason_of_codes(c) == "weights that a provider packed are not supported");
}
