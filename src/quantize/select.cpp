#include "select.hpp"
#include "weights.hpp"
#include <inlay/sdk/options.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
struct rule {
    std::string_view op;
    role kind;
    bool follows = false;
};
constexpr rule rules[] = {
    {"Conv", role::convolution},
    {"ConvTranspose", role::transposed_convolution},
    {"MatMul", role::product},
    {"Gemm", role::gemm},
    {"Add", role::binary},
    {"Mul", role::binary},
    {"AveragePool", role::unary},
    {"GlobalAveragePool", role::unary},
    {"MaxPool", role::moves},
    {"Concat", role::joins},
    {"Resize", role::moves},
    {"Relu", role::activation},
    {"Clip", role::activation},
    {"Sigmoid", role::to_one},
    {"LeakyRelu", role::unary},
    {"HardSwish", role::unary},
    {"Softmax", role::to_one},
    {"LayerNormalization", role::unary},
    {"Reshape", role::moves, true},
    {"Flatten", role::moves, true},
    {"Transpose", role::moves, true},
    {"Squeeze", role::moves, true},
    {"Unsqueeze", role::moves, true},
    {"Slice", role::moves, true},
    {"Split", role::moves, true},
    {"Gather", role::moves, true},
    {"DepthToSpace", role::moves, true},
    {"SpaceToDepth", role::moves, true},
};
const rule* rule_of(const NodeProto& n) {
    const auto at = std::ranges::find(rules, n.op_type(), &rule::op);
    return is_onnx(n) && at != std::end(rules) ? at : nullptr;
}
bool takes_matrices(role r) { return r == role::product || r == role::gemm; }

class finder {
    const source_model& m_;
    const quantize_options& o_;
    std::vector<char> excluded_patterns_;

    bool is_constant(const NodeProto& n, int k) const {
        return k < n.input_size() && m_.constant(n.input(k)).has_value();
    }
    std::string find_weights(const NodeProto& n, candidate& c) const {
        const auto w = n.input_size() > 1 ? m_.constant(n.input(1)) : std::nullopt;
        if (!w) return "its weights are not constant";
        if (w->type() != element::f32) return "its weights are " + std::string(name_of(w->type())) + ", not float";
        if (w->elements() == 0) return "its weights are empty";
        if (!all_finite(*w)) return "its weights have infinite numbers or NaN";
        const int rank = w->shape().rank;
        if (c.kind <= role::transposed_convolution && rank < 3) return "its weights have fewer than 3 dimensions";
        c.weights = 1;
        switch (c.kind) {
            case role::convolution: c.axis = 0; break;
            case role::transposed_convolution: c.axis = integer_of(n, "group", 1) == 1 ? 1 : -1; break;
            case role::product: c.axis = rank < 2 ? -1 : rank - 1; break;
            default: c.axis = integer_of(n, "transB", 0) ? 0 : 1;
        }
        if (c.kind == role::gemm && (real_of(n, "alpha", 1) != 1 || real_of(n, "beta", 1) != 1))
            return "its alpha or beta is not 1";
        if (c.kind == role::gemm && rank != 2) return "its weights are no matrix";
        if (c.kind != role::product && is_constant(n, 2)) c.bias = 2;
        return {};
    }
    // Empty: nothing prevents it.
    std::string fill(const NodeProto& n, candidate& c) const {
        if (n.output_size() < 1 || n.input_size() < 1) return "it has no input or no output";
        c.inputs = {0};
        if (c.kind <= role::gemm)
            if (std::string reason = find_weights(n, c); !reason.empty()) return reason;
        if (o_.kind == quantization::statically) {
            if (c.kind == role::binary) c.inputs = {0, 1};
            if (c.kind == role::joins) {
                c.inputs.clear();
                for (int k = 0; k < n.input_size(); ++k) c.inputs.push_back(k);
            }
        } else if (n.op_type() == "Gemm" && integer_of(n, "transA", 0))
            return "its transA is not 0";
        const auto matrix = c.weights >= 0 ? m_.constant(n.input(c.weights)) : std::nullopt;
        if (o_.kind != quantization::statically && matrix->shape().rank != 2) return "its weights are no matrix";
        bool varies = false;
        for (const int k : c.inputs) {
            if (const element e = m_.type(n.input(k)); e != element::f32)
                return "input `" + n.input(k) + "` is " + std::string(name_of(e)) + ", not float";
            varies |= !is_constant(n, k);
        }
        if (!varies) return "all its inputs are constant";
        if (n.op_type() == "Resize" && attribute_of(n, "mode") && attribute_of(n, "mode")->s() == "cubic")
            return "cubic interpolation leaves the range of its input";
        if (n.op_type() == "MaxPool" && n.output_size() > 1 && !n.output(1).empty())
            return "its indices are read, which integers do not give";
        return {};
    }
    bool is_excluded(const NodeProto& n) {
        bool any = false;
        for (std::size_t k = 0; k < o_.exclude.size(); ++k)
            if (fits(name_of(n), o_.exclude[k])) {
                excluded_patterns_[k] = 1;
                any = true;
            }
        return any;
    }
    void check_options() const {
        const std::vector<std::string> operators = quantizable_operators(o_.kind);
        for (const std::string& op : o_.operators)
            if (std::ranges::find(operators, op) == operators.end()) {
                const std::string near = nearest_name(op, operators);
                refuse(error_code::not_found, "`" + op + "` is no operator that this form quantizes",
                       near.empty() ? "docs/how-to/quantize.md lists them" : "did you mean `" + near + "`?");
            }
    }
    bool is_wanted(const NodeProto& n, const rule& r) const {
        if (o_.kind != quantization::statically && !takes_matrices(r.kind)) return false;
        return r.follows || o_.operators.empty() || std::ranges::find(o_.operators, n.op_type()) != o_.operators.end();
    }

