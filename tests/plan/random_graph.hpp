// Random graphs of test operators, made by the same function at run time and in the compiler, and providers that share
// them out.
#pragma once
#include <inlay/plan/plan.hpp>

namespace inlay::testing {
// --- operators: one input or two, the shape of the first
template <int K> struct test_op : op::standard {
    static constexpr std::array<std::string_view, 4> names{"Plain", "Any", "Channels", "View"};
    static constexpr std::string_view onnx_name = names[K], domain = "test";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
};
struct test_fused : test_op<0> {
    static constexpr std::string_view onnx_name = "Fused";
};
struct test_device {};

template <int K> struct test_kernel : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr reuse shares = K == 1 ? reuse::in_place : K == 3 ? reuse::view : reuse::none;
    static constexpr layout_rule layouts(const node_view&) {
        return K == 1   ? layout_rule{layout::any, layout::any}
               : K == 2 ? layout_rule{layout::channels_last, layout::channels_last}
                        : layout_rule{};
    }
    static constexpr verdict supports(const node_view& n) { return n.integer("hard", 0) ? no("too hard") : yes(); }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {p.count, 64 * threads};
    }
    static status run(const params&, const state&, const arguments&, context&) noexcept { return status::ok; }
};
}  // namespace inlay::testing

namespace inlay {
inline namespace v1 {
template <int K> struct kernel<testing::test_op<K>, testing::test_device, types<float>> : testing::test_kernel<K> {};
template <> struct kernel<testing::test_fused, testing::test_device, types<float>> : testing::test_kernel<0> {};
}  // namespace v1
}  // namespace inlay

namespace inlay::testing {
struct test_memory {};
}  // namespace inlay::testing
namespace inlay {
inline namespace v1 {
template <> struct memory_space<testing::test_memory> : memory_space<memory::host> {
    static constexpr std::string_view name = "test";
};
template <> struct transfer<memory::host, testing::test_memory> : transfer<memory::host, memory::host> {};
template <> struct transfer<testing::test_memory, memory::host> : transfer<memory::host, memory::host> {};
}  // namespace v1
}  // namespace inlay

namespace inlay::testing {
// --- providers
template <int Id, class Memory, class... Op> struct kernels_of_test {
    using memory = Memory;
    static constexpr std::string_view name = std::array<std::string_view, 3>{
        "FirstExecutionProvider", "SecondExecutionProvider", "ThirdExecutionProvider"}[Id];
    static constexpr auto devices = hana::tuple_t<test_device>;
    static constexpr auto kernels = hana::tuple_t<Op...>;
};
using first = kernels_of_test<0, test_memory, test_fused, test_op<0>, test_op<2>>;
using second = kernels_of_test<1, memory::host, test_op<1>, test_op<2>>;
struct patient_device {};
template <int K> struct patient_kernel : test_kernel<K> {
    static constexpr verdict supports(const node_view&) { return yes(); }
};
struct third {
    static constexpr std::string_view name = "LastExecutionProvider";
    static constexpr auto devices = hana::tuple_t<patient_device>;
    static constexpr auto kernels = hana::tuple_t<test_op<0>, test_op<1>, test_op<2>, test_op<3>>;
};
// Takes every run of nodes whose index has the same quotient, as an engine might; some of these sets depend on
// themselves.
struct claimer {
    int width = 3, every = 4;
    int apart = 1;  // more: so many sets lie between each other's nodes
    static constexpr std::string_view name = "ClaimExecutionProvider";
    constexpr void propose(std::span<const int> free, proposals& out) const {
        for (int k = 0; k + width * apart <= int(free.size()); k += every)
            for (int first = k; first < k + apart; ++first) {
                std::vector<int> nodes;
                for (int i = 0; i < width; ++i) nodes.push_back(free[std::size_t(first + i * apart)]);
                out.take(std::move(nodes));
            }
    }
    static result<std::shared_ptr<engine>> open() { return nullptr; }
};
// Such a list in the compiler too, where no engine can be opened.
template <class... Ps> struct claiming_providers : typed_providers<Ps...> {
    std::tuple<Ps...> list;
    constexpr explicit claiming_providers(const Ps&... ps) : typed_providers<Ps...>(ps...), list(ps...) {}
    constexpr proposals propose(int i, const graph_view&, std::span<const int> free) const {
        proposals out;
        auto ask = [&, k = 0]<class P>(const P& p) mutable {
            if constexpr (std::same_as<P, claimer>)
                if (k == i) p.propose(free, out);
            ++k;
        };
        std::apply([&](const Ps&... p) { (ask(p), ...); }, list);
        return out;
    }
};
}  // namespace inlay::testing
namespace inlay {
inline namespace v1 {
template <int K>
struct kernel<testing::test_op<K>, testing::patient_device, types<float>> : testing::patient_kernel<K> {};
template <> struct kernel<testing::test_fused, testing::patient_device, types<float>> : testing::patient_kernel<0> {};
}  // namespace v1
}  // namespace inlay

