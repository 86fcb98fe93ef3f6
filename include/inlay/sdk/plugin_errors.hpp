// Errors where C++ meets the C functions of <inlay/plugin.h>: no exception crosses, and each error is released by the
// side that created it. For the program and for plugins in C++ alike.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/error.hpp>
#include <inlay/plugin.h>
#include <new>

namespace inlay {
inline namespace v1 {
namespace plugin_errors {
struct owned : inlay_error {
    error why;
    explicit owned(error e) : inlay_error{}, why(std::move(e)) {
        size = sizeof(inlay_error);
        code = int(why.code);
        text = why.text.c_str();
        release = [](inlay_error* given) { delete static_cast<owned*>(given); };
    }
};
inline inlay_error* no_memory() noexcept {
    static inlay_error e{sizeof(inlay_error), INLAY_ERROR_OUT_OF_MEMORY, "out of memory", nullptr};
    return &e;
}
}  // namespace plugin_errors

// f() returns result<void>: null, or its error, which the other side releases.
template <class F> inlay_error* answer_in_c(F f) noexcept {
#ifdef __cpp_exceptions
    try {
        try {
            const result<void> done = f();
            return done ? nullptr : new plugin_errors::owned(done.why());
        } catch (const error& e) {
            return new plugin_errors::owned(e);
        } catch (const std::bad_alloc&) {
            return plugin_errors::no_memory();
        } catch (const std::exception& e) {
            return new plugin_errors::owned({error_code::provider_failed, e.what()});
        } catch (...) {
            return new plugin_errors::owned({error_code::provider_failed, "an exception of a type that is not known"});
        }
    } catch (...) {  // of the words themselves
        return plugin_errors::no_memory();
    }
#else
    const result<void> done = f();
    auto* const e = done ? nullptr : new (std::nothrow) plugin_errors::owned(done.why());
    return done || e ? e : plugin_errors::no_memory();
#endif
}
// The result of the other side's function, which f() calls. An exception, against the rules, goes no further.
template <class F> result<void> ask_in_c(F f, std::string_view other) {
    const auto taken = [&](inlay_error* given) -> result<void> {
        if (!given) return {};
        const struct released {
            inlay_error* e;
            ~released() {
                if (e->release) e->release(e);
            }
        } at_end{given};  // also where there is no memory for its text
        const bool known = given->code >= 0 && given->code <= INLAY_ERROR_DEVICE_LOST;
        error e(known ? error_code(given->code) : error_code::provider_failed,
                given->text && *given->text ? given->text : std::string(other) + " gives no reason");
        return e;
    };
    static_assert(int(error_code::device_lost) == INLAY_ERROR_DEVICE_LOST &&
                  int(error_code::provider_failed) == INLAY_ERROR_PROVIDER_FAILED &&
                  int(error_code::unsupported_model) == INLAY_ERROR_UNSUPPORTED_MODEL);
#ifdef __cpp_exceptions
    try {
        return taken(f());
    } catch (const std::bad_alloc&) {
        return error(error_code::out_of_memory, "out of memory");
    } catch (...) {
        return error(error_code::provider_failed, std::string(other) + " let an exception out");
    }
#else
    return taken(f());
#endif
}
}  // namespace v1
}  // namespace inlay
