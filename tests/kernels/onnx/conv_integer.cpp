// Mirrors kernels/inlay/onnx/conv_integer.hpp, kernels/inlay/cpu/onnx/conv_integer.hpp and the files of
// kernels/inlay/cpu/support/conv_u8*.hpp and kernels/inlay/cpu/isa/depthwise_u8.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <inlay/cpu/onnx/conv_integer.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;
using enum element;

namespace {
using integers = std::vector<std::int64_t>;
attributes window(integers pads, integers strides = {1, 1}, std::int64_t group = 1) {
    return [=](graph_data& g) {
        return std::vector{g.make("pads", std::span<const std::int64_t>(pads)),
                           g.make("strides", std::span<const std::int64_t>(strides)), g.make("group", group)};
    };
}
const attributes bare = window({0, 0, 0, 0});
tensor as_floats(const tensor& t, const tensor& zeros = {}) {  // zeros: one, or one per first axis
    tensor y(f32, t.shape());
    for (std::int64_t i = 0; i < t.elements(); ++i)
        y.as<float>()[std::size_t(i)] =
            float(quantized::load(t.type(), t.data(), i) -
                  (zeros ? quantized::load(zeros.type(), zeros.data(),
                                           zeros.elements() == 1 ? 0 : i * t.shape()[0] / t.elements())
                         : 0));
    return y;
}
}  // namespace

TEST_CASE("ConvInteger subtracts the zero points, and pads with what stands for zero") {
    const tensor x = numbers(u8, {1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10}),
                 w = numbers(u8, {1, 1, 2, 2}, {1, 1, 1, 1});
    CHECK(numbers(on_reference<op::conv_integer>({.inputs = {x, w, scalar(u8, 1)}, .with = bare, .outputs = {i32}})) ==
          real_numbers{12, 16, 24, 28});
    CHECK(numbers(on_reference<op::conv_integer>(
              {.inputs = {x, w, scalar(u8, 1)}, .with = window({1, 1, 1, 1}), .outputs = {i32}})) ==
          real_numbers{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9});
    CHECK(numbers(
              on_reference<op::conv_integer>({.inputs = {x, w, {}, scalar(u8, 2)}, .with = bare, .outputs = {i32}})) ==
          real_numbers{-16, -20, -28, -32});
}
TEST_CASE("ConvInteger is Conv of the differences, whatever the signs, groups and steps") {
    for (element xe : {u8, i8})
        for (element we : {u8, i8})
            for (bool per_channel : {false, true}) {
                CAPTURE(int(xe), int(we), per_channel);
                const tensor x = random_codes(xe, {2, 4, 7, 6}, 1), w = random_codes(we, {6, 2, 3, 2}, 2),
                             x_zero = random_codes(xe, {}, 3),
                             w_zero = random_codes(we, per_channel ? shape{6} : shape{1}, 4);
                const attributes list = window({1, 0, 2, 1}, {2, 1}, 2);
                const tensor result = on_reference<op::conv_integer>(
                    {.inputs = {x, w, x_zero, w_zero}, .with = list, .outputs = {i32}, .threads = 3});
                CHECK(numbers(result) == numbers(on_reference<op::conv>(
                                             {.inputs = {as_floats(x, x_zero), as_floats(w, w_zero)}, .with = list})));
            }
}
TEST_CASE("QLinearConv scales the sums, rounds ties to even and saturates") {
    const tensor x = numbers(u8, {1, 1, 2, 3}, {10, 11, 13, 15, 255, 0}), w = numbers(i8, {2, 1, 1, 1}, {1, -3}),
                 unit = scalar(f32, 1);
    const auto y = [&](const tensor& w_scale, const tensor& y_zero, const operand& bias) {
        return numbers(on_reference<op::qlinear_conv>(
            {.inputs = {x, unit, scalar(u8, 10), w, w_scale, scalar(i8, 0), scalar(f32, 2), y_zero, bias},
             .with = bare,
             .outputs = {y_zero.type()}}));
    };
    CHECK(y(unit, scalar(u8, 100), {}) == real_numbers{100, 100, 102, 102, 222, 95, 100, 98, 96, 92, 0, 115});
    CHECK(y(unit, scalar(i8, 0), {}) == real_numbers{0, 0, 2, 2, 122, -5, 0, -2, -4, -8, -128, 15});
    CHECK(y(numbers(f32, {2}, {2, 4}), scalar(i8, 1), numbers(i32, {2}, {5, -1})) ==
          real_numbers{6, 7, 9, 11, 127, -4, -1, -7, -19, -31, -128, 59});
}
TEST_CASE("ConvInteger and QLinearConv refuse what does not fit") {
    const tensor x = random_codes(u8, {1, 2, 4, 4}, 1), w = random_codes(i8, {3, 2, 2, 2}, 2), unit = scalar(f32, 1);
    const auto integer = [&](const operand& x_zero, const operand& w_zero) {
        return run<op::conv_integer, device::reference>(
                   {.inputs = {x, w, x_zero, w_zero}, .with = bare, .outputs = {i32}})
            .answer.reason;
    };
    CHECK(integer(random_codes(u8, {2}, 1), {}) == "a zero point must be one number, or W's one per output channel");
    CHECK(integer({}, random_codes(i8, {2}, 1)) == "a zero point must be one number, or W's one per output channel");
    CHECK(integer(scalar(i8, 0), {}) == "a zero point has another type than what it belongs to");
    CHECK(integer({}, random_codes(i8, {3}, 1)).empty());
    const auto linear = [&](const tensor& w_scale, const tensor& y_zero, const operand& bias) {
        return run<op::qlinear_conv, device::reference>(
                   {.inputs = {x, unit, scalar(u8, 0), w, w_scale, scalar(i8, 0), unit, y_zero, bias},
                    .with = bare,
                    .outputs = {u8}})
            .answer.reason;
    };
    CHECK(linear(unit, scalar(u8, 0), numbers(i32, {3}, {1, 2, 3})).empty());
    CHECK(linear(numbers(f32, {2}, {1, 1}), scalar(u8, 0), {}) ==
          "w's scale and zero point must be one number, or one per output channel");
    CHECK(linear(unit, scalar(i8, 0), {}) == "y_zero_point has another type than y");
    CHECK(linear(unit, random_codes(u8, {2}, 1), {}) == "the scales and zero points of x and y must be one number");
    CHECK(linear(unit, scalar(u8, 0), numbers(i32, {2}, {1, 2})) == "B must have one element per output channel");
    CHECK(linear(unit, scalar(u8, 0), numbers(f32, {3}, {1, 2, 3})) == "B must be int32");
}

