// Steps with data-dependent shapes: their kernels are chosen at run time, by the same queries as in planning.
#include "runner.hpp"

namespace inlay {
inline namespace v1 {
// Null: the kernel refuses, and is excluded.
std::shared_ptr<bound_state> runner::bind_late_kernel(run_context& c, const step& s, int provider, int kernel,
                                                      const void* params, std::int64_t bytes, constants w) const {
    const node& n = c.plan->graph.view.unit(s.unit);
    const kernel_functions& f = setup_.kernels_at(provider).functions[std::size_t(kernel)];
    const auto make = [&] {
        return bind_kernel(f, params, tensor::uninitialized(element::u8, {bytes}), w, setup_.level,
                           setup_.executor.threads, n.name);
    };
    try {
        return states_.bind(*c.plan, s.unit, provider, f, std::cref(make));
    } catch (const kernel_refusal& r) {
        setup_.failed.barred.add(n, provider, kernel, r.reason);
        setup_.failed.add_note(describe_node(n) + ": " + setup_.handles[std::size_t(provider)].name +
                               " refused it while it ran: " + r.reason);
        return nullptr;
    } catch (error& e) {
        if (e.provider.empty()) e.provider = setup_.handles[std::size_t(provider)].name;
        throw;
    }
}
// Of a node with data-dependent shapes, an output whose shape was known before the run.
static void store_planned(run_context& c, const exec_step& e, const step& s, int k, const any_value& result) {
    const compiled_plan& p = *c.plan;
    const std::size_t argument = e.out + std::size_t(k);
    const tensor* t = result.as_tensor();
    if (!t) return;
    const value& v = p.graph.values[std::size_t(p.plan.arguments[argument])];
    if (t->shape() != v.dims || t->type() != v.type)
        raise_for_node(error_code::shape_mismatch, p.graph.view, p.graph.view.unit(s.unit),
                       "output " + std::to_string(k) + " is " + to_string(t->shape()) + ", not " + to_string(v.dims));
    if (t->bytes() > 0) std::memcpy(const_cast<void*>(c.pointers[argument]), t->data(), std::size_t(t->bytes()));
}
void runner::run_late(run_context& c, const exec_step& e, const context& base) const {
    const compiled_plan& p = *c.plan;
    const step& s = p.plan.steps[std::size_t(e.step)];
    const node& n = p.graph.view.unit(s.unit);
    auto& [inputs, outputs, pointers, layouts] = c.late;
    inputs.clear();
    pointers.clear();
    outputs.assign(std::size_t(s.outputs.count), any_value());
    layouts.assign(std::size_t(s.inputs.count + s.outputs.count), layout::plain);
    for (int k = 0; k < s.inputs.count; ++k) {
        inputs.push_back(c.value_at(e.in + std::size_t(k)));
        if (const int id = p.plan.arguments[e.in + std::size_t(k)]; id >= 0)
            layouts[std::size_t(k)] = c.layouts[std::size_t(p.source(id))];
    }
    for (int k = 0; k < s.inputs.count; ++k)
        pointers.push_back(p.plan.arguments[e.in + std::size_t(k)] < 0 ? nullptr : &inputs[std::size_t(k)]);
    const auto ids = p.plan.list(s.outputs);
    const auto layout_of = [&](std::size_t k) -> layout& { return layouts[std::size_t(s.inputs.count) + k]; };
    for (std::size_t k = 0; k < ids.size(); ++k)
        if (ids[k] >= 0 && p.places[e.out + k].what == place::kind::own) {
            c.forget(ids[k]);  // the result of the previous run
            if (p.roaming[std::size_t(ids[k])]) layout_of(k) = layout::any;
        }
    int ran = -1;
    const auto bind = [&](int provider, int kernel, const void* params, std::int64_t bytes, constants w) {
        ran = provider;
        return bind_late_kernel(c, s, provider, kernel, params, bytes, w);
    };
    const auto barred = [&](int provider, int kernel) { return setup_.failed.barred.ask(n, provider, kernel); };
    node_environment environment{setup_.level, base, c.bytes_left, &c.bytes_left, std::cref(bind)};
    environment.barred = std::cref(barred);
    environment.memory = &c.memory;
    environment.layouts = layouts;
    run_node(std::span(p.candidates).subspan(std::size_t(e.candidates.first), std::size_t(e.candidates.count)), *c.live,
             n, pointers, outputs, std::move(environment));
    ++c.executed[std::size_t(ran)];
    inputs.clear();  // so that their memory may be written to again
    for (std::size_t k = 0; k < ids.size(); ++k)
        if (ids[k] >= 0 && p.places[e.out + k].what == place::kind::own) {
            c.values[std::size_t(ids[k])] = std::move(outputs[k]);
            c.layouts[std::size_t(ids[k])] = layout_of(k);
        } else if (ids[k] >= 0)
            store_planned(c, e, s, int(k), outputs[k]);
    outputs.clear();
}
void store_outputs(run_context& c, const exec_step& e, std::span<any_value> outputs) {
    const compiled_plan& p = *c.plan;
    const step& s = p.plan.steps[std::size_t(e.step)];
    for (int k = 0; k < s.outputs.count; ++k) {
        const int id = p.plan.arguments[e.out + std::size_t(k)];
        if (id < 0) continue;
        any_value& result = outputs[std::size_t(k)];
        if (const element type = p.record(id).type; type != element::object && type != element::undefined)
            if (const tensor* t = result.as_tensor(); !t || t->type() != type)
                raise_for_node(error_code::invalid_value, p.graph.view, p.graph.view.unit(s.unit),
                               "its output " + std::to_string(k) + " is no tensor of " + std::string(name_of(type)));
        if (p.places[e.out + std::size_t(k)].what != place::kind::own) {
            store_planned(c, e, s, k, result);
            continue;
        }
        const tensor* t = result.as_tensor();
        if (t) c.live->values[std::size_t(id)].dims = t->shape();
        const bool passed_on = t && !t->sole_owner();  // a loop may pass its input on
        c.values[std::size_t(id)] = passed_on ? any_value(t->clone()) : std::move(result);
    }
}
}  // namespace v1
}  // namespace inlay
