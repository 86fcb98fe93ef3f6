// Types and shapes of the inputs and results of control-flow bodies: If, Loop, Scan and SequenceMap.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
bool has_bodies(const ::onnx::NodeProto& n);         // whose outputs are its node's outputs
bool is_repeated(const ::onnx::NodeProto& n);        // Loop and Scan
shape common_shape(const shape& a, const shape& b);  // what both have in common

// Of the formal inputs of a node's bodies, as far as the node's inputs determine them. The version is its schema's.
std::vector<value_type> formal_types(const ::onnx::NodeProto& n, std::span<const value_type> inputs, int version);

// How the arguments of a node correspond to those of its bodies.
class body_form {
    enum class kind : std::uint8_t { branch, loop, scan, sequence_map } kind_;
    std::span<const value_type> inputs_;
    bool batched_ = false;                               // Scan 8
    std::vector<int64_t> input_axes_{}, output_axes_{};  // of Scan

    shape stacked(std::size_t k, shape slice) const;

  public:
    std::size_t first_input = 0, first_output = 0, states = 0;  // states: carried from one iteration to the next

    body_form(const ::onnx::NodeProto& n, std::span<const value_type> inputs, int version);
    // Of an output of the node, from the type or the shape of the body's output.
    value_type given(const value_type& t) const;
    shape output_shape(std::size_t k, const shape& of_body) const;
    value_type scanned(std::size_t k) const;  // of Scan: the slice of scan input k in one iteration
    std::size_t scans() const;
};
}  // namespace loading
}  // namespace v1
}  // namespace inlay
