#include "engine/evaluate.hpp"
#include "run_node.hpp"
#include <inlay/plan/conversion.hpp>
#include <inlay/plan/schedule.hpp>
#include <inlay/provider/cpu.hpp>
#include <inlay/provider/reference.hpp>
#include <inlay/sdk/aligned.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <bit>
#include <functional>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::int64_t most_elements_made = std::int64_t(1) << 36;  // of one value that a run produces
}
std::string describe_node(const node& n) {
    return std::string(n.name) + " (" + (n.domain.empty() ? "" : std::string(n.domain) + ".") + std::string(n.op) +
           ", version " + std::to_string(n.version) + ")";
}
void raise_for_node(error_code code, const graph_view& g, const node& n, std::string_view reason,
                    std::string_view provider) {
    error e;
    e.code = code;
    e.node = n.name;
    e.op = n.op;
    e.provider = provider;
    e.version = n.version;
    for (int v : g.list(n.inputs))
        e.shapes += (e.shapes.empty() ? "" : ", ") + (v < 0 ? std::string("absent")
                                                            : std::string(name_of(g.values[std::size_t(v)].type)) +
                                                                  to_string(g.values[std::size_t(v)].dims));
    e.text = describe_node(n) + ": " + std::string(reason) + "; inputs: " + e.shapes;
    raise(std::move(e));
}
void check_elements(const graph_view& g, const node& n, const value& v) {
    std::int64_t count = 1;
    for (std::int64_t d : v.dims) {
        count = checked_product(count, std::max<std::int64_t>(d, 1));
        if (d < 0 || count > most_elements_made)
            raise_for_node(error_code::limit_exceeded, g, n,
                           "its output " + to_string(v.dims) + " has too many elements");
    }
}
void check_packed(const graph_view& g, const node& n, std::int64_t bytes) {
    std::int64_t allowance = 1 << 20;
    for (int id : g.list(n.inputs))
        if (id >= 0 && g.values[std::size_t(id)].is_constant())
            allowance += 256 * bytes_of(g.values[std::size_t(id)].type, g.values[std::size_t(id)].dims.elements());
    if (bytes > allowance)
        raise_for_node(error_code::limit_exceeded, g, n,
                       "its constants would take " + std::to_string(bytes) + " bytes when packed");
}
bool infer_shapes(const entry& e, live_graph& g, const node& n) {
    for (int k = 0; k < e.required_inputs; ++k)
        if (!node_view{g.view, n}.has_input(k))
            raise_for_node(error_code::invalid_model, g.view, n, "a required input is missing");
    std::vector<shape>& y = g.room.shapes;
    y.assign(std::size_t(n.outputs.count), shape::unknown());
    if (const verdict v = e.shapes(node_view{g.view, n}, y); !v)
        raise_for_node(error_code::shape_mismatch, g.view, n, v.reason);
    bool complete = true;
    for (int k = 0; k < n.outputs.count; ++k)
        if (const int id = g.view.edges[std::size_t(n.outputs.first + k)];
            id >= 0 && !g.values[std::size_t(id)].is_constant()) {
            value& v = g.values[std::size_t(id)];
            v.dims = y[std::size_t(k)];
            if (v.dims.known())
                check_elements(g.view, n, v);
            else
                complete &= v.type == element::object;
        }
    return complete;
}

std::shared_ptr<bound_state> bind_kernel(const kernel_functions& f, const void* params, tensor storage, constants w,
                                         isa::level level, int threads, std::string_view node_name) {
    auto b = std::make_shared<bound_state>();
    b->storage = std::move(storage);
    b->state = f.make_state();
    b->drop = f.drop_state;
    error failure;
    if (const status s =
            f.bind(params, w, {level, threads, static_cast<std::byte*>(b->storage.data()), &failure}, b->state);
        s != status::ok) {
        if (failure.text.empty()) failure = {code_of(s), std::string(name_of(s))};
        if (s == status::unsupported) throw kernel_refusal{failure.text};
        failure.text = std::string(node_name) + ": its kernel could not be bound: " + failure.text;
        failure.node = node_name;
        raise(failure);
    }
    return b;
}

