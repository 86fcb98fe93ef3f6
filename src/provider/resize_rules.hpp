// Which resizing of images a library does as ONNX has it, of those that find the nearest element below o * from / to,
// in floats, and the neighbours of bilinear ones by align_corners, half_pixel or asymmetric.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <inlay/support/resize_geometry.hpp>
#include <lowering/refusal.hpp>

namespace inlay {
inline namespace v1 {
inline void require_nearest(const node_view& n, const resizing::geometry& p, std::int64_t from, std::int64_t to,
                            const std::string& library) {
    using resizing::rounding;
    const bool doubled = to == from || to == 2 * from;  // then the one below is the nearest, or as near
    if (p.nearest != rounding::floor && !(p.nearest == rounding::prefer_floor && doubled) &&
        !(p.nearest == rounding::by_direction && to >= from))
        refuse("nearest_mode " + std::string(n.text("nearest_mode", "round_prefer_floor")) + " from " +
               std::to_string(from) + " to " + std::to_string(to) + ", where " + library + " rounds down");
    const float scale = float(from) / float(to);
    for (std::int64_t o = 0; o < to; ++o)
        if (std::int64_t(float(o) * scale) != o * from / to)
            refuse(library + "'s places of nearest elements are not exact from " + std::to_string(from) + " to " +
                   std::to_string(to));
}
// Throws refused_node. `other_places`: how the reason says that the library finds places in another way.
inline void require_resizing(const node_view& n, const resizing::geometry& p, const std::string& library,
                             std::string_view other_places) {
    using namespace resizing;
    const bool nearest = p.mode == interpolation::nearest;
    const bool known = p.where == coordinates::align_corners || p.where == coordinates::half_pixel ||
                       p.where == coordinates::pytorch_half_pixel;
    if (p.mode == interpolation::cubic) refuse("mode is cubic, which " + library + " has not");
    if (p.antialias || p.exclude_outside) refuse("antialias or exclude_outside is set, which " + library + " has not");
    if (p.where != coordinates::asymmetric && (nearest || !known))
        refuse("coordinate_transformation_mode is " +
               std::string(n.text("coordinate_transformation_mode", "half_pixel")) + ", which " +
               std::string(other_places) + " for mode " + std::string(n.text("mode", "nearest")));
    const auto scales = known_scales(n, p);
    for (int k = 0; k < p.axes.rank && p.sizes < 0; ++k)
        if (const int i = int(p.axes[k]);
            std::size_t(k) >= scales.size() || scales[std::size_t(k)] * double(p.x[i]) != double(n.output(0).dims[i]))
            refuse("a scale is not that of the lengths, which " + library + " takes");
    for (int i = 0; i < 4; ++i) {
        const std::int64_t from = p.x[i], to = n.output(0).dims[i];
        if (i < 2 && from != to) refuse("it resizes the batch or the channels");
        if (nearest) require_nearest(n, p, from, to, library);
        if (p.where == coordinates::pytorch_half_pixel && to == 1 && from != 1)
            refuse("an axis is resized to 1 element by pytorch_half_pixel, which " + library + " has not");
    }
}
}  // namespace v1
}  // namespace inlay
