// A model, read once and shared by sessions.
#pragma once
#include "python.hpp"
#include <inlay/model.hpp>

namespace inlay::python {
// Reports to Python's function(stage, done, total) -> bool, and lets Ctrl-C, and the flag of a RunOptions, end the work
// that reports its progress.
progress_function progress_to(nb::object function_or_none, nb::object cancel);
void add_model(nb::module_&);
}  // namespace inlay::python
