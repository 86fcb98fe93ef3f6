#pragma once
#include <inlay/ort/api/memory.hpp>
#include <inlay/tensor.hpp>

struct OrtMemoryInfo {
    std::string name;  // "Cpu", or as the provider's memory is called
    OrtAllocatorType type = OrtDeviceAllocator;
    int device = 0;
    OrtMemType mem_type = OrtMemTypeDefault;
    const inlay::space* where = &inlay::space_of<inlay::memory::host>;
};

namespace Ort::detail {
// What the memory is called, made when it is first asked for, and kept.
const OrtMemoryInfo& info_of(const inlay::space& where);
const inlay::space& memory_of(const OrtAllocator& allocator);  // raises where it does not say
// Memory of an allocator, which goes back to it when the last owner is gone; raises where there is none.
std::shared_ptr<void> allocated(OrtAllocator& allocator, std::size_t bytes);
AllocatedStringPtr text_in(OrtAllocator* allocator, std::string_view text);
}  // namespace Ort::detail
