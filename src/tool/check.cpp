// inlay check: whether the model is valid, and which provider runs which of its operators.
#include "common.hpp"
#include "engine/erased_providers.hpp"
#include "engine/refusals.hpp"
#include "engine/specialise.hpp"
#include "terminal.hpp"
#include <inlay/onnx/image_decoder.hpp>

namespace inlay::tool {
namespace {
struct check_arguments {
    std::string model;
    std::vector<std::string> shapes;
    session_arguments session;
    bool as_json = false;
};
struct refused_node {
    std::string node, reason;
};
struct cell {  // one operator on one provider, each queried alone
    int claims = 0;
    std::vector<refused_node> refusals;
};
struct coverage_table {
    std::vector<std::string> providers;
    std::map<std::string, std::vector<cell>> operators;  // by domain, name and version
    std::map<std::string, int> nodes;
    std::vector<std::string> uncovered;  // nodes that no provider supports
    std::vector<std::string> notes;      // providers that are only planned for
};

// Answers of kernels about nodes with data-dependent shapes, by the same query as at run time.
class late_questions {
    static constexpr int ranks_tried = 7;
    std::vector<value> values_;
    graph_view g_;
    std::vector<std::pair<int, shape>> before_{};

    void set(int v, const shape& dims) {
        before_.emplace_back(v, values_[std::size_t(v)].dims);
        values_[std::size_t(v)].dims = dims;
    }
    void complete(int v, int rank) {  // with the smallest sizes
        shape dims = values_[std::size_t(v)].dims;
        if (dims.rank < 0) dims = shape::of_rank(rank, 1);
        for (std::int64_t& d : dims.dims) d = d < 0 ? 1 : d;
        set(v, dims);
    }
    // Nothing where there is no such rank.
    std::optional<choice> choose(const node& n, std::span<const entry> kernels, int rank) {
        const entry* rule = find_entry(reference_kernels(), n);
        if (!rule) return {};
        for (int v : g_.list(n.inputs))
            if (v >= 0 && values_[std::size_t(v)].type != element::object) complete(v, rank);
        std::vector<shape> y(std::size_t(n.outputs.count), shape::unknown());
        std::optional<choice> answer;
        if (rule->shapes(node_view{g_, n}, y)) {
            for (int k = 0; k < n.outputs.count; ++k)
                if (const int v = g_.list(n.outputs)[std::size_t(k)]; v >= 0) set(v, y[std::size_t(k)]);
            answer = find_kernel(kernels, node_view{g_, n}, true);
        }
        for (; !before_.empty(); before_.pop_back())
            values_[std::size_t(before_.back().first)].dims = before_.back().second;
        return answer;
    }

