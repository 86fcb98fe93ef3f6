// Mirrors kernels/inlay/onnx/pool.hpp, kernels/inlay/cpu/onnx/pool.hpp and kernels/inlay/cpu/isa/pool_u8.hpp.
#include "../windows.hpp"
#include <inlay/cpu/onnx/pool.hpp>
#include <on_test_devices/onnx/pool.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
struct window {
    numbers kernel{}, strides{}, pads{}, dilations{};
    std::int64_t ceil = 0, include_padding = 0, column_major = 0;
    std::string auto_pad{};
    operator attributes() const {
        return [w = *this](graph_data& g) {
            std::vector<attribute> entries{g.make("ceil_mode", w.ceil), g.make("count_include_pad", w.include_padding),
                                           g.make("storage_order", w.column_major)};
            add_window(g, w, entries);
            return entries;
        };
    }
};
template <class T> tensor ramp(const shape& dims) {  // 1, 2, 3, ...
    tensor t(element_of<T>, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i)
        t.as<T>()[std::size_t(i)] = static_cast<T>(static_cast<float>(i + 1));
    return t;
}
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) {
    return list<T>(values).reshaped(dims);
}
const std::vector<window> plane_windows{window{.kernel = {1, 1}},
                                        {.kernel = {2, 2}, .strides = {2, 2}},
                                        {.kernel = {3, 3}, .pads = {1, 1, 1, 1}},
                                        {.kernel = {5, 5}, .pads = {2, 2, 2, 2}},
                                        {.kernel = {3, 3}, .strides = {2, 2}, .pads = {0, 0, 1, 1}, .ceil = 1},
                                        {.kernel = {3, 2}, .strides = {3, 1}, .dilations = {2, 3}},
                                        {.kernel = {4, 4}, .strides = {5, 3}, .auto_pad = "SAME_LOWER"},
                                        {.kernel = {13, 11}},
                                        {.kernel = {2, 2}, .pads = {3, 3, 3, 3}},
                                        {.kernel = {7, 7}, .strides = {2, 2}, .pads = {3, 3, 3, 3}, .ceil = 1}};
std::string_view refusal_of(const call& c) { return run<op::max_pool, device::reference>(c).answer.reason; }
}  // namespace

