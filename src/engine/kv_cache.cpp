#include "facts.hpp"
#include "grown_values.hpp"
#include "kv_cache.hpp"
#include "ports.hpp"
#include <set>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace {
using form = cached_pair::form;
void clear(tensor& t) { std::memset(t.data(), 0, std::size_t(t.bytes())); }
// How often each value is read by nodes, and is an input and an output of the graph.
struct use_counts {
    std::vector<int> reads, inputs, outputs;
    explicit use_counts(const graph_view& g) : reads(g.values.size()), inputs(reads), outputs(reads) {
        for (const node& n : g.nodes) for_each_read(g, n, [&](int v) { ++reads[std::size_t(v)]; });
        for (int v : g.inputs) ++inputs[std::size_t(v)];
        for (int v : g.outputs)
            if (v >= 0) ++outputs[std::size_t(v)];
    }
    bool node_alone_reads(const kept_pair& k) const {  // the past and the present
        return reads[std::size_t(k.past)] == 1 && reads[std::size_t(k.present)] == 0;
    }
};
// The rows of a past that is given more rows than it holds must not be counted: if another input's shape, or a node,
// might count them, the past is given at its true size.
void give_counted_rows(const graph_view& g, const use_counts& uses, std::vector<kept_pair>& pairs) {
    std::unordered_map<std::int64_t, std::vector<kept_pair*>> buffers;  // by the name of their rows
    std::vector<int> telling;                                           // inputs whose shapes determine sizes
    std::vector<char> is_buffer(g.values.size());
    const auto give_rows = [&](kept_pair& k) {
        if (std::exchange(k.kind, form::rows) == form::rows) return;
        k.tokens = k.tokens_axis = k.total = -1;
        telling.push_back(k.past);
    };
    for (kept_pair& k : pairs)
        if (k.kind == form::buffer) is_buffer[std::size_t(k.past)] = true;
    for (int v : g.inputs)
        if (!is_buffer[std::size_t(v)]) telling.push_back(v);
    for (kept_pair& k : pairs) {
        if (k.kind != form::buffer) continue;
        const std::int64_t rows = g.values[std::size_t(k.past)].dims[k.axis];
        if (rows < -1) buffers[rows].push_back(&k);
        if (!uses.node_alone_reads(k)) give_rows(k);
    }
    while (!telling.empty()) {
        const shape& dims = g.values[std::size_t(telling.back())].dims;
        telling.pop_back();
        for (const std::int64_t size : dims)
            if (const auto counted = buffers.extract(size))
                for (kept_pair* k : counted.mapped()) give_rows(*k);
    }
}
std::optional<kept_pair> kept_pair_of(const graph_view& g, const use_counts& uses, int i, const cached_pair& e) {
    const node_view n{g, g.nodes[std::size_t(i)]};
    if (e.input < 0 || !n.has_input(e.input) || !n.has_output(e.output)) return {};
    const int past = n.input_id(e.input), present = n.output_id(e.output);
    const value& x = g.values[std::size_t(past)];
    const bool has_bytes = x.type != element::object && x.type != element::string && bits_of(x.type) >= 8;
    const bool grows = e.axis >= 0 && e.axis < x.dims.rank && x.dims[e.axis] < 0;
    const bool once = std::ranges::count(g.list(n.record.inputs), past) == 1 && uses.inputs[std::size_t(past)] == 1 &&
                      uses.outputs[std::size_t(present)] == 1;
    if (!has_bytes || !once || x.dims.rank < 1 || (e.kind == form::state ? e.tokens_axis < 0 : !grows)) return {};
    return kept_pair{{past, present, e.axis, 0}, e.kind, i, e.tokens, e.tokens_axis, e.total};
}
}  // namespace
std::vector<kept_pair> find_kept_pairs(const graph_view& g) {
    const use_counts uses(g);
    std::vector<kept_pair> pairs;
    std::vector<char> is_past(g.values.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto caches = operator_of(g.nodes[i]).caches;
        if (!caches) continue;
        for (const cached_pair& e : caches({g, g.nodes[i]}))
            if (const auto k = kept_pair_of(g, uses, int(i), e);
                k && !std::exchange(is_past[std::size_t(k->past)], true))
                pairs.push_back(*k);
    }
    give_counted_rows(g, uses, pairs);
    std::ranges::stable_partition(pairs, [](const kept_pair& k) { return k.kind != form::state; });
    return pairs;
}
namespace {
// Per value: numbers derived from it go elsewhere than to the `total` inputs of the pairs' operators.
std::vector<char> find_other_uses(const graph_view& g, std::span<const kept_pair> pairs) {
    static constexpr std::string_view arithmetic[] = {"Cast",    "Gather",    "Identity", "Reshape",
                                                      "Squeeze", "Unsqueeze", "Slice"};
    std::vector<int> totals(g.nodes.size(), -1);
    for (const kept_pair& k : pairs)
        if (k.kind == form::buffer) totals[std::size_t(k.node)] = k.total;
    std::vector<char> elsewhere(g.values.size());
    const auto goes_elsewhere = [&](int v) { return v >= 0 && elsewhere[std::size_t(v)]; };
    const auto note = [&](int v) {
        if (v >= 0) elsewhere[std::size_t(v)] = true;
    };
    std::ranges::for_each(g.outputs, note);
    for (std::size_t i = g.nodes.size(); i-- > 0;) {
        const node& n = g.nodes[i];
        const auto inputs = g.list(n.inputs);
        std::ranges::for_each(g.list(n.captures), note);
        const bool passes = n.domain.empty() && std::ranges::find(arithmetic, n.op) != std::end(arithmetic);
        if (passes && std::ranges::none_of(g.list(n.outputs), goes_elsewhere)) continue;
        for (int k = 0; k < int(inputs.size()); ++k)
            if (passes || k != totals[i]) note(inputs[std::size_t(k)]);
    }
    return elsewhere;
}
bool sums_rows(const node_view& n) {
    if (!n.record.domain.empty() || n.record.op != "ReduceSum" || n.version() < 13) return false;
    const auto axes = n.input_integers(1);
    return axes && axes->size() == 1 && ((*axes)[0] == 1 || (*axes)[0] == -1);
}
bool may_be_mask(const value& x) {
    return (x.type == element::i64 || x.type == element::i32) && x.dims.rank == 2 && x.dims[1] < 0;
}
// How many of the graph's inputs have a dimension of each name.
std::unordered_map<std::int64_t, int> count_inputs_by_name(const graph_view& g) {
    std::unordered_map<std::int64_t, int> counts;
    for (const int v : std::set<int>(g.inputs.begin(), g.inputs.end())) {
        const shape& dims = g.values[std::size_t(v)].dims;
        for (const std::int64_t size : std::set<std::int64_t>(dims.begin(), dims.end())) ++counts[size];
    }
    return counts;
}
}  // namespace
std::vector<int> find_counting_masks(const graph_view& g, std::span<const kept_pair> pairs) {
    struct mask_use {
        bool counts = false, has_other_use = false;
    };
    std::unordered_map<int, mask_use> uses;  // by value
    for (const int v : g.inputs)
        if (may_be_mask(g.values[std::size_t(v)])) uses.try_emplace(v);
    if (uses.empty()) return {};
    const std::vector<char> elsewhere = find_other_uses(g, pairs);
    const auto note = [&](std::span<const int> list, auto f) {
        for (const int v : list)
            if (const auto mask = uses.find(v); mask != uses.end()) f(mask->second);
    };
    note(g.outputs, [](mask_use& u) { u.has_other_use = true; });
    for (const node& n : g.nodes) {
        note(g.list(n.captures), [](mask_use& u) { u.has_other_use = true; });
        note(g.list(n.inputs), [&](mask_use& u) {
            const bool is_shape = n.domain.empty() && n.op == "Shape";
            u.counts |= is_shape;
            u.has_other_use |= is_shape ? bool(elsewhere[std::size_t(g.list(n.outputs)[0])]) : !sums_rows({g, n});
        });
    }
    const auto inputs_by_name = count_inputs_by_name(g);
    std::vector<int> masks;
    for (std::size_t k = 0; k < g.inputs.size(); ++k) {
        const auto use = uses.find(g.inputs[k]);
        if (use == uses.end() || !use->second.counts || use->second.has_other_use) continue;
        const std::int64_t columns = g.values[std::size_t(g.inputs[k])].dims[1];
        if (columns == -1 || inputs_by_name.at(columns) == 1) masks.push_back(int(k));
    }
    return masks;
}

