// What moves elements, and images of other sizes.
#include "evaluator.hpp"
#include <algorithm>
#include <cmath>
#include <utility>

namespace evaluator {
primitive moved(const list& x, const list& y, std::function<list(const list&, const values&)> from, double value) {
    return {y, [=](const values& in) {
                numbers result;
                for_each_index(y, [&](const list& at) {
                    const list source = from(at, in);
                    result.push_back(source.empty() ? value : in[0].at(place(x, source)));
                });
                return result;
            }};
}
primitive reshape(const list& x, const list& y) {
    require(elements(x) == elements(y));
    return {y, [](const values& in) { return in[0]; }};
}
primitive transpose(const list& x, const list& axes) {
    require(axes.size() == x.size());
    list y;
    for (const std::int64_t a : axes) {
        require(a >= 0 && std::ranges::count(axes, a) == 1);
        y.push_back(x.at(std::size_t(a)));
    }
    return moved(x, y, [=](const list& at, const values&) {
        list from(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) from[std::size_t(axes[i])] = at[i];
        return from;
    });
}
primitive concat(const std::vector<list>& parts, std::size_t axis) {
    list y = parts.at(0);
    y.at(axis) = 0;
    for (const list& part : parts) {
        list rest = part;
        rest.at(axis) = y[axis];
        require(rest == y);
        y[axis] += part[axis];
    }
    return {y, [=](const values& in) {
                numbers result;
                for_each_index(y, [&](list at) {
                    std::size_t k = 0;
                    for (; at[axis] >= parts[k][axis]; ++k) at[axis] -= parts[k][axis];
                    result.push_back(in[k][place(parts[k], at)]);
                });
                return result;
            }};
}
primitive slice(const list& x, const list& start, const list& step, const list& sizes) {
    require(start.size() == x.size() && step.size() == x.size() && sizes.size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::int64_t last_index = start[i] + step[i] * (sizes[i] - 1);
        require(step[i] != 0 && sizes[i] > 0 && std::min(start[i], last_index) >= 0 &&
                std::max(start[i], last_index) < x[i]);
    }
    return moved(x, sizes, [=](list at, const values&) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = start[i] + at[i] * step[i];
        return at;
    });
}
primitive pad(const list& x, const list& before, const list& after, border mode, double value) {
    require(before.size() == x.size() && after.size() == x.size());
    list y = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        require(before[i] >= 0 && after[i] >= 0);
        require(mode != border::reflect || std::max(before[i], after[i]) < x[i]);
        y[i] += before[i] + after[i];
    }
    return moved(
        x, y,
        [=](list at, const values&) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                const std::int64_t k = at[i] - before[i], limit = x[i] - 1,
                                   inside = std::clamp<std::int64_t>(k, 0, limit);
                if (k != inside && mode == border::constant) return list();
                at[i] = mode == border::reflect ? 2 * inside - k : inside;
            }
            return at;
        },
        value);
}
primitive tile(const list& x, const list& repeats) {
    require(repeats.size() == x.size());
    list y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] *= repeats[i];
    return moved(x, y, [=](list at, const values&) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] %= x[i];
        return at;
    });
}
std::int64_t index_within(double index, std::int64_t length) {
    return std::clamp<std::int64_t>(std::int64_t(index < 0 ? index + double(length) : index), 0, length - 1);
}
primitive gather(const list& x, std::int64_t count, std::size_t axis) {
    list y = x;
    y.at(axis) = count;
    return moved(x, y, [=](list at, const values& in) {
        at[axis] = index_within(in[1][std::size_t(at[axis])], x[axis]);
        return at;
    });
}
namespace {
// [images, block's rows, block's columns, channels, rows, columns] from the depth and back: transpositions of six axes.
primitive regrouped(const list& x, const list& grouped, const list& axes, const list& y) {
    return after(transpose(grouped, axes), reshape(x, y));
}
}  // namespace
primitive depth_to_space(const list& x, std::int64_t block, bool channel_first) {
    require(x.size() == 4 && block > 0 && x[1] % (block * block) == 0);
    const std::int64_t channels = x[1] / (block * block);
    const list y{x[0], channels, x[2] * block, x[3] * block};
    return channel_first ? regrouped(x, {x[0], channels, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3}, y)
                         : regrouped(x, {x[0], block, block, channels, x[2], x[3]}, {0, 3, 4, 1, 5, 2}, y);
}
primitive space_to_depth(const list& x, std::int64_t block, bool channel_first) {
    require(x.size() == 4 && block > 0 && x[2] % block == 0 && x[3] % block == 0);
    const std::int64_t rows = x[2] / block, columns = x[3] / block;
    return regrouped(x, {x[0], x[1], rows, block, columns, block},
                     channel_first ? list{0, 1, 3, 5, 2, 4} : list{0, 3, 5, 1, 2, 4},
                     {x[0], x[1] * block * block, rows, columns});
}

float resize_source(std::int64_t index, std::int64_t from, std::int64_t to, bool align_corners, bool half_pixels) {
    if (align_corners && to > 1) return float(index) * float(from - 1) / float(to - 1);
    const float scale = float(from) / float(to);
    return half_pixels ? (float(index) + .5f) * scale - .5f : float(index) * scale;
}
namespace {
// Along one axis, whose elements lie at these places of the input.
numbers resampled(const numbers& line, const std::vector<float>& places, sampling mode) {
    numbers result;
    for (const float at : places) {
        const float first = mode == sampling::ceil ? std::ceil(at) : std::floor(at), limit = float(line.size() - 1);
        const double below = line[std::size_t(std::clamp(first, 0.f, limit))],
                     above = line[std::size_t(std::clamp(first + 1, 0.f, limit))], part = double(at - first);
        result.push_back(mode == sampling::linear && part != 0 ? below * (1 - part) + above * part : below);
    }
    return result;
}
}  // namespace
primitive resize(const list& x, const list& y, sampling mode,
                 std::function<float(std::size_t axis, std::int64_t index)> source) {
    require(x.size() == y.size());
    primitive resized = reshape(x, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        list sizes = resized.sizes;
        sizes[i] = y[i];
        std::vector<float> places;
        for (std::int64_t k = 0; k < y[i]; ++k) places.push_back(source(i, k));
        resized = after(resized, along(resized.sizes, {std::int64_t(i)}, sizes,
                                       [=](const numbers& line) { return resampled(line, places, mode); }));
    }
    return resized;
}
}  // namespace evaluator
