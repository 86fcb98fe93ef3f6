// A whole run: inputs, steps, results.
#include "grown_values.hpp"

namespace inlay {
inline namespace v1 {
tensor session_core::output_view(const run_context& c, int output) const {
    const value& v = c.plan->record(c.plan->plan.outputs[std::size_t(output)]);
    return tensor::borrow(v.type, v.dims, c.outputs[std::size_t(output)]);
}
any_value session_core::fetch(const run_context& c, int output) const {
    const place& at = c.plan->output_places[std::size_t(output)];
    if (at.what == place::kind::own) {
        const any_value& value = c.values[std::size_t(at.index)];
        const tensor* t = value.as_tensor();
        const bool late = !c.plan->graph.values[std::size_t(at.index)]
                               .dims.known();  // by each run; else the context's pointers lead to it
        return !t || (late && t->sole_owner()) ? value : any_value(t->clone());
    }
    const tensor view = output_view(c, output);
    if (view.type() == element::string) return view.clone();
    tensor t = tensor::uninitialized(view.type(), view.shape());
    std::memcpy(t.data(), view.data(), std::size_t(view.bytes()));
    return t;
}

void session_core::run(std::span<const any_value* const> inputs, std::span<const int> positions,
                       std::span<any_value> outputs, const run_options& o, std::int64_t most_bytes, timed_steps* times,
                       grown_values* grown, std::vector<std::int64_t>* executed) {
    std::array<shape, 16> few;
    std::vector<shape> many(inputs.size() > few.size() ? inputs.size() : 0);
    const std::span<shape> shapes(many.empty() ? few.data() : many.data(), inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k)
        shapes[k] = inputs[k]->as_tensor() ? inputs[k]->as_tensor()->shape() : shape::unknown();
    std::unique_ptr<run_context> c;
    for (bool done = false; !done;) {
        c = context_for(shapes, grown ? grown->room : 0, most_bytes);
        c->most_bytes = most_bytes;
        c->failed_step = -1;
        c->why = "";
        for (std::size_t k = 0; k < inputs.size(); ++k) set_input(*c, int(k), *inputs[k]);
        if (grown) grown->before_run(*this, *c);
        try {
            if (const status s = times ? execute_timed(*c, o, *times) : execute(*c, o); s != status::ok)
                raise_status(*c, s);
            done = true;
        } catch (const error& e) {
            int who = failed_provider(*c);  // of a step; the kernel may be that of another candidate
            if (const auto handle = std::ranges::find(handles, e.provider, &provider_handle::name);
                who >= 0 && handle != handles.end())
                who = int(handle - handles.begin());
            if ((e.code != error_code::provider_failed && e.code != error_code::device_lost) ||
                !replace_failed(who, e.text) || c->plan->failures == failed_->count)
                throw;
        }
    }
    if (grown) grown->after_run(*this, *c);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        if (const place& at = c->plan->output_places[std::size_t(positions[k])]; at.what != place::kind::own)
            take_bytes(*c, output_view(*c, positions[k]).bytes());
        else if (const tensor* t = c->values[std::size_t(at.index)].as_tensor())
            c->memory.let_go(*t);
        outputs[k] = fetch(*c, positions[k]);
    }
    for (int id : c->plan->own_values)
        if (const value& v = c->plan->graph.values[std::size_t(id)]; !v.dims.known() || v.type == element::object)
            c->values[std::size_t(id)] = any_value();  // the results' now, or the caller's
    if (executed)
        for (std::size_t k = 0; k < c->executed.size(); ++k) (*executed)[k] += c->executed[k];
    give_back(std::move(c));
}
}  // namespace v1
}  // namespace inlay
