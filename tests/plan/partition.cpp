// Partition, schedule and memory plan hold their promises on random graphs, and decide the same in the compiler as at
// run time.
#include "../catch.hpp"
#include "../heap_calls.hpp"
#include "random_graph.hpp"
#include <inlay/sdk/graph_data.hpp>
#include <set>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct furnace_memory {};
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct memory_space<furnace_memory> {
    static constexpr std::string_view name = "furnace";
    static void* allocate(std::size_t bytes, int) noexcept { return memory_space<memory::host>::allocate(bytes); }
    static void release(void* p, int) noexcept { memory_space<memory::host>::release(p); }
};
template <> struct transfer<memory::host, furnace_memory> {
    static bool copy(void* to, const void* from, std::size_t n, int) noexcept {
        std::memcpy(to, from, n);
        return true;
    }
};
template <> struct transfer<furnace_memory, memory::host> : transfer<memory::host, furnace_memory> {};
}  // namespace v1
}  // namespace inlay

namespace {
const value& record(const graph_view& g, const plan& p, int id) {
    while (id >= int(g.values.size())) id = p.copies[std::size_t(id) - g.values.size()].source;
    return g.values[std::size_t(id)];
}
int origin(const graph_view& g, const plan& p, int id) {
    while (id >= int(g.values.size())) id = p.copies[std::size_t(id) - g.values.size()].source;
    return id;
}

// What a plan promises: each function is empty where it holds, else says what does not.
template <class L> struct promises {
    const graph_view& g;
    const L& list;
    const plan p = make_plan(g, list, 2);

    // Each node once: alone, in a fused node with all its sources, or in one region.
    std::string of_steps() const {
        const assignment& a = p.assigned;
        const int nodes = int(g.nodes.size()), units = g.units() + int(a.regions.size());
        std::vector<int> times(std::size_t(nodes), 0);
        for (const step& s : p.steps) {
            if (s.unit < 0) continue;
            if (s.unit >= g.units())
                for (int i : a.list(a.regions[std::size_t(s.unit - g.units())].nodes)) ++times[std::size_t(i)];
            else if (s.unit >= nodes)
                for (int i : g.list(g.unit(s.unit).sources)) ++times[std::size_t(i)];
            else
                ++times[std::size_t(s.unit)];
        }
        if (std::ranges::any_of(times, [](int t) { return t != 1; })) return "a node does not run exactly once";
        if (!order_units(g, a.unit_of, units).acyclic) return "the units depend on each other in a cycle";
        return {};
    }
    // Each provider before the owner was queried and gave a reason, or lost the node to a region.
    std::string of_priority() const {
        const assignment& a = p.assigned;
        for (int i = 0; i < int(g.nodes.size()); ++i)
            for (int q = 0; q < a.owners[std::size_t(i)]; ++q)
                if (a.unit_of[std::size_t(i)] == i && a.verdicts[std::size_t(i * a.providers + q)].reason.empty())
                    return "an earlier provider did not say why it declined";
        return {};
    }
    // Every value is read in the layout and the memory that the step needs, after it was made; copies are made once
    // and read.
    std::string of_values() const {
        std::vector<char> is_written(g.values.size() + p.copies.size(), 0), used(is_written.size(), 0);
        std::set<std::tuple<int, layout, int>> destinations;
        for (int v : g.inputs) is_written[std::size_t(v)] = 1;
        for (const step& s : p.steps) {
            if (const std::string fault = of_inputs(s, is_written, used); !fault.empty()) return fault;
            for (int id : p.list(s.outputs)) {
                if (is_written[std::size_t(id)]++) return "a value is made twice";
                if (id >= int(g.values.size()) &&
                    !destinations
                         .insert({origin(g, p, id), p.value_layouts[std::size_t(id)], p.value_spaces[std::size_t(id)]})
                         .second)
                    return "a value is copied twice to one destination";
            }
        }
        for (int id : p.outputs) {
            used[std::size_t(id)] = 1;
            if (!is_written[std::size_t(id)] || p.value_spaces[std::size_t(id)] != 0)
                return "an output is not on the host";
        }
        for (std::size_t id = g.values.size(); id < used.size(); ++id)
            if (!used[id]) return "a copy is never read";
        return {};
    }
    std::string of_inputs(const step& s, const std::vector<char>& is_written, std::vector<char>& used) const {
        const int space = s.provider >= 0 ? list.view(s.provider).space : 0;
        for (int k = s.inputs.first; k < s.inputs.first + s.inputs.count; ++k) {
            const int id = p.arguments[std::size_t(k)];
            if (!is_written[std::size_t(id)]) return "a value is read before it is made";
            used[std::size_t(id)] = 1;
            if (s.unit >= 0 && p.value_spaces[std::size_t(id)] != space)
                return "a value is read in another memory space";
            if (p.layouts[std::size_t(k)] != p.value_layouts[std::size_t(id)] &&
                !layouts_coincide(record(g, p, id).dims))
                return "a value is read in another layout";
        }
        return {};
    }
    // The values at the borders, one per value and memory space that reads it.
    std::set<std::pair<int, int>> boundary() const {
        std::set<std::pair<int, int>> border;
        for (const step& s : p.steps) {
            if (s.unit < 0) continue;
            const int space = list.view(s.provider).space;
            for (int id : p.list(s.inputs))
                if (const int v = origin(g, p, id); p.value_spaces[std::size_t(v)] != space) border.insert({v, space});
        }
        for (int v : g.outputs)
            if (p.value_spaces[std::size_t(v)] != 0) border.insert({v, 0});
        return border;
    }
    // Transfers are exactly the values at the borders.
    std::string of_transfers() const {
        const std::set<std::pair<int, int>> needs = boundary();
        std::set<std::pair<int, int>> arrivals;
        int transfers = 0;
        for (const copied_value& c : p.copies)
            if (p.value_spaces[std::size_t(c.source)] != c.space) {
                ++transfers;
                arrivals.insert({origin(g, p, c.source), c.space});
            }
        if (transfers != p.transfers) return "transfers are miscounted";
        for (auto b : needs)
            if (!arrivals.contains(b)) return "a boundary value is not transferred";
        for (auto m : arrivals)
            if (!needs.contains(m) && !is_on_its_way(m.first, m.second))
                return "a value is transferred that no step reads there";
        return {};
    }
    // A conversion is made on the host, so a value may pass there on its way, and come back.
    bool is_on_its_way(int value, int space) const {
        const bool through_host = space == 0 && std::ranges::any_of(p.copies, [&](const copied_value& c) {
                                      return origin(g, p, c.source) == value &&
                                             p.value_spaces[std::size_t(c.source)] == 0 &&
                                             (c.space != 0 || c.to != p.value_layouts[std::size_t(c.source)]);
                                  });
        const bool back_again =
            space == p.value_spaces[std::size_t(value)] && std::ranges::any_of(p.copies, [&](const copied_value& c) {
                return origin(g, p, c.source) == value && c.space == space &&
                       c.to != p.value_layouts[std::size_t(value)];
            });
        return through_host || back_again;
    }
};

// Memory: replayed on labels; what is read must still be what was written, a view's bytes being those of its source.
class arena {
    const graph_view& g_;
    const plan& p_;
    int space_;
    std::vector<int> owners_;        // of each line of 64 bytes
    std::vector<char> overwritten_;  // of values, in place

