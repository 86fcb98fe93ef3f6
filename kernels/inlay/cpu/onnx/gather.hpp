// Gather on the CPU: rows, with the next one fetched ahead.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/gather.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::gather, device::cpu, types<raw<Bits>>> : gather_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (!p.valid(a)) return c.fail("an index is out of range");
        if (p.elements() == 0) return status::ok;
        constexpr std::int64_t size = Bits / 8;
        const std::int64_t inner = p.inner;
        c.split(p.elements(), 16384 / size, [&](std::int64_t first, std::int64_t end, int) {
            const auto row = [&](std::int64_t o, std::int64_t i) {
                return a.in<std::byte>(0) + (o * p.length + p.index(a, i)) * inner * size;
            };
            std::int64_t skip = first % inner, i = first / inner % p.count, o = first / inner / p.count;
            while (first < end) {
                const std::int64_t count = std::min(inner - skip, end - first);
                const std::byte* x = row(o, i);
                const std::int64_t ahead = i + 1 < p.count ? std::min<std::int64_t>(inner * size, 512) : 0;
                for (std::int64_t line = 0; line < ahead; line += 64) __builtin_prefetch(row(o, i + 1) + line);
                copy_row(a.out<std::byte>(0) + first * size, x + skip * size, count * size);
                first += count;
                skip = 0;
                if (++i == p.count) {
                    i = 0;
                    ++o;
                }
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
