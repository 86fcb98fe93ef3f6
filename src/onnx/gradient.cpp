// Gradient of ai.onnx.preview.training: the derivatives of the value `y` of its graph by the values `xs`, at the values
// that the node is given for `xs` and `zs`. The node is replaced by nodes that compute them, from y back to xs: a
// tensor's derivative is that of the sum of its elements. Values named by neither xs nor zs keep their values. Where
// the node is given other values than those that it names, the nodes in between are computed again from these.
#include "gradient_rules.hpp"
#include "name_pool.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace gradients {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TypeProto;
using node_list = google::protobuf::RepeatedPtrField<NodeProto>;
constexpr int oldest_opset = 12;

bool is_gradient(const NodeProto& n) { return n.domain() == "ai.onnx.preview.training" && n.op_type() == "Gradient"; }
bool any_gradient(const GraphProto& g) {
    return std::ranges::any_of(g.node(), [](const NodeProto& n) {
        return is_gradient(n) || std::ranges::any_of(n.attribute(), [](const AttributeProto& a) {
                   return a.has_g() && any_gradient(a.g());
               });
    });
}

// Shared by all nodes: names, limits, and the functions that the rules wrote, which are inlined in the end.
struct gradient_work {
    const limits& l;
    int opset;
    name_pool names{};
    std::vector<std::shared_ptr<FunctionProto>> functions{};
    type_list types{};  // of derivatives, which are those of their values
    int64_t visits = 0, nodes = 0;

    void visit(std::size_t names) {
        if ((visits += 1 + int64_t(names)) > l.inference)
            refuse(error_code::limit_exceeded,
                   "Gradient would look at more than " + std::to_string(l.inference) + " names",
                   "raise limits::inference");
    }
    NodeProto& add(node_list& list, const std::string& op, const std::string& name) {
        if (++nodes > l.nodes)
            refuse(error_code::limit_exceeded,
                   "with its derivatives the model has more than " + std::to_string(l.nodes) + " nodes",
                   "raise limits::nodes");
        NodeProto& n = *list.Add();
        n.set_op_type(op);
        n.set_name(name);
        return n;
    }
};

// A graph whose Gradient nodes are replaced, and the definitions of its names.
struct gradient_scope {
    const GraphProto& g;
    const gradient_scope* outside = nullptr;
    std::unordered_map<std::string_view, int> makers{};
    std::unordered_set<std::string_view> sources{};      // inputs and initializers
    std::vector<std::vector<std::string_view>> reads{};  // of each node, its graphs included

    explicit gradient_scope(const GraphProto& graph, const gradient_scope* o = nullptr) : g(graph), outside(o) {
        for (auto& v : g.input()) sources.insert(v.name());
        for (auto& t : g.initializer()) sources.insert(t.name());
        reads.resize(std::size_t(g.node_size()));
        for (int i = 0; i < g.node_size(); ++i) {
            for (const std::string& y : g.node(i).output())
                if (!y.empty()) makers.emplace(y, i);
            each_read(g.node(i), [&](std::string_view x) { reads[std::size_t(i)].push_back(x); });
        }
    }
    const std::vector<std::string_view>& reads_of(int node) const { return reads[std::size_t(node)]; }
    int maker(std::string_view name) const {
        const auto it = makers.find(name);
        return it == makers.end() ? -1 : it->second;
    }
    bool has(std::string_view name) const {
        return maker(name) >= 0 || sources.contains(name) || (outside && outside->has(name));
    }
};

// The derivatives of one Gradient node.
class differentiation {
    gradient_work& w_;
    const gradient_scope& s_;
    const value_types& types_;
    const NodeProto& n_;
    node_list& nodes_;
    std::string y_{};
    std::vector<std::string> variables_{};  // xs, then zs
    int independent_ = 0;                   // so many are xs
    std::vector<int> path_{};               // nodes between the variables and y, in order

    // Where the node is given other values: the replacements of the names, and what the new names stand for.
    std::unordered_map<std::string, std::string> renamed_{}, original_{};
    bool other_shapes_ = false;
    struct step {
        const NodeProto* node;
        int index;
    };
    std::vector<step> forward_{};                                              // the path, or its copy with other names
    std::unordered_set<std::string> active_{};                                 // values that depend on xs
    std::unordered_map<std::string, std::vector<std::string>> derivatives_{};  // their parts, by value