namespace {
// A convolution of random numbers; what is not said is 1, 0 or absent.
struct integer_window {
    shape x, w;
    integers pads{}, strides{}, dilations{};
    std::int64_t group = 1;
    element x_type = u8, w_type = i8, y_type = u8;
    bool x_zero = true, w_zero = false, each_zero = false, each_scale = false, bias = true;
    bool late = false;  // scales, zero points and bias are known in the run only, but w's zero point
    float factor = 0;   // from accumulators to y; 0: so that they spread over the range
    attributes list() const {
        return [*this](graph_data& g) {
            std::vector<attribute> entries{g.make("group", group)};
            for (const auto& [name, values] : {std::pair{"pads", pads}, {"strides", strides}, {"dilations", dilations}})
                if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
            return entries;
        };
    }
    std::int64_t terms() const { return w.elements() / std::max<std::int64_t>(1, w[0]); }
    shape each(bool yes) const { return yes ? shape{w[0]} : shape{}; }
};
operand either(const tensor& t, bool late) { return late ? operand(t) : operand::weight(t); }
tensor weight_zero(const integer_window& c) {
    if (c.w_zero) return random_codes(c.w_type, c.each(c.each_zero), 4);
    tensor middle(c.w_type, c.each(c.each_zero));
    for (std::int64_t i = 0; i < middle.elements(); ++i)
        static_cast<std::uint8_t*>(middle.data())[i] = c.w_type == u8 ? 128 : 0;
    return middle;
}
call linear(const integer_window& c) {
    const tensor x_zero = c.x_zero ? random_codes(c.x_type, {}, 3) : scalar(c.x_type, 0),
                 y_zero = scalar(c.y_type, c.y_type == u8 ? 120 : -3);
    tensor w_scale(f32, c.each(c.each_scale)), bias(i32, {c.w[0]});
    std::mt19937 random(5);
    for (float& s : w_scale.as<float>()) s = .5f + float(random() % 100) / 64;
    for (std::int32_t& b : bias.as<std::int32_t>()) b = std::int32_t(random() % 20001) - 10000;
    const float factor = c.factor != 0 ? c.factor : 60 / (5400 * std::sqrt(float(c.terms())));
    if (c.factor != 0) std::ranges::fill(w_scale.as<float>(), 1.f);
    return {.inputs = {random_codes(c.x_type, c.x, 1), either(scalar(f32, factor), c.late), either(x_zero, c.late),
                       operand::weight(random_codes(c.w_type, c.w, 2)), either(w_scale, c.late),
                       operand::weight(weight_zero(c)), either(scalar(f32, 1), c.late), either(y_zero, c.late),
                       c.bias ? either(bias, c.late) : operand{}},
            .with = c.list(),
            .outputs = {c.y_type}};
}
call integer(const integer_window& c) {
    return {.inputs = {random_codes(c.x_type, c.x, 1), operand::weight(random_codes(c.w_type, c.w, 2)),
                       c.x_zero ? either(random_codes(c.x_type, {1}, 3), c.late) : operand{},
                       operand::weight(weight_zero(c))},
            .with = c.list(),
            .outputs = {i32}};
}
template <class Op> void check_bits(call c) {
    for (layout in : {layout::plain, layout::channels_last}) {
        CAPTURE(int(in));
        c.in = in;
        beside_plain<Op>(c, [](const outcome& y, const outcome& plain) {
            REQUIRE(y[0].shape() == plain[0].shape());
            CHECK(std::memcmp(y[0].data(), plain[0].data(), std::size_t(y[0].bytes())) == 0);
        });
    }
}
void check_both(const integer_window& c) {
    CAPTURE(to_string(c.x), to_string(c.w), c.pads, c.strides, c.dilations, c.group, name_of(c.x_type),
            name_of(c.w_type), name_of(c.y_type), c.w_zero, c.each_zero, c.each_scale, c.late);
    check_bits<op::qlinear_conv>(linear(c));
    check_bits<op::conv_integer>(integer(c));
}
std::string_view why_not_on_cpu(const call& c) { return run<op::qlinear_conv, device::cpu>(c).answer.reason; }
}  // namespace

