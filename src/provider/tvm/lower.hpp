// Steps of a program as functions of TVM.
#pragma once
#include "library.hpp"
#include "program.hpp"

namespace inlay {
inline namespace v1 {
namespace tvm_program {
// What the schedule needs to know of a step's tensor expressions.
struct lowered {
    tvm_calls::object function;  // a PrimFunc, of the step's inputs and its output
    bool sums = false;           // it has a block "sums", whose loops over sums are the last ones
    bool pads = false;           // it has a block "pad"
    tile in_registers{};
    int summed_axes = 0;
};
lowered lower(const region&, const program&, const step&);
// The function with its loops in order: a PrimFunc again.
tvm_calls::object schedule(const lowered&, const shape& result, const machine&, bool parallel);
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
