// The output of `inlay compile` for a model: a header with its graph as constexpr records, and its weights for the
// assembler.
#pragma once
#include "freeze.hpp"
#include "weights_file.hpp"
#include <inlay/embedded/model.hpp>

namespace inlay {
inline namespace v1 {
struct compile_options {
    std::string name;                     // of the type, in inlay::models
    std::string source{};                 // as the header's first line names it
    std::vector<dimension_size> sizes{};  // of the model's free dimensions
    weights_place place = weights_place::embedded;
    inlay::precision precision = precision::standard;
};
std::string model_header(const frozen_model& m, const weights_file& w, const compile_options& o);
std::string weights_assembler(const weights_file& w, const compile_options& o);
}  // namespace v1
}  // namespace inlay
