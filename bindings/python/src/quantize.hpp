// quantize_model(): inlay::quantize().
#pragma once
#include "python.hpp"

namespace inlay::python {
void add_quantize(nb::module_&);
}  // namespace inlay::python
