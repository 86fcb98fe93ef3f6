// Provider-neutral rewrites of a graph, run when a model is loaded; each may be disabled by name. None changes what the
// graph computes, nor its inputs and outputs. Fusions replace nothing: they add candidates to graph_data::fused.
#pragma once
#include "engine/evaluate.hpp"
#include <inlay/model.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
// Computes nodes of constants, for passes; without `compute` nothing is computed.
struct evaluator {
    std::function<result<std::vector<tensor>>(const graph_view&, const node&, std::span<const tensor>)> compute{};
    // Whether constants of so many bytes may be computed from others of so many. Null: always.
    std::function<bool(std::int64_t input_bytes, std::int64_t result_bytes)> affords{};
    explicit operator bool() const { return bool(compute); }
};

struct pass {
    std::string_view name, description;
    int (*run)(graph_data&, const evaluator&);  // the number of rewrites
};
std::span<const pass> all_passes();

struct pass_options {
    std::vector<std::string> without{};  // names of passes
    progress_function progress{};
};
// Runs all passes over the graph and its subgraphs until nothing changes, fusions last. An unknown name in `without` is
// an error.
std::vector<pass_count> run_passes(graph_data& g, const pass_options& o, const evaluator& evaluate);

namespace passes {
int eliminate_identity(graph_data&, const evaluator&);
int fold_constants(graph_data&, const evaluator&);
int fold_shapes(graph_data&, const evaluator&);
int eliminate_requantization(graph_data&, const evaluator&);
int eliminate_common(graph_data&, const evaluator&);
int eliminate_dead(graph_data&, const evaluator&);
int fold_batch_normalization(graph_data&, const evaluator&);
int unflatten_gemm(graph_data&, const evaluator&);
int fuse_quantized(graph_data&, const evaluator&);
int fuse_attention(graph_data&, const evaluator&);
int fuse_layer_normalization(graph_data&, const evaluator&);
int fuse_channel_shuffle(graph_data&, const evaluator&);
int fuse_blocked_matmul(graph_data&, const evaluator&);
int fuse_gated_matmul(graph_data&, const evaluator&);
int fuse_joined_matmul(graph_data&, const evaluator&);
int fuse_matmul(graph_data&, const evaluator&);
int fuse_matmul_integer(graph_data&, const evaluator&);
int fuse_squeeze_excite(graph_data&, const evaluator&);
int fuse_conv_activation(graph_data&, const evaluator&);
int fuse_gemm_activation(graph_data&, const evaluator&);
int fuse_element_wise(graph_data&, const evaluator&);
}  // namespace passes
}  // namespace v1
}  // namespace inlay
