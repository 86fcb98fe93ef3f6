// What a shadow run compares the steps with, for inlay::shadow and for the tool: another side's values of their
// outputs.
#pragma once
#include "shadow_step.hpp"

namespace inlay {
inline namespace v1 {
namespace shadows {
// Values of a run, by their ids.
class step_values {
  public:
    virtual ~step_values() = default;
    virtual any_value get(int id) const = 0;   // in the order of ONNX; raises errors
    virtual shape shape_of(int id) const = 0;  // of a tensor; else unknown
};

// The run is of side a.
class other_side {
  public:
    virtual ~other_side() = default;
    virtual void plan(std::span<const step_record>) {}                  // before a runs
    virtual bool needs_later(std::size_t, int) const { return false; }  // a value of a, in this step or later ones
    // Its values for the outputs of a step, by their ids, where the values lie.
    virtual void run(std::size_t step, const step_values&,
                     const std::function<void(const std::map<int, any_value>&)>& use) = 0;
    virtual std::string why_none(int value) const = 0;  // in words
};
// Computes each step from a's own values, so that errors do not accumulate; values of two models are matched by name.
// a: the model of a's session. inputs: the shapes of b's. fed_inputs: which inputs of a are given.
std::unique_ptr<other_side> computed_side(const model& a, const model& b, std::vector<provider_handle>,
                                          const session_options&, std::span<const shape> inputs,
                                          const std::vector<int>& fed_inputs);
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
