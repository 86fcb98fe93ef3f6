#include "quantised.hpp"
#include <algorithm>
#include <utility>

namespace inlay {
inline namespace v1 {
namespace {
enum class scale_rule : std::uint8_t { free, same };  // of the output, beside the input's
struct byte_rule {
    std::string_view op;
    scale_rule scales = scale_rule::free;
};
constexpr byte_rule byte_rules[] = {{"Add"},
                                    {"Clip", scale_rule::same},
                                    {"Conv"},
                                    {"Flatten", scale_rule::same},
                                    {"Gemm"},
                                    {"GlobalAveragePool"},
                                    {"MatMul"},
                                    {"MaxPool", scale_rule::same},
                                    {"Mul"},
                                    {"QLinearConv"},
                                    {"QLinearMatMul"},
                                    {"Relu", scale_rule::same},
                                    {"Reshape", scale_rule::same},
                                    {"Squeeze", scale_rule::same},
                                    {"Sub"},
                                    {"Unsqueeze", scale_rule::same}};

// Kernels for Arm's processors without dot products add two products in 16 bits, which 2 * 128 * 128 does not fit.
#if defined(__aarch64__)
constexpr bool multiplies_least_codes = false;
#else
constexpr bool multiplies_least_codes = true;
#endif

bool is_convolution(std::string_view op) { return op == "Conv" || op == "QLinearConv"; }
bool has_weights(const node_view& n) {
    return is_linear(n) || n.record.op == "Conv" || n.record.op == "Gemm" || n.record.op == "MatMul";
}
// Why constants beside inputs of 8 bits are not taken; empty: they are.
std::string refuse_constants(const quantised_graph& q, const node_view& n) {
    const std::string_view op = n.record.op;
    if (!has_weights(n))
        return (op == "Add" || op == "Mul" || op == "Sub") && (n.is_constant(0) || n.is_constant(1))
                   ? "XNNPACK computes it in 8 bits with two inputs that are no constants"
                   : "";
    if (op == "Gemm" && (n.real("alpha", 1) != 1 || n.real("beta", 1) != 1))
        return "XNNPACK's products in 8 bits have no alpha and beta";
    const int k = weights_of(n);
    if (!n.is_constant(k)) return "XNNPACK needs input " + std::to_string(k) + " to be a constant";
    const auto w = q.of_input(n, k);
    if (!w)
        return is_linear(n) ? "the scales of its weights are not known before the run, or not one zero point"
                            : "its weights are not decoded from 8 bits with known scales";
    if (w->zero != 0)
        return "XNNPACK's weights of 8 bits are symmetric; these have a zero point " + std::to_string(w->zero);
    if (is_linear(n) && n.has_input(bias_of(n)) && n.input(bias_of(n)).type != element::i32)
        return "its bias is of type " + std::string(name_of(n.input(bias_of(n)).type)) + ", not int32";
    if (w->scales.size() > 1 && (!is_convolution(op) || w->axis != 0))
        return "XNNPACK has a scale for each channel in Conv only; here are " + std::to_string(w->scales.size());
    if (!multiplies_least_codes)
        if (const auto codes = q.weight_codes(n); codes.empty() || std::ranges::count(codes, -128) > 0)
            return "XNNPACK's products of 8 bits on Arm's processors are right for weights from -127 on";
    return {};
}
std::optional<quantisation> made_signed(std::optional<quantisation> q) {
    if (q && std::exchange(q->type, element::i8) == element::u8) q->zero -= 128;
    return q;
}
}  // namespace

quantised_graph::quantised_graph(const graph_view& g, const constant_source* constants)
    : g_(g), constants_(constants), value_nodes_(g), decoder_(g.values.size(), -1) {
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        const int from = view(i).input_id(0);
        const bool tells = decodes(i) || is_linear(view(i));
        if (from >= 0 && tells && decoder_[std::size_t(from)] < 0) decoder_[std::size_t(from)] = i;
    }
}
std::optional<quantisation> quantised_graph::read(const node_view& n) const {
    return made_signed(read_quantisation(n, constants_));
}
std::optional<quantisation> quantised_graph::read_linear(const node_view& n, element type, int scale) const {
    return made_signed(read_quantisation(n, type, scale, scale + 1, constants_));
}
std::optional<quantisation> quantised_graph::of(int value) const {
    const int maker = value_nodes_.maker(value);
    if (maker >= 0 && (encodes(maker) || decodes(maker))) return read(view(maker));
    if (maker >= 0 && is_linear(view(maker))) return read_linear(view(maker), g_.values[std::size_t(value)].type, 6);
    const int reader = decoder_[std::size_t(value)];
    if (reader < 0) return std::nullopt;
    return decodes(reader) ? read(view(reader)) : of_input(view(reader), 0);
}
std::optional<quantisation> quantised_graph::of_input(const node_view& n, int k) const {
    return is_linear(n) ? read_linear(n, n.input(k).type, k + 1) : of(n.input_id(k));
}
std::vector<float> quantised_graph::bias_scales(const node_view& n) const {
    std::vector<float> scales = of_input(n, weights_of(n))->scales;
    for (float& s : scales) s *= of_input(n, 0)->scales[0];
    return scales;
}
std::vector<std::int32_t> quantised_graph::weight_codes(const node_view& n) const {
    const node_view m = is_linear(n) ? n : view(value_nodes_.maker(n.input_id(1)));
    const int k = is_linear(n) ? weights_of(n) : 0;
    std::vector<std::int32_t> codes = constant_bytes(m, k, constants_);
    if (m.input(k).type == element::u8)
        for (std::int32_t& x : codes) x -= 128;
    return codes;
}
std::vector<float> quantised_graph::decoded(const node_view& n, int k) const {
    const bool bias = k == bias_of(n);
    const auto q = bias ? constant_elements<std::int32_t, std::int32_t>(n, k, constants_) : weight_codes(n);
    const auto scales = bias ? bias_scales(n) : of_input(n, k)->scales;
    const std::size_t each = q.size() / scales.size();
    std::vector<float> x(q.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(q[i]) * scales[i / each];
    return x;
}
bool quantised_graph::concerns_bytes(int i) const {
    const node_view n = view(i);
    if (is_linear(n)) return true;
    for (int k = 0; k < n.input_count(); ++k)
        if (n.has_input(k) && !n.is_constant(k))
            if (const int m = value_nodes_.maker(n.input_id(k)); m >= 0 && decodes(m)) return true;
    return false;
}
std::string quantised_graph::refuse_input(int k, int value, const std::optional<quantisation>& q) const {
    const std::string input = "input " + std::to_string(k);
    if (!q || q->scales.size() != 1) return input + " has no single scale that is known before the run";
    return q == of(value) ? "" : input + " has another scale or zero point where it is made or first read";
}
std::string quantised_graph::refuse_linear(const node_view& n) const {
    if (std::string why = refuse_input(0, n.input_id(0), of_input(n, 0)); !why.empty()) return why;
    const auto y = of(n.output_id(0));
    return y && y->scales.size() == 1 ? "" : "its result has no single scale that is known before the run";
}
std::string quantised_graph::refuse_border(int i, const taken_parts& taken) const {
    const node_view n = view(i);
    if (!n.has_input(0) || !n.has_output(0)) return "its input or its output is missing";
    if (n.is_constant(0)) return "its result is a constant, which its readers take as it is";
    if (!taken.bytes[std::size_t(byte_value(i))]) return "there is no node beside it that XNNPACK computes in 8 bits";
    const int floats = encodes(i) ? n.input_id(0) : n.output_id(0), maker = value_nodes_.maker(floats);
    if (encodes(i) ? maker >= 0 && !taken.nodes[std::size_t(maker)] : read_by_another(floats, taken.nodes))
        return "the floats beside it are another provider's, which may have them in integers";
    if (g_.values[std::size_t(floats)].type != element::f32) return "XNNPACK has floats outside of 8 bits";
    return refuse_input(0, byte_value(i), read(n));
}
quantised_graph::neighbours quantised_graph::neighbours_of(int node, const std::vector<char>& there) const {
    const node_view n = view(node);
    const auto rule = std::ranges::find(byte_rules, n.record.op, &byte_rule::op);
    if (rule == std::end(byte_rules)) return {"XNNPACK does not compute it in 8 bits here", {}, -1};
    if (std::string why = refuse_constants(*this, n); !why.empty()) return {std::move(why), {}, -1};
    if (is_linear(n)) return {refuse_linear(n), {}, -1};
    neighbours found;
    for (int k = 0; k < n.input_count(); ++k) {
        if (!n.has_input(k) || n.is_constant(k)) continue;
        const int m = value_nodes_.maker(n.input_id(k));
        if (m < 0 || !decodes(m) || !there[std::size_t(m)])
            return {"input " + std::to_string(k) + " is not decoded from 8 bits, others are", {}, -1};
        if (std::string why = refuse_input(k, byte_value(m), read(view(m))); !why.empty())
            return {std::move(why), {}, -1};
        found.before.push_back(m);
    }
    const int next = n.has_output(0) ? value_nodes_.only_reader(n.output_id(0)) : -1;
    if (found.before.empty() || next < 0 || !encodes(next) || !there[std::size_t(next)] || n.output_count() != 1)
        return {"its result is not only encoded to 8 bits again", {}, -1};
    const auto y = read(view(next));
    if (!y || y->scales.size() != 1) return {"its result has no single scale that is known before the run", {}, -1};
    if (rule->scales == scale_rule::same && y != of(n.input_id(0)))
        return {"XNNPACK computes it in 8 bits where input and result have one scale and zero point", {}, -1};
    found.behind = next;
    return found;
}
bool quantised_graph::read_by_another(int value, const std::vector<char>& nodes) const {
    if (const int r = value_nodes_.only_reader(value); r != -2) return r >= 0 && !nodes[std::size_t(r)];
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
        bool reads = false;
        for_each_read(g_, g_.nodes[i], [&](int v) { reads |= v == value; });
        if (reads && !nodes[i]) return true;
    }
    return false;
}
bool quantised_graph::wanted_as_floats(int value, const std::vector<char>& in_bytes) const {
    return std::ranges::find(g_.outputs, value) != g_.outputs.end() || read_by_another(value, in_bytes);
}
void quantised_graph::add(taken_parts& taken, int node, const neighbours& around) const {
    taken.nodes[std::size_t(node)] = 1;
    const auto convert = [&](int i) { taken.nodes[std::size_t(i)] = taken.bytes[std::size_t(byte_value(i))] = 1; };
    for (int i : around.before) convert(i);
    if (around.behind >= 0) convert(around.behind);
    const node_view n = view(node);
    if (is_linear(n)) taken.bytes[std::size_t(n.input_id(0))] = taken.bytes[std::size_t(n.output_id(0))] = 1;
}
}  // namespace v1
}  // namespace inlay
