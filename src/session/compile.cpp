// From a graph and its inputs' shapes to a plan with bound kernels.
#include "core.hpp"
#include <inlay/graph_data.hpp>
#include <inlay/kernels/relayout.hpp>
#if __has_include(<inlay/kernels/cpu/relayout.hpp>)
#include <inlay/kernels/cpu/relayout.hpp>
#endif

namespace inlay::inline v1 {
namespace {
constexpr std::int64_t largest_folded = 8192;  // elements of a value that is computed while planning
}

erased_providers::erased_providers(const std::vector<provider_handle>& all, const fallback& policy, std::vector<char> excluded) : all_(all), policy_(policy), excluded_(std::move(excluded)) {
    excluded_.resize(all.size(), 0);
    for (const provider_handle& h : all) if (std::ranges::find(spaces_, h.where) == spaces_.end()) spaces_.push_back(h.where);
}
provider_view erased_providers::view(int i) const {
    const provider_handle& h = all_[std::size_t(i)];
    provider_view v{h.name, {}, int(std::ranges::find(spaces_, h.where) - spaces_.begin()), h.claims != nullptr && !excluded_[std::size_t(i)]};
    if (h.kernels) v.kernels = h.kernels->entries;
    return v;
}
verdict erased_providers::accepts(int i, const node_view& n) const {
    const auto refuse = [](std::string_view why) { return verdict{false, why, refusal::provider, 0}; };
    if (excluded_[std::size_t(i)]) return refuse("the provider failed and was replaced");
    if (i > 0 && policy_.policy == fallback::kind::never) return refuse("fallback::never: only the first provider may run nodes");
    if (i > 0 && policy_.policy == fallback::kind::only && std::ranges::find(policy_.operators, n.record.op) == policy_.operators.end())
        return refuse("fallback::only: this operator may not leave the first provider");
    return all_[std::size_t(i)].accepts(all_[std::size_t(i)].object.get(), n);
}
std::vector<claim> erased_providers::claims(int i, const graph_view& g, std::span<const int> free) const {
    const provider_handle& h = all_[std::size_t(i)];
    std::vector<int> allowed;
    for (int k : free) if (accepts(i, node_view{g, g.nodes[std::size_t(k)]})) allowed.push_back(k);
    return h.claims(h.object.get(), g, allowed);
}

const tensor& session_core::constant(const compiled_plan& p, int index) const {
    const auto own = graph.constants.size();
    return std::size_t(index) < own ? graph.constants[std::size_t(index)] : p.extra_constants[std::size_t(index) - own];
}
const entry* session_core::rule_for(const node& n) const {
    for (const provider_handle& h : handles) if (h.kernels) if (const entry* e = find_entry(*h.kernels, n)) return e;
    return find_entry(reference_kernels(), n);
}

// The node's outputs become constants of this plan.
void session_core::fold(compiled_plan& p, const node& n) const {
    const auto in = p.graph.view.list(n.inputs);
    std::vector<any_value> values;
    for (int id : in) {
        if (id < 0) { values.emplace_back(); continue; }
        const value& v = p.graph.values[std::size_t(id)];
        values.emplace_back(v.is_constant() ? constant(p, v.constant) : tensor::borrow(v.type, v.dims, nullptr));
    }
    std::vector<const any_value*> pointers;
    for (std::size_t k = 0; k < in.size(); ++k) pointers.push_back(in[k] < 0 ? nullptr : &values[k]);
    std::vector<any_value> outputs(std::size_t(n.outputs.count));
    const candidate plain{&reference_kernels()};
    run_node(std::span(&plain, 1), p.graph, n, pointers, outputs, {level, {}});
    const auto out = p.graph.view.list(n.outputs);
    for (std::size_t k = 0; k < out.size(); ++k) {
        if (out[k] < 0 || !outputs[k].as_tensor()) continue;
        value& v = p.graph.values[std::size_t(out[k])];
        v.constant = int(graph.constants.size() + p.extra_constants.size());
        read_contents(v, *outputs[k].as_tensor(), p.graph.integers, p.graph.reals);
        p.extra_constants.push_back(*outputs[k].as_tensor());
    }
    p.graph.own_integers = p.graph.integers.size();
    p.graph.own_reals = p.graph.reals.size();
    p.graph.refresh();
}

// Every shape that the inputs' shapes tell, and every small value that follows from shapes and constants alone.
void session_core::specialise(compiled_plan& p, std::span<const shape> inputs) const {
    for (std::size_t k = 0; k < inputs.size(); ++k) p.graph.values[std::size_t(view_.inputs[k])].dims = inputs[k];
    for (const node& n : p.graph.view.nodes) {
        const auto in = p.graph.view.list(n.inputs), out = p.graph.view.list(n.outputs);
        const auto record = [&](int id) -> const value& { return p.graph.values[std::size_t(id)]; };
        if (std::ranges::all_of(out, [&](int id) { return id < 0 || record(id).is_constant(); })) continue;
        for (int id : out) if (id >= 0) p.graph.values[std::size_t(id)].dims = shape::unknown();
        const entry* e = is_control_flow(n) ? nullptr : rule_for(n);
        if (!e || !std::ranges::all_of(in, [&](int id) { return id < 0 || record(id).type == element::object || record(id).dims.known(); })) continue;
        if (!infer_shapes(*e, p.graph, n)) continue;
        const bool by_shape = n.domain.empty() && (n.op == "Shape" || n.op == "Size");
        if (e->data_dependent || !(by_shape || std::ranges::all_of(in, [&](int id) { return id < 0 || record(id).is_constant(); }))) continue;
        if (std::ranges::all_of(out, [&](int id) { return id < 0 || (record(id).type != element::object && record(id).dims.elements() <= largest_folded); }) && find_entry(reference_kernels(), n)) fold(p, n);
    }
}

void session_core::raise_unowned(const graph_view& g, const assignment& a) const {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (a.owners[i] != owner::nobody) continue;
        const node& n = g.nodes[i];
        error e;
        e.code = error_code::no_provider;
        e.node = n.name;
        e.op = n.op;
        e.version = n.version;
        e.text = describe_node(n) + ": no provider runs it.";
        for (std::size_t p = 0; p < handles.size(); ++p) e.text += " " + std::string(handles[p].name) + ": " + explain(a.verdicts[i * handles.size() + p], n) + ";";
        e.text.pop_back();
        raise(std::move(e));
    }
    raise({error_code::invalid_model, "inlay: the graph has a cycle"});
}

