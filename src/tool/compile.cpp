// inlay compile: generates a C++ type from a model, a header with its graph and its weights for the assembler; or a
// model file with what engines compiled from it.
#include "compile/coverage.hpp"
#include "compile/depfile.hpp"
#include "compile/spelling.hpp"
#include "compile/write_model.hpp"
#include "onnx/external_files.hpp"
#include "platform/output_file.hpp"
#include "symbols.hpp"

namespace inlay::tool {
namespace {
namespace fs = std::filesystem;
struct compile_arguments {
    std::string model, name, out = ".", place = "embed", precision = "standard", depfile, providers;
    std::vector<std::string> shapes, old_shapes;
    bool as_json = false, quiet = false;
    std::string file;  // with what engines compile
    int embed_mode = 1;
    bool without_original = false, add = false;
};

dimension_size size_from(const std::string& text) {  // batch=8, seq=1..128
    const std::size_t equals = text.rfind('='), dots = text.find("..", equals == text.npos ? 0 : equals);
    dimension_size d{text.substr(0, equals), 0, 0};
    const bool good = equals != text.npos && equals > 0 &&
                      (dots == text.npos ? from_text(text.substr(equals + 1), d.most)
                                         : from_text(text.substr(equals + 1, dots - equals - 1), d.least) &&
                                               from_text(text.substr(dots + 2), d.most));
    if (dots == text.npos) d.least = d.most;
    if (!good || d.least < 0 || d.least > d.most)
        throw bad_usage("`--shape " + text + "` is no size",
                        "write --shape batch=8 or --shape seq=1..128: a size, or bounds");
    return d;
}
std::vector<dimension_size> sizes_from(const std::vector<std::string>& texts, const model& m) {
    std::vector<dimension_size> sizes;
    for (const std::string& text : texts) {
        const std::string name = text.substr(0, text.rfind('='));
        if (std::ranges::find(m.inputs(), name, &port::name) == m.inputs().end())
            sizes.push_back(size_from(text));
        else
            for (const auto& [symbol, size] : sizes_of(shapes_from({text}, m), m))
                sizes.push_back({symbol, size, size});
        for (const dimension_size& d : sizes)
            if (std::ranges::count(sizes, d.name, &dimension_size::name) > 1)
                throw bad_usage("`--shape` gives `" + d.name + "` twice");
    }
    return sizes;
}

// The model as a file with what the providers' engines compiled from it.
int save_contexts(const compile_arguments& a) {
    if (!a.file.ends_with(".onnx"))
        throw bad_usage("`--output " + a.file + "` must end in .onnx", "it is a model file");
    const model m = load_model(a.model, a.quiet);
    const given_shapes input_shapes = shapes_from(a.shapes, m);
    session_arguments of_session;
    of_session.providers = a.providers;
    of_session.quiet = a.quiet;
    const any_session session = or_exit(exit_status::load_failed, [&] { return make_session(m, of_session); });
    const saved_session saved = or_exit(exit_status::run_failed, [&] {
        const save_options o{a.embed_mode == 1, !a.without_original, a.add};
        return input_shapes.empty() ? session.save(a.file, o) : session.save(a.file, o, all_shapes(m, input_shapes));
    });
    if (a.as_json) {
        print({{"schema", "inlay.compile"},
               {"version", 1},
               {"file", a.file},
               {"regions", saved.regions},
               {"compiled_bytes", saved.bytes},
               {"left_out", saved.left_out}});
        return exit_status::done;
    }
    if (a.quiet) return exit_status::done;
    fmt::print("{}: {} compiled, {}\n", printable(a.file), plural(saved.regions, "region"), size_text(saved.bytes));
    for (const std::string& reason : saved.left_out) fmt::print("not in it: {}\n", printable(reason));
    return exit_status::done;
}

int compile(const compile_arguments& a) {
    if (!a.file.empty()) return save_contexts(a);
    if (a.name.empty())
        throw bad_usage(
            "`--name ` cannot be the name of a C++ type; --name, or --output with a model file, is required",
            "see inlay compile --help");
    if (!spelling::is_identifier(a.name))
        throw bad_usage("`--name " + a.name + "` cannot be the name of a C++ type",
                        "write letters, digits and single underscores, a letter first, and no keyword");
    if (!a.depfile.empty() && (!a.depfile.ends_with(".d") || a.depfile.size() < 3))
        throw bad_usage("`--depfile " + a.depfile + "` must end in .d",
                        "it lists what TARGET depends on if it is TARGET.d");
    compile_options o{a.name,
                      printable(fs::path(a.model).filename().string()),
                      {},
                      a.place == "embed"  ? weights_place::embedded
                      : a.place == "file" ? weights_place::file
                                          : weights_place::mapped};
    from_text(a.precision, o.precision);
    const model m = load_model(a.model, a.quiet);
    o.sizes = sizes_from(joined(a.shapes, a.old_shapes), m);
    const frozen_model frozen = or_exit(exit_status::bad_input, [&] { return freeze(m, o.sizes); });
    const std::string dependencies = or_exit(exit_status::bad_input, [&] {
        if (!a.providers.empty()) require_coverage(frozen, provider_handles(provider_list(a.providers)));
        if (a.depfile.empty()) return std::string();
        return depfile_text(a.depfile.substr(0, a.depfile.size() - 2), files_of_model(a.model));
    });
    const written_model written = or_exit(exit_status::run_failed, [&] {
        written_model files = write_model_type(frozen, o, a.out);
        if (!a.depfile.empty()) update_file(a.depfile, dependencies);
        return files;
    });
    if (a.as_json)
        print({{"schema", "inlay.compile"},
               {"version", 1},
               {"header", written.header.string()},
               {"name", a.name},
               {"nodes", frozen.graph.nodes.size()},
               {"weight_bytes", written.weight_bytes},
               {"changed", written.changed}});
    else if (!a.quiet)
        fmt::print("{}: {}, {} of weights{}\n", printable(written.header.string()),
                   plural(std::int64_t(frozen.graph.nodes.size()), "node"), size_text(written.weight_bytes),
                   written.changed ? "" : "; unchanged");
    return exit_status::done;
}

void add_context_options(command& c, compile_arguments& a) {
    c.add_option("--output,-o", a.file, "Write a model file with what the engines of --providers compiled")
        .type_name("FILE.onnx")
        .excludes("--name")
        .excludes("--out")
        .excludes("--weights")
        .excludes("--precision")
        .excludes("--depfile");
    c.add_option("--embed-mode", a.embed_mode, "1: what was compiled is in the file; 0: in files next to it")
        .range(0, 1)
        .capture_default_str()
        .type_name("0|1")
        .needs("--output");
    c.add_flag("--without-original", a.without_original,
               "Leave the graph as it was out of the file: smaller, but it cannot be compiled again")
        .needs("--output");
    c.add_flag("--add", a.add, "Add to the file of --output, which has the same model for other providers or devices")
        .needs("--output");
}
}  // namespace

void add_compile(command& app, action& task) {
    auto a = std::make_shared<compile_arguments>();
    command c = app.add_command("compile",
                                "Make a C++ type of a model, for programs that need neither the file nor a parser "
                                "(CMake: inlay_add_model); or, "
                                "with --output, a model file with what engines compiled");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option("--name", a->name, "Of the type: inlay::models::NAME, in <inlay/models/NAME.hpp>").type_name("NAME");
    c.add_option("--out", a->out, "Where to write inlay/models/NAME.hpp, NAME.weights and NAME.S")
        .capture_default_str()
        .type_name("DIR");
    c.add_option("--shape", a->shapes,
                 "The shape of an input, or the size of a symbol of the inputs' shapes, or with --name its bounds")
        .type_name("INPUT=1,3,224,224|SYMBOL=8|SYMBOL=1..128")
        .one_value_each();
    c.add_option("--shapes", a->old_shapes, "Deprecated: --shape of symbols, with commas between them")
        .delimiter(',')
        .type_name("batch=8,seq=1..128")
        .hidden();
    c.add_option("--weights", a->place, "Where the program has them: embed, file (read when bound) or mapped")
        .member_of({"embed", "file", "mapped"})
        .capture_default_str()
        .type_name("PLACE");
    c.add_option("--precision", a->precision,
                 "Of products and convolutions: standard, strict (no Winograd F(4x4, 3x3)) or bfloat16 (weights, "
                 "and where the processor can also what they multiply)")
        .member_of({"standard", "strict", "bfloat16"})
        .capture_default_str()
        .type_name("PRECISION");
    c.add_option("--providers", a->providers,
                 "Check that these run every node, as the compiler will: cpu,reference; with --output, the session's")
        .type_name("LIST");
    add_plugin_option(c);
    c.add_option("--depfile", a->depfile,
                 "Write what TARGET depends on, as make reads it: the model and its external data")
        .type_name("TARGET.d");
    add_context_options(c, *a);
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    c.footer(
        "A file of --output has EPContext nodes, as ONNX Runtime defines them, in place of what the engines of "
        "--providers compiled, and the graph as it was.\n"
        "A session with the same providers, options, libraries and devices then compiles none of it; others report "
        "what differs (--contexts).");
    choose(c, task, compile, a);
}
}  // namespace inlay::tool
