"""com.microsoft's operators of float32 and of text. It has no schemas in Python, so that types are given here."""
from __future__ import annotations

import ml_dtypes
import numpy as np

from draw import BF16, BOOL, F16, F32, F64, I16, I32, I64, SMALL_FLOATS, TEXT, U8, U32, U64, Draw, generates, onnx_type
from nodes_attention import given
from nodes_products import weights_of, window
from nodes_quantised import MS, bytes_of

ACTIVATIONS = {"Relu": 0, "Tanh": 0, "Sigmoid": 0, "LeakyRelu": 1, "HardSigmoid": 2}


@generates("BiasAdd", "BiasSplitGelu", domain=MS)
def bias_of_images(d: Draw) -> None:
    d.calm()
    t, (n, s, c) = d.type("T", [F32, F16]), (d.count(3), d.count(20), d.rng.randint(1, 70))
    c *= 2 if d.op == "BiasSplitGelu" else 1
    d.give(d.array((n, s, c), t), constant=False), d.give(d.array((c,), t))
    if d.op == "BiasAdd":
        d.give(d.array((n, s, c), t), constant=False)
    d.how, d.scale = "sum", 1


@generates("BiasDropout", domain=MS)
def bias_dropout(d: Draw) -> None:
    d.calm()
    t, shape = d.type("T", [F32, F64, F16]), d.shape(1, 3)
    d.give(d.array(shape, t), constant=False), d.give(d.array(shape[-1:] if d.chance(0.5) else shape, t))
    given(d, d.array(shape, t) if d.chance(0.5) else None, np.array(0.25, F32) if d.chance(0.5) else None, np.array(False) if d.chance(0.3) else None)
    d.maybe(0.3, seed=3)
    d.outputs, d.how = d.pick([[True], [True, True]]), "sum"


@generates("CDist", domain=MS)
def cdist(d: Draw) -> None:
    d.calm()
    t, width = d.type("T", [F32, F64]), d.rng.randint(1, 20)
    for _ in range(2):
        d.give(d.array((d.count(9), width), t))
    d.maybe(0.8, metric=d.pick(["sqeuclidean", "euclidean"]))
    d.how, d.loose, d.scale = "sum", 20, 4 * np.sqrt(width)


@generates("ComplexMul", "ComplexMulConj", domain=MS)
def complex_mul(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F64, F16])
    for shape in d.pair(0, 3):
        d.give(d.array((*shape, 2), t), constant=False)
    d.how, d.scale = "sum", 4


