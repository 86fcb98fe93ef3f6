// Mirrors kernels/inlay/onnx/roi_align.hpp and kernels/inlay/cpu/onnx/roi_align.hpp. Expected values are those of
// onnx's reference evaluator and, of version 10 and of MaxRoiPool, of ONNX Runtime.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/roi_align.hpp>
#include <on_test_devices/onnx/roi_align.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
struct options {
    std::int64_t height = 2, width = 2, ratio = 0;
    double scale = 1;
    std::string mode{}, corners{};
    operator attributes() const {
        return [o = *this](graph_data& g) {
            std::vector<attribute> entries{g.make("output_height", o.height), g.make("output_width", o.width),
                                           g.make("sampling_ratio", o.ratio), g.make("spatial_scale", o.scale)};
            if (!o.mode.empty()) entries.push_back(g.make("mode", std::string_view(o.mode)));
            if (!o.corners.empty())
                entries.push_back(g.make("coordinate_transformation_mode", std::string_view(o.corners)));
            return entries;
        };
    }
};
template <class T = float> tensor of(const shape& dims, const std::vector<double>& values) {
    tensor t(element_of<T>, dims);
    for (std::size_t i = 0; i < values.size(); ++i) t.as<T>()[i] = static_cast<T>(values[i]);
    return t;
}
template <class T = float> tensor pixels() {
    tensor t(element_of<T>, {1, 2, 4, 5});
    for (std::size_t i = 0; i < 40; ++i) t.as<T>()[i] = static_cast<T>(float(int(i) * 7 % 23 - 9));
    return t;
}
const std::vector<double> boxes{0, 0, 4, 3, 1.5, .5, 3.25, 2.75, -2, -3, 1, 1, 3, 2, 9, 8};
tensor images(std::initializer_list<double> values) { return list<std::int64_t>(values); }
outcome align(const tensor& x, const tensor& rois, const tensor& batch, const options& o = {}, int version = 22) {
    return run<op::roi_align, device::reference>({.inputs = {x, rois, batch}, .with = o, .version = version});
}
template <class T = float>
void check(const options& o, int version, const std::vector<double>& expected, double tolerance = 1e-6) {
    const outcome y = align(pixels<T>(), of<T>({4, 4}, boxes), images({0, 0, 0, 0}), o, version);
    REQUIRE(y.code == status::ok);
    CHECK(same<T>(y[0], of<T>({4, 2, o.height, o.width}, expected), tolerance));
}
attributes pooled(std::int64_t height, std::int64_t width, double scale = 1) {
    return [=](graph_data& g) {
        const std::vector<std::int64_t> size{height, width};
        return std::vector{g.make("pooled_shape", std::span<const std::int64_t>(size)), g.make("spatial_scale", scale)};
    };
}
outcome pool(const tensor& x, const tensor& rois, const attributes& a, int version = 22) {
    return run<op::max_roi_pool, device::reference>({.inputs = {x, rois}, .with = a, .version = version});
}
const std::vector<double> half_pixel{
    -1.75,  5.0625,     -0.3125,     5.0625,     0.25,       -0.84375, 1.6875,     -0.125, 2.15234375, 1, 2.35546875,
    4.4375, 4.15234375, -0.14453125, 4.35546875, 1.49609375, 0,        0,          0,      -8.5625,    0, 0,
    0,      -6.5625,    5.22222233,  0,          0,          0,        4.66666651, 0,      0,          0},
    unshifted{1.96875,
              3.03125,
              1.28125,
              5.21875,
              3.96875,
              0.71875,
              3.28125,
              0.03125,
              -2.13867188,
              2.953125,
              2.82617188,
              8.546875,
              -0.138671875,
              -0.302734375,
              4.82617188,
              -2.88476562,
              0,
              0,
              -3,
              -3.8125,
              0,
              0,
              -2,
              -1.8125,
              2.52777767,
              0,
              0,
              0,
              2.77777767,
              0,
              0,
              0};
}  // namespace

