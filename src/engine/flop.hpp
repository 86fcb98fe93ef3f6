// What a node computes, as a number.
#pragma once
#include <inlay/sdk/graph.hpp>

namespace inlay {
inline namespace v1 {
// Multiplications and additions of products, convolutions, recurrences and attention; 0 of other operators, most of
// which only move or map elements. Shapes by position; unknown where an argument is absent.
double flop_of(const node_view&, std::span<const shape> in, std::span<const shape> out);
}  // namespace v1
}  // namespace inlay
