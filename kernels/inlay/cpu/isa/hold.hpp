// A value that stays as it is, in a register.
#pragma once
#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
// Makes x opaque to the compiler: it neither reads it from memory again for each of its uses, nor contracts the
// operation that produced x and the next into one, which would round once instead of twice.
INLAY_INLINE lanes hold(lanes x) {
#if defined(__AVX512F__)
    asm("" : "+v"(x.data));
#elif defined(__aarch64__)
    asm("" : "+w"(x.data));
#else
    asm("" : "+x"(x.data));
#endif
    return x;
}
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
