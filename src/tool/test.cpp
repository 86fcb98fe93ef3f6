// inlay test: compares a model's results with ONNX test data.
#include "compare.hpp"
#include "data.hpp"
#include <fstream>

namespace inlay::tool {
namespace {
struct arguments {
    std::string model;
    std::vector<std::string> folders;
    std::optional<double> rtol, atol;
    session_arguments session;
};

tolerance tolerance_for(const arguments& a) {
    tolerance t;
    const fs::path file = fs::path(a.model).parent_path() / "tolerance.json";
    if (std::ifstream in(file); in) {
        const json j = json::parse(in, nullptr, false);
        if (!j.is_object()) throw bad_usage("`" + file.string() + "` is not a JSON object");
        for (const auto& [key, to] : {std::pair{"rtol", &t.relative}, std::pair{"atol", &t.absolute}}) {
            if (!j.contains(key)) continue;
            if (!j[key].is_number()) throw bad_usage("`" + file.string() + "`: `" + key + "` is not a number");
            *to = j[key];
        }
    }
    if (a.rtol) t.relative = *a.rtol;
    if (a.atol) t.absolute = *a.atol;
    return t;
}
// What an error means to whoever asked whether the results are right.
[[noreturn]] void stop(const error& e, int otherwise = exit_status::bad_input) {
    const bool missing = e.code == error_code::no_provider || e.code == error_code::unsupported_model;
    throw failure{missing ? int(exit_status::unsupported) : otherwise, e};
}
template <class F> auto or_stop(F&& f) {
    try { return f(); } catch (const error& e) { stop(e); }
}
bool is_about_inputs(error_code c) { return c == error_code::invalid_argument || c == error_code::not_found || c == error_code::shape_mismatch || c == error_code::type_mismatch; }

fetched run_folder(const any_session& session, const std::string& folder) {
    const model& m = session.model();
    const values inputs = or_stop([&] { return read_folder(folder, "input", m.inputs()); });
    auto results = session.try_run(feeds_of(m.inputs(), inputs));
    if (!results) stop(results.why(), is_about_inputs(results.why().code) ? exit_status::bad_input : exit_status::differs);
    return *results;
}
int compare_folder(const any_session& session, const std::string& folder, comparison& c) {  // returns the number of outputs compared
    const std::span<const port> ports = session.outputs();
    const values wanted = or_stop([&] { return read_folder(folder, "output", ports); });
    const fetched results = run_folder(session, folder);
    int compared = 0;
    for (std::size_t k = 0; k < ports.size(); ++k) {
        if (!wanted[k]) continue;
        c.add(results.value(k), *wanted[k], "output `" + ports[k].name + "`");
        ++compared;
    }
    if (!compared) throw bad_usage("`" + folder + "` holds no output_0.pb to compare with");
    return compared;
}

int test(const arguments& a) {
    comparison c{tolerance_for(a), 0, 0, {}};
    const model m = or_stop([&] { return model(a.model); });
    const any_session session = or_stop([&] { return make_session(m, a.session); });
    int outputs = 0;
    for (const std::string& folder : a.folders) {
        outputs += compare_folder(session, folder, c);
        if (c.difference.empty()) continue;
        fmt::print("differs: {}{}\n", printable(c.difference), a.folders.size() > 1 ? ", in " + folder : "");
        return exit_status::differs;
    }
    if (!a.session.quiet) fmt::print("agrees: {}, largest absolute error {:.3g}, relative {:.3g}\n", plural(outputs, "output"), c.largest_absolute, c.largest_relative);
    return exit_status::done;
}
}  // namespace

void add_test(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand("test", "Compare a model's results with ONNX test data: folders of input_I.pb and output_I.pb");
    command->add_option("MODEL", a->model, "The .onnx file; tolerance.json beside it may hold {\"rtol\": ..., \"atol\": ...}")->required();
    command->add_option("TEST_DATA_DIR", a->folders, "One or more folders")->required();
    command->add_option("--rtol", a->rtol, "Relative tolerance (default: tolerance.json, else 1e-3)");
    command->add_option("--atol", a->atol, "Absolute tolerance (default: tolerance.json, else 1e-7)");
    add_session_arguments(*command, a->session);
    choose(command, chosen, test, a);
}
}  // namespace inlay::tool
