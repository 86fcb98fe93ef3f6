// Memory locations and allocators.
#pragma once
#include "base.hpp"

namespace Ort {
struct Session;
namespace detail {
template <class T> struct MemoryInfoImpl : Base<T> {
    using Base<T>::Base;
    std::string GetAllocatorName() const;
    OrtAllocatorType GetAllocatorType() const;
    int GetDeviceId() const;
    OrtMemoryInfoDeviceType GetDeviceType() const;
    OrtMemType GetMemoryType() const;
    template <class U> bool operator==(const MemoryInfoImpl<U>& info) const { return equals(info); }

  private:
    bool equals(const OrtMemoryInfo* info) const;
};
extern template struct MemoryInfoImpl<OrtMemoryInfo>;
extern template struct MemoryInfoImpl<Unowned<const OrtMemoryInfo>>;
}  // namespace detail
using ConstMemoryInfo = detail::MemoryInfoImpl<detail::Unowned<const OrtMemoryInfo>>;

// A kind of memory: the host's, or that of a provider's device by the name that the provider's memory has (in capitals
// or not), and the device's number. An unknown name is ORT_INVALID_ARGUMENT, with the names that there are.
struct MemoryInfo : detail::MemoryInfoImpl<OrtMemoryInfo> {
    static MemoryInfo CreateCpu(OrtAllocatorType type, OrtMemType mem_type);
    explicit MemoryInfo(std::nullptr_t) {}
    explicit MemoryInfo(OrtMemoryInfo* p) : MemoryInfoImpl(p) {}
    MemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type);
    ConstMemoryInfo GetConst() const { return ConstMemoryInfo{p_}; }
};

// Memory that returns to its allocator at the end.
struct MemoryAllocation {
    MemoryAllocation(OrtAllocator* allocator, void* p, std::size_t bytes)
        : allocator_(allocator), p_(p), size_(bytes) {}
    MemoryAllocation(MemoryAllocation&& from) noexcept
        : allocator_(from.allocator_), p_(std::exchange(from.p_, nullptr)), size_(std::exchange(from.size_, 0)) {}
    MemoryAllocation& operator=(MemoryAllocation&& from) noexcept {
        std::swap(allocator_, from.allocator_);
        std::swap(p_, from.p_);
        std::swap(size_, from.size_);
        return *this;
    }
    ~MemoryAllocation() {
        if (p_) allocator_->Free(allocator_, p_);
    }
    void* get() { return p_; }
    std::size_t size() const { return size_; }

  private:
    OrtAllocator* allocator_;
    void* p_;
    std::size_t size_;
};

namespace detail {
template <class T> struct AllocatorImpl : Base<T> {
    using Base<T>::Base;
    void* Alloc(std::size_t bytes);  // ORT_RUNTIME_EXCEPTION where there is no memory
    void Free(void* p);
    MemoryAllocation GetAllocation(std::size_t bytes) { return {this->p_, Alloc(bytes), bytes}; }
    ConstMemoryInfo GetInfo() const;
};
extern template struct AllocatorImpl<OrtAllocator>;
extern template struct AllocatorImpl<Unowned<OrtAllocator>>;
}  // namespace detail
using UnownedAllocator = detail::AllocatorImpl<detail::Unowned<OrtAllocator>>;

// The host's memory, aligned to 64 bytes: one object for the whole program, which is never released.
struct AllocatorWithDefaultOptions : detail::AllocatorImpl<detail::Unowned<OrtAllocator>> {
    explicit AllocatorWithDefaultOptions(std::nullptr_t) {}
    AllocatorWithDefaultOptions();
};
// Memory that a session's provider works in. The session is not needed afterwards.
struct Allocator : detail::AllocatorImpl<OrtAllocator> {
    explicit Allocator(std::nullptr_t) {}
    Allocator(const Session& session, const OrtMemoryInfo* info);
};
}  // namespace Ort
