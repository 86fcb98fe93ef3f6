// Inverse of float32 on the CPU, in place.
#pragma once
#include <inlay/cpu/isa/inverse_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/microsoft/inverse.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::inverse, device::cpu, types<float>> : simple_kernel {
    using plain = kernel<op::inverse, device::reference, types<float>>;
    using params = plain::params;
    struct state {
        const inverse_f32_table* functions;
    };
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    // Of a part, in float32 elements: the elimination's scratch, and which rows changed places.
    static constexpr std::int64_t room(const params& p) { return inverse_f32_room(p.n) + (p.n + 15) / 16 * 16; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, p.count > 0 ? 4 * threads * room(p) : 0};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &inverse_f32(u.level);
        return status::ok;
    }
    // False where the run is to end.
    static bool invert(const inverse_f32_table& functions, float* y, std::int64_t n, std::int32_t* rows, float* room,
                       stop_check& ends) noexcept {
        for (std::int64_t first = 0; first < n; first += inverse_f32_panel) {
            if (ends(n * n * inverse_f32_panel)) return false;
            if (functions.eliminate(y, n, first, rows, room)) continue;
            std::fill_n(y, n * n, std::numeric_limits<float>::quiet_NaN());
            return true;
        }
        for (std::int64_t r = 0; r < n; ++r)
            for (std::int64_t i = n - 1; i >= 0; --i) std::swap(y[r * n + i], y[r * n + rows[i]]);
        return true;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t n = p.n, size = n * n;
        c.split(p.count, 1 + 16384 / (size * n + 1), [&](std::int64_t first, std::int64_t end, int part) {
            float* const scratch = reinterpret_cast<float*>(c.scratch) + part * room(p);
            auto* const rows = reinterpret_cast<std::int32_t*>(scratch + inverse_f32_room(n));
            stop_check ends(c);
            for (std::int64_t k = first; k < end; ++k) {
                float* const y = a.out<float>(0) + k * size;
                std::copy_n(a.in<float>(0) + k * size, size, y);
                if (!invert(*s.functions, y, n, rows, scratch, ends)) return;
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
