#include "../../catch.hpp"
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <inlay/onnx/center_crop_pad.hpp>
#include <on_test_devices/onnx/center_crop_pad.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using testing::same;

namespace {
using ints = std::vector<std::int64_t>;
outcome centred(const tensor& x, const tensor& lengths, const ints& axes = {}) {
    return run<op::center_crop_pad, device::reference>({{x, lengths}, [=](graph_data& g) {
                                                            std::vector<attribute> entries;
                                                            if (!axes.empty())
                                                                entries.push_back(g.make("axes", std::span(axes)));
                                                            return entries;
                                                        }});
}
tensor lengths(std::initializer_list<double> d) { return list<std::int64_t>(d); }
const tensor line = list<float>({1, 2, 3, 4, 5});
}  // namespace

TEST_CASE("CenterCropPad takes the middle, and puts zeros around what is shorter") {
    CHECK(same(centred(line, lengths({3}))[0], list<float>({2, 3, 4})));
    CHECK(same(centred(line, lengths({2}))[0], list<float>({2, 3})));
    CHECK(same(centred(line, lengths({7}))[0], list<float>({0, 1, 2, 3, 4, 5, 0})));
    CHECK(same(centred(line, lengths({8}))[0], list<float>({0, 1, 2, 3, 4, 5, 0, 0})));
    CHECK(same(centred(line, tensor({1}, {std::int32_t(4)}))[0], list<float>({1, 2, 3, 4})));
    CHECK(centred(line, lengths({0}))[0].shape() == shape{0});
}
TEST_CASE("CenterCropPad crops some axes and pads others, of what elements ever") {
    const tensor x({2, 3}, std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
    CHECK(same(centred(x, lengths({3, 1}))[0], tensor({3, 1}, std::vector<std::string>{"b", "e", ""})));
    CHECK(same(centred(x, lengths({1}), {-1})[0], tensor({2, 1}, std::vector<std::string>{"b", "e"})));
    const tensor bytes({2, 2}, std::vector<std::uint8_t>{1, 2, 3, 4});
    CHECK(same(centred(bytes, lengths({4, 1}), {1, 0})[0], tensor({1, 4}, std::vector<std::uint8_t>{0, 1, 2, 0})));
    CHECK(same(centred(tensor({0, 2}, std::vector<float>{}), lengths({1, 2}))[0], tensor({1, 2}, {0.f, 0.f})));
    CHECK(same(centred(tensor(shape{}, {3.f}), tensor({0}, ints{}))[0], tensor(shape{}, {3.f})));
}
TEST_CASE("CenterCropPad refuses axes that are not there or given twice, and lengths that do not fit them") {
    const tensor x({2, 2}, {1.f, 2.f, 3.f, 4.f});
    CHECK(!centred(x, lengths({1}), {2}).answer);
    CHECK(!centred(x, lengths({1, 1}), {1, -1}).answer);
    CHECK(!centred(x, lengths({1})).answer);
    CHECK(!centred(x, lengths({-1, 1})).answer);
    CHECK(!centred(x, lengths({0x1p40, 0x1p40})).answer);
}
