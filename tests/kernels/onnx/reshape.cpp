#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/reshape.hpp>
#include <on_test_devices/onnx/reshape.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using axes = std::vector<std::int64_t>;
const attributes no_attributes = [](graph_data&) { return std::vector<attribute>{}; };
template <class Op>
verdict shape_of_node(shape x, std::optional<axes> second, shape& y, attributes with = no_attributes,
                      int version = 25) {
    graph_data g;
    std::vector<int> in{g.add_value("", element::f32, x)};
    if (second) in.push_back(g.add_constant("", tensor({std::int64_t(second->size())}, *second)));
    const std::vector<int> out{g.add_value("", element::f32, shape::unknown())};
    const auto list = with(g);
    g.add_node("", Op::onnx_name, version, "node", list, in, out);
    const graph_view v = g.view();
    y = shape::unknown();
    return Op::shapes(node_view{v, v.nodes[0]}, std::span(&y, 1));
}
shape reshaped(const shape& x, std::vector<std::int64_t> to, std::int64_t allowzero = 0) {
    shape y;
    const verdict v = shape_of_node<op::reshape>(x, to, y, integer("allowzero", allowzero));
    INFO(v.reason);
    CHECK(v);
    return y;
}
std::string refused(const shape& x, std::vector<std::int64_t> to, std::int64_t allowzero = 0) {
    shape y;
    const verdict v = shape_of_node<op::reshape>(x, to, y, integer("allowzero", allowzero));
    CHECK(!v);
    return std::string(v.reason);
}
}  // namespace

