#include "canonical.hpp"
#include "proposing.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
// Those of candidates of fusion that are taken whole and have none of the nodes that `left` says yes to.
template <class F>
std::vector<int> nodes_of_candidates(const free_nodes& free, const byte_nodes& floats, const region_refusal& refusal,
                                     F left) {
    const graph_view& g = free.graph;
    std::vector<char> candidates(g.nodes.size(), 0);
    for (int i : free.nodes) candidates[std::size_t(i)] = !left(i);
    std::vector<int> fused_nodes;
    for (const node& candidate : g.fused) {
        const auto sources = g.list(candidate.sources);
        const bool is_there = find_source(candidate) &&
                              std::ranges::all_of(sources, [&](int i) { return candidates[std::size_t(i)] != 0; });
        if (!is_there || !refusal(sources, floats).empty()) continue;
        for (int i : sources) candidates[std::size_t(i)] = 0;
        fused_nodes.insert(fused_nodes.end(), sources.begin(), sources.end());
    }
    return fused_nodes;
}
// What is taken where nodes that read what is decoded are computed in 8 bits or not at all.
class proposing_in_codes {
    const free_nodes& free_;
    const rule_set& rules_;
    const graph_view& g_;
    const byte_graph bytes_;
    byte_nodes floats_;
    const region_refusal& refusal_;
    std::vector<char> candidates_, is_taken_,
        touched_;  // by node, by node, by value: nodes that are taken make it or read it
    std::vector<std::string> reasons_;

    bool converts(int i) const { return bytes_.dequantizes(i) || bytes_.quantizes(i); }
    bool reads_decoded(const node_view& n) const {
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.is_constant(k))
                if (const int m = bytes_.maker(n.input_id(k)); m >= 0 && bytes_.dequantizes(m)) return true;
        return false;
    }
    // The value of 8 bits of a node that decodes or encodes, and its other one.
    int coded(int i) const { return bytes_.quantizes(i) ? bytes_.view(i).output_id(0) : bytes_.view(i).input_id(0); }
    int decoded(int i) const { return bytes_.quantizes(i) ? bytes_.view(i).input_id(0) : bytes_.view(i).output_id(0); }

    void take(int i) {
        is_taken_[std::size_t(i)] = 1;
        const node& n = g_.nodes[std::size_t(i)];
        for (const auto& list : {g_.list(n.inputs), g_.list(n.outputs)})
            for (const int v : list)
                if (v >= 0) touched_[std::size_t(v)] = 1;
    }
    std::string ask_in_floats(int i) {
        std::string reason = refusal_(std::array{i}, floats_);
        if (reason.empty()) take(i);
        return reason;
    }
    std::string ask(int i) {
        if (!reads_decoded(bytes_.view(i))) return ask_in_floats(i);
        surrounding s = surround(bytes_, i, candidates_);
        if (!s.reason.empty() && rules_.gives_floats) {
            if (is_product(g_.nodes[std::size_t(i)])) s = surround(bytes_, i, candidates_, true);
            if (!s.reason.empty()) return ask_in_floats(i);
        }
        if (!s.reason.empty()) return s.reason;
        std::string reason = s.ask_alone(floats_, i, refusal_);
        if (reason.empty())
            for (const int node : s.nodes) take(node);
        return reason;
    }
    // A DequantizeLinear or QuantizeLinear without such neighbours is only supported between float32 of the model and
    // what is computed in 8 bits.
    std::string ask_border(int i) const {
        const node_view n = bytes_.view(i);
        if (!n.has_input(0) || !n.has_output(0)) return "its input or its output is missing";
        if (n.is_constant(0)) return "its result is a constant, which its readers take as it is";
        const int maker = bytes_.maker(decoded(i));
        if (!touched_[std::size_t(coded(i))] && !(rules_.gives_floats && touched_[std::size_t(decoded(i))]))
            return "no node next to it is computed in 8 bits";
        if (bytes_.quantizes(i) ? maker >= 0 && !is_taken_[std::size_t(maker)]
                                : bytes_.read_by_another(decoded(i), is_taken_))
            return "the floats next to it are another provider's, which may have them in integers";
        return refusal_(std::array{i}, floats_);
    }

  public:
    proposing_in_codes(const free_nodes& free, const rule_set& rules, const region_refusal& refusal)
        : free_(free),
          rules_(rules),
          g_(free.graph),
          bytes_(g_, free.constants),
          floats_(g_, bytes_),
          refusal_(refusal),
          candidates_(g_.nodes.size(), 0),
          is_taken_(g_.nodes.size(), 0),
          touched_(g_.values.size(), 0),
          reasons_(g_.nodes.size()) {
        for (int i : free.nodes) candidates_[std::size_t(i)] = 1;
    }
    void run(proposals& out) {
        if (rules_.fuses)
            for (int i : nodes_of_candidates(free_, floats_, refusal_,
                                             [&](int n) { return converts(n) || reads_decoded(bytes_.view(n)); }))
                take(i);
        for (int i : free_.nodes)
            if (!converts(i) && !is_taken_[std::size_t(i)]) reasons_[std::size_t(i)] = ask(i);
        for (int i : free_.nodes)
            if (converts(i) && !is_taken_[std::size_t(i)])
                if (std::string& reason = reasons_[std::size_t(i)] = ask_border(i); reason.empty())
                    is_taken_[std::size_t(i)] = 1;
        // One that is taken with a node before it may have been refused by itself.
        propose_each(free_, out,
                     [&](int i) { return is_taken_[std::size_t(i)] ? std::string() : reasons_[std::size_t(i)]; });
    }
};
}  // namespace

void propose_nodes(const free_nodes& free, const rule_set& rules, const region_refusal& refusal, proposals& out) {
    if (rules.leaves_dequantized) return proposing_in_codes(free, rules, refusal).run(out);
    const byte_graph bytes(free.graph, free.constants);
    byte_nodes floats(free.graph, bytes);
    std::vector<char> candidates(free.graph.nodes.size(), 0);
    for (int i : free.nodes) candidates[std::size_t(i)] = 1;
    std::vector<char> is_taken(free.graph.nodes.size(), 0);
    if (rules.fuses)
        for (int i : nodes_of_candidates(free, floats, refusal, [](int) { return false; }))
            is_taken[std::size_t(i)] = 1;
    propose_each(free, out, [&](int i) {
        if (is_taken[std::size_t(i)]) return std::string();
        std::string reason = refusal(std::array{i}, floats);
        if (reason.empty() || rules.tensors.plain_bytes) return reason;
        const surrounding s = surround(bytes, i, candidates);
        return s.reason.empty() && s.ask_alone(floats, i, refusal).empty() ? std::string() : reason;
    });
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