    std::span<int> lines(int id) {
        return std::span(owners_).subspan(
            std::size_t(p_.offsets[std::size_t(id)] / 64),
            std::size_t(padded_bytes(bytes_of(element::f32, record(g_, p_, id).dims.elements())) / 64));
    }
    bool contains(int id) const { return p_.value_spaces[std::size_t(id)] == space_; }

  public:
    arena(const graph_view& g, const plan& p, int space)
        : g_(g),
          p_(p),
          space_(space),
          owners_(std::size_t(p.arena_bytes[std::size_t(space)] / 64), -1),
          overwritten_(g.values.size() + p.copies.size(), 0) {}
    bool is_lost(int id) {
        if (!contains(id)) return false;
        return overwritten_[std::size_t(id)] || !std::ranges::all_of(lines(id), [&](int owner) {
                   return owner == id || (owner >= 0 && p_.roots[std::size_t(owner)] == p_.roots[std::size_t(id)]);
               });
    }
    bool any_lost(std::span<const int> ids) {
        return std::ranges::any_of(ids, [&](int id) { return is_lost(id); });
    }
    void write(int id, reuse sharing) {
        if (!contains(id)) return;
        if (sharing == reuse::in_place && p_.roots[std::size_t(id)] != id)
            for (std::size_t v = 0; v < overwritten_.size(); ++v)
                if (int(v) != id && p_.roots[v] == p_.roots[std::size_t(id)]) overwritten_[v] = 1;
        std::ranges::fill(lines(id), id);
        overwritten_[std::size_t(id)] = 0;
    }
};
template <class L> std::string broken_memory(const graph_view& g, const L& list, const plan& p) {
    for (int space = 0; space < int(p.arena_bytes.size()); ++space) {
        arena memory(g, p, space);
        for (int id : g.inputs) memory.write(id, reuse::none);
        for (const step& s : p.steps) {
            if (memory.any_lost(p.list(s.inputs))) return "a value is overwritten before it is read";
            const reuse sharing = s.unit >= 0 && s.kernel >= 0
                                      ? list.view(s.provider).kernels[std::size_t(s.kernel)].shares
                                      : reuse::none;
            for (int id : p.list(s.outputs)) memory.write(id, sharing);
        }
        if (memory.any_lost(p.outputs)) return "an output is overwritten";
        if (memory.any_lost(g.inputs)) return "an input is overwritten";
    }
    if (p.arena_total() < p.live_bytes) return "the arena is smaller than what lives in it";
    return {};
}

// Empty if every promise holds, else the one that does not.
template <class L> std::string broken_promise(const graph_view& g, const L& list) {
    const promises<L> checks{g, list};
    std::string broken = checks.of_steps();
    if (broken.empty()) broken = checks.of_priority();
    if (broken.empty()) broken = checks.of_values();
    if (broken.empty()) broken = checks.of_transfers();
    if (broken.empty()) broken = broken_memory(g, list, checks.p);
    return broken;
}

struct not_quick {
    static constexpr std::string_view name = "NotQuickExecutionProvider";
    static constexpr auto devices = hana::tuple_t<patient_device>;
    static constexpr auto kernels = hana::tuple_t<test_fused, test_op<0>>;
};
struct quick_or_not : not_quick {
    static constexpr auto devices = hana::tuple_t<test_device, patient_device>;
};
struct patient_alone {  // whatever is left, node by node
    static constexpr std::string_view name = "AloneExecutionProvider";
    static constexpr auto devices = hana::tuple_t<patient_device>;
    static constexpr auto kernels = hana::tuple_t<test_op<0>, test_op<1>, test_op<2>, test_op<3>>;
};
// One type, two devices: each takes every other node that it has kernels for.
struct furnace : kernels_of_test<2, furnace_memory, test_op<0>, test_op<2>> {
    int device_id = 0;
    constexpr explicit furnace(int device) : device_id(device) {}
    constexpr verdict accepts(const node_view& n) const {
        return n.output_id(0) % 2 == device_id % 2 ? yes() : no("the other furnace has that");
    }
};
constexpr typed_providers two_furnaces(furnace(4), second{}, furnace(1), third{});

const typed_providers three(first{}, second{}, third{});
const claiming_providers claims_first(claimer{}, second{}, third{});
const claiming_providers claims_last(second{}, claimer{.width = 5, .every = 6}, first{}, third{});

// What the compiler must find too.
template <class L> constexpr std::uint64_t fingerprint(const graph_view& g, const L& list) {
    const plan p = make_plan(g, list, 2);
    std::uint64_t h = 14695981039346656037u;
    const auto mix = [&](std::int64_t x) { h = (h ^ std::uint64_t(x)) * 1099511628211u; };
    for (int o : p.assigned.owners) mix(o);
    for (int k : p.assigned.kernels) mix(k);
    for (const step& s : p.steps) {
        mix(s.unit);
        mix(s.provider);
        mix(s.kernel);
    }
    for (int v : p.arguments) mix(v);
    for (layout l : p.layouts) mix(int(l));
    for (std::int64_t o : p.offsets) mix(o);
    for (std::int64_t b : p.arena_bytes) mix(b);
    mix(p.constant_bytes);
    mix(p.scratch_bytes);
    mix(p.aliased);
    return h;
}
// No other plans are computed for these sanitizers, and three seconds go to each in the compiler.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_MEMORY__)
constexpr std::size_t compiled_graphs = 2, random_graphs = 1'000;
#else
constexpr std::size_t compiled_graphs = 16, random_graphs = 10'000;
#endif
template <std::uint64_t Seed> constexpr random_graph<40> seeded{Seed};
template <std::uint64_t Seed>
constexpr std::uint64_t in_the_compiler = Seed % 2 ? fingerprint(seeded<Seed>.view(),
                                                                 typed_providers(first{}, second{}, third{}))
                                                   : fingerprint(seeded<Seed>.view(),
                                                                 claiming_providers(claimer{}, second{}, third{}));
}  // namespace