TEST_CASE("RoiAlign takes the mean of points of each bin, as many as it has pixels") {
    for (int version : {16, 22}) {
        check({}, version, half_pixel);
        check({.corners = "output_half_pixel"}, version, unshifted);
    }
    check({}, 10, unshifted);
    check<double>({}, 22, half_pixel);
    check<float16>({}, 22, half_pixel, 2e-3);
    check<bfloat16>({}, 22, half_pixel, 2e-2);
}
TEST_CASE("RoiAlign with a number of points, scales and of the largest pixel") {
    const options two{.width = 1, .ratio = 2, .scale = .5}, largest{.height = 1, .ratio = 1, .mode = "max"};
    options two_unshifted = two, largest_unshifted = largest;
    two_unshifted.corners = largest_unshifted.corners = "output_half_pixel";
    check(two, 16,
          {-5.125, 2, -3.125, 4, -3.15625, 2.9375, -1.15625, 4.9375, 0, -4.5, 0, -3.5, 2.65625, 3.015625, 1.421875,
           2.3203125});
    check(two_unshifted, 22,
          {0.34375, 3.234375, 2.34375, 5.234375, 3.0703125, 5.23828125, 5.0703125, 7.23828125, -4.28125, -7.0625,
           -3.28125, -5.0625, 3.171875, 2.1484375, 1.578125, 3.7890625});
    check(largest, 16, {5, .5, 6, 1.5, 4.921875, .515625, 5.90625, .8203125, 0, 0, 0, 0, 0, 0, 0, 0});
    check(largest_unshifted, 22, {5, 6.5, 6, 1.5, 3.515625, 6.6015625, 4.6875, .9375, 0, 0, 0, 0, 0, 0, 0, 0});
}
TEST_CASE("RoiAlign reads the image that batch_indices names, and of an empty region nothing") {
    const tensor x = of({2, 1, 1, 2}, {1, 1, 7, 7});
    const outcome y = align(x, of({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}), images({1, 0}), {.height = 1, .width = 1});
    CHECK(same<float>(y[0], of({2, 1, 1, 1}, {7, 1})));
    const outcome empty = align(x, of({1, 4}, {1, 1, 0, 0}), images({0}), {.height = 1, .width = 1});
    CHECK(same<float>(empty[0], of({1, 1, 1, 1}, {0})));
    CHECK(align(x, tensor(element::f32, {0, 4}), tensor(element::i64, {0}))[0].shape() == shape{0, 1, 2, 2});
    CHECK(align(tensor(element::f32, {2, 0, 3, 3}), of({1, 4}, {0, 0, 1, 1}), images({0}))[0].shape() ==
          shape{1, 0, 2, 2});
    CHECK(same<float>(align(tensor(element::f32, {1, 1, 0, 3}), of({1, 4}, {0, 0, 1, 1}), images({0}))[0],
                      of({1, 1, 2, 2}, {0, 0, 0, 0})));
}
TEST_CASE("RoiAlign refuses images that are not there, regions without end, and attributes that make no sense") {
    const tensor x = pixels(), region = of({1, 4}, {0, 0, 1, 1});
    for (double wrong : {1., -1., 9e18})
        CHECK(align(x, region, images({wrong})).detail == "a batch index is out of range");
    for (const std::vector<double>& wrong :
         {std::vector<double>{0, 0, infinity, 1}, {0, quiet_nan, 1, 1}, {0, 0, 1e30, 1}, {-3e38, 0, 3e38, 1}})
        CHECK(align(x, of({1, 4}, wrong), images({0})).detail == "a region is not finite, or too large");
    const auto reason = [&](const options& o) { return align(x, region, images({0}), o).answer.reason; };
    CHECK(reason({.mode = "sum"}) == "mode is neither avg nor max");
    CHECK(reason({.corners = "pixel"}) == "coordinate_transformation_mode is neither half_pixel nor output_half_pixel");
    CHECK(reason({.ratio = -1}) == "sampling_ratio is out of range");
    CHECK(reason({.ratio = std::numeric_limits<std::int64_t>::max()}) == "sampling_ratio is out of range");
    CHECK(reason({.height = 0}) == "the output's height and width must be positive");
    CHECK(reason({.height = std::int64_t(1) << 40, .width = std::int64_t(1) << 40}) == "the output is too large");
    CHECK(align(x, of({1, 3}, {0, 0, 1}), images({0})).answer.reason ==
          "the regions must be rows of as many numbers as the operator has for each");
    CHECK(align(x, region, images({0, 0})).answer.reason == "the regions and batch_indices differ in length");
    CHECK(align(of({1, 4, 5}, std::vector<double>(20)), region, images({0})).answer.reason ==
          "X must have four dimensions");
}
TEMPLATE_TEST_CASE("RoiAlign on other devices agrees with the reference kernel", "", float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, float16> ? 4e-3 : 4e-2;
    for (const std::string mode : {"avg", "max"})
        for (std::int64_t channels : {1, 3, 16, 37})
            for (std::int64_t ratio : {0, 1, 2, 3}) {
                CAPTURE(mode, channels, ratio);
                const tensor x = random_tensor<T>({2, channels, 9, 11}, unsigned(channels));
                tensor r = random_tensor<T>({5, 4}, 7, -3, 14);
                agree<op::roi_align, T>(
                    {.inputs = {x, r, images({0, 1, 1, 0, 1})},
                     .with = options{.height = 3, .width = 4, .ratio = ratio, .scale = .75, .mode = mode}},
                    tolerance);
                agree<op::roi_align, T>(
                    {.inputs = {x, r, images({0, 1, 1, 0, 1})},
                     .with = options{.height = 7, .width = 7, .mode = mode, .corners = "output_half_pixel"}},
                    tolerance);
            }
}

