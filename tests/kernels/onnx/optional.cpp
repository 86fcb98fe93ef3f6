#include "../../catch.hpp"
#include "../moving.hpp"
#include "../value_trial.hpp"
#include <on_test_devices/onnx/optional.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const value_type floats = sequence_of(element::f32), maybe_tensor = optional_of({element::f32}),
                 maybe_sequence = optional_of(floats);
const typed_value nothing(any_value(optional_value()), maybe_tensor);
typed_value holding(const typed_value& v) { return {any_value(optional_value{v.value}), optional_of(v.type)}; }
bool has(const std::vector<typed_value>& in) {
    const value_outcome y = run_values<op::optional_has_element>(in, {{element::boolean}});
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    CHECK(y[0].shape() == shape{});
    return y[0].as<bool>()[0];
}
value_outcome taken(const typed_value& from, const value_type& type) {
    return run_values<op::optional_get_element>({from}, {type});
}
attributes of_type(std::string type) {
    return [=](graph_data& g) { return std::vector{g.make("type", std::string_view(type))}; };
}
}  // namespace

TEST_CASE("Optional holds a tensor, a sequence, or nothing") {
    const tensor x = numbers({2, 3});
    const value_outcome single = run_values<op::optional>({x}, {maybe_tensor});
    REQUIRE(single.outputs[0].as_optional());
    CHECK(same(*single.outputs[0].as_optional()->contents->as_tensor(), x));
    const value_outcome list = run_values<op::optional>({sequence_of(element::f32, {x, x})}, {maybe_sequence});
    CHECK(list.outputs[0].as_optional()->contents->as_sequence()->size() == 2);
    const value_outcome empty = run_values<op::optional>({}, {maybe_tensor}, of_type("tensor(float)"));
    REQUIRE(empty.outputs[0].as_optional());
    CHECK(!empty.outputs[0].as_optional()->contents);
    CHECK(run_values<op::optional>({}, {maybe_tensor}).answer.reason == "there is neither an input nor a type");
}
TEST_CASE("OptionalHasElement reports whether there is something") {
    const tensor x = numbers({2});
    CHECK(!has({}));
    CHECK(!has({typed_value()}));
    CHECK(!has({nothing}));
    CHECK(!has({{any_value(), maybe_tensor}}));
    CHECK(has({holding(x)}));
    CHECK(has({{any_value(x), maybe_tensor}}));  // as callers may give it
    CHECK(has({x}));
    CHECK(has({sequence_of(element::f32, {})}));
}
TEST_CASE("OptionalGetElement gives what is held, and a value that is no optional as it is") {
    const tensor x = numbers({2, 3});
    CHECK(same(taken(holding(x), {element::f32})[0], x));
    CHECK(same(taken({any_value(x), maybe_tensor}, {element::f32})[0], x));
    CHECK(taken(holding(sequence_of(element::f32, {x})), floats).outputs[0].as_sequence()->size() == 1);
    CHECK(taken(sequence_of(element::f32, {x, x}), floats).outputs[0].as_sequence()->size() == 2);
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor y = noise(e, {3, 5});
        CHECK(same(taken(y, {e})[0], y));
        CHECK(same(taken(holding(y), {e})[0], y));
    }
}
TEST_CASE("OptionalGetElement refuses what is empty, and what is of another type") {
    CHECK(taken(nothing, {element::f32}).detail == "the optional is empty");
    CHECK(taken({any_value(), maybe_sequence}, floats).detail == "the optional is empty");
    CHECK(taken(sequence_of(element::f32, {}), {element::f32}).answer.reason == "the optional holds no tensor");
    CHECK(taken(numbers({2}), {element::f64}).answer.reason == "the output has another type than the input");
    const typed_value doubles(any_value(optional_value{any_value(tensor({1}, {1.0}))}), {element::object});
    CHECK(taken(doubles, {element::f32}).detail == "a tensor is of another type, or not in the host's memory");
    CHECK(taken(doubles, {element::object}).detail == "the optional holds a tensor");
}
