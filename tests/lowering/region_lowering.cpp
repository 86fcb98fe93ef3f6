// Where elements of images lie in a region, and what its arguments and results are.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string network(const std::string& nodes, const std::string& y) {
    return "g (float[1,2,4,4] x) => (float[" + y +
           "] y) <float[2,2,1,1] w = {1,2,3,4}, float[2,1,1] c = {1, 2}, "
           "int64[1] one = {1}> { " +
           nodes + " }";
}
}  // namespace

TEST_CASE("Images are turned where the first primitive needs them so, and once more at the end") {
    const recording r = lowered(network("a = Conv (x, w) b = Relu (a) d = Conv (b, w) y = Add (d, b)", "1,2,4,4"));
    CHECK(r.kinds() ==
          std::vector{kind::transpose, kind::conv, kind::unary, kind::conv, kind::binary, kind::transpose});
    CHECK(at<transpose_prim>(r, 0).axes == integers{0, 2, 3, 1});
    CHECK(at<transpose_prim>(r, 5).axes == integers{0, 3, 1, 2});
    CHECK(dims_in_memory(at<conv_prim>(r, 1).x) == integers{1, 4, 4, 2});
}
TEST_CASE("With channels first nothing is turned") {
    CHECK(lowered(network("a = Conv (x, w) y = Relu (a)", "1,2,4,4"), all_taken, layout::plain).kinds() ==
          std::vector{kind::conv, kind::unary});
}
TEST_CASE("Where turning moves nothing it is a reshape") {
    CHECK(lowered(network("a = Conv (x, w) y = GlobalAveragePool (a)", "1,2,1,1")).kinds() ==
          std::vector{kind::transpose, kind::conv, kind::pool, kind::reshape});
}
TEST_CASE("Where images have their channels last at a region's ends, they are turned by who runs it") {
    static constexpr rule_set channels_last{.library = "Machine", .rules = all_kinds, .ends = layout::channels_last};
    const recording r = lowered(network("a = Conv (x, w) y = Relu (a)", "1,2,4,4"), channels_last);
    CHECK(r.kinds() == std::vector{kind::conv, kind::unary});
    CHECK(r.arguments[0].order == layout::channels_last);
    CHECK(r.results[0].order == layout::channels_last);
}
TEST_CASE("A library that turns no images has nothing that reads them in plain order, but where that is the same") {
    static constexpr rule rows[]{{.of = kind::unary, .types = floats_only},
                                 {.of = kind::reshape, .types = floats_only}};
    static constexpr rule_set turns_none{.library = "Machine", .rules = rows, .ends = layout::channels_last};
    const auto flattened = [](const std::string& x, const std::string& y) {
        return why_not_lowered("g (float[" + x + "] x) => (float[" + y + "] y) { a = Abs (x) y = Flatten (a) }",
                               turns_none);
    };
    CHECK(flattened("1,2,4,4", "1,32") == "its images have their channels last, and Machine does not turn [1,2,4,4]");
    CHECK(flattened("3,2,1,1", "3,2") == "taken");
    CHECK(flattened("3,1,2,2", "3,4") == "taken");
}
TEST_CASE("Axes are those of memory, and constants lie as images do") {
    const recording r = lowered(
        network("a = Conv (x, w) b = Add (a, c) d = Concat <axis = 1> (b, a) y = ReduceMean (d, one)", "1,1,4,4"));
    CHECK(dims_in_memory(at<binary_prim>(r, 2).b) == integers{1, 1, 1, 2});
    CHECK(at<concat_prim>(r, 3).axis == 3);
    CHECK(at<reduce_prim>(r, 4).axes == integers{3});
}
TEST_CASE("Weights that a region gets or makes are where they are") {
    const recording r =
        lowered("g (float[1,2,4,4] x, float[2,2,1,1] w) => (float[1,2,4,4] y) { v = Identity (w) y = Conv (x, v) }");
    REQUIRE(r.kinds() == std::vector{kind::transpose, kind::conv, kind::transpose});
    CHECK(at<conv_prim>(r, 1).w.id == r.arguments[0].id);
    CHECK(at<conv_prim>(r, 1).w.order == layout::plain);
}
TEST_CASE("A library has its images in the order of its rules") {
    static constexpr rule_set first{.library = "Machine", .rules = all_kinds, .images = layout::plain};
    CHECK(target{&first}.images == layout::plain);
    CHECK(target{&all_taken}.images == layout::channels_last);
}
TEST_CASE("An output is given by a primitive, also where it is an input by another name") {
    const recording r = lowered("g (float[2] x) => (float[2] y, float[2] z) { y = Identity (x) z = Identity (x) }");
    CHECK(r.kinds() == std::vector{kind::reshape, kind::reshape});
    REQUIRE(r.results.size() == 2);
    CHECK(r.results[0].id != r.results[1].id);
    CHECK(r.results[0].id != r.arguments[0].id);
}
TEST_CASE("Candidates of fusion are taken whole where the rules want them, with what no node is alone") {
    static constexpr auto rows = [] {
        auto rules = simple_kinds;
        for (rule& r : rules)
            if (r.of == kind::unary) r.functions = ~these(function::erf);
        return rules;
    }();
    static constexpr rule_set nodes_alone{.library = "Machine", .rules = rows, .images = layout::plain},
        fusing{.library = "Machine", .rules = rows, .images = layout::plain, .fuses = true};
    const model m = model_of(
        "g (float[2,3] x) => (float[2,2] y) <float[3,2] w = {1,2,3,4,5,6}, float[2] c = {1, 2}, float root = "
        "{1.4142135}, float one = {1}, float half = {0.5}> { p = MatMul (x, w) a = Add (p, c) d = Div (a, root) "
        "e = Erf (d) f = Add (e, one) h = Mul (a, f) y = Mul (h, half) }");
    CHECK_THROWS_AS(lowered_model(m, nodes_alone, layout::plain), refused_node);
    const recording r = lowered_model(m, fusing, layout::plain);
    REQUIRE(r.kinds() == std::vector{kind::dense, kind::binary, kind::unary});
    CHECK(at<unary_prim>(r, 2).does == function::gelu);
    CHECK(r.results[0].id == at<unary_prim>(r, 2).y.id);
}
TEST_CASE("Convolutions that are candidates end with an addend and a function") {
    static constexpr rule_set fusing{
        .library = "Machine", .rules = simple_kinds, .images = layout::plain, .fuses = true};
    const recording r = lowered_model(model_of(network("a = Conv (x, w) b = Add (a, x) y = Relu (b)", "1,2,4,4")),
                                      fusing, layout::plain);
    REQUIRE(r.kinds() == std::vector{kind::conv, kind::binary, kind::clamp});
    CHECK(at<clamp_prim>(r, 2).low == 0);
    CHECK(at<clamp_prim>(r, 2).high == no_bound);
}
TEST_CASE("What is dequantized is written where a reader needs floats") {
    static constexpr auto rows = [] {
        auto rules = all_kinds;
        for (rule& r : rules) r.quantized = element_set::of({element::u8});
        return rules;
    }();
    static constexpr rule_set of_bytes{.library = "Machine", .rules = rows};
    CHECK(lowered("g (uint8[2] x) => (float[2] y) <float s = {0.5}, uint8 z = {3}> "
                  "{ d = DequantizeLinear (x, s, z) y = Relu (d) }",
                  of_bytes)
              .kinds() == std::vector{kind::dequantize, kind::unary});
}
