// The networks of the conformance tests, built in memory, and their inputs.
#include "conformance.hpp"
#include "support/text.hpp"
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace conformance {
namespace {
class maker {
    graph_data g_;

  public:
    int input(std::string_view name, const shape& dims, element type = element::f32) {
        g_.inputs.push_back(g_.add_value(name, type, dims));
        return g_.inputs.back();
    }
    int weights(const shape& dims) {
        std::vector<float> values(std::size_t(dims.elements()));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.125f * float(int(i * 7 % 9) - 4);
        return g_.add_constant("w" + std::to_string(g_.values.size()), tensor(dims, values));
    }
    int node(std::string_view op, int version, std::initializer_list<int> inputs, const shape& dims,
             element type = element::f32, const std::vector<attribute>& list = {}) {
        const std::string name = std::string(op) + std::to_string(g_.nodes.size());
        const int y = g_.add_value(name + "_y", type, dims);
        const int out[] = {y};
        g_.add_node("", op, version, name, list, std::vector(inputs), out);
        return y;
    }
    std::vector<attribute> numbers(std::string_view name, std::initializer_list<std::int64_t> x) {
        return {g_.make(name, std::span(x.begin(), x.size()))};
    }
    attribute number(std::string_view name, std::int64_t x) { return g_.make(name, x); }
    network done(std::string name, std::initializer_list<int> outputs) {
        g_.outputs = outputs;
        return {std::move(name), model::from_graph(std::move(g_))};
    }
};
network one_node(std::string_view op, int version, int inputs) {
    maker m;
    const shape dims{2, 3, 4, 4};
    const int x = m.input("x", dims);
    if (inputs == 1) return m.done("one " + std::string(op), {m.node(op, version, {x}, dims)});
    const int z = m.input("z", dims);
    return m.done("one " + std::string(op), {m.node(op, version, {x, z}, dims)});
}
network element_wise() {
    maker m;
    const shape dims{2, 3, 4, 4};
    const int x = m.input("x", dims), z = m.input("z", dims);
    const int a = m.node("Add", 14, {x, z}, dims), b = m.node("Mul", 14, {a, x}, dims);
    const int c = m.node("Relu", 14, {b}, dims), d = m.node("Sub", 14, {c, z}, dims);
    return m.done("element-wise", {m.node("Add", 14, {d, c}, dims), b});
}
network convolutions() {
    maker m;
    const shape dims{2, 4, 6, 6};
    const int x = m.input("x", {2, 3, 6, 6});
    const int a = m.node("Conv", 11, {x, m.weights({4, 3, 3, 3}), m.weights({4})}, dims, element::f32,
                         m.numbers("pads", {1, 1, 1, 1}));
    const int b = m.node("Relu", 14, {a}, dims);
    const int c = m.node("Conv", 11, {b, m.weights({4, 4, 1, 1})}, dims);
    const int d = m.node("Add", 14, {c, b}, dims);
    const int e = m.node("GlobalAveragePool", 1, {d}, {2, 4, 1, 1});
    const int f = m.node("Flatten", 13, {e}, {2, 4});
    const int h = m.node("Gemm", 13, {f, m.weights({4, 5}), m.weights({5})}, {2, 5});
    return m.done("convolutions", {m.node("Softmax", 13, {h}, {2, 5})});
}
network product() {
    maker m;
    const int x = m.input("x", {2, 4});
    return m.done("one MatMul", {m.node("MatMul", 13, {x, m.weights({4, 5})}, {2, 5})});
}
network of_many_kinds() {  // types, ranks and data-dependent shapes, so that there is something to refuse
    maker m;
    const int x = m.input("x", {3, 4});
    const int a = m.node("Relu", 14, {x}, {3, 4});
    const int t = m.node("Transpose", 13, {a}, {4, 3});
    const int i = m.node("Cast", 13, {t}, {4, 3}, element::i64, {m.number("to", 7)});
    const int j = m.node("Add", 14, {i, i}, {4, 3}, element::i64);
    const int p = m.node("MatMul", 13, {t, a}, {4, 4});
    const int z = m.node("NonZero", 13, {a}, {2, -1}, element::i64);
    return m.done("many kinds", {j, p, m.node("Mul", 14, {z, z}, {2, -1}, element::i64)});
}
template <class T> tensor filled(const shape& dims, int seed) {
    tensor t(element_of<T>, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i) {
        const int step = int((i * 5 + seed * 3) % 17);  // eighths from -1 to 1; 0 and 1 of integers
        store<T>(t.data(), i, std::is_integral_v<T> ? T(step % 2) : T(float(step - 8) / 8.f));
    }
    return t;
}
tensor filled(element type, const shape& dims, int seed) {
    switch (type) {
        case element::f32: return filled<float>(dims, seed);
        case element::f64: return filled<double>(dims, seed);
        case element::i64: return filled<std::int64_t>(dims, seed);
        case element::i32: return filled<std::int32_t>(dims, seed);
        default: return tensor(type, dims);  // zeros
    }
}
template <class T> std::string far_apart(const tensor& actual, const tensor& expected, double tolerance) {
    const auto x = actual.as<T>(), y = expected.as<T>();
    double largest = 1;
    for (const T e : y)
        if (std::isfinite(double(e))) largest = std::max(largest, std::abs(double(e)));
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double off = std::abs(double(x[i]) - double(y[i]));
        if (!(off <= tolerance * largest) && !(std::isnan(double(x[i])) && std::isnan(double(y[i]))) && x[i] != y[i])
            return "element " + std::to_string(i) + " is " + short_text(double(x[i])) + ", not " +
                   short_text(double(y[i]));
    }
    return {};
}
std::string tensor_difference(const tensor& actual, const tensor& expected, double tolerance) {
    if (actual.type() != expected.type())
        return "the type is " + std::string(name_of(actual.type())) + ", not " + std::string(name_of(expected.type()));
    if (actual.shape() != expected.shape())
        return "the shape is " + to_string(actual.shape()) + ", not " + to_string(expected.shape());
    if (actual.type() == element::f32) return far_apart<float>(actual, expected, tolerance);
    if (actual.type() == element::f64) return far_apart<double>(actual, expected, tolerance);
    const bool same =
        actual.bytes() == 0 || std::memcmp(actual.data(), expected.data(), std::size_t(actual.bytes())) == 0;
    return same ? "" : "elements of type " + std::string(name_of(actual.type())) + " differ";
}
}  // namespace

