// The files that `inlay compile` writes for a model.
#pragma once
#include "model_header.hpp"

namespace inlay {
inline namespace v1 {
struct written_model {
    std::filesystem::path header;
    std::int64_t weight_bytes = 0;
    bool changed = false;  // else the files were up to date
};
// <folder>/inlay/models/NAME.hpp, <folder>/NAME.weights and <folder>/NAME.S, as update_file() writes files. Raises an
// error where one cannot be written.
written_model write_model_type(const frozen_model& m, const compile_options& o, const std::filesystem::path& folder);
}  // namespace v1
}  // namespace inlay
