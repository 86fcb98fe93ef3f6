// Mirrors kernels/inlay/onnx/lstm.hpp, kernels/inlay/support/recurrent.hpp and kernels/inlay/cpu/onnx/lstm.hpp.
#include "../recurrent.hpp"
#include <inlay/cpu/onnx/lstm.hpp>
#include <on_test_devices/onnx/lstm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::recurrent;

namespace {
const std::vector<element> all_outputs{element::f32, element::f32, element::f32};
const std::vector<std::string_view> linear{"Relu", "Affine", "Affine"};  // with these the results are small numbers
// One unit, one input: W of i, o, f, c; R is zero.
std::vector<operand> one_unit(const tensor& x, std::initializer_list<double> w, double c0 = 0) {
    return {x,         of<float>({1, 4, 1}, w),   of<float>({1, 4, 1}, {0, 0, 0, 0}), operand(), operand(),
            operand(), of<float>({1, 1, 1}, {c0})};
}
double cell_of(const std::vector<operand>& in, const options& o) {
    const outcome r = run<op::lstm, device::reference>({.inputs = in, .with = o, .outputs = all_outputs});
    REQUIRE(r.answer);
    return r[2].as<float>()[0];
}
std::string_view refusal_of(const std::vector<operand>& in, const options& o) {
    return run<op::lstm, device::reference>({.inputs = in, .with = o}).answer.reason;
}
}  // namespace

