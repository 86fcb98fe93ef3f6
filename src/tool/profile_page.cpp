// A profile as one HTML file: a flame, which src/tool/page/profile.js draws from the JSON, and tables, whose rows are
// written here.
#include "page.hpp"
#include "profile.hpp"

namespace inlay::tool {
namespace {
std::string text_cell(std::string_view text, std::string_view about = {}) {
    return about.empty() ? fmt::format("<td class=\"t\">{}</td>", escaped(text))
                         : fmt::format("<td class=\"t\" title=\"{}\">{}</td>", escaped(about), escaped(text));
}
std::string number_cell(double x, int digits) {
    return fmt::format("<td data-v=\"{:.9g}\">{:.{}f}</td>", x, x, digits);
}
std::string bar_cell(std::string_view kind, std::optional<double> part) {
    if (!part) return "<td data-v=\"-1\">-</td>";
    return fmt::format("<td class=\"{}\" style=\"--part:{:.1f}%\" data-v=\"{:.9g}\">{:.1f} %</td>", kind,
                       std::clamp(100 * *part, 0., 100.), *part, 100 * *part);
}
std::string cost_cells(const profile_table& t, const profile_cost& c) {
    return number_cell(c.seconds * 1e3, 4) + bar_cell("share", t.share(c.seconds)) + number_cell(c.flop / 1e9, 4) +
           number_cell(c.gflop_per_s(), 1) + number_cell(c.bytes / 1e6, 3) + number_cell(c.gb_per_s(), 1) +
           bar_cell("roof", c.roofline());
}
constexpr std::string_view cost_heads =
    "<th>ms</th><th>share</th><th>GFLOP</th><th>GFLOP/s</th><th>MB</th><th>GB/s</th><th>roofline</th>";
constexpr std::string_view flame =
    R"(<p><label>Search <input type="search" id="search" placeholder="node, operator, provider, shape"></label> <output id="found" class="faint"></output>
<span class="faint">Keys: <kbd>/</kbd> searches, Enter goes to the next; in the flame, arrows walk, Enter zooms in, Backspace out, <kbd>0</kbd> shows all.</span></p>
<div id="flame" tabindex="0" role="application" aria-label="The run as a flame: time to the right, what is within below. Arrow keys walk."><noscript>The flame is drawn by JavaScript.</noscript></div>
<p id="about" aria-live="polite"></p>
<ul id="legend" aria-label="Colours of operators"></ul>
)";
}  // namespace

std::string page_of(const profile_table& t) {
    const run_profile& p = t.profile;
    const std::string title = "Profile of " + (p.model.empty() ? "the model" : p.model);
    std::string body = fmt::format(
        "<h1>{}</h1>\n<p>{:.4f} ms in all: {:.4f} in {}, {:.4f} outside them; the median of {} is {:.4f} ms. "
        "Instruction set {}, {}; measured peaks {:.1f} GFLOP/s and {:.1f} GB/s from memory.</p>\n",
        escaped(title), t.total() * 1e3, t.in_steps.seconds * 1e3, plural(t.in_steps.steps, "step"), t.outside * 1e3,
        plural(std::int64_t(p.runs.size()), "whole run"), median_seconds(p.runs) * 1e3, p.level,
        plural(p.threads, "thread"), t.peaks->flop / 1e9, t.peaks->bytes / 1e9);
    if (const std::string note = note_of_roofline(t); !note.empty()) body += "<p>Note: " + escaped(note) + ".</p>\n";
    body += flame;
    body +=
        "<p>Roofline: the least time that the peaks allow, over the time taken. Over 100 % where data comes from the "
        "caches, or where an algorithm needs fewer operations than the shapes tell. A click on a column sorts by "
        "it.</p>\n";
    body += fmt::format(
        "<h2>By operator</h2>\n<table>\n<thead><tr><th "
        "class=\"t\">operator</th><th>steps</th>{}</tr></thead>\n<tbody>\n",
        cost_heads);
    for (const operator_cost& o : t.operators)
        body += "<tr>" + text_cell(o.op) + number_cell(o.sum.steps, 0) + cost_cells(t, o.sum) + "</tr>\n";
    body += fmt::format("</tbody>\n<tfoot><tr>{}{}{}</tr></tfoot>\n</table>\n", text_cell("all steps"),
                        number_cell(t.in_steps.steps, 0), cost_cells(t, t.in_steps));
    body += fmt::format(
        "<h2>By step</h2>\n<table>\n<thead><tr><th>step</th><th class=\"t\">node</th><th "
        "class=\"t\">operator</th>{}<th class=\"t\">provider</th><th class=\"t\">kernel</th><th "
        "class=\"t\">inputs</th><th class=\"t\">outputs</th></tr></thead>\n<tbody>\n",
        cost_heads);
    for (std::size_t k = 0; k < p.steps.size(); ++k) {
        const step_profile& s = p.steps[k];
        std::string sources;
        for (const std::string& source : s.sources) sources += (sources.empty() ? "" : ", ") + source;
        body += "<tr>" + number_cell(double(k), 0) + text_cell(s.node, sources) + text_cell(s.op) +
                cost_cells(t, t.steps[k]) + text_cell(short_name(s.provider)) + text_cell(s.kernel) +
                text_cell(shapes_of(s.inputs)) + text_cell(shapes_of(s.outputs)) + "</tr>\n";
    }
    return html_of(page{title,
                        {page_files::profile_css},
                        {page_files::page_js, page_files::profile_js, page_files::table_js},
                        body + "</tbody>\n</table>\n",
                        json::parse(json_of(t))});
}
}  // namespace inlay::tool
