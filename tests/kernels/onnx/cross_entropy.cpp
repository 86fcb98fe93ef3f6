// Mirrors kernels/inlay/onnx/cross_entropy.hpp.
#include "../../stopped_run.hpp"
#include "../elementwise.hpp"
#include <inlay/onnx/cross_entropy.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes how(std::string reduction, std::optional<std::int64_t> ignored = {}) {
    return [=](graph_data& g) {
        std::vector list{g.make("reduction", reduction)};
        if (ignored) list.push_back(g.make("ignore_index", *ignored));
        return list;
    };
}
tensor labels(std::initializer_list<std::int64_t> values, const shape& dims) {
    return tensor({std::int64_t(values.size())}, values).reshaped(dims);
}
template <class Op>
tensor loss(std::vector<operand> in, std::string reduction, std::optional<std::int64_t> ignored = {}) {
    return on_reference<Op>({.inputs = std::move(in), .with = how(reduction, ignored), .threads = 3});
}
template <class Op>
outcome tried(std::vector<operand> in, std::string reduction = "mean", std::optional<std::int64_t> ignored = {}) {
    return run<Op, device::reference>({.inputs = std::move(in), .with = how(reduction, ignored)});
}
using nll = op::negative_log_likelihood_loss;
using sce = op::softmax_cross_entropy_loss;
}  // namespace

