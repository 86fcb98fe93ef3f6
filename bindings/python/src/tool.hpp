// The command-line tool, for `python -m inlayrt` and the command `inlay` of the package.
#pragma once
#include "python.hpp"

namespace inlay::python {
void add_tool(nb::module_&);
}  // namespace inlay::python
