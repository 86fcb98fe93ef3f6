// Mirrors kernels/inlay/microsoft/qattention.hpp and kernels/inlay/cpu/microsoft/qattention.hpp. The expected numbers
// are ONNX Runtime's.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/microsoft/qattention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor floats(const shape& dims, const real_numbers& x) { return numbers(element::f32, dims, x); }
tensor mask(const shape& dims, const real_numbers& x) { return numbers(element::i32, dims, x); }
// Two batches of three rows of four numbers; two heads of size two.
call attention(std::int64_t causal = 0) {
    return {.inputs = {numbers(element::u8, {2, 3, 4}, {248, 194, 190, 207, 147, 26,  237, 21, 245, 211, 239, 45,
                                                        5,   157, 159, 60,  54,  236, 109, 46, 199, 82,  32,  205}),
                       numbers(element::i8, {4, 12},
                               {14, 3,  -19, -17, -7,  -3, 4,   -1, -10, -14, 7,   9,  -19, -16, -2,  -5,
                                15, 0,  -4,  -3,  6,   3,  -14, 9,  10,  18,  11,  -9, -8,  5,   6,   7,
                                14, -9, 17,  -20, -17, 18, 17,  -9, -15, -8,  -19, 15, 6,   3,   -11, -2}),
                       floats({12}, {-0.265625, -0.25, 1, -0.890625, -0.296875, 0.875, 0.578125, 0.09375, 0.671875,
                                     -2.828125, 1.015625, -0.953125}),
                       floats({}, {.02}),
                       floats({}, {.03}),
                       {},
                       scalar(element::u8, 128),
                       scalar(element::i8, 0)},
            .with = with({{"num_heads", 2}, {"unidirectional", causal}}),
            .outputs = {element::f32}};
}
const real_numbers past_numbers{-1.6875, 0.25,   0.6875, -0.4375, -1.0625, 0,      -0.0625, 1.375,
                                0.75,    0.1875, 1.125,  -0.1875, -0.9375, 0.5625, 0.5625,  -0.1875};
