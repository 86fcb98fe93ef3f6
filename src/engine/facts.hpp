// What operators declare about themselves, by node, so that callers need not know operators by name.
#pragma once
#include <inlay/sdk/catalogue.hpp>

namespace inlay {
inline namespace v1 {
const kernel_table& reference_kernels();
const kernel_table& stock_kernels();  // these, and those that only the CPU's fast kernels run: fused nodes
const entry* find_entry(const kernel_table& table,
                        const node& n);  // any kernel of the operator and version, for its shape rule

// Of stock operators; of others nothing is known, not even whether they are pure.
const operator_record& operator_of(const node& n);
// The element type of output k, from the stock operators' kernels that accept the inputs' types; undefined where it
// is ambiguous.
element output_type(const node_view& n, int k);

// Of an operator without an entry: 0.
inline double flop_of(const entry* e, const node_view& n, std::span<const shape> in, std::span<const shape> out) {
    return e && e->about->flop ? e->about->flop(n, {in, out}) : 0;
}
}  // namespace v1
}  // namespace inlay