namespace inlay::testing {
// --- graphs
template <int Nodes> struct random_graph {
    static constexpr int inputs_count = 3;
    std::array<node, Nodes> nodes{};
    std::array<node, 2 * Nodes> fused{};
    std::array<value, Nodes + inputs_count> values{};
    std::array<int, 16 * Nodes> edges{};
    std::array<attribute, 1> attributes{};
    std::array<int, inputs_count> inputs{};
    std::array<int, Nodes + inputs_count> outputs{};
    int fused_count = 0, edge_count = 0, output_count = 0;

    constexpr explicit random_graph(std::uint64_t seed) : state(seed * 6364136223846793005u + 1442695040888963407u) {
        attributes[0].name = "hard";
        attributes[0].integer = 1;
        for (int& i : inputs) {
            const shape dims{1 + below(2), 1 + below(4), 1 + below(3), 1 + below(3)};
            i = add_value(below(4) ? dims : shape{dims[1], dims[2]});
        }
        for (int i = 0; i < Nodes; ++i) add_node(i);
        for (int v = inputs_count; v < value_count; ++v)
            if (readers[std::size_t(v)] == 0 || below(16) == 0) outputs[std::size_t(output_count++)] = v;
        for (int i = 0; i < Nodes; ++i)
            if (const int j = i + 1 + below(6); j < Nodes && !below(3)) fuse_apart(i, j);
        for (int i = 0; i + 1 < Nodes; ++i) fuse_chain(i);
    }
    constexpr graph_view view() const {
        graph_view g;
        g.nodes = nodes;
        g.fused = std::span(fused).first(std::size_t(fused_count));
        g.values = values;
        g.attributes = attributes;
        g.edges = std::span(edges).first(std::size_t(edge_count));
        g.inputs = inputs;
        g.outputs = std::span(outputs).first(std::size_t(output_count));
        return g;
    }

  private:
    std::uint64_t state;
    std::array<int, Nodes + inputs_count> readers{};
    int value_count = 0;

    constexpr int below(int n) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return int((state >> 33) % std::uint64_t(n));
    }
    constexpr range list(std::initializer_list<int> ids) {
        const range r{edge_count, int(ids.size())};
        for (int id : ids) edges[std::size_t(edge_count++)] = id;
        return r;
    }
    constexpr int add_value(const shape& dims) {
        value v;
        v.name = "v";
        v.type = element::f32;
        v.dims = dims;
        values[std::size_t(value_count)] = v;
        return value_count++;
    }
    constexpr void add_node(int i) {
        const int window = value_count < 6 ? value_count : 6,
                  a = below(3) ? value_count - 1 - below(window) : below(value_count), b = below(value_count);
        node n;
        n.name = "n";
        n.domain = "test";
        n.op = test_op<0>::names[below(4)];
        n.version = 1;
        if (below(5) == 0) n.attributes.count = 1;
        n.inputs = below(2) ? list({a, b}) : list({a});
        ++readers[std::size_t(a)];
        if (n.inputs.count == 2) ++readers[std::size_t(b)];
        n.outputs = list({add_value(values[std::size_t(a)].dims)});
        nodes[std::size_t(i)] = n;
    }
    // Two nodes with others between them, both of whose results are used.
    constexpr void fuse_apart(int i, int j) {
        const node &p = nodes[std::size_t(i)], &q = nodes[std::size_t(j)];
        node f = p;
        f.op = "Fused";
        f.inputs = {edge_count, 0};
        for (const range r : {p.inputs, q.inputs})
            for (int k = r.first; k < r.first + r.count; ++k)
                if (edges[std::size_t(k)] != edges[std::size_t(p.outputs.first)]) {
                    edges[std::size_t(edge_count++)] = edges[std::size_t(k)];
                    ++f.inputs.count;
                }
        f.outputs = list({edges[std::size_t(p.outputs.first)], edges[std::size_t(q.outputs.first)]});
        f.sources = list({i, j});
        fused[std::size_t(fused_count++)] = f;
    }
    // Node i and the next one, if no other node reads the value between them.
    constexpr void fuse_chain(int i) {
        const node &p = nodes[std::size_t(i)], &q = nodes[std::size_t(i + 1)];
        const int inner = edges[std::size_t(p.outputs.first)];
        bool visible = readers[std::size_t(inner)] != 1;
        for (int k = 0; k < output_count; ++k) visible |= outputs[std::size_t(k)] == inner;
        if (visible || edges[std::size_t(q.inputs.first)] != inner || q.inputs.count != 1) return;
        node f = p;
        f.op = "Fused";
        f.outputs = q.outputs;
        f.sources = list({i, i + 1});
        fused[std::size_t(fused_count++)] = f;
    }
};
}  // namespace inlay::testing
