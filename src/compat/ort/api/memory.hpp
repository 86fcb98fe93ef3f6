#pragma once
#include <inlay/ort/api/memory.hpp>
#include <inlay/tensor.hpp>

struct OrtMemoryInfo {
    std::string name;  // "Cpu", or the name of the provider's memory
    OrtAllocatorType type = OrtDeviceAllocator;
    int device = 0;
    OrtMemType mem_type = OrtMemTypeDefault;
    const inlay::space* space = &inlay::space_of<inlay::memory::host>;
};

namespace Ort::detail {
// The name of the memory, created on first use and cached.
const OrtMemoryInfo& info_of(const inlay::space& space);
const inlay::space& memory_of(const OrtAllocator& allocator);  // raises where it does not report one
// Memory of an allocator, which is returned to it with the last owner; raises where there is none.
std::shared_ptr<void> allocated(OrtAllocator& allocator, std::size_t bytes);
AllocatedStringPtr text_in(OrtAllocator* allocator, std::string_view text);
}  // namespace Ort::detail
