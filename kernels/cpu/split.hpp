// Split on the CPU, in either layout: the input is read row by row.
#pragma once
#include "../split.hpp"
#include "strided_copy.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::split, device::cpu, types<raw<Bits>>> : split_kernel {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr std::int64_t size = Bits / 8;
        c.split(p.elements(), 16384 / size, [&](std::int64_t first, std::int64_t last, int) {
            over_pieces(p, first, last, [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
                if (a.outputs[k]) copy_row(a.out<std::byte>(k) + from * size, a.in<std::byte>(0) + to * size, count * size);
            });
        });
        return status::ok;
    }
};
}  // namespace inlay::inline v1
