#include "region_compiler.hpp"

namespace inlay {
inline namespace v1 {
namespace {
// Whether what the nodes read is constant, independent of the input shapes.
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

// The model's own constants, which need no plan; those created for them, or copied to an aligned address, live as long.
std::shared_ptr<const constant_source> region_compiler::own_constants() const {
    auto elements = [this, tensors = std::vector<tensor>()](int k) mutable -> const void* {
        return tensors.emplace_back(graph_.states->aligned_constant(graph_.data.constants[std::size_t(k)].get()))
            .data();
    };
    return std::make_shared<constants_of<decltype(elements)>>(graph_.view, std::move(elements));
}
std::shared_ptr<const compiled_region> region_compiler::for_any_shapes(const region& r, int provider) {
    std::promise<std::shared_ptr<const compiled_region>> promise;
    std::shared_future<std::shared_ptr<const compiled_region>> theirs;
    ranged* entry = nullptr;
    {
        const std::lock_guard lock(lock_);
        entry = &ranged_[{provider, {r.nodes.begin(), r.nodes.end()}}];
        if (!std::exchange(entry->in_use, true)) return nullptr;
        theirs = entry->compiled;
        if (!theirs.valid()) entry->compiled = promise.get_future().share();
    }
    if (theirs.valid()) return theirs.get();  // threads that plan for other shapes wait for the one that compiles
    try {
        auto compiled = compile_ranged(r, provider, *entry);
        promise.set_value(compiled);
        return compiled;
    } catch (...) {
        promise.set_value(nullptr);
        throw;
    }
}
// Null: the engine cannot. No lock is held.
std::shared_ptr<const compiled_region> region_compiler::compile_ranged(const region& r, int provider, ranged& entry) {
    if (!same_for_all_shapes(graph_.view, r)) return nullptr;
    entry.lent = own_constants();
    const auto compiled = setup_.backends.engines[std::size_t(provider)].engine->compile_for_any_shapes(
        {graph_.view, r.nodes, r.inputs, r.outputs, entry.lent.get()});
    return compiled ? *compiled : nullptr;
}
std::shared_ptr<const compiled_region> region_compiler::restore(const region& r, int saved, int provider) const {
    const saved_region& from = graph_.restored->region(saved);
    const auto refuse = [&](const std::string& reason) {
        error e(error_code::unsupported_model, "`" + from.name + "`: " + reason);
        e.provider = setup_.handles[std::size_t(provider)].name;
        throw restore_failure(std::move(e));
    };
    if (const std::string mismatch = from.difference_of_ports(r.graph, r.inputs, r.outputs); !mismatch.empty())
        refuse(mismatch);
    auto outcome = restored_by(*setup_.backends.engines[std::size_t(provider)].engine,
                               setup_.handles[std::size_t(provider)].name, r, from.bytes);
    if (!outcome) refuse(outcome.why().text);
    return std::move(*outcome);
}

std::shared_ptr<const compiled_region> region_compiler::compile(compiled_plan& p, const step& s) {
    const assigned_region& r = p.plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())];
    const provider_handle& h = setup_.handles[std::size_t(s.provider)];
    // Constants that an engine requests are kept by the plan.
    const constants_of constants(p.graph.view, [&](int k) { return p.readable(k, *graph_.states); });
    const region whole{p.graph.view, p.plan.assigned.list(r.nodes), p.plan.assigned.list(r.inputs),
                       p.plan.assigned.list(r.outputs), &constants};
    const int saved = graph_.restored
                          ? graph_.restored->find({p.graph.view, p.graph.view.nodes[std::size_t(whole.nodes.front())]})
                          : -1;
    if (saved >= 0) return restore(whole, saved, s.provider);
    if (auto ranged = for_any_shapes(whole, s.provider)) return ranged;
    auto compiled = setup_.backends.engines[std::size_t(s.provider)].engine->compile(whole);
    if (compiled && *compiled) return std::move(*compiled);
    error failure = compiled ? error(error_code::provider_failed, "it gave no reason") : compiled.why();
    const bool is_refusal = failure.code == error_code::unsupported_model;
    failure.text = (is_refusal ? "" : h.name + ": ") + "it could not compile a region of " +
                   std::to_string(r.nodes.count) + " nodes that it had proposed: " + failure.text;
    if (is_refusal) {
        for (int i : whole.nodes)
            setup_.failed.barred.add(p.graph.view.nodes[std::size_t(i)], s.provider, barred_kernels::of_engine,
                                     failure.text);
        throw kernel_refusal{failure.text};
    }
    setup_.failed.raise(s.provider, std::move(failure));
}

std::vector<region_to_save> save_regions(const session_setup& setup, const compiled_plan& p,
                                         std::vector<std::string>& left_out) {
    std::vector<region_to_save> regions;
    for (const exec_step& e : p.steps) {
        if (e.what != exec_step::kind::region) continue;
        const step& s = p.plan.steps[std::size_t(e.step)];
        const assigned_region& r = p.plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())];
        const provider_handle& h = setup.handles[std::size_t(s.provider)];
        auto bytes = p.regions[std::size_t(e.region)]->save();
        if (!bytes) {
            left_out.push_back("a region of " + std::to_string(r.nodes.count) + " nodes of " + h.name + ": " +
                               bytes.why().text);
            continue;
        }
        const auto copied = [&](range of) {
            const auto list = p.plan.assigned.list(of);
            return std::vector<int>(list.begin(), list.end());
        };
        regions.push_back({h.name.substr(0, h.name.find(':')), copied(r.nodes), copied(r.inputs), copied(r.outputs),
                           std::move(*bytes),
                           key_of(*setup.backends.engines[std::size_t(s.provider)].engine, h.options(h.object.get()))});
    }
    return regions;
}
}  // namespace v1
}  // namespace inlay
