#include "engine/facts.hpp"
#include "models.hpp"
#include <set>

using namespace inlay;
using namespace inlay::testing;

namespace {
// The operators of ONNX's own domain, and of fused nodes, of which that holds: "Conv MaxPool inlay.FusedConv".
template <class F> std::string operators(F holds) {
    std::set<std::string> names;
    for (const entry& e : stock_kernels().entries)
        if ((e.domain.empty() || e.domain == "inlay") && holds(*e.about))
            names.insert((e.domain.empty() ? "" : std::string(e.domain) + ".") + std::string(e.name));
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "" : " ") + n;
    return text;
}
std::string folded(fold_cost cost) {
    return operators([&](const operator_record& r) { return r.facts.folding == cost; });
}
}  // namespace

TEST_CASE("What the stock operators say of themselves", "[facts]") {
    CHECK(operators([](const operator_record& r) { return !r.facts.pure; }) ==
          "Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike");
    CHECK(operators([](const operator_record& r) { return r.facts.decodes; }) == "DequantizeLinear");
    CHECK(operators([](const operator_record& r) { return r.facts.required_outputs == 0; }) == "GRU LSTM RNN");
    CHECK(operators([](const operator_record& r) { return r.facts.required_outputs == 1; }) ==
          "Attention BatchNormalization Dropout LayerNormalization MaxPool SimplifiedLayerNormalization "
          "SoftmaxCrossEntropyLoss");
    CHECK(operators([](const operator_record& r) { return r.facts.mixes_rows == row_mixing::range; }) ==
          "DynamicQuantizeLinear");
    CHECK(operators([](const operator_record& r) { return r.facts.mixes_rows == row_mixing::kernels; }) ==
          "inlay.BlockedMatMul inlay.GatedMatMulNBits");
    CHECK(operators([](const operator_record& r) { return r.caches; }) ==
          "Attention CausalConvWithState Concat LinearAttention TensorScatter");
    CHECK(operators([](const operator_record& r) { return r.facts.reads == reading::selected; }) == "Gather Slice");
    CHECK(operators([](const operator_record& r) { return r.facts.reads == reading::shape_only; }) == "Shape Size");
    CHECK(operators([](const operator_record& r) { return r.facts.moves; }) ==
          "Compress Concat DepthToSpace Expand Flatten Gather GatherElements GatherND Identity Reshape "
          "ReverseSequence Slice SpaceToDepth Split Squeeze TensorScatter Tile Transpose Unsqueeze Where "
          "inlay.ChannelShuffle");
    CHECK(operators([](const operator_record& r) { return r.passes_through; }) ==
          "Cast CastLike Concat Dropout Expand Flatten Identity Max Mean Min OptionalGetElement Reshape Sum Transpose");
    CHECK(operators([](const operator_record& r) { return r.bounds; }) ==
          "Compress NonMaxSuppression NonZero StringNormalizer Unique");
    CHECK(
        operators([](const operator_record& r) { return r.flop; }) ==
        "Attention CausalConvWithState Conv ConvInteger ConvTranspose DeformConv GRU Gemm LSTM LinearAttention MatMul "
        "MatMulInteger QLinearConv QLinearMatMul RNN "
        "inlay.Attention inlay.BlockedMatMul inlay.FusedConv inlay.FusedGemm inlay.FusedMatMul "
        "inlay.FusedMatMulInteger inlay.GatedMatMulNBits "
        "inlay.JoinedMatMul inlay.ScaledConv");
}

TEST_CASE("How expensive the stock operators are to compute when a model is loaded", "[facts]") {
    CHECK(folded(fold_cost::windowed) ==
          "AveragePool Col2Im Conv ConvInteger ConvTranspose DeformConv Einsum GridSample LRN LpPool MaxPool "
          "MaxRoiPool QLinearConv Resize RoiAlign StringConcat Upsample inlay.FusedConv inlay.ScaledConv");
    CHECK(folded(fold_cost::of_inputs) ==
          "Abs Acos Acosh Asin Asinh Atan Atanh BitCast BitwiseNot Cast CastLike Ceil Celu Cos Cosh DequantizeLinear "
          "Elu Erf Exp Flatten Floor Gelu HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg "
          "NonZero Not QuantizeLinear Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
          "ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Round Selu Shape Shrink "
          "Sigmoid Sign Sin Sinh Size Slice Softplus Softsign Split Sqrt Squeeze Swish Tan Tanh "
          "ThresholdedRelu Transpose Unsqueeze");
    CHECK(folded(fold_cost::of_result) ==
          "Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor BlackmanWindow CenterCropPad Clip "
          "Concat ConstantOfShape Div Equal Expand EyeLike Gather GatherElements GatherND Greater "
          "GreaterOrEqual HammingWindow HannWindow Less LessOrEqual Max Mean MelWeightMatrix Min Mod Mul "
          "OneHot Or PRelu Pad Pow Range Scatter ScatterElements ScatterND Sub Sum Tile Trilu Where Xor");
}

TEST_CASE("Which of the stock operators' shape rules copy names of dimensions", "[facts]") {
    CHECK(operators([](const operator_record& r) { return r.facts.keeps_names; }) ==
          "Abs Acos Acosh Add And Asin Asinh Atan Atanh Bernoulli BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr "
          "BitwiseXor "
          "Cast CastLike Ceil Celu Clip Concat Cos Cosh Div Dropout Elu Equal Erf Exp Floor Gather Gelu Gemm "
          "Greater GreaterOrEqual HardSigmoid HardSwish Hardmax Identity LayerNormalization LeakyRelu Less "
          "LessOrEqual Log LogSoftmax MatMul MatMulInteger Max Mean Min Mish Mod Mul Neg Not Or PRelu Pow "
          "RandomNormalLike RandomUniformLike Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
          "ReduceMean ReduceMin ReduceProd "
          "ReduceSum ReduceSumSquare Relu Round Selu Shrink Sigmoid Sign SimplifiedLayerNormalization Sin Sinh Softmax "
          "Softplus Softsign "
          "Split Sqrt Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Transpose Unsqueeze Where Xor "
          "inlay.FusedGemm inlay.FusedMatMul inlay.FusedMatMulInteger");
}

TEST_CASE("Of an operator that is not known nothing is, not even that it is pure", "[facts]") {
    const auto of = [](std::string_view domain, std::string_view op) -> const operator_record& {
        node n;
        n.domain = domain;
        n.op = op;
        return operator_of(n);
    };
    CHECK(of("", "Add").facts.pure);
    for (const operator_record* r : {&of("acme", "Add"), &of("", "RandomCauchy"), &of("", "If"), &of("", "add")}) {
        CHECK(!r->facts.pure);
        CHECK(r->facts.folding == fold_cost::unknown);
        CHECK(r->facts.required_outputs > 1000);
        CHECK(!r->passes_through);
    }
}
