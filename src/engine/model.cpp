// inlay::model after loading; and models from graphs in memory.
#include "model_state.hpp"
#include "returned.hpp"

namespace inlay {
inline namespace v1 {
namespace {
[[noreturn]] void refuse_graph(const std::string& reason) {
    raise({error_code::invalid_model, "inlay::model: the graph " + reason});
}
bool within(range r, std::size_t size) {
    return r.first >= 0 && r.count >= 0 && std::size_t(r.first) + std::size_t(r.count) <= size;
}

// Checks that every record refers to existing ones, and that every value is produced once, before it is read.
class graph_check {
    const graph_data& g_;
    std::vector<char> is_defined_;

    void check_value_id(int id, const node& n) const {
        if (id < -1 || id >= int(g_.values.size()))
            refuse_graph("has a node `" + std::string(n.name) + "` with a value that it does not have");
    }
    void check_types() const {
        for (const value& v : g_.values)
            if (v.container >= 0 && (v.type != element::object || std::size_t(v.container) >= g_.containers.size()))
                refuse_graph("has a value `" + std::string(v.name) + "` whose type contradicts itself");
    }
    void check_constants() {
        for (std::size_t v = 0; v < g_.values.size(); ++v) {
            const value& x = g_.values[v];
            if (!x.is_constant()) continue;
            if (std::size_t(x.constant) >= g_.constants.size())
                refuse_graph("has a constant `" + std::string(x.name) + "` without a tensor");
            const graph_constant& t = g_.constants[std::size_t(x.constant)];
            if (t.type() != x.type || t.shape() != x.dims)
                refuse_graph("has a constant `" + std::string(x.name) + "` whose tensor is of another type or shape");
            is_defined_[v] = true;
        }
    }
    void make(int id, std::string_view by) {
        if (id < 0 || id >= int(g_.values.size())) refuse_graph("has no value that " + std::string(by) + " names");
        if (is_defined_[std::size_t(id)])
            refuse_graph("has a value `" + std::string(g_.values[std::size_t(id)].name) + "` that is made twice");
        is_defined_[std::size_t(id)] = true;
    }
    std::span<const int> list(const node& n, range r) const {
        if (!within(r, g_.edges.size())) refuse_graph("has a node `" + std::string(n.name) + "` without its values");
        return std::span(g_.edges).subspan(std::size_t(r.first), std::size_t(r.count));
    }
    void check(const attribute& a) const {
        const auto lies_in = [&](std::size_t size) { return within(a.list, size); };
        const auto is_one_of = [&](std::size_t size) { return a.integer >= 0 && std::size_t(a.integer) < size; };
        bool good = true;
        switch (a.kind) {
            case attribute_kind::integers: good = lies_in(g_.integers.size()); break;
            case attribute_kind::reals: good = lies_in(g_.reals.size()); break;
            case attribute_kind::texts: good = lies_in(g_.texts.size()); break;
            case attribute_kind::tensor: good = is_one_of(g_.values.size()); break;
            case attribute_kind::graph: good = is_one_of(g_.subgraphs.size()); break;
            default: break;
        }
        if (!good) refuse_graph("has an attribute `" + std::string(a.name) + "` without its contents");
    }
    void check(const node& n) {
        if (!within(n.attributes, g_.attributes.size()))
            refuse_graph("has a node `" + std::string(n.name) + "` without its attributes");
        for (int k = 0; k < n.attributes.count; ++k) check(g_.attributes[std::size_t(n.attributes.first + k)]);
        for (const range r : {n.inputs, n.captures})
            for (int id : list(n, r)) {
                check_value_id(id, n);
                if (id >= 0 && !is_defined_[std::size_t(id)])
                    refuse_graph("reads `" + std::string(g_.values[std::size_t(id)].name) + "` before it is made");
            }
        for (int id : list(n, n.outputs)) {
            check_value_id(id, n);
            if (id >= 0) make(id, "a node");
        }
    }

  public:
    explicit graph_check(const graph_data& g) : g_(g), is_defined_(g.values.size(), 0) {}
    void run() {
        check_types();
        check_constants();
        for (int id : g_.inputs) make(id, "its inputs");
        for (const node& n : g_.nodes) check(n);
        for (int id : g_.outputs)
            if (id < 0 || id >= int(g_.values.size()) || !is_defined_[std::size_t(id)])
                refuse_graph("has an output that nothing makes");
        for (const graph_data& body : g_.subgraphs) graph_check(body).run();
    }
};

}  // namespace

port port_of(const graph_data& g, int id) {
    const value& v = g.values[std::size_t(id)];
    port p{std::string(v.name), v.type, v.dims};
    for (std::int64_t d : v.dims)
        p.dim_names.emplace_back(d < -1 && std::size_t(-2 - d) < g.symbols.size() ? g.symbols[std::size_t(-2 - d)]
                                                                                  : "");
    p.value_type = g.type_of(id);
    p.kind = p.value_type.kind();
    if (p.value_type.known()) p.type_text = to_string(p.value_type);
    return p;
}

result<model> model::try_from_graph(graph_data g, const inlay::limits& l) {
    return returned<model>([&] {
        if (std::int64_t(g.nodes.size()) > l.nodes)
            raise({error_code::limit_exceeded, "inlay::model: the graph has " + std::to_string(g.nodes.size()) +
                                                   " nodes; limits::nodes is " + std::to_string(l.nodes)});
        graph_check(g).run();
        auto s = std::make_shared<state>();
        for (int id : g.inputs) s->inputs.push_back(port_of(g, id));
        for (int id : g.outputs) s->outputs.push_back(port_of(g, id));
        s->graph_name = g.name;
        s->limits = l;
        s->graph = std::move(g);
        s->view = s->graph.view();
        return model(std::move(s));
    });
}

std::span<const port> model::inputs() const { return state_->inputs; }
std::span<const port> model::outputs() const { return state_->outputs; }
const std::map<std::string, std::string>& model::metadata() const { return state_->metadata; }
std::int64_t model::ir_version() const { return state_->ir_version; }
std::span<const opset> model::opsets() const { return state_->opsets; }
const std::string& model::producer_name() const { return state_->producer_name; }
const std::string& model::producer_version() const { return state_->producer_version; }
const std::string& model::domain() const { return state_->domain; }
std::int64_t model::model_version() const { return state_->model_version; }
const std::string& model::doc_string() const { return state_->doc_string; }
const std::string& model::graph_name() const { return state_->graph_name; }
const graph_data& model::graph() const { return state_->graph; }
const graph_view& model::view() const { return state_->view; }
const limits& model::limits() const { return state_->limits; }
const std::shared_ptr<const saved_regions>& model::saved() const { return state_->saved; }
const std::string& model::file_name() const { return state_->file_name; }
const std::shared_ptr<bound_states>& model::bound() const { return state_->bound; }
std::span<const pass_count> model::pass_log() const { return state_->log; }
std::span<const std::string> model::warnings() const { return state_->warnings; }
}  // namespace v1
}  // namespace inlay
