// Fused nodes that compute in integers what the nodes that they replace compute in float32.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "graph.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
// Their results differ from float32 in the last bits, so that neither speed nor being an oracle is a reason to refuse
// one: all providers that have a kernel for it give the same quantized values.
constexpr bool leaves_floats(const graph_view& g, const node& fused) {
    constexpr element_set floats = element_set::of({element::f32, element::f64, element::f16, element::bf16});
    const auto makes_floats = [&](const node& n) {
        const int v = n.outputs.count > 0 ? g.list(n.outputs)[0] : -1;
        return v >= 0 && floats.has(g.values[v].type);
    };
    return !makes_floats(fused) &&
           std::ranges::any_of(g.list(fused.sources), [&](int s) { return makes_floats(g.nodes[s]); });
}
}  // namespace v1
}  // namespace inlay
