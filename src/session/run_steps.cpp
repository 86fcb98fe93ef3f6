// The steps of a run.
#include "core.hpp"
#include <inlay/impl/denormals.hpp>

namespace inlay::inline v1 {
any_value session_core::value_at(const run_context& c, std::size_t argument) const {
    const compiled_plan& p = *c.plan;
    if (p.plan.arguments[argument] < 0) return {};
    const int id = p.source(p.plan.arguments[argument]);
    const value& v = p.graph.values[std::size_t(id)];
    if (p.places[argument].what == place::kind::held && (v.type == element::object || !v.dims.known() || v.type == element::string)) return c.held[std::size_t(id)];
    return tensor::borrow(v.type, v.dims, c.pointers[argument]);
}

void session_core::run_late(run_context& c, const exec_step& e, const context& base) {
    const compiled_plan& p = *c.plan;
    const step& s = p.plan.steps[std::size_t(e.step)];
    const node& n = p.graph.view.unit(s.unit);
    auto& [inputs, outputs, pointers] = c.late;
    inputs.clear();
    pointers.clear();
    outputs.assign(std::size_t(s.outputs.count), any_value());
    for (int k = 0; k < s.inputs.count; ++k) inputs.push_back(value_at(c, e.in + std::size_t(k)));
    for (int k = 0; k < s.inputs.count; ++k) pointers.push_back(p.plan.arguments[e.in + std::size_t(k)] < 0 ? nullptr : &inputs[std::size_t(k)]);
    for (int k = 0; k < s.outputs.count; ++k)  // the memory of the run before
        if (const int id = p.plan.arguments[e.out + std::size_t(k)]; id >= 0 && p.places[e.out + std::size_t(k)].what == place::kind::held) outputs[std::size_t(k)] = std::exchange(c.held[std::size_t(id)], any_value());
    const auto bind = [&](int provider, int kernel, const void* params, std::int64_t bytes, constants w) {
        const kernel_functions& f = kernels_at(provider).functions[std::size_t(kernel)];
        const auto make = [&] { return bind_kernel(f, params, bytes, w, level, executor_.threads, n.name); };
        return bind_shared(p, s.unit, provider, n, f, std::cref(make));
    };
    run_node(std::span(p.candidates).subspan(std::size_t(e.candidates.first), std::size_t(e.candidates.count)), *c.live, n, pointers, outputs, {level, base, c.bytes_left, std::cref(bind)});
    for (const any_value& v : outputs) if (v.as_tensor()) take_bytes(c, v.as_tensor()->bytes());
    inputs.clear();  // so that their memory may be written to again
    store_outputs(c, e, s, outputs);
}
void session_core::store_outputs(run_context& c, const exec_step& e, const step& s, std::span<any_value> outputs) {
    const compiled_plan& p = *c.plan;
    for (int k = 0; k < s.outputs.count; ++k) {
        const std::size_t argument = e.out + std::size_t(k);
        const int id = p.plan.arguments[argument];
        if (id < 0) continue;
        const place& at = p.places[argument];
        const tensor* t = outputs[std::size_t(k)].as_tensor();
        if (at.what == place::kind::held) c.held[std::size_t(id)] = t && !t->sole_owner() ? any_value(t->clone()) : std::move(outputs[std::size_t(k)]);  // a loop may pass on what it was given
        else if (t) {  // its shape was known after all
            const value& v = p.graph.values[std::size_t(id)];
            if (t->shape() != v.dims || t->type() != v.type) raise_for_node(error_code::shape_mismatch, p.graph.view, p.graph.view.unit(s.unit), "output " + std::to_string(k) + " is " + to_string(t->shape()) + ", not " + to_string(v.dims));
            std::memcpy(const_cast<void*>(c.pointers[argument]), t->data(), std::size_t(t->bytes()));
        }
    }
}

status session_core::transfer_value(const compiled_plan& p, const exec_step& e, const arguments& a) const {
    const copied_value& copy = p.copy(p.plan.arguments[e.out]);
    const int from = p.plan.value_spaces[std::size_t(copy.source)];
    const value& v = p.record(copy.source);
    const auto bytes = std::size_t(bytes_of(v.type, v.dims.elements()));
    const bool good = copy.space == 0 ? p.spaces[std::size_t(from)]->to_host(a.outputs[0], a.inputs[0], bytes) : p.spaces[std::size_t(copy.space)]->from_host(a.outputs[0], a.inputs[0], bytes);
    return good ? status::ok : status::failed;
}
// mark() before and after each step: nothing, or a look at the clock.
template <class Mark> status session_core::run_steps(run_context& c, const run_options& o, Mark mark) {
    const denormals_flushed guard(flush_denormals_);
    const compiled_plan& p = *c.plan;
    context x = make_base(o);
    x.scratch = static_cast<std::byte*>(c.scratch.data());
    c.bytes_left = c.most_bytes - p.run_bytes;
    for (const exec_step& e : p.steps) {
        if (x.stoppable() && x.stopped()) return x.end_of_run();
        const arguments a{c.pointers.data() + e.in, const_cast<void* const*>(c.pointers.data() + e.out)};
        status done = status::ok;
        mark();
        switch (e.what) {
            case exec_step::kind::kernel: done = e.run(e.params, e.state, a, x); break;
            case exec_step::kind::region: done = e.engine->run(a, x); break;
            case exec_step::kind::transfer: done = transfer_value(p, e, a); break;
            case exec_step::kind::late: c.failed_step = e.step; run_late(c, e, x); c.failed_step = -1; break;
            case exec_step::kind::control_flow: run_control_flow(c, e, o); break;
        }
        mark();
        if (done != status::ok) [[unlikely]] {
            c.failed_step = e.step;
            c.why = x.detail;
            return done == status::stopped ? x.end_of_run() : done;
        }
    }
    return status::ok;
}
status session_core::execute(run_context& c, const run_options& o) { return run_steps(c, o, [] {}); }
status session_core::execute_timed(run_context& c, const run_options& o, moment* marks) { return run_steps(c, o, [&] { *marks++ = std::chrono::steady_clock::now(); }); }
}  // namespace inlay::inline v1
