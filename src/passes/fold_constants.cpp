// fold_constants: nodes whose inputs are all constant are computed now, by the operators' reference kernels. Nodes that
// dequantize their input, and nodes that read the result, are kept in addition to results: a provider may run them as
// they are, and all others use the constants. Large results of that kind are created only when a provider reads them,
// for most read the quantized values. Large matrices of 4-bit values stay quantized: MatMul kernels read these.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
// Weights are transposed, reshaped and cast here, but no constant grows to much more than its inputs, unless its
// operator says that it `decodes`: floating-point kernels pack dequantized weights once, which would else be
// dequantized in every run.
constexpr std::int64_t always = 64 * 1024, tiny = 4 * 1024;
// The shapes of a node's results by its operator's rule; unknown where the rule does not give them.
std::vector<shape> shapes_by_rule(const rewriter& r, const node& n) {
    std::vector<shape> dims(std::size_t(n.outputs.count), shape::unknown());
    const entry* e = find_entry(reference_kernels(), n);
    for (int k = 0; e && k < e->required_inputs; ++k)
        if (r.input(n, k) < 0) e = nullptr;
    if (!e || !e->shapes(node_view{r.g.view(), n}, dims)) dims.assign(dims.size(), shape::unknown());
    return dims;
}
// Bytes of a node's results, if their shapes are known; else nothing.
std::optional<std::int64_t> result_bytes(const rewriter& r, const node& n, std::span<const shape> rule_shapes) {
    std::int64_t total = 0;
    for (int k = 0; k < n.outputs.count; ++k) {
        const int v = r.output(n, k);
        if (v < 0) continue;
        const value& y = r.g.values[std::size_t(v)];
        const shape& dims = y.dims.known() || rule_shapes.empty() ? y.dims : rule_shapes[std::size_t(k)];
        if (!dims.known()) return {};
        total = checked_sum(total, checked_product(dims.elements(), std::max(bits_of(y.type), 8) / 8));
    }
    return total;
}

std::int64_t given_bytes(const rewriter& r, const node& n) {  // of its inputs that are constants
    std::int64_t bytes = 0;
    for (int v : r.list(n.inputs))
        if (const graph_constant* c = r.constant(v)) bytes += c->bytes();
    return bytes;
}
bool is_large(const rewriter& r, const node& n) { return result_bytes(r, n, {}).value_or(0) > always; }
bool is_done(const rewriter& r, const node& n) { return all_constant(r.g.values, r.list(n.outputs)); }
bool may_fold(const rewriter& r, const node& n) {
    const operator_facts& facts = operator_of(n).facts;
    if (!facts.pure || n.captures.count || is_done(r, n)) return false;
    for (const attribute& a : r.attributes(n))
        if (a.kind == attribute_kind::graph) return false;
    for (int v : r.list(n.inputs))
        if (v >= 0 && !r.constant(v)) return false;
    const std::int64_t input_bytes = given_bytes(r, n);
    for (int v : r.list(n.outputs))
        if (v >= 0 && (r.is_output(v) || r.g.values[std::size_t(v)].type == element::object))
            return false;  // outputs keep their node
    auto bytes = result_bytes(r, n, {});
    if (!bytes && facts.folding == fold_cost::of_inputs) return input_bytes <= always;
    if (!bytes) bytes = result_bytes(r, n, shapes_by_rule(r, n));
    if (!bytes || (*bytes > std::max(always, 2 * input_bytes) && !facts.decodes)) return false;
    switch (facts.folding) {
        case fold_cost::of_inputs:
        case fold_cost::of_result: return true;
        case fold_cost::unknown: return input_bytes + *bytes <= tiny;
        case fold_cost::windowed: return false;
    }
    return false;
}

// The node alone in a graph of its own: the evaluator's work does not depend on the size of the model.
graph_data alone(const rewriter& r, const node& n) {
    graph_data graph;
    const auto copy = [&](int v) {
        if (v < 0) return v;
        const value& from = r.g.values[std::size_t(v)];
        if (const graph_constant* c = r.constant(v)) return graph.add_constant(from.name, *c);
        shape dims = from.dims;
        for (int i = 0; i < dims.rank; ++i) dims[i] = std::max<std::int64_t>(dims[i], -1);  // without the graph's names
        return graph.add_value(from.name, from.type, dims);
    };
    std::vector<int> inputs, outputs;
    for (int v : r.list(n.inputs)) inputs.push_back(copy(v));
    for (int v : r.list(n.outputs)) outputs.push_back(copy(v));
    std::vector<attribute> list;
    for (const attribute& a : r.attributes(n)) {
        const auto part = [&](const auto& pool) {
            return std::span(pool).subspan(std::size_t(a.list.first), std::size_t(a.list.count));
        };
        switch (a.kind) {
            case attribute_kind::integers:
                list.push_back(graph.make(a.name, std::span<const std::int64_t>(part(r.g.integers))));
                break;
            case attribute_kind::reals:
                list.push_back(graph.make(a.name, std::span<const double>(part(r.g.reals))));
                break;
            case attribute_kind::texts:
                list.push_back(graph.make(a.name, std::span<const std::string_view>(part(r.g.texts))));
                break;
            case attribute_kind::tensor: list.push_back(graph.make(a.name, r.constant(int(a.integer))->get())); break;
            case attribute_kind::integer: list.push_back(graph.make(a.name, a.integer)); break;
            case attribute_kind::real: list.push_back(graph.make(a.name, a.real)); break;
            case attribute_kind::text: list.push_back(graph.make(a.name, a.text)); break;
            case attribute_kind::graph: break;  // may_fold() refuses such nodes
        }
    }
    graph.add_node(n.domain, n.op, n.version, n.name, list, inputs, outputs);
    return graph;
}

