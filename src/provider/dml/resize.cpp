// Images, resized. DirectML finds the place of element o as (o - output offset) / scale - input offset, in floats.
#include "writer.hpp"
#include <inlay/support/resize_positions.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
namespace {
using namespace resizing;
using lowering::resizing_facts;

struct places {
    float scale = 1, input = 0, output = 0;
    bool up = false;  // rounded to the element above, where the nearest one is wanted
};
places places_of(const geometry& p, double scale, std::int64_t from, std::int64_t to) {
    places r{float(scale)};
    const double half = .5;
    switch (p.transformation) {
        case coordinates::pytorch_half_pixel:
            if (to == 1) return {1};
            [[fallthrough]];
        case coordinates::half_pixel: r.input = float(half); break;
        case coordinates::half_pixel_symmetric:
            r.input = float(half - double(from) / 2 * (1 - double(to) / (scale * double(from))));
            break;
        case coordinates::asymmetric: return r;
        case coordinates::align_corners:
            return {from > 1 && to > 1 ? float((scale * double(from) - 1) / double(from - 1)) : 1};
        case coordinates::tf_half_pixel: break;
        case coordinates::crop: break;  // the rules have none
    }
    r.output = float(-half);
    return r;
}
void set_rounding(const geometry& p, double scale, places& r) {
    switch (p.nearest) {
        case rounding::prefer_floor: r.input += .5f; [[fallthrough]];
        case rounding::ceil: r.up = true; break;
        case rounding::prefer_ceil: r.input -= .5f; break;
        case rounding::floor: break;
        case rounding::by_direction: r.up = scale < 1; break;
    }
}
// Floats may be rounded to another element than ONNX's numbers.
void require_same_elements(const geometry& p, const places& r, double scale, std::int64_t from, std::int64_t to) {
    for (std::int64_t o = 0; o < to; ++o) {
        bool outside = false;
        const double exact_place = source(p, {scale, 0, 1}, o, from, to, outside);
        const float place = (float(o) - r.output) / r.scale - r.input;
        if (inside(double(r.up ? std::ceil(place) : std::floor(place)), from) != nearest(p, exact_place, scale, from))
            refuse("DirectML's places of nearest elements are not exact from " + std::to_string(from) + " to " +
                   std::to_string(to));
    }
}
// Of axis i; none: it is not resized.
std::optional<places> places_along(const resizing_facts& f, int i) {
    const double scale = f.scales[std::size_t(i)];
    const std::int64_t from = f.geometry.x[i], to = f.y[i];
    if (scale == 0) refuse("its scales are no constants");
    if (scale == 1 && from == to) return std::nullopt;
    places r = places_of(f.geometry, scale, from, to);
    if (f.geometry.mode == interpolation::nearest) {
        set_rounding(f.geometry, scale, r);
        require_same_elements(f.geometry, r, scale, from, to);
    }
    return r;
}
}  // namespace

void dml_writer::write(const lowering::resize_prim& p) {
    shape from = shape::of_rank(4, 1), to = from;
    std::array<float, 4> scales{1, 1, 1, 1}, inputs{}, outputs{};
    bool up = false, down = false;
    for (int i = 0; i < p.x.dims.rank; ++i) {
        const int k = 4 - p.x.dims.rank + i;
        from[k] = p.x.dims[i];
        to[k] = p.y.dims[i];
        const std::optional<places> r = places_along(p.facts, i);
        if (!r) continue;
        scales[std::size_t(k)] = r->scale;
        inputs[std::size_t(k)] = r->input;
        outputs[std::size_t(k)] = r->output;
        (r->up ? up : down) = true;
    }
    const bool linear = p.facts.geometry.mode == interpolation::linear;
    if (up && down) refuse("it rounds up along one axis and down along another");
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x, from);
    o.make(DML_OPERATOR_RESAMPLE2,
           dml_resample{x, o.out(p.y, to), linear, !up, 4, scales.data(), inputs.data(), outputs.data()});
}
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay
