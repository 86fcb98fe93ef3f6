// Instruction-set levels. They are ours, not xsimd's, because xsimd is renamed in each ISA translation unit; no library
// headers here.
//
// INLAY_HEADER_ONLY: a program that defines it links nothing of Inlay. What inlay::kernels holds is inline then, for
// the one level that the compiler's flags name, and needs xsimd on the include path. -ffp-contract=fast -fno-math-errno
// -fno-trapping-math make it fast. All files of the program define it and have the same instruction-set flags. Plans
// size memory for that level alone, the library's for each.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#ifdef INLAY_HEADER_ONLY
#define INLAY_COMPILED inline  // of functions that inlay::kernels holds otherwise
#if defined(__aarch64__)
#define INLAY_LEVEL neon
#elif defined(__AVX512BF16__) && !defined(__AVX512VNNI__)
#error "inlay: INLAY_HEADER_ONLY with -mavx512bf16 needs -mavx512vnni too, or -march=cooperlake"
#elif defined(__AVX512BF16__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#if defined(__AMX_TILE__) && defined(__AMX_BF16__) && defined(__AMX_INT8__)
#define INLAY_LEVEL amx
#else
#define INLAY_LEVEL avx512bf16
#endif
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#define INLAY_LEVEL avx512
#elif defined(__AVX512F__)
#error \
    "inlay: INLAY_HEADER_ONLY with -mavx512f needs -mavx512bw -mavx512cd -mavx512dq -mavx512vl too, or -march=x86-64-v4"
#elif defined(__AVX2__) && defined(__FMA__)
#define INLAY_LEVEL avx2
#elif defined(__AVX2__)
#error "inlay: INLAY_HEADER_ONLY with -mavx2 needs -mfma too, or -march=x86-64-v3"
#else
#define INLAY_LEVEL sse2
#endif
#else
#define INLAY_COMPILED
#endif

namespace inlay {
inline namespace v1 {
namespace isa {
#if defined(__aarch64__)
struct neon {};
#else
struct sse2 {};
#endif
struct avx2 {};        // AVX2, FMA, F16C, BMI
struct avx512 {};      // AVX-512 F, BW, CD, DQ, VL
struct avx512bf16 {};  // the same, AVX512-BF16 and AVX512-VNNI, for dot products of bf16 and of 8-bit integers; every
                       // other kernel is avx512's
struct amx {};         // the same and AMX-TILE, AMX-BF16, AMX-INT8, for such matmuls in tiles
enum class level : std::uint8_t {  // each has all that the one before has
#if defined(__aarch64__)
    neon,  // of Arm's processors, which have none of the others
#else
    sse2,
#endif
    avx2,
    avx512,
    avx512bf16,
    amx
};
inline constexpr level baseline{};  // what every processor has that can run the program
#ifdef INLAY_HEADER_ONLY
inline constexpr level linked[] = {level::INLAY_LEVEL};
#elif defined(__aarch64__)
inline constexpr level linked[] = {level::neon};
#else
inline constexpr level linked[] = {level::sse2, level::avx2, level::avx512, level::avx512bf16, level::amx};
#endif
constexpr std::string_view name_of(level l) {
#if defined(__aarch64__)
    constexpr std::string_view first = "neon";
#else
    constexpr std::string_view first = "sse2";
#endif
    constexpr std::string_view names[] = {first, "avx2", "avx512", "avx512bf16", "amx"};
    return names[int(l)];
}

bool available(level) noexcept;  // on this machine: the processor has it and the system saves its registers; requests
                                 // Linux's permission to use tiles
std::optional<level> from_text(std::string_view name) noexcept;  // of a linked level
// `request`, else the environment's INLAY_ISA, else the best of this machine; nothing if machine or program lack it or
// the name is unknown.
std::optional<level> choose(std::optional<level> request) noexcept;
}  // namespace isa
}  // namespace v1
}  // namespace inlay

#ifdef INLAY_HEADER_ONLY
#include "impl/isa.cpp"
#ifndef __clang__  // whose LTO keeps no section groups of asm
// Files of different levels do not link: one file's group is kept, with the symbol of its level, which each file refers
// to.
#define INLAY_QUOTE_(x) #x
#define INLAY_QUOTE(x) INLAY_QUOTE_(x)
#define INLAY_ONE_LEVEL "inlay_is_header_only_in_all_files_for_" INLAY_QUOTE(INLAY_LEVEL)
asm(".pushsection .rodata.inlay_level, \"aG\", @progbits, inlay_header_only, comdat\n"
    ".globl " INLAY_ONE_LEVEL "\n.hidden " INLAY_ONE_LEVEL "\n" INLAY_ONE_LEVEL
    ":\n.popsection\n"
    ".pushsection .rodata.inlay_level_of_file, \"aR\", @progbits\n.long " INLAY_ONE_LEVEL " - .\n.popsection");
#endif
#endif
