// For use by one thread at a time: while it runs without the GIL, others could come.
#pragma once
#include "built/one_at_a_time.hpp"

namespace inlay::python {
inline taken in_use(one_at_a_time& use, const char* name) {
    return {use, [name] {
                return std::string("inlay: this ") + name + " is in a run of another thread; each thread needs its own";
            }};
}
}  // namespace inlay::python
