#include "run_node.hpp"
#include <inlay/core/aligned.hpp>
#include <inlay/core/evaluate.hpp>
#include <inlay/core/partition.hpp>
#include <inlay/provider/cpu.hpp>
#include <inlay/provider/reference.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::int64_t most_elements = std::int64_t(1) << 36;  // of one value that a run makes
}
const kernel_table& reference_kernels() { return kernels_of<reference>(); }

error_code code_of(status s) {
    switch (s) {
        case status::stopped: return error_code::stopped;
        case status::deadline_passed: return error_code::deadline_passed;
        case status::out_of_memory: return error_code::out_of_memory;
        case status::invalid_value: return error_code::invalid_value;
        case status::unsupported: return error_code::no_provider;
        case status::device_lost: return error_code::device_lost;
        default: return error_code::provider_failed;
    }
}
std::string describe_node(const node& n) {
    return std::string(n.name) + " (" + (n.domain.empty() ? "" : std::string(n.domain) + ".") + std::string(n.op) +
           ", version " + std::to_string(n.version) + ")";
}
void raise_for_node(error_code code, const graph_view& g, const node& n, std::string_view why,
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
    e.text = describe_node(n) + ": " + std::string(why) + "; inputs: " + e.shapes;
    raise(std::move(e));
}
void check_elements(const graph_view& g, const node& n, const value& v) {
    std::int64_t count = 1;
    for (std::int64_t d : v.dims)
        if (d < 0 || __builtin_mul_overflow(count, std::max<std::int64_t>(d, 1), &count) || count > most_elements)
            raise_for_node(error_code::limit_exceeded, g, n,
                           "its output " + to_string(v.dims) + " has too many elements");
}
void check_packed(const graph_view& g, const node& n, std::int64_t bytes) {
    std::int64_t given = 1 << 20;
    for (int id : g.list(n.inputs))
        if (id >= 0 && g.values[std::size_t(id)].is_constant())
            given += 256 * bytes_of(g.values[std::size_t(id)].type, g.values[std::size_t(id)].dims.elements());
    if (bytes > given)
        raise_for_node(error_code::limit_exceeded, g, n,
                       "its constants would take " + std::to_string(bytes) + " bytes when packed");
}
const entry* find_entry(const kernel_table& table, const node& n) {
    const std::uint64_t key = operator_key(n.domain, n.op);
    for (auto e = std::ranges::lower_bound(table.entries, key, {}, &entry::key);
         e != table.entries.end() && e->key == key; ++e)
        if (e->name == n.op && e->domain == n.domain && e->versions.since <= n.version &&
            n.version <= e->versions.through)
            return &*e;
    return nullptr;
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

std::shared_ptr<bound_state> bind_kernel(const kernel_functions& f, const void* params, std::int64_t constant_bytes,
                                         constants w, isa::level level, int threads, std::string_view node_name) {
    auto b = std::make_shared<bound_state>();
    b->storage = tensor::uninitialized(element::u8, {constant_bytes});
    b->state = f.make_state();
    b->drop = f.drop_state;
    error why;
    if (const status s =
            f.bind(params, w, {level, threads, static_cast<std::byte*>(b->storage.data()), &why}, b->state);
        s != status::ok) {
        if (why.text.empty())
            why = {s == status::out_of_memory ? error_code::out_of_memory : error_code::provider_failed,
                   std::string(name_of(s))};
        why.text = std::string(node_name) + ": its kernel could not be bound: " + why.text;
        why.node = node_name;
        raise(why);
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

// Memory for an output: that of the run before, if it fits.
void* renew(any_value& v, element type, const shape& dims) {
    const tensor* t = v.as_tensor();
    if (!t || t->type() != type || type == element::string || !t->sole_owner() || t->elements() != dims.elements())
        v = tensor(type, dims);
    else if (t->shape() != dims)
        v = t->reshaped(dims);
    return const_cast<void*>(v.as_tensor()->data());
}
}  // namespace

void run_node(std::span<const candidate> candidates, live_graph& g, const node& n,
              std::span<const any_value* const> inputs, std::span<any_value> outputs, const node_environment& env) {
    const borrowed_contents contents(g);
    node_room& room = g.room;
    const auto ids = g.view.list(n.inputs);
    for (std::size_t k = 0; k < ids.size(); ++k) {
        if (ids[k] < 0) continue;
        value& v = g.values[std::size_t(ids[k])];
        if (v.is_constant() && v.kind != contents::none) continue;
        const tensor* t = inputs[k] ? inputs[k]->as_tensor() : nullptr;
        if (v.type == element::object || !t) continue;
        room.before.emplace_back(ids[k], v);
        v.dims = t->shape();
        read_contents(v, *t, g.integers, g.reals);
    }
    g.refresh();
    const entry* rule = nullptr;
    for (const candidate& c : candidates)
        if (!rule) rule = find_entry(*c.kernels, n);
    if (!rule) raise_for_node(error_code::no_provider, g.view, n, "no kernel runs it");
    const auto out_ids = g.view.list(n.outputs);
    for (int id : out_ids)
        if (id >= 0) g.values[std::size_t(id)].dims = shape::unknown();
    if (!infer_shapes(*rule, g, n) && !rule->data_dependent)
        raise_for_node(error_code::shape_mismatch, g.view, n, "the shape of its output cannot be told from its inputs");
    const node_view view{g.view, n};
    choice c{-1, {}};
    const candidate* chosen = nullptr;
    std::string refusals;
    for (const candidate& next : candidates) {
        c = find_kernel(next.kernels->entries, view, true);
        chosen = &next;
        if (c.kernel >= 0) break;
        refusals += (refusals.empty() ? "" : "; ") + (next.name.empty() ? "" : std::string(next.name) + ": ") +
                    std::string(c.why.reason);
    }
    if (c.kernel < 0) raise_for_node(error_code::no_provider, g.view, n, refusals);
    const kernel_table& table = *chosen->kernels;
    const kernel_functions& f = table.functions[std::size_t(c.kernel)];
    auto& params = room.params;
    params.resize(f.params_bytes / sizeof(std::max_align_t) + 1);
    f.prepare(view, params.data());
    const bytes_needed need = table.entries[std::size_t(c.kernel)].footprint(view, env.base.threads);

    check_packed(g.view, n, need.constant);
    auto &in = room.in, &known = room.known;
    in.clear();
    known.clear();
    for (std::size_t k = 0; k < ids.size(); ++k) {
        const value* v = ids[k] < 0 ? nullptr : &g.values[std::size_t(ids[k])];
        in.push_back(v ? address(inputs[k], v->type) : nullptr);
        known.push_back(v && v->is_constant() ? in.back() : nullptr);
    }
    const auto state =
        env.bind ? env.bind(chosen->provider, c.kernel, params.data(), need.constant, {known.data()})
                 : bind_kernel(f, params.data(), need.constant, {known.data()}, env.level, env.base.threads, n.name);
    struct grower {
        live_graph& g;
        std::span<const int> ids;
        std::span<any_value> outputs;
        std::int64_t left;
        bool take(std::int64_t bytes) { return (left -= bytes) >= 0; }
    } owner{g, out_ids, outputs, env.bytes};
    const auto take = [&](std::int64_t bytes) {
        if (!owner.take(bytes))
            raise_for_node(
                error_code::limit_exceeded, g.view, n,
                "it needs " + std::to_string(bytes) + " bytes of memory, which is more than limits::run_bytes leaves");
    };
    auto& out = room.out;
    out.clear();
    for (std::size_t k = 0; k < out_ids.size(); ++k) {
        const value* v = out_ids[k] < 0 ? nullptr : &g.values[std::size_t(out_ids[k])];
        if (!v || (v->type != element::object && !v->dims.known())) {
            out.push_back(nullptr);
            continue;
        }
        if (v->type == element::object) {
            outputs[k] = any_value();
            out.push_back(&outputs[k]);
        } else {
            take(bytes_of(v->type, v->dims.elements()));
            out.push_back(renew(outputs[k], v->type, v->dims));
        }
    }
    take(need.scratch);
    if (!room.scratch || room.scratch.bytes() < need.scratch)
        room.scratch = tensor::uninitialized(element::u8, {need.scratch});
    context x = env.base;
    x.scratch = static_cast<std::byte*>(room.scratch.data());
    x.owner = &owner;
    x.grow = [](void* o, int k, const shape& dims) noexcept -> void* {
        auto& w = *static_cast<grower*>(o);
        const int id = std::size_t(k) < w.ids.size() ? w.ids[std::size_t(k)] : -1;
        if (id < 0) return nullptr;
        value& v = w.g.values[std::size_t(id)];
        v.dims = dims;
        if (!dims.known() || !w.take(bytes_of(v.type, dims.elements()))) return nullptr;
        try {
            return renew(w.outputs[std::size_t(k)], v.type, dims);
        } catch (const std::exception&) {
            return nullptr;
        }
    };
    if (const status s = f.run(params.data(), state->state, {in.data(), out.data()}, x); s != status::ok) {
        const error_code code = code_of(s == status::stopped ? x.end_of_run() : s);
        raise_for_node(code, g.view, n, x.detail.empty() ? name_of(s) : x.detail, chosen->name);
    }
}

result<std::vector<tensor>> evaluate(const graph_view& view, const node& n, std::span<const tensor> inputs) {
    try {
        live_graph g(view);
        std::vector<any_value> values, outputs(std::size_t(n.outputs.count));
        for (const tensor& t : inputs) values.push_back(aligned(t));
        std::vector<const any_value*> in;
        for (std::size_t k = 0; k < values.size(); ++k) in.push_back(inputs[k] ? &values[k] : nullptr);
        const bool transposes =
            n.domain.empty() && n.op == "Transpose";  // large weights: the CPU's kernel moves the same bytes, in blocks
        const candidate by{transposes ? &kernels_of<cpu>() : &reference_kernels()};
        node_environment env{isa::level::sse2, {}};
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
