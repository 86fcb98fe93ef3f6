"""Differences that have a reason, each with it; they are counted aloud, and fail nothing. Where the two peers differ
from one another, the words of the standard decide, and the reason names the peer that is at fault. No reason is a
tolerance."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from processor import lacks_vnni

REF, ORT = "only reference evaluator|differs from the only peer", "only onnxruntime|differs from the only peer"
ANY = "only|wrong|three ways|differs"


@dataclass(frozen=True)
class Reason:
    operators: str     # names, with spaces
    kind: str          # a regular expression that the finding's kind has
    case: str          # one that the case's line has
    text: str          # one that the finding's text has
    why: str
    when: Callable[[str], bool] = lambda case: True   # more than a regular expression says of the case's line


def numbers(case: str, name: str) -> list[int]:
    """The integers of an attribute; none where it is not given."""
    match = re.search(rf"(?<!\w){name}=\[([-\d, ]*)\]", case)
    return [int(v) for v in match[1].split(",")] if match and match[1] else []


def skips(case: str) -> bool:
    """Whether a window is smaller than its stride, along any axis; its size may be that of the weights alone."""
    kernel, strides, dilations = (numbers(case, name) for name in ("kernel_shape", "strides", "dilations"))
    weights = re.search(r"\(\S+ \w+\[([\dx]+)\]", case)
    if not kernel and weights:
        kernel = [int(v) for v in weights[1].split("x")[2:]]
    return any(s > (k - 1) * e + 1 for k, s, e in zip(kernel, strides, dilations or [1] * len(kernel)))


def uneven(case: str) -> bool:
    """Whether an attention of com.microsoft has other numbers of queries and keys, or former keys."""
    inputs = case[case.index("(") + 1:case.index(")")].split(", ")
    shapes = [[int(v) for v in shape.split("x")] for shape in re.findall(r"\[([\dx]+)\]", " ".join(inputs[:2]))]
    rows = shapes[1][2 if len(shapes[1]) == 4 else 1] if len(shapes) > 1 else shapes[0][1]
    return shapes[0][1] != rows or len(inputs) > 6


R = "^reference evaluator: "   # no other peer differs
O = "^onnxruntime: "
REASONS = (
    # A processor without VNNI
    Reason("ConvInteger MatMulInteger QLinearConv QLinearMatMul com.microsoft:MatMulIntegerToFloat com.microsoft:DynamicQuantizeMatMul com.microsoft:QAttention com.microsoft:QGemm com.microsoft:DynamicQuantizeLSTM",
           ORT, r"(?=.*uint8\[)(?=.*[ (]int8\[)", O, "where the processor lacks VNNI, ONNX Runtime adds pairs of products of uint8 and int8 in 16 bits, which saturate", lambda case: lacks_vnni()),
    # ONNX's reference evaluator
    Reason("AffineGrid Attention Gelu Erf HardSwish BatchNormalization GroupNormalization LayerNormalization LRN", ANY, "float64", "",
           "the reference evaluator, and in part ONNX Runtime, compute doubles by way of floats (stash_type, constants)"),
    Reason("GRU LSTM RNN", REF, "", R, "the reference evaluator knows no sequence_lens, clip, activations, input_forget and layouts"),
    Reason("GlobalMaxPool", ANY, "", "reference evaluator: output 0: shape", "the reference evaluator does not take the maximum over three axes or one"),
    Reason("Softmax LogSoftmax Hardmax", REF, "-(1|11) opset", R, "the reference evaluator takes versions 1 and 11, which flatten, for 13"),
    Reason("ImageDecoder", REF, "", R + r"output 0: shape \(\d+, \d+, 3\), not \(\d+, \d+\)", "the reference evaluator leaves grey images without the channels of RGB"),
    Reason("LogSoftmax", REF, "inf", R, "the reference evaluator's sums lose infinities"),
    Reason("LRN", REF, "", R, "the reference evaluator sums for as many channels as there are images"),
    Reason("LpNormalization", REF, "p=1", R, "the reference evaluator sums without magnitudes where p is 1"),
    Reason("SequenceInsert", REF, "", R, "the reference evaluator inserts before the position after the last one"),
    Reason("StringNormalizer", REF, "", R, "the reference evaluator strips accents, and compares stop words after it changed their case"),
    Reason("And Or Xor Add Sub Mul Div Equal Greater Less Pow PRelu", REF, "-(1|6) opset", R, "the reference evaluator broadcasts as from opset 7 on"),
    Reason("Gemm", REF, "-6 opset", R, "the reference evaluator forgets beta in version 6"),
    Reason("Selu Elu", REF, "-1 opset", R, "the reference evaluator takes version 1 for 6, whose defaults differ"),
    Reason("BatchNormalization", REF, "-(1|6|7|9) opset", R, "the reference evaluator takes version 9 for one that computes its own means"),
    Reason("BatchNormalization", REF, "training_mode", R, "the reference evaluator rounds the running mean to the type of X"),
    Reason("ConvTranspose", REF, "group|SAME|output_padding|output_shape", R, "the reference evaluator's transposed convolutions ignore groups and SAME"),
    Reason("MaxPool AveragePool LpPool", REF, "pads|ceil_mode", R + ".*shape", "the reference evaluator's sizes of pools mix the pads of axes"),
    Reason("Pad", REF, "e8m0", R, "a float8e8m0 has no 0; its bits are 0 here, which is 2^-127"),
    Reason("MaxPool AveragePool LpPool", REF, "dilations|SAME", R + ".*shape", "the reference evaluator's sizes of pools forget dilations, and round SAME down"),
    Reason("MaxPool AveragePool LpPool", REF, "SAME_LOWER", R, "the reference evaluator puts the odd pad of SAME_LOWER at the other end"),
    Reason("MaxPool LpPool", REF, "ceil_mode=1", R, "the reference evaluator's windows are other ones where ceil_mode makes one more"),
    Reason("MaxPool AveragePool LpPool", REF, "SAME.*dilations", R, "the reference evaluator pads a dilated kernel as if it were not dilated"),
    Reason("Scan", REF, "scan_(input|output)_axes", R, "the reference evaluator scans along the first axis only"),
    Reason("ReduceLogSumExp", REF, "inf", R + r".*inf\), not np.float\d\d\(nan\)", "the reference evaluator subtracts an infinite maximum from itself"),
    Reason("Scan", REF, "-8 opset", R, "the reference evaluator takes version 8, which has batches, for 9"),
    Reason("LpPool", REF, "dilations", R, "the reference evaluator sums over windows of several axes as if they were not dilated"),
    Reason("LayerNormalization", REF, "float16", R + "output [12]", "the reference evaluator rounds the mean to the type of X; the standard has float"),
    Reason("MeanVarianceNormalization", REF, "", R, "the reference evaluator adds 1e-9 to the deviation; variances near 0 are cancelled digits"),
    Reason("OneHot", REF, "", R, "the reference evaluator computes off + hot (on - off), which rounds"),
    Reason("PRelu", REF, "inf", R, "the reference evaluator multiplies 0 by infinite slopes"),
    Reason("Clip", ANY, "inf", "reference evaluator", "where a bound is absent, infinities become the largest number, as the standard's default has it; the reference evaluator has no bound"),
    Reason("QLinearConv ConvInteger", REF, "", R, "the reference evaluator's quantised convolutions are wrong of one axis, of three, and with a zero point for each channel"),
    Reason("ReduceL1 ReduceL2 ReduceSum ReduceSumSquare ReduceLogSum ReduceMean", "wrong|differs from the only peer", "special", r"not np.float\d\d\(-?inf\)", "the reference kernel accumulates in float64, where sums of float32 do not overflow"),
    Reason("Resize", REF, "mode=nearest.*tf_crop", R, "the reference evaluator computes places of a roi of floats in floats: ties fall to the other side"),
    Reason("Resize", REF, "half_pixel_symmetric", R, "the reference evaluator takes a place that rounding puts a hair above an element for the one below it"),
    Reason("Resize", REF, "pytorch_half_pixel", R, "the reference evaluator puts the one place of an axis at -0.5; the standard at 0"),
    Reason("ai.onnx.ml:TreeEnsembleRegressor", ANY, "(aggregate_function=(MIN|MAX)|base_values).*#partial", "", "least and largest votes, and base values, of targets that no leaf voted for are 0 here"),
    Reason("Where CenterCropPad ScatterND ScatterElements TensorScatter", REF, "text", R, "the reference evaluator cuts strings to the length of others, and pads them with numbers"),
    Reason("Unsqueeze", REF, "-", R, "the reference evaluator counts negative axes from the end of what it has so far"),
    Reason("Softmax LogSoftmax", REF, "bfloat16|special", R, "the reference evaluator rounds every step to the type, and overflows"),
    Reason("ai.onnx.ml:TreeEnsembleRegressor ai.onnx.ml:TreeEnsembleClassifier", REF, "nan.*#equality", R, "the reference evaluator sends NaN where equality does not"),
    Reason("ReduceL2 ReduceSum ReduceMean ReduceL1 ReduceSumSquare ReduceLogSum ReduceLogSumExp ReduceProd CumSum Sum Mean GlobalAveragePool AveragePool", REF, "b?float16", R,
           "the reference evaluator rounds every step to 16 bits"),
    Reason("ReduceMean ReduceL2", REF, "int", R, "the reference evaluator's sums of integers overflow"),
    Reason("Resize", REF, "complex", R, "the reference evaluator drops imaginary parts"),
    Reason("Slice", REF, "", R, "the reference evaluator leaves negative steps to numpy, which does not clamp starts"),
    Reason("Unique", REF, "sorted=0", R, "the reference evaluator does not keep the order of first occurrences along an axis"),
    Reason("ai.onnx.ml:DictVectorizer ai.onnx.ml:LinearRegressor", REF, "", R + ".*shape", "the reference evaluator has no axis of one row"),
    Reason("ai.onnx.ml:LinearRegressor ai.onnx.ml:Normalizer ai.onnx.ml:Scaler ai.onnx.ml:SVMRegressor ai.onnx.ml:SVMClassifier ai.onnx.ml:TreeEnsembleRegressor",
           REF, "int(32|64)|float64", R, "the reference evaluator gives results the type of X; the standard has float"),
    Reason("ai.onnx.ml:LinearRegressor", REF, "targets", R, "the reference evaluator makes NaN where there are no intercepts"),
    Reason("ai.onnx.ml:Normalizer", REF, "", R, "the reference evaluator divides by the largest magnitude; the formula of the standard is X / max(X)"),
    Reason("ai.onnx.ml:TreeEnsembleClassifier", REF, "post_transform=LOGISTIC", R + "output 0", "the reference evaluator compares what the transform made, where floats of large scores are all 1"),
    Reason("ai.onnx.ml:TreeEnsembleClassifier", REF, "#partial", R, "where a class has no vote the reference evaluator compares it as 0, and makes a second score of one otherwise"),
    Reason("ai.onnx.ml:TreeEnsemble", REF, "#member", R, "the reference evaluator gives sets to nodes in the order of a walk, and ends them at 0"),
    Reason("ai.onnx.ml:LinearClassifier ai.onnx.ml:SVMClassifier", REF, "", R,
           "the reference evaluator makes no second score of one, as ONNX Runtime does, nor transforms all"),
    Reason("ai.onnx.ml:TreeEnsemble", ANY, "aggregate_function=[23].*#partial", "reference evaluator: ", "the reference evaluator starts least and largest votes at infinities"),
    Reason("ai.onnx.ml:TreeEnsemble", ANY, "post_transform=[1-4]", "reference evaluator: ", "the reference evaluator transforms nothing"),
    Reason("MaxPool", REF, "", R + "output 1", "the reference evaluator's indices of rows are wrong where there are several channels"),
    Reason("DynamicQuantizeLinear", REF, "", R, "the reference evaluator's scale of zeros is 1 / 255"),
    Reason("ScatterElements ScatterND", REF, "nan", R, "the reference evaluator's least numbers skip NaN by their order"),
    Reason("Trilu", REF, "text", R, "the reference evaluator fills strings with numbers"),
    Reason("ai.onnx.ml:SVMRegressor ai.onnx.ml:SVMClassifier", REF, r"\(\w+\[\d+\]", R, "the reference evaluator takes one row of features for a column"),
    Reason("Loop", REF, "", R + r"output \d+: shape", "the reference evaluator joins what the trips give along its first axis, and stacks it not"),
    Reason("Loop", REF, r"opset \d+ \([^,]*, -", R, "the reference evaluator makes no trip where there is no condition"),
    Reason("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", REF, "ignore_index=-1(?!.*reduction=(none|sum))", R, "the reference evaluator counts what is ignored in the mean, where its class is negative"),
    Reason("DeformConv", REF, r"\((float64|b?float16)", R, "the reference evaluator computes doubles by way of floats, and rounds every step to 16 bits"),
    Reason("RoiAlign", REF, "-10 opset", R, "the reference evaluator takes version 10, whose pixels are not shifted by a half, for 16"),
    Reason("ai.onnx.preview.training:Adam", REF, "float64", R, "the reference evaluator computes doubles by way of floats"),
    Reason("ai.onnx.preview:FlexAttention", REF, "float64", R, "the function of the standard has the scale as a float; the reference evaluator does not"),
    Reason("QuantizeLinear", REF, r"\(float\S+ b?float16\[", R, "the division is of the scale's type; the reference evaluator divides in the wider one"),
    # ONNX Runtime
    Reason("Loop", ORT, "", O + r"output \d+: shape \(0, [\d, ]+\), not \(0,\)", "ONNX Runtime knows no shape of what no trip gave"),
    Reason("Loop", ORT, r"opset \d+ \(\S+ -[,)]", O, "without a condition for the first trip the body's is ignored, as the standard's text has it; ONNX Runtime heeds it"),
    Reason("GlobalMaxPool MaxPool", ORT, "inf", O + r".*-inf\), not np.\w+\(-(3.40|1.79|6.55)", "ONNX Runtime's maximum of infinities below is the least number"),
    Reason("Loop", ORT, "text", O + r"output \d+: strings", "ONNX Runtime loses strings that several trips give"),
    Reason("DFT", ORT, "inverse=1.*onesided=1", O, "ONNX Runtime takes no notice of onesided in the inverse"),
    Reason("DFT", ORT, r"\(float64.*inverse=1", O, "ONNX Runtime divides by the length as a float"),
    Reason("MaxUnpool", ORT, r"\(\S+ int64\[\S+.*, int64\[", O, "ONNX Runtime counts indices through output_shape; the standard's cases have them count through what the pool read"),
    Reason("com.microsoft:GroupQueryAttention", ORT, "", O + r"output [12]: element .*, not np.(float\d\d\(0.0\)|int8\(0\)|uint8\((0|136)\))", "behind the end of a shorter text ONNX Runtime clears what past had, which stays here, as it does where past and present are one memory"),
    Reason("com.microsoft:MatMulNBits", ORT, r"\((\S+ ){3}(uint8\S+ int32|\S+ int32.*bits=2)", O,
           "with a g_idx of nothing but 0 ONNX Runtime differs from itself without it, where zero points are packed, and of 2 bits"),
    Reason("Col2Im", ORT, r"int64\[[13]\].*dilations=\[[^]]*2", O, "ONNX Runtime's dilations of other than two axes go wrong"),
    Reason("com.microsoft:DecoderMaskedMultiHeadAttention", ORT, r"\((\S+ ){4}float\d\d\[(?!1x)(\S+ ){4}int32\[1\]", O, "ONNX Runtime takes the bias of another beam than the first from the wrong one"),
    Reason("com.microsoft:MaxpoolWithMask", ORT, r", int32\[(?!1x1x)", O, "ONNX Runtime's place in the mask is the place in X modulo the number of the mask's planes, not of its elements"),
    Reason("com.microsoft:QLinearSoftmax", ORT, r"\(uint8", O + r"output 0: element \S+( \d+,)* ?\S* is np.uint8\(255\), not np.uint8\(0\)", "a probability of 1 is 256 of 256 steps: ONNX Runtime wraps it round"),
    Reason("com.microsoft:BeamSearch com.microsoft:WhisperBeamSearch", ORT, "", O + r"output 2: element \(\d+, 0, 0, 0\) is np.float32\(0.0\), not",
           "ONNX Runtime leaves the scores of steps that it does not make as they are in memory, and makes one more where all texts end with the token of the encoder's logits"),
    Reason("com.microsoft:WordConvEmbedding", ORT, "", O + r".* is np.float32\(0.0\), not", "ONNX Runtime leaves what is made of a word without characters as it is in memory"),
    Reason("ai.onnx.ml:TreeEnsemble", ORT, "float64", O, "ONNX Runtime's scores of doubles differ by the last place of a float: it seems to transform floats"),
    Reason("ai.onnx.ml:TreeEnsemble", ANY, "post_transform=[12]", O, "ONNX Runtime takes 1 for LOGISTIC and 2 for SOFTMAX; the standard has them the other way round"),
    Reason("ai.onnx.ml:TreeEnsembleClassifier", ORT, "#two", O + "output 0", "ONNX Runtime's label of two classes is whether the second one's score is above 0, or 0.5, whatever the first one's is"),
    Reason("ai.onnx.ml:TreeEnsembleClassifier", ORT, "#partial", O, "ONNX Runtime mirrors the score of a row whose leaves vote for one of two classes only"),
    Reason("ai.onnx.ml:TreeEnsembleRegressor", ORT, "base_values.*#partial", O, "ONNX Runtime leaves out the base value of a target that no leaf voted for"),
    Reason("Cast", ORT, r"bool.*to=8", O, "ONNX Runtime writes booleans as 0 and 1; numpy, and so ONNX's evaluator, as False and True"),
    Reason("Cast", ORT, "float.*to=8", O, "ONNX Runtime writes 2 for 2.0; the standard has numpy's text"),
    Reason("ConvTranspose", ANY, "SAME", "onnxruntime: .*shape", "ONNX Runtime makes less than size times stride where the kernel is smaller than the stride", skips),
    Reason("MaxPool AveragePool LpPool com.microsoft:NhwcMaxPool", ANY, "SAME.*dilations", "onnxruntime: .*shape", "ONNX Runtime makes less than size by stride of a dilated kernel"),
    Reason("MaxPool com.microsoft:NhwcMaxPool com.microsoft:QLinearAveragePool AveragePool LpPool", ANY, "SAME", "element",
           "where a kernel is smaller than its stride, SAME pads nothing here; pools, not convolutions, of both peers crop by a negative pad", skips),
    Reason("MaxPool GlobalMaxPool TopK ReduceMax ReduceMin Hardmax Max Min ScatterND ScatterElements", ANY, "nan", "", "maxima pass NaN on here; not all of ONNX Runtime's do, and the standard is silent"),
    Reason("NonZero", ORT, r"\[\]", O, "ONNX Runtime counts one axis of a scalar"),
    Reason("Shrink", ORT, "", O, "ONNX Runtime computes by way of floats"),
    Reason("Mod", ORT, "fmod=1", O, "ONNX Runtime divides integers of 64 bits by way of doubles where fmod is 1"),
    Reason("Slice", ORT, "-", O, "ONNX Runtime does not clamp starts and ends of negative steps alike"),
    Reason("StringSplit", ORT, "", O, "ONNX Runtime splits at spaces alone, strips the rest, and has no part of an empty string"),
    Reason("TfIdfVectorizer", ORT, "weights", O, "ONNX Runtime takes weights by the place in the output; the standard by the place in the pool"),
    Reason("ReduceL1 ReduceL2 ReduceSum ReduceSumSquare ReduceMean ReduceProd ReduceMax ReduceMin ReduceLogSum ReduceLogSumExp", ORT, "int64|int32|empty", O,
           "ONNX Runtime's sums of integers stop at the ends, and it reduces nothing of what is empty"),
    Reason("Resize", ORT, "nearest|^(?!.* mode=)", O, "ONNX Runtime rounds positions in floats: ties fall to the other side"),
    Reason("MeanVarianceNormalization", ORT, "", O, "ONNX Runtime divides 0 by 0 where one element is its own mean"),
    Reason("com.microsoft:MultiHeadAttention", ORT, "unidirectional=1", O, "causal with other numbers of queries and keys: ONNX Runtime counts from the first key, and lets the last query see all", uneven),
    Reason("Cast", ORT, "float.*to=2[1256]", O, "ONNX Runtime rounds floats to integers of 4 and 2 bits; other casts to integers, and the reference evaluator, truncate"),
    Reason("Cast CastLike", ORT, "float64.*float16|float64.*to=1[06]", O, "ONNX Runtime rounds doubles to floats first"),
    Reason("Gather", ORT, "text", O, "ONNX Runtime loses strings that are gathered along axes but the last"),
    Reason("ReduceLogSumExp ReduceLogSum", ORT, "nan", O, "ONNX Runtime's maximum skips NaN"),
    Reason("com.microsoft:QLinearAveragePool", ORT, "count_include_pad=1 ceil_mode=1", O,
           "ONNX Runtime counts what lies beyond the padding too, where ceil_mode makes one more window; AveragePool does not"),
    Reason("ReduceLogSumExp", ORT, "int", O, "ONNX Runtime rounds each exponential to an integer"),
    Reason("ai.onnx.ml:TreeEnsembleClassifier", ANY, "base_values", "onnxruntime", "ONNX Runtime forgets votes where all are for the second class and both have base values"),
    Reason("Cast", ORT, "to=24", O, "ONNX Runtime knows no round_mode of float8e8m0"),
    Reason("LogSoftmax", ORT, "inf", O, "ONNX Runtime drops an infinite maximum; the formula gives NaN"),
    Reason("ai.onnx.ml:SVMClassifier ai.onnx.ml:LinearClassifier", ANY, "SOFTMAX_ZERO", "onnxruntime", "scores within 1e-7 of 0 stay what they are; which those are, rounding decides"),
    Reason("Sign", ORT, "nan", O, "ONNX Runtime gives NaN the sign 0"),
    Reason("MatMul Gemm", ORT, "empty", O, "ONNX Runtime leaves products over an empty axis as they are in memory"),
    Reason("LogSoftmax Softmax", ANY, "nan", "", "a NaN makes a row of NaN here; ONNX Runtime's maximum skips it"),
    Reason("Attention", ORT, "qk_matmul_output_mode=2.*outputs 1001", O + "output 1", "ONNX Runtime has the least number for what the mask leaves out; the function has -inf"),
    Reason("Attention", ORT, "qk_matmul_output_mode=2", O + "output 3", "ONNX Runtime has the least number for what the mask leaves out; the function has -inf"),
    Reason("Attention", REF, r"\((\S+ ){3}\w+\[(\d+x\d+x1x)?\d+\].*is_causal=1", R, "the reference evaluator's causal mask is the first row's where attn_mask has one row for all"),
    Reason("Attention", ANY, r"\((\S+ ){4}\S.*is_causal=1", "onnxruntime", "ONNX Runtime counts causal positions without the past"),
    Reason("Attention", ANY, "softcap.*outputs 1001", "reference evaluator: output 1", "the reference evaluator gives products after the cap where mode 0 requires them before it"),
    Reason("Attention", ANY, "softcap", "reference evaluator: output 3", "the reference evaluator gives products after the cap where mode 0 requires them before it"),
    Reason("AveragePool", REF, "-1 opset|ceil_mode=1", R, "the reference evaluator counts pads in version 1, and what lies beyond them"),
    Reason("Shape", REF, "end=-", R, "the reference evaluator does not clamp an end below the first axis"),
    Reason("Resize", REF, "float64", R, "the reference evaluator computes positions in floats"),
    Reason("GridSample", REF, r"\(float64|\(\S+ b?float16\[", R, "the reference evaluator computes places and weights in the grid's type, or in floats; here they are as exact as X"),
    Reason("GridSample", ORT, "mode=(bi)?cubic.*padding_mode=border", O, "ONNX Runtime's cubic weights beyond the border are those of the place itself; ONNX's evaluator moves the place to the border first"),
    Reason("Resize", ANY, "align_corners|tf_crop", "onnxruntime", "the standard's length_resized is the product with the scale, as its tests have it; ONNX Runtime rounds it down first, and leaves axes of scale 1 uncropped"),
    Reason("Resize", REF, "", R + ".*shape", "lengths are computed in floats, as ONNX's inference does; the reference evaluator computes in doubles"),
    Reason("HammingWindow BlackmanWindow HannWindow", ORT, "output_datatype=11", O, "ONNX Runtime has constants of floats in windows of doubles"),
    Reason("Resize", ORT, "tf_crop", O, "ONNX Runtime leaves an axis whose scale is 1 as it is, even where roi crops it"),
    Reason("Erf", REF, "int", R, "the reference evaluator computes Erf of integers in floats, where it is 1 from 4 on; cut off, it is 0 up to 5"),
    Reason("RMSNormalization", REF, r"\((\w+)\[[^,]*, (?!\1\[)", R, "the reference evaluator gives RMSNormalization the type of X, the schema that of scale"),
    # what is refused
    Reason("RegexFullMatch", "refused", "", "RE2", "a build without RE2 says so"),
    Reason("Col2Im", "refused", "text", "found string", "strings have no sum"),
    Reason("Unique", "refused", "complex", "no order|not covered", "complex numbers have no order to be sorted by"),
)


def explanation(operator: str, case: str, finding: dict[str, str]) -> str | None:
    if "no kernel for this operator" in finding["text"]:
        return f"{operator}: gap: there is no kernel for it"
    texts = re.split("; (?=reference evaluator: |formula: )", finding["text"])
    if "three ways" in finding["kind"] and len(texts) > 1:  # each peer's needs its own
        reasons = [explanation(operator, case, {"kind": "differs from the only peer", "text": text}) for text in texts]
        return "; and ".join(reasons) if all(reasons) else None
    for r in REASONS:
        if operator in r.operators.split() and re.search(r.kind, finding["kind"]) and re.search(r.case, case) and re.search(r.text, finding["text"]) and r.when(case):
            return f"{operator}: {r.why}"
    return None
