#include "errors.hpp"
#include "memory.hpp"
#include <inlay/built_providers.hpp>
#include <algorithm>
#include <mutex>

namespace Ort {
namespace detail {
namespace {
struct space_allocator : OrtAllocator {
    OrtMemoryInfo info;

    explicit space_allocator(OrtMemoryInfo i) : OrtAllocator{}, info(std::move(i)) {
        version = ORT_API_VERSION;
        OrtAllocator::Alloc = [](OrtAllocator* self, std::size_t bytes) { return of(self).take(bytes); };
        OrtAllocator::Reserve = OrtAllocator::Alloc;
        OrtAllocator::Free = [](OrtAllocator* self, void* p) {
            if (p) of(self).info.space->release(p);
        };
        OrtAllocator::Info = [](const OrtAllocator* self) { return &static_cast<const space_allocator*>(self)->info; };
    }

  private:
    static space_allocator& of(OrtAllocator* self) { return *static_cast<space_allocator*>(self); }
    void* take(std::size_t bytes) const { return info.space->allocate(std::max<std::size_t>(bytes, 1)); }
};
OrtAllocator* host_allocator() {
    static space_allocator host{OrtMemoryInfo{"Cpu"}};
    return &host;
}
bool is_host(const inlay::space* space) { return space == &inlay::space_of<inlay::memory::host>; }
std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return text;
}
const inlay::space& memory_named(const std::string& name, int device) {
    const std::string folded = lower(name);
    if (folded == "cpu") return inlay::space_of<inlay::memory::host>;
    const inlay::space* space =
        device < 0 ? nullptr : inlay::built_memory(device ? folded + ":" + std::to_string(device) : folded);
    if (!space)
        raise(ORT_INVALID_ARGUMENT, "Ort: no provider of this build has memory of the name `" + name + "`, device " +
                                        std::to_string(device) +
                                        "; the host's is `Cpu`, others are named as the plan of a session names them");
    return *space;
}
}  // namespace

void OrtRelease(OrtMemoryInfo* i) noexcept { delete i; }
void OrtRelease(OrtAllocator* a) noexcept { delete static_cast<space_allocator*>(a); }

const OrtMemoryInfo& info_of(const inlay::space& space) {
    static const OrtMemoryInfo host{"Cpu"};
    if (is_host(&space)) return host;
    static std::mutex mutex;
    static std::map<const inlay::space*, OrtMemoryInfo> infos;
    const std::lock_guard lock(mutex);
    const auto [at, added] = infos.try_emplace(&space);
    if (added) {
        at->second.name = space.name.substr(0, space.name.find(':'));
        at->second.device = std::max(space.device, 0);
        at->second.space = &space;
    }
    return at->second;
}
const inlay::space& memory_of(const OrtAllocator& allocator) {
    const OrtMemoryInfo* const info = allocator.Info ? allocator.Info(&allocator) : nullptr;
    if (!info) raise(ORT_INVALID_ARGUMENT, "Ort: the allocator's Info() does not say where its memory is");
    return *info->space;
}
std::shared_ptr<void> allocated(OrtAllocator& allocator, std::size_t bytes) {
    void* const p = allocator.Alloc(&allocator, bytes);
    if (!p && bytes > 0)
        raise(ORT_RUNTIME_EXCEPTION, "Ort: the allocator has no memory for " + std::to_string(bytes) + " bytes");
    return {p, [&allocator](void* q) {
                if (q) allocator.Free(&allocator, q);
            }};
}
AllocatedStringPtr text_in(OrtAllocator* allocator, std::string_view text) {
    OrtAllocator& from = need(allocator, "allocator");
    AllocatedStringPtr to(static_cast<char*>(from.Alloc(&from, text.size() + 1)), AllocatedFree(allocator));
    if (!to) raise(ORT_RUNTIME_EXCEPTION, "Ort: the allocator has no memory for a text");
    std::ranges::copy(text, to.get());
    to.get()[text.size()] = '\0';
    return to;
}

template <class T> std::string MemoryInfoImpl<T>::GetAllocatorName() const { return need(this->p_, "MemoryInfo").name; }
template <class T> OrtAllocatorType MemoryInfoImpl<T>::GetAllocatorType() const {
    return need(this->p_, "MemoryInfo").type;
}
template <class T> int MemoryInfoImpl<T>::GetDeviceId() const { return need(this->p_, "MemoryInfo").device; }
template <class T> OrtMemoryInfoDeviceType MemoryInfoImpl<T>::GetDeviceType() const {
    return need(this->p_, "MemoryInfo").space->device < 0 ? OrtMemoryInfoDeviceType_CPU : OrtMemoryInfoDeviceType_GPU;
}
template <class T> OrtMemType MemoryInfoImpl<T>::GetMemoryType() const { return need(this->p_, "MemoryInfo").mem_type; }
template <class T> bool MemoryInfoImpl<T>::equals(const OrtMemoryInfo* rhs) const {
    const OrtMemoryInfo &a = need(this->p_, "MemoryInfo"), &b = need(rhs, "MemoryInfo");
    return a.space == b.space && a.type == b.type && a.mem_type == b.mem_type && a.device == b.device;
}
template struct MemoryInfoImpl<OrtMemoryInfo>;
template struct MemoryInfoImpl<Unowned<const OrtMemoryInfo>>;

template <class T> void* AllocatorImpl<T>::Alloc(std::size_t bytes) {
    void* const p = need(this->p_, "allocator").Alloc(this->p_, bytes);
    if (!p) raise(ORT_RUNTIME_EXCEPTION, "Ort: the allocator has no memory for " + std::to_string(bytes) + " bytes");
    return p;
}
template <class T> void AllocatorImpl<T>::Free(void* p) { need(this->p_, "allocator").Free(this->p_, p); }
template <class T> ConstMemoryInfo AllocatorImpl<T>::GetInfo() const {
    memory_of(need(this->p_, "allocator"));
    return ConstMemoryInfo{this->p_->Info(this->p_)};
}
template struct AllocatorImpl<OrtAllocator>;
template struct AllocatorImpl<Unowned<OrtAllocator>>;
}  // namespace detail

MemoryInfo MemoryInfo::CreateCpu(OrtAllocatorType type, OrtMemType mem_type) {
    return MemoryInfo("Cpu", type, 0, mem_type);
}
MemoryInfo::MemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type)
    : MemoryInfoImpl(detail::guarded([&] {
          const std::string text = detail::need_text(name, "the name of a memory");
          return new OrtMemoryInfo{text, type, id, mem_type, &detail::memory_named(text, id)};
      })) {}
AllocatorWithDefaultOptions::AllocatorWithDefaultOptions() : AllocatorImpl(detail::host_allocator()) {}
static OrtAllocator* make_allocator(const OrtMemoryInfo* info) {
    return detail::guarded([&] { return new detail::space_allocator(detail::need(info, "MemoryInfo")); });
}
Allocator::Allocator(const Session&, const OrtMemoryInfo* info) : AllocatorImpl(make_allocator(info)) {}
}  // namespace Ort
