// From a plan to steps that can run: kernels as functions, with packed constants.
#include "core.hpp"
#include "pages.hpp"
#include <inlay/plan/conversion.hpp>
#include <atomic>
#include <functional>
#include <thread>

namespace inlay {
inline namespace v1 {
// Copies of weights while they are packed: most share one block, since pages are dear that each would touch for the
// first time.
class copy_room {
    static constexpr std::int64_t size = 4 << 20, piece = 1 << 20;
    tensor block_;
    std::int64_t used_ = 0;
    std::vector<tensor> large_;

  public:
    void
    clear() {  // an allocator may keep what is freed, and pages of large copies would add to those of the next kernel's
        for (const tensor& t : large_) drop_pages(t.data(), t.bytes());
        if (used_ > piece) drop_pages(block_.data(), used_);
        used_ = 0;
        large_.clear();
    }
    // Gives back the file's pages as it copies.
    const void* aligned_copy(const tensor& t, const bound_states& files) {
        if (is_aligned(t)) return t.data();
        const std::int64_t bytes = t.bytes();
        std::byte* to;
        if (bytes > size - used_)
            to = static_cast<std::byte*>(large_.emplace_back(tensor::uninitialized(element::u8, {bytes})).data());
        else {
            if (!block_) block_ = tensor::uninitialized(element::u8, {size});
            to = static_cast<std::byte*>(block_.data()) + used_;
            used_ += padded_bytes(bytes);
        }
        const auto* from = static_cast<const std::byte*>(t.data());
        for (std::int64_t at = 0; at < bytes; at += piece) {
            const std::int64_t some = std::min(piece, bytes - at);
            std::memcpy(to + at, from + at, std::size_t(some));
            files.give_back(from + at, some);
        }
        return to;
    }
};

// Where a constant lies that is read while the plan runs.
const void* session_core::readable(compiled_plan& p, int constant) {
    const graph_constant& c = p.constant(constant);
    const tensor t = c.get();
    if (is_aligned(t) && !c.is_made_on_demand()) return t.data();
    return p.own_constants.try_emplace(constant, states_->aligned_constant(t)).first->second.data();
}
// Shared by all sessions of the model. What one plan made known, or holds in a provider's own memory, is that plan's
// alone.
std::shared_ptr<bound_state> session_core::bind_shared(const compiled_plan& p, int unit, int provider, const node& n,
                                                       const kernel_functions& f,
                                                       const std::function<std::shared_ptr<bound_state>()>& bind) {
    const auto ids = p.graph.view.list(n.inputs);
    const bool shared =
        handles[std::size_t(provider)].where == &space_of<memory::host> && std::ranges::all_of(ids, [&](int id) {
            return id < 0 || !p.follows_from_shapes(p.graph.values[std::size_t(id)].constant);
        });
    if (!shared) return bind();
    const bound_states::key key{&graph, unit, bound_states::code_of(f), level, view_.precision, executor_.threads};
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
    }
    const auto state = states_->find(key, bind);
    const std::lock_guard lock(mutex_);
    return kept_.emplace(key, state).first->second;
}
// What binds the kernel of a step, in any thread.
struct session_core::kernel_packing {
    const step& s;
    exec_step& e;
    const node& n;
    const kernel_functions& f;
    std::int64_t bytes;                // of what is packed
    std::vector<const void*> known{};  // the constants, but for those that are packed
    std::vector<std::pair<std::size_t, const graph_constant*>> packed{};
    std::shared_ptr<bound_state> state{};
    std::exception_ptr failure{};

