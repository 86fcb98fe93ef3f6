// What is fed to sequences, maps and optionals.
#include "../models.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const tensor x({2}, {1.f, -2.f});
const any_value of_floats = x, of_integers = tensor({2}, {std::int64_t(1), std::int64_t(2)});
// What is said to a value of this type; nothing if it is taken.
std::string answer(const std::string& type, const any_value& v) {
    const inlay::session s{model_of("g (" + type + " v, float[2] x) => (float[2] y) { y = Relu(x) }"), cpu{}};
    const auto y = s.try_run(std::vector<feed>{{"v", v}, {"x", x}});
    if (y) return {};
    CHECK(y.why().code == error_code::type_mismatch);
    return y.why().text;
}
}  // namespace

TEST_CASE("A sequence of another element type than the model's is refused", "[ports]") {
    CHECK(answer("seq(float[2])", sequence{of_floats, of_floats}).empty());
    CHECK(answer("seq(float[2])", sequence{}).empty());
    CHECK(answer("seq(float[2])", sequence{of_floats, of_integers}) ==
          "inlay: input `v` has a tensor of int64; the model expects seq(tensor(float))");
    CHECK(answer("seq(float[2])", sequence(1, sequence{of_floats})) ==
          "inlay: input `v` has something that is no tensor; the model expects seq(tensor(float))");
    CHECK(answer("seq(seq(float[2]))", sequence(1, sequence{of_floats})).empty());
    CHECK(answer("seq(seq(float[2]))", sequence{of_floats}) ==
          "inlay: input `v` has something that is no sequence; the model expects seq(seq(tensor(float)))");
    CHECK(answer("seq(float[2])", of_floats) == "inlay: input `v` must be a sequence: seq(tensor(float))");
}
TEST_CASE("A map whose keys or values are of another type than the model's is refused", "[ports]") {
    const map_key word = std::string("a"), number = std::int64_t(3);
    CHECK(answer("map(string, float[2])", map{{word, of_floats}}).empty());
    CHECK(answer("map(int64, float[2])", map{{number, of_floats}}).empty());
    CHECK(has_text(answer("map(string, float[2])", map{{word, of_integers}}), "has a tensor of int64"));
    CHECK(has_text(answer("map(string, float[2])", map{{number, of_floats}}), "has a key that is a number"));
    CHECK(has_text(answer("map(int64, float[2])", map{{word, of_floats}}), "has a key that is a string"));
}
TEST_CASE("An optional may be absent, empty, or what it holds, but of the model's type", "[ports]") {
    const std::string type = "optional(seq(float[2]))";
    CHECK(answer(type, optional_value{}).empty());
    CHECK(answer(type, sequence{of_floats}).empty());
    CHECK(answer(type, optional_value{sequence{of_floats}}).empty());
    CHECK(has_text(answer(type, sequence{of_integers}), "has a tensor of int64"));
    CHECK(has_text(answer(type, optional_value{sequence{of_integers}}), "has a tensor of int64"));
    CHECK(has_text(answer(type, of_floats), "has something that is no sequence"));
}
TEST_CASE("Sequences pass through the branches of an If", "[ports]") {
    const inlay::session s{
        model_of(
            "g (bool c, seq(float[2]) s, seq(float[2]) t) => (seq(float[2]) y) { y = If(c) <then_branch = a () => "
            "(seq(float[2]) u) { u = Identity(s) }, else_branch = b () => (seq(float[2]) v) { v = Identity(t) }> }"),
        cpu{}};
    CHECK(s.outputs()[0].type_text == "seq(tensor(float))");
    for (const bool c : {true, false}) {
        const fetched y = s.run({{"c", tensor(shape{}, {c})}, {"s", sequence{of_floats}}, {"t", sequence{}}});
        REQUIRE(y.value(0).as_sequence());
        CHECK(y.value(0).as_sequence()->size() == (c ? 1u : 0u));
    }
}
