// Mirrors kernels/inlay/onnx/conv.hpp and kernels/inlay/cpu/onnx/conv.hpp.
#include "../dense.hpp"
#include <inlay/cpu/onnx/conv.hpp>
#include <on_test_devices/onnx/conv.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

using numbers = std::vector<std::int64_t>;
struct window {
    numbers strides{}, pads{}, dilations{};
    std::int64_t group = 1;
    std::string auto_pad{}, activation{};
    std::vector<double> activation_params{};
    numbers kernel{};
    attributes list() const {
        return [*this](graph_data& g) {
            list_of_attributes entries{g.make("group", group)};
            for (const auto& [name, values] :
                 {std::pair{"strides", strides}, {"pads", pads}, {"dilations", dilations}, {"kernel_shape", kernel}})
                if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
            if (!auto_pad.empty()) entries.push_back(g.make("auto_pad", std::string_view(auto_pad)));
            if (!activation.empty()) entries.push_back(g.make("activation", std::string_view(activation)));
            if (!activation_params.empty())
                entries.push_back(g.make("activation_params", std::span<const double>(activation_params)));
            return entries;
        };
    }
};
static tensor ramp(const shape& dims) {
    tensor t(element::f32, dims);
    float next = 0;
    for (float& x : t.as<float>()) x = next++;
    return t;
}
static tensor ones(const shape& dims) {
    tensor t(element::f32, dims);
    for (float& x : t.as<float>()) x = 1;
    return t;
}

