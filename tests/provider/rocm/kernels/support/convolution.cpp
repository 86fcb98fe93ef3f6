// Mirrors src/provider/rocm/convolution.cu: its threads, which the host runs, against the reference kernels.
#include "kernels/dense.hpp"
#include <inlay/cuda/onnx/conv.hpp>
#include <inlay/cuda/onnx/conv_transpose.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
using numbers = std::vector<std::int64_t>;
struct window {
    numbers strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
    std::int64_t group = 1;
    std::string activation{};
    attributes list() const {
        return [*this](graph_data& g) {
            list_of_attributes list{g.make("group", group)};
            for (const auto& [name, values] : {std::pair{"strides", strides}, {"pads", pads}, {"dilations", dilations}})
                list.push_back(g.make(name, std::span<const std::int64_t>(values)));
            if (!activation.empty()) list.push_back(g.make("activation", std::string_view(activation)));
            return list;
        };
    }
};
template <class Op> bool same_as_plain(std::vector<operand> inputs, const window& with) {
    inputs[1].constant = true;
    call c{.inputs = std::move(inputs), .with = with.list()};
    const outcome plain = run<Op, device::reference>(c);
    c.in = layout::channels_last;
    const outcome actual = run<Op, device::cuda>(c);
    UNSCOPED_INFO(plain.answer.reason << plain.detail << actual.answer.reason << actual.detail);
    return plain.answer && plain.code == status::ok && actual.answer && actual.code == status::ok &&
           same<float>(actual[0], plain[0]);
}
const window windows[]{
    {},
    {.strides = {2, 1}, .pads = {1, 0, 2, 1}},
    {.strides = {1, 3}, .pads = {2, 2, 1, 1}, .dilations = {2, 1}},
};
}  // namespace

TEST_CASE("A convolution with strides, pads, dilations and groups is the reference kernel's") {
    for (const window& base : windows)
        for (const std::int64_t group : {1, 2, 6})
            for (const std::int64_t kernel : {1, 3}) {
                CAPTURE(group, kernel, base.strides, base.pads, base.dilations);
                window with = base;
                with.group = group;
                CHECK(same_as_plain<op::conv>(
                    {whole({2, 6, 9, 11}, 1), whole({12, 6 / group, kernel, kernel}, 2), whole({12}, 3)}, with));
                CHECK(
                    same_as_plain<op::conv>({whole({2, 6, 9, 11}, 1), whole({6, 6 / group, kernel, kernel}, 4)}, with));
            }
}
TEST_CASE("A convolution over one axis is the reference kernel's") {
    const window with{.strides = {2}, .pads = {1, 2}, .dilations = {2}};
    CHECK(same_as_plain<op::conv>({whole({2, 4, 19}, 5), whole({6, 4, 3}, 6), whole({6}, 7)}, with));
}
TEST_CASE("A convolution ends with addend and activation, as a product of pixels too") {
    for (const std::int64_t kernel : {1, 3}) {
        CAPTURE(kernel);
        window with{.activation = "Relu"};
        with.pads = numbers(4, kernel / 2);
        const tensor x = whole({2, 5, 6, 7}, 8), w = whole({70, 5, kernel, kernel}, 9), bias = whole({70}, 10),
                     addend = whole({2, 70, 6, 7}, 11);
        tensor expected = on_reference<op::conv>({{x, w, bias}, with.list()});
        for (std::size_t i = 0; i < expected.as<float>().size(); ++i)
            expected.as<float>()[i] = std::max(expected.as<float>()[i] + addend.as<float>()[i], 0.f);
        call c{.inputs = {x, operand::weight(w), bias, addend}, .with = with.list()};
        c.in = layout::channels_last;
        const outcome actual = run<op::fused_conv, device::cuda>(c);
        CAPTURE(actual.answer.reason, actual.detail);
        REQUIRE(actual.answer);
        REQUIRE(actual.code == status::ok);
        CHECK(same<float>(actual[0], expected));
    }
}
TEST_CASE("A convolution that runs backwards is the reference kernel's") {
    for (const window& base : windows)
        for (const std::int64_t group : {1, 3}) {
            CAPTURE(group, base.strides, base.pads, base.dilations);
            window with = base;
            with.group = group;
            CHECK(same_as_plain<op::conv_transpose>(
                {whole({2, 6, 5, 7}, 12), whole({6, 4, 3, 4}, 13), whole({4 * group}, 14)}, with));
        }
}
