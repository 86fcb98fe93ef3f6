// Mirrors kernels/inlay/onnx/conv_transpose.hpp and kernels/inlay/cpu/onnx/conv_transpose.hpp.
#include "../dense.hpp"
#include <inlay/cpu/onnx/conv_transpose.hpp>
#include <on_test_devices/onnx/conv_transpose.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

using numbers = std::vector<std::int64_t>;
struct spread {
    numbers strides{}, pads{}, dilations{}, more{}, output_shape{};
    std::int64_t group = 1;
    std::string auto_pad{};
    attributes list() const {
        return [*this](graph_data& g) {
            std::vector<attribute> entries{g.make("group", group)};
            for (const auto& [name, values] : {std::pair{"strides", strides},
                                               {"pads", pads},
                                               {"dilations", dilations},
                                               {"output_padding", more},
                                               {"output_shape", output_shape}})
                if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
            if (!auto_pad.empty()) entries.push_back(g.make("auto_pad", std::string_view(auto_pad)));
            return entries;
        };
    }
};
static tensor ones(const shape& dims) {
    tensor t(element::f32, dims);
    for (float& x : t.as<float>()) x = 1;
    return t;
}
static tensor on_plain(const tensor& x, const tensor& w, const spread& v = {}) {
    return on_reference<op::conv_transpose>({{x, w}, v.list()});
}

