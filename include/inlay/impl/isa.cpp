// Which instruction-set level this machine has, and which one a model takes. Of inlay::kernels; included with INLAY_HEADER_ONLY.
#include <cstdlib>
#include <inlay/isa.hpp>

namespace inlay::inline v1::isa {
INLAY_COMPILED bool available(level l) noexcept {  // the builtin asks the system (XCR0) too
    __builtin_cpu_init();
    if (l == level::sse2) return true;
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (l == level::avx2) return avx2;
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx512 && (l == level::avx512 || __builtin_cpu_supports("avx512bf16"));
}
INLAY_COMPILED std::optional<level> from_text(std::string_view name) noexcept {
    for (level l : linked) if (name_of(l) == name) return l;
    return {};
}
INLAY_COMPILED std::optional<level> choose(std::optional<level> wanted) noexcept {
    if (const char* text = std::getenv("INLAY_ISA"); !wanted && text && *text && !(wanted = from_text(text))) return {};
    std::optional<level> best;
    for (level l : linked) if (available(l) && (!wanted || l == *wanted)) best = l;
    return best;
}
}  // namespace inlay::inline v1::isa