TEST_CASE("Partition, schedule and plan keep their promises on random graphs", "[partition]") {
    for (std::uint64_t seed = 0; seed < random_graphs; ++seed) {
        const random_graph<24> small(seed);
        const std::string broken = seed % 3 == 0   ? broken_promise(small.view(), three)
                                   : seed % 3 == 1 ? broken_promise(small.view(), claims_first)
                                                   : broken_promise(small.view(), claims_last);
        if (!broken.empty()) {
            CAPTURE(seed);
            FAIL(broken);
        }
    }
    const random_graph<600> large(7);
    CHECK(broken_promise(large.view(), three) == "");
    CHECK(broken_promise(large.view(), claims_last) == "");
}

TEST_CASE("Regions are taken in their order, each unless it makes a cycle with those before it", "[partition]") {
    constexpr claimer interleaved{.width = 3, .every = 9, .apart = 3};
    int acyclic_count = 0, cyclic_count = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const random_graph<24> graph(seed);
        const graph_view g = graph.view();
        std::vector<int> indices(g.nodes.size()), unit_of;
        for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = int(i);
        proposals proposed;
        interleaved.propose(indices, proposed);
        unit_of = indices;
        int unit = g.units();
        for (const std::vector<int>& region : proposed.regions()) {  // one by one
            std::vector<int> trial = unit_of;
            for (int i : region) trial[std::size_t(i)] = unit;
            const bool sound = order_units(g, trial, unit + 1).acyclic;
            ++(sound ? acyclic_count : cyclic_count);
            if (!sound) continue;
            unit_of = trial;
            ++unit;
        }
        const assignment a = partition(g, claiming_providers(interleaved, patient_alone{}));
        for (std::size_t i = 0; i < indices.size(); ++i)
            if (unit_of[i] >= g.units() ? a.unit_of[i] != unit_of[i] : a.owners[i] != 1) {
                CAPTURE(seed, i);
                FAIL("another region");
            }
    }
    CHECK(acyclic_count > 1000);
    CHECK(cyclic_count > 1000);
}
#ifdef COUNTED
namespace {
// Bytes that planning a chain takes of the heap, which it walks: every look at the whole graph has memory of its size.
template <class L> long planning_bytes(int nodes, const L& list) {
    graph_data g;
    int tail = g.add_value("x", element::f32, {4});
    g.inputs = {tail};
    for (int i = 0; i < nodes; ++i) {
        const int y = g.add_value("y", element::f32, {4});
        g.add_node("test", i % 2 ? "Any" : "Plain", 1, "n", {}, std::span(&tail, 1), std::span(&y, 1));
        tail = y;
    }
    g.outputs = {tail};
    const graph_view view = g.view();
    heap::bytes = 0;
    heap::counting = true;
    const plan p = make_plan(view, list, 1);
    heap::counting = false;
    CHECK(p.steps.size() > std::size_t(nodes) / 4);
    return heap::bytes;
}
}  // namespace
TEST_CASE("Twice the nodes take about twice the work to plan, with regions and without", "[partition][heap]") {
    const auto grows = [](const auto& list) {
        const double once = double(planning_bytes(2000, list)), twice = double(planning_bytes(4000, list));
        CAPTURE(once, twice);
        CHECK(twice < 2.3 * once);
    };
    grows(typed_providers(third{}));
    grows(claiming_providers(claimer{.width = 3, .every = 4}, third{}));
    grows(claiming_providers(claimer{.width = 1, .every = 2}, second{}, third{}));
}
#endif

