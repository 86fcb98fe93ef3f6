// The plain loop in the place of cuDNN's attention: what the library says to the kernel, and how often it was asked.
#pragma once

namespace inlay::testing {
extern bool library_has_plan, library_takes_pointers;
extern int runs_of_library;
}  // namespace inlay::testing
