// inlay run: runs a model on values from files or random ones, for given sizes of symbols.
#include "engine/comparison.hpp"
#include "runner.hpp"

namespace inlay::tool {
namespace {
struct run_arguments {
    std::string model, out, format = "npy";
    int runs = 1;
    bool save_inputs = false, as_json = false;
    input_arguments inputs;
    session_arguments session;
};
struct outcome {  // for one choice of sizes
    given_shapes shapes;
    values inputs;
    fetched results;
    std::vector<double> seconds;  // of each run, in ascending order
    std::string changed;          // how the results of a later run differ from those of the first
};

void save_values(const run_arguments& a, const fs::path& folder, std::string_view stem, std::span<const port> ports,
                 const values& items) {
    if (a.format == "npz") return write_arrays(folder / fmt::format("{}s.npz", stem), ports, items);
    for (std::size_t k = 0; k < items.size(); ++k)
        if (items[k]) write_value(folder / fmt::format("{}_{}.{}", stem, k, a.format), *items[k], ports[k]);
}
void save_all(const run_arguments& a, const model& m, const outcome& o, bool is_single) {
    const fs::path folder = is_single ? fs::path(a.out) : fs::path(a.out) / text_of_sizes(o.shapes.symbols);
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem)
        raise({error_code::invalid_argument, "cannot make the folder `" + folder.string() + "`: " + problem.message()});
    values outputs;
    for (const auto& [name, value] : o.results) outputs.emplace_back(value);
    save_values(a, folder, "output", m.outputs(), outputs);
    if (a.save_inputs) save_values(a, folder, "input", m.inputs(), o.inputs);
}

json to_json(const outcome& o) {
    json j{{"set", o.shapes.symbols}, {"outputs", json::array()}, {"seconds", o.seconds}};
    for (const auto& [name, value] : o.results)
        j["outputs"].push_back({{"name", name}, {"value", tool::to_json(value)}});
    if (o.seconds.size() > 1) j["changed"] = o.changed.empty() ? json(nullptr) : json(o.changed);
    return j;
}
json to_json(const run_arguments& a, const std::vector<json>& reports) {
    json j{{"schema", "inlay.run"},
           {"version", 1},
           {"model", a.model},
           {"seed", a.inputs.random ? json(a.inputs.seed) : json(nullptr)}};
    if (reports.size() == 1)
        j.update(reports.front());
    else
        j["settings"] = reports;
    return j;
}
void show(const outcome& o, bool is_single) {
    if (!is_single) fmt::print("{}:\n", printable(text_of_sizes(o.shapes.symbols)));
    for (const auto& [name, value] : o.results)
        fmt::print("{}{}: {}\n", is_single ? "" : "  ", printable(name), describe(value));
    if (o.seconds.size() > 1)
        fmt::print("{}{} runs: median {:.4g} ms, least {:.4g} ms; {}\n", is_single ? "" : "  ", o.seconds.size(),
                   o.seconds[o.seconds.size() / 2] * 1e3, o.seconds.front() * 1e3,
                   o.changed.empty() ? "the same results" : "the results change: " + printable(o.changed));
}

void run_often(const run_arguments& a, const model& m, const any_session& session, outcome& o) {
    const std::vector<feed> feeds = feeds_of(m.inputs(), o.inputs);
    comparison same{{0, 0}, 0, 0, {}};
    for (int k = 0; k < a.runs; ++k) {
        const stopwatch clock;
        fetched results = session.run(feeds);
        o.seconds.push_back(clock.seconds());
        for (std::size_t i = 0; k > 0 && i < results.size(); ++i)
            same.add(results.value(i), o.results.value(i), "output `" + results.name(i) + "`");
        if (k == 0) o.results = std::move(results);
    }
    std::ranges::sort(o.seconds);
    o.changed = same.difference;
}
int run(const run_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    const std::vector<given_shapes> choices = each_of_shapes(joined(a.inputs.shapes, a.inputs.set), m);
    const bool is_single = choices.size() == 1, quiet = a.session.quiet || a.as_json;
    std::optional<any_session> session;
    std::vector<json> reports;
    for (const given_shapes& shapes : choices) {
        outcome o{shapes, {}, {}, {}, {}};
        o.inputs = or_exit(exit_status::bad_input,
                           [&] { return gather_inputs(a.inputs, shapes, m, quiet || &shapes != &choices.front()); });
        if (!session) session = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session); });
        or_exit(exit_status::run_failed, [&] {
            try {
                run_often(a, m, *session, o);
            } catch (error& e) {
                if (!is_single) e.text = text_of_sizes(shapes.symbols) + ": " + e.text;
                throw;
            }
        });
        if (!a.out.empty()) or_exit(exit_status::run_failed, [&] { save_all(a, m, o, is_single); });
        if (a.as_json)
            reports.push_back(to_json(o));
        else if (!quiet)
            show(o, is_single);
    }
    if (a.as_json) print(to_json(a, reports));
    return exit_status::done;
}
}  // namespace

void add_run(command& app, action& task) {
    auto a = std::make_shared<run_arguments>();
    command c = app.add_command("run", "Run a model and show its results");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_input_arguments(c, a->inputs, true);
    c.add_option("--runs", a->runs, "Runs on the same inputs: shows their times, and whether results change")
        .range(1, 1'000'000)
        .capture_default_str()
        .type_name("N");
    c.add_option("--out", a->out,
                 "Write the outputs there, as output_0.npy and so on; of several sizes each into a folder of its own: "
                 "N=1")
        .type_name("DIR");
    c.add_option("--format", a->format, "Of the files that are written: npy, pb, or npz (outputs.npz)")
        .member_of({"npy", "pb", "npz"})
        .capture_default_str()
        .needs("--out")
        .type_name("FORMAT");
    c.add_flag("--save-inputs", a->save_inputs,
               "Write the inputs there too, which makes the folder a test for inlay test (with --format pb)")
        .needs("--out");
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    choose(c, task, run, a);
}
}  // namespace inlay::tool
