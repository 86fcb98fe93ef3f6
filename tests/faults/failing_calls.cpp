// By LD_PRELOAD: one call of the system's library fails, or all from it on, or reads and writes less than requested.
//   FAILING_CALL=write:3:28     the third write() gives errno 28 (ENOSPC)
//   FAILING_CALL=write:3:28:on  that one and all later ones
//   FAILING_CALL=read:1:short:on  read() gives at most one byte less than half of the request
//   FAILING_CALL_LOG=FILE       at its end the program writes there how often the call was made
// Calls count from main() on.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {
char name[32] = "";
long first_failing = 0, call_count = 0;
int number = 0;
bool shortened = false, later_too = false;

enum class answer { as_ever, fails, shortens };
answer ask(const char* call) {
    if (std::strcmp(call, name) != 0) return answer::as_ever;
    const long now = __atomic_add_fetch(&call_count, 1, __ATOMIC_RELAXED);
    if (now != first_failing && !(later_too && now > first_failing && first_failing > 0)) return answer::as_ever;
    if (shortened) return answer::shortens;
    errno = number;
    return answer::fails;
}
template <class F> F* next(const char* symbol) { return reinterpret_cast<F*>(dlsym(RTLD_NEXT, symbol)); }

[[gnu::constructor]] void set_up() {
    const char* const text = std::getenv("FAILING_CALL");
    if (!text) return;
    const char* const colon = std::strchr(text, ':');
    if (!colon || std::size_t(colon - text) >= sizeof name) return;
    std::memcpy(name, text, std::size_t(colon - text));
    char* end = nullptr;
    first_failing = std::strtol(colon + 1, &end, 10);
    if (*end != ':') return;
    shortened = std::strncmp(end + 1, "short", 5) == 0;
    number = shortened ? 0 : int(std::strtol(end + 1, nullptr, 10));
    later_too = std::strstr(end, ":on") != nullptr;
    unsetenv("FAILING_CALL");  // its own processes run as ever
    unsetenv("LD_PRELOAD");
}
[[gnu::destructor]] void tell() {
    const char* const file = std::getenv("FAILING_CALL_LOG");
    if (!file) return;
    char text[32];
    const int size = std::snprintf(text, sizeof text, "%ld\n", call_count);
    const long to = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (to >= 0) syscall(SYS_write, to, text, size);
}
std::size_t less(std::size_t n) { return n > 2 ? n / 2 - 1 + n % 2 : n; }
}  // namespace

// FAILS: the call's answer where it fails.
#define INLAY_CALL(RESULT, NAME, CALL, PARAMETERS, ARGUMENTS, FAILS) \
    extern "C" RESULT NAME PARAMETERS { \
        static auto* const real = next<RESULT PARAMETERS>(#NAME); \
        return ask(CALL) == answer::fails ? FAILS : real ARGUMENTS; \
    }
#define INLAY_SIZED(NAME, CALL, PARAMETERS, ARGUMENTS) \
    extern "C" ssize_t NAME PARAMETERS { \
        static auto* const real = next<ssize_t PARAMETERS>(#NAME); \
        const answer a = ask(CALL); \
        if (a == answer::fails) return -1; \
        if (a == answer::shortens) size = less(size); \
        return real ARGUMENTS; \
    }
INLAY_SIZED(read, "read", (int fd, void* to, std::size_t size), (fd, to, size))
INLAY_SIZED(pread, "read", (int fd, void* to, std::size_t size, off_t at), (fd, to, size, at))
INLAY_SIZED(pread64, "read", (int fd, void* to, std::size_t size, off_t at), (fd, to, size, at))
INLAY_SIZED(write, "write", (int fd, const void* from, std::size_t size), (fd, from, size))
INLAY_SIZED(pwrite, "write", (int fd, const void* from, std::size_t size, off_t at), (fd, from, size, at))
extern "C" ssize_t writev(int fd, const iovec* parts, int count) {
    static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
    const answer a = ask("write");
    if (a == answer::fails) return -1;
    if (a == answer::shortens && count > 0) return real(fd, parts, 1);
    return real(fd, parts, count);
}
INLAY_CALL(FILE*, fopen, "open", (const char* path, const char* mode), (path, mode), nullptr)
INLAY_CALL(FILE*, fopen64, "open", (const char* path, const char* mode), (path, mode), nullptr)
INLAY_CALL(int, fclose, "close", (FILE * file), (file), EOF)
INLAY_CALL(int, fsync, "fsync", (int fd), (fd), -1)
INLAY_CALL(int, fdatasync, "fsync", (int fd), (fd), -1)
INLAY_CALL(int, rename, "rename", (const char* from, const char* to), (from, to), -1)
INLAY_CALL(int, mkdir, "mkdir", (const char* path, mode_t mode), (path, mode), -1)
INLAY_CALL(int, ftruncate, "ftruncate", (int fd, off_t size), (fd, size), -1)
INLAY_CALL(int, fstat, "stat", (int fd, struct stat* to), (fd, to), -1)
INLAY_CALL(int, stat, "stat", (const char* path, struct stat* to), (path, to), -1)
INLAY_CALL(int, lstat, "stat", (const char* path, struct stat* to), (path, to), -1)
INLAY_CALL(void*, mmap, "mmap", (void* at, std::size_t size, int protection, int flags, int fd, off_t from),
           (at, size, protection, flags, fd, from), MAP_FAILED)
INLAY_CALL(void*, mmap64, "mmap", (void* at, std::size_t size, int protection, int flags, int fd, off_t from),
           (at, size, protection, flags, fd, from), MAP_FAILED)
INLAY_CALL(int, madvise, "madvise", (void* at, std::size_t size, int advice), (at, size, advice), -1)
INLAY_CALL(void*, dlopen, "dlopen", (const char* file, int mode), (file, mode), nullptr)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* data) {
    static auto* const real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    return ask("pthread_create") == answer::fails ? errno : real(thread, attributes, run, data);
}

// These take a mode only where they make a file.
#define INLAY_OPEN(NAME, FIRST, GIVEN) \
    extern "C" int NAME(FIRST const char* path, int flags, ...) { \
        static auto* const real = next<int(FIRST const char*, int, ...)>(#NAME); \
        va_list more; \
        va_start(more, flags); \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? mode_t(va_arg(more, unsigned)) : 0; \
        va_end(more); \
        return ask("open") == answer::fails ? -1 : real(GIVEN path, flags, mode); \
    }
#define INLAY_NOTHING
#define INLAY_FOLDER int folder,
#define INLAY_FOLDER_GIVEN folder,
INLAY_OPEN(open, INLAY_NOTHING, INLAY_NOTHING)
INLAY_OPEN(open64, INLAY_NOTHING, INLAY_NOTHING)
INLAY_OPEN(openat, INLAY_FOLDER, INLAY_FOLDER_GIVEN)
INLAY_OPEN(openat64, INLAY_FOLDER, INLAY_FOLDER_GIVEN)
