// QLinearConcat on the CPU, in either layout: the output is written row by row.
#pragma once
#include <inlay/cpu/support/code_tables.hpp>
#include <inlay/microsoft/qlinear_concat.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::qlinear_concat, device::cpu, types<quantized::byte>>
    : looked_up<kernel<op::qlinear_concat, device::reference, types<quantized::byte>>> {
    using plain = kernel<op::qlinear_concat, device::reference, types<quantized::byte>>;
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr layout_rule layouts(const node_view& n) {  // constants are plain
        for (int k = 2; k < n.input_count(); k += 3)
            if (n.is_constant(k)) return {};
        return {layout::any, layout::any};
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::uint8_t* const codes = tables(p, s, a, c);
        const pieces& list = p.of.list;
        c.split(list.elements(), 1 << 15, [&](std::int64_t first, std::int64_t end, int) {
            over_pieces(list, first, end, [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
                const std::uint8_t *const x = a.in<std::uint8_t>(2 + 3 * k) + from, *const table = codes + 256 * k;
                std::uint8_t* const y = a.out<std::uint8_t>(0) + to;
                if (std::memcmp(table, same.data(), same.size()) == 0)
                    std::memcpy(y, x, std::size_t(count));
                else
                    s.table->run(table, x, y, count);
            });
        });
        return status::ok;
    }

  private:
    static constexpr auto same = [] {  // the table of a tensor whose quantized values stay unchanged
        std::array<std::uint8_t, 256> identity{};
        for (std::size_t i = 0; i < identity.size(); ++i) identity[i] = std::uint8_t(i);
        return identity;
    }();
};
}  // namespace v1
}  // namespace inlay
