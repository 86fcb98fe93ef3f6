// Bound kernels of one model, with what they packed: sessions that use the same kernel for the same node share it.
#pragma once
#include "run_node.hpp"
#include <inlay/graph_data.hpp>
#include <map>
#include <mutex>
#include <tuple>

namespace inlay::inline v1 {
class bound_states {
public:
    using bind_function = decltype(kernel_functions::bind);  // tells the kernel
    using key = std::tuple<const graph_data*, int, bind_function, isa::level, int>;  // graph, unit, kernel, level, threads
    // What a session holds, else what `bind` makes. A second session of the same kernel waits for the first.
    template <class F> std::shared_ptr<bound_state> find(const key& k, F bind) {
        const std::lock_guard lock(mutex_);
        auto& known = all_[k];
        auto state = known.lock();
        if (!state) known = state = bind();
        return state;
    }
private:
    std::mutex mutex_;
    std::map<key, std::weak_ptr<bound_state>> all_;
};
}  // namespace inlay::inline v1
