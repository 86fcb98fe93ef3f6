// Mirrors kernels/inlay/onnx/max_unpool.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/max_unpool.hpp>
#include <on_test_devices/onnx/pool.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
attributes with(numbers kernel, numbers strides = {}, numbers pads = {}) {
    return [=](graph_data& g) {
        std::vector<attribute> entries;
        for (const auto& [name, values] : {std::pair{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}})
            if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
        return entries;
    };
}
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) {
    return list<T>(values).reshaped(dims);
}
tensor indices(const shape& dims, std::initializer_list<double> values) { return of<std::int64_t>(dims, values); }
operand sizes(const numbers& values) { return operand::weight(tensor({std::int64_t(values.size())}, values)); }
outcome unpooled(const std::vector<operand>& inputs, const attributes& a, int version = 22) {
    return run<op::max_unpool, device::reference>({.inputs = inputs, .with = a, .version = version});
}
}  // namespace

TEMPLATE_TEST_CASE("MaxUnpool puts values where MaxPool found them", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = of<T>({1, 1, 2, 2}, {1, 2, 3, 4}), at = indices({1, 1, 2, 2}, {5, 7, 13, 15});
    for (int version : {9, 11, 22}) {
        CHECK(same<T>(unpooled({x, at}, with({2, 2}, {2, 2}), version)[0],
                      of<T>({1, 1, 4, 4}, {0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4})));
        CHECK(
            same<T>(unpooled({x, at, sizes({1, 1, 5, 5})}, with({2, 2}, {2, 2}), version)[0],
                    of<T>({1, 1, 5, 5}, {0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0})));
        CHECK(same<T>(unpooled({of<T>({1, 1, 3}, {1, 2, quiet_nan}), indices({1, 1, 3}, {0, 2, 3})},
                               with({2}, {2}, {1, 1}), version)[0],
                      of<T>({1, 1, 4}, {1, 0, 2, quiet_nan})));
    }
}
TEST_CASE("MaxUnpool of several channels and batches, over three axes, and of nothing") {
    const tensor y = unpooled({of<float>({2, 1, 1, 1, 2}, {1, 2, 3, 4}), indices({2, 1, 1, 1, 2}, {7, 8, 12, 23})},
                              with({2, 2, 2}))[0];
    REQUIRE(y.shape() == shape{2, 1, 2, 2, 3});
    for (std::size_t i = 0; i < 24; ++i)
        CHECK(y.as<float>()[i] == (i == 7 ? 1 : i == 8 ? 2 : i == 12 ? 3 : i == 23 ? 4 : 0));
    const tensor empty = unpooled({tensor(element::f32, {0, 2, 3}), tensor(element::i64, {0, 2, 3})}, with({2}))[0];
    CHECK(empty.shape() == shape{0, 2, 4});
    CHECK(same<float>(unpooled({tensor(element::f32, {1, 1, 0}), tensor(element::i64, {1, 1, 0})}, with({3}))[0],
                      of<float>({1, 1, 2}, {0, 0})));
}
TEST_CASE("MaxPool of what MaxUnpool made gives the same maxima") {
    const tensor x = random_tensor({2, 3, 8, 6}, 1, 1, 9);
    const outcome pooled = run<op::max_pool, device::reference>(
        {.inputs = {x}, .with = with({2, 2}, {2, 2}), .outputs = {element::f32, element::i64}});
    const tensor y = unpooled({pooled[0], pooled[1]}, with({2, 2}, {2, 2}))[0];
    REQUIRE(y.shape() == x.shape());
    CHECK(same<float>(on_reference<op::max_pool>({.inputs = {y}, .with = with({2, 2}, {2, 2})}), pooled[0]));
}
TEST_CASE("MaxUnpool refuses indices out of range and shapes that do not fit") {
    const tensor x(element::f32, {1, 1, 2}), at(element::i64, {1, 1, 2});
    const auto reason = [](const std::vector<operand>& in, const attributes& a) {
        return unpooled(in, a).answer.reason;
    };
    for (std::initializer_list<double> wrong : {std::initializer_list<double>{0, 3}, {-1, 0}, {9e18, 0}}) {
        const outcome y = unpooled({x, indices({1, 1, 2}, wrong)}, with({2}));
        CHECK(y.code == status::invalid_value);
        CHECK(y.detail == "an index is out of range");
    }
    CHECK(reason({x, tensor(element::i64, {1, 2, 1})}, with({2})) == "X and I differ in shape");
    CHECK(reason({x, at}, with({})) == "kernel_shape needs one number per spatial axis");
    CHECK(reason({x, at}, with({2}, {1, 1})) == "strides needs one number per spatial axis");
    CHECK(reason({x, at}, with({2}, {1}, {1})) == "pads needs two numbers per spatial axis");
    CHECK(reason({x, at}, with({0})) == "kernel_shape and strides must be positive, pads not negative");
    CHECK(reason({x, at}, with({2}, {}, {4, 4})) == "the pads are larger than the output");
    CHECK(reason({x, at}, with({std::numeric_limits<std::int64_t>::max()})) == "a window attribute is too large");
    CHECK(reason({x, at, sizes({1, 1})}, with({2})) == "output_shape needs one number per axis of X");
    CHECK(reason({x, at, sizes({1, 1, 2})}, with({2})) == "output_shape is smaller than what indices count through");
    CHECK(reason({x, at, sizes({1, 2, 3})}, with({2})) == "output_shape has another batch or other channels than X");
    CHECK(reason({x, at, sizes({1, 1, std::int64_t(1) << 60})}, with({2})) == "the output is too large");
    CHECK(reason({tensor(element::f32, {1, 1}), tensor(element::i64, {1, 1})}, with({})) == "X has no spatial axis");
}
