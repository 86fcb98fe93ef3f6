// Options of sessions as text, for programs that read them: as from_text() of <inlay/sdk/options.hpp>.
#pragma once
#include <inlay/session.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view fallback_texts = "implicit_cpu, never, any or only:Op1,Op2",
                                  partition_texts = "order or cost", context_texts = "recompile or refuse",
                                  determinism_texts = "machine or portable";
inline bool from_text(std::string_view text, fallback& to) {
    constexpr std::string_view only = "only:";
    if (text.starts_with(only)) {
        std::vector<std::string> operators;
        for (std::string_view rest = text.substr(only.size()); !rest.empty();) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            operators.emplace_back(rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
        to = fallback::only(std::move(operators));
        return true;
    }
    for (const auto& [name, policy] :
         {std::pair(std::string_view("implicit_cpu"), fallback::implicit_cpu()),
          std::pair(std::string_view("never"), fallback::never()), std::pair(std::string_view("any"), fallback::any())})
        if (text == name) return to = policy, true;
    return false;
}
inline bool from_text(std::string_view text, partition_by& to) {
    for (const partition_by p : {partition_by::order, partition_by::cost})
        if (text == name_of(p)) return to = p, true;
    return false;
}
inline bool from_text(std::string_view text, context_policy& to) {
    if (text != "recompile" && text != "refuse") return false;
    to = text == "refuse" ? context_policy::refuse : context_policy::recompile;
    return true;
}
inline bool from_text(std::string_view text, determinism& to) {
    for (const determinism d : {determinism::machine, determinism::portable})
        if (text == name_of(d)) return to = d, true;
    return false;
}
}  // namespace v1
}  // namespace inlay
