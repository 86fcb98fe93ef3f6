// What CUDA's kernels refuse that the reference kernels run, with their reasons.
#include "kernels/elementwise.hpp"
#include <inlay/cuda/onnx/pow.hpp>
#include <inlay/cuda/onnx/rms_normalization.hpp>
#include <inlay/cuda/onnx/sum.hpp>
#include <inlay/cuda/onnx/unique.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes integer(std::string name, std::int64_t x) {
    return [=](graph_data& g) { return std::vector{g.make(name, x)}; };
}
template <class Op> std::string_view reason(const call& c) { return run<Op, device::cuda>(c).answer.reason; }
}  // namespace

TEST_CASE("The tests of the kernels run on CUDA's too") {
    const auto devices = on_test_devices<op::mean>();
    CHECK(std::ranges::find(devices, device::cuda::name, &device_runner::device) != devices.end());
}
TEST_CASE("Mean on CUDA takes up to 32 inputs of 16 bits") {
    const auto mean = [](std::size_t inputs) {
        return run<op::mean, device::cuda>({std::vector<operand>(inputs, random_tensor<bfloat16>({7}, 10))});
    };
    CHECK(mean(32).code == status::ok);
    CHECK(mean(33).answer.reason == "cuda: more than 32 inputs, and results between them would be rounded");
}
TEST_CASE("RMSNormalization on CUDA refuses a scale of another type or shape") {
    CHECK_FALSE(run<op::rms_normalization, device::cuda>({.inputs = {list<float16>({1, 7}), list<float>({5, 10})},
                                                          .with = integer("axis", 0),
                                                          .outputs = {element::f32}})
                    .answer);
    const tensor x = list<float>({1, 7, -5, 5}).reshaped({2, 2}), rows = list<float>({10, 1}).reshaped({2, 1});
    CHECK(reason<op::rms_normalization>({.inputs = {x, rows}, .with = integer("axis", -1)}) ==
          "cuda: scale must have the shape of the normalised axes");
}
TEMPLATE_TEST_CASE("Unique on CUDA refuses the order of first occurrence, and slices", "", float, std::int64_t) {
    CHECK(reason<op::unique>({.inputs = {list<TestType>({1})}, .with = integer("sorted", 0)}) ==
          "cuda: the order of first occurrence");
    CHECK(reason<op::unique>({.inputs = {tensor(element_of<TestType>, {2, 2})}, .with = integer("axis", 0)}) ==
          "cuda: slices of more than one element");
}
TEST_CASE("Pow on CUDA refuses exponents of another type than 16 bits") {
    CHECK(reason<op::pow>({{random_tensor<float16>({3, 40}, 1, 0.1, 4), list<std::int32_t>({2})}}) ==
          "no kernel for these types");
}
