#include "../catch.hpp"
#include <inlay/value_type.hpp>
using namespace inlay;

namespace {
constexpr value_type floats{element::f32, {2, -1}}, integers{element::i64}, unknown{}, object{element::object};
constexpr value_type sequence_of(const value_type& t) { return t.within({value_kind::sequence}); }
constexpr value_type optional_of(const value_type& t) { return t.within({value_kind::optional}); }
constexpr value_type map_of(const value_type& t) { return t.within({value_kind::map, element::string}); }
// The text of what both say together; nothing where they contradict each other, which must not depend on the order.
std::string together(value_type a, value_type b) {
    value_type second = b;
    const bool agree = a.refine(b);
    CHECK(second.refine(value_type(a)) == agree);
    return agree ? to_string(a) : "";
}
}  // namespace

TEST_CASE("A type is written as ONNX writes it") {
    CHECK(to_string(floats) == "tensor(float)");
    CHECK(to_string(sequence_of(map_of(integers))) == "seq(map(string,tensor(int64)))");
    CHECK(to_string(optional_of(sequence_of(unknown))) == "optional(seq(tensor(?)))");
    CHECK(to_string(object) == "?");
}
TEST_CASE("A container's contents are what it was made of") {
    constexpr value_type t = optional_of(sequence_of(floats));
    static_assert(t.depth == 2 && t.kind() == value_kind::optional && !t.is_tensor());
    static_assert(t.contents().kind() == value_kind::sequence);
    static_assert(t.contents().contents().is_tensor() && t.contents().contents().type == element::f32);
    CHECK(t.contents().shape == floats.shape);
    CHECK(map_of(floats).containers[0].key == element::string);
}
TEST_CASE("Two types of one value agree as far as both are known") {
    CHECK(together(floats, unknown) == "tensor(float)");
    CHECK(together(sequence_of(floats), unknown) == "seq(tensor(float))");
    CHECK(together(sequence_of(floats), object) == "seq(tensor(float))");
    CHECK(together(sequence_of(unknown), sequence_of(integers)) == "seq(tensor(int64))");
    CHECK(together(sequence_of(unknown), sequence_of(map_of(floats))) == "seq(map(string,tensor(float)))");
    CHECK(together(floats, integers).empty());
    CHECK(together(floats, object).empty());
    CHECK(together(floats, sequence_of(floats)).empty());
    CHECK(together(sequence_of(unknown), floats).empty());
    CHECK(together(sequence_of(floats), sequence_of(integers)).empty());
    CHECK(together(sequence_of(floats), optional_of(floats)).empty());
    CHECK(together(map_of(floats), floats.within({value_kind::map, element::i64})).empty());
}
TEST_CASE("What a type takes from another one is not its shape") {
    value_type t = sequence_of({element::undefined, {3}});
    CHECK(t.refine(sequence_of(floats)));
    CHECK(t.shape == shape{3});
}
