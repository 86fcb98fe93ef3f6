// Mirrors kernels/inlay/onnx/qlinear_matmul.hpp.
#include "../quantized.hpp"
#include <inlay/onnx/qlinear_matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;
using enum element;

namespace {
struct side {
    tensor x, scale, zero;
};
outcome product(const side& a, const side& b, const side& y, int threads = 1) {
    return run<op::qlinear_matmul, device::reference>(
        {.inputs = {a.x, a.scale, a.zero, b.x, b.scale, b.zero, y.scale, y.zero},
         .outputs = {y.zero.type()},
         .threads = threads});
}
real_numbers made(const side& a, const side& b, const side& y) {
    const outcome o = product(a, b, y);
    INFO(o.answer.reason);
    REQUIRE(o.answer);
    REQUIRE(o.done == status::ok);
    return numbers(o[0]);
}
const tensor one(shape{}, {1.f});
}  // namespace

TEST_CASE("QLinearMatMul scales the sums, rounds ties to even and saturates") {
    const side a{numbers(u8, {2, 3}, {3, 4, 5, 6, 7, 200}), one, scalar(u8, 3)},
        b{numbers(i8, {3, 2}, {1, -1, 2, 5, 3, 2}), one, scalar(i8, 1)};
    // Sums: row {0, 1, 2} and {3, 4, 197} by columns {0, 1, 2} and {-2, 4, 1}: 5, 6, 398, 207.
    CHECK(made(a, b, {{}, scalar(f32, 2), scalar(u8, 10)}) == real_numbers{12, 13, 209, 114});
    CHECK(made(a, b, {{}, scalar(f32, 2), scalar(i8, -100)}) == real_numbers{-98, -97, 99, 4});
    CHECK(made(a, b, {{}, scalar(f32, 0.5), scalar(i8, 0)}) == real_numbers{10, 12, 127, 127});
    for (element e : {f16, bf16})
        CHECK(made({a.x, scalar(e, 0.5), a.zero}, {b.x, scalar(e, 2), b.zero}, {{}, scalar(e, 2), scalar(u8, 10)}) ==
              real_numbers{12, 13, 209, 114});
}
TEST_CASE("QLinearMatMul with scales and zero points per row and per column") {
    const tensor x = numbers(u8, {2, 2}, {1, 2, 3, 4}), w = numbers(u8, {2, 2}, {1, 2, 3, 4});
    const side a{x, numbers(f32, {2}, {1, 2}), numbers(u8, {2}, {0, 1})},
        b{w, numbers(f32, {1, 2}, {1, 10}), numbers(u8, {1, 2}, {0, 2})};
    // {1, 2} and {2, 3} by {1, 3} and {0, 2}: 7, 4 and 11, 6.
    CHECK(made(a, b, {{}, one, scalar(u8, 0)}) == real_numbers{7, 40, 22, 120});
    const side many{numbers(u8, {2, 1, 2}, {1, 2, 3, 4}), numbers(f32, {2, 1, 1}, {1, 2}),
                    numbers(u8, {2, 1, 1}, {0, 1})};
    CHECK(made(many, b, {{}, one, scalar(u8, 0)}) == real_numbers{7, 40, 22, 120});
}
TEST_CASE("QLinearMatMul is MatMul of the differences, whatever the signs and leading axes") {
    for (element ae : {u8, i8})
        for (element be : {u8, i8})
            for (int columns : {1, 31, 32, 70}) {
                CAPTURE(int(ae), int(be), columns);
                const side a{random_codes(ae, {3, 1, 5, 9}, 1), one, scalar(ae, 5)},
                    b{random_codes(be, {2, 9, columns}, 2), one, scalar(be, 100)};
                const auto floats = [](const side& s) {
                    tensor y(f32, s.x.shape());
                    for (std::int64_t i = 0; i < y.elements(); ++i)
                        y.as<float>()[std::size_t(i)] = float(quantized::load(s.x.type(), s.x.data(), i) -
                                                              quantized::load(s.zero.type(), s.zero.data(), 0));
                    return y;
                };
                const tensor sums = on_reference<op::matmul>({{floats(a), floats(b)}});
                const outcome found = product(a, b, {{}, scalar(f32, 512), scalar(i8, 3)}, 3);
                REQUIRE(found.done == status::ok);
                CHECK(found[0].shape() == sums.shape());
                for (std::int64_t i = 0; i < sums.elements(); ++i)
                    CHECK(int(found[0].as<std::int8_t>()[std::size_t(i)]) ==
                          std::clamp(int(std::nearbyint(sums.as<float>()[std::size_t(i)] / 512)) + 3, -128, 127));
            }
}
TEST_CASE("QLinearMatMul of small floats") {
    for (element e : {f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz}) {
        const side a{numbers(e, {1, 2}, {1.5, -2}), one, scalar(e, 0)},
            b{numbers(e, {2, 2}, {1, 2, 0.5, 3}), one, scalar(e, 0)};
        CHECK(made(a, b, {{}, one, scalar(e, 0)}) == real_numbers{0.5, -3});
    }
}
TEST_CASE("QLinearMatMul refuses what does not fit") {
    const side a{random_codes(u8, {2, 3}, 1), one, scalar(u8, 0)}, b{random_codes(u8, {3, 4}, 2), one, scalar(u8, 0)},
        y{{}, one, scalar(u8, 0)};
    CHECK(product(a, b, y).answer.reason.empty());
    CHECK(product({a.x, numbers(f32, {3}, {1, 1, 1}), a.zero}, b, y).answer.reason ==
          "a's scale and zero point must be one number, or one per row");
    CHECK(product(a, {b.x, one, random_codes(u8, {3}, 1)}, y).answer.reason ==
          "b's scale and zero point must be one number, or one per column");
    CHECK(product(a, b, {{}, numbers(f32, {4}, {1, 1, 1, 1}), y.zero}).answer.reason ==
          "y_scale and y_zero_point must be one number");
    CHECK(product({a.x, a.scale, scalar(i8, 0)}, b, y).answer.reason ==
          "a zero point has another type than what it belongs to");
    CHECK(product({a.x, scalar(f64, 1), a.zero}, b, y).answer.reason ==
          "the scales must be float, float16 or bfloat16");
    CHECK(product(a, {random_codes(u8, {2, 4}, 2), one, scalar(u8, 0)}, y).answer.reason ==
          "the operands disagree on the axis that is summed over");
}