namespace {
const void* address(const any_value* v, element type) {
    return !v                        ? nullptr
           : type == element::object ? static_cast<const void*>(v)
           : v->as_tensor()          ? v->as_tensor()->data()
                                     : nullptr;
}

// Forgets, at the end of a node, the input values that were read for it.
struct borrowed_contents {
    live_graph& g;
    explicit borrowed_contents(live_graph& graph) : g(graph) { g.room.before.clear(); }
    ~borrowed_contents() {
        for (auto& [id, v] : g.room.before) {
            g.values[std::size_t(id)].kind = v.kind;
            g.values[std::size_t(id)].list = v.list;
        }
        g.integers.resize(g.own_integers);
        g.reals.resize(g.own_reals);
        g.refresh();
    }
};

struct conversion {
    conversion_functions by;
    std::shared_ptr<bound_state> state;
};
const conversion& conversion_for(int bits) {
    static const auto conversions = [] {
        std::array<conversion, 5> table;
        for (std::size_t k = 0; k < table.size(); ++k) {
            table[k].by = conversion_of<device::cpu>(8 << k);
            const void* const absent = nullptr;
            std::vector<std::max_align_t> params(table[k].by.f.params_bytes / sizeof(std::max_align_t) + 1);
            table[k].by.prepare(shape{1}, layout::plain, params.data());
            table[k].state =
                bind_kernel(table[k].by.f, params.data(), {}, {&absent}, isa::baseline, 1, "layout conversion");
        }
        return table;
    }();
    return conversions[std::size_t(std::countr_zero(unsigned(bits)) - 3)];
}

// One node's run, in the order of its functions.
class node_run {
    std::span<const candidate> candidates_;
    live_graph& g_;
    const node& n_;
    std::span<const any_value* const> inputs_;
    std::span<any_value> outputs_;
    node_environment& env_;
    std::span<const int> ids_, out_ids_;
    late_memory own_memory_{};
    late_memory& memory_;
    std::int64_t& left_;
    const candidate* candidate_ = nullptr;
    int kernel_ = -1;
    bytes_needed need_{};
    std::shared_ptr<bound_state> state_{};
    std::optional<error> no_room_{};  // for an output whose size the kernel reported

    value& record(int id) { return g_.values[std::size_t(id)]; }
    node_room& room() { return g_.room; }
    node_view view() { return {g_.view, n_, room().layouts.data()}; }
    const kernel_functions& functions() const { return candidate_->kernels->functions[std::size_t(kernel_)]; }
    [[noreturn]] void raise_bytes(std::int64_t bytes) {
        raise_for_node(
            error_code::limit_exceeded, g_.view, n_,
            "it needs " + std::to_string(bytes) + " bytes of memory, which is more than limits::run_bytes leaves");
    }
    tensor take(element type, const shape& dims) {
        std::optional<tensor> t = memory_.take(type, dims, left_);
        if (!t) raise_bytes(bytes_of(type, dims.elements()));
        return std::move(*t);
    }
    layout layout_of(std::size_t argument) const {
        return env_.layouts.empty() ? layout::plain : env_.layouts[argument];
    }

