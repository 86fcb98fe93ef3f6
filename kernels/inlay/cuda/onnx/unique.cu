// Device code of kernels/inlay/cuda/onnx/unique.hpp.
#include "unique.hpp"
#include <inlay/cuda/support/scan.cuh>
#include <inlay/cuda/support/sort.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class U> struct unique_keys {
    bit_order order;
    const U* x;
    U* keys;
    std::int32_t* indices;
    INLAY_ON_DEVICE void operator()(std::int64_t e) const {
        keys[e] = order.key(x[e]);
        indices[e] = std::int32_t(e);
    }
};
template <class U> struct unique_groups {  // one row of the sorted elements; sums count groups
    using sum = std::int64_t;
    std::int64_t length;
    const U* keys;
    const std::int32_t* indices;
    std::int32_t* starts;
    std::int64_t* inverse;
    INLAY_ON_DEVICE const unique_groups& row(std::int64_t) const { return *this; }
    INLAY_ON_DEVICE sum at(std::int64_t k) const { return k == 0 || keys[k] != keys[k - 1]; }
    INLAY_ON_DEVICE sum put(std::int64_t k, sum before) const {
        const sum with = before + at(k);
        if (with > before) starts[before] = std::int32_t(k);
        if (inverse) inverse[indices[k]] = with - 1;
        return with;
    }
};
template <class U> struct unique_results {
    std::int64_t length, count;
    const U* x;
    const std::int32_t *starts, *sorted;
    U* y;
    std::int64_t *indices, *counts;
    INLAY_ON_DEVICE void operator()(std::int64_t g) const {
        const std::int64_t first = starts[g], end = g + 1 < count ? starts[g + 1] : length;
        if (y) y[g] = x[sorted[first]];
        if (indices) indices[g] = sorted[first];
        if (counts) counts[g] = end - first;
    }
};
}  // namespace
template <int Bits>
status unique_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const places at{{p.length}};
    word* keys[] = {at.pairs.keys_in(c.scratch, 0), at.pairs.keys_in(c.scratch, 1)};
    std::int32_t* indices[] = {at.pairs.indices_in(c.scratch, 0), at.pairs.indices_in(c.scratch, 1)};
    auto* const starts = reinterpret_cast<std::int32_t*>(c.scratch + at.starts());
    auto* const sums = reinterpret_cast<std::int64_t*>(c.scratch + at.sums());
    const word* x = a.in<word>(0);
    if (const status s = launch(c, p.length, unique_keys<word>{p.order, x, keys[0], indices[0]}); s != status::ok)
        return s;
    if (const status s = sort_row(c, keys, indices, p.length); s != status::ok) return s;
    unique_groups<word> groups{p.length, keys[0], indices[0], starts, nullptr};
    std::int64_t count = 0;
    if (const status s = scan_sums(c, groups, 1, sums); s != status::ok) return s;
    if (const status s = read_back(c, sums + scan_pieces(p.length), count); s != status::ok) return s;

    shape dims = p.dims;
    dims[p.axis] = count;
    const auto allocated = [&]<class Y>(int k, const shape& s, Y*& y) {
        return !p.has[k] || (y = c.output<Y>(k, s)) || s.elements() == 0;
    };
    word* y = nullptr;
    std::int64_t *first = nullptr, *counts = nullptr;
    if (!allocated(0, dims, y) || !allocated(1, {count}, first) || !allocated(2, {p.length}, groups.inverse) ||
        !allocated(3, {count}, counts))
        return c.fail("no memory for the results", status::out_of_memory);
    if (const status s = scan_puts(c, groups, 1, sums); s != status::ok) return s;
    return launch(c, count, unique_results<word>{p.length, count, x, starts, indices[0], y, first, counts});
}
template struct unique_on_cuda<8>;
template struct unique_on_cuda<16>;
template struct unique_on_cuda<32>;
template struct unique_on_cuda<64>;
}  // namespace v1
}  // namespace inlay