    bool can_be_folded(const NodeProto& n) const {
        return o_.kind == quantization::statically && o_.operators.empty() && n.domain().empty() &&
               n.op_type() == "BatchNormalization";
    }

  public:
    finder(const source_model& m, const quantize_options& o) : m_(m), o_(o), excluded_patterns_(o.exclude.size(), 0) {}

    candidates run() {
        check_options();
        candidates graph_candidates;
        for (int k = 0; k < m_.graph().node_size(); ++k) {
            const NodeProto& n = m_.graph().node(k);
            const bool excluded = is_excluded(n);
            const rule* const r = rule_of(n);
            if (!r && can_be_folded(n))
                graph_candidates.float_nodes.push_back(
                    {name_of(n), n.op_type(),
                     "no form quantizes it; `inlay optimize` folds it into a convolution before it"});
            if (!r || !is_wanted(n, *r)) continue;
            candidate c{k, r->kind};
            c.follows = r->follows;
            const std::string reason = excluded ? "it is excluded" : fill(n, c);
            if (reason.empty())
                graph_candidates.list.push_back(std::move(c));
            else if (!r->follows)
                graph_candidates.float_nodes.push_back({name_of(n), n.op_type(), reason});
        }
        for (std::size_t k = 0; k < excluded_patterns_.size(); ++k)
            if (!excluded_patterns_[k])
                refuse(error_code::not_found, "no node has the name `" + o_.exclude[k] + "`, which was to be excluded",
                       "inlay inspect MODEL shows the names");
        return graph_candidates;
    }
};

class selector {
    const source_model& m_;
    std::vector<const candidate*> by_node_;
    std::vector<char> is_quantized_;
    selection s_;

    const NodeProto& node(const candidate& c) const { return m_.graph().node(c.node); }
    static bool passes_on(const candidate& c) { return c.kind == role::moves || c.kind == role::joins; }
    bool some_reader_chosen(const NodeProto& n) const {
        for (auto& y : n.output())
            for (const int r : m_.readers(y))
                if (is_quantized_[std::size_t(r)] && reads_encoded(*by_node_[std::size_t(r)], y)) return true;
        return false;
    }
    bool reads_encoded(const candidate& c, const std::string& name) const {
        return std::ranges::any_of(c.inputs, [&](int k) { return node(c).input(k) == name; });
    }
    // An operator whose result only the next activation reads: then nothing is quantized between the two.
    bool is_inner(const candidate& c) const {
        const std::string& y = node(c).output(0);
        if (c.kind > role::binary || m_.is_output(y) || m_.readers(y).size() != 1) return false;
        const auto reader = std::size_t(m_.readers(y).front());
        return is_quantized_[reader] && by_node_[reader]->kind == role::activation &&
               reads_encoded(*by_node_[reader], y);
    }
    std::string root(std::string name) const {
        for (auto at = s_.group.find(name); at != s_.group.end() && at->second != name; at = s_.group.find(name))
            name = at->second;
        return name;
    }
    void share(const std::string& a, const std::string& b) {
        s_.group.emplace(a, a);
        s_.group.emplace(b, b);
        s_.group[root(a)] = root(b);
    }
    void encode(const candidate& c, const std::set<std::string, std::less<>>& inner) {
        for (const int k : c.inputs)
            if (!inner.contains(node(c).input(k))) s_.encoded.insert(node(c).input(k));
        for (auto& y : node(c).output()) {
            if (!y.empty() && !inner.contains(y)) s_.encoded.insert(y);
            if (!passes_on(c)) break;  // the other outputs of LayerNormalization are statistics
        }
    }
    // Operators that only move values are quantized where their neighbours are.
    void choose_movers(std::span<const candidate> list) {
        std::set<std::string, std::less<>> reachable = s_.encoded;
        std::vector<char> fed(by_node_.size(), 0);
        for (const candidate& c : list)
            if (c.follows && reachable.contains(node(c).input(0))) {
                fed[std::size_t(c.node)] = 1;
                reachable.insert(node(c).output().begin(), node(c).output().end());
            }
        for (auto c = list.rbegin(); c != list.rend(); ++c)
            if (c->follows && fed[std::size_t(c->node)] && some_reader_chosen(node(*c)))
                is_quantized_[std::size_t(c->node)] = 1;
    }

