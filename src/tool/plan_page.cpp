// A plan as a picture in one HTML file; the scripts in src/tool/page draw it from the JSON.
#include "page.hpp"
#include "plan.hpp"

namespace inlay::tool {
namespace {
constexpr std::string_view body = R"(<div class="tools">
<label>Search <input type="search" id="search" placeholder="node, operator, provider, reason"></label> <output id="found" class="faint"></output>
<label>Group by <select id="group"><option value="none">nothing</option><option value="partition">partition</option><option value="scope">scope of names</option><option value="block">blocks of steps</option></select></label>
<button type="button" id="open">Open all</button> <button type="button" id="close">Close all</button>
<button type="button" id="in" aria-label="Zoom in">+</button> <button type="button" id="out" aria-label="Zoom out">&minus;</button> <button type="button" id="all">Show all</button>
</div>
<ul id="legend"></ul>
</header>
<main>
<div id="view" tabindex="0" role="application" aria-label="The steps of the plan as a graph. Arrow keys walk along the links.">
<svg><defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="context-stroke"/></marker></defs><g id="world"></g></svg>
<canvas id="map" aria-hidden="true"></canvas>
</div>
<aside id="panel" aria-live="polite"><noscript>The picture is drawn by JavaScript.</noscript></aside>
</main>
)";
}  // namespace

std::string text_of_prediction(double seconds) {
    return fmt::format("predicted, by the contracts' cost parameters: {:.4g} ms a run", seconds * 1e3);
}
std::string page_of(const plan_report& r, std::optional<double> predicted) {
    const std::string title = "Plan of " + (r.model.empty() ? "the model" : r.model);
    std::string shapes;
    for (const auto& [name, dims] : r.inputs) shapes += (shapes.empty() ? " for " : ", ") + name + to_string(dims);
    if (shapes.size() > 200) shapes = shapes.substr(0, 200) + "...";
    const std::string about =
        fmt::format("{}{}; instruction set {}, {}.", plural(std::int64_t(r.nodes.size()), "node"),
                    r.schedule.empty() ? "" : ", " + plural(std::int64_t(r.schedule.size()), "step"), r.level,
                    plural(r.threads, "thread"));
    std::string notes;
    for (const std::string& note : r.notes) notes += "<p>Note: " + escaped(note) + "</p>\n";
    if (predicted) notes += fmt::format("<p id=\"predicted\">{}</p>\n", escaped(text_of_prediction(*predicted)));
    json data = json::parse(json_of(r));
    if (predicted) data["predicted_seconds"] = *predicted;
    return html_of({title,
                    {page_files::plan_css},
                    {page_files::page_js, page_files::layout_js, page_files::plan_groups_js, page_files::plan_graph_js,
                     page_files::plan_view_js, page_files::plan_panel_js, page_files::plan_js},
                    fmt::format("<header>\n<h1>{}</h1>\n<p class=\"faint\">{} {}</p>\n{}{}", escaped(title),
                                escaped(about), shapes.empty() ? "" : escaped("Planned" + shapes + "."), notes, body),
                    std::move(data)});
}
}  // namespace inlay::tool
