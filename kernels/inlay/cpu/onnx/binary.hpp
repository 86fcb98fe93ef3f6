// Add, Sub, Mul, Div and PRelu of float32 on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/binary_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/binary.hpp>

namespace inlay {
inline namespace v1 {
// An operand at its place in a block: its element for the block's first, the step along a row and that from row to row.
struct block_f32 {
    const float* data;
    std::int64_t along, between;
};

// y = a op b over a dense block of y, which may lie where a does.
inline void combine(const binary_f32_table::forms& op, block_f32 a, block_f32 b, float* y, std::int64_t rows,
                    std::int64_t n) noexcept {
    if (n == 1) a.along = b.along = 1;
    if (rows == 1 || n >= 16) {
        if (a.along == 1 && b.along == 1) return op.vector_vector(a.data, a.between, b.data, b.between, y, n, rows, n);
        if (a.along == 1 && b.along == 0) return op.vector_scalar(a.data, a.between, b.data, b.between, y, n, rows, n);
        if (a.along == 0 && b.along == 1) return op.scalar_vector(a.data, a.between, b.data, b.between, y, n, rows, n);
    }
    // Short rows, or an operand in another order of axes: what is not dense is gathered, some rows or a piece of a row
    // at a time.
    constexpr std::int64_t most = 256;
    float gathered[2][most];
    const std::int64_t height = n < most ? most / n : 1, width = std::min(n, most);
    for (std::int64_t r = 0; r < rows; r += height)
        for (std::int64_t first = 0; first < n; first += width) {
            const std::int64_t row_count = std::min(height, rows - r), count = std::min(width, n - first);
            const auto piece = [&](const block_f32& x, float* to) -> const float* {
                const float* from = x.data + r * x.between + first * x.along;
                if (x.along == 1 && (row_count == 1 || x.between == n)) return from;
                if (r > 0 && x.between == 0 && n <= most) return to;  // the same rows as before
                for (std::int64_t i = 0; i < row_count; ++i)
                    for (std::int64_t j = 0; j < count; ++j) to[i * count + j] = from[i * x.between + j * x.along];
                return to;
            };
            op.vector_vector(piece(a, gathered[0]), 0, piece(b, gathered[1]), 0, y + r * n + first, row_count * count,
                             1, row_count * count);
        }
}

template <class Op, binary_f32_table::forms binary_f32_table::*Function> struct binary_f32_kernel : simple_kernel {
    struct params {
        broadcast_loops<2> loops;
        std::int64_t channels = 0, a_pixel = 0, b_pixel = 0,
                     y_pixel = 0;  // 0, or where an argument is a slice: then all are pixels, so many float32 apart
    };
    struct state {
        const binary_f32_table::forms* function;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr bool strided(const node_view& n, int) {
        return !n.is_constant(0) && !n.is_constant(1) && n.input(0).dims == n.output(0).dims &&
               n.input(1).dims == n.output(0).dims;
    }
    static constexpr params prepare(const node_view& n) {
        params p{kernel<Op, device::reference, types<float>>::prepare(n).loops};
        const std::int64_t a = n.input_pitch(0), b = n.input_pitch(1), y = n.output_pitch(0);
        if (a || b || y) {
            p.channels = n.output(0).dims[1];
            p.a_pixel = a ? a : p.channels;
            p.b_pixel = b ? b : p.channels;
            p.y_pixel = y ? y : p.channels;
        }
        return p;
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.function = &(binary_f32(u.level).*Function);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const broadcast_loops<2>& l = p.loops;
        if (p.channels) {
            c.split(l.elements() / p.channels, 1 + 16 * 1024 / p.channels,
                    [&](std::int64_t first, std::int64_t end, int) {
                        s.function->vector_vector(
                            args.in<float>(0) + first * p.a_pixel, p.a_pixel, args.in<float>(1) + first * p.b_pixel,
                            p.b_pixel, args.out<float>(0) + first * p.y_pixel, p.y_pixel, end - first, p.channels);
                    });
            return status::ok;
        }
        c.split(l.elements(), 16 * 1024, [&](std::int64_t first, std::int64_t end, int) {
            over_blocks(l, first, end, [&](std::int64_t at, const auto& x, std::int64_t rows, std::int64_t n) {
                const auto operand = [&](int k) {
                    return block_f32{args.in<float>(k) + x[k], l.along(k), l.between(k)};
                };
                combine(*s.function, operand(0), operand(1), args.out<float>(0) + at, rows, n);
            });
        });
        return status::ok;
    }
};
template <> struct kernel<op::add, device::cpu, types<float>> : binary_f32_kernel<op::add, &binary_f32_table::add> {};
template <> struct kernel<op::sub, device::cpu, types<float>> : binary_f32_kernel<op::sub, &binary_f32_table::sub> {};
template <> struct kernel<op::mul, device::cpu, types<float>> : binary_f32_kernel<op::mul, &binary_f32_table::mul> {};
template <> struct kernel<op::div, device::cpu, types<float>> : binary_f32_kernel<op::div, &binary_f32_table::div> {};
template <>
struct kernel<op::prelu, device::cpu, types<float>> : binary_f32_kernel<op::prelu, &binary_f32_table::prelu> {};
}  // namespace v1
}  // namespace inlay
