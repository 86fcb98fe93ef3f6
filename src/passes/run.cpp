// The list of passes and their order.
#include "engine/work_before_run.hpp"
#include "rewrite.hpp"
#include "stage_progress.hpp"

namespace inlay {
inline namespace v1 {
static constexpr pass list_of_passes[] = {
    {"eliminate_identity",
     "removes nodes whose output is their input: Identity, Dropout, Cast to the same type, Reshape to the same "
     "shape",
     passes::eliminate_identity},
    {"fold_shapes",
     "computes shape arithmetic from inferred shapes, and gives Reshape a constant target where the rest can be "
     "copied",
     passes::fold_shapes},
    {"fold_constants", "computes nodes of constant inputs, unless the result is much larger", passes::fold_constants},
    {"eliminate_requantization", "removes QuantizeLinear of what DequantizeLinear made of the same codes",
     passes::eliminate_requantization},
    {"eliminate_common", "joins nodes that compute the same, and equal small constants", passes::eliminate_common},
    {"fold_batch_normalization",
     "puts BatchNormalization, Mul, Add, Sub and Div per channel into the Conv or BatchNormalization before",
     passes::fold_batch_normalization},
    {"unflatten_gemm", "makes Gemm between Reshapes that flatten and restore the leading axes MatMul and Add",
     passes::unflatten_gemm},
    {"eliminate_dead", "removes nodes, outputs and constants that nothing uses", passes::eliminate_dead},
    {"fuse_quantized",
     "offers operators between DequantizeLinear and QuantizeLinear as those that compute with 8-bit integers, such "
     "as "
     "QLinearConv",
     passes::fuse_quantized},
    {"fuse_attention",
     "offers the products of attention, scale, mask and Softmax between them and the moves of heads around them as "
     "one node, inlay.Attention",
     passes::fuse_attention},
    {"fuse_layer_normalization", "offers the nodes that normalise the last axes as one LayerNormalization",
     passes::fuse_layer_normalization},
    {"fuse_channel_shuffle",
     "offers Reshape, Transpose and Reshape that exchange groups of channels as one node, inlay.ChannelShuffle",
     passes::fuse_channel_shuffle},
    {"fuse_blocked_matmul",
     "offers MatMul by a constant matrix of 4-bit quantized values, DequantizeLinear and a bias as one node, "
     "inlay.BlockedMatMul",
     passes::fuse_blocked_matmul},
    {"fuse_gated_matmul",
     "offers two MatMulNBits of one input, an activation of one and the product of both as one node, "
     "inlay.GatedMatMulNBits",
     passes::fuse_gated_matmul},
    {"fuse_joined_matmul",
     "offers up to four MatMul of one input by constant weights, each with a bias, as one node, inlay.JoinedMatMul",
     passes::fuse_joined_matmul},
    {"fuse_matmul", "offers MatMul with a bias, a residual and an activation as one node, inlay.FusedMatMul",
     passes::fuse_matmul},
    {"fuse_matmul_integer",
     "offers MatMulInteger by constant weights with the Cast, the scale and the bias that make floats of it as one "
     "node, inlay.FusedMatMulInteger",
     passes::fuse_matmul_integer},
    {"fuse_squeeze_excite",
     "offers the Mul that scales channels at the end of a squeeze-excite block and the Conv behind it as one node, "
     "inlay.ScaledConv",
     passes::fuse_squeeze_excite},
    {"fuse_conv_activation", "offers Conv with a residual and an activation as one node, inlay.FusedConv",
     passes::fuse_conv_activation},
    {"fuse_gemm_activation", "offers Gemm with an activation as one node, inlay.FusedGemm",
     passes::fuse_gemm_activation},
    {"fuse_element_wise",
     "offers element-wise operators that none of these may take, where they follow each other, as one node, "
     "inlay.TileProgram",
     passes::fuse_element_wise},
};
std::span<const pass> all_passes() { return list_of_passes; }

static int run_everywhere(const pass& p, graph_data& g, const evaluator& evaluate) {
    int count = p.run(g, evaluate);
    for (graph_data& s : g.subgraphs) count += run_everywhere(p, s, evaluate);
    return count;
}

static void forget_fusions(graph_data& g) {  // they name nodes by position
    g.fused.clear();
    for (graph_data& s : g.subgraphs) forget_fusions(s);
}

static std::int64_t constant_bytes(const graph_data& g) {
    std::int64_t bytes = 0;
    for (const graph_constant& c : g.constants) bytes += c.bytes();
    for (const graph_data& s : g.subgraphs) bytes += constant_bytes(s);
    return bytes;
}

std::vector<pass_count> run_passes(graph_data& g, const pass_options& o, const evaluator& compute) {
    // Results of constant nodes may double again and again: together they may take as much memory as the model's own
    // constants.
    const std::int64_t bytes = constant_bytes(g);
    std::int64_t left = bytes + (std::int64_t(64) << 20);
    work_before_run work(bytes);
    const evaluator evaluate{compute.compute, [&](std::int64_t input_bytes, std::int64_t result_bytes) {
                                 if (left <= 0 || !work.take(input_bytes)) return false;
                                 left -= result_bytes;
                                 return true;
                             }};
    const auto registry = all_passes();
    for (const std::string& name : o.without)
        if (std::none_of(registry.begin(), registry.end(), [&](const pass& p) { return p.name == name; }))
            raise({error_code::unknown_option, "there is no pass `" + name + "`"});
    std::vector<pass_count> log;
    std::vector<const pass*> selection;
    for (const pass& p : registry)
        if (std::find(o.without.begin(), o.without.end(), p.name) == o.without.end()) {
            selection.push_back(&p);
            log.push_back({std::string(p.name), 0});
        }
    stage_progress progress(o.progress, stage::passes, std::int64_t(selection.size()));
    std::int64_t begun = 0;  // passes that ran at least once
    forget_fusions(g);
    const auto fuses = [](const pass* p) { return p->name.starts_with("fuse"); };
    for (int round = 0, changed = 1; round < 10 && changed; ++round) {  // nearly always two or three rounds
        changed = 0;
        for (std::size_t k = 0; k < selection.size(); ++k)
            if (!fuses(selection[k])) {
                const int count = run_everywhere(*selection[k], g, evaluate);
                log[k].rewrites += count;
                changed += count;
                progress(begun = std::max(begun, std::int64_t(k) + 1));
            }
    }
    for (std::size_t k = 0; k < selection.size(); ++k)
        if (fuses(selection[k])) {
            log[k].rewrites += run_everywhere(*selection[k], g, evaluate);
            progress(std::int64_t(k) + 1);
        }
    return log;
}
}  // namespace v1
}  // namespace inlay
