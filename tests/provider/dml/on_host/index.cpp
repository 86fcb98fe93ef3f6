// What looks elements up, or puts them, by indices.
#include "host.hpp"
#include <algorithm>

namespace host {
namespace {
list indices(planned& p, dml_tensor t) { return p.in(t, sums).sizes; }
void gather(const dml_gather& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    const list i = indices(p, d.IndicesTensor);
    require(x.sizes.size() == i.size() && d.IndexDimensions == 1 && elements(i) == i.back());
    p.result(d.OutputTensor, x.same(), evaluator::gather(x.sizes, elements(i), d.Axis));
}
void require_same_but(std::size_t axis, list a, const list& b) {
    require(a.size() == b.size() && axis < a.size());
    a[axis] = b[axis];
    require(a == b);
}
// What is at a place of the indices, or goes there: in the other tensor it is at their index.
using source = std::function<list(const list&, const values&)>;
source along_axis(const list& x, const list& i, std::size_t axis) {
    require_same_but(axis, x, i);
    return [=](list at, const values& in) {
        at[axis] = index_within(in[1][place(i, at)], x[axis]);
        return at;
    };
}
// `i` ends with coordinates, after `batch` axes that it shares with x.
source by_coordinates(const list& x, const list& i, std::size_t batch) {
    require(batch < i.size() && batch + std::size_t(i.back()) <= x.size());
    return [=, tuple_axes = std::ptrdiff_t(i.size() - 1)](const list& at, const values& in) {
        list from(at.begin(), at.begin() + std::ptrdiff_t(batch)), tuple(at.begin(), at.begin() + tuple_axes);
        for (tuple.push_back(0); tuple.back() < i.back(); ++tuple.back())
            from.push_back(index_within(in[1][place(i, tuple)], x[from.size()]));
        from.insert(from.end(), at.begin() + tuple_axes, at.end());
        return from;
    };
}
primitive scattered(const list& x, const list& updates, const source& to) {
    return {x, [=](const values& in) {
                numbers result = in[0];
                for_each_index(updates,
                               [&](const list& at) { result.at(place(x, to(at, in))) = in[2][place(updates, at)]; });
                return result;
            }};
}
void gather_elements(const dml_gather_elements& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    const list i = indices(p, d.IndicesTensor);
    p.result(d.OutputTensor, x.same(), moved(x.sizes, i, along_axis(x.sizes, i, d.Axis)));
}
void scatter_elements(const dml_scatter_elements& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    const list i = indices(p, d.IndicesTensor);
    require(p.in(d.UpdatesTensor, x.same()).sizes == i);
    p.result(d.OutputTensor, x.same(), scattered(x.sizes, i, along_axis(x.sizes, i, d.Axis)));
}
// Without the first dimensions, which are 1.
list last(const list& sizes, UINT count) {
    require(count <= sizes.size());
    require(std::all_of(sizes.begin(), sizes.end() - count, [](std::int64_t s) { return s == 1; }));
    return {sizes.end() - count, sizes.end()};
}
// What the indices `i` of x choose.
list chosen(const list& x, const list& i, std::size_t batch) {
    list y(i.begin(), i.end() - 1);
    y.insert(y.end(), x.begin() + std::ptrdiff_t(batch) + i.back(), x.end());
    return y;
}
void gather_rows(const dml_gather_rows& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    const list index_sizes = indices(p, d.IndicesTensor), from = last(x.sizes, d.InputDimensionCount),
               i = last(index_sizes, d.IndicesDimensionCount);
    require(x.sizes.size() == index_sizes.size());
    const source at = by_coordinates(from, i, d.BatchDimensionCount);
    const list y = chosen(from, i, d.BatchDimensionCount);
    list sizes(x.sizes.size() - y.size(), 1);
    sizes.insert(sizes.end(), y.begin(), y.end());
    p.result(d.OutputTensor, x.same(), {sizes, moved(from, y, at).compute});
}
void scatter_rows(const dml_scatter_rows& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    const list index_sizes = indices(p, d.IndicesTensor), to = last(x.sizes, d.InputDimensionCount),
               i = last(index_sizes, d.IndicesDimensionCount), updates = p.in(d.UpdatesTensor, x.same()).sizes;
    require(x.sizes.size() == index_sizes.size() && x.sizes.size() == updates.size());
    const source at = by_coordinates(to, i, 0);
    require(elements(updates) == elements(chosen(to, i, 0)));
    p.result(d.OutputTensor, x.same(), {x.sizes, scattered(to, chosen(to, i, 0), at).compute});
}
void one_hot(const dml_one_hot& d, planned& p) {
    const list i = indices(p, d.IndicesTensor);
    const tensor v = p.in(d.ValuesTensor);
    list y = i;
    y.at(d.Axis) = described(d.OutputTensor).sizes.at(d.Axis);
    require(i[d.Axis] == 1 && elements(v.sizes) == 2 && v.sizes.back() == 2);
    const source lookup = [=, axis = d.Axis](list at, const values& in) {
        const std::int64_t k = at[axis];
        at[axis] = 0;
        const double index = in[1][place(i, at)];
        return list{(index < 0 ? index + double(y[axis]) : index) == double(k)};
    };
    const primitive p2 = moved({2}, y, lookup);
    p.result(d.OutputTensor, v.same(), {y, [=](const values& in) { return p2.compute({in[1], in[0]}); }});
}
}  // namespace
const planners index_planners{
    {DML_OPERATOR_GATHER, by<gather>},           {DML_OPERATOR_GATHER_ELEMENTS, by<gather_elements>},
    {DML_OPERATOR_GATHER_ND1, by<gather_rows>},  {DML_OPERATOR_SCATTER_ELEMENTS, by<scatter_elements>},
    {DML_OPERATOR_SCATTER_ND, by<scatter_rows>}, {DML_OPERATOR_ONE_HOT, by<one_hot>}};
}  // namespace host
