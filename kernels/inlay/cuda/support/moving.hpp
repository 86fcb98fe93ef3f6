// Data movement on CUDA. Limit: one read and one write of every byte that is moved.
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
status copy_on_cuda(const strided_copy& p, const void* from, void* to, context& c) noexcept;  // moving.cu
status copy_bytes_on_cuda(const void* from, void* to, std::int64_t bytes, context& c) noexcept;
status fill_on_cuda(void* to, std::uint64_t pattern, std::int64_t bytes,
                    context& c) noexcept;  // eight repeated bytes

template <int Bits> struct strided_on_cuda : simple_kernel {
    using params = strided_copy;
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return copy_on_cuda<Bits>(p, a.inputs[0], a.outputs[0], c);
    }
};
}  // namespace v1
}  // namespace inlay
