// inlay extract: a part of a model as a model.
#include "common.hpp"
#include "onnx/extract.hpp"
#include "platform/output_file.hpp"

namespace inlay::tool {
namespace {
namespace fs = std::filesystem;
struct extract_arguments {
    std::string model, out;
    std::vector<std::string> from, to;
    bool as_json = false, quiet = false;
};
// The name of a node stands for its outputs, or with --from for its inputs except constants.
void replace_nodes(std::vector<std::string>& names, const graph_view& g, range node::*values) {
    std::vector<std::string> replaced;
    for (const std::string& name : names) {
        const auto n = std::ranges::find(g.nodes, name, &node::name);
        if (n == g.nodes.end() || std::ranges::find(g.values, name, &value::name) != g.values.end()) {
            replaced.push_back(name);
            continue;
        }
        for (const int id : g.list((*n).*values))
            if (id >= 0 && !g.values[std::size_t(id)].is_constant())
                replaced.emplace_back(g.values[std::size_t(id)].name);
    }
    names = std::move(replaced);
}
int extract(const extract_arguments& arguments) {
    extract_arguments a = arguments;
    if (a.from.empty() && a.to.empty()) throw bad_usage("neither --from nor --to says what to extract");
    model_options as_it_is;
    as_it_is.optimize = false;
    if (auto m = model::try_load(a.model, as_it_is)) {  // else its values have names all the same
        replace_nodes(a.from, m->view(), &node::inputs);
        replace_nodes(a.to, m->view(), &node::outputs);
    }
    const extracted part = or_exit(exit_status::load_failed, [&] {
        try {
            return extract_model(a.model, a.from, a.to, fs::absolute(a.out).parent_path());
        } catch (const error& e) {
            if (e.code == error_code::invalid_argument) throw failure{exit_status::bad_input, e};
            throw;
        }
    });
    or_exit(exit_status::run_failed, [&] { update_file(a.out, part.file); });
    check_written(a.out);
    if (a.as_json)
        print({{"schema", "inlay.extract"}, {"version", 1}, {"file", a.out}, {"nodes", part.nodes}, {"of", part.of}});
    else if (!a.quiet)
        fmt::print("{}: {} of {}\n", printable(a.out), part.nodes, plural(part.of, "node"));
    return exit_status::done;
}
}  // namespace

void add_extract(command& app, action& task) {
    auto a = std::make_shared<extract_arguments>();
    command c = app.add_command("extract", "Write a part of a model as a model: what lies between some values");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option(
         "--from", a->from,
         "A value that becomes an input, or a node whose inputs do, as often as wanted (default: the model's inputs)")
        .type_name("VALUE|NODE")
        .one_value_each();
    c.add_option("--to", a->to,
                 "A value that becomes an output, or a node whose outputs do, as often as wanted (default: the model's "
                 "outputs)")
        .type_name("VALUE|NODE")
        .one_value_each();
    c.add_option("--out,-o", a->out, "The file to write").required().type_name("FILE.onnx");
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    choose(c, task, extract, a);
}
}  // namespace inlay::tool
