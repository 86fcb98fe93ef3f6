// Mirrors include/inlay/plan/pairs.hpp: values that precision::bfloat16 keeps as packed bf16 pairs, with AMX.
#include "../models.hpp"
#include "../skip.hpp"
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string constant(const std::string& name, const std::vector<int>& dims, std::mt19937& random) {
    std::string shape;
    int count = 1, filter = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        shape += (i ? "," : "") + std::to_string(dims[i]);
        count *= dims[i];
        if (i > 0) filter *= dims[i];
    }
    std::string text = "float[" + shape + "] " + name + " = {";
    for (int i = 0; i < count; ++i)
        text += (i ? "," : "") + std::to_string((float(random() % 2001) / 1000 - 1) * 2 / std::sqrt(float(filter)));
    return text + "}";
}
// Every kernel that takes such values, and two that do not, between a first layer and the result.
model network() {
    std::mt19937 random(5);
    const std::string weights = constant("w0", {32, 3, 7, 7}, random) + ", " + constant("w1", {32, 32, 3, 3}, random) +
                                ", " + constant("b1", {32}, random) + ", " + constant("w2", {64, 32, 1, 1}, random) +
                                ", " + constant("w3", {64, 1, 3, 3}, random) + ", " +
                                constant("w4", {32, 64, 1, 1}, random) + ", " + constant("w5", {48, 96, 3, 3}, random) +
                                ", " + constant("w6", {24, 12, 1, 1}, random);
    return model_of(R"(<ir_version: 8, opset_import: ["" : 18]> g (float[N,3,H,W] x) => (float[N,24,P,Q] y) <)" +
                    weights + R"(> {
        a = Conv<pads = [3, 3, 3, 3], strides = [2, 2]>(x, w0)
        b = MaxPool<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(a)
        c = Conv<pads = [1, 1, 1, 1]>(b, w1, b1) d = Relu(c)
        e = Conv(d, w2) f = Relu(e)
        g = Conv<pads = [1, 1, 1, 1], group = 64>(f, w3) h = HardSwish(g)
        i = Conv(h, w4) s = Add(i, b) j = Relu(s)
        k, l = Split<axis = 1, num_outputs = 2>(f)
        m = AveragePool<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(k)
        n = Concat<axis = 1>(j, m, l)
        o = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(n, w5) p = Sigmoid(o)
        q = Tanh(p) r = Conv<group = 4>(q, w6) y = Relu(r)
    })");
}
tensor image(const shape& dims) {
    tensor t(element::f32, dims);
    std::mt19937 g(7);
    for (float& x : t.as<float>()) x = float(g() % 2001) / 1000 - 1;
    return t;
}
}  // namespace

TEST_CASE("Values that are kept as bfloat16 change results by no more than rounding does", "[session]") {
    if (!isa::available(isa::level::amx)) SKIP("this machine lacks amx");
    const model m = network();
    const inlay::session standard{m, cpu{.threads = 1}},
        floats_between{m, cpu{.threads = 1, .isa = isa::level::avx512bf16, .precision = precision::bfloat16}};
    for (const int threads : {1, 3}) {
        const inlay::session pair_session{
            m, cpu{.threads = threads, .isa = isa::level::amx, .precision = precision::bfloat16}};
        for (const shape& dims : {shape{1, 3, 40, 56}, shape{2, 3, 33, 17}, shape{0, 3, 32, 32}}) {
            CAPTURE(threads, dims[0], dims[2]);
            const std::vector<feed> in{{"x", image(dims)}};
            const auto expected = floats(standard.run(in)[0]), rounded = floats(floats_between.run(in)[0]),
                       y = floats(pair_session.run(in)[0]);
            REQUIRE(y.size() == expected.size());
            float largest = 0;
            for (float e : expected) largest = std::max(largest, std::abs(e));
            for (std::size_t i = 0; i < y.size(); ++i) {
                CHECK(std::abs(y[i] - expected[i]) < .04f * largest);
                CHECK(std::abs(y[i] - rounded[i]) < .03f * largest);
            }
        }
    }
}

TEST_CASE("Values that are kept as bfloat16 take half the memory", "[session]") {
    if (!isa::available(isa::level::amx)) SKIP("this machine lacks amx");
    std::mt19937 random(5);
    const model m =
        model_of("g (float[1,4,40,40] x) => (float[1,4,40,40] y) <" + constant("v", {64, 4, 1, 1}, random) + ", " +
                 constant("w", {4, 64, 1, 1}, random) + "> { a = Conv(x, v) b = Relu(a) y = Conv(b, w) }");
    const auto bytes = [&](isa::level l) {
        const inlay::session s{m, cpu{.threads = 1, .isa = l, .precision = precision::bfloat16}};
        s.run({{"x", image({1, 4, 40, 40})}});
        return s.plan().arena_bytes;
    };
    CHECK(bytes(isa::level::avx512bf16) - bytes(isa::level::amx) == 2 * 64 * 40 * 40);
}
