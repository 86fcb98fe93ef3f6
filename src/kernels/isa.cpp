// Which instruction-set level this machine has, and which one a session takes.
#include <cstdlib>
#include <inlay/isa.hpp>

namespace inlay::inline v1::isa {
bool available(level l) noexcept {  // the builtin asks the system (XCR0) too
    __builtin_cpu_init();
    if (l == level::sse2) return true;
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (l == level::avx2) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
std::optional<level> from_text(std::string_view name) noexcept {
    for (level l : linked) if (name_of(l) == name) return l;
    return {};
}
std::optional<level> choose(std::optional<level> wanted) noexcept {
    if (const char* text = std::getenv("INLAY_ISA"); !wanted && text && *text && !(wanted = from_text(text))) return {};
    if (wanted) return available(*wanted) ? wanted : std::nullopt;
    level best = level::sse2;
    for (level l : linked) if (available(l)) best = l;
    return best;
}
}  // namespace inlay::inline v1::isa