    [[noreturn]] void refuse(error_code code, const std::string& reason) const {
        loading::refuse(code, text_of(n_) + " " + reason);
    }
    std::string prefix() const { return (n_.name().empty() ? "Gradient" : n_.name()) + "/"; }
    std::string now(const std::string& name) const {
        const auto it = renamed_.find(name);
        return it == renamed_.end() ? name : it->second;
    }
    const TypeProto* type_in_file(const std::string& name) const {
        const TypeProto* type = w_.types.find(name);
        return type ? type : types_.find(name);
    }
    const TypeProto* type_of(const std::string& name) const {
        const auto it = original_.find(name);
        if (it == original_.end()) return type_in_file(name);
        return other_shapes_ ? nullptr : type_in_file(it->second);
    }
    bool is_smooth(const std::string& name) const {  // of real numbers, as far as is known
        const auto it = original_.find(name);
        const TypeProto* type = type_in_file(it == original_.end() ? name : it->second);
        using types = ::onnx::TensorProto;
        if (!type || !type->has_tensor_type()) return !type;
        switch (type->tensor_type().elem_type()) {
            case types::FLOAT:
            case types::DOUBLE:
            case types::FLOAT16:
            case types::BFLOAT16:
            case types::UNDEFINED: return true;
            default: return false;
        }
    }

    void read_attributes() {
        std::vector<std::string> zs;
        for (auto& a : n_.attribute()) {
            if (a.name() == "y") y_ = a.s();
            if (a.name() == "xs") variables_.assign(a.strings().begin(), a.strings().end());
            if (a.name() == "zs") zs.assign(a.strings().begin(), a.strings().end());
        }
        independent_ = int(variables_.size());
        variables_.insert(variables_.end(), zs.begin(), zs.end());
        if (n_.input_size() != int(variables_.size()))
            refuse(error_code::invalid_model, "has " + std::to_string(n_.input_size()) +
                                                  " inputs; its xs and zs name " + std::to_string(variables_.size()) +
                                                  " values");
        if (n_.output_size() > independent_)
            refuse(error_code::invalid_model, "has " + std::to_string(n_.output_size()) + " outputs; its xs name " +
                                                  std::to_string(independent_) + " values");
        std::set<std::string_view> once;
        for (const std::string& x : variables_) {
            if (!s_.has(x))
                refuse(error_code::invalid_model, "names `" + one_line(x) + "`, which is no value of its graph");
            if (!once.insert(x).second) refuse(error_code::invalid_model, "names `" + one_line(x) + "` twice");
        }
        for (auto& x : n_.input())
            if (x.empty()) refuse(error_code::invalid_model, "lacks an input");
        if (s_.maker(y_) < 0 && !once.contains(y_))
            refuse(error_code::invalid_model, "has the y `" + one_line(y_) + "`, which no node of its graph makes");
        for (int k = 0; k < independent_; ++k)
            if (!is_smooth(variables_[std::size_t(k)]))
                refuse(error_code::invalid_model, "differentiates by `" + one_line(variables_[std::size_t(k)]) +
                                                      "`, which is not of real numbers");
    }

    // Calls f for each node that the values of `names` depend on, but not for nodes that produce values of `ends`,
    // nor for those that only these depend on.
    template <class F>
    void each_maker(std::vector<std::string_view> names, const std::set<std::string_view>& ends, F f) const {
        std::unordered_set<int> visited_nodes;
        while (!names.empty()) {
            const std::string_view name = names.back();
            names.pop_back();
            const int maker = ends.contains(name) ? -1 : s_.maker(name);
            if (maker < 0 || !visited_nodes.insert(maker).second) continue;
            const auto& reads = s_.reads_of(maker);
            w_.visit(reads.size());
            f(maker);
            names.insert(names.end(), reads.begin(), reads.end());
        }
    }
    // None of the variables depends on another one: else they are not independent.
    void check_independence() const {
        const std::set<std::string_view> names(variables_.begin(), variables_.end());
        each_maker({names.begin(), names.end()}, {}, [&](int maker) {
            for (std::string_view name : s_.reads_of(maker))
                if (names.contains(name))
                    refuse(error_code::invalid_model,
                           "names `" + one_line(name) +
                               "` in xs or zs next to a value that is computed from it: they are "
                               "not independent");
        });
    }
    bool find_path() {  // false: it passes through a Gradient node that is still to be replaced
        bool ready = true;
        each_maker({y_}, {variables_.begin(), variables_.end()}, [&](int maker) {
            path_.push_back(maker);
            ready &= !is_gradient(s_.g.node(maker));
        });
        std::ranges::sort(path_);
        return ready;
    }

