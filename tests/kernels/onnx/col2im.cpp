// Mirrors kernels/inlay/onnx/col2im.hpp and kernels/inlay/cpu/onnx/col2im.hpp. Expected images are those of onnx's
// reference evaluator.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/col2im.hpp>
#include <on_test_devices/onnx/col2im.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
attributes with(numbers strides = {}, numbers pads = {}, numbers dilations = {}) {
    return [=](graph_data& g) {
        std::vector<attribute> entries;
        for (const auto& [name, values] : {std::pair{"strides", strides}, {"pads", pads}, {"dilations", dilations}})
            if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
        return entries;
    };
}
operand sizes(const numbers& values) { return operand::weight(tensor({std::int64_t(values.size())}, values)); }
template <class T = float> tensor ramp(const shape& dims) {  // 1, 2, 3, ...
    tensor t(element_of<T>, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i) t.as<T>()[std::size_t(i)] = static_cast<T>(float(i + 1));
    return t;
}
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) {
    return list<T>(values).reshaped(dims);
}
tensor image(const tensor& x, const numbers& size, const numbers& block, const attributes& a = with()) {
    return on_reference<op::col2im>({.inputs = {x, sizes(size), sizes(block)}, .with = a});
}
std::string_view refusal_of(const shape& x, const numbers& size, const numbers& block, const attributes& a = with()) {
    return run<op::col2im, device::reference>(
               {.inputs = {tensor(element::f32, x), sizes(size), sizes(block)}, .with = a})
        .answer.reason;
}
}  // namespace

