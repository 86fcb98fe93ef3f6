// Mirrors kernels/inlay/onnx/deform_conv.hpp and kernels/inlay/cpu/onnx/deform_conv.hpp. Expected values are those of
// onnx's reference evaluator.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/deform_conv.hpp>
#include <on_test_devices/onnx/conv.hpp>
#include <on_test_devices/onnx/deform_conv.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
struct options {
    std::int64_t group = 1, offset_group = 1;
    numbers strides{}, pads{}, dilations{}, kernel{};
    operator attributes() const {
        return [o = *this](graph_data& g) {
            std::vector<attribute> entries{g.make("group", o.group), g.make("offset_group", o.offset_group)};
            for (const auto& [name, values] : {std::pair{"strides", o.strides},
                                               {"pads", o.pads},
                                               {"dilations", o.dilations},
                                               {"kernel_shape", o.kernel}})
                if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
            return entries;
        };
    }
};
template <class T = float> tensor of(const shape& dims, const std::vector<double>& values) {
    tensor t(element_of<T>, dims);
    for (std::size_t i = 0; i < values.size(); ++i) t.as<T>()[i] = static_cast<T>(values[i]);
    return t;
}
template <class T = float> tensor pattern(int seed, const shape& dims) {  // quarters between -2 and 2
    tensor t(element_of<T>, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i)
        t.as<T>()[std::size_t(i)] = static_cast<T>(float((i * 37 + seed * 11) % 17 - 8) / 4);
    return t;
}
outcome convolved(const std::vector<operand>& inputs, const options& o = {}, int version = 22, int threads = 1) {
    call c{.inputs = inputs, .with = o, .version = version};
    c.threads = threads;
    return run<op::deform_conv, device::reference>(c);
}
tensor convolution_of(const std::vector<operand>& inputs, const options& o = {}, int version = 22) {
    const outcome y = convolved(inputs, o, version);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    return y[0];
}
std::string_view refusal_of(const std::vector<operand>& inputs, const options& o = {}) {
    return convolved(inputs, o).answer.reason;
}
}  // namespace

