// Mirrors kernels/inlay/microsoft/linear_attention_gate.hpp.
#include "../quantized.hpp"
#include <inlay/microsoft/linear_attention_gate.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
// Two heads; the third row of `a` and `b` would overflow, or vanish, in a plain e^x.
call gates(element e = element::f32) {
    return {.inputs = {of({1, 3, 2}, {0, 1, -2, 3, 200, -200}, e), of({2}, {.5, -1}), of({2}, {-1, -.25}),
                       of({1, 3, 2}, {0, 1, -2, 3, 200, -200}, e)},
            .outputs = {e, e}};
}
outcome gated(const call& c) { return run<op::linear_attention_gate, device::reference>(c); }
std::string_view refusal_of(const call& c) { return gated(c).answer.reason; }
void check(const tensor& result, const real_numbers& expected, element e) {
    REQUIRE(result.type() == e);
    REQUIRE(numbers(result).size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(numbers(result)[i] == Approx(expected[i]).epsilon(e == element::f32 ? 1e-6 : 1e-2));
    }
}
double softplus(double x) { return std::log1p(std::exp(x)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
}  // namespace

TEST_CASE("LinearAttentionGate makes decays and rates of every head, without overflow") {
    for (element e : {element::f32, element::f16, element::bf16}) {
        const outcome y = gated(gates(e));
        INFO(y.answer.reason << y.detail);
        REQUIRE(y.code == status::ok);
        check(y[0], {-softplus(.5), -softplus(0) / 4, -softplus(-1.5), -softplus(2) / 4, -200.5, -0.}, e);
        check(y[1], {.5, sigmoid(1), sigmoid(-2), sigmoid(3), 1, 0}, e);
    }
}
TEST_CASE("LinearAttentionGate needs no b where no rate is wanted") {
    call c = gates();
    c.inputs.pop_back();
    CHECK(refusal_of(c) == "beta needs the input b");
    c.outputs.pop_back();
    const outcome y = gated(c);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], gated(gates())[0]));
}
TEST_CASE("LinearAttentionGate refuses what does not fit") {
    call c = gates();
    c.inputs[1] = of({3}, {0, 0, 0});
    CHECK(refusal_of(c) == "dt_bias and decay_scale must have one number for each head");
    c.inputs[1] = of({2}, {0, 0}, element::f16);
    CHECK(refusal_of(c) == "dt_bias and decay_scale must be floats");
    c = gates();
    c.inputs[3] = of({1, 2, 2}, {0, 0, 0, 0});
    CHECK(refusal_of(c) == "a and b differ in shape");
    c.inputs[3] = of({1, 3, 2}, {0, 0, 0, 0, 0, 0}, element::bf16);
    CHECK(refusal_of(c) == "a and b must have one type");
    c = gates();
    c.inputs[2] = operand{};
    CHECK(refusal_of(c) == "a, dt_bias or decay_scale is missing");
    c = gates();
    c.inputs[0] = of({}, {1});
    CHECK(refusal_of(c) == "a has no axis of heads");
}
