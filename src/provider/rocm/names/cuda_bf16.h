// In the place of the header of that name: what kernels use of it, by the conversions that the host has.
#pragma once
#include <inlay/element.hpp>

inline __device__ inlay::bfloat16 __float2bfloat16_rn(float x) { return inlay::bfloat16(x); }
inline __device__ std::uint16_t __bfloat16_as_ushort(inlay::bfloat16 x) { return x.bits; }
