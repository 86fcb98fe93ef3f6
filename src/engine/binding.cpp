// Bindings, and plans for given shapes.
#include "bind_memory.hpp"
#include "ports.hpp"
#include "run_failures.hpp"
#include "session_parts.hpp"
#include "session_report.hpp"

namespace inlay {
inline namespace v1 {
struct binding::impl {
    std::shared_ptr<session_core> core;
    std::unique_ptr<run_context> context;
    bound_memory memory;
    std::optional<error> raised;  // by the last run

    // If anything cannot be bound, the binding stays as it was.
    template <class T> void rebind(T& target, T to) {
        std::swap(target, to);
        try {
            bind_memory(*context, memory);
        } catch (...) {
            target = std::move(to);
            bind_memory(*context, memory);
            throw;
        }
    }
    status failed() noexcept {  // by an exception that is being handled
        context->failure = "the system has no memory left";
        try {
            error e = current_error();
            const status s = status_of(e.code);
            int provider = failed_provider(*context, core->setup.handles);
            if (const auto named = std::ranges::find(core->setup.handles, e.provider, &provider_handle::name);
                named != core->setup.handles.end())
                provider = int(named - core->setup.handles.begin());
            if (e.code == error_code::provider_failed || e.code == error_code::device_lost)
                core->setup.failed.replace(provider, e.text);
            context->failure = e.text;
            raised = std::move(e);
            return s;
        } catch (...) {
            return status::out_of_memory;
        }
    }
    bool copies(const std::vector<outside_copy>& transfers) noexcept {
        for (const outside_copy& c : transfers)
            if (!c.run()) {
                context->failure = "a bound tensor could not be copied";
                return false;
            }
        return true;
    }
};
binding::binding(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
binding::binding(binding&&) noexcept = default;
binding& binding::operator=(binding&&) noexcept = default;
binding::~binding() = default;

std::vector<shape> bound_shapes(const session_core& core,
                                std::span<const std::pair<std::string_view, shape>> input_shapes) {
    const auto ports = core.source->inputs();
    std::vector<shape> shapes;
    for (const port& p : ports) shapes.push_back(p.shape);
    for (std::size_t n = 0; n < input_shapes.size(); ++n)
        shapes[std::size_t(find_port(ports, input_shapes[n].first, "input", n))] = input_shapes[n].second;
    shape_check check;
    for (std::size_t k = 0; k < ports.size(); ++k) {
        if (ports[k].kind != value_kind::tensor)
            raise({error_code::invalid_argument, "inlay: input `" + ports[k].name + "` is a " +
                                                     std::string(name_of(ports[k].kind)) +
                                                     "; only tensors can be bound"});
        if (!shapes[k].known())
            raise({error_code::shape_mismatch, "inlay: input `" + ports[k].name + "` has symbolic dimensions " +
                                                   to_string(shapes[k]) + "; give its shape to bind()"});
        check(ports[k], shapes[k]);
    }
    return shapes;
}

binding session_base::bind(std::span<const std::pair<std::string_view, shape>> shapes) const {
    auto b = std::make_unique<binding::impl>();
    b->core = core_;
    b->context = core_->context_for(bound_shapes(*core_, shapes), 0, core_->setup.run_bytes);
    const auto ports = inputs();
    for (std::size_t k = 0; k < ports.size(); ++k) {
        b->memory.inputs.emplace_back(ports[k].type, b->context->plan->key[k]);
        b->context->set_input(int(k), b->memory.inputs.back());
    }
    b->memory.outputs.resize(outputs().size());
    return binding(std::move(b));
}
void session_base::warm_up(int runs, std::span<const std::pair<std::string_view, shape>> input_shapes) const {
    const auto ports = inputs();
    const std::vector<shape> shapes = bound_shapes(*core_, input_shapes);
    std::vector<feed> zeros;
    for (std::size_t k = 0; k < ports.size(); ++k) zeros.push_back({ports[k].name, tensor(ports[k].type, shapes[k])});
    for (int i = 0; i < runs; ++i) run(zeros);
}
tensor_view binding::input(std::string_view name) {
    return tensor_view(impl_->memory.inputs[std::size_t(find_port(impl_->core->source->inputs(), name, "input"))]);
}
void binding::set_input(std::string_view name, const tensor& t) {
    const auto ports = impl_->core->source->inputs();
    const auto k = std::size_t(find_port(ports, name, "input"));
    shape_check check;
    check_value(ports[k], t, check);
    bound_memory& m = impl_->memory;
    if (t.shape() != m.inputs[k].shape())
        raise({error_code::shape_mismatch, "inlay: input `" + ports[k].name + "` is bound with shape " +
                                               to_string(m.inputs[k].shape()) + ", not " + to_string(t.shape())});
    const bool simple = t.on_host() && m.inputs[k].on_host() &&
                        std::ranges::none_of(m.outputs, [](const bound_output& o) { return bool(o.result); });
    if (!simple) return impl_->rebind(m.inputs[k], t);
    m.inputs[k] = t;
    impl_->context->set_input(int(k), t);
}
void binding::bind_output(std::string_view name, const tensor& memory, const space* target) {
    const auto ports = impl_->core->source->outputs();
    const int k = find_port(ports, name, "output");
    const run_context& c = *impl_->context;
    const value& v = c.plan->record(c.plan->plan.outputs[std::size_t(k)]);
    const auto refuse = [&](error_code code, const std::string& reason) {
        raise({code, "inlay: output `" + ports[std::size_t(k)].name + "` " + reason});
    };
    if (v.type == element::object || v.type == element::string || !v.dims.known())
        refuse(error_code::invalid_argument,
               "has no memory that could be bound: it holds " +
                   std::string(v.type == element::string   ? "strings"
                               : v.type == element::object ? "no tensor"
                                                           : "a tensor whose size only the run determines"));
    if (memory && memory.type() != v.type)
        refuse(error_code::type_mismatch,
               "has elements of type " + std::string(name_of(v.type)) + ", not " + std::string(name_of(memory.type())));
    if (memory && memory.shape() != v.dims)
        refuse(error_code::shape_mismatch, "has shape " + to_string(v.dims) + ", not " + to_string(memory.shape()));
    impl_->rebind(impl_->memory.outputs[std::size_t(k)], {memory, target, {}});
}
void binding::set_output(std::string_view name, const tensor& memory) {
    if (!memory)
        raise({error_code::invalid_argument,
               "inlay: output `" + std::string(name) + "` is to be bound to a tensor without memory"});
    bind_output(name, memory, nullptr);
}
void binding::set_output(std::string_view name, const space& target) {
    bind_output(name, {}, &target == &space_of<memory::host> ? nullptr : &target);
}
tensor_view binding::output(std::string_view name) const {
    const auto ports = impl_->core->source->outputs();
    const int k = find_port(ports, name, "output");
    if (const tensor& bound = impl_->memory.outputs[std::size_t(k)].result) return tensor_view(bound);
    const place& at = impl_->context->plan->output_places[std::size_t(k)];
    if (at.what != place::kind::own) return tensor_view(impl_->context->output_view(k));
    const any_value& v = impl_->context->values[std::size_t(at.index)];
    if (!v.as_tensor())
        raise({error_code::type_mismatch,
               "inlay: output `" + ports[std::size_t(k)].name + "` is no tensor, or nothing ran yet"});
    return tensor_view(*v.as_tensor());
}
void session_base::parts::set_memory(binding& b, std::span<const tensor> inputs, std::span<const tensor> outputs) {
    const run_context& c = *b.impl_->context;
    bound_memory m;
    m.inputs.assign(inputs.begin(), inputs.end());
    for (const tensor& t : outputs) m.outputs.push_back({t, nullptr, {}});
    const auto same = [](const tensor& t, element type, const shape& dims) {
        return t.on_host() && t.type() == type && t.shape() == dims;
    };
    bool fits = m.inputs.size() == b.impl_->memory.inputs.size() && m.outputs.size() == c.outputs.size();
    for (std::size_t k = 0; fits && k < m.inputs.size(); ++k) {
        const tensor& input = b.impl_->memory.inputs[k];
        fits = same(m.inputs[k], input.type(), input.shape());
    }
    for (std::size_t k = 0; fits && k < m.outputs.size(); ++k) {
        const value& v = c.plan->record(c.plan->plan.outputs[k]);
        fits = !m.outputs[k].memory ||
               (v.type != element::string && v.dims.known() && same(m.outputs[k].memory, v.type, v.dims));
    }
    if (!fits) raise({error_code::invalid_argument, "inlay: the memory does not fit what is bound"});
    b.impl_->rebind(b.impl_->memory, std::move(m));
}
void session_base::parts::raise_failure(const binding& b, status s) {
    if (b.impl_->raised) raise(*b.impl_->raised);
    raise_status(*b.impl_->context, s, b.impl_->core->setup.handles);
}
status binding::run(const run_options& o) noexcept {
    impl_->raised.reset();
    impl_->context->clear_failure();
    try {
        if (!impl_->copies(impl_->memory.before)) return status::failed;
        const status s = impl_->core->runner.execute(*impl_->context, o);
        if (s == status::ok && !impl_->copies(impl_->memory.after)) return status::failed;
        if (s == status::failed || s == status::device_lost)
            impl_->core->setup.failed.replace(failed_provider(*impl_->context, impl_->core->setup.handles),
                                              std::string(impl_->context->failure));
        return s;
    } catch (...) {
        return impl_->failed();
    }
}
std::vector<provider_count> binding::executed() const {
    return counts_of(*impl_->core->setup.names, impl_->context->executed);
}
run_profile binding::profile(int runs, const run_options& o) {
    if (!impl_->copies(impl_->memory.before)) raise({error_code::provider_failed, "inlay: " + std::string(why())});
    return impl_->core->runner.profile(*impl_->context, runs, o);
}
std::string_view binding::why() const { return impl_->context->failure; }

plan_report session_base::plan() const {
    std::string reason;
    const auto p = core_->plan_for_report(&reason);
    plan_report r = report_of(*core_, p.get());
    if (!p)
        r.notes.push_back(
            "no steps, since the model cannot be planned where symbolic dimensions are 1; give the inputs' shapes: " +
            reason);
    return r;
}
plan_report session_base::plan(std::span<const std::pair<std::string_view, shape>> shapes) const {
    return report_of(*core_, core_->plan_for(bound_shapes(*core_, shapes)).get());
}
memory_report session_base::memory() const {
    std::string reason;
    const auto p = core_->plan_for_report(&reason);
    if (!p)
        raise(
            {error_code::shape_mismatch,
             "inlay: memory cannot be planned where symbolic dimensions are 1; give the inputs' shapes to memory(): " +
                 reason});
    return memory_report_of(*core_, *p);
}
void session_base::release_memory() const { core_->release_memory(); }
memory_report session_base::memory(std::span<const std::pair<std::string_view, shape>> shapes) const {
    return memory_report_of(*core_, *core_->plan_for(bound_shapes(*core_, shapes)));
}
}  // namespace v1
}  // namespace inlay