  public:
    explicit selector(const source_model& m)
        : m_(m), by_node_(std::size_t(m.graph().node_size())), is_quantized_(by_node_.size(), 0) {}

    selection run(std::span<const candidate> list, const std::function<bool(int)>& allowed) {
        for (const candidate& c : list) {
            by_node_[std::size_t(c.node)] = &c;
            is_quantized_[std::size_t(c.node)] = !c.follows && allowed(c.node);
        }
        std::set<std::string, std::less<>> inner;
        for (const candidate& c : list)
            if (is_quantized_[std::size_t(c.node)] && is_inner(c)) inner.insert(node(c).output(0));
        for (const candidate& c : list)
            if (is_quantized_[std::size_t(c.node)]) encode(c, inner);
        choose_movers(list);
        for (const candidate& c : list) {
            if (!is_quantized_[std::size_t(c.node)]) continue;
            encode(c, inner);
            s_.nodes.push_back(&c);
        }
        for (const std::string& name : s_.encoded) s_.group.emplace(name, name);
        for (const candidate* c : s_.nodes)
            if (passes_on(*c))
                for (const int k : c->inputs)
                    for (auto& y : node(*c).output())
                        if (!y.empty()) share(node(*c).input(k), y);
        for (auto& [name, group] : s_.group) group = root(name);
        return std::move(s_);
    }
};
}  // namespace

std::string name_of(const NodeProto& n) {
    if (!n.name().empty() || n.output_size() == 0) return n.name();
    return n.output(0);
}
bool fits(std::string_view name, std::string_view pattern) {
    std::size_t n = 0, p = 0, star = pattern.npos, from = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != pattern.npos) {
            p = star + 1;
            n = ++from;
        } else
            return false;
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}
candidates find_candidates(const source_model& m, const quantize_options& o) { return finder(m, o).run(); }
void drop_ends(const source_model& m, candidates& graph_candidates) {
    std::map<int, const candidate*> by_node;  // the possible users of quantized values
    std::set<int> ends;
    const auto uses = [&](int reader, const std::string& y) {
        const auto r = by_node.find(reader);
        if (r == by_node.end()) return false;
        return std::ranges::any_of(r->second->inputs, [&](int k) { return m.graph().node(reader).input(k) == y; });
    };
    for (auto c = graph_candidates.list.rbegin(); c != graph_candidates.list.rend(); ++c) {
        const NodeProto& n = m.graph().node(c->node);
        const bool is_read = std::ranges::any_of(n.output(), [&](const std::string& y) {
            return std::ranges::any_of(m.readers(y), [&](int reader) { return uses(reader, y); });
        });
        const bool bare = c->kind == role::unary || c->kind == role::to_one;
        if (is_read || !(bare || c->follows))
            by_node.emplace(c->node, &*c);
        else if (bare) {
            ends.insert(c->node);
            graph_candidates.float_nodes.push_back({name_of(n), n.op_type(), "no quantized node reads what it makes"});
        }
    }
    std::erase_if(graph_candidates.list, [&](const candidate& c) { return ends.contains(c.node); });
}
selection select(const source_model& m, std::span<const candidate> list, const std::function<bool(int)>& allowed) {
    return selector(m).run(list, allowed);
}
}  // namespace quantizing

std::vector<std::string> quantizable_operators(quantization kind) {
    using quantizing::role;
    std::vector<std::string> names;
    for (const quantizing::rule& r : quantizing::rules) {
        if (kind == quantization::statically ? !r.follows : quantizing::takes_matrices(r.kind))
            names.emplace_back(r.op);
    }
    return names;
}
}  // namespace v1
}  // namespace inlay
