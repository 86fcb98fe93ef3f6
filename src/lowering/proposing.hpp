// Which nodes a provider takes whose regions are written from primitives.
#pragma once
#include "bytes.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
// Why the nodes are not taken as a region, of which some are computed in 8 bits; empty: they are.
using region_refusal = std::function<std::string(std::span<const int> nodes, const byte_nodes&)>;
// Each node is queried as a region of its own, whose tensors are float32, and then with the nodes around it, in 8
// bits; only so where rules require that what is dequantized is computed in 8 bits.
void propose_nodes(const free_nodes&, const rule_set&, const region_refusal&, proposals&);
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
