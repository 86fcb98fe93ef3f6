// Mirrors kernels/inlay/onnx/grid_sample.hpp and kernels/inlay/cpu/onnx/grid_sample.hpp. The numbers of both tables are
// those of onnx's reference evaluator.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/grid_sample.hpp>
#include <on_test_devices/onnx/grid_sample.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes how(std::string mode, std::string padding, std::int64_t corners = 0) {
    return [=](graph_data& g) {
        return std::vector{g.make("mode", std::string_view(mode)), g.make("padding_mode", std::string_view(padding)),
                           g.make("align_corners", corners)};
    };
}
struct expected_case {
    std::string mode, padding;
    std::int64_t corners;
    std::vector<double> y;
};
template <class T> tensor of(const shape& dims, const std::vector<double>& values) {
    tensor t(element_of<T>, dims);
    for (std::size_t i = 0; i < values.size(); ++i) t.as<T>()[i] = static_cast<T>(values[i]);
    return t;
}
const std::vector<double> image{1, 2, -3, 4, 5, -6, 7, 8, -9, 10, 11, 12},
    image_grid{-1, -1, .1, .2, 1, 1, -.5, .75, 1.3, -.4, -2.6, 3.1, .9, -1.7, -.25, 0},
    volume{0, .125, .5, 1.125, 2, 3.125, 4.5, 6.125, 8, 10.125, 12.5, 15.125},
    volume_grid{-1, -1, -1, .2, -.3, .6, 1.2, .5, -.1, -1.9, 2.2, 1.4, .5, .9, -2.7};
tensor sampled(const tensor& x, const tensor& grid, const attributes& with = how("linear", "zeros"), int version = 22) {
    return on_reference<op::grid_sample>({.inputs = {x, grid}, .with = with, .version = version});
}
std::string_view refusal_of(const tensor& x, const tensor& grid, const attributes& with = how("linear", "zeros")) {
    return run<op::grid_sample, device::reference>({.inputs = {x, grid}, .with = with}).answer.reason;
}

