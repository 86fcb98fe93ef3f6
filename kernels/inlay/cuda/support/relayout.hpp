// Layout conversion on CUDA: a transpose of channels and pixels in tiles, or a copy where there is one of either.
#pragma once
#include "moving.hpp"
#include <inlay/cuda/device.hpp>
#include <inlay/support/relayout.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::relayout, device::cuda, types<raw<Bits>>> : relayout_by<strided_on_cuda<Bits>> {
};
}  // namespace v1
}  // namespace inlay