TEST_CASE("The fast RoiAlign takes many points and bins, and refuses what the reference kernel refuses") {
    const tensor x = random_tensor({2, 70, 40, 30}, 1);
    for (const std::string mode : {"avg", "max"}) {
        agree<op::roi_align>({.inputs = {x, of({2, 4}, {1, 2, 29, 38, 0, 0, 3, 60}), images({1, 0})},
                              .with = options{.height = 2, .width = 3, .mode = mode}},
                             1e-5);
        agree<op::roi_align>({.inputs = {x, of({3, 4}, {5, 7, 25, 30, 9, 9, 2, 2, 0, 0, 1, 1}), images({1, 0, 0})},
                              .with = options{.height = 9, .width = 17, .ratio = 2, .mode = mode}},
                             1e-5);
        agree<op::roi_align>(
            {.inputs = {x, tensor(element::f32, {0, 4}), tensor(element::i64, {0})}, .with = options{.mode = mode}});
    }
    for (int threads : {1, 3}) {
        call c{.inputs = {x, of({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}), images({0, 2})}, .with = options{}};
        c.threads = threads;
        CHECK(run<op::roi_align, device::cpu>(c).detail == "a batch index is out of range");
        c.inputs[1] = of({2, 4}, {0, 0, 1, 1, 0, 0, infinity, 1});
        c.inputs[2] = images({0, 1});
        CHECK(run<op::roi_align, device::cpu>(c).detail == "a region is not finite, or too large");
    }
}

