// inlay test: compares a model's results with ONNX test data.
#include "data.hpp"
#include "engine/comparison.hpp"
#include "terminal.hpp"
#include <fstream>

namespace inlay::tool {
namespace {
struct test_arguments {
    std::string model;
    std::vector<std::string> folders;
    std::optional<double> rtol, atol;
    session_arguments session;
    bool as_json = false;
};

tolerance tolerance_for(const test_arguments& a) {
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
int compare_folder(const any_session& session, const std::string& folder,
                   comparison& c) {  // returns the number of outputs compared
    const std::span<const port> ports = session.outputs();
    input_arguments from;
    from.folder = folder;
    const values inputs = or_exit(exit_status::bad_input, [&] { return gather_inputs(from, session.model(), true); });
    const values expected = or_exit(exit_status::bad_input, [&] { return read_folder(folder, "output", ports); });
    const fetched results =
        or_exit(exit_status::run_failed, [&] { return session.run(feeds_of(session.inputs(), inputs)); });
    int compared = 0;
    for (std::size_t k = 0; k < ports.size(); ++k) {
        if (!expected[k]) continue;
        c.add(results.value(k), *expected[k], "output `" + ports[k].name + "`");
        ++compared;
    }
    if (!compared) throw bad_usage("`" + folder + "` holds no output_0.pb to compare with");
    return compared;
}

int test(const test_arguments& a) {
    comparison c{tolerance_for(a), 0, 0, {}};
    const model m = load_model(a.model, a.session.quiet);
    const any_session session = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session); });
    int outputs = 0;
    std::string wrong;  // the folder that differs
    progress line(a.session.quiet);
    for (const std::string& folder : a.folders) {
        line.show("running " + folder, double(&folder - a.folders.data()) / double(a.folders.size()));
        outputs += compare_folder(session, folder, c);
        if (c.difference.empty()) continue;
        wrong = folder;
        break;
    }
    line.done();
    const bool agrees = c.difference.empty();
    if (a.as_json)
        print({{"schema", "inlay.test"},
               {"version", 1},
               {"model", a.model},
               {"agrees", agrees},
               {"difference", agrees ? json(nullptr) : json(c.difference)},
               {"folder", agrees ? json(nullptr) : json(wrong)},
               {"outputs", outputs},
               {"largest_error", {{"absolute", c.largest_absolute}, {"relative", c.largest_relative}}},
               {"tolerance", {{"absolute", c.allowed.absolute}, {"relative", c.allowed.relative}}}});
    if (a.as_json || a.session.quiet) return agrees ? exit_status::done : exit_status::differs;
    if (!agrees)
        fmt::print("differs: {}{}\n", printable(c.difference), a.folders.size() > 1 ? ", in " + wrong : "");
    else
        fmt::print("agrees: {}, largest absolute error {:.3g}, relative {:.3g}\n", plural(outputs, "output"),
                   c.largest_absolute, c.largest_relative);
    return agrees ? exit_status::done : exit_status::differs;
}
}  // namespace

void add_test(command& app, action& task) {
    auto a = std::make_shared<test_arguments>();
    command c =
        app.add_command("test", "Compare a model's results with ONNX test data: folders of input_I.pb and output_I.pb");
    c.add_option("MODEL", a->model, "The .onnx file; tolerance.json next to it may hold {\"rtol\": ..., \"atol\": ...}")
        .required();
    c.add_option("TEST_DATA_DIR", a->folders, "One or more folders").required();
    c.add_option("--rtol", a->rtol, "Relative tolerance (default: tolerance.json, else 1e-3)");
    c.add_option("--atol", a->atol, "Absolute tolerance (default: tolerance.json, else 1e-7)");
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    choose(c, task, test, a);
}
}  // namespace inlay::tool
