// The public face of a session: names, checks of what is fed, results, bindings.
#include "core.hpp"
#include <inlay/any_session.hpp>

namespace inlay::inline v1 {
const tensor& fetched::operator[](std::size_t k) const & {
    if (k >= all_.size()) raise({error_code::not_found, "inlay: there is no output " + std::to_string(k) + "; the run gave " + std::to_string(all_.size())});
    if (const tensor* t = all_[k].second.as_tensor()) return *t;
    raise({error_code::type_mismatch, "inlay: output `" + all_[k].first + "` is no tensor; read it with value()"});
}
const tensor& fetched::at(std::string_view name) const & {
    for (std::size_t k = 0; k < all_.size(); ++k) if (all_[k].first == name) return (*this)[k];
    raise({error_code::not_found, "inlay: the run gave no output named `" + std::string(name) + "`"});
}

namespace {
std::string names_in(std::span<const port> ports) {
    std::string text;
    for (const port& p : ports) text += (text.empty() ? "" : ", ") + p.name;
    return text.empty() ? "none" : text;
}
int find_port(std::span<const port> ports, std::string_view name, std::string_view what) {
    for (std::size_t k = 0; k < ports.size(); ++k) if (ports[k].name == name) return int(k);
    std::vector<std::string> names;
    for (const port& p : ports) names.push_back(p.name);
    error e(error_code::not_found, "inlay: the model has no " + std::string(what) + " named `" + std::string(name) + "`; it has: " + names_in(ports));
    if (const std::string near = nearest_name(name, names); !near.empty()) e.hint = "did you mean `" + near + "`?";
    raise(std::move(e));
}
// Fixed dimensions must agree with the model's; a symbol must mean one number in all inputs.
class shape_check {
    std::array<std::int64_t, 64> seen_;
public:
    shape_check() { seen_.fill(-1); }
    void operator()(const port& p, const shape& dims) {
        const auto wrong = [&](const std::string& why) {
            error e(error_code::shape_mismatch, "inlay: input `" + p.name + "` has shape " + to_string(dims) + ", but " + why);
            e.shapes = to_string(dims);
            raise(std::move(e));
        };
        if (!dims.known()) wrong("every dimension must be known");
        if (p.shape.rank < 0) return;
        if (dims.rank != p.shape.rank) wrong("the model wants " + to_string(p.shape));
        for (int i = 0; i < dims.rank; ++i) {
            const std::int64_t wanted = p.shape[i];
            if (wanted >= 0 && wanted != dims[i]) wrong("the model wants " + to_string(p.shape));
            if (const std::int64_t symbol = -2 - wanted; wanted < -1 && symbol < std::int64_t(seen_.size())) {
                std::int64_t& known = seen_[std::size_t(symbol)];
                if (known >= 0 && known != dims[i]) wrong("`" + p.dim_names[std::size_t(i)] + "` is " + std::to_string(known) + " in another input");
                known = dims[i];
            }
        }
    }
};
void check_value(const port& p, const any_value& v, shape_check& check) {
    const tensor* t = v.as_tensor();
    if (p.kind == value_kind::optional) return;  // a tensor, a sequence or an optional will do
    const bool fits = p.kind == value_kind::tensor ? t && *t : p.kind == value_kind::sequence ? v.as_sequence() != nullptr : v.as_map() != nullptr;
    if (!fits) raise({error_code::type_mismatch, "inlay: input `" + p.name + "` must be a " + std::string(name_of(p.kind)) + ": " + p.type_text});
    if (p.kind != value_kind::tensor) return;
    if (t->type() != p.type) raise({error_code::type_mismatch, "inlay: input `" + p.name + "` has elements of type " + std::string(name_of(t->type())) + ", the model wants " + std::string(name_of(p.type))});
    if (!t->on_host()) raise({error_code::wrong_memory_space, "inlay: input `" + p.name + "` is in the memory space `" + std::string(t->where().name) + "`; copy it to the host"});
    check(p, t->shape());
}
}  // namespace

std::span<const port> session_base::inputs() const { return core_->source->inputs(); }
std::span<const port> session_base::outputs() const { return core_->source->outputs(); }
const inlay::model& session_base::model() const { return *core_->source; }
isa::level session_base::level() const { return core_->level; }
std::vector<std::string> session_base::providers() const {
    std::vector<std::string> names;
    for (const provider_handle& h : core_->handles) names.emplace_back(h.name);
    return names;
}
std::vector<std::pair<std::string, option_list>> session_base::provider_options() const {
    std::vector<std::pair<std::string, option_list>> all;
    for (const provider_handle& h : core_->handles) all.emplace_back(std::string(h.name), h.options(h.object.get()));
    return all;
}

result<std::shared_ptr<session_core>> session_base::make(inlay::model m, const session_options& o, std::vector<provider_handle> list) {
    try {
        for (std::size_t i = 0; i < list.size(); ++i) for (std::size_t j = 0; j < i; ++j)
            if (list[i].name == list[j].name && (list[i].type != list[j].type || list[i].device == list[j].device)) {
                error e(error_code::duplicate_provider, "inlay: " + std::string(list[i].name) + " stands twice in the list, both for device " + std::to_string(list[i].device) + "; two objects of one provider need different devices");
                e.provider = list[i].name;
                return e;
            }
        const bool has_cpu = std::ranges::any_of(list, [](const provider_handle& h) { return h.name == cpu::name; });
        const bool add_cpu = !has_cpu && (list.empty() || o.fallback.policy != fallback::kind::never);
        if (add_cpu) list.push_back(make_handle(cpu{}));
        const bool implicit = add_cpu && list.size() > 1;
        auto keep = std::make_shared<inlay::model>(m);
        auto core = std::make_shared<session_core>(keep, keep->graph(), keep->view(), o, std::move(list));
        core->source = m;
        core->implicit_cpu = implicit;
        core->check_coverage();
        std::vector<shape> shapes;
        for (int id : keep->view().inputs) shapes.push_back(keep->view().values[std::size_t(id)].dims);
        const bool known = std::ranges::all_of(keep->view().inputs, [&](int id) { const value& v = keep->view().values[std::size_t(id)]; return v.type == element::object || v.dims.known(); });
        if (known) core->plan_for(shapes);
        return core;
    } catch (const error& e) { return e; }
}

result<fetched> session_base::try_run(std::span<const feed> given, std::span<const std::string_view> names, const run_options& o) const {
    try { return run(given, names, o); } catch (const error& e) { return e; }
}
fetched session_base::run(std::span<const feed> given, std::span<const std::string_view> names, const run_options& o) const {
    const auto ports = inputs(), results = outputs();
    std::array<const any_value*, 32> few{};
    std::vector<const any_value*> many(ports.size() > few.size() ? ports.size() : 0);
    const std::span<const any_value*> in(many.empty() ? few.data() : many.data(), ports.size());
    shape_check check;
    for (const feed& f : given) {
        const int k = find_port(ports, f.name, "input");
        if (in[std::size_t(k)]) raise({error_code::invalid_argument, "inlay: input `" + std::string(f.name) + "` is given twice"});
        check_value(ports[std::size_t(k)], f.value, check);
        in[std::size_t(k)] = &f.value;
    }
    static const any_value nothing{optional_value{}};
    for (std::size_t k = 0; k < ports.size(); ++k) if (!in[k]) {
        if (ports[k].kind != value_kind::optional) raise({error_code::invalid_argument, "inlay: input `" + ports[k].name + "` is missing; the model wants: " + names_in(ports)});
        in[k] = &nothing;
    }
    std::vector<std::pair<std::string, any_value>> all;
    std::vector<int> wanted;
    if (names.empty()) for (std::size_t k = 0; k < results.size(); ++k) wanted.push_back(int(k));
    for (std::string_view n : names) wanted.push_back(find_port(results, n, "output"));
    std::vector<any_value> values(wanted.size());
    core_->run(in, wanted, values, o);
    all.reserve(wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) all.emplace_back(results[std::size_t(wanted[k])].name, std::move(values[k]));
    return fetched(std::move(all));
}

struct binding::impl {
    std::shared_ptr<session_core> core;
    std::unique_ptr<run_context> context;
    std::vector<tensor> inputs;
};
binding::binding(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
binding::binding(binding&&) noexcept = default;
binding& binding::operator=(binding&&) noexcept = default;
binding::~binding() = default;

namespace {
std::vector<shape> bound_shapes(const session_core& core, std::span<const std::pair<std::string_view, shape>> given) {
    const auto ports = core.source->inputs();
    std::vector<shape> shapes;
    for (const port& p : ports) shapes.push_back(p.shape);
    for (const auto& [name, dims] : given) shapes[std::size_t(find_port(ports, name, "input"))] = dims;
    shape_check check;
    for (std::size_t k = 0; k < ports.size(); ++k) {
        if (ports[k].kind != value_kind::tensor) raise({error_code::invalid_argument, "inlay: input `" + ports[k].name + "` is a " + std::string(name_of(ports[k].kind)) + "; only tensors can be bound"});
        if (!shapes[k].known()) raise({error_code::shape_mismatch, "inlay: input `" + ports[k].name + "` has symbolic dimensions " + to_string(shapes[k]) + "; give its shape to bind()"});
        check(ports[k], shapes[k]);
    }
    return shapes;
}
}  // namespace

binding session_base::bind(std::span<const std::pair<std::string_view, shape>> shapes) const {
    auto b = std::make_unique<binding::impl>();
    b->core = core_;
    b->context = core_->take_context(core_->plan_for(bound_shapes(*core_, shapes)));
    const auto ports = inputs();
    for (std::size_t k = 0; k < ports.size(); ++k) {
        b->inputs.emplace_back(ports[k].type, b->context->plan->key[k]);
        core_->set_input(*b->context, int(k), b->inputs.back());
    }
    return binding(std::move(b));
}
tensor binding::input(std::string_view name) { return impl_->inputs[std::size_t(find_port(impl_->core->source->inputs(), name, "input"))]; }
void binding::set_input(std::string_view name, const tensor& t) {
    const auto ports = impl_->core->source->inputs();
    const auto k = std::size_t(find_port(ports, name, "input"));
    shape_check check;
    check_value(ports[k], t, check);
    if (t.shape() != impl_->inputs[k].shape()) raise({error_code::shape_mismatch, "inlay: input `" + ports[k].name + "` is bound with shape " + to_string(impl_->inputs[k].shape()) + ", not " + to_string(t.shape())});
    impl_->inputs[k] = t;
    impl_->core->set_input(*impl_->context, int(k), t);
}
tensor binding::output(std::string_view name) const {
    const auto ports = impl_->core->source->outputs();
    const int k = find_port(ports, name, "output");
    const place& at = impl_->context->plan->output_places[std::size_t(k)];
    if (at.what != place::kind::held) return impl_->core->output_view(*impl_->context, k);
    const any_value& v = impl_->context->held[std::size_t(at.index)];
    if (!v.as_tensor()) raise({error_code::type_mismatch, "inlay: output `" + ports[std::size_t(k)].name + "` is no tensor, or nothing ran yet"});
    return *v.as_tensor();
}
status binding::run(const run_options& o) noexcept {
    impl_->context->failed_step = -1;
    impl_->context->why = {};
    try {
        const status s = impl_->core->execute(*impl_->context, o);
        if (s == status::failed) impl_->core->replace_failed(impl_->core->failed_provider(*impl_->context), std::string(impl_->context->why));
        return s;
    } catch (const error& e) { impl_->context->why = name_of(e.code); return e.code == error_code::stopped ? status::stopped : status::failed; }
    catch (...) { impl_->context->why = "out of memory"; return status::out_of_memory; }
}
std::string_view binding::why() const { return impl_->context->why; }

plan_report session_base::plan() const { return core_->report(core_->plan_for_report().get()); }
plan_report session_base::plan(std::span<const std::pair<std::string_view, shape>> shapes) const { return core_->report(core_->plan_for(bound_shapes(*core_, shapes)).get()); }
}  // namespace inlay::inline v1
