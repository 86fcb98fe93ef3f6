#include "bytes.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
constexpr byte_operator byte_operators[] = {{"DequantizeLinear", {0, -1}, -1},
                                            {"QuantizeLinear", {-1, -1}, 1},
                                            {"QLinearConv", {0, 3}, 6},
                                            {"QLinearMatMul", {0, 3}, 6},
                                            {"com.microsoft:QLinearAdd", {0, 3}, 6},
                                            {"com.microsoft:QLinearAveragePool", {0, -1}, 3},
                                            {"com.microsoft:QLinearGlobalAveragePool", {0, -1}, 3},
                                            {"com.microsoft:QLinearMul", {0, 3}, 6},
                                            {"com.microsoft:QLinearSigmoid", {0, -1}, 3}};

// The node that dequantizes the value, where it says what others say; -1: there is none.
int dequantizer_of(const byte_graph& b, int value, const std::vector<char>& candidates) {
    const int d = b.maker(value);
    if (d < 0 || !b.dequantizes(d) || !candidates[std::size_t(d)]) return -1;
    const auto x = b.said_by(d);
    return x && x == b.of(b.view(d).input_id(0)) ? d : -1;
}
// The node that alone reads the value and cuts it; -1: there is none.
int limiter_behind(const byte_graph& b, int value, const std::vector<char>& candidates) {
    const int r = b.only_reader(value);
    if (r < 0 || !candidates[std::size_t(r)]) return -1;
    const node_view n = b.view(r);
    const bool limits = is_named(n.record, "Relu") || is_named(n.record, "Clip");
    return limits && n.has_output(0) && n.input_id(0) == value ? r : -1;
}
// With these nodes too, ascending.
surrounding ordered(surrounding s, std::initializer_list<int> more) {
    s.nodes.insert(s.nodes.end(), more);
    std::ranges::sort(s.nodes);
    s.nodes.erase(std::ranges::unique(s.nodes).begin(), s.nodes.end());
    return s;
}
}  // namespace

surrounding surround(const byte_graph& b, int i, const std::vector<char>& candidates, bool gives_floats) {
    const node_view n = b.view(i);
    if (b.dequantizes(i) || b.quantizes(i) || n.output_count() != 1 || !n.has_output(0))
        return {"it has no single result that could be encoded"};
    surrounding s;
    for (int k = 0; k < n.input_count(); ++k) {
        if (!n.has_input(k) || n.input(k).type != element::f32 || n.is_constant(k)) continue;
        const int d = dequantizer_of(b, n.input_id(k), candidates);
        if (d < 0) return {"input " + std::to_string(k) + " is not decoded from 8 bits here, as others are"};
        s.nodes.push_back(d);
        s.sources.emplace_back(n.input_id(k), b.view(d).input_id(0));
    }
    if (gives_floats) {
        if (s.sources.empty()) return {"no input is decoded from 8 bits here"};
        return ordered(std::move(s), {i});
    }
    int value = n.output_id(0);
    if (s.limiter = limiter_behind(b, value, candidates); s.limiter >= 0) {
        s.nodes.push_back(s.limiter);
        s.limited = std::exchange(value, b.view(s.limiter).output_id(0));
    }
    const int q = b.only_reader(value);
    if (s.sources.empty() || q < 0 || !b.quantizes(q) || !candidates[std::size_t(q)] || !b.said_by(q))
        return {"its result is not only encoded to 8 bits again, with one scale that is known before the run"};
    s.quantizer = q;
    s.sources.emplace_back(value, b.view(q).output_id(0));
    return ordered(std::move(s), {i, q});
}
const byte_operator* find_byte_operator(const node& n) {
    const auto at = std::ranges::find_if(byte_operators, [&](const byte_operator& o) { return is_named(n, o.name); });
    return at == std::end(byte_operators) ? nullptr : at;
}
bool is_byte_operator(std::string_view name) {
    return std::ranges::find(byte_operators, name, &byte_operator::name) != std::end(byte_operators);
}
byte_graph::byte_graph(const graph_view& g, const constant_source* constants)
    : g_(g), constants_(constants), value_nodes_(g), read_by_(g.values.size()) {
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        const byte_operator* const o = find_byte_operator(g.nodes[std::size_t(i)]);
        for (const int k : o ? o->inputs : std::array{-1, -1})
            if (k >= 0 && view(i).has_input(k) && read_by_[std::size_t(view(i).input_id(k))].node < 0)
                read_by_[std::size_t(view(i).input_id(k))] = {i, k + 1};
    }
    for (int unit = int(g.nodes.size()); unit < g.units(); ++unit)
        candidates_.emplace_back(g.list(g.unit(unit).sources).back(), unit);
    std::ranges::sort(candidates_);
}
std::vector<int> byte_graph::candidates_ending_in(std::span<const int> nodes) const {
    std::vector<int> units;
    for (const int i : nodes)
        for (const auto& entry : std::ranges::equal_range(candidates_, i, {}, &std::pair<int, int>::first))
            units.push_back(entry.second);
    std::ranges::sort(units);
    return units;
}
std::optional<quantisation> byte_graph::said_by(int i) const {
    auto q = read_quantisation(view(i), constants_);
    return q && q->scales.size() == 1 ? q : std::nullopt;
}
std::optional<quantisation> byte_graph::said_by(int i, element type, int scale) const {
    if (dequantizes(i) || quantizes(i)) return said_by(i);
    auto q = view(i).has_input(scale) ? read_quantisation(view(i), type, scale, scale + 1, constants_) : std::nullopt;
    return q && q->scales.size() == 1 ? q : std::nullopt;
}
std::optional<quantisation> byte_graph::of(int value) const {
    const element type = g_.values[std::size_t(value)].type;
    const int m = maker(value);
    const byte_operator* const o = m >= 0 ? find_byte_operator(g_.nodes[std::size_t(m)]) : nullptr;
    if (o && o->result_scale >= 0) return said_by(m, type, o->result_scale);
    const auto [node, scale] = read_by_[std::size_t(value)];
    return node >= 0 ? said_by(node, type, scale) : std::nullopt;
}
bool byte_graph::read_by_another(int value, const std::vector<char>& nodes) const {
    if (const int r = only_reader(value); r != -2) return r >= 0 && !nodes[std::size_t(r)];
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
        bool reads = false;
        for_each_read(g_, g_.nodes[i], [&](int v) { reads |= v == value; });
        if (reads && !nodes[i]) return true;
    }
    return false;
}
std::optional<quantisation> byte_graph::of_constant(int value) const {
    const int m = maker(value);
    return m >= 0 && dequantizes(m) && view(m).is_constant(0) ? read_quantisation(view(m), constants_) : std::nullopt;
}

bool is_product(const node& n) { return n.domain.empty() && (n.op == "Conv" || n.op == "MatMul" || n.op == "Gemm"); }
byte_nodes find_bytes(const graph_view& g, const byte_graph& b, std::span<const int> nodes,
                      const std::function<bool(std::span<const int>, const byte_nodes&)>& is_supported,
                      bool gives_floats) {
    byte_nodes bytes(g, b), floats(g, b);
    std::vector<char> candidates(g.nodes.size(), 0);
    for (int i : nodes) candidates[std::size_t(i)] = 1;
    for (int i : nodes) {
        surrounding s = surround(b, i, candidates);
        if (!s.reason.empty() && gives_floats && is_product(g.nodes[std::size_t(i)]))
            s = surround(b, i, candidates, true);
        if (s.reason.empty() && s.ask_alone(floats, i, is_supported)) s.add_to(bytes, i);
    }
    return bytes;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
