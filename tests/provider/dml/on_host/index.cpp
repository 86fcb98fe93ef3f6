// What looks elements up, or puts them, by indices; the greatest ones; running sums.
#include "host.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace host {
namespace {
// Negative ones count from the end; those out of range read somewhere inside, as the reference has it.
std::int64_t index_of(double i, std::int64_t length) {
    return std::clamp<std::int64_t>(std::int64_t(i < 0 ? i + double(length) : i), 0, length - 1);
}
void require_indices(const tensor& i) { require(is_of(i, sums)); }
void gather(const dml_gather& d, planned& p) {
    const tensor x = p.in(d.InputTensor), i = p.in(d.IndicesTensor), y = p.out(d.OutputTensor);
    const std::size_t rank = x.sizes.size();
    require(rank == i.sizes.size() && rank == y.sizes.size() && d.Axis < rank && d.IndexDimensions == 1);
    require_indices(i);
    require(i.elements() == i.sizes.back() && x.type == y.type);
    list sizes = x.sizes;
    sizes[d.Axis] = i.elements();
    require(sizes == y.sizes);
    p.one_result([=, axis = d.Axis, from = x.sizes](const auto& in) {
        numbers all;
        for_each_index(sizes, [&](list at) {
            at[axis] = index_of(in[1][std::size_t(at[axis])], from[axis]);
            all.push_back(in[0][place(from, at)]);
        });
        return all;
    });
}
void require_same_but(std::size_t axis, list a, const list& b) {
    require(a.size() == b.size() && axis < a.size());
    a[axis] = b[axis];
    require(a == b);
}
void gather_elements(const dml_gather_elements& d, planned& p) {
    const tensor x = p.in(d.InputTensor), i = p.in(d.IndicesTensor), y = p.out(d.OutputTensor);
    require_indices(i);
    require_same_but(d.Axis, x.sizes, i.sizes);
    require(y.sizes == i.sizes && x.type == y.type);
    p.one_result([=, axis = d.Axis](const auto& in) {
        numbers all;
        for_each_index(y.sizes, [&](list at) {
            at[axis] = index_of(in[1][place(y.sizes, at)], x.sizes[axis]);
            all.push_back(in[0][place(x.sizes, at)]);
        });
        return all;
    });
}
void scatter_elements(const dml_scatter_elements& d, planned& p) {
    const tensor x = p.in(d.InputTensor), i = p.in(d.IndicesTensor), u = p.in(d.UpdatesTensor),
                 y = p.out(d.OutputTensor);
    require_indices(i);
    require_same_but(d.Axis, x.sizes, i.sizes);
    require(u.sizes == i.sizes && x.sizes == y.sizes && x.type == y.type && x.type == u.type);
    p.one_result([=, axis = d.Axis](const auto& in) {
        numbers all = in[0];
        for_each_index(i.sizes, [&](list at) {
            const double update = in[2][place(i.sizes, at)];
            at[axis] = index_of(in[1][place(i.sizes, at)], x.sizes[axis]);
            all[place(x.sizes, at)] = update;
        });
        return all;
    });
}
// Without the first dimensions, which are 1.
list last(const list& sizes, UINT count) {
    require(count <= sizes.size());
    require(std::all_of(sizes.begin(), sizes.end() - count, [](std::int64_t s) { return s == 1; }));
    return {sizes.end() - count, sizes.end()};
}
// Tuples of coordinates after `batch` axes: calls f(number of the tuple, place of its slice, elements of a slice).
template <class F> void each_slice(const list& x, const list& i, std::size_t batch, const numbers& indices, F f) {
    const auto coordinates = std::size_t(i.back());
    require(batch + coordinates <= x.size() && batch < i.size());
    const auto product = [](auto from, auto to) {
        return std::accumulate(from, to, std::int64_t(1), std::multiplies<>());
    };
    const std::int64_t slice = product(x.begin() + std::ptrdiff_t(batch + coordinates), x.end()),
                       tuples = product(i.begin(), i.end() - 1),
                       batches = product(i.begin(), i.begin() + std::ptrdiff_t(batch));
    for (std::int64_t t = 0; t < tuples; ++t) {
        std::int64_t at = t / (tuples / batches);
        for (std::size_t k = 0; k < coordinates; ++k)
            at = at * x[batch + k] + index_of(indices[std::size_t(t) * coordinates + k], x[batch + k]);
        f(t, at * slice, slice);
    }
}
void gather_rows(const dml_gather_rows& d, planned& p) {
    const tensor x = p.in(d.InputTensor), i = p.in(d.IndicesTensor), y = p.out(d.OutputTensor);
    require_indices(i);
    require(x.sizes.size() == i.sizes.size() && x.sizes.size() == y.sizes.size() && x.type == y.type);
    p.one_result([=, from = last(x.sizes, d.InputDimensionCount), by = last(i.sizes, d.IndicesDimensionCount),
                  batch = d.BatchDimensionCount](const auto& in) {
        numbers all;
        each_slice(from, by, batch, in[1], [&](std::int64_t, std::int64_t at, std::int64_t count) {
            all.insert(all.end(), in[0].begin() + at, in[0].begin() + at + count);
        });
        return all;
    });
}
void scatter_rows(const dml_scatter_rows& d, planned& p) {
    const tensor x = p.in(d.InputTensor), i = p.in(d.IndicesTensor), u = p.in(d.UpdatesTensor),
                 y = p.out(d.OutputTensor);
    require_indices(i);
    require(x.sizes == y.sizes && x.type == y.type && x.type == u.type);
    require(x.sizes.size() == i.sizes.size() && x.sizes.size() == u.sizes.size());
    p.one_result(
        [=, to = last(x.sizes, d.InputDimensionCount), by = last(i.sizes, d.IndicesDimensionCount)](const auto& in) {
            numbers all = in[0];
            each_slice(to, by, 0, in[1], [&](std::int64_t t, std::int64_t at, std::int64_t count) {
                std::copy_n(in[2].begin() + t * count, count, all.begin() + at);
            });
            return all;
        });
}
void one_hot(const dml_one_hot& d, planned& p) {
    const tensor i = p.in(d.IndicesTensor), v = p.in(d.ValuesTensor), y = p.out(d.OutputTensor);
    require_indices(i);
    require_same_but(d.Axis, y.sizes, i.sizes);
    require(i.sizes[d.Axis] == 1 && v.elements() == 2 && v.sizes.back() == 2 && v.type == y.type);
    p.one_result([=, axis = d.Axis](const auto& in) {
        numbers all;
        for_each_index(y.sizes, [&](const list& at) {
            const double k = in[0][broadcast_place(i.sizes, at)], length = double(y.sizes[axis]);
            all.push_back(in[1][(k < 0 ? k + length : k) == double(at[axis])]);
        });
        return all;
    });
}
void top(const dml_top_k& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputValueTensor), i = p.out(d.OutputIndexTensor);
    require_same_but(d.Axis, x.sizes, y.sizes);
    require(x.type == y.type && y.sizes == i.sizes && i.type == DML_TENSOR_DATA_TYPE_UINT32);
    require(d.K > 0 && y.sizes[d.Axis] == d.K && d.K <= x.sizes[d.Axis]);
    p.compute = [=, axis = d.Axis, greatest = d.AxisDirection == 1](const auto& in, auto& out) {
        for (numbers& n : out) n.resize(std::size_t(y.elements()));
        list others = x.sizes;
        others[axis] = 1;
        for_each_index(others, [&](list at) {
            std::vector<std::pair<double, std::int64_t>> line;
            for (at[axis] = 0; at[axis] < x.sizes[axis]; ++at[axis])
                line.emplace_back(in[0][place(x.sizes, at)], at[axis]);
            std::ranges::stable_sort(
                line, [&](const auto& a, const auto& b) { return greatest ? a.first > b.first : a.first < b.first; });
            for (at[axis] = 0; at[axis] < y.sizes[axis]; ++at[axis]) {
                out[0][place(y.sizes, at)] = line[std::size_t(at[axis])].first;
                out[1][place(y.sizes, at)] = double(line[std::size_t(at[axis])].second);
            }
        });
    };
}
void cumulate(const dml_cumulation& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    require(is_of(x, floats | sums) && x.type == y.type && x.sizes == y.sizes && d.Axis < x.sizes.size());
    p.one_result([=, axis = d.Axis, back = d.AxisDirection == 1, exclusive = d.HasExclusiveSum != 0](const auto& in) {
        numbers all(in[0].size());
        for_each_index(x.sizes, [&](const list& at) {
            const std::int64_t end = back ? x.sizes[axis] : at[axis] + !exclusive,
                               begin = back ? at[axis] + exclusive : 0;
            list k = at;
            for (k[axis] = begin; k[axis] < end; ++k[axis]) all[place(x.sizes, at)] += in[0][place(x.sizes, k)];
        });
        return all;
    });
}
}  // namespace

bool plan_index(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_GATHER: gather(*static_cast<const dml_gather*>(d.Desc), p); return true;
        case DML_OPERATOR_GATHER_ELEMENTS:
            gather_elements(*static_cast<const dml_gather_elements*>(d.Desc), p);
            return true;
        case DML_OPERATOR_GATHER_ND1: gather_rows(*static_cast<const dml_gather_rows*>(d.Desc), p); return true;
        case DML_OPERATOR_SCATTER_ELEMENTS:
            scatter_elements(*static_cast<const dml_scatter_elements*>(d.Desc), p);
            return true;
        case DML_OPERATOR_SCATTER_ND: scatter_rows(*static_cast<const dml_scatter_rows*>(d.Desc), p); return true;
        case DML_OPERATOR_ONE_HOT: one_hot(*static_cast<const dml_one_hot*>(d.Desc), p); return true;
        case DML_OPERATOR_TOP_K1: top(*static_cast<const dml_top_k*>(d.Desc), p); return true;
        case DML_OPERATOR_CUMULATIVE_SUMMATION: cumulate(*static_cast<const dml_cumulation*>(d.Desc), p); return true;
        default: return false;
    }
}
}  // namespace host