TEMPLATE_TEST_CASE("MaxRoiPool takes the largest pixel of each bin, and 0 of an empty one", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    const tensor rois = of<T>(
        {6, 5}, {0, 0, 0, 4, 3, 0, 1.5, .5, 3.25, 2.75, 0, -2, -3, 1, 1, 0, 3, 2, 9, 8, 0, 7, 7, 9, 9, 0, 3, 3, 1, 1});
    for (int version : {1, 22}) {
        CHECK(same<T>(
            pool(pixels<T>(), rois, pooled(2, 2), version)[0],
            of<T>({6, 2, 2, 2}, {10, 12, 11, 13, 12, 10, 13, 11, 6, 13, 6, 13, 8, 3, 8, 4, 0, 0, 0, 10, 0, 0, 0, 12,
                                 13, 0,  0,  0,  11, 0,  0,  0,  0, 0,  0, 0,  0, 0, 0, 0, 2, 2, 2, 2,  4, 4, 4, 4})));
        CHECK(same<T>(pool(pixels<T>(), rois, pooled(3, 2, .5), version)[0],
                      of<T>({6, 2, 3, 2},
                            {-2, 5, 10, 10, -1, 6,  0, 7, 12, 12, 1, 8,  -2, 5, 10, 5, 10, -6, 0, 7,  12, 7,  12, -4,
                             0,  0, -9, -2, 3,  10, 0, 0, -7, 0,  5, 12, 13, 8, 13, 9, 2,  9,  8, 10, 8,  11, 4,  11,
                             0,  0, 0,  0,  0,  0,  0, 0, 0,  0,  0, 0,  6,  6, 6,  6, 6,  6,  8, 8,  8,  8,  8,  8})));
    }
}
TEST_CASE("NaN passes through MaxRoiPool, infinite regions are refused, and so are images that are not there") {
    tensor x = pixels();
    x.as<float>()[6] = quiet_nan;
    CHECK(same<float>(pool(x, of({1, 5}, {0, 0, 0, 4, 3}), pooled(1, 1))[0], of({1, 2, 1, 1}, {quiet_nan, 13})));
    CHECK(pool(x, of({1, 5}, {0, 0, 0, infinity, 3}), pooled(1, 1)).detail == "a region is not finite");
    CHECK(pool(x, of({1, 5}, {0, quiet_nan, 0, 1, 3}), pooled(1, 1)).detail == "a region is not finite");
    CHECK(pool(x, of({1, 5}, {0, -3e38, 0, 3e38, 3}), pooled(1, 1)).code == status::ok);
    for (double wrong : {1., -1., 1e30, double(quiet_nan)})
        CHECK(pool(x, of({1, 5}, {wrong, 0, 0, 1, 1}), pooled(1, 1)).detail == "a batch index is out of range");
    CHECK(pool(x, tensor(element::f32, {0, 5}), pooled(2, 3))[0].shape() == shape{0, 2, 2, 3});
    CHECK(pool(x, of({1, 4}, {0, 0, 1, 1}), pooled(1, 1)).answer.reason ==
          "the regions must be rows of as many numbers as the operator has for each");
    CHECK(pool(x, of({1, 5}, {0, 0, 0, 1, 1}), pooled(0, 1)).answer.reason ==
          "the output's height and width must be positive");
    CHECK(run<op::max_roi_pool, device::reference>({.inputs = {x, of({1, 5}, {0, 0, 0, 1, 1})}}).answer.reason ==
          "pooled_shape must have two numbers");
}
TEMPLATE_TEST_CASE("MaxRoiPool on the CPU agrees with the reference kernel", "", float, float16, bfloat16) {
    using T = TestType;
    for (std::int64_t width = 1; width <= 40; ++width)
        for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 4}, {7, 7}, {2, 60}}) {
            CAPTURE(width, rows, columns);
            tensor x = random_tensor<T>({2, 3, 11, width}, unsigned(width));
            for (std::size_t i = 0; i < std::size_t(x.elements()); i += 97)
                x.as<T>()[i] = static_cast<T>(i % 2 ? quiet_nan : -infinity);
            tensor rois = random_tensor<T>({6, 5}, unsigned(width + columns), -5, double(width) * 1.3);
            for (std::size_t k = 0; k < 6; ++k) rois.as<T>()[5 * k] = static_cast<T>(double(k % 2));
            agree<op::max_roi_pool, T>({.inputs = {x, rois}, .with = pooled(rows, columns, width % 3 ? 1 : .5)});
        }
    agree<op::max_roi_pool, T>(
        {.inputs = {random_tensor<T>({1, 2, 3, 3}, 1), tensor(element_of<T>, {0, 5})}, .with = pooled(2, 3)});
}
TEST_CASE("MaxRoiPool on the CPU refuses the regions and images that the reference kernel refuses") {
    const auto detail = [](const tensor& rois) {
        call c{.inputs = {pixels(), rois}, .with = pooled(1, 1), .threads = 3};
        return run<op::max_roi_pool, device::cpu>(c).detail;
    };
    CHECK(detail(of({2, 5}, {0, 0, 0, 1, 1, 0, 0, 0, infinity, 3})) == "a region is not finite");
    for (double wrong : {1., -1., 1e30, double(quiet_nan)})
        CHECK(detail(of({2, 5}, {0, 0, 0, 1, 1, wrong, 0, 0, 1, 1})) == "a batch index is out of range");
    CHECK(detail(of({1, 5}, {0, -3e38, 0, 3e38, 3})) == "");
}
