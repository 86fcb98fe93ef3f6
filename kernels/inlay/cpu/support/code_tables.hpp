// Kernels with lookup tables of the quantized values, which follow from scales and zero points alone: computed once
// where these are constants, else in each run.
#pragma once
#include <inlay/cpu/isa/look_up_u8.hpp>
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
// Plain, the reference kernel, has is_scaling(input),
// tables(params) and make_tables(params, arguments, memory).
template <class Plain> struct looked_up : simple_kernel {
    struct params {
        typename Plain::params of;
        bool constant;
    };
    struct state {
        const look_up_u8_table* table = nullptr;
        const std::uint8_t* codes = nullptr;  // where constant
    };
    static constexpr params prepare(const node_view& n) {
        params p{Plain::prepare(n), true};
        for (int k = 0; k < n.input_count(); ++k)
            p.constant &= !Plain::is_scaling(k) || !n.has_input(k) || n.is_constant(k);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        const std::int64_t room = 256 * std::int64_t(Plain::tables(p.of));
        return p.constant ? bytes_needed{room, 0} : bytes_needed{0, room};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&look_up_u8(u.level), nullptr};
        if (!p.constant) return status::ok;
        auto* const codes = reinterpret_cast<std::uint8_t*>(u.storage);
        Plain::make_tables(p.of, {w.data, nullptr}, codes);
        s.codes = codes;
        return status::ok;
    }
    static const std::uint8_t* tables(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (s.codes) return s.codes;
        auto* const codes = reinterpret_cast<std::uint8_t*>(c.scratch);
        Plain::make_tables(p.of, a, codes);
        return codes;
    }
};
}  // namespace v1
}  // namespace inlay
