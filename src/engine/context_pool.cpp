#include "context_pool.hpp"
#include "run_failures.hpp"

namespace inlay {
inline namespace v1 {
// A context that this plan used before, else one of another plan, whose memory is reused; null: there is none.
std::unique_ptr<run_context> context_pool::find(const compiled_plan& p) {
    std::vector<std::unique_ptr<run_context>> stale;  // of plans with providers that failed since; dropped without lock
    const std::lock_guard lock(mutex_);
    for (auto& free : idle_)
        if (free->plan.get() == &p) {
            auto c = std::move(free);
            std::swap(free, idle_.back());
            idle_.pop_back();
            return c;
        }
    const auto old = std::ranges::partition(
        idle_, [&](const auto& free) { return free->plan->failures == p.failures; });  // contexts to keep come first
    stale.assign(std::make_move_iterator(old.begin()), std::make_move_iterator(old.end()));
    idle_.erase(old.begin(), old.end());
    if (idle_.empty()) return nullptr;
    auto c = std::move(idle_.back());
    idle_.pop_back();
    return c;
}
std::unique_ptr<run_context> context_pool::take(std::shared_ptr<const compiled_plan> p, std::int64_t most_bytes) {
    std::unique_ptr<run_context> c = find(*p);
    if (!c) c = std::make_unique<run_context>();
    c->most_bytes = most_bytes;
    if (c->plan == p) return c;
    setup_.backends.add_queues(c->queues, p->queued);
    const queues_entered devices(c->queues);
    if (devices.entered() != status::ok)
        setup_.failed.raise(devices.failed(), {code_of(devices.entered()), "inlay: " + std::string(devices.why())});
    c->recordings.assign(p->steps.size(), {});
    make_arenas(*c, *p);
    if (!c->scratch || c->scratch.bytes() < p->plan.scratch_bytes)
        c->scratch = tensor::uninitialized(element::u8, {p->plan.scratch_bytes});
    c->values.assign(p->graph.values.size(), any_value());
    c->layouts.assign(p->graph.values.size(), layout::plain);
    c->device_values.clear();
    c->live.reset();
    if (p->late) c->live = std::make_unique<live_graph>(p->graph.view);
    for (int id : p->own_values) {
        const value& v = p->graph.values[std::size_t(id)];
        if (v.type != element::object && v.dims.known()) c->values[std::size_t(id)] = tensor(v.type, v.dims);
    }
    make_executables(*c, *p);
    c->plan = std::move(p);
    c->resolve_pointers();
    return c;
}
// In each memory space of the plan.
void context_pool::make_arenas(run_context& c, const compiled_plan& p) const {
    c.arenas.resize(p.spaces.size());
    for (std::size_t space = 0; space < p.spaces.size(); ++space) {
        tensor& arena = c.arenas[space];
        if (space > 0 && std::ranges::find(p.plan.value_spaces, int(space)) == p.plan.value_spaces.end()) {
            arena = tensor();
            continue;
        }
        if (const std::int64_t need = p.plan.arena_bytes[space]; !arena || arena.bytes() < need) {
            arena = tensor();  // freed before the next is allocated, since a device may not have space for both
            try {
                arena = tensor(element::u8, {need}, *p.spaces[space]);
            } catch (const error& e) {
                setup_.failed.raise(space > 0 ? provider_in(p, int(space), setup_.handles) : -1, e);
            }
        }
    }
}
void context_pool::make_executables(run_context& c, const compiled_plan& p) const {
    c.executables.clear();
    c.buffers.clear();
    if (!p.regions.empty())
        for (int id : p.plan.arguments) {
            buffer& b = c.buffers.emplace_back();
            if (id < 0) continue;
            b.type = p.record(id).type;
            b.dims = p.record(id).dims;
        }
    for (const exec_step& e : p.steps) {
        if (e.what != exec_step::kind::region) continue;
        const int provider = p.plan.steps[std::size_t(e.step)].provider;
        auto instance = p.regions[std::size_t(e.region)]->instance();
        if (!instance) setup_.failed.raise(provider, instance.why());
        c.executables.push_back(std::move(*instance));
    }
}
void context_pool::give_back(std::unique_ptr<run_context> c) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(c));
}
void context_pool::drop_large() {
    const std::lock_guard lock(mutex_);
    std::erase_if(idle_, [](const auto& c) { return c->plan->run_bytes + c->memory.bytes() > 1 << 20; });
}
std::int64_t context_pool::held_bytes() const {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = 0;
    for (const auto& c : idle_) sum += c->bytes();
    return sum;
}
void context_pool::release() {
    std::vector<std::unique_ptr<run_context>> idle;
    const std::lock_guard lock(mutex_);
    idle.swap(idle_);
}
}  // namespace v1
}  // namespace inlay
