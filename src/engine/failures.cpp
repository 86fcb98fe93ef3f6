// What failed, in words; and providers that failed, which under fallback::any give way to the next.
#include "core.hpp"
#include <inlay/plan/explain.hpp>

namespace inlay {
inline namespace v1 {
std::string refusal_text(const verdict& v, const graph_view& g, const node& n, const provider_handle& h) {
    return explain(v, node_view{g, n},
                   h.kernels ? std::span<const entry>(h.kernels->entries) : std::span<const entry>{})
        .str();
}
void raise_unowned(const graph_view& g, const assignment& a, const std::vector<provider_handle>& handles) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (a.owners[i] != owner::nobody) continue;
        const node& n = g.nodes[i];
        error e;
        e.code = error_code::no_provider;
        e.node = n.name;
        e.op = n.op;
        e.version = n.version;
        e.text = describe_node(n) + ": no provider runs it.";
        for (std::size_t p = 0; p < handles.size(); ++p)
            e.text += " " + std::string(handles[p].name) + ": " +
                      refusal_text(a.verdicts[i * handles.size() + p], g, n, handles[p]) + ";";
        e.text.pop_back();
        raise(std::move(e));
    }
    raise({error_code::invalid_model, "inlay: the graph has a cycle"});
}
void session_core::raise_status(const run_context& c, status s) const {
    const error_code code = code_of(s);
    const std::string_view why = c.why.empty() ? name_of(s) : c.why;
    const int owner = failed_provider(c);
    const std::string_view provider = owner < 0 ? std::string_view{} : handles[std::size_t(owner)].name;
    if (c.failed_step < 0) {
        error e(code, (owner < 0 ? std::string("inlay: the run was ended: ")
                                 : std::string(provider) + ": one of its nodes failed: ") +
                          std::string(why));
        e.provider = provider;
        raise(std::move(e));
    }
    const step& at = c.plan->plan.steps[std::size_t(c.failed_step)];
    if (at.unit >= 0 && at.unit < c.plan->graph.view.units())
        raise_for_node(code, c.plan->graph.view, c.plan->graph.view.unit(at.unit), why, provider);
    error e(code, "inlay: a " +
                      std::string(at.unit >= 0                     ? "region"
                                  : at.unit == step_kind::transfer ? "transfer between memory spaces"
                                                                   : "layout conversion") +
                      (provider.empty() ? "" : " of " + std::string(provider)) + " failed: " + std::string(why));
    e.provider = provider;
    raise(std::move(e));
}

int session_core::failed_provider(const run_context& c) const {
    const compiled_plan& p = *c.plan;
    if (c.failed_step < 0) return c.failed_queue;
    const step& s = p.plan.steps[std::size_t(c.failed_step)];
    if (s.unit != step_kind::transfer) return s.provider;
    return transferring_provider(p, c.failed_step);
}
// Whose memory a transfer is for: of the providers that share it, the one that made the value or reads it.
int session_core::transferring_provider(const compiled_plan& p, int transfer) const {
    const step& s = p.plan.steps[std::size_t(transfer)];
    const int id = p.plan.arguments[std::size_t(s.outputs.first)];
    const copied_value& copy = p.copy(id);
    const auto has = [&](const step& other, range r, int value) {
        return other.provider >= 0 && std::ranges::count(p.plan.list(r), value) > 0;
    };
    for (const step& other : p.plan.steps)
        if (copy.space ? has(other, other.inputs, id) : has(other, other.outputs, p.source(copy.source)))
            return other.provider;
    return provider_in(p, copy.space ? copy.space : p.plan.value_spaces[std::size_t(copy.source)]);
}
int session_core::provider_in(const compiled_plan& p, int space) const {  // that has steps there; -1: nobody
    const erased_providers list = provider_list();
    for (const step& s : p.plan.steps)
        if (s.provider >= 0 && list.view(s.provider).space == space) return s.provider;
    return -1;
}
// Failures that are the provider's, not the model's or the caller's.
bool session_core::is_failure_of(int provider, const error& e) const {
    switch (e.code) {
        case error_code::provider_failed:
        case error_code::provider_unavailable:
        case error_code::device_lost:
        case error_code::out_of_memory_limit: return true;
        case error_code::out_of_memory: return handles[std::size_t(provider)].where != &space_of<memory::host>;
        default: return false;
    }
}
void session_core::raise_failure(int provider, error e) const {
    if (provider < 0 || !is_failure_of(provider, e)) raise(std::move(e));
    if (e.provider.empty()) e.provider = handles[std::size_t(provider)].name;
    throw provider_failure{provider, std::move(e)};
}
error current_error() {
    try {
        throw;
    } catch (const error& e) {
        return e;
    } catch (const std::bad_alloc&) {
        return {error_code::out_of_memory, "inlay: the system has no memory left"};
    } catch (const std::exception& e) {
        return {error_code::provider_failed, "inlay: an exception that is not Inlay's: " + std::string(e.what())};
    } catch (...) {
        return {error_code::provider_failed, "inlay: an exception that is not Inlay's"};
    }
}
status status_of(error_code c) {
    switch (c) {
        case error_code::stopped: return status::stopped;
        case error_code::deadline_passed: return status::deadline_passed;
        case error_code::out_of_memory:
        case error_code::out_of_memory_limit: return status::out_of_memory;
        case error_code::invalid_value: return status::invalid_value;
        case error_code::no_provider: return status::unsupported;
        case error_code::device_lost: return status::device_lost;
        default: return status::failed;
    }
}
erased_providers session_core::provider_list(const constant_source* constants) const {
    const std::lock_guard lock(failed_->lock);
    erased_providers list(handles, options.fallback, failed_->which, engines_, &failed_->barred, constants);
    list.set_restored(restored.get());
    list.keep_pairs(view_.precision == precision::bfloat16 && level == isa::level::amx);
    return list;
}
bool session_core::replace_failed(int provider, const std::string& why) {
    if (options.fallback.policy != fallback::kind::any || provider < 0 ||
        handles[std::size_t(provider)].name == cpu::name)
        return false;
    const std::string_view name = handles[std::size_t(provider)].name;
    const std::string note = (why.starts_with(name) ? "" : std::string(name) + " failed: ") + why +
                             "; the next providers of the list took over";
    {
        const std::lock_guard lock(failed_->lock);
        if (std::exchange(failed_->which[std::size_t(provider)], 1)) return true;  // another run was first
        failed_->notes.push_back(note);
        ++failed_->count;
    }
    note_log(severity::warning, note);
    return true;
}
}  // namespace v1
}  // namespace inlay