TEST_CASE("Fused nodes that would depend on themselves, alone or together, are left", "[partition]") {
    int fused_count = 0, left = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const random_graph<24> g(seed);
        const graph_view v = g.view();
        const assignment a = partition(v, three);
        for (int u = int(v.nodes.size()); u < v.units(); ++u) {
            if (v.unit(u).outputs.count != 2) continue;
            fused_count += a.unit_of[std::size_t(v.list(v.unit(u).sources)[0])] == u;
            left += a.verdicts[std::size_t(u * a.providers)].reason == "it would depend on itself through other nodes";
        }
    }
    CHECK(fused_count > 100);
    CHECK(left > 100);
}
TEST_CASE("Two fused nodes, either of them sound, are not both taken where each would wait for the other",
          "[partition]") {
    // a -> b and d -> c, in the order a, d, b, c; one fused node for a and c, one for b and d.
    graph_data g;
    const auto value_of = [&](const char* name) { return g.add_value(name, element::f32, {2}); };
    const int x = value_of("x"), a = value_of("a"), d = value_of("d"), b = value_of("b"), c = value_of("c");
    const auto add = [&](const char* op, std::initializer_list<int> in, std::initializer_list<int> out) {
        g.add_node("test", op, 1, op, {}, std::span(in.begin(), in.size()), std::span(out.begin(), out.size()));
    };
    add("Plain", {x}, {a});
    add("Plain", {x}, {d});
    add("Plain", {a}, {b});
    add("Plain", {d}, {c});
    const auto fuse = [&](std::initializer_list<int> in, std::initializer_list<int> out,
                          std::initializer_list<int> sources) {
        add("Fused", in, out);
        node n = g.nodes.back();
        g.nodes.pop_back();
        n.sources = g.add_edges(sources);
        g.fused.push_back(n);
    };
    fuse({x, d}, {a, c}, {0, 3});
    fuse({x, a}, {d, b}, {1, 2});
    g.inputs = {x};
    g.outputs = {b, c};
    const assignment outcome = partition(g.view(), typed_providers(not_quick{}));
    CHECK(outcome.unit_of == std::vector{4, 1, 2, 4});
    CHECK(outcome.verdicts[5].reason == "it would depend on itself through other nodes");
    std::swap(g.fused[0], g.fused[1]);
    CHECK(partition(g.view(), typed_providers(not_quick{})).unit_of == std::vector{0, 4, 4, 3});
}
TEST_CASE("A fused node is not taken where a value within it is read elsewhere, or where it makes one twice",
          "[partition]") {
    const auto reason_of = [](bool visible, bool twice) {
        graph_data g;
        const int x = g.add_value("x", element::f32, {2}), t = g.add_value("t", element::f32, {2}),
                  y = g.add_value("y", element::f32, {2}), same[] = {y, y};
        g.add_node("test", "Plain", 1, "a", {}, std::span(&x, 1), std::span(&t, 1));
        g.add_node("test", "Plain", 1, "b", {}, std::span(&t, 1), std::span(&y, 1));
        g.add_node("test", "Fused", 1, "a+b", {}, std::span(&x, 1), std::span(same, twice ? 2 : 1));
        g.nodes.back().sources = g.add_edges({0, 1});
        g.fused.push_back(g.nodes.back());
        g.nodes.pop_back();
        g.inputs = {x};
        g.outputs = {y};
        if (visible) g.outputs.push_back(t);
        const assignment a = partition(g.view(), typed_providers(not_quick{}));
        CHECK((a.unit_of[1] == 2) == a.verdicts[2].ok);
        return a.verdicts[2].reason;
    };
    CHECK(reason_of(false, false).empty());
    CHECK(reason_of(true, false) == "a value within it is read elsewhere");
    CHECK(reason_of(false, true) == "it does not make each of its outputs once");
}

