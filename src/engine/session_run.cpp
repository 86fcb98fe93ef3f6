// A whole run: inputs, steps, results.
#include "grown_values.hpp"
#include "run_failures.hpp"

namespace inlay {
inline namespace v1 {
void session_core::run(std::span<const any_value* const> inputs, std::span<const int> positions,
                       std::span<any_value> outputs, const run_options& o, std::int64_t most_bytes, timed_steps* times,
                       grown_values* grown, std::vector<std::int64_t>* executed) {
    std::array<shape, 16> few;
    std::vector<shape> many(inputs.size() > few.size() ? inputs.size() : 0);
    const std::span<shape> shapes(many.empty() ? few.data() : many.data(), inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k)
        shapes[k] = inputs[k]->as_tensor() ? inputs[k]->as_tensor()->shape() : shape::unknown();
    std::unique_ptr<run_context> c;
    for (bool success = false; !success;) {
        c = context_for(shapes, grown ? grown->room : 0, most_bytes);
        c->clear_failure();
        for (std::size_t k = 0; k < inputs.size(); ++k) c->set_input(int(k), *inputs[k]);
        if (grown) grown->before_run(*this, *c);
        try {
            if (const status s = times ? runner.execute_timed(*c, o, *times) : runner.execute(*c, o); s != status::ok)
                raise_status(*c, s, setup.handles);
            success = true;
        } catch (const error& e) {
            int provider =
                failed_provider(*c, setup.handles);  // of a step; the kernel may be that of another candidate
            if (const auto handle = std::ranges::find(setup.handles, e.provider, &provider_handle::name);
                provider >= 0 && handle != setup.handles.end())
                provider = int(handle - setup.handles.begin());
            if ((e.code != error_code::provider_failed && e.code != error_code::device_lost) ||
                !setup.failed.replace(provider, e.text) || c->plan->failures == setup.failed.count())
                throw;
        }
    }
    if (grown) grown->after_run(*this, *c);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        if (const place& at = c->plan->output_places[std::size_t(positions[k])]; at.what != place::kind::own)
            c->take_bytes(c->output_view(positions[k]).bytes());
        else if (const tensor* t = c->values[std::size_t(at.index)].as_tensor())
            c->memory.let_go(*t);
        outputs[k] = c->fetch(positions[k]);
    }
    for (int id : c->plan->own_values)
        if (const value& v = c->plan->graph.values[std::size_t(id)]; !v.dims.known() || v.type == element::object)
            c->values[std::size_t(id)] = any_value();  // now owned by the results, or by the caller
    if (executed)
        for (std::size_t k = 0; k < c->executed.size(); ++k) (*executed)[k] += c->executed[k];
    contexts.give_back(std::move(c));
}
void session_core::watch(std::span<const any_value* const> inputs, const run_options& o, const step_marks& marks) {
    struct stop_request {};  // thrown to stop on the watcher's request; resources are released on the way
    std::vector<shape> shapes;
    for (const any_value* v : inputs) shapes.push_back(v->as_tensor() ? v->as_tensor()->shape() : shape::unknown());
    const auto c = context_for(shapes, 0, setup.run_bytes);  // not kept: a run may end between its steps
    c->clear_failure();
    c->timed.clear();
    for (std::size_t k = 0; k < inputs.size(); ++k) c->set_input(int(k), *inputs[k]);
    if (marks.begin) marks.begin(*c);
    std::size_t calls = 0;
    try {
        const status s = runner.execute_marked(*c, o, [&] {
            const exec_step& e = c->plan->steps[calls / 2];
            if (!marks.mark(*c, e, calls++ % 2)) throw stop_request{};
        });
        if (s != status::ok) raise_status(*c, s, setup.handles);
    } catch (const stop_request&) {
    }
}
}  // namespace v1
}  // namespace inlay
