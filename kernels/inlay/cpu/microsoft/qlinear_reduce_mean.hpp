// QLinearReduceMean on the CPU, over axes that lie side by side.
#pragma once
#include <inlay/cpu/microsoft/qlinear_pool.hpp>
#include <inlay/microsoft/qlinear_reduce_mean.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::qlinear_reduce_mean, device::cpu, types<quantized::byte>> : whole_means {
    static constexpr reduction_loops loops(const node_view& n) {
        return kernel<op::qlinear_reduce_mean, device::reference, types<quantized::byte>>::prepare(n).loops;
    }
    static constexpr verdict supports(const node_view& n) {
        const reduction_loops l = loops(n);
        int runs = 0;
        for (int i = 0; i < l.rank; ++i) runs += l.loops[i].reduced;
        if (runs > 1) return no("the axes do not lie side by side");
        return l.elements(true) == 0 ? no("there is nothing to take a mean of") : mean_of_codes::fits(l.elements(true));
    }
    static constexpr params prepare(const node_view& n) {
        params p{mean_of_codes::of(n)};
        const reduction_loops l = loops(n);
        bool reduction_started = false;
        for (int i = 0; i < l.rank; ++i) {
            (l.loops[i].reduced ? p.inner : reduction_started ? p.channels : p.samples) *= l.loops[i].count;
            reduction_started |= l.loops[i].reduced;
        }
        return p;
    }
};
}  // namespace v1
}  // namespace inlay
