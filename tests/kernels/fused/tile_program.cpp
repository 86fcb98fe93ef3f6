// Mirrors kernels/inlay/fused/tile_program.hpp and kernels/inlay/cpu/fused/tile_program.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/fused/tile_program.hpp>
#include <inlay/cpu/onnx/clip.hpp>
#include <inlay/cpu/onnx/pow.hpp>
#include <on_test_devices/fused/tile_program.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
struct instruction {
    std::string_view name;
    std::int64_t a, b = -1;
    double p = 0, q = 0;
};
attributes program(std::vector<instruction> steps) {
    return [=](graph_data& g) {
        std::vector<std::string_view> operators;
        std::vector<std::int64_t> operands;
        std::vector<double> numbers;
        for (const instruction& s : steps) {
            operators.push_back(s.name);
            operands.insert(operands.end(), {s.a, s.b});
            numbers.insert(numbers.end(), {s.p, s.q});
        }
        return std::vector{g.make("operators", std::span<const std::string_view>(operators)),
                           g.make("operands", std::span<const std::int64_t>(operands)),
                           g.make("numbers", std::span<const double>(numbers))};
    };
}
tensor plain(std::vector<operand> inputs, std::vector<instruction> steps) {
    return on_reference<op::tile_program>({.inputs = std::move(inputs), .with = program(std::move(steps))});
}
std::string refusal_of(std::vector<operand> inputs, std::vector<instruction> steps) {
    const call c{.inputs = std::move(inputs), .with = program(std::move(steps))};
    const auto reason = run<op::tile_program, device::reference>(c).answer.reason;
    CHECK(run<op::tile_program, device::cpu>(c).answer.reason == reason);
    for (const device_runner& d : on_test_devices<op::tile_program>()) CHECK(d.run(c).answer.reason == reason);
    return std::string(reason);
}
tensor unusual(std::int64_t n, unsigned seed) {
    tensor x = random_tensor({n}, seed);
    const float values[] = {quiet_nan, infinity, -infinity, -0.f, 1e-40f, 3e38f};
    for (std::int64_t i = 0; i < n; i += 5) x.as<float>()[std::size_t(i)] = values[(std::size_t(i) + seed) % 6];
    return x;
}
tensor scalar(float x) { return list<float>({x}).reshaped({}); }
// (Relu(x * scale + shift) - y) / Sqrt(x^2 + 1): every form of operand, results that are read twice, results that die.
const std::vector<instruction> tree{{"Mul", 0, 1},     {"Add", 4, 2}, {"Relu", 5}, {"Sub", 6, 3},
                                    {"Pow", 0, -1, 2}, {"Add", 8, 8}, {"Sqrt", 9}, {"Div", 7, 10}};
}  // namespace

