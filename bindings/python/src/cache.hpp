// Caches of decoders: their state from run to run.
#pragma once
#include "session.hpp"

namespace inlay::python {
void add_cache(nb::module_&, nb::class_<python_session>&);
}  // namespace inlay::python
