// Nodes that Inlay runs, and ONNX Runtime runs faster.
#pragma once
#include <inlay/sdk/catalogue.hpp>
#include <string>

namespace inlay::ep {
// Why a node is one, as its operator and types tell; empty: it is none. Products, and results of some size, are not
// for plain loops.
std::string slower_kernel(const kernel_table&, const node_view&);
}  // namespace inlay::ep
