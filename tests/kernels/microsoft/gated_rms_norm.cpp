// Mirrors kernels/inlay/microsoft/gated_rms_norm.hpp.
#include "../quantized.hpp"
#include <inlay/microsoft/gated_rms_norm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
call norm(std::string activation, element e = element::f32, double epsilon = 1e-5) {
    return {.inputs = {of({2, 4}, {3, 4, -1, 1, 0, 0, 5, 12}, e), of({2}, {1, 2}, e),
                       of({2, 4}, {0, 1, 2, -2, 1, 1, 100, -100}, e)},
            .with =
                [=](graph_data& g) {
                    return std::vector{g.make("activation", activation), g.make("epsilon", epsilon)};
                },
            .outputs = {e}};
}
outcome normalised(const call& c) { return run<op::gated_rms_norm, device::reference>(c); }
std::string_view refusal_of(const call& c) { return normalised(c).answer.reason; }
}  // namespace

TEST_CASE("GatedRMSNorm normalises each group of a row and multiplies it by its gate") {
    const real_numbers x{3, 4, -1, 1, 0, 0, 5, 12}, z{0, 1, 2, -2, 1, 1, 100, -100}, means{12.5, 1, 0, 84.5};
    for (element e : {element::f32, element::f16, element::bf16})
        for (const char* activation : {"silu", "swish", "sigmoid"})
            for (const double epsilon : {1e-5, .5}) {
                CAPTURE(int(e), activation, epsilon);
                const outcome y = normalised(norm(activation, e, epsilon));
                INFO(y.answer.reason << y.detail);
                REQUIRE(y.code == status::ok);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    CAPTURE(i);
                    const double gate =
                        1 / (1 + std::exp(-z[i])) * (activation[1] == 'i' && activation[2] == 'g' ? 1 : z[i]);
                    const double expected = x[i] / std::sqrt(means[i / 2] + epsilon) * double(1 + i % 2) * gate;
                    CHECK(numbers(y[0])[i] == Approx(expected)
                                                  .epsilon(e == element::f32 ? 1e-6 : 2e-2)
                                                  .margin(e == element::f32 ? 1e-12 : 1e-6));
                }
            }
}
TEST_CASE("GatedRMSNorm has an epsilon of 1e-5 and silu unless others are given") {
    call c = norm("silu");
    const tensor reference = normalised(c)[0];
    c.with = call{}.with;
    CHECK(same<float>(normalised(c)[0], reference));
}
TEST_CASE("GatedRMSNorm refuses what does not fit") {
    CHECK(refusal_of(norm("relu")) == "activation must be silu, swish or sigmoid");
    call c = norm("silu");
    c.inputs[1] = of({3}, {1, 1, 1});
    CHECK(refusal_of(c) == "the last axis is no multiple of scale's length");
    c.inputs[1] = of({0}, {});
    CHECK(refusal_of(c) == "scale is empty");
    c.inputs[1] = of({1, 2}, {1, 1});
    CHECK(refusal_of(c) == "scale must have one axis");
    c = norm("silu");
    c.inputs[2] = of({1, 4}, {1, 1, 1, 1});
    CHECK(refusal_of(c) == "X and gate differ in shape");
    c.inputs[2] = of({2, 4}, real_numbers(8), element::f16);
    CHECK(refusal_of(c) == "X, scale and gate must have one type");
}