// Whether the node is to stay: it dequantizes an input, or reads the result of such a node.
bool decodes(const rewriter& r, const node& n, const std::vector<char>& decoded) {
    return operator_of(n).facts.decodes ||
           std::ranges::any_of(r.list(n.inputs), [&](int v) { return v >= 0 && decoded[std::size_t(v)]; });
}
void mark(const rewriter& r, const node& n, std::vector<char>& decoded) {
    for (int v : r.list(n.outputs))
        if (v >= 0) decoded[std::size_t(v)] = true;
}

// Constants that a node's subgraphs read become constants of the subgraphs.
int move_into_subgraphs(rewriter& r, node& n) {
    int moved = 0;
    for (int k = 0; k < n.captures.count;) {
        const graph_constant* c = r.constant(r.list(n.captures)[std::size_t(k)]);
        if (!c) {
            ++k;
            continue;
        }
        for (const attribute& a : r.attributes(n)) {
            if (a.kind != attribute_kind::graph) continue;
            graph_data& s = r.g.subgraphs[std::size_t(a.integer)];
            const std::size_t at = s.inputs.size() - std::size_t(n.captures.count - k);
            s.set_constant(s.inputs[at], *c);
            s.inputs.erase(s.inputs.begin() + std::ptrdiff_t(at));
        }
        const auto list = r.list(n.captures);
        std::copy(list.begin() + k + 1, list.end(), list.begin() + k);
        --n.captures.count;
        ++moved;
    }
    return moved;
}

std::vector<tensor> inputs_of(const graph_data& graph) {
    std::vector<tensor> inputs;
    const range ids = graph.nodes[0].inputs;
    for (const int v : std::span(graph.edges).subspan(std::size_t(ids.first), std::size_t(ids.count)))
        inputs.push_back(v < 0 ? tensor() : graph.constants[std::size_t(graph.values[std::size_t(v)].constant)].get());
    return inputs;
}
// The node's results; none where it fails, which it then does at run time, if it runs.
std::vector<graph_constant> computed(const rewriter& r, const node& n, const evaluator& evaluate) {
    const graph_data graph = alone(r, n);
    auto y = evaluate.compute(graph.view(), graph.nodes[0], inputs_of(graph));
    if (!y || int(y->size()) < n.outputs.count) return {};
    for (int k = 0; k < n.outputs.count; ++k)
        if (const int v = r.output(n, k); v >= 0) {
            const tensor& t = (*y)[std::size_t(k)];
            const value& declared = r.g.values[std::size_t(v)];
            if (!t || (declared.type != element::undefined && declared.type != t.type())) return {};
        }
    return {y->begin(), y->end()};
}
// The result of a node that cannot fail, as a constant that is created on its first read.
std::optional<graph_constant> made_on_demand(const rewriter& r, const node& n, const evaluator& evaluate) {
    const operator_facts& facts = operator_of(n).facts;
    const int v = r.output(n, 0);
    if (n.outputs.count != 1 || !(facts.decodes || (facts.moves && facts.folding == fold_cost::of_inputs))) return {};
    const shape dims = shapes_by_rule(r, n)[0];
    const element type = r.g.values[std::size_t(v)].type;
    if (!dims.known() || type == element::undefined || bytes_of(type, dims.elements()) <= always) return {};
    auto graph = std::make_shared<graph_data>(alone(r, n));
    graph->values[std::size_t(graph->edges[std::size_t(graph->nodes[0].outputs.first)])].dims = dims;
    const entry* e = find_entry(reference_kernels(), graph->nodes[0]);
    if (const graph_view g = graph->view(); !e || !e->supports(node_view{g, graph->nodes[0]})) return {};
    return graph_constant(type, dims, [graph, type, dims, compute = evaluate.compute] {
        const node& n = graph->nodes[0];
        auto y = compute(graph->view(), n, inputs_of(*graph));
        if (!y) raise(y.why());
        if (y->size() != 1 || (*y)[0].type() != type || (*y)[0].shape() != dims)
            raise({error_code::invalid_model, std::string(n.name) + ": what it makes of constants is not of the type " +
                                                  "and shape that its operator declares"});
        return std::move((*y)[0]);
    });
}
}  // namespace

int fold_constants(graph_data& g, const evaluator& evaluate) {
    rewriter r(g);
    std::vector<char> decoded(g.values.size());  // constants whose nodes stay
    for (const node& n : g.nodes)
        if (is_done(r, n)) mark(r, n, decoded);
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        count += move_into_subgraphs(r, n);
        if (!evaluate || !may_fold(r, n) || (is_large(r, n) && blocked_product_of(r, int(i)))) continue;
        const std::int64_t input_bytes = given_bytes(r, n);
        if (evaluate.affords &&
            !evaluate.affords(input_bytes, result_bytes(r, n, shapes_by_rule(r, n)).value_or(input_bytes)))
            continue;
        const bool stays = decodes(r, n, decoded);
        std::vector<graph_constant> results;
        if (stays)
            if (auto later = made_on_demand(r, n, evaluate)) results.push_back(*later);
        if (results.empty()) results = computed(r, n, evaluate);
        if (results.empty()) continue;
        for (int k = 0; k < n.outputs.count; ++k)
            if (const int v = r.output(n, k); v >= 0) g.set_constant(v, results[std::size_t(k)]);
        if (stays)
            mark(r, n, decoded);
        else
            r.drop(int(i));
        ++count;
    }
    r.apply();
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
