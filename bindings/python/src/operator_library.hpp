// Libraries of operators that are compiled for ONNX Runtime, as onnxruntime-extensions' is.
#pragma once
#include "compat/ort/api/custom_ops.hpp"
#include "python.hpp"
#include <inlay/built_providers.hpp>
#include <memory>

namespace inlay::python {
// What one library registers; models and sessions own it.
class operator_library {
    std::shared_ptr<OrtSessionOptions> options_;

  public:
    explicit operator_library(const std::string& file);
    std::span<const std::shared_ptr<const Ort::detail::custom_domain>> domains() const { return options_->domains; }
};
using operator_domains = std::vector<std::shared_ptr<const Ort::detail::custom_domain>>;
operator_domains domains_of(const std::vector<operator_library>&);

using log_function = std::function<void(severity, std::string_view)>;
// For the end of a session's list of providers. `log` may be empty: lines go to standard error.
provider_choice provider_of(const operator_domains&, const model&, int log_severity_level, log_function log);
bool is_provider_of_operators(std::string_view name);
void add_operator_library(nb::module_&);
}  // namespace inlay::python
