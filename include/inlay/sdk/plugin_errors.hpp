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
    error cause;
    explicit owned(error e) : inlay_error{}, cause(std::move(e)) {
        size = sizeof(inlay_error);
        code = int(cause.code);
        text = cause.text.c_str();
        release = [](inlay_error* self) { delete static_cast<owned*>(self); };
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
            const result<void> outcome = f();
            return outcome ? nullptr : new plugin_errors::owned(outcome.why());
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
    const result<void> outcome = f();
    auto* const e = outcome ? nullptr : new (std::nothrow) plugin_errors::owned(outcome.why());
    return outcome || e ? e : plugin_errors::no_memory();
#endif
}
// The result of the other side's function, which f() calls. An exception, against the rules, goes no further.
template <class F> result<void> ask_in_c(F f, std::string_view callee) {
    const auto convert = [&](inlay_error* failure) -> result<void> {
        if (!failure) return {};
        const struct released {
            inlay_error* e;
            ~released() {
                if (e->release) e->release(e);
            }
        } at_end{failure};  // also where there is no memory for its text
        const bool has_known_code = failure->code >= 0 && failure->code <= INLAY_ERROR_DEVICE_LOST;
        error e(has_known_code ? error_code(failure->code) : error_code::provider_failed,
                failure->text && *failure->text ? failure->text : std::string(callee) + " gives no reason");
        return e;
    };
    static_assert(int(error_code::device_lost) == INLAY_ERROR_DEVICE_LOST &&
                  int(error_code::provider_failed) == INLAY_ERROR_PROVIDER_FAILED &&
                  int(error_code::unsupported_model) == INLAY_ERROR_UNSUPPORTED_MODEL);
#ifdef __cpp_exceptions
    try {
        return convert(f());
    } catch (const std::bad_alloc&) {
        return error(error_code::out_of_memory, "out of memory");
    } catch (...) {
        return error(error_code::provider_failed, std::string(callee) + " let an exception out");
    }
#else
    return convert(f());
#endif
}
}  // namespace v1
}  // namespace inlay
