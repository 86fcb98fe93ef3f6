#include "canonical.hpp"
#include "region_lowering.hpp"
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
class region_lowering {
    const region& r_;
    const byte_nodes& bytes_;
    const target& target_;
    primitive_sink& to_;
    fresh_ids ids_;
    struct forms {
        bool plain = false, channels_last = false;
        bool& of(layout order) { return order == layout::plain ? plain : channels_last; }
    };
    std::unordered_map<int, forms> forms_{};
    std::unordered_map<int, int> same_{};         // ids of what only has another name
    std::set<std::pair<int, layout>> results_{};  // what primitives give
    std::string_view op_{};                       // of the node that is lowered

    int resolve(int id) const {
        const auto at = same_.find(id);
        return at == same_.end() ? id : at->second;
    }
    void give(const operand& y) {
        forms_[y.id].of(y.order) = true;
        results_.insert({y.id, y.order});
    }
    void write(const primitive& p) {
        to_.write(p);
        std::visit([&](auto prim) { each_result(prim, [&](const operand& y) { give(y); }); }, p);
    }
    void check(const primitive& p) const {
        if (std::string reason = refusal_by(target_, p, op_); !reason.empty()) refuse(std::move(reason));
    }
    void dequantize(int id);
    forms& known(int id);
    layout order_there(const operand&);
    layout common_order(const std::vector<const operand*>&, const operand& y);
    layout order_at_ends(const operand& x) const { return x.dims.rank == 4 ? target_.rules->ends : layout::plain; }
    layout order_of(const primitive&);
    void turn(const operand& from, const operand& to);
    void use(operand&, layout);
    void use_as(operand&, layout, bool broadcasts);
    void legalise(const primitive&, std::vector<primitive>&);
    void place(reshape_prim&);
    void place(primitive&);
    std::vector<primitive> legal_primitives_of(int unit);
    std::size_t place_of(int node) const {
        return std::size_t(std::ranges::lower_bound(r_.nodes, node) - r_.nodes.begin());
    }
    bool is_candidate(int unit, const std::vector<char>& free);
    std::vector<int> units();
    void lower(int unit);
    void finish();

  public:
    region_lowering(const region& r, const byte_nodes& b, const target& t, primitive_sink& to)
        : r_(r), bytes_(b), target_(t), to_(to), ids_{int(r.graph.values.size())} {}
    void run();
};

