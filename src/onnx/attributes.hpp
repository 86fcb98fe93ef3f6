// Attributes and nodes of a graph as protobuf messages, for writers of files.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
struct attribute_lists {  // of the graph
    std::span<const std::int64_t> integers;
    std::span<const double> reals;
    std::span<const std::string_view> texts;
};
// The name, and the value of numbers and texts; false: it is a tensor or a graph.
bool to_proto(const attribute&, const attribute_lists&, ::onnx::AttributeProto&);
// The pass unflatten_gemm creates nodes of one version of MatMul and Add, which differ by element types only, except
// Add before opset 7.
bool same_in_versions(const node&, int opset);
}  // namespace loading
}  // namespace v1
}  // namespace inlay
