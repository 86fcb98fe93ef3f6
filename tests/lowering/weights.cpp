// Weights as the integers that they were dequantized from.
#include "lowered.hpp"
#include <cstring>
using namespace inlay;
using namespace inlay::testing;

namespace {
operand input_of(element type) {
    operand x{0, {1, 1}, type};
    x.quantized = quantisation{type, 0, {0.1f}};
    return x;
}
}  // namespace

TEST_CASE("Weights of one scale have the input's sign, and their zero point with it") {
    const quantisation q{element::u8, 128, {0.5f}};
    const byte_weights same(q, input_of(element::u8)), shifted(q, input_of(element::i8));
    CHECK(same.zero() == 128);
    CHECK(same.quantized({0, 0.5f, -1}, 3, 1) == std::vector{char(128), char(129), char(126)});
    CHECK(shifted.zero() == 0);
    CHECK(shifted.quantized({0, 0.5f, -1}, 3, 1) == std::vector{char(0), char(1), char(-2)});
}
TEST_CASE("A scale for each channel goes by the channel, and the bias is in units of both scales") {
    const byte_weights per_channel({element::i8, 0, {0.5f, 0.25f}}, input_of(element::u8));
    CHECK(per_channel.each());
    CHECK(per_channel.quantized({1, 1, 1, 1}, 2, 2) == std::vector{char(2), char(2), char(4), char(4)});
    CHECK(per_channel.quantized_bias({1, 1}) == std::vector{20, 40});
}
TEST_CASE("A constant's elements are of its own type, in the order of memory") {
    const graph_view graph{};
    const region nowhere{graph, {}, {}, {}};
    operand x{0, {1, 2, 1, 2}};
    x.elements = [] { return std::vector{1.f, 2.f, 3.f, 4.f}; };
    x.order = layout::channels_last;
    x.type = element::f16;
    const std::vector<char> halves = stored_elements(nowhere, x);
    REQUIRE(halves.size() == 8);
    float16 second;
    std::memcpy(&second, halves.data() + 2, 2);
    CHECK(float(second) == 3.f);
    x.type = element::u8;
    x.quantized = quantisation{element::u8, 10, {0.5f}};
    CHECK(stored_elements(nowhere, x) == std::vector{char(12), char(16), char(14), char(18)});
}
