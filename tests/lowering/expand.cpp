// What stands in for primitives that a library lacks.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr rule few[]{{.of = kind::binary, .types = floats_only}, {.of = kind::reshape, .types = floats_only}};
constexpr rule_set pairs_only{.library = "Machine", .rules = few};
std::vector<arithmetic> pairs_of(const std::string& node) {
    std::vector<arithmetic> functions;
    for (const primitive& p : lowered("g (float[2] x) => (float[2] y) { y = " + node + " }", pairs_only).primitives)
        functions.push_back(std::get<binary_prim>(p).does);
    return functions;
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
TEST_CASE("Products and Softmax of more dimensions become those of rows") {
    using namespace inlay::lowering::limits;
    static constexpr rule of_two[]{{.of = kind::dense, .types = floats_only, .limits = {rows_only}},
                                   {.of = kind::softmax, .types = floats_only, .limits = {rows_only}},
                                   {.of = kind::reshape, .types = floats_only}};
    static constexpr rule_set of_rows{.library = "Machine", .rules = of_two};
    const recording product = lowered(
        "g (float[2,3,2] x) => (float[2,3,4] y) <float[2,4] w = {1,2,3,4,5,6,7,8}> { y = MatMul (x, w) }", of_rows);
    REQUIRE(product.kinds() == std::vector{kind::reshape, kind::dense, kind::reshape});
    CHECK(at<dense_prim>(product, 1).x.dims == shape{6, 2});
    CHECK(at<dense_prim>(product, 1).y.dims == shape{6, 4});
    const recording channels =
        lowered("g (float[1,3,2,2] x) => (float[1,3,2,2] y) { y = Softmax <axis = 1> (x) }", of_rows);
    REQUIRE(channels.kinds() == std::vector{kind::reshape, kind::softmax, kind::reshape});
    CHECK(at<softmax_prim>(channels, 1).x.dims == shape{1, 3, 4});
    CHECK(at<softmax_prim>(channels, 1).axis == 1);
}
TEST_CASE("Mish is made of simpler functions, and a selection gets operands of one shape") {
    using namespace inlay::lowering::limits;
    static constexpr element_set types = element_set::of({element::f32, element::boolean});
    static constexpr rule parts[]{
        {.of = kind::unary, .functions = these(function::softplus, function::tanh), .types = types},
        {.of = kind::binary, .types = types},
        {.of = kind::select, .types = types, .limits = {one_shape}},
        {.of = kind::tile, .types = types},
        {.of = kind::reshape, .types = types}};
    static constexpr rule_set simple{.library = "Machine", .rules = parts};
    CHECK(lowered("g (float[2] x) => (float[2] y) { y = Mish (x) }", simple).kinds() ==
          std::vector{kind::unary, kind::unary, kind::binary});
    const recording r =
        lowered("g (bool[3] c, float[2,3] x, float z) => (float[2,3] y) { y = Where (c, x, z) }", simple);
    REQUIRE(r.kinds() == std::vector{kind::reshape, kind::tile, kind::reshape, kind::tile, kind::select});
    CHECK(at<tile_prim>(r, 1).repeats == integers{2, 1});
    CHECK(at<tile_prim>(r, 3).repeats == integers{2, 3});
}
TEST_CASE("Normalization is means, products and a root") {
    static constexpr rule parts[]{{.of = kind::binary, .types = floats_only},
                                  {.of = kind::unary, .functions = these(function::sqrt), .types = floats_only},
                                  {.of = kind::reduce, .types = floats_only},
                                  {.of = kind::reshape, .types = floats_only}};
    static constexpr rule_set of_parts{.library = "Machine", .rules = parts};
    const recording r = lowered(
        "<ir_version: 10, opset_import: [\"\" : 23]> g (float[2,3] x) => (float[2,3] y) <float[3] s = {1,2,3}> "
        "{ y = RMSNormalization (x, s) }",
        of_parts);
    CHECK(r.kinds() == std::vector{kind::binary, kind::reduce, kind::binary, kind::unary, kind::binary, kind::binary});
}
TEST_CASE("A library whose pools have no good pads pads before, and weighs means by what is in the image") {
    using namespace inlay::lowering::limits;
    static constexpr rule pools[]{
        {.of = kind::pool, .functions = these(pooling::max), .types = floats_only, .limits = {natural_if_padded}},
        {.of = kind::pool, .functions = these(pooling::average), .types = floats_only, .limits = {counts_image}},
        {.of = kind::pad, .types = floats_only},
        {.of = kind::unary, .types = floats_only},
        {.of = kind::binary, .types = floats_only}};
    static constexpr rule_set machine{.library = "Machine", .rules = pools};
    const auto pool = [](const std::string& before, const std::string& op, const std::string& rows) {
        return lowered("g (float[1,1," + rows + ",3] x) => (float[1,1," + rows + ",3] y) { " + before + "y = " + op +
                           " <kernel_shape = [3,3], pads = [1,1,1,1]> (p) }",
                       machine, layout::plain);
    };
    const recording padded = pool("p = Neg (x) ", "MaxPool", "3");
    REQUIRE(padded.kinds() == std::vector{kind::unary, kind::pad, kind::pool});
    CHECK(at<pad_prim>(padded, 1).value == -no_bound);
    CHECK(at<pool_prim>(padded, 2).window[0].in == 5);
    CHECK(pool("p = Relu (x) ", "MaxPool", "3").kinds() == std::vector{kind::unary, kind::pool});
    CHECK(pool("p = Neg (x) ", "AveragePool", "3").kinds() == std::vector{kind::unary, kind::pool});
    const recording one_row = pool("p = Neg (x) ", "AveragePool", "1");
    REQUIRE(one_row.kinds() == std::vector{kind::unary, kind::pool});
    CHECK(at<pool_prim>(one_row, 1).window[0].kernel == 1);
    const recording weighed = lowered(
        "g (float[1,1,1,3] x) => (float[1,1,2,3] y) { y = AveragePool <kernel_shape = [2,3], pads = [1,1,1,1]> (x) }",
        machine, layout::plain);
    REQUIRE(weighed.kinds() == std::vector{kind::pool, kind::binary});
    CHECK(at<binary_prim>(weighed, 1).b.elements() == std::vector{3.f, 2.f, 3.f, 3.f, 2.f, 3.f});
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
