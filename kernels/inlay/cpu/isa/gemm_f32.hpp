// GEMM of float32, Y = activation(A B + bias + addend): B in panels, A in place. Shared by the callers and every
// level's kernel.
#pragma once
#include "activation_f32.hpp"
#include <inlay/isa.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_SHARED [[gnu::always_inline]] constexpr  // no symbol of its own, so that no level's code serves another
INLAY_SHARED std::int64_t gemm_f32_lanes(isa::level l) {
    return l == isa::baseline ? 4 : l == isa::level::avx2 ? 8 : 16;
}
INLAY_SHARED std::int64_t gemm_f32_width(isa::level l) {
    return 2 * gemm_f32_lanes(l);
}  // columns of a panel; the last is cut to whole lanes
INLAY_SHARED std::int64_t gemm_f32_rows(isa::level l) {
    return l == isa::baseline ? 4 : l == isa::level::avx2 ? 6 : 14;
}  // of a tile
INLAY_SHARED std::int64_t gemm_f32_padded(isa::level l, std::int64_t n) {
    return (n + gemm_f32_lanes(l) - 1) / gemm_f32_lanes(l) * gemm_f32_lanes(l);
}
INLAY_SHARED std::int64_t gemm_f32_panels(isa::level l, std::int64_t n) {
    return (n + gemm_f32_width(l) - 1) / gemm_f32_width(l);
}

// The K axis of A: taps_y x taps_x runs of `length` contiguous elements. It is cut into slabs, so that a panel of one
// stays in the cache.
struct gemm_f32_depth {
    std::int64_t taps_y = 1, taps_x = 1, length = 0;
    struct slab {  // a box whose elements are contiguous in the order of (y, x, i)
        std::int64_t y0, y1, x0, x1, i0, i1;
    };
    INLAY_SHARED std::int64_t total() const { return taps_y * taps_x * length; }
    INLAY_SHARED gemm_f32_depth in_groups(std::int64_t group) const {
        return {taps_y, taps_x, (length + group - 1) / group};
    }                                             // of elements of a run
    INLAY_SHARED slab cuts(isa::level l) const {  // in y1, x1, i1: into how many even parts each axis is cut
        const std::int64_t most = l >= isa::level::avx512 ? 1536 : 768;
        if (length > most) return {0, taps_y, 0, taps_x, 0, (length + most - 1) / most};
        if (length < 1) return {0, 1, 0, 1, 0, 1};
        const std::int64_t x = most / length, y = most / (length * taps_x);
        return y < 1 ? slab{0, taps_y, 0, (taps_x + x - 1) / x, 0, 1} : slab{0, (taps_y + y - 1) / y, 0, 1, 0, 1};
    }
    INLAY_SHARED slab part(const slab& cut, std::int64_t s) const {
        const std::int64_t i = s % cut.i1, x = s / cut.i1 % cut.x1, y = s / (cut.i1 * cut.x1);
        return {taps_y * y / cut.y1,       taps_y * (y + 1) / cut.y1, taps_x * x / cut.x1,
                taps_x * (x + 1) / cut.x1, length * i / cut.i1,       length * (i + 1) / cut.i1};
    }
    INLAY_SHARED std::int64_t first(const slab& s) const { return (s.y0 * taps_x + s.x0) * length + s.i0; }
    INLAY_SHARED std::int64_t size(const slab& s) const { return (s.y1 - s.y0) * (s.x1 - s.x0) * (s.i1 - s.i0); }
};

// Where B's elements are: column j of tap t and element i at b + j * column + t * tap + i * element.
struct gemm_f32_source {
    const float* b;
    std::int64_t n, column, tap, element;
    float scale = 1;
};
// B as a kernel reads it. In panels: [slab][panel][k][width], the last panel narrower, padded with zeros to whole
// lanes. Else rows in place, `row` apart, for one tap; then the columns that do not fill a panel lie packed at `tail`.
struct gemm_f32_panels_of_b {
    const float* b;
    std::int64_t row = 0;
    const float* tail = nullptr;
    std::int64_t depth =
        0;  // of one tap, with which panels were packed, where the call's is a part of it from its start
};
// Requantizes gemm_u8s8's accumulators to 8 bits: float(accumulator) times its column's scale, rounded to nearest even,
// plus zero, saturated to [low, high], which are those of either sign. NaN is low.
struct gemm_codes {
    std::uint8_t* y;
    std::int64_t y_row;
    const float* scales;
    int zero, low, high;
};
struct gemm_f32_call {
    const float* a;
    std::int64_t a_outer, a_row;  // row (o, i) of A is at a + o * a_outer + i * a_row,
    std::int64_t inner;           // where 0 <= i < inner; it is row o * inner + i of Y and of the addend
    gemm_f32_depth depth;
    std::int64_t step_y, step_x;  // between the runs of a row of A
    gemm_f32_panels_of_b b;
    std::int64_t n;
    const float* bias;  // per column, or null
    const float* add;
    std::int64_t add_row;  // or null; may be y
    float* y;
    std::int64_t y_row;
    epilogue post_op;
    float* copy = nullptr;  // buffer for the rows of one call, gemm_f32_copy() float32: A is read from there
    bool rounds = false;    // gemm_bf16's, whose rows are always copied
    // gemm_bf16's in tiles: A, the addend and Y are bf16 in memory; rows of the last two are then so many pairs
    // apart, and the depth has one slab.
    bool a_pairs = false, add_pairs = false, y_pairs = false;
    const gemm_codes* codes =
        nullptr;  // gemm_u8s8's: instead of y, which is then read and written only where the depth has several slabs
    bool goes_on = false;  // the next matmul's weights follow the last panel: prefetched
};
struct gemm_f32_part {
    std::int64_t outer, outer_end, inner, inner_end, panel, panel_end;
};
INLAY_SHARED bool gemm_f32_aliases(std::int64_t a_row) {
    return a_row > 0 && a_row % 1024 == 0;
}  // a tile's rows would share a few cache sets
INLAY_SHARED std::int64_t gemm_f32_copy(isa::level l, const gemm_f32_depth& d, std::int64_t rows) {
    const auto s = d.cuts(l);
    return rows * ((d.total() + s.y1 * s.x1 * s.i1 - 1) / (s.y1 * s.x1 * s.i1) + 32);
}

struct gemm_f32_table {
    // Packs panels [panel, panel_end) of B; pack_tail() only the columns that do not fill a panel.
    void (*pack)(const gemm_f32_source&, const gemm_f32_depth&, std::int64_t panel, std::int64_t panel_end,
                 float* panels) noexcept;
    void (*pack_tail)(const gemm_f32_source&, const gemm_f32_depth&, float* tail) noexcept;
    void (*run)(const gemm_f32_call&, const gemm_f32_part&) noexcept;
};
const gemm_f32_table& gemm_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "gemm_f32.cpp"
#endif
