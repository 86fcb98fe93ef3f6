// Nodes that Inlay runs, but ONNX Runtime runs faster.
#pragma once
#include <inlay/sdk/catalogue.hpp>
#include <string>

namespace inlay::ep {
// Why a node is one, by its operator and types; empty: it is none. Reference kernels are too slow for matmuls, and for
// results of some size.
std::string slower_kernel(const kernel_table&, const node_view&);
}  // namespace inlay::ep
