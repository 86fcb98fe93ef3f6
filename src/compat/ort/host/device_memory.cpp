#include <inlay/ort_provider.hpp>

namespace inlay {
inline namespace v1 {
namespace ort {
namespace {
constexpr std::uintptr_t alignment = 64;
std::uintptr_t number_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
}  // namespace

bool opened_memory::copy(void* to, const void* from, std::size_t bytes, bool to_host) const try {
    const TensorShape shape{std::int64_t(bytes)};
    const OrtMemoryInfo host, device = allocator->Info();
    const auto* type = DataTypeImpl::GetType<std::uint8_t>();
    const Tensor source(type, shape, const_cast<void*>(from), to_host ? device : host);
    Tensor target(type, shape, to, to_host ? host : device);
    return transfer->CopyTensor(source, target).IsOK();
} catch (...) {
    return false;  // the session reports which copy failed
}

void memory_table::open(int device, const std::shared_ptr<const opened_memory>& memory) {
    const std::lock_guard guard(lock_);
    open_memories_[device] = memory;
}
void* memory_table::allocate(std::size_t bytes, int device) noexcept try {
    const std::lock_guard guard(lock_);
    auto memory = open_memories_[device].lock();
    void* const start = memory ? memory->allocator->Alloc(bytes + alignment - 1) : nullptr;
    if (!start) return nullptr;
    const std::uintptr_t first = (number_of(start) + alignment - 1) / alignment * alignment;
    blocks_[first] = {start, bytes, std::move(memory)};
    return static_cast<std::byte*>(start) + (first - number_of(start));
} catch (...) {
    return nullptr;
}
void memory_table::release(void* p, int) noexcept try {
    std::shared_ptr<const opened_memory> owner;  // may close the provider, which is done without the lock
    const std::lock_guard guard(lock_);
    const auto at = blocks_.find(number_of(p));
    if (at == blocks_.end()) return;
    at->second.from->allocator->Free(at->second.start);
    owner = std::move(at->second.from);
    blocks_.erase(at);
} catch (...) {  // Free() threw: the block is lost
}
std::shared_ptr<const opened_memory> memory_table::memory_at(const void* p, int device) {
    const std::lock_guard guard(lock_);
    auto at = blocks_.upper_bound(number_of(p));
    if (at != blocks_.begin() && number_of(p) < (--at)->first + at->second.bytes) return at->second.from;
    return open_memories_[device].lock();  // the caller's memory
}
bool memory_table::copy(void* to, const void* from, std::size_t bytes, int device, bool to_host) noexcept try {
    const auto memory = memory_at(to_host ? from : to, device);
    return memory && memory->copy(to, from, bytes, to_host);
} catch (...) {
    return false;
}
error memory_table::refused(std::size_t bytes, int device, std::string_view space) {
    const std::lock_guard guard(lock_);
    const std::string place = "`" + std::string(space) + "` of the device " + std::to_string(device);
    if (open_memories_[device].expired())
        return {error_code::provider_unavailable, "no provider with memory " + place + " is open"};
    return {error_code::out_of_memory, "the allocator of " + place + " has no " + std::to_string(bytes) + " bytes"};
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay
