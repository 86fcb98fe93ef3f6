// The instruction set of a session, or of an embedded model.
#pragma once
#include <inlay/isa.hpp>
#include <inlay/sdk/graph.hpp>

namespace inlay {
inline namespace v1 {
namespace isa {
// Whether bf16 dot-product instructions on vectors were measured to be slower than float32 on a processor of this
// vendor and this CPUID signature. A table, not a measurement at run time, so that the same processor always computes
// the same bits.
bool slow_at_pairs(std::string_view vendor, std::uint32_t signature) noexcept;
// choose() for bf16 matmuls: where no level is requested, and the best one has slow bf16 dot products, the level that
// widens bf16, which has no int8 dot-product instruction.
std::optional<level> choose_for_pairs(std::optional<level> request) noexcept;
}  // namespace isa
// How many quantized values in bytes a graph's constants hold, twice, less the float32 ones. Above 0, as in int8
// networks and in language models with 4-bit weights, int8 matmuls matter most; twice, because the float32 results of
// DequantizeLinear are counted too.
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
constexpr bool holds_pairs(const graph_view& g) {  // constants of bf16
    for (const value& v : g.values)
        if (v.is_constant() && v.type == element::bf16) return true;
    for (const graph_view& inner : g.subgraphs)
        if (holds_pairs(inner)) return true;
    return false;
}
// Whether bf16 matmuls decide on a session's level: every matmul that may run in bf16, or those with bf16 weights in
// the model.
constexpr bool is_for_pairs(const graph_view& g) {
    const bool pairs = g.precision == precision::bfloat16 || (g.precision == precision::standard && holds_pairs(g));
    return pairs && excess_of_codes(g) <= 0;
}
inline std::optional<isa::level> choose_level(std::optional<isa::level> request, bool for_pairs) noexcept {
    return for_pairs ? isa::choose_for_pairs(request) : isa::choose(request);
}
}  // namespace v1
}  // namespace inlay
