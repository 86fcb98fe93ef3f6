// Mirrors kernels/inlay/cpu/isa/gemm_bf16.hpp: matmuls and convolutions with precision::bfloat16.
#include "../bf16.hpp"
#include "../dense.hpp"
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/cpu/onnx/gemm.hpp>
#include <inlay/cpu/onnx/matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

// The same operands for the reference kernel: weights rounded, and the other one where the level multiplies bfloat16.
static tensor seen(const tensor& x, isa::level l) { return gemm_bf16_pairs(l) ? rounded(x) : x; }
static call in_bf16(call c) {
    c.precision = precision::bfloat16;
    return c;
}

TEST_CASE("Products of bfloat16 are exact for small whole numbers, at every size of a tail") {
    const auto agree = [](std::int64_t m, std::int64_t k, std::int64_t n) {
        CAPTURE(m, k, n);
        const tensor a = whole({m, k}, 1), b = whole({k, n}, 2), c = whole({n}, 3),
                     y = on_reference<op::fused_matmul>({{a, b, c}});
        at_every_level([&](isa::level l) {
            CHECK(same<float>(on_cpu<op::fused_matmul>(in_bf16({{a, operand::weight(b), c}}), l), y));
            CHECK(same<float>(on_cpu<op::gemm>(in_bf16({{a, operand::weight(b), c}}), l), y));
        });
    };
    for (std::int64_t n = 0; n <= 67; ++n) agree(3, 9, n);
    for (std::int64_t n = 1; n <= 67; n += 3) agree(17, 8, n);
    for (std::int64_t m = 0; m <= 31; ++m) agree(m, 7, 37);
    for (std::int64_t k = 0; k <= 67; ++k) agree(5, k, 33);
    for (std::int64_t k : {1535, 1537, 3071, 3072, 3073, 6145})
        for (std::int64_t m : {1, 15}) agree(m, k, 40);  // slabs
    agree(300, 300, 65);                                 // several blocks of rows
    agree(60, 2048, 130);                                // rows that share cache sets
    agree(1, 64, 1000);
}
TEST_CASE("Products of bfloat16 differ from those of rounded operands by the order of float sums only") {
    for (const auto& [m, k, n] :
         {std::array<std::int64_t, 3>{1, 700, 130}, {4, 333, 70}, {33, 1001, 50}, {130, 64, 96}}) {
        CAPTURE(m, k, n);
        const tensor a = fractions({m, k}, 1), b = fractions({k, n}, 2);
        tensor transposed(element::f32, {n, k});
        for (std::int64_t i = 0; i < k; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                transposed.as<float>()[std::size_t(j * k + i)] = b.as<float>()[std::size_t(i * n + j)];
        const attributes swap = [](graph_data& g) {
            return list_of_attributes{g.make("transB", std::int64_t(1)),
                                      g.make("activation", std::string_view("Gelu"))};
        };
        const attributes gelu = [](graph_data& g) {
            return list_of_attributes{g.make("activation", std::string_view("Gelu"))};
        };
        at_every_level([&](isa::level l) {
            const tensor y = on_reference<op::fused_matmul>({{seen(a, l), rounded(b)}, gelu});
            CHECK(difference(on_cpu<op::fused_matmul>(in_bf16({{a, operand::weight(b)}, gelu}), l), y) < 1e-5);
            CHECK(difference(on_cpu<op::fused_gemm>(in_bf16({{a, operand::weight(transposed)}, swap}), l), y) < 1e-5);
            CHECK(difference(on_cpu<op::fused_matmul>({{a, operand::weight(b)}, gelu}, l), y) >
                  1e-4);  // else nothing was rounded
        });
    }
}
TEST_CASE("Gemm of bfloat16 transposes A, and rounds B times alpha") {
    const tensor a = fractions({40, 21}, 1), b = fractions({40, 70}, 2), c = fractions({21, 1}, 3);
    const attributes with = [](graph_data& g) {
        return list_of_attributes{g.make("transA", std::int64_t(1)), g.make("alpha", 0.3), g.make("beta", 2.0)};
    };
    const attributes scaled = [](graph_data& g) {
        return list_of_attributes{g.make("transA", std::int64_t(1)), g.make("beta", 2.0)};
    };
    tensor times = b;
    times = tensor(element::f32, b.shape());
    for (std::size_t i = 0; i < times.as<float>().size(); ++i) times.as<float>()[i] = b.as<float>()[i] * 0.3f;
    at_every_level([&](isa::level l) {
        CHECK(difference(on_cpu<op::gemm>(in_bf16({{a, operand::weight(b), c}, with}), l),
                         on_reference<op::gemm>({{seen(a, l), rounded(times), c}, scaled})) < 1e-5);
    });
}
TEST_CASE("Products of bfloat16 serve batches, with one matrix of weights or several") {
    for (const auto& [a, b] : {std::pair<shape, shape>{{3, 5, 20}, {20, 37}},
                               {{4, 1, 20}, {4, 20, 37}},
                               {{2, 17, 21}, {1, 21, 70}},
                               {{6, 3, 21}, {6, 21, 40}},
                               {{2, 20}, {3, 20, 33}}}) {
        CAPTURE(to_string(a), to_string(b));
        const tensor left = whole(a, 1), right = whole(b, 2), y = on_reference<op::matmul>({{left, right}});
        at_every_level([&](isa::level l) {
            CHECK(same<float>(on_cpu<op::matmul>(in_bf16({{left, operand::weight(right)}}), l), y));
        });
    }
    const tensor a = fractions({9, 20}, 1), b = fractions({20, 37}, 2);  // no weights: nothing is rounded
    at_every_level([&](isa::level l) {
        CHECK(same<float>(on_cpu<op::matmul>(in_bf16({{a, b}}), l), on_cpu<op::matmul>({{a, b}}, l)));
    });
}
TEST_CASE("Products of bfloat16 keep NaN and infinity where they belong, and what rounds to infinity is infinite") {
    tensor a = whole({9, 21}, 1), b = whole({21, 37}, 2);
    a.as<float>()[23] = quiet_nan;
    a.as<float>()[3 * 21] = infinity;  // after the end of a row of odd length
    b.as<float>()[5] = -infinity;
    b.as<float>()[40] = std::bit_cast<float>(0x7fffffffu);  // a NaN that would round to zero
    tensor transposed(element::f32, {37, 21});
    for (std::size_t i = 0; i < 21; ++i)
        for (std::size_t j = 0; j < 37; ++j) transposed.as<float>()[j * 21 + i] = b.as<float>()[i * 37 + j];
    const tensor y = on_reference<op::matmul>({{a, b}});
    const attributes swap = [](graph_data& g) { return list_of_attributes{g.make("transB", std::int64_t(1))}; };
    at_every_level([&](isa::level l) {
        CHECK(same<float>(on_cpu<op::matmul>(in_bf16({{a, operand::weight(b)}}), l), y));
        CHECK(same<float>(on_cpu<op::gemm>(in_bf16({{a, operand::weight(transposed)}, swap}), l), y));
    });
    const tensor unit = list<float>({1, 1}, {1}), huge = list<float>({1, 1}, {3.4e38}),
                 half_way = list<float>({1, 1}, {1 + 1 / 256.});
    at_every_level([&](isa::level l) {
        CHECK(same<float>(on_cpu<op::matmul>(in_bf16({{unit, operand::weight(huge)}}), l),
                          list<float>({1, 1}, {infinity})));
        CHECK(same<float>(on_cpu<op::matmul>(in_bf16({{huge, operand::weight(unit)}}), l),
                          gemm_bf16_pairs(l) ? list<float>({1, 1}, {infinity}) : huge));
        CHECK(
            same<float>(on_cpu<op::matmul>(in_bf16({{unit, operand::weight(half_way)}}), l), unit));  // a tie: to even
    });
}
TEST_CASE("GELU after a product of bfloat16 is at most 5e-5 off") {
    tensor x(element::f32, {1601, 1});
    for (std::size_t i = 0; i < 1601; ++i) x.as<float>()[i] = (float(i) - 800) / 64;
    x = rounded(x);
    x.as<float>()[0] = -0x1p100f, x.as<float>()[1] = 0x1p100f;
    const tensor unit = list<float>({1, 1}, {1});
    const attributes gelu = [](graph_data& g) {
        return list_of_attributes{g.make("activation", std::string_view("Gelu"))};
    };
    at_every_level([&](isa::level l) {
        const tensor y = on_cpu<op::fused_matmul>(in_bf16({{x, operand::weight(unit)}, gelu}), l);
        CHECK(y.as<float>()[0] == 0);
        CHECK(y.as<float>()[1] == 0x1p100f);
        for (std::size_t i = 2; i < 1601; ++i) {
            const double v = x.as<float>()[i];
            CHECK(std::abs(y.as<float>()[i] - v / 2 * std::erfc(-v / std::sqrt(2.))) < 5e-5);
        }
    });
}
TEST_CASE("What is rounded takes half the memory of floats") {
    using product = kernel<op::matmul, device::cpu, types<float>>;
    product::params p{};
    p.m = 4, p.k = 768, p.n = 3072, p.constant = true;
    for (isa::level l : isa::linked) {
        p.bf16 = false;
        const std::int64_t floats = product::footprint(p, l, 1).constant;
        p.bf16 = true;
        CHECK(2 * product::footprint(p, l, 1).constant == floats);
    }
}

struct window {
    std::int64_t stride = 1, pad = 0, dilation = 1, group = 1;
};
static attributes sliding(const window& v, int rank) {
    return [=](graph_data& g) {
        const std::vector<std::int64_t> strides(std::size_t(rank), v.stride), pads(std::size_t(2 * rank), v.pad),
            dilations(std::size_t(rank), v.dilation);
        return list_of_attributes{g.make("strides", std::span(strides)), g.make("pads", std::span(pads)),
                                  g.make("dilations", std::span(dilations)), g.make("group", v.group)};
    };
}
TEST_CASE("Convolutions of bfloat16 agree with the reference kernel over rounded operands") {
    using at_level = bool (*)(isa::level);
    const at_level never = [](isa::level) { return false; };
    const auto agree = [&](
                           const shape& x, const shape& w, const window& v,
                           at_level rounds = [](isa::level) { return true; }) {
        CAPTURE(to_string(x), to_string(w), v.stride, v.pad, v.dilation, v.group);
        const tensor input = fractions(x, 1), filter = fractions(w, 2), bias = fractions({w[0]}, 3);
        const auto with = sliding(v, x.rank - 2);
        at_every_level([&](isa::level l) {
            const tensor y = on_reference<op::conv>(
                {{rounds(l) ? seen(input, l) : input, rounds(l) ? rounded(filter) : filter, bias}, with});
            CHECK(difference(on_cpu<op::conv>(in_bf16({{input, operand::weight(filter), bias}, with}), l), y) < 2e-5);
        });
    };
    agree({2, 20, 6, 7}, {37, 20, 1, 1}, {});
    agree({1, 21, 6, 7}, {37, 21, 1, 1}, {});  // an odd number of channels
    agree({1, 21, 6, 7}, {37, 21, 3, 3}, {2, 1});
    agree({1, 9, 6, 7}, {12, 3, 3, 2}, {1, 1, 1, 3});
    agree({2, 20, 7, 9}, {33, 20, 1, 1}, {2});
    agree({2, 10, 7, 9}, {33, 10, 3, 3}, {1, 1});
    agree({1, 10, 9, 9}, {20, 10, 3, 2}, {2, 0});
    agree({1, 6, 12, 11}, {9, 6, 3, 3}, {1, 2, 2});
    agree({1, 24, 8, 8}, {36, 6, 3, 3}, {1, 1, 1, 4});  // groups
    agree({1, 24, 8, 8}, {24, 4, 1, 1}, {1, 0, 1, 6});
    agree({1, 12, 8, 8}, {12, 1, 3, 3}, {1, 1, 1, 12}, never);  // depthwise
    agree({1, 1, 9, 9}, {8, 1, 3, 3}, {1, 1}, never);
    for (std::int64_t size : {20, 70}) agree({1, 3, size, size}, {20, 3, 7, 7}, {2, 3});  // a first layer
    agree({1, 3, 9, 9}, {20, 3, 1, 1}, {});
    agree({1, 3, 9, 9}, {20, 3, 2, 2}, {});
    agree({1, 4, 9, 9}, {8, 4, 1, 1}, {});
    agree({1, 16, 40}, {24, 16, 5}, {1, 2});  // one axis
    agree({1, 128, 56, 30}, {40, 128, 3, 3}, {1, 1},
          [](isa::level l) { return l == isa::level::amx; });  // else Winograd's
    agree({1, 20, 5, 8, 7}, {24, 20, 3, 2, 3}, {1, 1});        // three axes
    agree({1, 3, 4, 20, 20}, {20, 3, 3, 7, 7}, {2, 3});
    agree({1, 128, 14, 14}, {40, 128, 3, 3}, {1, 1},
          [](isa::level l) { return gemm_bf16_pairs(l); });  // of so few pixels, only without bf16 dot products
    agree({1, 128, 15, 14}, {40, 128, 3, 3}, {2, 1});
    agree({1, 1024, 5, 5}, {33, 1024, 3, 3}, {2, 1});    // slabs, and pixels that share cache sets
    agree({1, 1024, 60, 20}, {33, 1024, 3, 3}, {2, 1});  // blocks of more rows, in tiles, for so many weights
    agree({1, 4096, 3, 4}, {33, 4096, 1, 1}, {2});
    agree({1, 2048, 4, 5}, {33, 2048, 1, 1}, {});
}
TEST_CASE("Convolutions of bfloat16 keep NaN to the pixels that see it") {
    tensor x = whole({1, 6, 9, 9}, 1);
    const tensor w = whole({5, 6, 3, 3}, 2);
    x.as<float>()[4 * 9 + 4] = quiet_nan;
    const auto with = sliding({1, 1}, 2);
    const tensor y = on_reference<op::conv>({{x, w}, with});
    at_every_level([&](isa::level l) {
        CHECK(same<float>(on_cpu<op::conv>(in_bf16({{x, operand::weight(w)}, with}), l), y));
    });
}
TEST_CASE("Strict convolutions never take Winograd's F(4x4, 3x3)") {
    for (std::int64_t channels : {32, 64, 512})
        for (std::int64_t size = 1; size <= 112; ++size) {
            conv_f32_params p;
            p.channels = p.out_channels = channels, p.height = p.width = p.out_height = p.out_width = size,
            p.kernel_h = p.kernel_w = 3, p.pad_top = p.pad_left = 1;
            p.precision = precision::strict;
            CHECK(p.form().side <= 2);
        }
    const tensor x = fractions({1, 64, 30, 30}, 1), w = fractions({64, 64, 3, 3}, 2);
    const auto with = sliding({1, 1}, 2);
    const tensor y = on_reference<op::conv>({{x, w}, with});
    at_every_level([&](isa::level l) {
        call strict{{x, operand::weight(w)}, with};
        strict.precision = precision::strict;
        CHECK(difference(on_cpu<op::conv>(strict, l), y) < 2e-6);
    });
}