TEMPLATE_TEST_CASE("Conv of every type", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}),
                 w = list<T>({2, 1, 2, 2}, {1, 1, 1, 1, 1, 0, 0, -1}), b = list<T>({2}, {0, 10});
    CHECK(same<T>(on_reference<op::conv>({{x, w, b}}), list<T>({1, 2, 2, 2}, {8, 12, 20, 24, 6, 6, 6, 6})));
    CHECK(same<T>(on_reference<op::conv>({{x, w}}), list<T>({1, 2, 2, 2}, {8, 12, 20, 24, -4, -4, -4, -4})));
}
TEST_CASE("Conv pads, strides and dilates") {  // the sums of 3 x 3 windows of the specification's example
    const tensor x = ramp({1, 1, 5, 5}), w = ones({1, 1, 3, 3});
    CHECK(same<float>(on_reference<op::conv>({{x, w}, window{{}, {1, 1, 1, 1}}.list()}),
                      list<float>({1, 1, 5, 5}, {12,  21, 27, 33,  24,  33,  54,  63, 72,  51,  63,  99, 108,
                                                 117, 81, 93, 144, 153, 162, 111, 72, 111, 117, 123, 84})));
    CHECK(same<float>(on_reference<op::conv>({{x, w}}),
                      list<float>({1, 1, 3, 3}, {54, 63, 72, 99, 108, 117, 144, 153, 162})));
    const tensor tall = ramp({1, 1, 7, 5});
    CHECK(same<float>(on_reference<op::conv>({{tall, w}, window{{2, 2}, {1, 1, 1, 1}}.list()}),
                      list<float>({1, 1, 4, 3}, {12, 27, 24, 63, 108, 81, 123, 198, 141, 112, 177, 124})));
    CHECK(same<float>(on_reference<op::conv>({{tall, w}, window{{2, 2}, {1, 0, 1, 0}}.list()}),
                      list<float>({1, 1, 4, 2}, {21, 33, 99, 117, 189, 207, 171, 183})));
    CHECK(
        same<float>(on_reference<op::conv>({{x, w}, window{{}, {}, {2, 2}}.list()}), list<float>({1, 1, 1, 1}, {108})));
}
TEST_CASE("Conv pads by itself") {
    const tensor x = ramp({1, 1, 1, 4}), w = list<float>({1, 1, 1, 2}, {1, 10}), four = ramp({1, 1, 1, 5});
    CHECK(same<float>(on_reference<op::conv>({{x, w}, window{{}, {}, {}, 1, "SAME_UPPER"}.list()}),
                      list<float>({1, 1, 1, 4}, {10, 21, 32, 3})));
    CHECK(same<float>(on_reference<op::conv>({{x, w}, window{{}, {}, {}, 1, "SAME_LOWER"}.list()}),
                      list<float>({1, 1, 1, 4}, {0, 10, 21, 32})));
    CHECK(same<float>(on_reference<op::conv>({{x, w}, window{{}, {}, {}, 1, "VALID"}.list()}),
                      list<float>({1, 1, 1, 3}, {10, 21, 32})));
    CHECK(same<float>(on_reference<op::conv>({{four, w}, window{{1, 2}, {}, {}, 1, "SAME_UPPER"}.list()}),
                      list<float>({1, 1, 1, 3}, {10, 32, 4})));
    CHECK(same<float>(on_reference<op::conv>({{four, w}, window{{1, 2}, {}, {}, 1, "SAME_LOWER"}.list()}),
                      list<float>({1, 1, 1, 3}, {0, 21, 43})));
}
TEST_CASE("Conv in groups") {
    const tensor x = ramp({1, 4, 1, 2}), w = list<float>({4, 2, 1, 1}, {1, 0, 0, 1, 1, 1, 1, -1});
    CHECK(same<float>(on_reference<op::conv>({{x, w}, window{{}, {}, {}, 2}.list()}),
                      list<float>({1, 4, 1, 2}, {0, 1, 2, 3, 10, 12, -2, -2})));
}
TEST_CASE("Conv over one and over three axes") {
    CHECK(same<float>(
        on_reference<op::conv>({{ramp({1, 1, 5}), list<float>({1, 1, 3}, {1, 2, 3})}, window{{2}, {1, 1}}.list()}),
        list<float>({1, 1, 3}, {3, 14, 11})));
    CHECK(same<float>(on_reference<op::conv>({{ramp({1, 1, 2, 2, 2}), ones({1, 1, 2, 2, 2})}}),
                      list<float>({1, 1, 1, 1, 1}, {28})));
    CHECK(same<float>(on_reference<op::conv>({{ramp({1, 1, 2, 2, 2}), ones({1, 1, 2, 1, 1})}}),
                      list<float>({1, 1, 1, 2, 2}, {4, 6, 8, 10})));
}
TEST_CASE("Conv refuses what does not fit") {
    const auto reason_of = [](const shape& x, const shape& w, const window& v, operand b = {}) {
        call c{{tensor(element::f32, x), tensor(element::f32, w)}, v.list()};
        if (b.value) c.inputs.push_back(b);
        return run<op::conv, device::reference>(c).answer.reason;
    };
    CHECK(reason_of({1, 2}, {1, 2}, {}) == "X has no spatial axis");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 3}, {}) == "X and W differ in rank");
    CHECK(reason_of({1, 2, 3, 3}, {1, 3, 1, 1}, {}) == "W does not fit X's channels and the groups");
    CHECK(reason_of({1, 4, 3, 3}, {3, 2, 1, 1}, {{}, {}, {}, 2}) == "the groups do not divide the output channels");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{}, {}, {}, 0}) == "group must be positive");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 4, 1}, {}) == "the kernel is larger than the padded input");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{0, 1}}) == "a stride or dilation is out of range");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{}, {}, {1, std::int64_t(1) << 62}}) ==
          "a stride or dilation is out of range");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{}, {-1, 0, 0, 0}}) == "a pad is out of range");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{1}}) ==
          "strides, dilations, pads or kernel_shape do not fit the spatial axes");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{}, {}, {}, 1, "", "", {}, {2, 2}}) == "kernel_shape is not W's");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 1, 1}, {{}, {}, {}, 1, "SAME"}) == "auto_pad is unknown");
    CHECK(reason_of({1, 2, 3, 3}, {1, 2, 0, 1}, {}) == "a kernel is empty or too large");
    CHECK(reason_of({1, 2, 3, 3}, {4, 2, 1, 1}, {}, tensor(element::f32, {3})) ==
          "B must have one element per output channel");
}
TEST_CASE("Conv on the CPU says why it refuses") {
    const auto reason_of = [](const call& c) { return run<op::conv, device::cpu>(c).answer.reason; };
    const tensor x = ones({1, 1, 3, 3}), w = ones({1, 1, 1, 1});
    CHECK(reason_of({{x, w}}).empty());
    CHECK(reason_of({{operand::weight(x), operand::weight(w)}}) == "X is a constant, which is never channels last");
    CHECK(reason_of({{ones({1, 1, 3, 3, 3, 3}), operand::weight(ones({1, 1, 1, 1, 1, 1}))}}) ==
          "written for one to three spatial axes");
    CHECK(run<op::fused_conv, device::cpu>({{x, operand::weight(w)}, window{{}, {}, {}, 1, "", "Tanh"}.list()})
              .answer.reason == "the activation is not one that Conv ends with");
    CHECK(run<op::fused_conv, device::cpu>({{x, operand::weight(w), operand{}, ones({1, 1, 3, 1})}}).answer.reason ==
          "the addend has another shape than the result");
}

