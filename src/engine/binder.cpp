#include "binder.hpp"
#include <inlay/plan/conversion.hpp>

namespace inlay {
inline namespace v1 {
static void make_conversion(compiled_plan& p, exec_step& e, const shape& dims, layout to,
                            const conversion_functions& by) {
    auto& params = p.params.emplace_back(by.f.params_bytes / sizeof(std::max_align_t) + 1);
    by.prepare(dims, to, params.data());
    try {
        p.states.push_back(bind_kernel(by.f, params.data(), {}, {nullptr}, isa::baseline, 1, "layout conversion"));
    } catch (const kernel_refusal& r) {  // there is no other one
        raise({error_code::provider_failed, "inlay: a layout conversion could not be bound: " + r.reason});
    }
    e.run = by.f.run;
    e.params = params.data();
    e.state = p.states.back()->state;
}

// The last step to read each value that runs allocate separately, and which of these values only steps with
// data-dependent shapes read.
static void find_last_reads(compiled_plan& p) {
    const graph_view& g = p.graph.view;
    constexpr int whole_run = -2;
    std::vector<int> last_steps(g.values.size(), -1);
    p.roaming.assign(g.values.size(), 1);
    const auto keep = [&](int id) {
        if (id < 0) return;
        last_steps[std::size_t(p.source(id))] = whole_run;
        p.roaming[std::size_t(p.source(id))] = 0;
    };
    for (std::size_t t = 0; t < p.steps.size(); ++t) {
        const step& s = p.plan.steps[t];
        for (range r : {s.inputs, s.outputs})
            for (int id : p.plan.list(r))
                if (id >= 0) {
                    last_steps[std::size_t(p.source(id))] = int(t);
                    if (p.steps[t].what != exec_step::kind::late) p.roaming[std::size_t(p.source(id))] = 0;
                }
    }
    for (int id : p.plan.outputs) keep(id);
    for (int id : g.inputs) keep(id);
    std::vector<char> is_input(g.values.size(), 0);
    for (int id : g.inputs) is_input[std::size_t(id)] = 1;
    std::vector<std::pair<int, int>> ends;  // step, value
    for (int id : p.own_values) {
        if (g.values[std::size_t(id)].dims.known() || is_input[std::size_t(id)]) continue;
        p.late_values.push_back(id);
        if (last_steps[std::size_t(id)] >= 0) ends.emplace_back(last_steps[std::size_t(id)], id);
    }
    std::ranges::sort(ends);
    for (auto [t, id] : ends) {
        range& of_step = p.steps[std::size_t(t)].last_reads;
        if (!of_step.count++) of_step.first = int(p.last_reads.size());
        p.last_reads.push_back(id);
    }
}

void binder::find(compiled_plan& p, place& at) const {
    if (at.on_host()) at.pointer = p.readable(at.index, *graph_.states);
}
// Constants that a provider needs in its own memory are copied there, once.
void binder::upload_constants(compiled_plan& p) const {
    std::map<std::pair<int, int>, const void*> uploads;  // by constant and space
    for (const step& s : p.plan.steps)
        for (range r : {s.inputs, s.outputs})
            for (int k = r.first; k < r.first + r.count; ++k) {
                place& at = p.places[std::size_t(k)];
                if (at.what != place::kind::constant || at.space == 0) continue;
                const void*& pointer = uploads[{at.index, at.space}];
                if (!pointer) try {
                        const space& target = *p.spaces[std::size_t(at.space)];
                        pointer = p.uploaded.emplace_back(p.constant(at.index).get().copied_to(target)).data();
                    } catch (const error& e) {  // its memory had no space for a constant
                        setup_.failed.raise(s.provider, e);
                    }
                at.pointer = pointer;
            }
}
// The provider whose queue a step goes to; of a transfer, that of the memory which is not the host's.
int binder::device_of_step(const plan& plan, const step& s, const erased_providers& list) const {
    const auto& devices = setup_.backends.devices;
    if (s.unit != step_kind::transfer) return s.provider >= 0 && devices[std::size_t(s.provider)] ? s.provider : -1;
    const int from = plan.value_spaces[std::size_t(plan.arguments[std::size_t(s.inputs.first)])],
              to = plan.value_spaces[std::size_t(plan.arguments[std::size_t(s.outputs.first)])];
    for (int i = 0; i < list.size(); ++i)
        if (devices[std::size_t(i)] && list.view(i).space == (to ? to : from)) return i;
    return -1;
}
// A kernel may still refuse the shapes: then the next candidate is tried.
void binder::bind_late(compiled_plan& p, exec_step& e, const step& s, const erased_providers& list) const {
    e.what = exec_step::kind::late;
    p.late = true;
    const int first = int(p.candidates.size());
    for (int q = s.provider; q < list.size(); ++q)
        if (setup_.handles[std::size_t(q)].kernels && list.view(q).space == 0 &&
            list.accepts(q, node_view{p.graph.view, p.graph.view.unit(s.unit)}))
            p.candidates.push_back({setup_.handles[std::size_t(q)].kernels, q, setup_.handles[std::size_t(q)].name});
    e.candidates = {first, int(p.candidates.size()) - first};
}
void binder::bind_step(compiled_plan& p, exec_step& e, const step& s, const erased_providers& list, packing& kernels) {
    const plan& plan = p.plan;
    if (s.unit == step_kind::transfer)
        e.what = exec_step::kind::transfer;
    else if (s.unit == step_kind::conversion) {
        find(p, p.places[e.in]);
        const value& v = p.record(plan.arguments[e.in]);
        const int bits = bits_of(v.type);
        make_conversion(p, e, v.dims, plan.layouts[e.out],
                        s.provider < 0 ? conversion_of<device::cpu>(bits)
                                       : setup_.handles[std::size_t(s.provider)].conversion(bits));
    } else if (s.unit >= p.graph.view.units()) {
        e.what = exec_step::kind::region;
        e.region = int(p.regions.size());
        p.regions.push_back(regions_.compile(p, s));
    } else if (s.provider < 0) {
        e.what = exec_step::kind::control_flow;
        p.late = true;
    } else if (s.kernel == chosen_at_run)
        bind_late(p, e, s, list);
    else {
        kernels.add(e, s);
        const auto outputs = plan.list(s.outputs);
        if (std::ranges::any_of(outputs, [&](int id) { return id >= 0 && !p.record(id).dims.known(); }))
            e.what = exec_step::kind::telling;
    }
}
static void count_nodes(compiled_plan& p, std::size_t providers) {  // that steps with a known provider represent
    p.executed.assign(providers, 0);
    for (const step& s : p.plan.steps) {
        if (s.unit < 0 || s.provider < 0 || s.kernel == chosen_at_run) continue;
        const bool is_region = s.unit >= p.graph.view.units();
        const int nodes = is_region ? p.plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())].nodes.count
                                    : std::max(1, p.graph.view.unit(s.unit).sources.count);
        p.executed[std::size_t(s.provider)] += nodes;
    }
}
// Runs of steps that one device can record.
static void find_recordable(compiled_plan& p, const opened_providers& backends) {
    for (std::size_t t = p.steps.size(), count = 0; t-- > 0;) {
        const exec_step& e = p.steps[t];
        const bool records =
            e.queue >= 0 && e.what == exec_step::kind::kernel && backends.devices[std::size_t(e.queue)]->records();
        count = records ? (count && p.steps[t + 1].queue == e.queue ? count + 1 : 1) : 0;
        p.steps[t].together = int(count);
    }
}
void binder::bind_steps(compiled_plan& p, queues_entered& devices, stage_progress& progress) {
    const plan& plan = p.plan;
    erased_providers list = setup_.list(nullptr, graph_.restored.get());
    list.place(p.placed.get());
    for (place& at : p.output_places) find(p, at);
    p.queued.assign(setup_.handles.size(), 0);
    p.steps.resize(plan.steps.size());
    packing kernels(setup_, graph_, states_, p);
    for (std::size_t t = 0; t < plan.steps.size(); ++t) {
        const step& s = plan.steps[t];
        exec_step& e = p.steps[t];
        e.step = int(t);
        e.in = std::size_t(s.inputs.first);
        e.out = std::size_t(s.outputs.first);
        e.queue = device_of_step(plan, s, list);
        e.space = s.provider >= 0 ? list.view(s.provider).space : 0;
        if (e.queue >= 0) {
            p.queued[std::size_t(e.queue)] = 1;
            devices.select(e.queue);
        }
        try {
            bind_step(p, e, s, list, kernels);
        } catch (const restore_failure&) {
            throw;
        } catch (const error& cause) {
            setup_.failed.raise(s.provider, cause);
        }
        if (e.what != exec_step::kind::kernel)
            for (int k = 0; k < s.inputs.count; ++k) find(p, p.places[e.in + std::size_t(k)]);
        progress(std::int64_t(t) + 1 - kernels.waiting());
    }
    kernels.run(progress);
    count_nodes(p, setup_.handles.size());
    find_last_reads(p);
    find_recordable(p, setup_.backends);
}
void binder::bind(compiled_plan& p, const progress_function& progress) {
    stage_progress bound(progress, stage::pack, std::int64_t(p.plan.steps.size()));
    device_queues queues = setup_.backends.all_queues();
    queues_entered devices(queues);
    status outcome = devices.entered();
    if (outcome == status::ok) {
        upload_constants(p);
        bind_steps(p, devices, bound);
        outcome = devices.settle_all();
    }
    if (outcome != status::ok)
        setup_.failed.raise(devices.failed(), {code_of(outcome), "inlay: " + std::string(devices.why())});
}
}  // namespace v1
}  // namespace inlay