const std::vector<expected_case> of_image{
    {"nearest", "zeros", 0, {1, 7, 0, -9, 0, 0, 0, -6}},
    {"nearest", "zeros", 1, {1, 7, 12, 10, 8, 0, 0, -6}},
    {"nearest", "border", 0, {1, 7, 12, -9, 4, -9, 4, -6}},
    {"nearest", "border", 1, {1, 7, 12, 10, 8, -9, 4, -6}},
    {"nearest", "reflection", 0, {1, 7, 12, -9, 4, 4, 8, -6}},
    {"nearest", "reflection", 1, {1, 7, 12, 10, 8, -3, 8, -6}},
    {"linear", "zeros", 0, {0.25, 5.38000107, 3, 0.4375, 0, 0, 0, -6}},
    {"linear", "zeros", 1, {1, 4.09000111, 12, 3.125, 3.52000141, 0, 0.884999633, -4.375}},
    {"linear", "border", 0, {1, 5.38000107, 12, 0.5, 5.60000038, -9, 4, -6}},
    {"linear", "border", 1, {1, 4.09000111, 12, 3.125, 6.4000001, -9, 2.94999933, -4.375}},
    {"linear", "reflection", 0, {1, 5.38000107, 12, 0.5, 5.14000034, 1.89999866, 6.20000029, -6}},
    {"linear", "reflection", 1, {1, 4.09000111, 12, 3.125, 4.87000084, 0.559998333, 6.38000011, -4.375}},
    {"cubic", "zeros", 0, {-0.08984375, 6.29159784, 3.234375, -0.333465576, -0.346030682, 0, -0.305368066, -6}},
    {"cubic", "zeros", 1, {1, 4.28683424, 12, 3.32183838, 3.89743042, 0, 0.684565127, -5.44140625}},
    {"cubic", "border", 0, {0.42578125, 5.74781227, 12.46875, 0.558776855, 5.26399899, -9, 4.77174902, -6}},
    {"cubic", "border", 1, {1, 4.00625849, 12, 2.96560669, 6.35576725, -9, 2.79706955, -5.44140625}},
    {"cubic", "reflection", 0, {-0.359375, 5.74781227, 12.9375, 0.580566406, 4.90012074, 0.697506666, 6.39327765, -6}},
    {"cubic", "reflection", 1, {1, 4.24113846, 12, 3.54431152, 4.94565916, -0.143094644, 6.23796654, -5.44140625}},
};
const std::vector<expected_case> of_volume{
    {"nearest", "zeros", 0, {0, 10.125, 0, 0, 0}},
    {"nearest", "zeros", 1, {0, 10.125, 3.125, 0, 0}},
    {"nearest", "border", 0, {0, 10.125, 3.125, 12.5, 3.125}},
    {"nearest", "border", 1, {0, 10.125, 3.125, 12.5, 3.125}},
    {"nearest", "reflection", 0, {0, 10.125, 3.125, 8, 15.125}},
    {"nearest", "reflection", 1, {0, 10.125, 3.125, 8, 15.125}},
    {"linear", "zeros", 0, {0, 6.97949982, 2.13749957, 0, 0}},
    {"linear", "zeros", 1, {0, 6.63500023, 6.16499949, 0, 0.39843744}},
    {"linear", "border", 0, {0, 7.75500011, 7.125, 12.5, 3.125}},
    {"linear", "border", 1, {0, 6.63500023, 6.84999943, 12.5, 2.65625}},
    {"linear", "reflection", 0, {0, 7.75500011, 7.125, 7.73999977, 15.125}},
    {"linear", "reflection", 1, {0, 6.63500023, 6.69499969, 6.69624996, 12.2825003}},
    {"cubic", "zeros", 0, {-0.0981445312, 8.79894638, 2.72857523, 0, 0}},
    {"cubic", "zeros", 1, {0, 8.75536346, 8.62415314, -0.581168234, 0.222670779}},
    {"cubic", "border", 0, {-0.436523438, 7.74439859, 7.21636677, 12.5708752, 3.34681392}},
    {"cubic", "border", 1, {0, 6.43272209, 7.10004902, 13.2253075, 2.55738044}},
    {"cubic", "reflection", 0, {-0.78515625, 7.79126787, 7.39401054, 7.74307108, 17.4795551}},
    {"cubic", "reflection", 1, {0, 6.85267782, 7.06559372, 6.95473719, 13.9246092}},
};
}  // namespace

