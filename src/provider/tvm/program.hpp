// A region as steps over tensors in memory: what is decided about layouts, fusion and memory before TVM is asked.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
// Why the provider does not take a node; empty: it does.
std::string why_not(const node_view&);

// Elements of a constant in another order: element (i, ..., k) of the result is the one at i * steps[0] + ... + k * the
// last step; 0 where its column, k plus i times the number of ks, is not below `columns`.
struct packing {
    shape counts, steps;
    std::int64_t columns = 0;
};
struct slot {  // of a tensor
    enum class place : std::uint8_t { constant, input, output, scratch, alias };
    element type = element::undefined;
    shape dims;  // as they lie in memory, at least one
    place where = place::scratch;
    int index = -1;                   // constant: the value; input, output: which one; alias: the tensor
    std::optional<packing> packed{};  // of a constant
    std::int64_t offset = 0;          // of scratch, in bytes
    std::int64_t bytes() const { return bytes_of(type, dims.elements()); }
};

struct tile {  // of a result's last two axes: what is kept in registers while sums are made
    std::int64_t rows = 1, columns = 1;
};
enum class kind : std::uint8_t {
    elementwise,
    convolution,
    product,
    pool,
    softmax,
    layer_norm,
    reduce,
    permute,  // no node of the graph where it changes a layout
    cut,
    join,    // from here on without TVM: rows that are copied
    lookup,  // rows that are copied, after a check of their indices
    copy
};
struct task {
    task(kind what, int node, std::vector<int> inputs, int output)
        : what(what), node(node), inputs(std::move(inputs)), output(output) {}
    kind what;
    int node;  // of the graph, or -1
    std::vector<int> inputs;
    int output;
    shape axes{};           // permute: where each axis comes from; reduce: 1 where it is reduced
    shape start{}, step{};  // cut
    int axis = 0;           // join, lookup
    int reads = 1;          // elementwise: how often its expression has its operand, about
    tile sums{};            // convolution, product, pool and reduce
};
// Several operations that TVM compiles to one function, each but the first working on the elements that the one before
// made; or a single one that needs no TVM.
struct step {
    std::vector<task> operations;
    std::vector<int> inputs;  // tensors
    int output = -1;
};
struct program {
    std::vector<slot> tensors;
    std::vector<step> steps;
    std::int64_t scratch = 0;  // bytes

    int root(int t) const {
        while (tensors[std::size_t(t)].where == slot::place::alias) t = tensors[std::size_t(t)].index;
        return t;
    }
};
constexpr bool is_compiled(kind what) { return what < kind::join; }
constexpr bool is_compiled(const step& s) { return is_compiled(s.operations.front().what); }

struct machine {
    int lanes = 16;      // floats of a vector
    int registers = 32;  // vectors
};
tile tile_of(const shape& result, std::int64_t most_columns, const machine&);

program make_program(const region&, const machine&);
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
