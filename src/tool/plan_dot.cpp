// A plan as a graph for Graphviz: steps coloured by provider, copies and hand-overs between providers as dashed red
// links with their bytes.
#include "plan.hpp"

namespace inlay::tool {
namespace {
std::string dot_string(std::string_view untrusted) {
    std::string text = "\"";
    for (char c : printable(untrusted)) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}
bool is_copy(const plan_report::step& s) { return s.kind == "conversion" || s.kind == "transfer"; }
std::string bytes_text(std::int64_t bytes) { return bytes < 0 ? "size known at run" : size_text(bytes); }
std::string label(const plan_report& r, const plan_report::step& s) {
    if (is_copy(s)) {
        const plan_report::value &from = r.values[std::size_t(s.inputs[0])], &to = r.values[std::size_t(s.outputs[0])];
        return s.kind == "transfer" ? from.space + " to " + to.space + ", " + bytes_text(from.bytes)
                                    : from.layout + " to " + to.layout + ", " + bytes_text(from.bytes);
    }
    return (s.op.empty() ? s.kind : s.op) + ": " + s.name;
}
}  // namespace

std::string dot_of(const plan_report& r) {
    constexpr std::string_view colours[] = {"#dbeafe", "#d5f2dd", "#fdf0c4", "#f0dcfb",
                                            "#fbd9e4", "#d3f1f1", "#ecebc0", "#e3e0f8"};
    std::string text = fmt::format(
        "digraph {} {{\n    node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", "
        "fillcolor=\"#e8eaed\"];\n    edge [fontname=\"sans-serif\", fontsize=10];\n",
        dot_string(r.model));
    std::vector<int> producer(r.values.size(), -1);
    for (std::size_t k = 0; k < r.schedule.size(); ++k) {
        const plan_report::step& s = r.schedule[k];
        for (int v : s.outputs) producer[std::size_t(v)] = int(k);
        std::string about;
        for (int n : s.nodes)
            for (const plan_report::answer& a : r.nodes[std::size_t(n)].answers)
                about += (about.empty() ? "" : "; ") + r.nodes[std::size_t(n)].node + ": " + a.provider + ": " + a.text;
        const auto at = std::size_t(std::ranges::find(r.providers, s.provider) - r.providers.begin());
        text += fmt::format("    s{} [label={}, tooltip={}", k, dot_string(label(r, s)),
                            dot_string(s.provider + (about.empty() ? "" : "; ") + about));
        if (is_copy(s))
            text += ", shape=ellipse, style=dashed, color=\"#c2410c\"";
        else if (at < r.providers.size())
            text += fmt::format(", fillcolor=\"{}\"", colours[at % std::size(colours)]);
        text += "];\n";
    }
    const auto port = [&](std::size_t v, std::string_view kind) {
        text +=
            fmt::format("    {}{} [label={}, shape=plaintext, style=\"\"];\n", kind, v, dot_string(r.values[v].name));
    };
    for (std::size_t k = 0; k < r.schedule.size(); ++k) {
        const plan_report::step& s = r.schedule[k];
        for (int id : s.inputs) {
            const auto v = std::size_t(id);
            if (r.values[v].constant) continue;
            if (producer[v] < 0) {
                port(v, "input");
                text += fmt::format("    input{} -> s{};\n", v, k);
                continue;
            }
            const plan_report::step& from = r.schedule[std::size_t(producer[v])];
            const bool crosses = !is_copy(s) && !is_copy(from) && s.provider != from.provider;
            text += fmt::format("    s{} -> s{}{};\n", producer[v], k,
                                crosses ? fmt::format(" [label={}, style=dashed, color=\"#c2410c\"]",
                                                      dot_string(bytes_text(r.values[v].bytes)))
                                        : "");
        }
    }
    for (int id : r.outputs) {
        const auto v = std::size_t(id);
        port(v, "output");
        if (producer[v] >= 0) text += fmt::format("    s{} -> output{};\n", producer[v], v);
    }
    return text + "}\n";
}
}  // namespace inlay::tool
