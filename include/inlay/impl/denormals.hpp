// Denormal floats as zero, for a while.
#pragma once
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace inlay {
inline namespace v1 {
class denormals_flushed {  // FTZ and DAZ while it lives, on this thread
  public:
#if defined(__SSE2__)
    explicit denormals_flushed(bool on) noexcept : on_(on), before_(on ? _mm_getcsr() : 0) {
        if (on) _mm_setcsr(before_ | 0x8040);
    }
    ~denormals_flushed() {
        if (on_) _mm_setcsr(before_);
    }
#else
    explicit denormals_flushed(bool) noexcept {}
#endif
    denormals_flushed(const denormals_flushed&) = delete;
    denormals_flushed& operator=(const denormals_flushed&) = delete;
#if defined(__SSE2__)
  private:
    bool on_;
    unsigned before_;
#endif
};
}  // namespace v1
}  // namespace inlay
