// What moves elements, and images of other sizes.
#include "host.hpp"
#include <algorithm>

namespace host {
namespace {
// The output's element at an index is the input's at from(index); negative: `otherwise`.
planned moved(const call& c, const dims& y, std::function<std::int64_t(const std::vector<std::int64_t>&)> from,
              float otherwise = 0) {
    c.require_one_type(1);
    c.require_same_scale();
    return {y, [=](const auto& in) {
                numbers all;
                for_each_index(y, [&](const auto& at) {
                    const std::int64_t k = from(at);
                    all.push_back(k < 0 ? otherwise : in[0]->at(std::size_t(k)));
                });
                return all;
            }};
}
planned reshape(const call& c) {
    require(c.count() == 2);
    c.require_one_type(1);
    c.require_same_scale();
    const auto to = c.integers(1);
    const dims y(to.begin(), to.end());
    require(elements(y) == elements(c.shape(0)));
    return {y, [](const auto& in) { return *in[0]; }};
}
planned transpose(const call& c) {
    const dims x = c.shape(0);
    const auto axes = c.integers(1);
    require(c.count() == 2 && axes.size() == x.size());
    dims y;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        require(axes[i] >= 0 && std::ranges::count(axes, axes[i]) == 1);
        y.push_back(x.at(std::size_t(axes[i])));
    }
    return moved(c, y, [=](const auto& at) {
        std::vector<std::int64_t> from(x.size());
        for (std::size_t i = 0; i < axes.size(); ++i) from[std::size_t(axes[i])] = at[i];
        return std::int64_t(place(x, from));
    });
}
planned concatenation(const call& c) {
    const std::size_t count = c.count() - 1;
    const auto axis = std::size_t(c.integer(count));
    c.require_one_type(count);
    dims y = c.shape(0);
    require(axis < y.size());
    std::vector<dims> parts{y};
    for (std::size_t k = 1; k < count; ++k) {
        dims d = c.shape(k);
        require(d.size() == y.size());
        for (std::size_t i = 0; i < d.size(); ++i) require(i == axis || d[i] == y[i]);
        y[axis] += d[axis];
        parts.push_back(std::move(d));
        require(LEVEL >= 29 || c.tensor(k).same_scale(c.output()));
    }
    return {y, [=](const auto& in) {
                numbers all;
                for_each_index(y, [&](std::vector<std::int64_t> at) {
                    std::size_t k = 0;
                    for (; at[axis] >= std::int64_t(parts[k][axis]); ++k) at[axis] -= parts[k][axis];
                    all.push_back((*in[k])[place(parts[k], at)]);
                });
                return all;
            }};
}
planned strided_slice(const call& c) {
    const dims x = c.shape(0);
    const auto begin = c.integers(1), end = c.integers(2), step = c.integers(3);
    require(c.count() == 7 && begin.size() == x.size() && end.size() == x.size() && step.size() == x.size());
    for (std::size_t k : {4, 5, 6}) require(c.integer(k) == 0);  // the masks
    dims y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        require(step[i] > 0 && begin[i] >= 0 && end[i] > begin[i] && end[i] <= std::int32_t(x[i]));
        y.push_back(std::uint32_t((end[i] - begin[i] + step[i] - 1) / step[i]));
    }
    return moved(c, y, [=](std::vector<std::int64_t> at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = begin[i] + at[i] * step[i];
        return std::int64_t(place(x, at));
    });
}
planned pad(const call& c) {
    const dims x = c.shape(0);
    const bool with_value = c.op.code == PAD_V2;
    require(c.count() == (with_value ? 3u : 2u) && c.any(1).shape == dims({std::uint32_t(x.size()), 2}));
    const auto pads = c.integers(1, 2);
    const float value = with_value && !c.tensor(0).in_bytes() ? c.real(2) : 0;
    require(!with_value || !c.tensor(0).in_bytes());
    dims y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        require(pads[2 * i] >= 0 && pads[2 * i + 1] >= 0);
        y.push_back(x[i] + std::uint32_t(pads[2 * i] + pads[2 * i + 1]));
    }
    return moved(
        c, y,
        [=](std::vector<std::int64_t> at) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                at[i] -= pads[2 * i];
                if (at[i] < 0 || at[i] >= std::int64_t(x[i])) return std::int64_t(-1);
            }
            return std::int64_t(place(x, at));
        },
        value);
}
planned gather(const call& c) {
    const dims x = c.shape(0);
    const auto axis = std::size_t(c.integer(1));
    const auto indices = c.integers(2);
    require(c.count() == 3 && axis < x.size());
    for (std::int32_t i : indices) require(i >= 0 && i < std::int32_t(x[axis]));
    dims y = x;
    y[axis] = std::uint32_t(indices.size());
    return moved(c, y, [=](std::vector<std::int64_t> at) {
        at[axis] = indices[std::size_t(at[axis])];
        return std::int64_t(place(x, at));
    });
}
// Blocks of depth [row in the block][column in the block][channel]; the one is the other backwards.
planned blocks(const call& c) {
    const bool to_space = c.op.code == DEPTH_TO_SPACE;
    require(c.count() == 2 || c.count() == 3);
    const images x(c.shape(0), c.flag_if(2, 29));
    const std::int64_t size = c.integer(1);
    require(size > 0 && (to_space ? x.c % (size * size) == 0 : x.h % size == 0 && x.w % size == 0));
    images y = x;
    y.h = to_space ? x.h * size : x.h / size;
    y.w = to_space ? x.w * size : x.w / size;
    y.c = to_space ? x.c / (size * size) : x.c * size * size;
    return moved(c, y.shape(), [=](const auto& at) {
        const std::int64_t row = at[y.first ? 2 : 1], column = at[y.first ? 3 : 2], k = at[y.first ? 1 : 3];
        if (to_space) {
            const std::int64_t block = (row % size * size + column % size) * y.c + k;
            return std::int64_t(x.at(at[0], row / size, column / size, block));
        }
        const std::int64_t block = k / x.c;
        return std::int64_t(x.at(at[0], row * size + block / size, column * size + block % size, k % x.c));
    });
}