  public:
    explicit late_questions(const graph_view& g) : values_(g.values.begin(), g.values.end()), g_(g) {
        g_.values = values_;
    }
    // Why no kernel runs the node whatever its shapes are: one reason for every rank. Nothing: one may.
    std::optional<verdict> refusal(const node& n, std::span<const entry> kernels) {
        std::optional<verdict> reason;
        for (int rank = 0; rank < ranks_tried; ++rank) {
            const auto answer = choose(n, kernels, rank);
            if (!answer) continue;
            if (answer->kernel >= 0 || (reason && reason->reason != answer->outcome.reason)) return {};
            reason = answer->outcome;
        }
        return reason;
    }
};
// What this build lacks of operators for which only the input decides whether a run needs it.
void note_lacking(const node& n, std::vector<std::string>& notes) {
    if (!n.domain.empty() || n.op != op::image_decoder::onnx_name) return;
    std::string_view reason;
    if (image_decoding::codec_of(image_decoding::format::jpeg, reason)) return;
    const std::string note = fmt::format("{} reads BMP and PNM files alone here: {}; so do others", n.op, reason);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

void count(const graph_view& g, const std::vector<provider_handle>& handles, std::span<const opened_engine> engines,
           coverage_table& t) {
    const fallback any = fallback::any();
    std::vector<assignment> alone;
    std::vector<std::shared_ptr<const void>> texts;  // of engines
    for (std::size_t p = 0; p < handles.size(); ++p) {
        const std::vector handle_list{handles[p]};
        const erased_providers list(handle_list, any, {}, engines.subspan(p, 1));
        alone.push_back(partition(g, list));
        texts.push_back(list.answers());
    }
    late_questions late(g);
    const auto verdict_on = [&](std::size_t p, std::size_t i) {
        const assignment& a = alone[p];
        const bool is_late = a.owners[i] >= 0 && a.unit_of[i] == int(i) && a.kernels[i] == chosen_at_run;
        const auto refusal = is_late ? late.refusal(g.nodes[i], handles[p].kernels->entries) : std::nullopt;
        return refusal ? *refusal : a.owners[i] == owner::nobody ? a.verdicts[i] : yes();
    };
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        note_lacking(n, t.notes);
        for (const attribute& a :
             g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
            if (a.kind == attribute_kind::graph) count(g.subgraphs[std::size_t(a.integer)], handles, engines, t);
        const std::string op = fmt::format("{}{}{}-{}", n.domain, n.domain.empty() ? "" : ".", n.op, n.version);
        ++t.nodes[op];
        std::vector<cell>& row = t.operators[op];
        row.resize(handles.size());
        bool covered = false;
        for (std::size_t p = 0; p < handles.size(); ++p) {
            if (const verdict v = verdict_on(p, i)) {
                ++row[p].claims;
                covered = true;
            } else
                row[p].refusals.push_back({std::string(n.name), refusal_text(v, g, n, handles[p])});
        }
        if (!covered) t.uncovered.push_back(fmt::format("{} ({})", n.name, op));
    }
}
coverage_table coverage(const model& m, std::span<const shape> shapes, const session_arguments& a) {
    std::vector<provider_choice> list = provider_list(a.providers);
    if (list.empty())
        for (const provider_factory& f : provider_factories())
            if (why_unusable(f).empty()) list.emplace_back(std::string(f.name));
    std::vector<provider_handle> handles = provider_handles(list);
    name_apart(handles);
    const specialised s =
        specialise(m.graph(), m.view(), shapes, [](const node& n) { return find_entry(reference_kernels(), n); });
    coverage_table t;
    for (const provider_handle& h : handles) {
        t.providers.emplace_back(h.name);
        if (!h.plan_only.empty()) t.notes.push_back(h.name + " is planned for only: " + std::string(h.plan_only));
    }
    count(s.graph.view, handles, open_engines(handles), t);
    return t;
}

json to_json(const model& m, const coverage_table& t) {
    json j{{"schema", "inlay.check"},  {"version", 1},
           {"model", m.graph_name()},  {"valid", m.warnings().empty()},
           {"providers", t.providers}, {"operators", json::array()},
           {"uncovered", t.uncovered}, {"warnings", json::array()},
           {"notes", t.notes}};
    for (const std::string& text : m.warnings()) j["warnings"].push_back(text);
    for (const auto& [op, row] : t.operators) {
        json row_json{{"op", op}, {"nodes", t.nodes.at(op)}, {"on", json::array()}};
        for (std::size_t p = 0; p < row.size(); ++p) {
            json refusals = json::array();
            for (const refused_node& r : row[p].refusals) refusals.push_back({{"node", r.node}, {"reason", r.reason}});
            row_json["on"].push_back(
                {{"provider", t.providers[p]}, {"taken", row[p].claims}, {"refusals", std::move(refusals)}});
        }
        j["operators"].push_back(std::move(row_json));
    }
    return j;
}
void show(const model& m, const coverage_table& t) {
    fmt::print("{}: {}; {} in {}\n", m.graph_name().empty() ? "the model" : printable(m.graph_name()),
               m.warnings().empty() ? "valid" : painted("not valid", tint::bad),
               plural(std::int64_t(t.operators.size()), "operator"),
               plural(std::int64_t(m.graph().nodes.size()), "node"));
    for (const std::string& text : m.warnings()) fmt::print("    {}\n", printable(text));
    std::size_t width = 8;
    for (const auto& [op, row] : t.operators) width = std::max(width, op.size());
    fmt::print("{:<{}}  nodes", "operator", width);
    for (const std::string& p : t.providers) fmt::print("  {:>10}", short_name(p));
    fmt::print("\n");
    for (const auto& [op, row] : t.operators) {
        fmt::print("{:<{}} {:>6}", printable(op), width, t.nodes.at(op));
        for (const cell& c : row)
            fmt::print("  {}",
                       painted(fmt::format("{:>10}", c.refusals.empty() ? "all"
                                                     : c.claims ? fmt::format("{} of {}", c.claims, t.nodes.at(op))
                                                                : "none"),
                               c.refusals.empty() ? tint::good : tint::bad));
        fmt::print("\n");
        for (std::size_t p = 0; p < row.size(); ++p) {
            std::map<std::string, std::vector<std::string>> nodes;  // by reason
            for (const refused_node& r : row[p].refusals) nodes[r.reason].push_back(r.node);
            for (const auto& [reason, node_names] : nodes)
                fmt::print("    {}: {}: {}{}\n", short_name(t.providers[p]), printable(reason),
                           printable(node_names.front()),
                           node_names.size() > 1 ? fmt::format(" and {} more", node_names.size() - 1) : "");
        }
    }
    for (const std::string& text : t.notes) fmt::print("note: {}\n", text);
    if (t.uncovered.empty())
        fmt::print("{}\n", painted("every node has a provider", tint::good));
    else
        fmt::print("{}\n",
                   painted(fmt::format("no provider runs {}: {}", plural(std::int64_t(t.uncovered.size()), "node"),
                                       printable(t.uncovered.front())),
                           tint::bad));
}
int check(const check_arguments& a) {
    const model m = load_model(a.model, a.session.quiet);
    options_from(a.session);  // refuses a bad --fallback
    const std::vector<shape> shapes = complete_shapes(m, shapes_from(a.shapes, m));
    const coverage_table t = or_exit(exit_status::load_failed, [&] { return coverage(m, shapes, a.session); });
    if (a.as_json)
        print(to_json(m, t));
    else if (!a.session.quiet)
        show(m, t);
    if (!m.warnings().empty()) return exit_status::load_failed;
    return t.uncovered.empty() ? exit_status::done : exit_status::unsupported;
}
}  // namespace

void add_check(command& app, action& task) {
    auto a = std::make_shared<check_arguments>();
    command c = app.add_command(
        "check", "Check that a model is sound, and show which provider runs which of its operators, and why not");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_shape_option(c, a->shapes);
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    c.footer(
        "Each provider of --providers, else every one that can run here, is queried for each node as if it were alone. "
        "The exit status is 10 where the model is not valid, though it may\n"
        "run by assumptions that are shown, and 77 where no provider of the list runs some node.");
    choose(c, task, check, a);
}
}  // namespace inlay::tool
