// The public interface of a session: providers, runs by name, results.
#include "kv_cache.hpp"
#include "ports.hpp"
#include "provider_notes.hpp"
#include "returned.hpp"
#include "session_log.hpp"
#include "session_parts.hpp"
#include "session_report.hpp"
#include <inlay/any_session.hpp>

namespace inlay {
inline namespace v1 {
std::vector<provider_count> counts_of(const std::vector<std::string>& names, std::span<const std::int64_t> nodes) {
    std::vector<provider_count> counts;
    for (std::size_t k = 0; k < nodes.size(); ++k) counts.push_back({names[k], nodes[k]});
    return counts;
}
std::vector<provider_count> fetched::executed() const {
    return providers_ ? counts_of(*providers_, executed_) : std::vector<provider_count>{};
}
const tensor& fetched::operator[](std::size_t k) const& {
    if (k >= outputs_.size())
        raise({error_code::not_found,
               "inlay: there is no output " + std::to_string(k) + "; the run gave " + std::to_string(outputs_.size())});
    if (const tensor* t = outputs_[k].second.as_tensor()) return *t;
    raise({error_code::type_mismatch, "inlay: output `" + outputs_[k].first + "` is no tensor; read it with value()"});
}
const tensor& fetched::at(std::string_view name) const& {
    for (std::size_t k = 0; k < outputs_.size(); ++k)
        if (outputs_[k].first == name) return (*this)[k];
    raise({error_code::not_found, "inlay: the run gave no output named `" + std::string(name) + "`"});
}

std::span<const port> session_base::inputs() const { return core_->source->inputs(); }
std::span<const port> session_base::outputs() const { return core_->source->outputs(); }
const inlay::model& session_base::model() const { return *core_->source; }
isa::level session_base::level() const { return core_->setup.level; }
std::vector<std::string> session_base::providers() const {
    std::vector<std::string> names;
    for (const provider_handle& h : core_->setup.handles) names.emplace_back(h.name);
    return names;
}
std::vector<std::pair<std::string, option_list>> session_base::provider_options() const {
    std::vector<std::pair<std::string, option_list>> options;
    for (const provider_handle& h : core_->setup.handles)
        options.emplace_back(std::string(h.name), h.options(h.object.get()));
    return options;
}

bool session_base::parts::append_cpu(std::vector<provider_handle>& list, const session_options& o) {
    const bool has_cpu = std::ranges::any_of(list, [](const provider_handle& h) { return h.name == cpu::name; });
    const bool add_cpu = !has_cpu && (list.empty() || o.fallback.policy != fallback::kind::never);
    if (add_cpu) list.push_back(make_handle(cpu{}));
    return add_cpu && list.size() > 1;
}
std::shared_ptr<session_core> session_base::parts::unplanned(const inlay::model& m, const session_options& o,
                                                             std::vector<provider_handle> list) {
    return std::make_shared<session_core>(m, m.bound(), o, std::move(list));
}
// Logs which node runs where, before the first run gives the sizes; planning does it where a plan is possible.
static void log_owners(session_core& core) {
    if (core.plan_for_report()) return;
    for (const plan_report::line& n : report_of(core, nullptr).nodes)
        note_log(core.setup.options, severity::verbose, n.node + " (" + n.op + ") -> " + n.provider);
}
// Where no provider runs a node, the reasons that hold for any shapes are more useful than that the shapes are
// unknown.
static void plan_or_tell(session_core& core, std::span<const shape> shapes) try {
    core.plan_for(shapes);
} catch (const error& e) {
    if (e.code == error_code::no_provider) core.planner.check_coverage();
    throw;
}
std::shared_ptr<session_core> session_base::make_core(const parts& from, const session_options& o) {
    const inlay::model& m = from.selection.model;
    auto core = parts::unplanned(m, o, from.list);
    core->implicit_cpu = from.implicit_cpu;
    core->graph.restored = from.selection.restored;
    core->notes = from.selection.notes;
    if (from.implicit_cpu) note_log(o, severity::info, "the CPU was appended to the list of providers");
    for (const std::string& note : core->notes) note_log(o, severity::warning, note);
    for (const std::string& note : precision_notes(core->setup)) note_log(o, severity::warning, note);
    for (const std::string& text : m.warnings()) note_log(o, severity::warning, text);
    for (const provider_handle& h : core->setup.handles)
        for (const std::string& note : provider_warnings(h)) note_log(o, severity::warning, note);
    std::vector<shape> shapes;
    for (int id : m.view().inputs) shapes.push_back(m.view().values[std::size_t(id)].dims);
    const bool has_shapes = std::ranges::all_of(m.view().inputs, [&](int id) {
        const value& v = m.view().values[std::size_t(id)];
        return v.type == element::object || v.dims.known();
    });
    stage_progress asking(o.progress, stage::partition, 1);
    if (!has_shapes) core->planner.check_coverage();  // else the plan that is created now reports the same
    core->check_bodies();
    asking(1);
    if (has_shapes)
        plan_or_tell(*core, shapes);
    else if (logs(o, severity::verbose))
        log_owners(*core);
    return core;
}
result<std::shared_ptr<session_core>> session_base::make(inlay::model m, const session_options& o,
                                                         const handle_source& source) {
    return returned<std::shared_ptr<session_core>>([&]() -> result<std::shared_ptr<session_core>> {
        std::vector<provider_handle> list = source.call(source.data);
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (list[i].name == list[j].name &&
                    (list[i].type != list[j].type || list[i].device == list[j].device)) {
                    error e(error_code::duplicate_provider, "inlay: " + std::string(list[i].name) +
                                                                " stands twice in the list, both for device " +
                                                                std::to_string(list[i].device) +
                                                                "; two objects of one provider need different devices");
                    e.provider = list[i].name;
                    return e;
                }
        name_apart(list);
        const bool implicit = session_base::parts::append_cpu(list, o);
        if (!m.saved()) return make_core({{m, nullptr, {}}, list, implicit}, o);
        chosen_graph source = choose_graph(m, m.saved(), list, o);
        try {
            return make_core({source, list, implicit}, o);
        } catch (const restore_failure& e) {
            return make_core({original_graph(*m.saved(), e, o), list, implicit}, o);
        }
    });
}

result<fetched> session_base::try_run(std::span<const feed> feeds, std::span<const std::string_view> names,
                                      const run_options& o) const {
    return returned<fetched>([&] { return run(feeds, names, o); });
}
void place_feeds(std::span<const feed> feeds, std::span<const port> ports, std::span<const any_value*> in) {
    shape_check check;
    for (std::size_t k = 0; k < ports.size(); ++k)
        if (in[k]) check(ports[k], in[k]->as_tensor()->shape());
    for (std::size_t n = 0; n < feeds.size(); ++n) {
        const feed& f = feeds[n];
        const int k = find_port(ports, f.name, "input", n);
        if (in[std::size_t(k)])
            raise({error_code::invalid_argument, "inlay: input `" + std::string(f.name) + "` is given twice"});
        check_value(ports[std::size_t(k)], f.value, check);
        if (const tensor* t = f.value.as_tensor(); t && !t->on_host()) {
            error e(error_code::wrong_memory_space, "inlay: input `" + ports[std::size_t(k)].name +
                                                        "` is in the memory space `" + std::string(t->where().name) +
                                                        "`; run() reads host memory");
            e.hint = "bind it: session.bind(), then binding::set_input()";
            raise(std::move(e));
        }
        in[std::size_t(k)] = &f.value;
    }
    static const any_value nothing{optional_value{}};
    for (std::size_t k = 0; k < ports.size(); ++k)
        if (!in[k]) {
            if (ports[k].kind != value_kind::optional)
                raise({error_code::invalid_argument,
                       "inlay: input `" + ports[k].name + "` is missing; the model expects: " + names_in(ports)});
            in[k] = &nothing;
        }
}
fetched session_base::run(std::span<const feed> feeds, std::span<const std::string_view> names,
                          const run_options& o) const {
    return run_with(nullptr, feeds, names, o);
}
fetched session_base::run(std::span<const feed> feeds, kv_cache& cache, std::span<const std::string_view> names,
                          const run_options& o) const {
    if (cache.impl_->core != core_) raise({error_code::invalid_argument, "inlay: the cache is of another session"});
    return run_with(&cache, feeds, names, o);
}
fetched session_base::run_with(kv_cache* cache, std::span<const feed> feeds, std::span<const std::string_view> names,
                               const run_options& o) const {
    const auto ports = inputs(), results = outputs();
    std::array<const any_value*, 32> few{};
    std::vector<const any_value*> many(ports.size() > few.size() ? ports.size() : 0);
    const std::span<const any_value*> in(many.empty() ? few.data() : many.data(), ports.size());
    if (cache) cache->impl_->feed_pasts(feeds, in);
    place_feeds(feeds, ports, in);
    if (cache) cache->impl_->widen_masks(in);
    const auto in_cache = [&](int output) {
        return cache &&
               std::ranges::find(cache->impl_->slots, output, &grown_values::slot::output) != cache->impl_->slots.end();
    };
    std::vector<std::pair<std::string, any_value>> outputs;
    std::vector<int> positions;
    if (names.empty())
        for (std::size_t k = 0; k < results.size(); ++k)
            if (!in_cache(int(k))) positions.push_back(int(k));
    for (std::string_view n : names) {
        positions.push_back(find_port(results, n, "output", positions.size()));
        if (in_cache(positions.back()))
            raise({error_code::invalid_argument,
                   "inlay: the cache holds output `" + std::string(n) + "`; read it with kv_cache::past()"});
    }
    std::vector<any_value> values(positions.size());
    std::vector<std::int64_t> executed(core_->setup.handles.size());
    core_->run(in, positions, values, o, core_->setup.run_bytes, nullptr, cache ? cache->impl_.get() : nullptr,
               &executed);
    outputs.reserve(positions.size());
    for (std::size_t k = 0; k < positions.size(); ++k)
        outputs.emplace_back(results[std::size_t(positions[k])].name, std::move(values[k]));
    return fetched(std::move(outputs), core_->setup.names, std::move(executed));
}

std::string session_base::trace(std::span<const feed> feeds, int runs, const run_options& o) const {
    std::vector<const any_value*> in(inputs().size());
    place_feeds(feeds, inputs(), in);
    std::vector<std::pair<std::string_view, shape>> shapes;
    for (const feed& f : feeds)
        if (const tensor* t = f.value.as_tensor()) shapes.emplace_back(f.name, t->shape());
    binding b = bind(shapes);
    for (const feed& f : feeds)
        b.set_input(f.name, *f.value.as_tensor());  // bind() has seen that all inputs are tensors
    (void)b.profile(1, o);
    return trace_of(b.profile(runs, o));
}
}  // namespace v1
}  // namespace inlay