// A cache is allocated by rows: no more of them than one tensor may have elements.
static void check_cached(const session_core& core, int past, const shape& dims) {
    const std::int64_t most = core.source->limits().elements_per_tensor;
    if (dims.elements() <= most && dims.elements() < too_large) return;
    error e(error_code::limit_exceeded, "inlay: the cache would hold `" +
                                            std::string(core.graph.view.values[std::size_t(past)].name) + "` as " +
                                            to_string(dims) + ", of more than " + std::to_string(most) + " elements");
    e.hint = "make_cache() with less room, or raise limits::elements_per_tensor";
    raise(std::move(e));
}

kv_cache::kv_cache(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
kv_cache::kv_cache(kv_cache&&) noexcept = default;
kv_cache& kv_cache::operator=(kv_cache&&) noexcept = default;
kv_cache::~kv_cache() = default;

kv_cache session_base::make_cache(std::int64_t rows) const {
    if (rows < 1)
        raise({error_code::invalid_argument,
               "inlay: a cache needs room for at least one row, not " + std::to_string(rows)});
    if (core_->graph.kept_pairs.empty())
        raise(
            {error_code::invalid_model,
             "inlay: there is nothing to keep: the model has no input that a Concat, an attention or an operator with "
             "a state gives back as one of its outputs"});
    const graph_view& g = core_->graph.view;
    for (const kept_pair& w : core_->graph.kept_pairs) {
        shape dims = g.values[std::size_t(w.past)].dims;
        if (w.kind != kept_pair::form::state) dims[w.axis] = rows;
        for (std::int64_t& d : dims.dims) d = std::max<std::int64_t>(d, 1);  // unknown before a run
        check_cached(*core_, w.past, dims);
    }
    auto cache = std::make_unique<kv_cache::impl>();
    cache->core = core_;
    cache->room = rows;
    for (const kept_pair& w : core_->graph.kept_pairs)
        cache->slots.push_back({int(std::ranges::find(g.inputs, w.past) - g.inputs.begin()),
                                int(std::ranges::find(g.outputs, w.present) - g.outputs.begin()), w.axis, w.kind});
    return kv_cache(std::move(cache));
}
std::int64_t kv_cache::rows() const { return impl_->rows; }
std::int64_t kv_cache::room() const { return impl_->room; }
void kv_cache::keep(std::int64_t rows) {
    if (rows < 0 || rows > impl_->rows)
        raise({error_code::invalid_argument, "inlay: the cache holds " + std::to_string(impl_->rows) +
                                                 " rows and cannot keep " + std::to_string(rows)});
    if (rows > 0 && rows < impl_->rows)
        for (const auto& o : impl_->slots)
            if (o.kind == kept_pair::form::state)
                raise({error_code::invalid_argument,
                       "inlay: `" + impl_->core->source->inputs()[std::size_t(o.input)].name +
                           "` is a state, from which no row can be taken back: keep(0) begins again"});
    impl_->rows = rows;
    if (rows == 0) impl_->clear_states();
}
void kv_cache::assign(std::span<const feed> pasts) {
    const auto ports = impl_->core->source->inputs();
    std::vector<const tensor*> states(ports.size(), nullptr);
    shape_check check;
    for (const feed& f : pasts) {
        const auto k = std::size_t(find_port(ports, f.name, "input"));
        check_value(ports[k], f.value, check);
        if (!f.value.as_tensor()->on_host())
            raise({error_code::wrong_memory_space, "inlay: `" + ports[k].name + "` is in the memory space `" +
                                                       std::string(f.value.as_tensor()->where().name) +
                                                       "`; a cache is in the host's"});
        states[k] = f.value.as_tensor();
    }
    std::int64_t rows = -1;
    std::size_t count = 0;
    for (const auto& o : impl_->slots) {
        const tensor* t = states[std::size_t(o.input)];
        if (!t)
            raise({error_code::invalid_argument, "inlay: the cache holds `" + ports[std::size_t(o.input)].name +
                                                     "` too; assign() takes all that it holds"});
        ++count;
        if (o.axis < 0) continue;
        if (rows >= 0 && t->shape()[o.axis] != rows)
            raise({error_code::shape_mismatch, "inlay: `" + ports[std::size_t(o.input)].name + "` has " +
                                                   std::to_string(t->shape()[o.axis]) + " rows, and others have " +
                                                   std::to_string(rows)});
        rows = t->shape()[o.axis];
    }
    if (count != pasts.size())
        raise({error_code::invalid_argument, "inlay: assign() was given " + std::to_string(pasts.size()) +
                                                 " tensors; the cache holds " + std::to_string(count)});
    rows = std::max<std::int64_t>(rows, 0);  // where only states are held, the number of past rows is unknown
    impl_->check_room(rows);
    impl_->rows = 0;
    for (auto& o : impl_->slots) {
        const tensor& t = *states[std::size_t(o.input)];
        impl_->allocate(o, t.shape());
        impl_->append(o, t, 0, rows);
    }
    impl_->rows = rows;
}
tensor kv_cache::past(std::string_view input) const {
    const auto ports = impl_->core->source->inputs();
    const int k = find_port(ports, input, "input");
    const auto at = std::ranges::find(impl_->slots, k, &grown_values::slot::input);
    if (at == impl_->slots.end())
        raise({error_code::not_found, "inlay: the cache does not hold `" + ports[std::size_t(k)].name + "`"});
    if (!at->memory) raise({error_code::not_found, "inlay: the cache holds nothing yet"});
    return impl_->dense(*at);
}
std::vector<kv_cache::pair> kv_cache::pairs() const {
    std::vector<pair> result;
    for (const auto& o : impl_->slots)
        result.push_back({impl_->core->source->inputs()[std::size_t(o.input)].name,
                          impl_->core->source->outputs()[std::size_t(o.output)].name, o.in_place, o.reason});
    return result;
}

void kv_cache::impl::allocate(slot& o, shape dims) {
    if (o.axis >= 0) dims[o.axis] = room;
    if (o.memory && o.memory.shape() == dims) return;
    const port& p = core->source->inputs()[std::size_t(o.input)];
    if (rows > 0)
        raise({error_code::shape_mismatch, "inlay: the cache holds `" + p.name + "` as " + to_string(o.dims(rows)) +
                                               ", which does not go with this run's inputs; keep(0) forgets it"});
    check_cached(*core, core->graph.view.inputs[std::size_t(o.input)], dims);
    const tensor room_of_its_own = memory_.take(bytes_of(p.type, dims.elements()));
    o.memory = tensor::borrow(p.type, dims, room_of_its_own.data(), space_of<memory::host>,
                              std::make_shared<tensor>(room_of_its_own));
    if (o.kind == form::state) clear(o.memory);
}
void kv_cache::impl::clear_states() {
    for (slot& o : slots)
        if (o.kind == form::state && o.memory) clear(o.memory);
}
void kv_cache::impl::feed_pasts(std::span<const feed> feeds, std::span<const any_value*> in) {
    const auto ports = core->source->inputs();
    const auto size_of = [&](std::int64_t symbol) -> std::int64_t {
        for (const feed& f : feeds) {
            const port& p = ports[std::size_t(find_port(ports, f.name, "input"))];
            if (const tensor* t = f.value.as_tensor(); t && t->shape().rank == p.shape.rank)
                for (int i = 0; i < p.shape.rank; ++i)
                    if (p.shape[i] == symbol) return t->shape()[i];
        }
        return -1;
    };
    for (const feed& f : feeds)
        if (std::ranges::find(slots, find_port(ports, f.name, "input"), &slot::input) != slots.end())
            raise({error_code::invalid_argument,
                   "inlay: input `" + std::string(f.name) + "` is given, and the cache holds it"});
    for (slot& o : slots) {
        const port& p = ports[std::size_t(o.input)];
        shape dims = p.shape;
        for (int i = 0; i < dims.rank; ++i) {
            if (i == o.axis || dims[i] >= 0) continue;
            const std::int64_t size = dims[i] < -1 ? size_of(dims[i]) : -1;
            dims[i] = size >= 0 ? size : o.memory ? o.memory.shape()[i] : -1;
            if (dims[i] < 0)
                raise({error_code::shape_mismatch, "inlay: no input determines how large dimension " +
                                                       std::to_string(i) + " of `" + p.name + "` is, " + p.type_text +
                                                       ' ' + to_string(p.shape) + "; assign() the cache first"});
        }
        allocate(o, dims);
        o.fed = tensor::borrow(p.type, o.fed_dims(rows), o.memory.data());
        in[std::size_t(o.input)] = &o.fed;
    }
}
void kv_cache::impl::widen_masks(std::span<const any_value*> in) {
    wide_masks_.clear();
    mask_columns = -1;
    wide_masks_.reserve(core->graph.counting_masks.size());
    for (int k : core->graph.counting_masks) {
        const tensor& mask = *in[std::size_t(k)]->as_tensor();
        const std::int64_t columns = mask.shape()[1];
        if (rows == 0 || columns > room) continue;  // a prompt has its own plan; more than the capacity is refused
        tensor wide(mask.type(), {mask.shape()[0], room});
        const std::size_t bytes = std::size_t(bytes_of(mask.type(), columns)),
                          step = std::size_t(bytes_of(mask.type(), room));
        for (std::size_t i = 0; i < std::size_t(mask.shape()[0]); ++i)
            std::memcpy(static_cast<std::byte*>(wide.data()) + i * step,
                        static_cast<const std::byte*>(mask.data()) + i * bytes, bytes);
        mask_columns = columns;
        in[std::size_t(k)] = &wide_masks_.emplace_back(std::move(wide));
    }
}
}  // namespace v1
}  // namespace inlay
