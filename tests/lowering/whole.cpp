// Operators of ONNX for libraries that have them whole, or have integers as they are.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
recording whole(const std::string& text) { return lowered(text, whole_taken, layout::plain); }
std::string why_not_whole(const std::string& text) { return why_not_lowered(text, whole_taken); }
}  // namespace

TEST_CASE("Gemm stays whole, with operands that are no constants") {
    const recording r = whole(
        "g (float[2,3] a, float[4,2] b, float[3,1] c) => (float[3,4] y) "
        "{ y = Gemm <transA = 1, transB = 1, alpha = 0.5, beta = 2.0> (a, b, c) }");
    REQUIRE(r.kinds() == std::vector{kind::gemm});
    const auto& p = at<gemm_prim>(r, 0);
    CHECK((p.a_by_column && p.b_by_column && p.alpha == .5f && p.beta == 2));
    CHECK(p.c->dims == shape{3, 1});
    CHECK(whole("g (float[2,2] x) => (float[2,2] y) <float[2,2] w = {1,2,3,4}> { y = MatMul (x, w) }").kinds() ==
          std::vector{kind::matmul});
}
TEST_CASE("Norms stay whole, and those of instances and layers are of planes and rows") {
    const recording batch = whole(
        "g (float[1,2] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float[1,2] y) "
        "{ y = BatchNormalization (x, s, b, m, v) }");
    REQUIRE(batch.kinds() == std::vector{kind::batch_norm});
    CHECK(at<batch_norm_prim>(batch, 0).variance.dims == shape{2});
    const recording layer =
        whole("g (float[2,3,4] x, float[4] s) => (float[2,3,4] y) { y = LayerNormalization (x, s) }");
    REQUIRE(layer.kinds() == std::vector{kind::layer_norm});
    CHECK(at<layer_norm_prim>(layer, 0).axes == integers{2});
    CHECK(at<layer_norm_prim>(layer, 0).scale->dims == shape{4});
    CHECK_FALSE(at<layer_norm_prim>(layer, 0).shift);
}
TEST_CASE("Parts of a Split are results of one primitive") {
    const recording r = whole("g (float[6] x) => (float[2] a, float[2] b, float[2] c) { a, b, c = Split (x) }");
    REQUIRE(r.kinds() == std::vector{kind::split});
    CHECK(at<split_prim>(r, 0).rest.size() == 2);
    CHECK(r.results[2].id == at<split_prim>(r, 0).rest[1].id);
}
TEST_CASE("A result that is not requested is an operand that no node reads") {
    const recording r = whole("g (float[5] x) => (int64[2] i) <int64[1] k = {2}> { v, i = TopK (x, k) }");
    REQUIRE(r.kinds() == std::vector{kind::top_k});
    CHECK(at<top_k_prim>(r, 0).indices.id == r.results[0].id);
    CHECK(at<top_k_prim>(r, 0).y.dims == shape{2});
}
TEST_CASE("An exponent of another type is cast, and integers are clipped at their types' bounds") {
    CHECK(whole("g (float[2] x, int64[2] e) => (float[2] y) { y = Pow (x, e) }").kinds() ==
          std::vector{kind::cast, kind::binary});
    const recording r = whole("g (int8[2] x) => (int8[2] y) <int8 low = {-3}> { y = Clip (x, low) }");
    CHECK(at<clamp_prim>(r, 0).whole_bounds == std::array<std::int64_t, 2>{-3, 127});
}
TEST_CASE("Indices that a run knows are an operand, with the lengths that they stay below") {
    const recording gather = whole("g (float[4,3] x, int64[2] i) => (float[2,3] y) { y = Gather (x, i) }");
    CHECK_FALSE(at<gather_prim>(gather, 0).places);
    CHECK(at<gather_prim>(gather, 0).indices->type == element::i64);
    const recording two = whole("g (float[4,3] x, int64[2,2] i) => (float[2] y) { y = GatherND (x, i) }");
    CHECK(at<lookup_prim>(two, 0).lengths == std::vector<std::int64_t>{4, 3});
    CHECK(why_not_whole("<ir_version: 8, opset_import: [\"\" : 18]> g (float[4] x, int64[1] i, float[1] u) => "
                        "(float[4] y) { y = ScatterElements <reduction = \"add\"> (x, i, u) }") ==
          "it reduces what meets, and does not only replace");
}
TEST_CASE("Scales and zero points of quantized values are operands, along blocks") {
    const recording r = whole(
        "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3,2] x, float[3] s) => (uint8[2,3,2] y) "
        "<uint8[3] z = {1,2,3}> { y = QuantizeLinear <axis = 1> (x, s, z) }");
    REQUIRE(r.kinds() == std::vector{kind::quantize_blocks});
    const auto& p = at<quantize_blocks_prim>(r, 0);
    CHECK(p.quantizes);
    CHECK(p.blocks == shape{2, 3, 1, 2});
    CHECK(p.steps == shape{0, 1, 0, 0});
    const recording sums =
        whole("g (uint8[1,1,3,3] x, uint8[1,1,2,2] w) => (int32[1,1,2,2] y) { y = ConvInteger (x, w) }");
    REQUIRE(sums.kinds() == std::vector{kind::quantized_conv});
    CHECK_FALSE(at<quantized_conv_prim>(sums, 0).of_y.scale);
    CHECK(whole("g (uint8[2] x) => (uint8[2] y) { y = Max (x, x) }").kinds() == std::vector{kind::binary});
}
TEST_CASE("Integers as they are have no operators that go by what they stand for") {
    CHECK(why_not_whole(
              "<ir_version: 8, opset_import: [\"\" : 18, \"com.microsoft\" : 1]> g (uint8[2] x) => (uint8[2] y) "
              "<float s = {0.5}, uint8 z = {1}> "
              "{ y = com.microsoft.QLinearAdd (x, s, z, x, s, z, s, z) }") ==
          "Machine has no operation for QLinearAdd here");
}
TEST_CASE("A library that has an operator whole has one row of it") {
    int rows = 0;
    for (const table_row& row : table_of(whole_taken))
        rows += row.operators.find("BatchNormalization") != row.operators.npos;
    CHECK(rows == 1);
    CHECK(std::ranges::none_of(table_of(whole_taken),
                               [](const table_row& r) { return r.operators.find("QLinearAdd") != r.operators.npos; }));
}
TEST_CASE("A recurrent network has the requested results, and others that no node reads") {
    const recording r = whole(
        "<ir_version: 8, opset_import: [\"\" : 14]> g (float[5,2,3] x, float[1,16,3] w, float[1,16,4] r) => "
        "(float[1,2,4] c) { y, h, c = LSTM <hidden_size = 4> (x, w, r) }");
    REQUIRE(r.kinds() == std::vector{kind::recurrent});
    CHECK(at<recurrent_prim>(r, 0).last_cell.id == r.results[0].id);
    CHECK(at<recurrent_prim>(r, 0).functions == 3);
    CHECK(why_not_whole("<ir_version: 8, opset_import: [\"\" : 14]> g (float[5,2,3] x, float[1,4,3] w, "
                        "float[1,4,4] r) => (float[5,1,2,4] y) { y = RNN <hidden_size = 4, clip = 1.0> (x, w, r) }") ==
          "it clips");
}
TEST_CASE("A library without an operation says so before its types") {
    CHECK(why_not_lowered("g (float[2,3] x) => (int64[1,3] y) { y = ArgMax (x) }") ==
          "Machine has no operation for ArgMax here");
    CHECK(why_not_whole("g (float[2,3] x) => (bool[2,3] y) { y = IsInf <detect_positive = 0, detect_negative = 0> "
                        "(x) }") == "it detects nothing");
}
