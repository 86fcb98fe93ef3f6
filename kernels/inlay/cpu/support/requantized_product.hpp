// GEMM of 8-bit integers with a requantizing epilogue: some rows at a time, while their accumulators are in the cache.
#pragma once
#include <inlay/cpu/isa/requantize.hpp>
#include <inlay/cpu/support/integer_product.hpp>

namespace inlay {
inline namespace v1 {
struct requantized_product : integer_product {
    struct state {
        integer_product::weights weights;
        requantize_table::function requantize = nullptr;
    };
    struct result {  // by: one number per column of each matrix of B, or one for all columns of all
        const float* by;
        bool per_column;
        int zero;  // of quantized values
        std::uint8_t* codes;
    };
    // Rows of accumulators in memory at once.
    constexpr std::int64_t some_rows(isa::level l, int threads) const {
        const std::int64_t tile = gemm_f32_rows(l), least = 4 * tile * threads,
                           requested = 65536 * threads / std::max<std::int64_t>(1, n);
        return std::min(m, std::max(least, requested / tile * tile));
    }
    // Scratch with so many factors at its start, which the caller computes from scales.
    constexpr bytes_needed footprint(isa::level l, int threads, std::int64_t factors) const {
        bytes_needed b = integer_product::footprint(l, threads);
        b.scratch += 4 * (padded_floats(factors) + padded_floats(some_rows(l, threads) * n));
        return b;
    }
    void bind(const std::uint8_t* values, const std::uint8_t* zero_points, element y, const setup& u, state& s,
              bool turned = false) const noexcept {
        s.weights = pack(values, zero_points, u, turned);
        s.requantize = y == element::i8 ? requantize(u.level).i8 : requantize(u.level).u8;
    }
    void run(const state& s, const operand& x, const addend& from, const result& to, float* scratch,
             context& c) const noexcept {
        const isa::level l = s.weights.level;
        auto* const sums =
            reinterpret_cast<std::int32_t*>(scratch + integer_product::footprint(l, c.threads).scratch / 4);
        const std::int64_t row_count = some_rows(l, c.threads);
        begin(s.weights, x, scratch, c);
        for (std::int64_t i = 0; i < batches; ++i) {
            const float* const by = to.by + (to.per_column ? matrices(i).b * n : 0);
            for (std::int64_t first = 0, rows; first < m && !c.stopped(); first += rows) {
                rows = std::min(row_count, m - first);
                multiply(s.weights, x, from, scratch, i, first, rows, sums, c);
                c.split(rows, 16384 / std::max<std::int64_t>(1, n) + 1, [&](std::int64_t begin, std::int64_t end, int) {
                    s.requantize(sums + begin * n, end - begin, n, by, to.per_column, to.zero,
                                 to.codes + (i * m + first + begin) * n);
                });
            }
        }
    }
};
}  // namespace v1
}  // namespace inlay
