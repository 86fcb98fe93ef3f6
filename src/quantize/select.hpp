// Which nodes become integer nodes, and which of their values are quantized.
#pragma once
#include "source.hpp"
#include <inlay/quantize.hpp>

namespace inlay {
inline namespace v1 {
namespace quantizing {
enum class role : std::uint8_t {
    convolution,  // weights: input 1, of which axis 0 is the outputs; bias: input 2
    transposed_convolution,
    product,     // weights: input 1, of which the last axis is the outputs
    gemm,        // weights: input 1; bias: input 2
    binary,      // two inputs, of which one may be constant
    unary,       // input 0
    to_one,      // the same, with results from 0 to 1
    activation,  // the same, merged with the operator that produces its input
    joins,       // all inputs have the parameters of the output
    moves,       // input 0 has the parameters of the outputs
};
struct candidate {
    int node = 0;
    role kind = role::unary;
    std::vector<int> inputs{};               // that are quantized to 8 bits
    int weights = -1, axis = -1, bias = -1;  // inputs; axis of the weights' outputs
    bool follows = false;                    // it moves values, and is quantized where its input is
};
struct candidates {
    std::vector<candidate> list;          // in the order of the nodes
    std::vector<float_node> float_nodes;  // of the requested operators, and why not
};
// Of the graph; raises not_found where an exclusion or an operator of the options matches nothing.
candidates find_candidates(const source_model&, const quantize_options&);
// Keeps nodes in float32 that have no weights and whose results no quantized node reads: quantizing them costs accuracy
// for nothing, as that of a Softmax at the end of a network.
void drop_ends(const source_model&, candidates&);
std::string name_of(const NodeProto&);                       // its name, else its first output
bool fits(std::string_view name, std::string_view pattern);  // where * stands for any text

// A static quantization of some candidates.
struct selection {
    std::vector<const candidate*> nodes;                    // in the order of the graph
    std::set<std::string, std::less<>> encoded;             // values that are quantized to 8 bits
    std::map<std::string, std::string, std::less<>> group;  // of each of them: values of one group share parameters
};
// Of the candidates that are allowed, and of the operators that move values between them.
selection select(const source_model&, std::span<const candidate>, const std::function<bool(int node)>& allowed);
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
