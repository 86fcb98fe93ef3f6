// Runs that are observed step by step, and values as they lie in the memory of a run.
#include "ports.hpp"
#include "session_parts.hpp"
#include "watch.hpp"

namespace inlay {
inline namespace v1 {
void lying_value::read(const std::function<void(std::span<const std::byte>)>& part) const {
    const tensor t = value.as_tensor()->on_host() ? *value.as_tensor() : tensor();
    const shape& dims = value.as_tensor()->shape();
    const element type = value.as_tensor()->type();
    if (dims.elements() == 0) return;
    const bool dense = dims.elements() < 2 || (!pitch && (order != layout::channels_last || layouts_coincide(dims)));
    const bool pairs = pitch < 0;  // of float32 values that are stored as bfloat16
    const element stored_type = pairs ? element::bf16 : type;
    const shape plain = strides_of(dims, layout::plain),
                from = dense ? plain : strides_of(dims, order, pairs ? -pitch : pitch);
    std::int64_t extent = 1;
    for (int i = 0; i < dims.rank; ++i) extent += (dims[i] - 1) * from[i];
    const tensor source =
        t ? t
          : tensor::borrow(stored_type, shape{extent}, value.as_tensor()->data(), value.as_tensor()->where())
                .copied_to(space_of<memory::host>);
    const auto* const first = static_cast<const std::byte*>(source.data());
    if (dense) return part({first, std::size_t(bytes_of(type, dims.elements()))});
    constexpr std::int64_t room = 1 << 16;  // elements
    const std::int64_t size = bits_of(type) / 8, stored_size = bits_of(stored_type) / 8, row_size = dims[dims.rank - 1],
                       step = from[dims.rank - 1];
    std::vector<std::byte> buffer(std::size_t(room * size));
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < dims.elements() / row_size; ++row) {
        std::int64_t at = 0;
        for (int i = 0; i + 1 < dims.rank; ++i) at += row * row_size / plain[i] % dims[i] * from[i];
        for (std::int64_t k = 0; k < row_size; ++k) {
            const std::byte* const element = first + (at + k * step) * stored_size;
            if (pairs) std::memset(buffer.data() + count * size, 0, 2);  // the upper half of a float32
            std::memcpy(buffer.data() + count * size + size - stored_size, element, std::size_t(stored_size));
            if (++count < room) continue;
            part(buffer);
            count = 0;
        }
    }
    if (count) part(std::span(buffer).first(std::size_t(count * size)));
}
// What a step reads or wrote.
static lying_value lying(const run_context& c, const exec_step& e, std::size_t argument) {
    const compiled_plan& p = *c.plan;
    const int id = p.plan.arguments[argument], source = p.source(id);
    const value& v = p.graph.values[std::size_t(source)];
    if (v.is_constant()) return {p.constant(v.constant).get()};
    const bool by_value = p.places[argument].what == place::kind::own &&
                          (v.type == element::object || !v.dims.known() || v.type == element::string);
    if (!by_value)
        return {tensor::borrow(v.type, v.dims, c.pointers[argument],
                               *p.spaces[std::size_t(p.plan.value_spaces[std::size_t(id)])]),
                p.plan.layouts[argument], p.plan.pitches[argument]};
    const auto it = c.device_values.find(source);
    if (e.what == exec_step::kind::telling && it != c.device_values.end()) return {it->second};
    return {c.values[std::size_t(source)], c.layouts[std::size_t(source)]};
}

int watched_step::number() const { return e_->step; }
const graph_view& watched_step::graph() const { return c_->plan->graph.view; }
std::vector<int> watched_step::nodes() const {
    const compiled_plan& p = *c_->plan;
    const graph_view& g = p.graph.view;
    const step& s = p.plan.steps[std::size_t(e_->step)];
    std::vector<int> nodes;
    if (s.unit >= g.units()) {
        const auto list = p.plan.assigned.list(p.plan.assigned.regions[std::size_t(s.unit - g.units())].nodes);
        nodes.assign(list.begin(), list.end());
    } else if (s.unit >= int(g.nodes.size())) {
        const auto list = g.list(g.unit(s.unit).sources);
        nodes.assign(list.begin(), list.end());
    } else if (s.unit >= 0)
        nodes.push_back(s.unit);
    return nodes;
}
std::string watched_step::provider() const {
    const step& s = c_->plan->plan.steps[std::size_t(e_->step)];
    return s.provider < 0 ? std::string() : (*handles_)[std::size_t(s.provider)].name;
}
std::string watched_step::what() const {
    const step& s = c_->plan->plan.steps[std::size_t(e_->step)];
    if (s.unit >= 0) return s.unit < graph().units() ? std::string(graph().unit(s.unit).op) : "region";
    return s.unit == step_kind::transfer ? "transfer" : "conversion";
}
std::vector<int> watched_step::values(bool outputs) const {
    const compiled_plan& p = *c_->plan;
    const step& s = p.plan.steps[std::size_t(e_->step)];
    std::vector<int> ids;
    for (int id : p.plan.list(outputs ? s.outputs : s.inputs))
        if (id >= 0 && !p.record(id).is_constant() && std::ranges::find(ids, p.source(id)) == ids.end())
            ids.push_back(p.source(id));
    return ids;
}
std::vector<int> watched_step::inputs() const { return values(false); }
std::vector<int> watched_step::outputs() const { return values(true); }
lying_value watched_step::value(bool outputs, int id) const {
    const compiled_plan& p = *c_->plan;
    const step& s = p.plan.steps[std::size_t(e_->step)];
    const range r = outputs ? s.outputs : s.inputs;
    for (int k = 0; k < r.count; ++k)
        if (const int a = p.plan.arguments[std::size_t(r.first + k)]; a >= 0 && p.source(a) == id)
            return lying(*c_, *e_, std::size_t(r.first + k));
    raise({error_code::not_found, "inlay: the step has no such value"});
}
lying_value watched_step::input(int id) const { return value(false, id); }
lying_value watched_step::output(int id) const { return value(true, id); }
std::map<std::string, tensor> watched_step::follow_from_shapes() const {
    std::map<std::string, tensor> constants;
    for (const v1::value& v : graph().values)
        if (v.is_constant() && c_->plan->follows_from_shapes(v.constant) && !v.name.empty())
            constants.emplace(v.name, c_->plan->constant(v.constant).get());
    return constants;
}

std::vector<watched_step> watched_steps(const std::vector<provider_handle>& handles, const run_context& c) {
    std::vector<watched_step> steps;
    for (const exec_step& e : c.plan->steps) steps.emplace_back(handles, c, e);
    return steps;
}

void watched_session::watch(std::span<const feed> feeds, step_watcher& w, const run_options& o) const {
    std::vector<const any_value*> in(inputs().size());
    place_feeds(feeds, inputs(), in);
    session_core::step_marks marks;
    marks.begin = [&](run_context& c) { w.begin(watched_steps(core_->setup.handles, c)); };
    marks.mark = [&](run_context& c, const exec_step& e, bool after) {
        const watched_step s(core_->setup.handles, c, e);
        return after ? w.after(s) : w.before(s);
    };
    core_->watch(in, o, marks);
}
}  // namespace v1
}  // namespace inlay
