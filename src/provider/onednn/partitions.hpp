// Nodes between DequantizeLinear and QuantizeLinear, which oneDNN's graph interface takes together as partitions and
// computes in 8 bits.
#pragma once
#include "library.hpp"
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
struct dnnl_partition {
    std::vector<int> nodes;  // ascending; one that decodes may be in several partitions
    onednn_ptr<dnnl_graph_partition_t> made;
    // Their ids are values of the graph. Plain, but for outputs that only partitions read, whose layout is any.
    std::vector<dnnl_graph_logical_tensor_t> inputs, outputs;
};
struct dnnl_partitions {
    std::vector<dnnl_partition> list;  // by their last nodes, at which they run
    // Of nodes that are in none: why, where they encode, decode, or read what is decoded.
    std::vector<std::string> refusals;
};
// Afterwards outputs of any layout have the one that oneDNN chose.
onednn_ptr<dnnl_graph_compiled_partition_t> compile_partition(dnnl_graph_partition_t,
                                                              const std::vector<dnnl_graph_logical_tensor_t>& inputs,
                                                              std::vector<dnnl_graph_logical_tensor_t>& outputs);
dnnl_partitions partitions_of(const graph_view&, std::span<const int> nodes, const constant_source*);
}  // namespace v1
}  // namespace inlay
