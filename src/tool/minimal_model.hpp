// The part of a model's file in which a shadow run diverges, as a model with its inputs and outputs.
#pragma once
#include "shadow.hpp"

namespace inlay::tool {
struct minimal_model {
    std::vector<source_node> nodes{};           // of the file, from the values of a to the one that differs
    std::vector<std::string> inputs{};          // values of a
    std::map<std::string, tensor> constants{};  // what a knows before it runs, and the file computes from shapes
};
// `as_it_is`: the file without passes. `available`: names of values that the part may begin with.
minimal_model find_minimal(const model& as_it_is, const std::string& value, const std::vector<std::string>& available,
                           const std::map<std::string, tensor>& known_values);
// `d.inputs` have the part's inputs. Writes model.onnx, input_K.pb, output_0.pb (b's value), a_output_0.pb and
// tolerance.json. Raises errors.
void write_minimal(const fs::path& folder, const std::string& file, const minimal_model&, const divergence&);
}  // namespace inlay::tool
