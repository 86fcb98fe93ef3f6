#include "canonical.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
bool is_from_zero(const std::optional<quantisation>& q) { return q && q->zero == (q->type == element::u8 ? 0 : -128); }
// According to the node that produces it.
bool is_made_from_zero(const byte_graph& bytes, int id) {
    const int m = bytes.maker(id);
    if (m < 0) return false;
    if (bytes.dequantizes(m)) return is_from_zero(bytes.of(bytes.view(m).input_id(0)));
    constexpr std::string_view operators[] = {"Abs", "Exp", "Relu", "Sigmoid", "Softmax"};
    const node& n = bytes.view(m).record;
    return n.domain.empty() && std::ranges::find(operators, n.op) != std::end(operators);
}
}  // namespace

operand operand_of(const graph_view& g, const byte_graph& bytes, int id) {
    if (id < 0) refuse("an input is missing");
    const value& v = g.values[std::size_t(id)];
    operand t{id, v.dims, v.type};
    t.constant = v.is_constant();
    if (t.is_quantized() && !t.constant) t.quantized = bytes.of(id);
    t.never_negative = t.is_quantized() ? is_from_zero(t.quantized) : is_made_from_zero(bytes, id);
    return t;
}
operand node_lowering::value(int id) const {
    const int like = is_quantized() && id >= 0 ? bytes_.like[std::size_t(id)] : -1;
    operand t = operand_of(r_.graph, *bytes_.graph, like >= 0 ? like : id);
    t.id = id;
    return t;
}
operand node_lowering::input(int k) const {
    operand x = value(source(n.input_id(k)));
    if (!is_quantized() || !x.constant || x.type != element::f32) return x;
    if (auto q = bytes_.graph->of_constant(x.id); q && q->scales.size() == 1) {
        x.type = q->type;
        x.quantized = std::move(q);
    }
    return x;
}
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
        std::vector<float> values;
        for (const std::int32_t c : codes) values.push_back(float(c - q.zero) * q.scales[values.size() / inner]);
        return values;
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
    std::ranges::move(behind_, std::back_inserter(primitives_));
    return std::move(primitives_);
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
        auto elements = constant_elements<std::int32_t, std::int32_t>(view, k, r->constants);
        if (elements.empty()) refuse("the elements of a constant are not there");
        return elements;
    };
}
void node_lowering::require_constant(int k, std::string_view name) const {
    if (!n.is_constant(k)) refuse(std::string(name) + " is not a constant");
    if (!is_float(n.input(k).type))
        refuse(std::string(name) + " is of type " + std::string(name_of(n.input(k).type)) + ", not float");
}
void node_lowering::require_floats() const {
    if (is_quantized()) refuse("it is several operations, which are not on integers of 8 bits");
}
bool node_lowering::is_wanted(int k) const {
    return n.has_output(k) && bytes_.graph->only_reader(n.output_id(k)) != -1;
}
std::optional<integers> node_lowering::known_places(const integers& lengths) const {
    const auto indices = n.input_integers(1);
    if (!n.is_constant(1) || !indices || lengths.empty()) return std::nullopt;
    integers places;
    for (const std::int64_t i : *indices) {
        const std::int64_t length = lengths[places.size() % lengths.size()];
        if (i < -length || i >= length) refuse("index " + std::to_string(i) + " is out of range");
        places.push_back(i < 0 ? i + length : i);
    }
    return places;
}
bool node_lowering::only_first_output() const {
    for (int k = 1; k < n.output_count(); ++k)
        if (n.has_output(k)) return false;
    return true;
}

namespace {
std::array<std::span<const source>, 9> source_lists() {
    return {window_sources(), element_wise_sources(),  movement_sources(),  byte_sources(),     axis_sources(),
            index_sources(),  normalization_sources(), quantized_sources(), recurrent_sources()};
}
}  // namespace
std::vector<source> all_sources() {
    std::vector<source> sources;
    for (const auto& list : source_lists()) sources.insert(sources.end(), list.begin(), list.end());
    return sources;
}
const source* find_source(const node& n) {
    const auto find = [&](std::span<const source> list) -> const source* {
        const auto at = std::ranges::find_if(list, [&](const source& s) { return is_named(n, s.op); });
        return at == list.end() ? nullptr : &*at;
    };
    for (const auto& list : source_lists())
        if (const source* const s = find(list)) return s;
    return find(fused_sources());
}
std::vector<primitive> primitives_of(const region& r, const byte_nodes& bytes, const rule_set& rules, fresh_ids& ids,
                                     int unit) {
    node_lowering a(r, bytes, rules, ids, unit);
    for (int k = 0; k < a.n.output_count(); ++k)
        if (a.n.has_output(k) && a.n.output(k).is_constant()) refuse("its result is a constant already");
    if (unit < int(r.graph.nodes.size())) {
        const bool read_later = bytes.graph->dequantizes(unit) && !rules.tensors.plain_bytes;
        if (bytes.absorbed[std::size_t(unit)] || read_later) return {};
    }
    find_source(a.n.record)->lower(a);
    return a.finish();
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
