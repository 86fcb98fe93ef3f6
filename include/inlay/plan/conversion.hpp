// The kernels that steps between layouts run: by the size of an element, and by the device whose memory it is.
#pragma once
#include <inlay/cpu/support/relayout.hpp>
#include <inlay/sdk/catalogue.hpp>
#include <inlay/support/relayout.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits, class Device = device::cpu>
using conversion_kernel = kernel<op::relayout, Device, types<raw<Bits>>>;
template <class Device> conversion_functions conversion_of(int bits) {
    const auto of = []<int Bits>(std::integral_constant<int, Bits>) -> conversion_functions {
        using K = conversion_kernel<Bits, Device>;
        return {[](const shape& dims, layout to, void* params) {
                    *static_cast<typename K::params*>(params) = K::prepare(dims, to);
                },
                erase<K>()};
    };
    switch (bits) {
        case 8: return of(std::integral_constant<int, 8>{});
        case 16: return of(std::integral_constant<int, 16>{});
        case 32: return of(std::integral_constant<int, 32>{});
        case 64: return of(std::integral_constant<int, 64>{});
        default: return of(std::integral_constant<int, 128>{});
    }
}
}  // namespace v1
}  // namespace inlay
