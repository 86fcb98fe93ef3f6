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
            return {binary_prim{arithmetic::mul, p.x, ids.number(p.alpha), scaled},
                    binary_prim{arithmetic::add, scaled, ids.number(p.beta), shifted}, clamp_prim{shifted, p.y, 0, 1}};
        }
        case function::hard_swish: {
            const operand gate = between();
            return {unary_prim{function::hard_sigmoid, p.x, gate, 1.f / 6, .5f},
                    binary_prim{arithmetic::mul, p.x, gate, p.y}};
        }
        case function::leaky_relu: return {binary_prim{arithmetic::prelu, p.x, ids.number(p.alpha), p.y}};
        case function::reciprocal: return {binary_prim{arithmetic::div, ids.number(1), p.x, p.y}};
        default: return {};
    }
}
primitives expand(const clamp_prim& p, fresh_ids& ids) {
    const bool low = p.low != -no_bound, high = p.high != no_bound;
    const binary_prim above{arithmetic::max, p.x, ids.number(p.low), high ? ids(p.x.dims, p.y) : p.y},
        below{arithmetic::min, low ? above.y : p.x, ids.number(p.high), p.y};
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
        {kind::unary, int(function::reciprocal), {of(arithmetic::div)}},
        {kind::clamp, 0, {of(arithmetic::max), of(arithmetic::min)}},
        {kind::affine, 0, {of(arithmetic::mul), of(arithmetic::add)}}};
    return all;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
