// How functions that give their errors back catch them.
#pragma once
#include <inlay/error.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
// f(), or the error that it raises, or that there is no memory: told by a text that needs none where the heap has
// nothing left. What else f throws passes: it is the caller's, of what it gave to be called.
template <class T, class F> result<T> returned(F f) {
    try {
        try {
            return f();
        } catch (const error& e) {
            return e;
        } catch (const std::bad_alloc&) {
            return error(error_code::out_of_memory, "inlay: the system has no memory left");
        }
    } catch (const std::bad_alloc&) {
        return error(error_code::out_of_memory, "no memory left");
    }
}
}  // namespace v1
}  // namespace inlay