// What a node dequantizes to floats: written when a primitive reads it as such.
void region_lowering::dequantize(int id) {
    const int d = id < int(r_.graph.values.size()) ? bytes_.graph->maker(id) : -1;
    if (d < 0 || !std::ranges::binary_search(r_.nodes, d) || !bytes_.graph->dequantizes(d))
        refuse("a value is not there");
    const operand from = operand_of(r_.graph, *bytes_.graph, bytes_.graph->view(d).input_id(0));
    if (std::string reason = refusal_of_tensor(target_, from); !reason.empty()) refuse(std::move(reason));
    if (bytes_.graph->said_by(d) != from.quantized)
        refuse("its scale and zero point are not one of each that is known, as where its input is made or first read");
    primitive p = dequantize_prim{from, operand_of(r_.graph, *bytes_.graph, id)};
    check(p);
    place(p);
    write(p);
}
region_lowering::forms& region_lowering::known(int id) {
    if (!forms_.contains(id)) dequantize(id);
    return forms_[id];
}
layout region_lowering::order_there(const operand& x) {
    return !x.constant && known(resolve(x.id)).channels_last ? layout::channels_last : layout::plain;
}
// The order for operands that meet: channels last where some image is there only so, and all others are images,
// constants or single elements.
layout region_lowering::common_order(const std::vector<const operand*>& operands, const operand& y) {
    bool needs_last = false, turns = y.dims.rank == 4;
    for (const operand* x : operands) {
        if (x->constant) continue;
        if (x->dims.rank == 4) {
            const forms& f = known(resolve(x->id));
            needs_last |= f.channels_last && !f.plain;
        } else {
            turns &= x->dims.elements() == 1;
        }
    }
    return needs_last && turns ? layout::channels_last : layout::plain;
}
layout region_lowering::order_of(const primitive& p) {
    const operand& x = std::visit([](const auto& prim) -> const operand& { return data_of(prim); }, p);
    const bool image = x.dims.rank == 4;
    switch (lowering::order_of(target_, p)) {
        case order_rule::images: return image ? target_.images : layout::plain;
        case order_rule::channels_last: return image ? layout::channels_last : layout::plain;
        case order_rule::follows: return order_there(x);
        case order_rule::meets: break;
        default: return layout::plain;
    }
    return std::visit(
        [&](const auto& prim) {
            std::vector<const operand*> operands;
            each_input(prim, [&](const operand& part) { operands.push_back(&part); });
            return common_order(operands, prim.y);
        },
        p);
}
void region_lowering::turn(const operand& from, const operand& to) {
    primitive p = reshape_prim{from, to};
    if (!same_either_way(from.dims)) {
        if (!target_.rules->has(kind::transpose))
            refuse("its images have their channels last, and " + std::string(target_.rules->library) +
                   " does not turn " + to_string(from.dims));
        p = transpose_prim{from, to, to.order == layout::plain ? integers{0, 3, 1, 2} : integers{0, 2, 3, 1}};
    }
    check(p);
    write(p);
}
void region_lowering::use(operand& x, layout order) {
    x.id = resolve(x.id);
    x.order = order;
    if (x.constant) return;
    forms& f = known(x.id);
    if (f.of(order)) return;
    operand from = x;
    from.order = order == layout::plain ? layout::channels_last : layout::plain;
    turn(from, x);
}
void region_lowering::use_as(operand& x, layout order, bool broadcasts) {
    if (order == layout::channels_last && broadcasts && x.dims.elements() == 1) order = layout::plain;
    if (order == layout::channels_last && x.constant && x.dims.rank < 4) x.dims = of_rank(x.dims, 4);
    use(x, order);
}
// Images whose elements lie in the same order either way are not turned where they only get another shape.
void region_lowering::place(reshape_prim& p) {
    use(p.x, same_either_way(p.x.dims) ? order_there(p.x) : layout::plain);
    p.y.order = p.y.dims.rank == 4 && same_either_way(p.y.dims) ? target_.images : layout::plain;
}
void region_lowering::place(primitive& p) {
    if (auto* const rename = std::get_if<reshape_prim>(&p)) return place(*rename);
    const layout order = order_of(p);
    const bool broadcasts = kind_of(p) == kind::binary || kind_of(p) == kind::select;
    std::visit(
        [&](auto& prim) {
            each_input(prim, [&](operand& x) { use_as(x, order, broadcasts); });
            each_parameter(prim, [&](operand& x) {
                if (!x.constant) use(x, layout::plain);
            });
            prim.y.order = prim.y.dims.rank == 4 ? order : layout::plain;
            if constexpr (requires { prim.axes; } && !std::is_same_v<std::decay_t<decltype(prim)>, transpose_prim>)
                for (auto& axis : prim.axes) axis = place_of_axis(int(axis), order);
            if constexpr (requires { prim.axis; }) prim.axis = place_of_axis(prim.axis, order);
            if constexpr (requires { prim.start; }) {
                prim.start = in_memory(prim.start, order);
                prim.step = in_memory(prim.step, order);
            }
            if constexpr (requires {
                              prim.before;
                              prim.after;
                          }) {
                prim.before = in_memory(prim.before, order);
                prim.after = in_memory(prim.after, order);
            }
        },
        p);
}
void region_lowering::legalise(const primitive& p, std::vector<primitive>& out) {
    std::string reason = refusal_by(target_, p, op_);
    if (reason.empty()) return out.push_back(p);
    const std::vector<primitive> parts = expanded(p, ids_);
    if (parts.empty()) refuse(std::move(reason));
    for (const primitive& part : parts) legalise(part, out);
}
std::vector<primitive> region_lowering::legal_primitives_of(int unit) {
    const node& record = r_.graph.unit(unit);
    op_ = record.op;
    const source* const origin = find_source(record);
    if (origin && origin->unrolled && !target_.rules->has(origin->of))
        if (std::string reason = refusal_of_steps(target_, {r_.graph, record}); !reason.empty())
            refuse(std::move(reason));
    if (!origin)
        refuse(std::string(target_.rules->library) + " has no operation for " + std::string(record.op) + " here");
    std::vector<primitive> primitives;
    for (const primitive& p : primitives_of(r_, bytes_, *target_.rules, ids_, unit)) legalise(p, primitives);
    return primitives;
}
// Of nodes that are free, in floats, and all that it becomes is taken.
bool region_lowering::is_candidate(int unit, const std::vector<char>& free) try {
    const auto is_free = [&](int i) { return std::ranges::binary_search(r_.nodes, i) && free[place_of(i)] != 0; };
    if (!std::ranges::all_of(r_.graph.list(r_.graph.unit(unit).sources), is_free)) return false;
    return !legal_primitives_of(unit).empty();
} catch (const refused_node&) {
    return false;
}
// The nodes; where the rules want them, candidates in the places of their last nodes.
std::vector<int> region_lowering::units() {
    std::vector<int> units(r_.nodes.begin(), r_.nodes.end());
    if (!target_.rules->fuses) return units;
    std::vector<char> free(units.size());
    for (std::size_t k = 0; k < free.size(); ++k)
        free[k] = !bytes_.in_bytes[std::size_t(units[k])] && !bytes_.absorbed[std::size_t(units[k])];
    for (const int unit : bytes_.graph->candidates_ending_in(r_.nodes)) {
        if (!is_candidate(unit, free)) continue;
        const auto sources = r_.graph.list(r_.graph.unit(unit).sources);
        for (const int i : sources) {
            free[place_of(i)] = 0;
            units[place_of(i)] = i == sources.back() ? unit : -1;
        }
    }
    std::erase(units, -1);
    return units;
}
void region_lowering::lower(int unit) {
    for (primitive& p : legal_primitives_of(unit)) {
        if (const auto* const same = std::get_if<reshape_prim>(&p); same && same->x.dims == same->y.dims) {
            same_[same->y.id] = resolve(same->x.id);
            continue;
        }
        place(p);
        write(p);
    }
}
void region_lowering::finish() {
    std::unordered_set<int> output_ids;
    for (int id : r_.outputs) {
        operand y = operand_of(r_.graph, *bytes_.graph, id);
        use(y, order_at_ends(y));
        if (!results_.contains({y.id, y.order}) || output_ids.contains(y.id)) {  // a primitive has to give it
            operand copy = ids_(y.dims, y);
            copy.order = y.order;
            check(reshape_prim{y, copy});
            write(reshape_prim{y, copy});
            y = copy;
        }
        output_ids.insert(y.id);
        to_.result(y);
    }
}
void region_lowering::run() {
    for (int id : r_.inputs) {
        operand x = operand_of(r_.graph, *bytes_.graph, id);
        if (std::string reason = refusal_of_tensor(target_, x); !reason.empty()) refuse(std::move(reason));
        x.order = order_at_ends(x);
        forms_[id].of(x.order) = true;
        to_.argument(x);
    }
    for (int unit : units()) lower(unit);
    finish();
}
struct no_sink final : primitive_sink {
    void argument(const operand&) override {}
    void write(const primitive&) override {}
    void result(const operand&) override {}
};
}  // namespace

void lower_region(const region& r, const byte_nodes& bytes, const target& t, primitive_sink& to) {
    region_lowering(r, bytes, t, to).run();
}
std::string refusal_by_rules(const free_nodes& free, std::span<const int> nodes, const byte_nodes& bytes,
                             const target& t, region_ends& finder) try {
    const region_values ends = finder.of(nodes);
    no_sink sink;
    lower_region({free.graph, nodes, ends.inputs, ends.outputs, free.constants}, bytes, t, sink);
    return {};
} catch (const refused_node& r) {
    return one_line(r.reason);
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
