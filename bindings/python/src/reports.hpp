// Reports of a session, as text and JSON; and models as files and C++ headers.
#pragma once
#include "session.hpp"

namespace inlay::python {
void add_reports(nb::class_<python_session>&);
}  // namespace inlay::python
