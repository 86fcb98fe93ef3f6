#include "quantised.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
// Operators that QNN has on codes.
constexpr std::string_view coded_operators[] = {"Add",
                                                "AveragePool",
                                                "Clip",
                                                "Concat",
                                                "Conv",
                                                "DepthToSpace",
                                                "Div",
                                                "Flatten",
                                                "Gelu",
                                                "Gemm",
                                                "GlobalAveragePool",
                                                "HardSwish",

                                                "MatMul",
                                                "Max",
                                                "MaxPool",
                                                "Min",
                                                "Mul",
                                                "PRelu",
                                                "ReduceMean",
                                                "Relu",
                                                "Reshape",
                                                "Sigmoid",
                                                "Slice",
                                                "Softmax",
                                                "SpaceToDepth",
                                                "Squeeze",
                                                "Sub",
                                                "Tanh",
                                                "Transpose",
                                                "Unsqueeze"};
// Those of them whose result has the scale of their input.
constexpr std::string_view moving_operators[] = {"DepthToSpace", "Flatten", "MaxPool",   "Reshape",  "Slice",
                                                 "SpaceToDepth", "Squeeze", "Transpose", "Unsqueeze"};
bool limits(std::string_view op) { return op == "Relu" || op == "Clip"; }
}  // namespace

coded_graph::coded_graph(const graph_view& g, std::span<const int> there, const constant_source* constants)
    : g_(g),
      constants_(constants),
      there_(g.nodes.size(), 0),
      value_nodes_(g),
      decoder_(g.values.size(), -1),
      codes_(g.values.size(), -1),
      around_(g.nodes.size()) {
    for (const int i : there) there_[std::size_t(i)] = 1;
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        const int from = view(i).input_id(0);
        if (from >= 0 && decodes(i) && decoder_[std::size_t(from)] < 0) decoder_[std::size_t(from)] = i;
    }
    for (int i = 0; i < int(g.nodes.size()); ++i)
        if (there_[std::size_t(i)]) look_around(i);
}
std::optional<quantisation> coded_graph::of(int value) const {
    const int maker = value_nodes_.maker(value), reader = decoder_[std::size_t(value)];
    if (maker >= 0 && encodes(maker)) return read_quantisation(view(maker), constants_);
    return reader < 0 ? std::nullopt : read_quantisation(view(reader), constants_);
}
std::optional<quantisation> coded_graph::of_constant(int value) const {
    const int maker = value_nodes_.maker(value);
    return maker >= 0 && decodes(maker) ? read_quantisation(view(maker), constants_) : std::nullopt;
}
int coded_graph::key_of_input(const node_view& n, int k) const {
    const int id = n.input_id(k), m = value_nodes_.maker(id);
    return m >= 0 && decodes(m) ? view(m).input_id(0) : id;
}
int coded_graph::key_of_output(const node_view& n) const {
    const int next = only_reader(n);
    return next >= 0 && encodes(next) ? view(next).output_id(0) : n.output_id(0);
}
std::optional<quantisation> coded_graph::of_input(const node_view& n, int k) const {
    if (n.is_constant(k)) return of_constant(n.input_id(k));
    const int id = n.input_id(k), codes = codes_[std::size_t(id)];
    return of(codes >= 0 ? codes : key_of_input(n, k));
}
bool coded_graph::is_readable(int i) const {
    const node_view n = view(i);
    if (!n.has_input(0) || !n.has_output(0)) return false;
    const auto q = read_quantisation(n, constants_);
    if (!q || q->scales.size() != 1) return false;
    return encodes(i) ? n.input(0).type == element::f32 : n.output(0).type == element::f32 && q == of(n.input_id(0));
}
// The nodes that decode a node's inputs; false: one is neither decoded nor already there in codes.
bool coded_graph::read_inputs(const node_view& n, std::vector<int>& nodes) const {
    bool any = false;
    const int tensors = limits(n.record.op) || n.record.op == "Slice" || n.record.op == "Reshape" ||
                                n.record.op == "Squeeze" || n.record.op == "Unsqueeze" || n.record.op == "ReduceMean"
                            ? 1
                            : n.input_count();
    for (int k = 0; k < tensors; ++k) {
        if (!n.has_input(k)) continue;
        const int id = n.input_id(k), m = value_nodes_.maker(id);
        if (n.is_constant(k)) {
            const bool is_bias = k == 2;  // gets the scale of the product
            if (!is_bias && !of_constant(id)) return false;
            continue;
        }
        any = true;
        if (m >= 0 && around_[std::size_t(m)].coded() && codes_[std::size_t(id)] >= 0) {
            nodes.insert(nodes.end(), around_[std::size_t(m)].nodes.begin(), around_[std::size_t(m)].nodes.end());
            continue;
        }
        if (m < 0 || !decodes(m) || !there_[std::size_t(m)] || !is_readable(m)) return false;
        nodes.push_back(m);
    }
    return any;
}
int coded_graph::only_reader(const node_view& n) const {
    if (n.output_count() != 1 || !n.has_output(0)) return -1;
    const int r = value_nodes_.only_reader(n.output_id(0));
    return r >= 0 && there_[std::size_t(r)] ? r : -1;
}
// The node that encodes the result, behind at most one that limits it; -1: there is none.
int coded_graph::encoder_behind(int i, std::vector<int>& nodes) const {
    int next = only_reader(view(i));
    if (next >= 0 && limits(view(next).record.op) && !limits(view(i).record.op)) {
        nodes.push_back(next);
        next = only_reader(view(next));
    }
    if (next < 0 || !encodes(next) || !is_readable(next)) return -1;
    nodes.push_back(next);
    return next;
}
void coded_graph::look_around(int i) {
    const node_view n = view(i);
    if (!n.record.domain.empty() || !n.has_output(0)) return;
    if (std::ranges::find(coded_operators, n.record.op) == std::end(coded_operators)) return;
    std::vector<int> nodes{i};
    if (!read_inputs(n, nodes)) return;
    const int encoder = encoder_behind(i, nodes);
    if (encoder < 0) return;
    const bool moves = std::ranges::find(moving_operators, n.record.op) != std::end(moving_operators);
    if (moves && of(view(encoder).output_id(0)) != of_input(n, 0)) return;
    codes_[std::size_t(n.output_id(0))] = view(encoder).output_id(0);
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    around_[std::size_t(i)].nodes = std::move(nodes);
}
}  // namespace v1
}  // namespace inlay
