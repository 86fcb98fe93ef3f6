#include "grown_values.hpp"
#include "kv_cache.hpp"
#include "ports.hpp"

namespace inlay {
inline namespace v1 {
namespace {
struct extension {  // of a node: this output is that input and, behind it along the axis, more
    int input, output, axis;
};
std::vector<extension> extensions_of(const node_view& n) {
    const std::string_view domain = n.record.domain, op = n.record.op;
    if (domain.empty() && op == "Concat" && n.input_count() > 1 && n.has_input(0)) {
        const int rank = n.input(0).dims.rank;
        return {{0, 0, rank < 1 ? -1 : normal_axis(n.integer("axis", 1), rank)}};
    }
    if (domain.empty() && op == "Attention") return {{4, 1, 2}, {5, 2, 2}};
    if (domain == "com.microsoft" && op == "MultiHeadAttention") return {{6, 1, 2}, {7, 2, 2}};
    return {};
}
}  // namespace
std::vector<growth> find_growths(const graph_view& g) {
    std::vector<growth> all;
    for (const node& n : g.nodes) {
        const node_view v{g, n};
        const auto inputs = g.list(n.inputs);
        for (const extension& e : extensions_of(v)) {
            if (!v.has_input(e.input) || !v.has_output(e.output)) continue;
            const int past = v.input_id(e.input), present = v.output_id(e.output);
            const value& x = g.values[std::size_t(past)];
            const bool state = e.axis >= 0 && e.axis < x.dims.rank && x.dims[e.axis] < 0 && x.type != element::object &&
                               x.type != element::string && bits_of(x.type) >= 8;
            const bool apart = std::ranges::count(inputs, past) == 1 && std::ranges::count(g.inputs, past) == 1 &&
                               std::ranges::count(g.outputs, present) == 1;
            if (state && apart && std::ranges::find(all, past, &growth::past) == all.end())
                all.push_back({past, present, e.axis, 0});
        }
    }
    return all;
}

kv_cache::kv_cache(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
kv_cache::kv_cache(kv_cache&&) noexcept = default;
kv_cache& kv_cache::operator=(kv_cache&&) noexcept = default;
kv_cache::~kv_cache() = default;

kv_cache session_base::make_cache(std::int64_t rows) const {
    if (rows < 1)
        raise({error_code::invalid_argument,
               "inlay: a cache needs room for at least one row, not " + std::to_string(rows)});
    if (core_->growths.empty())
        raise({error_code::invalid_model,
               "inlay: there is nothing to keep: the model has no input that a Concat or an Attention extends to one "
               "of its "
               "outputs"});
    auto cache = std::make_unique<kv_cache::impl>();
    cache->core = core_;
    cache->room = rows;
    const graph_view& g = core_->view();
    for (const growth& w : core_->growths)
        cache->all.push_back({int(std::ranges::find(g.inputs, w.past) - g.inputs.begin()),
                              int(std::ranges::find(g.outputs, w.present) - g.outputs.begin()), w.axis});
    return kv_cache(std::move(cache));
}
std::int64_t kv_cache::rows() const { return impl_->rows; }
std::int64_t kv_cache::room() const { return impl_->room; }
void kv_cache::keep(std::int64_t rows) {
    if (rows < 0 || rows > impl_->rows)
        raise({error_code::invalid_argument, "inlay: the cache holds " + std::to_string(impl_->rows) +
                                                 " rows and cannot keep " + std::to_string(rows)});
    impl_->rows = rows;
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
    std::size_t found = 0;
    for (const auto& o : impl_->all) {
        const tensor* t = states[std::size_t(o.input)];
        if (!t)
            raise({error_code::invalid_argument, "inlay: the cache holds `" + ports[std::size_t(o.input)].name +
                                                     "` too; assign() takes all that it holds"});
        if (rows >= 0 && t->shape()[o.axis] != rows)
            raise({error_code::shape_mismatch, "inlay: `" + ports[std::size_t(o.input)].name + "` has " +
                                                   std::to_string(t->shape()[o.axis]) + " rows, and others have " +
                                                   std::to_string(rows)});
        rows = t->shape()[o.axis];
        ++found;
    }
    if (found != pasts.size())
        raise({error_code::invalid_argument, "inlay: assign() was given " + std::to_string(pasts.size()) +
                                                 " tensors; the cache holds " + std::to_string(found)});
    impl_->check_room(rows);
    impl_->rows = 0;
    for (auto& o : impl_->all) {
        const tensor& t = *states[std::size_t(o.input)];
        impl_->allocate(o, t.shape());
        impl_->append(o, t, 0, rows);
    }
    impl_->rows = rows;
}
tensor kv_cache::past(std::string_view input) const {
    const auto ports = impl_->core->source->inputs();
    const int k = find_port(ports, input, "input");
    const auto at = std::ranges::find(impl_->all, k, &grown_values::one::input);
    if (at == impl_->all.end())
        raise({error_code::not_found, "inlay: the cache does not hold `" + ports[std::size_t(k)].name + "`"});
    if (!at->memory) raise({error_code::not_found, "inlay: the cache holds nothing yet"});
    return impl_->dense(*at);
}
std::vector<kv_cache::pair> kv_cache::pairs() const {
    std::vector<pair> all;
    for (const auto& o : impl_->all)
        all.push_back({impl_->core->source->inputs()[std::size_t(o.input)].name,
                       impl_->core->source->outputs()[std::size_t(o.output)].name, o.in_place, o.why});
    return all;
}

void kv_cache::impl::allocate(one& o, shape dims) {
    dims[o.axis] = room;
    if (o.memory && o.memory.shape() == dims) return;
    const port& p = core->source->inputs()[std::size_t(o.input)];
    if (rows > 0)
        raise({error_code::shape_mismatch, "inlay: the cache holds `" + p.name + "` as " + to_string(o.dims(rows)) +
                                               ", which does not go with this run's inputs; keep(0) forgets it"});
    o.memory = tensor::uninitialized(p.type, dims);
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
        if (std::ranges::find(all, find_port(ports, f.name, "input"), &one::input) != all.end())
            raise({error_code::invalid_argument,
                   "inlay: input `" + std::string(f.name) + "` is given, and the cache holds it"});
    for (one& o : all) {
        const port& p = ports[std::size_t(o.input)];
        shape dims = p.shape;
        for (int i = 0; i < dims.rank; ++i) {
            if (i == o.axis || dims[i] >= 0) continue;
            const std::int64_t size = dims[i] < -1 ? size_of(dims[i]) : -1;
            dims[i] = size >= 0 ? size : o.memory ? o.memory.shape()[i] : -1;
            if (dims[i] < 0)
                raise({error_code::shape_mismatch, "inlay: no input tells how large dimension " + std::to_string(i) +
                                                       " of `" + p.name + "` is, " + p.type_text + ' ' +
                                                       to_string(p.shape) + "; assign() the cache first"});
        }
        allocate(o, dims);
        o.fed = tensor::borrow(p.type, o.dims(rows), o.memory.data());
        in[std::size_t(o.input)] = &o.fed;
    }
}
}  // namespace v1
}  // namespace inlay
