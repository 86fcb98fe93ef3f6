// A Resize or an Upsample: attributes, which inputs it has, and what is known of them before the run.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <algorithm>
#include <array>
#include <string>

namespace inlay {
inline namespace v1 {
namespace resizing {
enum class interpolation : std::uint8_t { nearest, linear, cubic };
enum class coordinates : std::uint8_t {
    half_pixel,
    half_pixel_symmetric,
    pytorch_half_pixel,
    asymmetric,
    align_corners,
    crop,
    tf_half_pixel
};
enum class rounding : std::uint8_t { prefer_floor, prefer_ceil, floor, ceil, by_direction };
enum class policy : std::uint8_t { stretch, not_larger, not_smaller };

struct geometry {
    shape x, y, from;  // from: strides of x
    shape axes;        // those that scales, sizes and roi refer to, in their order
    interpolation mode = interpolation::nearest;
    coordinates transformation = coordinates::half_pixel;
    rounding nearest = rounding::prefer_floor;
    policy keep = policy::stretch;
    element roi_type = element::undefined;
    int roi = -1, scales = -1, sizes = -1;  // inputs
    bool antialias = false, exclude_outside = false;
    bool decided = true;  // which of scales and sizes is empty
    double a = -0.75, extrapolation = 0;
    std::array<double, max_rank> fixed{};  // Upsample before 9: scales by attributes, of as many axes
};
template <class E, std::size_t N>
constexpr bool choose(std::string_view text, const std::string_view (&names)[N], E& e) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == text) {
            e = E(i);
            return true;
        }
    return false;
}
constexpr bool is_empty(const node_view& n, int k) {
    return !n.has_input(k) || (n.input(k).dims.known() && n.input(k).dims.elements() == 0);
}

// The attributes and inputs of Upsample and of Resize 10, which round as ONNX's test cases of that time do. These
// functions return what is wrong, if anything is.
constexpr std::string_view read_scales(const node_view& n, geometry& p) {
    p.transformation = coordinates::asymmetric;
    p.nearest = rounding::by_direction;
    if (n.version() >= 9) {
        if (!n.has_input(1)) return "it needs scales";
        p.scales = 1;
        return {};
    }
    if (n.version() < 7) {
        if (p.x.rank >= 0 && p.x.rank != 4) return "the input is no batch of images";
        p.fixed = {1, 1, n.real("height_scale", 0), n.real("width_scale", 0)};
        return {};
    }
    const auto scales = n.reals("scales");
    if (scales.size() > max_rank || (p.x.rank >= 0 && scales.size() != std::size_t(p.x.rank)))
        return "scales do not fit the input";
    std::ranges::copy(scales, p.fixed.begin());
    return {};
}
// Which of the inputs of Resize since 11 are given.
constexpr std::string_view read_inputs(const node_view& n, geometry& p) {
    if (!is_empty(n, 2)) p.scales = 2;
    if (!is_empty(n, 3)) p.sizes = 3;
    if (p.scales >= 0 && p.sizes >= 0 && !(n.input(2).dims.known() && n.input(3).dims.known()))
        p.decided = false;
    else if ((p.scales < 0) == (p.sizes < 0))
        return "it needs either scales or sizes";
    else if (p.scales >= 0 && p.keep != policy::stretch)
        return "keep_aspect_ratio_policy is for sizes, not for scales";
    if (p.transformation != coordinates::crop) return {};
    if (is_empty(n, 1)) return "tf_crop_and_resize needs the input roi";
    p.roi = 1;
    p.roi_type = n.input(1).type;
    if (p.roi_type != element::f32 && p.roi_type != element::f64 && p.roi_type != element::f16)
        return "roi is of no float type";
    return {};
}
// Resize since 11.
constexpr std::string_view read_all(const node_view& n, geometry& p) {
    constexpr std::string_view roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
                               transformations[] = {"half_pixel",          "half_pixel_symmetric", "pytorch_half_pixel",
                                                    "asymmetric",          "align_corners",        "tf_crop_and_resize",
                                                    "tf_half_pixel_for_nn"},
                               policies[] = {"stretch", "not_larger", "not_smaller"};
    if (!choose(n.text("coordinate_transformation_mode", "half_pixel"), transformations, p.transformation))
        return "unknown coordinate_transformation_mode";
    if (!choose(n.text("nearest_mode", "round_prefer_floor"), roundings, p.nearest)) return "unknown nearest_mode";
    if (!choose(n.text("keep_aspect_ratio_policy", "stretch"), policies, p.keep))
        return "unknown keep_aspect_ratio_policy";
    if (const std::string_view fault = read_inputs(n, p); !fault.empty()) return fault;
    p.antialias = n.integer("antialias", 0) != 0 && p.mode != interpolation::nearest;
    p.exclude_outside = n.integer("exclude_outside", 0) != 0;
    p.a = n.real("cubic_coeff_a", -0.75);
    p.extrapolation = n.real("extrapolation_value", 0);
    return {};
}
// The axes, where the input's rank is known.
constexpr std::string_view read_axes(const node_view& n, geometry& p) {
    const auto listed = n.integers("axes");
    if (listed.size() > std::size_t(p.x.rank)) return "more axes than the input has";
    bool in_use[max_rank] = {};
    for (std::int64_t axis : listed) {
        const int i = normal_axis(axis, p.x.rank);
        if (i < 0 || in_use[i]) return "an axis is out of range or listed twice";
        in_use[i] = true;
        p.axes.push_back(i);
    }
    if (!n.has("axes"))
        for (int i = 0; i < p.x.rank; ++i) p.axes.push_back(i);
    const auto holds = [&](int k, int count) {
        return k < 0 || !n.input(k).dims.known() || n.input(k).dims.elements() == count;
    };
    if (!holds(p.scales, p.axes.rank) || !holds(p.sizes, p.axes.rank) || !holds(p.roi, 2 * p.axes.rank))
        return "scales, sizes or roi do not fit the axes";
    return {};
}
// Everything but input values.
constexpr std::string_view read(const node_view& n, geometry& p) {
    constexpr std::string_view modes[] = {"nearest", "linear", "cubic"};
    p.x = n.input(0).dims;
    if (n.version() < 7 && n.text("mode", "nearest") == "bilinear")
        p.mode = interpolation::linear;
    else if (!choose(n.text("mode", "nearest"), modes, p.mode))
        return "unknown mode";
    const std::string_view fault = n.version() <= 10 ? read_scales(n, p) : read_all(n, p);
    if (!fault.empty()) return fault;
    if (p.scales >= 0 && n.input(p.scales).type != element::f32) return "scales are not of type float";
    if (p.sizes >= 0 && n.input(p.sizes).type != element::i64) return "sizes are not of type int64";
    return p.x.rank < 0 ? std::string_view{} : read_axes(n, p);
}
constexpr double whole(double x) { return double(std::int64_t(x)); }  // rounded down, of 0 <= x < 2^62
// The one scale of sizes that keep the aspect ratio.
constexpr double kept_ratio(const geometry& p, const std::int64_t* sizes) {
    double ratio = 0;
    for (int i = 0; i < p.axes.rank; ++i) {
        const double r = double(sizes[i]) / double(p.x[int(p.axes[i])]);
        if (i == 0 || (p.keep == policy::not_larger ? r < ratio : r > ratio)) ratio = r;
    }
    return ratio;
}
inline constexpr double longest = 0x1p31;  // of an axis
// Of each axis in p.axes, where they are known; empty where they are not.
constexpr std::span<const double> known_scales(const node_view& n, const geometry& p) {
    return n.version() < 7   ? std::span<const double>(p.fixed).first(4)
           : n.version() < 9 ? n.reals("scales")
           : p.scales >= 0   ? n.input_reals(p.scales).value_or(std::span<const double>{})
                             : std::span<const double>{};
}
constexpr std::span<const std::int64_t> known_sizes(const node_view& n, const geometry& p) {
    return p.sizes >= 0 ? n.input_integers(p.sizes).value_or(std::span<const std::int64_t>{})
                        : std::span<const std::int64_t>{};
}
}  // namespace resizing
}  // namespace v1
}  // namespace inlay
