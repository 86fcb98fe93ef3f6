// A refusal in words: the same for reports at run time and for errors of the compiler.
#pragma once
#include "partition.hpp"
#include <inlay/sdk/fixed_text.hpp>

namespace inlay {
inline namespace v1 {
// Operator and version as ONNX names them, with the element type of the first input: "ai.onnx Resize-19 float".
constexpr text operator_text(const node_view& n) {
    text t(n.record.domain.empty() ? std::string_view("ai.onnx") : n.record.domain);
    t += " ";
    t += n.record.op;
    t += "-";
    t += n.version();
    if (n.has_input(0)) {
        t += " ";
        t += name_of(n.input(0).type);
    }
    return t;
}
constexpr text name_list(element_set s) {
    text t;
    for (int e = 0; e < element_count; ++e)
        if (s.has(element(e))) {
            if (t.size()) t += ", ";
            t += name_of(element(e));
        }
    return t;
}
// Why a provider with these kernels refused the node; where version or type was the reason, with what comes nearest.
constexpr text explain(const verdict& v, const node_view& n, std::span<const entry> catalogue) {
    if (v.reason.empty()) return text("not queried");
    text t(v.reason);
    const node& r = n.record;
    const auto for_each_entry = [&](auto f) {
        for (const entry& e : catalogue)
            if (e.name == r.op && e.domain == r.domain) f(e);
    };
    if (v.stage == refusal::version) {
        const entry* nearest = nullptr;
        const auto distance = [&](const entry& e) {
            return r.version < e.versions.since ? e.versions.since - r.version : r.version - e.versions.through;
        };
        for_each_entry([&](const entry& e) {
            if (!nearest || distance(e) < distance(*nearest)) nearest = &e;
        });
        t += " (found version ";
        t += v.detail;
        if (nearest) {
            t += ", nearest is ";
            t += r.op;
            t += "-";
            t += r.version < nearest->versions.since ? nearest->versions.since : nearest->versions.through;
        }
        t += ")";
    } else if (v.stage == refusal::type) {
        element_set types;
        for_each_entry([&](const entry& e) {
            if (r.version >= e.versions.since && r.version <= e.versions.through)
                for (int k = 0; k < e.constraint_count; ++k) types.bits |= e.elements[std::size_t(k)].bits;
        });
        t += " (found ";
        t += name_of(element(v.detail));
        if (types.bits) {
            t += ", nearest takes ";
            t += name_list(types);
        }
        t += ")";
    } else if (v.stage == refusal::operation) {
        t += " (";
        if (!r.domain.empty()) {
            t += r.domain;
            t += ".";
        }
        t += r.op;
        t += ")";
    }
    return t;
}
}  // namespace v1
}  // namespace inlay