static void agrees(const shape& x, const shape& w, const window& v) {
    CAPTURE(to_string(x), to_string(w), v.strides, v.pads, v.dilations, v.group, v.auto_pad);
    const tensor input = whole(x, 1), filter = whole(w, 2), bias = whole({w[0]}, 3);
    const tensor y = on_reference<op::conv>({{input, filter, bias}, v.list()});
    CHECK(devices_agree<op::conv>({{input, operand::weight(filter), bias}, v.list()}, y,
                                  {"written for one or two spatial axes", "an empty image"}));
    at_every_level([&](isa::level l) {
        for (layout in : {layout::plain, layout::channels_last}) {
            call c{{input, operand::weight(filter), bias}, v.list()};
            c.in = in;
            CHECK(same<float>(on_cpu<op::conv>(c, l), y));
        }
        // The addend joins the sums before the activation.
        const tensor addend = whole(y.shape(), 4);
        tensor sum(element::f32, y.shape());
        for (std::size_t i = 0; i < sum.as<float>().size(); ++i)
            sum.as<float>()[i] = std::max(y.as<float>()[i] + addend.as<float>()[i], 0.f);
        window relu = v;
        relu.activation = "Relu";
        CHECK(
            same<float>(on_cpu<op::fused_conv>({{input, operand::weight(filter), bias, addend}, relu.list()}, l), sum));
    });
}
TEST_CASE("Conv of one pixel on the CPU agrees with the reference kernel at every tail of channels") {
    for (std::int64_t n = 1; n <= 67; ++n) agrees({1, 7, 3, 5}, {n, 7, 1, 1}, {});
    for (std::int64_t c = 1; c <= 20; ++c) agrees({2, c, 3, 5}, {5, c, 1, 1}, {});
    agrees({1, 64, 14, 14}, {96, 64, 1, 1}, {});
    agrees({1, 1024, 7, 7}, {40, 1024, 1, 1}, {});
    agrees({3, 9, 1, 1}, {70, 9, 1, 1}, {});
    agrees({2, 512, 6, 7}, {33, 512, 1, 1}, {{2, 2}});
    agrees({2, 12, 6, 7}, {34, 6, 1, 1}, {{2, 3}, {}, {}, 2});
    agrees({1, 5, 4, 4}, {8, 5, 1, 1}, {{2, 2}, {1, 1, 1, 1}});
    for (std::int64_t c = 1; c <= 5; ++c) {  // planes, read as many columns apart as there are channels
        agrees({2, c, 3, 13}, {6, c, 1, 1}, {{1, c}});
        agrees({2, c, 13}, {6, c, 1}, {{c}});
        agrees({2, c, 3, 13}, {6, c, 1, 1}, {{2, c}, {0, 1, 0, 1}});
    }
}
TEST_CASE("Conv on the CPU agrees with the reference kernel for windows of all kinds") {
    for (std::int64_t width = 1; width <= 31; ++width) agrees({1, 3, 4, width}, {17, 3, 3, 3}, {{}, {1, 1, 1, 1}});
    for (std::int64_t k : {1, 2, 3, 4, 5, 7})
        for (std::int64_t s : {1, 2, 3})
            for (std::int64_t pad : {0, 1, 2})
                if (pad < k) agrees({2, 6, 9, 11}, {10, 6, k, k}, {{s, s}, {pad, pad, pad, pad}});
    for (std::int64_t d : {1, 2, 3}) agrees({1, 5, 12, 13}, {34, 5, 3, 2}, {{1, 2}, {0, 2, 3, 1}, {d, 4 - d}});
    agrees({1, 5, 12, 13}, {8, 5, 3, 3}, {{}, {}, {2, 2}});
    for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"})
        agrees({1, 4, 9, 8}, {6, 4, 3, 4}, {{2, 3}, {}, {}, 1, mode});
    for (std::int64_t g : {2, 3, 4, 6}) agrees({2, 12, 6, 7}, {24, 12 / g, 3, 3}, {{}, {1, 1, 1, 1}, {}, g});
    for (std::int64_t g : {2, 3, 4, 6}) agrees({2, 12, 6, 7}, {24, 12 / g, 3, 3}, {{2, 1}, {}, {1, 2}, g});
    agrees({1, 12, 6, 7}, {132, 4, 1, 1}, {{}, {}, {}, 3});
    agrees({1, 3, 32, 33}, {40, 3, 7, 7}, {{2, 2}, {3, 3, 3, 3}});
    agrees({1, 3, 32, 32}, {20, 3, 16, 16}, {{16, 16}});
    agrees({1, 1, 9, 40}, {32, 1, 3, 3}, {{2, 2}, {1, 1, 1, 1}});
    agrees({1, 70, 20, 60}, {33, 70, 3, 4}, {{}, {1, 1, 1, 1}});  // several blocks of rows
    agrees({1, 600, 5, 5}, {33, 600, 3, 2}, {{}, {1, 1, 1, 1}});  // several slabs of K
    agrees({1, 1700, 3, 3}, {5, 1700, 2, 2}, {{}, {1, 0, 0, 1}});
    agrees({1, 512, 6, 6}, {9, 512, 3, 3}, {{2, 2}, {1, 1, 1, 1}});  // rows that share cache sets
    agrees({1, 1024, 5, 4}, {9, 1024, 2, 2}, {});
    agrees({1, 2, 1, 3}, {3, 2, 5, 6}, {{}, {2, 3, 2, 3}});  // a window that is larger than the image
    agrees({0, 2, 4, 4}, {3, 2, 3, 3}, {});
    agrees({1, 2, 4, 4}, {0, 2, 3, 3}, {});
}
TEST_CASE("Conv of a single column on the CPU agrees with the reference kernel") {
    for (std::int64_t height = 1; height <= 40; height += 3)
        agrees({2, 7, height, 1}, {17, 7, 5, 1}, {{}, {2, 0, 2, 0}});
    agrees({1, 256, 60, 1}, {70, 256, 5, 1}, {});
    agrees({1, 12, 41, 1}, {9, 12, 4, 1}, {{3, 2}, {1, 0, 2, 0}, {2, 2}});
    agrees({2, 3, 30, 1}, {8, 3, 5, 1}, {{2, 1}, {2, 0, 2, 0}});
    agrees({1, 24, 33, 1}, {24, 1, 5, 1}, {{}, {2, 0, 2, 0}, {}, 24});
    agrees({1, 12, 20, 1}, {34, 6, 3, 1}, {{2, 3}, {}, {}, 2});
}
TEST_CASE("Conv over one axis on the CPU agrees with the reference kernel") {
    for (std::int64_t n = 1; n <= 40; ++n) agrees({2, 5, n + 3}, {n, 5, 3}, {{2}, {1, 1}});
    agrees({2, 1, 50}, {1, 1, 5}, {});
    agrees({2, 8, 50}, {8, 1, 5}, {{}, {4, 0}, {}, 8});
    agrees({2, 40, 50}, {40, 1, 5}, {{}, {4, 0}, {}, 40});
    agrees({1, 80, 100}, {64, 80, 3}, {{}, {2, 2}, {2}});
    agrees({1, 80, 100}, {64, 80, 1}, {});
    for (std::int64_t length : {500, 3001, 9000})
        for (std::int64_t stride : {1, 2, 3})
            agrees({1, 24, length}, {40, 24, 5}, {{stride}, {3, 1}});  // rows in parts
    agrees({1, 512, 700}, {33, 512, 2}, {{}, {1, 1}});
    agrees({1, 3, 1000}, {20, 3, 9}, {{4}, {4, 4}});
    agrees({9, 24, 300}, {40, 24, 5}, {{}, {2, 2}});
}
TEST_CASE("Conv over three axes on the CPU agrees with the reference kernel") {
    const auto cubic = [](std::int64_t s, std::int64_t pad, std::int64_t d, std::int64_t group = 1) {
        return window{{s, s, s}, {pad, pad, pad, pad, pad, pad}, {d, d, d}, group};
    };
    for (std::int64_t k : {1, 2, 3, 4})
        for (std::int64_t s : {1, 2, 3})
            for (std::int64_t pad : {0, 1, 2})
                if (pad < k) agrees({2, 6, 6, 5, 7}, {10, 6, k, k, k}, cubic(s, pad, 1));
    for (std::int64_t n = 1; n <= 40; ++n) agrees({1, 5, 3, 4, 5}, {n, 5, 3, 3, 3}, cubic(1, 1, 1));
    for (std::int64_t c = 1; c <= 9; ++c) agrees({2, c, 4, 5, 6}, {9, c, 3, 2, 3}, {{1, 2, 1}, {0, 1, 2, 1, 0, 1}});
    for (std::int64_t d : {1, 2, 3})
        agrees({1, 5, 9, 8, 10}, {12, 5, 3, 2, 3}, {{2, 1, 2}, {1, 0, 2, 3, 1, 0}, {d, 4 - d, 2}});
    for (std::int64_t g : {2, 3, 4, 6}) agrees({1, 12, 5, 4, 6}, {24, 12 / g, 3, 3, 2}, cubic(1, 1, 1, g));
    for (std::int64_t c : {2, 5, 16, 40})
        for (std::int64_t s : {1, 2}) agrees({2, c, 5, 6, 9}, {c, 1, 3, 3, 3}, cubic(s, 1, 1, c));
    agrees({1, 20, 6, 5, 7}, {20, 1, 3, 2, 5},
           {{2, 1, 1}, {4, 0, 2, 3, 1, 2}, {2, 1, 1}, 20});  // frames of nothing but padding
    agrees({1, 6, 4, 5, 7}, {10, 6, 2, 3, 3}, {{1, 1, 1}, {3, 1, 1, 4, 1, 1}});
    agrees({1, 6, 4, 5, 7}, {10, 6, 2, 1, 1}, {{1, 1, 1}, {3, 0, 0, 4, 0, 0}});
    agrees({1, 3, 4, 30, 33}, {40, 3, 3, 7, 7}, {{1, 2, 2}, {1, 3, 3, 1, 3, 3}});  // a first layer
    agrees({1, 3, 4, 12, 13}, {20, 3, 1, 3, 3}, {{2, 1, 1}, {0, 1, 1, 0, 1, 1}});
    agrees({1, 3, 4, 12, 13}, {20, 3, 1, 3, 3}, {});
    agrees({1, 40, 6, 5, 7}, {24, 40, 3, 1, 1}, {{}, {1, 0, 0, 1, 0, 0}});  // along the frames only
    agrees({2, 12, 6, 5, 7}, {24, 6, 2, 1, 1}, {{2, 1, 1}, {}, {}, 2});
    agrees({2, 9, 5, 6, 7}, {24, 9, 1, 1, 1}, {{2, 2, 2}});
    agrees({2, 9, 5, 6, 7}, {24, 9, 1, 3, 3}, {{1, 2, 2}, {0, 1, 1, 0, 1, 1}});  // frame by frame
    agrees({2, 9, 3, 4, 5}, {70, 9, 1, 1, 1}, {});
    agrees({2, 9, 3, 4, 5}, {6, 9, 1, 2, 2}, {{}, {1, 0, 0, 1, 0, 0}});
    for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"})
        agrees({1, 4, 6, 5, 8}, {6, 4, 2, 3, 4}, {{2, 2, 3}, {}, {}, 1, mode});
    agrees({1, 2, 0, 4, 4}, {3, 2, 1, 3, 3}, {{}, {1, 0, 0, 0, 0, 0}});
    agrees({0, 2, 3, 4, 4}, {3, 2, 3, 3, 3}, {});
}
TEST_CASE("Depthwise Conv on the CPU agrees with the reference kernel") {
    const auto depthwise = [](std::int64_t channels, std::int64_t h, std::int64_t w, std::int64_t k, std::int64_t l,
                              window v) {
        v.group = channels;
        agrees({2, channels, h, w}, {channels, 1, k, l}, v);
    };
    for (std::int64_t c = 2; c <= 67; ++c) depthwise(c, 4, 5, 3, 3, {{}, {1, 1, 1, 1}});
    for (std::int64_t width = 1; width <= 35; ++width) depthwise(18, 3, width, 3, 3, {{}, {1, 1, 1, 1}});
    for (std::int64_t k : {1, 2, 3, 5, 7, 9})
        for (std::int64_t s : {1, 2, 3})
            for (std::int64_t pad : {0, 1, 3})
                if (pad < k && k <= 9 + 2 * pad) depthwise(20, 9, 24, k, k, {{s, s}, {pad, pad, pad, pad}});
    for (std::int64_t d : {2, 3}) depthwise(33, 10, 12, 3, 3, {{1, 2}, {d, d, d, d}, {d, d}});
    depthwise(16, 2, 2, 5, 5, {{}, {4, 4, 4, 4}});  // pixels that see nothing but padding
    depthwise(16, 3, 1, 3, 5, {{}, {1, 2, 1, 2}});
    depthwise(600, 5, 6, 3, 3, {{}, {1, 1, 1, 1}});  // some channels at a time
    for (std::int64_t s : {1, 2})
        depthwise(131, 37, 24, 3, 3, {{s, s}, {1, 1, 1, 1}});  // bands of rows, and of both images
}
TEST_CASE("Conv with an activation applies it to the finished sums") {
    const auto check = [](const char* name, std::vector<double> parameters, auto f) {
        CAPTURE(name);
        for (std::int64_t group : {1, 2, 40, 300}) {
            const std::int64_t channels = group == 300 ? 300 : 40;
            const tensor x = fractions({1, channels, 6, 9}, 1), w = whole({channels, channels / group, 3, 3}, 2),
                         b = whole({channels}, 3);
            window v{{}, {1, 1, 1, 1}, {}, group};
            tensor y = on_reference<op::conv>({{x, w, b}, v.list()});
            for (float& value : y.as<float>()) value = f(value);
            v.activation = name;
            v.activation_params = parameters;
            at_every_level([&](isa::level l) {
                CHECK(difference(on_cpu<op::fused_conv>({{x, operand::weight(w), b}, v.list()}, l), y) < 1e-5);
            });
        }
    };
    check("Clip", {0, 6}, [](float x) { return std::clamp(x, 0.f, 6.f); });
    check("Sigmoid", {}, [](float x) { return 1 / (1 + std::exp(-x)); });
    check("HardSigmoid", {0.25, 0.5}, [](float x) { return std::clamp(0.25f * x + 0.5f, 0.f, 1.f); });
    check("HardSwish", {}, [](float x) { return x * std::clamp(x / 6 + 0.5f, 0.f, 1.f); });
    check("Silu", {}, [](float x) { return x / (1 + std::exp(-x)); });
}
TEST_CASE("Conv on the CPU keeps NaN and infinity where they belong") {
    tensor x = whole({1, 20, 6, 7}, 1);
    x.as<float>()[100] = quiet_nan;
    x.as<float>()[400] = infinity;
    for (std::int64_t group : {1, 4, 20}) {  // too few channels for Winograd's algorithm
        const tensor w = ones({20, 20 / group, 3, 3});
        const window v{{}, {1, 1, 1, 1}, {}, group};
        const tensor y = on_reference<op::conv>({{x, w}, v.list()});
        at_every_level([&](isa::level l) {
            CHECK(same<float>(on_cpu<op::conv>({{x, operand::weight(w)}, v.list()}, l), y));
        });
    }
}
// Winograd's sums are not exact: relative to the largest result.
static void agrees_nearly(const shape& x, const shape& w, std::vector<std::int64_t> pads,
                          const std::string& activation = "") {
    CAPTURE(to_string(x), to_string(w), pads, activation);
    const tensor input = fractions(x, 1), filter = fractions(w, 2), bias = fractions({w[0]}, 3);
    window v{{}, pads};
    tensor y = on_reference<op::conv>({{input, filter, bias}, v.list()});
    const tensor addend = fractions(y.shape(), 4);
    at_every_level([&](isa::level l) {
        CHECK(difference(on_cpu<op::conv>({{input, operand::weight(filter), bias}, v.list()}, l), y) < 2e-5);
    });
    for (std::size_t i = 0; i < y.as<float>().size(); ++i) {
        float& value = y.as<float>()[i];
        value += addend.as<float>()[i];
        if (activation == "Relu") value = std::max(value, 0.f);
        if (activation == "Silu") value /= 1 + std::exp(-value);
    }
    v.activation = activation;
    at_every_level([&](isa::level l) {
        CHECK(difference(on_cpu<op::fused_conv>({{input, operand::weight(filter), bias, addend}, v.list()}, l), y) <
              2e-5);
    });
}
static std::int64_t side_of(std::int64_t batch, std::int64_t size, std::int64_t channels, std::int64_t out_channels) {
    conv_f32_params p;
    p.batch = batch, p.channels = channels, p.out_channels = out_channels,
    p.height = p.width = p.out_height = p.out_width = size;
    p.kernel_h = p.kernel_w = 3, p.pad_top = p.pad_left = 1;
    return p.winograd() ? p.form().side : 0;
}
TEST_CASE("Conv chooses Winograd's tiles by the size of the image, whether it does by the channels only") {
    CHECK(side_of(1, 56, 64, 64) == 4);
    CHECK(side_of(1, 14, 256, 256) == 4);
    CHECK(side_of(1, 7, 512, 512) == 2);
    CHECK(side_of(8, 7, 512, 512) == 2);  // whatever the batch, so that an image has the same bits in each
    CHECK(side_of(1, 3, 512, 512) == 1);
    for (std::int64_t size : {1, 7, 56}) CHECK(side_of(1, size, 16, 16) == 0);
}
TEST_CASE("Conv by Winograd's algorithm needs no more constants or scratch for a smaller image") {
    for (std::int64_t channels : {32, 128, 512})
        for (isa::level l : isa::linked)
            for (std::int64_t size = 2; size <= 64; ++size) {
                conv_f32_params p;
                p.channels = p.out_channels = channels, p.height = p.width = p.out_height = p.out_width = size,
                p.kernel_h = p.kernel_w = 3, p.pad_top = p.pad_left = 1;
                using conv = conv_f32_kernel<false>;
                const bytes_needed large = conv::footprint(p, l, 2);
                p.height = p.width = p.out_height = p.out_width = size - 1;
                const bytes_needed small = conv::footprint(p, l, 2);
                CAPTURE(channels, size, name_of(l));
                CHECK((small.constant == large.constant && small.scratch <= large.scratch));
            }
}
TEST_CASE("Conv by Winograd's algorithm agrees with the reference kernel") {
    for (std::int64_t size = 1; size <= 13; ++size)
        agrees_nearly({1, 40, size, 14 - size}, {40, 40, 3, 3}, {1, 1, 1, 1});
    for (std::int64_t size = 1; size <= 7; ++size)
        agrees_nearly({2, 40, size, size}, {40, 40, 3, 3}, {1, 1, 1, 1}, "Relu");
    for (std::int64_t pad : {0, 1, 2}) agrees_nearly({2, 32, 9, 11}, {48, 32, 3, 3}, {pad, 2 - pad, 1, pad}, "Silu");
    for (std::int64_t c = 30; c <= 67; c += 1) agrees_nearly({1, c, 8, 9}, {32, c, 3, 3}, {1, 1, 1, 1});
    for (std::int64_t n = 30; n <= 67; n += 1) agrees_nearly({1, 32, 8, 9}, {n, 32, 3, 3}, {1, 1, 1, 1}, "Relu");
    agrees_nearly({3, 32, 5, 5}, {32, 32, 3, 3}, {2, 2, 2, 2});
    agrees_nearly({1, 32, 62, 61}, {32, 32, 3, 3}, {1, 1, 1, 1});    // several blocks of tiles
    agrees_nearly({1, 512, 14, 14}, {32, 512, 3, 3}, {1, 1, 1, 1});  // several slabs of channels
    agrees_nearly({1, 520, 7, 7}, {33, 520, 3, 3}, {1, 1, 1, 1}, "Silu");
    agrees_nearly({1, 200, 3, 2}, {40, 200, 3, 3}, {1, 1, 1, 1}, "Relu");
    for (std::int64_t size : {2, 5, 9, 14})
        agrees_nearly({2, 40, 4, size, 13}, {40, 40, 3, 3, 3}, {1, 1, 1, 1, 1, 1}, "Silu");
    agrees_nearly({2, 40, 3, 9, 10}, {33, 40, 1, 3, 3}, {0, 1, 1, 0, 1, 1});
    agrees_nearly({1, 40, 3, 9, 10}, {33, 40, 2, 3, 3}, {3, 1, 0, 2, 1, 0}, "Relu");  // frames of nothing but padding
}
TEST_CASE("Conv by Winograd's algorithm keeps what is not finite within the tiles that see it") {
    for (std::int64_t size : {20, 7})
        for (float bad : {quiet_nan, infinity}) {
            const std::int64_t side = side_of(1, size, 64, 64);
            CAPTURE(size, side);
            tensor x = fractions({1, 64, size, size}, 1);
            const tensor w = fractions({64, 64, 3, 3}, 2);
            const window v{{}, {1, 1, 1, 1}};
            const tensor y = on_reference<op::conv>({{x, w}, v.list()});
            x.as<float>()[std::size_t(3 * size + 3)] = bad;  // of channel 0
            at_every_level([&](isa::level l) {
                const tensor z = on_cpu<op::conv>({{x, operand::weight(w)}, v.list()}, l);
                for (std::int64_t i = 0; i < z.elements(); ++i) {
                    const std::int64_t row = i / size % size, column = i % size, first = 2 / side * side,
                                       end = (4 / side + 1) * side;
                    const float value = z.as<float>()[std::size_t(i)];
                    if (row >= 2 && row <= 4 && column >= 2 && column <= 4)
                        CHECK_FALSE(std::isfinite(value));
                    else if (row < first || row >= end || column < first || column >= end)
                        CHECK(std::abs(value - y.as<float>()[std::size_t(i)]) < 1e-3);
                }
            });
        }
}
