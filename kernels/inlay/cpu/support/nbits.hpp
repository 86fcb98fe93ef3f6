// Weights quantized in blocks, packed for matmuls by rows of float32: few rows dequantize on the fly; for many, panels
// are dequantized into scratch, and multiplied by the float32 GEMM. Where rows may be rounded, and the processor has
// int8 dot products, they become int8; many rows bf16, as the panels do, where it has bf16 matrix tiles.
#pragma once
#include "dense.hpp"
#include <inlay/cpu/isa/gate_f32.hpp>
#include <inlay/cpu/isa/nbits_bf16.hpp>
#include <inlay/cpu/isa/nbits_s8.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
// Where two matmuls of the same rows share an epilogue, y = activation(first) * second: strips interleave in B.
struct nbits_gated_end {
    epilogue post_op{};
    float* y = nullptr;
    std::int64_t columns = 0;  // of y, whose rows are contiguous
};
struct nbits_product {
    std::int64_t n = 0, k = 0, block = 0;
    int bits = 4;
    nbits_zeros zeros = nbits_zeros::none;
    bool rounds = false;  // rows may be rounded to int8
    bool pairs = false;   // rows and weights may be rounded to bf16

    constexpr nbits_f32_weights weights(const float* strips = nullptr) const {
        return {strips, n, k, (k + block - 1) / block, block * bits / 32, zeros};
    }
    constexpr std::int64_t whole() const {
        return (k + block - 1) / block * block;
    }                                                    // numbers of a row of whole blocks
    constexpr std::int64_t packed(isa::level l) const {  // in float32 elements
        return padded_floats(weights().strip_count(l) * weights().strip_floats(l));
    }
    // Rows are copied where they do not fill their blocks, or their distance is a bad one.
    constexpr std::int64_t row(isa::level l, std::int64_t rows) const {
        return few(l, rows) ? whole() : gemm_f32_aliases(k) ? k + 16 : k;
    }
    constexpr bool copies(isa::level l, std::int64_t rows) const { return row(l, rows) != k; }
    static constexpr bool few(isa::level l, std::int64_t rows) { return rows <= nbits_f32_rows(l); }
    constexpr bool in_bytes(isa::level l) const { return rounds && block <= nbits_s8_block && nbits_s8_has(l, bits); }
    // Fewer rows cost less by other means than dequantizing panels to bf16.
    constexpr bool in_tiles(isa::level l, std::int64_t rows) const {
        return pairs && nbits_bf16_has(l) && rows >= (in_bytes(l) ? 24 : 9);
    }
    constexpr std::int64_t pairs_row() const {  // bf16 of a row: odd count of lines, to spread in the cache
        return ((whole() + 31) / 32 | 1) * 32;
    }
    static constexpr std::int64_t rows_together = 640, panels_together = 2;  // of tiles
    // Blocks whose part of the rows stays in the second-level cache while all panels pass by.
    constexpr std::int64_t blocks_together(std::int64_t rows) const {
        return std::clamp<std::int64_t>(std::max<std::int64_t>(1024, 640 * 1024 / rows) / block, 1, weights().blocks);
    }
    // Scratch for so many rows, or less, in float32 elements.
    constexpr std::int64_t scratch(isa::level l, std::int64_t rows, int threads) const {
        return std::max(in_tiles(l, rows) ? scratch_of_tiles(l, rows, threads, false) : 0,
                        scratch_of_others(l, rows, threads));
    }
    // Of run_gated(): accumulators of all columns, except where columns are computed and finished piece by piece.
    constexpr std::int64_t scratch_of_gated(isa::level l, std::int64_t rows, int threads) const {
        if (ends_in_tiles(l, rows)) return scratch_of_tiles(l, rows, threads, true);
        if (ends_in_bytes(l, rows)) {
            const std::int64_t count = std::min(rows, rows_together);
            return scratch_of_others(l, count, threads) + threads * sums_room(l, count);
        }
        return padded_floats(rows * n) + scratch(l, rows, threads);
    }
    constexpr bool ends_in_bytes(isa::level l, std::int64_t rows) const { return in_bytes(l) && !in_tiles(l, rows); }
    constexpr bool ends_in_tiles(isa::level l, std::int64_t rows) const {
        return in_tiles(l, rows) && blocks_together(std::min(rows, rows_together)) >= weights().blocks;
    }
    static constexpr std::int64_t sums_room(isa::level l, std::int64_t rows) {
        return padded_floats(std::min(rows, rows_together) * columns_together(l));
    }
    static constexpr std::int64_t columns_together(isa::level l) { return panels_together * gemm_f32_width(l); }
    constexpr std::int64_t panels_room(isa::level l) const {
        return padded_floats(panels_together * whole() * gemm_f32_width(l) / 2);
    }
    constexpr std::int64_t scratch_of_tiles(isa::level l, std::int64_t rows, int threads, bool gated) const {
        return padded_floats(std::min(rows, rows_together) * pairs_row() / 2) +
               threads * (panels_room(l) + (gated ? sums_room(l, rows) : 0));
    }
    constexpr std::int64_t scratch_of_others(isa::level l, std::int64_t rows, int threads) const {
        if (in_bytes(l))
            return padded_floats(rows * (whole() / 4)) + 2 * padded_floats(rows * weights().blocks) +
                   threads * bytes_panel_room(l, rows);
        const auto copy = [&](std::int64_t count) {
            return copies(l, count) ? padded_floats(count * row(l, count)) : 0;
        };
        const std::int64_t by_codes = copy(std::min(rows, nbits_f32_rows(l))) + padded_floats(weights().blocks);
        if (few(l, rows)) return by_codes;
        return std::max(by_codes, copy(rows) + threads * padded_floats(k * gemm_f32_width(l)));
    }
    constexpr std::int64_t bytes_panel_room(isa::level l, std::int64_t rows) const {
        return rows <= nbits_s8_some_rows ? 0 : padded_floats(nbits_s8_panel_floats(l, bits, weights()));
    }
    // copy(column, columns, i, count, to, step): of so many columns so many words from value i on, the first value in
    // the lowest bits, a column's words `step` float32 apart; scale(column, block), zero(column, block). Values after K
    // are never read, or multiplied by 0.
    template <class Copy, class Scale, class Zero>
    void pack(const setup& u, float* strips, Copy copy, Scale scale, Zero zero) const noexcept {
        const nbits_f32_weights w = weights();
        const std::int64_t lanes = gemm_f32_lanes(u.level);
        u.split(w.strip_count(u.level), 1 + 131072 / std::max<std::int64_t>(1, k * lanes),
                [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t first = begin * lanes; first < std::min(n, end * lanes); first += lanes)
                        pack_strip(u.level, strips + first / lanes * w.strip_floats(u.level), first, copy, scale, zero);
                });
    }
    // Packs words from single values: code(column, i), from 0 on.
    template <class Code> constexpr auto words_of(Code code) const {
        return [code, k = k, bits = bits](std::int64_t column, std::int64_t columns, std::int64_t first,
                                          std::int64_t count, float* to, std::int64_t step) {
            for (std::int64_t j = 0; j < columns; ++j)
                for (std::int64_t w = 0, at = first; w < count; ++w, at += 32 / bits) {
                    std::uint32_t word = 0;
                    for (std::int64_t i = 0; i < 32 / bits && at + i < k; ++i)
                        word |= std::uint32_t(code(column + j, at + i)) << (i * bits);
                    std::memcpy(to + w * step + j, &word, 4);
                }
        };
    }
    // Packs contiguous words, rows of them `bytes` apart: four words of four columns at a time.
    constexpr auto words_at(const std::uint8_t* codes, std::int64_t bytes) const {
        return [codes, bytes, bits = bits](std::int64_t column, std::int64_t columns, std::int64_t first,
                                           std::int64_t count, float* to, std::int64_t step) {
            const std::uint8_t* const from = codes + column * bytes + first * bits / 8;
            const std::int64_t whole = count / 4 * 4;
            for (std::int64_t j = 0; j < columns; j += 4) {
                const std::int64_t width = std::min<std::int64_t>(4, columns - j), turned = width == 4 ? whole : 0;
                for (std::int64_t w = 0; w < turned; w += 4)
                    turn_words(from + j * bytes + 4 * w, bytes, to + w * step + j, step);
                for (std::int64_t i = j; i < j + width; ++i) {
                    __builtin_prefetch(from + (i + columns) * bytes);  // prefetch: rows are far apart
                    for (std::int64_t w = turned; w < count; ++w)
                        std::memcpy(to + w * step + i, from + i * bytes + 4 * w, 4);
                }
            }
        };
    }
    // y = a w' + bias, of rows that are `a_row` apart.
    void run(isa::level l, const float* strips, const float* a, std::int64_t a_row, std::int64_t rows,
             const float* bias, float* y, std::int64_t y_row, float* scratch, context& c) const noexcept {
        if (rows == 0) return;
        if (in_tiles(l, rows))
            return by_pieces(rows, [&](std::int64_t first, std::int64_t count) {
                run_tiles(l, strips, a + first * a_row, a_row, count, bias, y + first * y_row, y_row, scratch, c,
                          nullptr);
            });
        if (in_bytes(l)) return run_bytes(l, strips, a, a_row, rows, bias, y, y_row, scratch, c, nullptr);
        if (copies(l, rows)) {
            const std::int64_t step = row(l, rows);
            c.split(rows, 16, [&](std::int64_t first, std::int64_t end, int) {
                for (std::int64_t i = first; i < end; ++i) {
                    std::copy_n(a + i * a_row, k, scratch + i * step);
                    std::fill_n(scratch + i * step + k, step - k, 0.f);
                }
            });
            a = scratch;
            a_row = step;
            scratch += padded_floats(rows * step);
        }
        few(l, rows) ? run_few(l, strips, a, a_row, rows, bias, y, y_row, scratch, c)
                     : run_many(l, strips, a, a_row, rows, bias, y, y_row, scratch, c);
    }
    // The same, with a gate's epilogue. n is a multiple of two strips; scratch: scratch_of_gated().
    void run_gated(isa::level l, const float* strips, const float* a, std::int64_t rows, const float* bias,
                   const nbits_gated_end& end, float* scratch, context& c) const noexcept {
        if (rows == 0) return;
        if (ends_in_tiles(l, rows) || ends_in_bytes(l, rows))
            return by_pieces(rows, [&](std::int64_t first, std::int64_t count) {
                const nbits_gated_end piece{end.post_op, end.y + first * end.columns, end.columns};
                const auto of = in_tiles(l, rows) ? &nbits_product::run_tiles : &nbits_product::run_bytes;
                (this->*of)(l, strips, a + first * k, k, count, bias, nullptr, columns_together(l), scratch, c, &piece);
            });
        float* const sums = scratch;
        run(l, strips, a, k, rows, bias, sums, n, scratch + padded_floats(rows * n), c);
        c.split(rows, 1 + 32768 / n, [&](std::int64_t first, std::int64_t row_end, int) {
            gate_f32(l).gate(end.post_op, sums + first * n, n, row_end - first, end.columns,
                             end.y + first * end.columns, end.columns);
        });
    }

  private:
    template <class Copy, class Scale, class Zero>
    void pack_strip(isa::level l, float* to, std::int64_t first, Copy copy, Scale scale, Zero zero) const noexcept {
        const nbits_f32_weights w = weights();
        const std::int64_t lanes = gemm_f32_lanes(l), columns = std::min(lanes, n - first);
        auto* const own_zeros = reinterpret_cast<std::uint8_t*>(to);
        std::fill_n(to, w.zero_floats(l), 0.f);
        to += w.zero_floats(l);
        for (std::int64_t b = 0; b < w.blocks; ++b) {
            if (columns < lanes) std::fill_n(to, w.block_floats(l), 0.f);
            float* codes = to + lanes;
            for (std::int64_t j = 0; j < columns; ++j) to[j] = scale(first + j, b);
            if (zeros == nbits_zeros::bytes)
                for (std::int64_t j = 0; j < columns; ++j) own_zeros[b * lanes + j] = std::uint8_t(zero(first + j, b));
            if (zeros == nbits_zeros::numbers) {
                for (std::int64_t j = 0; j < columns; ++j)
                    codes[j] = (float(1 << (bits - 1)) - float(zero(first + j, b))) * to[j];
                codes += lanes;
            }
            copy(first, columns, b * block, w.words, codes, lanes);
            to = codes + w.words * lanes;
        }
    }
    // f(first, count) of rows, as many as the kernel computes together.
    template <class F> static void by_pieces(std::int64_t rows, F f) noexcept {
        for (std::int64_t i = 0, pieces = (rows + rows_together - 1) / rows_together; i < pieces; ++i) {
            const std::int64_t first = rows * i / pieces, end = rows * (i + 1) / pieces;
            f(first, end - first);
        }
    }
    // Transposes four words of each of four rows.
    static void turn_words(const std::uint8_t* from, std::int64_t bytes, float* to, std::int64_t step) noexcept {
        using words = std::uint32_t __attribute__((vector_size(16)));
        words row[4];
        for (int i = 0; i < 4; ++i) std::memcpy(row + i, from + i * bytes, 16);
        const words low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
                    low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
                    high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
                    high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
        const words turned[] = {
            __builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
            __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
        for (int i = 0; i < 4; ++i) std::memcpy(to + i * step, turned + i, 16);
    }
    // With an epilogue, y is null: accumulators of some columns at a time are in scratch, y_row apart.
    void run_tiles(isa::level l, const float* strips, const float* a, std::int64_t a_row, std::int64_t rows,
                   const float* bias, float* y, std::int64_t y_row, float* scratch, context& c,
                   const nbits_gated_end* end) const noexcept {
        const gemm_bf16_table& table = gemm_bf16(l);
        auto* const pairs_of_a = reinterpret_cast<std::uint16_t*>(scratch);
        c.split(rows, 1 + 16384 / k, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                std::uint16_t* const to = pairs_of_a + i * pairs_row();
                table.round(a + i * a_row, k, to);
                std::fill(to + k, to + whole(), std::uint16_t(0));
            }
        });
        const nbits_f32_weights w = weights(strips);
        const std::int64_t width = gemm_f32_width(l),
                           steps = (w.blocks + blocks_together(rows) - 1) / blocks_together(rows);
        float *const panels = scratch + padded_floats(rows * pairs_row() / 2), *const sums =
                                                                                   panels + c.threads * panels_room(l);
        c.split(gemm_f32_panels(l, n), 1 + 800'000 / (rows * k * width),
                [&](std::int64_t first, std::int64_t panel_end, int part) {
                    float *const part_panels = panels + part * panels_room(l), *const own_sums =
                                                                                   sums + part * sums_room(l, rows);
                    for (std::int64_t step = 0; step < steps; ++step) {
                        const std::int64_t from = w.blocks * step / steps, to = w.blocks * (step + 1) / steps;
                        gemm_f32_call call =
                            plain_product(scratch + from * block / 2, pairs_row(), rows, {1, 1, (to - from) * block},
                                          {part_panels}, 0, nullptr, y_row);
                        call.add_row = y_row;
                        // Panels of a depth in several slabs do not lie one after the other.
                        const std::int64_t panel_count = call.depth.in_groups(2).cuts(l).i1 == 1 ? panels_together : 1;
                        for (std::int64_t p = first, next = 0; p < panel_end && !c.stopped(); p = next) {
                            next = std::min(p + panel_count, panel_end);
                            make_panels(l, w, p, next, from, to, part_panels);
                            call.n = std::min(n, next * width) - p * width;
                            call.y = end ? own_sums : y + p * width;
                            call.bias = bias && step == 0 ? bias + p * width : nullptr;
                            call.add = step > 0 ? call.y : nullptr;
                            multiply_part(table, l, call, {0, 1, 0, rows, 0, next - p}, c);
                            if (end)
                                gate_f32(l).gate(end->post_op, own_sums, y_row, rows,
                                                 std::min(end->columns, next * width / 2) - p * width / 2,
                                                 end->y + p * width / 2, end->columns);
                        }
                    }
                });
    }
    void make_panels(isa::level l, const nbits_f32_weights& w, std::int64_t panel, std::int64_t panel_end,
                     std::int64_t block_from, std::int64_t block_to, float* to) const noexcept {
        for (; panel < panel_end; ++panel, to += (block_to - block_from) * block * gemm_f32_width(l) / 2)
            nbits_bf16(l).of(bits)(w, 2 * panel, std::min<std::int64_t>(2, w.strip_count(l) - 2 * panel), block_from,
                                   block_to, reinterpret_cast<std::uint16_t*>(to));
    }
    void run_bytes(isa::level l, const float* strips, const float* a, std::int64_t a_row, std::int64_t rows,
                   const float* bias, float* y, std::int64_t y_row, float* scratch, context& c,
                   const nbits_gated_end* end) const noexcept {
        const nbits_f32_weights w = weights(strips);
        const auto& form = nbits_s8(l).of(bits);
        auto* const bytes = reinterpret_cast<std::int8_t*>(scratch);
        float* const scales = scratch + padded_floats(rows * (whole() / 4));
        auto* const offsets = reinterpret_cast<std::int32_t*>(scales + padded_floats(rows * w.blocks));
        float* const panels = scales + 2 * padded_floats(rows * w.blocks);
        float* const sums = panels + c.threads * bytes_panel_room(l, rows);
        c.split(rows, 1 + 16384 / k, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i)
                form.round(a + i * a_row, k, block, bytes + i * whole(), scales + i * w.blocks, offsets + i * w.blocks);
        });
        by_strips(l, rows, 800'000, c, [&](std::int64_t first, std::int64_t strip_end, int part) {
            nbits_s8_call call{w,
                               float(1 << (bits - 1)),
                               bytes,
                               scales,
                               offsets,
                               bias,
                               y,
                               y_row,
                               panels + part * bytes_panel_room(l, rows)};
            if (!end) return form.multiply(call, rows, first, strip_end);
            const std::int64_t lanes = gemm_f32_lanes(l), strip_count = columns_together(l) / lanes;
            call.y = sums + part * sums_room(l, rows);
            for (; first < strip_end; first += strip_count) {
                const std::int64_t count = std::min(strip_count, strip_end - first), column = first * lanes;
                call.b.strips = strips + first * w.strip_floats(l);
                call.b.n = n - column;
                call.bias = bias ? bias + column : nullptr;
                form.multiply(call, rows, 0, count);
                gate_f32(l).gate(end->post_op, call.y, y_row, rows,
                                 std::min(end->columns - column / 2, count * lanes / 2), end->y + column / 2,
                                 end->columns);
            }
        });
    }
    // f(first, end, part) of contiguous strips, by all threads; where the run may be stopped, in pieces.
    template <class F>
    void by_strips(isa::level l, std::int64_t rows, std::int64_t grain, context& c, F f) const noexcept {
        constexpr std::int64_t together = 4;
        const std::int64_t count = weights().strip_count(l), work = rows * k * gemm_f32_lanes(l) * together,
                           step = c.stoppable() ? 1 + 10'000'000 / work : count;
        c.split((count + together - 1) / together, 1 + grain / work,
                [&](std::int64_t first, std::int64_t end, int part) {
                    for (std::int64_t s = first; s < end && !c.stopped(); s += step)
                        f(s * together, std::min(std::min(s + step, end) * together, count), part);
                });
    }
    void run_few(isa::level l, const float* strips, const float* a, std::int64_t a_row, std::int64_t rows,
                 const float* bias, float* y, std::int64_t y_row, float* sums, context& c) const noexcept {
        const nbits_f32_call call{weights(strips), a, a_row, sums, bias, y, y_row};
        if (zeros != nbits_zeros::none && rows == 1)
            for (std::int64_t b = 0; b < call.b.blocks; ++b) {
                sums[b] = 0;
                for (std::int64_t i = b * block; i < std::min((b + 1) * block, k); ++i) sums[b] += a[i];
            }
        by_strips(l, rows, 200'000, c, [&](std::int64_t first, std::int64_t end, int) {
            nbits_f32(l).of(bits).multiply(call, rows, first, end);
        });
    }
    void run_many(isa::level l, const float* strips, const float* a, std::int64_t a_row, std::int64_t rows,
                  const float* bias, float* y, std::int64_t y_row, float* panels, context& c) const noexcept {
        const nbits_f32_weights w = weights(strips);
        const std::int64_t width = gemm_f32_width(l), room = padded_floats(k * width);
        c.split(gemm_f32_panels(l, n), 1, [&](std::int64_t first, std::int64_t end, int part) {
            float* panel = panels + part * room;
            for (std::int64_t p = first; p < end && !c.stopped(); ++p) {
                const std::int64_t columns = std::min(width, n - p * width);
                nbits_f32(l).of(bits).decode(w, 2 * p, std::min<std::int64_t>(2, w.strip_count(l) - 2 * p), panel);
                gemm_f32_call call = plain_product(a, a_row, rows, {1, 1, k}, {panel}, columns, y + p * width, y_row);
                call.bias = bias ? bias + p * width : nullptr;
                multiply_blocks(gemm_f32(l), l, call, 0, rows, 0, 1, nullptr, c);
            }
        });
    }
};
}  // namespace v1
}  // namespace inlay
