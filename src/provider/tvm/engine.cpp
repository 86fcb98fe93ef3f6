// Regions as programs whose steps TVM compiles.
#include "compiler.hpp"
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
using namespace tvm_program;

struct tvm_backend {
    static constexpr const lowering::rule_set& rules = tvm_rules;
    tvm options;
    compiler code;

    struct writer : tvm_writer {
        writer(const tvm_backend& b, const region& r, lowering::purpose purpose)
            : tvm_writer(r, b.code.vectors, purpose) {}
    };
    lowering::target aim() const { return {&tvm_rules, "0.27"}; }
    std::shared_ptr<const program> compile(planned_program p) const {
        static std::mutex one_at_a_time;
        const std::lock_guard lock(one_at_a_time);
        tvm_program::compile(code, p);
        p.compiled.threads = options.num_of_threads;
        return std::make_shared<const program>(std::move(p.compiled));
    }
    std::shared_ptr<const program> restore(const region& r, std::string_view bytes) const {
        const std::shared_ptr<program> p = restored(r, bytes);
        p->threads = options.num_of_threads;
        if (!p->library.empty() && !options.load_native_code)
            refuse(
                "it is machine code, which would run with the rights of this program: set the option "
                "`load_native_code` of TvmExecutionProvider for files that are trusted as a program is");
        if (!p->library.empty()) p->module = load_module(p->library);
        p->find_functions();
        return p;
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        return {{"tvm", "0.27"},
                {"tvm_ffi", tvm_calls::library().version},
                {"target", code.target_text},
                {"option load_native_code", "any"}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> tvm::open() const try {
    const auto unusable = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (!tvm_calls::library().problem.empty())
        return unusable(error_code::provider_unavailable, "TVM cannot be used: " + tvm_calls::library().problem);
    if (num_of_threads < 0) return unusable(error_code::invalid_option, "num_of_threads cannot be negative");
    if (opt_level < 0 || opt_level > 3) return unusable(error_code::invalid_option, "opt_level is 0 to 3");
    return std::make_shared<lowering::region_engine<tvm_backend>>(tvm_backend{*this, make_compiler(*this)});
} catch (const refused_node& r) {
    return error(error_code::invalid_option, std::string(name) + ": " + r.reason);
}
}  // namespace v1
}  // namespace inlay
