// inlay memory: where the values of a run live, and how long.
#include "memory.hpp"
#include "page.hpp"
#include "platform/output_file.hpp"

namespace inlay::tool {
namespace {
struct memory_arguments {
    std::string model, page;
    std::vector<std::string> shapes;
    session_arguments session;
    bool as_json = false;
};
int fullest_step(const memory_report::space& s) { return int(std::ranges::max_element(s.live) - s.live.begin()); }
std::string sums(const memory_report::space& s) {
    return fmt::format("{}: arena {}, at most {} alive at once, fragmentation {:.1f} %", s.name,
                       size_text(s.arena_bytes), size_text(s.live_bytes), 100 * s.fragmentation());
}
std::string others(const memory_report& r) {
    return fmt::format("besides: scratch {}, packed weights {}, constants {}; {} in place{}",
                       size_text(r.scratch_bytes), size_text(r.packed_bytes), size_text(r.constant_bytes),
                       plural(r.aliased, "result"),
                       r.unplanned ? fmt::format("; values with memory of their own: {}", r.unplanned) : "");
}
std::string title(const memory_report& r) { return "Memory of " + (r.model.empty() ? "the model" : r.model); }
}  // namespace
void show(const memory_report& r) {
    fmt::print("memory of {} for", r.model.empty() ? "the model" : printable(r.model));
    for (const auto& [name, dims] : r.inputs) fmt::print(" {}{}", printable(name), to_string(dims));
    fmt::print(": {}\n", plural(std::int64_t(r.steps.size()), "step"));
    for (const memory_report::space& s : r.spaces) {
        fmt::print("{}\n", sums(s));
        if (s.live.empty()) continue;
        const int full = fullest_step(s);
        fmt::print("most is alive in step {}, {} {}: {}\n", full + 1, printable(r.steps[std::size_t(full)].op),
                   printable(r.steps[std::size_t(full)].name), size_text(s.live[std::size_t(full)]));
        fmt::print("      offset       bytes  steps        value\n");
        for (const memory_report::lifetime& l : s.values) {
            const std::string steps =
                fmt::format("{}..{}", l.first_step < 0 ? "start" : std::to_string(l.first_step + 1),
                            l.last_step >= int(r.steps.size()) ? "end" : std::to_string(l.last_step + 1));
            fmt::print("{:>12}{:>12}  {:<12} {} {}{}{}{}\n", l.offset, l.bytes, steps, printable(l.value),
                       to_string(l.dims), l.layout == "plain" ? "" : " " + l.layout,
                       l.input    ? ", input"
                       : l.output ? ", output"
                                  : "",
                       &s.values[std::size_t(l.root)] == &l
                           ? ""
                           : ", in place of " + printable(s.values[std::size_t(l.root)].value));
        }
    }
    fmt::print("{}\n", others(r));
}
std::string page_of(const memory_report& r) {
    std::string body = fmt::format("<h1>{}</h1>\n<p class=\"faint\">{}; {}.</p>\n", escaped(title(r)),
                                   escaped(plural(std::int64_t(r.steps.size()), "step")), escaped(others(r)));
    body +=
        "<p><label>Search <input type=\"search\" id=\"search\" placeholder=\"value\"></label> <output id=\"found\" "
        "class=\"faint\"></output>";
    for (const auto& [k, text] :
         {std::pair(2, "input"), std::pair(1, "output"), std::pair(0, "between"), std::pair(5, "channels last")})
        body += fmt::format(
            "<span class=\"chip\" style=\"background:var(--fill{0});border-color:var(--edge{0})\"></span>{1}", k, text);
    body +=
        " <span class=\"faint\">dashed: in place of another. Keys: / searches, Enter goes to the next, left and right "
        "walk.</span></p>\n<p id=\"about\" aria-live=\"polite\">Steps run to the right, offsets in the arena go "
        "upwards. A bar shows its value.</p>\n";
    for (std::size_t k = 0; k < r.spaces.size(); ++k)
        body +=
            fmt::format("<h2>{}</h2>\n<div class=\"chart\" data-space=\"{}\"></div>\n", escaped(sums(r.spaces[k])), k);
    return html_of({title(r),
                    {page_files::memory_css},
                    {page_files::page_js, page_files::memory_js},
                    body,
                    json::parse(json_of(r))});
}

namespace {
int memory(const memory_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    const given_shapes input_shapes = shapes_from(a.shapes, m);
    const memory_report report = or_exit(exit_status::load_failed, [&] {
        const any_session session = make_planning_session(m, a.session);
        return input_shapes.empty() ? session.memory() : session.memory(all_shapes(m, input_shapes));
    });
    (void)complete_shapes(m, input_shapes);
    if (!a.page.empty()) or_exit(exit_status::run_failed, [&] { update_file(a.page, page_of(report)); });
    if (a.as_json)
        print(json::parse(json_of(report)));
    else if (!a.session.quiet && !a.page.empty())
        print_written(a.page);
    else if (!a.session.quiet) {
        show(report);
        if (!assumed_sizes().empty()) fmt::print("note: {}\n", printable(assumed_sizes()));
    }
    return exit_status::done;
}
}  // namespace

void add_memory(command& app, action& task) {
    auto a = std::make_shared<memory_arguments>();
    command c = app.add_command(
        "memory", "Show where each value of a run lives and how long, and what the arena would need at least");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_shape_option(c, a->shapes);
    add_json(c, a->as_json);
    c.add_option("--html", a->page, "Write the lifetimes as bars, one page for a browser").type_name("FILE.html");
    add_session_arguments(c, a->session);
    c.footer(
        "Fragmentation: the part of the arena that is empty where most is alive; 0 if no plan could need less. Inputs "
        "live from start to end, since a run may be repeated with the\n"
        "inputs it had.");
    choose(c, task, memory, a);
}
}  // namespace inlay::tool
