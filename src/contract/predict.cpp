// How long a plan's run would take, by the cost parameters of its providers' capability tables.
#include "contract.hpp"
#include "engine/specialise.hpp"

namespace inlay {
inline namespace v1 {
namespace {
const entry* rule_of(const node& n) { return find_entry(reference_kernels(), n); }
// By node of the graph: multiplications and additions, and the kind of their numbers.
struct work {
    double flop = 0, constants = 0;  // constants: bytes of them that it reads
    element type = element::f32;     // u8: of quantized values
};
std::vector<work> work_of(const model& m, std::span<const shape> shapes) {
    const specialised s = specialise(m.graph(), m.view(), shapes, rule_of);
    const graph_view& g = s.graph.view;
    std::vector<int> makers(g.values.size(), -1);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        for (const int v : g.list(g.nodes[i].outputs))
            if (v >= 0) makers[std::size_t(v)] = int(i);
    std::vector<work> node_work;
    for (const node& n : g.nodes) {
        const auto dims = [&](const range& ids) {
            std::vector<shape> value_shapes;
            for (const int id : g.list(ids))
                value_shapes.push_back(id < 0 ? shape::unknown() : g.values[std::size_t(id)].dims);
            return value_shapes;
        };
        work& w = node_work.emplace_back();
        const node_view view{g, n};
        if (all_constant(g.values, g.list(n.outputs))) continue;
        w.flop = flop_of(rule_of(n), view, dims(n.inputs), dims(n.outputs));
        for (const int id : g.list(n.inputs))
            if (id >= 0 && g.values[std::size_t(id)].is_constant())
                w.constants +=
                    double(bytes_of(g.values[std::size_t(id)].type, g.values[std::size_t(id)].dims.elements()));
        if (!view.has_input(0)) continue;
        const int maker = makers[std::size_t(view.input_id(0))];
        w.type =
            maker >= 0 && operator_of(g.nodes[std::size_t(maker)]).facts.decodes ? element::u8 : view.input_type(0);
    }
    return node_work;
}
double rate(const cost_parameters& c, element e) {
    if (e == element::u8 || e == element::i8) return c.codes;
    return e == element::f16 || e == element::bf16 ? c.f16 : c.f32;
}
double moved_bytes(const plan_report& r, const plan_report::step& s) {
    double sum = 0;
    for (const std::vector<int>* list : {&s.inputs, &s.outputs})
        for (const int v : *list) sum += double(std::max<std::int64_t>(0, r.values[std::size_t(v)].bytes));
    return sum;
}
// The provider that the memory belongs to; null: the host's.
const provider_contract* owner_of(const plan_report& r, std::string_view space) {
    for (const std::string& p : r.providers)
        if (const provider_contract* c = find_contract(p);
            c && c->costs.link > 0 && c->memory.space == space.substr(0, space.find(':')))
            return c;
    return nullptr;
}
double copy_seconds(const plan_report& r, const plan_report::step& s) {
    const plan_report::value &from = r.values[std::size_t(s.inputs[0])], &to = r.values[std::size_t(s.outputs[0])];
    const double bytes = double(std::max<std::int64_t>(0, from.bytes));
    const provider_contract *before = owner_of(r, from.space), *after = owner_of(r, to.space);
    if (s.kind == "transfer") {
        double sum = 0;
        for (const provider_contract* c : {before, after})
            if (c) sum += c->costs.copy + bytes / c->costs.link;
        return sum;
    }
    const provider_contract* const c = before ? before : find_contract(cpu::name);
    return c ? c->costs.node + 2 * bytes / c->costs.memory : 0;
}
}  // namespace

double predict(plan_report& r, const model& m, std::span<const shape> shapes) {
    const std::vector<work> nodes = work_of(m, shapes);
    double sum = 0;
    for (plan_report::step& s : r.schedule) {
        const provider_contract* const c = find_contract(s.provider.empty() ? cpu::name : std::string_view(s.provider));
        if (s.kind == "conversion" || s.kind == "transfer")
            s.predicted = copy_seconds(r, s);
        else if (c) {
            const bool region = s.kind == "region";  // whose constants are no inputs of the step
            double seconds = 0, bytes = moved_bytes(r, s);
            for (const int i : s.nodes) {
                const work& w = nodes[std::size_t(i)];
                seconds += w.flop / rate(c->costs, w.type);
                if (region) bytes += w.constants;
            }
            s.predicted = std::max(seconds, bytes / c->costs.memory) + (region ? c->costs.region : 0) +
                          c->costs.node * double(region ? s.nodes.size() : 1);
        }
        if (s.predicted > 0) sum += s.predicted;
    }
    return sum;
}
}  // namespace v1
}  // namespace inlay
