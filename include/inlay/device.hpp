// Memory spaces, and how data gets from one to another: both are customisation points on tags.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace inlay {
inline namespace v1 {
namespace memory {
struct host {};  // ordinary memory
}  // namespace memory

// memory_space<Tag>: name, allocate(bytes) -> 64-byte aligned, null if there is none, and release(pointer); where an
// error can report the reason, also refused(bytes) -> error. Where several devices each have such memory, all
// three, and transfer's copy, take the device's number last: allocate(bytes, device).
template <class Tag> struct memory_space;
template <> struct memory_space<memory::host> {
    static constexpr std::string_view name = "host";
    static void* allocate(std::size_t bytes) noexcept;  // from 2 MiB on in large pages, where the system has them
    static void release(void* p) noexcept { std::free(p); }
};

// transfer<From, To>::copy(to, from, bytes): between two memory spaces; a provider's space needs both ways to the host.
// Where a device has queues of work, also copy(to, from, bytes, stream), in the order of that queue: done when the
// queue is. transfer<Tag, Tag> has it too, where devices reach each other's memory: in the order of the queue of the
// one that gets the bytes.
template <class From, class To> struct transfer;
template <> struct transfer<memory::host, memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        std::memcpy(to, from, bytes);
        return true;
    }
};

template <class Tag, class... Device>
concept memory_with = requires(void* p, const void* q, Device... d) {
    { memory_space<Tag>::name } -> std::convertible_to<std::string_view>;
    { memory_space<Tag>::allocate(std::size_t(1), d...) }
    noexcept->std::same_as<void*>;
    { memory_space<Tag>::release(p, d...) }
    noexcept;
    { transfer<memory::host, Tag>::copy(p, q, std::size_t(1), d...) }
    noexcept->std::same_as<bool>;
    { transfer<Tag, memory::host>::copy(p, q, std::size_t(1), d...) }
    noexcept->std::same_as<bool>;
};
template <class Tag>
concept memory_of_devices = memory_with<Tag, int>;
template <class Tag>
concept reachable_memory = memory_with<Tag> || memory_of_devices<Tag>;
// Calls of either kind: a space without a device omits the number.
template <class Tag> struct memory_on {
    static void* allocate(std::size_t bytes, int device) noexcept {
        if constexpr (memory_of_devices<Tag>)
            return memory_space<Tag>::allocate(bytes, device);
        else
            return (void)device, memory_space<Tag>::allocate(bytes);
    }
    static void release(void* p, int device) noexcept {
        if constexpr (memory_of_devices<Tag>)
            memory_space<Tag>::release(p, device);
        else
            (void)device, memory_space<Tag>::release(p);
    }
    static bool from_host(void* to, const void* from, std::size_t bytes, int device) noexcept {
        return copy<memory::host, Tag>(to, from, bytes, device);
    }
    static bool to_host(void* to, const void* from, std::size_t bytes, int device) noexcept {
        return copy<Tag, memory::host>(to, from, bytes, device);
    }

  private:
    template <class From, class To>
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept {
        if constexpr (memory_of_devices<Tag>)
            return transfer<From, To>::copy(to, from, bytes, device);
        else
            return (void)device, transfer<From, To>::copy(to, from, bytes);
    }
};
template <class Tag>
concept known_memory = std::same_as<Tag, memory::host> || reachable_memory<Tag>;
}  // namespace v1
}  // namespace inlay

#ifdef INLAY_HEADER_ONLY
#include "impl/device.cpp"
#endif
