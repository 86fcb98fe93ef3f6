// A region as primitives of oneDNN, and partitions of its graphs, over memory. Inside, a value lies as the primitive
// that makes it wants it; those that read it take it so, or a reorder stands between. At the region's ends tensors are
// plain.
#pragma once
#include "library.hpp"
#include <inlay/sdk/engine.hpp>
#include <inlay/tensor.hpp>

namespace inlay {
inline namespace v1 {
using dnnl_layout = std::shared_ptr<const dnnl_memory_desc>;  // type, dimensions and order of elements

tensor room_for(std::size_t bytes);  // at a multiple of 64; throws std::bad_alloc
// Memory of this layout at `elements`.
onednn_ptr<dnnl_memory_t> memory_over(const dnnl_layout&, void* elements);

// The same for all runs.
struct dnnl_program {
    struct storage {
        enum class place : std::uint8_t { constant, input, output, arena };
        place where;
        int index = 0;            // of an input or an output
        std::int64_t offset = 0;  // in the arena
        std::size_t bytes = 0;
        const void* elements = nullptr;  // of a constant: lent by the region, or in `own`
        tensor own{};
    };
    struct tensor_slot {
        dnnl_layout layout;
        int storage;
    };
    struct argument {
        int name;  // DNNL_ARG_...; of a partition: DNNL_ARG_SRC of what it reads, DNNL_ARG_DST of what it makes
        int slot;
    };
    struct step {  // a primitive, or a partition of a graph
        std::vector<argument> arguments;
        onednn_ptr<dnnl_primitive_t> primitive{};
        dnnl_layout scratchpad{};  // of a primitive; null: it needs none
        onednn_ptr<dnnl_graph_compiled_partition_t> partition{};
        std::vector<dnnl_graph_logical_tensor_t> tensors{};  // of a partition's arguments: inputs, then outputs
    };
    std::vector<storage> storages;
    std::vector<tensor_slot> slots;
    std::vector<step> steps;
    std::int64_t arena_bytes = 0, scratchpad_at = 0;  // the scratchpad, one for all steps, ends the arena
};

// Fused candidates whose nodes are all in the region are taken as one where there is a rule for them. Throws
// onednn_refusal.
dnnl_program program_of(const region&);
// What the candidates and the other free nodes become: nodes that are taken, and refusals of the others.
void propose_for_onednn(const free_nodes&, proposals&);
}  // namespace v1
}  // namespace inlay
