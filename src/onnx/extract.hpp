// A part of a model file as a model file.
#pragma once
#include <inlay/tensor.hpp>
#include <filesystem>
#include <span>
#include <string>

namespace inlay {
inline namespace v1 {
struct extracted {  // file: its bytes
    std::string file;
    int nodes = 0, of = 0;
};
// The nodes between two sets of values: `from` become the inputs and `to` the outputs; none means those of the model.
// Raises errors: of the model, and where `to` needs an input of the model that is not in `from`. `folder`: where the
// file is to be; external data that it can name from there stays where it is, other data is stored in the part.
// `known`: values that become initializers.
extracted extract_model(const std::filesystem::path& model, std::span<const std::string> from,
                        std::span<const std::string> to, const std::filesystem::path& folder,
                        const std::map<std::string, tensor>& known_values = {});
}  // namespace v1
}  // namespace inlay