TEST_CASE("QLinearConv and ConvInteger on the CPU agree with the reference kernel at every tail of channels") {
    for (std::int64_t inputs : {1, 2, 3, 4, 5, 8, 31, 68})
        for (std::int64_t outputs : {1, 15, 16, 17, 33, 64}) {
            check_both({.x = {1, inputs, 5, 4}, .w = {outputs, inputs, 1, 1}});
            check_both({.x = {2, inputs, 5, 4}, .w = {outputs, inputs, 3, 2}, .pads = {1, 0, 2, 1}});
        }
}
TEST_CASE("QLinearConv and ConvInteger on the CPU agree with the reference kernel for every type and zero point") {
    for (element x : {u8, i8})
        for (element w : {u8, i8})
            for (int bits = 0; bits < 16; ++bits)
                for (std::int64_t group : {1, 4})
                    check_both({.x = {1, 4, 6, 5},
                                .w = {8, 4 / group, 3, 3},
                                .pads = {1, 1, 1, 1},
                                .group = group,
                                .x_type = x,
                                .w_type = w,
                                .y_type = bits % 2 ? i8 : u8,
                                .x_zero = bits % 4 != 0,
                                .w_zero = (bits & 2) != 0,
                                .each_zero = (bits & 4) != 0,
                                .each_scale = (bits & 8) != 0,
                                .bias = bits % 3 != 0,
                                .late = bits % 5 == 0});
}
TEST_CASE("QLinearConv and ConvInteger on the CPU agree with the reference kernel whatever the windows") {
    std::mt19937 random(11);
    const auto any = [&](std::int64_t least, std::int64_t most) {
        return least + std::int64_t(random() % std::uint32_t(most - least + 1));
    };
    for (int i = 0; i < 60; ++i) {
        const bool depthwise = i % 3 == 0;
        const int axes = i % 5 == 4 ? 1 : 2;
        const std::int64_t group = depthwise ? any(2, 37) : any(1, 3), inputs = depthwise ? 1 : any(1, 9);
        integer_window c{.x = {any(1, 2), group * inputs}, .w = {group * (depthwise ? 1 : any(1, 20)), inputs}};
        c.group = group;
        c.pads.resize(std::size_t(2 * axes));
        for (int a = 0; a < axes; ++a) {
            c.w.push_back(any(1, 5));
            c.strides.push_back(any(1, 3));
            c.dilations.push_back(any(1, 3));
            const std::int64_t before = any(0, 3), after = any(0, 3),
                               reach = (c.w[a + 2] - 1) * c.dilations[std::size_t(a)] + 1;
            c.pads[std::size_t(a)] = before;
            c.pads[std::size_t(a + axes)] = after;
            c.x.push_back(std::max<std::int64_t>(1, reach - before - after + any(0, 17)));
        }
        c.x_type = i % 2 ? i8 : u8;
        c.w_type = i % 4 > 1 ? u8 : i8;
        c.w_zero = i % 7 == 0;
        c.each_zero = c.each_scale = i % 2 == 0;
        check_both(c);
    }
}
TEST_CASE(
    "QLinearConv and ConvInteger on the CPU agree with the reference kernel whatever fills tiles of a matrix unit") {
    for (std::int64_t inputs : {16, 64, 72, 148})
        for (std::int64_t width : {7, 16, 17, 31, 33}) {
            check_both({.x = {1, inputs, 4, width}, .w = {100, inputs, 1, 1}});
            check_both({.x = {2, inputs, 3, width}, .w = {40, inputs, 3, 3}, .pads = {1, 1, 1, 1}, .strides = {1, 1}});
            check_both({.x = {1, inputs, 5, 2 * width}, .w = {33, inputs, 2, 3}, .strides = {2, 2}, .w_zero = true});
        }
}
TEST_CASE(
    "QLinearConv and ConvInteger on the CPU agree with the reference kernel on depthwise windows of three and five") {
    for (std::int64_t channels : {2, 16, 17, 63, 64, 65, 130})
        for (const shape& kernel : {shape{3, 3}, {5, 5}, {1, 3}, {7, 5}})
            for (std::int64_t stride : {1, 2}) {
                integer_window c{.x = {1, channels, 9, 3 + 2 * channels % 15}, .w = {channels, 1}};
                for (int a = 0; a < 2; ++a) c.w.push_back(kernel[a]);
                c.pads = {3, 2, 3, 2};
                c.strides = {1, stride};
                c.dilations = {channels % 2 + 1, 1};
                c.group = channels;
                c.x_type = stride == 1 ? u8 : i8;
                c.w_type = kernel[0] == 5 ? u8 : i8;
                c.each_scale = true;
                check_both(c);
            }
}
TEST_CASE("QLinearConv and ConvInteger on the CPU agree with the reference kernel on depths of several slabs") {
    for (bool shifted : {false, true}) {
        check_both({.x = {1, 700, 4, 3}, .w = {35, 700, 3, 3}, .pads = {1, 1, 0, 0}, .w_zero = shifted});
        check_both({.x = {1, 6400, 1, 2}, .w = {17, 6400, 1, 1}, .w_zero = shifted});
    }
}
TEST_CASE("QLinearConv and ConvInteger on the CPU agree with the reference kernel on several blocks of an image") {
    check_both({.x = {1, 8, 60, 250}, .w = {4, 8, 3, 3}, .pads = {1, 1, 1, 1}});
    check_both({.x = {1, 3, 9, 9000}, .w = {3, 3, 2, 7}, .pads = {0, 3, 1, 3}, .strides = {2, 2}});
    check_both({.x = {1, 40, 3, 3000}, .w = {40, 1, 3, 3}, .pads = {1, 1, 1, 1}, .group = 40});
    check_both({.x = {1, 64, 9000}, .w = {4, 64, 1}});
    check_both({.x = {3, 16, 31, 33}, .w = {40, 16, 1, 1}, .strides = {2, 3}, .w_zero = true, .each_zero = true});
}
TEST_CASE("QLinearConv and ConvInteger on the CPU take images of one column, frames and none at all") {
    check_both({.x = {2, 24, 1, 1}, .w = {7, 24, 1, 1}});
    check_both({.x = {2, 24, 1, 1}, .w = {7, 24, 3, 3}, .pads = {1, 1, 1, 1}});
    check_both({.x = {2, 3, 4, 5, 6}, .w = {7, 3, 1, 3, 2}});
    for (std::int64_t group : {1, 6})
        check_both({.x = {1, 6, 9, 1}, .w = {6, 6 / group, 3, 1}, .pads = {1, 0, 1, 0}, .group = group});
    check_both({.x = {0, 8, 3, 3}, .w = {4, 8, 1, 1}});
    check_both({.x = {0, 8, 3, 3}, .w = {8, 1, 3, 3}, .group = 8});
}
TEST_CASE("QLinearConv on the CPU rounds ties to even, saturates and wraps around as the reference kernel does") {
    for (float factor :
         {.5f, -.25f, .015625f, 1e30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
        for (element y : {u8, i8})
            for (std::int64_t group : {1, 20}) {
                call c = linear(
                    {.x = {1, 20, 6, 7}, .w = {20, 20 / group, 2, 2}, .group = group, .y_type = y, .factor = factor});
                CAPTURE(factor, name_of(y), group);
                check_bits<op::qlinear_conv>(c);
                for (std::int64_t m = 0; m < 20; ++m)
                    c.inputs[8].value.as<std::int32_t>()[std::size_t(m)] = (m % 2 ? 1 : -1) * (2147483647 - int(m));
                check_bits<op::qlinear_conv>(c);
                std::memset(c.inputs[0].value.data(), 255, std::size_t(c.inputs[0].value.bytes()));
                std::memset(c.inputs[3].value.data(), 128, std::size_t(c.inputs[3].value.bytes()));
                check_bits<op::qlinear_conv>(c);
            }
}
TEST_CASE("QLinearConv on the CPU leaves what it is not written for to the reference kernel") {
    call c = linear({.x = {1, 4, 5, 5}, .w = {4, 4, 3, 3}});
    c.inputs[0].constant = true;
    CHECK(why_not_on_cpu(c) == "X is a constant, which is never channels last");
    CHECK(why_not_on_cpu(linear({.x = {1, 4, 5, 5, 5}, .w = {4, 4, 2, 1, 1}})) ==
          "the window reaches over the first of three axes");
    CHECK(why_not_on_cpu(linear({.x = {1, 1, 2, 2, 2, 2}, .w = {1, 1, 1, 1, 1, 1}})) ==
          "written for one to three spatial axes");
}
TEST_CASE("ConvInteger on the CPU packs depthwise weights in an order that the image does not change") {
    const auto of = [](std::int64_t width) {
        graph_data g;
        const int x = g.add_value("", u8, {1, 6, 9, width}), w = g.add_constant("", random_codes(i8, {6, 1, 3, 1}, 1)),
                  y = g.add_value("", i32, {1, 6, 7, width});
        const std::vector<attribute> list{g.make("group", std::int64_t(6))};
        g.add_node("", "ConvInteger", 10, "", list, std::vector{x, w}, std::vector{y});
        const graph_view v = g.view();
        const layout layouts[] = {layout::channels_last, layout::plain, layout::channels_last};
        return kernel<op::conv_integer, device::cpu, types<quantized::byte, quantized::byte, std::int32_t>>::prepare(
            node_view{v, v.nodes[0], layouts});
    };
    CHECK(of(1).base.kernel_h == 3);
    CHECK(of(5).base.kernel_h == 3);
}
