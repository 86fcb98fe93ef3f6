// Nodes between DequantizeLinear and QuantizeLinear, which a library computes on the codes themselves.
#pragma once
#include <lowering/node_values.hpp>
#include <lowering/quantisation.hpp>

namespace inlay {
inline namespace v1 {
// Which operators a library has on codes, and those of them whose result has the scale of their input.
struct coded_operators {
    std::span<const std::string_view> all, moving;
    static bool has(std::span<const std::string_view> list, std::string_view op) {
        return std::ranges::find(list, op) != list.end();
    }
};

class coded_graph {
  public:
    // What a node that is computed on codes has around it.
    struct neighbours {
        std::vector<int> nodes{};  // all that have to be beside it, and itself; ascending. Empty: it is not
        bool coded() const { return !nodes.empty(); }
    };
    // `there`: the nodes that may be part of what is computed on codes.
    coded_graph(const graph_view&, std::span<const int> there, const constant_source*, const coded_operators&);

    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    bool decodes(int i) const { return g_.nodes[std::size_t(i)].op == "DequantizeLinear"; }
    bool encodes(int i) const { return g_.nodes[std::size_t(i)].op == "QuantizeLinear"; }
    int maker(int value) const { return value_nodes_.maker(value); }
    const neighbours& around(int i) const { return around_[std::size_t(i)]; }
    // Of a value of 8 bits: what its maker says, else the first node that decodes it; nothing where that is not known.
    std::optional<quantisation> of(int value) const;
    // Of a constant of floats that is decoded from codes.
    std::optional<quantisation> of_constant(int value) const;
    // Of a node that is computed on codes: the values that its tensors are of. That is one of 8 bits; or, between it
    // and a node that limits its result, the one of floats, which then is in codes of the scale of `codes_of`.
    int key_of_input(const node_view&, int k) const;
    int key_of_output(const node_view&) const;
    int codes_of(int value) const { return codes_[std::size_t(value)]; }
    std::optional<quantisation> of_input(const node_view&, int k) const;
    // Of a node that decodes or encodes: whether what it does is known.
    bool is_readable(int i) const;

  private:
    const graph_view& g_;
    const constant_source* constants_;
    coded_operators operators_;
    std::vector<char> there_;
    value_nodes value_nodes_;
    std::vector<int> decoder_;  // the first node that decodes the value
    std::vector<int> codes_;
    std::vector<neighbours> around_;

    static bool limits(std::string_view op) { return op == "Relu" || op == "Clip"; }
    static bool has_one_tensor(std::string_view op) {  // its other inputs say how
        constexpr std::string_view all[] = {"Gather", "Pad",   "ReduceMax", "ReduceMean", "Reshape",
                                            "Resize", "Slice", "Squeeze",   "Unsqueeze",  "Upsample"};
        return limits(op) || std::ranges::find(all, op) != std::end(all);
    }
    void look_around(int i);
    bool read_inputs(const node_view&, std::vector<int>& nodes) const;
    int encoder_behind(int i, std::vector<int>& nodes) const;
    int only_reader(const node_view&) const;
};

inline coded_graph::coded_graph(const graph_view& g, std::span<const int> there, const constant_source* constants,
                                const coded_operators& operators)
    : g_(g),
      constants_(constants),
      operators_(operators),
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
inline std::optional<quantisation> coded_graph::of(int value) const {
    const int maker = value_nodes_.maker(value), reader = decoder_[std::size_t(value)];
    if (maker >= 0 && encodes(maker)) return read_quantisation(view(maker), constants_);
    return reader < 0 ? std::nullopt : read_quantisation(view(reader), constants_);
}
inline std::optional<quantisation> coded_graph::of_constant(int value) const {
    const int maker = value_nodes_.maker(value);
    return maker >= 0 && decodes(maker) ? read_quantisation(view(maker), constants_) : std::nullopt;
}
inline int coded_graph::key_of_input(const node_view& n, int k) const {
    const int id = n.input_id(k), m = value_nodes_.maker(id);
    return m >= 0 && decodes(m) ? view(m).input_id(0) : id;
}
inline int coded_graph::key_of_output(const node_view& n) const {
    const int next = only_reader(n);
    return next >= 0 && encodes(next) ? view(next).output_id(0) : n.output_id(0);
}
inline std::optional<quantisation> coded_graph::of_input(const node_view& n, int k) const {
    if (n.is_constant(k)) return of_constant(n.input_id(k));
    const int id = n.input_id(k), codes = codes_[std::size_t(id)];
    return of(codes >= 0 ? codes : key_of_input(n, k));
}
inline bool coded_graph::is_readable(int i) const {
    const node_view n = view(i);
    if (!n.has_input(0) || !n.has_output(0)) return false;
    const auto q = read_quantisation(n, constants_);
    if (!q || q->scales.size() != 1) return false;
    return encodes(i) ? n.input(0).type == element::f32 : n.output(0).type == element::f32 && q == of(n.input_id(0));
}
// The nodes that decode a node's inputs; false: one is neither decoded nor already there in codes.
inline bool coded_graph::read_inputs(const node_view& n, std::vector<int>& nodes) const {
    bool any = false;
    const int tensors = has_one_tensor(n.record.op) ? 1 : n.input_count();
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
inline int coded_graph::only_reader(const node_view& n) const {
    if (n.output_count() != 1 || !n.has_output(0)) return -1;
    const int r = value_nodes_.only_reader(n.output_id(0));
    return r >= 0 && there_[std::size_t(r)] ? r : -1;
}
// The node that encodes the result, behind at most one that limits it; -1: there is none.
inline int coded_graph::encoder_behind(int i, std::vector<int>& nodes) const {
    int next = only_reader(view(i));
    if (next >= 0 && limits(view(next).record.op) && !limits(view(i).record.op)) {
        nodes.push_back(next);
        next = only_reader(view(next));
    }
    if (next < 0 || !encodes(next) || !is_readable(next)) return -1;
    nodes.push_back(next);
    return next;
}
inline void coded_graph::look_around(int i) {
    const node_view n = view(i);
    if (!n.record.domain.empty() || !n.has_output(0)) return;
    if (!coded_operators::has(operators_.all, n.record.op)) return;
    std::vector<int> nodes{i};
    if (!read_inputs(n, nodes)) return;
    const int encoder = encoder_behind(i, nodes);
    if (encoder < 0) return;
    const bool moves = coded_operators::has(operators_.moving, n.record.op);
    if (moves && of(view(encoder).output_id(0)) != of_input(n, 0)) return;
    codes_[std::size_t(n.output_id(0))] = view(encoder).output_id(0);
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    around_[std::size_t(i)].nodes = std::move(nodes);
}

// Whether a library also encodes floats before the codes and decodes them behind; else why it does not.
struct coded_borders {
    bool taken = true;
    std::string refusal{};
};
// Proposals of an engine that computes on codes. refusal(nodes): why the library does not take a node with those that
// it is computed with; empty: it does.
template <class Refusal>
void propose_with_codes(const free_nodes& free, const coded_graph& graph, proposals& out, const coded_borders& borders,
                        Refusal refusal) {
    const graph_view& g = free.graph;
    std::vector<char> taken(g.nodes.size(), 0), read_there(g.values.size(), 0);
    const auto take = [&](int i) {
        taken[std::size_t(i)] = 1;
        for_each_read(g, g.nodes[std::size_t(i)], [&](int v) { read_there[std::size_t(v)] = 1; });
    };
    std::vector<int> encoding, nodes;
    for (const int i : free.nodes) {
        if (graph.decodes(i) || graph.encodes(i)) {
            encoding.push_back(i);
            continue;
        }
        const std::vector<int> alone{i}, &around = graph.around(i).nodes, &asked = around.empty() ? alone : around;
        if (std::string why = refusal(std::span<const int>(asked)); !why.empty()) {
            out.refuse(i, std::move(why));
            continue;
        }
        for (const int k : asked)
            if (k == i || graph.decodes(k) || graph.encodes(k)) take(k);
    }
    for (const int i : encoding) {
        if (taken[std::size_t(i)]) continue;
        const node_view n = graph.view(i);
        const int maker = n.has_input(0) ? graph.maker(n.input_id(0)) : -1;
        const bool beside =
            (maker >= 0 && taken[std::size_t(maker)]) || (n.has_output(0) && read_there[std::size_t(n.output_id(0))]);
        if (!graph.is_readable(i))
            out.refuse(i, "it has no single scale of 8 bits that is known before the run");
        else if (n.is_constant(0))
            out.refuse(i, "its result is a constant, which its readers take as it is");
        else if (!beside || !borders.taken)
            out.refuse(i, borders.taken ? "there is no node beside it that is taken" : borders.refusal);
        else
            take(i);
    }
    for (const int i : free.nodes)
        if (taken[std::size_t(i)]) nodes.push_back(i);
    for (std::vector<int>& set : convex_sets(g, nodes)) out.take(std::move(set));
}
}  // namespace v1
}  // namespace inlay
