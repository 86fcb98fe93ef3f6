// Mirrors kernels/inlay/microsoft/engram_gate.hpp.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/engram_gate.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
call gate(element e = element::f32, double epsilon = 1e-5) {
    return {.inputs = {ramp({1, 2, 2, 3}, 7, 13, .25, 6, e), ramp({1, 2, 2, 3}, 5, 11, .25, 5, e),
                       ramp({1, 2, 3}, 3, 7, .5, 3, e), ramp({2, 3}, 3, 5, .5, 1, e), ramp({2, 3}, 2, 7, .5, 1, e),
                       ramp({2, 3}, 4, 9, .25, 2, e)},
            .with = [=](graph_data& g) { return std::vector{g.make("epsilon", epsilon)}; },
            .outputs = {e, e}};
}
std::vector<real_numbers> expected(const call& c, double epsilon) {
    std::vector<real_numbers> in;
    for (const operand& o : c.inputs) in.push_back(numbers(o.value));
    std::vector<real_numbers> y(2, real_numbers(12));
    for (std::size_t row = 0; row < 4; ++row) {
        const auto at = [&](std::size_t k, std::size_t i) {
            return in[k][k < 2 ? row * 3 + i : k == 2 ? row / 2 * 3 + i : row % 2 * 3 + i];
        };
        double squares[3]{}, dot = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t k = 0; k < 3; ++k) squares[k] += at(k, i) * at(k, i);
            dot += at(0, i) * at(3, i) * at(1, i) * at(4, i);
        }
        for (std::size_t k : {0, 1}) dot /= std::sqrt(squares[k] / 3 + epsilon);
        dot /= std::sqrt(3.);
        const double root = dot > 0 || dot < 0 ? std::copysign(std::sqrt(std::fmax(std::fabs(dot), 1e-6)), dot) : 0;
        const double open = 1 / (1 + std::exp(-root));
        for (std::size_t i = 0; i < 3; ++i) {
            y[0][row * 3 + i] = open * at(2, i);
            y[1][row * 3 + i] = open * at(2, i) / std::sqrt(open * open * squares[2] / 3 + epsilon) * at(5, i);
        }
    }
    return y;
}
}  // namespace

TEST_CASE("EngramGate opens by how alike key and query are, and may normalise what it lets through") {
    for (element e : {element::f32, element::f16, element::bf16})
        for (double epsilon : {1e-5, .25}) {
            const call c = gate(e, epsilon);
            check_outputs(on_plain<op::engram_gate>(c), expected(c, epsilon),
                          e == element::f32   ? 1e-6
                          : e == element::f16 ? 2e-3
                                              : 2e-2);
        }
    call c = gate();
    const std::vector<real_numbers> reference = expected(c, 1e-5);
    c.with = call{}.with;
    c.outputs.resize(1);
    c.inputs.resize(5);
    check_outputs(on_plain<op::engram_gate>(c), {reference[0]});
}
TEST_CASE("EngramGate is half open where key and query have nothing in common") {
    call c = gate();
    c.inputs[0] = ramp({1, 2, 2, 3}, 0, 1, 1, 0);
    const real_numbers value = numbers(c.inputs[2].value), y = numbers(on_plain<op::engram_gate>(c)[0]);
    for (std::size_t i = 0; i < 12; ++i) CHECK(y[i] == value[i / 6 * 3 + i % 3] / 2);
}
TEST_CASE("EngramGate refuses what does not fit") {
    const auto reason = [](const call& c) { return reason_of<op::engram_gate>(c); };
    call c = gate();
    c.inputs[1] = ramp({1, 2, 1, 3}, 1, 7, 1, 0);
    CHECK(reason(c) == "key and query must be [batch, rows, branches, size]");
    c = gate();
    c.inputs[2] = ramp({1, 2, 2}, 1, 7, 1, 0);
    CHECK(reason(c) == "value must be [batch, rows, size]");
    c = gate();
    c.inputs[4] = ramp({3}, 1, 7, 1, 0);
    CHECK(reason(c) == "the scales must be [branches, size]");
    c = gate();
    c.inputs.resize(5);
    CHECK(reason(c) == "gated_value_normed needs conv_norm_scale");
}
