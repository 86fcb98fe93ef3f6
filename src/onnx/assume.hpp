// Makes invalid models valid where ONNX Runtime runs them: each assumption becomes a warning, or an error on
// request.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
class assumptions {
    struct assumption {
        std::string fault, meaning, subject;
        int repeats = 0;
    };
    static constexpr std::size_t most = 100;
    std::vector<assumption> list_{};
    bool strict_;

  public:
    explicit assumptions(bool strict) : strict_(strict) {}
    // "`lstm` (LSTM) names an activation as `tanh`: Tanh is meant"; texts that differ only in `subject` give one
    // warning.
    void add(const std::string& fault, const std::string& meaning, const std::string& subject);
    std::vector<std::string> texts() const;
};

void assume_imports(::onnx::ModelProto& m, assumptions& a);  // leaves one import of each domain
void assume_graph(::onnx::ModelProto& m, assumptions& a);    // once functions are inlined

// For a node that generates texts: a name that stands for different sizes of its encoder's or decoder's inputs is
// removed.
void separate_sizes(::onnx::NodeProto& n, assumptions& a);

// Operators of com.microsoft.nchwc, which ONNX Runtime writes for its own use, become those of ONNX.
void rewrite_nchwc(::onnx::ModelProto& m, const limits& l, assumptions& a);

// Refuses an Einsum whose equation contains anything that is no part of one: onnx's inference would never end.
void check_equations(const ::onnx::GraphProto& g);
}  // namespace loading
}  // namespace v1
}  // namespace inlay
