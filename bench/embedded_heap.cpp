// A library to preload: heap_calls() tells how many heap calls the process has made.
#include <atomic>
#include <cerrno>
#include <cstddef>

static std::atomic<long> calls{0};
static void count() { calls.fetch_add(1, std::memory_order_relaxed); }

// glibc's allocator under its other names; every malloc, free and operator new of the program and its libraries comes through here.
extern "C" {
long heap_calls() { return calls.load(std::memory_order_relaxed); }
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t n) { count(); return __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { count(); return __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { count(); return __libc_realloc(p, n); }
void* aligned_alloc(std::size_t to, std::size_t n) { count(); return __libc_memalign(to, n); }
void* memalign(std::size_t to, std::size_t n) { count(); return __libc_memalign(to, n); }
int posix_memalign(void** p, std::size_t to, std::size_t n) { count(); *p = __libc_memalign(to, n); return *p ? 0 : ENOMEM; }
void free(void* p) { if (p) count(); __libc_free(p); }
}
