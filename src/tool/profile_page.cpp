// A profile as one HTML file, which needs nothing else: rows are written here, and sorted by a little JavaScript.
#include "profile.hpp"

namespace inlay::tool {
namespace {
std::string escaped(std::string_view untrusted) {
    std::string text;
    for (char c : printable(untrusted)) switch (c) {
        case '&': text += "&amp;"; break;
        case '<': text += "&lt;"; break;
        case '>': text += "&gt;"; break;
        case '"': text += "&quot;"; break;
        default: text += c;
    }
    return text;
}
constexpr std::string_view style = R"(
:root { color-scheme: light dark; --line: #d6d9de; --soft: #f3f5f7; --share: #f2b8a0; --roof: #a9cdf0; --text: #1c2024; --page: #fff }
@media (prefers-color-scheme: dark) { :root { --line: #3a3f46; --soft: #22262b; --share: #83452f; --roof: #2b5680; --text: #e4e7ea; --page: #15181b } }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; color: var(--text); background: var(--page) }
h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin-top: 2rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { position: sticky; top: 0; background: var(--soft); cursor: pointer; user-select: none }
th[aria-sort=ascending]::after { content: " \2191" } th[aria-sort=descending]::after { content: " \2193" }
.t { text-align: left; max-width: 28rem; overflow: hidden; text-overflow: ellipsis }
.share, .roof { min-width: 6rem; background: linear-gradient(to right, var(--bar) var(--part), transparent var(--part)) }
.share { --bar: var(--share) } .roof { --bar: var(--roof) }
)";
constexpr std::string_view script = R"(
for (const table of document.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
        const sort = () => {
            const up = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && head.className === "t");
            heads.forEach(h => h.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", up ? "ascending" : "descending");
            const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
            const order = (a, b) => head.className === "t" ? key(a).localeCompare(key(b), undefined, {numeric: true}) : key(a) - key(b);
            table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => up ? order(a, b) : order(b, a)));
        };
        head.tabIndex = 0;
        head.addEventListener("click", sort);
        head.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
    });
}
)";
std::string text_cell(std::string_view text, std::string_view about = {}) {
    return about.empty() ? fmt::format("<td class=\"t\">{}</td>", escaped(text)) : fmt::format("<td class=\"t\" title=\"{}\">{}</td>", escaped(about), escaped(text));
}
std::string number_cell(double x, int digits) { return fmt::format("<td data-v=\"{:.9g}\">{:.{}f}</td>", x, x, digits); }
std::string bar_cell(std::string_view kind, std::optional<double> part) {
    if (!part) return "<td data-v=\"-1\">-</td>";
    return fmt::format("<td class=\"{}\" style=\"--part:{:.1f}%\" data-v=\"{:.9g}\">{:.1f} %</td>", kind, std::clamp(100 * *part, 0., 100.), *part, 100 * *part);
}
std::string cost_cells(const profile_table& t, const cost& c) {
    return number_cell(c.seconds * 1e3, 4) + bar_cell("share", t.share(c.seconds)) + number_cell(c.flop / 1e9, 4) + number_cell(c.gflop_per_s(), 1) + number_cell(c.bytes / 1e6, 3)
         + number_cell(c.gb_per_s(), 1) + bar_cell("roof", c.roofline());
}
constexpr std::string_view cost_heads = "<th>ms</th><th>share</th><th>GFLOP</th><th>GFLOP/s</th><th>MB</th><th>GB/s</th><th>roofline</th>";
}  // namespace

std::string page_of(const profile_table& t) {
    const run_profile& p = t.profile;
    const std::string name = escaped(p.model.empty() ? "the model" : p.model);
    std::string page = fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>Profile of {}</title>\n<style>{}</style>\n</head>\n<body>\n", name, style);
    page += fmt::format("<h1>Profile of {}</h1>\n<p>{:.4f} ms in all: {:.4f} in {}, {:.4f} outside them; the median of {} is {:.4f} ms. Instruction set {}, {}; measured peaks {:.1f} GFLOP/s and {:.1f} GB/s from memory.</p>\n",
                        name, t.total() * 1e3, t.in_steps.seconds * 1e3, plural(t.in_steps.steps, "step"), t.outside * 1e3, plural(std::int64_t(p.runs.size()), "whole run"), median_seconds(p.runs) * 1e3,
                        p.level, plural(p.threads, "thread"), t.limits.flop / 1e9, t.limits.bytes / 1e9);
    page += "<p>Roofline: the least time that the peaks allow, over the time taken. Over 100 % where data comes from the caches, or where an algorithm needs fewer operations than the shapes tell. A click on a column sorts by it.</p>\n";
    page += fmt::format("<h2>By operator</h2>\n<table>\n<thead><tr><th class=\"t\">operator</th><th>steps</th>{}</tr></thead>\n<tbody>\n", cost_heads);
    for (const operator_cost& o : t.operators) page += "<tr>" + text_cell(o.op) + number_cell(o.sum.steps, 0) + cost_cells(t, o.sum) + "</tr>\n";
    page += fmt::format("</tbody>\n<tfoot><tr>{}{}{}</tr></tfoot>\n</table>\n", text_cell("all steps"), number_cell(t.in_steps.steps, 0), cost_cells(t, t.in_steps));
    page += fmt::format("<h2>By step</h2>\n<table>\n<thead><tr><th>step</th><th class=\"t\">node</th><th class=\"t\">operator</th>{}<th class=\"t\">provider</th><th class=\"t\">kernel</th><th class=\"t\">inputs</th><th class=\"t\">outputs</th></tr></thead>\n<tbody>\n", cost_heads);
    for (std::size_t k = 0; k < p.steps.size(); ++k) {
        const step_profile& s = p.steps[k];
        std::string sources;
        for (const std::string& one : s.sources) sources += (sources.empty() ? "" : ", ") + one;
        page += "<tr>" + number_cell(double(k), 0) + text_cell(s.node, sources) + text_cell(s.op) + cost_cells(t, t.steps[k]) + text_cell(short_name(s.provider)) + text_cell(s.kernel) + text_cell(arguments_text(s.inputs))
              + text_cell(arguments_text(s.outputs)) + "</tr>\n";
    }
    return page + fmt::format("</tbody>\n</table>\n<script>{}</script>\n</body>\n</html>\n", script);
}
}  // namespace inlay::tool
