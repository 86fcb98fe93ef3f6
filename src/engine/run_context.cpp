#include "run_context.hpp"

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
void raise_run_bytes(std::int64_t bytes, std::int64_t left) {
    error e(error_code::limit_exceeded, "inlay: the run needs " + std::to_string(bytes) + " bytes of memory, and " +
                                            std::to_string(left) + " of limits::run_bytes are left to it");
    e.hint = "raise limits::run_bytes";
    raise(std::move(e));
}
std::int64_t run_context::bytes() {
    std::int64_t sum = checked_sum(scratch.bytes(), memory.bytes());
    for (const tensor& arena : arenas) sum += arena.bytes();
    for (const auto& [id, t] : device_values) sum += t.bytes();
    for (const any_value& v : values)
        if (const tensor* t = v.as_tensor(); t && *t && !memory.owns(*t)) sum += t->bytes();
    return sum;
}
void run_context::forget(int id) {
    any_value& v = values[std::size_t(id)];
    if (const tensor* t = v.as_tensor(); t && *t && !memory.owns(*t)) bytes_left += t->bytes();
    v = any_value();
}
void run_context::begin() {
    bytes_left = most_bytes - plan->run_bytes;
    executed = plan->executed;
    for (int id : plan->late_values) values[std::size_t(id)] = any_value();  // outputs of the previous run
    memory.begin_run();
    if (memory.bytes() > bytes_left) memory.drop_free();
    bytes_left -= memory.bytes();
}
void run_context::take_bytes(std::int64_t bytes) {
    if (bytes > bytes_left) raise_run_bytes(bytes, bytes_left);
    bytes_left -= bytes;
}
any_value run_context::value_at(std::size_t argument) const {
    const compiled_plan& p = *plan;
    if (p.plan.arguments[argument] < 0) return {};
    const int id = p.source(p.plan.arguments[argument]);
    const value& v = p.graph.values[std::size_t(id)];
    if (p.places[argument].what == place::kind::own &&
        (v.type == element::object || !v.dims.known() || v.type == element::string))
        return values[std::size_t(id)];
    return tensor::borrow(v.type, v.dims, pointers[argument]);
}
void run_context::set_input(int input, const any_value& v) {
    const compiled_plan& p = *plan;
    const int id = p.graph.view.inputs[std::size_t(input)];
    if (p.graph.values[std::size_t(id)].type == element::object || !v.as_tensor()) {
        values[std::size_t(id)] = v;
        return;
    }
    if (std::ranges::binary_search(p.own_values, id)) values[std::size_t(id)] = v;
    for (std::size_t at : p.input_arguments[std::size_t(input)]) pointers[at] = v.as_tensor()->data();
    for (std::size_t k : p.input_outputs[std::size_t(input)]) outputs[k] = v.as_tensor()->data();
}
tensor run_context::output_view(int output) const {
    const value& v = plan->record(plan->plan.outputs[std::size_t(output)]);
    return tensor::borrow(v.type, v.dims, outputs[std::size_t(output)]);
}
any_value run_context::fetch(int output) const {
    const place& at = plan->output_places[std::size_t(output)];
    if (at.what == place::kind::own) {
        const any_value& value = values[std::size_t(at.index)];
        const tensor* t = value.as_tensor();
        const bool late =
            !plan->graph.values[std::size_t(at.index)].dims.known();  // set by each run; else the pointers lead to it
        return !t || (late && t->sole_owner()) ? value : any_value(t->clone());
    }
    const tensor view = output_view(output);
    if (view.type() == element::string) return view.clone();
    tensor t = tensor::uninitialized(view.type(), view.shape());
    std::memcpy(t.data(), view.data(), std::size_t(view.bytes()));
    return t;
}
}  // namespace v1
}  // namespace inlay
