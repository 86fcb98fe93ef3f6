// GEMM of 8-bit integers less their zero points, with packed B: the bits are multiplied as they are, unsigned A by
// signed B, and the zero points corrected after that,
//   sum((a - s)(b - t)) = sum(a b) - s (sum(b) - k t) - t sum(a),
// by a bias where one zero point of A does, else by an addend.
#pragma once
#include <inlay/cpu/isa/gemm_u8s8.hpp>
#include <inlay/cpu/support/dense.hpp>
#include <inlay/onnx/matmul.hpp>
#include <inlay/support/line_values.hpp>
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
struct integer_product : matmul_params {
    quantized::bytes a{}, b{};
    line_values a_zero{}, b_zero{};
    std::int64_t lines = 1, a_matrices = 1, b_matrices = 1;  // lines: rows of A's matrices

    struct weights {  // B, as pack() leaves it; shifted: t is not 0 everywhere
        const gemm_u8s8_table* table = nullptr;
        isa::level level{};
        const float* matrices = nullptr;
        bool shifted = false;
    };
    struct operand {  // A and its zero points, which may be absent
        const std::uint8_t *codes, *zeros;
    };
    struct addend {  // initial values of the accumulators: c[r * row + j * column], or 0 where c is null
        const std::int32_t* c = nullptr;
        std::int64_t row = 0, column = 0;
        void add_to(std::int64_t r, std::int64_t n, std::int32_t* sums) const noexcept {
            for (std::int64_t j = 0; c && j < n; ++j)
                sums[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                                    static_cast<std::uint32_t>(c[r * row + j * column]));
        }
    };

    constexpr integer_product() = default;
    constexpr integer_product(const matmul_params& p, const shape& a_dims, const shape& b_dims, element a_type,
                              element b_type)
        : matmul_params(p),
          a(a_type),
          b(b_type),
          lines(std::max<std::int64_t>(1, p.m)),
          a_matrices(a_dims.elements(0, a_dims.rank > 2 ? a_dims.rank - 2 : 0)),
          b_matrices(b_dims.elements(0, b_dims.rank > 2 ? b_dims.rank - 2 : 0)) {
        if (b_matrices == 1) {  // then A's matrices lie in the order of the result's: one matrix of all their rows
            m *= batches;
            a_matrices = batches = 1;
            batch.rank = 0;
        }
    }
    constexpr gemm_f32_depth depth(isa::level l) const { return gemm_u8s8_depth(l, k); }
    // Memory, in float32 elements: of a matrix of B its panels, its columns' sums less k t, and t; of a run A's words,
    // their sums, the bias, then each part's own.
    constexpr std::int64_t panels_room(isa::level l) const { return padded_floats(gemm_u8s8_packed(l, k, n)); }
    constexpr std::int64_t matrix_room(isa::level l) const { return panels_room(l) + 2 * padded_floats(n); }
    constexpr std::int64_t words_room(isa::level l) const { return padded_floats(a_matrices * m * depth(l).total()); }
    constexpr std::int64_t parts_at(isa::level l) const {
        return words_room(l) + padded_floats(a_matrices * m) + padded_floats(n);
    }
    constexpr std::int64_t part_room(isa::level l) const { return gemm_f32_scratch(l, depth(l), depth(l).total(), m); }
    constexpr bytes_needed footprint(isa::level l, int threads) const {
        return {4 * matrix_room(l) * b_matrices, 4 * (parts_at(l) + threads * part_room(l))};
    }