TEST_CASE("A program computes what its operators compute one after another") {
    const tensor x = list<float>({-2, 1, 4}), y = list<float>({10, 20, 30});
    CHECK(same<float>(plain({x, y}, {{"Add", 0, 1}, {"Mul", 2, 0}}), list<float>({-16, 21, 136})));
    CHECK(same<float>(plain({x, y}, {{"Sub", 1, 0}, {"Sub", 2, 2}, {"Relu", 3}}), list<float>({0, 0, 0})));
    CHECK(same<float>(plain({x}, {{"Relu", 0}, {"Sqrt", 1}}), list<float>({0, 1, 2})));
    CHECK(same<float>(plain({x}, {{"Clip", 0, -1, -1, 2}, {"Pow", 1, -1, 3}}), list<float>({-1, 1, 8})));
    CHECK(
        same<float>(plain({x, list<float>({2}), list<float>({5, 6}).reshaped({2, 1})}, {{"Mul", 0, 1}, {"Add", 3, 2}}),
                    list<float>({1, 7, 13, 2, 8, 14}).reshaped({2, 3})));
}
TEST_CASE("Each operator of a program is the operator of the model") {
    const tensor x = unusual(601, 1), y = unusual(601, 2);
    const auto with = [](std::vector<std::pair<std::string, double>> entries) -> attributes {
        return [=](graph_data& g) {
            std::vector<attribute> a;
            for (const auto& [name, v] : entries) a.push_back(g.make(name, v));
            return a;
        };
    };
    CHECK(same<float>(plain({x}, {{"Relu", 0}}), on_reference<op::relu>({{x}})));
    CHECK(same<float>(plain({x}, {{"Sigmoid", 0}}), on_reference<op::sigmoid>({{x}})));
    CHECK(same<float>(plain({x}, {{"Tanh", 0}}), on_reference<op::tanh>({{x}})));
    CHECK(same<float>(plain({x}, {{"Erf", 0}}), on_reference<op::erf>({{x}})));
    CHECK(same<float>(plain({x}, {{"Sqrt", 0}}), on_reference<op::sqrt>({{x}})));
    CHECK(same<float>(plain({x}, {{"HardSigmoid", 0, -1, 0.25, 0.375}}),
                      on_reference<op::hard_sigmoid>({{x}, with({{"alpha", 0.25}, {"beta", 0.375}})})));
    CHECK(same<float>(plain({x}, {{"HardSwish", 0}}), on_reference<op::hard_swish>({{x}})));
    CHECK(same<float>(plain({x}, {{"Clip", 0, -1, -1, 2}}), on_reference<op::clip>({{x, scalar(-1), scalar(2)}})));
    for (const float e : {2.f, 3.f, 0.5f})
        CHECK(same<float>(plain({x}, {{"Pow", 0, -1, e}}), on_reference<op::pow>({{x, scalar(e)}}), 1.2e-7));
    CHECK(same<float>(plain({x, y}, {{"Add", 0, 1}}), on_reference<op::add>({{x, y}})));
    CHECK(same<float>(plain({x, y}, {{"Sub", 0, 1}}), on_reference<op::sub>({{x, y}})));
    CHECK(same<float>(plain({x, y}, {{"Mul", 0, 1}}), on_reference<op::mul>({{x, y}})));
    CHECK(same<float>(plain({x, y}, {{"Div", 0, 1}}), on_reference<op::div>({{x, y}})));
}
TEST_CASE("What is no program is refused with the reason") {
    const tensor x = list<float>({1, 2});
    const std::string size = "a program has 1 to 16 operators, each with two operands and two numbers",
                      operand = "an operand of the program is no earlier value";
    CHECK(refusal_of({x}, {}) == size);
    CHECK(refusal_of({x}, std::vector<instruction>(17, {"Relu", 0})) == size);
    CHECK(refusal_of({x}, {{"Softplus", 0}}) == "an operator of the program is unknown");
    CHECK(refusal_of({x}, {{"Relu", 1}}) == operand);
    CHECK(refusal_of({x}, {{"Relu", -1}}) == operand);
    CHECK(refusal_of({x}, {{"Relu", 0, 0}}) == operand);
    CHECK(refusal_of({x}, {{"Add", 0}}) == operand);
    CHECK(refusal_of({x}, {{"Relu", 0}, {"Add", 1, 2}}) == operand);
    CHECK(refusal_of({x}, {{"Relu", 256}}) == operand);
    CHECK(refusal_of({x}, {{"Pow", 0, -1, 4}}) == "the exponent of Pow is not 2, 3 or 1/2");
    CHECK(refusal_of({x}, {{"Clip", 0, -1, 0, quiet_nan}}) == "a bound of Clip is NaN");
    CHECK(refusal_of(std::vector<inlay::testing::operand>(9, x), {{"Add", 0, 1}}) == "a program has 1 to 8 inputs");
    CHECK(refusal_of({x, tensor({2}, {1, 2})}, {{"Add", 0, 1}}) == "the inputs of the program must have one type");
    CHECK(refusal_of({x, inlay::testing::operand{}}, {{"Relu", 0}}) == "an input is missing");
    CHECK(refusal_of({x, list<float>({1, 2, 3})}, {{"Add", 0, 1}}) == "the inputs' shapes do not broadcast");
}
TEST_CASE("Fast programs agree with the reference kernel at every tail length, and around the size of a tile") {
    for (std::int64_t n = 0; n <= 67; ++n) {
        CAPTURE(n);
        agree<op::tile_program>(
            {.inputs = {unusual(n, 1), unusual(n, 2), unusual(n, 3), unusual(n, 4)}, .with = program(tree)});
        agree<op::tile_program>({.inputs = {unusual(n, 1), list<float>({3}), scalar(0.5f), random_tensor({3, n}, 2)},
                                 .with = program(tree)});
        agree<op::tile_program>({.inputs = {unusual(n, 5)},
                                 .with = program({{"Sigmoid", 0},
                                                  {"Tanh", 1},
                                                  {"Erf", 0},
                                                  {"HardSwish", 3},
                                                  {"HardSigmoid", 2, -1, 0.2, 0.5},
                                                  {"Add", 4, 5}})},
                                1e-6);
    }
    for (const std::int64_t n : {1023, 1024, 1025, 2047, 2049, 70001}) {
        CAPTURE(n);
        agree<op::tile_program>(
            {.inputs = {unusual(n, 1), unusual(n, 2), scalar(0.5f), unusual(n, 4)}, .with = program(tree)});
        agree<op::tile_program>({.inputs = {random_tensor({3, n}, 1), random_tensor({n}, 2), random_tensor({3, 1}, 3),
                                            random_tensor({3, n}, 4)},
                                 .with = program(tree)});
    }
}
TEST_CASE("Fast programs agree with the reference kernel whatever broadcasts, in both layouts") {
    const shape shapes[] = {{2, 3, 4, 5}, {3, 1, 1},    {2, 1, 4, 5}, {5},
                            {2, 3, 1, 1}, {1, 1, 4, 1}, {},           {2, 2, 3, 4, 5}};
    for (const shape& a : shapes)
        for (const shape& b : shapes)
            for (const shape& d : shapes)
                for (const bool constant : {false, true}) {
                    CAPTURE(to_string(a), to_string(b), to_string(d), constant);
                    const tensor p = random_tensor(a, 1), q = random_tensor(b, 2), r = random_tensor(d, 3);
                    agree<op::tile_program>(
                        {.inputs = {p, constant ? operand::weight(q) : operand(q), r, p}, .with = program(tree)});
                }
    for (const std::int64_t channels : {1, 3, 20, 300, 1500}) {
        CAPTURE(channels);
        const tensor x = random_tensor({2, channels, 7, 9}, 1), c = random_tensor({channels, 1, 1}, 2),
                     gate = random_tensor({2, channels, 1, 1}, 3), map = random_tensor({2, 1, 7, 9}, 4);
        agree<op::tile_program>({.inputs = {x, operand::weight(c), gate, map}, .with = program(tree)});
        agree<op::tile_program>(
            {.inputs = {x, operand::weight(random_tensor({2, channels, 7, 9}, 5)), gate, map}, .with = program(tree)});
        agree<op::tile_program>({.inputs = {operand::weight(x), x, gate, map}, .with = program(tree)});
    }
}
TEST_CASE("An operator of a program that reads one element for many sees it once for each") {
    const tensor row = random_tensor({9}, 1), column = random_tensor({30, 1}, 2);
    agree<op::tile_program>(
        {.inputs = {row, column}, .with = program({{"Relu", 0}, {"Pow", 1, -1, 2}, {"Mul", 2, 3}})});
    agree<op::tile_program>({.inputs = {column, row}, .with = program({{"Add", 0, 0}, {"Add", 1, 1}, {"Sub", 2, 3}})});
    agree<op::tile_program>({.inputs = {random_tensor({40, 700}, 3), column.reshaped({30, 1, 1})},
                             .with = program({{"Relu", 1}, {"Add", 2, 0}})});
}
TEST_CASE("Random programs agree with the reference kernel") {
    const instruction kinds[] = {{"Relu", 0},       {"Sqrt", 0},         {"Clip", 0, -1, -1, 3},
                                 {"Pow", 0, -1, 2}, {"Pow", 0, -1, 0.5}, {"Add", 0, 0},
                                 {"Sub", 0, 0},     {"Mul", 0, 0},       {"Div", 0, 0}};  // exact ones
    const shape shapes[] = {{2, 5, 9, 13}, {2, 5, 9, 13}, {5, 1, 1}, {2, 5, 1, 1}, {9, 13}, {}};
    std::mt19937 random(7);
    for (int i = 0; i < 150; ++i) {
        CAPTURE(i);
        call c;
        const std::int64_t inputs = 1 + random() % 8, count = 1 + random() % 16;
        for (std::int64_t k = 0; k < inputs; ++k)
            c.inputs.push_back(random() % 4 ? operand(random_tensor(shapes[random() % 6], unsigned(k)))
                                            : operand::weight(random_tensor(shapes[random() % 6], unsigned(k))));
        std::vector<instruction> steps;
        for (std::int64_t k = 0; k < count; ++k) {
            instruction s = kinds[random() % 9];
            s.a = std::int64_t(random()) % (inputs + k);
            s.b = s.b < 0 ? -1 : std::int64_t(random()) % (inputs + k);
            steps.push_back(s);
        }
        c.with = program(steps);
        agree<op::tile_program>(c);
    }
}
TEST_CASE("A program keeps no more results than are needed at once, and links the families of loops that it uses") {
    using fast = kernel<op::tile_program, device::cpu, types<float>>;
    const auto prepared = [](std::vector<instruction> steps) {
        graph_data g;
        const int x = g.add_value("", element::f32, {4}), y = g.add_value("", element::f32, {4});
        const auto list = program(std::move(steps))(g);
        g.add_node("inlay", "TileProgram", 1, "", list, std::vector{x}, std::vector{y});
        const graph_view v = g.view();
        return fast::prepare({v, v.nodes[0]});
    };
    CHECK(prepared(std::vector<instruction>{{"Relu", 0}, {"Sqrt", 1}, {"Tanh", 2}, {"Erf", 3}}).places == 1);
    CHECK(prepared({{"Relu", 0}, {"Sqrt", 1}, {"Mul", 1, 2}}).places == 2);
    CHECK(prepared({{"Relu", 0}, {"Sqrt", 0}, {"Tanh", 0}, {"Add", 1, 2}, {"Add", 3, 4}}).places == 3);
    const auto unary = fast::needs(prepared({{"Relu", 0}, {"Pow", 1, -1, 3}})),
               binary = fast::needs(prepared({{"Add", 0, 0}, {"Div", 1, 0}}));
    CHECK((unary.unary && !unary.binary));
    CHECK((binary.binary && !binary.unary));
}
