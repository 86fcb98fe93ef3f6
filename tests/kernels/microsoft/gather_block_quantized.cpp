// Mirrors kernels/inlay/microsoft/gather_block_quantized.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/gather_block_quantized.hpp>
#include <on_test_devices/microsoft/gather_block_quantized.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
using op::gather_block_quantized;
tensor bytes(const shape& dims, const real_numbers& values) { return numbers(element::u8, dims, values); }
// Three rows of 32 int4 values in two blocks, dequantized with zero points; and the last of them.
call four_bits(element index = element::i64) {
    return {.inputs = {bytes({3, 16}, {78,  204, 64, 34,  16,  250, 233, 32,  103, 122, 13,  204, 138, 172, 208, 127,
                                       124, 100, 12, 151, 222, 203, 251, 153, 211, 235, 80,  182, 176, 41,  88,  7,
                                       141, 241, 73, 124, 223, 123, 222, 37,  84,  55,  200, 102, 211, 60,  159, 237}),
                       numbers(index, {3}, {2, -3, 7}), numbers(element::f32, {3, 2}, {.5, 1, 2, .25, 1.5, .75}),
                       bytes({3, 1}, {0x93, 0x5f, 0x28})},
            .with = with({{"bits", 4}, {"block_size", 16}}),
            .outputs = {element::f32}};
}
const real_numbers two_rows{7.5,  0,    -10.5, 10.5, 1.5,  -6,   6,    -1.5, 10.5, 7.5, 4.5,  -1.5, 9,
                            7.5,  -4.5, -9,    1.5,  2.25, 3.75, 0.75, 4.5,  7.5,  3,   3,    0.75, 8.25,
                            7.5,  0.75, 9.75,  5.25, 8.25, 9,    5.5,  0.5,  4.5,  4.5, -1.5, 0.5,  -0.5,
                            -0.5, -1.5, -1,    3.5,  6,    3,    5.5,  -1.5, -0.5, -2,  -3,   1,    -2,
                            4,    -9,   3,     3,    1,    -1,   3,    1,    -9,   4,   6,    -2};
