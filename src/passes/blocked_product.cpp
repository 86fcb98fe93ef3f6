// MatMul by matrices of 4-bit quantized values, as exporters write them with ONNX's own operators.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
bool swaps_axes(const rewriter& r, const node& n) {
    const attribute* perm = r.find(n, "perm");
    if (!is(n, "Transpose")) return false;
    if (!perm) return true;
    if (perm->kind != attribute_kind::integers || perm->list.count != 2) return false;
    const auto* axes = r.g.integers.data() + perm->list.first;
    return axes[0] == 1 && axes[1] == 0;
}
bool has_four_bits(const value& v) { return v.type == element::i4 || v.type == element::u4; }
// One number for each block of the quantized values along the axis.
bool one_per_block(const shape& s, const shape& codes, int axis, std::int64_t block) {
    return s.rank == 2 && s[1 - axis] == codes[1 - axis] && s[axis] == codes[axis] / block + (codes[axis] % block != 0);
}
}  // namespace

std::optional<blocked_product> blocked_product_of(const rewriter& r, int decode) {
    const node& n = r.g.nodes[std::size_t(decode)];
    if (!is(n, "DequantizeLinear")) return {};
    const int codes = r.input(n, 0), scale = r.input(n, 1), zero = r.input(n, 2);
    if (!r.constant(codes) || !r.constant(scale) || (zero >= 0 && !r.constant(zero))) return {};
    const value& x = r.g.values[std::size_t(codes)];
    blocked_product p{decode, -1, only_user(r, r.output(n)), 0, r.integer(n, "block_size", 0)};
    if (!has_four_bits(x) || x.dims.rank != 2 || p.block < 16 || p.block % 16 != 0 || p.matmul < 0) return {};
    p.axis = int(normal_axis(r.integer(n, "axis", 1), 2));
    if (p.axis < 0 || !one_per_block(r.g.values[std::size_t(scale)].dims, x.dims, p.axis, p.block)) return {};
    if (zero >= 0 && (r.g.values[std::size_t(zero)].type != x.type ||
                      !one_per_block(r.g.values[std::size_t(zero)].dims, x.dims, p.axis, p.block)))
        return {};
    if (const node& next = r.g.nodes[std::size_t(p.matmul)]; swaps_axes(r, next)) {
        p.transpose = p.matmul;
        p.matmul = only_user(r, r.output(next));
        if (p.matmul < 0) return {};
    }
    const node& product = r.g.nodes[std::size_t(p.matmul)];
    const int matrix = r.output(p.transpose < 0 ? n : r.g.nodes[std::size_t(p.transpose)]);
    const value* a = r.input_value(product, 0);
    const bool fits = is(product, "MatMul") && r.input(product, 1) == matrix && a && a->dims.rank >= 2 &&
                      a->type == r.g.values[std::size_t(scale)].type && (p.axis == 0) == (p.transpose < 0);
    return fits ? std::optional(p) : std::nullopt;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
