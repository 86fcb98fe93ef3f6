// eliminate_common: nodes of the same operator, attributes and inputs become one; so do equal small constants.
#include "rewrite.hpp"
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace passes {
constexpr std::int64_t comparable = 1024;  // bytes of a constant that are worth comparing

static void append(std::string& key, const auto& number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
}
static void append_text(std::string& key, std::string_view s) {
    append(key, s.size());
    key += s;
}

// A text that is the same for equal constants, empty where they are not compared.
static std::string key_of(const tensor& t) {
    if (t.bytes() > comparable || t.type() == element::string) return {};
    std::string key(1, char(t.type()));
    for (std::int64_t d : t.shape()) append(key, d);
    key += '|';
    return key.append(static_cast<const char*>(t.data()), std::size_t(t.bytes()));
}

// The same for nodes; empty for nodes that must not be merged.
static std::string key_of(const rewriter& r, const node& n) {
    if (!operator_of(n).facts.pure || n.captures.count) return {};
    std::string key;
    append_text(key, n.domain);
    append_text(key, n.op);
    append(key, n.version);
    append(key, n.inputs.count);
    for (int v : r.list(n.inputs)) append(key, r.now(v));
    // Outputs are distinguished by their number, the parts of a Split, or by being present, the statistics of a
    // training BatchNormalization.
    append(key, n.outputs.count);
    for (int v : r.list(n.outputs)) key += char(v >= 0);
    std::vector<attribute> sorted(r.attributes(n).begin(), r.attributes(n).end());
    std::sort(sorted.begin(), sorted.end(), [](const attribute& a, const attribute& b) { return a.name < b.name; });
    for (const attribute& a : sorted) {
        append_text(key, a.name);
        key += char(a.kind);
        const auto first = std::size_t(a.list.first);
        switch (a.kind) {
            case attribute_kind::integer: append(key, a.integer); break;
            case attribute_kind::tensor: append(key, r.now(int(a.integer))); break;
            case attribute_kind::real: append(key, a.real); break;
            case attribute_kind::text: append_text(key, a.text); break;
            case attribute_kind::integers:
                append(key, a.list.count);
                for (int i = 0; i < a.list.count; ++i) append(key, r.g.integers[first + std::size_t(i)]);
                break;
            case attribute_kind::reals:
                append(key, a.list.count);
                for (int i = 0; i < a.list.count; ++i) append(key, r.g.reals[first + std::size_t(i)]);
                break;
            case attribute_kind::texts:
                append(key, a.list.count);
                for (int i = 0; i < a.list.count; ++i) append_text(key, r.g.texts[first + std::size_t(i)]);
                break;
            case attribute_kind::graph: return {};
        }
    }
    return key;
}

int eliminate_common(graph_data& g, const evaluator&) {
    rewriter r(g);
    int count = 0;
    std::unordered_map<std::string, int> representatives;
    for (std::size_t v = 0; v < g.values.size(); ++v) {
        const graph_constant* c = r.constant(int(v));
        if (!c || c->is_made_on_demand() || r.is_output(int(v)) || r.users(int(v)).empty()) continue;
        const std::string key = key_of(c->get());
        if (key.empty()) continue;
        if (const auto [it, isnew] = representatives.emplace(key, int(v)); !isnew) {
            r.replace(int(v), it->second);
            ++count;
        }
    }
    representatives.clear();
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        const std::string key = key_of(r, n);
        if (key.empty()) continue;
        const auto [it, isnew] = representatives.emplace(key, int(i));
        if (isnew) continue;
        const node& first = g.nodes[std::size_t(it->second)];
        const auto outputs = r.list(n.outputs);
        if (std::any_of(outputs.begin(), outputs.end(), [&](int v) { return v >= 0 && r.is_output(v); })) continue;
        for (int k = 0; k < n.outputs.count; ++k)
            if (const int v = r.output(n, k); v >= 0) r.replace(v, r.output(first, k));
        r.drop(int(i));
        ++count;
    }
    r.apply();
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