std::shared_ptr<bound_state> session_core::bind_shared(const compiled_plan& p, std::array<int, 3> key, const node& n, const kernel_functions& f, const void* params, std::int64_t bytes, weights w) {
    const auto ids = p.graph.view.list(n.inputs);
    // What a plan made known is not the model's: the next plan may know something else.
    const bool shared = std::ranges::all_of(ids, [&](int id) { return id < 0 || p.graph.values[std::size_t(id)].constant < int(graph.constants.size()); });
    if (!shared) return bind_kernel(f, params, bytes, w, level, executor_.threads, n.name);
    const std::lock_guard lock(mutex_);
    auto& state = states_[key];
    if (!state) state = bind_kernel(f, params, bytes, w, level, executor_.threads, n.name);
    return state;
}

void session_core::add_kernel_step(compiled_plan& p, exec_step& e, const step& s) {
    const node& n = p.graph.view.unit(s.unit);
    const kernel_table& table = kernels_at(s.provider);
    const kernel_functions& f = table.functions[std::size_t(s.kernel)];
    const node_view view{p.graph.view, n, p.plan.layouts.data() + s.inputs.first};
    auto& params = p.params.emplace_back(f.params_bytes / sizeof(std::max_align_t) + 1);
    f.prepare(view, params.data());
    const bytes_needed need = table.entries[std::size_t(s.kernel)].footprint(view, executor_.threads);
    std::vector<const void*> known;
    for (int k = 0; k < s.inputs.count; ++k) {
        const place& at = p.places[std::size_t(s.inputs.first + k)];
        known.push_back(at.what == place::kind::constant ? at.pointer : nullptr);
    }
    const auto state = bind_shared(p, {s.unit, s.provider, s.kernel}, n, f, params.data(), need.constant, {known.data()});
    p.packed_bytes += state->storage.bytes();
    p.states.push_back(state);
    e.run = f.run;
    e.params = params.data();
    e.state = state->state;
}

