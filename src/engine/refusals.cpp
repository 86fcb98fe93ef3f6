#include "refusals.hpp"
#include "run_node.hpp"
#include <inlay/plan/explain.hpp>

namespace inlay {
inline namespace v1 {
std::string refusal_text(const verdict& v, const graph_view& g, const node& n, const provider_handle& h) {
    return explain(v, node_view{g, n},
                   h.kernels ? std::span<const entry>(h.kernels->entries) : std::span<const entry>{})
        .str();
}
void raise_unowned(const graph_view& g, const assignment& a, const std::vector<provider_handle>& handles) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (a.owners[i] != owner::nobody) continue;
        const node& n = g.nodes[i];
        error e;
        e.code = error_code::no_provider;
        e.node = n.name;
        e.op = n.op;
        e.version = n.version;
        e.text = describe_node(n) + ": no provider runs it.";
        for (std::size_t p = 0; p < handles.size(); ++p)
            e.text += " " + std::string(handles[p].name) + ": " +
                      refusal_text(a.verdicts[i * handles.size() + p], g, n, handles[p]) + ";";
        e.text.pop_back();
        raise(std::move(e));
    }
    raise({error_code::invalid_model, "inlay: the graph has a cycle"});
}
}  // namespace v1
}  // namespace inlay
