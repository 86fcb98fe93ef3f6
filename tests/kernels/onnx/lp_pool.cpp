// Mirrors kernels/inlay/onnx/lp_pool.hpp and kernels/inlay/cpu/onnx/lp_pool.hpp.
#include "../windows.hpp"
#include <inlay/cpu/onnx/lp_pool.hpp>
#include <on_test_devices/onnx/lp_pool.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
struct window {
    numbers kernel{}, strides{}, pads{}, dilations{};
    std::int64_t ceil = 0, p = 2;
    std::string auto_pad{};
    operator attributes() const {
        return [w = *this](graph_data& g) {
            std::vector<attribute> entries{g.make("ceil_mode", w.ceil), g.make("p", w.p)};
            add_window(g, w, entries);
            return entries;
        };
    }
};
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) {
    return list<T>(values).reshaped(dims);
}
template <class T = float> tensor pooled(const tensor& x, const attributes& with, int version = 22) {
    return on_reference<op::lp_pool>({.inputs = {x}, .with = with, .version = version});
}
attributes exponent(std::int64_t p) {
    return [=](graph_data& g) { return std::vector{g.make("p", p)}; };
}
std::string_view refusal_of(const window& w) {
    return run<op::lp_pool, device::reference>({.inputs = {tensor(element::f32, {1, 1, 4})}, .with = w}).answer.reason;
}
}  // namespace

