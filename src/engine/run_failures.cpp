#include "run_failures.hpp"
#include "run_node.hpp"

namespace inlay {
inline namespace v1 {
int provider_in(const compiled_plan& p, int space, const std::vector<provider_handle>& handles) {
    for (const step& s : p.plan.steps)
        if (s.provider >= 0 && handles[std::size_t(s.provider)].memory_space == p.spaces[std::size_t(space)])
            return s.provider;
    return -1;
}
// The provider that a transfer is for: of those that share the memory, the one that produced the value or reads it.
static int transferring_provider(const compiled_plan& p, int transfer, const std::vector<provider_handle>& handles) {
    const step& s = p.plan.steps[std::size_t(transfer)];
    const int id = p.plan.arguments[std::size_t(s.outputs.first)];
    const copied_value& copy = p.copy(id);
    const auto has = [&](const step& candidate, range r, int value) {
        return candidate.provider >= 0 && std::ranges::count(p.plan.list(r), value) > 0;
    };
    for (const step& candidate : p.plan.steps)
        if (copy.space ? has(candidate, candidate.inputs, id)
                       : has(candidate, candidate.outputs, p.source(copy.source)))
            return candidate.provider;
    return provider_in(p, copy.space ? copy.space : p.plan.value_spaces[std::size_t(copy.source)], handles);
}
int failed_provider(const run_context& c, const std::vector<provider_handle>& handles) {
    const compiled_plan& p = *c.plan;
    if (c.failed_step < 0) return c.failed_queue;
    const step& s = p.plan.steps[std::size_t(c.failed_step)];
    if (s.unit != step_kind::transfer) return s.provider;
    return transferring_provider(p, c.failed_step, handles);
}
void raise_status(const run_context& c, status s, const std::vector<provider_handle>& handles) {
    const error_code code = code_of(s);
    const std::string_view reason = c.failure.empty() ? name_of(s) : c.failure;
    const int owner = failed_provider(c, handles);
    const std::string_view provider = owner < 0 ? std::string_view{} : handles[std::size_t(owner)].name;
    if (c.failed_step < 0) {
        error e(code, (owner < 0 ? std::string("inlay: the run was ended: ")
                                 : std::string(provider) + ": one of its nodes failed: ") +
                          std::string(reason));
        e.provider = provider;
        raise(std::move(e));
    }
    const step& at = c.plan->plan.steps[std::size_t(c.failed_step)];
    if (at.unit >= 0 && at.unit < c.plan->graph.view.units())
        raise_for_node(code, c.plan->graph.view, c.plan->graph.view.unit(at.unit), reason, provider);
    error e(code, "inlay: a " +
                      std::string(at.unit >= 0                     ? "region"
                                  : at.unit == step_kind::transfer ? "transfer between memory spaces"
                                                                   : "layout conversion") +
                      (provider.empty() ? "" : " of " + std::string(provider)) + " failed: " + std::string(reason));
    e.provider = provider;
    raise(std::move(e));
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
}  // namespace v1
}  // namespace inlay
