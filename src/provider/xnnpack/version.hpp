// The calls that differ between the versions of XNNPACK. What is built with decides, INLAY_XNNPACK_SHARES_WEIGHTS: the
// header has caches of packed weights, and what came with them.
#pragma once
#include "library.hpp"
#include "shared_bytes.hpp"
#include <map>
#include <mutex>
#include <span>

namespace inlay {
inline namespace v1 {
using xnnpack_runtime = xnnpack_ptr<xnn_runtime_t>;

#if INLAY_XNNPACK_SHARES_WEIGHTS
inline constexpr bool shares_packed_weights = true;

// Where XNNPACK puts the packed weights of some runtimes, which it has to outlive. Each content is once in the program:
// XNNPACK packs again for each runtime, and then gets what was packed before. Its own caches cannot grow once a
// runtime runs; this one can, since nothing in it moves.
class packed_weights {
    struct functions : xnn_weights_cache_provider {
        // Those that later libraries may have at the end: XNNPACK calls them for weights of half precision only.
        void* later[8] = {};
    };
    functions functions_{};
    std::mutex lock_;
    std::map<void*, shared_bytes> bytes_;  // also the memory that was requested and is not filled yet

    static packed_weights& of(void* context) { return *static_cast<packed_weights*>(context); }
    void* reserve(std::size_t size) noexcept try {
        // Cleared: what lies between packed weights has to be the same each time.
        auto bytes = std::make_shared<tensor>(element::u8, shape{std::int64_t(size)});
        void* const at = bytes->data();
        const std::lock_guard lock(lock_);
        bytes_.emplace(at, std::move(bytes));
        return at;
    } catch (...) {
        return nullptr;  // XNNPACK says then that there is no memory
    }
    std::size_t keep(void* filled) noexcept try {
        const std::lock_guard lock(lock_);
        const shared_bytes bytes = share(bytes_.at(filled));
        if (bytes->data() != filled) {
            bytes_.emplace(bytes->data(), bytes);
            bytes_.erase(filled);
        }
        return std::size_t(bytes->data());
    } catch (...) {
        return std::size_t(filled);  // not shared
    }

  public:
    packed_weights() {
        functions_.context = this;
        // Weights are found by their content alone: XNNPACK's key does not tell all that packing depends on.
        functions_.look_up = [](void*, const xnn_weights_cache_look_up_key*) { return SIZE_MAX; };
        functions_.reserve_space = [](void* c, std::size_t size) { return of(c).reserve(size); };
        functions_.look_up_or_insert = [](void* c, const xnn_weights_cache_look_up_key*, void* filled, std::size_t) {
            return of(c).keep(filled);
        };
        functions_.is_finalized = [](void*) { return true; };  // nothing moves any more
        functions_.offset_to_addr = [](void*, std::size_t offset) { return reinterpret_cast<void*>(offset); };
        functions_.delete_cache = [](void*) { return xnn_status_success; };
    }
    packed_weights(const packed_weights&) = delete;
    packed_weights& operator=(const packed_weights&) = delete;

    xnn_status make_runtime(xnn_subgraph_t subgraph, pthreadpool_t threads, xnnpack_runtime& result) {
        xnn_runtime_t runtime = nullptr;
        const xnn_status s = xnnpack_library().xnn_create_runtime_v3(subgraph, &functions_, threads, 0, &runtime);
        result.reset(runtime);
        return s == xnn_status_success ? xnnpack_library().xnn_reshape_runtime(runtime) : s;
    }
};
inline xnn_status set_up(xnn_runtime_t runtime, std::span<const xnn_external_value> values) {
    return xnnpack_library().xnn_setup_runtime_v2(runtime, values.size(), values.data());
}
inline constexpr bool joins_images = true;
inline xnn_status define_concatenation(xnn_subgraph_t g, int axis, std::span<const std::uint32_t> in,
                                       std::uint32_t out) {
    const auto& f = xnnpack_library();
    switch (in.size()) {
        case 2: return f.xnn_define_concatenate2(g, axis, in[0], in[1], out, 0);
        case 3: return f.xnn_define_concatenate3(g, axis, in[0], in[1], in[2], out, 0);
        case 4: return f.xnn_define_concatenate4(g, axis, in[0], in[1], in[2], in[3], out, 0);
        case 5: return f.xnn_define_concatenate5(g, axis, in[0], in[1], in[2], in[3], in[4], out, 0);
        default: return xnn_status_unsupported_parameter;
    }
}
#else
inline constexpr bool shares_packed_weights = false;

struct packed_weights {  // each runtime has its own
    xnn_status make_runtime(xnn_subgraph_t subgraph, pthreadpool_t threads, xnnpack_runtime& result) {
        xnn_runtime_t runtime = nullptr;
        const xnn_status s = xnnpack_library().xnn_create_runtime_v2(subgraph, threads, 0, &runtime);
        result.reset(runtime);
        return s;
    }
};
inline xnn_status set_up(xnn_runtime_t runtime, std::span<const xnn_external_value> values) {
    return xnnpack_library().xnn_setup_runtime(runtime, values.size(), values.data());
}
inline constexpr bool joins_images = false;
inline xnn_status define_concatenation(xnn_subgraph_t, int, std::span<const std::uint32_t>, std::uint32_t) {
    return xnn_status_unsupported_parameter;
}
#endif
}  // namespace v1
}  // namespace inlay
