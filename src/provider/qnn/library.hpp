// QNN's backends: libraries that give a table of functions, opened when first used: a program must start where there
// are none.
#pragma once
#include "abi.hpp"
#include <inlay/error.hpp>
#include <inlay/provider/qnn.hpp>
#include <lowering/refusal.hpp>
#include <memory>
#include <string>

namespace inlay {
inline namespace v1 {
// A backend of one session, and what its library made for it.
class qnn_backend {
    const qnn_abi::interface& api_;
    qnn options_;
    std::string build_;
    bool half_floats_ = false;
    qnn_abi::handle log_ = nullptr, backend_ = nullptr, device_ = nullptr;

    std::string make();  // what is wrong; empty: nothing

  public:
    explicit qnn_backend(const qnn_abi::interface& api, const qnn& options) : api_(api), options_(options) {}
    qnn_backend(const qnn_backend&) = delete;
    qnn_backend& operator=(const qnn_backend&) = delete;
    ~qnn_backend();
    static result<std::shared_ptr<qnn_backend>> open(const qnn&);

    const qnn_abi::functions& f() const { return api_.f; }
    const qnn& options() const { return options_; }
    qnn_abi::handle backend() const { return backend_; }
    qnn_abi::handle device() const { return device_; }
    bool is_htp() const { return api_.backend == 6; }
    // Its processor computes fp16.
    bool has_half_floats() const { return half_floats_; }
    void find_half_floats(bool has) { half_floats_ = has; }
    bool only_records() const { return api_.backend == 2; }
    std::string name() const { return api_.name; }  // HTP_QTI_AISW
    std::string build() const { return build_; }    // v2.51.0.260929181845
    std::string interface_version() const;          // of the interface and of the backend
    // Calls a function of the table: what QNN says if it fails, in one line; empty: it did not.
    template <class F, class... A> std::string problem_of(F function, A... arguments) const {
        if (!function) return "the library lacks a function of its interface";
        forget_words();
        const qnn_abi::error_number e = function(arguments...);
        return e == qnn_abi::success ? std::string() : why(e);
    }
    template <class F, class... A> void call(F function, A... arguments) const {
        if (std::string problem = problem_of(function, arguments...); !problem.empty()) refuse(std::move(problem));
    }

  private:
    static void forget_words();
    std::string why(qnn_abi::error_number) const;  // of the call before
};
}  // namespace v1
}  // namespace inlay
