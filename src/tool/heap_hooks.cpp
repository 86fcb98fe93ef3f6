// glibc's allocator under its other names: every malloc, free and operator new of the program comes through here.
#include "heap_counter.hpp"
#include <cerrno>
#include <cstddef>  // __GLIBC__

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t n) {
    inlay::tool::count_heap_call();
    return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
    inlay::tool::count_heap_call();
    return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
    inlay::tool::count_heap_call();
    return __libc_realloc(p, n);
}
void* aligned_alloc(std::size_t to, std::size_t n) {
    inlay::tool::count_heap_call();
    return __libc_memalign(to, n);
}
void* memalign(std::size_t to, std::size_t n) {
    inlay::tool::count_heap_call();
    return __libc_memalign(to, n);
}
int posix_memalign(void** p, std::size_t to, std::size_t n) {
    inlay::tool::count_heap_call();
    *p = __libc_memalign(to, n);
    return *p ? 0 : ENOMEM;
}
void free(void* p) {
    if (p) inlay::tool::count_heap_call();
    __libc_free(p);
}
}
[[maybe_unused]] static const bool hooked = (inlay::tool::heap_is_hooked(), true);
#endif