namespace {
// The conversion kernels, by the size of an element.
template <int Bits> auto relayout_kernel() {
    if constexpr (written<kernel<op::relayout, device::cpu, types<raw<Bits>>>>) return std::type_identity<kernel<op::relayout, device::cpu, types<raw<Bits>>>>{};
    else return std::type_identity<kernel<op::relayout, device::reference, types<raw<Bits>>>>{};
}
template <int Bits> void make_conversion(compiled_plan& p, exec_step& e, const shape& dims, layout to) {
    using K = typename decltype(relayout_kernel<Bits>())::type;
    auto& params = p.params.emplace_back(sizeof(typename K::params) / sizeof(std::max_align_t) + 1);
    new (params.data()) typename K::params(K::prepare(dims, to));
    constexpr kernel_functions f = erase<K>();
    const auto state = bind_kernel(f, params.data(), 0, {nullptr}, isa::level::sse2, 1, "layout conversion");
    p.states.push_back(state);
    e.run = f.run;
    e.params = params.data();
    e.state = state->state;
}
}  // namespace

void session_core::bind_steps(compiled_plan& p, const erased_providers& list) {
    const plan& plan = p.plan;
    for (int i = 0; i < list.spaces(); ++i) p.spaces.push_back(&list.space_at(i));
    const int values = int(p.graph.values.size());
    const auto record = [&](int id) -> const value& {
        while (id >= values) id = plan.copies[std::size_t(id - values)].source;
        return p.graph.values[std::size_t(id)];
    };
    std::vector<const void*> constants(std::size_t(values), nullptr);
    for (int id = 0; id < values; ++id) if (record(id).is_constant()) constants[std::size_t(id)] = constant(p, record(id).constant).data();

    std::map<std::pair<int, int>, const void*> uploads;
    const auto place_of = [&](int id, int space) -> place {
        if (id < 0) return {};
        const value& v = record(id);
        if (v.is_constant()) {
            if (space == 0) return {place::kind::constant, 0, 0, constants[std::size_t(id)]};
            auto& there = uploads[{id, space}];
            if (!there) { p.uploaded.push_back(constant(p, v.constant).copied_to(list.space_at(space))); there = p.uploaded.back().data(); }
            return {place::kind::constant, 0, 0, there};
        }
        if (plan.offsets[std::size_t(id)] >= 0) return {place::kind::arena, plan.value_spaces[std::size_t(id)], plan.offsets[std::size_t(id)], nullptr};
        return {place::kind::held, id, 0, nullptr};
    };
    p.places.resize(plan.arguments.size());
    std::vector<char> is_held(std::size_t(values), 0);
    for (const step& s : plan.steps) {
        const int space = s.provider >= 0 ? list.view(s.provider).space : 0;
        for (range r : {s.inputs, s.outputs}) for (int k = r.first; k < r.first + r.count; ++k) {
            const place at = place_of(plan.arguments[std::size_t(k)], space);
            p.places[std::size_t(k)] = at;
            if (at.what == place::kind::held) is_held[std::size_t(at.index)] = 1;
        }
    }
    for (int id : plan.outputs) {
        p.output_places.push_back(place_of(id, 0));
        if (p.output_places.back().what == place::kind::held) is_held[std::size_t(p.output_places.back().index)] = 1;
    }
    for (int id = 0; id < values; ++id) if (is_held[std::size_t(id)]) p.held.push_back(id);
    for (int id : p.graph.view.inputs) {
        auto& own = p.input_arguments.emplace_back();
        for (std::size_t k = 0; k < plan.arguments.size(); ++k)
            if (const int a = plan.arguments[k]; a >= 0 && !record(a).is_constant() && plan.roots[std::size_t(a)] == id) own.push_back(k);
    }

    p.params.reserve(plan.steps.size());
    for (std::size_t t = 0; t < plan.steps.size(); ++t) {
        const step& s = plan.steps[t];
        exec_step e;
        e.step = int(t);
        e.in = std::size_t(s.inputs.first);
        e.out = std::size_t(s.outputs.first);
        if (s.unit == step_kind::transfer) e.what = exec_step::kind::transfer;
        else if (s.unit == step_kind::conversion) {
            const value& v = record(plan.arguments[e.in]);
            const layout to = plan.layouts[e.out];
            switch (bits_of(v.type)) {
                case 8: make_conversion<8>(p, e, v.dims, to); break;
                case 16: make_conversion<16>(p, e, v.dims, to); break;
                case 32: make_conversion<32>(p, e, v.dims, to); break;
                case 64: make_conversion<64>(p, e, v.dims, to); break;
                default: make_conversion<128>(p, e, v.dims, to); break;
            }
        } else if (s.unit >= p.graph.view.units()) {
            const assigned_region& r = plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())];
            const provider_handle& h = handles[std::size_t(s.provider)];
            auto engine = h.compile(h.object.get(), {p.graph.view, plan.assigned.list(r.nodes), plan.assigned.list(r.inputs), plan.assigned.list(r.outputs), constants});
            if (!engine) {
                error failure(error_code::provider_failed, std::string(h.name) + ": it could not compile a region of " + std::to_string(r.nodes.count) + " nodes that it had claimed");
                failure.provider = h.name;
                throw engine_failure{s.provider, std::move(failure)};
            }
            e.what = exec_step::kind::region;
            e.engine = engine.get();
            p.engines.push_back(std::move(engine));
        } else if (s.provider < 0) { e.what = exec_step::kind::control_flow; p.late = true; }
        else if (s.kernel == chosen_at_run) {
            e.what = exec_step::kind::late;
            p.late = true;
            const int first = int(p.candidates.size());  // a kernel may yet refuse the shapes: then the next of the list is asked
            for (int q = s.provider; q < list.size(); ++q)
                if (handles[std::size_t(q)].kernels && list.view(q).space == 0 && list.accepts(q, node_view{p.graph.view, p.graph.view.unit(s.unit)})) p.candidates.push_back({handles[std::size_t(q)].kernels, q, handles[std::size_t(q)].name});
            e.candidates = {first, int(p.candidates.size()) - first};
        }
        else add_kernel_step(p, e, s);
        p.steps.push_back(e);
    }
}

