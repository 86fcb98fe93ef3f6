// The subset of xsimd that the kernels use, for Arm's processors, on the compiler's own vectors: the headers that xsimd
// 8.1 has for them cost half a minute of each file's compilation. Included by lanes.hpp; empty for other processors.
#pragma once
#if defined(__aarch64__)
#include <arm_neon.h>
#include <cstdint>

namespace inlay {
inline namespace v1 {
namespace neon::xsimd {
#define INLAY_MEMBER [[gnu::always_inline]] inline

struct mask {  // all bits of a lane, or none
    uint32x4_t data;
    INLAY_MEMBER mask(uint32x4_t x) : data(x) {}
    INLAY_MEMBER friend mask operator&&(mask a, mask b) { return a.data & b.data; }
    INLAY_MEMBER friend mask operator||(mask a, mask b) { return a.data | b.data; }
    INLAY_MEMBER friend mask operator|(mask a, mask b) { return a.data | b.data; }
};

template <class T> struct batch;
template <> struct batch<std::int32_t> {
    int32x4_t data;
    batch() = default;
    INLAY_MEMBER batch(int32x4_t x) : data(x) {}
    INLAY_MEMBER explicit batch(std::int32_t x) : data(vdupq_n_s32(x)) {}
    INLAY_MEMBER operator int32x4_t() const { return data; }
    // Additions may overflow, which the compiler's own signed vectors may not.
    INLAY_MEMBER friend batch operator+(batch a, batch b) { return vaddq_s32(a.data, b.data); }
    INLAY_MEMBER friend batch operator-(batch a, batch b) { return vsubq_s32(a.data, b.data); }
    INLAY_MEMBER friend batch operator&(batch a, batch b) { return a.data & b.data; }
    INLAY_MEMBER friend batch operator^(batch a, batch b) { return a.data ^ b.data; }
    INLAY_MEMBER friend batch operator<<(batch a, int n) { return vshlq_s32(a.data, vdupq_n_s32(n)); }
    INLAY_MEMBER friend batch operator>>(batch a, int n) { return vshlq_s32(a.data, vdupq_n_s32(-n)); }
};
template <> struct batch<float> {
    using batch_bool_type = mask;
    static constexpr int size = 4;
    float32x4_t data;
    batch() = default;
    INLAY_MEMBER batch(float32x4_t x) : data(x) {}
    INLAY_MEMBER explicit batch(float x) : data(vdupq_n_f32(x)) {}
    INLAY_MEMBER operator float32x4_t() const { return data; }
    INLAY_MEMBER static batch load_unaligned(const float* p) { return vld1q_f32(p); }
    INLAY_MEMBER static batch load_aligned(const float* p) { return vld1q_f32(p); }
    INLAY_MEMBER void store_unaligned(float* p) const { vst1q_f32(p, data); }
    INLAY_MEMBER void store_aligned(float* p) const { vst1q_f32(p, data); }
    INLAY_MEMBER friend batch operator+(batch a, batch b) { return a.data + b.data; }
    INLAY_MEMBER friend batch operator-(batch a, batch b) { return a.data - b.data; }
    INLAY_MEMBER friend batch operator*(batch a, batch b) { return a.data * b.data; }
    INLAY_MEMBER friend batch operator/(batch a, batch b) { return a.data / b.data; }
    INLAY_MEMBER friend batch operator-(batch a) { return -a.data; }
    INLAY_MEMBER batch& operator+=(batch b) { return *this = *this + b; }
    INLAY_MEMBER batch& operator*=(batch b) { return *this = *this * b; }
    INLAY_MEMBER friend mask operator<(batch a, batch b) { return vcltq_f32(a.data, b.data); }
    INLAY_MEMBER friend mask operator>(batch a, batch b) { return vcgtq_f32(a.data, b.data); }
    INLAY_MEMBER friend mask operator<=(batch a, batch b) { return vcleq_f32(a.data, b.data); }
    INLAY_MEMBER friend mask operator>=(batch a, batch b) { return vcgeq_f32(a.data, b.data); }
    INLAY_MEMBER friend mask operator==(batch a, batch b) { return vceqq_f32(a.data, b.data); }
    INLAY_MEMBER friend mask operator!=(batch a, batch b) { return vmvnq_u32(vceqq_f32(a.data, b.data)); }
    INLAY_MEMBER friend batch operator&(batch a, batch b) {
        return vreinterpretq_f32_s32(vreinterpretq_s32_f32(a.data) & vreinterpretq_s32_f32(b.data));
    }
    INLAY_MEMBER friend batch operator^(batch a, batch b) {
        return vreinterpretq_f32_s32(vreinterpretq_s32_f32(a.data) ^ vreinterpretq_s32_f32(b.data));
    }
    INLAY_MEMBER friend batch operator|(batch a, batch b) {
        return vreinterpretq_f32_s32(vreinterpretq_s32_f32(a.data) | vreinterpretq_s32_f32(b.data));
    }
};
using floats = batch<float>;
using integers = batch<std::int32_t>;

INLAY_MEMBER floats select(mask m, floats a, floats b) { return vbslq_f32(m.data, a.data, b.data); }
// b where a is NaN, as with x86's instructions and not with Arm's.
INLAY_MEMBER floats max(floats a, floats b) { return select(a > b, a, b); }
INLAY_MEMBER floats min(floats a, floats b) { return select(a < b, a, b); }
INLAY_MEMBER floats sqrt(floats x) { return vsqrtq_f32(x.data); }
INLAY_MEMBER floats floor(floats x) { return vrndmq_f32(x.data); }
INLAY_MEMBER floats ceil(floats x) { return vrndpq_f32(x.data); }
INLAY_MEMBER floats nearbyint(floats x) { return vrndnq_f32(x.data); }
INLAY_MEMBER integers nearbyint_as_int(floats x) { return vcvtnq_s32_f32(x.data); }
INLAY_MEMBER integers to_int(floats x) { return vcvtq_s32_f32(x.data); }
INLAY_MEMBER floats to_float(integers x) { return vcvtq_f32_s32(x.data); }
INLAY_MEMBER float hadd(floats x) { return vaddvq_f32(x.data); }
INLAY_MEMBER mask isnan(floats x) { return x != x; }
INLAY_MEMBER bool any(mask m) { return vmaxvq_u32(m.data) != 0; }
template <class To> INLAY_MEMBER To bitwise_cast(floats x) { return vreinterpretq_s32_f32(x.data); }
template <class To> INLAY_MEMBER To bitwise_cast(integers x) { return vreinterpretq_f32_s32(x.data); }
#undef INLAY_MEMBER
}  // namespace neon::xsimd
}  // namespace v1
}  // namespace inlay
#endif
