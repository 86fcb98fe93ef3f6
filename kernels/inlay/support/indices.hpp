// The indices of GatherND and ScatterND, GatherElements and ScatterElements; negative ones count from the end.
#pragma once
#include "on_device.hpp"
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
// Rows of indices: each is the position of a slice of a tensor, by the coordinates along the tensor's first axes.
struct index_rows {
    std::int64_t count = 0, inner = 1;  // rows; elements of a slice
    int axes = 0;
    shape lengths, steps;  // of these axes of the tensor
    static constexpr index_rows of(const shape& indices, const shape& x, int batch_axes = 0) {  // of one batch
        index_rows r;
        r.axes = int(indices[indices.rank - 1]);
        r.count = indices.elements(batch_axes, indices.rank - 1);
        r.inner = x.elements(batch_axes + r.axes);
        for (int i = 0; i < r.axes; ++i) {
            r.lengths.push_back(x[batch_axes + i]);
            r.steps.push_back(x.elements(batch_axes + i + 1));
        }
        return r;
    }
    constexpr std::int64_t offset(const std::int64_t* indices,
                                  std::int64_t row) const {  // in elements; -1: out of range
        std::int64_t sum = 0;
        for (int i = 0; i < axes; ++i) {
            std::int64_t k = indices[row * axes + i];
            if (k < 0) k += lengths[i];
            if (k < 0 || k >= lengths[i]) return -1;
            sum += k * steps[i];
        }
        return sum;
    }
    bool valid(const std::int64_t* indices, std::int64_t rows) const {
        for (std::int64_t i = 0; i < rows; ++i)
            if (offset(indices, i) < 0) return false;
        return true;
    }
};
constexpr verdict check_index_rows(const node_view& n, int batch_axes) {
    if (n.input(1).type != element::i64) return no("the indices are not int64");
    const shape &x = n.input(0).dims, &indices = n.input(1).dims;
    if (indices.rank == 0 || x.rank == 0) return no("the input or the indices have no dimensions");
    if (x.rank < 0 || indices.rank < 0) return yes();
    const std::int64_t axes = indices[indices.rank - 1];
    if (axes == 0) return no("an index has no coordinates");
    return axes > x.rank - batch_axes ? no("an index has more coordinates than the input has axes") : yes();
}

// A tensor of indices along one axis of a tensor of the same rank: the other coordinates are those of the index itself.
struct index_elements {
    shape dims, steps;          // of the indices; of the tensor, 0 along the axis
    std::int64_t length, step;  // of the axis
    bool wide;                  // int64 indices
    static constexpr int axis(const node_view& n) { return normal_axis(n.integer("axis", 0), n.input(0).dims.rank); }
    static constexpr index_elements of(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int a = axis(n);
        index_elements e{n.input(1).dims, strides_of(x, layout::plain), x[a], x.elements(a + 1),
                         n.input(1).type == element::i64};
        e.steps[a] = 0;
        return e;
    }
    INLAY_ON_DEVICE std::int64_t index(const void* indices, std::int64_t i) const {
        const std::int64_t k =
            wide ? static_cast<const std::int64_t*>(indices)[i] : static_cast<const std::int32_t*>(indices)[i];
        return k < 0 ? k + length : k;
    }
    bool valid(const arguments& a) const {
        for (std::int64_t i = 0, count = dims.elements(); i < count; ++i)
            if (const std::int64_t k = index(a.inputs[1], i); k < 0 || k >= length) return false;
        return true;
    }
    std::int64_t columns() const { return dims[dims.rank - 1]; }
    std::int64_t rows() const { return dims.elements(0, dims.rank - 1); }
    // f(i, where): for every index i of some rows, and the tensor's element at it. The indices are valid.
    template <class F> void each(const arguments& a, std::int64_t first, std::int64_t row_end, F f) const {
        const int end = dims.rank - 1;
        if (dims[end] == 0) return;
        for (std::int64_t row = first; row < row_end; ++row) {
            std::int64_t position = 0, rest = row;
            for (int i = end - 1; i >= 0; --i) {
                position += rest % dims[i] * steps[i];
                rest /= dims[i];
            }
            for (std::int64_t k = 0, i = row * dims[end]; k < dims[end]; ++k, ++i, position += steps[end])
                f(i, position + index(a.inputs[1], i) * step);
        }
    }
};
constexpr verdict check_index_elements(const node_view& n) {
    if (n.input(1).type != element::i32 && n.input(1).type != element::i64)
        return no("the indices are neither int32 nor int64");
    const shape &x = n.input(0).dims, &indices = n.input(1).dims;
    if (x.rank < 0) return yes();
    const int axis = index_elements::axis(n);
    if (axis < 0) return no("axis is out of range");
    if (indices.rank < 0) return yes();
    if (indices.rank != x.rank) return no("the input and the indices have different ranks");
    for (int i = 0; i < x.rank; ++i)
        if (i != axis && x[i] >= 0 && indices[i] > x[i])
            return no("the indices are longer than the input along another axis");
    return yes();
}
}  // namespace v1
}  // namespace inlay
