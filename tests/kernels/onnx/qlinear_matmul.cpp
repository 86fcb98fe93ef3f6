// Mirrors kernels/inlay/onnx/qlinear_matmul.hpp, kernels/inlay/cpu/onnx/qlinear_matmul.hpp,
// kernels/inlay/cpu/support/requantized_product.hpp and kernels/inlay/cpu/isa/requantize.hpp.
#include "../every_level.hpp"
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
    REQUIRE(o.code == status::ok);
    return numbers(o[0]);
}
const tensor unit_scale(shape{}, {1.f});
}  // namespace

TEST_CASE("QLinearMatMul scales the sums, rounds ties to even and saturates") {
    const side a{numbers(u8, {2, 3}, {3, 4, 5, 6, 7, 200}), unit_scale, scalar(u8, 3)},
        b{numbers(i8, {3, 2}, {1, -1, 2, 5, 3, 2}), unit_scale, scalar(i8, 1)};
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
    CHECK(made(a, b, {{}, unit_scale, scalar(u8, 0)}) == real_numbers{7, 40, 22, 120});
    const side many{numbers(u8, {2, 1, 2}, {1, 2, 3, 4}), numbers(f32, {2, 1, 1}, {1, 2}),
                    numbers(u8, {2, 1, 1}, {0, 1})};
    CHECK(made(many, b, {{}, unit_scale, scalar(u8, 0)}) == real_numbers{7, 40, 22, 120});
}
TEST_CASE("QLinearMatMul is MatMul of the differences, whatever the signs and leading axes") {
    for (element ae : {u8, i8})
        for (element be : {u8, i8})
            for (int columns : {1, 31, 32, 70}) {
                CAPTURE(int(ae), int(be), columns);
                const side a{random_codes(ae, {3, 1, 5, 9}, 1), unit_scale, scalar(ae, 5)},
                    b{random_codes(be, {2, 9, columns}, 2), unit_scale, scalar(be, 100)};
                const auto floats = [](const side& s) {
                    tensor y(f32, s.x.shape());
                    for (std::int64_t i = 0; i < y.elements(); ++i)
                        y.as<float>()[std::size_t(i)] = float(quantized::load(s.x.type(), s.x.data(), i) -
                                                              quantized::load(s.zero.type(), s.zero.data(), 0));
                    return y;
                };
                const tensor sums = on_reference<op::matmul>({{floats(a), floats(b)}});
                const outcome result = product(a, b, {{}, scalar(f32, 512), scalar(i8, 3)}, 3);
                REQUIRE(result.code == status::ok);
                CHECK(result[0].shape() == sums.shape());
                for (std::int64_t i = 0; i < sums.elements(); ++i)
                    CHECK(int(result[0].as<std::int8_t>()[std::size_t(i)]) ==
                          std::clamp(int(std::nearbyint(sums.as<float>()[std::size_t(i)] / 512)) + 3, -128, 127));
            }
}
TEST_CASE("QLinearMatMul of small floats") {
    for (element e : {f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz}) {
        const side a{numbers(e, {1, 2}, {1.5, -2}), unit_scale, scalar(e, 0)},
            b{numbers(e, {2, 2}, {1, 2, 0.5, 3}), unit_scale, scalar(e, 0)};
        CHECK(made(a, b, {{}, unit_scale, scalar(e, 0)}) == real_numbers{0.5, -3});
    }
}
TEST_CASE("QLinearMatMul refuses what does not fit") {
    const side a{random_codes(u8, {2, 3}, 1), unit_scale, scalar(u8, 0)},
        b{random_codes(u8, {3, 4}, 2), unit_scale, scalar(u8, 0)}, y{{}, unit_scale, scalar(u8, 0)};
    CHECK(product(a, b, y).answer.reason.empty());
    CHECK(product({a.x, numbers(f32, {3}, {1, 1, 1}), a.zero}, b, y).answer.reason ==
          "a's scale and zero point must be one number, or one per row");
    CHECK(product(a, {b.x, unit_scale, random_codes(u8, {3}, 1)}, y).answer.reason ==
          "b's scale and zero point must be one number, or one per column");
    CHECK(product(a, b, {{}, numbers(f32, {4}, {1, 1, 1, 1}), y.zero}).answer.reason ==
          "y_scale and y_zero_point must be one number");
    CHECK(product({a.x, a.scale, scalar(i8, 0)}, b, y).answer.reason ==
          "a zero point has another type than what it belongs to");
    CHECK(product({a.x, scalar(f64, 1), a.zero}, b, y).answer.reason ==
          "the scales must be float, float16 or bfloat16");
    CHECK(product(a, {random_codes(u8, {2, 4}, 2), unit_scale, scalar(u8, 0)}, y).answer.reason ==
          "the operands disagree on the axis that is summed over");
}

