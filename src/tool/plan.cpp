// inlay plan: which node runs where, and why not elsewhere.
#include "built_providers.hpp"
#include "contract/contract.hpp"
#include "plan.hpp"
#include "platform/output_file.hpp"
#include <iostream>

namespace inlay::tool {
namespace {
struct plan_arguments {
    std::string model, page, as;
    std::vector<std::string> shapes;
    session_arguments session;
    bool as_json = false, as_dot = false;
};
any_session session_by_contracts(const model& m, const plan_arguments& a) {
    session_options o = options_from(a.session);
    o.plan_only = true;
    return any_session(m, provider_list(a.as), std::move(o), contract_factories());
}
// Nothing where there are no steps.
std::optional<double> prediction(plan_report& r, const model& m) {
    std::vector<shape> shapes;
    for (const auto& [name, dims] : r.inputs) shapes.push_back(dims);
    if (shapes.size() != m.inputs().size()) return {};
    return predict(r, m, shapes);
}
void print_json(const plan_report& r, std::optional<double> predicted) {
    json j = json::parse(json_of(r));
    if (predicted) j["predicted_seconds"] = *predicted;
    print(j);
}
int plan(const plan_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    const given_shapes input_shapes = shapes_from(a.shapes, m);
    std::optional<double> predicted;
    plan_report report = or_exit(exit_status::load_failed, [&] {
        const any_session session = a.as.empty() ? make_planning_session(m, a.session) : session_by_contracts(m, a);
        plan_report r = input_shapes.empty() ? session.plan() : session.plan(all_shapes(m, input_shapes));
        if (!a.as.empty()) predicted = prediction(r, m);
        return r;
    });
    (void)complete_shapes(m, input_shapes);
    if (!assumed_sizes().empty()) report.notes.push_back(assumed_sizes());
    if (!a.page.empty()) or_exit(exit_status::run_failed, [&] { update_file(a.page, page_of(report, predicted)); });
    if (a.as_json)
        print_json(report, predicted);
    else if (a.as_dot)
        fmt::print("{}", dot_of(report));
    else if (a.session.quiet)
        return exit_status::done;
    else if (!a.page.empty())
        print_written(a.page);
    else {
        std::cout << report << std::flush;
        if (predicted) fmt::print("{}\n", text_of_prediction(*predicted));
    }
    return exit_status::done;
}
}  // namespace

void add_plan(command& app, action& task) {
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
    c.add_option("--as", a->as,
                 "Plan for these providers by their contracts, wherever this is run, and predict the time: NAME,cpu")
        .type_name("LIST")
        .excludes("--providers");
    choose(c, task, plan, a);
}
}  // namespace inlay::tool
