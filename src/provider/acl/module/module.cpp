// Regions as programs of the Arm Compute Library.
#include "writer.hpp"
#include <arm_compute/runtime/Scheduler.h>
#include <arm_compute/runtime/SingleThreadScheduler.h>
#include <cstring>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
// Integers of 32 bits, which lie at the begin, become such of 64 bits in their place.
void widen(std::int64_t* values, std::size_t count) {
    for (std::size_t k = count; k-- > 0;) {
        std::int32_t x = 0;
        std::memcpy(&x, reinterpret_cast<const char*>(values) + k * sizeof x, sizeof x);
        values[k] = x;
    }
}
class acl_run {
    const recipe& recipe_;
    std::unique_ptr<program> program_;

  public:
    acl_run(const recipe& r, std::unique_ptr<program> p) : recipe_(r), program_(std::move(p)) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) {
        for (std::size_t k = 0; k < inputs.size(); ++k) copy_in(program_->of(recipe_.inputs[k]), inputs[k].data);
        for (const auto& f : program_->functions) {
            if (c.stopped()) return c.end_of_run();
            f->run();
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const auto& [tensor, is_widened] = recipe_.outputs[k];
            copy_out(program_->of(tensor), outputs[k].data);
            if (is_widened)
                widen(outputs[k].as<std::int64_t>(), program_->of(tensor).info()->tensor_shape().total_size());
        }
        return status::ok;
    }
};
class acl_region {
    recipe recipe_;
    mutable std::mutex lock_{};
    mutable std::unique_ptr<program> first_;  // of compile(), which tried it

  public:
    explicit acl_region(recipe r) : recipe_(std::move(r)), first_(recipe_.make()) {}
    acl_run instance() const {
        std::unique_ptr<program> p;
        {
            const std::lock_guard lock(lock_);
            p = std::move(first_);
        }
        return {recipe_, p ? std::move(p) : recipe_.make()};
    }
};

// ACL's scheduler of one thread, which in 20.08 takes no kernels that may be split along all dimensions: small products
// are such.
class caller_scheduler final : public arm::IScheduler {
    arm::SingleThreadScheduler single_;

  public:
    void set_num_threads(unsigned) override {}
    unsigned num_threads() const override { return 1; }
    void schedule(arm::ICPPKernel* kernel, const Hints& hints) override {
        const bool has_all_dimensions = hints.split_dimension() == split_dimensions_all;
        single_.schedule(kernel, has_all_dimensions ? Hints(arm::Window::DimX) : hints);
    }
    void schedule_op(arm::ICPPKernel* kernel, const Hints& hints, arm::ITensorPack& tensors) override {
        single_.schedule_op(kernel, hints, tensors);
    }
    void run_workloads(std::vector<Workload>& workloads) override {
        arm::ThreadInfo info;
        info.cpu_info = &_cpu_info;
        for (Workload& w : workloads) w(info);
    }
};

class module final : public lowering_module {
    bool fast_math_;

  public:
    explicit module(bool fast_math) : fast_math_(fast_math) {}
    std::string refusal(const lowered_region& r) const override {
        return refusal_of([&] { (void)write_region<acl_rules>(r, recipe_writer(r.of, fast_math_, true)); });
    }
    lowering::region_result compile(const lowered_region& r) const override {
        return caught_result<lowering::region_result>(error_code::unsupported_model, [&] {
            return lowering::region_of(
                std::make_shared<acl_region>(write_region<acl_rules>(r, recipe_writer(r.of, fast_math_, false))));
        });
    }
};
}  // namespace
}  // namespace v1
}  // namespace inlay

extern "C" [[gnu::visibility("default")]] void inlay_acl_module(std::string_view build, const inlay::acl& options,
                                                                inlay::module_result<inlay::lowering_module>& result) {
    using namespace inlay;
    make_module("libinlay_acl_module", INLAY_ACL_BUILD, build, result, [&] {
        // The scheduler is the process's, and one of several threads takes one kernel at a time: each run has its own
        // thread.
        static const bool single = (arm::Scheduler::set(std::make_shared<caller_scheduler>()), true);
        (void)single;
        return std::make_shared<module>(options.enable_fast_math);
    });
}
