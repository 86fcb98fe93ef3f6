// Regions as programs whose steps TVM compiles.
#include "build.hpp"
#include "code.hpp"
#include "lower.hpp"
#include <inlay/provider/tvm.hpp>
#include <mutex>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace {
using namespace tvm_program;
using tvm_calls::call;
using tvm_calls::object;

error failed(const std::string& why) { return {error_code::provider_failed, why}; }

class tvm_region final : public compiled_region {
    std::shared_ptr<const code> code_;

  public:
    explicit tvm_region(std::shared_ptr<const code> c) : code_(std::move(c)) {}
    result<std::unique_ptr<executable>> instance() const override try {
        return make_run(code_);
    } catch (const std::bad_alloc&) {
        return error(error_code::out_of_memory, "there is no memory for what is between the steps");
    }
    result<std::string> save() const override {
        if (!code_->module || !code_->library.empty()) return saved(*code_, code_->library);
        const auto library = shared_object(code_->module);
        if (!library) return library.why();
        return saved(*code_, *library);
    }
};

class tvm_engine final : public engine {
    tvm options_;
    compiler compiler_;
    machine machine_;

    static std::mutex& one_at_a_time() {
        static std::mutex all;
        return all;
    }
    // Equal steps have one function.
    void compile_steps(const region& r, const program& p, code& c) const {
        std::vector<object> scheduled;
        std::unordered_multimap<std::int64_t, std::pair<object, int>> known;  // the functions before their schedules
        for (std::size_t k = 0; k < p.steps.size(); ++k) {
            const step& s = p.steps[k];
            if (!is_compiled(s)) continue;
            int& number = c.steps[k].function;
            const lowered l = lower(r, p, s);
            const std::int64_t hash = call("ffi.StructuralHash", l.function, false, false).integer();
            const auto [first, last] = known.equal_range(hash);
            for (auto f = first; f != last && number < 0; ++f)
                if (call("ffi.StructuralEqual", f->second.first, l.function, false, false).integer())
                    number = f->second.second;
            if (number >= 0) continue;
            number = int(scheduled.size());
            known.emplace(hash, std::pair(l.function, number));
            scheduled.push_back(
                schedule(l, p.tensors[std::size_t(s.output)].dims, machine_, options_.num_of_threads != 1));
        }
        if (!scheduled.empty()) c.module = build(compiler_, scheduled);
    }

  public:
    tvm_engine(tvm options, compiler c) : options_(std::move(options)), compiler_(std::move(c)) {
        machine_.lanes = std::max(vector_bits(compiler_) / 32, 4);
        machine_.registers = machine_.lanes >= 16 ? 32 : 16;
    }
    void propose(const free_nodes& free, proposals& out) override {
        propose_each(free, out, [&](int i) { return why_not({free.graph, free.graph.nodes[std::size_t(i)]}); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        const program p = make_program(r, machine_);
        auto made = code_of(p, r);
        if (!made) return made.why();
        code& c = **made;
        c.threads = options_.num_of_threads;
        const std::lock_guard lock(one_at_a_time());
        compile_steps(r, p, c);
        find_functions(c);
        return std::make_shared<tvm_region>(*made);
    } catch (const tvm_calls::failure& f) {
        return failed(f.what());
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override try {
        const std::shared_ptr<code> c = restored(r, bytes);
        c->threads = options_.num_of_threads;
        if (!c->library.empty()) {
            if (!options_.load_native_code)
                return failed(
                    "it is machine code, which would run with the rights of this program: set the option "
                    "`load_native_code` of TvmExecutionProvider for files that are trusted as a program is");
            auto module = load(c->library);
            if (!module) return module.why();
            c->module = *module;
        }
        find_functions(*c);
        return std::make_shared<tvm_region>(c);
    } catch (const not_saved_code& why) {
        return failed(why.what());
    } catch (const tvm_calls::failure& f) {
        return failed(f.what());
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"tvm", "0.27"},
                {"tvm_ffi", tvm_calls::library().version},
                {"target", compiler_.target_text},
                {"option load_native_code", "any"}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> tvm::open() const try {
    const std::string who(name);
    if (!tvm_calls::library().problem.empty())
        return error(error_code::provider_unavailable, who + ": TVM cannot be used: " + tvm_calls::library().problem);
    if (num_of_threads < 0) return error(error_code::invalid_option, who + ": num_of_threads cannot be negative");
    if (opt_level < 0 || opt_level > 3) return error(error_code::invalid_option, who + ": opt_level is 0 to 3");
    return std::make_shared<tvm_engine>(*this, make_compiler(target, opt_level));
} catch (const tvm_calls::failure& f) {
    return error(error_code::invalid_option, std::string(name) + ": " + f.what());
}
}  // namespace v1
}  // namespace inlay
