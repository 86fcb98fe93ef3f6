#include "built/session_texts.hpp"
#include "common.hpp"
#include "terminal.hpp"

namespace inlay::tool {
failure bad_usage(std::string text, std::string hint) {
    failure f{exit_status::bad_input, {error_code::invalid_argument, std::move(text)}};
    f.cause.hint = std::move(hint);
    return f;
}
int status_of(error_code c, int otherwise) {
    switch (c) {
        case error_code::unknown_provider:
        case error_code::unknown_option:
        case error_code::invalid_option:
        case error_code::duplicate_provider:
        case error_code::no_such_level: return exit_status::bad_input;
        case error_code::provider_unavailable: return exit_status::load_failed;  // there is no session to run
        case error_code::no_provider:
        case error_code::unsupported_model: return exit_status::unsupported;
        case error_code::not_found:
        case error_code::shape_mismatch:
        case error_code::type_mismatch:  // of a run: its inputs
            return otherwise == exit_status::run_failed ? int(exit_status::bad_input) : otherwise;
        default: return otherwise;
    }
}
namespace {
std::string assumed;
}  // namespace
int report(const failure& f) {
    std::string text = f.cause.text;
    if (!f.cause.hint.empty() && text.find(f.cause.hint) == text.npos)
        text += "; " + f.cause.hint;
    else if (f.cause.code == error_code::shape_mismatch && !assumed.empty())
        text += "; " + assumed;
    if (f.cause.code != error_code::invalid_argument)  // whose text and hint are all that there is to say
        text += fmt::format(" (see docs/reference/errors.md#{})", name_of(f.cause.code));
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    const std::string line = (text.starts_with("inlay:") ? "" : "inlay: ") + printable(text) + '\n';
    std::fputs(line.c_str(), stderr);  // which may be full, too
    return f.status;
}

namespace {
std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(at, from), text.size());
        parts.emplace_back(text.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}
provider_choice one_provider(const std::string& text) {
    const std::size_t colon = text.find(':');
    provider_choice choice(text.substr(0, colon));
    if (choice.name.empty())
        throw bad_usage("`--providers` has an empty name", "write for example --providers cpu:threads=2,reference");
    if (colon == text.npos) return choice;
    for (const std::string& option : split(std::string_view(text).substr(colon + 1), ';')) {
        const std::size_t equals = option.find('=');
        if (equals == option.npos)
            throw bad_usage("`" + option + "` is no option of " + choice.name, "write key=value, separated by `;`");
        choice.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
    }
    return choice;
}
fallback fallback_from(const std::string& text) {
    fallback f;
    if (from_text(text, f)) return f;
    throw bad_usage("`--fallback " + text + "` is unknown", "it is " + std::string(fallback_texts));
}
partition_by partition_from(const std::string& text) {
    partition_by p{};
    if (from_text(text, p)) return p;
    throw bad_usage("`--partition " + text + "` is unknown", "it is " + std::string(partition_texts));
}
}  // namespace

void add_json(command& c, bool& flag) {
    c.add_flag("--json", flag, "Print the report as JSON, with the name and version of its schema");
}
void add_quiet(command& c, bool& flag) {
    c.add_flag("-q,--quiet", flag, "Print errors, and nothing else that no other option requests");
}
static std::vector<std::string> plugin_files;
void add_plugin_option(command& c) {
    c.add_option("--plugin", plugin_files,
                 "A shared library with one more provider, which --providers may name (docs/how-to/plugins.md)")
        .type_name("FILE.so")
        .one_value_each();
}
void load_named_plugins() {
    for (const std::string& file : plugin_files) load_plugin(file);
}
void add_provider_arguments(command& c, session_arguments& a, const std::string& name) {
    c.add_option(name, a.providers,
                 "In order of priority, by short or ONNX Runtime name: cpu:threads=2;isa=avx2,reference (default: cpu)")
        .type_name("LIST");
    add_plugin_option(c);
    c.add_option("--fallback", a.fallback, "What a refused node may do: implicit_cpu, never, any, only:Op1,Op2")
        .type_name("POLICY")
        .capture_default_str();
    c.add_option("--partition", a.partition,
                 "Which provider has a node that several can run: the first of the list (order), or the one with which "
                 "the whole run takes least, which is tried (cost)")
        .type_name("BY")
        .capture_default_str();
    c.add_option("--contexts", a.contexts,
                 "Where what a file has compiled does not fit the session: recompile its original graph, or refuse")
        .member_of({"recompile", "refuse"})
        .type_name("POLICY")
        .capture_default_str();
    c.add_option("--determinism", a.determinism,
                 "Whether results are the same on processors with the same instruction sets (machine), or on every one "
                 "with AVX2, or Neon, which alone is used then (portable)")
        .member_of({"machine", "portable"})
        .type_name("POLICY")
        .capture_default_str();
    add_quiet(c, a.quiet);
}
void add_session_arguments(command& c, session_arguments& a, const std::string& name) {
    add_provider_arguments(c, a, name);
    c.add_option("--threads", a.threads, "Threads of the CPU, this one included; 0: one per core")
        .non_negative()
        .type_name("N");
}
std::vector<provider_choice> provider_list(const std::string& text) {
    std::vector<provider_choice> list;
    if (!text.empty())
        for (const std::string& part : split(text, ',')) list.push_back(one_provider(part));
    return list;
}
session_options options_from(const session_arguments& a) {
    session_options o;
    o.fallback = fallback_from(a.fallback);
    o.partition = partition_from(a.partition);
    o.contexts = a.contexts == "refuse" ? context_policy::refuse : context_policy::recompile;
    from_text(a.determinism, o.determinism);
    o.intra_op_num_threads = a.threads;
    if (a.quiet) o.log_severity_level = int(severity::error);
    o.progress = progress_on_terminal(a.quiet);
    return o;
}
any_session make_session(const model& m, const session_arguments& a) {
    return any_session(m, provider_list(a.providers), options_from(a), provider_factories());
}
any_session make_planning_session(const model& m, const session_arguments& a) {
    session_options o = options_from(a);
    o.plan_only = true;
    return any_session(m, provider_list(a.providers), std::move(o), provider_factories());
}
model load_model(const std::string& file, bool quiet, model_options o) {
    o.progress = progress_on_terminal(quiet);
    return or_exit(exit_status::load_failed, [&] { return model(file, o); });
}

