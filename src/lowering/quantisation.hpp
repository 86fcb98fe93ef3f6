// What tensors of 8 bits stand for, as the nodes that make and read them say it.
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

// Elements of an input that is a constant of the plain type T, as numbers of type N; none where they are not available.
template <class N, class T>
std::vector<N> constant_elements(const node_view& n, int k, const constant_source* constants) {
    const void* const p = constants ? constants->elements(n.input_id(k)) : nullptr;
    const auto* const first = static_cast<const T*>(p);
    return p ? std::vector<N>(first, first + n.input(k).dims.elements()) : std::vector<N>{};
}
// Integers of 8 bits that are a constant.
inline std::vector<std::int32_t> constant_bytes(const node_view& n, int k, const constant_source* constants) {
    return n.input(k).type == element::u8 ? constant_elements<std::int32_t, std::uint8_t>(n, k, constants)
                                          : constant_elements<std::int32_t, std::int8_t>(n, k, constants);
}
// What elements of 8 bits stand for, by the inputs that are their scales and their zero point, along axis 0; nothing
// where these are not known before the run, or not one zero point.
inline std::optional<quantisation> read_quantisation(const node_view& n, element type, int scale, int zero,
                                                     const constant_source* constants) {
    if (!is_byte(type) || !n.is_constant(scale) || n.input(scale).type != element::f32) return std::nullopt;
    quantisation q{type};
    if (const auto numbers = n.input_reals(scale))
        q.scales.assign(numbers->begin(), numbers->end());
    else
        q.scales = constant_elements<float, float>(n, scale, constants);
    if (q.scales.empty() || !std::ranges::all_of(q.scales, [](float s) { return s > 0 && std::isnormal(s); }))
        return std::nullopt;
    if (!n.has_input(zero)) return q;
    if (!n.is_constant(zero) || n.input(zero).type != type) return std::nullopt;
    std::vector<std::int32_t> zeros;
    if (const auto numbers = n.input_integers(zero))
        zeros.assign(numbers->begin(), numbers->end());
    else
        zeros = constant_bytes(n, zero, constants);
    if (zeros.empty() || std::ranges::any_of(zeros, [&](std::int32_t z) { return z != zeros[0]; })) return std::nullopt;
    q.zero = zeros[0];
    return q;
}
// Of a node that encodes to 8 bits or decodes from them.
inline std::optional<quantisation> read_quantisation(const node_view& n, const constant_source* constants) {
    if (!n.record.domain.empty() || !n.has_input(0) || !n.has_output(0) || n.integer("block_size", 0) != 0)
        return std::nullopt;
    const bool decode = n.record.op == "DequantizeLinear";
    auto q = read_quantisation(n, decode ? n.input(0).type : n.output(0).type, 1, 2, constants);
    if (q && q->scales.size() > 1) {
        const std::int64_t axis = n.integer("axis", 1);
        q->axis = int(axis < 0 ? axis + n.input(0).dims.rank : axis);
    }
    return q;
}
}  // namespace v1
}  // namespace inlay
