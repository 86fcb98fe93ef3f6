// inlay profile: the time of each step of a run, and how near it is to the peaks of the machine.
#include "data.hpp"
#include "platform/output_file.hpp"
#include "profile.hpp"
#include "terminal.hpp"

namespace inlay::tool {
namespace {
struct profile_arguments {
    std::string model, trace, page;
    int runs = 20;
    bool as_json = false;
    input_arguments inputs;
    session_arguments session;
};

std::string numbers(const profile_table& t, const profile_cost& c) {
    const std::string roofline = c.roofline() ? fmt::format("{:5.0f} %", 100 * *c.roofline()) : "      -";
    return fmt::format("{:>10.4f} {:>5.1f} % {:>9.4f} {:>8.1f} {:>9.3f} {:>7.1f} {}", c.seconds * 1e3,
                       100 * t.share(c.seconds), c.flop / 1e9, c.gflop_per_s(), c.bytes / 1e6, c.gb_per_s(), roofline);
}
std::string column(std::string text, std::size_t width) {
    text = printable(text);
    if (text.size() > width) text = text.substr(0, width - 3) + "...";
    return fmt::format("{:<{}}", text, width);
}
}  // namespace
void show(const profile_table& t) {
    constexpr std::string_view head = "        ms   share     GFLOP  GFLOP/s        MB    GB/s    roof";
    const run_profile& p = t.profile;
    std::size_t node = 4, op = 8;
    const auto make_room = [&](const auto& self, const step_profile& s, std::size_t indent) -> void {
        node = std::max(node, std::min<std::size_t>(40, indent + s.node.size()));
        op = std::max(op, std::min<std::size_t>(24, s.op.size()));
        for (const step_profile& inside : s.body) self(self, inside, indent + 2);
    };
    for (const step_profile& s : p.steps) make_room(make_room, s, 0);
    fmt::print("profile of {}: {}, instruction set {}, {}; peaks {:.1f} GFLOP/s, {:.1f} GB/s from memory\n",
               p.model.empty() ? "the model" : printable(p.model), plural(std::int64_t(p.runs.size()), "run"), p.level,
               plural(p.threads, "thread"), t.peaks->flop / 1e9, t.peaks->bytes / 1e9);
    fmt::print("{}  {}  {}  provider [kernel]  inputs -> outputs\n", column("node", node), column("operator", op),
               head);
    const auto line = [&](const auto& self, const step_profile& s, const profile_cost& c, std::size_t indent) -> void {
        const std::string provider_text =
            (s.provider.empty() ? "-" : short_name(s.provider)) + (s.kernel.empty() ? "" : " [" + s.kernel + "]");
        fmt::print("{}  {}  {}  {}  {} -> {}\n", column(std::string(indent, ' ') + s.node, node), column(s.op, op),
                   numbers(t, c), provider_text, shapes_of(s.inputs), shapes_of(s.outputs));
        for (const step_profile& inside : s.body) self(self, inside, cost_in_body(t, inside), indent + 2);
    };
    for (std::size_t k = 0; k < p.steps.size(); ++k) line(line, p.steps[k], t.steps[k], 0);
    fmt::print("\n{}  {}  {}\n", column("operator", op), " steps", head);
    for (const operator_cost& o : t.operators)
        fmt::print("{}  {:>6}  {}\n", column(o.op, op), o.sum.steps, numbers(t, o.sum));
    fmt::print("{}  {:>6}  {}\n", column("in steps", op), t.in_steps.steps, numbers(t, t.in_steps));
    fmt::print("total {:.4f} ms: {:.4f} in {}, {:.4f} outside them; median of whole runs {:.4f} ms\n", t.total() * 1e3,
               t.in_steps.seconds * 1e3, plural(t.in_steps.steps, "step"), t.outside * 1e3,
               median_seconds(p.runs) * 1e3);
    if (const std::string note = note_of_roofline(t); !note.empty()) fmt::print("note: {}\n", note);
}
std::string note_of_roofline(const profile_table& t) {
    constexpr double possible = 1.2;  // for all steps together, even if some read from the caches
    const std::optional<double> part = t.in_steps.roofline();
    if (!part || *part < possible) return {};
    return fmt::format(
        "the steps together reach {:.0f} % of the roofline, which is more than the peaks that were measured allow: "
        "something else ran on this machine meanwhile, or all data fits the caches; measure again where it is idle",
        100 * *part);
}

namespace {
run_profile measured(const profile_arguments& a, const any_session& session, std::span<const feed> feeds) {
    std::vector<std::pair<std::string_view, shape>> shapes;
    for (const feed& f : feeds) shapes.emplace_back(f.name, f.value.as_tensor()->shape());
    binding b = session.bind(shapes);
    for (const feed& f : feeds) b.set_input(f.name, *f.value.as_tensor());
    (void)b.profile(1);  // disturbs what the next runs find in the caches
    return b.profile(a.runs);
}
int profile(const profile_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    for (const port& p : m.inputs())
        if (p.kind != value_kind::tensor)
            throw failure{exit_status::unsupported,
                          {error_code::invalid_argument, "input `" + p.name + "` is a " + std::string(name_of(p.kind)) +
                                                             "; only models whose inputs are tensors can be profiled"}};
    const values inputs =
        or_exit(exit_status::bad_input, [&] { return gather_inputs(a.inputs, m, a.session.quiet || a.as_json); });
    const any_session session = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session); });
    progress line(a.session.quiet);
    line.show("running " + a.model);
    run_profile runs =
        or_exit(exit_status::run_failed, [&] { return measured(a, session, feeds_of(m.inputs(), inputs)); });
    const profile_peaks limits = measure_peaks(session.level(), runs.threads);
    line.done();
    const profile_table table = make_table(std::move(runs), limits);
    or_exit(exit_status::run_failed, [&] {
        if (!a.trace.empty()) update_file(a.trace, trace_of(table.profile));
        if (!a.page.empty()) update_file(a.page, page_of(table));
    });
    if (a.as_json)
        print(json::parse(json_of(table)));
    else if (!a.session.quiet) {
        show(table);
        for (const std::string& file : {a.trace, a.page})
            if (!file.empty()) print_written(file);
    }
    return exit_status::done;
}
}  // namespace

void add_profile(command& app, action& task) {
    auto a = std::make_shared<profile_arguments>();
    command c = app.add_command("profile",
                                "Show what each step of a run takes, and how near that is to what the machine can do");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_input_arguments(c, a->inputs);
    c.add_option("--runs", a->runs, "Runs that are timed, after one that is not; the medians are shown")
        .range(1, 100'000)
        .capture_default_str()
        .type_name("N");
    c.add_flag("--json", a->as_json, "As JSON");
    c.add_option("--trace", a->trace, "Write every run as a trace for chrome://tracing or Perfetto")
        .type_name("FILE.json");
    c.add_option("--html", a->page, "Write a flame and the tables as one page for a browser").type_name("FILE.html");
    add_session_arguments(c, a->session);
    c.footer(
        "Steps of bodies of control flow stand below their node, indented, with all that they took in a run on "
        "average; the sums have them in their node alone.\n"
        "GFLOP: multiplications and additions of convolutions, products, recurrences and attention, by their shapes. "
        "MB: inputs, outputs and constants, each once. roof: the least\n"
        "time that the measured peaks allow, max(FLOP / peak, bytes / bandwidth of memory), over the time taken; over "
        "100 % where data comes from the caches, or where an\n"
        "algorithm needs fewer operations than the shapes tell.");
    choose(c, task, profile, a);
}
}  // namespace inlay::tool