option add_shape_option(command& c, std::vector<std::string>& texts, bool random, bool ranges) {
    const std::string about = random ? "The shape of a random input, or the size of a symbol of the inputs' shapes"
                                     : "The shape of an input, or the size of a symbol of the inputs' shapes";
    return c
        .add_option(
            "--shape", texts,
            about + (ranges ? ": for a range one run for each; symbols are 1 otherwise" : "; symbols are 1 otherwise"))
        .type_name(ranges ? "INPUT=1,3,224,224|SYMBOL=8|SYMBOL=1..8" : "INPUT=1,3,224,224|SYMBOL=8")
        .one_value_each();
}
std::string assumed_sizes() { return assumed; }
std::vector<shape> complete_shapes(const model& m, const given_shapes& input_shapes) {
    std::vector<shape> shapes;
    std::map<std::int64_t, std::int64_t> symbols;
    for (const port& p : m.inputs()) {
        shapes.push_back(p.shape);
        for (int i = 0; i < p.shape.rank && std::size_t(i) < p.dim_names.size(); ++i) {
            const auto size = input_shapes.symbols.find(p.dim_names[std::size_t(i)]);
            if (size != input_shapes.symbols.end() && p.shape[i] < -1) symbols[p.shape[i]] = size->second;
        }
    }
    for (const auto& [name, dims] : input_shapes.inputs) {
        shape& s = shapes[std::size_t(std::ranges::find(m.inputs(), name, &port::name) - m.inputs().begin())];
        for (int i = 0; i < s.rank && i < dims.rank; ++i)
            if (s[i] < -1) symbols[s[i]] = dims[i];
        s = dims;
    }
    assumed.clear();
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        shape& s = shapes[k];
        bool open = false;
        for (int i = 0; i < s.rank; ++i)
            if (s[i] < 0) {
                open |= !symbols.contains(s[i]);
                s[i] = symbols.contains(s[i]) ? symbols[s[i]] : 1;
            }
        if (open)
            assumed +=
                fmt::format("{}`{}` was taken to be {}", assumed.empty() ? "" : ", ", m.inputs()[k].name, to_string(s));
    }
    if (!assumed.empty()) assumed += ": --shape gives other shapes";
    return shapes;
}

std::vector<std::pair<std::string_view, shape>> all_shapes(const model& m, const given_shapes& input_shapes) {
    std::vector<std::pair<std::string_view, shape>> named_shapes;
    for (const shape& s : complete_shapes(m, input_shapes))
        named_shapes.emplace_back(m.inputs()[named_shapes.size()].name, s);
    return named_shapes;
}

std::string shape_text(const port& p) {
    if (p.shape.rank < 0) return "[...]";
    std::string text;
    for (int i = 0; i < p.shape.rank; ++i) {
        const bool named = std::size_t(i) < p.dim_names.size() && !p.dim_names[std::size_t(i)].empty();
        text += (i ? "," : "") + (p.shape[i] >= 0 ? std::to_string(p.shape[i])
                                  : named         ? printable(p.dim_names[std::size_t(i)])
                                                  : "?");
    }
    return "[" + text + "]";
}
std::string short_name(std::string_view provider) {
    for (const provider_factory& f : provider_factories())
        if (!f.short_name.empty() && provider.substr(0, provider.find(':')) == f.name) return std::string(f.short_name);
    std::string name(provider);
    constexpr std::string_view suffix =
        "ExecutionProvider";  // of two of a kind a device follows: NAMEExecutionProvider:1
    if (const auto at = name.rfind(suffix);
        at != name.npos && (at + suffix.size() == name.size() || name[at + suffix.size()] == ':'))
        name.erase(at, suffix.size());
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    return name;
}
std::string plural(std::int64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }
void print_written(const std::string& file) { fmt::print("{}: written\n", printable(file)); }
void check_written(const std::string& file) {
    if (std::filesystem::is_regular_file(file)) or_exit(exit_status::load_failed, [&] { model m(file); });
}
void print(const json& j) { fmt::print("{}\n", printable_json(j.dump(2, ' ', false, json::error_handler_t::replace))); }
}  // namespace inlay::tool
