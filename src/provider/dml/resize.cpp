// Resize and Upsample. DirectML finds the place of element o as (o - output offset) / scale - input offset, in floats.
#include "graph.hpp"
#include <inlay/support/resize_positions.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
using namespace resizing;

struct places {
    float scale = 1, input = 0, output = 0;
    bool up = false;  // rounded to the element above, where the nearest one is wanted
};
places places_of(const geometry& p, double scale, std::int64_t from, std::int64_t to) {
    places r{float(scale)};
    const double half = .5;
    switch (p.where) {
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
        case coordinates::crop: refuse("coordinate_transformation_mode is tf_crop_and_resize, which DirectML has not");
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
        const double wanted = source(p, {scale, 0, 1}, o, from, to, outside);
        const float place = (float(o) - r.output) / r.scale - r.input;
        if (inside(double(r.up ? std::ceil(place) : std::floor(place)), from) != nearest(p, wanted, scale, from))
            refuse("DirectML's places of nearest elements are not exact from " + std::to_string(from) + " to " +
                   std::to_string(to));
    }
}
double scale_of(const node_view& n, const geometry& p, std::span<const double> scales, int axis) {
    for (int k = 0; k < p.axes.rank; ++k) {
        if (p.axes[k] != axis) continue;
        if (p.sizes >= 0) return double(n.output(0).dims[axis]) / double(p.x[axis]);
        if (std::size_t(k) >= scales.size()) refuse("its scales are no constants");
        return scales[std::size_t(k)];
    }
    return 1;
}
void write_resize(const node_writer& a) {
    geometry p;
    if (const std::string_view fault = read(a.n, p); !fault.empty()) refuse(std::string(fault));
    if (!p.decided || p.keep != policy::stretch) refuse("its sizes keep the aspect ratio, which is not written here");
    if (p.mode == interpolation::cubic) refuse("mode is cubic, which DirectML has not");
    if (p.antialias || p.exclude_outside) refuse("antialias or exclude_outside is set, which is not written here");
    const shape &x = a.dims(0), y = a.output_info().dims;
    if (x.rank > 4) refuse("it is over " + std::to_string(x.rank) + " dimensions, and DirectML's operator over 4");
    if (p.mode != interpolation::nearest && !is_float(a.n.input(0).type)) refuse("it interpolates integers");
    const auto given = known_scales(a.n, p);
    shape from = shape::of_rank(4, 1), to = from;
    std::array<places, 4> all{};
    bool up = false, down = false;
    for (int i = 0; i < x.rank; ++i) {
        const int at = 4 - x.rank + i;
        from[at] = x[i];
        to[at] = y[i];
        const double scale = scale_of(a.n, p, given, i);
        if (scale == 1 && x[i] == y[i]) continue;
        places& r = all[std::size_t(at)] = places_of(p, scale, x[i], y[i]);
        if (p.mode != interpolation::nearest) continue;
        set_rounding(p, scale, r);
        require_same_elements(p, r, scale, x[i], y[i]);
        (r.up ? up : down) = true;
    }
    if (up && down) refuse("it rounds up along one axis and down along another");
    std::array<float, 4> scales{}, inputs{}, outputs{};
    for (std::size_t i = 0; i < 4; ++i) {
        scales[i] = all[i].scale;
        inputs[i] = all[i].input;
        outputs[i] = all[i].output;
    }
    operator_maker m(a.to);
    const stream in = a.input(0, from);
    const dml_tensor image = m.in(in);
    const dml_resample d{image,
                         m.out({to, in.info.type}),
                         p.mode != interpolation::nearest,
                         !up,
                         4,
                         scales.data(),
                         inputs.data(),
                         outputs.data()};
    a.put(m.made(DML_OPERATOR_RESAMPLE2, &d));
}
}  // namespace

std::span<const named_writer> resize_writers() {
    static constexpr named_writer all[] = {{"Resize", write_resize}, {"Upsample", write_resize}};
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
