// Memory of providers that have an IDataTransfer: a tag for each kind of it, whose functions call the objects of the
// providers that are open.
#pragma once
#include "execution_provider.hpp"
#include <inlay/device.hpp>
#include <inlay/sdk/fixed_text.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace ort {
// What one provider reports of its device's memory. It lives as long as the session, and as blocks of it.
struct opened_memory {
    std::shared_ptr<IExecutionProvider> provider;
    AllocatorPtr allocator;
    std::unique_ptr<IDataTransfer> transfer;
    bool copy(void* to, const void* from, std::size_t bytes, bool to_host) const;
};
// The memory of all devices of one tag. Blocks come from the provider opened last for the device; a block is copied and
// freed by the provider that allocated it.
class memory_table {
    struct block {
        void* start;  // that the allocator returned: blocks begin at a multiple of 64
        std::size_t bytes;
        std::shared_ptr<const opened_memory> from;
    };
    std::mutex lock_;
    std::map<int, std::weak_ptr<const opened_memory>> open_memories_;
    std::map<std::uintptr_t, block> blocks_;

    std::shared_ptr<const opened_memory> memory_at(const void* p, int device);

  public:
    void open(int device, const std::shared_ptr<const opened_memory>& memory);
    void* allocate(std::size_t bytes, int device) noexcept;
    void release(void* p, int device) noexcept;
    bool copy(void* to, const void* from, std::size_t bytes, int device, bool to_host) noexcept;
    error refused(std::size_t bytes, int device, std::string_view space);
};

template <fixed_text Name> struct device_memory {
    // Never destroyed: tensors that are static objects release their memory when the program ends.
    static memory_table& table() {
        static memory_table& instance = *new memory_table;
        return instance;
    }
};
}  // namespace ort

template <fixed_text Name> struct memory_space<ort::device_memory<Name>> {
    static constexpr std::string_view name = Name.view();
    static void* allocate(std::size_t bytes, int device) noexcept {
        return ort::device_memory<Name>::table().allocate(bytes, device);
    }
    static void release(void* p, int device) noexcept { ort::device_memory<Name>::table().release(p, device); }
    static error refused(std::size_t bytes, int device) {
        return ort::device_memory<Name>::table().refused(bytes, device, name);
    }
};
template <fixed_text Name> struct transfer<memory::host, ort::device_memory<Name>> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept {
        return ort::device_memory<Name>::table().copy(to, from, bytes, device, false);
    }
};
template <fixed_text Name> struct transfer<ort::device_memory<Name>, memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept {
        return ort::device_memory<Name>::table().copy(to, from, bytes, device, true);
    }
};
}  // namespace v1
}  // namespace inlay
