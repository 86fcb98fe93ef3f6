#include "canonical.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace lowering {
operand operand_of(const graph_view& g, const byte_graph& bytes, int id) {
    if (id < 0) refuse("an input is missing");
    const value& v = g.values[std::size_t(id)];
    operand t{id, v.dims, v.type};
    t.constant = v.is_constant();
    if (t.is_quantized() && !t.constant) t.quantized = bytes.of(id);
    return t;
}
operand node_lowering::input(int k) const { return value(source(n.input_id(k))); }
operand node_lowering::input(int k, const shape& dims) {
    const operand x = input(k);
    if (x.dims == dims) return x;
    const operand y = between(dims, x);
    add(reshape_prim{x, y});
    return y;
}
operand node_lowering::weights(int k) const {
    operand w = value(n.input_id(k));
    if (is_quantized()) w.quantized = bytes_.graph->of_constant(n.input_id(k));
    if (is_quantized() && !w.quantized) refuse("its weights are not dequantized from integers of 8 bits");
    return w;
}
operand node_lowering::byte_input(int k) const {
    if (rules_.tensors.plain_bytes)  // for it they are integers, whatever they stand for
        refuse(std::string(rules_.library) + " has no operation for " + std::string(n.record.op) + " here");
    const operand x = input(k);
    if (!x.quantized || bytes_.graph->said_by(int(&n.record - r_.graph.nodes.data()), x.type, k + 1) != x.quantized)
        refuse("its scale and zero point are not one of each that is known, as where its input is made or first read");
    return x;
}
operand node_lowering::byte_weights(int k) const {
    const auto q = read_quantisation(n, n.input(k).type, k + 1, k + 2, r_.constants);
    if (!n.is_constant(k) || !q) refuse("its weights, their scales and one zero point are not constants");
    operand w{n.input_id(k), n.input(k).dims};
    w.constant = true;
    w.quantized = q;
    w.elements = [r = &r_, view = n, k, q = *q] {
        const std::vector<std::int32_t> codes = constant_bytes(view, k, r->constants);
        if (codes.empty()) refuse("the elements of a constant are not there");
        const std::size_t inner = codes.size() / q.scales.size();
        std::vector<float> all;
        for (const std::int32_t c : codes) all.push_back(float(c - q.zero) * q.scales[all.size() / inner]);
        return all;
    };
    return w;
}
operand node_lowering::result(int k) const { return value(source(n.output_id(k))); }
operand node_lowering::result(const shape& dims, int k) {
    const operand y = result(k);
    if (y.dims == dims) return y;
    const operand x = between(dims, y);
    behind_.push_back(reshape_prim{x, y});
    return x;
}
operand node_lowering::optional_result(int k, const shape& dims, element type) {
    if (n.has_output(k)) return result(dims, k);
    operand unread = ids_(dims, {});
    unread.type = type;
    return unread;
}
std::vector<primitive> node_lowering::finish() {
    std::ranges::move(behind_, std::back_inserter(made_));
    return std::move(made_);
}
std::function<std::vector<float>()> node_lowering::copy_of(int k) const {
    return [r = &r_, view = n, k] {
        if (!r->constant(view.input_id(k))) refuse("the elements of a constant are not there");
        return view.input(k).type == element::f16 ? constant_elements<float, float16>(view, k, r->constants)
                                                  : constant_elements<float, float>(view, k, r->constants);
    };
}
std::function<std::vector<std::int32_t>()> node_lowering::integers_of(int k) const {
    return [r = &r_, view = n, k] {
        auto all = constant_elements<std::int32_t, std::int32_t>(view, k, r->constants);
        if (all.empty()) refuse("the elements of a constant are not there");
        return all;
    };
}
void node_lowering::require_constant(int k, std::string_view name) const {
    if (!n.is_constant(k)) refuse(std::string(name) + " is not a constant");
    if (!is_float(n.input(k).type))
        refuse(std::string(name) + " is of type " + std::string(name_of(n.input(k).type)) + ", not float");
}
bool node_lowering::only_first_output() const {
    for (int k = 1; k < n.output_count(); ++k)
        if (n.has_output(k)) return false;
    return true;
}

namespace {
std::array<std::span<const source>, 8> source_lists() {
    return {window_sources(), element_wise_sources(), movement_sources(),  byte_sources(),
            axis_sources(),   index_sources(),        quantized_sources(), recurrent_sources()};
}
}  // namespace
std::vector<source> all_sources() {
    std::vector<source> all;
    for (const auto& list : source_lists()) all.insert(all.end(), list.begin(), list.end());
    return all;
}
const source* find_source(const node& n) {
    for (const auto& list : source_lists())
        for (const source& s : list)
            if (is_named(n, s.op)) return &s;
    return nullptr;
}
std::vector<primitive> primitives_of(const region& r, const byte_nodes& bytes, const rule_set& rules, fresh_ids& ids,
                                     int node) {
    node_lowering a(r, bytes, rules, ids, node);
    for (int k = 0; k < a.n.output_count(); ++k)
        if (a.n.has_output(k) && a.n.output(k).is_constant()) refuse("its result is a constant already");
    const bool read_later = bytes.graph->dequantizes(node) && !rules.tensors.plain_bytes;
    if (bytes.absorbed[std::size_t(node)] || read_later) return {};
    find_source(a.n.record)->lower(a);
    return a.finish();
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
