// Device code of kernels/inlay/cuda/support/pieces.hpp.
#include "moving.cuh"
#include "pieces.hpp"

namespace inlay {
inline namespace v1 {
namespace {
inline constexpr int most = 16;
template <int W, bool Joins, class T> struct pieces_body {
    using whole_pointer = std::conditional_t<Joins, T*, const T*>;
    using part_pointer = std::conditional_t<Joins, const T*, T*>;
    divider width;                  // of these pieces' part of a row, in steps of W elements
    std::int64_t row;               // of the whole
    std::int64_t starts[most + 1];  // in such a part
    whole_pointer whole;
    part_pointer parts[most];
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const std::int64_t at = width.split(i);
        int k = 0;
        while (at >= starts[k + 1]) ++k;
        if (!parts[k]) return;
        const std::int64_t in_whole = i * row + at * W,
                           in_part = (i * (starts[k + 1] - starts[k]) + at - starts[k]) * W;
        if constexpr (Joins)
            store_lanes(whole + in_whole, load_lanes<W>(parts[k] + in_part));
        else
            store_lanes(parts[k] + in_part, load_lanes<W>(whole + in_whole));
    }
};
}  // namespace
template <int Bits, bool Joins>
status move_pieces_on_cuda(const pieces& p, std::conditional_t<Joins, void*, const void*> whole,
                           const std::conditional_t<Joins, const void*, void*>* parts, context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    using body = pieces_body<1, Joins, T>;
    auto* at = static_cast<typename body::whole_pointer>(whole);
    body scalar_body{{}, p.row, {}, at, {}};
    int used = 0;
    const auto flush = [&]() noexcept {
        const std::int64_t width = scalar_body.starts[used];
        bool wide = p.row % w == 0 && is_aligned(scalar_body.whole);
        for (int k = 0; k < used; ++k)
            wide = wide && scalar_body.starts[k + 1] % w == 0 &&
                   (!scalar_body.parts[k] || is_aligned(scalar_body.parts[k]));
        status s;
        if (wide) {
            pieces_body<w, Joins, T> many{divider(width / w), p.row, {}, scalar_body.whole, {}};
            for (int k = 0; k <= used; ++k) many.starts[k] = scalar_body.starts[k] / w;
            std::copy_n(scalar_body.parts, used, many.parts);
            s = launch(c, p.outer * (width / w), many);
        } else {
            scalar_body.width = divider(width);
            s = launch(c, p.outer * width, scalar_body);
        }
        scalar_body.whole += width;
        used = 0;
        return s;
    };
    for (int r = 0, k = 0; r < p.used; ++r)
        for (int i = 0; i < p.runs[r].count; ++i, ++k) {
            scalar_body.parts[used] = static_cast<typename body::part_pointer>(parts[k]);
            scalar_body.starts[used + 1] = scalar_body.starts[used] + p.runs[r].length * p.inner;
            if (++used == most)
                if (const status s = flush(); s != status::ok) return s;
        }
    return used ? flush() : status::ok;
}
#define INLAY_PIECES(Bits) \
    template status move_pieces_on_cuda<Bits, true>(const pieces&, void*, const void* const*, context&) noexcept; \
    template status move_pieces_on_cuda<Bits, false>(const pieces&, const void*, void* const*, context&) noexcept;
INLAY_PIECES(8)
INLAY_PIECES(16)
INLAY_PIECES(32)
INLAY_PIECES(64)
INLAY_PIECES(128)
#undef INLAY_PIECES
}  // namespace v1
}  // namespace inlay