    // Of quantized values in rows, or transposed, in columns.
    weights pack(const std::uint8_t* values, const std::uint8_t* zero_points, const setup& u,
                 bool turned = false) const noexcept {
        weights w{&gemm_u8s8(u.level), u.level, reinterpret_cast<const float*>(u.storage), false};
        float* const matrices = reinterpret_cast<float*>(u.storage);
        const std::int64_t panels = gemm_f32_panels(u.level, n), panels_per_matrix = std::max<std::int64_t>(1, panels);
        u.split(b_matrices * panels, packing_grain(u.level, depth(u.level)),
                [&](std::int64_t first, std::int64_t end, int) {
                    for (std::int64_t i = first / panels_per_matrix; i * panels_per_matrix < end; ++i) {
                        float* const to = matrices + i * matrix_room(u.level);
                        w.table->pack_taps({values + i * k * n, n, turned ? k : 1, 0, turned ? 1 : n, b_flip()},
                                           {1, 1, k}, std::max(first - i * panels_per_matrix, std::int64_t(0)),
                                           std::min(end - i * panels_per_matrix, panels), to,
                                           reinterpret_cast<std::int32_t*>(to + panels_room(u.level)));
                    }
                });
        for (std::int64_t i = 0; i < b_matrices; ++i) {
            auto* const sums =
                reinterpret_cast<std::int32_t*>(matrices + i * matrix_room(u.level) + panels_room(u.level));
            std::int32_t* const zeros = sums + padded_floats(n);
            for (std::int64_t j = 0; j < n; ++j) {
                zeros[j] = (zero_points ? b(zero_points[b_zero.at(i, j)]) : 0) - b_flip();
                sums[j] =
                    static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) -
                                              static_cast<std::uint32_t>(k) * static_cast<std::uint32_t>(zeros[j]));
                w.shifted |= zeros[j] != 0;
            }
        }
        return w;
    }
    // A's words, and their sums: once in a run, before the GEMM.
    void begin(const weights& w, const operand& x, float* scratch, context& c) const noexcept {
        if (in_place(w, x)) return;
        const std::int64_t row = depth(w.level).total();
        std::int32_t* const sums = sums_of_a(w, scratch);
        c.split(
            a_matrices * m, 16384 / std::max<std::int64_t>(1, k) + 1, [&](std::int64_t first, std::int64_t end, int) {
                w.table->make_words(x.codes + first * k, end - first, k, a_flip(), scratch + first * row, sums + first);
            });
    }
    // Rows [first, first + rows) of matmul i into y, n each.
    void multiply(const weights& w, const operand& x, const addend& from, float* scratch, std::int64_t i,
                  std::int64_t first, std::int64_t rows, std::int32_t* y, context& c) const noexcept {
        const isa::level l = w.level;
        const std::int64_t row = depth(l).total();
        const auto at = matrices(i);
        const float* const words = in_place(w, x) ? reinterpret_cast<const float*>(x.codes) : scratch;
        const float* const panels = w.matrices + at.b * matrix_room(l);
        gemm_f32_call call = plain_product(words + (at.a * m + first) * row, row, rows, depth(l), {panels}, n,
                                           reinterpret_cast<float*>(y), n);
        const auto* const b_sums = reinterpret_cast<const std::int32_t*>(panels + panels_room(l));
        const std::int32_t *const b_zeros = b_sums + padded_floats(n), *const a_sums = sums_of_a(w, scratch);
        if (has_one_zero(w) && from.row == 0) {
            std::int32_t* const bias = sums_of_a(w, scratch) + padded_floats(a_matrices * m);
            w.table->correct(n, zero(x, 0), b_sums, 0, b_zeros, bias);
            from.add_to(0, n, bias);
            call.bias = reinterpret_cast<const float*>(bias);
        } else {
            c.split(rows, 4096 / std::max<std::int64_t>(1, n) + 1, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t r = begin; r < end; ++r) {
                    const std::int64_t line = at.a * m + first + r;
                    w.table->correct(n, zero(x, line), b_sums, has_one_zero(w) ? 0 : a_sums[line], b_zeros, y + r * n);
                    from.add_to(first + r, n, y + r * n);
                }
            });
            call.add = call.y;
            call.add_row = n;
        }
        multiply_all(*w.table, l, std::span(&call, 1), rows, part_room(l) ? scratch + parts_at(l) : nullptr,
                     part_room(l), c);
    }

  private:
    constexpr std::uint8_t a_flip() const { return std::uint8_t(a.flip); }
    constexpr std::uint8_t b_flip() const { return std::uint8_t(128 - b.flip); }
    bool has_one_zero(const weights& w) const noexcept { return !w.shifted && a_zero.per_line == 0; }
    // Whether A's bytes are words in place, whose sums are not needed.
    bool in_place(const weights& w, const operand& x) const noexcept {
        return has_one_zero(w) && a_flip() == 0 && gemm_u8s8_group(w.level) == 4 && k % 4 == 0 &&
               reinterpret_cast<std::uintptr_t>(x.codes) % 4 == 0;
    }
    std::int32_t* sums_of_a(const weights& w, float* scratch) const noexcept {
        return reinterpret_cast<std::int32_t*>(scratch + words_room(w.level));
    }
    int zero(const operand& x, std::int64_t line) const noexcept {
        return (x.zeros ? a(x.zeros[a_zero.at(line / lines, line % lines)]) : 0) + a_flip();
    }
};
}  // namespace v1
}  // namespace inlay
