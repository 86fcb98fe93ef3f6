// What the threads of kernels/cuda/non_zero.hpp do.
#include "non_zero.hpp"
#include "scan.cuh"

namespace inlay::inline v1 {
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
        for (int i = max_rank - 1; i >= 0; --i) if (i < rank) y[i * count + before] = dims[i].split(k);
        return before + 1;
    }
};
}  // namespace
template <int Bits> status non_zero_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
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
}  // namespace inlay::inline v1
