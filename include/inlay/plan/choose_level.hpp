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
// choose() for products of bfloat16: where nobody asks for a level, and the best one multiplies pairs slowly, the one
// that widens them, which has no products of bytes in one instruction.
std::optional<level> choose_for_pairs(std::optional<level> request) noexcept;
}  // namespace isa
// How many codes in bytes a graph's constants hold, twice, less the floats. Above 0, as in networks of 8 bits and in
// language models with weights of 4, products of bytes matter most; twice, for the floats that DequantizeLinear makes
// of codes stand beside them.
constexpr double excess_of_codes(const graph_view& g) {
    constexpr auto codes = element_set::of({element::u8, element::i8}),
                   floats = element_set::of({element::f16, element::bf16, element::f32, element::f64});
    double sum = 0;
    for (const value& v : g.values)
        if (v.is_constant() && v.dims.known())
            sum += double(v.dims.elements()) * (codes.has(v.type) ? 2 : floats.has(v.type) ? -1 : 0);
    for (const graph_view& inner : g.subgraphs) sum += excess_of_codes(inner);
    return sum;
}
constexpr bool holds_pairs(const graph_view& g) {  // constants of bfloat16
    for (const value& v : g.values)
        if (v.is_constant() && v.type == element::bf16) return true;
    for (const graph_view& inner : g.subgraphs)
        if (holds_pairs(inner)) return true;
    return false;
}
// Whether products of bfloat16 decide on a session's level: all that may be, or those by a model's own weights of that
// type.
constexpr bool is_for_pairs(const graph_view& g) {
    const bool pairs = g.precision == precision::bfloat16 || (g.precision == precision::standard && holds_pairs(g));
    return pairs && excess_of_codes(g) <= 0;
}
inline std::optional<isa::level> choose_level(std::optional<isa::level> request, bool for_pairs) noexcept {
    return for_pairs ? isa::choose_for_pairs(request) : isa::choose(request);
}
}  // namespace v1
}  // namespace inlay
