// Turns a provider with an engine into a plugin: one source file, built as a shared library, is enough.
//
//     #include "vendor.hpp"
//     #include <inlay/sdk/plugin_export.hpp>
//     INLAY_EXPORT_PLUGIN(vendor)
//
// The provider's name, short_name, status and options are those of the plugin; `library_version`, a text next to
// `name`, is its version where it has one. The library needs inlay::engine at most: to_onnx() calls the program, so
// that no protobuf is in it.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "options.hpp"
#include "plugin_errors.hpp"
#include "provider.hpp"
#include "region_file.hpp"
#include "status_error.hpp"
#include <algorithm>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace plugin_export {
// A graph from the program's description of it, for as long as that lives.
class graph_of_host {
    std::vector<node> nodes_;
    std::vector<value> values_;
    std::vector<attribute> attributes_;
    std::vector<int> edges_, inputs_, outputs_;
    std::vector<std::int64_t> integers_;
    std::vector<double> reals_;
    std::vector<std::string_view> texts_;
    graph_view view_;

    static std::string_view text(inlay_text t) { return {t.data, t.size}; }
    template <class T, class U> static range append(std::vector<T>& pool, const U* list, std::size_t count) {
        const range r{int(pool.size()), int(count)};
        pool.insert(pool.end(), list, list + count);
        return r;
    }
    value translated(const inlay_value& v, int id) {
        value to;
        to.name = text(v.name);
        to.type = v.type > 0 && v.type < int(element::object) ? element(v.type) : element::undefined;
        to.dims = shape::unknown();
        if (v.rank >= 0 && v.rank <= max_rank) {
            to.dims = shape::of_rank(v.rank);
            std::copy_n(v.dims, v.rank, to.dims.dims.begin());
        }
        if (v.is_constant) to.constant = id;
        if (v.known_integers) {
            to.kind = contents::integers;
            to.list = append(integers_, v.known_integers, v.known_count);
        } else if (v.known_reals) {
            to.kind = contents::reals;
            to.list = append(reals_, v.known_reals, v.known_count);
        }
        return to;
    }
    attribute translated(const inlay_attribute& a) {
        attribute to;
        to.name = text(a.name);
        to.kind = attribute_kind(a.kind);
        to.integer = a.integer;
        to.real = a.real;
        to.text = text(a.text);
        if (a.integers) to.list = append(integers_, a.integers, a.count);
        if (a.reals) to.list = append(reals_, a.reals, a.count);
        if (a.texts) {
            to.list = {int(texts_.size()), int(a.count)};
            for (std::size_t k = 0; k < a.count; ++k) texts_.push_back(text(a.texts[k]));
        }
        return to;
    }
    node translated(const inlay_node& n) {
        node to;
        to.name = text(n.name);
        to.domain = text(n.domain);
        to.op = text(n.op);
        to.version = n.version;
        to.attributes = {int(attributes_.size()), int(n.attribute_count)};
        for (std::size_t k = 0; k < n.attribute_count; ++k) attributes_.push_back(translated(*n.attributes[k]));
        to.inputs = append(edges_, n.inputs, n.input_count);
        to.outputs = append(edges_, n.outputs, n.output_count);
        to.captures = append(edges_, n.captures, n.capture_count);
        return to;
    }

  public:
    explicit graph_of_host(const inlay_graph& g) {
        for (std::size_t k = 0; k < g.value_count; ++k) values_.push_back(translated(*g.values[k], int(k)));
        for (std::size_t k = 0; k < g.node_count; ++k) nodes_.push_back(translated(*g.nodes[k]));
        inputs_.assign(g.inputs, g.inputs + g.input_count);
        outputs_.assign(g.outputs, g.outputs + g.output_count);
        view_ = {.nodes = nodes_,
                 .values = values_,
                 .attributes = attributes_,
                 .edges = edges_,
                 .inputs = inputs_,
                 .outputs = outputs_,
                 .integers = integers_,
                 .reals = reals_,
                 .texts = texts_,
                 .name = text(g.name)};
    }
    graph_of_host(const graph_of_host&) = delete;
    graph_of_host& operator=(const graph_of_host&) = delete;
    const graph_view& view() const { return view_; }
};

