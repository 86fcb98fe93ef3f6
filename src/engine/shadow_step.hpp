// What a step of a run represents in the model, and whether another side computes the same from the same values.
#pragma once
#include "comparison.hpp"
#include "watch.hpp"

namespace inlay {
inline namespace v1 {
namespace shadows {
struct source_node {
    std::string name, op;  // op: Conv-11, com.microsoft.Gelu-1
    std::string output;    // its first
};
source_node source_of(const graph_view&, const node&);
std::string describe(const source_node&);  // `conv1` (Conv-11); without a name: the Conv-11 that produces `y`

struct step_record {
    int number = 0;              // in a's plan
    std::string provider, kind;  // kind: an operator, or what a step that runs none does
    std::vector<source_node> nodes{};
    std::vector<int> inputs{}, outputs{};  // values of a's graph
    bool random = false;                   // it may give different results from run to run
};
step_record record_of(const watched_step&);

any_value copy_of(const any_value&);           // with elements of its own, of a tensor
any_value as_type(const any_value&, element);  // floating-point values as another type; all else unchanged
// absolute: none is a part of each tensor's largest value, by its type: 1e-5, of float16 2^-9, of bfloat16 2^-6.
comparison compared(const any_value& actual, const any_value& expected, const std::string& name, double relative,
                    std::optional<double> absolute);

// Of a tensor of numbers the shape, and a hash of its elements in the order of ONNX; of anything else nothing.
struct content {
    shape dims{};
    std::uint64_t hash = 0;
    friend bool operator==(const content&, const content&) = default;
};
content content_of(const lying_value&);
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
