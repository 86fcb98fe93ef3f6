// Device code of kernels/inlay/cuda/onnx/non_zero.hpp and compress.hpp.
#include "compress.hpp"
#include "non_zero.hpp"
#include <inlay/cuda/support/scan.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class U> struct non_zero_places {  // one row of all elements; sums count
    using sum = std::int64_t;
    std::int64_t length, count;
    U mask;
    int rank;
    divider dims[max_rank];
    const U* x;
    std::int64_t* y;
    INLAY_ON_DEVICE const non_zero_places& row(std::int64_t) const { return *this; }
    INLAY_ON_DEVICE sum at(std::int64_t k) const { return (x[k] & mask) != 0; }
    INLAY_ON_DEVICE sum put(std::int64_t k, sum before) const {
        if (!at(k)) return before;
        for (int i = max_rank - 1; i >= 0; --i)
            if (i < rank) y[i * count + before] = dims[i].split(k);
        return before + 1;
    }
};
}  // namespace
template <int Bits>
status non_zero_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    using U = bits_as<Bits>;
    auto* const sums = reinterpret_cast<std::int64_t*>(c.scratch);
    non_zero_places<U> places{p.dims.elements(), 0, U(p.mask), p.dims.rank, {}, a.in<U>(0), nullptr};
    for (int i = 0; i < p.dims.rank; ++i) places.dims[i] = divider(p.dims[i]);
    if (const status s = scan_sums(c, places, 1, sums); s != status::ok) return s;
    if (const status s = read_back(c, sums + scan_pieces(places.length), places.count); s != status::ok) return s;
    places.y = c.output<std::int64_t>(0, {p.dims.rank, places.count});
    if (!places.y && p.dims.rank * places.count > 0) return c.fail("no memory for the indices", status::out_of_memory);
    return scan_puts(c, places, 1, sums);
}
template struct non_zero_on_cuda<8>;
template struct non_zero_on_cuda<16>;
template struct non_zero_on_cuda<32>;
template struct non_zero_on_cuda<64>;

template <int Bits>
status compress_on_cuda<Bits>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                   context& c) noexcept {
    auto* const sums = reinterpret_cast<std::int64_t*>(c.scratch);
    auto* const places = reinterpret_cast<std::int64_t*>(c.scratch + compress_on_cuda::sums(p));
    non_zero_places<std::uint8_t> holds{p.conditions,          0,     0xff, 1, {divider(p.conditions)},
                                        a.in<std::uint8_t>(1), places};
    if (const status s = scan_sums(c, holds, 1, sums); s != status::ok) return s;
    if (const status s = read_back(c, sums + scan_pieces(p.conditions), holds.count); s != status::ok) return s;
    shape dims = p.dims;
    dims[p.axis] = holds.count;
    void* y = c.output<std::byte>(0, dims);
    if (!y && dims.elements() > 0) return c.fail("no memory for the result", status::out_of_memory);
    if (dims.elements() == 0) return status::ok;
    if (const status s = scan_puts(c, holds, 1, sums); s != status::ok) return s;
    const void* const inputs[] = {a.inputs[0], places};
    return gather_on_cuda<Bits>::run({p.outer, p.length, p.inner, holds.count, true}, {}, {inputs, &y}, c);
}
template struct compress_on_cuda<8>;
template struct compress_on_cuda<16>;
template struct compress_on_cuda<32>;
template struct compress_on_cuda<64>;
template struct compress_on_cuda<128>;
}  // namespace v1
}  // namespace inlay
