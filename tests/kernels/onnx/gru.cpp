// Mirrors kernels/inlay/onnx/gru.hpp and kernels/inlay/cpu/onnx/gru.hpp.
#include "../recurrent.hpp"
#include <inlay/cpu/onnx/gru.hpp>
#include <on_test_devices/onnx/gru.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::recurrent;

namespace {
const std::vector<element> all_outputs{element::f32, element::f32};
std::vector<operand> one_unit(double h0) {  // x = 1; W, R and B of z, r, h
    return {of<float>({1, 1, 1}, {1}),
            of<float>({1, 3, 1}, {1, 2, 3}),
            of<float>({1, 3, 1}, {0.25, 0.5, 0.75}),
            of<float>({1, 6}, {10, 20, 30, 1, 2, 5}),
            operand(),
            of<float>({1, 1, 1}, {h0})};
}
}  // namespace

TEMPLATE_TEST_CASE("GRU makes one step as its formulas say", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double x = 0.5, h = 2, s = 1 / (1 + std::exp(-x)), n = std::tanh(x + s * h),
                 precision = std::is_same_v<T, double>  ? 1e-15
                             : std::is_same_v<T, float> ? 1e-6
                                                        : 1e-2;
    const outcome o = run<op::gru, device::reference>(
        {.inputs = {of<T>({1, 1, 1}, {x}), of<T>({1, 3, 1}, {1, 1, 1}), of<T>({1, 3, 1}, {0, 0, 1}), operand(),
                    operand(), of<T>({1, 1, 1}, {h})},
         .outputs = {element_of<T>, element_of<T>}});
    REQUIRE(o.answer);
    CHECK(same<T>(o[0], of<T>({1, 1, 1, 1}, {(1 - s) * n + s * h}), precision));
    CHECK(same<T>(o[1], of<T>({1, 1, 1}, {(1 - s) * n + s * h}), precision));
}
TEST_CASE("GRU keeps the order of gates and biases, and resets before or after the product") {
    const double h = 4, z = 1 + 0.25 * h + 11, r = 2 + 0.5 * h + 22;
    const options o{.activations = {"Relu", "Affine"}};
    const double before = 3 + 0.75 * (r * h) + 35, after = 3 + r * (0.75 * h + 5) + 30;
    CHECK(elements<float>(on_reference<op::gru>({.inputs = one_unit(h), .with = o}))[0] ==
          float((1 - z) * before + z * h));
    options linear = o;
    linear.flag = 1;
    CHECK(elements<float>(on_reference<op::gru>({.inputs = one_unit(h), .with = linear}))[0] ==
          float((1 - z) * after + z * h));
    options clipped = o;
    clipped.clip = 0.5;  // z = r = n = 0.5
    CHECK(elements<float>(on_reference<op::gru>({.inputs = one_unit(h), .with = clipped}))[0] == 0.25f + 2);
}
TEST_CASE("GRU goes both ways and stops at lengths") {
    // z = 1/2: h' = (n + h) / 2, n = x.
    const tensor x = of<float>({2, 2, 1}, {2, 2, 4, 4}), w = of<float>({2, 3, 1}, {0, 0, 1, 0, 0, 1}),
                 r = of<float>({2, 3, 1}, {0, 0, 0, 0, 0, 0});
    const options o{.direction = "bidirectional", .activations = {"Sigmoid", "Affine", "Sigmoid", "Affine"}};
    const outcome outputs = run<op::gru, device::reference>(
        {.inputs = {x, w, r, operand(), lengths({2, 1})}, .with = o, .outputs = all_outputs});
    REQUIRE(outputs.code == status::ok);
    CHECK(same<float>(outputs[0], of<float>({2, 2, 2, 1}, {1, 1, 2, 1, 2.5, 0, 2, 0})));
    CHECK(same<float>(outputs[1], of<float>({2, 2, 1}, {2.5, 1, 2, 1})));
    CHECK(run<op::gru, device::reference>({.inputs = {x, w, r, operand(), lengths({2, 3})}, .with = o}).code ==
          status::invalid_value);
}
TEST_CASE("GRU refuses shapes that do not fit") {
    const problem p{.steps = 2, .batch = 3, .input = 4, .hidden = 5};
    std::vector<operand> in = p.inputs(3, 1, true, true, 1);
    CHECK(run<op::gru, device::reference>({in}).answer);
    for (const auto& [k, dims] : {std::pair{0, shape{2, 3, 5}},
                                  {1, shape{1, 20, 4}},
                                  {2, shape{1, 15, 4}},
                                  {3, shape{1, 40}},
                                  {5, shape{1, 3, 4}}}) {
        std::vector<operand> wrong = in;
        wrong[std::size_t(k)] = tensor(element::f32, dims);
        CHECK_FALSE(run<op::gru, device::reference>({wrong}).answer);
    }
    CHECK_FALSE(run<op::gru, device::reference>({.inputs = in, .with = options{.activations = {"Sigmoid"}}}).answer);
}