    std::int64_t source_bytes() const {
        std::int64_t all = 0;
        for (const auto& [k, c] : packed) all += c->bytes();
        return all;
    }
};
session_core::kernel_packing session_core::packing_of(compiled_plan& p, exec_step& e, const step& s) {
    const node& n = p.graph.view.unit(s.unit);
    const kernel_table& table = kernels_at(s.provider);
    const kernel_functions& f = table.functions[std::size_t(s.kernel)];
    const node_view view{p.graph.view, n, p.plan.layouts.data() + s.inputs.first,
                         std::span(p.plan.pitches).subspan(std::size_t(s.inputs.first))};
    auto& params = p.params.emplace_back(f.params_bytes / sizeof(std::max_align_t) + 1);
    f.prepare(view, params.data());
    const bytes_needed need = table.entries[std::size_t(s.kernel)].footprint(view, executor_.threads);
    check_packed(p.graph.view, n, need.constant);
    e.run = f.run;
    e.params = params.data();
    kernel_packing work{s, e, n, f, need.constant};
    for (int k = 0; k < s.inputs.count; ++k) {
        place& at = p.places[std::size_t(s.inputs.first + k)];
        if (at.what == place::kind::constant && at.index >= 0) {
            if (table.entries[std::size_t(s.kernel)].packs_at_bind(view, k))
                work.packed.emplace_back(k, &p.constant(at.index));
            else
                at.pointer = readable(p, at.index);
        }
        work.known.push_back(at.what == place::kind::constant ? at.pointer : nullptr);
    }
    return work;
}
void session_core::pack(const compiled_plan& p, kernel_packing& work, copy_room& room) {
    const auto bind = [&] {
        room.clear();
        std::vector<tensor> read;
        for (const auto& [k, c] : work.packed) work.known[k] = room.aligned_copy(read.emplace_back(c->get()), *states_);
        auto state = bind_kernel(work.f, work.e.params, states_->packed.take(work.bytes), {work.known.data()}, level,
                                 executor_.threads, work.n.name);
        for (const tensor& t : read) states_->give_back(t.data(), t.bytes());
        room.clear();
        return state;
    };
    try {
        work.state = bind_shared(p, work.s.unit, work.s.provider, work.n, work.f, bind);
    } catch (...) {
        work.failure = std::current_exception();
    }
}
void session_core::add_packed(compiled_plan& p, const kernel_packing& work) {
    if (work.failure) try {
            std::rethrow_exception(work.failure);
        } catch (const kernel_refusal& r) {
            failed_->barred.add(work.n, work.s.provider, work.s.kernel, r.why);
            throw;
        } catch (const error& why) {
            raise_failure(work.s.provider, why);
        }
    p.packed_bytes += work.state->storage.bytes();
    p.states.push_back(work.state);
    work.e.state = work.state->state;
}
// By all threads; those with the most bytes of constants first: the file's pages lie beside what is packed, which then
// is little.
void session_core::pack_all(compiled_plan& p, std::vector<kernel_packing>& all, stage_progress& packing) {
    std::vector<kernel_packing*> order;
    for (kernel_packing& one : all) order.push_back(&one);
    std::ranges::stable_sort(order, std::greater(), &kernel_packing::source_bytes);
    const auto caller = std::this_thread::get_id();
    const std::int64_t others = std::int64_t(p.steps.size() - all.size());
    std::atomic<std::size_t> next{0}, done{0};
    std::exception_ptr ended;  // by the progress function
    const auto work = [&](int) noexcept {
        copy_room room;
        for (std::size_t i = next++; i < order.size(); i = next++) {
            pack(p, *order[i], room);
            ++done;
            if (order[i]->failure) next = order.size();
            if (std::this_thread::get_id() == caller) try {
                    packing(others + std::int64_t(done));
                } catch (...) {
                    ended = std::current_exception();
                    next = order.size();
                }
        }
    };
    context c = make_base({});
    if (!order.empty()) c.for_each(std::min(c.threads, int(order.size())), work);
    for (const kernel_packing& one : all)
        if (one.state || one.failure) add_packed(p, one);
    if (ended) std::rethrow_exception(ended);
    packing(std::int64_t(p.steps.size()));
}
std::shared_ptr<const compiled_region> session_core::compile_region(compiled_plan& p, const step& s) {
    const assigned_region& r = p.plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())];
    const provider_handle& h = handles[std::size_t(s.provider)];
    // What an engine asks for, the plan keeps.
    const constants_of constants(p.graph.view, [&](int k) { return readable(p, k); });
    const region whole{p.graph.view, p.plan.assigned.list(r.nodes), p.plan.assigned.list(r.inputs),
                       p.plan.assigned.list(r.outputs), &constants};
    const int saved =
        restored ? restored->find({p.graph.view, p.graph.view.nodes[std::size_t(whole.nodes.front())]}) : -1;
    if (saved >= 0) return restore_region(whole, saved, s.provider);
    if (auto ranged = region_for_any_shapes(whole, s.provider)) return ranged;
    auto compiled = engines_[std::size_t(s.provider)].engine->compile(whole);
    if (compiled && *compiled) return std::move(*compiled);
    error failure = compiled ? error(error_code::provider_failed, "it gave no reason") : compiled.why();
    const bool refused = failure.code == error_code::unsupported_model;
    failure.text = (refused ? "" : h.name + ": ") + "it could not compile a region of " +
                   std::to_string(r.nodes.count) + " nodes that it had proposed: " + failure.text;
    if (refused) {
        for (int i : whole.nodes)
            failed_->barred.add(p.graph.view.nodes[std::size_t(i)], s.provider, barred_kernels::of_engine,
                                failure.text);
        throw kernel_refusal{failure.text};
    }
    raise_failure(s.provider, std::move(failure));
}

