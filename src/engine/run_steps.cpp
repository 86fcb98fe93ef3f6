// The steps of a run.
#include "core.hpp"
#include "watch.hpp"
#include <inlay/impl/denormals.hpp>
#include <inlay/twin.hpp>

namespace inlay {
inline namespace v1 {
any_value session_core::value_at(const run_context& c, std::size_t argument) const {
    const compiled_plan& p = *c.plan;
    if (p.plan.arguments[argument] < 0) return {};
    const int id = p.source(p.plan.arguments[argument]);
    const value& v = p.graph.values[std::size_t(id)];
    if (p.places[argument].what == place::kind::own &&
        (v.type == element::object || !v.dims.known() || v.type == element::string))
        return c.values[std::size_t(id)];
    return tensor::borrow(v.type, v.dims, c.pointers[argument]);
}

// A value that no later step reads: its memory is free for those that come.
void session_core::forget(run_context& c, int id) const {
    any_value& v = c.values[std::size_t(id)];
    if (const tensor* t = v.as_tensor(); t && *t && !c.memory.owns(*t)) c.bytes_left += t->bytes();
    v = any_value();
}
void session_core::begin_late(run_context& c) const {
    c.bytes_left = c.most_bytes - c.plan->run_bytes;
    c.executed = c.plan->executed;
    for (int id : c.plan->late_values) c.values[std::size_t(id)] = any_value();  // outputs of the run before
    c.memory.begin_run();
    if (c.memory.bytes() > c.bytes_left) c.memory.drop_free();
    c.bytes_left -= c.memory.bytes();
}
// Null: the kernel refuses, and is barred.
std::shared_ptr<bound_state> session_core::bind_late_kernel(run_context& c, const step& s, int provider, int kernel,
                                                            const void* params, std::int64_t bytes, constants w) {
    const node& n = c.plan->graph.view.unit(s.unit);
    const kernel_functions& f = kernels_at(provider).functions[std::size_t(kernel)];
    const auto make = [&] {
        return bind_kernel(f, params, tensor::uninitialized(element::u8, {bytes}), w, level, executor_.threads, n.name);
    };
    try {
        return bind_shared(*c.plan, s.unit, provider, n, f, std::cref(make));
    } catch (const kernel_refusal& r) {
        failed_->barred.add(n, provider, kernel, r.why);
        const std::string note =
            describe_node(n) + ": " + handles[std::size_t(provider)].name + " refused it while it ran: " + r.why;
        {
            const std::lock_guard lock(failed_->lock);
            failed_->notes.push_back(note);
        }
        note_log(severity::warning, note);
        return nullptr;
    } catch (error& e) {
        if (e.provider.empty()) e.provider = handles[std::size_t(provider)].name;
        throw;
    }
}
void session_core::run_late(run_context& c, const exec_step& e, const context& base) {
    const compiled_plan& p = *c.plan;
    const step& s = p.plan.steps[std::size_t(e.step)];
    const node& n = p.graph.view.unit(s.unit);
    auto& [inputs, outputs, pointers, layouts] = c.late;
    inputs.clear();
    pointers.clear();
    outputs.assign(std::size_t(s.outputs.count), any_value());
    layouts.assign(std::size_t(s.inputs.count + s.outputs.count), layout::plain);
    for (int k = 0; k < s.inputs.count; ++k) {
        inputs.push_back(value_at(c, e.in + std::size_t(k)));
        if (const int id = p.plan.arguments[e.in + std::size_t(k)]; id >= 0)
            layouts[std::size_t(k)] = c.layouts[std::size_t(p.source(id))];
    }
    for (int k = 0; k < s.inputs.count; ++k)
        pointers.push_back(p.plan.arguments[e.in + std::size_t(k)] < 0 ? nullptr : &inputs[std::size_t(k)]);
    const auto ids = p.plan.list(s.outputs);
    const auto layout_of = [&](std::size_t k) -> layout& { return layouts[std::size_t(s.inputs.count) + k]; };
    for (std::size_t k = 0; k < ids.size(); ++k)
        if (ids[k] >= 0 && p.places[e.out + k].what == place::kind::own) {
            forget(c, ids[k]);  // the result of the run before
            if (p.roaming[std::size_t(ids[k])]) layout_of(k) = layout::any;
        }
    int ran = -1;
    const auto bind = [&](int provider, int kernel, const void* params, std::int64_t bytes, constants w) {
        ran = provider;
        return bind_late_kernel(c, s, provider, kernel, params, bytes, w);
    };
    const auto barred = [&](int provider, int kernel) { return failed_->barred.ask(n, provider, kernel); };
    node_environment environment{level, base, c.bytes_left, &c.bytes_left, std::cref(bind)};
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
// Of a node whose shapes were not told before the run, an output whose shape was.
void session_core::store_planned(run_context& c, const exec_step& e, const step& s, int k, const any_value& result) {
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
void session_core::store_outputs(run_context& c, const exec_step& e, const step& s, std::span<any_value> outputs) {
    const compiled_plan& p = *c.plan;
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
        const bool passed_on = t && !t->sole_owner();  // a loop may pass on what it was given
        c.values[std::size_t(id)] = passed_on ? any_value(t->clone()) : std::move(result);
    }
}

// A kernel whose outputs are as large as it tells, in its provider's memory. They go to the host before anyone reads
// them.
status session_core::run_telling(run_context& c, const exec_step& e, context& x) const {
    struct owner {
        const session_core& core;
        run_context& c;
        const exec_step& e;
    } own{*this, c, e};
    x.owner = &own;
    x.grow = [](void* o, int k, const shape& dims) noexcept -> void* {
        auto& [core, c, e] = *static_cast<owner*>(o);
        const compiled_plan& p = *c.plan;
        const int id = p.plan.arguments[e.out + std::size_t(k)];
        if (id < 0 || !dims.known()) return nullptr;
        try {
            tensor& block = c.device_values[id];
            block = tensor();  // before there is the next
            core.take_bytes(c, bytes_of(p.record(id).type, dims.elements()));
            return (block = tensor(p.record(id).type, dims, *p.spaces[std::size_t(e.space)])).data();
        } catch (const std::exception&) {
            return nullptr;
        }
    };
    const status s =
        e.run(e.params, e.state, {c.pointers.data() + e.in, const_cast<void* const*>(c.pointers.data() + e.out)}, x);
    x.owner = nullptr;
    x.grow = nullptr;
    return s;
}
status session_core::transfer_value(run_context& c, const exec_step& e, context& x) const {
    const compiled_plan& p = *c.plan;
    const copied_value& copy = p.copy(p.plan.arguments[e.out]);
    const int source = p.source(copy.source), from_space = p.plan.value_spaces[std::size_t(copy.source)];
    const void* from = c.pointers[e.in];
    void* to = const_cast<void*>(c.pointers[e.out]);
    tensor result;
    if (p.places[e.in].what == place::kind::own) {
        result = c.device_values[source];
        if (!result) return x.fail("its kernel told no shape", status::failed);
        take_bytes(c, result.bytes());
        tensor here = tensor::uninitialized(result.type(), result.shape());
        from = result.data();
        to = here.data();
        c.values[std::size_t(source)] = std::move(here);
    }
    if (from == to) return status::ok;  // a binding's memory: it is where it is wanted
    const value& v = p.graph.values[std::size_t(source)];
    const auto bytes = std::size_t(result ? result.bytes() : bytes_of(v.type, v.dims.elements()));
    const space& there = *p.spaces[std::size_t(copy.space ? copy.space : from_space)];
    bool good = false;
    const auto queued = copy.space == 0   ? there.to_host_queued
                        : from_space == 0 ? there.from_host_queued
                                          : there.from_peer_queued;
    if (queued && e.queue >= 0)
        good = queued(to, from, bytes, x.stream);
    else
        good = copy.space ? there.from_host(to, from, bytes) : there.to_host(to, from, bytes);
    return good ? status::ok : status::failed;
}
static status run_region(run_context& c, const exec_step& e, context& x) {
    const auto buffers_of = [&](range arguments) {
        for (std::size_t k = 0; k < std::size_t(arguments.count); ++k) {
            const std::size_t at = std::size_t(arguments.first) + k;
            buffer& b = c.buffers[at];
            b.data = b.allocation = const_cast<void*>(c.pointers[at]);
            b.offset = 0;
            if (const place& where = c.plan->places[at]; where.what == place::kind::arena) {
                const tensor& arena = c.arenas[std::size_t(where.index)];
                auto* const first = static_cast<std::byte*>(const_cast<void*>(arena.data()));
                if (b.data == first + where.offset) {  // else it is the caller's memory
                    b.allocation = first;
                    b.offset = where.offset;
                }
            }
        }
        return std::span<const buffer>(c.buffers).subspan(std::size_t(arguments.first), std::size_t(arguments.count));
    };
    const step& s = c.plan->plan.steps[std::size_t(e.step)];
    const auto inputs = buffers_of(s.inputs);
    return c.executables[std::size_t(e.region)]->run(inputs, buffers_of(s.outputs), x);
}
status session_core::do_step(run_context& c, const exec_step& e, context& x, const run_options& o) {
    const arguments a{c.pointers.data() + e.in, const_cast<void* const*>(c.pointers.data() + e.out)};
    switch (e.what) {
        case exec_step::kind::kernel: return e.run(e.params, e.state, a, x);
        case exec_step::kind::region: return run_region(c, e, x);
        case exec_step::kind::telling: return run_telling(c, e, x);
        case exec_step::kind::transfer: return transfer_value(c, e, x);
        case exec_step::kind::late:
            c.failed_step = e.step;
            run_late(c, e, x);
            c.failed_step = -1;
            break;
        case exec_step::kind::control_flow: run_control_flow(c, e, o); break;
    }
    return status::ok;
}
// The step's work goes to its device's queue.
static void give_to_queue(run_context& c, const exec_step& e, context& x, queues_entered& devices) {
    devices.select(e.queue);
    x.stream = c.queues[std::size_t(e.queue)]->stream();
    x.faults = c.queues[std::size_t(e.queue)]->faults();
    if (const tensor& arena = c.arenas[std::size_t(e.space)]; e.space > 0 && arena)
        x.scratch =
            static_cast<std::byte*>(const_cast<void*>(arena.data())) + c.plan->plan.scratch_at[std::size_t(e.space)];
    devices.given_work();
}
// mark() before and after each step: nothing, or a look at the clock, for which devices finish each step.
template <bool Timed, class Mark> status session_core::run_steps(run_context& c, const run_options& o, Mark mark) {
    const denormals_flushed guard(flush_denormals_);
    const compiled_plan& p = *c.plan;
    context x = make_base(o);
    begin_late(c);
    x.bytes_left = &c.bytes_left;
    std::byte* const scratch = static_cast<std::byte*>(c.scratch.data());
    queues_entered devices(c.queues);
    const auto fail = [&](status s, int step, std::string_view why) {
        c.failed_step = step;
        c.why = why;
        return s == status::stopped ? x.end_of_run() : s;
    };
    c.failed_queue = -1;
    if (devices.entered() != status::ok) return fail(devices.entered(), -1, devices.why());
    int last = -1;  // whose step was the last
    for (std::size_t t = 0; t < p.steps.size(); ++t) {
        const exec_step& e = p.steps[t];
        if (x.stoppable() && x.stopped()) return x.end_of_run();
        x.scratch = scratch;
        if (e.queue < 0) {  // no step of the host sees a device's handles
            x.stream = nullptr;
            x.faults = nullptr;
        } else
            give_to_queue(c, e, x, devices);
        if (e.queue != last) [[unlikely]] {
            last = e.queue;
            if (const status s = e.queue < 0 ? devices.settle() : devices.follow(); s != status::ok) {
                c.failed_queue = devices.failed();
                return fail(s, -1, devices.why());
            }
        }
        mark();
        status done = status::ok;
        if (!Timed && e.together > 1) {
            done = run_together(c, t, x, o);
            if (done != status::ok) return fail(done, c.failed_step, x.detail);
            t += std::size_t(e.together) - 1;
        } else
            done = do_step(c, e, x, o);
        if (Timed && done == status::ok)
            if (done = devices.settle(); done != status::ok) x.detail = devices.why();
        mark();
        if (done != status::ok) [[unlikely]]
            return fail(done, e.step, x.detail);
        if (e.last_reads.count) [[unlikely]]
            for (int id :
                 std::span(p.last_reads).subspan(std::size_t(e.last_reads.first), std::size_t(e.last_reads.count)))
                forget(c, id);
    }
    if (const status s = devices.settle(); s != status::ok) {
        c.failed_queue = devices.failed();
        return fail(s, -1, devices.why());
    }
    c.memory.end_run();
    return status::ok;
}
status session_core::execute_beside(run_context& c, const run_options& o) {
    const std::unique_ptr<step_watcher> watcher = twin_->watcher(*this, c);
    watcher->begin(watched_steps(*this, c));
    std::size_t calls = 0;
    return run_steps<true>(c, o, [&] {
        const watched_step s(*this, c, c.plan->steps[calls / 2]);
        if (calls++ % 2)
            watcher->after(s);
        else
            watcher->before(s);
    });
}
status session_core::execute(run_context& c, const run_options& o) {
    c.timed.clear();
    if (twin_) [[unlikely]]
        return execute_beside(c, o);
    return run_steps<false>(c, o, [] {});
}
status session_core::execute_timed(run_context& c, const run_options& o, moment* marks) {
    return run_steps<true>(c, o, [&] { *marks++ = std::chrono::steady_clock::now(); });
}
void session_core::watch(std::span<const any_value* const> inputs, const run_options& o, const step_marks& marks) {
    struct ended {};  // thrown by the watcher's wish; what it goes through is given back on the way
    std::vector<shape> shapes;
    for (const any_value* v : inputs) shapes.push_back(v->as_tensor() ? v->as_tensor()->shape() : shape::unknown());
    const std::unique_ptr<run_context> c = context_for(shapes, 0, run_bytes);  // not kept: a run may end amid its steps
    c->most_bytes = run_bytes;
    c->failed_step = -1;
    c->why = "";
    c->timed.clear();
    for (std::size_t k = 0; k < inputs.size(); ++k) set_input(*c, int(k), *inputs[k]);
    if (marks.begin) marks.begin(*c);
    std::size_t calls = 0;
    try {
        const status s = run_steps<true>(*c, o, [&] {
            const exec_step& e = c->plan->steps[calls / 2];
            if (!marks.mark(*c, e, calls++ % 2)) throw ended{};
        });
        if (s != status::ok) raise_status(*c, s);
    } catch (const ended&) {
    }
}
}  // namespace v1
}  // namespace inlay
