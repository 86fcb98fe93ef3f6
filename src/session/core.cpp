// Contexts, plans and runs of one graph.
#include "core.hpp"
#include <kernels/denormals.hpp>
#include <inlay/graph_data.hpp>
#include <iostream>

namespace inlay::inline v1 {
session_core::session_core(std::shared_ptr<const void> keep, const graph_data& g, const graph_view& v, session_options o, std::vector<provider_handle> list, const session_core* parent)
    : graph(g), options(std::move(o)), handles(std::move(list)), keep_(std::move(keep)), view_(v) {
    if (parent) {
        level = parent->level;
        executor_ = parent->executor_;
        flush_denormals_ = parent->flush_denormals_;
        failed_ = parent->failed_;
        return;
    }
    failed_ = std::make_shared<failed_providers>();
    failed_->which.assign(handles.size(), 0);
    std::optional<isa::level> wanted;
    std::optional<int> threads = options.intra_op_num_threads;
    for (const provider_handle& h : handles) {
        if (!wanted) wanted = h.level;
        if (!threads) threads = h.threads;
        flush_denormals_ |= h.flush_denormals;
    }
    const auto chosen = isa::choose(wanted);
    if (!chosen) raise({error_code::no_such_level, "inlay: this machine lacks the instruction set that `isa` or INLAY_ISA asks for, or there is none of that name; sse2, avx2 and avx512 are built in"});
    level = *chosen;
    if (threads && *threads < 0) raise({error_code::invalid_option, "inlay: a session cannot have " + std::to_string(*threads) + " threads"});
    executor_ = options.executor;
    if (executor_) return;
    own_pool_ = std::make_unique<thread_pool>(threads.value_or(0), flush_denormals_);
    executor_ = executor_ref(*own_pool_);
}

void session_core::note_log(severity s, std::string_view text) const {
    if (int(s) < options.log_severity_level) return;
    if (options.log) options.log(s, text);
    else std::cerr << "inlay: " << text << '\n';
}

context session_core::make_base(const run_options& o) const {
    context x;
    x.pool = executor_.pool;
    x.fork = executor_.fork;
    x.threads = executor_.threads;
    x.stop = o.stop;
    x.deadline = o.deadline;
    return x;
}

std::shared_ptr<const compiled_plan> session_core::plan_for(std::span<const shape> inputs) {
    {
        const std::lock_guard lock(mutex_);
        const auto stale = [failures = int(failed_->count)](const auto& p) { return p->failures != failures; };
        if (plans_.remove_if(stale)) std::erase_if(contexts_, [&](const auto& c) { return stale(c->plan); });
        for (auto at = plans_.begin(); at != plans_.end(); ++at)
            if (std::ranges::equal((*at)->key, inputs)) {
                if (at != plans_.begin()) plans_.splice(plans_.begin(), plans_, at);
                return plans_.front();
            }
    }
    std::shared_ptr<const compiled_plan> made = compile(inputs);
    if (options.log_severity_level <= int(severity::verbose))
        for (const auto& n : report(made.get()).nodes) note_log(severity::verbose, n.node + " (" + n.op + ") -> " + n.provider);
    const std::lock_guard lock(mutex_);
    plans_.push_front(made);
    while (int(plans_.size()) > std::max(1, options.plans)) plans_.pop_back();
    return made;
}
std::shared_ptr<const compiled_plan> session_core::newest_plan() const {
    const std::lock_guard lock(mutex_);
    return plans_.empty() ? nullptr : plans_.front();
}

std::unique_ptr<run_context> session_core::take_context(std::shared_ptr<const compiled_plan> p) {
    std::unique_ptr<run_context> c;
    {
        const std::lock_guard lock(mutex_);
        for (auto& free : contexts_) if (free->plan == p) { c = std::move(free); std::swap(free, contexts_.back()); contexts_.pop_back(); break; }
        if (!c && !contexts_.empty()) { c = std::move(contexts_.back()); contexts_.pop_back(); }
    }
    if (!c) c = std::make_unique<run_context>();
    if (c->plan == p) return c;
    const erased_providers list = provider_list();
    c->arenas.resize(std::size_t(list.spaces()));
    for (int space = 0; space < list.spaces(); ++space) {
        tensor& arena = c->arenas[std::size_t(space)];
        if (space > 0 && std::ranges::find(p->plan.value_spaces, space) == p->plan.value_spaces.end()) { arena = tensor(); continue; }
        if (const std::int64_t need = p->plan.arena_bytes[std::size_t(space)]; !arena || arena.bytes() < need) arena = tensor(element::u8, {need}, list.space_at(space));
    }
    if (!c->scratch || c->scratch.bytes() < p->plan.scratch_bytes) c->scratch = tensor(element::u8, {p->plan.scratch_bytes});
    c->held.assign(p->graph.values.size(), any_value());
    c->live.reset();
    if (p->late) c->live = std::make_unique<live_graph>(p->graph.view);
    for (int id : p->held) {
        const value& v = p->graph.values[std::size_t(id)];
        if (v.type != element::object && v.dims.known()) c->held[std::size_t(id)] = tensor(v.type, v.dims);
    }
    const auto resolve = [&](const place& at) -> const void* {
        switch (at.what) {
            case place::kind::arena: return static_cast<const std::byte*>(c->arenas[std::size_t(at.index)].data()) + at.offset;
            case place::kind::constant: return at.pointer;
            case place::kind::held: {
                const any_value& v = c->held[std::size_t(at.index)];
                return p->graph.values[std::size_t(at.index)].type == element::object ? static_cast<const void*>(&v) : v.as_tensor() ? v.as_tensor()->data() : nullptr;
            }
            default: return nullptr;
        }
    };
    c->pointers.clear();
    for (const place& at : p->places) c->pointers.push_back(resolve(at));
    c->outputs.clear();
    for (const place& at : p->output_places) c->outputs.push_back(resolve(at));
    c->plan = std::move(p);
    return c;
}
void session_core::give_back(std::unique_ptr<run_context> c) {
    const std::lock_guard lock(mutex_);
    contexts_.push_back(std::move(c));
}

void session_core::set_input(run_context& c, int input, const any_value& v) const {
    const int id = view_.inputs[std::size_t(input)];
    if (c.plan->graph.values[std::size_t(id)].type == element::object || !v.as_tensor()) {
        c.held[std::size_t(id)] = v;
        return;
    }
    if (std::ranges::find(c.plan->held, id) != c.plan->held.end()) c.held[std::size_t(id)] = v;
    for (std::size_t at : c.plan->input_arguments[std::size_t(input)]) c.pointers[at] = v.as_tensor()->data();
    for (std::size_t k = 0; k < c.outputs.size(); ++k)
        if (const int out = c.plan->plan.outputs[k]; !(std::size_t(out) < c.plan->graph.values.size() && c.plan->graph.values[std::size_t(out)].is_constant()) && c.plan->plan.roots[std::size_t(out)] == id) c.outputs[k] = v.as_tensor()->data();
}

any_value session_core::value_at(const run_context& c, std::size_t argument) const {
    const compiled_plan& p = *c.plan;
    int id = p.plan.arguments[argument];
    if (id < 0) return {};
    while (id >= int(p.graph.values.size())) id = p.plan.copies[std::size_t(id) - p.graph.values.size()].source;
    const value& v = p.graph.values[std::size_t(id)];
    if (p.places[argument].what == place::kind::held && (v.type == element::object || !v.dims.known() || v.type == element::string)) return c.held[std::size_t(id)];
    return tensor::borrow(v.type, v.dims, c.pointers[argument]);
}

void session_core::run_late(run_context& c, const exec_step& e, const context& base) {
    const compiled_plan& p = *c.plan;
    const step& s = p.plan.steps[std::size_t(e.step)];
    const node& n = p.graph.view.unit(s.unit);
    std::vector<any_value> inputs;
    for (int k = 0; k < s.inputs.count; ++k) inputs.push_back(value_at(c, e.in + std::size_t(k)));
    std::vector<const any_value*> pointers;
    for (int k = 0; k < s.inputs.count; ++k) pointers.push_back(p.plan.arguments[e.in + std::size_t(k)] < 0 ? nullptr : &inputs[std::size_t(k)]);
    std::vector<any_value> outputs(std::size_t(s.outputs.count));
    node_environment env{level, base, [&](int provider, int kernel, const void* params, std::int64_t bytes, weights w) {
        return bind_shared(p, {s.unit, provider, kernel}, n, kernels_at(provider).functions[std::size_t(kernel)], params, bytes, w);
    }};
    run_node(std::span(p.candidates).subspan(std::size_t(e.candidates.first), std::size_t(e.candidates.count)), *c.live, n, pointers, outputs, env);
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
        if (at.what == place::kind::held) c.held[std::size_t(id)] = outputs[std::size_t(k)];
        else if (t) {  // its shape was known after all
            const value& v = p.graph.values[std::size_t(id)];
            if (t->shape() != v.dims || t->type() != v.type) raise_for_node(error_code::shape_mismatch, p.graph.view, p.graph.view.unit(s.unit), "output " + std::to_string(k) + " is " + to_string(t->shape()) + ", not " + to_string(v.dims));
            std::memcpy(const_cast<void*>(c.pointers[argument]), t->data(), std::size_t(t->bytes()));
        }
    }
}

