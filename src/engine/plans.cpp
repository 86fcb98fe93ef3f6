// Plans: one per set of input shapes, kept for the last few. Threads that want one at the same time make it once.
#include "core.hpp"

namespace inlay {
inline namespace v1 {
const entry* session_core::rule_for(const node& n) const {
    for (const provider_handle& h : handles)
        if (h.kernels)
            if (const entry* e = find_entry(*h.kernels, n)) return e;
    return find_entry(reference_kernels(), n);
}

// Kernels, those of fused nodes too, are asked only about shapes that the operators' rules agree to; a file may declare
// others, or a shape that only the run can tell.
void session_core::apply_shape_rules() {
    values_.assign(view_.values.begin(), view_.values.end());
    view_.values = values_;
    std::vector<char> refused(values_.size());
    std::vector<shape> y;
    for (const node& n : view_.nodes) {
        const node_view v{view_, n};
        bool known =
            std::ranges::none_of(view_.list(n.inputs), [&](int id) { return id >= 0 && refused[std::size_t(id)]; });
        const entry* e = known && v.complete() ? rule_for(n) : nullptr;
        y.assign(std::size_t(n.outputs.count), shape::unknown());
        for (int k = 0; e && k < e->required_inputs; ++k) known &= v.has_input(k);
        if (e && known) known = bool(e->shapes(v, y));
        for (int k = 0; k < n.outputs.count; ++k)
            if (const int id = v.output_id(k); id >= 0) {
                refused[std::size_t(id)] = !known;
                if (e || !known) values_[std::size_t(id)].dims = y[std::size_t(k)];
            }
    }
}

// What a context of the plan takes, before values whose size only the run tells.
static void check_bytes(compiled_plan& p, std::int64_t most) {
    p.run_bytes = checked_sum(p.plan.arena_bytes[0], p.plan.scratch_bytes);
    for (int id : p.own_values)
        if (const value& v = p.graph.values[std::size_t(id)]; v.type != element::object && v.dims.known())
            p.run_bytes = checked_sum(p.run_bytes, bytes_of(v.type, v.dims.elements()));
    if (p.run_bytes > most) raise_run_bytes(p.run_bytes, most);
}

std::shared_ptr<compiled_plan> session_core::compile(std::span<const shape> inputs, std::int64_t room) {
    std::shared_ptr<const placement> placed;
    {
        const std::lock_guard lock(mutex_);
        placed = placed_;
    }
    if (options.partition == partition_by::cost && !placed && !room && !plan_only && handles.size() > 1)
        return compile_by_cost(inputs);
    return compile_placed(inputs, room, std::move(placed));
}
std::shared_ptr<compiled_plan> session_core::compile_placed(std::span<const shape> inputs, std::int64_t room,
                                                            std::shared_ptr<const placement> placed) {
    for (;;) {
        stage_progress planning(options.progress, stage::plan, 2);
        auto p = std::make_shared<compiled_plan>(
            specialise(graph, view_, inputs, [this](const node& n) { return rule_for(n); }));
        p->failures = failed_->count;
        p->room = room;
        for (const kept_pair& k : kept_pairs) {
            if (!room || k.how == kept_pair::form::state) continue;
            p->growths.push_back(k);
            p->growths.back().room = k.how == kept_pair::form::rows ? room : 0;
        }
        p->graph.view.growths = p->growths;
        planning(1);
        std::vector<tensor> read;  // by engines that are asked
        const constants_of constants(p->graph.view,
                                     [&](int k) { return read.emplace_back(p->constant(k).get()).data(); });
        erased_providers list = provider_list(&constants);
        list.place(placed.get());
        p->placed = placed;
        p->key.assign(inputs.begin(), inputs.end());
        p->plan = make_plan(p->graph.view, list, executor_.threads);
        p->engine_answers = list.answers();
        const assignment& a = p->plan.assigned;
        if (std::ranges::count(a.owners, owner::nobody) ||
            !order_units(p->graph.view, a.unit_of, p->graph.view.units() + int(a.regions.size())).acyclic)
            raise_unowned(p->graph.view, a, handles);
        planning(2);
        if (plan_only) {
            place_arguments(*p, list);
            check_bytes(*p, run_bytes);
            p->packed_bytes = -1;
            return p;
        }
        stage_progress packing(options.progress, stage::pack, std::int64_t(p->plan.steps.size()));
        try {
            device_queues queues = all_queues();
            queues_entered devices(queues);
            status done = devices.entered();
            if (done == status::ok) {
                place_arguments(*p, list);
                check_bytes(*p, run_bytes);
                bind_steps(*p, list, devices, packing);
                done = devices.settle_all();
            }
            if (done != status::ok)
                raise_failure(devices.failed(), {code_of(done), "inlay: " + std::string(devices.why())});
            return p;
        } catch (const provider_failure& f) {
            if (!replace_failed(f.provider, f.why.text)) raise(f.why);
        } catch (const kernel_refusal&) {  // it is barred: another one takes the node
        }
    }
}

void session_core::log_plan(const compiled_plan& p, std::chrono::steady_clock::duration took) const {
    const plan_report r = report(&p);
    if (logs(severity::verbose))
        for (const auto& n : r.nodes) note_log(severity::verbose, n.node + " (" + n.op + ") -> " + n.provider);
    std::string text = "planned " + (r.model.empty() ? "the model" : r.model) + " for";
    for (const auto& [name, dims] : r.inputs) text += " " + name + to_string(dims);
    note_log(severity::info,
             text + ": " + std::to_string(r.steps) + " steps, " + std::to_string(r.arena_bytes) + " bytes of arena, " +
                 (plan_only ? "a plan only" : std::to_string(r.packed_bytes) + " of packed weights") + "; it took " +
                 std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) + " ms");
}
// The plan that is kept for these shapes, from now on the newest; else null. The caller has the lock.
std::shared_ptr<const compiled_plan> session_core::kept_plan(std::span<const shape> inputs, std::int64_t room) {
    const auto stale = [failures = int(failed_->count)](const auto& p) { return p->failures != failures; };
    if (plans_.remove_if(stale)) std::erase_if(contexts_, [&](const auto& c) { return stale(c->plan); });
    const auto same = [&](const auto& p) { return p->room == room && std::ranges::equal(p->key, inputs); };
    const auto at = std::ranges::find_if(plans_, same);
    if (at == plans_.end()) return nullptr;
    if (at != plans_.begin()) plans_.splice(plans_.begin(), plans_, at);
    return plans_.front();
}
std::shared_ptr<const compiled_plan> session_core::plan_for(std::span<const shape> inputs, std::int64_t room) {
    const auto self = std::this_thread::get_id();
    const auto same = [&](const pending_plan& p) {  // not this thread's own: a progress function may run the session
        return p.room == room && p.maker != self && std::ranges::equal(p.key, inputs);
    };
    for (;;) {
        std::shared_future<plan_result> theirs;
        std::list<pending_plan>::iterator at;
        {
            const std::lock_guard lock(mutex_);
            if (auto plan = kept_plan(inputs, room)) return plan;
            at = std::ranges::find_if(pending_, same);
            if (at != pending_.end())
                theirs = at->plan;
            else
                at = pending_.insert(at, {{inputs.begin(), inputs.end()}, room, self});
        }
        if (!theirs.valid()) return compile_pending(at);
        auto plan = plan_result(theirs.get()).value_or_raise();
        if (plan->failures == failed_->count) return plan;
    }
}
// Compiles the plan, keeps it and gives it to all who wait; an error too, which leaves nothing behind.
std::shared_ptr<const compiled_plan> session_core::compile_pending(std::list<pending_plan>::iterator p) {
    const auto begin = std::chrono::steady_clock::now();
    std::list<pending_plan> finished;
    const auto finish = [&](const std::shared_ptr<const compiled_plan>& plan) {
        const std::lock_guard lock(mutex_);
        if (plan) plans_.push_front(plan);
        while (int(plans_.size()) > std::max(1, options.plans)) plans_.pop_back();
        finished.splice(finished.end(), pending_, p);
    };
    std::shared_ptr<const compiled_plan> plan;
    try {
        plan = compile(p->key, p->room);
        finish(plan);
    } catch (const error& e) {  // by value: threads share no exception that they may look into
        finish(nullptr);
        p->promise.set_value(e);
        throw;
    } catch (...) {
        finish(nullptr);
        p->promise.set_exception(std::current_exception());
        throw;
    }
    p->promise.set_value(plan);
    if (logs(severity::info)) log_plan(*plan, std::chrono::steady_clock::now() - begin);
    log_departures(*plan);
    return plan;
}
std::unique_ptr<run_context> session_core::context_for(std::span<const shape> inputs, std::int64_t room,
                                                       std::int64_t most_bytes) {
    if (plan_only) {
        error e(error_code::provider_unavailable,
                plan_only->provider + ": this session can only plan: " + plan_only->why);
        e.provider = plan_only->provider;
        raise(std::move(e));
    }
    for (;;) {
        auto plan = plan_for(inputs, room);
        if (plan->run_bytes > most_bytes) raise_run_bytes(plan->run_bytes, most_bytes);
        try {
            return take_context(std::move(plan));
        } catch (const provider_failure& f) {
            if (!replace_failed(f.provider, f.why.text)) raise(f.why);
        }
    }
}
// Once per session: how many nodes are not on the first provider of the list that has not failed.
void session_core::log_departures(const compiled_plan& p) const {
    if (!source || failed_->departures_logged.exchange(true)) return;
    const auto& owners = p.plan.assigned.owners;
    std::string where;
    std::int64_t nodes = 0, away = 0;
    std::size_t first = 0;
    {
        const std::lock_guard lock(failed_->lock);
        while (first + 1 < handles.size() && failed_->which[first]) ++first;
    }
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const auto count = std::ranges::count(owners, int(i));
        nodes += count;
        if (i <= first || count == 0) continue;
        away += count;
        where += (where.empty() ? "" : ", ") + std::to_string(count) + " on " + handles[i].name +
                 (implicit_cpu && i + 1 == handles.size() ? ", which was appended" : "");
    }
    if (away > 0)
        note_log(severity::warning, std::to_string(away) + " of " + std::to_string(nodes) + " nodes left " +
                                        handles[first].name + ": " + where + "; plan() tells why");
}
std::shared_ptr<const compiled_plan> session_core::newest_plan() const {
    const std::lock_guard lock(mutex_);
    return plans_.empty() ? nullptr : plans_.front();
}

void session_core::check_coverage() {
    std::vector<tensor> read;
    const constants_of constants(
        view_, [&](int k) { return read.emplace_back(graph.constants[std::size_t(k)].get()).data(); });
    const erased_providers list = provider_list(&constants);  // has the texts of refusals
    const assignment a = partition(view_, list);
    for (int o : a.owners)
        if (o == owner::nobody) raise_unowned(view_, a, handles);
}
void session_core::check_bodies() {
    for (std::size_t i = 0; i < view_.nodes.size(); ++i)
        for (const attribute& at : view_.attributes.subspan(std::size_t(view_.nodes[i].attributes.first),
                                                            std::size_t(view_.nodes[i].attributes.count)))
            if (at.kind == attribute_kind::graph) {
                body(int(i), int(at.integer)).check_coverage();
                body(int(i), int(at.integer)).check_bodies();
            }
}
}  // namespace v1
}  // namespace inlay