TEMPLATE_TEST_CASE("MaxPool takes the largest of each window", "", float, double, float16, bfloat16, std::int8_t,
                   std::uint8_t) {
    using T = TestType;
    CHECK(same<T>(on_reference<op::max_pool>({.inputs = {ramp<T>({1, 1, 3, 3})}, .with = window{.kernel = {2, 2}}}),
                  of<T>({1, 1, 2, 2}, {5, 6, 8, 9})));
    CHECK(same<T>(
        on_reference<op::max_pool>({.inputs = {ramp<T>({1, 2, 5})}, .with = window{.kernel = {2}, .strides = {2}}}),
        of<T>({1, 2, 2}, {2, 4, 7, 9})));
    CHECK(
        same<T>(on_reference<op::max_pool>({.inputs = {ramp<T>({1, 1, 2, 2, 2})}, .with = window{.kernel = {2, 2, 2}}}),
                of<T>({1, 1, 1, 1, 1}, {8})));
}
TEMPLATE_TEST_CASE("AveragePool divides by what it counts", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = ramp<T>({1, 1, 2, 3});
    CHECK(same<T>(on_reference<op::average_pool>({.inputs = {x}, .with = window{.kernel = {2, 2}}}),
                  of<T>({1, 1, 1, 2}, {3, 4})));
    CHECK(same<T>(on_reference<op::average_pool>(
                      {.inputs = {x}, .with = window{.kernel = {1, 3}, .strides = {1, 3}, .pads = {0, 1, 0, 2}}}),
                  of<T>({1, 1, 2, 2}, {1.5, 3, 4.5, 6})));
    CHECK(
        same<T>(on_reference<op::average_pool>(
                    {.inputs = {x},
                     .with = window{.kernel = {1, 4}, .strides = {1, 2}, .pads = {0, 1, 0, 2}, .include_padding = 1}}),
                of<T>({1, 1, 2, 2}, {1.5, 1.25, 3.75, 2.75})));
}
TEST_CASE("Padding is no maximum and ceil_mode's overhang is not counted") {
    const tensor x = list<float>({-3, -1, -2}).reshaped({1, 1, 3});
    CHECK(same<float>(on_reference<op::max_pool>({.inputs = {x}, .with = window{.kernel = {3}, .pads = {2, 2}}}),
                      of<float>({1, 1, 5}, {-3, -1, -1, -1, -2})));
    // Positions 0 1 | 2 (3): the last is beyond the padding.
    CHECK(same<float>(
        on_reference<op::average_pool>(
            {.inputs = {x}, .with = window{.kernel = {2}, .strides = {2}, .ceil = 1, .include_padding = 1}}),
        of<float>({1, 1, 2}, {-2, -2})));
    CHECK(same<float>(
        on_reference<op::average_pool>(
            {.inputs = {x},
             .with = window{.kernel = {2}, .strides = {2}, .pads = {0, 1}, .ceil = 1, .include_padding = 1}}),
        of<float>({1, 1, 2}, {-2, -1})));
    // A window of padding only.
    CHECK(same<float>(on_reference<op::average_pool>({.inputs = {x}, .with = window{.kernel = {1}, .pads = {1, 0}}}),
                      of<float>({1, 1, 4}, {0, -3, -1, -2})));
    CHECK(same<float>(on_reference<op::max_pool>({.inputs = {x}, .with = window{.kernel = {1}, .pads = {1, 0}}}),
                      of<float>({1, 1, 4}, {-infinity, -3, -1, -2})));
}
TEST_CASE("Output shapes of pools follow pads, strides, dilations, ceil_mode and auto_pad") {
    const auto out = [](std::int64_t in, const window& w) {
        return on_reference<op::max_pool>({.inputs = {tensor(element::f32, {1, 1, in})}, .with = w}).shape()[2];
    };
    CHECK(out(10, {.kernel = {3}, .strides = {2}}) == 4);
    CHECK(out(10, {.kernel = {3}, .strides = {2}, .ceil = 1}) == 5);
    CHECK(out(10, {.kernel = {3}, .strides = {2}, .dilations = {2}}) == 3);
    CHECK(out(2, {.kernel = {1}, .strides = {2}, .ceil = 1}) == 1);  // a second window would start after the input
    CHECK(out(2, {.kernel = {3}, .strides = {3}, .pads = {1, 1}, .ceil = 1}) == 1);
    CHECK(out(10, {.kernel = {3}, .strides = {3}, .auto_pad = "SAME_UPPER"}) == 4);
    CHECK(out(10, {.kernel = {3}, .strides = {3}, .auto_pad = "SAME_LOWER"}) == 4);
    CHECK(out(10, {.kernel = {3}, .strides = {3}, .auto_pad = "VALID"}) == 3);
    CHECK(out(0, {.kernel = {3}, .auto_pad = "SAME_UPPER"}) == 0);
    CHECK(out(4, {.kernel = {5}}) == 0);  // as in ONNX Runtime
    CHECK(out(4, {.kernel = {7}, .strides = {3}}) == 0);
    CHECK(out(4, {.kernel = {5}, .strides = {3}, .ceil = 1}) == 1);
    const tensor x = list<float>({1, 2, 3, 4}).reshaped({1, 1, 4});
    CHECK(same<float>(
        on_reference<op::max_pool>({.inputs = {x}, .with = window{.kernel = {2}, .auto_pad = "SAME_UPPER"}}),
        of<float>({1, 1, 4}, {2, 3, 4, 4})));
    CHECK(same<float>(
        on_reference<op::max_pool>({.inputs = {x}, .with = window{.kernel = {2}, .auto_pad = "SAME_LOWER"}}),
        of<float>({1, 1, 4}, {1, 2, 3, 4})));
}
TEST_CASE("Indices count along rows or along columns, over the whole tensor") {
    const tensor x = ramp<float>({2, 1, 2, 3});
    const std::vector<element> types{element::f32, element::i64};
    const outcome rows =
        run<op::max_pool, device::reference>({.inputs = {x}, .with = window{.kernel = {1, 2}}, .outputs = types});
    CHECK(same<std::int64_t>(rows[1], of<std::int64_t>({2, 1, 2, 2}, {1, 2, 4, 5, 7, 8, 10, 11})));
    const outcome columns = run<op::max_pool, device::reference>(
        {.inputs = {x}, .with = window{.kernel = {1, 2}, .column_major = 1}, .outputs = types});
    CHECK(same<std::int64_t>(columns[1], of<std::int64_t>({2, 1, 2, 2}, {2, 4, 3, 5, 8, 10, 9, 11})));
    const outcome first =
        run<op::max_pool, device::reference>({.inputs = {list<float>({5, 5, -infinity, -infinity}).reshaped({1, 1, 4})},
                                              .with = window{.kernel = {2}, .strides = {2}},
                                              .outputs = types});
    CHECK(same<std::int64_t>(first[1], of<std::int64_t>({1, 1, 2}, {0, 2})));
    CHECK_FALSE(
        run<op::max_pool, device::cpu>({.inputs = {x}, .with = window{.kernel = {1, 2}}, .outputs = types}).answer);
}
TEMPLATE_TEST_CASE("GlobalMaxPool takes the largest of each plane, of any rank and version", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    for (int version : {1, 22}) {
        const auto pool = [&](const tensor& x) {
            return on_reference<op::global_max_pool>({.inputs = {x}, .version = version});
        };
        CHECK(same<T>(pool(of<T>({1, 2, 3}, {-3, -1, -2, 4, 6, 5})), of<T>({1, 2, 1}, {-1, 6})));
        CHECK(same<T>(pool(of<T>({2, 1, 2, 2}, {1, 2, 3, quiet_nan, -infinity, -infinity, -infinity, -infinity})),
                      of<T>({2, 1, 1, 1}, {quiet_nan, -infinity})));
        CHECK(same<T>(pool(of<T>({1, 3}, {1, -2, 3})), of<T>({1, 3}, {1, -2, 3})));
        CHECK(same<T>(pool(ramp<T>({1, 2, 2, 1, 2, 2})), of<T>({1, 2, 1, 1, 1, 1}, {8, 16})));
    }
    CHECK(same<T>(on_reference<op::global_max_pool>({{tensor(element_of<T>, {1, 2, 0})}}),
                  of<T>({1, 2, 1}, {-infinity, -infinity})));
}
TEST_CASE("Global pools refuse what has no channels") {
    CHECK(run<op::global_max_pool, device::reference>({{list<float>({1})}}).answer.reason ==
          "the input needs a batch and a channel axis");
    CHECK(run<op::global_max_pool, device::reference>(
              {{operand{}}, [](graph_data&) { return std::vector<attribute>{}; }, 0, {element::f32}})
              .answer.reason == "the input is missing");
}
TEST_CASE("GlobalMaxPool on the CPU agrees with the reference kernel in both layouts, NaN and infinities included") {
    for (std::int64_t n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor planes = random_tensor({2, 3, n}, unsigned(n)),
               channels = random_tensor({2, n, 5, 3}, unsigned(n) + 100);
        agree<op::global_max_pool>({{planes}});
        agree<op::global_max_pool>({{channels}});
        for (tensor* x : {&planes, &channels})
            for (std::int64_t i = n % 7; i < x->elements(); i += 7)
                x->as<float>()[std::size_t(i)] = i % 5 == 0 ? quiet_nan : i % 2 ? infinity : -infinity;
        agree<op::global_max_pool>({{planes}});
        agree<op::global_max_pool>({{channels}});
    }
    agree<op::global_max_pool>({{random_tensor({1, 200, 71, 67}, 1)}});
    agree<op::global_max_pool>({{random_tensor({2, 5}, 2)}});
    agree<op::global_max_pool>({{random_tensor({2, 5, 3, 4, 6, 2}, 3)}});
    agree<op::global_max_pool>({{tensor(element::f32, {0, 4, 3})}});
}
TEST_CASE("NaN passes through MaxPool, whichever tap it is") {
    const tensor x =
        list<float>({quiet_nan, 1, 2, 3, quiet_nan, infinity, -infinity, -infinity}).reshaped({1, 1, 1, 8});
    const call c{.inputs = {x}, .with = window{.kernel = {1, 2}}};
    CHECK(same<float>(on_reference<op::max_pool>(c),
                      of<float>({1, 1, 1, 7}, {quiet_nan, 2, 3, quiet_nan, quiet_nan, infinity, -infinity})));
    for (std::int64_t channels : {1, 5, 16, 64, 67}) {
        tensor many = random_tensor({1, channels, 5, 6}, unsigned(channels));
        for (std::int64_t i = 0; i < many.elements(); i += 7)
            many.as<float>()[std::size_t(i)] = i % 3 == 0 ? quiet_nan : i % 3 == 1 ? infinity : -infinity;
        CAPTURE(channels);
        agree<op::max_pool>({.inputs = {many}, .with = window{.kernel = {2, 2}}});
        agree<op::average_pool>({.inputs = {many}, .with = window{.kernel = {2, 2}}}, 1e-6);
    }
}
TEST_CASE("Pools refuse attributes that make no sense") {
    const tensor x(element::f32, {1, 1, 4});
    const auto refuses = [&](const window& w) { return !refusal_of({.inputs = {x}, .with = w}).empty(); };
    CHECK(refuses({}));
    CHECK(refuses({.kernel = {2, 2}}));
    CHECK(refuses({.kernel = {0}}));
    CHECK(refuses({.kernel = {2}, .strides = {0}}));
    CHECK(refuses({.kernel = {2}, .strides = {1, 1}}));
    CHECK(refuses({.kernel = {2}, .pads = {1}}));
    CHECK(refuses({.kernel = {2}, .pads = {-1, 0}}));
    CHECK(refuses({.kernel = {2}, .dilations = {-1}}));
    CHECK(refuses({.kernel = {2}, .auto_pad = "SAME"}));
    CHECK(refuses({.kernel = {6}}));
    CHECK(refuses({.kernel = {std::numeric_limits<std::int64_t>::max()}, .auto_pad = "SAME_UPPER"}));
    CHECK(refuses(
        {.kernel = {2}, .pads = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()}}));
    CHECK_FALSE(refusal_of({.inputs = {tensor(element::f32, {1, 4})}, .with = window{.kernel = {2}}}).empty());
    constexpr std::int64_t much = 1 << 30;
    CHECK(refusal_of({.inputs = {tensor(element::f32, {1, 1, 1, 1, 1})},
                      .with = window{.kernel = {1, 1, 1}, .pads = {much, much, much, much, much, much}}}) ==
          "the output is too large");
}
TEMPLATE_TEST_CASE("Pools on the CPU leave a constant to the reference kernel, since constants stay plain", "",
                   op::max_pool, op::average_pool) {
    const tensor x = ramp<float>({1, 2, 2, 2});
    const window w{{1, 2}};
    CHECK(run<TestType, device::cpu>({{x}, w}).answer);
    CHECK(run<TestType, device::cpu>({{operand::weight(x)}, w}).answer.reason ==
          "X is a constant, which is never channels last");
}
TEST_CASE("Shape rules of pools keep dimensions that are not known yet") {
    graph_data g;
    const int in = g.add_value("", element::f32, shape{-2, 3, -1, 8}),
              out = g.add_value("", element::f32, shape::unknown());
    const attributes with = window{.kernel = {3, 3}, .strides = {2, 2}};
    g.add_node("", "MaxPool", 12, "n", with(g), std::vector{in}, std::vector{out});
    const graph_view v = g.view();
    std::array<shape, 1> y{};
    CHECK(op::max_pool::shapes({v, v.nodes[0]}, y));
    CHECK(y[0] == shape{-2, 3, -1, 3});
}

