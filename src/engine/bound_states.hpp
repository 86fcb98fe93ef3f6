// Bound kernels of one model, with their packed weights: sessions that use the same kernel for the same node share it.
#pragma once
#include "packed_memory.hpp"
#include "run_node.hpp"
#include <inlay/sdk/aligned.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <map>
#include <mutex>
#include <tuple>

namespace inlay {
inline namespace v1 {
class bound_states {
  public:
    // What identifies a kernel: everything that a state depends on. One of these functions is not enough, since a
    // linker may merge the bind() of several kernels.
    using kernel_code = std::tuple<decltype(kernel_functions::prepare), decltype(kernel_functions::make_state),
                                   decltype(kernel_functions::bind), decltype(kernel_functions::run)>;
    static kernel_code code_of(const kernel_functions& f) { return {f.prepare, f.make_state, f.bind, f.run}; }
    using key = std::tuple<const graph_data*, int, kernel_code, isa::level, precision,
                           int>;  // graph, unit, kernel, level, precision, threads
    // The cached state, else what `bind` creates. A second session of the same kernel waits for the first.
    template <class F> std::shared_ptr<bound_state> find(const key& k, F bind) {
        known_state& entry = known_at(k);
        const std::lock_guard lock(entry.mutex);
        auto state = entry.state.lock();
        if (!state) entry.state = state = bind();
        return state;
    }
    // The constant, or a copy of it at an address aligned for its elements: sessions that read it while they run share
    // it.
    tensor aligned_constant(const tensor& constant) {
        if (is_aligned(constant)) return constant;
        const std::lock_guard lock(mutex_);
        auto& entry = aligned_[{constant.data(), constant.bytes()}];
        auto copy = entry.lock();
        if (!copy) {
            entry = copy = std::make_shared<tensor>(constant.clone());
            give_back(constant.data(), constant.bytes());
        }
        return tensor::borrow(constant.type(), constant.shape(), copy->data(), copy->where(), copy);
    }
    // The model's file, or one of its external data files: mapped, and not to be unmapped while this object lives.
    void add_file(std::span<const std::byte> data, std::shared_ptr<void> keep);
    // Releases the memory of a part of a file; it is paged in again when read. Other memory is not touched.
    void give_back(const void* data, std::int64_t bytes) const;
    packed_memory packed;  // of kernels that all runs share

  private:
    struct file {
        std::span<const std::byte> data;
        std::shared_ptr<void> keep;
    };
    std::vector<file> files_;
    // By address and bytes: a file may name parts of one place that differ in length, type or shape.
    std::map<std::pair<const void*, std::int64_t>, std::weak_ptr<tensor>> aligned_;
    std::mutex mutex_;
    struct known_state {
        std::mutex mutex;
        std::weak_ptr<bound_state> state;
    };
    std::map<key, known_state> states_;  // entries are never removed
    known_state& known_at(const key& k) {
        const std::lock_guard lock(mutex_);
        return states_[k];
    }
};
}  // namespace v1
}  // namespace inlay