status session_core::execute(run_context& c, const run_options& o) {
    const denormals_flushed guard(flush_denormals_);
    const compiled_plan& p = *c.plan;
    context x = make_base(o);
    x.scratch = static_cast<std::byte*>(c.scratch.data());
    const bool stoppable = o.stop || o.deadline;
    for (const exec_step& e : p.steps) {
        if (stoppable && x.stopped()) return o.stop && o.stop->load(std::memory_order_relaxed) ? status::stopped : status::deadline_passed;
        const arguments a{c.pointers.data() + e.in, const_cast<void* const*>(c.pointers.data() + e.out)};
        status done = status::ok;
        switch (e.what) {
            case exec_step::kind::kernel: done = e.run(e.params, e.state, a, x); break;
            case exec_step::kind::region: done = e.engine->run(a, x); break;
            case exec_step::kind::transfer: done = transfer_value(p, e, a); break;
            case exec_step::kind::late: c.failed_step = e.step; run_late(c, e, x); c.failed_step = -1; break;
            case exec_step::kind::control_flow: run_control_flow(c, e, o); break;
        }
        if (done != status::ok) [[unlikely]] {
            c.failed_step = e.step;
            c.why = x.detail;
            return done;
        }
    }
    return status::ok;
}
status session_core::transfer_value(const compiled_plan& p, const exec_step& e, const arguments& a) const {
    const copied_value& copy = p.plan.copies[std::size_t(p.plan.arguments[e.out]) - p.graph.values.size()];
    int id = copy.source;
    const int from = p.plan.value_spaces[std::size_t(id)];
    while (id >= int(p.graph.values.size())) id = p.plan.copies[std::size_t(id) - p.graph.values.size()].source;
    const value& v = p.graph.values[std::size_t(id)];
    const auto bytes = std::size_t(bytes_of(v.type, v.dims.elements()));
    const bool good = copy.space == 0 ? p.spaces[std::size_t(from)]->to_host(a.outputs[0], a.inputs[0], bytes) : p.spaces[std::size_t(copy.space)]->from_host(a.outputs[0], a.inputs[0], bytes);
    return good ? status::ok : status::failed;
}

