// What stands in for primitives that a library lacks.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr rule few[]{{.of = kind::binary, .types = floats_only}, {.of = kind::reshape, .types = floats_only}};
constexpr rule_set pairs_only{.library = "Machine", .rules = few};
std::vector<arithmetic> pairs_of(const std::string& node) {
    std::vector<arithmetic> all;
    for (const primitive& p : lowered("g (float[2] x) => (float[2] y) { y = " + node + " }", pairs_only).primitives)
        all.push_back(std::get<binary_prim>(p).does);
    return all;
}
}  // namespace

TEST_CASE("Functions become what they are made of, as far as the library goes") {
    CHECK(pairs_of("HardSwish (x)") ==
          std::vector{arithmetic::mul, arithmetic::add, arithmetic::max, arithmetic::min, arithmetic::mul});
    CHECK(pairs_of("HardSigmoid (x)") ==
          std::vector{arithmetic::mul, arithmetic::add, arithmetic::max, arithmetic::min});
    CHECK(pairs_of("LeakyRelu (x)") == std::vector{arithmetic::prelu});
    CHECK(pairs_of("Reciprocal (x)") == std::vector{arithmetic::div});
}
TEST_CASE("A function that is made of nothing else is refused") {
    CHECK(why_not_lowered("g (float[2] x) => (float[2] y) { y = Exp (x) }", pairs_only) ==
          "Machine has no operation for Exp here");
}
TEST_CASE("The table has what is taken as other primitives") {
    std::string operators;
    for (const table_row& row : table_of(pairs_only)) operators += " " + row.operators;
    for (const char* op : {"HardSwish", "Clip", "BatchNormalization", "Add", "Identity"})
        CHECK(has_text(operators, op));
    CHECK_FALSE(has_text(operators, "Exp"));
}
