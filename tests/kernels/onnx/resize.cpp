// Mirrors kernels/inlay/onnx/resize.hpp and kernels/inlay/cpu/onnx/resize.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/resize.hpp>
#include <on_test_devices/onnx/resize.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using ints = std::vector<std::int64_t>;
struct settings {  // attributes, as far as they are given
    std::vector<std::pair<std::string_view, std::string_view>> words{};
    std::vector<std::pair<std::string_view, double>> reals{};
    std::vector<std::pair<std::string_view, std::int64_t>> integers{};
    ints axes{};
    operator attributes() const {
        return [s = *this](graph_data& g) {
            std::vector<attribute> entries;
            for (auto [name, value] : s.words) entries.push_back(g.make(name, value));
            for (auto [name, value] : s.reals) entries.push_back(g.make(name, value));
            for (auto [name, value] : s.integers) entries.push_back(g.make(name, value));
            if (!s.axes.empty()) entries.push_back(g.make("axes", std::span<const std::int64_t>(s.axes)));
            return entries;
        };
    }
};
settings mode(std::string_view mode, std::string_view coordinates = "half_pixel") {
    return {.words = {{"mode", mode}, {"coordinate_transformation_mode", coordinates}}};
}
settings with(settings s, std::string_view name, std::string_view value) {
    s.words.emplace_back(name, value);
    return s;
}
settings with(settings s, std::string_view name, double value) {
    s.reals.emplace_back(name, value);
    return s;
}
settings with(settings s, std::string_view name, std::int64_t value) {
    s.integers.emplace_back(name, value);
    return s;
}
settings along(settings s, ints axes) {
    s.axes = axes;
    return s;
}

operand scales(std::initializer_list<double> s) { return list<float>(s); }
operand sizes(std::initializer_list<double> s) { return list<std::int64_t>(s); }
call by_scales(const tensor& x, std::initializer_list<double> s, const attributes& with, int version = 0) {
    return {.inputs = {x, {}, scales(s)}, .with = with, .version = version};
}
call by_sizes(const tensor& x, std::initializer_list<double> s, const attributes& with, int version = 0) {
    return {.inputs = {x, {}, {}, sizes(s)}, .with = with, .version = version};
}
constexpr double tolerance = 1e-6;
tensor resized(const call& c) {  // float32 also on other devices
    const tensor y = on_reference<op::resize>(c);
    const auto devices_agree = [&]<class T>(T) {
        if (y.type() != element_of<T>) return;
        for (const device_runner& d : on_test_devices<op::resize>()) CHECK(same<T>(result_of(d.run, c), y, tolerance));
    };
    devices_agree(float());
    devices_agree(float16());
    devices_agree(bfloat16());
    return y;
}
}  // namespace