    void substitute() {
        for (int k = 0; k < n_.input_size(); ++k) {
            const std::string &name = variables_[std::size_t(k)], &input = n_.input(k);
            if (name == input) continue;
            const TypeProto *variable_type = type_in_file(name), *input_type = type_in_file(input);
            other_shapes_ |=
                !variable_type || !input_type || variable_type->SerializeAsString() != input_type->SerializeAsString();
            NodeProto& same = w_.add(nodes_, "Identity", prefix() + name);
            *same.add_input() = input;
            *same.add_output() = rename(name);
        }
        for (const int i : path_) {
            const NodeProto& n = s_.g.node(i);
            const bool reads = std::ranges::any_of(
                s_.reads_of(i), [&](std::string_view x) { return renamed_.contains(std::string(x)); });
            if (reads && std::ranges::any_of(n.attribute(), [](const auto& a) { return a.has_g(); }))
                refuse(error_code::unsupported_model, "is given other values than those that it names, on which " +
                                                          text_of(n) + " with its graph depends");
            forward_.push_back({reads ? &copied(n) : &n, i});
        }
    }
    std::string rename(const std::string& name) {
        const std::string fresh = renamed_[name] = w_.names.fresh(prefix() + name);
        original_[fresh] = name;
        return fresh;
    }
    const NodeProto& copied(const NodeProto& n) {
        NodeProto& copy = w_.add(nodes_, "", "") = n;
        copy.set_name(prefix() + n.name());
        for (auto& x : *copy.mutable_input()) x = now(x);
        for (auto& y : *copy.mutable_output())
            if (!y.empty()) y = rename(y);
        return copy;
    }

    // The inputs through which a node's results depend on xs.
    unsigned active_inputs(const NodeProto& n) const {
        const gradient_rule* rule = find_gradient_rule(n);
        unsigned mask = 0;
        for (int k = 0; k < std::min(n.input_size(), 32); ++k)
            if ((!rule || (rule->inputs >> k & 1)) && active_.contains(n.input(k))) mask |= 1u << k;
        return mask;
    }
    bool is_active(const step& s) const {
        if (find_gradient_rule(*s.node) && s.node->input_size() <= 32) return active_inputs(*s.node) != 0;
        const auto active = [&](std::string_view x) { return active_.contains(std::string(x)); };
        return std::ranges::any_of(s.node->input(), active) || std::ranges::any_of(s_.reads_of(s.index), active);
    }
    void find_active() {
        for (int k = 0; k < independent_; ++k) active_.insert(now(variables_[std::size_t(k)]));
        for (const step& s : forward_)
            if (is_active(s))
                for (auto& y : s.node->output())
                    if (!y.empty() && is_smooth(y)) active_.insert(y);
    }

    NodeProto& call(std::shared_ptr<FunctionProto> f, const std::string& name) {
        w_.functions.push_back(std::move(f));
        NodeProto& n = w_.add(nodes_, std::to_string(w_.functions.size() - 1), prefix() + name);
        n.set_domain("inlay");  // which the nodes of no file have
        return n;
    }
    // A value filled with a number, of the type and shape of another.
    void fill(const std::string& like, const char* number, const std::string& y) {
        const std::string text = "f (x) => (y) { number = Constant <value = double {" + std::string(number) +
                                 "}> () one = CastLike (number, x) dims = Shape (x) y = Expand (one, dims) }";
        NodeProto& n = call(function_of_text(text, n_), like);
        n.add_input(like);
        n.add_output(y);
    }
    std::string new_derivative(const std::string& of) {
        const std::string name = w_.names.fresh(prefix() + of + "/derivative");
        if (const TypeProto* type = type_of(of)) w_.types.renew(name) = *type;
        derivatives_[of].push_back(name);
        return name;
    }
    // The sum of the parts of a value's derivative.
    std::string derivative_of(const std::string& value) {
        auto& parts = derivatives_[value];
        if (parts.size() == 1) return parts[0];
        std::vector<std::string> terms;
        terms.swap(parts);
        NodeProto& n = w_.add(nodes_, "Sum", prefix() + value);
        for (const std::string& part : terms) n.add_input(part);
        n.add_output(new_derivative(value));
        return n.output(0);
    }
    void go_back(const step& s) {
        const NodeProto& n = *s.node;
        const bool reached = std::ranges::any_of(n.output(), [&](auto& y) { return derivatives_.contains(y); });
        if (!reached || !is_active(s)) return;
        const gradient_rule* rule = find_gradient_rule(n);
        if (!rule || n.input_size() > 32)
            refuse(error_code::unsupported_model,
                   "leads through " + text_of(n) +
                       (rule ? ", which has more than 32 inputs"
                             : ", for which there is no rule; there are rules for " + list_of_gradient_rules()));
        const differentiated_node site{n, w_.opset, active_inputs(n), [&](const std::string& x) { return type_of(x); }};
        const std::string g = derivative_of(n.output(0));
        NodeProto& node = call(gradient_function(*rule, site), n.name().empty() ? n.op_type() : n.name());
        *node.mutable_attribute() = n.attribute();
        *node.mutable_input() = n.input();
        node.add_input(n.output(0));
        node.add_input(g);
        for (int k = 0; k < n.input_size(); ++k)
            if (site.active_inputs >> k & 1) node.add_output(new_derivative(n.input(k)));
    }

