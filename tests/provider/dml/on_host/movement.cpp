// What moves elements, and images of other sizes.
#include "host.hpp"
#include <algorithm>
#include <cmath>

namespace host {
namespace {
// The result's element at an index is the input's at from(index); negative: `otherwise`.
template <class F> void moved(planned& p, const tensor& y, F from, double otherwise = 0) {
    p.one_result([=, sizes = y.sizes](const auto& in) {
        numbers all;
        for_each_index(sizes, [&](const list& at) {
            const std::int64_t k = from(at);
            all.push_back(k < 0 ? otherwise : in[0].at(std::size_t(k)));
        });
        return all;
    });
}
void split(const dml_split& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    require(d.OutputCount > 0 && d.Axis < x.sizes.size());
    std::vector<list> parts;
    std::int64_t all = 0;
    for (UINT k = 0; k < d.OutputCount; ++k) {
        const tensor y = p.out(&d.OutputTensors[k]);
        list rest = y.sizes;
        require(rest.size() == x.sizes.size() && y.type == x.type);
        all += rest[d.Axis];
        rest[d.Axis] = x.sizes[d.Axis];
        require(rest == x.sizes);
        parts.push_back(y.sizes);
    }
    require(all == x.sizes[d.Axis]);
    p.compute = [=, axis = d.Axis, sizes = x.sizes](const auto& in, auto& out) {
        std::int64_t first = 0;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            for_each_index(parts[k], [&](list at) {
                at[axis] += first;
                out[k].push_back(in[0][place(sizes, at)]);
            });
            first += parts[k][axis];
        }
    };
}
void join(const dml_join& d, planned& p) {
    std::vector<list> parts;
    list sum;
    for (UINT k = 0; k < d.InputCount; ++k) {
        const tensor& x = p.in(&d.InputTensors[k]);
        parts.push_back(x.sizes);
        require(d.Axis < x.sizes.size() && x.type == p.inputs[0]->type);
        if (k == 0)
            sum = x.sizes;
        else {
            list rest = x.sizes;
            rest.at(d.Axis) = sum[d.Axis];
            require(rest == sum);
            sum[d.Axis] += x.sizes[d.Axis];
        }
    }
    const tensor y = p.out(d.OutputTensor);
    require(y.sizes == sum && y.type == p.inputs[0]->type);
    p.one_result([=, axis = d.Axis](const auto& in) {
        numbers all;
        for_each_index(sum, [&](list at) {
            std::size_t k = 0;
            for (; at[axis] >= parts[k][axis]; ++k) at[axis] -= parts[k][axis];
            all.push_back(in[k][place(parts[k], at)]);
        });
        return all;
    });
}
void slice(const dml_slice& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const list offsets = list_of(d.InputWindowOffsets, d.DimensionCount),
               lengths = list_of(d.InputWindowSizes, d.DimensionCount);
    const list steps(d.InputWindowStrides, d.InputWindowStrides + d.DimensionCount);
    require(x.sizes.size() == d.DimensionCount && x.type == y.type);
    list sizes, first;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::int64_t step = std::abs(steps[i]);
        require(step > 0 && lengths[i] > 0 && offsets[i] + lengths[i] <= x.sizes[i]);
        sizes.push_back((lengths[i] + step - 1) / step);
        first.push_back(steps[i] > 0 ? offsets[i] : offsets[i] + lengths[i] - 1);
    }
    require(y.sizes == sizes);
    moved(p, y, [=, from = x.sizes](list at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = first[i] + at[i] * steps[i];
        return std::int64_t(place(from, at));
    });
}
void pad(const dml_padding& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const list start = list_of(d.StartPadding, d.DimensionCount), end = list_of(d.EndPadding, d.DimensionCount);
    require(x.sizes.size() == d.DimensionCount && y.sizes.size() == d.DimensionCount && x.type == y.type);
    require(d.PaddingValueDataType == x.type);
    for (std::size_t i = 0; i < start.size(); ++i) {
        require(y.sizes[i] == start[i] + x.sizes[i] + end[i]);
        require(d.PaddingMode != DML_PADDING_MODE_REFLECTION || std::max(start[i], end[i]) < x.sizes[i]);
    }
    moved(
        p, y,
        [=, mode = d.PaddingMode, from = x.sizes](list at) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                const std::int64_t last = from[i] - 1;
                at[i] -= start[i];
                if (at[i] >= 0 && at[i] <= last) continue;
                if (mode == DML_PADDING_MODE_CONSTANT) return std::int64_t(-1);
                at[i] = mode == DML_PADDING_MODE_EDGE ? std::clamp<std::int64_t>(at[i], 0, last)
                        : at[i] < 0                   ? -at[i]
                                                      : 2 * last - at[i];
            }
            return std::int64_t(place(from, at));
        },
        number_of(d.PaddingValueDataType, d.PaddingValue.Bytes));
}
void tile(const dml_tile& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const list repeats = list_of(d.Repeats, d.RepeatsCount);
    require(repeats.size() == x.sizes.size() && repeats.size() == y.sizes.size());
    for (std::size_t i = 0; i < repeats.size(); ++i) require(y.sizes[i] == repeats[i] * x.sizes[i]);
    moved(p, y, [from = x.sizes](list at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] %= from[i];
        return std::int64_t(place(from, at));
    });
}
void blocks(const dml_depth_space& d, bool to_space, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const std::int64_t size = d.BlockSize;
    require(x.sizes.size() == 4 && size > 0 && (d.Order == 0 || d.Order == 1));
    const list &deep = to_space ? x.sizes : y.sizes, &wide = to_space ? y.sizes : x.sizes;
    require(wide.size() == 4 && deep.size() == 4 && wide[0] == deep[0] && deep[1] == wide[1] * size * size &&
            wide[2] == deep[2] * size && wide[3] == deep[3] * size);
    const std::int64_t channels = wide[1];
    moved(p, y, [=, from = x.sizes, channel_first = d.Order == 1](const list& at) {
        if (to_space) {
            const std::int64_t r = at[2] % size, c = at[3] % size,
                               k = channel_first ? (at[1] * size + r) * size + c : (r * size + c) * channels + at[1];
            return std::int64_t(place(from, {at[0], k, at[2] / size, at[3] / size}));
        }
        const std::int64_t block = channel_first ? at[1] % (size * size) : at[1] / channels,
                           k = channel_first ? at[1] / (size * size) : at[1] % channels;
        return std::int64_t(place(from, {at[0], k, at[2] * size + block / size, at[3] * size + block % size}));
    });
}
// Input = (output - OutputPixelOffset) / Scale - InputPixelOffset.
void resample(const dml_resample& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const std::size_t rank = x.sizes.size();
    require(d.DimensionCount == rank && rank == y.sizes.size() && rank <= 4 && x.type == y.type);
    require(is_of(x, floats | codes));
    using reals = std::vector<float>;  // places are found in floats
    const reals scale(d.Scales, d.Scales + rank), in_off(d.InputPixelOffsets, d.InputPixelOffsets + rank),
        out_off(d.OutputPixelOffsets, d.OutputPixelOffsets + rank);
    const auto inside = [from = x.sizes](float v, std::size_t i) {
        return std::clamp<std::int64_t>(std::int64_t(std::floor(v)), 0, from[i] - 1);
    };
    p.one_result([=, up = d.RoundingDirection == 0, linear = d.InterpolationMode == 1, from = x.sizes,
                  to = y.sizes](const auto& in) {
        numbers all;
        for_each_index(to, [&](const list& o) {
            reals at;
            for (std::size_t i = 0; i < rank; ++i) at.push_back((float(o[i]) - out_off[i]) / scale[i] - in_off[i]);
            double sum = 0;
            for (unsigned corner = 0; corner < (linear ? 1u << rank : 1u); ++corner) {
                list k;
                double weight = 1;
                for (std::size_t i = 0; i < rank; ++i) {
                    const float below = std::floor(at[i]);
                    const bool next = corner >> i & 1;
                    if (linear) weight *= next ? double(at[i] - below) : 1 - double(at[i] - below);
                    k.push_back(linear ? inside(below + float(next), i) : inside(up ? std::ceil(at[i]) : below, i));
                }
                if (weight != 0) sum += weight * double(in[0][place(from, k)]);
            }
            all.push_back(float(sum));
        });
        return all;
    });
}
}  // namespace

bool plan_movement(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_SPLIT: split(*static_cast<const dml_split*>(d.Desc), p); return true;
        case DML_OPERATOR_JOIN: join(*static_cast<const dml_join*>(d.Desc), p); return true;
        case DML_OPERATOR_SLICE1: slice(*static_cast<const dml_slice*>(d.Desc), p); return true;
        case DML_OPERATOR_PADDING1: pad(*static_cast<const dml_padding*>(d.Desc), p); return true;
        case DML_OPERATOR_TILE: tile(*static_cast<const dml_tile*>(d.Desc), p); return true;
        case DML_OPERATOR_DEPTH_TO_SPACE1:
        case DML_OPERATOR_SPACE_TO_DEPTH1:
            blocks(*static_cast<const dml_depth_space*>(d.Desc), d.Type == DML_OPERATOR_DEPTH_TO_SPACE1, p);
            return true;
        case DML_OPERATOR_RESAMPLE2: resample(*static_cast<const dml_resample*>(d.Desc), p); return true;
        default: return false;
    }
}
}  // namespace host
