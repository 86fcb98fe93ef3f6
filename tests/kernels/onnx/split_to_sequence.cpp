#include "../../catch.hpp"
#include "../moving.hpp"
#include "../value_trial.hpp"
#include <on_test_devices/onnx/split_to_sequence.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
value_outcome parted(const tensor& x, std::vector<typed_value> split, const attributes& with) {
    split.insert(split.begin(), x);
    return run_values<op::split_to_sequence>(split, {sequence_of(x.type())}, with);
}
value_outcome parted(const tensor& x, std::vector<typed_value> split, std::int64_t axis = 0) {
    return parted(x, std::move(split), integer("axis", axis));
}
attributes joining(std::int64_t axis, std::int64_t new_axis) {
    return [=](graph_data& g) { return std::vector{g.make("axis", axis), g.make("new_axis", new_axis)}; };
}
value_outcome joined(const std::vector<tensor>& parts, std::int64_t axis, std::int64_t new_axis = 0) {
    const element type = parts.empty() ? element::f32 : parts[0].type();
    return run_values<op::concat_from_sequence>({sequence_of(type, parts)}, {{type}}, joining(axis, new_axis));
}
std::vector<shape> shapes_in(const value_outcome& y) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.outputs.at(0).as_sequence());
    std::vector<shape> shapes;
    for (const any_value& v : *y.outputs[0].as_sequence()) shapes.push_back(v.as_tensor()->shape());
    return shapes;
}
const tensor& part(const value_outcome& y, std::size_t k) { return *(*y.outputs[0].as_sequence())[k].as_tensor(); }
tensor scalar(std::int64_t x) { return tensor(shape{}, {x}); }
}  // namespace

