// Which resizing of images a library does as ONNX has it, of those that find the nearest element below o * from / to,
// in floats, and the neighbours of bilinear ones by align_corners, half_pixel or asymmetric.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <inlay/support/resize_geometry.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
struct resizing_facts {
    resizing::geometry geometry{};
    shape y{};
    std::string_view mode, coordinates, nearest_mode;  // as the model has them
    bool by_lengths = true;                            // the scales are those of the lengths
    std::array<double, max_rank> scales{};             // of each axis
    static resizing_facts of(const node_view& n, const resizing::geometry& p) {
        resizing_facts f{p, n.output(0).dims, n.text("mode", "nearest"),
                         n.text("coordinate_transformation_mode", "half_pixel"),
                         n.text("nearest_mode", "round_prefer_floor")};
        const auto scales = resizing::known_scales(n, p);
        for (int i = 0; i < p.x.rank; ++i) f.scales[std::size_t(i)] = double(f.y[i]) / double(p.x[i]);
        for (int k = 0; k < p.axes.rank && p.sizes < 0; ++k) {
            const int i = int(p.axes[k]);
            const bool has_scale = std::size_t(k) < scales.size();
            f.by_lengths &= has_scale && scales[std::size_t(k)] * double(p.x[i]) == double(f.y[i]);
            f.scales[std::size_t(i)] = has_scale ? scales[std::size_t(k)] : 0;
        }
        return f;
    }
};
inline std::string fault_of_nearest(const resizing_facts& f, std::int64_t from, std::int64_t to,
                                    const std::string& library) {
    using resizing::rounding;
    const rounding nearest = f.geometry.nearest;
    const bool doubled = to == from || to == 2 * from;  // then the one below is the nearest, or as near
    if (nearest != rounding::floor && !(nearest == rounding::prefer_floor && doubled) &&
        !(nearest == rounding::by_direction && to >= from))
        return "nearest_mode " + std::string(f.nearest_mode) + " from " + std::to_string(from) + " to " +
               std::to_string(to) + ", where " + library + " rounds down";
    const float scale = float(from) / float(to);
    for (std::int64_t o = 0; o < to; ++o)
        if (std::int64_t(float(o) * scale) != o * from / to)
            return library + "'s places of nearest elements are not exact from " + std::to_string(from) + " to " +
                   std::to_string(to);
    return {};
}
inline std::string fault_of_mode(const resizing_facts& f, const std::string& library) {
    if (f.geometry.mode == resizing::interpolation::cubic) return "mode is cubic, which " + library + " has not";
    return f.geometry.antialias || f.geometry.exclude_outside
               ? "antialias or exclude_outside is set, which " + library + " has not"
               : "";
}
// Empty: it repeats each element of the axes from the first one on, which `axes` names, by a whole number of times.
inline std::string fault_of_factors(const resizing_facts& f, const std::string& library, int first,
                                    const std::string& axes) {
    using namespace resizing;
    const geometry& p = f.geometry;
    const bool below = p.transformation == coordinates::asymmetric &&
                       (p.nearest == rounding::floor || p.nearest == rounding::by_direction),
               around = p.transformation == coordinates::half_pixel &&
                        (p.nearest == rounding::prefer_floor || p.nearest == rounding::prefer_ceil);
    if (!below && !around) return library + " does not choose the nearest element as its attributes do";
    if (!f.by_lengths) return "a scale is not that of the lengths, which " + library + " takes";
    for (int i = 0; i < p.x.rank; ++i)
        if (f.y[i] % p.x[i] != 0 || (i < first && f.y[i] != p.x[i]))
            return "it does not enlarge " + axes + " alone, by whole numbers";
    return {};
}
// Empty: it is linear between the centers of the elements of the axes behind the channels.
inline std::string fault_of_centers(const resizing_facts& f, const std::string& library) {
    if (std::string reason = fault_of_mode(f, library); !reason.empty()) return reason;
    if (f.geometry.transformation != resizing::coordinates::half_pixel)
        return "coordinate_transformation_mode is " + std::string(f.coordinates) + ", and " + library +
               " resizes linearly at half_pixel";
    if (!f.by_lengths) return "a scale is not that of the lengths, which " + library + " takes";
    return f.y[0] == f.geometry.x[0] && f.y[1] == f.geometry.x[1] ? "" : "it resizes the batch or the channels";
}
// Empty: it is such a one, of an image. `other_places`: how the reason says that the library finds places in another
// way.
inline std::string fault_of_resizing(const resizing_facts& f, const std::string& library,
                                     std::string_view other_places) {
    using namespace resizing;
    const geometry& p = f.geometry;
    const bool nearest = p.mode == interpolation::nearest;
    const bool is_supported = p.transformation == coordinates::align_corners ||
                              p.transformation == coordinates::half_pixel ||
                              p.transformation == coordinates::pytorch_half_pixel;
    if (std::string reason = fault_of_mode(f, library); !reason.empty()) return reason;
    if (p.transformation != coordinates::asymmetric && (nearest || !is_supported))
        return "coordinate_transformation_mode is " + std::string(f.coordinates) + ", which " +
               std::string(other_places) + " for mode " + std::string(f.mode);
    if (!f.by_lengths) return "a scale is not that of the lengths, which " + library + " takes";
    for (int i = 0; i < 4; ++i) {
        const std::int64_t from = p.x[i], to = f.y[i];
        constexpr std::int64_t most = 1 << 24;  // places are floats
        if (std::max(from, to) >= most) return "an axis has 2^24 elements or more, whose places are not exact";
        if (i < 2 && from != to) return "it resizes the batch or the channels";
        if (std::string reason = nearest ? fault_of_nearest(f, from, to, library) : ""; !reason.empty()) return reason;
        if (p.transformation == coordinates::pytorch_half_pixel && to == 1 && from != 1)
            return "an axis is resized to 1 element by pytorch_half_pixel, which " + library + " has not";
    }
    return {};
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
