// Stable sorts of keys with their indices: CUB's where there is one, in the workspace of the queue; elsewhere a merge
// sort of our own, pass by pass.
#pragma once
#include "launch.cuh"
#ifdef __NVCC__
#include "workspace.hpp"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

namespace inlay {
inline namespace v1 {
#ifdef __NVCC__
struct row_start {
    std::int64_t length;
    INLAY_ON_DEVICE std::int64_t operator()(std::int64_t row) const { return row * length; }
};
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
#else
// Two sorted runs of 2^level keys become one: an element comes after those before it in its own run, and after those of
// the other run that are less, or equal where the other run is the first.
template <class Key, class Index> struct merge_body {
    divider length;
    int level;
    const Key* keys;
    const Index* indices;
    Key* merged;
    Index* merged_indices;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = i;
        const std::int64_t at = length.split(row), end = std::int64_t(length.by), run = std::int64_t(1) << level;
        const std::int64_t begin = at >> (level + 1) << (level + 1), middle = begin + run < end ? begin + run : end;
        const bool second = at >= middle;
        const Key* const k = keys + (i - at);
        const Key key = k[at];
        std::int64_t from = second ? begin : middle, to = second                  ? middle
                                                          : begin + 2 * run < end ? begin + 2 * run
                                                                                  : end;
        while (from < to) {
            const std::int64_t half = from + (to - from) / 2;
            if (second ? !(key < k[half]) : k[half] < key)
                from = half + 1;
            else
                to = half;
        }
        const std::int64_t place = i + from - middle;  // what comes before it in both runs
        merged[place] = key;
        merged_indices[place] = indices[i];
    }
};
#endif
// The keys of each row in ascending order, equal ones as they were; both arrays of both pairs are written to, and the
// first ones have the result.
template <class Key, class Index>
status sort_rows(context& c, Key* (&keys)[2], Index* (&indices)[2], std::int64_t rows, std::int64_t length) noexcept {
#ifdef __NVCC__
    return sort_in_workspace(c, keys, indices, [&](void* room, std::size_t& bytes, auto& k, auto& i) {
        const auto starts =
            thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0), row_start{length});
        return cub::DeviceSegmentedSort::StableSortPairs(room, bytes, k, i, rows * length, rows, starts, starts + 1,
                                                         static_cast<cudaStream_t>(c.stream));
    });
#else
    const divider row(length);
    for (int level = 0; std::int64_t(1) << level < length; ++level) {
        const merge_body<Key, Index> pass{row, level, keys[0], indices[0], keys[1], indices[1]};
        if (const status s = launch(c, rows * length, pass); s != status::ok) return s;
        std::swap(keys[0], keys[1]);
        std::swap(indices[0], indices[1]);
    }
    return status::ok;
#endif
}
// The same of a single row, which all of the device sorts: where there are several, each is a block's.
template <class Key, class Index>
status sort_row(context& c, Key* (&keys)[2], Index* (&indices)[2], std::int64_t length) noexcept {
#ifdef __NVCC__
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