    void read_inputs() {
        for (std::size_t k = 0; k < ids_.size(); ++k) {
            if (ids_[k] < 0) continue;
            value& v = record(ids_[k]);
            if (v.is_constant() && v.kind != contents::none) continue;
            const tensor* t = inputs_[k] ? inputs_[k]->as_tensor() : nullptr;
            if (v.type == element::object || !t) continue;
            room().before.emplace_back(ids_[k], v);
            v.dims = t->shape();
            if (layout_of(k) == layout::plain || layouts_coincide(v.dims)) read_contents(v, *t, g_.integers, g_.reals);
        }
        g_.refresh();
    }
    void infer_outputs() {
        const entry* rule = nullptr;
        for (const candidate& c : candidates_)
            if (!rule) rule = find_entry(*c.kernels, n_);
        if (!rule) raise_for_node(error_code::no_provider, g_.view, n_, "no kernel runs it");
        for (int id : out_ids_)
            if (id >= 0) record(id).dims = shape::unknown();
        if (!infer_shapes(*rule, g_, n_) && !rule->data_dependent)
            raise_for_node(error_code::shape_mismatch, g_.view, n_,
                           "the shape of its output cannot be derived from its inputs");
    }
    void choose() {
        std::string refusals;
        for (const candidate& next : candidates_) {
            const choice c = find_kernel(next.kernels->entries, node_view{g_.view, n_}, true, false, [&](int kernel) {
                return env_.barred ? env_.barred(next.provider, kernel) : yes();
            });
            candidate_ = &next;
            kernel_ = c.kernel;
            if (kernel_ >= 0) return;
            refusals += (refusals.empty() ? "" : "; ") + (next.name.empty() ? "" : std::string(next.name) + ": ") +
                        std::string(c.outcome.reason);
        }
        raise_for_node(error_code::no_provider, g_.view, n_, refusals);
    }
    // The layouts that the kernel requires of its arguments, by the rule of the scheduler.
    void find_layouts() {
        const auto position = [&](int id) { return std::size_t(std::ranges::find(ids_, id) - ids_.begin()); };
        const entry& kernel = candidate_->kernels->entries[std::size_t(kernel_)];
        auto& movable = room().movable;
        find_inputs_in_layout(&kernel, ids_, movable);
        const layout_rule rule = resolve_layouts(kernel.layouts(node_view{g_.view, n_}), g_.values, movable, out_ids_,
                                                 [&](int id) { return layout_of(position(id)); });
        auto& layouts = room().layouts;
        layouts.clear();
        for (int id : movable) layouts.push_back(id < 0 ? layout::plain : argument_layout(record(id), rule.in));
        for (int id : out_ids_) layouts.push_back(id < 0 ? layout::plain : argument_layout(record(id), rule.out));
    }
    tensor converted(const tensor& from, layout to) {
        const conversion& c = conversion_for(bits_of(from.type()));
        auto& params = room().conversion;
        params.resize(c.by.f.params_bytes / sizeof(std::max_align_t) + 1);
        c.by.prepare(from.shape(), to, params.data());
        tensor copy = take(from.type(), from.shape());
        const void* const in = from.data();
        void* const out = copy.data();
        context x = env_.base;
        finish(c.by.f.run(params.data(), c.state->state, {&in, &out}, x), x);
        return copy;
    }
    void finish(status s, const context& x) {
        if (s == status::ok) return;
        const error_code code = code_of(s == status::stopped ? x.end_of_run() : s);
        raise_for_node(code, g_.view, n_, x.detail.empty() ? name_of(s) : x.detail, candidate_->name);
    }
    void place_inputs() {
        auto &in = room().in, &constant_data = room().constant_data;
        in.clear();
        constant_data.clear();
        for (std::size_t k = 0; k < ids_.size(); ++k) {
            const value* v = ids_[k] < 0 ? nullptr : &record(ids_[k]);
            in.push_back(v ? address(inputs_[k], v->type) : nullptr);
            constant_data.push_back(v && v->is_constant() ? in.back() : nullptr);
        }
    }
    void bind() {
        auto& params = room().params;
        params.resize(functions().params_bytes / sizeof(std::max_align_t) + 1);
        functions().prepare(view(), params.data());
        need_ = candidate_->kernels->entries[std::size_t(kernel_)].footprint(view(), env_.base.threads);
        check_packed(g_.view, n_, need_.constant);
        const constants known_constants{room().constant_data.data()};
        if (env_.bind) {
            state_ = env_.bind(candidate_->provider, kernel_, params.data(), need_.constant, known_constants);
            return;
        }
        try {
            state_ = bind_kernel(functions(), params.data(), tensor::uninitialized(element::u8, {need_.constant}),
                                 known_constants, env_.level, env_.base.threads, n_.name);
        } catch (const kernel_refusal& r) {
            raise_for_node(error_code::no_provider, g_.view, n_, r.reason, candidate_->name);
        }
    }
    void convert_inputs() {
        auto& copies = room().converted;
        for (std::size_t k = 0; k < ids_.size(); ++k) {
            if (!room().in[k] || layout_of(k) == room().layouts[k] || !has_layout_choice(record(ids_[k])) ||
                layouts_coincide(record(ids_[k]).dims))
                continue;
            copies.push_back(converted(*inputs_[k]->as_tensor(), room().layouts[k]));
            room().in[k] = copies.back().data();
        }
    }
    void place_outputs() {
        auto& out = room().out;
        out.clear();
        for (std::size_t k = 0; k < out_ids_.size(); ++k) {
            out.push_back(nullptr);
            if (out_ids_[k] < 0) continue;
            const value& v = record(out_ids_[k]);
            outputs_[k] = any_value();
            if (v.type == element::object)
                out.back() = &outputs_[k];
            else if (v.dims.known())
                out.back() = place_output(k, v.dims);
        }
    }
    void* place_output(std::size_t k, const shape& dims) {
        tensor t = take(record(out_ids_[k]).type, dims);
        void* const data = t.data();
        outputs_[k] = std::move(t);
        return data;
    }
    // Of an output whose size the kernel reports.
    void* grow(int k, const shape& dims) noexcept {
        const int id = std::size_t(k) < out_ids_.size() ? out_ids_[std::size_t(k)] : -1;
        if (id < 0) return nullptr;
        record(id).dims = dims;
        if (!dims.known()) return nullptr;
        try {
            return place_output(std::size_t(k), dims);
        } catch (const error& e) {  // the kernel can only report that it is out of memory
            no_room_ = e;
        } catch (const std::bad_alloc&) {
        }
        return nullptr;
    }
    void run_kernel() {
        const tensor scratch = take(element::u8, {need_.scratch});
        context x = env_.base;
        x.scratch = static_cast<std::byte*>(const_cast<void*>(scratch.data()));
        x.owner = this;
        x.grow = [](void* self, int k, const shape& dims) noexcept {
            return static_cast<node_run*>(self)->grow(k, dims);
        };
        const status outcome =
            functions().run(room().params.data(), state_->state, {room().in.data(), room().out.data()}, x);
        if (outcome != status::ok && no_room_) raise(std::move(*no_room_));
        finish(outcome, x);
    }
    void convert_outputs() {
        for (std::size_t k = 0; k < out_ids_.size(); ++k) {
            layout& order = room().layouts[ids_.size() + k];
            const tensor* t = out_ids_[k] < 0 ? nullptr : outputs_[k].as_tensor();
            if (t && order != layout::plain && layout_of(ids_.size() + k) != layout::any) {
                if (!layouts_coincide(t->shape())) outputs_[k] = converted(*t, layout::plain);
                order = layout::plain;
            }
            if (!env_.layouts.empty()) env_.layouts[ids_.size() + k] = order;
        }
    }