static void make_conversion(compiled_plan& p, exec_step& e, const shape& dims, layout to,
                            const conversion_functions& by) {
    auto& params = p.params.emplace_back(by.f.params_bytes / sizeof(std::max_align_t) + 1);
    by.prepare(dims, to, params.data());
    try {
        p.states.push_back(bind_kernel(by.f, params.data(), {}, {nullptr}, isa::baseline, 1, "layout conversion"));
    } catch (const kernel_refusal& r) {  // there is no other one
        raise({error_code::provider_failed, "inlay: a layout conversion could not be bound: " + r.why});
    }
    e.run = by.f.run;
    e.params = params.data();
    e.state = p.states.back()->state;
}

// Which step is the last to read each value that runs make in memory of their own, and which of these values nobody
// reads but late steps.
static void find_last_reads(compiled_plan& p) {
    const graph_view& g = p.graph.view;
    constexpr int kept = -2;
    std::vector<int> last(g.values.size(), -1);
    p.roaming.assign(g.values.size(), 1);
    const auto keep = [&](int id) {
        if (id < 0) return;
        last[std::size_t(p.source(id))] = kept;
        p.roaming[std::size_t(p.source(id))] = 0;
    };
    for (std::size_t t = 0; t < p.steps.size(); ++t) {
        const step& s = p.plan.steps[t];
        for (range r : {s.inputs, s.outputs})
            for (int id : p.plan.list(r))
                if (id >= 0) {
                    last[std::size_t(p.source(id))] = int(t);
                    if (p.steps[t].what != exec_step::kind::late) p.roaming[std::size_t(p.source(id))] = 0;
                }
    }
    for (int id : p.plan.outputs) keep(id);
    for (int id : g.inputs) keep(id);
    std::vector<std::pair<int, int>> ends;  // step, value
    for (int id : p.own_values) {
        if (g.values[std::size_t(id)].dims.known() || std::ranges::find(g.inputs, id) != g.inputs.end()) continue;
        p.late_values.push_back(id);
        if (last[std::size_t(id)] >= 0) ends.emplace_back(last[std::size_t(id)], id);
    }
    std::ranges::sort(ends);
    for (auto [t, id] : ends) {
        range& of_step = p.steps[std::size_t(t)].last_reads;
        if (!of_step.count++) of_step.first = int(p.last_reads.size());
        p.last_reads.push_back(id);
    }
}