TEMPLATE_TEST_CASE("ConvTranspose of every type", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 1, 2, 2}, {1, 2, 3, 4}), w = list<T>({1, 2, 2, 2}, {1, 0, 0, 1, 1, 1, 1, 1}),
                 b = list<T>({2}, {0, 10});
    CHECK(same<T>(on_reference<op::conv_transpose>({{x, w, b}}),
                  list<T>({1, 2, 3, 3}, {1, 2, 0, 3, 5, 2, 0, 3, 4, 11, 13, 12, 14, 20, 16, 13, 17, 14})));
}
TEST_CASE("ConvTranspose spreads its input by strides and dilations") {
    const tensor x = list<float>({1, 1, 3}, {1, 2, 3}), w = list<float>({1, 1, 2}, {1, 10});
    CHECK(same<float>(on_plain(x, w), list<float>({1, 1, 4}, {1, 12, 23, 30})));
    CHECK(same<float>(on_plain(x, w, {.strides = {3}}), list<float>({1, 1, 8}, {1, 10, 0, 2, 20, 0, 3, 30})));
    CHECK(same<float>(on_plain(x, w, {.dilations = {2}}), list<float>({1, 1, 5}, {1, 2, 13, 20, 30})));
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .more = {1}}), list<float>({1, 1, 7}, {1, 10, 2, 20, 3, 30, 0})));
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .pads = {1, 2}}), list<float>({1, 1, 3}, {10, 2, 20})));
}
TEST_CASE("ConvTranspose chooses pads for the requested output") {
    const tensor x = list<float>({1, 1, 3}, {1, 2, 3}),
                 w = list<float>({1, 1, 3}, {1, 10, 100});  // 1 10 102 20 203 30 300 at a stride of 2
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .auto_pad = "SAME_UPPER"}),
                      list<float>({1, 1, 6}, {1, 10, 102, 20, 203, 30})));
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .auto_pad = "SAME_LOWER"}),
                      list<float>({1, 1, 6}, {10, 102, 20, 203, 30, 300})));
    CHECK(
        same<float>(on_plain(x, w, {.strides = {2}, .output_shape = {4}}), list<float>({1, 1, 4}, {102, 20, 203, 30})));
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .output_shape = {4}, .auto_pad = "SAME_UPPER"}),
                      list<float>({1, 1, 4}, {10, 102, 20, 203})));
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .output_shape = {9}}),
                      list<float>({1, 1, 9}, {1, 10, 102, 20, 203, 30, 300, 0, 0})));
    CHECK(same<float>(on_plain(x, w, {.strides = {2}, .auto_pad = "VALID"}),
                      list<float>({1, 1, 7}, {1, 10, 102, 20, 203, 30, 300})));
}
TEST_CASE("ConvTranspose of an empty axis has the outputs that the formula gives, of B alone") {
    const tensor x(element::f32, {1, 1, 0}), w = list<float>({1, 1, 3}, {1, 10, 100}), b = list<float>({1}, {7});
    const auto y = [&](const spread& v) {
        const call c{{x, operand::weight(w), b}, v.list()};
        const tensor plain = on_reference<op::conv_transpose>(c);
        at_every_level([&](isa::level l) { CHECK(same<float>(on_cpu<op::conv_transpose>(c, l), plain)); });
        return elements<float>(plain);
    };
    CHECK(y({}) == std::vector<float>{7, 7});  // (0 - 1) + (3 - 1) + 1
    CHECK(y({.strides = {2}}) == std::vector<float>{7});
    CHECK(y({.strides = {2}, .dilations = {2}, .more = {1}}) == std::vector<float>(4, 7.f));
    CHECK(y({.pads = {0, 1}}) == std::vector<float>{7});
    CHECK(y({.strides = {3}}).empty());
    CHECK(y({.strides = {5}}).empty());
    CHECK(y({.pads = {2, 2}}).empty());
}
TEST_CASE("ConvTranspose refuses what does not fit") {
    const auto reason_of = [](const shape& x, const shape& w, const spread& v, operand b = {}) {
        call c{{tensor(element::f32, x), tensor(element::f32, w)}, v.list()};
        if (b.value) c.inputs.push_back(b);
        return run<op::conv_transpose, device::reference>(c).answer.reason;
    };
    CHECK(reason_of({1, 2}, {2, 1}, {}) == "X has no spatial axis");
    CHECK(reason_of({1, 2, 3, 3}, {2, 1, 3}, {}) == "X and W differ in rank");
    CHECK(reason_of({1, 2, 3}, {3, 1, 1}, {}) == "W does not fit X's channels and the groups");
    CHECK(reason_of({1, 3, 3}, {3, 1, 1}, {.group = 2}) == "W does not fit X's channels and the groups");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.group = 0}) == "group must be positive");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.strides = {0}}) == "a stride or dilation is out of range");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.strides = {std::int64_t(1) << 62}}) ==
          "a stride or dilation is out of range");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.pads = {-1, 0}}) == "a pad is out of range");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.pads = {2, 2}}) == "the pads are larger than the output");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.more = {-1}}) == "output_padding is out of range");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.output_shape = {-2}}) == "output_shape is out of range");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.strides = {1, 1}}) ==
          "strides, dilations, pads, kernel_shape, output_padding or output_shape do not fit the spatial axes");
    CHECK(reason_of({1, 2, 3}, {2, 1, 1}, {.auto_pad = "SAME"}) == "auto_pad is unknown");
    CHECK(reason_of({1, 2, 3}, {2, 4, 1}, {}, tensor(element::f32, {3})) ==
          "B must have one element per output channel");
    CHECK(reason_of({1, 2, 9, 9}, {2, 1, 1, 1}, {.strides = {1 << 30, 1 << 30}}) == "the output is too large");
    const auto on_cpu_why = [](const call& c) { return run<op::conv_transpose, device::cpu>(c).answer.reason; };
    CHECK(on_cpu_why({{ones({1, 1, 3}), ones({1, 1, 1})}}) == "");
    CHECK(on_cpu_why({{operand::weight(ones({1, 1, 3})), operand::weight(ones({1, 1, 1}))}}) ==
          "X is a constant, which is never channels last");
    CHECK(on_cpu_why({{ones({1, 1, 3, 3, 3, 3}), operand::weight(ones({1, 1, 1, 1, 1, 1}))}}) ==
          "written for one to three spatial axes");
}