TEST_CASE("Nothing is overwritten in place by what has another order of elements", "[partition]") {
    const auto aliased = [](const shape& in, const shape& out) {
        graph_data g;
        const int x = g.add_value("x", element::f32, in), t = g.add_value("t", element::f32, in),
                  y = g.add_value("y", element::f32, out);
        g.add_node("test", "Channels", 1, "a", {}, std::span(&x, 1), std::span(&t, 1));  // channels last
        g.add_node("test", "Any", 1, "b", {}, std::span(&t, 1), std::span(&y, 1));       // in place, in either layout
        g.inputs = {x};
        g.outputs = {y};
        return make_plan(g.view(), typed_providers(second{}, third{}), 1).aliased;
    };
    CHECK(aliased({1, 2, 3, 2}, {1, 2, 3, 2}) == 1);
    CHECK(aliased({1, 2, 3, 2}, {1, 1, 2, 3, 2}) == 0);
    CHECK(aliased({2, 3, 4}, {1, 2, 3, 4}) == 0);
    CHECK(aliased({2, 3, 4}, {2, 4, 3}) == 0);
    CHECK(aliased({1, 1, 3, 2}, {1, 1, 1, 3, 2}) == 1);  // one channel: the order is ONNX's
}

TEST_CASE(
    "Two devices of one provider have a memory space each, and values go from one to the other by way of the host",
    "[partition]") {
    STATIC_REQUIRE(two_furnaces.view(0).space == 1);
    STATIC_REQUIRE(two_furnaces.view(1).space == 0);
    STATIC_REQUIRE(two_furnaces.view(2).space == 3);
    STATIC_REQUIRE(typed_providers(furnace(1), furnace(1)).view(1).space == 1);
    int between = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const random_graph<24> small(seed);
        const std::string broken = broken_promise(small.view(), two_furnaces);
        if (!broken.empty()) {
            CAPTURE(seed);
            FAIL(broken);
        }
        const plan p = make_plan(small.view(), two_furnaces, 2);
        for (const copied_value& c : p.copies) {
            const int from = p.value_spaces[std::size_t(c.source)];
            if (from > 0 && c.space > 0 && from != c.space) FAIL("a value goes from one device to the other directly");
            if (c.space == 3 && c.source >= int(small.view().values.size()) && from == 0) ++between;
        }
    }
    CHECK(between > 100);
}

