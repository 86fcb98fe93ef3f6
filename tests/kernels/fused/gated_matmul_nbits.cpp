// Mirrors kernels/inlay/fused/gated_matmul_nbits.hpp and kernels/inlay/cpu/fused/gated_matmul_nbits.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/fused/gated_matmul_nbits.hpp>
#include <string>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
struct form {
    std::int64_t rows, n, k, block = 16;
    int bits = 4, zeros = 0;  // zeros: none, quantized or float
    bool biases = false;
    std::string activation = "Silu";
    std::int64_t accuracy = 0;
};
attributes with(const form& f, bool gated) {
    return [=](graph_data& g) {
        std::vector entries{g.make("N", f.n), g.make("K", f.k), g.make("bits", std::int64_t(f.bits)),
                            g.make("block_size", f.block), g.make("accuracy_level", f.accuracy)};
        if (gated) entries.push_back(g.make("activation", std::string_view(f.activation)));
        return entries;
    };
}
// B, scales, zero points and a bias of one of the two matmuls.
template <class T> std::vector<operand> half(const form& f, unsigned seed) {
    const std::int64_t blocks = (f.k + f.block - 1) / f.block;
    std::vector<operand> operands{operand::weight(random_codes(element::u8, {f.n, blocks, f.block * f.bits / 8}, seed)),
                                  operand::weight(random_tensor<T>({f.n, blocks}, seed + 1, .01, .1)), operand{},
                                  operand{}};
    if (f.zeros == 1)
        operands[2] = operand::weight(random_codes(element::u8, {f.n, (blocks * f.bits + 7) / 8}, seed + 2));
    if (f.zeros == 2) operands[2] = operand::weight(random_tensor<T>({f.n, blocks}, seed + 2, 0, double(1 << f.bits)));
    if (f.biases) operands[3] = operand::weight(random_tensor<T>({f.n}, seed + 3, -1, 1));
    return operands;
}
template <class T = float> call gated(const form& f) {
    call c{{random_tensor<T>({f.rows, f.k}, 1, -1, 1)}};
    for (unsigned seed : {10u, 20u})
        for (operand& o : half<T>(f, seed)) c.inputs.push_back(std::move(o));
    c.with = with(f, true);
    return c;
}
// The results of the two matmuls, one after the other, on device D.
template <class D> tensor in_turn(const form& f, const call& whole) {
    const auto product = [&](std::size_t first) {
        call c = whole;
        c.inputs = {whole.inputs[0],         whole.inputs[first], whole.inputs[first + 1],
                    whole.inputs[first + 2], operand{},           whole.inputs[first + 3]};
        c.with = with(f, false);
        return result_of(run<op::matmul_nbits, D>, c);
    };
    const tensor gate = product(1), up = product(5);
    tensor y(element::f32, {f.rows, f.n});
    for (std::size_t i = 0; i < y.as<float>().size(); ++i) {
        const double x = gate.as<float>()[i], of_gate = f.activation == "Silu" ? x / (1 + std::exp(-x))
                                                        : f.activation == "Gelu"
                                                            ? x / 2 * (1 + std::erf(x * std::sqrt(.5)))
                                                        : f.activation == "Relu" ? std::max(x, 0.)
                                                                                 : 1 / (1 + std::exp(-x));
        y.as<float>()[i] = float(of_gate * double(up.as<float>()[i]));
    }
    return y;
}
}  // namespace

