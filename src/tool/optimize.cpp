// inlay optimize: the result of the passes for a model, shown and written.
#include "data.hpp"
#include "engine/comparison.hpp"
#include "passes/passes.hpp"
#include "platform/output_file.hpp"
#include "terminal.hpp"
#include <inlay/model_file.hpp>

namespace inlay::tool {
namespace {
struct optimize_arguments {
    std::string model, out;
    std::vector<std::string> without, shapes;
    session_arguments session;
    bool as_json = false, compare = false;
};
struct sizes {
    std::int64_t nodes = 0, fusions = 0, parameters = 0, parameter_bytes = 0;
    std::map<std::string, std::int64_t> operators;
};
sizes sizes_of(const model& m) {
    sizes s;
    s.nodes = std::int64_t(m.graph().nodes.size());
    s.fusions = std::int64_t(m.graph().fused.size());
    for (const graph_constant* t : m.graph().parameters()) {
        s.parameters += t->elements();
        s.parameter_bytes += t->bytes();
    }
    for (const node& n : m.graph().nodes)
        ++s.operators[(n.domain.empty() ? "" : std::string(n.domain) + ".") + std::string(n.op)];
    return s;
}
json sizes_json(const sizes& s) {
    return {{"nodes", s.nodes},
            {"fusion_candidates", s.fusions},
            {"parameters", s.parameters},
            {"parameter_bytes", s.parameter_bytes},
            {"operators", s.operators}};
}

std::string first_difference(const optimize_arguments& a, const model& before,
                             const model& after) {  // empty: both compute the same
    input_arguments in;
    in.random = true;
    in.shapes = a.shapes;
    const values inputs = gather_inputs(in, before, true);
    const fetched expected = make_session(before, a.session).run(feeds_of(before.inputs(), inputs)),
                  actual = make_session(after, a.session).run(feeds_of(after.inputs(), inputs));
    comparison c{{1e-3, 1e-5}, 0, 0, {}};
    for (std::size_t k = 0; k < expected.size(); ++k)
        c.add(actual.value(k), expected.value(k), "output `" + expected.name(k) + "`");
    return c.difference;
}
std::string_view about(const std::string& name) {
    for (const pass& p : all_passes())
        if (p.name == name) return p.description;
    return {};
}
int optimize(const optimize_arguments& a) {
    model_options unoptimized, options;
    unoptimized.optimize = false;
    options.without = a.without;
    progress line(a.session.quiet);
    line.show("loading " + a.model);
    const model before = or_exit(exit_status::load_failed, [&] { return model(a.model, unoptimized); });
    const model after = or_exit(a.without.empty() ? int(exit_status::load_failed) : int(exit_status::bad_input),
                                [&] { return model(a.model, options); });
    if (!a.out.empty()) {
        line.show("writing " + a.out);
        or_exit(exit_status::run_failed, [&] { update_file(a.out, model_file(after, a.model)); });
    }
    const bool is_file = fs::is_regular_file(a.out);  // and no device
    const model written = is_file ? or_exit(exit_status::run_failed, [&] { return model(a.out, unoptimized); }) : after;
    if (a.compare) line.show("running it before and after");
    const std::string difference =
        a.compare ? or_exit(exit_status::run_failed, [&] { return first_difference(a, before, written); })
                  : std::string();
    line.done();
    const sizes old = sizes_of(before), now = sizes_of(after);
    if (a.as_json) {
        json j{{"schema", "inlay.optimize"},  {"version", 1},
               {"model", after.graph_name()}, {"before", sizes_json(old)},
               {"after", sizes_json(now)},    {"passes", json::array()}};
        for (const pass_count& p : after.pass_log())
            j["passes"].push_back({{"name", p.name}, {"what", about(p.name)}, {"rewrites", p.rewrites}});
        j["file"] = a.out.empty() ? json(nullptr) : json(a.out);
        if (a.compare) j["difference"] = difference.empty() ? json(nullptr) : json(difference);
        print(j);
    } else if (!a.session.quiet) {
        std::size_t width = 0;
        for (const pass_count& p : after.pass_log()) width = std::max(width, p.name.size());
        fmt::print("rewrites  pass\n");
        for (const pass_count& p : after.pass_log())
            fmt::print("{:>8}  {:<{}}  {}\n", p.rewrites, p.name, width, painted(about(p.name), tint::faint));
        fmt::print("nodes: {} before, {} after; parameters: {} before, {} after; candidates for fusion: {}\n",
                   old.nodes, now.nodes, size_text(old.parameter_bytes), size_text(now.parameter_bytes), now.fusions);
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
        for (const auto& [op, n] : old.operators) counts[op].first = n;
        for (const auto& [op, n] : now.operators) counts[op].second = n;
        for (const auto& [op, n] : counts)
            if (n.first != n.second) fmt::print("  {:<24} {:>6} -> {}\n", printable(op), n.first, n.second);
        if (!a.out.empty()) print_written(a.out);
        if (a.compare)
            fmt::print("{}\n", difference.empty() ? "computes the same as before, on random inputs"
                                                  : "differs: " + printable(difference));
    }
    return difference.empty() ? exit_status::done : exit_status::differs;
}
}  // namespace

void add_optimize(command& app, action& task) {
    auto a = std::make_shared<optimize_arguments>();
    command c = app.add_command(
        "optimize",
        "Show what each pass does to a model, its rewrites and the nodes before and after, and write the result");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option("--without", a->without, "Passes to leave out")
        .delimiter(',')
        .type_name("PASS,PASS...")
        .one_value_each();
    c.add_option("--output,-o", a->out, "Write the rewritten model there, as an ONNX file").type_name("FILE.onnx");
    c.add_flag("--compare", a->compare,
               "Run the model with and without the passes (the file written, with --output) on random inputs; "
               "exit status 1 if results differ by more than rounding");
    add_shape_option(c, a->shapes, true);
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    c.footer(
        "Fusions replace nothing here: they are candidates, which providers take or leave. inlay plan shows which were "
        "taken. So a file of\n"
        "--output has operators of ONNX only, of the opsets of the model, and runs elsewhere too; its functions are "
        "inlined, and all weights are in it.");
    choose(c, task, optimize, a);
}
}  // namespace inlay::tool
