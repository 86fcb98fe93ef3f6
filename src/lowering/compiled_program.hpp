// What a backend compiled, as the engine's contract has it: failures become errors, and of a run its status.
#pragma once
#include "refusal.hpp"
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
// What f() returns; where it throws refused_node an error of this code, and an error that it throws itself.
template <class F> auto result_of(error_code otherwise, F f) -> decltype(f()) {
    try {
        return f();
    } catch (const refused_node& r) {
        return error(otherwise, one_line(r.reason));
    } catch (const error& e) {
        return e;
    }
}
// Program: instance() makes an object for one run at a time. Its run(inputs, outputs, context) returns the status, or
// why it failed, an empty text if it did not; or it throws refused_node. saved() returns bytes, or throws it too.
template <class Program> class program_run final : public executable {
    std::shared_ptr<const Program> program_;
    decltype(program_->instance()) instance_;

  public:
    explicit program_run(std::shared_ptr<const Program> p) : program_(std::move(p)), instance_(program_->instance()) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        const auto outcome = instance_.run(inputs, outputs, c);
        if constexpr (std::same_as<decltype(outcome), const status>)
            return outcome;
        else
            return outcome.empty() ? status::ok : c.fail(outcome, status::failed);
    } catch (const refused_node& r) {
        return c.fail(r.reason, status::failed);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const std::exception& e) {
        return c.fail(one_line(e.what()), status::failed);
    }
};
template <class Program> struct compiled_program final : compiled_region {
    std::shared_ptr<const Program> program;
    explicit compiled_program(std::shared_ptr<const Program> p) : program(std::move(p)) {}
    result<std::unique_ptr<executable>> instance() const override try {
        return result_of(error_code::provider_failed, [&]() -> result<std::unique_ptr<executable>> {
            return std::make_unique<program_run<Program>>(program);
        });
    } catch (const std::exception& e) {
        return error(error_code::provider_failed, one_line(e.what()));
    }
    result<std::string> save() const override {
        return result_of(error_code::provider_failed, [&]() -> result<std::string> {
            if constexpr (requires { program->saved(); })
                return program->saved();
            else
                return compiled_region::save();
        });
    }
};
using region_result = result<std::shared_ptr<const compiled_region>>;
template <class Program> region_result region_of(std::shared_ptr<Program> p) {
    return std::make_shared<compiled_program<std::remove_const_t<Program>>>(std::move(p));
}
inline region_result region_of(region_result result) { return result; }
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
