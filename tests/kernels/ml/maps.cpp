#include "../../catch.hpp"
#include "../result_of.hpp"
#include <on_test_devices/ml/maps.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
// A node with one input and one output, on which the kernel K is run as a session would.
template <class K> status run_kernel(graph_data& g, const void* in, void* out, std::int64_t* bytes_left = nullptr) {
    const graph_view v = g.view();
    const auto p = K::prepare({v, v.nodes[0]});
    typename K::state s;
    REQUIRE(K::bind(p, {}, {isa::level{}, 1, nullptr}, s) == status::ok);
    context c;
    c.bytes_left = bytes_left;
    return K::run(p, s, {&in, &out}, c);
}
void add(graph_data& g, std::string_view op, const value_type& x, const value_type& y, const attribute& a) {
    const int in = g.add_value("x", x), out = g.add_value("y", y);
    g.values[std::size_t(in)].dims = x.shape;
    g.values[std::size_t(out)].dims = y.shape;
    g.add_node("ai.onnx.ml", op, 1, "node", std::array{a}, std::array{in}, std::array{out});
}
const value_type floats_by_text{element::f32, shape{}, 1, {value_type::container{value_kind::map, element::string}}};
}  // namespace

TEST_CASE("ZipMap makes a map of each row") {
    graph_data g;
    const std::vector<std::string_view> labels{"no", "yes"};
    add(g, "ZipMap", {element::f32, {2, 2}}, {element::object},
        g.make("classlabels_strings", std::span<const std::string_view>(labels)));
    const tensor x({2, 2}, {0.25f, 0.75f, 1.f, 0.f});
    any_value y;
    REQUIRE(run_kernel<kernel<op::zip_map, device::reference, types<float>>>(g, x.data(), &y) == status::ok);
    REQUIRE(y.as_sequence());
    REQUIRE(y.as_sequence()->size() == 2);
    const map* first = (*y.as_sequence())[0].as_map();
    REQUIRE(first);
    CHECK(first->size() == 2);
    CHECK(first->at(std::string("yes")).as_tensor()->as<float>()[0] == 0.75f);
}
TEST_CASE("ZipMap counts the bytes of each entry of each map, and takes no more than the run may") {
    const auto run_zip_map = [](std::int64_t rows, std::int64_t columns, std::int64_t& bytes_left) {
        graph_data g;
        const std::vector<std::int64_t> labels{3, 1, 4, 5};
        add(g, "ZipMap", {element::f32, {rows, columns}}, {element::object},
            g.make("classlabels_int64s", std::span(labels).first(std::size_t(columns))));
        const tensor x(element::f32, {rows, columns});
        any_value y;
        return run_kernel<kernel<op::zip_map, device::reference, types<float>>>(g, x.data(), &y, &bytes_left);
    };
    constexpr std::int64_t most = 1 << 20;
    const auto bytes_of = [&](std::int64_t rows, std::int64_t columns) {
        std::int64_t bytes_left = most;
        CHECK(run_zip_map(rows, columns, bytes_left) == status::ok);
        return most - bytes_left;
    };
    const std::int64_t entry = bytes_of(1, 3) - bytes_of(1, 2), bytes = bytes_of(5, 4);
    CHECK(entry > std::int64_t(sizeof(float)));
    CHECK(bytes_of(1, 4) == bytes_of(1, 2) + 2 * entry);
    CHECK(bytes == 5 * bytes_of(1, 4));
    std::int64_t enough = bytes, less = bytes - 1;
    CHECK(run_zip_map(5, 4, enough) == status::ok);
    CHECK(run_zip_map(5, 4, less) == status::out_of_memory);
}
TEST_CASE("ZipMap refuses labels that are missing, or not as many as columns") {
    const tensor x({2, 2}, {0.25f, 0.75f, 1.f, 0.f});
    const auto with = [](std::vector<std::int64_t> labels) {
        return [=](graph_data& g) {
            return std::vector{g.make("classlabels_int64s", std::span<const std::int64_t>(labels))};
        };
    };
    CHECK(run<op::zip_map, device::reference>({{x}, with({1}), 0, {element::object}}).answer.reason ==
          "labels and columns differ in number");
    CHECK(!run<op::zip_map, device::reference>({{x}, with({}), 0, {element::object}}).answer);
}
TEST_CASE("DictVectorizer makes a row of the values of known keys") {
    graph_data g;
    const std::vector<std::string_view> keys{"a", "c", "b", "z"};
    add(g, "DictVectorizer", floats_by_text, {element::f32, {1, 4}},
        g.make("string_vocabulary", std::span<const std::string_view>(keys)));
    using K = kernel<op::dict_vectorizer, device::reference, types<any_value>>;
    const any_value x(map{{std::string("a"), tensor(shape{}, {4.f})}, {std::string("c"), tensor({1}, {8.f})}});
    tensor y({1, 4}, {9.f, 9.f, 9.f, 9.f});
    REQUIRE(run_kernel<K>(g, &x, y.data()) == status::ok);
    CHECK(std::ranges::equal(y.as<float>(), std::array{4.f, 8.f, 0.f, 0.f}));
    const any_value wrong(map{{std::string("a"), tensor(shape{}, {4.})}}), list(sequence{});
    CHECK(run_kernel<K>(g, &wrong, y.data()) == status::invalid_value);
    CHECK(run_kernel<K>(g, &list, y.data()) == status::invalid_value);
    const graph_view v = g.view();
    CHECK(op::dict_vectorizer::output_type({v, v.nodes[0]}, 0) == element::f32);
}
