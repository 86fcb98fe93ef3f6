// Mirrors kernels/inlay/onnx/batch_normalization.hpp and kernels/inlay/cpu/onnx/batch_normalization.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/batch_normalization.hpp>
#include <on_test_devices/onnx/batch_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes numbers(double epsilon, std::initializer_list<std::pair<const char*, std::int64_t>> more = {}) {
    return [epsilon, list = std::vector(more)](graph_data& g) {
        std::vector entries{g.make("epsilon", epsilon)};
        for (auto [name, value] : list) entries.push_back(g.make(name, value));
        return entries;
    };
}
std::vector<operand> inputs(const shape& dims, std::int64_t channels, unsigned seed, bool constant) {
    std::vector<operand> operands{random_tensor(dims, seed)};
    for (unsigned k = 1; k < 5; ++k) {
        const tensor t = random_tensor({channels}, seed + k, k == 4 ? 0.1 : -2, 2);
        operands.push_back(constant ? operand::weight(t) : operand(t));
    }
    return operands;
}
}  // namespace

TEMPLATE_TEST_CASE("BatchNormalization shifts and scales each channel", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4}).reshaped({1, 2, 2}), scale = list<T>({2, -1}), b = list<T>({10, 20}),
                 mean = list<T>({1, 3}), var = list<T>({3, 0});
    const call c{.inputs = {x, scale, b, mean, var}, .with = numbers(1)};
    CHECK(same<T>(on_reference<op::batch_normalization>(c), list<T>({10, 11, 20, 19}).reshaped({1, 2, 2})));
    CHECK(same<T>(on_reference<op::batch_normalization>({.inputs = c.inputs, .with = c.with, .version = 9}),
                  list<T>({10, 11, 20, 19}).reshaped({1, 2, 2})));
}
TEST_CASE("BatchNormalization reads parameters of other types than X's") {
    const tensor x = list<float16>({1, 2}).reshaped({1, 1, 2});
    const call c{.inputs = {x, list<bfloat16>({2}), list<bfloat16>({1}), list<double>({1}), list<double>({4})},
                 .with = numbers(0)};
    CHECK(same<float16>(on_reference<op::batch_normalization>(c), list<float16>({1, 2}).reshaped({1, 1, 2})));
    agree<op::batch_normalization>({.inputs = {list<float>({1, 2}).reshaped({1, 1, 2}), list<float16>({2}),
                                               list<float16>({1}), list<double>({1}), list<double>({4})},
                                    .with = numbers(0)});
}
TEST_CASE("BatchNormalization takes one axis as one channel, and a number per element where it is not spatial") {
    CHECK(same<float>(
        on_reference<op::batch_normalization>(
            {.inputs = {list<float>({1, 2, 3}), list<float>({2}), list<float>({1}), list<float>({1}), list<float>({4})},
             .with = numbers(0)}),
        list<float>({1, 2, 3})));
    const tensor x = list<float>({1, 2, 3, 4}).reshaped({2, 1, 2}), ones = list<float>({1, 1}).reshaped({1, 2}),
                 mean = list<float>({1, 2}).reshaped({1, 2}), b = list<float>({0, 10}).reshaped({1, 2});
    const call c{.inputs = {x, ones, b, mean, ones}, .with = numbers(0, {{"spatial", 0}}), .version = 7};
    CHECK(same<float>(on_reference<op::batch_normalization>(c), list<float>({0, 10, 2, 12}).reshaped({2, 1, 2})));
    agree<op::batch_normalization>(c);
    CHECK(
        on_reference<op::batch_normalization>({.inputs = inputs({0, 3, 4}, 3, 1, true), .with = numbers(0)}).shape() ==
        shape{0, 3, 4});
}
TEST_CASE("BatchNormalization trains from version 14 on") {
    const tensor x = list<float>({1, 3, 5, 7}).reshaped({2, 1, 2}), ones = list<float>({1}), zero = list<float>({0}),
                 ten = list<float>({10});
    const outcome o = run<op::batch_normalization, device::reference>(
        {.inputs = {x, ones, zero, ten, ten},
         .with =
             [](graph_data& g) {
                 return std::vector{g.make("epsilon", 0.), g.make("momentum", 0.5),
                                    g.make("training_mode", std::int64_t(1))};
             },
         .outputs = {element::f32, element::f32, element::f32}});
    REQUIRE(o.answer);
    const double deviation = std::sqrt(5.);  // mean 4, variance 5
    CHECK(same<float>(
        o[0], list<float>({-3 / deviation, -1 / deviation, 1 / deviation, 3 / deviation}).reshaped({2, 1, 2}), 1e-6));
    CHECK(same<float>(o[1], list<float>({7})));
    CHECK(same<float>(o[2], list<float>({7.5})));
}
TEST_CASE("BatchNormalization refuses old training and parameters that do not fit") {
    const auto answer = [](int version, std::vector<element> outputs, std::vector<operand> in, const attributes& with) {
        return bool(run<op::batch_normalization, device::reference>(
                        {.inputs = std::move(in), .with = with, .version = version, .outputs = std::move(outputs)})
                        .answer);
    };
    const auto in = inputs({1, 3, 2}, 3, 1, false);
    CHECK_FALSE(answer(6, {element::f32}, in, numbers(0)));  // is_test is 0
    CHECK(answer(6, {element::f32}, in, numbers(0, {{"is_test", 1}})));
    CHECK(answer(9, {element::f32}, in, numbers(0)));
    CHECK_FALSE(answer(9, {element::f32, element::f32}, in, numbers(0)));
    CHECK_FALSE(answer(15, {element::f32}, inputs({1, 2, 2}, 3, 1, false), numbers(0)));
    CHECK_FALSE(answer(15, {element::f32}, inputs({2}, 2, 1, false), numbers(0)));
    CHECK_FALSE(answer(7, {element::f32}, in, numbers(0, {{"spatial", 0}})));
    CHECK_FALSE(answer(15, {element::f32}, {in[0], in[1], in[2], in[3]}, numbers(0)));
    CHECK_FALSE(bool(
        run<op::batch_normalization, device::cpu>({.inputs = in, .with = numbers(0, {{"training_mode", 1}})}).answer));
}
TEST_CASE("BatchNormalization on the CPU agrees with the reference kernel at every number of channels and elements") {
    for (bool constant : {true, false})
        for (std::int64_t n = 0; n <= 67; ++n) {
            CAPTURE(constant, n);
            agree<op::batch_normalization>(
                {.inputs = inputs({2, n, 3, 2}, n, unsigned(n), constant), .with = numbers(1e-5)}, 2e-6);
            agree<op::batch_normalization>(
                {.inputs = inputs({2, 5, n}, 5, unsigned(n), constant), .with = numbers(1e-5)}, 2e-6);
        }
    agree<op::batch_normalization>({.inputs = inputs({2, 96, 33, 35}, 96, 1, true), .with = numbers(1e-3)}, 2e-6);
    agree<op::batch_normalization>({.inputs = inputs({300, 40}, 40, 2, true), .with = numbers(1e-3)}, 2e-6);
}
