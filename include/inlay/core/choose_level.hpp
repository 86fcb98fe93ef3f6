// The instruction set of a session, or of an embedded model.
#pragma once
#include <inlay/isa.hpp>
#include <inlay/sdk/graph.hpp>

namespace inlay {
inline namespace v1 {
namespace isa {
// Whether products of pairs of bfloat16 in vectors were measured to be slower than products of floats on a processor of
// this vendor and of this signature, as CPUID tells them. A table and no measurement of now, so that the same
// processor always computes the same bits.
bool slow_at_pairs(std::string_view vendor, std::uint32_t signature) noexcept;
// choose() for weights in bfloat16: where nobody asks for a level, and the best one multiplies pairs slowly, the one
// that widens them.
std::optional<level> choose_for_pairs(std::optional<level> request) noexcept;
}  // namespace isa
inline std::optional<isa::level> choose_level(std::optional<isa::level> request, precision p) noexcept {
    return p == precision::bfloat16 ? isa::choose_for_pairs(request) : isa::choose(request);
}
}  // namespace v1
}  // namespace inlay