TEMPLATE_TEST_CASE("LpPool takes the norm of each window", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, bfloat16> ? 8e-3 : std::is_same_v<T, float16> ? 1e-3 : 1e-6;
    const tensor x = of<T>({1, 1, 2, 3}, {3, -4, 0, -12, 5, 8});
    for (int version : {2, 11, 18, 22}) {
        CHECK(same<T>(pooled(x, window{.kernel = {1, 2}}, version), of<T>({1, 1, 2, 2}, {5, 4, 13, std::sqrt(89.)}),
                      tolerance));
        CHECK(
            same<T>(pooled(x, window{.kernel = {2, 1}, .p = 1}, version), of<T>({1, 1, 1, 3}, {15, 9, 8}), tolerance));
        CHECK(same<T>(pooled(x, window{.kernel = {2, 2}, .p = 3}, version),
                      of<T>({1, 1, 1, 2}, {std::cbrt(27. + 64 + 1728 + 125), std::cbrt(64. + 125 + 512)}), tolerance));
    }
    CHECK(same<T>(pooled(of<T>({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 3}), window{.kernel = {2, 2, 2}}),
                  of<T>({1, 1, 1, 1, 1}, {4}), tolerance));
}
TEST_CASE("Version 1 of LpPool has a real number as p") {
    const attributes with = [](graph_data& g) {
        const numbers kernel{2};
        return std::vector{g.make("p", 1.5), g.make("kernel_shape", std::span<const std::int64_t>(kernel))};
    };
    CHECK(same<float>(pooled(of<float>({1, 1, 3}, {4, -1, 0}), with, 1),
                      of<float>({1, 1, 2}, {std::pow(9., 2. / 3), 1}), 1e-6));
}
TEST_CASE("Padding adds nothing to the norms of LpPool, and windows follow its attributes") {
    const tensor x = of<float>({1, 1, 5}, {3, 4, 12, 5, 8});
    CHECK(same<float>(pooled(x, window{.kernel = {2}, .strides = {2}, .pads = {1, 0}}),
                      of<float>({1, 1, 3}, {3, std::sqrt(160.), std::sqrt(89.)}), 1e-6));
    CHECK(same<float>(pooled(x, window{.kernel = {2}, .strides = {2}, .ceil = 1}), of<float>({1, 1, 3}, {5, 13, 8})));
    CHECK(same<float>(pooled(x, window{.kernel = {2}, .dilations = {3}}),
                      of<float>({1, 1, 2}, {std::sqrt(34.), std::sqrt(80.)}), 1e-6));
    CHECK(same<float>(pooled(x, window{.kernel = {2}, .strides = {2}, .auto_pad = "SAME_UPPER"}),
                      of<float>({1, 1, 3}, {5, 13, 8})));
    CHECK(same<float>(pooled(x, window{.kernel = {2}, .strides = {2}, .auto_pad = "SAME_LOWER"}),
                      of<float>({1, 1, 3}, {3, std::sqrt(160.), std::sqrt(89.)}), 1e-6));
    CHECK(pooled(x, window{.kernel = {2}, .strides = {2}, .auto_pad = "VALID"}).shape() == shape{1, 1, 2});
    CHECK(pooled(tensor(element::f32, {0, 3, 5}), window{.kernel = {2}}).shape() == shape{0, 3, 4});
}
TEST_CASE("NaN and infinities pass through norms of windows") {
    for (std::int64_t p : {1, 2, 3})
        CHECK(same<float>(pooled(of<float>({1, 1, 5}, {quiet_nan, 1, -infinity, 0, 0}), window{.kernel = {2}, .p = p}),
                          of<float>({1, 1, 4}, {quiet_nan, infinity, infinity, 0})));
}
TEMPLATE_TEST_CASE("GlobalLpPool takes the norm of each plane, of any rank and version", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    for (int version : {2, 22}) {
        const auto pool = [&](const tensor& x, std::int64_t p) {
            return on_reference<op::global_lp_pool>({.inputs = {x}, .with = exponent(p), .version = version});
        };
        CHECK(same<T>(pool(of<T>({1, 2, 2}, {3, -4, 0, -2}), 2), of<T>({1, 2, 1}, {5, 2})));
        CHECK(same<T>(pool(of<T>({2, 1, 2, 2}, {1, -2, 3, 0, 4, -4, 0, 8}), 1), of<T>({2, 1, 1, 1}, {6, 16})));
        CHECK(same<T>(pool(of<T>({1, 1, 2, 1, 1, 1}, {0, -3}), 3), of<T>({1, 1, 1, 1, 1, 1}, {3}), 1e-6));
        CHECK(same<T>(pool(tensor(element_of<T>, {1, 2, 0}), 2), of<T>({1, 2, 1}, {0, 0})));
    }
    const attributes half = [](graph_data& g) { return std::vector{g.make("p", 0.5)}; };
    CHECK(same<T>(on_reference<op::global_lp_pool>({.inputs = {of<T>({1, 1, 2}, {4, 9})}, .with = half, .version = 1}),
                  of<T>({1, 1, 1}, {25})));
}
TEST_CASE("LpPool refuses attributes that make no sense") {
    CHECK(refusal_of({.kernel = {2}, .p = 0}) == "p must be above 0");
    CHECK(refusal_of({.kernel = {2}, .p = -1}) == "p must be above 0");
    CHECK(refusal_of({}) == "kernel_shape needs one number per spatial axis");
    CHECK(refusal_of({.kernel = {6}}) == "the window is larger than the padded input and a stride");
    CHECK(refusal_of({.kernel = {2}, .dilations = {0}}) ==
          "kernel_shape, strides and dilations must be positive, pads not negative");
    CHECK(run<op::global_lp_pool, device::reference>({.inputs = {tensor(element::f32, {1, 1, 1})}, .with = exponent(0)})
              .answer.reason == "p must be above 0");
    CHECK(run<op::global_lp_pool, device::reference>({.inputs = {tensor(element::f32, {1})}}).answer.reason ==
          "the input needs a batch and a channel axis");
}
TEMPLATE_TEST_CASE("LpPool and GlobalLpPool on other devices agree with the reference kernel", "", float, float16,
                   bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-6 : std::is_same_v<T, float16> ? 1e-3 : 8e-3;
    for (std::int64_t p : {1, 2})
        for (std::int64_t channels : {1, 5, 16, 67}) {
            CAPTURE(p, channels);
            const auto x = [&](const shape& dims) { return random_tensor<T>(dims, unsigned(channels)); };
            agree<op::lp_pool, T>({.inputs = {x({2, channels, 7, 6})},
                                   .with = window{.kernel = {3, 2}, .strides = {2, 1}, .pads = {1, 1, 1, 0}, .p = p}},
                                  tolerance);
            agree<op::lp_pool, T>({.inputs = {x({1, channels, 9})}, .with = window{.kernel = {2}, .dilations = {3}}},
                                  tolerance);
            agree<op::lp_pool, T>({.inputs = {x({1, channels, 3, 4, 3})},
                                   .with = window{.kernel = {2, 2, 2}, .pads = {1, 0, 0, 0, 1, 1}, .p = p}},
                                  tolerance);
            agree<op::global_lp_pool, T>({.inputs = {x({2, channels, 5, 3})}, .with = exponent(p)}, tolerance);
        }
    for (int n = 0; n <= 67; ++n)
        agree<op::global_lp_pool, T>({.inputs = {random_tensor<T>({2, 3, n}, unsigned(n))}, .with = exponent(2)},
                                     tolerance);
}
TEST_CASE("The fast norms of windows pass NaN and infinities, and leave other norms to the reference kernel") {
    const tensor x = list<float>({quiet_nan, 1, -infinity, 0, 0, infinity, -2, 3}).reshaped({1, 2, 1, 4});
    for (std::int64_t p : {1, 2}) {
        agree<op::lp_pool>({.inputs = {x}, .with = window{.kernel = {1, 2}, .p = p}}, 1e-6);
        agree<op::global_lp_pool>({.inputs = {x}, .with = exponent(p)}, 1e-6);
        agree<op::global_lp_pool>({.inputs = {tensor(element::f32, {0, 3, 4})}, .with = exponent(p)});
    }
    CHECK(run<op::lp_pool, device::cpu>({.inputs = {x}, .with = window{.kernel = {1, 2}, .p = 3}}).answer.reason ==
          "the fast kernel has p = 1 and p = 2");
    CHECK(run<op::global_lp_pool, device::cpu>({.inputs = {x}, .with = exponent(3)}).answer.reason ==
          "the fast kernel has p = 1 and p = 2");
}