TEMPLATE_TEST_CASE("Pools on the CPU agree with the reference kernel at every number of channels", "", op::max_pool,
                   op::average_pool) {
    for (std::int64_t channels = 0; channels <= 67; ++channels) {
        CAPTURE(channels);
        agree<TestType>({.inputs = {random_tensor({2, channels, 5, 4}, unsigned(channels))},
                         .with = window{.kernel = {3, 2}, .strides = {2, 1}, .pads = {1, 0, 0, 1}}},
                        1e-6);
    }
}
TEMPLATE_TEST_CASE("Pools on the CPU agree with the reference kernel for windows of all kinds", "", op::max_pool,
                   op::average_pool) {
    const tensor x = random_tensor({2, 35, 13, 11}, 5);
    for (std::int64_t include : {0, 1})
        for (const window& w : plane_windows) {
            window variant = w;
            variant.include_padding = include;
            CAPTURE(include, w.kernel[0], w.kernel[1]);
            agree<TestType>({.inputs = {x}, .with = variant}, 1e-6);
        }
    agree<TestType>(
        {.inputs = {random_tensor({1, 64, 70, 70}, 6)}, .with = window{.kernel = {3, 3}, .strides = {2, 2}}}, 1e-6);
    agree<TestType>({.inputs = {tensor(element::f32, {0, 8, 4, 4})}, .with = window{.kernel = {3, 3}}});
    for (std::int64_t ceil : {0, 1})  // windows that are larger than the input, by less than a stride
        agree<TestType>({.inputs = {random_tensor({1, 8, 4, 5}, 7)},
                         .with = window{.kernel = {5, 2}, .strides = {3, 1}, .ceil = ceil}},
                        1e-6);
}

