// What Gemm, MatMul and Conv share on the CPU: activations of fused nodes, the division of work among threads, GEMM by
// blocks of rows.
#pragma once
#include "widened.hpp"
#include <inlay/cpu/isa/gemm_bf16.hpp>
#include <inlay/cpu/isa/gemm_f32.hpp>
#include <inlay/sdk/operator.hpp>
#include <algorithm>
#include <span>

namespace inlay {
inline namespace v1 {
// The activation of a fused node; false where it is unknown.
constexpr bool read_epilogue(const node_view& n, epilogue& e) {
    const std::string_view name = n.text("activation", "");
    const auto numbers = n.reals("activation_params");
    const auto number = [&](std::size_t i, double otherwise) {
        return float(i < numbers.size() ? numbers[i] : otherwise);
    };
    e = {};
    if (name == "Relu")
        e.low = 0;
    else if (name == "Clip")
        e.low = number(0, e.low), e.high = number(1, e.high);
    else if (name == "Sigmoid")
        e.kind = activation::logistic;
    else if (name == "HardSigmoid")
        e.kind = activation::hard_sigmoid, e.alpha = number(0, 0.2), e.beta = number(1, 0.5);
    else if (name == "HardSwish")
        e.kind = activation::hard_swish;
    else if (name == "Silu")
        e.kind = activation::silu;
    else if (name == "Gelu")
        e.kind = activation::gelu;
    else if (name == "GeluTanh")
        e.kind = activation::gelu_tanh;
    else
        return name.empty();
    return true;
}

constexpr std::int64_t padded_floats(std::int64_t n) { return (n + 15) / 16 * 16; }  // to 64 bytes

// GEMM of rows that lie `a_row` apart by B, one tap: bias, addend, activation and rounding are for the caller.
inline gemm_f32_call plain_product(const float* a, std::int64_t a_row, std::int64_t rows, const gemm_f32_depth& depth,
                                   const gemm_f32_panels_of_b& b, std::int64_t n, float* y,
                                   std::int64_t y_row) noexcept {
    return {a, 0, a_row, rows, depth, 0, 0, b, n, nullptr, nullptr, 0, y, y_row, {}};
}

// How many parts share out a rectangle of work, along each side.
struct work_grid {
    std::int64_t rows, columns;
    int parts;  // rows_parts * column_parts
    int column_parts;
    struct box {
        std::int64_t row, row_end, column, column_end;
    };
    box part(int p) const {
        const int i = p / column_parts, j = p % column_parts, n = parts / column_parts;
        return {rows * i / n, rows * (i + 1) / n, columns * j / column_parts, columns * (j + 1) / column_parts};
    }
};
// Even parts come first, then cuts of the side that has more data. Work below about a microsecond is not divided.
inline work_grid share(int threads, std::int64_t rows, std::int64_t columns, double multiplications, bool by_columns) {
    const auto most = std::clamp<std::int64_t>(std::int64_t(multiplications / 50'000), 1, threads);
    work_grid best{rows, columns, 1, 1};
    std::int64_t least = rows * columns;
    for (std::int64_t i = 1; i <= std::min(most, rows); ++i) {
        const std::int64_t r = by_columns ? i : std::min(most, rows) + 1 - i, c = std::min(most / r, columns);
        if (c < 1) continue;
        const std::int64_t work = ((rows + r - 1) / r) * ((columns + c - 1) / c);
        if (work < least) {
            least = work;
            best.parts = int(r * c);
            best.column_parts = int(c);
        }
    }
    return best;
}

// Rows of A whose part of one slab stays in the second-level cache while all panels pass by.
constexpr std::int64_t gemm_f32_block(isa::level l, const gemm_f32_depth& d) {
    const auto cut = d.cuts(l);
    const std::int64_t slab = std::max<std::int64_t>(1, d.total() / (cut.y1 * cut.x1 * cut.i1));
    return std::max<std::int64_t>(8 * gemm_f32_rows(l), (l >= isa::level::avx512 ? 131072 : 49152) / slab);
}
// Of rows that are rounded; in tiles, which are faster than memory beyond that cache, fewer where B stays there too.
constexpr std::int64_t gemm_bf16_block(isa::level l, const gemm_f32_depth& d, std::int64_t n) {
    const std::int64_t most = gemm_f32_block(l, d.in_groups(gemm_bf16_group(l)));
    if (l != isa::level::amx || n * d.total() > 131072) return most;
    return std::min(most, std::max<std::int64_t>(64, 32768 / std::max<std::int64_t>(1, n) / 32 * 32));
}
// Scratch of one part besides, in float32 elements; `rounds` as in the call.
constexpr std::int64_t gemm_f32_scratch(isa::level l, gemm_f32_depth d, std::int64_t a_row, std::int64_t rows,
                                        bool rounds = false) {
    if (rounds) d = d.in_groups(gemm_bf16_group(l));
    return rounds || gemm_f32_aliases(a_row)
               ? padded_floats(gemm_f32_copy(l, d, std::min(rows, gemm_f32_block(l, d) + gemm_f32_rows(l))))
               : 0;
}
// Panels that a thread packs at least, where a run packs.
constexpr std::int64_t packing_grain(isa::level l, const gemm_f32_depth& d) {
    return 1 + 32768 / std::max<std::int64_t>(1, d.total() * gemm_f32_width(l));
}
// How weights may be kept, of one kernel: a program that knows its parameters links only what these need.
struct weight_formats {
    bool f32, bf16;
};
// Float32 elements of memory that B needs in panels.
constexpr std::int64_t packed_floats(bool bf16, isa::level l, const gemm_f32_depth& d, std::int64_t n) {
    return padded_floats(bf16 ? gemm_bf16_packed(l, d, n) : gemm_f32_padded(l, n) * d.total());
}
template <weight_formats Linked> const gemm_f32_table& gemm_table(bool bf16, isa::level l) noexcept {
    if constexpr (!Linked.f32)
        return gemm_bf16(l);
    else if constexpr (!Linked.bf16)
        return gemm_f32(l);
    else
        return bf16 ? gemm_bf16(l) : gemm_f32(l);
}
// One part of a call; where the run may be stopped, in pieces of about 10^7 multiplications.
inline void multiply_part(const gemm_f32_table& table, isa::level l, const gemm_f32_call& call, gemm_f32_part part,
                          const context& c) noexcept {
    if (!c.stoppable()) return table.run(call, part);
    const std::int64_t panel = (part.outer_end - part.outer) * (part.inner_end - part.inner) * call.depth.total() *
                               gemm_f32_width(l),
                       end = part.panel_end;
    const std::int64_t step = std::max<std::int64_t>(1, 10'000'000 / std::max<std::int64_t>(1, panel));
    for (; part.panel < end && !c.stopped(); part.panel += step) {
        part.panel_end = std::min(part.panel + step, end);
        table.run(call, part);
    }
}
// Rows [row, row_end) x panels [panel, panel_end) of a call with one run of rows.
inline void multiply_blocks(const gemm_f32_table& table, isa::level l, gemm_f32_call call, std::int64_t row,
                            std::int64_t row_end, std::int64_t panel, std::int64_t panel_end, float* scratch,
                            context& c) noexcept {
    const std::int64_t rows = row_end - row, strips = (rows + gemm_f32_rows(l) - 1) / gemm_f32_rows(l);
    const bool pairs = call.rounds || call.a_pairs;
    const std::int64_t block = pairs ? gemm_bf16_block(l, call.depth, call.n) : gemm_f32_block(l, call.depth),
                       blocks = (rows + block - 1) / block;
    call.copy = call.rounds || (!pairs && gemm_f32_aliases(call.a_row) && rows > 4 && panel_end - panel > 1) ? scratch
                                                                                                             : nullptr;
    for (std::int64_t b = 0; b < blocks && !c.stopped(); ++b)
        multiply_part(table, l, call,
                      {0, 1, row + strips * b / blocks * rows / strips, row + strips * (b + 1) / blocks * rows / strips,
                       panel, panel_end},
                      c);
}
// All of some calls with the same `rows` rows of the same depth, by all threads; `scratch`: gemm_f32_scratch() float32
// for each. B's panels lie one call after the other.
inline void multiply_all(const gemm_f32_table& table, isa::level l, std::span<const gemm_f32_call> calls,
                         std::int64_t rows, float* scratch, std::int64_t scratch_each, context& c) noexcept {
    const std::int64_t tile = gemm_f32_rows(l);
    std::int64_t columns = 0, panels = 0;
    for (const gemm_f32_call& call : calls) {
        columns += call.n;
        panels += gemm_f32_panels(l, call.n);
    }
    const work_grid g = share(c.threads, (rows + tile - 1) / tile, panels,
                              double(rows) * double(columns) * double(calls[0].depth.total()), columns > rows);
    const auto part = [&](int p) {
        auto box = g.part(p);
        const std::int64_t first = g.rows ? rows * box.row / g.rows : 0,
                           row_end = g.rows ? rows * box.row_end / g.rows : 0;
        for (gemm_f32_call call : calls) {
            const std::int64_t call_panels = gemm_f32_panels(l, call.n), begin = std::max<std::int64_t>(0, box.column),
                               end = std::min(call_panels, box.column_end);
            call.goes_on = box.column_end > call_panels;
            if (begin < end)
                multiply_blocks(table, l, call, first, row_end, begin, end,
                                scratch ? scratch + p * scratch_each : nullptr, c);
            box.column -= call_panels;
            box.column_end -= call_panels;
        }
    };
    if (g.parts == 1)
        part(0);
    else
        c.for_each(g.parts, part);
}

// A non-constant matrix B: read in place where that costs less than packing it.
constexpr bool gemm_f32_in_place(isa::level l, std::int64_t rows, std::int64_t n, std::int64_t k,
                                 std::int64_t b_column) {
    return b_column == 1 && n >= gemm_f32_width(l) &&
           (rows <= gemm_f32_rows(l) || (n % 1024 != 0 && (n * k <= 131072 || rows <= 2 * gemm_f32_rows(l))));
}
constexpr std::int64_t gemm_f32_room(isa::level l, std::int64_t rows, std::int64_t n, std::int64_t k,
                                     std::int64_t b_column) {  // float32 of scratch
    return padded_floats(gemm_f32_padded(l, gemm_f32_in_place(l, rows, n, k, b_column) ? n % gemm_f32_width(l) : n) *
                         k);
}
}  // namespace v1
}  // namespace inlay