TEMPLATE_TEST_CASE("NegativeLogLikelihoodLoss of ONNX's examples, in every type", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, bfloat16> ? 1e-2 : 2e-3;
    const tensor x = list<T>({1, 2, 2, 2, 3, 2, 0, 1, 2, 2, 1, 2}).reshaped({2, 3, 2}),
                 at = labels({2, 1, 0, 2}, {2, 2}), w = list<T>({.2, .3, .1});
    CHECK(same<T>(loss<nll>({x, at}, "none"), list<T>({-3, -2, -0., -2}).reshaped({2, 2})));
    CHECK(same<T>(loss<nll>({x, at}, "sum"), list<T>({-7}).reshaped({})));
    CHECK(same<T>(loss<nll>({x, at}, "mean"), list<T>({-1.75}).reshaped({})));
    CHECK(same<T>(loss<nll>({x, at, w}, "sum"), list<T>({-1.1}).reshaped({}), tolerance));
    CHECK(same<T>(loss<nll>({x, at, w}, "mean"), list<T>({-1.1 / .7}).reshaped({}), tolerance));
    CHECK(same<T>(loss<nll>({x, at, w}, "mean", 2), list<T>({-.6 / .5}).reshaped({}), tolerance));
    CHECK(same<T>(loss<nll>({x, at}, "mean", 2), list<T>({-1}).reshaped({})));
    const tensor narrow = tensor({2}, {std::int32_t(-9), std::int32_t(1)});
    CHECK(same<T>(loss<nll>({list<T>({1, 2, 3, 4}).reshaped({2, 2}), narrow}, "none", -9), list<T>({0, -4})));
}
TEMPLATE_TEST_CASE("SoftmaxCrossEntropyLoss and its logarithms, in every type", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, bfloat16> ? 2e-2 : std::is_same_v<T, float16> ? 3e-3 : 1e-6;
    const tensor x = list<T>({1, 2, 0, 1, 3, -1, 0, 1, 100, 2, 1, 2}).reshaped({2, 3, 2}),
                 at = labels({2, 1, 0, 2}, {2, 2}), w = list<T>({.5, .25, 1});
    std::vector<double> logs(12), expected(4);
    for (int n = 0; n < 2; ++n)
        for (int d = 0; d < 2; ++d) {
            double most = -1e9, sum = 0;
            const auto score = [&](int c) { return double(x.as<T>()[std::size_t((n * 3 + c) * 2 + d)]); };
            for (int c = 0; c < 3; ++c) most = std::max(most, score(c));
            for (int c = 0; c < 3; ++c) sum += std::exp(score(c) - most);
            for (int c = 0; c < 3; ++c) logs[std::size_t((n * 3 + c) * 2 + d)] = score(c) - most - std::log(sum);
            expected[std::size_t(n * 2 + d)] =
                -logs[std::size_t((n * 3 + int(at.as<std::int64_t>()[std::size_t(n * 2 + d)])) * 2 + d)];
        }
    for (const int version : {12, 13}) {
        if (version == 12 && std::is_same_v<T, bfloat16>) continue;
        const outcome outputs = run<sce, device::reference>(
            {.inputs = {x, at}, .with = how("none"), .version = version, .outputs = {element_of<T>, element_of<T>}});
        REQUIRE(outputs.code == status::ok);
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(double(outputs[0].as<T>()[i]) == Approx(expected[i]).epsilon(tolerance).margin(1e-6));
        for (std::size_t i = 0; i < 12; ++i)
            CHECK(double(outputs[1].as<T>()[i]) == Approx(logs[i]).epsilon(tolerance).margin(1e-6));
    }
    const double weighted = expected[0] + expected[1] * .25 + expected[2] * .5 + expected[3];
    CHECK(same<T>(loss<sce>({x, at, w}, "sum"), list<T>({weighted}).reshaped({}), tolerance));
    CHECK(same<T>(loss<sce>({x, at, w}, "mean"), list<T>({weighted / 2.75}).reshaped({}), tolerance));
    CHECK(same<T>(loss<sce>({x, at}, "mean", 2), list<T>({(expected[1] + expected[2]) / 2}).reshaped({}), tolerance));
}
TEST_CASE("Losses of nothing, of what is ignored altogether, and of NaN") {
    const tensor empty(element::f32, {0, 3}), no_labels = tensor(element::i64, {0});
    CHECK(loss<nll>({empty, no_labels}, "none").shape() == shape{0});
    CHECK(same<float>(loss<nll>({empty, no_labels}, "sum"), list<float>({0}).reshaped({})));
    CHECK(same<float>(loss<sce>({empty, no_labels}, "mean"), list<float>({quiet_nan}).reshaped({})));
    const tensor x = list<float>({1, quiet_nan, 2, 3}).reshaped({2, 2}), at = labels({1, 0}, {2});
    CHECK(same<float>(loss<sce>({x, at}, "none", 1), list<float>({0, std::log(1 + std::exp(1.))}), 1e-6));
    CHECK(same<float>(loss<sce>({x, labels({0, 0}, {2})}, "sum"), list<float>({quiet_nan}).reshaped({})));
    CHECK(same<float>(loss<nll>({x, labels({7, 7}, {2})}, "mean", 7), list<float>({quiet_nan}).reshaped({})));
}
TEST_CASE("Losses of many places end when the run is stopped") {
    const std::vector<operand> in{random_tensor({300, 500}, 1), tensor(element::i64, {300})};
    CHECK(stopped_run<nll, device::reference>({.inputs = in, .with = how("mean")}).code == status::stopped);
    CHECK(stopped_run<sce, device::reference>({.inputs = in, .with = how("none")}).code == status::stopped);
}
TEST_CASE("Losses refuse labels that are no classes, and what does not belong together") {
    const tensor x(element::f32, {2, 3}), at = labels({0, 1}, {2});
    for (const std::int64_t bad : {std::int64_t(3), std::int64_t(-1), std::numeric_limits<std::int64_t>::min()})
        CHECK(tried<nll>({x, labels({0, bad}, {2})}).detail == "a label is no class");
    CHECK(tried<sce>({tensor(element::f32, {2, 0}), at}).detail == "a label is no class");
    CHECK(tried<nll>({x, at}, "most").answer.reason == "reduction is none of none, sum, mean");
    CHECK(tried<nll>({tensor(element::f32, {2}), at}).answer.reason == "the input is not [batches, classes, ..]");
    CHECK(tried<nll>({x, labels({0, 1, 1}, {3})}).answer.reason == "the labels are not one for each place");
    CHECK(tried<nll>({x, labels({0, 1}, {2, 1})}).answer.reason == "the labels are not one for each place");
    CHECK(tried<nll>({x, tensor({2}, {0.f, 1.f})}).answer.reason == "the labels are neither int32 nor int64");
    CHECK(tried<nll>({x, at, tensor(element::f32, {2})}).answer.reason == "the weights are not [classes]");
    CHECK(tried<nll>({x, at, tensor(element::f64, {3})}).answer.reason ==
          "the weights are of another type than the input");
    CHECK(tried<nll>({x, {}}).answer.reason == "an input is missing");
}
