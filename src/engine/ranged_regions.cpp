// Regions that are compiled once for any input shapes: asked for when a second set of shapes wants one.
#include "core.hpp"

namespace inlay {
inline namespace v1 {
namespace {
// What the nodes read is constant, or not, whatever the input shapes.
bool same_for_all_shapes(const graph_view& declared, const region& r) {
    for (int i : r.nodes) {
        bool same = true;
        for_each_read(r.graph, r.graph.nodes[std::size_t(i)], [&](int v) {
            same &= r.graph.values[std::size_t(v)].is_constant() == declared.values[std::size_t(v)].is_constant();
        });
        if (!same) return false;
    }
    return std::ranges::all_of(r.inputs, [&](int v) { return declared.values[std::size_t(v)].dims.rank >= 0; });
}
}  // namespace

// The model's own constants, which need no plan; what is made for them, or copied to an aligned address, lives as long.
std::shared_ptr<const constant_source> session_core::own_constants() const {
    auto elements = [this, held = std::vector<tensor>()](int k) mutable -> const void* {
        return held.emplace_back(states_->aligned_constant(graph.constants[std::size_t(k)].get())).data();
    };
    return std::make_shared<constants_of<decltype(elements)>>(view_, std::move(elements));
}
std::shared_ptr<const compiled_region> session_core::region_for_any_shapes(const region& r, int provider) {
    const std::lock_guard lock(ranged_lock_);  // threads that plan for other shapes wait for the one that compiles
    ranged_region& known = ranged_[{provider, {r.nodes.begin(), r.nodes.end()}}];
    if (known.compiled) return known.compiled;
    if (!std::exchange(known.asked, true) || known.refused) return nullptr;
    known.refused = true;
    if (!same_for_all_shapes(view_, r)) return nullptr;
    known.constants = own_constants();
    const auto compiled = engines_[std::size_t(provider)].engine->compile_for_any_shapes(
        {view_, r.nodes, r.inputs, r.outputs, known.constants.get()});
    if (compiled && *compiled) known.compiled = *compiled;
    return known.compiled;
}
}  // namespace v1
}  // namespace inlay
