// Nodes of ONNX as primitives, with everything resolved.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A convolution's pads are those that auto_pad and the strides come to") {
    const recording r = lowered(
        "g (float[1,1,6,5] x) => (float[1,1,3,3] y) <float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}> "
        "{ y = Conv <auto_pad = \"SAME_UPPER\", strides = [2,2]> (x, w) }",
        all_taken, layout::plain);
    REQUIRE(r.kinds() == std::vector{kind::conv});
    const auto& p = at<conv_prim>(r, 0);
    CHECK(p.window[0].before == 0);
    CHECK(p.window[0].after == 1);
    CHECK(p.window[1].before == 1);
    CHECK(p.window[1].after == 1);
    CHECK_FALSE(p.bias);
    CHECK(p.w.constant);
}
TEST_CASE("What strides leave out behind an image is no pad") {
    const recording r = lowered(
        "g (float[1,1,8,8] x) => (float[1,1,3,4] y) <float[1,1,1,1] w = {1}> "
        "{ y = Conv <strides = [3,2]> (x, w) }");
    CHECK(at<conv_prim>(r, 1).window[0].after == 0);
}
TEST_CASE("Gemm is rows times weights by outputs, with its factors in weights and bias") {
    const recording r = lowered(
        "g (float[3,2] x) => (float[3,2] y) <float[2,2] w = {1,2,3,4}, float c = {5}> "
        "{ y = Gemm <alpha = 2.0, beta = 3.0> (x, w, c) }");
    REQUIRE(r.kinds() == std::vector{kind::dense});
    const auto& p = at<dense_prim>(r, 0);
    CHECK(p.w.elements() == std::vector{2.f, 6.f, 4.f, 8.f});
    CHECK(p.bias->elements() == std::vector{15.f, 15.f});
}
TEST_CASE("Gemm by what is no constant is a product, and adds what is no row") {
    const recording r = lowered(
        "g (float[3,2] x, float[4,2] w, float[4] c) => (float[3,4] y) "
        "{ y = Gemm <alpha = 2.0, beta = 3.0, transB = 1> (x, w, c) }");
    CHECK(r.kinds() == std::vector{kind::transpose, kind::binary, kind::matmul, kind::binary, kind::binary});
    const recording of_weights =
        lowered("g (float[1,2] x, float[2] c) => (float[1,2] y) <float[2,2] w = {1,2,3,4}> { y = Gemm (x, w, c) }");
    CHECK(of_weights.kinds() == std::vector{kind::dense, kind::binary});
    const recording old = lowered(
        "<ir_version: 8, opset_import: [\"\" : 6]> g (float[1,2] x, float[1,2] c) => (float[1,2] y) "
        "<float[2,2] w = {1,2,3,4}> { y = Gemm (x, w, c) }");
    CHECK(old.kinds() == std::vector{kind::dense, kind::binary});
}
TEST_CASE("PRelu of a version that broadcasts in its own way is one where its slopes are one") {
    const auto graph = [](const std::string& slopes) {
        return "<ir_version: 8, opset_import: [\"\" : 6]> g (float[1,2,3] x, float[" + slopes +
               "] s) => (float[1,2,3] y) { y = PRelu (x, s) }";
    };
    CHECK(lowered(graph("1")).kinds() == std::vector{kind::binary});
    CHECK(why_not_lowered(graph("2")) == "version 6 of it broadcasts in its own way");
}
TEST_CASE("A vector of MatMul is a row on the left and a column on the right") {
    const recording left = lowered("g (float[2] x, float[3,2,4] w) => (float[3,4] y) { y = MatMul (x, w) }");
    REQUIRE(left.kinds() == std::vector{kind::reshape, kind::matmul, kind::reshape});
    CHECK(at<matmul_prim>(left, 1).y.dims == shape{3, 1, 4});
    const recording vectors = lowered("g (float[2] x, float[2] w) => (float y) { y = MatMul (x, w) }");
    CHECK(at<matmul_prim>(vectors, 2).y.dims == shape{1, 1});
}
TEST_CASE("A transposed A of Gemm is a transpose of its own") {
    const recording r = lowered(
        "g (float[2,3] x) => (float[3,2] y) <float[2,2] w = {1,2,3,4}> "
        "{ y = Gemm <transA = 1> (x, w) }");
    CHECK(r.kinds() == std::vector{kind::transpose, kind::dense});
}
TEST_CASE("A product of more dimensions by a constant matrix is one of rows") {
    const recording r = lowered(
        "g (float[2,3,2] x) => (float[2,3,2] y) <float[2,2] w = {1,2,3,4}> "
        "{ y = MatMul (x, w) }");
    REQUIRE(r.kinds() == std::vector{kind::dense});
    CHECK(at<dense_prim>(r, 0).w.elements() == std::vector{1.f, 3.f, 2.f, 4.f});
}
TEST_CASE("Softmax over the channels of an image is one of the image") {
    const recording r = lowered("g (float[1,3,2,2] x) => (float[1,3,2,2] y) { y = Softmax <axis = 1> (x) }");
    REQUIRE(r.kinds() == std::vector{kind::softmax});
    CHECK(at<softmax_prim>(r, 0).axis == 1);
    const recording rows = lowered("g (float[1,3,2,2] x) => (float[1,3,2,2] y) { y = Softmax (x) }");
    REQUIRE(rows.kinds() == std::vector{kind::softmax});
    CHECK(at<softmax_prim>(rows, 0).axis == 3);
}
TEST_CASE("Clip has its bounds, by attributes or by inputs") {
    const auto bounds = [](const std::string& opset, const std::string& graph) {
        const recording r =
            lowered("<ir_version: 8, opset_import: [\"\" : " + opset + "]> g (float[2] x) => (float[2] y) " + graph);
        const auto& p = at<clamp_prim>(r, 0);
        return std::pair(p.low, p.high);
    };
    CHECK(bounds("6", "{ y = Clip <min = -1.0, max = 2.0> (x) }") == std::pair(-1.f, 2.f));
    CHECK(bounds("13", "<float high = {6}> { y = Clip (x, , high) }") == std::pair(-no_bound, 6.f));
    CHECK(bounds("6", "{ y = Clip <min = 3.0, max = 2.0> (x) }") == std::pair(2.f, 2.f));
}
TEST_CASE("Softmax of a version before 13 joins the axes that follow") {
    const std::string graph = "g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = 1> (x) }";
    const recording old = lowered("<ir_version: 8, opset_import: [\"\" : 11]> " + graph);
    REQUIRE(old.kinds() == std::vector{kind::reshape, kind::softmax, kind::reshape});
    CHECK(at<softmax_prim>(old, 1).x.dims == shape{2, 12});
    CHECK(at<softmax_prim>(lowered(graph), 0).x.dims == shape{2, 3, 4});
}
TEST_CASE("BatchNormalization is a factor and a term for each channel") {
    const recording r = lowered(
        "g (float[1,2] x) => (float[1,2] y) <float[2] s = {1, 2}, float[2] b = {3, 4}, float[2] m = {5, 6}, "
        "float[2] v = {4, 9}> { y = BatchNormalization <epsilon = 0.0> (x, s, b, m, v) }");
    REQUIRE(r.kinds() == std::vector{kind::affine});
    CHECK(at<affine_prim>(r, 0).scale.elements()[0] == Approx(.5));
    CHECK(at<affine_prim>(r, 0).shift.elements()[1] == Approx(4 - 6 * 2. / 3));
}
TEST_CASE("Pools have a window for each axis, and global ones one over all") {
    const auto p = at<pool_prim>(lowered("g (float[1,1,8,6] x) => (float[1,1,1,1] y) { y = GlobalMaxPool (x) }"), 1);
    CHECK(p.window[0].kernel == 8);
    CHECK(p.window[1].kernel == 6);
}
TEST_CASE("Operators of several operands are pairs, and Split is slices") {
    CHECK(lowered("g (float[2] x, float[2] z) => (float[2] y) { y = Max (x, z, x) }").kinds() ==
          std::vector{kind::binary, kind::binary});
    const recording r =
        lowered("g (float[5] x) => (float[2] a, float[3] b) <int64[2] s = {2, 3}> { a, b = Split (x, s) }");
    REQUIRE(r.kinds() == std::vector{kind::slice, kind::slice});
    CHECK(at<slice_prim>(r, 1).start == integers{2});
}
TEST_CASE("Concat of one part is the part, and Expand and Tile repeat axes") {
    CHECK(lowered("g (float[2] x) => (float[2] y) { y = Concat <axis = 0> (x) }").kinds() ==
          std::vector{kind::reshape});
    const recording r =
        lowered("g (float[3,1] x) => (float[2,3,4] y) <int64[3] to = {2, 1, 4}> { y = Expand (x, to) }");
    REQUIRE(r.kinds() == std::vector{kind::reshape, kind::tile});
    CHECK(at<tile_prim>(r, 1).repeats == integers{2, 1, 4});
    CHECK(at<tile_prim>(lowered("g (float[2] x) => (float[6] y) <int64[1] n = {3}> { y = Tile (x, n) }"), 0).repeats ==
          integers{3});
}
TEST_CASE("LayerNormalization has the axes from its first one on, and rows of their lengths") {
    const std::string graph =
        "g (float[2,1,3] x, float[SCALE] s) => (float[2,1,3] y) "
        "{ y = LayerNormalization <axis = 1> (x, s) }";
    const auto scaled_by = [&](const std::string& scale) {
        std::string text = graph;
        return text.replace(text.find("SCALE"), 5, scale);
    };
    const recording r = lowered(scaled_by("1,3"));
    REQUIRE(r.kinds() == std::vector{kind::layer_norm});
    CHECK(at<layer_norm_prim>(r, 0).axes == integers{1, 2});
    CHECK(at<layer_norm_prim>(r, 0).scale);
    CHECK_FALSE(at<layer_norm_prim>(r, 0).shift);
    const recording partly_scaled = lowered(scaled_by("3"));
    REQUIRE(partly_scaled.kinds() == std::vector{kind::layer_norm, kind::binary});
    CHECK_FALSE(at<layer_norm_prim>(partly_scaled, 0).scale);
    CHECK(at<binary_prim>(partly_scaled, 1).b.dims == shape{3});
}
TEST_CASE("Indices that are known only at run time are one axis") {
    const recording r =
        lowered("g (float[4,3] x, float[2,2] k) => (float[2,2,3] y) { i = Cast <to = 7> (k) y = Gather (x, i) }",
                with_integers);
    REQUIRE(r.kinds() == std::vector{kind::cast, kind::reshape, kind::gather, kind::reshape});
    CHECK_FALSE(at<gather_prim>(r, 2).places);
    CHECK(at<gather_prim>(r, 2).indices->dims == shape{4});
}
TEST_CASE("A mean counts what windows reach over the padding only by ceil_mode") {
    const auto pool = [](const std::string& attributes, const std::string& y) {
        const recording r = lowered("g (float[1,1,6,6] x) => (float[1,1," + y +
                                        "] y) { y = AveragePool <kernel_shape = "
                                        "[3,3], strides = [2,2]" +
                                        attributes + "> (x) }",
                                    all_taken, layout::plain);
        return at<pool_prim>(r, 0);
    };
    CHECK_FALSE(pool("", "2,2").past_padding);
    const pool_prim padded = pool(", ceil_mode = 1, pads = [0,0,1,0]", "3,3");
    CHECK(padded.past_padding);
    CHECK(padded.padding_at_ends == integers{1, 0});
    CHECK(padded.window[1].after == 1);
}
TEST_CASE("Comparisons, choices and casts have their operands and the type of their result") {
    const recording r = lowered(
        "g (float[2] x) => (int32[2] y) <float[2] w = {1,2}, int32 z = {3}> "
        "{ c = Less (x, w) i = Cast <to = 6> (x) y = Where (c, i, z) }",
        of_all_types);
    REQUIRE(r.kinds() == std::vector{kind::binary, kind::cast, kind::select});
    CHECK(at<binary_prim>(r, 0).does == arithmetic::less);
    CHECK(at<binary_prim>(r, 0).y.type == element::boolean);
    CHECK(which(at<cast_prim>(r, 1)) == int(element::i32));
    CHECK(at<select_prim>(r, 2).b.constant);
}
TEST_CASE("Places of the largest are found in 32 bits, with the axis, and then lose it and become longer") {
    static constexpr rule_set of_short_places{
        .library = "Machine", .rules = all_kinds, .tensors = {.short_places = true}};
    const recording r =
        lowered("g (float[2,3] x) => (int64[2] y) { y = ArgMax <axis = -1, keepdims = 0> (x) }", of_short_places);
    REQUIRE(r.kinds() == std::vector{kind::arg, kind::reshape, kind::cast});
    CHECK(at<arg_prim>(r, 0).axis == 1);
    CHECK(at<arg_prim>(r, 0).y.dims == shape{2, 1});
    CHECK(at<arg_prim>(r, 0).y.type == element::i32);
}
TEST_CASE("The largest elements come with their places where a reader needs these") {
    const std::string graph = " <int64[1] k = {2}> { y, i = TopK (x, k) }";
    CHECK_FALSE(at<top_k_prim>(lowered("g (float[4] x) => (float[2] y)" + graph, whole_taken), 0).gives_indices);
    static constexpr rule values_only[]{
        {.of = kind::top_k, .types = floats_only, .limits = {inlay::lowering::limits::no_indices}}};
    static constexpr rule_set without_places{.library = "Machine", .rules = values_only};
    CHECK(why_not_lowered("g (float[4] x) => (float[2] y)" + graph, without_places) == "taken");
    CHECK(why_not_lowered("g (float[4] x) => (float[2] y, int64[2] i)" + graph, without_places) ==
          "its indices are wanted, and Machine has equal elements in another order");
}
TEST_CASE("Known indices are counted from the begin, and repetitions are by the sizes") {
    const recording r =
        lowered("g (float[2,3] x) => (float[2] y) <int64[2,2] i = {-1,0,1,-2}> { y = GatherND (x, i) }", whole_taken);
    CHECK(at<lookup_prim>(r, 0).places == integers{1, 0, 1, 1});
    const recording e =
        lowered("g (float[3] x) => (float[2,3] y) <int64[2] s = {2,1}> { y = Expand (x, s) }", of_all_types);
    REQUIRE(e.kinds() == std::vector{kind::reshape, kind::tile});
    CHECK(at<tile_prim>(e, 1).repeats == integers{2, 1});
    const recording s =
        lowered("g (float[3] x) => (float[3] y) <int64 a = {-1}> { y = CumSum <reverse = 1> (x, a) }", whole_taken);
    CHECK(at<cumulative_sum_prim>(s, 0).reverse);
}
TEST_CASE("RMSNormalization is one without a mean") {
    const recording r = lowered(
        "<ir_version: 10, opset_import: [\"\" : 23]> g (float[2,3] x) => (float[2,3] y) <float[3] s = {1,2,3}> "
        "{ y = RMSNormalization <epsilon = 0.5> (x, s) }");
    REQUIRE(r.kinds() == std::vector{kind::layer_norm});
    CHECK_FALSE(at<layer_norm_prim>(r, 0).centred);
    CHECK(at<layer_norm_prim>(r, 0).epsilon == .5f);
}
TEST_CASE("A recurrent operator is written step by step where the rules say so, up to their number") {
    static constexpr unrolled_operator steps[]{{"GRU", 2}};
    static constexpr rule_set unrolling{.library = "Machine", .rules = simple_kinds, .unrolled = steps};
    const auto gru = [](const std::string& length) {
        return "g (float[" + length +
               ",1,1] x) => (float[1,1,1] h) <float[1,3,1] w = {1,2,3}> "
               "{ y, h = GRU <hidden_size = 1> (x, w, w) }";
    };
    const recording r = lowered(gru("2"), unrolling);
    CHECK(std::ranges::count(r.kinds(), kind::dense) == 5);
    CHECK(at<dense_prim>(r, 1).w.elements() == std::vector{1.f, 2.f, 3.f});
    CHECK(why_not_lowered(gru("3"), unrolling) == "it has 3 steps, which are written one by one: more than 2");
    CHECK(why_not_lowered(gru("2")) == "Machine has no operation for GRU here");
}
TEST_CASE("What is no constant, out of range or no primitive is a reason") {
    CHECK(why_not_lowered("g (float[2] x) => (float[2] y) <int64[0] none = {}> "
                          "{ y = ReduceL1 <noop_with_empty_axes = 1> (x, none) }") == "it reduces no axis");
    CHECK(why_not_lowered("g (float[4,3] x) => (float[1,3] y) <int64[1] i = {4}> { y = Gather (x, i) }") ==
          "index 4 is out of range");
    CHECK(why_not_lowered("g (float[2] x) => (float[2] y) { y = Hardmax (x) }") ==
          "Machine has no operation for Hardmax here");
}
TEST_CASE("Elements get another order of axes") {
    const std::vector<float> x{0, 1, 2, 3, 4, 5};
    CHECK(permuted(x.data(), {1, 2, 3}, std::array{0, 2, 1}) == std::vector<float>{0, 3, 1, 4, 2, 5});
    CHECK(permuted(x.data(), {2, 3}, std::array{1, 0}) == std::vector<float>{0, 3, 1, 4, 2, 5});
}
