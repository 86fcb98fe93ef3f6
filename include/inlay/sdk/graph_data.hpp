// A graph that owns its records: what the loader fills, passes change and tests build by hand.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "graph.hpp"
#include "graph_constant.hpp"
#include <deque>

namespace inlay {
inline namespace v1 {
inline constexpr std::int64_t largest_contents = 1024 / 8;  // elements of a constant that shape rules may read

// Exposes the elements of a small tensor to shape rules and prepare(): appended to the pools, found through `v`.
inline void read_contents(value& v, const tensor& t, std::vector<std::int64_t>& integers, std::vector<double>& reals,
                          std::int64_t most = largest_contents) {
    v.kind = contents::none;
    if (t.elements() > most || !t.on_host() || (!t.data() && t.elements() > 0))
        return;  // no data: only its shape is known
    const auto copy = [&](auto& pool, contents kind, auto type) {
        using T = decltype(type);
        v.kind = kind;
        v.list = {int(pool.size()), int(t.elements())};
        for (std::int64_t i = 0; i < t.elements(); ++i)
            pool.push_back(static_cast<typename std::remove_reference_t<decltype(pool)>::value_type>(
                static_cast<std::conditional_t<is_small_float<T>, float, T>>(load<T>(t.data(), i))));
    };
    switch (t.type()) {
        case element::i64: copy(integers, contents::integers, std::int64_t{}); break;
        case element::i32: copy(integers, contents::integers, std::int32_t{}); break;
        case element::i16: copy(integers, contents::integers, std::int16_t{}); break;
        case element::i8: copy(integers, contents::integers, std::int8_t{}); break;
        case element::u64: copy(integers, contents::integers, std::uint64_t{}); break;
        case element::u32: copy(integers, contents::integers, std::uint32_t{}); break;
        case element::u16: copy(integers, contents::integers, std::uint16_t{}); break;
        case element::u8: copy(integers, contents::integers, std::uint8_t{}); break;
        case element::boolean:  // as bytes: what a file holds may be neither 0 nor 1
            v.kind = contents::integers;
            v.list = {int(integers.size()), int(t.elements())};
            for (std::int64_t i = 0; i < t.elements(); ++i)
                integers.push_back(static_cast<const std::uint8_t*>(t.data())[i] != 0);
            break;
        case element::f32: copy(reals, contents::reals, float{}); break;
        case element::f64: copy(reals, contents::reals, double{}); break;
        case element::f16: copy(reals, contents::reals, float16(0.f)); break;
        case element::bf16: copy(reals, contents::reals, bfloat16(0.f)); break;
        case element::f8e4m3fn: copy(reals, contents::reals, float8e4m3fn(0.f)); break;
        case element::f8e4m3fnuz: copy(reals, contents::reals, float8e4m3fnuz(0.f)); break;
        case element::f8e5m2: copy(reals, contents::reals, float8e5m2(0.f)); break;
        case element::f8e5m2fnuz: copy(reals, contents::reals, float8e5m2fnuz(0.f)); break;
        case element::f4e2m1: copy(reals, contents::reals, float4e2m1(0.f)); break;
        case element::f8e8m0: copy(integers, contents::integers, std::uint8_t{}); break;  // its enumerator
        case element::u4: copy(integers, contents::integers, uint4{}); break;
        case element::i4: copy(integers, contents::integers, int4{}); break;
        case element::u2: copy(integers, contents::integers, uint2{}); break;
        case element::i2: copy(integers, contents::integers, int2{}); break;
        default: break;
    }
}

class graph_data {
  public:
    std::vector<node> nodes, fused;
    std::vector<value> values;
    std::vector<attribute> attributes;
    std::vector<int> edges, inputs, outputs;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::vector<std::string_view> texts, symbols;
    std::vector<graph_constant> constants;
    std::vector<value_type> containers;
    std::vector<shape> declared;  // of a Loop's or a Scan's body: what the file declares of its outputs
    std::deque<graph_data> subgraphs;
    std::string_view name{};

    graph_data() = default;
    graph_data(graph_data&&) = default;
    graph_data& operator=(graph_data&&) = default;

    std::string_view intern(std::string_view s) {  // a copy that lives as long as the graph
        return s.empty() ? std::string_view{} : std::string_view(strings_->emplace_back(s));
    }
    int add_value(std::string_view name, element type, const shape& dims) {
        value v;
        v.name = intern(name);
        v.type = type;
        v.dims = dims;
        values.push_back(v);
        return int(values.size()) - 1;
    }
    int add_value(std::string_view name, const value_type& t) {
        const int id = add_value(name, t.type, t.shape);
        set_type(id, t);
        return id;
    }
    value_type type_of(int id) const { return v1::type_of(values[std::size_t(id)], containers); }
    // A tensor keeps its shape.
    void set_type(int id, const value_type& t) {
        value& v = values[std::size_t(id)];
        v.type = t.is_tensor() ? t.type : element::object;
        if (t.is_tensor()) return;
        v.dims = {};
        if (t.depth == 0) return;
        if (v.container < 0) {
            v.container = int(containers.size());
            containers.emplace_back();
        }
        containers[std::size_t(v.container)] = t;
    }
    int add_constant(std::string_view name, graph_constant c) {
        const int id = add_value(name, c.type(), c.shape());
        set_constant(id, std::move(c));
        return id;
    }
    // Of a constant created on demand only the shape is known.
    void set_constant(int id, graph_constant c) {
        value& v = values[std::size_t(id)];
        v.type = c.type();
        v.dims = c.shape();
        v.constant = int(constants.size());
        v.kind = contents::none;
        if (!c.is_made_on_demand()) read_contents(v, c.get(), integers, reals);
        constants.push_back(std::move(c));
    }
    // Of each value, whether a node produces it: a constant too, where the node that dequantized it stayed.
    std::vector<char> made_by_nodes() const {
        std::vector<char> has_maker(values.size());
        for (const node& n : nodes)
            for (int k = 0; k < n.outputs.count; ++k)
                if (const int v = edges[std::size_t(n.outputs.first + k)]; v >= 0) has_maker[std::size_t(v)] = true;
        return has_maker;
    }
    std::vector<const graph_constant*> parameters() const {  // the constants that no node produces, except in bodies
        const std::vector<char> has_maker = made_by_nodes();
        std::vector<const graph_constant*> parameters;
        for (std::size_t v = 0; v < values.size(); ++v)
            if (values[v].is_constant() && !has_maker[v])
                parameters.push_back(&constants[std::size_t(values[v].constant)]);
        return parameters;
    }
    range add_edges(std::span<const int> ids) {
        const range r{int(edges.size()), int(ids.size())};
        edges.insert(edges.end(), ids.begin(), ids.end());
        return r;
    }
    range add_edges(std::initializer_list<int> ids) { return add_edges(std::span(ids.begin(), ids.size())); }
    attribute make(std::string_view name, std::int64_t x) {
        attribute a;
        a.name = intern(name);
        a.integer = x;
        return a;
    }
    attribute make(std::string_view name, double x) {
        attribute a = make(name, std::int64_t(0));
        a.kind = attribute_kind::real;
        a.real = x;
        return a;
    }
    attribute make(std::string_view name, std::string_view x) {
        attribute a = make(name, std::int64_t(0));
        a.kind = attribute_kind::text;
        a.text = intern(x);
        return a;
    }
    attribute make(std::string_view name, std::span<const std::int64_t> x) {
        return make_list(name, attribute_kind::integers, integers, x);
    }
    attribute make(std::string_view name, std::span<const double> x) {
        return make_list(name, attribute_kind::reals, reals, x);
    }
    attribute make(std::string_view name, std::span<const std::string_view> x) {
        std::vector<std::string_view> copies;
        for (std::string_view s : x) copies.push_back(intern(s));
        return make_list(name, attribute_kind::texts, texts, std::span<const std::string_view>(copies));
    }
    attribute make(std::string_view name, tensor t) {
        const int id = add_value("", t.type(), t.shape());
        value& v = values[std::size_t(id)];
        v.constant = int(constants.size());
        if (t.type() == element::string && t.on_host()) {
            v.kind = contents::texts;
            v.list = {int(texts.size()), int(t.elements())};
            for (const std::string& s : t.as<std::string>()) texts.push_back(intern(s));
        } else
            read_contents(v, t, integers, reals, std::numeric_limits<int>::max());
        constants.push_back(std::move(t));
        attribute a = make(name, std::int64_t(id));
        a.kind = attribute_kind::tensor;
        return a;
    }
    attribute make(std::string_view name, graph_data body) {
        attribute a = make(name, std::int64_t(subgraphs.size()));
        a.kind = attribute_kind::graph;
        subgraphs.push_back(std::move(body));
        return a;
    }
    node& add_node(std::string_view domain, std::string_view op, int version, std::string_view name,
                   std::span<const attribute> list, std::span<const int> in, std::span<const int> out) {
        node n;
        n.name = intern(name);
        n.domain = intern(domain);
        n.op = intern(op);
        n.version = version;
        n.attributes = {int(attributes.size()), int(list.size())};
        attributes.insert(attributes.end(), list.begin(), list.end());
        n.inputs = add_edges(in);
        n.outputs = add_edges(out);
        return nodes.emplace_back(n);
    }

    // Valid until the graph changes.
    graph_view view() const {
        views_.clear();
        for (const graph_data& g : subgraphs) views_.push_back(g.view());
        return {.nodes = nodes,
                .fused = fused,
                .values = values,
                .attributes = attributes,
                .edges = edges,
                .inputs = inputs,
                .outputs = outputs,
                .integers = integers,
                .reals = reals,
                .texts = texts,
                .subgraphs = views_,
                .symbols = symbols,
                .name = name,
                .containers = containers};
    }

  private:
    std::unique_ptr<std::deque<std::string>> strings_ = std::make_unique<std::deque<std::string>>();
    mutable std::vector<graph_view> views_;
    template <class T>
    attribute make_list(std::string_view name, attribute_kind kind, std::vector<T>& pool, std::span<const T> x) {
        attribute a = make(name, std::int64_t(0));
        a.kind = kind;
        a.list = {int(pool.size()), int(x.size())};
        pool.insert(pool.end(), x.begin(), x.end());
        return a;
    }
};
}  // namespace v1
}  // namespace inlay
