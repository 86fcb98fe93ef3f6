// Regions as programs of the Arm Compute Library.
#include "writer.hpp"
#include <inlay/provider/acl.hpp>
#include <arm_compute/runtime/Scheduler.h>
#include <mutex>
#include <provider/engine_module.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// What one run at a time executes, with tensors of its own.
class acl_run final : public executable {
    std::unique_ptr<program> program_;
    std::span<const int> inputs_, outputs_;

  public:
    acl_run(std::unique_ptr<program> p, std::span<const int> inputs, std::span<const int> outputs)
        : program_(std::move(p)), inputs_(inputs), outputs_(outputs) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        for (std::size_t k = 0; k < inputs.size(); ++k) copy_in(program_->of(inputs_[k]), inputs[k].as<float>());
        for (const auto& f : program_->functions) {
            if (c.stopped()) return c.end_of_run();
            f->run();
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) copy_out(program_->of(outputs_[k]), outputs[k].as<float>());
        return status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const std::exception& e) {
        return c.fail(one_line(e.what()), status::failed);
    }
};
class acl_region final : public compiled_region {
    recipe recipe_;
    std::vector<int> inputs_, outputs_;
    mutable std::mutex lock_;
    mutable std::unique_ptr<program> first_;  // of compile(), which tried it

  public:
    acl_region(recipe r, std::vector<int> inputs, std::vector<int> outputs)
        : recipe_(std::move(r)), inputs_(std::move(inputs)), outputs_(std::move(outputs)), first_(recipe_.make()) {}
    result<std::unique_ptr<executable>> instance() const override try {
        std::unique_ptr<program> p;
        {
            const std::lock_guard lock(lock_);
            p = std::move(first_);
        }
        return std::make_unique<acl_run>(p ? std::move(p) : recipe_.make(), inputs_, outputs_);
    } catch (const std::exception& e) {
        return error(error_code::provider_failed, one_line(e.what()));
    }
};

class module final : public engine_module {
    bool fast_math_;

  public:
    explicit module(bool fast_math) : fast_math_(fast_math) {}
    std::string refusal(const region& r) const override {
        return refusal_of(
            "ACL", [&] { recipe_writer(r.graph, fast_math_).write(r.graph.nodes[std::size_t(r.nodes.front())]); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) const override try {
        recipe_writer w(r.graph, fast_math_, r.constants);
        std::vector<int> inputs, outputs;
        for (int id : r.inputs) inputs.push_back(w.value(id).tensor);
        for (int i : r.nodes) w.write(r.graph.nodes[std::size_t(i)]);
        for (int id : r.outputs) outputs.push_back(w.value(id).tensor);
        return std::make_shared<acl_region>(std::move(w).done(), std::move(inputs), std::move(outputs));
    } catch (const refused_node& refused) {
        return error(error_code::unsupported_model, one_line(refused.reason));
    } catch (const std::exception& e) {
        return error(error_code::unsupported_model, one_line("ACL: " + std::string(e.what())));
    }
};
}  // namespace
}  // namespace v1
}  // namespace inlay

extern "C" [[gnu::visibility("default")]] void inlay_acl_module(std::string_view build, const inlay::acl& options,
                                                                inlay::made_module& made) {
    using namespace inlay;
    make_module("libinlay_acl_module", INLAY_ACL_BUILD, build, made, [&] {
        // The scheduler is the process's, and one of several threads takes one kernel at a time: each run has its own
        // thread.
        static const bool single = (arm::Scheduler::set(arm::Scheduler::Type::ST), true);
        (void)single;
        return std::make_shared<module>(options.enable_fast_math);
    });
}