TEST_CASE("Reshape copies dimensions of 0 and infers one of -1") {
    CHECK(reshaped({2, 3, 4}, {6, 4}) == shape{6, 4});
    CHECK(reshaped({2, 3, 4}, {0, -1}) == shape{2, 12});
    CHECK(reshaped({2, 3, 4}, {-1, 0, 2}) == shape{4, 3, 2});
    CHECK(reshaped({1}, {}) == shape{});
    CHECK(reshaped({}, {1, -1}) == shape{1, 1});
    CHECK(reshaped({0, 3}, {0, -1}) == shape{0, 3});
    CHECK(reshaped({0, 3}, {-1, 3}) == shape{0, 3});
    CHECK(reshaped({0, 3}, {0, 5}) == shape{0, 5});
    CHECK(reshaped({4, 0}, {0, 7}, 1) == shape{0, 7});
}
TEST_CASE("Reshape keeps what is known of unknown shapes") {
    CHECK(reshaped({-2, 3, 4}, {0, -1}) == shape{-2, 12});
    CHECK(reshaped({-2, 3, 4}, {-1, 12}) == shape{-1, 12});
    CHECK(reshaped(shape::unknown(), {0, 5, -1}) == shape{-1, 5, -1});
    shape y;
    CHECK(shape_of_node<op::reshape>({2, 3}, std::nullopt, y, integers("shape", {3, 2}), 1));
    CHECK(y == shape{3, 2});
}
TEST_CASE("Reshape refuses shapes that do not fit") {
    CHECK(refused({2, 3}, {4}) == "the new shape has another number of elements");
    CHECK(refused({2, 3}, {4, -1}) == "the input does not divide into the new shape");
    CHECK(refused({2, 3}, {-1, -1}) == "the new shape has more than one dimension of -1");
    CHECK(refused({2, 3}, {-2}) == "the new shape has a dimension below -1");
    CHECK(refused({2, 3}, {2, 3, 0}) == "the new shape copies a dimension that the input does not have");
    CHECK(refused({2, 0}, {0, -1}, 1) == "the new shape has both 0 and -1 while allowzero is set");
    CHECK(refused({2, 3}, {0, 3}, 1) == "the new shape has another number of elements");
    CHECK(refused({2, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 6}) == "the new shape has more than 8 dimensions");
    CHECK(refused({2, 3}, {std::int64_t(1) << 62, 4}) == "the new shape is too large");
    shape y;
    CHECK(!shape_of_node<op::reshape>({2, 3}, std::nullopt, y));
}
TEST_CASE("Flatten makes two dimensions of any number") {
    const auto flat = [](const shape& x, std::int64_t axis) {
        shape y;
        return shape_of_node<op::flatten>(x, std::nullopt, y, integer("axis", axis)) ? y : shape::unknown();
    };
    CHECK(flat({2, 3, 4}, 1) == shape{2, 12});
    CHECK(flat({2, 3, 4}, 0) == shape{1, 24});
    CHECK(flat({2, 3, 4}, 3) == shape{24, 1});
    CHECK(flat({2, 3, 4}, -1) == shape{6, 4});
    CHECK(flat({-2, 3, -3}, 1) == shape{-2, -1});
    CHECK(flat({}, 0) == shape{1, 1});
    CHECK(flat({2, 3}, 3).rank == -1);
    CHECK(flat({2, 3}, -3).rank == -1);
    const std::int64_t big = std::int64_t(1) << 32;
    CHECK(flat({big, big / 4, 3}, 2) == shape{big * (big / 4), 3});
    CHECK(flat({big, big, 3}, 1) == shape{big, 3 * big});
    CHECK(flat({big, big, 3}, 2).rank == -1);
    CHECK(flat({3, big, -1, big}, 1).rank == -1);
    shape y;
    CHECK(shape_of_node<op::flatten>({big, big}, std::nullopt, y, integer("axis", 0)).reason ==
          "the input is too large");
}
TEST_CASE("Squeeze removes dimensions of 1") {
    const auto squeezed = [](const shape& x, std::optional<axes> axis_list) {
        shape y;
        return shape_of_node<op::squeeze>(x, axis_list, y) ? y : shape::unknown();
    };
    CHECK(squeezed({1, 2, 1, 3}, std::nullopt) == shape{2, 3});
    CHECK(squeezed({1, 2, 1, 3}, axes{-2}) == shape{1, 2, 3});
    CHECK(squeezed({1, 2, 1, 3}, axes{2, 0}) == shape{2, 3});
    CHECK(squeezed({1, -2}, axes{0}) == shape{-2});
    CHECK(squeezed({1, -2}, std::nullopt).rank == -1);
    CHECK(squeezed({-2, 4}, axes{0}) == shape{4});
    shape y;
    CHECK(shape_of_node<op::squeeze>({1, 2}, axes{1}, y).reason == "a dimension to be removed is not 1");
    CHECK(shape_of_node<op::squeeze>({1, 2}, axes{2}, y).reason == "an axis is out of range");
    CHECK(shape_of_node<op::squeeze>({1, 2, 1}, std::nullopt, y, integers("axes", {0}), 11));
    CHECK(y == shape{2, 1});
}
TEST_CASE("Unsqueeze adds dimensions of 1") {
    const auto grown = [](const shape& x, const axes& axis_list) {
        shape y;
        return shape_of_node<op::unsqueeze>(x, axis_list, y) ? y : shape::unknown();
    };
    CHECK(grown({2, 3}, {0, -1}) == shape{1, 2, 3, 1});
    CHECK(grown({2, 3}, {2, 0}) == shape{1, 2, 1, 3});
    CHECK(grown({}, {0}) == shape{1});
    shape y;
    CHECK(shape_of_node<op::unsqueeze>({2}, axes{0, 0}, y).reason == "an axis is given twice");
    CHECK(shape_of_node<op::unsqueeze>({2}, axes{2}, y).reason == "an axis is out of range");
    CHECK(shape_of_node<op::unsqueeze>({2}, axes{0, 1, 2, 3, 4, 5, 6, 7}, y).reason ==
          "the output has more than 8 dimensions");
    CHECK(shape_of_node<op::unsqueeze>({2}, std::nullopt, y).reason == "there are no axes");
    CHECK(shape_of_node<op::unsqueeze>({2}, std::nullopt, y, integers("axes", {1}), 1));
    CHECK(y == shape{2, 1});
}
TEST_CASE("Identity and its like keep the elements of every type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 1, 5});
        CHECK(same(run<op::identity, device::reference>({{x}})[0], x));
        CHECK(same(run<op::reshape, device::reference>({{x, list({5, 3})}})[0], x.reshaped({5, 3})));
        CHECK(same(run<op::flatten, device::reference>({{x}})[0], x.reshaped({3, 5})));
        CHECK(same(run<op::squeeze, device::reference>({{x}})[0], x.reshaped({3, 5})));
        CHECK(same(run<op::unsqueeze, device::reference>({{x, list({0})}})[0], x.reshaped({1, 3, 1, 5})));
    }
    const tensor image = noise(element::f32, {2, 3, 4, 5});
    CHECK(cpu_agrees<op::identity>({{image}}));
    CHECK(same(run<op::identity, device::reference>({{noise(element::f32, {0, 3})}})[0], noise(element::f32, {0, 3})));
}
TEST_CASE("Identity copies a sequence") {
    using k = kernel<op::identity, device::reference, types<any_value>>;
    const any_value x = sequence{any_value(numbers({2})), any_value(numbers({3}))};
    any_value y;
    const void* in[] = {&x};
    void* out[] = {&y};
    context c;
    REQUIRE(k::run({1}, {}, {in, out}, c) == status::ok);
    REQUIRE(y.as_sequence());
    CHECK(y.as_sequence()->size() == 2);
}
TEST_CASE("Dropout at inference is a copy and keeps everything") {
    const tensor x = noise(element::f32, {2, 3, 4, 5});
    call c{{x}};
    c.outputs = {element::f32, element::boolean};
    const outcome y = run<op::dropout, device::reference>(c);
    REQUIRE(y.outputs.size() == 2);
    CHECK(same(y[0], x));
    for (int i = 0; i < 120; ++i) CHECK(bits_at(y[1], i) == "\1");
    CHECK(cpu_agrees<op::dropout>(c));
    SECTION("before version 10 the mask has the input's type") {
        c.version = 7;
        c.outputs = {element::f32, element::f32};
        const outcome old = run<op::dropout, device::reference>(c);
        for (const float m : old[1].as<float>()) CHECK(m == 1.f);
    }
    SECTION("before version 7 an attribute distinguishes training from inference") {
        c.version = 6;
        CHECK(!run<op::dropout, device::reference>(c).answer);
        c.with = integer("is_test", 1);
        CHECK(same(run<op::dropout, device::reference>(c)[0], x));
    }
    SECTION("in training that drops nothing, and where training_mode is false") {
        const tensor yes(shape{}, {true}), no(shape{}, {false}), half(shape{}, {0.5f}), zero(shape{}, {0.f});
        for (const auto& [ratio, training] : {std::pair{half, no}, {zero, yes}})
            CHECK(same(run<op::dropout, device::reference>({{x, ratio, training}})[0], x));
    }
}
namespace {
attributes seed(std::int64_t s) { return integer("seed", s); }
outcome train(const tensor& x, operand ratio, attributes with = seed(0), int threads = 1) {
    return run<op::dropout, device::reference>({.inputs = {x, std::move(ratio), tensor(shape{}, {true})},
                                                .with = std::move(with),
                                                .outputs = {x.type(), element::boolean},
                                                .threads = threads});
}
}  // namespace
TEST_CASE("Dropout in training drops where the numbers of NumPy's RandomState(seed) are below the ratio") {
    // numpy.random.RandomState(0).uniform(0, 1, 8), and of 7
    const std::vector<double> zero{0.5488135039273248, 0.7151893663724195, 0.6027633760716439, 0.5448831829968969,
                                   0.4236547993389047, 0.6458941130666561, 0.4375872112626925, 0.8917730007820798},
        seven{0.07630828937395717, 0.7799187922401146, 0.4384092314408935, 0.7234651778309412,
              0.9779895119966027,  0.5384958704104337, 0.5011204636599379, 0.07205113335976154};
    const auto check = [](std::int64_t with, double ratio, const std::vector<double>& u) {
        const tensor x({8}, {1.f, -2.f, 3.f, 4.f, 5.f, 6.f, -7.f, 8.f});
        const outcome y = train(x, tensor(shape{}, {ratio}), seed(with));
        REQUIRE(y.code == status::ok);
        for (std::size_t i = 0; i < 8; ++i) {
            CHECK(y[1].as<bool>()[i] == (u[i] >= ratio));
            CHECK(y[0].as<float>()[i] == Approx(u[i] >= ratio ? x.as<float>()[i] / (1 - ratio) : 0));
        }
        CHECK(same(run<op::dropout, device::cpu>(
                       {.inputs = {x, tensor(shape{}, {ratio}), tensor(shape{}, {true})}, .with = seed(with)})[0],
                   y[0]));
    };
    for (const double ratio : {.25, .5, .6, .75}) {
        check(0, ratio, zero);
        check(7, ratio, seven);
        check((std::int64_t(1) << 32) + 7, ratio, seven);
    }
}
TEST_CASE("Dropout in training draws in ONNX's order in either layout") {
    const tensor x = numbers({2, 3, 4, 5});
    call c{.inputs = {x, tensor(shape{}, {.5f}), tensor(shape{}, {true})},
           .with = seed(3),
           .outputs = {element::f32, element::boolean}};
    const outcome expected = run<op::dropout, device::reference>(c);
    for (const layout in : {layout::plain, layout::channels_last}) {
        c.in = in;
        CHECK(same(run<op::dropout, device::cpu>(c), expected));
        for (const device_runner& d : on_test_devices<op::dropout>()) CHECK(!d.run(c).answer);
    }
}
TEST_CASE("Dropout in training of every type: what stays is divided, half of it unless a ratio is given") {
    for (const element type : {element::f32, element::f64, element::f16, element::bf16, element::f8e4m3fn,
                               element::f8e4m3fnuz, element::f8e5m2, element::f8e5m2fnuz})
        for (const int version : {12, 13, 22}) {
            CAPTURE(name_of(type), version);
            if ((version == 12 && type == element::bf16) || (version < 22 && is_float8(type))) continue;
            tensor x(type, {1000});
            for (std::int64_t i = 0; i < 1000; ++i) store_float<double>(type, x.data(), i, 3.);
            call c{.inputs = {x, {}, tensor({1}, {true})}, .version = version, .outputs = {type, element::boolean}};
            const outcome y = run<op::dropout, device::reference>(c);
            REQUIRE(y.code == status::ok);
            int kept_count = 0;
            for (std::int64_t i = 0; i < 1000; ++i) {
                const double v = load_float<double>(type, y[0].data(), i);
                CHECK(v == (y[1].as<bool>()[std::size_t(i)] ? 6 : 0));
                kept_count += v != 0;
            }
            CHECK(std::abs(kept_count - 500) < 80);                         // five standard deviations
            CHECK(!same(run<op::dropout, device::reference>(c)[0], y[0]));  // other numbers in each run
        }
}
TEST_CASE("Dropout in training of nothing, in place, on threads, and by ratios of other types") {
    CHECK(train(tensor(element::f32, {0, 3}), tensor(shape{}, {.5f}))[1].shape() == shape{0, 3});
    const tensor x = numbers({20000});
    const outcome y = train(x, tensor(shape{}, {float16(.75f)}), seed(5), 3);
    CHECK(same(y, train(x, tensor(shape{}, {bfloat16(.75f)}), seed(5))));
    CHECK(same(y, train(x, tensor(shape{}, {float8e4m3fn(.75f)}), seed(5))));
    CHECK(same(y, train(x, tensor(shape{}, {float8e4m3fnuz(.75f)}), seed(5))));
    CHECK(same(y, train(x, tensor(shape{}, {float8e5m2(.75f)}), seed(5))));
    CHECK(same(y, train(x, tensor(shape{}, {float8e5m2fnuz(.75f)}), seed(5))));
    int kept_count = 0;
    const outcome free = train(x, tensor(shape{}, {.75}), {[](graph_data&) { return std::vector<attribute>{}; }}, 3);
    for (const bool stays : free[1].as<bool>()) kept_count += stays;
    CHECK(std::abs(kept_count - 5000) < 5 * 62);
    using k = kernel<op::dropout, device::reference, types<raw<32>>>;
    tensor z = numbers({20000});
    const float ratio = .75f;
    const bool training = true;
    const void* const in[] = {z.data(), &ratio, &training};
    void* const out[] = {z.data()};
    context alone;
    REQUIRE(k::run({20000, 0, 0, element::f32, element::f32, true, true, 5}, {}, {in, out}, alone) == status::ok);
    CHECK(same(z, y[0]));
}
TEST_CASE("Dropout refuses ratios that are none, and training of what are no real numbers") {
    const tensor x = numbers({4});
    for (const float bad : {-.5f, 1.f, 2.f, std::nanf("")})
        CHECK(train(x, tensor(shape{}, {bad})).detail == "ratio is not in [0, 1)");
    CHECK(train(tensor(element::i32, {4}), tensor(shape{}, {.5f})).answer.reason ==
          "training with elements of this type is not supported");
    CHECK(train(x, tensor(shape{}, {std::int32_t(1)})).answer.reason ==
          "training with elements of this type is not supported");
    CHECK(train(x, numbers({2})).answer.reason == "ratio and training_mode are single elements");
    CHECK(run<op::dropout, device::reference>({{x, {}, tensor(element::boolean, {0})}}).answer.reason ==
          "ratio and training_mode are single elements");
    CHECK(run<op::dropout, device::reference>({{x, {}, numbers({1})}}).answer.reason == "training_mode is no bool");
}