  public:
    node_run(std::span<const candidate> candidates, live_graph& g, const node& n,
             std::span<const any_value* const> inputs, std::span<any_value> outputs, node_environment& env)
        : candidates_(candidates),
          g_(g),
          n_(n),
          inputs_(inputs),
          outputs_(outputs),
          env_(env),
          ids_(g.view.list(n.inputs)),
          out_ids_(g.view.list(n.outputs)),
          memory_(env.memory ? *env.memory : own_memory_),
          left_(env.left ? *env.left : env.bytes) {}
    node_run(const node_run&) = delete;
    ~node_run() { room().converted.clear(); }
    void run() {
        read_inputs();
        infer_outputs();
        place_inputs();
        while (!state_) {
            choose();
            find_layouts();
            bind();
        }
        convert_inputs();
        place_outputs();
        run_kernel();
        convert_outputs();
    }
};
}  // namespace

void run_node(std::span<const candidate> candidates, live_graph& g, const node& n,
              std::span<const any_value* const> inputs, std::span<any_value> outputs, node_environment env) {
    const borrowed_contents contents(g);
    node_run(candidates, g, n, inputs, outputs, env).run();
}

result<std::vector<tensor>> evaluate(const graph_view& view, const node& n, std::span<const tensor> inputs) {
    try {
        live_graph g(view);
        std::vector<any_value> values, outputs(std::size_t(n.outputs.count));
        for (const tensor& t : inputs) values.push_back(aligned_tensor(t));
        std::vector<const any_value*> in;
        for (std::size_t k = 0; k < values.size(); ++k) in.push_back(inputs[k] ? &values[k] : nullptr);
        // Operators that only move elements give the same bytes by the CPU's kernels, which accept weights in blocks.
        const candidate by{operator_of(n).facts.moves ? &kernels_of<cpu>() : &reference_kernels()};
        node_environment env{isa::baseline, {}};
        run_node(std::span(&by, 1), g, n, in, outputs, env);
        std::vector<tensor> results;
        for (const any_value& v : outputs) results.push_back(v.as_tensor() ? *v.as_tensor() : tensor());
        return results;
    } catch (const error& e) {
        return e;
    }
}
}  // namespace v1
}  // namespace inlay
