// A refusal in words: the same for reports at run time and for errors of the compiler.
#pragma once
#include "partition.hpp"
#include <string>

namespace inlay::inline v1 {
constexpr std::string decimal(std::int64_t x) {
    std::string digits;
    const bool negative = x < 0;
    do { digits.insert(digits.begin(), char('0' + (negative ? -(x % 10) : x % 10))); x /= 10; } while (x);
    return negative ? "-" + digits : digits;
}
// Operator and version as ONNX names them, with the element type of the first input: "ai.onnx Resize-19 float".
constexpr std::string operator_text(const node_view& n) {
    std::string text(n.record.domain.empty() ? std::string_view("ai.onnx") : n.record.domain);
    text += ' ';
    text += n.record.op;
    text += '-' + decimal(n.version());
    if (n.has_input(0)) { text += ' '; text += name_of(n.input(0).type); }
    return text;
}
constexpr std::string name_list(element_set s) {
    std::string text;
    for (int e = 0; e < element_count; ++e) if (s.has(element(e))) { if (!text.empty()) text += ", "; text += name_of(element(e)); }
    return text;
}
// Why a provider with these kernels refused the node; where version or type was the reason, with what comes nearest.
constexpr std::string explain(const verdict& v, const node_view& n, std::span<const entry> catalogue) {
    if (v.reason.empty()) return "not asked";
    std::string text(v.reason);
    const node& r = n.record;
    const auto each = [&](auto f) { for (const entry& e : catalogue) if (e.name == r.op && e.domain == r.domain) f(e); };
    if (v.stage == refusal::version) {
        const entry* nearest = nullptr;
        const auto distance = [&](const entry& e) { return r.version < e.versions.since ? e.versions.since - r.version : r.version - e.versions.through; };
        each([&](const entry& e) { if (!nearest || distance(e) < distance(*nearest)) nearest = &e; });
        text += " (found " + decimal(v.found);
        if (nearest) { text += ", nearest is "; text += r.op; text += '-' + decimal(r.version < nearest->versions.since ? nearest->versions.since : nearest->versions.through); }
        text += ')';
    } else if (v.stage == refusal::type) {
        element_set taken;
        each([&](const entry& e) { if (r.version >= e.versions.since && r.version <= e.versions.through) taken.bits |= e.elements[0].bits; });
        text += " (found ";
        text += name_of(element(v.found));
        if (taken.bits) text += ", nearest takes " + name_list(taken);
        text += ')';
    }
    return text;
}
}  // namespace inlay::inline v1
