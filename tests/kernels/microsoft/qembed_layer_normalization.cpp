// Mirrors kernels/inlay/microsoft/qembed_layer_normalization.hpp. The expected numbers are ONNX Runtime's.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/qembed_layer_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
using op::qembed_layer_normalization;
constexpr element u8 = element::u8, f32 = element::f32, i32 = element::i32;
call embeddings() {
    return {.inputs = {numbers(i32, {2, 3}, {1, 4, 0, 2, 3, 3}), numbers(i32, {2, 3}, {0, 1, 1, 0, 0, 1}),
                       numbers(u8, {5, 3}, {168, 229, 184, 171, 238, 171, 20, 206, 245, 153, 204, 5, 37, 53, 213}),
                       numbers(u8, {4, 3}, {192, 173, 6, 120, 63, 96, 236, 131, 118, 4, 87, 161}),
                       numbers(u8, {2, 3}, {124, 71, 42, 73, 237, 16}), numbers(u8, {3}, {10, 103, 206}),
                       numbers(u8, {3}, {143, 2, 38}), numbers(i32, {2, 3}, {1, 0, 1, 1, 2, 0}), scalar(f32, .02),
                       scalar(f32, .03), scalar(f32, .01), scalar(f32, .04), scalar(f32, .05), scalar(u8, 120),
                       scalar(u8, 130), scalar(u8, 125), scalar(u8, 100), scalar(u8, 140)},
            .outputs = {f32, i32}};
}
std::string_view reason(const call& c) { return run<qembed_layer_normalization, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("QEmbedLayerNormalization normalises sums of embeddings of 8-bit numbers, and counts the ones of its mask") {
    const tensor expected = numbers(
        f32, {2, 3, 3},
        {-2.2538097, -6.810508, -11.093221, 3.1333349, -6.969371, 0.86479807, -2.6926382, -6.8254504, -11.082083,
         0.61625326, -6.7458773, -9.996524, -3.4622538, -6.856636, -10.886621, -2.6642897, -6.8244314, -11.084708});
    call c = embeddings();
    for (c.threads = 1; c.threads <= 3; c.threads += 2) {
        const auto y = run<qembed_layer_normalization, device::reference>(c);
        REQUIRE(y.code == status::ok);
        CHECK(same<float>(y[0], expected, 1e-5));
        CHECK(numbers(y[1]) == real_numbers{2, 1});
    }
    c.inputs[7] = {};
    const auto y = run<qembed_layer_normalization, device::reference>(c);
    CHECK(same<float>(y[0], expected, 1e-5));
    CHECK(numbers(y[1]) == real_numbers{0, 0});
    for (int k : {2, 3, 4, 5, 6, 13, 14, 15, 16, 17}) {  // int8, all values 128 less
        operand& o = c.inputs[std::size_t(k)];
        real_numbers codes = numbers(o.value);
        for (double& x : codes) x -= 128;
        o = numbers(element::i8, o.value.shape(), codes);
    }
    c.outputs = {f32};
    CHECK(same<float>(on_reference<qembed_layer_normalization>(c), expected, 1e-5));
}
TEST_CASE("QEmbedLayerNormalization needs no segments, and has an epsilon") {
    call c = embeddings();
    for (std::size_t k : {1, 4, 10, 15}) c.inputs[k] = {};
    CHECK(same<float>(on_reference<qembed_layer_normalization>(c),
                      numbers(f32, {2, 3, 3},
                              {-1.8899769, -6.799344, -11.059143, 1.1209931, -7.0280886, 0.56940556, -4.520543,
                               -6.9193473, -9.917261, 1.5342361, -6.7354965, -9.282131, -3.133305, -6.842398,
                               -11.002268, -3.6775768, -6.8668838, -10.778139}),
                      1e-5));
    c.with = [](graph_data& g) { return std::vector{g.make("epsilon", 1e12)}; };
    for (double y : numbers(on_reference<qembed_layer_normalization>(c)))  // beta is left
        CHECK((y == Approx(.15).margin(1e-4) || y == Approx(-6.9).margin(1e-4) || y == Approx(-5.1).margin(1e-4)));
    c.inputs[0] = tensor(i32, {0, 3});
    c.inputs[7] = {};
    CHECK(on_reference<qembed_layer_normalization>(c).shape() == shape{0, 3, 3});
}
TEST_CASE("QEmbedLayerNormalization refuses ids without an entry, and what does not fit") {
    for (double wrong : {-1., 5.}) {
        call c = embeddings();
        c.inputs[0] = numbers(i32, {2, 3}, {1, 4, 0, 2, 3, wrong});
        CHECK(run<qembed_layer_normalization, device::reference>(c).detail == "an id is out of range");
    }
    for (double wrong : {-1., 2.}) {
        call c = embeddings();
        c.inputs[1] = numbers(i32, {2, 3}, {0, 1, 1, wrong, 0, 1});
        CHECK(run<qembed_layer_normalization, device::reference>(c).detail == "an id is out of range");
    }
    call c = embeddings();
    for (std::size_t k : {0, 1, 7}) c.inputs[k] = numbers(i32, {1, 5}, {0, 0, 0, 0, 0});
    CHECK(run<qembed_layer_normalization, device::reference>(c).detail == "there are more rows than positions");
    const auto with_input = [](std::size_t k, operand o) {
        call c = embeddings();
        c.inputs[k] = std::move(o);
        return c;
    };
    CHECK(reason(with_input(10, {})) == "an input is missing; those of segments come together");
    CHECK(reason(with_input(5, {})) == "an input is missing; those of segments come together");
    CHECK(reason(with_input(0, tensor(i32, {6}))) == "the ids must be [batch, rows], the tables [entries, size]");
    CHECK(reason(with_input(3, tensor(u8, {4, 2}))) == "the ids must be [batch, rows], the tables [entries, size]");
    CHECK(reason(with_input(7, tensor(i32, {2}))) == "segment ids and mask must have the shape of the ids");
    CHECK(reason(with_input(6, tensor(u8, {2}))) == "gamma and beta must have one number per column of the tables");
    CHECK(reason(with_input(8, tensor(f32, {2}))) == "scales and zero points must be one number");
    CHECK(reason(with_input(4, tensor(element::i8, {2, 3}))) ==
          "a zero point has another type than what it belongs to");
    CHECK(reason(with_input(0, tensor(element::i64, {2, 3}))) == "ids and mask must be int32");
    c = embeddings();
    c.inputs.resize(17);
    CHECK(reason(c) == "QEmbedLayerNormalization has 18 inputs");
}