TEMPLATE_TEST_CASE("MaxPool of 8-bit integers on the CPU agrees with the reference kernel at every number of channels",
                   "", std::int8_t, std::uint8_t) {
    using T = TestType;
    const auto codes = [](const shape& dims, unsigned seed) {
        return random_tensor<T>(dims, seed, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max() + .99);
    };
    const auto beside = [](const call& c) {
        elementwise::agree(run<op::max_pool, device::reference>, run<op::max_pool, device::cpu>, {}, same<T>, c, 0);
    };
    for (std::int64_t channels = 0; channels <= 140; ++channels) {
        CAPTURE(channels);
        beside({.inputs = {codes({2, channels, 5, 4}, unsigned(channels))},
                .with = window{.kernel = {3, 2}, .strides = {2, 1}, .pads = {1, 0, 0, 1}}});
    }
    for (std::int64_t channels : {5, 35, 600})
        for (const window& w : plane_windows) {
            CAPTURE(channels, w.kernel[0], w.kernel[1]);
            beside({.inputs = {codes({2, channels, 13, 11}, 5)}, .with = w});
        }
    beside({.inputs = {codes({2, 35, 23}, 6)}, .with = window{.kernel = {3}, .dilations = {4}}});
    beside({.inputs = {codes({2, 35, 5, 6, 7}, 7)}, .with = window{.kernel = {2, 3, 2}}});
    for (T code : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}) {
        tensor x(element_of<T>, {1, 70, 6, 6});
        std::ranges::fill(x.as<T>(), code);
        beside({.inputs = {x}, .with = window{.kernel = {2, 2}, .pads = {1, 1, 1, 1}}});
    }
    CHECK(run<op::max_pool, device::cpu>({.inputs = {codes({1, 3, 4, 4}, 1)},
                                          .with = window{.kernel = {2, 2}},
                                          .outputs = {element_of<T>, element::i64}})
              .answer.reason == "Indices are found by the reference kernel only");
}

