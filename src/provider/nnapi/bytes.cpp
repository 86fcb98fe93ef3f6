#include "bytes.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
using namespace nnapi_interface;
namespace {
enum class result_scale : std::uint8_t {
    any,
    same,         // as the input's
    unit,         // 1/256, from the least code on
    both_signs,   // 1/128, from -1 on
    of_products,  // any, but more than the product of the inputs' scales
};
struct byte_rule {
    std::string_view op;
    result_scale scale = result_scale::any;
    bool weights = false;  // input 1 is a constant, and input 2, if there
};
constexpr byte_rule byte_rules[] = {{"Add"},
                                    {"AveragePool", result_scale::same},
                                    {"Concat"},
                                    {"Conv", result_scale::any, true},
                                    {"DepthToSpace", result_scale::same},
                                    {"Flatten", result_scale::same},
                                    {"Gemm", result_scale::any, true},
                                    {"GlobalAveragePool", result_scale::same},
                                    {"MatMul", result_scale::any, true},
                                    {"Max"},
                                    {"MaxPool", result_scale::same},
                                    {"Min"},
                                    {"Mul", result_scale::of_products},
                                    {"Relu", result_scale::same},
                                    {"Reshape", result_scale::same},
                                    {"Resize", result_scale::same},
                                    {"Sigmoid", result_scale::unit},
                                    {"Softmax", result_scale::unit},
                                    {"SpaceToDepth", result_scale::same},
                                    {"Squeeze", result_scale::same},
                                    {"Sub"},
                                    {"Tanh", result_scale::both_signs},
                                    {"Transpose", result_scale::same},
                                    {"Unsqueeze", result_scale::same}};

bool fits(const byte_rule& rule, const std::vector<operand_type>& inputs, const operand_type& y) {
    const bool has_sign = y.code == TENSOR_QUANT8_ASYMM_SIGNED;
    if (std::ranges::any_of(inputs, [&](const operand_type& x) { return x.code != y.code; })) return false;
    switch (rule.scale) {
        case result_scale::any: return true;
        case result_scale::same: return y == inputs[0];
        case result_scale::unit: return y.scale == 1.f / 256 && y.zero == (has_sign ? -128 : 0);
        case result_scale::both_signs: return y.scale == 1.f / 128 && y.zero == (has_sign ? 0 : 128);
        default: return inputs.size() == 2 && y.scale > inputs[0].scale * inputs[1].scale;
    }
}
// The nodes around node i, in ascending order with it, that make it one of 8 bits; empty: it is none.
struct surrounded {
    std::vector<int> nodes{};
    std::vector<std::pair<int, int>> sources{};  // values, and those of 8 bits in their places
    int behind = -1;
};
surrounded surround(const byte_graph& b, int i, const std::vector<char>& there) {
    const node_view n = b.view(i);
    const auto rule = std::ranges::find(byte_rules, n.record.op, &byte_rule::op);
    if (rule == std::end(byte_rules) || !n.record.domain.empty() || n.output_count() != 1 || !n.has_output(0))
        return {};
    surrounded all;
    std::vector<operand_type> inputs;
    for (int k = 0; k < n.input_count(); ++k) {
        if (!n.has_input(k) || n.input(k).type != element::f32) continue;
        if (n.is_constant(k) && n.record.op == "Resize") continue;  // its scales
        if (n.is_constant(k)) {
            if (!rule->weights || k == 0 || (k == 1 && !b.of_constant(n.input_id(k)))) return {};
            continue;
        }
        const int d = b.maker(n.input_id(k));
        const auto x = d >= 0 && b.decodes(d) && there[std::size_t(d)] ? b.said_by(d) : std::nullopt;
        if (!x || x != b.of(b.view(d).input_id(0))) return {};
        inputs.push_back(*x);
        all.nodes.push_back(d);
        all.sources.emplace_back(n.input_id(k), b.view(d).input_id(0));
    }
    const int q = b.only_reader(n.output_id(0));
    const auto y = q >= 0 && b.encodes(q) && there[std::size_t(q)] ? b.said_by(q) : std::nullopt;
    if (!y || inputs.empty() || !fits(*rule, inputs, *y)) return {};
    all.behind = q;
    all.sources.emplace_back(n.output_id(0), b.view(q).output_id(0));
    all.nodes.insert(all.nodes.end(), {i, q});
    std::ranges::sort(all.nodes);
    all.nodes.erase(std::ranges::unique(all.nodes).begin(), all.nodes.end());
    return all;
}
}  // namespace

byte_graph::byte_graph(const graph_view& g, const constant_source* constants)
    : g_(g), constants_(constants), value_nodes_(g), decoder_(g.values.size(), -1) {
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        const int from = view(i).input_id(0);
        if (from >= 0 && decodes(i) && decoder_[std::size_t(from)] < 0) decoder_[std::size_t(from)] = i;
    }
}
std::optional<operand_type> byte_graph::said_by(int i) const {
    const auto q = read_quantisation(view(i), constants_);
    if (!q || q->scales.size() != 1) return std::nullopt;
    return operand_type{q->type == element::u8 ? TENSOR_QUANT8_ASYMM : TENSOR_QUANT8_ASYMM_SIGNED, q->scales[0],
                        q->zero};
}
std::optional<operand_type> byte_graph::of(int value) const {
    const int m = maker(value);
    if (m >= 0 && encodes(m)) return said_by(m);
    const int d = decoder_[std::size_t(value)];
    return d >= 0 ? said_by(d) : std::nullopt;
}
std::optional<quantisation> byte_graph::of_constant(int value) const {
    const int m = maker(value);
    return m >= 0 && decodes(m) && view(m).is_constant(0) ? read_quantisation(view(m), constants_) : std::nullopt;
}

byte_nodes find_bytes(const graph_view& g, const byte_graph& b, std::span<const int> nodes, std::int64_t level,
                      const std::function<bool(std::span<const int>, const byte_nodes&)>& taken) {
    byte_nodes all(g, b);
    if (level < 29) return all;  // earlier levels have no QUANTIZE, and other rules
    std::vector<char> there(g.nodes.size(), 0);
    for (int i : nodes) there[std::size_t(i)] = 1;
    for (int i : nodes) {
        const surrounded s = surround(b, i, there);
        if (s.nodes.empty()) continue;
        byte_nodes alone(g, b);
        const auto add = [&](byte_nodes& to) {
            to.in_bytes[std::size_t(i)] = to.absorbed[std::size_t(s.behind)] = 1;
            for (const auto& [value, source] : s.sources) to.source[std::size_t(value)] = source;
        };
        add(alone);
        if (taken(s.nodes, alone)) add(all);
    }
    return all;
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay
