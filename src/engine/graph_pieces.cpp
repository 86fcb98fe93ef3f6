// Parts of a graph that are run separately.
#include "pages.hpp"
#include "run_failures.hpp"
#include "session_parts.hpp"
#include "watch.hpp"

namespace inlay {
inline namespace v1 {
namespace {
// The same records; texts and constants stay those of `g`, which must outlive the copy.
graph_data copy_of(const graph_data& g) {
    graph_data c;
    c.nodes = g.nodes;
    c.fused = g.fused;
    c.values = g.values;
    c.attributes = g.attributes;
    c.edges = g.edges;
    c.inputs = g.inputs;
    c.outputs = g.outputs;
    c.integers = g.integers;
    c.reals = g.reals;
    c.texts = g.texts;
    c.symbols = g.symbols;
    c.constants = g.constants;
    c.containers = g.containers;
    c.declared = g.declared;
    for (const graph_data& s : g.subgraphs) c.subgraphs.push_back(copy_of(s));
    c.name = g.name;
    return c;
}
}  // namespace

struct graph_pieces::impl : session_base {
    std::shared_ptr<session_core> root;  // whose pool, devices and engines all pieces use
    graph_data g;                        // the nodes, inputs and outputs are those of one piece at a time
    graph_view whole;                    // the others are those of `g`
    std::vector<node> nodes, fused;
    std::vector<int> edges, makers;

    impl(const inlay::model& m, std::vector<provider_handle> list, const session_options& o) {
        name_apart(list);
        parts::append_cpu(list, o);
        root = parts::unplanned(m, o, std::move(list));
    }
    // The fused nodes whose sources are all in the piece, and whose inner values are not required outside.
    void add_fused(const piece& p) {
        for (const node& n : fused) {
            std::vector<int> sources;
            bool whole_inside = true;
            for (int i : whole.list(n.sources)) {
                const auto at = std::ranges::lower_bound(p.nodes, i);
                whole_inside &= at != p.nodes.end() && *at == i;
                sources.push_back(int(at - p.nodes.begin()));
                for (int v : whole.list(nodes[std::size_t(i)].outputs))
                    whole_inside &= v < 0 || std::ranges::find(p.outputs, v) == p.outputs.end() ||
                                    std::ranges::find(whole.list(n.outputs), v) != whole.list(n.outputs).end();
            }
            if (!whole_inside) continue;
            g.fused.push_back(n);
            g.fused.back().sources = g.add_edges(sources);
        }
    }
};

graph_pieces::graph_pieces(const model& m, std::vector<provider_handle> list, const session_options& o,
                           std::span<const shape> inputs)
    : impl_(std::make_unique<impl>(m, std::move(list), o)) {
    impl& i = *impl_;
    const session_graph& g = i.root->graph;
    const specialised s = specialise(g.data, g.view, inputs, [&](const node& n) { return g.rule_for(n); });
    i.g = copy_of(g.data);
    i.g.values = s.graph.values;
    i.g.integers = s.graph.integers;
    i.g.reals = s.graph.reals;
    i.g.constants.insert(i.g.constants.end(), s.extra_constants.begin(), s.extra_constants.end());
    i.nodes = i.g.nodes;
    i.fused = i.g.fused;
    i.edges = i.g.edges;
    i.whole = i.g.view();
    i.whole.nodes = i.nodes;
    i.whole.fused = i.fused;
    i.whole.edges = i.edges;
    i.makers.assign(i.g.values.size(), -1);
    for (std::size_t k = 0; k < i.nodes.size(); ++k)
        for (int v : i.whole.list(i.nodes[k].outputs))
            if (v >= 0) i.makers[std::size_t(v)] = int(k);
}
graph_pieces::~graph_pieces() = default;
const graph_view& graph_pieces::graph() const { return impl_->whole; }
tensor graph_pieces::constant(int value) const {
    return impl_->g.constants[std::size_t(impl_->whole.values[std::size_t(value)].constant)].get();
}

std::optional<graph_pieces::piece> graph_pieces::find(std::span<const int> outputs,
                                                      const std::vector<char>& is_known) const {
    const impl& i = *impl_;
    std::vector<char> inside(i.nodes.size());
    std::vector<int> open, inputs;
    const auto make = [&](int v) {  // false: nothing produces it
        const int n = i.makers[std::size_t(v)];
        if (n >= 0 && !std::exchange(inside[std::size_t(n)], 1)) open.push_back(n);
        return n >= 0;
    };
    for (int v : outputs)
        if (!make(v)) return std::nullopt;
    while (!open.empty()) {
        const node& n = i.nodes[std::size_t(open.back())];
        open.pop_back();
        bool success = true;
        for_each_read(i.whole, n, [&](int v) {
            if (i.whole.values[std::size_t(v)].is_constant()) return;
            if (!is_known[std::size_t(v)])
                success &= make(v);
            else if (std::ranges::find(inputs, v) == inputs.end())
                inputs.push_back(v);
        });
        if (!success) return std::nullopt;
    }
    piece p{{}, std::move(inputs), {outputs.begin(), outputs.end()}};
    for (std::size_t k = 0; k < inside.size(); ++k)
        if (inside[k]) p.nodes.push_back(int(k));
    return p;
}
// Inputs lie in the caller's memory: the space that the plan reserves for them is not needed.
static void drop_room_of_inputs(run_context& c) {
    const plan& p = c.plan->plan;
    for (int id : c.plan->graph.view.inputs)
        if (const std::int64_t at = p.offsets[std::size_t(id)]; at >= 0 && p.value_spaces[std::size_t(id)] == 0)
            drop_pages(static_cast<const std::byte*>(c.arenas[0].data()) + at,
                       bytes_of(c.plan->record(id).type, c.plan->record(id).dims.elements()));
}
void graph_pieces::run(const piece& p, std::span<const shape> shapes,
                       const std::function<any_value(std::size_t)>& input,
                       const std::function<void(std::span<const any_value>)>& use) {
    impl& i = *impl_;
    i.g.nodes.clear();
    i.g.fused.clear();
    i.g.edges = i.edges;
    for (int k : p.nodes) i.g.nodes.push_back(i.nodes[std::size_t(k)]);
    i.add_fused(p);
    i.g.inputs = p.inputs;
    i.g.outputs = p.outputs;
    // With the states of the model, which release pages of its file; those of another piece are released with it.
    session_core part(*i.root, i.g, i.g.view());
    const std::unique_ptr<run_context> c = part.context_for(shapes, 0, part.setup.run_bytes);
    c->clear_failure();
    drop_room_of_inputs(*c);
    std::vector<any_value> inputs;
    for (std::size_t k = 0; k < p.inputs.size(); ++k) inputs.push_back(input(k));
    for (std::size_t k = 0; k < inputs.size(); ++k) c->set_input(int(k), inputs[k]);
    if (const status s = part.runner.execute(*c, {}); s != status::ok) raise_status(*c, s, part.setup.handles);
    std::vector<any_value> outputs;
    for (std::size_t k = 0; k < p.outputs.size(); ++k) {
        const place& at = c->plan->output_places[k];
        outputs.push_back(at.what == place::kind::own ? c->values[std::size_t(at.index)]
                                                      : any_value(c->output_view(int(k))));
    }
    for (any_value& v : inputs)  // except those needed for an output
        if (v.as_tensor() && std::ranges::none_of(outputs, [&](const any_value& y) {
                return y.as_tensor() && y.as_tensor()->data() == v.as_tensor()->data();
            }))
            v = any_value();
    for (int k : p.nodes)
        for_each_read(i.whole, i.nodes[std::size_t(k)], [&](int v) {
            if (!i.whole.values[std::size_t(v)].is_constant()) return;
            const tensor t = constant(v);
            if (t.type() != element::string) i.root->graph.states->give_back(t.data(), t.bytes());
        });
    use(outputs);
}
}  // namespace v1
}  // namespace inlay
