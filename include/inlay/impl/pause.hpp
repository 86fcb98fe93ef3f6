// A moment of waiting for another thread.
#pragma once
#if !defined(__x86_64__) && !defined(__i386__)
#include <thread>
#endif

namespace inlay {
inline namespace v1 {
namespace detail {
inline void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}
}  // namespace detail
}  // namespace v1
}  // namespace inlay
