// fuse_element_wise: float32 element-wise operators whose results feed one another, up to the last one, as
// candidates.
//   TileProgram(inputs...), see kernels/inlay/fused/tile_program.hpp; the inner results have the shape of the last.
// It runs after the other fusions: what they can take is left to them.
#include "fuse.hpp"
#include <inlay/fused/tile_program.hpp>

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
struct instruction {  // operands: value ids
    std::string_view name;
    std::vector<int> operands;
    std::vector<double> numbers{};
};

std::optional<instruction> instruction_of(const rewriter& r, int at) {
    const node& n = r.g.nodes[std::size_t(at)];
    const int a = r.input(n, 0), b = r.input(n, 1);
    if (!n.domain.empty() || !is_float(r, a) || r.output(n) < 0) return {};
    if (const auto function = by_one_node(r, a, at)) {
        if (std::any_of(function->params.begin(), function->params.end(), [](double x) { return std::isnan(x); }))
            return {};
        return instruction{function->name, {a}, function->params};
    }
    if (n.op == "Tanh" || n.op == "Erf" || n.op == "Sqrt") return instruction{n.op, {a}};
    if (const auto exponent = operand(r, n, "Pow", a); exponent == 2. || exponent == 3. || exponent == .5)
        return instruction{n.op, {a}, {*exponent}};
    if ((n.op == "Add" || n.op == "Sub" || n.op == "Mul" || n.op == "Div") && n.version >= 7 && is_float(r, b))
        return instruction{n.op, {a, b}};
    return {};
}

class builder {
    rewriter& r_;
    std::vector<std::optional<instruction>> free_;  // by node

    std::vector<int> inputs_of(const std::vector<int>& nodes) const {
        std::vector<int> inputs;
        for (int i : nodes)
            for (int v : free_[std::size_t(i)]->operands)
                if (std::find(nodes.begin(), nodes.end(), r_.maker(v)) == nodes.end() &&
                    std::find(inputs.begin(), inputs.end(), v) == inputs.end())
                    inputs.push_back(v);
        return inputs;
    }
    // A node that may join: only these nodes read its result.
    int next(const std::vector<int>& nodes, const shape& dims) const {
        for (int i : nodes)
            for (int v : free_[std::size_t(i)]->operands) {
                const int maker = r_.maker(v);
                if (maker < 0 || !free_[std::size_t(maker)] ||
                    std::find(nodes.begin(), nodes.end(), maker) != nodes.end())
                    continue;
                if (same_dims(dims_of(r_, v), dims) && stays_within(r_, v, nodes) &&
                    inputs_of(joined(nodes, {maker})).size() <= tile_program::most_inputs)
                    return maker;
            }
        return -1;
    }
    candidate made_of(std::vector<int> nodes, int output) const {
        std::sort(nodes.begin(), nodes.end());
        candidate c{nodes, inputs_of(nodes), output};
        std::stable_partition(c.inputs.begin(), c.inputs.end(), [&](int v) {
            return !r_.constant(v) && same_dims(dims_of(r_, v), dims_of(r_, output));
        });  // the result may share the first one's memory
        std::vector<std::string_view> operators;
        std::vector<std::int64_t> operands;
        std::vector<double> numbers;
        for (int i : nodes) {
            const instruction& o = *free_[std::size_t(i)];
            operators.push_back(o.name);
            for (std::size_t k = 0; k < 2; ++k) {
                const int v = k < o.operands.size() ? o.operands[k] : -1;
                const auto input = std::find(c.inputs.begin(), c.inputs.end(), v), end = c.inputs.end();
                const auto maker = std::find(nodes.begin(), nodes.end(), v < 0 ? -1 : r_.maker(v));
                operands.push_back(v < 0          ? -1
                                   : input != end ? input - c.inputs.begin()
                                                  : std::int64_t(c.inputs.size()) + (maker - nodes.begin()));
                numbers.push_back(k < o.numbers.size() ? o.numbers[k] : 0);
            }
        }
        c.attributes = {r_.g.make("operators", std::span<const std::string_view>(operators)),
                        r_.g.make("operands", std::span<const std::int64_t>(operands)),
                        r_.g.make("numbers", std::span<const double>(numbers))};
        return c;
    }

  public:
    explicit builder(rewriter& r) : r_(r) {
        for (std::size_t i = 0; i < r.g.nodes.size(); ++i) free_.push_back(instruction_of(r, int(i)));
        for (const node& f : r.g.fused)
            for (int i : r.list(f.sources)) free_[std::size_t(i)].reset();
    }
    // The node with all nodes that only feed it.
    std::optional<candidate> ending_at(int root) {
        if (!free_[std::size_t(root)]) return {};
        const int output = r_.output(r_.g.nodes[std::size_t(root)]);
        std::vector<int> nodes{root};
        for (int i; nodes.size() < tile_program::most_instructions && (i = next(nodes, dims_of(r_, output))) >= 0;)
            nodes.push_back(i);
        if (nodes.size() < 2) return {};
        candidate c = made_of(nodes, output);
        for (int i : nodes) free_[std::size_t(i)].reset();
        return c;
    }
};
}  // namespace

int fuse_element_wise(graph_data& g, const evaluator&) {
    rewriter r(g);
    builder b(r);
    std::vector<candidate> candidates;
    for (int i = int(g.nodes.size()); i-- > 0;)
        if (auto c = b.ending_at(i)) candidates.push_back(std::move(*c));
    add_all(r, "inlay", "TileProgram", 1, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
