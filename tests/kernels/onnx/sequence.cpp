#include "../../catch.hpp"
#include "../moving.hpp"
#include "../value_trial.hpp"
#include <on_test_devices/onnx/sequence.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const value_type floats = sequence_of(element::f32);
tensor one(float x) { return tensor({1}, {x}); }
typed_value numbered(std::initializer_list<float> values) {
    std::vector<tensor> tensors;
    for (float x : values) tensors.push_back(one(x));
    return sequence_of(element::f32, tensors);
}
typed_value at(std::int64_t k) { return tensor(shape{}, {k}); }
std::vector<float> held(const value_outcome& y) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    REQUIRE(y.outputs[0].as_sequence());
    std::vector<float> values;
    for (const any_value& v : *y.outputs[0].as_sequence()) values.push_back(v.as_tensor()->as<float>()[0]);
    return values;
}
value_outcome inserted(const typed_value& into, std::vector<typed_value> rest) {
    rest.insert(rest.begin(), into);
    return run_values<op::sequence_insert>(rest, {floats});
}
value_outcome erased(std::vector<typed_value> in) { return run_values<op::sequence_erase>(in, {floats}); }
value_outcome taken(const typed_value& from, const typed_value& position, element type = element::f32) {
    return run_values<op::sequence_at>({from, position}, {{type}});
}
}  // namespace

