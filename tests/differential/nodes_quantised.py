"""Operators of integers with scales, ONNX's and com.microsoft's, and com.microsoft's others."""
from __future__ import annotations

import numpy as np

from draw import (BF16, BOOL, F16, F32, F64, FLOATS, I8, I16, I32, I64, SMALL_FLOATS, SMALL_INTEGERS, U8, U16, Draw, Unsuitable, generates,
                  is_float)
from nodes_products import window

MS = "com.microsoft"


def scale_of(d: Draw, shape=(), dtype=F32) -> np.ndarray:
    return np.asarray(np.exp2(d.numbers.integers(-7, -1, shape)) * d.numbers.uniform(1, 2, shape)).astype(dtype)


def bytes_of(d: Draw, shape, dtype) -> np.ndarray:
    info = np.iinfo(dtype)
    return d.numbers.integers(info.min, info.max + 1, shape).astype(dtype)


def zero_of(d: Draw, dtype, shape=()) -> np.ndarray:
    return bytes_of(d, shape, dtype) if d.chance(0.7) else np.zeros(shape, dtype)


@generates("QuantizeLinear", "DequantizeLinear")
def quantize(d: Draw) -> None:
    d.calm()
    forward = d.op == "QuantizeLinear"
    shape = d.shape(1, 4)
    narrow_name = d.schema.outputs[0].type_str if forward else d.schema.inputs[0].type_str
    narrow = d.type(narrow_name)
    wide_name = d.schema.inputs[0].type_str if forward else d.schema.inputs[1].type_str
    wide = d.type(wide_name) if not wide_name.startswith("tensor") else F32
    if forward and d.schema.inputs[1].type_str not in (wide_name,) and not d.schema.inputs[1].type_str.startswith("tensor"):
        scale_type = d.type(d.schema.inputs[1].type_str)
    else:
        scale_type = F32 if wide not in FLOATS else wide
    if "e8m0" in scale_type.name:
        scale_type = F32
    axis, kind, block = 1, "tensor", 0
    if d.since >= 13 and len(shape) >= 1 and d.chance(0.5):
        axis, kind = d.axis(len(shape)), "axis"
    if d.since >= 21 and kind == "axis" and d.chance(0.3) and all(shape):
        kind, block = "blocks", d.pick([b for b in (1, 2, 4, 8) if shape[axis] % b == 0])
    if kind == "tensor":
        scale_shape = ()
    elif kind == "axis":
        scale_shape = (shape[axis],)
        if axis != 1 or d.chance(0.5):
            d.set(axis=axis)
    else:
        scale_shape = tuple(n // block if k == axis % len(shape) else n for k, n in enumerate(shape))
        d.set(axis=axis, block_size=block)
    if wide == I32 and d.since < 23 and forward and not d.schema.inputs[1].type_str.startswith("tensor"):
        scale_type = I32
    scale = scale_of(d, scale_shape, scale_type) if is_float(scale_type) else np.ones(scale_shape, scale_type)
    if forward:
        x = d.array(shape, wide, "plain" if d.chance(0.7) else "small")
        if is_float(wide):  # halves, so that rounding to even is seen
            quotient = np.round(x.astype(np.float64) * 8) / 2
            broad = scale if kind == "tensor" else scale.reshape([-1 if k == axis % len(shape) else 1 for k in range(len(shape))]) if kind == "axis" else np.repeat(scale, block, axis)
            if d.chance(0.4) and is_float(scale_type):
                scale = np.exp2(np.round(np.log2(scale.astype(np.float64)))).astype(scale_type)
                broad = np.exp2(np.round(np.log2(broad.astype(np.float64))))
                x = (quotient * broad).astype(wide)
            else:
                x = ((quotient + 0.23) * broad.astype(np.float64)).astype(wide)
        elif wide == I32:
            x = d.numbers.integers(-40, 40, shape).astype(np.int32)
            scale = np.ones_like(scale)
        d.give(x, constant=False)
    else:
        d.give(d.array(shape, narrow, "wide"), constant=False)
    d.give(scale)
    floats = narrow in SMALL_FLOATS
    needs = forward and narrow != U8 and not (d.since >= 21 and "output_dtype" in d.schema.attributes and d.chance(0.4))
    if forward and narrow != U8 and not needs:
        from draw import onnx_type
        d.set(output_dtype=onnx_type(narrow))
    elif needs or d.chance(0.6):
        if narrow == I32 or narrow.name in ("int16", "uint16") and d.since < 21:
            zero = np.zeros(scale_shape, narrow)
        else:
            zero = np.zeros(scale_shape, np.float32).astype(narrow) if floats else d.array(scale_shape, narrow, "wide")
        d.give(zero)
    if forward and floats and "saturate" in d.schema.attributes:
        d.maybe(0.4, saturate=d.pick([0, 1]))
    d.how = "exact" if forward else "rounded"


@generates("DynamicQuantizeLinear")
def dynamic_quantize(d: Draw) -> None:
    d.calm()
    d.give(d.array(d.shape(1, 3, empty=False), F32), constant=False)
    d.outputs, d.how = [True] * 3, "near"


@generates("MatMulInteger", "QLinearMatMul")
def matmul_integer(d: Draw) -> None:
    names = ("T1", "T2") if d.op == "MatMulInteger" or d.since >= 21 else ("T1", "T2")
    t, u = (d.type(n, [U8, I8]) for n in names)
    m, k, n = max(1, d.dim()), max(1, d.dim()), max(1, d.dim())
    batch = d.shape(0, 2, empty=False, most=6)
    a, b = (*batch, m, k), (*(batch if d.chance(0.4) else ()), k, n)
    rows, columns = d.chance(0.2) and not batch, d.chance(0.3)
    if d.op == "MatMulInteger":
        d.give(bytes_of(d, a, t), constant=False), d.give(bytes_of(d, b, u), constant=d.chance(0.7))
        zeros = [zero_of(d, t) if d.chance(0.7) else None, zero_of(d, u, (n,) if columns and len(b) == 2 else ()) if d.chance(0.7) else None]
        for z in zeros:
            d.give(z)
        while d.inputs[-1].value is None:
            d.inputs.pop()
        d.how = "exact"
        return
    y = d.type("T3", [U8, I8])
    s = d.type("TS", [F32]) if d.since >= 21 else F32
    d.give(bytes_of(d, a, t), constant=False), d.give(scale_of(d, (), s)), d.give(zero_of(d, t))
    d.give(bytes_of(d, b, u), constant=d.chance(0.7))
    d.give(scale_of(d, (n,) if columns and len(b) == 2 else (), s)), d.give(zero_of(d, u, (n,) if columns and len(b) == 2 else ()))
    d.give((scale_of(d, (), s) * k * 3).astype(s)), d.give(zero_of(d, y))
    d.how = "near"
    _ = rows


@generates("ConvInteger", "QLinearConv")
def conv_integer(d: Draw) -> None:
    t, u = d.type("T1", [U8, I8]), d.type("T2", [U8, I8])
    spatial = d.pick([1, 2, 2, 3])
    w = window(d, spatial)
    group = d.pick([1, 1, 2, 4])
    c, m = group * d.rng.randint(1, 4), group * d.rng.randint(1, 6)
    if d.chance(0.2):
        c = m = group
    d.set(group=group) if group > 1 else None
    d.maybe(kernel_shape=w["kernel"])
    x = bytes_of(d, (d.rng.randint(1, 2), c, *w["sizes"]), t)
    k = bytes_of(d, (m, c // group, *w["kernel"]), u)
    channels = d.chance(0.4)
    d.give(x, constant=False)
    if d.op == "ConvInteger":
        d.give(k, constant=d.chance(0.7))
        for z in (zero_of(d, t) if d.chance(0.7) else None, zero_of(d, u, (m,) if channels else ()) if d.chance(0.6) else None):
            d.give(z)
        while d.inputs[-1].value is None:
            d.inputs.pop()
        d.how = "exact"
        return
    y = d.type("T3", [U8, I8])
    many = (m,) if channels else ()
    d.give(scale_of(d)), d.give(zero_of(d, t)), d.give(k, constant=d.chance(0.8))
    d.give(scale_of(d, many)), d.give(zero_of(d, u, many) if not channels or u == I8 else np.full(many, d.rng.randint(0, 255), u))
    d.give((scale_of(d) * 3 * c * np.prod(w["kernel"]) / group).astype(np.float32)), d.give(zero_of(d, y))
    if d.chance(0.5):
        d.give(d.numbers.integers(-3000, 3000, m), dtype=I32)
    d.how = "near"


# com.microsoft: it has no schemas in Python, so that types are given here.

@generates("QLinearAdd", "QLinearMul", domain=MS)
def qlinear_binary(d: Draw) -> None:
    t = d.type("T", [U8, I8])
    for shape in d.pair(0, 4):
        d.give(bytes_of(d, shape, t)), d.give(scale_of(d)), d.give(zero_of(d, t))
    d.give((scale_of(d) * (2 if d.op == "QLinearAdd" else 1)).astype(np.float32)), d.give(zero_of(d, t))
    d.how = "near"


@generates("QLinearSigmoid", "QLinearLeakyRelu", domain=MS)
def qlinear_unary(d: Draw) -> None:
    t = d.type("T", [U8, I8])
    d.give(bytes_of(d, d.shape(1, 4), t), constant=False), d.give(scale_of(d)), d.give(zero_of(d, t)), d.give(scale_of(d)), d.give(zero_of(d, t))
    if d.op == "QLinearLeakyRelu":
        d.maybe(alpha=0.2)
    d.how = "near"


@generates("QLinearAveragePool", "QLinearGlobalAveragePool", domain=MS)
def qlinear_pool(d: Draw) -> None:
    t = d.type("T", [U8, I8])
    channels_last = d.chance(0.3)
    if d.op == "QLinearAveragePool":
        spatial = d.pick([1, 2, 2, 3])
        w = window(d, spatial, False)
        if "pads" in d.attributes:
            d.set(pads=[min(p, k - 1) for p, k in zip(d.attributes["pads"], w["kernel"] * 2)])
        d.set(kernel_shape=w["kernel"])
        d.maybe(0.5, count_include_pad=d.pick([0, 1]))
        if d.attributes.get("auto_pad", "NOTSET") == "NOTSET":
            d.maybe(0.3, ceil_mode=d.pick([0, 1]))
        sizes = w["sizes"]
    else:
        sizes = [d.rng.randint(1, 7) for _ in range(d.pick([1, 2, 2, 3]))]
    n, c = d.rng.randint(1, 2), d.rng.randint(1, 9)
    d.give(bytes_of(d, (n, *sizes, c) if channels_last else (n, c, *sizes), t), constant=False)
    d.give(scale_of(d)), d.give(zero_of(d, t)), d.give(scale_of(d)), d.give(zero_of(d, t))
    d.set(channels_last=1) if channels_last else d.maybe(channels_last=0)
    d.how = "near"


@generates("QGemm", domain=MS)
def qgemm(d: Draw) -> None:
    t, u = d.type("TA", [U8, I8]), d.type("TB", [U8, I8])
    m, k, n = (d.rng.randint(1, 40) for _ in range(3))
    d.maybe(transA=d.pick([0, 1]), transB=d.pick([0, 1]), alpha=d.pick([1.0, 0.5]))
    many = (n,) if d.chance(0.3) else ()
    d.give(bytes_of(d, (k, m) if d.attributes.get("transA") else (m, k), t), constant=False)
    d.give(scale_of(d)), d.give(zero_of(d, t))
    d.give(bytes_of(d, (n, k) if d.attributes.get("transB") else (k, n), u), constant=d.chance(0.7))
    d.give(scale_of(d, many)), d.give(zero_of(d, u, many))
    d.give(d.numbers.integers(-500, 500, d.pick([(n,), (1, n), (m, n)])) if d.chance(0.5) else None, dtype=I32)
    if d.chance(0.6):
        d.give((scale_of(d) * 3 * k).astype(np.float32)), d.give(zero_of(d, t))
    while d.inputs[-1].value is None:
        d.inputs.pop()
    d.how = "near"


@generates("Gelu", "QuickGelu", domain=MS)
def ms_unary(d: Draw) -> None:
    d.give(d.array(d.shape(), d.type("T", [F32, F16, BF16] if d.op == "Gelu" else [F32])), constant=False)
    if d.op == "QuickGelu":
        d.maybe(alpha=d.pick([1.702, 1.0, -0.5]))
    d.calm()
    d.how, d.scale = "sum", 1


@generates("BiasGelu", "FastGelu", domain=MS)
def bias_gelu(d: Draw) -> None:
    t, shape = d.type("T", [F32] if d.op == "BiasGelu" else [F32, F16]), d.shape(1, 4)
    d.give(d.array(shape, t), constant=False)
    if d.op == "BiasGelu" or d.chance(0.6):
        d.give(d.array(shape[-1:], t))
    d.how, d.scale = "sum", 1


@generates("FusedMatMul", "TransposeMatMul", domain=MS)
def fused_matmul(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, np.dtype(np.float64)])
    m, k, n = (max(1, d.dim()) for _ in range(3))
    batch = d.shape(0, 2, empty=False, most=6)
    d.maybe(transA=d.pick([0, 1]), transB=d.pick([0, 1]), alpha=d.pick([1.0, 0.5, -2.0]))
    a, b = ((k, m) if d.attributes.get("transA") else (m, k)), ((n, k) if d.attributes.get("transB") else (k, n))
    if d.op == "FusedMatMul" and batch and d.chance(0.3):
        d.set(transBatchA=d.pick([0, 1]), transBatchB=d.pick([0, 1]))
        first, second = ((s[0], *batch, s[1]) if d.attributes[name] else (*batch, *s) for s, name in ((a, "transBatchA"), (b, "transBatchB")))
        d.give(d.array(first, t), constant=False), d.give(d.array(second, t))
        d.how, d.scale = "sum", 4 * np.sqrt(k)
        return
    d.give(d.array((*batch, *a), t), constant=False), d.give(d.array((*(batch if d.chance(0.5) else ()), *b), t))
    d.how, d.scale = "sum", 4 * np.sqrt(k)


@generates("MatMulNBits", domain=MS)
def matmul_nbits(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    bits, block = d.pick([4, 4, 4, 8, 2]), d.pick([16, 32, 64, 128])
    k, n, m = d.rng.randint(1, 150), d.rng.randint(1, 40), d.rng.randint(1, 9)
    blocks = -(-k // block)
    d.give(d.array((*d.shape(0, 1, empty=False, most=3), m, k), t), constant=False)
    d.give(bytes_of(d, (n, blocks, block * bits // 8), U8), constant=True)
    flat = d.chance(0.4)
    d.give(d.array((n * blocks,) if flat else (n, blocks), t, low=-0.1, high=0.1), constant=True)
    if d.chance(0.5):
        zero_bytes = -(-blocks * bits // 8)
        style = d.rng.random()
        if style < 0.7:
            d.give(bytes_of(d, (n * zero_bytes,) if flat else (n, zero_bytes), U8), constant=True)
        else:
            d.give(d.array((n * blocks,) if flat else (n, blocks), t, low=0, high=15), constant=True)
    groups = d.chance(0.15)
    if groups or d.chance(0.3):
        while len(d.inputs) < 4:
            d.give(None)
        d.give(d.numbers.integers(0, blocks, k).astype(np.int32) if groups else None, constant=True)
    if len(d.inputs) == 5 and (not groups or d.chance(0.3)):
        d.give(d.array((n,), t))
    d.set(K=k, N=n, bits=bits, block_size=block)
    d.maybe(0.3, accuracy_level=d.pick([0, 1]))
    d.how, d.scale, d.loose = "sum", 4 * np.sqrt(k), 4


@generates("SimplifiedLayerNormalization")
def simplified(d: Draw) -> None:
    """It has no schema, and stands in ONNX's domain."""
    d.calm()
    t, shape = d.type("T", [F32, F16]), d.shape(2, 3, empty=False)
    d.give(d.array(shape, t), constant=False), d.give(d.array(shape[-1:], t))
    d.set(axis=-1)
    d.maybe(epsilon=1e-3)
    d.how, d.loose = "sum", 10


@generates("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", domain=MS)
def skip_layer_norm(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16, BF16, F64])
    b, s, h = d.rng.randint(1, 3), d.rng.randint(1, 5), d.rng.randint(1, 70)
    shape = (b, s, h) if d.chance(0.8) else (s, h)
    d.give(d.array(shape, t), constant=False)
    d.give(d.array(shape if len(shape) == 2 or d.chance(0.7) else d.pick([(1, s, h), (s, h)]), t), constant=False)
    d.give(d.array((h,), t))
    bias = d.op == "SkipLayerNormalization"
    if bias:
        d.give(d.array((h,), t) if d.chance(0.6) else None)
    if d.chance(0.5):
        d.give(d.array((h,), t))
    while d.inputs[-1].value is None:
        d.inputs.pop()
    d.maybe(epsilon=1e-3)
    d.outputs = d.pick([[True], [True, False, False, True]])
    d.how, d.loose = "sum", 10


@generates("RotaryEmbedding", domain=MS)
def ms_rotary(d: Draw) -> None:
    d.calm()
    t, (b, h, s, half) = d.type("T", [F32, F16]), (d.rng.randint(1, 2), d.rng.randint(1, 3), d.rng.randint(1, 5), d.rng.randint(1, 9))
    size, most = 2 * half, 12
    four = d.chance(0.4)
    rotated = 2 * d.rng.randint(1, half) if d.chance(0.2) else 0
    d.give(d.array((b, h, s, size) if four else (b, s, h * size), t), constant=False)
    if d.chance(0.5):
        d.give(np.array([d.rng.randint(0, most - s)]), dtype=I64)
    else:
        d.give(d.numbers.integers(0, most, (b, s)), dtype=I64)
    for _ in range(2):
        d.give(d.array((most, (rotated or size) // 2), t, low=-1, high=1))
    if rotated:
        d.set(rotary_embedding_dim=rotated, num_heads=h)
    elif d.chance(0.3) and not four:
        d.set(num_heads=h)
    d.maybe(interleaved=d.pick([0, 1]))
    d.how, d.scale = "sum", 2


@generates("MultiHeadAttention", domain=MS)
def multi_head_attention(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    b, h, s, l, e = d.rng.randint(1, 2), d.rng.randint(1, 3), d.rng.randint(1, 5), d.rng.randint(1, 9), d.rng.randint(1, 9)
    v = e if d.chance(0.7) else d.rng.randint(1, 9)
    style = d.pick(["plain", "plain", "past", "packed_kv", "packed_qkv", "heads"])
    if style == "packed_qkv":
        d.give(d.array((b, s, h, 3, e), t), constant=False)
        l = s
    else:
        d.give(d.array((b, s, h * e), t), constant=False)
        if style == "packed_kv":
            d.give(d.array((b, l, h, 2, e), t), constant=False), d.give(None)
        elif style == "heads":
            d.give(d.array((b, h, l, e), t), constant=False), d.give(d.array((b, h, l, v), t), constant=False)
        else:
            d.give(d.array((b, l, h * e), t), constant=False), d.give(d.array((b, l, h * v), t), constant=False)
    rest = [None] * 5  # bias, mask, attention bias, past key, past value
    past = d.rng.randint(1, 4) if style == "past" else 0
    if style == "plain" and d.chance(0.4):
        rest[0] = d.array((h * (2 * e + v),), t)
    if style in ("plain", "past", "heads") and d.chance(0.3):
        total = l + past
        keep = np.ones(d.pick([(b, total), (b, total), (b, s, total)]), np.int32)
        keep[..., total - d.rng.randint(0, total - 1):] = 0
        rest[1] = keep if past or d.chance(0.6) else np.array([d.rng.randint(1, l) for _ in range(b)], np.int32)
    if d.chance(0.4):
        rest[2] = d.array((d.pick([1, b]), d.pick([1, h]), s, l + past), t)
    if past:
        rest[3], rest[4] = d.array((b, h, past, e), t), d.array((b, h, past, v), t)
    if style == "packed_qkv":
        d.give(None), d.give(None)
    for r in rest:
        d.give(r)
    while d.inputs[-1].value is None:
        d.inputs.pop()
    d.set(num_heads=h)
    d.maybe(0.3, scale=0.4)
    if d.chance(0.2):
        d.set(unidirectional=1)
    d.outputs = [True, True, True] if past else [True]
    d.how, d.loose = "sum", 10


def quantised_cache(d: Draw, kv: int, e: int) -> tuple[np.dtype, list[np.ndarray]]:
    """The type of keys and values that are kept in 8 or 4 bits, and the scales of both."""
    bits, granularity = d.pick([8, 4]), d.pick(["PER_TENSOR", "PER_CHANNEL"])
    d.set(kv_cache_bit_width=bits, k_quant_type=granularity, v_quant_type=granularity)
    shape = (1,) if granularity == "PER_TENSOR" else (1, kv, 1, e)
    return (I8 if bits == 8 else U8), [d.array(shape, F32, low=0.02, high=0.05) * (1 if bits == 8 else 16) for _ in range(2)]


@generates("GroupQueryAttention", domain=MS)
def group_query_attention(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    b, kv, group, e, room = d.rng.randint(1, 3), d.rng.randint(1, 2), d.pick([1, 2]), d.pick([8, 16, 16, 32, 48]), 12
    prompt = d.chance(0.6)
    s = d.rng.randint(1, 6) if prompt else 1
    h, before = kv * group, 0 if prompt else d.rng.randint(1, 6)
    packed = d.chance(0.3)
    if packed:
        d.give(d.array((b, s, (h + 2 * kv) * e), t), constant=False), d.give(None), d.give(None)
    else:
        d.give(d.array((b, s, h * e), t), constant=False)
        for _ in range(2):
            d.give(d.array((b, s, kv * e), t), constant=False)
    cache = quantised_cache(d, kv, e) if t == F32 and d.chance(0.15) else None
    for _ in range(2):
        d.give(d.array((b, kv, before, e), t) if cache is None else bytes_of(d, (b, kv, before, e // (2 if cache[0] == U8 else 1)), cache[0]), constant=False)
    ends = np.full((b,), before + s - 1)
    if d.chance(0.3):  # texts of different lengths
        ends[d.numbers.random(b) < 0.5] -= d.rng.randint(0, max(0, before - 1)) if before else 0
        ends[0] = before + s - 1
    d.give(ends, dtype=I32), d.give(np.array(before + s), dtype=I32)
    d.set(num_heads=h, kv_num_heads=kv)
    rotary = cache is None and d.chance(0.4)  # rotated keys are rounded: the nearer quantized value may then be open
    for _ in range(2):
        d.give(d.array((room + 8, e // 2), t, low=-1, high=1) if rotary else None)
    if rotary:
        d.set(do_rotary=1)
        d.maybe(rotary_interleaved=d.pick([0, 1]))
    positions = np.arange(s)[None] + np.maximum(ends + 1 - s, 0)[:, None]
    d.give(positions if rotary and d.chance(0.3) else None, dtype=I64)
    d.give(d.array((d.pick([1, b]), d.pick([1, h]), s, before + s), t) if d.chance(0.2) else None)
    d.give(d.array((h,), t) if d.chance(0.2) else None)
    if d.inputs[-1].value is None:
        d.maybe(0.2, smooth_softmax=1)
    for k in range(2):
        d.give(None if cache is None else cache[1][k])
    if d.chance(0.15):
        d.give(d.array((e,), t)), d.give(d.array((e,), t))
        d.maybe(0.5, qk_norm_epsilon=1e-3)
    while d.inputs[-1].value is None:
        d.inputs.pop()
    d.maybe(0.3, scale=0.4, softcap=3.0)
    if d.chance(0.15):
        d.set(causal=0)
    else:
        d.maybe(0.3, local_window_size=d.rng.randint(1, 6))
    d.outputs = [True, True, True]
    d.how, d.loose = "sum", 10


@generates("QuantizeLinear", "DequantizeLinear", domain=MS)
def ms_quantize(d: Draw) -> None:
    d.calm()
    t, shape = d.type("T2", [U8, I8, U16, I16] + ([I32] if d.op == "DequantizeLinear" else [])), d.shape(1, 4)
    many = ()
    if d.chance(0.4):
        axis = d.axis(len(shape))
        many = (shape[axis],)
        d.set(axis=axis)
    scale = scale_of(d, many)
    if d.op == "DequantizeLinear":
        d.give(bytes_of(d, shape, t), constant=False), d.give(scale)
    else:
        broad = scale.reshape([-1 if k == d.attributes["axis"] % len(shape) else 1 for k in range(len(shape))]) if many else scale
        d.give((np.round(d.array(shape, F32, "plain") * 20) / 2 * broad).astype(F32), constant=False), d.give(scale)  # halves are rounded to even
    if d.chance(0.7) or d.op == "QuantizeLinear" and t != U8:
        d.give(np.zeros(many, t) if t == I32 else bytes_of(d, many, t))
    elif d.op == "QuantizeLinear":
        d.types["T2"] = U8
    d.how = "near" if d.op == "QuantizeLinear" else "rounded"


@generates("MatMulIntegerToFloat", "DynamicQuantizeMatMul", domain=MS)
def matmul_to_float(d: Draw) -> None:
    d.calm()
    dynamic = d.op == "DynamicQuantizeMatMul"
    t, u = d.type("T1", [F32] if dynamic else [U8, I8]), d.type("T2", [U8, I8])
    m, k, n = d.count(40), d.rng.randint(1, 70), d.rng.randint(1, 70)
    batch = d.shape(0, 2, empty=False, most=6)
    many = (n,) if d.chance(0.4) else ()
    d.give(d.array((*batch, m, k), t) if dynamic else bytes_of(d, (*batch, m, k), t), constant=False)
    d.give(bytes_of(d, (k, n), u), constant=d.chance(0.7))
    zeros = d.chance(0.6)
    if not dynamic:
        d.give(scale_of(d))
    d.give(scale_of(d, many))
    if not dynamic:
        d.give(zero_of(d, t) if zeros else None)
    d.give(bytes_of(d, many, u) if zeros else None)
    d.give(d.array((n,), F32) if d.chance(0.5) else None)
    while d.inputs[-1].value is None:
        d.inputs.pop()
    d.how, d.loose, d.scale = "sum", 10 if not dynamic else 40, np.sqrt(k)


@generates("NhwcMaxPool", domain=MS)
def nhwc_max_pool(d: Draw) -> None:
    spatial = d.pick([1, 2, 2, 3])
    w = window(d, spatial)
    if "pads" in d.attributes:
        d.set(pads=[min(p, k - 1) for p, k in zip(d.attributes["pads"], w["kernel"] * 2)])
    d.set(kernel_shape=w["kernel"])
    d.give(bytes_of(d, (d.rng.randint(1, 2), *w["sizes"], d.pick([1, 3, 17])), d.type("T", [U8, I8])), constant=False)
    if d.attributes.get("auto_pad", "NOTSET") == "NOTSET":
        d.maybe(0.4, ceil_mode=d.pick([0, 1]))
    d.how = "exact"


@generates("QLinearConcat", domain=MS)
def qlinear_concat(d: Draw) -> None:
    t, shape = d.type("T", [U8, I8]), d.shape(1, 4)
    axis = d.axis(len(shape))
    d.give(scale_of(d)), d.give(zero_of(d, t))
    for _ in range(d.rng.randint(1, 3)):
        part = list(shape)
        part[axis] = d.rng.randint(0, 5)
        d.give(bytes_of(d, tuple(part), t), constant=False), d.give(scale_of(d), constant=True), d.give(zero_of(d, t), constant=True)
    d.set(axis=axis)
    d.how = "near"


@generates("QLinearReduceMean", domain=MS)
def qlinear_reduce_mean(d: Draw) -> None:
    t, shape = d.type("T", [U8, I8]), d.shape(1, 4, empty=False)
    d.give(bytes_of(d, shape, t), constant=False), d.give(scale_of(d)), d.give(zero_of(d, t))
    d.give(scale_of(d)), d.give(zero_of(d, t))
    axes = sorted(d.rng.sample(range(len(shape)), d.rng.randint(1, len(shape))))
    d.set(axes=[a - len(shape) for a in axes] if d.chance(0.3) else axes, keepdims=d.pick([0, 1]))
    d.how = "near"


@generates("QLinearSoftmax", domain=MS)
def qlinear_softmax(d: Draw) -> None:
    t, shape = d.type("T", [U8, I8]), d.shape(1, 4, empty=False)
    d.give(bytes_of(d, shape, t), constant=False), d.give(scale_of(d), constant=True), d.give(zero_of(d, t), constant=True)
    d.give(np.array(1 / 256, F32), constant=True), d.give(np.array(0 if t == U8 else -128, t), constant=True)
    d.set(opset=d.pick([12, 13]), axis=d.axis(len(shape)))
    d.how = "near"


@generates("QLinearWhere", domain=MS)
def qlinear_where(d: Draw) -> None:
    t, whole = d.type("T", [U8, I8]), d.shape(0, 4)
    d.give(d.array(d.like(whole), BOOL))
    for _ in range(2):
        d.give(bytes_of(d, d.like(whole), t)), d.give(scale_of(d), constant=True), d.give(zero_of(d, t), constant=True)
    d.give(scale_of(d), constant=True), d.give(zero_of(d, t), constant=True)
    d.how = "near"


@generates("QEmbedLayerNormalization", domain=MS)
def qembed(d: Draw) -> None:
    d.calm()
    t, (b, s, h, words) = d.type("T2", [U8, I8]), (d.count(3), d.rng.randint(1, 6), d.rng.randint(1, 70), 12)
    segments = d.chance(0.6)
    d.give(d.numbers.integers(0, words, (b, s)), dtype=I32, constant=False)
    d.give(d.numbers.integers(0, 2, (b, s)) if segments else None, dtype=I32)
    for shape in ((words, h), (9, h), (2, h) if segments else None, (h,), (h,)):
        d.give(None if shape is None else bytes_of(d, shape, t))
    mask = np.arange(s) < d.numbers.integers(1, s + 1, (b, 1))
    d.give(mask.astype(np.int32) if d.chance(0.5) else None)
    for make in (lambda: scale_of(d), lambda: zero_of(d, t)):
        for k in range(5):
            d.give(make() if segments or k != 2 else None)
    d.maybe(epsilon=1e-3)
    d.outputs, d.how, d.loose = [True, True], "sum", 20


_ = (SMALL_INTEGERS, Unsuitable)
