// BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot and BitShift on CUDA, in any layout. Limit: the bytes of operands and
// result.
#pragma once
#include "binary.hpp"
#include "unary.hpp"
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/bitwise.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_UNSIGNED_TYPES(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define INLAY_SHIFTED_TYPES(X) INLAY_UNSIGNED_TYPES(X) X(std::int8_t) X(std::int16_t) X(std::int32_t) X(std::int64_t)
#define INLAY_BITWISE(T) \
    template <> \
    struct kernel<op::bitwise_and, device::cuda, types<T>> \
        : arithmetic_on_cuda<op::bitwise_and, std::make_unsigned_t<T>> {}; \
    template <> \
    struct kernel<op::bitwise_or, device::cuda, types<T>> \
        : arithmetic_on_cuda<op::bitwise_or, std::make_unsigned_t<T>> {}; \
    template <> \
    struct kernel<op::bitwise_xor, device::cuda, types<T>> \
        : arithmetic_on_cuda<op::bitwise_xor, std::make_unsigned_t<T>> {}; \
    template <> \
    struct kernel<op::bitwise_not, device::cuda, types<T>> : map_on_cuda<op::bitwise_not, std::make_unsigned_t<T>> {}; \
    template <> \
    struct kernel<op::bit_shift, device::cuda, types<T>> : binary_on_cuda<shift_kernel, element_of_shift, T, T> {};
INLAY_SHIFTED_TYPES(INLAY_BITWISE)
#undef INLAY_BITWISE
}  // namespace v1
}  // namespace inlay
