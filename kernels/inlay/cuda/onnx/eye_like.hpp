// EyeLike on CUDA. Limit: one write of every byte.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/eye_like.hpp>
#include <inlay/support/bit_order.hpp>

namespace inlay {
inline namespace v1 {
template <class U>
status eye_on_cuda(std::int64_t rows, std::int64_t columns, std::int64_t diagonal, U unit, void* y,
                   context& c) noexcept;  // placed.cu
template <class T>
struct kernel<op::eye_like, device::cuda, types<T>> : kernel<op::eye_like, device::reference, types<T>> {
    using typename kernel<op::eye_like, device::reference, types<T>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
        return eye_on_cuda(p.rows, p.columns, p.diagonal, std::bit_cast<bits_as<8 * sizeof(T)>>(T(1)), a.outputs[0], c);
    }
};
}  // namespace v1
}  // namespace inlay