bool gives(const call& c, const real_numbers& expected) {
    return same<float>(on_reference<op::qattention>(c), floats({2, 3, 4}, expected), 1e-5);
}
std::string_view reason(const call& c) { return run<op::qattention, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("QAttention attends to rows of its input by 8-bit numbers") {
    call c = attention();
    const real_numbers expected{0.840965569,  -4.07185316,  3.07393789,  -1.7930212,  0.881969869,  -4.33554173,
                                2.94943619,   -1.76619267,  0.887026608, -4.20344257, 2.74649858,   -1.56199157,
                                -0.190946415, -2.733114,    0.60468787,  -1.05404425, -0.423203498, -2.83879185,
                                0.522651672,  -0.850046039, 0.385023385, -2.47148585, 0.453751594,  -0.821198523};
    for (c.threads = 1; c.threads <= 3; ++c.threads) CHECK(gives(c, expected));
    // The same numbers as int8, where all values are 128 less.
    real_numbers codes = numbers(c.inputs[0].value);
    for (double& x : codes) x -= 128;
    c.inputs[0] = numbers(element::i8, {2, 3, 4}, codes);
    c.inputs[6] = {};
    CHECK(gives(c, expected));
    real_numbers weights = numbers(c.inputs[1].value);
    for (double& x : weights) x += 128;
    c.inputs[1] = numbers(element::u8, {4, 12}, weights);
    c.inputs[7] = scalar(element::u8, 128);
    CHECK(gives(c, expected));
}
TEST_CASE("QAttention leaves out the keys that its mask names, in each of the mask's forms") {
    call c = attention();
    c.inputs[5] = mask({2}, {2, 1});
    CHECK(gives(
        c, {0.816655278, -3.93764281, 3.70838141, -2.53975582, 0.775665283, -3.94402504, 3.29713035, -2.26598525,
            0.866859615, -3.92982602, 3.04976082, -2.10131097, 1.52987504,  -2.03252506, 1.02042496, -1.75112498,
            1.52987504,  -2.03252506, 1.02042496, -1.75112498, 1.52987504,  -2.03252506, 1.02042496, -1.75112498}));
    c.inputs[5] = mask({4}, {2, 3, 1, 0});
    CHECK(gives(c, {0.721074998,  -3.9525249,   3.77022481,  -2.58092499, 0.721074998,  -3.9525249,
                    3.77022481,   -2.58092499,  0.721074998, -3.9525249,  3.77022481,   -2.58092499,
                    -0.190946415, -2.733114,    0.60468787,  -1.05404425, -0.423203498, -2.83879185,
                    0.522651672,  -0.850046039, 0.385023385, -2.47148585, 0.453751594,  -0.821198523}));
    c.inputs[5] = mask({2, 3}, {1, 2, -3, 0, 1, 1});
    CHECK(gives(c, {0.816655278,  -3.93764281,  3.70838141,    -2.53975582,  0.775665283,  -3.94402504,
                    3.29713035,   -2.26598525,  0.866859615,   -3.92982602,  3.04976082,   -2.10131097,
                    -0.349156559, -2.79752541,  0.158598319,   -0.306070596, -0.441066444, -2.84616613,
                    0.168259516,  -0.208518416, -0.0436791033, -2.63585949,  0.155976728,  -0.332541913}));
    c.inputs[5] = mask({2, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1});
    CHECK(gives(
        c, {0.994674981, -3.90992498, 1.07622504,  -0.787524998, 0.775665283,  -3.94402504, 3.29713035, -2.26598525,
            0.887026608, -4.20344257, 2.74649858,  -1.56199157,  -0.190946415, -2.733114,   0.60468787, -1.05404425,
            1.04987502,  -2.05712509, 0.145025015, -0.44312501,  -0.448924899, -2.85032511, 0.21282506, 0.241474986}));
}
TEST_CASE("QAttention adds its fill to scores in its own scale, and sees no later rows where it is unidirectional") {
    call c = attention();
    c.inputs[5] = mask({2}, {2, 1});
    c.with = [](graph_data& g) {
        return std::vector{g.make("num_heads", std::int64_t(2)), g.make("unidirectional", std::int64_t(1)),
                           g.make("mask_filter_value", -1.), g.make("scale", 1.)};
    };
    CHECK(gives(
        c, {0.994674981, -3.90992498, 1.07622504,  -0.787524998, 0.754716337, -3.94728661, 3.498312,    -2.39991212,
            0.883912861, -4.13177013, 2.96873331,  -1.81790757,  1.52987504,  -2.03252506, 1.02042496,  -1.75112498,
            1.46101582,  -2.03605413, 0.803918481, -1.42762661,  0.619824708, -2.39010382, 0.638985813, -1.15058804}));
}
TEST_CASE("QAttention goes on from former keys and values, and gives back all of them") {
    call c = attention(1);
    c.inputs.push_back(floats({2, 2, 2, 1, 2}, past_numbers));
    c.outputs = {element::f32, element::f32};
    const real_numbers expected{0.871258616,  -1.84314501,  1.12310481,    -0.210813448, 0.77399826,   -3.67565846,
                                2.60467529,   -1.60338342,  0.867906928,   -3.59076333,  1.95555377,   -0.891533494,
                                -0.711802304, 0.325125784,  0.893372834,   -1.31729424,  -0.904246628, 0.52472806,
                                0.591245115,  -0.901090145, -0.0524810776, -1.46781182,  0.458508044,  -0.793482363};
    const auto y = run<op::qattention, device::reference>(c);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], floats({2, 3, 4}, expected), 1e-5));
    CHECK(same<float>(
        y[1],
        floats({2, 2, 2, 4, 2},
               {-1.6875, 0.25,    -1.21547496,  0.465800017,  -0.854874969, 1.68139994,   0.172924966,  1.39579999,
                0.6875,  -0.4375, 0.0303250551, 0.874349952,  2.48072481,   -0.239249974, 2.00552487,   -0.406649947,
                -1.0625, 0,       0.943924904,  1.5158,       1.81512499,   1.3448,       -1.24127495,  0.0896000266,
                -0.0625, 1.375,   1.10012496,   -0.366449982, 1.007725,     -0.874049962, -0.364474952, 0.423749983,
                0.75,    0.1875,  0.994674981,  -3.90992498,  0.721074998,  -3.9525249,   0.902274966,  -4.41032505,
                1.125,   -0.1875, 1.07622504,   -0.787524998, 3.77022481,   -2.58092499,  2.48982477,   -1.10552502,
                -0.9375, 0.5625,  1.52987504,   -2.03252506,  1.04987502,   -2.05712509,  -0.448924899, -2.85032511,
                0.5625,  -0.1875, 1.02042496,   -1.75112498,  0.145025015,  -0.44312501,  0.21282506,   0.241474986}),
        1e-5));
    c.outputs = {element::f32};
    CHECK(gives(c, expected));
    for (int k : {2, 3, 4, 8})
        c.inputs[std::size_t(k)] =
            numbers(element::f16, c.inputs[std::size_t(k)].value.shape(), numbers(c.inputs[std::size_t(k)].value));
    c.outputs = {element::f16};
    const auto half = numbers(on_reference<op::qattention>(c));
    for (std::size_t i = 0; i < 24; ++i) CHECK(half[i] == Approx(expected[i]).margin(.02));
}
TEST_CASE("QAttention has a scale and a zero point per column of its weights") {
    call c = attention();
    real_numbers scales, zeros;
    for (int j = 0; j < 12; ++j) {
        scales.push_back((j + 1) * .01);
        zeros.push_back(j);
    }
    c.inputs[4] = floats({12}, scales);
    c.inputs[7] = numbers(element::i8, {12}, zeros);
    CHECK(gives(
        c, {-0.227585286, -8.64706135, 1.40414417,  -7.5820837,  0.429368824,  -7.87111092, 7.2256813,    -6.437644,
            -2.0355916,   -11.3692141, 0.921083033, -7.6701231,  -2.32180858,  -2.7003634,  3.66405582,   -0.494551539,
            -2.7508533,   -2.99227095, 2.59889054,  0.308612257, -0.156581879, -1.23849738, -0.212578967, 2.47592521}));
}
TEST_CASE("QAttention refuses what does not fit") {
    const auto with_input = [](int k, operand o, std::int64_t causal = 0) {
        call c = attention(causal);
        c.inputs.resize(9);
        c.inputs[std::size_t(k)] = std::move(o);
        return c;
    };
    CHECK(reason(with_input(0, tensor(element::u8, {2, 3}))) == "X must be [batch, rows, depth], W [depth, columns]");
    CHECK(reason(with_input(1, tensor(element::i8, {4, 10}))) == "W must have columns for Q, K and V of all heads");
    CHECK(reason(with_input(2, tensor(element::f32, {11}))) == "bias must have one number per column of W");
    CHECK(reason(with_input(3, tensor(element::f32, {2}))) == "X's scale and zero point must be one number");
    CHECK(reason(with_input(4, tensor(element::f32, {3}))) ==
          "W's scale and zero point must be one number, or one per column");
    CHECK(reason(with_input(4, scalar(element::f16, 1))) == "bias, scales and past must have one type");
    CHECK(reason(with_input(5, tensor(element::i32, {5}))) ==
          "mask_index must be [batch], [2 * batch], [batch, keys] or [batch, rows, keys]");
    CHECK(reason(with_input(5, tensor(element::i64, {2}))) == "mask_index must be int32");
    CHECK(reason(with_input(6, scalar(element::i8, 1))) == "a zero point has another type than what it belongs to");
    CHECK(reason(with_input(8, tensor(element::f32, {2, 2, 2, 1, 3}))) == "past must be [2, batch, heads, rows, size]");
    CHECK(reason(with_input(1, {})) == "an input is missing");
    call c = attention();
    c.with = with({{"num_heads", 0}});
    CHECK(reason(c) == "num_heads must be positive");
    c.with = with({{"num_heads", 2}, {"do_rotary", 1}});
    CHECK(reason(c) == "rotary positions are not supported");
    c.with = with({{"num_heads", 2}, {"past_present_share_buffer", 1}});
    CHECK(reason(c) == "shared buffers are not supported");
    c = attention();
    c.inputs[0] = tensor(element::u8, {0, 3, 4});
    CHECK(on_reference<op::qattention>(c).shape() == shape{0, 3, 4});
    c.inputs[0] = tensor(element::u8, {2, 0, 4});
    CHECK(on_reference<op::qattention>(c).shape() == shape{2, 0, 4});
}
TEST_CASE("QAttention on the CPU agrees with the reference kernel with every mask, past, and form of scales") {
    const auto noise = [](const shape& dims, unsigned seed) { return random_tensor(dims, seed, -1, 1); };
    for (element e : {element::u8, element::i8})
        for (std::int64_t causal : {0, 1})
            for (std::int64_t past : {0, 3})
                for (int form = 0; form < 5; ++form) {
                    CAPTURE(int(e), causal, past, form);
                    const std::int64_t rows = 7, keys = past + rows;
                    const bool per_column = form % 2 == 1;
                    call c{.inputs = {random_codes(e, {2, rows, 20}, 1),
                                      operand::weight(random_codes(element::i8, {20, 36}, 2)),
                                      noise({36}, 3),
                                      single(.004f),
                                      random_tensor(per_column ? shape{36} : shape{}, 4, .002, .004),
                                      {},
                                      scalar(e, 20),
                                      operand::weight(per_column ? random_codes(element::i8, {36}, 5)
                                                                 : scalar(element::i8, 3))},
                           .with = with({{"num_heads", 3}, {"unidirectional", causal}}),
                           .outputs = {element::f32, element::f32}};
                    const std::vector<shape> masks{{}, {2}, {4}, {2, keys}, {2, rows, keys}};
                    if (form) {
                        tensor m(element::i32, masks[std::size_t(form)]);
                        for (std::int64_t i = 0; i < m.elements(); ++i)
                            m.as<std::int32_t>()[std::size_t(i)] = form > 2 ? i % 3 != 0
                                                                   : i < 2  ? std::int32_t(keys - i)
                                                                            : std::int32_t(i - 2);
                        c.inputs[5] = m;
                    }
                    if (past) c.inputs.push_back(noise({2, 2, 3, past, 4}, 6));
                    check_levels<op::qattention>(c, 2e-5, 2e-5);
                }
}
