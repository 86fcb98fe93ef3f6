// inlay run: runs a model once, on values from files or random ones.
#include "data.hpp"

namespace inlay::tool {
namespace {
struct run_arguments {
    std::string model, out, format = "npy";
    bool save_inputs = false, as_json = false;
    input_arguments inputs;
    session_arguments session;
};

void save(const run_arguments& a, std::string_view stem, std::size_t k, const any_value& v, const port& p) {
    write_value(fs::path(a.out) / fmt::format("{}_{}.{}", stem, k, a.format), v, p);
}
void save_all(const run_arguments& a, const model& m, const values& inputs, const fetched& results) {
    std::error_code problem;
    fs::create_directories(a.out, problem);
    if (problem) raise({error_code::invalid_argument, "cannot make the folder `" + a.out + "`: " + problem.message()});
    for (std::size_t k = 0; k < results.size(); ++k) save(a, "output", k, results.value(k), m.outputs()[k]);
    if (a.save_inputs)
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (inputs[k]) save(a, "input", k, *inputs[k], m.inputs()[k]);
}

json to_json(const run_arguments& a, const fetched& results) {
    json j{{"schema", "inlay.run"},
           {"version", 1},
           {"model", a.model},
           {"seed", a.inputs.random ? json(a.inputs.seed) : json(nullptr)},
           {"outputs", json::array()}};
    for (const auto& [name, value] : results) j["outputs"].push_back({{"name", name}, {"value", tool::to_json(value)}});
    return j;
}
int run(const run_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    const values inputs =
        or_exit(exit_status::bad_input, [&] { return gather_inputs(a.inputs, m, a.session.quiet || a.as_json); });
    const handle_session session = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session); });
    const fetched results = or_exit(exit_status::run_failed, [&] { return session.run(feeds_of(m.inputs(), inputs)); });
    if (!a.out.empty()) or_exit(exit_status::run_failed, [&] { save_all(a, m, inputs, results); });
    if (a.as_json)
        print(to_json(a, results));
    else if (!a.session.quiet)
        for (const auto& [name, value] : results) fmt::print("{}: {}\n", printable(name), describe(value));
    return exit_status::done;
}
}  // namespace

void add_run(command& app, action& chosen) {
    auto a = std::make_shared<run_arguments>();
    command c = app.add_command("run", "Run a model once and show its results");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_input_arguments(c, a->inputs);
    c.add_option("--out", a->out, "Write the outputs there, as output_0.npy and so on").type_name("DIR");
    c.add_option("--format", a->format, "Of the files that are written: npy or pb")
        .member_of({"npy", "pb"})
        .capture_default_str()
        .needs("--out")
        .type_name("FORMAT");
    c.add_flag("--save-inputs", a->save_inputs,
               "Write the inputs there too, which makes the folder a test for inlay test (with --format pb)")
        .needs("--out");
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    choose(c, chosen, run, a);
}
}  // namespace inlay::tool
