// Kernels whose arguments may be slices of wider pixels: bit for bit what they compute of whole ones, and nothing is
// written outside a slice.
#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/fused/tile_program.hpp>
#include <inlay/cpu/onnx/batch_normalization.hpp>
#include <inlay/cpu/onnx/binary.hpp>
#include <inlay/cpu/onnx/concat.hpp>
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/cpu/onnx/pool.hpp>
#include <inlay/cpu/onnx/resize.hpp>
#include <inlay/cpu/onnx/split.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor random(const shape& dims, unsigned seed = 1) {
    tensor t(element::f32, dims);
    std::mt19937 g(seed);
    for (float& x : t.as<float>()) x = float(g() % 2001) / 1000 - 1;
    return t;
}
template <class Op> void agrees(call c, int slices) {
    c.in = layout::channels_last;
    for (const isa::level l : tested_levels())
        for (const int threads : {1, 3}) {
            CAPTURE(isa::name_of(l), threads);
            c.level = l;
            c.threads = threads;
            c.slices = false;
            const outcome whole = run<Op, device::cpu>(c);
            c.slices = true;
            const outcome sliced = run<Op, device::cpu>(c);
            REQUIRE(whole.code == status::ok);
            REQUIRE(sliced.code == status::ok);
            CHECK(whole.slices == 0);
            CHECK(sliced.slices == slices);
            for (std::size_t k = 0; k < whole.outputs.size(); ++k) CHECK(same(whole[k], sliced[k]));
        }
}
void conv_agrees(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t group,
                 std::string_view activation, std::int64_t size, bool addend) {
    CAPTURE(in, out, kernel, stride, group, activation, size, addend);
    const std::int64_t pad = kernel / 2, result = (size + 2 * pad - kernel) / stride + 1;
    call c{{random({2, in, size, size}), operand::weight(random({out, in / group, kernel, kernel}, 2)),
            operand::weight(random({out}, 3))}};
    if (addend) c.inputs.emplace_back(random({2, out, result, result}, 4));
    c.with = [=](graph_data& g) {
        const std::int64_t pads[] = {pad, pad, pad, pad}, strides[] = {stride, stride};
        return std::vector{g.make("pads", std::span<const std::int64_t>(pads)),
                           g.make("strides", std::span<const std::int64_t>(strides)), g.make("group", group),
                           g.make("activation", activation)};
    };
    agrees<op::fused_conv>(c, addend ? 3 : 2);
}
}  // namespace

TEST_CASE("Conv reads and writes slices: products, windows, Winograd, groups", "[slices]") {
    for (const std::int64_t out : {1, 7, 16, 33, 70})
        for (const bool addend : {false, true}) {
            conv_agrees(24, out, 1, 1, 1, "Relu", 5, addend);
            conv_agrees(24, out, 1, 2, 1, "", 7, addend);
            conv_agrees(3, out, 3, 2, 1, "Silu", 9, addend);
            conv_agrees(12, out, 5, 1, 1, "", 6, addend);
        }
    for (const std::int64_t size : {3, 6, 13, 24})
        for (const char* activation : {"Relu", "Silu"}) {
            conv_agrees(40, 40, 3, 1, 1, activation, size, true);
            conv_agrees(130, 33, 3, 1, 1, activation, size, false);
            conv_agrees(32, 48, 3, 1, 4, activation, size, true);
        }
    conv_agrees(1019, 20, 1, 1, 1, "", 5, false);  // 1024 numbers from pixel to pixel
}
TEST_CASE("Pools and BatchNormalization read slices", "[slices]") {
    for (const std::int64_t channels : {1, 5, 16, 37, 130}) {
        CAPTURE(channels);
        call c{{random({2, channels, 7, 6})}};
        c.with = [](graph_data& g) {
            const std::int64_t three[] = {3, 3}, ones[] = {1, 1, 1, 1};
            return std::vector{g.make("kernel_shape", std::span<const std::int64_t>(three)),
                               g.make("pads", std::span<const std::int64_t>(ones))};
        };
        agrees<op::max_pool>(c, 2);
        agrees<op::average_pool>(c, 2);
        call b{{random({2, channels, 7, 6})}};
        for (unsigned k = 0; k < 4; ++k) {
            tensor t = random({channels}, k + 2);
            for (float& x : t.as<float>()) x = std::abs(x);
            b.inputs.push_back(operand::weight(t));
        }
        agrees<op::batch_normalization>(b, 1);
    }
}
TEST_CASE("Add and Div of pixels read and write slices", "[slices]") {
    for (const std::int64_t channels : {1, 5, 16, 37}) {
        CAPTURE(channels);
        const tensor x = random({2, channels, 5, 3}), y = random({2, channels, 5, 3}, 2);
        agrees<op::add>({{x, y}}, 3);
        agrees<op::div>({{x, y}}, 3);
        agrees<op::mul>({{x, random({1, channels, 1, 1}, 2)}}, 0);
    }
}
TEST_CASE("Programs read and write slices next to numbers per channel", "[slices]") {
    for (const std::int64_t channels : {1, 5, 16, 37, 1100}) {
        CAPTURE(channels);
        call c{{random({2, channels, 5, 3}), random({2, channels, 5, 3}, 2), random({2, channels, 1, 1}, 3),
                operand::weight(random({2, channels, 5, 3}, 4))}};
        c.with = [](graph_data& g) {
            const std::string_view operators[] = {"Relu", "Mul", "Add", "Sub"};
            const std::int64_t operands[] = {0, -1, 4, 2, 5, 1, 6, 3};
            const double numbers[8]{};
            return std::vector{g.make("operators", std::span(operators)), g.make("operands", std::span(operands)),
                               g.make("numbers", std::span(numbers))};
        };
        agrees<op::tile_program>(c, 3);
    }
}
TEST_CASE("Resize by the nearest pixel writes slices", "[slices]") {
    for (const std::int64_t channels : {5, 37})
        for (const char* mode : {"nearest", "linear"})
            for (const float by : {1.f, 1.5f, 2.f}) {
                CAPTURE(channels, mode, by);
                call c{{random({2, channels, 4, 6}), operand{}, operand::weight(tensor(shape{4}, {1.f, 1.f, by, by}))}};
                c.with = [mode](graph_data& g) {
                    return std::vector{g.make("mode", std::string_view(mode)),
                                       g.make("coordinate_transformation_mode", std::string_view("asymmetric"))};
                };
                agrees<op::resize>(c, mode == std::string_view("nearest") ? 1 : 0);
            }
}
TEST_CASE("Concat and Split copy from slices and to slices", "[slices]") {
    for (const element e : {element::u8, element::f32, element::f64})
        for (const std::int64_t channels : {1, 4, 19}) {
            CAPTURE(name_of(e), channels);
            agrees<op::concat>({{noise(e, {2, channels, 3, 5}), noise(e, {2, 7, 3, 5}, 2), noise(e, {2, 7, 3, 5}, 3)},
                                integer("axis", 1)},
                               4);
            agrees<op::concat>({{noise(e, {2, channels, 3, 5}), noise(e, {2, channels, 3, 5}, 2)}, integer("axis", 2)},
                               0);
            call c{{noise(e, {2, channels + 6, 3, 5}), operand::weight(list({channels, 6}))}, integer("axis", 1)};
            c.outputs = {e, e};
            agrees<op::split>(c, 3);
        }
}
