// Primitives as several simpler ones, for libraries that lack them.
#include "canonical.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
using primitives = std::vector<primitive>;

primitives expand(const unary_prim& p, fresh_ids& ids) {
    const auto between = [&] { return ids(p.x.dims, p.y); };
    switch (p.does) {
        case function::hard_sigmoid: {
            const operand scaled = between(), shifted = between();
            return {binary_prim{arithmetic::mul, p.x, ids.number(p.alpha, p.x), scaled},
                    binary_prim{arithmetic::add, scaled, ids.number(p.beta, p.x), shifted},
                    clamp_prim{shifted, p.y, 0, 1}};
        }
        case function::hard_swish: {
            const operand gate = between();
            return {unary_prim{function::hard_sigmoid, p.x, gate, 1.f / 6, .5f},
                    binary_prim{arithmetic::mul, p.x, gate, p.y}};
        }
        case function::leaky_relu: return {binary_prim{arithmetic::prelu, p.x, ids.number(p.alpha, p.x), p.y}};
        case function::mish: {
            const operand soft = between(), gate = between();
            return {unary_prim{function::softplus, p.x, soft}, unary_prim{function::tanh, soft, gate},
                    binary_prim{arithmetic::mul, p.x, gate, p.y}};
        }
        case function::reciprocal: return {binary_prim{arithmetic::div, ids.number(1, p.x), p.x, p.y}};
        default: return {};
    }
}
primitives expand(const clamp_prim& p, fresh_ids& ids) {
    const bool low = p.low != -no_bound, high = p.high != no_bound;
    const binary_prim above{arithmetic::max, p.x, ids.number(p.low, p.x), high ? ids(p.x.dims, p.y) : p.y},
        below{arithmetic::min, low ? above.y : p.x, ids.number(p.high, p.x), p.y};
    primitives all;
    if (low) all.emplace_back(above);
    if (high) all.emplace_back(below);
    if (all.empty()) all.emplace_back(reshape_prim{p.x, p.y});
    return all;
}
primitives expand(const affine_prim& p, fresh_ids& ids) {
    shape row = shape::of_rank(p.x.dims.rank, 1);
    row[1] = p.x.dims[1];
    operand scale = p.scale, shift = p.shift;
    scale.dims = shift.dims = row;
    const operand scaled = ids(p.x.dims, p.y);
    return {binary_prim{arithmetic::mul, p.x, scale, scaled}, binary_prim{arithmetic::add, scaled, shift, p.y}};
}
// The operand in the shape of the result.
operand broadcast_to(const shape& y, const operand& x, primitives& all, fresh_ids& ids) {
    operand same_rank = x;
    if (x.dims.rank != y.rank) {
        same_rank = ids(of_rank(x.dims, y.rank), x);
        all.emplace_back(reshape_prim{x, same_rank});
    }
    if (same_rank.dims == y) return same_rank;
    integers repeats;
    for (int i = 0; i < y.rank; ++i) repeats.push_back(same_rank.dims[i] ? y[i] / same_rank.dims[i] : 1);
    const operand whole = ids(y, x);
    all.emplace_back(tile_prim{same_rank, whole, std::move(repeats)});
    return whole;
}
primitives expand(const select_prim& p, fresh_ids& ids) {
    if (p.condition.dims == p.y.dims && p.a.dims == p.y.dims && p.b.dims == p.y.dims) return {};
    primitives all;
    const operand condition = broadcast_to(p.y.dims, p.condition, all, ids), a = broadcast_to(p.y.dims, p.a, all, ids),
                  b = broadcast_to(p.y.dims, p.b, all, ids);
    all.emplace_back(select_prim{condition, a, b, p.y});
    return all;
}
// The same of operands of other shapes.
template <class P> primitives reshaped(const P& p, const shape& x, const shape& y, fresh_ids& ids) {
    P inner = p;
    inner.x = ids(x, p.x);
    inner.y = ids(y, p.y);
    return {reshape_prim{p.x, inner.x}, inner, reshape_prim{inner.y, p.y}};
}
primitives expand(const dense_prim& p, fresh_ids& ids) {
    const std::int64_t outputs = p.w.dims[0], depth = p.w.dims[1];
    if (p.x.dims.rank == 2 || depth == 0) return {};
    const std::int64_t rows = p.x.dims.elements() / depth;
    return reshaped(p, {rows, depth}, {rows, outputs}, ids);
}
// Along the last axis of two, or the middle one of three.
primitives expand(const softmax_prim& p, fresh_ids& ids) {
    const shape& x = p.x.dims;
    shape rows{x.elements(0, p.axis), x[p.axis]};
    if (x.elements(p.axis + 1) != 1) rows.push_back(x.elements(p.axis + 1));
    if (rows == x) return {};
    softmax_prim of_rows = p;
    of_rows.axis = 1;
    return reshaped(of_rows, rows, rows, ids);
}
template <class P> primitives expand(const P&, fresh_ids&) { return {}; }
}  // namespace

std::vector<primitive> expanded(const primitive& p, fresh_ids& ids) {
    return std::visit([&](const auto& one) { return expand(one, ids); }, p);
}
std::span<const expansion> expansions() {
    constexpr auto of = [](arithmetic f) { return std::pair{kind::binary, int(f)}; };
    static const std::vector<expansion> all{
        {kind::unary, int(function::hard_sigmoid), {of(arithmetic::mul), of(arithmetic::add), {kind::clamp, 0}}},
        {kind::unary, int(function::hard_swish), {{kind::unary, int(function::hard_sigmoid)}, of(arithmetic::mul)}},
        {kind::unary, int(function::leaky_relu), {of(arithmetic::prelu)}},
        {kind::unary,
         int(function::mish),
         {{kind::unary, int(function::softplus)}, {kind::unary, int(function::tanh)}, of(arithmetic::mul)}},
        {kind::unary, int(function::reciprocal), {of(arithmetic::div)}},
        {kind::clamp, 0, {of(arithmetic::max), of(arithmetic::min)}},
        {kind::affine, 0, {of(arithmetic::mul), of(arithmetic::add)}}};
    return all;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
