// FusedMatMul (com.microsoft, since 1), and TransposeMatMul, its former name: alpha times MatMul of A and B, of which
// transBatchA and transBatchB move the first axis after the batches, and then transA and transB swap the last two
// axes.
#pragma once
#include <inlay/onnx/matmul.hpp>
#include <concepts>

namespace inlay {
inline namespace v1 {
namespace op {
struct microsoft_fused_matmul : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "FusedMatMul";
    static constexpr version_range versions{1, 1};
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        return matmul::shapes_of(operand(n, 0), operand(n, 1), y);
    }
    static constexpr bool transposed(const node_view& n, int k) {  // of one axis there is nothing to swap
        return n.integer(k == 0 ? "transA" : "transB", 0) != 0 && n.input(k).dims.rank > 1;
    }
    static constexpr bool batches_first(const node_view& n, int k) {
        return n.integer(k == 0 ? "transBatchA" : "transBatchB", 0) != 0 && n.input(k).dims.rank > 2;
    }
    static constexpr shape operand(const node_view& n, int k) {
        shape s = n.input(k).dims;
        if (batches_first(n, k))
            for (int i = 0; i + 2 < s.rank; ++i) std::swap(s[i], s[i + 1]);
        if (transposed(n, k)) std::swap(s[s.rank - 1], s[s.rank - 2]);
        return s;
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) {
        const shape a = s.input(0);
        const int depth = !transposed(n, 0) ? a.rank - 1 : batches_first(n, 0) ? 0 : a.rank - 2;
        return a.rank > 0 && a.known() ? 2 * count_of(s.output(0)) * double(a[depth]) : 0;
    }
};
struct transpose_matmul : microsoft_fused_matmul {
    static constexpr std::string_view onnx_name = "TransposeMatMul";
};
}  // namespace op

template <std::derived_from<op::microsoft_fused_matmul> Op, class T>
struct kernel<Op, device::reference, types<T>> : simple_kernel {
    struct steps {  // between elements of an operand: from one matrix, row or column to the next
        std::int64_t matrix, row, column;
        static constexpr steps of(const node_view& n, int k) {
            const shape& s = n.input(k).dims;
            if (s.rank < 2) return {0, k == 0 ? s[0] : 1, 1};
            const std::int64_t width = s[s.rank - 1], height = s[s.rank - 2];
            steps y{width * height, width, 1};
            if (Op::batches_first(n, k)) y = {width, s.elements(1), 1};
            if (Op::transposed(n, k)) std::swap(y.row, y.column);
            return y;
        }
    };
    struct params {
        matmul_params product;
        steps a, b;
        double alpha;
    };
    static constexpr verdict supports(const node_view& n) {
        return n.input(0).type == n.input(1).type ? yes() : no("A and B must have one type");
    }
    static constexpr params prepare(const node_view& n) {
        return {matmul_params::of(Op::operand(n, 0), Op::operand(n, 1), n.output(0).dims), steps::of(n, 0),
                steps::of(n, 1), n.real("alpha", 1)};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& args, context& c) noexcept {
        using sum = typename sum_of<T>::type;
        const matmul_params& q = p.product;
        c.split(q.batches, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t i = first; i < end; ++i) {
                const auto at = q.matrices(i);
                multiply_plainly(args.in<T>(0) + at.a * p.a.matrix, p.a.row, p.a.column,
                                 args.in<T>(1) + at.b * p.b.matrix, p.b.row, p.b.column, q.m, q.n, q.k, ends,
                                 [&](std::int64_t row, std::int64_t column, sum accumulator) {
                                     args.out<T>(0)[(i * q.m + row) * q.n + column] =
                                         static_cast<T>(accumulator * static_cast<sum>(p.alpha));
                                 });
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
