// Calls of ONNX Runtime that raise its errors, and Inlay's errors returned as its statuses.
#pragma once
#include "abi.hpp"
#include <inlay/session.hpp>

namespace inlay::ep {
// The tables of the ONNX Runtime that opened this library. The calls raise its errors as inlay::error.
class runtime {
    const OrtApi* api_ = nullptr;
    const OrtEpApi* provider_api_ = nullptr;
    void raise_failed(OrtStatus*) const;

  public:
    runtime() = default;
    explicit runtime(const OrtApi* api) : api_(api), provider_api_(provider_api(api)) {}

    template <class... A> void ask(const api<asked<A...>>& f, std::type_identity_t<A>... a) const {
        if (OrtStatus* s = f(api_, a...)) raise_failed(s);
    }
    template <class... A> void ask(const ep_api<asked<A...>>& f, std::type_identity_t<A>... a) const {
        if (OrtStatus* s = f(provider_api_, a...)) raise_failed(s);
    }
    template <class R, class... A> R call(const api<R(A...)>& f, std::type_identity_t<A>... a) const {
        return f(api_, a...);
    }
    // What a function writes to its last argument.
    template <class T, class... A> T get(const api<asked<A...>>& f, auto... a) const {
        T value{};
        ask(f, a..., &value);
        return value;
    }
    // A list, whose length another function returns.
    template <class T, class Of, class Count, class All>
    std::vector<T> list(const Count& count, const All& fill, const Of* of) const {
        std::vector<T> items(get<std::size_t>(count, of));
        ask(fill, of, items.data(), items.size());
        return items;
    }

    OrtStatus* status(ort_error code, const std::string& text) const { return call(create_status, code, text.c_str()); }
    OrtStatus* status_of(const error&) const;
    // What f() raises as a status; null where it raises nothing.
    template <class F> OrtStatus* guarded(F f) const noexcept {
        try {
            f();
            return nullptr;
        } catch (...) {
            return current_status();
        }
    }

  private:
    OrtStatus* current_status() const noexcept;  // of the exception that is being handled
};

// A session's log.
struct logger {
    const runtime* ort = nullptr;
    const OrtLogger* to = nullptr;
    void operator()(severity, const std::string& text) const noexcept;  // what cannot be logged is lost
    bool takes(severity) const noexcept;
};

// ONNX Runtime numbers the newest element types in another order than ONNX does. undefined: one that Inlay lacks.
element element_of_ort(int type);

struct tensor_type {
    element type = element::undefined;
    std::vector<std::int64_t> dims{};    // negative: not known
    std::vector<std::string> symbols{};  // one per dimension, empty where it has no name; none if not requested
    bool has_shape = true;
};
tensor_type tensor_type_of(const runtime&, const OrtTensorTypeAndShapeInfo*, bool with_symbols);
// Of a value in memory.
tensor_type tensor_type_of(const runtime&, const OrtValue*);
shape shape_of(const tensor_type&, std::string_view subject);  // raises limit_exceeded where it has too many dimensions

tensor tensor_of_strings(const runtime&, const OrtValue*, const shape&);  // a copy
void write_strings(const runtime&, const tensor&, OrtValue*);
}  // namespace inlay::ep