TEST_CASE("The compiler finds the same plans for graphs of 40 nodes", "[partition]") {
    []<std::size_t... I>(std::index_sequence<I...>) {
        const std::uint64_t constant[] = {std::integral_constant<std::uint64_t, in_the_compiler<I>>::value...};
        for (std::uint64_t seed = 0; seed < compiled_graphs; ++seed) {
            CAPTURE(seed);
            const random_graph<40> g(seed);
            CHECK(constant[seed] == (seed % 2 ? fingerprint(g.view(), three) : fingerprint(g.view(), claims_first)));
        }
    }
    (std::make_index_sequence<compiled_graphs>{});
}

TEST_CASE("In all six orders of three providers each node goes to the first that can run it", "[partition]") {
    const random_graph<40> g(3);
    const auto check = [&](const auto& list) {
        const assignment a = partition(g.view(), list);
        for (int i = 0; i < 40; ++i) {
            if (a.unit_of[std::size_t(i)] != i) continue;
            int capable = -1;
            for (int p = list.size(); p-- > 0;)
                if (find_kernel(list.view(p).kernels, {g.view(), g.nodes[std::size_t(i)]}).kernel >= 0) capable = p;
            CHECK(a.owners[std::size_t(i)] == capable);
        }
    };
    check(typed_providers(first{}, second{}, third{}));
    check(typed_providers(first{}, third{}, second{}));
    check(typed_providers(second{}, first{}, third{}));
    check(typed_providers(second{}, third{}, first{}));
    check(typed_providers(third{}, first{}, second{}));
    check(typed_providers(third{}, second{}, first{}));
}

