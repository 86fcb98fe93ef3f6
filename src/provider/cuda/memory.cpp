// Memory spaces of CUDA, and copies.
#include "runtime.hpp"
#include <inlay/cuda/support/workspace.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace {
struct owners_of_blocks {  // a block may outlive the session, and be released by any thread
    std::mutex mutex;
    std::unordered_map<void*, std::shared_ptr<cuda_arena>> arenas;
};
owners_of_blocks& owners() {
    static owners_of_blocks* const instance = new owners_of_blocks;  // tensors may be static too
    return *instance;
}
}  // namespace

void* memory_space<memory::cuda>::allocate(std::size_t bytes, int device) noexcept try {
    cuda_queue* const q = queue_on(device);
    if (!q) return nullptr;
    const auto& arena = q->runtime().arena;
    void* const p = arena->allocate(bytes);
    if (!p) return nullptr;
    const std::lock_guard lock(owners().mutex);
    owners().arenas.emplace(p, arena);
    return p;
} catch (...) {
    return nullptr;
}
void memory_space<memory::cuda>::release(void* p, int) noexcept {
    if (!p) return;
    std::shared_ptr<cuda_arena> arena;  // the last one goes after the lock
    {
        const std::lock_guard lock(owners().mutex);
        const auto at = owners().arenas.find(p);
        if (at == owners().arenas.end()) return;
        arena = std::move(at->second);
        owners().arenas.erase(at);
    }
    arena->release(p);
}
error memory_space<memory::cuda>::refused(std::size_t bytes, int device) {
    if (cuda_queue* const q = queue_on(device)) {
        error e = q->runtime().arena->refused(bytes);
        e.text += " (device " + std::to_string(device) + ")";
        return e;
    }
    const auto session = cuda{.device_id = device}.open();
    return session ? error(error_code::provider_unavailable, std::string(cuda::name) + ": device " +
                                                                 std::to_string(device) +
                                                                 " could not be used when it was first requested")
                   : session.why();
}
void* memory_space<memory::pinned>::allocate(std::size_t bytes) noexcept {
    void* p = nullptr;
    if (!current_queue()) return nullptr;
    if (cudaHostAlloc(&p, bytes, cudaHostAllocPortable) != cudaSuccess) (void)cudaGetLastError();
    return p;
}
void memory_space<memory::pinned>::release(void* p) noexcept {
    if (p && cudaFreeHost(p) != cudaSuccess) (void)cudaGetLastError();
}
error memory_space<memory::pinned>::refused(std::size_t) {
    const auto session = cuda{}.open();
    return session ? error(error_code::out_of_memory, "inlay: the driver has no pinned memory left") : session.why();
}

void* workspace_on_cuda(std::size_t bytes) noexcept {
    cuda_queue* const q = current_queue();
    if (!q) return nullptr;
    q->runtime().need_workspace(std::max<std::size_t>(bytes, 1));
    return q->widen_workspace() ? q->workspace() : nullptr;
}

bool transfer<memory::host, memory::cuda>::copy(void* to, const void* from, std::size_t bytes, void*) noexcept {
    cuda_queue* const q = current_queue();
    return q && q->copy(to, from, bytes);
}
bool transfer<memory::host, memory::cuda>::copy(void* to, const void* from, std::size_t bytes, int device) noexcept {
    cuda_queue* const q = queue_on(device);
    return q && q->copy(to, from, bytes) && q->wait() == status::ok;
}
}  // namespace v1
}  // namespace inlay
