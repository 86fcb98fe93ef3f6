// Identity and Dropout on the CPU: as the reference kernels, but in either layout.
#pragma once
#include <inlay/onnx/reshape.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct kernel<op::identity, device::cpu, types<raw<Bits>>> : copy_kernel<raw<Bits>> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
};
template <int Bits>
struct kernel<op::dropout, device::cpu, types<raw<Bits>>> : kernel<op::dropout, device::reference, types<raw<Bits>>> {
    static constexpr layout_rule layouts(const node_view& n) {  // random numbers are in ONNX's order
        return kernel<op::dropout, device::reference, types<raw<Bits>>>::may_train(n)
                   ? layout_rule{}
                   : layout_rule{layout::any, layout::any};
    }
};
}  // namespace v1
}  // namespace inlay
