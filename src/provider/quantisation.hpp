// What tensors of 8 bits stand for, as QuantizeLinear and DequantizeLinear say it.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace inlay {
inline namespace v1 {
struct quantisation {  // (x - zero) * scale
    element type = element::undefined;
    std::int32_t zero = 0;
    std::vector<float> scales{};  // one, or one for each index of `axis`
    int axis = 0;
    bool operator==(const quantisation&) const = default;
};
inline bool is_byte(element e) { return e == element::i8 || e == element::u8; }

// Elements of an input that is a constant of the plain type T, as numbers of type N; none where nobody has them.
template <class N, class T> std::vector<N> constant_elements(const node_view& n, int k, const constant_source* all) {
    const void* const p = all ? all->elements(n.input_id(k)) : nullptr;
    const auto* const first = static_cast<const T*>(p);
    return p ? std::vector<N>(first, first + n.input(k).dims.elements()) : std::vector<N>{};
}
// Scales and zero point of a node that encodes to 8 bits or decodes from them; nothing where they are not known before
// the run, or not one zero point.
inline std::optional<quantisation> read_quantisation(const node_view& n, const constant_source* constants) {
    const bool decode = n.record.op == "DequantizeLinear";
    if (!n.record.domain.empty() || !n.has_input(0) || !n.is_constant(1) || !n.has_output(0)) return std::nullopt;
    const element type = decode ? n.input(0).type : n.output(0).type;
    if (!is_byte(type) || n.integer("block_size", 0) != 0 || n.input(1).type != element::f32) return std::nullopt;
    quantisation q{type};
    if (const auto known = n.input_reals(1))
        q.scales.assign(known->begin(), known->end());
    else
        q.scales = constant_elements<float, float>(n, 1, constants);
    if (q.scales.empty() || !std::ranges::all_of(q.scales, [](float s) { return s > 0 && std::isnormal(s); }))
        return std::nullopt;
    if (q.scales.size() > 1) {
        const std::int64_t axis = n.integer("axis", 1);
        q.axis = int(axis < 0 ? axis + n.input(0).dims.rank : axis);
    }
    if (!n.has_input(2)) return q;
    if (!n.is_constant(2) || n.input(2).type != type) return std::nullopt;
    std::vector<std::int32_t> zeros;
    if (const auto known = n.input_integers(2))
        zeros.assign(known->begin(), known->end());
    else if (type == element::u8)
        zeros = constant_elements<std::int32_t, std::uint8_t>(n, 2, constants);
    else
        zeros = constant_elements<std::int32_t, std::int8_t>(n, 2, constants);
    if (zeros.empty() || std::ranges::any_of(zeros, [&](std::int32_t z) { return z != zeros[0]; })) return std::nullopt;
    q.zero = zeros[0];
    return q;
}
}  // namespace v1
}  // namespace inlay
