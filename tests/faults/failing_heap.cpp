#include "failing_heap.hpp"
#include <cerrno>
#include <cstddef>
#include <execinfo.h>
#include <malloc.h>

namespace {
using namespace inlay::testing::heap;
thread_local bool tracing = false;

bool refused() {
    if (!armed.load(std::memory_order_relaxed) || tracing) return false;
    const long number = ++calls, first_failing = failing;
    if (first_failing == 0 || (number != first_failing && !(later_too && number > first_failing))) return false;
    if (number == first_failing) {
        tracing = true;
        failed_at->depth = ::backtrace(failed_at->frames, trace::deepest);
        tracing = false;
    }
    errno = ENOMEM;
    return true;
}
void* counted(void* block) {
    if (block) {
        blocks.fetch_add(1, std::memory_order_relaxed);
        bytes.fetch_add(long(malloc_usable_size(block)), std::memory_order_relaxed);
    }
    return block;
}
void forget(long size) {
    blocks.fetch_sub(1, std::memory_order_relaxed);
    bytes.fetch_sub(size, std::memory_order_relaxed);
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t n) { return refused() ? nullptr : counted(__libc_malloc(n)); }
void* calloc(std::size_t n, std::size_t size) { return refused() ? nullptr : counted(__libc_calloc(n, size)); }
void* realloc(void* old, std::size_t n) {
    if (refused()) return nullptr;
    const long before = old ? long(malloc_usable_size(old)) : 0;
    void* const block = __libc_realloc(old, n);
    if (old && (block || n == 0)) forget(before);
    return counted(block);
}
void* aligned_alloc(std::size_t to, std::size_t n) { return refused() ? nullptr : counted(__libc_memalign(to, n)); }
void* memalign(std::size_t to, std::size_t n) { return aligned_alloc(to, n); }
int posix_memalign(void** block, std::size_t to, std::size_t n) {
    void* const aligned = aligned_alloc(to, n);
    if (!aligned) return ENOMEM;
    *block = aligned;
    return 0;
}
void free(void* block) {
    if (block) forget(long(malloc_usable_size(block)));
    __libc_free(block);
}
}