// The program's current query: to_onnx() finds it on the thread of the query.
class question final : public constant_source {
    const inlay_nodes& nodes_;
    graph_of_host graph_;
    const question* const before_ = current();
    mutable std::optional<region_ends> finder_{};  // created on first use

  public:
    static const question*& current() {
        static thread_local const question* top = nullptr;
        return top;
    }
    explicit question(const inlay_nodes& n) : nodes_(n), graph_(*n.graph) { current() = this; }
    question(const question&) = delete;
    question& operator=(const question&) = delete;
    ~question() override { current() = before_; }
    const void* elements(int value) const override { return nodes_.elements(&nodes_, value); }
    std::span<const int> nodes() const { return {nodes_.nodes, nodes_.node_count}; }
    inlay::region region() const {
        return {
            graph_.view(), nodes(), {nodes_.inputs, nodes_.input_count}, {nodes_.outputs, nodes_.output_count}, this};
    }
    result<std::string> written(const inlay::region& r, elements_in in) const {
        const inlay::region host_region = region();
        const auto same = [](std::span<const int> a, std::span<const int> b) { return std::ranges::equal(a, b); };
        const bool whole = same(r.nodes, host_region.nodes) && same(r.inputs, host_region.inputs) &&
                           same(r.outputs, host_region.outputs);
        if (!finder_) finder_.emplace(host_region.graph);
        const region_values ends = finder_->of(r.nodes);
        if (&r.graph != &host_region.graph ||
            (!whole && !(same(r.inputs, ends.inputs) && same(r.outputs, ends.outputs))))
            return error(error_code::unsupported_model, "a plugin writes nodes of the graph that it is queried about");
        const int elements_form = !r.constants                ? INLAY_ELEMENTS_NOT_ASKED
                                  : in == elements_in::memory ? INLAY_ELEMENTS_IN_MEMORY
                                                              : INLAY_ELEMENTS_IN_BYTES;
        inlay_text bytes{};
        const auto outcome = ask_in_c(
            [&] {
                return nodes_.to_onnx(&nodes_, whole ? nullptr : r.nodes.data(), r.nodes.size(), elements_form, &bytes);
            },
            "the program");
        if (!outcome) return outcome.why();
        return std::string(bytes.data, bytes.size);
    }
};
inline result<std::string> ask_for_onnx(const region& r, elements_in in) {
    if (const question* const q = question::current()) return q->written(r, in);
    return error(error_code::unsupported_model, "a plugin writes regions as ONNX only while it is queried about nodes");
}

struct exported_region {
    std::shared_ptr<const compiled_region> region;
    std::size_t inputs, outputs;
};
class exported_executable {
    std::unique_ptr<executable> inner_;
    std::vector<buffer> inputs_, outputs_;

    static void set(std::vector<buffer>& to, const inlay_buffer* const* from) {
        for (buffer& b : to) {
            const inlay_buffer& source = **from++;
            b.data = b.allocation = source.data;
            b.type = element(source.type);
            b.dims = shape::of_rank(source.rank);
            std::copy_n(source.dims, source.rank, b.dims.dims.begin());
        }
    }

  public:
    exported_executable(std::unique_ptr<executable> inner, const exported_region& r)
        : inner_(std::move(inner)), inputs_(r.inputs), outputs_(r.outputs) {}
    result<void> run(const inlay_run& r) {
        inputs_.resize(r.input_count);
        outputs_.resize(r.output_count);
        set(inputs_, r.inputs);
        set(outputs_, r.outputs);
        context c;
        c.pool = const_cast<inlay_run*>(&r);
        c.fork = [](void* pool, int count, task_function task, void* data) noexcept {
            const auto& run = *static_cast<const inlay_run*>(pool);
            run.parallel(&run, count, task, data);
        };
        c.threads = r.threads;
        c.stop = reinterpret_cast<const std::atomic<bool>*>(r.stop);
        if (r.deadline) c.deadline.emplace(std::chrono::nanoseconds(r.deadline));
        const status s = inner_->run(inputs_, outputs_, c);
        if (s == status::ok) return {};
        return error(code_of(s), std::string(c.detail.empty() ? name_of(s) : c.detail));
    }
};

