// Identity, Reshape, Flatten, Squeeze, Unsqueeze and Dropout at inference on CUDA: the same bytes, copied only where
// the pointers differ.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/reshape.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct view_on_cuda : copy_kernel<raw<Bits>> {
    using typename copy_kernel<raw<Bits>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
        return copy_bytes_on_cuda(a.inputs[0], a.outputs[0], movable<raw<Bits>>::bytes(p.count), c);
    }
};
template <int Bits> struct kernel<op::identity, device::cuda, types<raw<Bits>>> : view_on_cuda<Bits> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
};
template <int Bits> struct kernel<op::reshape, device::cuda, types<raw<Bits>>> : view_on_cuda<Bits> {};
template <int Bits> struct kernel<op::flatten, device::cuda, types<raw<Bits>>> : view_on_cuda<Bits> {};
template <int Bits> struct kernel<op::squeeze, device::cuda, types<raw<Bits>>> : view_on_cuda<Bits> {};
template <int Bits> struct kernel<op::unsqueeze, device::cuda, types<raw<Bits>>> : view_on_cuda<Bits> {};

template <int Bits>
struct kernel<op::dropout, device::cuda, types<raw<Bits>>> : kernel<op::dropout, device::reference, types<raw<Bits>>> {
    using plain = kernel<op::dropout, device::reference, types<raw<Bits>>>;
    using typename plain::params;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr verdict supports(const node_view& n) {
        const verdict v = plain::supports(n);
        return v && plain::may_train(n) ? no("cuda: it may be training") : v;
    }
    static status run(const params& p, const random_state&, const arguments& a, context& c) noexcept {
        const status s = copy_bytes_on_cuda(a.inputs[0], a.outputs[0], movable<raw<Bits>>::bytes(p.count), c);
        if (s != status::ok || p.mask_bytes == 0) return s;
        std::uint64_t pattern = 0;
        for (int at = 0; at < 8; at += p.mask_bytes) pattern |= p.one_bits << at * 8;
        return fill_on_cuda(a.outputs[1], pattern, p.count * p.mask_bytes, c);
    }
};
}  // namespace v1
}  // namespace inlay
