#include "../../comma_locale.hpp"
#include "../../skip.hpp"
#include "../moving.hpp"
#include <on_test_devices/ml/cast_map.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using K = kernel<op::cast_map, device::reference, types<any_value>>;
struct result {
    status code;
    tensor y;
};
result cast(const any_value& x, std::string_view to, std::string_view form, std::int64_t most = 1) {
    graph_data g;
    const int in = g.add_value("x", element::object, {}), out = g.add_value("y", element::f32, shape::unknown());
    const std::array list{g.make("cast_to", to), g.make("map_form", form), g.make("max_map", most)};
    g.add_node("ai.onnx.ml", "CastMap", 1, "node", list, std::array{in}, std::array{out});
    const graph_view v = g.view();
    const node_view n{v, v.nodes[0]};
    struct room {
        element type;
        tensor y;
    } own{op::cast_map::output_type(n, 0), {}};
    context c;
    c.owner = &own;
    c.grow = [](void* owner, int, const shape& dims) noexcept -> void* {
        auto& r = *static_cast<room*>(owner);
        r.y = tensor(r.type, dims);
        return r.y.data();
    };
    const void* inputs[] = {&x};
    void* outputs[] = {nullptr};
    const status code = K::run(K::prepare(n), {}, {inputs, outputs}, c);
    return {code, own.y};
}
tensor one(float x) { return tensor(shape{}, {x}); }
tensor one(std::string x) { return tensor(shape{}, {std::move(x)}); }
const any_value floats(map{{std::int64_t(3), one(0.5f)}, {std::int64_t(1), one(-2.75f)}});
}  // namespace

// Expected: what ONNX Runtime gives.
TEST_CASE("CastMap lists the values of a map by rising key, or each at its place") {
    CHECK(same(cast(floats, "TO_FLOAT", "DENSE").y, tensor({1, 2}, {-2.75f, 0.5f})));
    CHECK(same(cast(floats, "TO_INT64", "DENSE").y, list({-2, 0}).reshaped({1, 2})));
    CHECK(
        same(cast(floats, "TO_STRING", "DENSE").y, tensor({1, 2}, std::vector<std::string>{"-2.750000", "0.500000"})));
    CHECK(same(cast(floats, "TO_FLOAT", "SPARSE", 5).y, tensor({1, 5}, {0.f, -2.75f, 0.f, 0.5f, 0.f})));
    CHECK(same(cast(floats, "TO_STRING", "SPARSE", 2).y, tensor({1, 2}, std::vector<std::string>{"0.f", "-2.750000"})));
    const any_value texts(map{{std::int64_t(0), one(std::string("1.5"))}});
    CHECK(same(cast(texts, "TO_FLOAT", "DENSE").y, tensor({1, 1}, {1.5f})));
    const any_value signs(map{{std::int64_t(0), one(std::string(" +2"))}, {std::int64_t(1), one(std::string("-7"))}});
    CHECK(same(cast(signs, "TO_FLOAT", "DENSE").y, tensor({1, 2}, {2.f, -7.f})));
    CHECK(same(cast(signs, "TO_INT64", "DENSE").y, list({2, -7}).reshaped({1, 2})));
    CHECK(cast(map{}, "TO_FLOAT", "DENSE").y.shape() == shape{1, 0});
}
TEST_CASE("CastMap reads and writes numbers with points in a locale with commas") {
    const comma_locale locale;
    if (!locale.is_c_locale_too()) SKIP("this machine can make no locale with commas");
    const any_value texts(map{{std::int64_t(0), one(std::string("1.5"))}});
    CHECK(same(cast(texts, "TO_FLOAT", "DENSE").y, tensor({1, 1}, {1.5f})));
    CHECK(
        same(cast(floats, "TO_STRING", "DENSE").y, tensor({1, 2}, std::vector<std::string>{"-2.750000", "0.500000"})));
}
TEST_CASE("CastMap writes into planned memory, where the shape is known before the run") {
    graph_data g;
    const int in = g.add_value("x", element::object, {}), out = g.add_value("y", element::f32, {1, 4});
    const std::array list{g.make("map_form", std::string_view("SPARSE")), g.make("max_map", std::int64_t(4))};
    g.add_node("ai.onnx.ml", "CastMap", 1, "node", list, std::array{in}, std::array{out});
    const graph_view v = g.view();
    tensor y({1, 4}, {9.f, 9.f, 9.f, 9.f});
    context c;
    const void* inputs[] = {&floats};
    void* outputs[] = {y.data()};
    CHECK(K::run(K::prepare({v, v.nodes[0]}), {}, {inputs, outputs}, c) == status::ok);
    CHECK(same(y, tensor({1, 4}, {0.f, -2.75f, 0.f, 0.5f})));
}
TEST_CASE("CastMap refuses what cannot be cast, keys of text, negative places and what is no map") {
    const auto is_refused = [](const any_value& x, std::string_view to) {
        return cast(x, to, "SPARSE", 3).code == status::invalid_value;
    };
    CHECK(is_refused(map{{std::int64_t(0), one(std::string("x"))}}, "TO_FLOAT"));
    CHECK(is_refused(map{{std::int64_t(0), one(std::string("1.5"))}}, "TO_INT64"));
    CHECK(is_refused(map{{std::int64_t(0), one(NAN)}}, "TO_INT64"));
    CHECK(is_refused(map{{std::int64_t(0), tensor({2}, {1.f, 2.f})}}, "TO_FLOAT"));
    CHECK(is_refused(map{{std::string("0"), one(1.f)}}, "TO_FLOAT"));
    CHECK(is_refused(map{{std::int64_t(-1), one(1.f)}}, "TO_FLOAT"));
    CHECK(is_refused(sequence{}, "TO_FLOAT"));
}