TEST_CASE("GridSample of images: every mode and padding") {
    for (const auto& [mode, padding, corners, y] : of_image) {
        CAPTURE(mode, padding, corners);
        const tensor x = of<float>({1, 1, 3, 4}, image), grid = of<float>({1, 2, 4, 2}, image_grid),
                     expected = of<float>({1, 1, 2, 4}, y);
        CHECK(same<float>(sampled(x, grid, how(mode, padding, corners)), expected, 2e-6));
        const std::string older = mode == "nearest" ? mode : "bi" + mode;
        CHECK(same<float>(sampled(x, grid, how(older, padding, corners), 16), expected, 2e-6));
    }
}
TEST_CASE("GridSample of volumes: every mode and padding") {
    for (const auto& [mode, padding, corners, y] : of_volume) {
        CAPTURE(mode, padding, corners);
        CHECK(same<float>(sampled(of<float>({1, 1, 2, 3, 2}, volume), of<float>({1, 1, 1, 5, 3}, volume_grid),
                                  how(mode, padding, corners), 20),
                          of<float>({1, 1, 1, 1, 5}, y), 2e-6));
    }
}
TEST_CASE("GridSample samples lines, and more axes than three") {
    const tensor line = of<float>({1, 2, 3}, {1, 2, 4, 10, 20, 40}), grid = of<float>({1, 4, 1}, {-1, 0, .5, 1});
    CHECK(same<float>(sampled(line, grid, how("linear", "border", 1)),
                      of<float>({1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40})));
    tensor x(element::f32, {1, 1, 2, 2, 2, 2, 2, 2});
    for (std::size_t i = 0; i < 64; ++i) x.as<float>()[i] = float(i);
    const tensor centre = of<float>({1, 1, 1, 1, 1, 1, 2, 6}, {0, 0, 0, 0, 0, 0, 1, 1, 1, -1, 1, 1});
    CHECK(same<float>(sampled(x, centre, how("linear", "zeros", 1)), of<float>({1, 1, 1, 1, 1, 1, 1, 2}, {31.5, 55})));
}
TEMPLATE_TEST_CASE("GridSample in every type that has means", "", float, double, float16, bfloat16, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    const tensor x = of<T>({2, 1, 1, 2}, {1, 4, 10, 20}), grid = of<float>({2, 1, 2, 2}, {0, 0, .25, 0, 0, 0, .25, 0});
    constexpr bool whole = std::is_integral_v<T>;  // 3.25 and 17.5 are truncated
    CHECK(same<T>(sampled(x, grid), of<T>({2, 1, 1, 2}, {whole ? 2 : 2.5, whole ? 3 : 3.25, 15, 17.5})));
    CHECK(same<T>(sampled(x, grid, how("nearest", "zeros")), of<T>({2, 1, 1, 2}, {1, 4, 10, 20})));
}
TEMPLATE_TEST_CASE("GridSample takes a grid of every float type", "", float, double, float16, bfloat16) {
    const tensor x = of<float>({1, 1, 2, 2}, {1, 2, 3, 4}), grid = of<TestType>({1, 1, 2, 2}, {.5, -.5, 0, .25});
    CHECK(same<float>(sampled(x, grid), of<float>({1, 1, 1, 2}, {2, 3})));
}
TEST_CASE("GridSample moves strings and truth values to the nearest place, and means complex numbers") {
    const tensor grid = of<float>({1, 1, 3, 2}, {-.5, 0, .5, 0, 3, 0});
    const tensor words = tensor({1, 1, 1, 2}, std::vector<std::string>{"left", "right"});
    CHECK(elements<std::string>(sampled(words, grid, how("nearest", "zeros"))) ==
          std::vector<std::string>{"left", "right", ""});
    CHECK(elements<std::string>(sampled(words, grid, how("nearest", "border")))[2] == "right");
    CHECK(refusal_of(words, grid) == "elements of this type have no weighted mean");
    tensor truths(element::boolean, {1, 1, 1, 2});
    truths.as<bool>()[0] = false;
    truths.as<bool>()[1] = true;
    const tensor samples = sampled(truths, grid, how("nearest", "zeros"));
    CHECK((!samples.as<bool>()[0] && samples.as<bool>()[1] && !samples.as<bool>()[2]));
    tensor z(element::c64, {1, 1, 1, 2});
    z.as<std::complex<float>>()[0] = {1, 2};
    z.as<std::complex<float>>()[1] = {3, -2};
    CHECK(elements<std::complex<float>>(sampled(z, of<float>({1, 1, 1, 2}, {0, 0})))[0] == std::complex<float>(2, 0));
}
TEST_CASE("GridSample with places that are no numbers, infinite or far away") {
    const tensor x = of<float>({1, 1, 1, 3}, {5, 6, 7}),
                 grid = of<float>({1, 1, 6, 2}, {quiet_nan, 0, infinity, 0, -infinity, 0, 1e30, 0, -1e30, 0, 3e9, 0});
    for (const std::string mode : {"nearest", "linear", "cubic"})
        for (std::int64_t corners : {0, 1}) {
            CAPTURE(mode, corners);
            CHECK(same<float>(sampled(x, grid, how(mode, "zeros", corners)),
                              of<float>({1, 1, 1, 6}, {0, 0, 0, 0, 0, 0})));
            CHECK(same<float>(sampled(x, grid, how(mode == "cubic" ? "linear" : mode, "border", corners)),
                              of<float>({1, 1, 1, 6}, {5, 7, 5, 7, 5, 7})));
            for (float y : elements<float>(sampled(x, grid, how(mode, "reflection", corners)))) CHECK((y > 4 && y < 8));
        }
    const tensor pixel = of<float>({1, 1, 1, 1}, {3}), wide = of<float>({1, 1, 3, 2}, {-5, 9, 0, 0, 2, -7});
    for (const std::string mode : {"nearest", "linear", "cubic"})
        CHECK(same<float>(sampled(pixel, wide, how(mode, "reflection", 1)), of<float>({1, 1, 1, 3}, {3, 3, 3}), 1e-6));
}
TEST_CASE("GridSample of nothing") {
    CHECK(sampled(tensor(element::f32, {0, 2, 3, 3}), tensor(element::f32, {0, 4, 4, 2})).shape() == shape{0, 2, 4, 4});
    CHECK(sampled(tensor(element::f32, {1, 2, 3, 3}), tensor(element::f32, {1, 0, 4, 2})).shape() == shape{1, 2, 0, 4});
    for (const char* padding : {"zeros", "border", "reflection"})
        CHECK(same<float>(
            sampled(tensor(element::f32, {1, 1, 0, 3}), of<float>({1, 1, 1, 2}, {0, 0}), how("linear", padding)),
            of<float>({1, 1, 1, 1}, {0})));
}
TEST_CASE("GridSample refuses what does not fit") {
    const tensor x(element::f32, {1, 1, 2, 2}), grid(element::f32, {1, 3, 3, 2});
    CHECK(refusal_of(x, grid, how("square", "zeros")) == "mode is none of nearest, linear, cubic");
    CHECK(refusal_of(x, grid, how("linear", "ones")) == "padding_mode is none of zeros, border, reflection");
    CHECK(refusal_of(x, tensor(element::f32, {1, 3, 3, 3})) ==
          "the grid has another number of coordinates than X has spatial axes");
    CHECK(refusal_of(x, tensor(element::f32, {2, 3, 3, 2})) == "X and the grid differ in batches");
    CHECK(refusal_of(x, tensor(element::f32, {1, 3, 2})) == "X and the grid differ in rank");
    CHECK(refusal_of(tensor(element::f32, {1, 1}), tensor(element::f32, {1, 0})) == "X has no spatial axis");
}
TEMPLATE_TEST_CASE("GridSample on other devices agrees with the reference kernel in every padding and layout", "",
                   float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 2e-5 : std::is_same_v<T, float16> ? 2e-3 : 2e-2;
    for (const auto& [mode, padding, corners, y] : of_image)
        for (std::int64_t channels : {1, 3, 16, 37}) {
            if (mode == "cubic") continue;  // which only the reference kernel has
            CAPTURE(mode, padding, corners, channels);
            agree<op::grid_sample, T>(
                {.inputs = {random_tensor<T>({2, channels, 5, 7}, 1), random_tensor({2, 16, 17, 2}, 2, -3.6, 3.6)},
                 .with = how(mode, padding, corners)},
                tolerance);
        }
    for (int n = 0; n <= 67; ++n)
        agree<op::grid_sample, T>(
            {.inputs = {random_tensor<T>({1, 2, 5, 7}, 1), random_tensor({1, 1, n, 2}, unsigned(n), -1.2, 1.2)}},
            tolerance);
    agree<op::grid_sample, T>({.inputs = {random_tensor<T>({1, 5, 3, 4}, 1), random_tensor<T>({1, 5, 7, 2}, 2, -2, 2)}},
                              std::is_same_v<T, float> ? 2e-5 : 1e-1);  // grids of 16 bits too
}
TEST_CASE("The fast GridSample agrees with the reference kernel where numbers are none or infinite, and of one pixel") {
    tensor grid = random_tensor({1, 5, 9, 2}, 1, -1.5, 1.5), x = random_tensor({1, 3, 4, 5}, 2);
    const float odd[] = {quiet_nan, infinity, -infinity, 1e30f, -1e30f, 3e9f, 1, -1};
    for (std::size_t i = 0; i < 90; i += 3) grid.as<float>()[i] = odd[i / 3 % 8];
    for (std::size_t i = 0; i < 60; i += 4) x.as<float>()[i] = odd[i / 4 % 3];
    for (const std::string mode : {"nearest", "linear"})
        for (const std::string padding : {"zeros", "border", "reflection"})
            for (std::int64_t corners : {0, 1}) {
                CAPTURE(mode, padding, corners);
                if (padding == "reflection")  // far away, the remainder of a division is what rounding leaves
                    for (float& place : grid.as<float>())
                        if (std::abs(place) > 1e6f && std::abs(place) < infinity) place = 7;
                if (padding != "reflection" || mode == "nearest")  // whose weights may be 0 on one side only
                    agree<op::grid_sample>({.inputs = {x, grid}, .with = how(mode, padding, corners)}, 1e-5);
                agree<op::grid_sample>(
                    {.inputs = {random_tensor({1, 2, 4, 5}, 3), grid}, .with = how(mode, padding, corners)}, 1e-5);
                agree<op::grid_sample>(
                    {.inputs = {random_tensor({1, 2, 1, 1}, 3), grid}, .with = how(mode, padding, corners)}, 1e-5);
            }
}
TEST_CASE("The fast GridSample leaves the rest to the reference kernel, and says why") {
    const auto reason_of = [](const shape& x, const tensor& grid, const attributes& with = how("linear", "zeros")) {
        return run<op::grid_sample, device::cpu>({.inputs = {tensor(element::f32, x), grid}, .with = with})
            .answer.reason;
    };
    const tensor grid(element::f32, {1, 1, 1, 2});
    CHECK(reason_of({1, 1, 2, 2}, grid, how("cubic", "zeros")) == "the fast kernel has no cubic");
    CHECK(reason_of({1, 1, 2}, tensor(element::f32, {1, 1, 1})) == "the fast kernel samples images: four dimensions");
    CHECK(reason_of({1, 1, 2, 2}, tensor(element::f64, {1, 1, 1, 2})) == "the fast kernel takes a grid of floats");
    CHECK(reason_of({1, 1, 0, 2}, grid) == "the fast kernel takes images of 1 to 2^24 pixels");
}
TEMPLATE_TEST_CASE("GridSample of com.microsoft is ONNX's", "", float, double, float16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4}).reshaped({1, 1, 2, 2}),
                 grid = list<T>({.5, -.5, 0, .25}).reshaped({1, 1, 2, 2});
    CHECK(same<T>(on_reference<op::microsoft_grid_sample>({{x, grid}}), list<T>({2, 3}).reshaped({1, 1, 1, 2})));
    const attributes with = [](graph_data& g) {
        return std::vector{g.make("mode", std::string_view("bicubic")),
                           g.make("padding_mode", std::string_view("reflection")),
                           g.make("align_corners", std::int64_t(1))};
    };
    CHECK(same<T>(on_reference<op::microsoft_grid_sample>({.inputs = {x, grid}, .with = with}),
                  on_reference<op::grid_sample>({.inputs = {x, grid}, .with = with})));
}
TEST_CASE("Cubic weights of GridSample beyond the border are those of the place itself") {
    const tensor x = list<float>({1, 2, 4, 8}).reshaped({1, 1, 1, 4}),
                 grid = list<float>({1.25f, 0, 9, 0, -9, 0}).reshaped({1, 1, 3, 2});
    const attributes with = [](graph_data& g) {
        return std::vector{g.make("mode", std::string_view("bicubic")),
                           g.make("padding_mode", std::string_view("border"))};
    };
    // At 4 all taps but the first are of the last element; at 18 and -18.5 all are of one.
    const tensor y = on_reference<op::microsoft_grid_sample>({.inputs = {x, grid}, .with = with});
    CHECK(same<float>(y, list<float>({8, 8, 1}).reshaped({1, 1, 1, 3}), 1e-6));
    const tensor third = list<float>({1.125f, 0}).reshaped({1, 1, 1, 2});  // 3.75: weights of 2, 3, 4 and 5
    const double a = -.75, r = .75, d = r + 1, outer = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    CHECK(same<float>(on_reference<op::microsoft_grid_sample>({.inputs = {x, third}, .with = with}),
                      list<float>({float(8 - 4 * outer)}).reshaped({1, 1, 1, 1}), 1e-6));
    CHECK(same<float>(on_reference<op::grid_sample>({.inputs = {x, third}, .with = with}),
                      list<float>({float(8 - 4 * outer)}).reshaped({1, 1, 1, 1})));
}
TEST_CASE("GridSample of com.microsoft takes images only") {
    CHECK(run<op::microsoft_grid_sample, device::reference>(
              {{tensor(element::f32, {1, 1, 2, 2, 2}), tensor(element::f32, {1, 1, 1, 1, 3})}})
              .answer.reason == "X must have four dimensions");
}
