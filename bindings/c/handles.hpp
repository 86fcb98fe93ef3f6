// The objects behind the handles of <inlay.h>, and the boundary between C and C++: no exception passes it, every
// argument is checked.
#pragma once
#include "built/one_at_a_time.hpp"
#include <inlay/built_providers.hpp>
#include <inlay.h>
#include <memory>
#include <mutex>
#include <new>

struct inlay_failure {
    inlay::error error;
};
enum class options_kind { model, session, run };
struct inlay_options {
    options_kind kind;
    inlay::model_options model{};
    inlay::session_options session{};
    std::atomic<bool> cancelled{false};
    std::optional<std::chrono::steady_clock::time_point> deadline{};
};
struct inlay_providers {
    std::vector<inlay::provider_choice> list;
};
struct inlay_port {
    inlay::port port;
    inlay::shape dims;  // -1: not fixed
};
struct inlay_model {
    inlay::model model;
    std::vector<inlay_port> inputs, outputs;
    explicit inlay_model(inlay::model);
};
struct inlay_any_value {
    inlay::any_value value;
};
struct inlay_session {
    struct present {  // replaced by set_providers()
        inlay::any_session session;
        std::vector<inlay::provider_choice> list;  // as it was given
    };
    mutable std::mutex lock{};
    std::shared_ptr<const present> now;

    std::shared_ptr<const present> get() const {
        const std::lock_guard hold(lock);
        return now;
    }
};

namespace inlay::c {
inline taken take(one_at_a_time& use, const char* name) {
    return {use, [name] {
                return std::string("inlay: another thread is using this ") + name + "; it does one thing at a time";
            }};
}
}  // namespace inlay::c

struct inlay_binding {
    struct shared {  // with values that lie in its memory
        inlay::binding bound;
        // The values that were set, by name. One may lie in another binding's memory, or in this one's, and owns it:
        // kept here, not in `bound`, so that freeing the handle breaks any reference cycle.
        std::map<std::string, inlay::any_value> inputs{}, outputs{};
        inlay::one_at_a_time use{};
        explicit shared(inlay::binding b) : bound(std::move(b)) {}
    };
    std::shared_ptr<shared> state;
};
struct inlay_cache {
    inlay::kv_cache cache;
    mutable inlay::one_at_a_time use{};
};

namespace inlay::c {
inlay_failure* no_memory() noexcept;  // needs no memory itself
// f(), or a failure of what it throws.
template <class F> inlay_failure* guarded(F f) noexcept {
    try {
        try {
            f();
            return nullptr;
        } catch (const error& e) {
            return new inlay_failure{e};
        } catch (const std::bad_alloc&) {
            return no_memory();
        } catch (const std::exception& e) {
            return new inlay_failure{{error_code::provider_failed, std::string("inlay: ") + e.what()}};
        } catch (...) {
            return new inlay_failure{{error_code::provider_failed, "inlay: an exception of a type that is not known"}};
        }
    } catch (...) {  // out of memory for the text itself
        return no_memory();
    }
}

// The argument, which must not be NULL.
template <class T> T& given(T* p, const char* name) {
    if (!p) raise({error_code::invalid_argument, std::string("inlay: the argument `") + name + "` is NULL"});
    return *p;
}
inline const char* text_given(const char* text, const char* name) { return &given(text, name); }
// A list of `count` items, which may be NULL if there are none.
template <class T> std::span<T> list_given(T* list, std::int64_t count, const char* name) {
    if (count < 0)
        raise({error_code::invalid_argument,
               std::string("inlay: the number of `") + name + "` is negative: " + std::to_string(count)});
    if (count > 0) (void)given(list, name);
    return {list, std::size_t(count)};
}
shape shape_given(const std::int64_t* dims, std::int32_t rank);
const space& memory_given(const char* name);                             // NULL: the host's
const inlay_options* options_given(const inlay_options*, options_kind);  // NULL is allowed
const tensor& tensor_given(const inlay_any_value*, const char* name);
std::vector<feed> feeds_given(const char* const* names, inlay_any_value* const* values, std::int64_t count);
run_options run_options_of(const inlay_options*);

char* text_to_free(std::string_view);
}  // namespace inlay::c
