// Instruction-set levels. They are ours, not xsimd's, because xsimd is renamed in each ISA translation unit; no library headers here.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace inlay::inline v1::isa {
struct sse2 {};
struct avx2 {};    // AVX2, FMA, F16C, BMI
struct avx512 {};  // AVX-512 F, BW, CD, DQ, VL
enum class level : std::uint8_t { sse2, avx2, avx512 };
inline constexpr level linked[] = {level::sse2, level::avx2, level::avx512};
constexpr std::string_view name_of(level l) { constexpr std::string_view names[] = {"sse2", "avx2", "avx512"}; return names[int(l)]; }

bool available(level) noexcept;                                // on this machine: the processor has it and the system saves its registers
std::optional<level> from_text(std::string_view name) noexcept;
// `wanted`, else the environment's INLAY_ISA, else the best of this machine; nothing if the machine lacks it or the name is unknown.
std::optional<level> choose(std::optional<level> wanted) noexcept;
}  // namespace inlay::inline v1::isa