// The functions of the table for a provider type, and what the table points to.
template <class P> class exported {
    static_assert(provider<P> && engine_provider<P> && !kernel_provider<P>,
                  "INLAY_EXPORT_PLUGIN(P): a plugin has an engine, `result<std::shared_ptr<engine>> open() const`, and "
                  "no `kernels`; docs/how-to/plugins.md shows a small one");
    static_assert(std::same_as<memory_of<P>, memory::host>,
                  "INLAY_EXPORT_PLUGIN(P): memory of a plugin's own is not in this version of the interface; copy in "
                  "run()");
    struct engine_object {
        P provider;
        std::shared_ptr<engine> inner;
    };
    static engine_object& of(inlay_engine* e) { return *reinterpret_cast<engine_object*>(e); }
    static const exported_region& of(const inlay_compiled* r) { return *reinterpret_cast<const exported_region*>(r); }

    static result<P> configured(const inlay_setting* const* settings, std::size_t count) {
        P p{};
        for (std::size_t k = 0; k < count; ++k)
            if (!assign_option(p, settings[k]->name, settings[k]->value).value_or(false))
                return invalid_option(P::name, settings[k]->name, settings[k]->value);
        return p;
    }
    static inlay_error* check_option(const char* name, const char* value) noexcept {
        const inlay_setting setting{sizeof(inlay_setting), name, value};
        return answer_in_c([&]() -> result<void> {
            const inlay_setting* const list[] = {&setting};
            const auto p = configured(list, 1);
            return p ? result<void>() : p.why();
        });
    }
    static inlay_error* open(const inlay_setting* const* settings, std::size_t count, inlay_engine** to) noexcept {
        return answer_in_c([&]() -> result<void> {
            auto p = configured(settings, count);
            if (!p) return p.why();
            auto e = (*p).open();
            if (!e) return e.why();
            *to = reinterpret_cast<inlay_engine*>(new engine_object{std::move(*p), std::move(*e)});
            return {};
        });
    }
    static inlay_error* propose(inlay_engine* e, const inlay_nodes* nodes, const inlay_answer* answer) noexcept {
        return answer_in_c([&]() -> result<void> {
            const question q(*nodes);
            const graph_view& g = q.region().graph;
            std::vector<int> accepted;
            proposals out;
            for (const int i : q.nodes()) {
                verdict v = yes();
                if constexpr (requires(const P& p, const node_view& n) { p.accepts(n); })
                    v = of(e).provider.accepts({g, g.nodes[std::size_t(i)]});
                if (v)
                    accepted.push_back(i);
                else
                    out.refuse(i, std::string(v.reason));
            }
            of(e).inner->propose({g, accepted, &q}, out);
            for (const std::vector<int>& r : out.regions()) answer->take(answer, r.data(), r.size());
            for (const auto& [node, reason] : out.refusals()) answer->refuse(answer, node, reason.c_str());
            return {};
        });
    }
    // f(region) returns what was compiled.
    template <class F> static inlay_error* compiled(const inlay_nodes* nodes, inlay_compiled** to, F f) noexcept {
        return answer_in_c([&]() -> result<void> {
            const question q(*nodes);
            result<std::shared_ptr<const compiled_region>> r = f(q.region());
            if (!r) return r.why();
            if (!*r) return error(error_code::provider_failed, "its engine gave neither a region nor an error");
            *to = reinterpret_cast<inlay_compiled*>(
                new exported_region{std::move(*r), nodes->input_count, nodes->output_count});
            return {};
        });
    }
    static inlay_error* compile(inlay_engine* e, const inlay_nodes* nodes, inlay_compiled** to) noexcept {
        return compiled(nodes, to, [&](const region& r) { return of(e).inner->compile(r); });
    }
    static inlay_error* compile_any(inlay_engine* e, const inlay_nodes* nodes, inlay_compiled** to) noexcept {
        return compiled(nodes, to, [&](const region& r) { return of(e).inner->compile_for_any_shapes(r); });
    }
    static inlay_error* restore(inlay_engine* e, const inlay_nodes* nodes, const void* bytes, std::size_t count,
                                inlay_compiled** to) noexcept {
        return compiled(nodes, to, [&](const region& r) {
            return of(e).inner->restore(r, {static_cast<const char*>(bytes), count});
        });
    }
    static inlay_error* save(const inlay_compiled* r, const inlay_writer* to) noexcept {
        return answer_in_c([&]() -> result<void> {
            const auto bytes = of(r).region->save();
            if (!bytes) return bytes.why();
            to->write(to, (*bytes).data(), (*bytes).size());
            return {};
        });
    }
    static inlay_error* identity(inlay_engine* e, const inlay_facts* to) noexcept {
        return answer_in_c([&]() -> result<void> {
            for (const auto& [name, text] : of(e).inner->identity()) to->add(to, name.c_str(), text.c_str());
            return {};
        });
    }
    static inlay_error* instance(const inlay_compiled* r, inlay_executable** to) noexcept {
        return answer_in_c([&]() -> result<void> {
            auto inner = of(r).region->instance();
            if (!inner) return inner.why();
            *to = reinterpret_cast<inlay_executable*>(new exported_executable(std::move(*inner), of(r)));
            return {};
        });
    }
    static inlay_error* run(inlay_executable* e, const inlay_run* r) noexcept {
        return answer_in_c([&] { return reinterpret_cast<exported_executable*>(e)->run(*r); });
    }
    static std::int32_t operands(const inlay_setting* const* settings, std::size_t count) noexcept {
        if constexpr (requires(const P& p) {
                          { p.operands(element::f32) } -> std::same_as<element>;
                      })
            if (const auto p = configured(settings, count)) return int((*p).operands(element::f32));
        return int(element::f32);
    }

    std::string name_{P::name}, short_name_{short_name_of<P>()}, version_;
    option_list defaults_ = options_of(P{});
    std::vector<const char*> types_;
    std::vector<inlay_option> options_;
    std::vector<const inlay_option*> list_;
    inlay_plugin table_{};

    template <class T> static const char* type_name() {
        return std::same_as<T, bool> ? "boolean" : std::integral<T> ? "integer" : "text";
    }
    void set_options() {
        if constexpr (boost::hana::Struct<P>::value)
            boost::hana::for_each(boost::hana::accessors<P>(), [this](auto member) {
                types_.push_back(type_name<std::decay_t<decltype(boost::hana::second(member)(std::declval<P&>()))>>());
            });
        for (std::size_t k = 0; k < defaults_.size(); ++k)
            options_.push_back(
                {sizeof(inlay_option), defaults_[k].first.c_str(), defaults_[k].second.c_str(), types_[k]});
        for (const inlay_option& o : options_) list_.push_back(&o);
    }
    void set_functions() {
        table_.check_option = check_option;
        table_.open = open;
        table_.close = [](inlay_engine* e) { delete &of(e); };
        table_.propose = propose;
        table_.compile = compile;
        table_.destroy_compiled = [](inlay_compiled* r) { delete &of(r); };
        table_.instance = instance;
        table_.destroy_executable = [](inlay_executable* e) { delete reinterpret_cast<exported_executable*>(e); };
        table_.run = run;
        table_.compile_for_any_shapes = compile_any;
        table_.save = save;
        table_.restore = restore;
        table_.identity = identity;
        if constexpr (requires(const P& p) { p.precision, p.operands(element::f32); }) table_.operands = operands;
    }

  public:
    exported() {
        if constexpr (requires { P::library_version; }) version_ = P::library_version;
        set_options();
        set_functions();
        table_.size = sizeof table_;
        table_.version = INLAY_PLUGIN_VERSION;
        table_.name = name_.c_str();
        table_.short_name = short_name_.empty() ? nullptr : short_name_.c_str();
        table_.library_version = version_.empty() ? nullptr : version_.c_str();
        table_.status = int(status_of<P>());
        table_.option_count = list_.size();
        table_.options = list_.data();
    }
    exported(const exported&) = delete;
    exported& operator=(const exported&) = delete;
    // Version 1 is the only one, so that every program has it.
    static const inlay_plugin* table() {
        static const exported exports;
        return &exports.table_;
    }
};
}  // namespace plugin_export
}  // namespace v1
}  // namespace inlay

#define INLAY_EXPORT_PLUGIN(...) \
    namespace inlay { \
    inline namespace v1 { \
    result<std::string> to_onnx(const region& r, elements_in in) { return plugin_export::ask_for_onnx(r, in); } \
    } \
    } \
    extern "C" INLAY_PLUGIN_EXPORT const inlay_plugin* inlay_plugin_entry(uint32_t) { \
        return inlay::plugin_export::exported<__VA_ARGS__>::table(); \
    }