std::vector<network> stock_networks() {
    std::vector<network> networks;
    networks.push_back(one_node("Relu", 14, 1));
    networks.push_back(one_node("Add", 14, 2));
    networks.push_back(one_node("Mul", 14, 2));
    networks.push_back(product());
    networks.push_back(element_wise());
    networks.push_back(convolutions());
    networks.push_back(of_many_kinds());
    return networks;
}
network open_size_network() {
    maker m;
    const shape dims{-1, 4};
    const int x = m.input("x", dims), z = m.input("z", dims);
    const int a = m.node("Add", 14, {x, z}, dims), b = m.node("Mul", 14, {a, x}, dims);
    const int c = m.node("Relu", 14, {b}, dims);
    return m.done("open size", {m.node("MatMul", 13, {c, m.weights({4, 5})}, {-1, 5})});
}
std::vector<named_tensor> inputs_of(const model& m, int seed, std::int64_t size) {
    std::vector<named_tensor> inputs;
    for (const port& p : m.inputs()) {
        shape dims = p.shape;
        for (int i = 0; i < dims.rank; ++i)
            if (dims[i] < 0) dims[i] = size;
        inputs.push_back({p.name, filled(p.type, dims, seed + int(inputs.size()))});
    }
    return inputs;
}
std::vector<feed> feeds_of(const std::vector<named_tensor>& inputs) {
    std::vector<feed> feeds;
    for (const named_tensor& t : inputs) feeds.push_back({t.name, t.value});
    return feeds;
}
std::string difference(const fetched& actual, const fetched& expected, double tolerance) {
    if (actual.size() != expected.size()) return "there are " + std::to_string(actual.size()) + " results";
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (const std::string off = tensor_difference(actual[k], expected[k], tolerance); !off.empty())
            return "result `" + expected.name(k) + "`: " + off;
    return {};
}
fetched plain_results(const model& m, std::span<const feed> feeds) {
    return handle_session(m, {make_handle(reference{})}, silent()).run(feeds);
}
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