TEST_CASE("SplitToSequence makes slices of one, without the axis where it is not kept") {
    const tensor x = numbers({2, 3});
    CHECK(shapes_in(parted(x, {})) == std::vector<shape>{{1, 3}, {1, 3}});
    const value_outcome columns = parted(x, {}, [](graph_data& g) {
        return std::vector{g.make("axis", std::int64_t(-1)), g.make("keepdims", std::int64_t(0))};
    });
    CHECK(shapes_in(columns) == std::vector<shape>{{2}, {2}, {2}});
    CHECK(same(part(columns, 1), tensor(shape{2}, {1.f, 4.f})));
    CHECK(shapes_in(parted(numbers({0, 2}), {})).empty());
}
TEST_CASE("SplitToSequence makes parts of one length, the last shorter, or of those in a list") {
    const tensor x = numbers({5, 2});
    const value_outcome twos = parted(x, {scalar(2)});
    CHECK(shapes_in(twos) == std::vector<shape>{{2, 2}, {2, 2}, {1, 2}});
    CHECK(same(part(twos, 2), tensor({1, 2}, {8.f, 9.f})));
    CHECK(shapes_in(parted(x, {scalar(std::numeric_limits<std::int64_t>::max())})) == std::vector<shape>{{5, 2}});
    const value_outcome parts = parted(numbers({2, 4}), {tensor({3}, {std::int32_t(1), std::int32_t(3), 0})}, 1);
    CHECK(shapes_in(parts) == std::vector<shape>{{2, 1}, {2, 3}, {2, 0}});
    CHECK(same(part(parts, 1), tensor({2, 3}, {1.f, 2.f, 3.f, 5.f, 6.f, 7.f})));
    // keepdims has no meaning where there is `split`.
    CHECK(shapes_in(parted(numbers({2}), {scalar(1)}, integer("keepdims", 0))) == std::vector<shape>{{1}, {1}});
}
TEST_CASE("SplitToSequence refuses lengths that do not fit the axis") {
    const tensor x = numbers({5, 2});
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(parted(x, {scalar(0)}).detail == "a part's length is not positive");
    CHECK(parted(x, {scalar(-1)}).detail == "a part's length is not positive");
    CHECK(parted(x, {list({6, -1})}).detail == "a part's length is not positive");
    CHECK(parted(x, {list({2, 2})}).detail == "the parts have another length than the axis");
    CHECK(parted(x, {list({})}).detail == "the parts have another length than the axis");
    CHECK(parted(x, {list({huge, huge, 7})}).detail == "the parts are longer than the axis");
    CHECK(parted(x, {}, 2).answer.reason == "axis is out of range");
    CHECK(parted(tensor(shape{}, {1.f}), {}).answer.reason == "axis is out of range");
    CHECK(parted(x, {numbers({2})}).answer.reason == "`split` is no integer");
    CHECK(parted(x, {tensor({1, 1}, {std::int64_t(5)})}).answer.reason == "`split` is neither a number nor a list");
}
TEST_CASE("ConcatFromSequence joins tensors along an axis, or stacks them along a new one") {
    const tensor a = numbers({2, 1}), b = numbers({2, 2});
    CHECK(same(joined({a, b}, 1)[0], tensor({2, 3}, {0.f, 0.f, 1.f, 1.f, 2.f, 3.f})));
    CHECK(same(joined({a, b}, -1)[0], tensor({2, 3}, {0.f, 0.f, 1.f, 1.f, 2.f, 3.f})));
    CHECK(same(joined({b, b}, 0, 1)[0], tensor({2, 2, 2}, {0.f, 1.f, 2.f, 3.f, 0.f, 1.f, 2.f, 3.f})));
    CHECK(same(joined({b, b}, -1, 1)[0], tensor({2, 2, 2}, {0.f, 0.f, 1.f, 1.f, 2.f, 2.f, 3.f, 3.f})));
    CHECK(joined({a, numbers({2, 0})}, 1)[0].shape() == shape{2, 1});
    CHECK(joined({tensor(shape{}, {1.f}), tensor(shape{}, {2.f})}, 0, 1)[0].shape() == shape{2});
    CHECK(joined({numbers({0, 3}), numbers({0, 2})}, 1)[0].shape() == shape{0, 5});
}
TEST_CASE("SplitToSequence and ConcatFromSequence take every type of whole bytes, and undo each other") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {2, 5, 3});
        const value_outcome parts = parted(x, {scalar(2)}, 1);
        if (bits_of(e) < 8) {
            CHECK(parts.answer.reason == "elements of less than a byte are not split");
            CHECK(joined({x}, 0).answer.reason == "elements of less than a byte are not joined");
            continue;
        }
        CHECK(same(joined({part(parts, 0), part(parts, 1), part(parts, 2)}, 1)[0], x));
    }
}
TEST_CASE("ConcatFromSequence refuses tensors that do not fit together") {
    const tensor x = numbers({2, 3});
    CHECK(joined({}, 0).detail == "the sequence is empty");
    CHECK(joined({x, numbers({3, 2})}, 0).detail == "the tensors have different shapes");
    CHECK(joined({x, numbers({2})}, 0).detail == "the tensors have different shapes");
    CHECK(joined({x, numbers({1, 3})}, 0, 1).detail == "the tensors have different shapes");
    CHECK(joined({x}, 2).detail == "axis is out of range");
    CHECK(joined({x}, 3, 1).detail == "axis is out of range");
    CHECK(joined({x}, -4, 1).detail == "axis is out of range");
    CHECK(joined({x}, std::numeric_limits<std::int64_t>::min()).detail == "axis is out of range");
    CHECK(joined({numbers({1, 1, 1, 1, 1, 1, 1, 1})}, 0, 1).detail == "the result has more than 8 dimensions");
    const typed_value mixed(any_value(sequence{any_value(x), any_value(tensor({2, 3}, std::vector<double>(6)))}),
                            sequence_of(element::f32));
    CHECK(run_values<op::concat_from_sequence>({mixed}, {{element::f32}}, joining(0, 0)).detail ==
          "a tensor is of another type, or not in the host's memory");
}
TEST_CASE("SplitToSequence and ConcatFromSequence take no more memory than a run may") {
    const tensor x(element::u8, {1 << 16});
    CHECK(run_values<op::split_to_sequence>({x}, {sequence_of(element::u8)}, integer("axis", 0), 0, 1 << 20).detail ==
          no_memory_left);  // parts of one byte take more than a byte
    const typed_value texts = sequence_of(element::string, {tensor({1}, {std::string(1000, 'x')})});
    CHECK(run_values<op::concat_from_sequence>({texts}, {{element::string}}, joining(0, 0), 0, 999).detail ==
          no_memory_left);
}
