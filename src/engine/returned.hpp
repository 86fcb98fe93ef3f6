// How functions that return their errors catch them.
#pragma once
#include <inlay/error.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
// f(), or the error that it raises; or out of memory, as a static text that needs no heap. Other exceptions of f
// pass: they come from the caller's own callbacks.
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