int session_core::failed_provider(const run_context& c) const {
    const compiled_plan& p = *c.plan;
    if (c.failed_step < 0) return -1;
    const step& s = p.plan.steps[std::size_t(c.failed_step)];
    if (s.unit != step_kind::transfer) return s.provider;
    const copied_value& copy = p.plan.copies[std::size_t(p.plan.arguments[std::size_t(s.outputs.first)]) - p.graph.values.size()];
    const space* there = p.spaces[std::size_t(copy.space ? copy.space : p.plan.value_spaces[std::size_t(copy.source)])];
    return int(std::ranges::find(handles, there, &provider_handle::where) - handles.begin());
}
void session_core::raise_status(const run_context& c, status s) const {
    const error_code code = s == status::stopped ? error_code::stopped : s == status::deadline_passed ? error_code::deadline_passed : s == status::out_of_memory ? error_code::out_of_memory : s == status::invalid_value ? error_code::invalid_value : error_code::provider_failed;
    const std::string_view why = c.why.empty() ? name_of(s) : c.why;
    if (c.failed_step < 0) raise({code, "inlay: the run was ended: " + std::string(why)});
    const int owner = failed_provider(c);
    const std::string_view provider = owner < 0 ? std::string_view{} : handles[std::size_t(owner)].name;
    const step& at = c.plan->plan.steps[std::size_t(c.failed_step)];
    if (at.unit >= 0 && at.unit < c.plan->graph.view.units()) raise_for_node(code, c.plan->graph.view, c.plan->graph.view.unit(at.unit), why, provider);
    error e(code, "inlay: a " + std::string(at.unit >= 0 ? "region" : at.unit == step_kind::transfer ? "transfer between memory spaces" : "layout conversion") + (provider.empty() ? "" : " of " + std::string(provider)) + " failed: " + std::string(why));
    e.provider = provider;
    raise(std::move(e));
}

