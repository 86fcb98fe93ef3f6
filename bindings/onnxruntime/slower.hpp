// Nodes that Inlay runs, and ONNX Runtime runs faster.
#pragma once
#include <inlay/core/catalogue.hpp>
#include <span>
#include <string>
#include <vector>

namespace inlay::ep {
// Why a node is one, as its operator and types tell; empty: it is none. Products, and results of some size, are not
// for plain loops.
std::string slower_kernel(const kernel_table&, const node_view&);

// What a node of a graph reads and makes, as numbers of values; -1: nothing.
struct node_outline {
    std::string_view op;
    std::vector<int> inputs, outputs;
};
// The nodes that ONNX Runtime computes with 8-bit integers as they are: between DequantizeLinear of values and
// QuantizeLinear, and these themselves. `constants`: by value.
std::vector<char> quantised_units(std::span<const node_outline>, const std::vector<char>& constants);
}  // namespace inlay::ep
