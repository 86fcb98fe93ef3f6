// Constants, shapes, parts, joins, borders, and images of other sizes.
#include "graph.hpp"
#include <algorithm>
#include <cstring>

namespace test_runner {
namespace {
tensor constant(const operation& o) {
    tensor y(o.dims());
    const auto bytes = o.get<std::vector<char>>("data");
    if (o.get<std::string>("data_type") != "FLOAT32" || bytes.size() != y.elements.size() * sizeof(float))
        throw std::runtime_error("a constant of another type or size");
    std::memcpy(y.elements.data(), bytes.data(), bytes.size());
    return y;
}
tensor reshape(const operation& o) {
    tensor y = o.input();
    y.dims = o.dims();
    return y;
}
// Each element of the result is one of the first input: which one, source() tells.
template <class Source> tensor gather(const operation& o, Source source) {
    const tensor& x = o.input();
    tensor y(o.dims());
    for (std::int64_t k = 0; k < std::int64_t(y.elements.size()); ++k)
        y.elements[std::size_t(k)] = x.elements[std::size_t(number_of(source(place_of(k, y.dims)), x.dims))];
    return y;
}
tensor transpose(const operation& o) {
    const integers order = o.list("order");
    return gather(o, [&](const integers& at) {
        integers from(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) from[std::size_t(order[i])] = at[i];
        return from;
    });
}
tensor slice(const operation& o) {
    const integers begin = o.list("begin"), strides = o.list("strides");
    return gather(o, [&](integers at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = begin[i] + at[i] * strides[i];
        return at;
    });
}
tensor concat(const operation& o) {
    tensor y(o.dims());
    const auto axis = std::size_t(o.get<std::int32_t>("axis"));
    std::int32_t first = 0;
    for (int k = 0; k < o.inputs(); ++k) {
        const tensor& x = o.input("input", k);
        for (std::int64_t i = 0; i < std::int64_t(x.elements.size()); ++i) {
            integers at = place_of(i, x.dims);
            at[axis] += first;
            y.elements[std::size_t(number_of(at, y.dims))] = x.elements[std::size_t(i)];
        }
        first += x.dims[axis];
    }
    return y;
}
tensor pad(const operation& o) {
    const tensor& x = o.input();
    const integers pads = o.list("paddings");
    if (o.get<std::string>("mode") != "CONSTANT") throw std::runtime_error("pads of another kind");
    tensor y(o.dims());
    std::ranges::fill(y.elements, o.get<std::vector<float>>("constant_values")[0]);
    for (std::int64_t k = 0; k < std::int64_t(x.elements.size()); ++k) {
        integers at = place_of(k, x.dims);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += pads[2 * i];
        y.elements[std::size_t(number_of(at, y.dims))] = x.elements[std::size_t(k)];
    }
    return y;
}
// Where an element of an image comes from, in that image's own pixels.
float source(const operation& o, std::int32_t at, std::int32_t from, std::int32_t to) {
    if (o.get<bool>("align_corners")) return to == 1 ? 0 : float(at) * float(from - 1) / float(to - 1);
    const float scale = float(from) / float(to);
    return o.get<bool>("half_pixel_centers") ? (float(at) + 0.5f) * scale - 0.5f : float(at) * scale;
}
tensor resize(const operation& o) {
    const tensor& x = o.input();
    tensor y(o.dims());
    const bool nearest = o.get<std::string>("mode") == "NEAREST";
    for (std::int64_t k = 0; k < std::int64_t(y.elements.size()); ++k) {
        const integers at = place_of(k, y.dims);
        float part[2];
        std::int32_t below[2], above[2];
        for (int i : {0, 1}) {
            const std::int32_t last = x.dims[std::size_t(i) + 1] - 1;
            const float s = source(o, at[std::size_t(i) + 1], last + 1, y.dims[std::size_t(i) + 1]);
            const float low = std::floor(std::clamp(s, 0.f, float(last)));
            below[i] = std::int32_t(low);
            above[i] = std::min(below[i] + 1, last);
            part[i] = nearest ? 0 : std::clamp(s, 0.f, float(last)) - low;
        }
        const auto row = [&](std::int32_t r) {
            return x.at(at[0], r, below[1], at[3]) * (1 - part[1]) + x.at(at[0], r, above[1], at[3]) * part[1];
        };
        y.elements[std::size_t(k)] = row(below[0]) * (1 - part[0]) + row(above[0]) * part[0];
    }
    return y;
}
}  // namespace

rule find_movement_rule(const std::string& type) {
    if (type == "const") return constant;
    if (type == "reshape") return reshape;
    if (type == "transpose") return transpose;
    if (type == "strided_slice") return slice;
    if (type == "concat") return concat;
    if (type == "pad") return pad;
    return type == "resize" ? resize : nullptr;
}
}  // namespace test_runner
