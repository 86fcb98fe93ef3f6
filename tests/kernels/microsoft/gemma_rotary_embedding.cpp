// Mirrors kernels/inlay/microsoft/gemma_rotary_embedding.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/gemma_rotary_embedding.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor half(const shape& dims, const real_numbers& x) { return numbers(element::f16, dims, x); }
outcome turned(std::vector<operand> inputs) {
    return run<op::gemma_rotary_embedding, device::reference>(
        {.inputs = std::move(inputs), .outputs = {element::f16, element::f16}});
}
}  // namespace

TEST_CASE("GemmaRotaryEmbedding adds x by the cosine and what is turned by the sine, for all heads") {
    const float quarter = 1.57079633f;
    tensor angles(element::f32, {2, 1, 2});
    const float values[] = {0, quarter, quarter, 0};
    std::copy_n(values, 4, angles.as<float>().begin());
    const outcome y = turned({angles, half({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                              half({2, 2, 1, 2}, {10, 20, 30, 40, 50, 60, 70, 80}), half({2, 1, 1, 2}, {1, 2, 3, 4}),
                              half({2, 1, 1, 2}, {5, 6, 7, 8})});
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(numbers(y[0]) == real_numbers{1, 20, 3, 40, 50, 6, 70, 8});
    CHECK(numbers(y[1]) == real_numbers{1, 6, 7, 4});
}
TEST_CASE("GemmaRotaryEmbedding rounds cosines, sines and products to float16") {
    tensor angle(element::f32, {1, 1, 1});
    angle.as<float>()[0] = 1;
    const tensor x = half({1, 1, 1, 1}, {3}), turn = half({1, 1, 1, 1}, {5});
    const outcome y = turned({angle, x, turn, x, turn});
    REQUIRE(y.code == status::ok);
    CHECK(numbers(y[0]) == real_numbers{5.828125});  // 1.62109375 + 4.20703125
}
TEST_CASE("GemmaRotaryEmbedding of no rows is empty, and refuses what does not fit") {
    const tensor empty(element::f32, {1, 0, 2}), position(element::f32, {1, 1, 2});
    const tensor no_rows = half({1, 3, 0, 2}, {}), x = half({1, 1, 1, 2}, {0, 0});
    CHECK(turned({empty, no_rows, no_rows, no_rows, no_rows})[1].shape() == shape{1, 3, 0, 2});
    CHECK(turned({position, x, x, x}).answer.reason == "there must be five inputs");
    CHECK(turned({position, x, half({1, 1, 2, 1}, {0, 0}), x, x}).answer.reason ==
          "q and k must be [batch, heads, rows, size], and emb [batch, rows, size]");
    CHECK(turned({empty, x, x, x, x}).answer.reason ==
          "q and k must be [batch, heads, rows, size], and emb [batch, rows, size]");
    CHECK(turned({position, x, x, tensor(element::f32, {1, 1, 1, 2}), tensor(element::f32, {1, 1, 1, 2})})
              .answer.reason == "q and k must have one type");
}