@generates("ConvTransposeWithDynamicPads", domain=MS)
def conv_transpose(d: Draw) -> None:
    d.calm()
    spatial, group = 2, d.pick([1, 1, 2])
    w = window(d, spatial)
    d.attributes.pop("auto_pad", None), d.attributes.pop("pads", None)
    c, m = group * d.rng.randint(1, 4), group * d.rng.randint(1, 4)
    d.set(group=group) if group > 1 else d.maybe(group=1)
    d.maybe(kernel_shape=w["kernel"])
    d.give(d.array((d.rng.randint(1, 2), c, *w["sizes"]), F32), constant=False)
    weights_of(d, (c, m // group, *w["kernel"]), F32)
    d.parameter([d.rng.randint(0, (r - 1) // 2) for r in w["reach"] * 2])
    if d.chance(0.5):
        d.give(d.array((m,), F32))
    d.how, d.scale = "sum", 4 * np.sqrt(c // group * np.prod(w["kernel"]))


@generates("FusedConv", "NhwcFusedConv", domain=MS)
def fused_conv(d: Draw) -> None:
    d.calm()
    channels_last, spatial = d.op == "NhwcFusedConv", d.pick([1, 2, 2, 3]) if d.op == "FusedConv" else 2
    w, group = window(d, spatial), d.pick([1, 1, 2])
    d.attributes.pop("auto_pad", None)
    c, m = group * d.rng.randint(1, 5), group * d.rng.randint(1, 9)
    d.set(group=group) if group > 1 else d.maybe(group=1)
    d.maybe(kernel_shape=w["kernel"])
    n = d.count(2)
    d.give(d.array((n, *w["sizes"], c) if channels_last else (n, c, *w["sizes"]), F32), constant=False)
    weights_of(d, (m, c // group, *w["kernel"]), F32)
    pads, strides = d.attributes.get("pads", [0] * 2 * spatial), d.attributes.get("strides", [1] * spatial)
    places = [(s + pads[i] + pads[i + spatial] - r) // k + 1 for i, (s, r, k) in enumerate(zip(w["sizes"], w["reach"], strides))]
    added = (n, *places, m) if channels_last else (n, m, *places)
    given(d, d.array((m,), F32) if d.chance(0.6) else None, d.array(added, F32) if d.chance(0.4) else None)
    if d.chance(0.8):
        name = d.pick(list(ACTIVATIONS) + ["Clip"])
        d.set(activation=name)
        d.set(activation_params={"LeakyRelu": [0.2], "HardSigmoid": [0.3, 0.4], "Clip": [-1.0, 2.0]}.get(name))
    d.how, d.scale = "sum", 4 * np.sqrt(c // group * np.prod(w["kernel"]))


@generates("FusedGemm", domain=MS)
def fused_gemm(d: Draw) -> None:
    d.calm()
    m, k, n = (max(1, d.dim()) for _ in range(3))
    d.maybe(transA=d.pick([0, 1]), transB=d.pick([0, 1]), alpha=d.pick([1.0, 0.5]), beta=d.pick([1.0, 0.5]))
    name = d.pick(list(ACTIVATIONS) + ["Elu", "Softplus", "Softsign", "ThresholdedRelu", "Selu", "Celu"])
    d.set(activation=name)
    if ACTIVATIONS.get(name) or name in ("Elu", "ThresholdedRelu", "Selu", "Celu"):
        d.set(activation_alpha=0.7)
    if name == "HardSigmoid":
        d.set(activation_beta=0.3)
    if name == "Selu":
        d.set(activation_gamma=1.1)
    d.give(d.array((k, m) if d.attributes.get("transA") else (m, k), F32), constant=False)
    weights_of(d, (n, k) if d.attributes.get("transB") else (k, n), F32)
    if d.chance(0.7):
        weights_of(d, d.pick([(m, n), (n,), (1, n), (m, 1), (1,), ()]), F32)
    d.how, d.scale = "sum", 4 * np.sqrt(k)


@generates("CropAndResize", domain=MS)
def crop_and_resize(d: Draw) -> None:
    d.calm()
    x = d.give(d.array((d.rng.randint(1, 2), d.rng.randint(1, 3), d.rng.randint(1, 9), d.rng.randint(1, 9)), F32), constant=False)
    count = d.count(4)
    y, z = (np.sort(d.numbers.uniform(-0.2, 1.2, (count, 2)), -1) for _ in range(2))
    d.give(np.stack([y[:, 0], z[:, 0], y[:, 1], z[:, 1]], -1).astype(F32), constant=False)
    d.give(d.numbers.integers(0, x.shape[0], count), dtype=I32)
    d.parameter([d.rng.randint(1, 6), d.rng.randint(1, 6)], I32)
    d.maybe(0.7, mode=d.pick(["bilinear", "nearest"]), extrapolation_value=10.0)
    d.how, d.loose = "sum", 10


@generates("EmbedLayerNormalization", domain=MS)
def embed_layer_norm(d: Draw) -> None:
    d.calm()
    t, (b, s, h, words) = d.type("T", [F32, F16]), (d.count(3), d.rng.randint(1, 6), d.rng.randint(1, 70), 12)
    segments, by_positions = d.chance(0.6), d.chance(0.4)
    d.give(d.numbers.integers(0, words, (b, s)), dtype=I32, constant=False)
    d.give(d.numbers.integers(0, 2, (b, s)) if segments else None, dtype=I32)
    d.give(d.array((words, h), t)), d.give(d.array((9, h), t)), d.give(d.array((2, h), t) if segments else None)
    d.give(d.array((h,), t)), d.give(d.array((h,), t))
    mask = np.arange(s) < d.numbers.integers(1, s + 1, (b, 1))
    given(d, mask.astype(np.int32) if d.chance(0.5) else None,
          d.numbers.integers(0, 9, (d.pick([1, b]), s)).astype(np.int32) if by_positions else None)
    d.maybe(epsilon=1e-3)
    d.outputs = d.pick([[True], [True, True], [True, True, True], [True, False, True]])
    d.how, d.loose = "sum", 10


@generates("ExpandDims", domain=MS)
def expand_dims(d: Draw) -> None:
    x = d.array(d.shape(0, 4), d.type("T", [F32, F64, I64, I32, U8, BOOL, TEXT, F16]))
    d.how = "exact"
    d.give(x, constant=False), d.parameter(np.array(d.rng.randint(-x.ndim - 1, x.ndim)), I32)


@generates("GatherND", domain=MS)
def gather_nd(d: Draw) -> None:
    d.how, shape = "exact", d.shape(1, 4, empty=False)
    d.give(d.array(shape, d.type("T", [F32, F64, I64, I32, U8, BOOL, TEXT, F16])), constant=False)
    depth = d.rng.randint(1, len(shape))
    rows = d.shape(0, 2, empty=False, most=20)
    index = np.stack([d.numbers.integers(-n, n, rows) for n in shape[:depth]], -1)
    d.give(index, dtype=d.type("Tind", [I32, I64]))


@generates("GridSample", domain=MS)
def ms_grid_sample(d: Draw) -> None:
    d.calm()
    n, c = d.rng.randint(1, 2), d.rng.randint(1, 3)
    d.give(d.array((n, c, d.rng.randint(1, 6), d.rng.randint(1, 6)), F32), constant=False)
    d.give(d.array((n, d.rng.randint(1, 6), d.rng.randint(1, 6), 2), F32, low=-1.4, high=1.4), constant=False)
    d.maybe(0.8, mode=d.pick(["bilinear", "nearest", "bicubic"]), padding_mode=d.pick(["zeros", "border", "reflection"]), align_corners=d.pick([0, 1]))
    d.how, d.loose = "sum", 10


@generates("GroupNorm", "SkipGroupNorm", domain=MS)
def group_norm(d: Draw) -> None:
    d.calm()
    t, groups = d.type("T", [F32, F16]), d.rng.randint(1, 4)
    n, c, h, w = d.count(2), groups * d.rng.randint(1, 4), d.rng.randint(2, 5), d.rng.randint(2, 5)
    channels_last = d.op == "SkipGroupNorm" or d.chance(0.6)
    d.give(d.array((n, h, w, c) if channels_last else (n, c, h, w), t), constant=False)
    for _ in range(2):
        d.give(d.array((c,), d.type("M", [F32, F16])))
    if d.op == "SkipGroupNorm":
        d.give(d.array(d.pick([(n, h, w, c), (n, 1, 1, c), (n, c)]), t), constant=False)
        if d.chance(0.5):
            d.give(d.array((c,), t))
        d.outputs = d.pick([[True], [True, True]])
    d.set(groups=groups, activation=d.pick([0, 1]))
    d.set(channels_last=0) if not channels_last else d.maybe(channels_last=1)
    d.maybe(epsilon=1e-3)
    d.how, d.loose = "sum", 10


@generates("Inverse", domain=MS)
def inverse(d: Draw) -> None:
    d.calm()
    t, n = d.type("T", [F32, F64, F16]), d.rng.randint(1, 6)
    x = d.array((*d.shape(0, 2, most=10), n, n), t, low=-1, high=1) + np.eye(n) * d.pick([-2, 3]) * n  # far from singular
    d.give(x.astype(t), constant=False)
    d.how, d.loose = "sum", 10


@generates("MaxpoolWithMask", domain=MS)
def maxpool_with_mask(d: Draw) -> None:
    d.calm()
    spatial = d.pick([1, 2, 2, 3])
    w = window(d, spatial, False)
    d.attributes.pop("auto_pad", None)
    if "pads" in d.attributes:
        d.set(pads=[min(p, k - 1) for p, k in zip(d.attributes["pads"], w["kernel"] * 2)])
    n, c = d.rng.randint(1, 2), d.rng.randint(1, 4)
    d.give(d.array((n, c, *w["sizes"]), F32), constant=False)
    mask = (d.numbers.random((*d.pick([(n, c), (1, c), (1, 1)]), *w["sizes"])) < 0.8).astype(np.int32)
    d.give(mask)
    d.set(kernel_shape=w["kernel"])
    d.how = "exact"


@generates("MurmurHash3", domain=MS)
def murmur(d: Draw) -> None:
    d.how = "exact"
    d.give(d.array(d.shape(0, 3), d.type("T1", [F32, F64, I32, I64, U32, U64, TEXT])), constant=False)
    d.maybe(positive=d.pick([0, 1]), seed=d.pick([0, 7, 123456]))


@generates("NGramRepeatBlock", domain=MS)
def ngram(d: Draw) -> None:
    b, s, words = d.count(3), d.count(12), 4
    d.give(d.numbers.integers(0, words, (b, s)), dtype=I64, constant=False)
    d.give(d.array((b, words), F32, "plain"), constant=False)
    d.set(ngram_size=d.rng.randint(1, 4))
    d.how = "exact"


@generates("Pad", domain=MS)
def ms_pad(d: Draw) -> None:
    d.calm()
    shape = d.shape(1, 4, empty=False)
    mode = d.pick(["constant", "constant", "edge", "reflect"])
    d.give(d.array(shape, F32), constant=False)
    most = [3 if mode != "reflect" else n - 1 for n in shape]
    pads = [d.rng.randint(0, min(m, 3)) for m in most * 2]
    d.parameter(pads if d.chance(0.5) else [pads])
    if mode == "constant" and d.chance(0.5):
        d.give(np.array(0.5 if d.chance(0.5) else [0.5], F32))
    d.set(mode=mode) if mode != "constant" else d.maybe(mode="constant")
    d.how = "exact"


@generates("Range", domain=MS)
def ms_range(d: Draw) -> None:
    t = d.type("T", [F32, F64, I16, I32, I64])
    whole = t.kind == "i"
    start, delta, count = d.rng.randint(-5, 5), d.pick([1, 2, -1] if whole else [1, 0.5, -0.25]), d.rng.randint(0, 30)
    scalar = () if d.chance(0.6) else (1,)
    if d.chance(0.3):
        delta = 1
    for v in (start, start + delta * count):
        d.give(np.full(scalar, v).astype(t))
    if delta != 1 or d.chance(0.5):
        d.give(np.full(scalar, delta).astype(t))
    d.how = "sum"


@generates("SampleOp", domain=MS)
def sample_op(d: Draw) -> None:
    d.give(d.array(d.shape(), F32), constant=False)
    d.how = "exact"


@generates("SimplifiedLayerNormalization", domain=MS)
def ms_simplified(d: Draw) -> None:
    d.calm()
    t, shape = d.type("T", [F32, F16]), d.shape(2, 3, empty=False)
    d.give(d.array(shape, t), constant=False), d.give(d.array(shape[-1:], t))
    d.maybe(axis=-1, epsilon=1e-3)
    d.how, d.loose = "sum", 10


@generates("Tokenizer", domain=MS)
def tokenizer(d: Draw) -> None:
    words = ["a b c", "", " a  b ", "x,y,z", "one", "日本 語", "Zürich", "  ", "ab"]
    shape = d.pick([(), (2,), (3,)]) + (d.count(4),)
    d.give(np.array([d.pick(words) for _ in range(int(np.prod(shape)))], object).reshape(shape), constant=False)
    if d.chance(0.3):
        d.set(**d.pick([{"separators": [""]}, {"tokenexp": "."}]), mincharnum=1)
    else:
        d.set(separators=d.pick([[" "], [" ", ","], [","]]), mincharnum=d.pick([1, 1, 2]))
    d.set(pad_value=d.pick(["", "pad"]), mark=d.pick([0, 1]))
    d.how = "exact"


@generates("Trilu", domain=MS)
def ms_trilu(d: Draw) -> None:
    d.how = "exact"
    d.give(d.array(d.shape(2, 4), d.type("T", [F32, F64, I64])), constant=False)
    if d.chance(0.6):
        d.give(np.array(d.rng.randint(-6, 6)), dtype=I64)
    d.maybe(upper=d.pick([0, 1]))


@generates("Unique", domain=MS)
def ms_unique(d: Draw) -> None:
    d.calm("small")
    d.give(d.array((d.rng.randint(0 if d.chance(0.1) else 1, 30),), F32, "small"), constant=False)
    d.outputs, d.how = [True, True, True], "exact"


@generates("WordConvEmbedding", domain=MS)
def word_conv(d: Draw) -> None:
    d.calm()
    words, length, size, filters, letters = d.count(4), d.rng.randint(3, 8), d.rng.randint(1, 9), d.rng.randint(1, 9), 12
    reach = d.rng.randint(1, 3)
    x = d.numbers.integers(1, letters, (words, length))
    x[np.arange(length) >= d.numbers.integers(0, length + 1, (words, 1))] = 0  # where a word ends
    d.give(x, dtype=I32, constant=False)
    d.give(d.array((filters, 1, reach, size), F32)), d.give(d.array((filters,), F32)), d.give(d.array((letters, size), F32))
    d.maybe(0.4, embedding_size=filters, conv_window_size=reach, char_embedding_size=size)
    d.how, d.scale = "sum", 1


# Weights of few bits

@generates("GatherBlockQuantized", domain=MS)
def gather_block_quantized(d: Draw) -> None:
    d.calm()
    small = [np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4)]
    t, s = d.type("T1", [U8, *small, *(f for f in SMALL_FLOATS if "e8m0" not in f.name)]), d.type("T2", [F32, F16])
    block, rank = d.pick([16, 32]), d.rng.randint(2, 3)
    shape = [d.rng.randint(1, 5) for _ in range(rank)]
    quantised = d.rng.randrange(rank)
    gathered, bits = d.pick([a for a in range(rank) if a != quantised]), 4
    if t == U8:
        quantised, gathered, bits = rank - 1, 0, d.pick([2, 4, 8])
        d.set(bits=bits)
    shape[quantised] = d.rng.randint(1, 3) * block
    packed = [n * bits // 8 if t == U8 and k == rank - 1 else n for k, n in enumerate(shape)]
    d.give(bytes_of(d, tuple(packed), U8) if t == U8 else d.array(tuple(packed), t), constant=True)
    n = shape[gathered]
    d.give(d.numbers.integers(-n, n, d.shape(0, 2, most=12)), dtype=d.type("Tind", [I32, I64]))
    blocks = [shape[quantised] // block if k == quantised else m for k, m in enumerate(shape)]
    d.give(d.array(tuple(blocks), s, low=0.01, high=0.1), constant=True)
    if t not in SMALL_FLOATS and d.chance(0.5):
        if t == U8:
            blocks[-1] = -(-blocks[-1] * bits // 8)
            d.give(bytes_of(d, tuple(blocks), U8), constant=True)
        else:
            d.give(d.array(tuple(blocks), t), constant=True)
    d.set(block_size=block, gather_axis=d.pick([gathered, gathered - rank]) if t != U8 else 0, quantize_axis=d.pick([quantised, quantised - rank]))
    d.how = "rounded"


# GGUF's formats by number: elements and bytes of a block, and where its float16 scales are.
PACKED = {0: (1, 4, ()), 1: (1, 2, ()), 30: (1, 2, ()), 2: (32, 18, (0,)), 6: (32, 22, (0,)), 8: (32, 34, (0,)), 20: (32, 18, (0,)), 42: (64, 18, (0,)),
          13: (256, 176, (0, 2)), 14: (256, 210, (208,)), 16: (256, 66, (0,)), 17: (256, 74, (0,)), 18: (256, 98, (0,)), 22: (256, 82, (0,)), 23: (256, 136, (0,))}


@generates("GatherPacked", domain=MS)
def gather_packed(d: Draw) -> None:
    kind, t = d.pick(PACKED), d.pick([F32, F16, BF16])
    elements, size, scales = PACKED[kind]
    blocks, rows = d.rng.randint(1, 1 if elements == 256 else 40 if elements == 1 else 4), d.rng.randint(1, 6)
    table = bytes_of(d, (rows, blocks, size), U8)
    for at in scales:
        table[..., at:at + 2] = d.numbers.uniform(-0.1, 0.1, (rows, blocks, 1)).astype(F16).view(U8)
    d.give(table.reshape(rows, blocks * size), constant=True)
    d.give(d.numbers.integers(-2, rows + 2, d.shape(0, 2, most=12)), dtype=d.type("Tind", [I32, I64]))
    d.set(packed_type=kind, K=blocks * elements, output_dtype=onnx_type(t) if t != BF16 or d.chance(0.5) else None)
    d.how = "exact"


@generates("MatMulBnb4", domain=MS)
def matmul_bnb4(d: Draw) -> None:
    d.calm()
    t, block = d.type("T", [F32, F16]), d.pick([16, 32, 64])
    k, n, m = d.rng.randint(1, 90), d.rng.randint(1, 70), d.count(9)
    d.give(d.array((*d.shape(0, 1, empty=False, most=3), m, k), t), constant=False)
    d.give(bytes_of(d, ((n * k + 1) // 2,), U8), constant=True)
    d.give(d.array(((n * k + block - 1) // block,), t, low=0.1, high=1), constant=True)
    d.set(K=k, N=n, block_size=block, quant_type=d.pick([0, 1]))
    d.how, d.scale, d.loose = "sum", 2 * np.sqrt(k), 4
