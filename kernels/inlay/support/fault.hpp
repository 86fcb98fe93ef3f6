// Invalid input values that kernels of a device find while they run. The host does not wait for them, so they record a
// fault that the provider reads when the queue is done: context::faults points to one word that host and device see;
// null where it is not read.
#pragma once
#include <inlay/support/on_device.hpp>
#include <string_view>

namespace inlay {
inline namespace v1 {
enum class fault : unsigned { none, index_out_of_range, division_by_zero, sequence_length };
constexpr std::string_view text_of(fault f) {  // as the reference kernels report it
    constexpr std::string_view texts[] = {"", "an index is out of range", "division of integers by zero",
                                          "sequence_lens: a length is negative or larger than the sequence"};
    return texts[unsigned(f)];
}
INLAY_ON_DEVICE inline void report(unsigned* faults, fault f) {  // any thread's fault will do: no atomics
    if (faults) *static_cast<volatile unsigned*>(faults) = unsigned(f);
}
}  // namespace v1
}  // namespace inlay