struct resized_axis {
    std::int64_t from, to;
    bool corners, centers;
    float place(std::int64_t o) const {
        if (corners && to > 1) return float(o) * float(from - 1) / float(to - 1);
        const float scale = float(from) / float(to);
        return centers ? (float(o) + .5f) * scale - .5f : float(o) * scale;
    }
    std::int64_t inside(float x) const { return std::clamp<std::int64_t>(std::int64_t(x), 0, from - 1); }
};
planned resize(const call& c) {
    const bool nearest = c.op.code == RESIZE_NEAREST_NEIGHBOR;
    require(c.count() == 3 || c.count() == 4 || c.count() == 6);
    require(!nearest || c.count() >= 4);  // it has the order of images always
    c.require_one_type(1);
    c.require_same_scale();
    const images x(c.shape(0), c.flag_if(3, 29));
    images y = x;
    y.w = c.integer(1);
    y.h = c.integer(2);
    const bool corners = c.flag_if(4, 30), centers = c.flag_if(5, 30);
    require(y.w > 0 && y.h > 0 && !(corners && centers) && !(nearest && (corners || centers)));
    const resized_axis rows{x.h, y.h, corners, centers}, columns{x.w, y.w, corners, centers};
    return {y.shape(), [=](const auto& in) {
                numbers all(std::size_t(elements(y.shape())));
                for (std::int64_t i = 0; i < y.n; ++i)
                    for (std::int64_t r = 0; r < y.h; ++r)
                        for (std::int64_t q = 0; q < y.w; ++q)
                            for (std::int64_t k = 0; k < y.c; ++k) {
                                const float py = rows.place(r), px = columns.place(q);
                                const auto value = [&](float a, float b) {
                                    return (*in[0])[x.at(i, rows.inside(a), columns.inside(b), k)];
                                };
                                float& out = all[y.at(i, r, q, k)];
                                if (nearest) {
                                    out = value(std::floor(py), std::floor(px));
                                    continue;
                                }
                                const float y0 = std::floor(py), x0 = std::floor(px), fy = py - y0, fx = px - x0;
                                out = (value(y0, x0) * (1 - fx) + value(y0, x0 + 1) * fx) * (1 - fy) +
                                      (value(y0 + 1, x0) * (1 - fx) + value(y0 + 1, x0 + 1) * fx) * fy;
                            }
                return all;
            }};
}
}  // namespace

planned plan_movement(const call& c) {
    switch (c.op.code) {
        case RESHAPE: return reshape(c);
        case TRANSPOSE: return transpose(c);
        case CONCATENATION: return concatenation(c);
        case STRIDED_SLICE: return strided_slice(c);
        case PAD:
        case PAD_V2: return pad(c);
        case GATHER: return gather(c);
        case DEPTH_TO_SPACE:
        case SPACE_TO_DEPTH: return blocks(c);
        case RESIZE_BILINEAR:
        case RESIZE_NEAREST_NEIGHBOR: return resize(c);
        default: throw bad_data();
    }
}
}  // namespace host