TEST_CASE("A gated matmul by quantized values is the product of one, activated, and the other") {
    for (const char* activation : {"Silu", "Gelu", "Relu", "Sigmoid"})
        for (int zeros : {0, 1, 2}) {
            CAPTURE(activation, zeros);
            const form f{3, 5, 20, 16, 4, zeros, zeros != 1, activation};
            const call c = gated(f);
            CHECK(same<float>(on_reference<op::gated_matmul_nbits>(c), in_turn<device::reference>(f, c), 1e-5));
        }
}
TEST_CASE(
    "The fast gated matmul by quantized values agrees with the reference kernel at each tail, for every activation",
    "[threads]") {
    for (std::int64_t n : {1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 64, 65, 95})
        for (std::int64_t rows : {1, 4, 30}) {
            CAPTURE(n, rows);
            agree<op::gated_matmul_nbits>(gated({rows, n, 40, 16, 4, int(n % 3), n % 2 != 0}), 2e-4);
        }
    for (int bits : {2, 4, 8}) agree<op::gated_matmul_nbits>(gated({9, 37, 50, 16, bits, 1, true}), 1e-1);
    for (const char* name : {"", "Relu", "Clip", "Sigmoid", "HardSigmoid", "HardSwish", "Silu", "Gelu", "GeluTanh"}) {
        CAPTURE(name);
        agree<op::gated_matmul_nbits>(gated({5, 37, 50, 32, 4, 0, true, name}), 2e-4);
    }
    agree<op::gated_matmul_nbits>(gated({0, 20, 32}));
}
TEST_CASE("Rounded rows of a gated product by codes are those of the two products", "[threads]") {
    for (std::int64_t accuracy : {0, 3, 4})
        for (precision p : {precision::standard, precision::bfloat16})
            for (const form& f : {form{1, 70, 96, 32}, form{30, 37, 96, 32, 4, 1, true}, form{70, 200, 64, 16, 8},
                                  form{700, 37, 2100, 16, 4, 0, true}}) {  // the last in steps of rows, and of K
                form of = f;
                of.accuracy = accuracy;
                if (f.rows == 700 && (accuracy == 0 || p != precision::standard)) continue;
                call c = gated(of);
                c.precision = p;
                for (isa::level level : tested_levels())
                    for (int threads : {1, 3}) {
                        CAPTURE(accuracy, int(p), f.rows, isa::name_of(level), threads);
                        c.level = level;
                        c.threads = threads;
                        CHECK(same<float>(result_of(run<op::gated_matmul_nbits, device::cpu>, c),
                                          in_turn<device::cpu>(of, c), 1e-4));
                    }
            }
}
TEST_CASE("A gated matmul by quantized values keeps infinities and NaN") {
    call c = gated({2, 20, 32});
    c.inputs[0].value.as<float>()[3] = quiet_nan;
    for (isa::level level : tested_levels()) {
        c.level = level;
        const auto y = numbers(result_of(run<op::gated_matmul_nbits, device::cpu>, c));
        for (std::size_t j = 0; j < 20; ++j) {
            CHECK(std::isnan(y[j]));
            CHECK(std::isfinite(y[20 + j]));
        }
    }
}
TEST_CASE("A gated matmul by quantized values is refused where the two do not fit") {
    const auto reason_of = [](const call& c) {
        return run<op::gated_matmul_nbits, device::reference>(c).answer.reason;
    };
    const auto why_fast = [](const call& c) { return run<op::gated_matmul_nbits, device::cpu>(c).answer.reason; };
    const form f{2, 5, 32};
    call c = gated(f);
    c.inputs[5] = operand::weight(random_codes(element::u8, {4, 2, 8}, 1));
    CHECK(reason_of(c) == "B does not hold N rows of K codes in blocks");
    c = gated(f);
    c.inputs[6] = {};
    CHECK(reason_of(c) == "A, B or scales is missing");
    c = gated(f);
    c.inputs[8] = operand::weight(random_tensor<float>({4}, 1));
    CHECK(reason_of(c) == "a bias must have N numbers");
    c = gated(f);
    c.inputs[2] = operand::weight(random_tensor<double>({5, 2}, 1));
    CHECK(reason_of(c) == "A, scales and bias must have one type");
    c = gated({2, 5, 32, 16, 4, 0, false, "Softsign"});
    CHECK(reason_of(c) == "the activation is unknown");
    c = gated(f);
    c.inputs[7] = operand::weight(random_codes(element::u8, {5, 1}, 1));
    CHECK(why_fast(c) == "zero points of the two are of different kinds");
    CHECK(reason_of(c).empty());
}
