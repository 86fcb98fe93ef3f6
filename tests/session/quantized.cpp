// Networks of 8 bits, written as DequantizeLinear and QuantizeLinear around operators of float32: providers of kernels
// give the same quantized values, and these are near those of float32.
#include "../models.hpp"
#include <inlay/onnx/binary.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string numbers(const std::string& name, const std::string& type, int count, int turn, int least, int most) {
    std::string text = type + " " + name + " = {";
    for (int i = 0; i < count; ++i)
        text += (i ? ", " : "") + std::to_string(least + (i * 7919 + turn * 104729) % (most - least + 1));
    return text + "}";
}
// A residual block, with nodes that share its quantized input, pools and a matmul.
std::string network() {
    return "g (uint8[N,4,H,W] x) => (uint8[N,5] y, uint8[N,8,?,?] wide) <float xs = {0.02}, uint8 xz = {117}, float as "
           "= "
           "{0.11}, uint8 az = {0}, float bs = {0.13}, uint8 bz = {131}, float ys = {0.9}, int8 wz = {0}, float[4] ws "
           "= "
           "{0.01, 0.02, 0.015, 0.005}, float[4] cs = {0.0002, 0.0004, 0.0003, 0.0001}, float ms = {0.02}, " +
           numbers("w", "int8[4,4,3,3]", 144, 1, -127, 127) + ", " + numbers("c", "int32[4]", 4, 2, -9000, 9000) +
           ", " + numbers("m", "int8[4,5]", 20, 3, -127, 127) + R"(> {
        z4 = Constant<value = int8[4] {0, 0, 0, 0}>() f = DequantizeLinear(x, xs, xz)
        wf = DequantizeLinear<axis = 0>(w, ws, z4) cf = DequantizeLinear<axis = 0>(c, cs)
        a0 = Conv<pads = [1, 1, 1, 1]>(f, wf, cf) a1 = Relu(a0)
        a = QuantizeLinear(a1, as, az) af = DequantizeLinear(a, as, az)
        b0 = Add(af, f) b = QuantizeLinear(b0, bs, bz) bf = DequantizeLinear(b, bs, bz)
        p0 = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(bf)
        p = QuantizeLinear(p0, bs, bz) pf = DequantizeLinear(p, bs, bz)
        w0 = Concat<axis = 1>(pf, af) wide = QuantizeLinear(w0, bs, bz)
        g0 = GlobalAveragePool(pf) g = QuantizeLinear(g0, bs, bz) gf = DequantizeLinear(g, bs, bz)
        r0 = Flatten(gf) r = QuantizeLinear(r0, bs, bz) rf = DequantizeLinear(r, bs, bz)
        mf = DequantizeLinear(m, ms) y0 = MatMul(rf, mf) y = QuantizeLinear(y0, ys, bz) })";
}
tensor codes(const shape& dims, unsigned seed) {
    tensor t(element::u8, dims);
    std::mt19937 g(seed);
    for (std::uint8_t& x : t.as<std::uint8_t>()) x = std::uint8_t(g() % 256);
    return t;
}
}  // namespace

TEST_CASE("A network of quantized values is computed in integers, the same by fast and by reference kernels",
          "[session]") {
    const std::string text = network();
    const model m = model_of(text), of_floats = model_of(text, {.without = {"fuse_quantized"}});
    const inlay::session plain{m, reference{}}, floats{of_floats, reference{}};
    for (const int threads : {1, 3}) {
        const inlay::session fast{m, cpu{.threads = threads}};
        for (const shape& dims : {shape{1, 4, 7, 9}, {3, 4, 16, 5}, {2, 4, 1, 1}}) {
            CAPTURE(threads, to_string(dims));
            const std::vector<feed> in{{"x", codes(dims, unsigned(dims[0]))}};
            const fetched actual = fast.run(in), expected = plain.run(in), near = floats.run(in);
            for (std::size_t k = 0; k < 2; ++k) {
                const auto y = elements<std::uint8_t>(actual[k]), same = elements<std::uint8_t>(expected[k]),
                           rounded = elements<std::uint8_t>(near[k]);
                CHECK(y == same);
                REQUIRE(y.size() == rounded.size());
                int most = 0;
                for (std::size_t i = 0; i < y.size(); ++i) most = std::max(most, std::abs(int(y[i]) - int(rounded[i])));
                CHECK(most <= 1);  // of accumulators that are not rounded on the way
            }
        }
        const plan_report r = fast.plan();
        const std::pair<const char*, const char*> parts[] = {
            {"Conv", "QLinearConv"}, {"Relu", "QLinearConv"},     {"Add", "QLinearAdd"},
            {"MaxPool", "MaxPool"},  {"Concat", "QLinearConcat"}, {"GlobalAveragePool", "QLinearGlobalAveragePool"},
            {"Flatten", "Flatten"},  {"MatMul", "QLinearMatMul"}};
        for (const auto& [op, into] : parts) CHECK(line_of(r, op).fused_into.starts_with(into));
    }
    for (const plan_report::line& l : floats.plan().nodes) CHECK(l.fused_into.empty());
}
TEST_CASE("Codes are computed in integers where a session decodes their weights, which the loader left", "[session]") {
    const inlay::session unfolded{model_of(network(), {.without = {"fold_constants"}}), cpu{}},
        folded{model_of(network()), cpu{}};
    const std::vector<feed> in{{"x", codes({1, 4, 6, 6}, 5)}};
    CHECK(elements<std::uint8_t>(unfolded.run(in)[0]) == elements<std::uint8_t>(folded.run(in)[0]));
    const plan_report r = unfolded.plan();
    CHECK(line_of(r, "Conv").fused_into.starts_with("QLinearConv"));
    CHECK(line_of(r, "MatMul").fused_into.starts_with("QLinearMatMul"));
}

TEST_CASE("Weights that kernels read as quantized values, or pack as float32, are not kept as float32 as well",
          "[session]") {
    const std::string text =
        "g (uint8[1,300] x) => (uint8[1,300] y) <float xs = {0.02}, uint8 xz = {117}, float ys = "
        "{3.5}, float ws = {0.01}, " +
        numbers("w", "int8[300,300]", 90000, 1, -127, 127) +
        "> { a = DequantizeLinear(x, xs, xz) b = DequantizeLinear(w, ws) c = MatMul(a, b) y = "
        "QuantizeLinear(c, ys, xz) }";
    const model m = model_of(text), of_floats = model_of(text, {.without = {"fuse_quantized"}});
    const inlay::session of_codes{m, cpu{}}, packs{of_floats, cpu{}};
    const inlay::session reads{of_floats, reference{}};
    const std::vector<feed> in{{"x", codes({1, 300}, 5)}};
    const auto y = elements<std::uint8_t>(of_codes.run(in)[0]);
    for (const fetched& floats : {packs.run(in), reads.run(in)}) {
        const auto rounded = elements<std::uint8_t>(floats[0]);
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(int(y[i]) - int(rounded[i])) <= 1);
    }
    constexpr std::int64_t as_floats = 300 * 300 * 4;
    CHECK(of_codes.plan().constant_bytes < 100000);
    CHECK(packs.plan().constant_bytes < 100000);
    CHECK(reads.plan().constant_bytes >= as_floats);
}