  public:
    differentiation(gradient_work& w, const gradient_scope& s, const value_types& types, const NodeProto& n)
        : w_(w), s_(s), types_(types), n_(n), nodes_(make_on<node_list>(arena_of(n))) {}
    // The nodes that replace it; null: another one has to be replaced first.
    node_list* run() {
        read_attributes();
        check_independence();
        if (!find_path()) return nullptr;
        substitute();
        find_active();
        const std::string y = now(y_);
        if (active_.contains(y)) fill(y, "1", new_derivative(y));
        for (auto it = forward_.rbegin(); it != forward_.rend(); ++it) go_back(*it);
        for (int k = 0; k < n_.output_size(); ++k) {
            if (n_.output(k).empty()) continue;
            const std::string x = now(variables_[std::size_t(k)]);
            if (!derivatives_.contains(x)) {
                fill(x, "0", n_.output(k));
                continue;
            }
            const std::string derivative = derivative_of(x);
            NodeProto& result = w_.add(nodes_, "Identity", prefix() + "Identity_" + std::to_string(k));
            result.add_input(derivative);
            result.add_output(n_.output(k));
            if (const TypeProto* type = type_of(x); type && !w_.types.find(n_.output(k)))
                w_.types.renew(n_.output(k)) = *type;
        }
        return &nodes_;
    }
};

// Replaces the nodes that wait for no other one. Returns their number; `rest`: one of the others.
int replace_gradients(gradient_work& w, GraphProto& g, const value_types& types, const gradient_scope* outside,
                      const NodeProto*& rest) {
    if (!any_gradient(g)) return 0;
    const gradient_scope s(g, outside);
    int count = 0;
    for (auto& n : *g.mutable_node())
        for (auto& a : *n.mutable_attribute())
            if (a.has_g()) count += replace_gradients(w, *a.mutable_g(), types, &s, rest);
    std::vector<node_list*> replacements;
    for (const NodeProto& n : g.node())
        replacements.push_back(is_gradient(n) ? differentiation(w, s, types, n).run() : nullptr);
    node_list& new_nodes = make_on<node_list>(arena_of(g));  // the nodes that it takes belong to the arena
    for (int i = 0; i < g.node_size(); ++i) {
        if (!replacements[std::size_t(i)]) {
            NodeProto& node = *g.mutable_node(i);
            new_nodes.UnsafeArenaAddAllocated(&node);
            if (is_gradient(node)) rest = &node;
            continue;
        }
        ++count;
        for (NodeProto& n : *replacements[std::size_t(i)]) new_nodes.UnsafeArenaAddAllocated(&n);
    }
    g.mutable_node()->Swap(&new_nodes);
    return count;
}
}  // namespace
}  // namespace gradients

void rewrite_gradients(::onnx::ModelProto& m, const std::map<std::string, int>& opsets, const limits& l) {
    using namespace gradients;
    if (!any_gradient(m.graph())) return;
    const auto imported = opsets.find("");
    if (imported == opsets.end() || imported->second < oldest_opset)
        refuse(error_code::unsupported_model,
               "Gradient is run in models of opset " + std::to_string(oldest_opset) + " and later; this one imports " +
                   (imported == opsets.end() ? "none of ai.onnx" : "opset " + std::to_string(imported->second)));
    gradient_work w{l, imported->second};
    for (int depth = 0; any_gradient(m.graph()); ++depth) {
        if (depth >= l.nesting)
            refuse(error_code::limit_exceeded,
                   "Gradient nodes differentiate each other deeper than " + std::to_string(l.nesting),
                   "raise limits::nesting");
        w.names.take(m.graph());
        const value_types types(m, l);
        const NodeProto* rest = nullptr;
        w.nodes = m.graph().node_size();
        w.functions.clear();
        if (replace_gradients(w, *m.mutable_graph(), types, nullptr, rest) == 0)
            refuse(error_code::invalid_model, text_of(*rest) + " differentiates what is made of its own results");
        inline_calls(*m.mutable_graph(), l, [&](const NodeProto& n) -> const FunctionProto* {
            return n.domain() == "inlay" ? w.functions[std::size_t(std::stoul(n.op_type()))].get() : nullptr;
        });
        sort_nodes(*m.mutable_graph());
    }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
