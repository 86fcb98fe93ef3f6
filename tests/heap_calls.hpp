// Every heap call and every mutex of a program that includes this, in one source, comes through here: counted, or
// failed, where a test requires it. Not under the sanitizers, which have these functions themselves: there is no
// COUNTED then.
#pragma once
#include "heap_counts.hpp"
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#ifdef COUNTED
namespace inlay::testing::heap {
inline bool refused(std::size_t n) {
    if (counting.load(std::memory_order_relaxed)) {
        ++calls;
        bytes += long(n);
    }
    const bool now = left >= 0 && (left == 0 || --left == 0);
    if (now) errno = ENOMEM;
    return now;
}
}  // namespace inlay::testing::heap
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t n) { return inlay::testing::heap::refused(n) ? nullptr : __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) {
    return inlay::testing::heap::refused(n * size) ? nullptr : __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) { return inlay::testing::heap::refused(n) ? nullptr : __libc_realloc(p, n); }
void* aligned_alloc(std::size_t to, std::size_t n) {
    return inlay::testing::heap::refused(n) ? nullptr : __libc_memalign(to, n);
}
void* memalign(std::size_t to, std::size_t n) {
    return inlay::testing::heap::refused(n) ? nullptr : __libc_memalign(to, n);
}
int posix_memalign(void** p, std::size_t to, std::size_t n) {
    if (inlay::testing::heap::refused(n)) return ENOMEM;
    *p = __libc_memalign(to, n);
    return *p ? 0 : ENOMEM;
}
void free(void* p) {
    if (p && inlay::testing::heap::counting.load(std::memory_order_relaxed)) ++inlay::testing::heap::calls;
    __libc_free(p);
}
int pthread_mutex_lock(pthread_mutex_t* m) {
    static const auto real = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    if (inlay::testing::heap::counting.load(std::memory_order_relaxed)) ++inlay::testing::heap::locks;
    return real(m);
}
}
#endif

namespace inlay::testing {
struct tally {
    long calls, bytes, locks;
};
template <class F> tally counted([[maybe_unused]] F f) {  // zeros where nothing is counted
#ifdef COUNTED
    heap::calls = heap::bytes = heap::locks = 0;
    heap::counting = true;
    f();
    heap::counting = false;
    return {heap::calls, heap::bytes, heap::locks};
#else
    f();
    return {};
#endif
}
}  // namespace inlay::testing
