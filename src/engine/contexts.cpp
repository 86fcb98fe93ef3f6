// The memory of runs: made for a plan, kept between runs.
#include "core.hpp"

namespace inlay {
inline namespace v1 {
void run_context::resolve_pointers() {
    const auto resolve = [&](const place& at) -> const void* {
        switch (at.what) {
            case place::kind::arena:
                return static_cast<const std::byte*>(arenas[std::size_t(at.index)].data()) + at.offset;
            case place::kind::constant: return at.pointer;
            case place::kind::own: {
                const any_value& v = values[std::size_t(at.index)];
                return plan->graph.values[std::size_t(at.index)].type == element::object ? static_cast<const void*>(&v)
                       : v.as_tensor()                                                   ? v.as_tensor()->data()
                                                                                         : nullptr;
            }
            default: return nullptr;
        }
    };
    pointers.clear();
    for (const place& at : plan->places) pointers.push_back(resolve(at));
    outputs.clear();
    for (const place& at : plan->output_places) outputs.push_back(resolve(at));
}

std::unique_ptr<run_context> session_core::take_context(std::shared_ptr<const compiled_plan> p) {
    std::unique_ptr<run_context> c;
    {
        const std::lock_guard lock(mutex_);
        for (auto& free : contexts_)
            if (free->plan == p) {
                c = std::move(free);
                std::swap(free, contexts_.back());
                contexts_.pop_back();
                break;
            }
        if (!c && !contexts_.empty()) {
            c = std::move(contexts_.back());
            contexts_.pop_back();
        }
    }
    if (!c) c = std::make_unique<run_context>();
    c->most_bytes = run_bytes;
    if (c->plan == p) return c;
    const erased_providers list = provider_list();
    add_queues(c->queues, p->queued);
    const queues_entered devices(c->queues);
    if (devices.entered() != status::ok)
        raise_failure(devices.failed(), {code_of(devices.entered()), "inlay: " + std::string(devices.why())});
    c->recordings.assign(p->steps.size(), {});
    c->arenas.resize(std::size_t(list.spaces()));
    for (int space = 0; space < list.spaces(); ++space) {
        tensor& arena = c->arenas[std::size_t(space)];
        if (space > 0 && std::ranges::find(p->plan.value_spaces, space) == p->plan.value_spaces.end()) {
            arena = tensor();
            continue;
        }
        if (const std::int64_t need = p->plan.arena_bytes[std::size_t(space)]; !arena || arena.bytes() < need) {
            arena = tensor();  // before there is the next, since a device may not have room for both
            try {
                arena = tensor(element::u8, {need}, list.space_at(space));
            } catch (const error& e) {
                raise_failure(space > 0 ? provider_in(*p, space) : -1, e);
            }
        }
    }
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
void session_core::make_executables(run_context& c, const compiled_plan& p) const {
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
        if (!instance) raise_failure(provider, instance.why());
        c.executables.push_back(std::move(*instance));
    }
}
void raise_run_bytes(std::int64_t bytes, std::int64_t left) {
    error e(error_code::limit_exceeded, "inlay: the run needs " + std::to_string(bytes) + " bytes of memory, and " +
                                            std::to_string(left) + " of limits::run_bytes are left to it");
    e.hint = "raise limits::run_bytes";
    raise(std::move(e));
}
void session_core::take_bytes(run_context& c, std::int64_t bytes) const {
    if (bytes > c.bytes_left) raise_run_bytes(bytes, c.bytes_left);
    c.bytes_left -= bytes;
}
void session_core::drop_large_contexts() {
    const std::lock_guard lock(mutex_);
    std::erase_if(contexts_, [](const auto& c) { return c->plan->run_bytes + c->memory.bytes() > 1 << 20; });
}
std::int64_t run_context::bytes() {
    std::int64_t sum = checked_sum(scratch.bytes(), memory.bytes());
    for (const tensor& arena : arenas) sum += arena.bytes();
    for (const auto& [id, t] : device_values) sum += t.bytes();
    for (const any_value& v : values)
        if (const tensor* t = v.as_tensor(); t && *t && !memory.owns(*t)) sum += t->bytes();
    return sum;
}
std::int64_t session_core::held_bytes() const {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = 0;
    for (const auto& c : contexts_) sum += c->bytes();
    for (const auto& [place, body] : bodies_) sum += body->held_bytes();
    return sum;
}
void session_core::release_memory() {
    std::vector<std::unique_ptr<run_context>> idle;
    std::vector<session_core*> bodies;
    {
        const std::lock_guard lock(mutex_);
        idle.swap(contexts_);
        for (const auto& [place, body] : bodies_) bodies.push_back(body.get());
    }
    for (session_core* body : bodies) body->release_memory();
}
void session_core::give_back(std::unique_ptr<run_context> c) {
    const std::lock_guard lock(mutex_);
    contexts_.push_back(std::move(c));
}
void session_core::set_input(run_context& c, int input, const any_value& v) const {
    const int id = view_.inputs[std::size_t(input)];
    if (c.plan->graph.values[std::size_t(id)].type == element::object || !v.as_tensor()) {
        c.values[std::size_t(id)] = v;
        return;
    }
    if (std::ranges::find(c.plan->own_values, id) != c.plan->own_values.end()) c.values[std::size_t(id)] = v;
    for (std::size_t at : c.plan->input_arguments[std::size_t(input)]) c.pointers[at] = v.as_tensor()->data();
    for (std::size_t k = 0; k < c.outputs.size(); ++k)
        if (const int out = c.plan->plan.outputs[k];
            !(std::size_t(out) < c.plan->graph.values.size() && c.plan->graph.values[std::size_t(out)].is_constant()) &&
            c.plan->plan.roots[std::size_t(out)] == id)
            c.outputs[k] = v.as_tensor()->data();
}
}  // namespace v1
}  // namespace inlay
