// Mirrors kernels/inlay/training/optimizers.hpp.
#include "../elementwise.hpp"
#include <inlay/training/optimizers.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using reals_given = std::vector<std::pair<const char*, double>>;
attributes how(reals_given values, std::string mode = "") {
    return [=](graph_data& g) {
        std::vector<attribute> list;
        for (const auto& [name, x] : values) list.push_back(g.make(name, x));
        if (!mode.empty()) list.push_back(g.make("mode", mode));
        return list;
    };
}
tensor rate(double r) { return tensor(shape{}, {float(r)}); }
tensor steps(std::int64_t t) { return tensor(shape{}, {t}); }
template <class Op> outcome tried(std::vector<operand> in, attributes with, std::size_t outputs) {
    const element e = in.size() > 2 && in[2].value ? in[2].value.type() : element::f32;
    return run<Op, device::reference>(
        {.inputs = std::move(in), .with = std::move(with), .outputs = std::vector<element>(outputs, e), .threads = 2});
}
template <class Op> std::vector<tensor> made(std::vector<operand> in, attributes with, std::size_t outputs) {
    const outcome o = tried<Op>(std::move(in), std::move(with), outputs);
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    return o.outputs;
}
}  // namespace

TEMPLATE_TEST_CASE("Adagrad of one tensor, by hand", "", float, double) {
    using T = TestType;
    const auto y = made<op::adagrad>({rate(.1), steps(0), list<T>({1}), list<T>({-1}), list<T>({2})},
                                     how({{"norm_coefficient", .001}, {"epsilon", 1e-5}, {"decay_factor", .1}}), 2);
    // g = -0.999; H = 2 + 0.998001; X = 1 + 0.1 * 0.999 / (sqrt(2.998001) + 0.00001)
    CHECK(same<T>(y[1], list<T>({2.998001}), 1e-6));
    CHECK(same<T>(y[0], list<T>({1 + .0999 / (std::sqrt(2.998001) + 1e-5)}), 1e-6));
    const auto later = made<op::adagrad>({rate(.1), steps(10), list<T>({1}), list<T>({-1}), list<T>({2})},
                                         how({{"epsilon", 0}, {"decay_factor", .1}}), 2);
    CHECK(same<T>(later[0], list<T>({1 + .05 / std::sqrt(3.)}), 1e-6));
}
TEMPLATE_TEST_CASE("Adam before its first step and after two, by hand", "", float, double) {
    using T = TestType;
    const std::vector<operand> in{tensor({1}, {.1}),   steps(0),         list<T>({1.2, 2.8}), list<T>({-.94, -2.5}),
                                  list<T>({1.7, 3.6}), list<T>({.1, .1})};
    const double v = .95 * 1.7 + .05 * (-.94 + .001 * 1.2), g = -.94 + .0012, h = .1 * .85 + .15 * g * g;
    const reals_given values{
        {"norm_coefficient", .001}, {"alpha", .95}, {"beta", .85}, {"epsilon", 1e-2}, {"norm_coefficient_post", .5}};
    const auto y = made<op::adam>(in, how(values), 3);
    CHECK(double(y[1].as<T>()[0]) == Approx(v));
    CHECK(double(y[2].as<T>()[0]) == Approx(h));
    CHECK(double(y[0].as<T>()[0]) == Approx(.5 * (1.2 - .1 * v / (std::sqrt(h) + 1e-2))));
    auto second = in;
    second[1] = steps(2);
    const auto z = made<op::adam>(second, how(values), 3);
    const double r = .1 * std::sqrt(1 - .85 * .85) / (1 - .95 * .95);
    CHECK(double(z[0].as<T>()[0]) == Approx(.5 * (1.2 - r * v / (std::sqrt(h) + 1e-2))));
    // The defaults: alpha 0.9, beta 0.999, epsilon 1e-6, no norms.
    const auto d = made<op::adam>(in, how({}), 3);
    CHECK(double(d[1].as<T>()[1]) == Approx(.9 * 3.6 - .1 * 2.5));
    CHECK(double(d[2].as<T>()[1]) == Approx(.999 * .1 + .001 * 6.25));
    CHECK(double(d[0].as<T>()[1]) == Approx(2.8 - .1 * 2.99 / (std::sqrt(.10615) + 1e-6)));
}
TEMPLATE_TEST_CASE("Momentum in both modes, in its first step and later, by hand", "", float, double) {
    using T = TestType;
    const reals_given values{{"norm_coefficient", .001}, {"alpha", .95}, {"beta", .5}};
    const auto of = [&](const char* mode, std::int64_t t) {
        return made<op::momentum>({rate(.1), steps(t), list<T>({1.2}), list<T>({-.94}), list<T>({1.7})},
                                  how(values, mode), 2);
    };
    const double g = .0012 - .94, first = .95 * 1.7 + g, later = .95 * 1.7 + .5 * g;
    CHECK(same<T>(of("standard", 0)[1], list<T>({first}), 1e-6));
    CHECK(same<T>(of("standard", 0)[0], list<T>({1.2 - .1 * first}), 1e-6));
    CHECK(same<T>(of("standard", 3)[1], list<T>({later}), 1e-6));
    CHECK(same<T>(of("nesterov", 3)[1], list<T>({later}), 1e-6));
    CHECK(same<T>(of("nesterov", 3)[0], list<T>({1.2 - .1 * (g + .95 * later)}), 1e-6));
}
TEST_CASE("Optimisers take several tensors of several shapes as each alone, outputs that are absent, and empty ones") {
    const tensor x1 = random_tensor({2, 3}, 1), x2 = random_tensor({4}, 2), g1 = random_tensor({2, 3}, 3),
                 g2 = random_tensor({4}, 4), v1 = random_tensor({2, 3}, 5), v2 = random_tensor({4}, 6),
                 h1 = random_tensor({2, 3}, 7, 0, 1), h2 = random_tensor({4}, 8, 0, 1), empty_input(element::f32, {0});
    const auto outputs = made<op::adam>({rate(.1), steps(1), x1, x2, g1, g2, v1, v2, h1, h2}, how({}), 6);
    const auto first_outputs = made<op::adam>({rate(.1), steps(1), x1, g1, v1, h1}, how({}), 3);
    const auto two = made<op::adam>({rate(.1), steps(1), x2, g2, v2, h2}, how({}), 3);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(same<float>(outputs[2 * k], first_outputs[k]));
        CHECK(same<float>(outputs[2 * k + 1], two[k]));
    }
    const outcome partial_outputs =
        run<op::adam, device::reference>({.inputs = {rate(.1), steps(1), x1, g1, v1, h1},
                                          .outputs = {element::f32, element::undefined, element::undefined}});
    REQUIRE(partial_outputs.code == status::ok);
    CHECK(same<float>(partial_outputs[0], first_outputs[0]));
    const auto empty =
        made<op::momentum>({rate(1), steps(0), empty_input, empty_input, empty_input}, how({}, "standard"), 2);
    CHECK(empty[1].shape() == shape{0});
}
TEST_CASE("Optimisers refuse inputs that do not come in groups, or do not belong together") {
    const tensor x(element::f32, {3}), y(element::f32, {4}), d(element::f64, {3});
    const auto reason_of = [](std::vector<operand> in, std::size_t outputs) {
        return tried<op::adagrad>(std::move(in), how({}), outputs).answer.reason;
    };
    CHECK(reason_of({rate(1), steps(0), x, x, x, x}, 2) == "the inputs do not come in groups");
    CHECK(reason_of({rate(1), steps(0)}, 2) == "the inputs do not come in groups");
    CHECK(reason_of({rate(1)}, 2) == "the inputs do not come in groups");
    CHECK(reason_of({rate(1), steps(0), x, x, x}, 3) == "the outputs are not those of the inputs");
    CHECK(reason_of({rate(1), steps(0), x, {}, x}, 2) == "an input is missing");
    CHECK(reason_of({rate(1), steps(0), x, y, x}, 2) == "a gradient or a state has another shape than X");
    CHECK(reason_of({rate(1), steps(0), x, d, x}, 2) == "the tensors are of different types");
    CHECK(reason_of({steps(0), steps(0), x, x, x}, 2) == "the learning rate is neither float nor double");
    CHECK(reason_of({rate(1), rate(0), x, x, x}, 2) == "the count of steps is not int64");
    CHECK(reason_of({x, steps(0), x, x, x}, 2) == "learning rate and count of steps are single elements");
    std::vector<operand> many{rate(1), steps(0)};
    many.resize(2 + 3 * 257, operand(x));
    CHECK(reason_of(many, 2 * 257) == "more than 256 tensors");
    many.resize(2 + 3 * 256, operand(x));
    CHECK(made<op::adagrad>(many, how({}), 2 * 256).size() == 512);
    CHECK(tried<op::momentum>({rate(1), steps(0), x, x, x}, how({}, "sideways"), 2).answer.reason ==
          "mode is neither nesterov nor standard");
    CHECK(!tried<op::momentum>({rate(1), steps(0), x, x, x}, how({}), 2).answer);
}