TEST_CASE("Resize 10 takes x[o / scale], rounded up where it shrinks") {
    const tensor x = list<float>({1, 2, 3, 4, 5, 6, 7, 8}).reshaped({1, 1, 2, 4}),
                 small = list<float>({1, 2, 3, 4}).reshaped({1, 1, 2, 2});
    const auto old = [](const tensor& x, std::initializer_list<double> s, std::string_view mode) {
        return resized({.inputs = {x, scales(s)},
                        .with = [=](graph_data& g) { return std::vector{g.make("mode", mode)}; },
                        .version = 10});
    };
    CHECK(same<float>(old(x, {1, 1, 0.6, 0.6}, "nearest"), list<float>({1, 3}).reshaped({1, 1, 1, 2})));
    CHECK(same<float>(
        old(small, {1, 1, 2, 3}, "nearest"),
        list<float>({1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}).reshaped({1, 1, 4, 6})));
    CHECK(same<float>(old(small, {1, 1, 2, 2}, "linear"),
                      list<float>({1, 1.5, 2, 2, 2, 2.5, 3, 3, 3, 3.5, 4, 4, 3, 3.5, 4, 4}).reshaped({1, 1, 4, 4})));
}
TEST_CASE("The length of an axis is computed in floats, as ONNX's inference does") {  // 10 * 2.3f is 23 in
                                                                                      // floats, 22.9999995 else
    const tensor x({10}, std::vector<float>(10, 1.f));
    CHECK(resized(by_scales(x, {2.3f}, mode("nearest"))).shape() == shape{23});
    CHECK(resized(by_scales(x, {0.7f}, mode("linear"))).shape() == shape{7});
}
TEST_CASE("Upsample has its scales as an attribute or as an input") {
    const tensor x = list<float>({1, 2}).reshaped({1, 1, 1, 2}),
                 y = list<float>({1, 1, 2, 2, 1, 1, 2, 2}).reshaped({1, 1, 2, 4});
    const double list[] = {1, 1, 2, 2};
    const attributes by_attribute = [&](graph_data& g) {
        attribute a = g.make("scales", 0.);
        a.kind = attribute_kind::reals;
        a.list = {int(g.reals.size()), 4};
        g.reals.insert(g.reals.end(), std::begin(list), std::end(list));
        return std::vector{a, g.make("mode", std::string_view("nearest"))};
    };
    CHECK(same<float>(on_reference<op::upsample>({.inputs = {x}, .with = by_attribute, .version = 7}), y));
    CHECK(same<float>(on_reference<op::upsample>({.inputs = {x, scales({1, 1, 2, 2})}, .version = 9}), y));
    agree<op::upsample>({.inputs = {x}, .with = by_attribute, .version = 7});
    agree<op::upsample>({.inputs = {x, scales({1, 1, 2, 2})}, .version = 9});
}
TEST_CASE("Upsample 1 has one scale for the height of images, and one for their width") {
    const auto with = [](double height, double width, std::string_view mode) -> attributes {
        return [=](graph_data& g) {
            return std::vector{g.make("height_scale", height), g.make("width_scale", width), g.make("mode", mode)};
        };
    };
    const tensor x = list<float>({1, 2}).reshaped({1, 1, 1, 2});
    CHECK(same<float>(on_reference<op::upsample>({.inputs = {x}, .with = with(2, 2, "nearest"), .version = 1}),
                      list<float>({1, 1, 2, 2, 1, 1, 2, 2}).reshaped({1, 1, 2, 4})));
    CHECK(same<float>(on_reference<op::upsample>({.inputs = {x}, .with = with(1, 2, "bilinear"), .version = 1}),
                      list<float>({1, 1.5, 2, 2}).reshaped({1, 1, 1, 4})));
    agree<op::upsample>({.inputs = {x}, .with = with(2, 2, "bilinear"), .version = 1});
    const auto reason_of = [&](const tensor& image, double scale, std::string_view mode) {
        return run<op::upsample, device::reference>({.inputs = {image}, .with = with(scale, scale, mode), .version = 1})
            .answer.reason;
    };
    CHECK(reason_of(x.reshaped({1, 2}), 2, "nearest") == "the input is no batch of images");
    CHECK(reason_of(x, 0, "nearest") == "a scale is not above 0");
    CHECK(reason_of(x, 2, "cubical") == "unknown mode");
}
TEST_CASE("Resize to the nearest element follows nearest_mode") {
    const tensor x = list<float>({0, 1, 2, 3});
    const auto nearest = [&](std::string_view rounding, double scale) {
        return resized(by_scales(x, {scale}, with(mode("nearest", "asymmetric"), "nearest_mode", rounding)));
    };
    CHECK(same<float>(nearest("floor", 1.5), list<float>({0, 0, 1, 2, 2, 3})));
    CHECK(same<float>(nearest("ceil", 1.5), list<float>({0, 1, 2, 2, 3, 3})));
    CHECK(same<float>(nearest("round_prefer_floor", 1.5), list<float>({0, 1, 1, 2, 3, 3})));
    CHECK(same<float>(nearest("round_prefer_floor", 2), list<float>({0, 0, 1, 1, 2, 2, 3, 3})));
    CHECK(same<float>(nearest("round_prefer_ceil", 2), list<float>({0, 1, 1, 2, 2, 3, 3, 3})));
}
TEST_CASE("Resize follows coordinate_transformation_mode") {
    const tensor two = list<float>({1, 2}), four = list<float>({1, 2, 3, 4});
    CHECK(same<float>(resized(by_scales(two, {2}, mode("linear"))), list<float>({1, 1.25, 1.75, 2}), tolerance));
    CHECK(same<float>(resized(by_scales(two, {2}, mode("linear", "asymmetric"))), list<float>({1, 1.5, 2, 2}),
                      tolerance));
    CHECK(same<float>(resized(by_scales(two, {2}, mode("linear", "align_corners"))),
                      list<float>({1, 4. / 3, 5. / 3, 2}), tolerance));
    CHECK(same<float>(resized(by_scales(two, {2}, mode("linear", "pytorch_half_pixel"))),
                      list<float>({1, 1.25, 1.75, 2}), tolerance));
    CHECK(same<float>(resized(by_sizes(four, {1}, mode("linear", "pytorch_half_pixel"))), list<float>({1}), tolerance));
    CHECK(same<float>(resized(by_sizes(four, {1}, mode("linear"))), list<float>({2.5}), tolerance));
    CHECK(same<float>(resized(by_scales(four, {0.6}, mode("linear", "half_pixel_symmetric"))),
                      list<float>({5. / 3, 10. / 3}), tolerance));
    CHECK(same<float>(resized(by_scales(four, {0.6}, mode("linear", "align_corners"))), list<float>({1, 1 + 3 / 1.4}),
                      tolerance));
    CHECK(same<float>(resized(by_sizes(four, {1}, mode("linear", "align_corners"))), list<float>({1}), tolerance));
    CHECK(same<float>(
        resized(by_scales(two, {2}, with(mode("nearest", "tf_half_pixel_for_nn"), "nearest_mode", "floor"), 11)),
        list<float>({1, 1, 2, 2})));
}
TEST_CASE("Resize with tf_crop_and_resize reads the region and extrapolates outside of the input") {
    const tensor x = list<float>({0, 1, 2, 3, 4});
    const auto crop = [&](auto roi, double size, std::string_view interpolation) {
        return resized({.inputs = {x, roi, {}, sizes({size})},
                        .with = with(mode(interpolation, "tf_crop_and_resize"), "extrapolation_value", 9.)});
    };
    CHECK(same<float>(crop(list<float>({0.25, 0.75}), 3, "linear"), list<float>({1, 2, 3}), tolerance));
    CHECK(same<float>(crop(list<double>({0.25, 0.75}), 3, "cubic"), list<float>({1, 2, 3}), tolerance));
    CHECK(same<float>(crop(list<float16>({-0.25, 1.25}), 3, "linear"), list<float>({9, 2, 9}), tolerance));
    CHECK(same<float>(crop(list<float>({-0.25, 1.25}), 3, "nearest"), list<float>({9, 2, 9})));
    CHECK(same<float>(crop(list<float>({0.25, 0.75}), 1, "linear"), list<float>({2}), tolerance));
    CHECK(same<float>(crop(list<float>({1, 0}), 5, "nearest"), list<float>({4, 3, 2, 1, 0})));
    const call outside{.inputs = {x, list<float>({0, infinity}), {}, sizes({3})},
                       .with = mode("linear", "tf_crop_and_resize")};
    CHECK(run<op::resize, device::reference>(outside).code == status::invalid_value);
    CHECK(!run<op::resize, device::reference>(by_sizes(x, {3}, mode("linear", "tf_crop_and_resize"))).answer);
}
TEST_CASE("Resize by cubic interpolation") {
    const tensor x = list<float>({1, 2, 3, 4});
    const tensor y = resized(by_scales(x, {2}, mode("cubic", "asymmetric")));
    CHECK(same<float>(y, list<float>({1, 1.40625, 2, 2.5, 3, 3.59375, 4, 4.09375}), tolerance));
    const tensor softer = resized(by_scales(x, {2}, with(mode("cubic", "asymmetric"), "cubic_coeff_a", -0.5)));
    CHECK(softer.as<float>()[1] == Approx(1.4375));
    const tensor inside =
        resized(by_scales(x, {2}, with(mode("cubic", "asymmetric"), "exclude_outside", std::int64_t(1))));
    CHECK(inside.as<float>()[1] == Approx((0.59375 * 1 + 0.59375 * 2 - 0.09375 * 3) / 1.09375));
}
TEST_CASE("Resize with antialias widens the window where it shrinks") {
    const tensor x = list<float>({1, 2, 3, 4});
    const settings smooth = with(mode("linear"), "antialias", std::int64_t(1));
    CHECK(same<float>(resized(by_scales(x, {0.5}, smooth)), list<float>({1.625, 3.375}), tolerance));
    CHECK(same<float>(resized(by_scales(x, {0.5}, with(smooth, "exclude_outside", std::int64_t(1)))),
                      list<float>({1.5 / 0.875, 5 - 1.5 / 0.875}), tolerance));
    CHECK(same<float>(resized(by_scales(x, {2}, smooth)), resized(by_scales(x, {2}, mode("linear")))));
    const tensor c = resized(
        by_scales(list<float>({5, 5, 5, 5, 5, 5, 5}), {0.35}, with(mode("cubic"), "antialias", std::int64_t(1))));
    CHECK(same<float>(c, list<float>({5, 5}), tolerance));
}
TEST_CASE("Resize along some axes, also negative ones") {
    const tensor x = list<float>({1, 2, 3, 4, 5, 6}).reshaped({2, 3});
    CHECK(same<float>(resized(by_scales(x, {2}, along(mode("nearest", "asymmetric"), {-1}))),
                      list<float>({1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}).reshaped({2, 6})));
    CHECK(same<float>(
        resized(by_sizes(x, {1, 3}, along(with(mode("nearest", "asymmetric"), "nearest_mode", "floor"), {1, 0}))),
        list<float>({1, 1, 4}).reshaped({3, 1})));
    const tensor volume = random_tensor({2, 3, 4, 3, 2}, 3);
    CHECK(same<float>(resized(by_scales(volume, {1, 1, 1, 1, 1}, mode("linear"))), volume));
    CHECK(resized(by_scales(volume, {1, 1, 2, 1.5, 0.5}, mode("linear"))).shape() == shape{2, 3, 8, 4, 1});
}
TEST_CASE("Resize keeps the aspect ratio if keep_aspect_ratio_policy says so") {
    const auto keep = [](std::string_view policy) { return with(mode("nearest"), "keep_aspect_ratio_policy", policy); };
    const tensor x(element::f32, {4, 8});
    CHECK(resized(by_sizes(x, {6, 8}, keep("not_larger"))).shape() == shape{4, 8});
    CHECK(resized(by_sizes(x, {6, 8}, keep("not_smaller"))).shape() == shape{6, 12});
    CHECK(resized(by_sizes(x, {6, 8}, keep("stretch"))).shape() == shape{6, 8});
    CHECK(resized(by_sizes(tensor(element::f32, {3, 6}), {10, 5}, keep("not_larger"))).shape() ==
          shape{3, 5});  // 2.5 is rounded up
    CHECK(resized(by_sizes(x, {2}, along(keep("not_larger"), {1}))).shape() == shape{4, 2});
    CHECK(!run<op::resize, device::reference>(by_scales(x, {1, 1}, keep("not_larger"))).answer);
}
TEMPLATE_TEST_CASE("Resize of every number type", "", float, double, float16, bfloat16, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 8});
    CHECK(same<T>(resized(by_scales(x, {2}, mode("nearest"))), list<T>({1, 1, 2, 2, 8, 8})));
    CHECK(same<T>(resized(by_sizes(x, {2}, mode("linear", "align_corners"))), list<T>({1, 8})));
    if (std::is_integral_v<T>)
        CHECK(same<T>(resized(by_scales(list<T>({0, 1, 2}), {2}, mode("linear", "asymmetric"))),
                      list<T>({0, 0, 1, 2, 2, 2})));  // halves to even
}
TEST_CASE("Resize saturates integers") {
    const tensor y = resized(by_scales(list<std::uint8_t>({0, 255, 255, 0}), {2}, mode("cubic", "asymmetric")));
    CHECK(y.as<std::uint8_t>()[3] == 255);
    CHECK(y.as<std::uint8_t>()[7] == 0);
}
TEST_CASE("Resize to the nearest also moves bool, strings and complex numbers") {
    using text = std::string;
    const tensor words =
        resized(by_scales(tensor({2}, {text("a"), text("a string too long for its object")}), {2}, mode("nearest")));
    CHECK(words.as<text>()[1] == "a");
    CHECK(words.as<text>()[3] == "a string too long for its object");
    CHECK(elements<bool>(resized(by_scales(tensor({2}, {true, false}), {2}, mode("nearest"))))[1]);
    CHECK(elements<std::complex<double>>(resized(by_scales(
              tensor({2}, {std::complex<double>(1, 2), std::complex<double>(3, 4)}), {2}, mode("nearest"))))[3] ==
          std::complex<double>(3, 4));
    CHECK(!run<op::resize, device::reference>(by_scales(tensor({2}, {true, false}), {2}, mode("linear"))).answer);
    const tensor cropped = resized({.inputs = {tensor({2}, {std::complex<float>(1, 2), std::complex<float>(3, 4)}),
                                               list<float>({1, 2}),
                                               {},
                                               sizes({2})},
                                    .with = with(mode("nearest", "tf_crop_and_resize"), "extrapolation_value", 7.)});
    CHECK(cropped.as<std::complex<float>>()[1] == std::complex<float>(7, 0));
}
TEST_CASE("Resize refuses what does not fit together") {
    const tensor x(element::f32, {2, 3});
    const auto is_refused = [](const call& c) { return !run<op::resize, device::reference>(c).answer; };
    CHECK(is_refused({.inputs = {x}}));
    CHECK(is_refused({.inputs = {x, {}, scales({1, 2}), sizes({2, 3})}}));
    CHECK(is_refused(by_scales(x, {2}, mode("nearest"))));
    CHECK(is_refused(by_scales(x, {1, 0}, mode("nearest"))));
    CHECK(is_refused(by_scales(x, {1, -2}, mode("nearest"))));
    CHECK(is_refused(by_scales(x, {1, quiet_nan}, mode("nearest"))));
    CHECK(is_refused(by_scales(x, {1, infinity}, mode("nearest"))));
    CHECK(is_refused(by_scales(x, {1e30, 1e30}, mode("nearest"))));
    CHECK(is_refused(by_sizes(x, {-1, 3}, mode("nearest"))));
    CHECK(is_refused(by_sizes(x, {2e9, 2e9}, mode("nearest"))));
    CHECK(is_refused(by_sizes(x, {3e9, 1}, mode("nearest"))));
    CHECK(is_refused(by_scales(x, {1, 1}, mode("quadratic"))));
    CHECK(is_refused(by_scales(x, {1, 1}, mode("linear", "elsewhere"))));
    CHECK(is_refused(by_scales(x, {1, 1}, with(mode("nearest"), "nearest_mode", "random"))));
    CHECK(is_refused(by_scales(x, {2, 2}, along(mode("nearest"), {1, -1}))));
    CHECK(is_refused(by_scales(x, {2}, along(mode("nearest"), {2}))));
    CHECK(is_refused(by_sizes(tensor(element::f32, {0, 3}), {1, 3}, mode("nearest"))));
    CHECK(is_refused({.inputs = {x, {}, {}, list<std::int32_t>({2, 3})}}));
    CHECK(is_refused({.inputs = {x, {}, list<double>({2, 3})}}));
}
TEST_CASE("Resize of empty tensors") {
    CHECK(resized(by_scales(tensor(element::f32, {0, 3}), {1, 2}, mode("linear"))).shape() == shape{0, 6});
    CHECK(resized(by_sizes(tensor(element::f32, {2, 3}), {0, 3}, mode("linear"))).shape() == shape{0, 3});
    agree<op::resize>(by_scales(tensor(element::f32, {0, 3, 2, 2}), {1, 1, 2, 2}, mode("linear")));
}
TEST_CASE("Resize leaves the shape open where scales are not known") {
    graph_data g;
    const int x = g.add_value("x", element::f32, {1, 3, -1, 8}), s = g.add_value("s", element::f32, {4}),
              constant = g.add_constant("k", list<float>({1, 1, 2, 2})),
              y = g.add_value("y", element::f32, shape::unknown());
    const auto shape_of = [&](int scale) {
        const std::vector<int> in{x, -1, scale}, out{y};
        g.nodes.clear();
        g.add_node("", "Resize", 13, "r", {}, in, out);
        std::vector<shape> dims(1, shape::unknown());
        const graph_view v = g.view();
        CHECK(op::resize::shapes({v, v.nodes[0]}, dims));
        return dims[0];
    };
    CHECK(shape_of(s) == shape{-1, -1, -1, -1});
    CHECK(shape_of(constant) == shape{1, 3, -1, 16});
}
TEST_CASE("Resize on the CPU agrees with the reference kernel at every width") {
    const std::initializer_list<std::string_view> wheres = {"half_pixel", "asymmetric", "align_corners",
                                                            "pytorch_half_pixel", "half_pixel_symmetric"};
    for (int w = 1; w <= 67; w += w < 20 ? 1 : 7)
        for (std::string_view interpolation : {"nearest", "linear"})
            for (std::string_view coordinates : wheres) {
                CAPTURE(w, interpolation, coordinates);
                const tensor x = random_tensor({1, 3, 5, w}, unsigned(w));
                agree<op::resize>(by_scales(x, {1, 1, 2, 2}, mode(interpolation, coordinates)), 1e-5);
                agree<op::resize>(by_sizes(x, {1, 3, 4, w + 3.}, mode(interpolation, coordinates)), 1e-5);
            }
    for (int depth = 1; depth <= 67; depth += 6) {
        CAPTURE(depth);
        const tensor x = random_tensor({2, depth, 3, 4}, unsigned(depth));
        for (std::string_view interpolation : {"nearest", "linear"}) {
            agree<op::resize>(by_scales(x, {1, 1, 2, 2}, mode(interpolation)), 1e-5);
            agree<op::resize>(by_scales(x, {1, 1, 3, 1}, mode(interpolation)), 1e-5);
            agree<op::resize>(by_scales(x, {1, 1, 1, 3}, mode(interpolation)), 1e-5);
            agree<op::resize>(by_scales(x, {1, 1, 1, 1}, mode(interpolation)));
            agree<op::resize>(by_scales(x, {0.7, 1.6}, along(mode(interpolation), {2, 3})), 1e-5);
        }
    }
    agree<op::resize>(by_scales(random_tensor({1, 4, 40, 50}, 5), {1, 1, 2, 2},
                                with(mode("nearest", "asymmetric"), "nearest_mode", "floor")));
    agree<op::resize>(by_scales(random_tensor({1, 4, 40, 50}, 6), {1, 1, 2, 2}, mode("linear")), 1e-5);
    tensor special = random_tensor({1, 1, 4, 4}, 7);
    special.as<float>()[5] = quiet_nan;
    special.as<float>()[10] = infinity;
    agree<op::resize>(by_scales(special, {1, 1, 2, 2}, mode("linear")), 1e-5);
    agree<op::resize>(by_scales(special, {1, 1, 3, 3}, mode("nearest")));
}
TEST_CASE("Resize on the CPU says why it leaves a node to the reference kernel") {
    const tensor x = random_tensor({1, 2, 3, 4}, 1);
    const auto reason = [](const call& c) { return run<op::resize, device::cpu>(c).answer; };
    CHECK(reason(by_scales(x, {1, 1, 2, 2}, mode("nearest"))));
    for (const call& c : {by_scales(x, {1, 2, 2, 2}, mode("nearest")), by_scales(x, {1, 1, 2, 2}, mode("cubic")),
                          by_scales(x, {1, 1, 0.5, 0.5}, with(mode("linear"), "antialias", std::int64_t(1))),
                          by_scales(x.reshaped({2, 3, 4}), {1, 2, 2}, mode("nearest"))}) {
        const verdict v = reason(c);
        CHECK(!v);
        CHECK(!v.reason.empty());
    }
}