// The provider whose queue a step goes to; of a transfer, that of the memory which is not the host's.
int session_core::device_of_step(const plan& plan, const step& s, const erased_providers& list) const {
    if (s.unit != step_kind::transfer) return s.provider >= 0 && devices_[std::size_t(s.provider)] ? s.provider : -1;
    const int from = plan.value_spaces[std::size_t(plan.arguments[std::size_t(s.inputs.first)])],
              to = plan.value_spaces[std::size_t(plan.arguments[std::size_t(s.outputs.first)])];
    for (int i = 0; i < list.size(); ++i)
        if (devices_[std::size_t(i)] && list.view(i).space == (to ? to : from)) return i;
    return -1;
}
// A kernel may yet refuse the shapes: then the next of the list is asked.
void session_core::bind_late(compiled_plan& p, exec_step& e, const step& s, const erased_providers& list) {
    e.what = exec_step::kind::late;
    p.late = true;
    const int first = int(p.candidates.size());
    for (int q = s.provider; q < list.size(); ++q)
        if (handles[std::size_t(q)].kernels && list.view(q).space == 0 &&
            list.accepts(q, node_view{p.graph.view, p.graph.view.unit(s.unit)}))
            p.candidates.push_back({handles[std::size_t(q)].kernels, q, handles[std::size_t(q)].name});
    e.candidates = {first, int(p.candidates.size()) - first};
}
void session_core::bind_step(compiled_plan& p, exec_step& e, const step& s, const erased_providers& list,
                             std::vector<kernel_packing>& packings) {
    const plan& plan = p.plan;
    if (s.unit == step_kind::transfer)
        e.what = exec_step::kind::transfer;
    else if (s.unit == step_kind::conversion) {
        if (place& at = p.places[e.in]; at.what == place::kind::constant && at.index >= 0)
            at.pointer = readable(p, at.index);
        const value& v = p.record(plan.arguments[e.in]);
        const int bits = bits_of(v.type);
        make_conversion(
            p, e, v.dims, plan.layouts[e.out],
            s.provider < 0 ? conversion_of<device::cpu>(bits) : handles[std::size_t(s.provider)].conversion(bits));
    } else if (s.unit >= p.graph.view.units()) {
        e.what = exec_step::kind::region;
        e.region = int(p.regions.size());
        p.regions.push_back(compile_region(p, s));
    } else if (s.provider < 0) {
        e.what = exec_step::kind::control_flow;
        p.late = true;
    } else if (s.kernel == chosen_at_run)
        bind_late(p, e, s, list);
    else {
        if (kernel_packing work = packing_of(p, e, s); e.queue < 0 && !work.packed.empty())
            packings.push_back(std::move(work));
        else {  // it is of the device that is selected now, or has nothing to pack
            copy_room room;
            pack(p, work, room);
            add_packed(p, work);
        }
        const auto outputs = plan.list(s.outputs);
        if (std::ranges::any_of(outputs, [&](int id) { return id >= 0 && !p.record(id).dims.known(); }))
            e.what = exec_step::kind::telling;
    }
}
static void count_nodes(compiled_plan& p, std::size_t providers) {  // that steps whose provider is known stand for
    p.executed.assign(providers, 0);
    for (const step& s : p.plan.steps) {
        if (s.unit < 0 || s.provider < 0 || s.kernel == chosen_at_run) continue;
        const bool is_region = s.unit >= p.graph.view.units();
        const int nodes = is_region ? p.plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())].nodes.count
                                    : std::max(1, p.graph.view.unit(s.unit).sources.count);
        p.executed[std::size_t(s.provider)] += nodes;
    }
}
void session_core::bind_steps(compiled_plan& p, const erased_providers& list, queues_entered& devices,
                              stage_progress& packing) {
    const plan& plan = p.plan;
    p.params.reserve(plan.steps.size());
    const auto find = [&](place& at) {
        if (at.what == place::kind::constant && at.index >= 0) at.pointer = readable(p, at.index);
    };
    for (place& at : p.output_places) find(at);
    p.queued.assign(handles.size(), 0);
    p.steps.resize(plan.steps.size());
    std::vector<kernel_packing> packings;
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
            bind_step(p, e, s, list, packings);
        } catch (const restore_failure&) {
            throw;
        } catch (const error& why) {
            raise_failure(s.provider, why);
        }
        if (e.what != exec_step::kind::kernel)
            for (int k = 0; k < s.inputs.count; ++k) find(p.places[e.in + std::size_t(k)]);
        packing(std::int64_t(t + 1 - packings.size()));
    }
    pack_all(p, packings, packing);
    count_nodes(p, handles.size());
    find_last_reads(p);
    for (std::size_t t = p.steps.size(), count = 0; t-- > 0;) {  // runs of steps that one device can record
        const exec_step& e = p.steps[t];
        const bool records =
            e.queue >= 0 && e.what == exec_step::kind::kernel && devices_[std::size_t(e.queue)]->records();
        count = records ? (count && p.steps[t + 1].queue == e.queue ? count + 1 : 1) : 0;
        p.steps[t].together = int(count);
    }
}
}  // namespace v1
}  // namespace inlay