TEMPLATE_TEST_CASE("Col2Im adds what blocks have in common", "", float, double, float16, bfloat16, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    CHECK(same<T>(image(ramp<T>({1, 8, 4}), {3, 3}, {2, 2}),
                  of<T>({1, 2, 3, 3}, {1, 7, 6, 12, 34, 22, 11, 27, 16, 17, 39, 22, 44, 98, 54, 27, 59, 32})));
}
TEST_CASE("Col2Im with strides, pads and dilations, over one to three axes") {
    CHECK(same<float>(
        image(ramp({1, 4, 9}), {4, 5}, {2, 2}, with({2, 2}, {1, 0, 1, 1}, {1, 1})),
        of<float>({1, 1, 4, 5}, {19, 28, 20, 29, 21, 4, 13, 5, 14, 6, 22, 31, 23, 32, 24, 7, 16, 8, 17, 9})));
    CHECK(same<float>(image(ramp({1, 4, 6}), {4, 5}, {2, 2}, with({}, {0, 0, 1, 0}, {2, 3})),
                      of<float>({1, 1, 4, 5}, {1, 2, 0, 7, 8, 3, 4, 0, 9, 10, 18, 20, 0, 30, 32, 15, 16, 0, 21, 22})));
    CHECK(
        same<float>(image(ramp({1, 8, 4}), {2, 3, 3}, {2, 2, 2}),
                    of<float>({1, 1, 2, 3, 3}, {1, 7, 6, 12, 34, 22, 11, 27, 16, 17, 39, 22, 44, 98, 54, 27, 59, 32})));
    CHECK(same<float>(image(ramp({1, 3, 3}), {5}, {3}), of<float>({1, 1, 5}, {1, 6, 15, 14, 9})));
    CHECK(image(ramp({2, 64, 1}), {2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2}).shape() == shape{2, 1, 2, 2, 2, 2, 2, 2});
}
TEST_CASE("Col2Im joins truth values, adds complex numbers and lets sums of integers wrap") {
    tensor truths(element::boolean, {1, 2, 2});
    std::ranges::fill(truths.as<bool>(), false);
    truths.as<bool>()[1] = truths.as<bool>()[2] = true;
    CHECK(elements<bool>(image(truths, {3}, {2})) == std::vector{false, true, false});
    tensor z(element::c128, {1, 2, 2});
    for (std::size_t i = 0; i < 4; ++i) z.as<std::complex<double>>()[i] = {double(i), 1};
    CHECK(elements<std::complex<double>>(image(z, {3}, {2}))[1] == std::complex<double>(3, 2));
    tensor large(element::i64, {1, 2, 2});
    std::ranges::fill(large.as<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
    CHECK(elements<std::int64_t>(image(large, {3}, {2}))[1] == -2);
}
TEST_CASE("Col2Im of nothing") {
    CHECK(image(tensor(element::f32, {0, 4, 4}), {3, 3}, {2, 2}).shape() == shape{0, 1, 3, 3});
    CHECK(image(tensor(element::f32, {2, 0, 4}), {3, 3}, {2, 2}).shape() == shape{2, 0, 3, 3});
    CHECK(image(tensor(element::f32, {1, 2, 1}), {0}, {2}, with({}, {1, 1})).shape() == shape{1, 1, 0});
}
TEST_CASE("Col2Im in several parts agrees with one") {
    call c{.inputs = {random_tensor({3, 5 * 6, 12 * 11}, 1), sizes({13, 13}), sizes({2, 3})}};
    const tensor whole = on_reference<op::col2im>(c);
    c.threads = 3;
    CHECK(same<float>(on_reference<op::col2im>(c), whole));
}
TEMPLATE_TEST_CASE("Col2Im on other devices agrees with the reference kernel", "", float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 5e-6 : std::is_same_v<T, float16> ? 2e-3 : 1e-2;
    const auto check = [&](const shape& x, const numbers& size, const numbers& block, const attributes& a = with()) {
        agree<op::col2im, T>({.inputs = {random_tensor<T>(x, 1), sizes(size), sizes(block)}, .with = a}, tolerance);
    };
    check({3, 5 * 6, 12 * 11}, {13, 13}, {2, 3});
    for (std::int64_t n = 1; n <= 67; n += 2) check({1, 2 * 3, n}, {n + 2}, {3});
    for (std::int64_t stride : {1, 2, 3})
        for (std::int64_t dilation : {1, 2, 5})
            for (std::int64_t pad : {0, 1, 4}) {
                CAPTURE(stride, dilation, pad);
                const std::int64_t rows = (11 + pad - dilation - 1) / stride + 1,
                                   columns = (12 + 2 * pad - 2 * dilation - 1) / stride + 1;
                check({2, 6, rows * columns}, {11, 12}, {2, 3},
                      with({stride, stride}, {pad, pad, 0, pad}, {dilation, dilation}));
            }
    for (std::int64_t stride = 4; stride <= 19; ++stride) {  // runs that are mixed by eights, fours, twos and ones
        CAPTURE(stride);
        check({2, 3 * 23, 5}, {4 * stride + 23 + stride / 2}, {23}, with({stride}));
        check({2, 3 * 23, 5}, {4 * stride + 9}, {23}, with({stride}, {5, 9}));
    }
    check({1, 2 * 5, 1}, {7}, {5}, with({9}, {1, 0}));  // a stride beyond the image
    check({1, 2 * 3, 1}, {5}, {3}, with({1 << 30}, {1, 1}, {3}));
    check({2, 4 * 9, 16 * 8}, {32, 24}, {3, 3}, with({2, 3}, {1, 1, 0, 0}));
    for (std::int64_t stride : {2, 3, 4, 5, 16})  // blocks side by side, which are only moved
        check({2, 3 * 2 * stride, 4 * 7}, {8, 7 * stride}, {2, stride}, with({2, stride}));
    check({2, 2 * 12, 3 * 4 * 4}, {7, 11, 9}, {2, 3, 2}, with({3, 2, 2}, {1, 0, 0, 0, 1, 0}, {1, 2, 1}));
    check({1, 8, 4}, {2, 3, 3}, {2, 2, 2});
    check({1, 2, 1}, {0}, {2}, with({}, {1, 1}));
    check({0, 4, 4}, {3, 3}, {2, 2});
}
TEST_CASE("Col2Im refuses what does not fit") {
    constexpr std::int64_t much = std::numeric_limits<std::int64_t>::max();
    CHECK(refusal_of({1, 8, 4}, {3, 3}, {2}) == "image_shape and block_shape differ in length");
    CHECK(refusal_of({1, 8, 4}, {}, {}) == "image_shape must have 1 to 6 numbers");
    CHECK(refusal_of({1, 7, 4}, {3, 3}, {2, 2}) == "the input's second dimension is no multiple of a block's elements");
    CHECK(refusal_of({1, 8, 5}, {3, 3}, {2, 2}) == "the input's third dimension is not the number of blocks");
    CHECK(refusal_of({1, 8}, {3, 3}, {2, 2}) == "the input must have three dimensions");
    CHECK(refusal_of({1, 8, 4}, {3, 3}, {4, 2}) == "a block is larger than the padded image");
    CHECK(refusal_of({1, 8, 4}, {3, 3}, {2, 2}, with({1})) == "strides, dilations or pads do not fit the spatial axes");
    for (const attributes& a : {with({0, 1}), with({}, {-1, 0, 0, 0}), with({}, {}, {1, -2})})
        CHECK(refusal_of({1, 8, 4}, {3, 3}, {2, 2}, a) ==
              "a size, stride or dilation is not positive, or a pad negative");
    CHECK(refusal_of({1, 8, 4}, {much, 3}, {2, 2}) == "a size, stride, dilation or pad is too large");
    CHECK(refusal_of({1, 8, 4}, {3, 3}, {2, 2}, with({}, {much, 0, 0, 0})) ==
          "a size, stride, dilation or pad is too large");
    CHECK(refusal_of({1, 8, 4}, {1 << 30, 1 << 30, 1 << 30}, {1, 1, 1}) == "the image is too large");
}
