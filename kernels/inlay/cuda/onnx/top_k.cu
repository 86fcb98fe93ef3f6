// Device code of kernels/inlay/cuda/onnx/top_k.hpp.
#include "top_k.hpp"
#include <inlay/cuda/support/launch.cuh>
#include <inlay/cuda/support/sort.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class U> struct top_k_keys {  // row by row
    top_k_params p;
    divider length, inner;
    const U* x;
    U* keys;
    std::int32_t* indices;
    INLAY_ON_DEVICE void operator()(std::int64_t e) const {
        std::int64_t row = e;
        const std::int64_t j = length.split(row);
        std::int64_t o = row;
        const std::int64_t i = inner.split(o);
        const U key = p.order.key(x[(o * p.length + j) * p.inner + i]);
        keys[e] = p.largest ? U(~key) : key;
        indices[e] = std::int32_t(j);
    }
};
template <class U> struct top_k_results {
    top_k_params p;
    divider k, inner;
    const U* x;
    const std::int32_t* sorted;
    U* y;
    std::int64_t* indices;
    INLAY_ON_DEVICE void operator()(std::int64_t at) const {
        std::int64_t row = at;
        const std::int64_t r = k.split(row);
        std::int64_t o = row;
        const std::int64_t i = inner.split(o), j = sorted[row * p.length + r], to = (o * p.k + r) * p.inner + i;
        if (y) y[to] = x[(o * p.length + j) * p.inner + i];
        if (indices) indices[to] = j;
    }
};
}  // namespace
template <int Bits>
status top_k_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const std::int64_t rows = p.outer * p.inner, elements = rows * p.length;
    if (rows * p.k == 0) return status::ok;
    const sorted_pairs<word> at{elements};
    word* keys[] = {at.keys_in(c.scratch, 0), at.keys_in(c.scratch, 1)};
    std::int32_t* indices[] = {at.indices_in(c.scratch, 0), at.indices_in(c.scratch, 1)};
    const word* x = a.in<word>(0);
    if (const status s =
            launch(c, elements, top_k_keys<word>{p, divider(p.length), divider(p.inner), x, keys[0], indices[0]});
        s != status::ok)
        return s;
    if (const status s = sort_rows(c, keys, indices, rows, p.length); s != status::ok) return s;
    return launch(
        c, rows * p.k,
        top_k_results<word>{p, divider(p.k), divider(p.inner), x, indices[0], a.out<word>(0), a.out<std::int64_t>(1)});
}
template struct top_k_on_cuda<8>;
template struct top_k_on_cuda<16>;
template struct top_k_on_cuda<32>;
template struct top_k_on_cuda<64>;
}  // namespace v1
}  // namespace inlay