TEST_CASE("SequenceEmpty and SequenceConstruct make sequences, and SequenceLength counts them") {
    const value_outcome empty = run_values<op::sequence_empty>({}, {floats});
    CHECK(held(empty).empty());
    const value_outcome three = run_values<op::sequence_construct>({one(1), one(2), tensor(shape{}, {3.f})}, {floats});
    CHECK(held(three) == std::vector{1.f, 2.f, 3.f});
    CHECK((*three.outputs[0].as_sequence())[2].as_tensor()->shape() == shape{});
    const value_outcome length = run_values<op::sequence_length>({{three.outputs[0], floats}}, {{element::i64}});
    CHECK(length[0].as<std::int64_t>()[0] == 3);
    CHECK(length[0].shape() == shape{});
}
TEST_CASE("SequenceConstruct copies its inputs, strings and packed elements too") {
    tensor x = one(1);
    const value_outcome y = run_values<op::sequence_construct>({x}, {floats});
    x.as<float>()[0] = 9;
    CHECK(held(y) == std::vector{1.f});
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor a = noise(e, {2, 3}), b = noise(e, {0, 4});
        const value_outcome z = run_values<op::sequence_construct>({a, b}, {sequence_of(e)});
        REQUIRE(z.code == status::ok);
        CHECK(same(*(*z.outputs[0].as_sequence())[0].as_tensor(), a));
        CHECK(same(*(*z.outputs[0].as_sequence())[1].as_tensor(), b));
    }
}
TEST_CASE("SequenceConstruct refuses tensors of different types, and more changes of shape than it keeps") {
    CHECK(run_values<op::sequence_construct>({one(1), tensor({1}, {1.0})}, {floats}).answer.reason ==
          "the inputs have different element types");
    CHECK(run_values<op::sequence_construct>({one(1), {}}, {floats}).answer.reason == "an input is missing");
    std::vector<typed_value> many;
    for (int k = 0; k < 100; ++k) many.push_back(one(float(k)));
    CHECK(held(run_values<op::sequence_construct>(many, {floats})).back() == 99);
    many.clear();
    for (int k = 0; k < 33; ++k) many.push_back(tensor(element::f32, {k}));
    CHECK(!run_values<op::sequence_construct>(many, {floats}).answer);
}
TEST_CASE("SequenceInsert puts a tensor at positions from -n to n, or at the end") {
    const typed_value two = numbered({1, 2});
    CHECK(held(inserted(two, {one(7)})) == std::vector{1.f, 2.f, 7.f});
    CHECK(held(inserted(two, {one(7), at(0)})) == std::vector{7.f, 1.f, 2.f});
    CHECK(held(inserted(two, {one(7), at(2)})) == std::vector{1.f, 2.f, 7.f});
    CHECK(held(inserted(two, {one(7), at(-1)})) == std::vector{1.f, 7.f, 2.f});
    CHECK(held(inserted(two, {one(7), at(-2)})) == std::vector{7.f, 1.f, 2.f});
    CHECK(held(inserted(two, {one(7), tensor({1}, {std::int32_t(1)})})) == std::vector{1.f, 7.f, 2.f});
    CHECK(held(inserted(numbered({}), {one(7), at(0)})) == std::vector{7.f});
    CHECK(two.value.as_sequence()->size() == 2);  // the input is as it was
    for (const std::int64_t k : {std::int64_t(3), std::int64_t(-3), std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()}) {
        const value_outcome y = inserted(two, {one(7), at(k)});
        CHECK(y.code == status::invalid_value);
        CHECK(y.detail == "the position is not in the sequence");
    }
}
TEST_CASE("SequenceErase takes a tensor out, the last one where there is no position") {
    const typed_value three = numbered({1, 2, 3});
    CHECK(held(erased({three})) == std::vector{1.f, 2.f});
    CHECK(held(erased({three, at(0)})) == std::vector{2.f, 3.f});
    CHECK(held(erased({three, at(-2)})) == std::vector{1.f, 3.f});
    CHECK(erased({three, at(3)}).detail == "the position is not in the sequence");
    CHECK(erased({three, at(-4)}).detail == "the position is not in the sequence");
    CHECK(erased({numbered({})}).detail == "the position is not in the sequence");
}
TEST_CASE("SequenceAt copies the tensor at a position") {
    const typed_value three = numbered({1, 2, 3});
    CHECK(same(taken(three, at(1))[0], one(2)));
    CHECK(same(taken(three, at(-1))[0], one(3)));
    CHECK(taken(three, at(3)).detail == "the position is not in the sequence");
    CHECK(taken(numbered({}), at(0)).detail == "the position is not in the sequence");
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 5});
        CHECK(same(taken(sequence_of(e, {noise(e, {2}), x}), at(1), e)[0], x));
    }
    const value_outcome empty = taken(sequence_of(element::f32, {tensor(element::f32, {0, 2})}), at(0));
    CHECK(empty[0].shape() == shape{0, 2});
}
TEST_CASE("Operators of sequences refuse what is no sequence, and positions that are no integer") {
    const typed_value two = numbered({1, 2});
    const typed_value map_of_floats(map(), value_type{element::f32}.within({value_kind::map, element::i64}));
    CHECK(run_values<op::sequence_length>({map_of_floats}, {{element::i64}}).answer.reason ==
          "the input is no sequence");
    CHECK(run_values<op::sequence_length>({{any_value(map()), {element::object}}}, {{element::i64}}).detail ==
          "the input is no sequence");
    CHECK(taken(two, one(1)).answer.reason == "the position is no integer");
    CHECK(taken(two, tensor({2}, {std::int64_t(0), std::int64_t(1)})).answer.reason ==
          "the position is not one number");
    CHECK(inserted(two, {tensor({1}, {1.0})}).answer.reason == "the tensor has another element type than the sequence");
    // A value whose contents are unknown before the run: they are checked in it.
    const typed_value mixed(any_value(sequence{any_value(tensor({1}, {1.0})), any_value(map())}), {element::object});
    CHECK(taken(mixed, at(0)).detail == "a tensor is of another type, or not in the host's memory");
    CHECK(taken(mixed, at(1)).detail == "what is at the position is no tensor");
}
TEST_CASE("Operators that make sequences take no more memory than a run may") {
    const typed_value two = numbered({1, 2});
    const attributes no_attributes = [](graph_data&) { return std::vector<attribute>{}; };
    const tensor large(element::f32, {1 << 18});
    for (const auto& y : {run_values<op::sequence_construct>({large}, {floats}, no_attributes, 0, 1 << 20),
                          run_values<op::sequence_insert>({two, large}, {floats}, no_attributes, 0, 1 << 20),
                          run_values<op::sequence_erase>({two}, {floats}, no_attributes, 0, 16)}) {
        CHECK(y.code == status::out_of_memory);
        CHECK(y.detail == no_memory_left);
    }
    CHECK(run_values<op::sequence_construct>({large}, {floats}, no_attributes, 0, 1 << 21).code == status::ok);
    const typed_value texts = sequence_of(element::string, {tensor({1}, {std::string(1000, 'x')})});
    CHECK(run_values<op::sequence_at>({texts, at(0)}, {{element::string}}, no_attributes, 0, 999).detail ==
          no_memory_left);
}
