// Treats denormal float32 as zero, for a while.
#pragma once
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace inlay {
inline namespace v1 {
class denormals_flushed {  // operands and results while it lives, on this thread
#if defined(__SSE2__)
    using word = unsigned;
    static constexpr word bits = 0x8040;  // FTZ and DAZ
    static word mode() noexcept { return _mm_getcsr(); }
    static void set_mode(word to) noexcept { _mm_setcsr(to); }
#elif defined(__aarch64__)
    using word = std::uint64_t;
    static constexpr word bits = 1u << 24;  // FZ
    static word mode() noexcept {
        word w;
        asm volatile("mrs %0, fpcr" : "=r"(w));
        return w;
    }
    static void set_mode(word to) noexcept { asm volatile("msr fpcr, %0" ::"r"(to)); }
#else
#error "inlay: how this processor takes denormal floats as zero is not known"
#endif
    bool on_;
    word before_;

  public:
    explicit denormals_flushed(bool on) noexcept : on_(on), before_(on ? mode() : 0) {
        if (on) set_mode(before_ | bits);
    }
    ~denormals_flushed() {
        if (on_) set_mode(before_);
    }
    denormals_flushed(const denormals_flushed&) = delete;
    denormals_flushed& operator=(const denormals_flushed&) = delete;
};
}  // namespace v1
}  // namespace inlay
