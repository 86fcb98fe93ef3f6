// Stable sorts of keys with their indices: CUB's on a device, in the workspace of the queue; the standard library's on
// the host.
#pragma once
#include "launch.cuh"
#include "workspace.hpp"
#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#else
#include <numeric>
#include <vector>
#endif

namespace inlay {
inline namespace v1 {
struct row_start {
    std::int64_t length;
    INLAY_ON_DEVICE std::int64_t operator()(std::int64_t row) const { return row * length; }
};
#ifdef __CUDACC__
template <class Key, class Index, class Sort>
status sort_in_workspace(context& c, Key* (&keys)[2], Index* (&indices)[2],
                         Sort sort) noexcept {  // sort(room, its bytes, keys, indices)
    cub::DoubleBuffer<Key> k(keys[0], keys[1]);
    cub::DoubleBuffer<Index> i(indices[0], indices[1]);
    std::size_t bytes = 0;
    cudaError_t e = sort(nullptr, bytes, k, i);
    void* const room = e == cudaSuccess ? workspace_on_cuda(bytes) : nullptr;
    if (e == cudaSuccess && !room) return c.fail("no device memory to sort in", status::out_of_memory);
    if (e == cudaSuccess) e = sort(room, bytes, k, i);
    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        return c.fail(cudaGetErrorString(e), status::failed);
    }
    keys[0] = k.Current();
    indices[0] = i.Current();
    return status::ok;
}
#endif
// The keys of each row in ascending order, equal ones as they were; both arrays of both pairs are written to, and the
// first ones have the result.
template <class Key, class Index>
status sort_rows(context& c, Key* (&keys)[2], Index* (&indices)[2], std::int64_t rows, std::int64_t length) noexcept {
#ifdef __CUDACC__
    return sort_in_workspace(c, keys, indices, [&](void* room, std::size_t& bytes, auto& k, auto& i) {
        const auto starts =
            thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0), row_start{length});
        return cub::DeviceSegmentedSort::StableSortPairs(room, bytes, k, i, rows * length, rows, starts, starts + 1,
                                                         static_cast<cudaStream_t>(c.stream));
    });
#else
    (void)c;
    std::vector<Index> order(static_cast<std::size_t>(length));
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t first = row_start{length}(r);
        std::iota(order.begin(), order.end(), Index(0));
        std::stable_sort(order.begin(), order.end(),
                         [&](Index p, Index q) { return keys[0][first + p] < keys[0][first + q]; });
        for (std::int64_t j = 0; j < length; ++j) {
            keys[1][first + j] = keys[0][first + order[std::size_t(j)]];
            indices[1][first + j] = indices[0][first + order[std::size_t(j)]];
        }
    }
    std::swap(keys[0], keys[1]);
    std::swap(indices[0], indices[1]);
    return status::ok;
#endif
}
// The same of a single row, which all of the device sorts: where there are several, each is a block's.
template <class Key, class Index>
status sort_row(context& c, Key* (&keys)[2], Index* (&indices)[2], std::int64_t length) noexcept {
#ifdef __CUDACC__
    return sort_in_workspace(c, keys, indices, [&](void* room, std::size_t& bytes, auto& k, auto& i) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, k, i, length, 0, int(8 * sizeof(Key)),
                                               static_cast<cudaStream_t>(c.stream));
    });
#else
    return sort_rows(c, keys, indices, 1, length);
#endif
}
}  // namespace v1
}  // namespace inlay