real_numbers gathered(const call& c) { return numbers(on_reference<gather_block_quantized>(c)); }
std::string_view reason(const call& c) { return run<gather_block_quantized, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("GatherBlockQuantized takes rows of 4-bit quantized values, and zeros where an index is out of range") {
    real_numbers expected = two_rows;
    expected.resize(96);
    for (element index : {element::i32, element::i64}) {
        call c = four_bits(index);
        CHECK(gathered(c) == expected);
        c.threads = 3;
        const tensor y = on_reference<gather_block_quantized>(c);
        CHECK(y.shape() == shape{3, 32});
        CHECK(numbers(y) == expected);
    }
    call half = four_bits();
    half.inputs[2] = numbers(element::f16, {3, 2}, {.5, 1, 2, .25, 1.5, .75});
    half.outputs = {element::f16};
    CHECK(gathered(half) == expected);
    half.inputs[2] = numbers(element::bf16, {3, 2}, {.5, 1, 2, .25, 1.5, .75});
    half.outputs = {element::bf16};
    CHECK(gathered(half) == expected);
}
TEST_CASE(
    "GatherBlockQuantized takes bytes as 2-bit and 8-bit quantized values too, with the zero point in the middle") {
    call c{.inputs = {bytes({2, 8}, {53, 138, 57, 140, 55, 21, 7, 18, 118, 67, 241, 138, 148, 221, 56, 33}),
                      numbers(element::i64, {1}, {1}), numbers(element::f32, {2, 2}, {.5, 1, 2, .25}),
                      bytes({2, 1}, {9, 6})},
           .with = with({{"bits", 2}, {"block_size", 16}}),
           .outputs = {element::f32}};
    CHECK(gathered(c) == real_numbers{0, -2,  2,     -2,   2,   -4,    -4, -2,    -2,   -4,   2,
                                      2, 0,   0,     -4,   0,   -0.25, 0,  0,     0.25, 0,    0.5,
                                      0, 0.5, -0.25, 0.25, 0.5, -0.25, 0,  -0.25, 0.25, -0.25});
    c.inputs.resize(3);
    CHECK(gathered(c)[0] == 0);
    CHECK(gathered(c)[1] == -2);
    CHECK(gathered(c)[4] == 2);  // 3 - 2, in steps of 2
    c.with = with({{"bits", 8}, {"block_size", 16}});
    c.inputs[2] = numbers(element::f32, {2, 1}, {.5, 2});
    CHECK(gathered(c) == real_numbers{-20, -122, 226, 20, 40, 186, -144, -190});
    c.inputs.push_back(bytes({2, 1}, {0, 100}));
    CHECK(gathered(c) == real_numbers{36, -66, 282, 76, 96, 242, -88, -134});
}
TEST_CASE("GatherBlockQuantized gathers int4 along one axis that has blocks along another") {
    const real_numbers codes{4, 7,  7, 1,  5, -3, -6, 0, -1, 2,  7,  -4, 5, -6, -3, 4,  -5,
                             2, -1, 0, 7,  5, 5,  0,  7, 7,  -6, -5, -4, 0, 5,  -1, 7,  -3,
                             6, 1,  3, -5, 1, 4,  6,  5, 7,  -6, 4,  -1, 2, -4, -8, -7, 7};
    call c{.inputs = {numbers(element::i4, {17, 3}, codes), numbers(element::i32, {2, 1}, {2, 0}),
                      numbers(element::f32, {2, 3}, {2, .75, 1, .5, .5, 1.75}),
                      numbers(element::i4, {2, 3}, {1, -2, 3, 0, 2, -1})},
           .with = with({{"gather_axis", 1}, {"quantize_axis", 0}, {"block_size", 16}}),
           .outputs = {element::f32}};
    const tensor y = on_reference<gather_block_quantized>(c);
    CHECK(y.shape() == shape{17, 2, 1});
    CHECK(numbers(y) == real_numbers{4,  6,  -6,  0, -4, -14, -7, 2,  -6, 8, -1, 6, 4,  -4, -3, 8,  -9,
                                     12, -3, -12, 4, 8,  -2,  -8, -2, 4,  2, 6,  1, 12, -7, -4, 14, -4});
    c.inputs.resize(3);  // no zero points: they are 0
    CHECK(gathered(c)[0] == 7);
    CHECK(gathered(c)[1] == 8);
    c.inputs[0] = numbers(element::u4, {17, 3}, real_numbers(51, 15));
    CHECK(gathered(c)[0] == 15);
    CHECK(gathered(c)[33] == 7.5);
}
TEST_CASE("GatherBlockQuantized takes rows of int4 and uint4 whose last block is cut") {
    for (element e : {element::i4, element::u4}) {
        const int least = e == element::i4 ? -8 : 0;
        real_numbers codes, scales, zeros, expected;
        for (int i = 0; i < 3 * 41; ++i) codes.push_back(i * 7 % 16 + least);
        for (int i = 0; i < 3 * 3; ++i) {
            scales.push_back(.25 * (i + 1));
            zeros.push_back(i * 5 % 16 + least);
        }
        for (int row : {2, 0})
            for (int j = 0; j < 41; ++j) {
                const auto block = std::size_t(row * 3 + j / 16);
                expected.push_back((codes[std::size_t(row * 41 + j)] - zeros[block]) * scales[block]);
            }
        const call c{.inputs = {numbers(e, {3, 41}, codes), numbers(element::i64, {2}, {2, 0}),
                                numbers(element::f32, {3, 3}, scales), numbers(e, {3, 3}, zeros)},
                     .with = with({{"block_size", 16}}),
                     .outputs = {element::f32}};
        CHECK(gathered(c) == expected);
    }
}
TEST_CASE("GatherBlockQuantized takes small floats, whose scales broadcast") {
    for (element e : {element::f8e4m3fn, element::f8e4m3fnuz, element::f8e5m2, element::f8e5m2fnuz, element::f4e2m1}) {
        real_numbers codes;
        for (int i = 0; i < 40; ++i) codes.push_back(i % 5 - 2);
        call c{.inputs = {numbers(e, {2, 20}, codes), numbers(element::i64, {1}, {1}),
                          numbers(element::f32, {2, 2}, {1, 1, 2, 3})},
               .with = with({{"block_size", 16}}),
               .outputs = {element::f32}};
        real_numbers expected;
        for (int i = 0; i < 20; ++i) expected.push_back(codes[std::size_t(20 + i)] * (i < 16 ? 2 : 3));
        CHECK(gathered(c) == expected);
        c.inputs[2] = numbers(element::f32, {1, 1}, {.5});
        c.with = with({{"block_size", 0}});
        for (int i = 0; i < 20; ++i) expected[std::size_t(i)] = codes[std::size_t(20 + i)] * .5;
        CHECK(gathered(c) == expected);
    }
}
TEST_CASE("GatherBlockQuantized has a result without elements") {
    call c = four_bits();
    c.inputs[1] = tensor(element::i64, {0});
    CHECK(on_reference<gather_block_quantized>(c).shape() == shape{0, 32});
    c.inputs[0] = tensor(element::u8, {0, 16});
    c.inputs[1] = numbers(element::i64, {2}, {0, -1});
    c.inputs[2] = tensor(element::f32, {0, 2});
    c.inputs[3] = tensor(element::u8, {0, 1});
    CHECK(gathered(c) == real_numbers(64, 0));
}
TEST_CASE("GatherBlockQuantized refuses what does not fit") {
    call c = four_bits();
    c.with = with({{"bits", 3}, {"block_size", 16}});
    CHECK(reason(c) == "bits must be 2, 4 or 8");
    for (std::int64_t block : {0, 8, 24, -16}) {
        c.with = with({{"block_size", block}});
        CHECK(reason(c) == "block_size must be a power of two from 16 on, or 0 for numbers that are no integers");
    }
    c.with = with({{"block_size", std::int64_t(1) << 62}});
    CHECK(reason(c) == "scales must have the shape of data, but one element per block along quantize_axis");
    c.with = with({{"block_size", 16}, {"gather_axis", 1}, {"quantize_axis", 0}});
    CHECK(reason(c) == "gather_axis must be 0 for uint8");
    c.with = with({{"block_size", 16}, {"quantize_axis", 0}});
    CHECK(reason(c) == "packed data cannot be gathered along the axis of its blocks");
    c.with = with({{"block_size", 16}, {"quantize_axis", 2}});
    CHECK(reason(c) == "an axis is out of range");
    c = four_bits();
    c.inputs[2] = tensor(element::f32, {3});
    CHECK(reason(c) == "scales must have the rank of data");
    c = four_bits();
    c.inputs[3] = tensor(element::u8, {3, 2});
    CHECK(reason(c) == "zero_points must have the shape of scales, packed as data is");
    c.inputs[3] = tensor(element::u4, {3, 1});
    CHECK(reason(c) == "data and zero_points must have one type");
    c.inputs[1] = tensor(element::i16, {3});
    c.inputs.resize(3);
    CHECK(reason(c) == "the indices are neither int32 nor int64");
    c.inputs.resize(2);
    CHECK(reason(c) == "data, indices or scales is missing");
}
namespace {
// Rows of quantized values in blocks of 16 along the last axis, some by indices that are negative or out of range.
template <class T> call rows_of_codes(element e, std::int64_t length, int bits, bool zeros) {
    const std::int64_t blocks = (length + 15) / 16;
    const auto codes = [&](std::int64_t count, unsigned seed) {
        if (e != element::u8) return random_codes(e, {5, 2, count}, seed);
        return random_codes(e, {5, 2, (count * bits + 7) / 8}, seed);
    };
    call c{.inputs = {codes(length, 1), numbers(element::i64, {4}, {4, -5, 5, 2}),
                      random_tensor<T>({5, 2, blocks}, 2, .01, .1)},
           .with = with({{"bits", bits}, {"block_size", 16}, {"quantize_axis", 2}}),
           .outputs = {element_of<T>}};
    if (zeros) c.inputs.push_back(codes(blocks, 3));
    return c;
}
template <class T> void check_exactly(const call& c) {
    beside_plain<gather_block_quantized>(
        c, [](const outcome& y, const outcome& plain) { CHECK(same<T>(y[0], plain[0], 0)); });
}
}  // namespace
TEMPLATE_TEST_CASE("The fast GatherBlockQuantized equals the reference kernel at every tail length", "[threads]", float,
                   float16, bfloat16) {
    for (element e : {element::i4, element::u4, element::u8})
        for (bool zeros : {false, true})
            for (std::int64_t length = 2; length <= 68; length += 2) {
                CAPTURE(name_of(e), zeros, length);
                check_exactly<TestType>(rows_of_codes<TestType>(e, length, 4, zeros));
            }
    for (std::int64_t length = 1; length <= 35; ++length)
        check_exactly<TestType>(rows_of_codes<TestType>(element::u8, length, 8, length % 2));
}
TEMPLATE_TEST_CASE("The fast GatherBlockQuantized takes blocks of any size, and a last one that is cut", "", float,
                   float16) {
    for (std::int64_t block : {16, 32, 256, 1024}) {
        call c = rows_of_codes<TestType>(element::u8, 1000, 4, false);
        c.inputs[2] = random_tensor<TestType>({5, 2, (1000 + block - 1) / block}, 2, .01, .1);
        c.with = with({{"block_size", block}, {"quantize_axis", 2}});
        check_exactly<TestType>(c);
    }
}
TEST_CASE("The fast GatherBlockQuantized leaves other orders of blocks and other numbers to the reference kernel") {
    const auto reason = [](const call& c) { return run<gather_block_quantized, device::cpu>(c).answer.reason; };
    call c = rows_of_codes<float>(element::u8, 32, 2, false);
    CHECK(reason(c) == "fast only for 4-bit and 8-bit quantized values");
    c = rows_of_codes<float>(element::i4, 33, 4, false);
    CHECK(reason(c) == "fast only where a row of codes fills its bytes");
    c = rows_of_codes<float>(element::i4, 32, 4, false);
    c.with = with({{"block_size", 16}, {"quantize_axis", 2}, {"gather_axis", 2}});
    CHECK(reason(c) == "fast only where rows of codes are gathered");
    c.inputs[2] = random_tensor<float>({1, 2, 32}, 2);
    c.with = with({{"block_size", 16}, {"quantize_axis", 0}});
    CHECK(reason(c) == "fast only for integers in blocks along the last axis");
}
