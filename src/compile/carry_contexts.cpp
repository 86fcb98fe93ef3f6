#include "carry_contexts.hpp"
#include "engine/saved_regions.hpp"
#include "support/content_hash.hpp"

namespace inlay {
inline namespace v1 {
namespace {
const saved_region& region_of(const graph_view& g, const node& n, const model& source) {
    const auto refuse = [&](const std::string& reason) {
        error e(error_code::unsupported_model, "inlay: `" + std::string(n.name) + "` (EPContext): " + reason);
        e.node = n.name;
        e.op = n.op;
        e.hint = "compile the model that it was made from again";
        raise(std::move(e));
    };
    const auto& saved = saved_regions::of(source);
    const saved_target* shown = saved && saved->shown >= 0 ? &saved->targets[std::size_t(saved->shown)] : nullptr;
    const int at = shown ? shown->find({g, n}) : -1;
    if (at < 0) refuse("the model's file has nothing that it stands for");
    const saved_region& r = shown->regions[std::size_t(at)];
    if (const std::string damage = r.damage(content_hash::hex(content_hash::of(r.bytes))); !damage.empty())
        refuse(damage);
    if (const std::string difference = r.difference_of_ports(g, g.list(n.inputs), g.list(n.outputs));
        !difference.empty())
        refuse(difference);
    return r;
}
}  // namespace

void carry_contexts(graph_data& g, const model& source) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!stands_for_saved_region(g.nodes[i])) continue;
        const graph_view view = g.view();
        const saved_region& r = region_of(view, g.nodes[i], source);
        std::vector<std::string_view> key;
        for (const auto& [name, value] : r.key) key.insert(key.end(), {name, value});
        std::vector<int> inputs{
            g.add_constant(r.name, tensor::borrow(element::u8, {std::int64_t(r.bytes.size())}, r.bytes.data(),
                                                  space_of<memory::host>, std::const_pointer_cast<void>(r.keep)))};
        const auto of_region =
            std::span(g.edges).subspan(std::size_t(g.nodes[i].inputs.first), std::size_t(g.nodes[i].inputs.count));
        inputs.insert(inputs.end(), of_region.begin(), of_region.end());
        g.nodes[i].inputs = g.add_edges(inputs);
        const attribute attributes[] = {g.make("source", r.source), g.make("partition_name", r.name),
                                        g.make("key", std::span<const std::string_view>(key))};
        g.nodes[i].attributes = {int(g.attributes.size()), int(std::size(attributes))};
        g.attributes.insert(g.attributes.end(), std::begin(attributes), std::end(attributes));
    }
}
}  // namespace v1
}  // namespace inlay
