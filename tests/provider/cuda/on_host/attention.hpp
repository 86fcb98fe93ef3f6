// A simple loop in the place of cuDNN's attention: what the library returns to the kernel, and how often it was called.
#pragma once

namespace inlay::testing {
extern bool library_has_plan, library_takes_pointers;
extern int runs_of_library;
}  // namespace inlay::testing
