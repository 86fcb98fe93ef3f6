#include "capability.hpp"
#include "node_values.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace {
bool names_operator(std::string_view operators, std::string_view name) {
    for (std::size_t at = operators.find(name); at != operators.npos; at = operators.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || operators[at - 1] == ' ') && (end == operators.size() || operators[end] == ' ')) return true;
    }
    return false;
}
std::string table_name(const node& n) {
    return (n.domain.empty() ? "" : std::string(n.domain) + ":") + std::string(n.op);
}
std::string names_of(element_set types) {
    std::string names;
    for (int k = 0; k < element_count; ++k)
        if (types.has(element(k))) names += (names.empty() ? "" : ", ") + std::string(name_of(element(k)));
    return names;
}
std::string rank_text(int rank) { return std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"); }
// Where a row's types and ranks are looked for; -1: the node has no inputs.
int data_input(const node_view& n) {
    const int k = n.record.op == "Where" ? 1 : 0;
    return n.has_input(k) ? k : -1;
}
bool is_switch(std::string_view op) { return op == "Relu" || op == "Clip"; }
}  // namespace

capability_reader::capability_reader(capability_table t, const graph_view& g)
    : table_(std::move(t)), graph_(g), makers_(g.values.size(), -1), readers_(g.values.size()) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        for (const int v : g.list(g.nodes[i].outputs))
            if (v >= 0) makers_[std::size_t(v)] = int(i);
        for_each_read(g, g.nodes[i], [&](int v) { readers_[std::size_t(v)].push_back(int(i)); });
    }
    for (const int v : g.outputs) readers_[std::size_t(v)].push_back(-1);  // the caller
}
// Whether the value is the result of DequantizeLinear, or of Relu or Clip after an operator on such a value.
bool capability_reader::decoded(int value, element_set codes) const {
    if (value < 0 || makers_[std::size_t(value)] < 0) return false;
    const node_view maker{graph_, graph_.nodes[std::size_t(makers_[std::size_t(value)])]};
    return maker.record.op == "DequantizeLinear" && codes.has(maker.input_type(0));
}
bool capability_reader::encoded(int value, element_set codes) const {
    const std::vector<int>& readers = readers_[std::size_t(value)];
    for (const int i : readers) {
        if (i < 0) return false;
        const node_view reader{graph_, graph_.nodes[std::size_t(i)]};
        const bool encodes = reader.record.op == "QuantizeLinear" && codes.has(reader.output(0).type);
        const bool ends = readers.size() == 1 && is_switch(reader.record.op) && encoded(reader.output_id(0), codes);
        if (!encodes && !ends) return false;
    }
    return !readers.empty();
}
bool capability_reader::between_codes(const node_view& n, element_set codes) const {
    const int k = data_input(n);
    if (k < 0 || !codes.bits) return false;
    bool from_codes = decoded(n.input_id(k), codes);
    if (const int maker = makers_[std::size_t(n.input_id(k))]; !from_codes && maker >= 0 && is_switch(n.record.op)) {
        const node_view before{graph_, graph_.nodes[std::size_t(maker)]};
        from_codes = !is_switch(before.record.op) && before.has_input(0) && decoded(before.input_id(0), codes);
    }
    return from_codes && encoded(n.output_id(0), codes);
}
std::string capability_reader::refusal_by(const capability& row, const node_view& n, int& progress) const {
    progress = 0;
    if (lowering::is_older(table_.version, row.since))
        return table_.product + " does not have it yet; " + std::string(row.since) + " has";
    progress = 1;
    const int k = data_input(n);
    if (k >= 0) {
        const bool encoder = n.record.op == "QuantizeLinear";  // identified by the quantized values that it produces
        const element type = encoder ? n.output(0).type : n.input(k).type;
        if (!row.types.has(type) && !between_codes(n, row.codes))
            return std::string(name_of(type)) + "; " + table_.product + " has it of " + names_of(row.types) +
                   (row.codes.bits ? (row.types.bits ? ", or of quantized " : "quantized ") + names_of(row.codes) +
                                         " between DequantizeLinear and QuantizeLinear"
                                   : "");
        if (n.record.op == "Cast" && !row.types.has(n.output(0).type))
            return "it produces " + std::string(name_of(n.output(0).type)) + "; " + table_.product + " has " +
                   names_of(row.types);
        progress = 2;
        if (const int rank = n.input(k).dims.rank; rank < row.least_rank || rank > row.most_rank)
            return rank_text(rank) + "; " + table_.product + " has it for " +
                   (row.least_rank == row.most_rank
                        ? std::to_string(row.most_rank)
                        : std::to_string(row.least_rank) + " to " + std::to_string(row.most_rank));
    }
    progress = 3;
    for (const demand& d : row.demands)
        if (std::string reason = v1::refusal_by(d, n); !reason.empty()) return reason;
    return {};
}
std::string capability_reader::refusal_of_tensors(const node_view& n) const {
    const tensor_demands& tensors = table_.tensors;
    return refusal_of_values(n, [&](const value& v) -> std::string {
        if (!tensors.empty && has_no_elements(v))
            return table_.product + " has no tensors without elements, such as " + to_string(v.dims);
        if (v.is_constant()) return {};
        if (!tensors.types.has(v.type)) return table_.product + " has no tensors of " + std::string(name_of(v.type));
        return tensors.scalars || v.dims.rank > 0 ? "" : table_.product + " has no tensors without dimensions";
    });
}
std::string capability_reader::refusal(const node_view& n) const {
    std::string reason = table_.product + " has no " + std::string(n.record.op);
    if (!n.record.domain.empty()) reason += " of " + std::string(n.record.domain);
    int farthest = -1;
    const std::string op = table_name(n.record);
    for (const capability& row : table_.rows) {
        if (!names_operator(row.operators, op)) continue;
        int progress = 0;
        std::string row_refusal = refusal_by(row, n, progress);
        if (row_refusal.empty()) return refusal_of_tensors(n);
        if (progress >= farthest) {  // of two, the newer
            farthest = progress;
            reason = std::move(row_refusal);
        }
    }
    return reason;
}
}  // namespace v1
}  // namespace inlay