TEMPLATE_TEST_CASE("LSTM makes one step as its formulas say", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double x = 0.5, sigmoid = 1 / (1 + std::exp(-x)), c = sigmoid * 2 + sigmoid * std::tanh(x),
                 precision = std::is_same_v<T, double>  ? 1e-15
                             : std::is_same_v<T, float> ? 1e-6
                                                        : 1e-2;
    const tensor w = of<T>({1, 4, 1}, {1, 1, 1, 1}), zero = of<T>({1, 4, 1}, {0, 0, 0, 0}), c0 = of<T>({1, 1, 1}, {2});
    const outcome o = run<op::lstm, device::reference>(
        {.inputs = {of<T>({1, 1, 1}, {x}), w, zero, operand(), operand(), operand(), c0},
         .outputs = {element_of<T>, element_of<T>, element_of<T>}});
    REQUIRE(o.answer);
    CHECK(same<T>(o[0], of<T>({1, 1, 1, 1}, {sigmoid * std::tanh(c)}), precision));
    CHECK(same<T>(o[1], of<T>({1, 1, 1}, {sigmoid * std::tanh(c)}), precision));
    CHECK(same<T>(o[2], of<T>({1, 1, 1}, {c}), precision));
}
TEST_CASE("LSTM keeps the order of gates, biases and peepholes") {
    const tensor x = of<float>({1, 1, 1}, {1});
    // i = 2, o = 3, f = 5, g = 7, c = 11: c' = 5 * 11 + 2 * 7, h' = 3 c'.
    CHECK(cell_of(one_unit(x, {2, 3, 5, 7}, 11), {.activations = linear}) == 69);
    std::vector<operand> in{x,
                            of<float>({1, 4, 1}, {0, 0, 0, 0}),
                            of<float>({1, 4, 1}, {1, 2, 3, 4}),
                            of<float>({1, 8}, {1, 2, 3, 4, 10, 20, 30, 40}),
                            operand(),
                            of<float>({1, 1, 1}, {100}),
                            of<float>({1, 1, 1}, {1})};
    CHECK(cell_of(in, {.activations = linear}) == 333 + 111 * 444);
    in.push_back(of<float>({1, 3}, {0.5, 2, 4}));  // i sees c / 2, f sees 4 c, o sees 2 c'
    const outcome o = run<op::lstm, device::reference>(
        {.inputs = in, .with = options{.activations = linear}, .outputs = all_outputs});
    CHECK(o[2].as<float>()[0] == 337 + 111.5f * 444);
    CHECK(o[1].as<float>()[0] == (222 + 2 * (337 + 111.5f * 444)) * (337 + 111.5f * 444));
}
TEST_CASE("LSTM goes forward, in reverse, or both ways") {
    const tensor x = of<float>({3, 1, 1}, {1, 2, 4});
    // i = 1, f = 2, o = 1, g = x: c' = 2 c + x.
    const auto y = [&](const options& o, std::int64_t directions) {
        tensor w(element::f32, {directions, 4, 1}), r(element::f32, {directions, 4, 1}),
            b(element::f32, {directions, 8});
        for (std::int64_t d = 0; d < directions; ++d) {
            w.as<float>()[std::size_t(d * 4 + 3)] = 1;
            for (int k : {0, 1, 2}) b.as<float>()[std::size_t(d * 8 + k)] = k == 2 ? 2 : 1;
        }
        return run<op::lstm, device::reference>({.inputs = {x, w, r, b}, .with = o, .outputs = all_outputs});
    };
    const outcome forward = y({.activations = linear}, 1),
                  reverse = y({.direction = "reverse", .activations = linear}, 1);
    CHECK(same<float>(forward[0], of<float>({3, 1, 1, 1}, {1, 4, 12})));
    CHECK(same<float>(forward[1], of<float>({1, 1, 1}, {12})));
    CHECK(same<float>(reverse[0], of<float>({3, 1, 1, 1}, {21, 10, 4})));
    CHECK(same<float>(reverse[1], of<float>({1, 1, 1}, {21})));
    const outcome outputs =
        y({.direction = "bidirectional", .activations = {"Relu", "Affine", "Affine", "Relu", "Affine", "Affine"}}, 2);
    CHECK(same<float>(outputs[0], of<float>({3, 2, 1, 1}, {1, 21, 4, 10, 12, 4})));
    CHECK(same<float>(outputs[2], of<float>({2, 1, 1}, {12, 21})));
}
TEST_CASE("LSTM stops each sequence at its length, and fills with zeros") {
    const tensor x = of<float>({3, 2, 1}, {1, 1, 2, 2, 4, 4}), w = of<float>({1, 4, 1}, {0, 0, 0, 1}),
                 r = of<float>({1, 4, 1}, {0, 0, 0, 0}), b = of<float>({1, 8}, {1, 1, 2, 0, 0, 0, 0, 0});
    for (const char* direction : {"forward", "reverse"}) {
        const outcome o =
            run<op::lstm, device::reference>({.inputs = {x, w, r, b, lengths({3, 2})},
                                              .with = options{.direction = direction, .activations = linear},
                                              .outputs = all_outputs});
        REQUIRE(o.code == status::ok);
        if (direction[0] == 'f')
            CHECK(same<float>(o[0], of<float>({3, 1, 2, 1}, {1, 1, 4, 4, 12, 0})));
        else
            CHECK(same<float>(o[0], of<float>({3, 1, 2, 1}, {21, 5, 10, 2, 4, 0})));
        CHECK(same<float>(o[1], direction[0] == 'f' ? of<float>({1, 2, 1}, {12, 4}) : of<float>({1, 2, 1}, {21, 5})));
    }
    for (std::int32_t wrong : {-1, 4}) {
        CHECK(run<op::lstm, device::reference>({{x, w, r, b, lengths({3, wrong})}}).code == status::invalid_value);
        CHECK(run<op::lstm, device::cpu>(
                  {{x, operand::weight(w), operand::weight(r), operand::weight(b), lengths({3, wrong})}})
                  .code == status::invalid_value);
    }
    // No step at all leaves the initial state.
    const outcome empty = run<op::lstm, device::reference>(
        {.inputs = {x, w, r, b, lengths({0, 0}), of<float>({1, 2, 1}, {5, 6}), of<float>({1, 2, 1}, {7, 8})},
         .outputs = all_outputs});
    CHECK(same<float>(empty[1], of<float>({1, 2, 1}, {5, 6})));
    CHECK(same<float>(empty[2], of<float>({1, 2, 1}, {7, 8})));
}
TEST_CASE("LSTM knows every activation of the standard, with its numbers") {
    const auto g = [](std::string_view name, double x, std::vector<double> alpha = {},
                      std::vector<double> beta = {}) {  // i = 1: c' = g(x)
        std::vector<operand> in = one_unit(of<float>({1, 1, 1}, {x}), {0, 0, 0, 1});
        in[3] = of<float>({1, 8}, {1, 0, 0, 0, 0, 0, 0, 0});
        return cell_of(in, {.activations = {"Relu", name, "Tanh"}, .alpha = alpha, .beta = beta});
    };
    CHECK(g("Relu", -2) == 0);
    CHECK(g("Relu", 3) == 3);
    CHECK(g("Tanh", 0.5) == Approx(std::tanh(0.5)));
    CHECK(g("Sigmoid", -1) == Approx(1 / (1 + std::exp(1))));
    CHECK(g("Affine", 3) == 3);
    CHECK(g("Affine", 3, {2}, {1}) == 7);
    CHECK(g("LeakyRelu", -2) == Approx(-0.02));
    CHECK(g("LeakyRelu", -2, {0.5}) == -1);
    CHECK(g("ThresholdedRelu", 0.9f) == 0);
    CHECK(g("ThresholdedRelu", 1) == 1);
    CHECK(g("ThresholdedRelu", 0.9f, {0.5}) == 0.9f);
    CHECK(g("ScaledTanh", 0.5, {2}, {3}) == Approx(2 * std::tanh(1.5)));
    CHECK(g("HardSigmoid", 1) == Approx(0.7));
    CHECK(g("HardSigmoid", 9) == 1);
    CHECK(g("HardSigmoid", 1, {0.1}, {0.2}) == Approx(0.3));
    CHECK(g("Elu", -1) == Approx(std::exp(-1) - 1));
    CHECK(g("Elu", -1, {2}) == Approx(2 * std::exp(-1) - 2));
    CHECK(g("Softsign", -3) == -0.75);
    CHECK(g("Softplus", 1) == Approx(std::log(1 + std::exp(1))));
    CHECK(g("Softplus", 100) == 100);
    // The lists hold numbers for the functions that take one only.
    std::vector<operand> in = one_unit(of<float>({1, 1, 1}, {-4}), {-1, 1, 1, 1});
    CHECK(cell_of(in, {.activations = {"Relu", "LeakyRelu", "Affine"}, .alpha = {0.5, 3}, .beta = {1}}) == -8);
}
TEST_CASE("LSTM couples gates and clips what goes into them where it should") {
    const tensor x = of<float>({1, 1, 1}, {1});
    CHECK(cell_of(one_unit(x, {0.25, 1, 5, 2}, 8), {.flag = 1, .activations = linear}) == 0.25 * 2 + 0.75 * 8);
    const outcome o = run<op::lstm, device::reference>({.inputs = one_unit(x, {2, 3, 5, -7}, 4),
                                                        .with = options{.clip = 1, .activations = linear},
                                                        .outputs = all_outputs});
    CHECK(o[2].as<float>()[0] == 4 - 1);  // f = 1, i = 1, g = -1
    CHECK(o[1].as<float>()[0] == 3);      // the state itself is not clipped
}
TEST_CASE("LSTM whose clip is 0 does not clip, on the CPU either") {
    const attributes zero = [](graph_data& g) { return std::vector{g.make("clip", 0.)}; };
    const problem p{.steps = 3, .batch = 2, .input = 4, .hidden = 9};
    const std::vector<operand> in = p.inputs(4, 2, true, true, 1);
    const outcome plain = run<op::lstm, device::reference>({.inputs = in, .outputs = all_outputs}),
                  o = run<op::lstm, device::reference>({.inputs = in, .with = zero, .outputs = all_outputs});
    for (std::size_t k = 0; k < all_outputs.size(); ++k) CHECK(same<float>(o[k], plain[k]));
    agree_in_all<op::lstm>({.inputs = in, .with = zero, .outputs = all_outputs});
}
TEST_CASE("LSTM with the batch first is the same, transposed") {
    const problem p{.steps = 4, .batch = 3, .input = 2, .hidden = 5, .directions = 2};
    std::vector<operand> in = p.inputs(4, 2, true, true, 1);
    const outcome plain = run<op::lstm, device::reference>(
        {.inputs = in, .with = options{.direction = "bidirectional"}, .outputs = all_outputs});
    const auto swapped = [](const tensor& t) {  // the first two of three axes
        tensor y(element::f32, {t.shape()[1], t.shape()[0], t.shape()[2]});
        const std::int64_t a = t.shape()[0], b = t.shape()[1], n = t.shape()[2];
        for (std::int64_t i = 0; i < a; ++i)
            for (std::int64_t j = 0; j < b; ++j)
                for (std::int64_t k = 0; k < n; ++k)
                    y.as<float>()[std::size_t((j * a + i) * n + k)] = t.as<float>()[std::size_t((i * b + j) * n + k)];
        return y;
    };
    for (std::size_t k : {0u, 5u, 6u}) in[k] = swapped(in[k].value);
    const outcome first = run<op::lstm, device::reference>(
        {.inputs = in, .with = options{.direction = "bidirectional", .layout = 1}, .outputs = all_outputs});
    CHECK(first[0].shape() == shape{3, 4, 2, 5});
    CHECK(same<float>(first[0].reshaped({3, 8, 5}), swapped(plain[0].reshaped({8, 3, 5}))));
    CHECK(same<float>(first[1], swapped(plain[1])));
    CHECK(same<float>(first[2], swapped(plain[2])));
}
TEST_CASE("LSTM refuses shapes, types and attributes that do not fit") {
    const problem p{.steps = 2, .batch = 3, .input = 4, .hidden = 5};
    const auto refuses = [&](std::size_t k, const tensor& t, const options& o = {}) {
        std::vector<operand> in = p.inputs(4, 2, true, true, 1);
        in.resize(8);
        if (k < 8) in[k] = t;
        return !refusal_of(in, o).empty();
    };
    CHECK_FALSE(refuses(9, {}));
    CHECK(refuses(0, tensor(element::f32, {2, 3})));
    CHECK(refuses(0, tensor(element::f32, {2, 3, 5})));
    CHECK(refuses(1, tensor(element::f32, {1, 15, 4})));
    CHECK(refuses(1, tensor(element::f32, {2, 20, 4})));
    CHECK(refuses(1, tensor()));
    CHECK(refuses(2, tensor(element::f32, {1, 20, 4})));
    CHECK(refuses(2, tensor(element::f64, {1, 20, 5})));
    CHECK(refuses(3, tensor(element::f32, {1, 20})));
    CHECK(refuses(4, tensor(element::i32, {2})));
    CHECK(refuses(4, tensor(element::i64, {3})));
    CHECK(refuses(5, tensor(element::f32, {3, 1, 5})));
    CHECK(refuses(6, tensor(element::f32, {1, 3, 4})));
    CHECK(refuses(7, tensor(element::f32, {1, 20})));
    CHECK(refuses(9, {}, {.hidden = 4}));
    CHECK(refuses(9, {}, {.direction = "sideways"}));
    CHECK(refuses(9, {}, {.direction = "bidirectional"}));
    CHECK(refuses(9, {}, {.activations = {"Sigmoid", "Tanh"}}));
    CHECK(refuses(9, {}, {.activations = {"Sigmoid", "Tanh", "Cosine"}}));
}
TEST_CASE("The shape rule of LSTM keeps what is not known") {
    graph_data g;
    const std::vector in{g.add_value("", element::f32, shape{-2, -3, 4}),
                         g.add_value("", element::f32, shape::unknown()),
                         g.add_value("", element::f32, shape{1, -1, 5})};
    const std::vector out{g.add_value("", element::f32, shape::unknown()),
                          g.add_value("", element::f32, shape::unknown())};
    g.add_node("", "LSTM", 14, "n", {}, in, out);
    const graph_view v = g.view();
    std::array<shape, 2> y{};
    CHECK(op::lstm::shapes({v, v.nodes[0]}, y));
    CHECK(y[0] == shape{-2, 1, -3, 5});
    CHECK(y[1] == shape{1, -3, 5});
}

