// glibc's allocator under its other names: every malloc, free and operator new of the program comes through here.
#include "heap_counter.hpp"
#include <atomic>
#include <cerrno>

namespace {
std::atomic<bool> counting{false};
std::atomic<long> calls{0};
[[maybe_unused]] void count() {
    if (counting.load(std::memory_order_relaxed)) calls.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t n) {
    count();
    return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
    count();
    return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
    count();
    return __libc_realloc(p, n);
}
void* aligned_alloc(std::size_t to, std::size_t n) {
    count();
    return __libc_memalign(to, n);
}
void* memalign(std::size_t to, std::size_t n) {
    count();
    return __libc_memalign(to, n);
}
int posix_memalign(void** p, std::size_t to, std::size_t n) {
    count();
    *p = __libc_memalign(to, n);
    return *p ? 0 : ENOMEM;
}
void free(void* p) {
    if (p) count();
    __libc_free(p);
}
}
#endif

namespace inlay::tool {
void count_heap_calls(bool on) {
    calls = 0;
    counting = on;
}
long heap_calls() { return calls; }
}  // namespace inlay::tool
