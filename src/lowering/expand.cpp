// Primitives as several simpler ones, for libraries that lack them.
#include "canonical.hpp"
#include <utility>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
using primitives = std::vector<primitive>;

// The tangent that is near the error function: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
primitives expand_gelu(const unary_prim& p, fresh_ids& ids) {
    constexpr float root = 0.7978845608028654f, third = 0.044715f;
    primitives parts;
    const auto pair = [&](arithmetic does, const operand& a, const operand& b) {
        const operand y = ids(p.x.dims, p.y);
        parts.emplace_back(binary_prim{does, a, b, y});
        return y;
    };
    const auto times = [&](const operand& x, float f) { return pair(arithmetic::mul, x, ids.number(f, p.x)); };
    const operand square = pair(arithmetic::mul, p.x, p.x), cube = pair(arithmetic::mul, square, p.x);
    const operand sum = times(pair(arithmetic::add, p.x, times(cube, third)), root), bent = ids(p.x.dims, p.y);
    parts.emplace_back(unary_prim{function::tanh, sum, bent});
    const operand more = pair(arithmetic::add, bent, ids.number(1, p.x));
    parts.emplace_back(binary_prim{arithmetic::mul, times(more, .5f), p.x, p.y});
    return parts;
}
primitives expand(const unary_prim& p, fresh_ids& ids) {
    if (p.y.is_quantized()) return {};  // the scales between the parts are unknown
    const auto between = [&] { return ids(p.x.dims, p.y); };
    const auto number = [&](float x) { return ids.number(x, p.x); };
    switch (p.does) {
        case function::hard_sigmoid: {
            const operand scaled = between(), shifted = between();
            return {binary_prim{arithmetic::mul, p.x, number(p.alpha), scaled},
                    binary_prim{arithmetic::add, scaled, number(p.beta), shifted}, clamp_prim{shifted, p.y, 0, 1}};
        }
        case function::hard_swish: {
            const operand gate = between();
            return {unary_prim{function::hard_sigmoid, p.x, gate, 1.f / 6, .5f},
                    binary_prim{arithmetic::mul, p.x, gate, p.y}};
        }
        case function::leaky_relu: return {binary_prim{arithmetic::prelu, p.x, number(p.alpha), p.y}};
        case function::mish: {
            const operand soft = between(), gate = between();
            return {unary_prim{function::softplus, p.x, soft, 1}, unary_prim{function::tanh, soft, gate},
                    binary_prim{arithmetic::mul, p.x, gate, p.y}};
        }
        case function::reciprocal: return {binary_prim{arithmetic::div, number(1), p.x, p.y}};
        case function::gelu_by_tanh: return expand_gelu(p, ids);
        case function::swish: {
            const operand scaled = between(), gate = between();
            return {binary_prim{arithmetic::mul, p.x, number(p.alpha), scaled},
                    unary_prim{function::sigmoid, scaled, gate}, binary_prim{arithmetic::mul, p.x, gate, p.y}};
        }
        default: return {};
    }
}
primitives expand(const clamp_prim& p, fresh_ids& ids) {
    const bool low = p.low != -no_bound, high = p.high != no_bound;
    if (p.whole_bounds || ((low || high) && !is_float(p.x.type))) return {};  // as its bounds are
    const binary_prim above{arithmetic::max, p.x, ids.number(p.low, p.x), high ? ids(p.x.dims, p.y) : p.y},
        below{arithmetic::min, low ? above.y : p.x, ids.number(p.high, p.x), p.y};
    primitives parts;
    if (low) parts.emplace_back(above);
    if (high) parts.emplace_back(below);
    if (parts.empty()) parts.emplace_back(reshape_prim{p.x, p.y});
    return parts;
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
operand broadcast_to(const shape& y, const operand& x, primitives& parts, fresh_ids& ids) {
    operand same_rank = x;
    if (x.dims.rank != y.rank) {
        same_rank = ids(of_rank(x.dims, y.rank), x);
        parts.emplace_back(reshape_prim{x, same_rank});
    }
    if (same_rank.dims == y) return same_rank;
    integers repeats;
    for (int i = 0; i < y.rank; ++i) repeats.push_back(same_rank.dims[i] ? y[i] / same_rank.dims[i] : 1);
    const operand whole = ids(y, x);
    parts.emplace_back(tile_prim{same_rank, whole, std::move(repeats)});
    return whole;
}
primitives expand(const select_prim& p, fresh_ids& ids) {
    if (p.condition.dims == p.y.dims && p.a.dims == p.y.dims && p.b.dims == p.y.dims) return {};
    primitives parts;
    const operand condition = broadcast_to(p.y.dims, p.condition, parts, ids),
                  a = broadcast_to(p.y.dims, p.a, parts, ids), b = broadcast_to(p.y.dims, p.b, parts, ids);
    parts.emplace_back(select_prim{condition, a, b, p.y});
    return parts;
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
primitives expand(const reduce_prim& p, fresh_ids& ids) {
    const bool squares = p.does == reduction::l2 || p.does == reduction::sum_square, root = p.does == reduction::l2;
    if (p.y.is_quantized() || (!squares && p.does != reduction::l1)) return {};
    const operand terms = ids(p.x.dims, p.y), sum = root ? ids(p.y.dims, p.y) : p.y;
    primitives parts;
    squares ? parts.emplace_back(binary_prim{arithmetic::mul, p.x, p.x, terms})
            : parts.emplace_back(unary_prim{function::abs, p.x, terms});
    parts.emplace_back(reduce_prim{reduction::sum, terms, sum, p.axes});
    if (root) parts.emplace_back(unary_prim{function::sqrt, sum, p.y});
    return parts;
}
// What is normalised along one axis, without factors.
void add_norm(const layer_norm_prim& p, primitives& parts, fresh_ids& ids) {
    shape row = p.x.dims;
    row[int(p.axes[0])] = 1;
    const auto mean_of = [&](const operand& x) {
        const operand mean = ids(row, p.y);
        parts.emplace_back(reduce_prim{reduction::mean, x, mean, p.axes});
        return mean;
    };
    const auto pair = [&](arithmetic does, const operand& a, const operand& b) {
        const operand y = ids(a.dims, p.y);
        parts.emplace_back(binary_prim{does, a, b, y});
        return y;
    };
    const operand x = p.centred ? pair(arithmetic::sub, p.x, mean_of(p.x)) : p.x;
    const operand variance = mean_of(pair(arithmetic::mul, x, x)), root = ids(row, p.y);
    parts.emplace_back(unary_prim{function::sqrt, pair(arithmetic::add, variance, ids.number(p.epsilon, p.x)), root});
    parts.emplace_back(binary_prim{arithmetic::div, x, root, p.y});
}
// The last axes are one.
primitives expand(const layer_norm_prim& p, fresh_ids& ids) {
    if (p.y.is_quantized() || p.axes.empty()) return {};
    layer_norm_prim plain = p;
    plain.scale = plain.shift = std::nullopt;
    plain.y = p.scale || p.shift ? ids(p.x.dims, p.y) : p.y;
    primitives parts;
    if (p.axes.size() == 1) {
        add_norm(plain, parts, ids);
    } else {
        const int first = int(p.axes[0]);
        const shape rows{p.x.dims.elements(0, first), p.x.dims.elements(first)};
        plain.axes = {1};
        parts = reshaped(plain, rows, rows, ids);
    }
    const operand scaled = p.shift ? ids(p.x.dims, p.y) : p.y;
    if (p.scale) parts.emplace_back(binary_prim{arithmetic::mul, plain.y, *p.scale, scaled});
    if (p.shift) parts.emplace_back(binary_prim{arithmetic::add, p.scale ? scaled : plain.y, *p.shift, p.y});
    return parts;
}
primitives expand(const instance_norm_prim& p, fresh_ids& ids) {
    const shape& x = p.x.dims;
    const shape rows{x[0], x[1], x.elements(2)};
    return reshaped(layer_norm_prim{p.x, p.y, {}, {}, {2}, p.epsilon}, rows, rows, ids);
}

// --- pools
// Without pads, behind a pad by an operation of its own.
primitives padded_before(const pool_prim& p, float value, fresh_ids& ids) {
    pool_prim inner = p;
    pad_prim pad{p.x, {}, integers(std::size_t(p.x.dims.rank), 0), {}, "constant", value};
    pad.after = pad.before;
    shape dims = p.x.dims;
    for (std::size_t k = 0; k < p.window.size(); ++k) {
        window_axis& w = inner.window[k];
        pad.before[k + 2] = std::exchange(w.before, 0);
        pad.after[k + 2] = std::exchange(w.after, 0);
        dims[int(k) + 2] = w.in += pad.before[k + 2] + pad.after[k + 2];
    }
    inner.x = pad.y = ids(dims, p.x);
    return {pad, inner};
}
// Along an axis with one window: its part in the image alone. False: there is no such axis.
bool cut_single_windows(pool_prim& p) {
    bool cut = false;
    for (window_axis& a : p.window) {
        if (a.out != 1 || (a.before == 0 && a.after == 0)) continue;
        a = {a.in, 1, a.taps(0, a.in) - a.taps(0, 0), a.in, 1, 0, 0};
        cut = true;
    }
    return cut;
}
// For each window, by how many times it has more elements than it has in the image.
std::vector<float> shares(const std::vector<window_axis>& windows) {
    std::vector<float> factors{1};
    for (const window_axis& a : windows) {
        std::vector<float> next;
        for (const float before : factors)
            for (std::int64_t o = 0; o < a.out; ++o)
                next.push_back(before * float(a.kernel) / float(a.taps(o, a.in) - a.taps(o, 0)));
        factors = std::move(next);
    }
    return factors;
}
primitives expand(const pool_prim& p, fresh_ids& ids) {
    const auto unusual = [](const window_axis& a) {
        return a.dilation != 1 || a.before >= a.kernel || a.after >= a.kernel;
    };
    if (!p.is_padded() || p.gives_indices || (p.counts_padding && p.past_padding) ||
        std::ranges::any_of(p.window, unusual))
        return {};
    if (p.does == pooling::max) return padded_before(p, -no_bound, ids);
    if (p.counts_padding) return padded_before(p, 0, ids);
    pool_prim whole = p;
    if (cut_single_windows(whole)) return {whole};
    if (p.y.is_quantized()) return {};
    whole.counts_padding = true;
    whole.y = ids(p.y.dims, p.y);
    shape dims = p.y.dims;
    dims[0] = dims[1] = 1;
    const operand factors = ids.constant(dims, p.x, [windows = p.window] { return shares(windows); });
    return {whole, binary_prim{arithmetic::mul, whole.y, factors, p.y}};
}
template <class P> primitives expand(const P&, fresh_ids&) { return {}; }
}  // namespace

std::vector<primitive> expanded(const primitive& p, fresh_ids& ids) {
    return std::visit([&](const auto& prim) { return expand(prim, ids); }, p);
}
namespace {
// What normalization is made of.
std::vector<std::pair<kind, int>> norm_parts(bool centred) {
    std::vector<std::pair<kind, int>> parts{{kind::reduce, int(reduction::mean)}, {kind::unary, int(function::sqrt)}};
    for (const arithmetic f : {arithmetic::mul, arithmetic::add, arithmetic::div})
        parts.emplace_back(kind::binary, int(f));
    if (centred) parts.emplace_back(kind::binary, int(arithmetic::sub));
    return parts;
}
}  // namespace
std::span<const expansion> expansions() {
    constexpr std::pair of_sum{kind::reduce, int(reduction::sum)};
    constexpr auto of = [](arithmetic f) { return std::pair{kind::binary, int(f)}; };
    static const std::vector<expansion> table{
        {kind::unary, int(function::hard_sigmoid), {of(arithmetic::mul), of(arithmetic::add), {kind::clamp, 0}}},
        {kind::unary, int(function::hard_swish), {{kind::unary, int(function::hard_sigmoid)}, of(arithmetic::mul)}},
        {kind::unary, int(function::leaky_relu), {of(arithmetic::prelu)}},
        {kind::unary,
         int(function::mish),
         {{kind::unary, int(function::softplus)}, {kind::unary, int(function::tanh)}, of(arithmetic::mul)}},
        {kind::unary, int(function::reciprocal), {of(arithmetic::div)}},
        {kind::unary, int(function::swish), {of(arithmetic::mul), {kind::unary, int(function::sigmoid)}}},
        {kind::clamp, 0, {of(arithmetic::max), of(arithmetic::min)}},
        {kind::affine, 0, {of(arithmetic::mul), of(arithmetic::add)}},
        {kind::reduce, int(reduction::l1), {{kind::unary, int(function::abs)}, of_sum}},
        {kind::reduce, int(reduction::l2), {of(arithmetic::mul), of_sum, {kind::unary, int(function::sqrt)}}},
        {kind::reduce, int(reduction::sum_square), {of(arithmetic::mul), of_sum}},
        {kind::layer_norm, 0, norm_parts(true)},
        {kind::layer_norm, 1, norm_parts(false)}};
    return table;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
