// inlay::error as Python's exceptions.
#pragma once
#include "python.hpp"
#include <inlay/error.hpp>

namespace inlay::python {
void add_errors(nb::module_&);  // from then on, an inlay::error that leaves a function of the module is inlayrt.Error
// `code`: by which inlayrt._errors chooses the class, if not by that of the error.
nb::object exception_of(const error&, const char* code = nullptr);
// The errors of reading a file, where not_found means the file, and stopped means the progress function.
[[noreturn]] void raise_of_reading(const error&);
}  // namespace inlay::python
