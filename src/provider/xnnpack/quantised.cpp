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
                                    {"Relu", scale_rule::same},
                                    {"Reshape", scale_rule::same},
                                    {"Squeeze", scale_rule::same},
                                    {"Sub"},
                                    {"Unsqueeze", scale_rule::same}};

bool has_weights(std::string_view op) { return op == "Conv" || op == "Gemm" || op == "MatMul"; }
// Why constants beside inputs of 8 bits are not taken; empty: they are.
std::string refuse_constants(const quantised_graph& q, const node_view& n) {
    const std::string_view op = n.record.op;
    if (!has_weights(op))
        return (op == "Add" || op == "Mul" || op == "Sub") && (n.is_constant(0) || n.is_constant(1))
                   ? "XNNPACK computes it in 8 bits with two inputs that are no constants"
                   : "";
    if (op == "Gemm" && (n.real("alpha", 1) != 1 || n.real("beta", 1) != 1))
        return "XNNPACK's products in 8 bits have no alpha and beta";
    if (!n.is_constant(1)) return "XNNPACK needs input 1 to be a constant";
    const auto w = q.of(n.input_id(1));
    if (!w) return "its weights are not decoded from 8 bits with known scales";
    if (w->zero != 0)
        return "XNNPACK's weights of 8 bits are symmetric; these have a zero point " + std::to_string(w->zero);
    if (w->scales.size() > 1 && (op != "Conv" || w->axis != 0))
        return "XNNPACK has a scale for each channel in Conv only; here are " + std::to_string(w->scales.size());
    return {};
}
}  // namespace

quantised_graph::quantised_graph(const graph_view& g, const constant_source* constants)
    : g_(g),
      constants_(constants),
      maker_(g.values.size(), -1),
      reader_(g.values.size(), -1),
      decoder_(g.values.size(), -1) {
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        const node& n = g.nodes[std::size_t(i)];
        for_each_read(g, n, [&](int v) { reader_[std::size_t(v)] = reader_[std::size_t(v)] == -1 ? i : -2; });
        for (int v : g.list(n.outputs))
            if (v >= 0) maker_[std::size_t(v)] = i;
        const int from = view(i).input_id(0);
        if (from >= 0 && decodes(i) && decoder_[std::size_t(from)] < 0) decoder_[std::size_t(from)] = i;
    }
    for (int v : g.outputs) reader_[std::size_t(v)] = -2;
}
std::optional<quantisation> quantised_graph::read(const node_view& n) const {
    auto q = read_quantisation(n, constants_);
    if (q && std::exchange(q->type, element::i8) == element::u8) q->zero -= 128;
    return q;
}
std::optional<quantisation> quantised_graph::of(int value) const {
    const int maker = maker_[std::size_t(value)];
    if (maker >= 0 && encodes(maker)) return read(view(maker));
    if (maker >= 0 && decodes(maker)) return read(view(maker));
    const int reader = decoder_[std::size_t(value)];
    return reader >= 0 ? read(view(reader)) : std::nullopt;
}
bool quantised_graph::reads_decoded(int i) const {
    const node_view n = view(i);
    for (int k = 0; k < n.input_count(); ++k)
        if (n.has_input(k) && !n.is_constant(k))
            if (const int m = maker_[std::size_t(n.input_id(k))]; m >= 0 && decodes(m)) return true;
    return false;
}
quantised_graph::neighbours quantised_graph::neighbours_of(int node, const std::vector<char>& there) const {
    const node_view n = view(node);
    const auto rule = std::ranges::find(byte_rules, n.record.op, &byte_rule::op);
    if (rule == std::end(byte_rules)) return {"XNNPACK does not compute it in 8 bits here", {}, -1};
    if (std::string why = refuse_constants(*this, n); !why.empty()) return {std::move(why), {}, -1};
    neighbours found;
    for (int k = 0; k < n.input_count(); ++k) {
        if (!n.has_input(k) || n.is_constant(k)) continue;
        const int m = maker_[std::size_t(n.input_id(k))];
        if (m < 0 || !decodes(m) || !there[std::size_t(m)])
            return {"input " + std::to_string(k) + " is not decoded from 8 bits, others are", {}, -1};
        const auto q = read(view(m));
        if (!q || q->scales.size() != 1 || q != of(view(m).input_id(0)))
            return {"input " + std::to_string(k) + " has no single scale that is known before the run", {}, -1};
        found.before.push_back(m);
    }
    const int next = n.has_output(0) ? reader_[std::size_t(n.output_id(0))] : -1;
    if (found.before.empty() || next < 0 || !encodes(next) || !there[std::size_t(next)] || n.output_count() != 1)
        return {"its result is not only encoded to 8 bits again", {}, -1};
    const auto y = read(view(next));
    if (!y || y->scales.size() != 1) return {"its result has no single scale that is known before the run", {}, -1};
    if (rule->scales == scale_rule::same && y != of(n.input_id(0)))
        return {"XNNPACK computes it in 8 bits where input and result have one scale and zero point", {}, -1};
    found.behind = next;
    return found;
}
bool quantised_graph::wanted_as_floats(int value, const std::vector<char>& in_bytes) const {
    for (int v : g_.outputs)
        if (v == value) return true;
    if (const int r = reader_[std::size_t(value)]; r != -2) return r >= 0 && !in_bytes[std::size_t(r)];
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
        bool reads = false;
        for_each_read(g_, g_.nodes[i], [&](int v) { reads |= v == value; });
        if (reads && !in_bytes[i]) return true;
    }
    return false;
}
}  // namespace v1
}  // namespace inlay
