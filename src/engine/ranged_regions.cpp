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
    std::promise<std::shared_ptr<const compiled_region>> promise;
    std::shared_future<std::shared_ptr<const compiled_region>> theirs;
    ranged_region* known = nullptr;
    {
        const std::lock_guard lock(ranged_lock_);
        known = &ranged_[{provider, {r.nodes.begin(), r.nodes.end()}}];
        if (!std::exchange(known->asked, true)) return nullptr;
        theirs = known->compiled;
        if (!theirs.valid()) known->compiled = promise.get_future().share();
    }
    if (theirs.valid()) return theirs.get();  // threads that plan for other shapes wait for the one that compiles
    try {
        auto compiled = compile_ranged(r, provider, *known);
        promise.set_value(compiled);
        return compiled;
    } catch (...) {
        promise.set_value(nullptr);
        throw;
    }
}
// Null: the engine cannot. No lock is held.
std::shared_ptr<const compiled_region> session_core::compile_ranged(const region& r, int provider,
                                                                    ranged_region& known) {
    if (!same_for_all_shapes(view_, r)) return nullptr;
    known.lent = own_constants();
    const auto compiled = engines_[std::size_t(provider)].engine->compile_for_any_shapes(
        {view_, r.nodes, r.inputs, r.outputs, known.lent.get()});
    return compiled ? *compiled : nullptr;
}
}  // namespace v1
}  // namespace inlay