TEST_CASE("A fused node is not taken by a slower kernel than those of its parts", "[partition]") {
    const auto plan_of = [](bool hard_parts, const auto& provider) {
        graph_data g;
        const int x = g.add_value("x", element::f32, {2}), t = g.add_value("t", element::f32, {2}),
                  y = g.add_value("y", element::f32, {2});
        const attribute hard{"hard", attribute_kind::integer, 1};
        const std::span<const attribute> simple{}, difficult(&hard, 1);
        g.add_node("test", "Plain", 1, "a", hard_parts ? difficult : simple, std::span(&x, 1), std::span(&t, 1));
        g.add_node("test", "Plain", 1, "b", hard_parts ? difficult : simple, std::span(&t, 1), std::span(&y, 1));
        g.add_node("test", "Fused", 1, "a+b", difficult, std::span(&x, 1), std::span(&y, 1));
        g.nodes.back().sources = g.add_edges({0, 1});
        g.fused.push_back(g.nodes.back());
        g.nodes.pop_back();
        g.inputs = {x};
        g.outputs = {y};
        return partition(g.view(), typed_providers(provider));
    };
    const assignment parts = plan_of(false, quick_or_not{});
    CHECK(parts.unit_of == std::vector{0, 1});
    CHECK(parts.verdicts[2].reason == "its kernel here is slower than those of the nodes that it stands for");
    CHECK(plan_of(true, quick_or_not{}).unit_of == std::vector{2, 2});  // they are as slow
    CHECK(plan_of(false, not_quick{}).unit_of == std::vector{2, 2});    // nothing is quicker there
}

TEST_CASE("A fused node leaves floats where it makes none and its parts do", "[partition]") {
    const auto leaves = [](element part, element whole) {
        graph_data g;
        const int x = g.add_value("x", element::u8, {2}), t = g.add_value("t", part, {2}),
                  y = g.add_value("y", whole, {2});
        g.add_node("test", "Plain", 1, "a", {}, std::span(&x, 1), std::span(&t, 1));
        g.add_node("test", "Plain", 1, "b", {}, std::span(&t, 1), std::span(&y, 1));
        g.add_node("test", "Fused", 1, "a+b", {}, std::span(&x, 1), std::span(&y, 1));
        g.nodes.back().sources = g.add_edges({0, 1});
        return leaves_floats(g.view(), g.nodes.back());
    };
    CHECK(leaves(element::f32, element::u8));
    CHECK(leaves(element::f16, element::i8));
    CHECK(!leaves(element::f32, element::f32));
    CHECK(!leaves(element::i32, element::f32));
    CHECK(!leaves(element::u8, element::u8));
}

TEST_CASE("A refusal has the reason that came furthest", "[partition]") {
    random_graph<4> g(1);
    g.nodes[0].op = "Any";
    g.nodes[0].attributes = {0, 1};
    const auto& entries = catalogue<second>::entries;
    CHECK(find_kernel(entries, {g.view(), g.nodes[0]}).outcome.reason == "too hard");
    g.nodes[0].version = 2;
    CHECK(find_kernel(entries, {g.view(), g.nodes[0]}).outcome.reason == "schema version not covered");
    CHECK(find_kernel(entries, {g.view(), g.nodes[0]}).outcome.detail == 2);
    g.nodes[0].version = 1;
    for (value& v : g.values) v.type = element::f64;
    CHECK(find_kernel(entries, {g.view(), g.nodes[0]}).outcome.reason == "element type not covered");
    g.nodes[0].op = "Other";
    CHECK(find_kernel(entries, {g.view(), g.nodes[0]}).outcome.reason == "no kernel for this operator");
}

TEST_CASE("No kernel takes a node with a value of unknown type", "[partition]") {
    graph_data g;
    const int x = g.add_value("x", element::f32, {2}), z = g.add_value("z", element::f32, {2}),
              y = g.add_value("y", element::f32, {2}), in[] = {x, z};
    g.add_node("test", "Plain", 1, "n", {}, in, std::span(&y, 1));
    const auto answer = [&] {
        const graph_view v = g.view();
        return find_kernel(catalogue<third>::entries, {v, v.nodes[0]});
    };
    CHECK(answer().kernel >= 0);
    g.values[std::size_t(z)].type = element::undefined;
    CHECK(answer().kernel < 0);
    CHECK(answer().outcome.reason == "the element type of an input is not known");
    g.values[std::size_t(z)].type = element::f32;
    g.values[std::size_t(y)].type = element::undefined;
    CHECK(answer().kernel < 0);
    CHECK(answer().outcome.reason == "the element type of an output is not known");
}
