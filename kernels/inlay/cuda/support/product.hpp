// GEMM through cuBLASLt: D = f(alpha A B + beta C + bias), rows first, in equal batches, all of one
// type, accumulated in float32. Where the option `precision` is set so, A and B are rounded to 16 bits first: a
// constant B once. Only src/provider/cuda uses the library.
#pragma once
#include "finish.hpp"
#include <inlay/support/activation.hpp>
#include <cstddef>
#include <memory>

namespace inlay {
inline namespace v1 {
struct product_shape {
    element type = element::f32;  // or f16, bf16
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t a_row = 0, b_row = 0, d_row = 0;  // elements from one row to the next, as they lie
    bool trans_a = false, trans_b = false;
    std::int64_t batches = 1, a_step = 0, b_step = 0, d_step = 0;  // in elements; C's are D's
    float alpha = 1, beta = 0;
    bool bias = false;  // one number per column
    plain_activation activation{};
    bool rest = false;  // something more is added before the activation
    constexpr std::int64_t a_elements() const {
        return (batches - 1) * a_step + ((trans_a ? k : m) - 1) * a_row + (trans_a ? m : k);
    }
    constexpr std::int64_t b_elements() const {
        return (batches - 1) * b_step + ((trans_b ? n : k) - 1) * b_row + (trans_b ? k : n);
    }
    constexpr bool relu() const {
        return activation.kind == plain_activation::clip && activation.a == 0 && activation.b > 3e38;
    }
};
// An algorithm for one GEMM, chosen by the library's heuristic when a kernel is bound.
class bound_product {
  public:
    // b: a constant B of all calls, of so many elements, in the host's memory: a copy in the operand's type goes to the
    // device. Else null.
    status bind(const product_shape&, const void* b, std::int64_t elements, const setup&) noexcept;
    // B begins with element `first` of b, or of bind()'s copy; then b is not read. C: added times beta;
    // bias: per column; null where the shape has none. `rest` is added in the end, before the activation.
    // `reserved_bytes`: bytes at the workspace's beginning that the caller uses.
    status run(const product_shape&, const void* a, const void* b, std::int64_t first, const void* c, const void* bias,
               void* d, context&, const finishing& rest = {}, std::size_t reserved_bytes = 0) const noexcept;
    std::size_t workspace() const { return workspace_; }  // bytes that run() uses

  private:
    static constexpr std::size_t algorithm_bytes = 64;
    alignas(16) std::byte algorithm_[algorithm_bytes]{};
    product_shape bound_{};
    std::shared_ptr<const void> b_{};  // on the device
    std::size_t workspace_ = 0;
    bool fused_ = true;  // bias and activation by the library; else by finish()
    status take(const void* b, std::int64_t elements, element type, element operands, const setup&) noexcept;
};
}  // namespace v1
}  // namespace inlay
