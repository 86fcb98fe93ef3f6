// Mirrors kernels/inlay/onnx/rnn.hpp and kernels/inlay/cpu/onnx/rnn.hpp.
#include "../recurrent.hpp"
#include <inlay/cpu/onnx/rnn.hpp>
#include <on_test_devices/onnx/rnn.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::recurrent;

namespace {
const std::vector<element> all_outputs{element::f32, element::f32};
}

TEMPLATE_TEST_CASE("RNN makes one step as its formula says", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double y = std::tanh(0.5 * 0.75 + 2 * 0.25 + 0.125 - 1), precision = std::is_same_v<T, double>  ? 1e-15
                                                                               : std::is_same_v<T, float> ? 1e-6
                                                                                                          : 1e-2;
    const outcome o = run<op::rnn, device::reference>(
        {.inputs = {of<T>({1, 1, 1}, {0.5}), of<T>({1, 1, 1}, {0.75}), of<T>({1, 1, 1}, {0.25}),
                    of<T>({1, 2}, {0.125, -1}), operand(), of<T>({1, 1, 1}, {2})},
         .outputs = {element_of<T>, element_of<T>}});
    REQUIRE(o.answer);
    CHECK(same<T>(o[0], of<T>({1, 1, 1, 1}, {y}), precision));
    CHECK(same<T>(o[1], of<T>({1, 1, 1}, {y}), precision));
}
TEST_CASE("RNN takes other activations and clip") {
    const std::vector<operand> in{of<float>({2, 1, 1}, {3, -1}), of<float>({1, 1, 1}, {2}), of<float>({1, 1, 1}, {10})};
    CHECK(same<float>(on_reference<op::rnn>({.inputs = in, .with = options{.activations = {"Relu"}}}),
                      of<float>({2, 1, 1, 1}, {6, 58})));
    CHECK(same<float>(on_reference<op::rnn>({.inputs = in, .with = options{.clip = 5, .activations = {"Affine"}}}),
                      of<float>({2, 1, 1, 1}, {5, 5})));
}
TEST_CASE("RNN goes both ways and stops at lengths") {
    const tensor x = of<float>({2, 2, 1}, {1, 2, 3, 4}), w = of<float>({2, 1, 1}, {1, 1}),
                 r = of<float>({2, 1, 1}, {10, 10});
    const options o{.direction = "bidirectional", .activations = {"Affine", "Affine"}};
    const outcome outputs = run<op::rnn, device::reference>(
        {.inputs = {x, w, r, operand(), lengths({2, 1})}, .with = o, .outputs = all_outputs});
    REQUIRE(outputs.code == status::ok);
    CHECK(same<float>(outputs[0], of<float>({2, 2, 2, 1}, {1, 2, 31, 2, 13, 0, 3, 0})));
    CHECK(same<float>(outputs[1], of<float>({2, 2, 1}, {13, 2, 31, 2})));
    CHECK(run<op::rnn, device::reference>({.inputs = {x, w, r, operand(), lengths({2, 3})}, .with = o}).code ==
          status::invalid_value);
}
TEST_CASE("RNN refuses shapes that do not fit") {
    const problem p{.steps = 2, .batch = 3, .input = 4, .hidden = 5};
    const std::vector<operand> in = p.inputs(1, 1, true, true, 1);
    CHECK(run<op::rnn, device::reference>({in}).answer);
    for (const auto& [k, dims] : {std::pair{0, shape{2, 3, 5}},
                                  {1, shape{1, 10, 4}},
                                  {2, shape{1, 5, 4}},
                                  {3, shape{1, 15}},
                                  {5, shape{1, 3, 4}}}) {
        std::vector<operand> wrong = in;
        wrong[std::size_t(k)] = tensor(element::f32, dims);
        CHECK_FALSE(run<op::rnn, device::reference>({wrong}).answer);
    }
    CHECK_FALSE(
        run<op::rnn, device::reference>({.inputs = in, .with = options{.activations = {"Sigmoid", "Tanh"}}}).answer);
}
TEST_CASE("RNN on the CPU agrees with the reference kernel at every number of hidden units") {
    for (std::int64_t hidden = 1; hidden <= 67; ++hidden) {
        CAPTURE(hidden);
        const problem p{
            .steps = 3, .batch = 1 + hidden % 3, .input = 1 + hidden % 19, .hidden = hidden, .directions = 2};
        agree_in_all<op::rnn>({.inputs = p.inputs(1, 1, hidden % 2 == 0, hidden % 5 < 2, unsigned(hidden)),
                               .with = options{.direction = "bidirectional"},
                               .outputs = all_outputs});
    }
}
TEST_CASE(
    "RNN on the CPU agrees with the reference kernel for all directions, layouts, lengths and numbers of outputs") {
    for (const char* direction : {"forward", "reverse", "bidirectional"})
        for (std::int64_t layout : {0, 1})
            for (const auto& [steps, batch] : {std::pair{1, 1}, {5, 4}, {3, 300}, {300, 2}, {0, 2}}) {
                CAPTURE(direction, layout, steps, batch);
                const problem p{.steps = steps,
                                .batch = batch,
                                .input = 3,
                                .hidden = 20,
                                .directions = direction[0] == 'b' ? 2 : 1,
                                .layout = layout};
                const options o{.direction = direction, .layout = layout};
                std::vector<operand> in = p.inputs(1, 1, true, true, 1);
                agree_in_all<op::rnn>({.inputs = in, .with = o, .outputs = all_outputs});
                agree_in_all<op::rnn>({.inputs = in, .with = o, .outputs = {element::f32}});
                tensor sequence_lengths(element::i32, {batch});
                for (std::int64_t b = 0; b < batch; ++b)
                    sequence_lengths.as<std::int32_t>()[std::size_t(b)] = std::int32_t(steps - b % (steps + 1));
                in[4] = sequence_lengths;
                if (batch < 10) agree_in_all<op::rnn>({.inputs = in, .with = o, .outputs = all_outputs});
            }
}
TEST_CASE("RNN on the CPU gives the same bits with any number of threads, where they share out the units") {
    for (std::int64_t hidden : {260, 321, 512})
        for (std::int64_t batch : {1, 2})
            same_with_threads<op::rnn>({.steps = 3, .batch = batch, .input = 9, .hidden = hidden}, 1, 1, {});
}
TEST_CASE("RNN in bfloat16 rounds X, W, R and h") {
    for (std::int64_t hidden = 1; hidden <= 67; hidden += 3)
        for (std::int64_t steps : {1, 2}) {  // no gates: what is rounded grows from step to step
            CAPTURE(hidden, steps);
            const problem p{
                .steps = steps, .batch = 1 + hidden % 4, .input = 1 + hidden % 19, .hidden = hidden, .directions = 2};
            agree_in_bf16<op::rnn>({.inputs = p.inputs(1, 1, true, true, unsigned(hidden)),
                                    .with = options{.direction = "bidirectional"},
                                    .outputs = all_outputs},
                                   false);
        }
}
TEST_CASE("RNN on other devices takes every activation and clip") {
    for (const char* name : {"Sigmoid", "Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid",
                             "Elu", "Softsign", "Softplus"}) {
        CAPTURE(name);
        const problem p{.steps = 2, .batch = 2, .input = 3, .hidden = 5};
        agree_on_devices<op::rnn>({.inputs = p.inputs(1, 1, true, true, 1),
                                   .with = options{.clip = 0.7, .activations = {name}},
                                   .outputs = all_outputs});
    }
}
TEMPLATE_TEST_CASE("RNN on other devices in 16 bits agrees with the reference kernel", "", float16, bfloat16) {
    for (std::int64_t hidden : {5, 8, 33}) {
        CAPTURE(hidden);
        const problem p{.steps = 2, .batch = 3, .input = 4, .hidden = hidden, .directions = 2};
        agree_on_devices_in<TestType, op::rnn>(
            {.inputs = p.inputs(1, 1, true, true, 1), .with = options{.direction = "bidirectional"}}, 2);
    }
}
TEST_CASE("RNN on the CPU says what it leaves to the reference kernel") {
    const problem p{.steps = 2, .hidden = 3};
    const std::vector<operand> in = p.inputs(1, 0, true, false, 1);
    CHECK(run<op::rnn, device::cpu>({.inputs = in, .with = options{.activations = {"Relu"}}}).answer.reason ==
          "fast only with Sigmoid and Tanh in their usual places");
    CHECK(run<op::rnn, device::cpu>({.inputs = in, .with = options{.clip = 3}}).answer.reason ==
          "fast only without clip");
}
