// Which instruction-set level this machine has, and which one a model uses. Of inlay::kernels; included with
// INLAY_HEADER_ONLY.
#include <inlay/impl/compiled.hpp>
#include <cstdlib>
#if !defined(__aarch64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace inlay {
inline namespace v1 {
namespace isa {
#if defined(__aarch64__)
INLAY_COMPILED bool compiled(level l) noexcept { return l == level::neon; }
INLAY_COMPILED bool available(level l) noexcept { return compiled(l); }
#else
#ifdef INLAY_ONLY_LEVEL
INLAY_COMPILED bool compiled(level l) noexcept { return l == level::INLAY_ONLY_LEVEL; }
#else
INLAY_COMPILED bool compiled(level) noexcept { return true; }
#endif
INLAY_COMPILED bool has_tiles() noexcept {  // of a processor with AVX: not all compilers' builtins know AMX
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned bits = 1u << 22 | 1u << 24 | 1u << 25,  // AMX-BF16, AMX-TILE and AMX-INT8
        saved = 1u << 17 | 1u << 18;                           // the tiles' configuration and their data
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & bits) != bits) return false;
    asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    constexpr long request = 0x1023,
                   data = 18;  // ARCH_REQ_XCOMP_PERM, for the whole process; Linux knows it since 5.16
    return (a & saved) == saved && syscall(SYS_arch_prctl, request, data) == 0;
}
INLAY_COMPILED bool available(level l) noexcept {  // the builtin checks the system (XCR0) too
    if (!compiled(l)) return false;
    __builtin_cpu_init();
    if (l == level::sse2) return true;
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (l == level::avx2) return avx2;
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    if (l == level::avx512) return avx512;
    return avx512 && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni") &&
           (l == level::avx512bf16 || has_tiles());
}
#endif
INLAY_COMPILED std::optional<level> from_text(std::string_view name) noexcept {
    for (level l : linked)
        if (name_of(l) == name) return l;
    return {};
}
INLAY_COMPILED std::optional<level> choose(std::optional<level> request) noexcept {
    if (const char* text = std::getenv("INLAY_ISA"); !request && text && *text && !(request = from_text(text)))
        return {};
    std::optional<level> best;
    for (level l : linked)
        if (available(l) && (!request || l == *request)) best = l;
    return best;
}
INLAY_COMPILED bool slow_at_pairs(std::string_view vendor, std::uint32_t signature) noexcept {
    const unsigned family = signature >> 8 & 15, model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);
    // VDPBF16PS at half the rate of float32: measured on model 207, whose cores are those of model 143.
    return vendor == "GenuineIntel" && family == 6 && (model == 143 || model == 207);
}
#if defined(__aarch64__)
INLAY_COMPILED bool slow_at_pairs() noexcept { return false; }
#else
INLAY_COMPILED bool slow_at_pairs() noexcept {  // this processor
    unsigned most = 0, signature = 0, c = 0, d = 0;
    char vendor[12] = {};
    unsigned words[3] = {};
    __get_cpuid(0, &most, &words[0], &words[2], &words[1]);
    __builtin_memcpy(vendor, words, sizeof vendor);
    __get_cpuid(1, &signature, &words[0], &c, &d);
    return slow_at_pairs({vendor, sizeof vendor}, signature);
}
#endif
INLAY_COMPILED std::optional<level> choose_for_pairs(std::optional<level> request) noexcept {
    const auto best = choose(request);
    const char* const text = std::getenv("INLAY_ISA");
    const bool has_request = request || (text && *text);
    if (has_request || best != level::avx512bf16 || !slow_at_pairs()) return best;
    const auto widening = choose(level::avx512);
    return widening ? widening : best;  // a program may be built without it
}
}  // namespace isa
}  // namespace v1
}  // namespace inlay