TEST_CASE("GRU on the CPU agrees with the reference kernel at every number of hidden units") {
    for (std::int64_t hidden = 1; hidden <= 67; ++hidden)
        for (std::int64_t linear : {0, 1}) {
            CAPTURE(hidden, linear);
            const problem p{
                .steps = 3, .batch = 1 + hidden % 3, .input = 1 + hidden % 19, .hidden = hidden, .directions = 2};
            agree_in_all<op::gru>({.inputs = p.inputs(3, 1, hidden % 2 == 0, hidden % 5 < 2, unsigned(hidden)),
                                   .with = options{.direction = "bidirectional", .flag = linear},
                                   .outputs = all_outputs});
        }
}
TEST_CASE(
    "GRU on the CPU agrees with the reference kernel for all directions, layouts, lengths and numbers of outputs") {
    for (const char* direction : {"forward", "reverse", "bidirectional"})
        for (std::int64_t layout : {0, 1})
            for (std::int64_t linear : {0, 1})
                for (const auto& [steps, batch] : {std::pair{1, 1}, {5, 4}, {3, 300}, {300, 2}, {0, 2}}) {
                    CAPTURE(direction, layout, linear, steps, batch);
                    const problem p{.steps = steps,
                                    .batch = batch,
                                    .input = 3,
                                    .hidden = 20,
                                    .directions = direction[0] == 'b' ? 2 : 1,
                                    .layout = layout};
                    const options o{.direction = direction, .layout = layout, .flag = linear};
                    std::vector<operand> in = p.inputs(3, 1, true, true, 1);
                    agree_in_all<op::gru>({.inputs = in, .with = o, .outputs = all_outputs});
                    agree_in_all<op::gru>({.inputs = in, .with = o, .outputs = {element::f32}});
                    tensor sequence_lengths(element::i32, {batch});
                    for (std::int64_t b = 0; b < batch; ++b)
                        sequence_lengths.as<std::int32_t>()[std::size_t(b)] = std::int32_t(steps - b % (steps + 1));
                    in[4] = sequence_lengths;
                    if (batch < 10) agree_in_all<op::gru>({.inputs = in, .with = o, .outputs = all_outputs});
                }
}
TEST_CASE("GRU on the CPU gives the same bits with any number of threads, where they share out the units") {
    for (std::int64_t hidden : {130, 161, 256})
        for (std::int64_t batch : {1, 2})
            for (std::int64_t linear : {0, 1})
                same_with_threads<op::gru>({.steps = 12, .batch = batch, .input = 9, .hidden = hidden}, 3, 1,
                                           {.flag = linear});
    same_with_threads<op::gru>({.steps = 5, .batch = 2, .input = 9, .hidden = 150, .directions = 2, .layout = 1}, 3, 1,
                               {.direction = "bidirectional", .layout = 1, .flag = 1});
}
TEST_CASE("GRU in bfloat16 rounds X, W, R and h") {
    for (std::int64_t hidden = 1; hidden <= 67; hidden += 3)
        for (std::int64_t linear : {0, 1})
            for (std::int64_t steps : {1, 6}) {
                CAPTURE(hidden, linear, steps);
                const problem p{.steps = steps,
                                .batch = 1 + hidden % 4,
                                .input = 1 + hidden % 19,
                                .hidden = hidden,
                                .directions = 2};
                agree_in_bf16<op::gru>({.inputs = p.inputs(3, 1, true, true, unsigned(hidden)),
                                        .with = options{.direction = "bidirectional", .flag = linear},
                                        .outputs = all_outputs},
                                       steps == 1 && linear);
            }
}
TEST_CASE("GRU on other devices takes every activation and clip") {
    for (const char* name :
         {"Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus"})
        for (std::int64_t linear : {0, 1}) {
            CAPTURE(name, linear);
            const problem p{.steps = 2, .batch = 2, .input = 3, .hidden = 5};
            agree_on_devices<op::gru>({.inputs = p.inputs(3, 1, true, true, 1),
                                       .with = options{.flag = linear, .clip = 0.7, .activations = {name, name}},
                                       .outputs = all_outputs});
        }
}
TEST_CASE("GRU on the CPU says what it leaves to the reference kernel, and binds for any batch and length") {
    problem p{.steps = 2, .hidden = 3};
    std::vector<operand> in = p.inputs(3, 0, true, false, 1);
    CHECK(
        run<op::gru, device::cpu>({.inputs = in, .with = options{.activations = {"Sigmoid", "Relu"}}}).answer.reason ==
        "fast only with Sigmoid and Tanh in their usual places");
    CHECK(run<op::gru, device::cpu>({.inputs = in, .with = options{.clip = 3}}).answer.reason ==
          "fast only without clip");
    p.steps = 300;
    p.batch = 3;
    bind_once_run_twice<op::gru>(in, p.inputs(3, 0, true, false, 1));
}
TEMPLATE_TEST_CASE("GRU on other devices in 16 bits agrees with the reference kernel", "", float16, bfloat16) {
    for (std::int64_t hidden : {5, 8, 33})
        for (std::int64_t flag : {0, 1}) {
            CAPTURE(hidden, flag);
            const problem p{.steps = 4, .batch = 3, .input = 4, .hidden = hidden, .directions = 2};
            agree_on_devices_in<TestType, op::gru>(
                {.inputs = p.inputs(3, 1, true, true, 1), .with = options{.direction = "bidirectional", .flag = flag}},
                2);
        }
}
