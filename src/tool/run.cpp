// inlay run: runs a model once, on values from files or random ones.
#include "data.hpp"

namespace inlay::tool {
namespace {
struct arguments {
    std::string model, folder, out, format = "npy";
    std::vector<std::string> in, shapes;
    bool random = false, save_inputs = false;
    std::uint64_t seed = 0;
    session_arguments session;
};

void read_named(const std::vector<std::string>& texts, std::span<const port> ports, values& all) {
    for (const std::string& text : texts) {
        std::size_t k = 0;
        while (k < ports.size() && !(text.starts_with(ports[k].name) && text.substr(ports[k].name.size()).starts_with('='))) ++k;
        if (k == ports.size()) throw bad_usage("`--in " + text + "` names no input of the model", "write --in NAME=FILE; inlay inspect shows the names");
        all[k] = read_value(text.substr(ports[k].name.size() + 1), ports[k]);
    }
}
void add_random(const arguments& a, const model& m, values& all) {
    named_shapes given = shapes_from(a.shapes, m);
    for (std::size_t k = 0; k < all.size(); ++k)
        if (const tensor* t = all[k] ? all[k]->as_tensor() : nullptr) given.emplace_back(m.inputs()[k].name, t->shape());
    const std::vector<shape> shapes = complete_shapes(m, given);
    std::mt19937_64 bits(a.seed);
    bool any = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const port& p = m.inputs()[k];
        if (all[k] || p.kind == value_kind::optional) continue;
        if (p.kind != value_kind::tensor) throw bad_usage("input `" + p.name + "` is a " + std::string(name_of(p.kind)) + ", and only tensors can be random", "give it with --in " + p.name + "=FILE.pb");
        if (!shapes[k].known()) throw bad_usage("input `" + p.name + "` has no shape in the model", "give it with --shape " + p.name + "=...");
        all[k] = random_tensor(p.type, shapes[k], bits);
        any = true;
    }
    if (any && !a.session.quiet) fmt::print("random inputs: seed {}\n", a.seed);
}
values gather_inputs(const arguments& a, const model& m) {
    values all(m.inputs().size());
    if (!a.folder.empty()) all = read_folder(a.folder, "input", m.inputs());
    read_named(a.in, m.inputs(), all);
    if (a.random) add_random(a, m, all);
    for (std::size_t k = 0; k < all.size(); ++k)
        if (!all[k] && m.inputs()[k].kind != value_kind::optional) {
            const std::string& name = m.inputs()[k].name;
            throw bad_usage("there is no value for input `" + name + "`", "give a folder with input_" + std::to_string(k) + ".pb, --in " + name + "=FILE, or --random");
        }
    return all;
}

void save(const arguments& a, std::string_view stem, std::size_t k, const any_value& v, const port& p) {
    write_value(fs::path(a.out) / fmt::format("{}_{}.{}", stem, k, a.format), v, p);
}
void save_all(const arguments& a, const model& m, const values& inputs, const fetched& results) {
    std::error_code problem;
    fs::create_directories(a.out, problem);
    if (problem) raise({error_code::invalid_argument, "cannot make the folder `" + a.out + "`: " + problem.message()});
    for (std::size_t k = 0; k < results.size(); ++k) save(a, "output", k, results.value(k), m.outputs()[k]);
    if (a.save_inputs) for (std::size_t k = 0; k < inputs.size(); ++k) if (inputs[k]) save(a, "input", k, *inputs[k], m.inputs()[k]);
}

int run(const arguments& a) {
    const model m = or_exit(exit_status::load_failed, [&] { return model(a.model); });
    const values inputs = or_exit(exit_status::bad_input, [&] { return gather_inputs(a, m); });
    const any_session session = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session); });
    const fetched results = or_exit(exit_status::run_failed, [&] { return session.run(feeds_of(m.inputs(), inputs)); });
    if (!a.session.quiet) for (const auto& [name, value] : results) fmt::print("{}: {}\n", printable(name), describe(value));
    if (!a.out.empty()) or_exit(exit_status::run_failed, [&] { save_all(a, m, inputs, results); });
    return exit_status::done;
}
}  // namespace

void add_run(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand("run", "Run a model once and show its results");
    command->add_option("MODEL", a->model, "The .onnx file")->required();
    command->add_option("DIR", a->folder, "Holds the inputs: input_0.pb, input_1.pb, ..., as .pb or .npy, or NAME.npy");
    command->add_option("--in", a->in, "An input from a file, .npy or .pb")->type_name("NAME=FILE")->allow_extra_args(false);
    command->add_flag("--random", a->random, "Make up the inputs that no file gives");
    command->add_option("--seed", a->seed, "Of random inputs")->capture_default_str()->type_name("N");
    command->add_option("--shape", a->shapes, "The shape of a random input; symbolic dimensions are 1 otherwise")->type_name("NAME=1,3,224,224")->allow_extra_args(false);
    CLI::Option* out = command->add_option("--out", a->out, "Write the outputs there, as output_0.npy and so on")->type_name("DIR");
    command->add_option("--format", a->format, "Of the files that are written: npy or pb")->check(CLI::IsMember({"npy", "pb"}))->capture_default_str()->needs(out)->type_name("FORMAT");
    command->add_flag("--save-inputs", a->save_inputs, "Write the inputs there too, which makes the folder a test for inlay test (with --format pb)")->needs(out);
    add_session_arguments(*command, a->session);
    choose(command, chosen, run, a);
}
}  // namespace inlay::tool
