// Host memory. Of inlay::kernels; included with INLAY_HEADER_ONLY.
#include <inlay/device.hpp>
#include <inlay/isa.hpp>
#include <cstdlib>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#endif

namespace inlay {
inline namespace v1 {
INLAY_COMPILED void* memory_space<memory::host>::allocate(
    std::size_t bytes) noexcept {  // operator new would link what throws
    constexpr std::size_t large_page = std::size_t(2) << 20;
    const std::size_t to = bytes < large_page ? 64 : large_page;
    void* const p = bytes > std::size_t(-1) - to ? nullptr : std::aligned_alloc(to, (bytes + to - 1) / to * to);
#if defined(MADV_HUGEPAGE)
    if (p && to == large_page)
        ::madvise(p, bytes / large_page * large_page, MADV_HUGEPAGE);  // a refusal costs speed only
#endif
    return p;
}
}  // namespace v1
}  // namespace inlay