TEST_CASE("LSTM on the CPU agrees with the reference kernel at every number of hidden units") {
    for (std::int64_t hidden = 1; hidden <= 67; ++hidden) {
        CAPTURE(hidden);
        const problem p{
            .steps = 3, .batch = 1 + hidden % 3, .input = 1 + hidden % 19, .hidden = hidden, .directions = 2};
        agree_in_all<op::lstm>({.inputs = p.inputs(4, 2, hidden % 2 == 0, hidden % 5 < 2, unsigned(hidden)),
                                .with = options{.direction = "bidirectional"},
                                .outputs = all_outputs});
    }
}
TEST_CASE(
    "LSTM on the CPU agrees with the reference kernel for all directions, layouts, lengths and numbers of outputs") {
    for (const char* direction : {"forward", "reverse", "bidirectional"})
        for (std::int64_t layout : {0, 1})
            for (const auto& [steps, batch] : {std::pair{1, 1}, {5, 4}, {3, 300}, {300, 2}, {7, 1}, {0, 2}, {2, 0}}) {
                CAPTURE(direction, layout, steps, batch);
                const problem p{.steps = steps,
                                .batch = batch,
                                .input = 3,
                                .hidden = 20,
                                .directions = direction[0] == 'b' ? 2 : 1,
                                .layout = layout};
                const options o{.direction = direction, .layout = layout};
                std::vector<operand> in = p.inputs(4, 2, true, true, 1);
                agree_in_all<op::lstm>({.inputs = in, .with = o, .outputs = all_outputs});
                agree_in_all<op::lstm>({.inputs = in, .with = o, .outputs = {element::undefined, element::f32}});
                tensor sequence_lengths(element::i32, {batch});
                for (std::int64_t b = 0; b < batch; ++b)
                    sequence_lengths.as<std::int32_t>()[std::size_t(b)] = std::int32_t(steps - b % (steps + 1));
                in[4] = sequence_lengths;
                if (batch < 10) agree_in_all<op::lstm>({.inputs = in, .with = o, .outputs = all_outputs});
            }
}
TEST_CASE("LSTM on the CPU gives the same bits with any number of threads, where they share out the units") {
    for (std::int64_t hidden : {130, 161, 256})
        for (std::int64_t batch : {1, 2})
            same_with_threads<op::lstm>({.steps = 12, .batch = batch, .input = 9, .hidden = hidden}, 4, 2);
    same_with_threads<op::lstm>({.steps = 5, .batch = 2, .input = 9, .hidden = 150, .directions = 2, .layout = 1}, 4, 2,
                                {.direction = "bidirectional", .layout = 1});
}
TEST_CASE("LSTM in bfloat16 rounds X, W, R and h") {
    for (std::int64_t hidden = 1; hidden <= 67; hidden += 3)
        for (std::int64_t steps : {1, 6}) {
            CAPTURE(hidden, steps);
            const problem p{
                .steps = steps, .batch = 1 + hidden % 4, .input = 1 + hidden % 19, .hidden = hidden, .directions = 2};
            agree_in_bf16<op::lstm>({.inputs = p.inputs(4, 2, true, true, unsigned(hidden)),
                                     .with = options{.direction = "bidirectional"},
                                     .outputs = all_outputs},
                                    steps == 1);
        }
    const problem p{.steps = 3, .input = 40, .hidden = 30};
    call c{.inputs = p.inputs(4, 2, true, true, 1)};
    const outcome plain = run<op::lstm, device::cpu>(c);
    c.precision = precision::bfloat16;
    CHECK_FALSE(same<float>(run<op::lstm, device::cpu>(c)[0], plain[0], 1e-4));  // else nothing was rounded
}
TEST_CASE("LSTM on other devices takes peepholes, coupled gates, every activation and clip") {
    for (const char* name : {"Sigmoid", "HardSigmoid", "Elu"})
        for (std::int64_t coupled : {0, 1}) {
            CAPTURE(name, coupled);
            const problem p{.steps = 3, .batch = 2, .input = 3, .hidden = 5, .directions = 2};
            std::vector<operand> in = p.inputs(4, 2, true, true, 1);
            in.push_back(random_tensor({2, 15}, 9, -1, 1));
            agree_on_devices<op::lstm>({.inputs = in,
                                        .with = options{.direction = "bidirectional",
                                                        .flag = coupled,
                                                        .clip = 0.7,
                                                        .activations = {name, "Tanh", "Relu", "Sigmoid", name, "Tanh"}},
                                        .outputs = all_outputs});
        }
}
TEST_CASE("LSTM on the CPU agrees with the reference kernel where rows of X alias in the cache") {
    const problem p{.steps = 40, .batch = 1, .input = 1024, .hidden = 40};
    agree_in_all<op::lstm>({.inputs = p.inputs(4, 2, true, false, 1), .outputs = all_outputs}, 5e-5);
}
TEST_CASE("LSTM on the CPU says what it leaves to the reference kernel") {
    const problem p{.hidden = 3};
    const auto reason = [](const std::vector<operand>& in, const options& o) {
        return run<op::lstm, device::cpu>({.inputs = in, .with = o}).answer.reason;
    };
    std::vector<operand> in = p.inputs(4, 2, true, true, 1);
    CHECK(reason(in, {}).empty());
    CHECK(reason(in, {.activations = {"Sigmoid", "Tanh", "Relu"}}) ==
          "fast only with Sigmoid and Tanh in their usual places");
    CHECK(reason(in, {.activations = {"Sigmoid", "Tanh", "Tanh"}}).empty());
    CHECK(reason(in, {.clip = 3}) == "fast only without clip");
    CHECK(reason(in, {.flag = 1}) == "fast only where input and forget gate are not coupled");
    in.push_back(tensor(element::f32, {1, 9}));
    CHECK(reason(in, {}) == "fast only without peepholes");
}
TEST_CASE("What LSTM binds does not depend on batch and length") {
    problem p{.steps = 2, .batch = 1, .input = 7, .hidden = 21};
    const auto first = p.inputs(4, 0, true, false, 1);
    p.steps = 300;
    p.batch = 3;
    bind_once_run_twice<op::lstm>(first, p.inputs(4, 0, true, false, 1));
}
TEMPLATE_TEST_CASE("LSTM on other devices in 16 bits agrees with the reference kernel", "", float16, bfloat16) {
    for (std::int64_t hidden : {5, 8, 33})
        for (std::int64_t flag : {0, 1}) {
            CAPTURE(hidden, flag);
            const problem p{.steps = 4, .batch = 3, .input = 4, .hidden = hidden, .directions = 2};
            agree_on_devices_in<TestType, op::lstm>(
                {.inputs = p.inputs(4, 2, true, true, 1), .with = options{.direction = "bidirectional", .flag = flag}},
                3);
        }
}
