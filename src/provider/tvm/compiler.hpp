// From tasks to functions of TVM, and from these to code, in this process and in a file.
#pragma once
#include "writer.hpp"

namespace inlay {
inline namespace v1 {
namespace tvm_program {
struct compiler {
    tvm_calls::object target;  // bound to itself as its host
    std::string target_text;
    int opt_level = 3;
    bool parallel = false;  // threads share out the loops
    machine vectors{};
};
compiler make_compiler(const tvm&);  // throws refused_node, as all of these
void compile(const compiler&, planned_program&);

// What the schedule needs to know of a step's tensor expressions.
struct lowered {
    tvm_calls::object function;  // a PrimFunc, of the step's inputs and its output
    bool sums = false;           // it has a block "sums", whose loops over sums are the last ones
    bool pads = false;           // it has a block "pad"
    tile in_registers{};
    int summed_axes = 0;
};
lowered lower(const std::vector<slot>& tensors, const task_group&);
// The function with its loops in order: a PrimFunc again.
tvm_calls::object schedule(const lowered&, const shape& result, const compiler&);
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
