// Sequences and optionals between nodes, through control flow, and out of sessions.
#include "../models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor number(std::int64_t n) { return tensor(shape{}, {n}); }
const sequence& tensors_of(const fetched& y, std::size_t k = 0) {
    REQUIRE(y.value(k).as_sequence());
    return *y.value(k).as_sequence();
}
std::string growing_loop(std::string_view size) {  // a sequence of n tensors
    return "g (int64 n) => (seq(float) all, int64 count) { on = Constant <value = bool {1}> ()"
           " none = SequenceEmpty <dtype = 1> () all = Loop (n, on, none) <body = b (int64 i, bool go, seq(float) "
           "before) => (bool again, seq(float) after) { again = Identity(go)"
           " dims = Constant <value = int64[1] {" +
           std::string(size) +
           "}> () zeros = ConstantOfShape(dims) f = Cast <to = 1> (i) x = Add(zeros, f) after = SequenceInsert(before, "
           "x) }> count = SequenceLength(all) }";
}
}  // namespace

TEST_CASE("A Loop carries a sequence from round to round", "[sequences]") {
    const inlay::session s{model_of(growing_loop("2")), cpu{}};
    const fetched three = s.run({{"n", number(3)}}), empty = s.run({{"n", number(0)}});
    REQUIRE(tensors_of(three).size() == 3);  // and is as it was after another run
    CHECK(floats(*tensors_of(three)[2].as_tensor()) == std::vector{2.f, 2.f});
    CHECK(three[1].as<std::int64_t>()[0] == 3);
    CHECK(tensors_of(empty).empty());
    CHECK(empty[1].as<std::int64_t>()[0] == 0);
}
TEST_CASE("Sequences count against what a run may take", "[sequences]") {
    model_options o;
    o.limits.run_bytes = 1 << 20;
    const inlay::session s{model_of(growing_loop("16384"), o), cpu{}};
    CHECK(tensors_of(s.run({{"n", number(4)}})).size() == 4);
    for (const int n : {100, 1'000'000})
        CHECK(has_text(raised([&] { (void)s.run({{"n", number(n)}}); }).text, "limits::run_bytes"));
    CHECK(tensors_of(s.run({{"n", number(4)}})).size() == 4);
}
TEST_CASE("Strings that a run makes count against what it may take", "[sequences]") {
    std::string text = "g (string[1] x) => (string[1] y40) { y0 = Identity(x)";
    for (int k = 0; k < 40; ++k) {
        const std::string from = "y" + std::to_string(k), to = "y" + std::to_string(k + 1);
        text += " " + to + " = StringConcat(" + from + ", " + from + ")";
    }
    const inlay::session s{model_of(text + " }"), cpu{}};
    const fetched result = s.run({{"x", tensor({1}, {std::string()})}});
    CHECK(result[0].as<std::string>()[0].empty());
    CHECK(has_text(raised([&] { (void)s.run({{"x", tensor({1}, {std::string("x")})}}); }).text, "limits::run_bytes"));
}
TEST_CASE("SequenceMap runs its body for each tensor", "[sequences]") {
    const inlay::session s{
        model_of("g (seq(float) x, float[1] by) => (seq(float) y) { y = SequenceMap (x, by) <body = b (float[N] one, "
                 "float[1] factor) => (float[N] z) { z = Mul(one, factor) }> }"),
        cpu{}};
    const fetched y = s.run({{"x", sequence{any_value(tensor({2}, {1.f, 2.f})), any_value(tensor({1}, {3.f}))}},
                             {"by", tensor({1}, {10.f})}});
    REQUIRE(tensors_of(y).size() == 2);
    CHECK(floats(*tensors_of(y)[0].as_tensor()) == std::vector{10.f, 20.f});
    CHECK(floats(*tensors_of(y)[1].as_tensor()) == std::vector{30.f});
}
TEST_CASE("A Loop that takes an optional may hand on what it holds", "[sequences]") {
    const inlay::session s{
        model_of("g (int64 n, optional(seq(float)) maybe) => (seq(float) y) { on = Constant <value = bool {1}> ()"
                 " y = Loop (n, on, maybe) <body = b (int64 i, bool go, optional(seq(float)) before) => (bool again, "
                 "seq(float) after) { again = Identity(go) has = OptionalHasElement(before)"
                 " list = If (has) <then_branch = t () => (seq(float) a) { a = OptionalGetElement(before) },"
                 " else_branch = e () => (seq(float) c) { c = SequenceEmpty <dtype = 1> () }>"
                 " x = Cast <to = 1> (i) after = SequenceInsert(list, x) }> }"),
        cpu{}};
    const any_value empty = optional_value(), two = sequence(2, any_value(tensor(shape{}, {7.f}))),
                    full = optional_value{two};
    CHECK(tensors_of(s.run({{"n", number(2)}, {"maybe", empty}})).size() == 2);
    CHECK(tensors_of(s.run({{"n", number(2)}, {"maybe", full}})).size() == 4);
    CHECK(tensors_of(s.run({{"n", number(0)}, {"maybe", full}})).size() == 2);
    CHECK(tensors_of(s.run({{"n", number(0)}, {"maybe", two}})).size() == 2);
    CHECK(raised([&] { (void)s.run({{"n", number(0)}, {"maybe", empty}}); }).code == error_code::invalid_value);
}
TEST_CASE("Values that come out of sequences have the sizes that the run determines", "[sequences]") {
    const inlay::session s{
        model_of("g (seq(float) x, int64 k) => (float[N] y, float[M] joined) { one = SequenceAt(x, k)"
                 " y = Neg(one) joined = ConcatFromSequence <axis = 0> (x) }"),
        cpu{}};
    const any_value x = sequence{any_value(tensor({1}, {1.f})), any_value(tensor({2}, {2.f, 3.f}))};
    const fetched y = s.run({{"x", x}, {"k", number(1)}});
    CHECK(floats(y[0]) == std::vector{-2.f, -3.f});
    CHECK(floats(y[1]) == std::vector{1.f, 2.f, 3.f});
    CHECK(has_text(raised([&] { (void)s.run({{"x", x}, {"k", number(2)}}); }).text, "not in the sequence"));
}