static void agrees(const shape& x, const shape& w, const spread& v) {
    CAPTURE(to_string(x), to_string(w), v.strides, v.pads, v.dilations, v.more, v.output_shape, v.group, v.auto_pad);
    const tensor input = whole(x, 1), filter = whole(w, 2), bias = whole({w[1] * v.group}, 3);
    const tensor y = on_reference<op::conv_transpose>({{input, filter, bias}, v.list()});
    CHECK(devices_agree<op::conv_transpose>(
        {{input, operand::weight(filter), bias}, v.list()}, y,
        {"written for one or two spatial axes", "an empty image", "Y goes on beyond what the last windows reach"}));
    at_every_level([&](isa::level l) {
        for (layout in : {layout::plain, layout::channels_last})
            for (const operand& weights : {operand::weight(filter), operand(filter)}) {
                call c{{input, weights, bias}, v.list()};
                c.in = in;
                CHECK(same<float>(on_cpu<op::conv_transpose>(c, l), y));
            }
    });
}
TEST_CASE("ConvTranspose on the CPU agrees with the reference kernel") {
    for (std::int64_t n = 1; n <= 67; ++n) agrees({1, 7, 3, 5}, {7, n, 2, 2}, {.strides = {2, 2}});
    for (std::int64_t c = 1; c <= 20; ++c) agrees({2, c, 3, 5}, {c, 5, 3, 3}, {.pads = {1, 1, 1, 1}});
    for (std::int64_t width = 1; width <= 31; ++width)
        agrees({1, 3, 4, width}, {3, 17, 3, 3}, {.strides = {1, 2}, .pads = {1, 1, 1, 0}, .more = {0, 1}});
    for (std::int64_t k : {1, 2, 3, 4, 5})
        for (std::int64_t s : {1, 2, 3, 5})
            for (std::int64_t pad : {0, 1, 2})
                if (pad < k) agrees({2, 6, 4, 5}, {6, 10, k, k}, {.strides = {s, s}, .pads = {pad, pad, pad, pad}});
    for (std::int64_t d : {1, 2, 3})
        agrees({1, 5, 6, 7}, {5, 34, 3, 2}, {.strides = {1, 2}, .pads = {0, 1, 2, 1}, .dilations = {d, 4 - d}});
    for (std::int64_t g : {2, 3, 6})
        agrees({2, 12, 4, 5}, {12, 8, 3, 3}, {.strides = {2, 1}, .pads = {1, 1, 1, 1}, .group = g});
    for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"})
        agrees({1, 4, 5, 6}, {4, 6, 3, 4}, {.strides = {2, 3}, .auto_pad = mode});
    agrees({1, 4, 3, 3}, {4, 6, 3, 3}, {.strides = {3, 2}, .output_shape = {10, 8}});
    agrees({1, 1600, 3, 4}, {1600, 5, 2, 2}, {.strides = {2, 2}});  // several slabs of K
    agrees({1, 3, 2, 2}, {3, 4, 2, 2}, {.strides = {5, 5}});        // pixels that nothing reaches
    agrees({1, 3, 2, 2}, {3, 4, 1, 1}, {.pads = {1, 1, 0, 0}});
    agrees({0, 2, 4, 4}, {2, 3, 3, 3}, {});
    agrees({1, 2, 4, 4}, {2, 0, 3, 3}, {});
    agrees({1, 2, 0, 4}, {2, 3, 3, 3}, {});
}
TEST_CASE("ConvTranspose into few channels, and of each channel alone, agrees with the reference kernel on the CPU") {
    for (std::int64_t n = 1; n <= 17; ++n)
        agrees({2, 9, 3, 5}, {9, n, 4, 4}, {.strides = {2, 2}, .pads = {1, 1, 1, 1}});
    agrees({1, 9, 4, 5}, {9, 3, 3, 4}, {.strides = {1, 2}, .pads = {0, 1, 2, 1}, .dilations = {2, 3}, .more = {0, 1}});
    agrees({1, 12, 4, 5}, {12, 3, 3, 4}, {.strides = {2, 3}, .pads = {1, 2, 0, 1}, .group = 3});
    agrees({2, 6, 3, 4, 2}, {6, 2, 2, 3, 2}, {.strides = {2, 1, 3}, .pads = {0, 1, 1, 1, 0, 0}});
    agrees({1, 3, 2, 2}, {3, 4, 2, 2}, {.strides = {5, 5}});
    agrees({1, 4, 3, 3}, {4, 2, 3, 3}, {.strides = {3, 2}, .output_shape = {10, 8}});
    agrees({1, 2, 0, 4}, {2, 3, 3, 3}, {});
    for (std::int64_t n = 1; n <= 19; ++n)
        agrees({2, n, 3, 5}, {n, 1, 4, 3}, {.strides = {2, 1}, .pads = {1, 1, 1, 0}, .group = n});
    agrees({1, 5, 4, 5}, {5, 1, 3, 2}, {.strides = {3, 2}, .dilations = {2, 3}, .more = {2, 1}, .group = 5});
    agrees({1, 5, 3, 4, 2}, {5, 1, 2, 2, 2}, {.strides = {2, 2, 1}, .group = 5});
    agrees({0, 5, 4, 4}, {5, 1, 3, 3}, {.group = 5});
}
TEST_CASE("ConvTranspose whose windows tile Y agrees with the reference kernel on the CPU") {
    for (std::int64_t k : {1, 2, 3})
        for (std::int64_t n : {16, 33}) {
            agrees({2, 9, 3, 5}, {9, n, k, k}, {.strides = {k, k}});
            agrees({1, 8, 3, 5}, {8, n, k, 2}, {.strides = {k, 2}, .group = 2});
        }
    agrees({1, 9, 3, 5}, {9, 16, 2, 2}, {.strides = {2, 2}, .more = {1, 0}});
    agrees({1, 9, 3, 5}, {9, 16, 2, 2}, {.strides = {2, 2}, .output_shape = {6, 9}});
    agrees({1, 1600, 3, 4}, {1600, 17, 2, 2}, {.strides = {2, 2}});  // several slabs of K
}
TEST_CASE("ConvTranspose over one axis on the CPU agrees with the reference kernel") {
    for (std::int64_t n = 1; n <= 40; ++n) agrees({2, 5, n}, {5, n, 4}, {.strides = {2}, .pads = {1, 1}});
    agrees({1, 80, 50}, {80, 130, 16}, {.strides = {8}, .pads = {4, 4}});  // threads share its channels
    agrees({2, 1, 50}, {1, 1, 5}, {});
}
TEST_CASE("ConvTranspose over three axes on the CPU agrees with the reference kernel") {
    for (std::int64_t n : {1, 5, 16, 33}) agrees({2, 5, 3, 4, 2}, {5, n, 2, 2, 2}, {.strides = {2, 2, 2}});
    for (std::int64_t k : {1, 2, 3})
        for (std::int64_t s : {1, 2, 3})
            for (std::int64_t pad : {0, 1})
                if (pad < k)
                    agrees({1, 6, 3, 4, 5}, {6, 10, k, k, k},
                           {.strides = {s, 1, s}, .pads = {pad, pad, 0, 0, pad, pad}});
    for (std::int64_t d : {1, 2})
        agrees({1, 5, 4, 3, 5}, {5, 7, 3, 2, 2},
               {.strides = {1, 2, 3}, .pads = {1, 0, 1, 2, 1, 0}, .dilations = {d, 3 - d, 1}, .more = {0, 1, 2}});
    for (std::int64_t g : {2, 3})
        agrees({2, 12, 3, 4, 2}, {12, 8, 3, 2, 3}, {.strides = {2, 1, 2}, .pads = {1, 0, 1, 1, 0, 1}, .group = g});
    agrees({1, 2, 0, 4, 3}, {2, 3, 3, 3, 2}, {});
}
TEST_CASE("ConvTranspose on the CPU keeps NaN and infinities where they are") {
    tensor x = ones({1, 2, 3, 3});
    x.as<float>()[4] = quiet_nan;
    x.as<float>()[9] = infinity;
    const tensor w = ones({2, 3, 2, 2}), y = on_plain(x, w, {.strides = {2, 2}});
    at_every_level([&](isa::level l) {
        CHECK(
            same<float>(on_cpu<op::conv_transpose>({{x, operand::weight(w)}, spread{.strides = {2, 2}}.list()}, l), y));
    });
}