TEMPLATE_TEST_CASE("DeformConv moves each element of its kernel, with and without bias and mask", "", float, double,
                   float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float16> ? 1e-3 : std::is_same_v<T, bfloat16> ? 8e-3 : 1e-6;
    const tensor x = pattern<T>(1, {1, 2, 4, 5}), w = pattern<T>(2, {3, 2, 2, 2}), offset = pattern<T>(3, {1, 8, 3, 4}),
                 b = pattern<T>(4, {3}), mask = pattern<T>(5, {1, 4, 3, 4});
    for (int version : {19, 22}) {
        CHECK(same<T>(convolution_of({x, w, offset}, {}, version),
                      of<T>({1, 3, 3, 4}, {2.9765625,  -1.28125,    -2.3984375, -2.01953125, 2.578125,  2.89453125,
                                           -0.84375,   -1.91796875, 0.98828125, 2.92578125,  2.71875,   1.5,
                                           -4.953125,  -2.1875,     0.87109375, -1.234375,   -2.140625, -2.5234375,
                                           -4.59375,   -0.07421875, -0.09375,   -4.6875,     -4.25,     -5.5,
                                           2.98828125, -0.4375,     -2.3671875, 4.59765625,  -1.8125,   -0.171875,
                                           -0.375,     0.90625,     1.8125,     -0.1484375,  2.328125,  -0.8125}),
                      tolerance));
        CHECK(same<T>(convolution_of({x, w, offset, b, mask}, {}, version),
                      of<T>({1, 3, 3, 4}, {1.41796875, -1.6328125,  -2.37890625, -2.75195312, 3.421875,   0.984375,
                                           -0.0546875, -1.03515625, 1.8984375,   0.296875,    -2.1171875, -0.40625,
                                           0.1640625,  1.828125,    3.19335938,  1.046875,    5.90625,    -0.701171875,
                                           1.9921875,  2.52734375,  5.4140625,   6.3515625,   5.15625,    3.625,
                                           2.59570312, 0.640625,    -0.86328125, 3.25195312,  -4.890625,  5.74804688,
                                           1.515625,   1.30859375,  2.953125,    -4.859375,   -0.1875,    3.140625}),
                      tolerance));
    }
}
TEST_CASE("DeformConv in groups of channels and of offsets, with strides, pads and dilations") {
    const options o{.group = 2, .offset_group = 2, .strides = {2, 2}, .pads = {1, 1, 1, 0}, .dilations = {2, 1}};
    const tensor x = pattern(1, {2, 4, 5, 4}), w = pattern(2, {2, 2, 2, 3}), offset = pattern(3, {2, 24, 3, 2}),
                 b = pattern(4, {2}), mask = pattern(5, {2, 12, 3, 2});
    CHECK(same<float>(convolution_of({x, w, offset, b, mask}, o),
                      of({2, 2, 3, 2}, {0.55859375,  -1.24804688, -2.6328125, -1.12109375, 1.015625,   2.2734375,
                                        2.31640625,  11.3164062,  1.609375,   0.75,        1.12109375, 0.5,
                                        -1.50976562, -1.44921875, 0.21484375, 0.265625,    1.21289062, 3.56445312,
                                        1.3203125,   2.75,        6,          0.45703125,  3.02539062, 0.46875}),
                      1e-6));
    CHECK(same<float>(convolution_of({x, w, offset, {}, mask}, o),
                      of({2, 2, 3, 2}, {0.05859375,  -1.74804688, -3.1328125,  -1.62109375, 0.515625,    1.7734375,
                                        1.06640625,  10.0664062,  0.359375,    -0.5,        -0.12890625, -0.75,
                                        -2.00976562, -1.94921875, -0.28515625, -0.234375,   0.712890625, 3.06445312,
                                        0.0703125,   1.5,         4.75,        -0.79296875, 1.77539062,  -0.78125}),
                      1e-6));
}
TEST_CASE("DeformConv without offsets is Conv, over one to three axes, on every number of threads") {
    struct trial {
        shape x, w, y;
        options o;
    };
    for (const auto& [x, w, y, o] :
         {trial{{2, 4, 9}, {6, 2, 3}, {2, 6, 5}, {.group = 2, .strides = {2}, .pads = {1, 1}}},
          trial{{1, 3, 7, 8}, {5, 3, 3, 2}, {1, 5, 7, 7}, {.pads = {1, 0, 1, 0}}},
          trial{{2, 2, 4, 5, 4}, {3, 2, 2, 2, 2}, {2, 3, 3, 3, 2}, {.dilations = {1, 2, 2}, .kernel = {2, 2, 2}}}}) {
        CAPTURE(x.rank);
        shape at = y;
        at[1] = w.elements(2) * (x.rank - 2);
        const std::vector<operand> in{random_tensor(x, 1), random_tensor(w, 2), tensor(element::f32, at)};
        const tensor plain = on_reference<op::conv>({.inputs = {in[0], in[1]}, .with = o});
        for (int threads : {1, 3}) CHECK(same<float>(convolved(in, o, 22, threads)[0], plain, 1e-5));
    }
}
TEST_CASE("DeformConv reads nothing at places that are no numbers, infinite or far away") {
    const tensor x = of({1, 1, 1, 2}, {3, 5}), w = of({1, 1, 1, 1}, {2});
    for (double wrong : {double(quiet_nan), double(infinity), -double(infinity), 1e30, -1e30})
        CHECK(same<float>(convolution_of({x, w, of({1, 2, 1, 2}, {0, 0, wrong, wrong})}), of({1, 1, 1, 2}, {0, 0})));
    CHECK(same<float>(convolution_of({x, w, of({1, 2, 1, 2}, {0, 0, -.5, .5})}), of({1, 1, 1, 2}, {3, 5})));
    CHECK(same<float>(convolution_of({x, w, of({1, 2, 1, 2}, {0, .25, 1, -1})}), of({1, 1, 1, 2}, {10, 4.5})));
}
TEST_CASE("DeformConv of nothing") {
    const auto zeros = [](const shape& s) { return tensor(element::f32, s); };
    CHECK(convolution_of({zeros({0, 1, 3, 3}), zeros({2, 1, 2, 2}), zeros({0, 8, 2, 2})}).shape() == shape{0, 2, 2, 2});
    CHECK(same<float>(convolution_of({zeros({1, 0, 2, 2}), zeros({1, 0, 2, 2}), zeros({1, 8, 1, 1}), of({1}, {4})}),
                      of({1, 1, 1, 1}, {4})));
    CHECK(convolution_of({zeros({1, 1, 2, 2}), zeros({0, 1, 2, 2}), zeros({1, 8, 1, 1})}).shape() == shape{1, 0, 1, 1});
}
TEST_CASE("DeformConv refuses what does not fit") {
    const tensor x(element::f32, {1, 4, 3, 3}), w(element::f32, {2, 4, 2, 2}), offset(element::f32, {1, 8, 2, 2});
    const auto zeros = [](const shape& s) { return tensor(element::f32, s); };
    constexpr std::string_view offsets =
        "the offsets are not of the output's places, the kernel's elements and the axes";
    CHECK(refusal_of({x, w, zeros({1, 4, 2, 2})}) == offsets);
    CHECK(refusal_of({x, w, zeros({1, 8, 3, 2})}) == offsets);
    CHECK(refusal_of({x, w, zeros({2, 8, 2, 2})}) == offsets);
    CHECK(refusal_of({x, w, zeros({1, 8, 2})}) == offsets);
    CHECK(refusal_of({x, w, offset, {}, zeros({1, 8, 2, 2})}) ==
          "the mask is not of the output's places and the kernel's elements");
    CHECK(refusal_of({x, w, offset}, {.offset_group = 3}) == "the offset groups do not divide the channels");
    CHECK(refusal_of({x, w, offset}, {.offset_group = 0}) == "offset_group must be positive");
    CHECK(refusal_of({x, w, offset}, {.group = 3}) == "the groups do not divide the output channels");
    CHECK(refusal_of({x, w, offset, zeros({3})}) == "B must have one element per output channel");
    CHECK(refusal_of({x, w, offset}, {.kernel = {3, 3}}) == "kernel_shape is not W's");
    CHECK(refusal_of({x, w, tensor(element::f64, {1, 8, 2, 2})}) == "the inputs differ in type");
    CHECK(refusal_of({zeros({1, 4}), zeros({2, 4}), zeros({1, 8})}) == "X has no spatial axis");
}
TEMPLATE_TEST_CASE("DeformConv on other devices agrees with the reference kernel in every group, and at every tail", "",
                   float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 2e-5 : std::is_same_v<T, float16> ? 6e-3 : 6e-2;
    const auto random = [](const shape& s, unsigned seed, double most = 1) {
        return random_tensor<T>(s, seed, -most, most);
    };
    for (int n = 1; n <= 67; n += 3)
        agree<op::deform_conv, T>({.inputs = {random({1, 2, 2, n + 1}, 1), random({3, 2, 2, 2}, 2),
                                              random({1, 8, 1, n}, 3, 4), random({3}, 4), random({1, 4, 1, n}, 5)},
                                   .with = options{}},
                                  tolerance);
    for (std::int64_t group : {1, 2, 4})
        for (std::int64_t offsets : {1, 2, 4})
            agree<op::deform_conv, T>({.inputs = {random({2, 8, 9, 11}, 1),
                                                  random({12, 8 / group, 3, 2}, 2),
                                                  random({2, offsets * 12, 5, 12}, 3, 4),
                                                  {},
                                                  random({2, offsets * 6, 5, 12}, 5)},
                                       .with = options{.group = group,
                                                       .offset_group = offsets,
                                                       .strides = {2, 1},
                                                       .pads = {1, 1, 1, 2},
                                                       .dilations = {1, 2}}},
                                      tolerance);
    const tensor offset = random({1, 18, 12, 13}, 3, 9);
    agree<op::deform_conv, T>({.inputs = {random({1, 5, 12, 13}, 1), random({70, 5, 3, 3}, 2), offset},
                               .with = options{.pads = {1, 1, 1, 1}}},
                              tolerance);
    for (std::int64_t group : {1, 2})  // seven rows with a bias each: four together, and three by themselves
        agree<op::deform_conv, T>({.inputs = {random({1, 4, 12, 13}, 1), random({7 * group, 4 / group, 3, 3}, 2),
                                              offset, random({7 * group}, 4, 2)},
                                   .with = options{.group = group, .pads = {1, 1, 1, 1}}},
                                  tolerance);
}
TEST_CASE("The fast DeformConv reads nothing at places that are no numbers or far away, and has two axes") {
    const tensor x = of({1, 1, 1, 2}, {3, infinity}), w = of({1, 1, 1, 1}, {2});
    for (double odd : {double(quiet_nan), double(infinity), -double(infinity), 1e30, -1.})
        agree<op::deform_conv>({{x, w, of({1, 2, 1, 2}, {0, 0, odd, odd})}});
    agree<op::deform_conv>({{tensor(element::f32, {1, 0, 2, 2}), tensor(element::f32, {1, 0, 2, 2}),
                             tensor(element::f32, {1, 8, 1, 1}), of({1}, {4})}});
    CHECK(run<op::deform_conv, device::cpu>(
              {{tensor(element::f32, {1, 1, 2}), tensor(element::f32, {1, 1, 2}), tensor(element::f32, {1, 2, 1})}})
              .answer.reason == "the fast kernel has two spatial axes");
}