namespace {
void as_codes(const outcome& y, const outcome& plain) {
    REQUIRE(y[0].shape() == plain[0].shape());
    CHECK(std::memcmp(y[0].data(), plain[0].data(), std::size_t(plain[0].bytes())) == 0);
}
call with_weights(const side& a, const side& b, const side& y) {
    return {.inputs = {a.x, a.scale, a.zero, operand::weight(b.x), b.scale, operand::weight(b.zero), y.scale, y.zero},
            .outputs = {y.zero.type()}};
}
void beside(const side& a, const side& b, const side& y) {
    CAPTURE(to_string(a.x.shape()), to_string(b.x.shape()), int(a.x.type()), int(b.x.type()), int(y.zero.type()));
    beside_plain<op::qlinear_matmul>(with_weights(a, b, y), as_codes);
}
tensor some_scales(const shape& dims, unsigned seed) { return elementwise::random_tensor(dims, seed, .001, .02); }
}  // namespace
TEST_CASE(
    "QLinearMatMul on the CPU agrees with the reference kernel at every tail, for all types and forms of scales") {
    for (element ae : {u8, i8})
        for (element be : {u8, i8}) {
            const auto sizes = [&](std::int64_t m, std::int64_t k, std::int64_t n) {
                const side a{random_codes(ae, {m, k}, 1), single(.013f), scalar(ae, 5)},
                    one_b{random_codes(be, {k, n}, 2), single(.017f), scalar(be, 3)},
                    each_b{one_b.x, some_scales({n}, 3), random_codes(be, {n}, 4)};
                const side y{{}, single(.3f), scalar(ae, 60)}, z{{}, single(.25f), scalar(be, 100)};
                beside(a, one_b, y);
                beside({a.x, a.scale, random_codes(ae, {m}, 5)}, each_b, z);
                beside(a, {each_b.x, each_b.scale, scalar(be, be == u8 ? 128 : 0)}, z);
            };
            for (std::int64_t n = 1; n <= 67; ++n) sizes(3, 9, n);
            for (std::int64_t m = 1; m <= 31; ++m) sizes(m, 8, 21);
            for (std::int64_t k = 0; k <= 35; ++k) sizes(5, k, 33);
            sizes(0, 4, 5);
            sizes(4, 5, 0);
        }
}
TEST_CASE(
    "QLinearMatMul on the CPU agrees with the reference kernel for more rows than it requantises at once, and "
    "batches") {
    const side y{{}, single(3.f), scalar(i8, 6)};
    for (const auto& [a, b] : {std::pair<shape, shape>{{700, 40}, {40, 300}},
                               {{61, 70}, {70, 1500}},
                               {{3, 5, 20}, {20, 37}},
                               {{2, 300, 8}, {2, 8, 70}},
                               {{2, 1, 20, 7}, {1, 5, 7, 34}},
                               {{20}, {3, 20, 33}},
                               {{3, 4, 20}, {20}}}) {
        beside({random_codes(u8, a, 1), single(.5f), scalar(u8, 100)},
               {random_codes(i8, b, 2), single(.4f), scalar(i8, 3)}, y);
        if (b.rank < 2) continue;
        shape columns = b;
        columns[b.rank - 2] = 1;
        beside({random_codes(u8, a, 1), single(.5f), scalar(u8, 100)},
               {random_codes(i8, b, 2), some_scales(columns, 3), random_codes(i8, columns, 4)}, y);
    }
}
TEST_CASE("QLinearMatMul on the CPU agrees with the reference kernel for extreme quantized values and any scales") {
    for (const auto& s : odd_scales)
        for (int code : {0, 127, 128, 255})
            for (element e : {u8, i8}) {
                tensor x(u8, {3, 50}), w(i8, {50, 18});
                std::memset(x.data(), code, 150);
                std::memset(w.data(), 255 - code, 900);
                CAPTURE(s[0], s[1], s[2], code);
                beside({x, single(s[0]), scalar(u8, 255)}, {w, single(s[1]), scalar(i8, -128)},
                       {{}, single(s[2]), scalar(e, 100)});
            }
    for (element e : {f16, bf16})
        beside({random_codes(u8, {5, 20}, 1), scalar(e, .5), scalar(u8, 9)},
               {random_codes(i8, {20, 9}, 2), scalar(e, .25), scalar(i8, 1)}, {{}, scalar(e, 8), scalar(u8, 7)});
}
TEST_CASE("QLinearMatMul on the CPU leaves several scales of A to the reference kernel") {
    const side a{random_codes(u8, {2, 3}, 1), unit_scale, scalar(u8, 0)},
        b{random_codes(u8, {3, 4}, 2), unit_scale, scalar(u8, 0)}, y{{}, unit_scale, scalar(u8, 0)};
    const auto reason = [](const call& c) { return run<op::qlinear_matmul, device::cpu>(c).answer.reason; };
    CHECK(reason(with_weights(a, b, y)).empty());
    CHECK(reason(with_weights({a.x, numbers(f32, {2}, {1, 2}), a.zero}, b, y)) == "the fast kernel has one scale of A");
}