tensor session_core::output_view(const run_context& c, int output) const {
    const int id = c.plan->plan.outputs[std::size_t(output)];
    int source = id;
    while (source >= int(c.plan->graph.values.size())) source = c.plan->plan.copies[std::size_t(source) - c.plan->graph.values.size()].source;
    const value& v = c.plan->graph.values[std::size_t(source)];
    return tensor::borrow(v.type, v.dims, c.outputs[std::size_t(output)]);
}
any_value session_core::fetch(const run_context& c, int output) const {
    const place& at = c.plan->output_places[std::size_t(output)];
    if (at.what == place::kind::held) {
        const any_value& held = c.held[std::size_t(at.index)];
        return held.as_tensor() ? any_value(held.as_tensor()->clone()) : held;
    }
    const tensor view = output_view(c, output);
    if (view.type() == element::string) return view.clone();
    tensor t = tensor::uninitialized(view.type(), view.shape());
    std::memcpy(t.data(), view.data(), std::size_t(view.bytes()));
    return t;
}

void session_core::run(std::span<const any_value* const> inputs, std::span<const int> wanted, std::span<any_value> outputs, const run_options& o) {
    std::array<shape, 16> few;
    std::vector<shape> many(inputs.size() > few.size() ? inputs.size() : 0);
    const std::span<shape> shapes(many.empty() ? few.data() : many.data(), inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) shapes[k] = inputs[k]->as_tensor() ? inputs[k]->as_tensor()->shape() : shape::unknown();
    std::unique_ptr<run_context> c;
    for (bool done = false; !done;) {
        c = take_context(plan_for(shapes));
        c->failed_step = -1;
        c->why = {};
        for (std::size_t k = 0; k < inputs.size(); ++k) set_input(*c, int(k), *inputs[k]);
        try {
            if (const status s = execute(*c, o); s != status::ok) raise_status(*c, s);
            done = true;
        } catch (const error& e) {
            int who = failed_provider(*c);  // of a step; the kernel may be that of another candidate
            if (who >= 0 && !e.provider.empty() && handles[std::size_t(who)].name != e.provider) who = int(std::ranges::find(handles, e.provider, &provider_handle::name) - handles.begin());
            if (e.code != error_code::provider_failed || !replace_failed(who, e.text)) throw;
        }
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) outputs[k] = fetch(*c, wanted[k]);
    give_back(std::move(c));
}

session_core& session_core::body(int node, int subgraph) {
    const std::lock_guard lock(mutex_);
    auto& b = bodies_[{node, subgraph}];
    if (!b) b = std::make_unique<session_core>(keep_, graph.subgraphs[std::size_t(subgraph)], view_.subgraphs[std::size_t(subgraph)], options, handles, this);
    return *b;
}
void session_core::check_coverage() {
    const erased_providers list = provider_list();
    const assignment a = partition(view_, list);
    for (int o : a.owners) if (o == owner::nobody) raise_unowned(view_, a);
    for (std::size_t i = 0; i < view_.nodes.size(); ++i)
        for (const attribute& at : view_.attributes.subspan(std::size_t(view_.nodes[i].attributes.first), std::size_t(view_.nodes[i].attributes.count)))
            if (at.kind == attribute_kind::graph) body(int(i), int(at.integer)).check_coverage();
}
}  // namespace inlay::inline v1
