// inlay compare: runs a model on two sides, step by step, up to the first difference.
#include "minimal_model.hpp"
#include "terminal.hpp"

namespace inlay::tool {
namespace {
struct compare_arguments {
    std::string model, b = "reference", out = "divergence";
    std::optional<double> rtol, atol;
    input_arguments inputs;
    session_arguments session;
    bool whole = false, as_json = false;
};
struct side_b {  // what --b names
    enum class kind { providers, folder, model } type = kind::providers;
    std::optional<inlay::model> model_b{};
};
side_b side_of(const compare_arguments& a) {
    if (fs::is_directory(a.b)) return {side_b::kind::folder, {}};
    if (fs::is_regular_file(a.b)) return {side_b::kind::model, load_model(a.b, a.session.quiet)};
    return {};
}
values inputs_of(const compare_arguments& a, const model& m) {
    input_arguments in = a.inputs;
    in.random |= in.folder.empty() && in.in.empty();
    return or_exit(exit_status::bad_input, [&] { return gather_inputs(in, m, a.session.quiet || a.as_json); });
}
std::unique_ptr<other_side> make_side(const compare_arguments& a, const model& of_a, const side_b& b,
                                      const values& inputs) {
    if (b.type == side_b::kind::folder) return folder_side(of_a, a.b);
    session_options o = options_from(a.session);
    o.log_severity_level = int(severity::error);
    o.progress = nullptr;
    const std::string& list = b.type == side_b::kind::model ? a.session.providers : a.b;
    return computed_side(of_a, b.model_b ? *b.model_b : of_a, provider_handles(provider_list(list)), o, inputs);
}
shadow_result run_sides(const compare_arguments& a, const model& m, const side_b& b, const values& inputs) {
    const auto open_a = [&] {
        return or_exit(exit_status::load_failed, [&] {
            return watched_session(m, provider_handles(provider_list(a.session.providers)), options_from(a.session));
        });
    };
    shadow_options o{a.rtol.value_or(1e-3), a.atol};
    return or_exit(exit_status::run_failed, [&] {
        return run_shadow(
            open_a, [&](const model& of_a) { return make_side(a, of_a, b, inputs); }, inputs, o);
    });
}

// The differing part as a model of its own; else the reason why there is none.
struct written_part {
    minimal_model model{};
    std::string why_not{};
};
written_part write_part(const compare_arguments& a, const model& m, const values& inputs, divergence& d) {
    written_part part;
    if (d.step.nodes.empty()) return {{}, "no node of the model makes the difference"};
    try {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (inputs[k]) d.inputs.emplace(m.inputs()[k].name, *inputs[k]);
        std::vector<std::string> available;
        for (const auto& [name, v] : d.inputs)
            if (!name.empty()) available.push_back(name);
        model_options as_it_is;
        as_it_is.optimize = false;
        part.model = find_minimal(model(a.model, as_it_is), d.name, available, d.from_shapes);
        write_minimal(a.out, a.model, part.model, d);
    } catch (const error& e) {
        part.why_not = e.text;
    }
    return part;
}

// Both sides as a whole, one after the other: the accumulated error of all steps.
std::vector<std::pair<std::string, comparison>> compare_whole(const compare_arguments& a, const model& m,
                                                              const side_b& b, const values& inputs) {
    const auto run = [&](const model& run_model, const std::string& providers) {
        session_arguments s = a.session;
        s.providers = providers;
        s.quiet = true;
        const any_session session = make_session(run_model, s);
        return session.run(feeds_of(m.inputs(), inputs));
    };
    const fetched actual = run(m, a.session.providers),
                  expected = b.model_b ? run(*b.model_b, a.session.providers) : run(m, a.b);
    std::vector<std::pair<std::string, comparison>> comparisons;
    for (const auto& [name, value] : expected) {
        const auto result = std::ranges::find_if(actual, [&](const auto& entry) { return entry.first == name; });
        if (result == actual.end()) continue;
        comparison c{{a.rtol.value_or(1e-3), a.atol.value_or(0), a.atol ? 0 : 1e-4}, 0, 0, {}};
        const tensor* t = value.as_tensor();
        c.add(t ? as_type(result->second, t->type()) : result->second, value, "`" + name + "`");
        comparisons.emplace_back(name, std::move(c));
    }
    return comparisons;
}

json error_json(double absolute, double relative) { return {{"absolute", absolute}, {"relative", relative}}; }
json nodes_json(const std::vector<source_node>& nodes) {
    json list = json::array();
    for (const source_node& n : nodes) list.push_back({{"name", n.name}, {"op", n.op}, {"output", n.output}});
    return list;
}
json to_json(const compare_arguments& a, const shadow_result& r, const written_part& part,
             const std::vector<std::pair<std::string, comparison>>& whole) {
    json j{{"schema", "inlay.compare"},
           {"version", 1},
           {"model", a.model},
           {"a", a.session.providers.empty() ? "cpu" : a.session.providers},
           {"b", a.b},
           {"agrees", !r.difference},
           {"steps", r.steps},
           {"reached", r.reached},
           {"values", r.compared},
           {"left_out", r.left_out},
           {"largest_error", error_json(r.largest.absolute, r.largest.relative)},
           {"outputs", json::array()},
           {"whole", a.whole ? json::array() : json(nullptr)},
           {"divergence", nullptr}};
    for (const auto& [name, e] : r.outputs)
        j["outputs"].push_back({{"name", name}, {"largest_error", error_json(e.absolute, e.relative)}});
    for (const auto& [name, c] : whole)
        j["whole"].push_back({{"name", name},
                              {"largest_error", error_json(c.largest_absolute, c.largest_relative)},
                              {"difference", c.difference.empty() ? json(nullptr) : json(c.difference)}});
    if (!r.difference) return j;
    const divergence& d = *r.difference;
    json& at = j["divergence"];
    at = {{"step", d.step.number + 1},
          {"value", d.name},
          {"difference", d.words},
          {"provider", d.step.provider},
          {"operator", d.step.kind},
          {"nodes", nodes_json(part.model.nodes.empty() ? d.step.nodes : part.model.nodes)},
          {"folder", part.why_not.empty() ? json(a.out) : json(nullptr)},
          {"why_no_folder", part.why_not.empty() ? json(nullptr) : json(part.why_not)}};
    if (d.numbers)
        at.update({{"index", d.numbers->index},
                   {"a", d.numbers->actual_text},
                   {"b", d.numbers->expected_text},
                   {"error", error_json(d.numbers->absolute, d.numbers->relative)},
                   {"allowed", d.numbers->allowed},
                   {"wrong", d.numbers->wrong},
                   {"elements", d.numbers->elements}});
    return j;
}

void show(const compare_arguments& a, const divergence& d, const written_part& part) {
    const std::vector<source_node>& nodes = part.model.nodes.empty() ? d.step.nodes : part.model.nodes;
    const std::string by = d.step.provider.empty() ? "" : " on " + short_name(d.step.provider);
    if (nodes.empty())
        fmt::print("differs: the {} of `{}`{}, step {}\n", d.step.kind, printable(d.name), by, d.step.number + 1);
    else if (nodes.size() == 1)
        fmt::print("differs: node {}{}, step {}\n", printable(describe(nodes.front())), by, d.step.number + 1);
    else
        fmt::print("differs: within {}, which are one {}{}, step {}; values between them are not in memory\n",
                   plural(std::int64_t(nodes.size()), "node"), printable(d.step.kind), by, d.step.number + 1);
    for (std::size_t k = 0; nodes.size() > 1 && k < std::min<std::size_t>(nodes.size(), 12); ++k)
        fmt::print("  {}\n", printable(describe(nodes[k])));
    if (nodes.size() > 12) fmt::print("  and {} more\n", nodes.size() - 12);
    if (const auto& n = d.numbers) {
        fmt::print("  output `{}`{}: a {}, b {}\n", printable(d.name), n->index, printable(n->actual_text),
                   printable(n->expected_text));
        fmt::print("  error {:.3g}, relative {:.3g}; allowed {:.3g}; {} of {} elements differ\n", n->absolute,
                   n->relative, n->allowed, n->wrong, n->elements);
    } else
        fmt::print("  output {}\n", printable(d.words));
    if (part.why_not.empty())
        fmt::print(
            "{}: model.onnx, its inputs, output_0.pb of b and a_output_0.pb; to repeat it: inlay test {}/model.onnx "
            "{}{}\n",
            a.out, a.out, a.out, a.session.providers.empty() ? "" : " --providers '" + a.session.providers + "'");
    else
        fmt::print("no model of it was written: {}\n", printable(part.why_not));
}
void show(const compare_arguments& a, const shadow_result& r, const written_part& part,
          const std::vector<std::pair<std::string, comparison>>& whole) {
    if (r.difference) show(a, *r.difference, part);
    fmt::print("{}{} of {} compared, {}; largest absolute error {:.3g}{}, relative {:.3g}\n",
               r.difference ? "" : "agrees: ", r.reached, plural(r.steps, "step"), plural(r.compared, "value"),
               r.largest.absolute, r.worst.empty() ? "" : " (`" + printable(r.worst) + "`)", r.largest.relative);
    for (const auto& [name, e] : r.outputs)
        fmt::print("output `{}`: largest absolute error {:.3g}, relative {:.3g}\n", printable(name), e.absolute,
                   e.relative);
    for (const auto& [name, c] : whole)
        fmt::print("output `{}` of whole runs: largest absolute error {:.3g}, relative {:.3g}{}\n", printable(name),
                   c.largest_absolute, c.largest_relative,
                   c.difference.empty() ? "" : "; differs: " + printable(c.difference));
    constexpr std::size_t shown = 5;
    for (std::size_t k = 0; k < std::min(shown, r.left_out.size()); ++k)
        fmt::print("not compared: {}\n", printable(r.left_out[k]));
    if (r.left_out.size() > shown) fmt::print("not compared: {} more\n", r.left_out.size() - shown);
}

int compare(const compare_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    const side_b b = side_of(a);
    if (a.whole && b.type == side_b::kind::folder) throw bad_usage("`--whole` compares runs, and `--b` is a folder");
    const values inputs = inputs_of(a, m);
    shadow_result r = run_sides(a, m, b, inputs);
    if (!r.compared && !r.difference)
        throw bad_usage("nothing was compared: " +
                        (r.left_out.empty() ? std::string("the model has no node") : r.left_out.front()));
    written_part part;
    if (r.difference) part = write_part(a, m, inputs, *r.difference);
    std::vector<std::pair<std::string, comparison>> whole;
    if (a.whole) whole = or_exit(exit_status::run_failed, [&] { return compare_whole(a, m, b, inputs); });
    if (a.as_json)
        print(to_json(a, r, part, whole));
    else if (!a.session.quiet)
        show(a, r, part, whole);
    const bool differs = std::ranges::any_of(whole, [](const auto& entry) { return !entry.second.difference.empty(); });
    return r.difference || differs ? exit_status::differs : exit_status::done;
}
}  // namespace

void add_compare(command& app, action& task) {
    auto a = std::make_shared<compare_arguments>();
    command c = app.add_command("compare",
                                "Run a model on two sides, step by step, and stop at the first difference: which node, "
                                "and a model of it alone");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_input_arguments(c, a->inputs);
    add_session_arguments(c, a->session, "--a,--providers");
    c.add_option(
         "--b", a->b,
         "What a is compared with: providers, as --a has them; a folder with values that are expected, NAME.npy "
         "or NAME.pb; or another model, over the providers of a")
        .capture_default_str()
        .type_name("LIST|DIR|FILE.onnx");
    c.add_option("--rtol", a->rtol, "Relative tolerance (default: 1e-3)").non_negative();
    c.add_option(
         "--atol", a->atol,
         "Absolute tolerance (default: of each value's largest element 1e-5; 2^-9 of float16, 2^-6 of bfloat16)")
        .non_negative();
    c.add_option("--out", a->out, "Where the node that differs is written, with its inputs and outputs")
        .capture_default_str()
        .type_name("DIR");
    c.add_flag(
        "--whole", a->whole,
        "Run both sides as a whole too, one after the other, and compare the model's outputs: what the errors of "
        "all nodes come to");
    add_json(c, a->as_json);
    c.footer(
        "Side a runs as it always does, with its plan, fused nodes and layouts; what its steps read and make waits in "
        "a "
        "temporary file (in TMPDIR; after 1 GiB it is worked off,\n"
        "and a runs again). Then b computes each step from a's own values and is compared: errors do not add up from "
        "step "
        "to step, and only one side is in memory at a time.\n"
        "A fused node or a region is one step, whose inner values no side has: then the difference is in one of "
        "several "
        "nodes, which are listed. What moves a value between\n"
        "layouts or memories is checked too. Without inputs, random ones are made up. Values of a folder are those of "
        "another run: there errors do add up.");
    choose(c, task, compare, a);
}
}  // namespace inlay::tool
