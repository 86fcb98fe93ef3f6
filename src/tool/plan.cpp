// inlay plan: which node runs where, and why not elsewhere.
#include "compile/output_files.hpp"
#include "plan.hpp"
#include <iostream>

namespace inlay::tool {
namespace {
struct plan_arguments {
    std::string model, page;
    std::vector<std::string> shapes;
    session_arguments session;
    bool as_json = false, as_dot = false;
};
int plan(const plan_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    const named_shapes given = shapes_from(a.shapes, m);
    const plan_report report = or_exit(exit_status::load_failed, [&] {
        const handle_session session = make_planning_session(m, a.session);
        return given.empty() ? session.plan() : session.plan(all_shapes(m, given));
    });
    if (!a.page.empty()) or_exit(exit_status::run_failed, [&] { update_file(a.page, page_of(report)); });
    if (a.as_json)
        print(json::parse(json_of(report)));
    else if (a.as_dot)
        std::cout << dot_of(report);
    else if (a.page.empty() && !a.session.quiet)
        std::cout << report;
    return exit_status::done;
}
}  // namespace

void add_plan(command& app, action& chosen) {
    auto a = std::make_shared<plan_arguments>();
    command c = app.add_command(
        "plan", "Show which node runs on which provider, why not on another, and the memory that this takes");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_shape_option(c, a->shapes);
    add_json(c, a->as_json);
    c.add_flag("--dot", a->as_dot, "Print a graph for Graphviz").excludes("--json");
    c.add_option("--html", a->page, "Write a picture for a browser: one file, which needs nothing else")
        .type_name("FILE.html");
    add_session_arguments(c, a->session);
    choose(c, chosen, plan, a);
}
}  // namespace inlay::tool
