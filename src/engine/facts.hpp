// What operators say of themselves, by node: who asks here knows none of them by name.
#pragma once
#include <inlay/sdk/catalogue.hpp>

namespace inlay {
inline namespace v1 {
const kernel_table& reference_kernels();
const kernel_table& stock_kernels();  // these, and those that only the CPU's fast kernels run: fused nodes
const entry* find_entry(const kernel_table& table,
                        const node& n);  // any kernel of the operator and version, for its shape rule

// Of a stock operator; of another one nothing is known, not even that it is pure.
const operator_record& operator_of(const node& n);
// The element type of output k, by the kernels of the stock operators that take the inputs' types; undefined where they
// leave a choice.
element output_type(const node_view& n, int k);

// Of an operator without an entry: 0.
inline double flop_of(const entry* e, const node_view& n, std::span<const shape> in, std::span<const shape> out) {
    return e && e->about->flop ? e->about->flop(n, {in, out}) : 0;
}
}  // namespace v1
}  // namespace inlay