erased_providers session_core::provider_list() const {
    const std::lock_guard lock(failed_->lock);
    return erased_providers(handles, options.fallback, failed_->which);
}
bool session_core::replace_failed(int provider, const std::string& why) {
    if (options.fallback.policy != fallback::kind::any || provider < 0 || handles[std::size_t(provider)].name == cpu::name) return false;
    const std::string_view name = handles[std::size_t(provider)].name;
    const std::string note = (why.starts_with(name) ? "" : std::string(name) + " failed: ") + why + "; the next providers of the list took over";
    {
        const std::lock_guard lock(failed_->lock);
        if (std::exchange(failed_->which[std::size_t(provider)], 1)) return true;  // another run was first
        failed_->notes.push_back(note);
        ++failed_->count;
    }
    note_log(severity::warning, note);
    return true;
}

std::shared_ptr<compiled_plan> session_core::compile(std::span<const shape> inputs) {
    for (;;) {
        auto p = std::make_shared<compiled_plan>(view_);
        p->failures = failed_->count;
        const erased_providers list = provider_list();
        p->key.assign(inputs.begin(), inputs.end());
        specialise(*p, inputs);
        p->plan = make_plan(p->graph.view, list, executor_.threads);
        const assignment& a = p->plan.assigned;
        if (std::ranges::count(a.owners, owner::nobody) || !order_units(p->graph.view, a.unit_of, p->graph.view.units() + int(a.regions.size())).acyclic) raise_unowned(p->graph.view, a);
        try {
            bind_steps(*p, list);
            return p;
        } catch (const engine_failure& e) {
            if (!replace_failed(e.provider, e.why.text)) raise(e.why);
        }
    }
}
}  // namespace inlay::inline v1