TEMPLATE_TEST_CASE("Pools over one and over three axes on the CPU agree with the reference kernel", "", op::max_pool,
                   op::average_pool) {
    for (std::int64_t include : {0, 1})
        for (std::int64_t channels : {1, 3, 16, 35}) {
            CAPTURE(include, channels);
            const tensor line = random_tensor({2, channels, 23}, 5), volume = random_tensor({2, channels, 5, 6, 7}, 6);
            for (const window& w : {window{.kernel = {2}, .strides = {2}},
                                    {.kernel = {3}, .pads = {1, 1}},
                                    {.kernel = {4}, .strides = {3}, .pads = {2, 1}, .ceil = 1},
                                    {.kernel = {3}, .dilations = {4}},
                                    {.kernel = {1}, .pads = {2, 0}}}) {
                window variant = w;
                variant.include_padding = include;
                agree<TestType>({.inputs = {line}, .with = variant}, 1e-6);
            }
            for (const window& w : {window{.kernel = {2, 2, 2}, .strides = {2, 2, 2}},
                                    {.kernel = {3, 3, 3}, .strides = {2, 1, 2}, .pads = {1, 1, 1, 1, 1, 1}},
                                    {.kernel = {1, 3, 2}},
                                    {.kernel = {2, 1, 1}, .pads = {3, 0, 0, 1, 0, 0}},
                                    {.kernel = {2, 3, 2}, .strides = {3, 2, 1}, .pads = {0, 1, 0, 1, 0, 1}, .ceil = 1},
                                    {.kernel = {3, 2, 3}, .dilations = {2, 3, 1}},
                                    {.kernel = {5, 6, 7}}}) {
                window variant = w;
                variant.include_padding = include;
                agree<TestType>({.inputs = {volume}, .with = variant}, 1e-6);
            }
        }
}
TEMPLATE_TEST_CASE("GlobalAveragePool is the mean of each channel, over any axes", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    CHECK(same<T>(on_reference<op::global_average_pool>({{ramp<T>({1, 2, 2, 2})}}), of<T>({1, 2, 1, 1}, {2.5, 6.5})));
    CHECK(same<T>(on_reference<op::global_average_pool>({{ramp<T>({2, 1, 3})}}), of<T>({2, 1, 1}, {2, 5})));
    CHECK(same<T>(on_reference<op::global_average_pool>({{ramp<T>({1, 1, 1, 2, 2, 2})}}),
                  of<T>({1, 1, 1, 1, 1, 1}, {4.5})));
    CHECK(same<T>(on_reference<op::global_average_pool>({{tensor(element_of<T>, {1, 1, 0, 2})}}),
                  of<T>({1, 1, 1, 1}, {quiet_nan})));
    CHECK_FALSE(run<op::global_average_pool, device::reference>({{tensor(element_of<T>, {3})}}).answer);
}
TEST_CASE("GlobalAveragePool on the CPU agrees with the reference kernel at every number of channels") {
    for (std::int64_t channels = 0; channels <= 67; ++channels) {
        CAPTURE(channels);
        agree<op::global_average_pool>({{random_tensor({2, channels, 3, 5}, unsigned(channels))}}, 1e-6);
        agree<op::global_average_pool>({{random_tensor({1, 3, channels}, unsigned(channels))}}, 1e-6);
    }
    agree<op::global_average_pool>({{random_tensor({3, 200, 30, 31}, 7)}}, 1e-6);
    agree<op::global_average_pool>({{random_tensor({2, 70, 97, 101}, 8)}}, 1e-6);
    tensor x = random_tensor({1, 20, 4, 4}, 9);
    x.as<float>()[17] = quiet_nan;
    x.as<float>()[40] = infinity;
    agree<op::global_average_pool>({{x}}, 1e-6);
}
