"""Matmuls, convolutions, pools, normalisations, recurrent networks and attention."""
from __future__ import annotations

import numpy as np

from draw import BF16, F16, F32, F64, FLOATS, I32, I64, INTEGERS, Draw, Unsuitable, generates, is_float


def weights_of(d: Draw, shape, dtype, constant: float = 0.6) -> np.ndarray:
    return d.give(d.array(shape, dtype), constant=d.chance(constant))


@generates("MatMul")
def matmul(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    m, k, n = d.dim(), d.dim(), d.dim()
    batch = d.shape(0, 2, most=8)
    a = (*d.like(batch), m, k) if d.chance(0.85) else (k,)
    b = (*(d.like(batch) if d.chance(0.5) else ()), k, n) if d.chance(0.85) else (k,)
    d.how, d.scale = "sum", 4 * np.sqrt(k)
    d.give(d.array(a, t), constant=False), weights_of(d, b, t)


@generates("Gemm")
def gemm(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    m, k, n = (max(1, v) if d.since < 11 else v for v in (d.dim(), d.dim(), d.dim()))
    d.maybe(transA=d.pick([0, 1]), transB=d.pick([0, 1]))
    d.maybe(alpha=d.pick([1.0, 0.5, 2.0]), beta=d.pick([1.0, 0.0, 0.5, 2.0]))
    if not is_float(t):
        d.attributes.pop("alpha", None), d.attributes.pop("beta", None)
    d.give(d.array((k, m) if d.attributes.get("transA") else (m, k), t), constant=False)
    weights_of(d, (n, k) if d.attributes.get("transB") else (k, n), t)
    if d.since < 11 or d.chance(0.7):
        c = d.pick([(m, n), (n,), (1, n), (m, 1), (1,), ()]) if d.since >= 7 else (m, n)
        weights_of(d, c, t)
    d.how, d.scale = "sum", 4 * np.sqrt(k)


@generates("Einsum")
def einsum(d: Draw) -> None:
    d.calm("small")
    t = d.type("T")
    sizes = {c: d.rng.randint(1, 5) for c in "abcdij"}
    equation = d.pick(["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "ii->", "i,j->ij", "ij,ij->", "ij->i", "bi,ij,bj->b", "ij,jk",
                       "...ij,...jk->...ik", "ij,ik->jk", "abc,cd->abd", "i,i->", "ba", "a...,a...->..."])
    sizes["k"] = d.rng.randint(1, 5)
    dots = d.shape(0, 2, empty=False, most=6)
    for part in equation.split("->")[0].split(","):
        shape = []
        for c in part.replace("...", "*"):
            shape += list(dots) if c == "*" else [sizes[c]]
        d.give(d.array(tuple(shape), t))
    d.set(equation=equation)
    d.how, d.scale = "sum", 4


def window(d: Draw, spatial: int, since_dilations: bool = True) -> dict[str, object]:
    kernel = [d.pick([1, 2, 3, 3, 5]) for _ in range(spatial)]
    strides = [d.pick([1, 1, 2, 3]) for _ in range(spatial)]
    dilations = [d.pick([1, 1, 1, 2]) if since_dilations else 1 for _ in range(spatial)]
    reach = [(k - 1) * n + 1 for k, n in zip(kernel, dilations)]
    auto = d.pick(["NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    pads = [d.rng.randint(0, r - 1) for r in reach] + [d.rng.randint(0, r - 1) for r in reach]
    sizes = [d.rng.randint(max(1, r), r + d.pick([3, 9, 20 if spatial < 3 else 4])) for r in reach]
    if auto == "NOTSET":
        if d.chance(0.6):
            d.set(pads=pads)
    else:
        d.set(auto_pad=auto)
    if any(s > 1 for s in strides) or d.chance(0.5):
        d.set(strides=strides)
    if any(n > 1 for n in dilations):
        d.set(dilations=dilations)
    return {"kernel": kernel, "sizes": sizes, "reach": reach}


@generates("Conv", "ConvTranspose")
def conv(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    spatial = d.pick([1, 2, 2, 2, 3])
    w = window(d, spatial)
    if d.op == "ConvTranspose" and "dilations" in d.attributes and d.attributes.get("auto_pad", "NOTSET").startswith("SAME"):
        d.attributes.pop("dilations")
    group = d.pick([1, 1, 2, 3, 8])
    style = d.rng.random()
    c, m = (group, group * d.pick([1, 1, 2])) if style < 0.3 else (group * d.rng.randint(1, 5), group * d.rng.randint(1, 20))
    if d.chance(0.1):
        c, m, group = d.pick([16, 32, 64]), d.pick([16, 32, 48]), 1
    d.set(group=group) if group > 1 else d.maybe(group=1)
    d.maybe(kernel_shape=w["kernel"])
    d.give(d.array((d.rng.randint(0 if d.chance(0.05) else 1, 2), c, *w["sizes"]), t), constant=False)
    weights_of(d, (m, c // group, *w["kernel"]) if d.op == "Conv" else (c, m // group, *w["kernel"]), t, 0.8)
    if d.chance(0.6):
        weights_of(d, (m,), t, 0.8)
    if d.op == "ConvTranspose":
        strides = d.attributes.get("strides", [1] * spatial)
        if d.chance(0.3) and any(s > 1 for s in strides):
            d.set(output_padding=[d.rng.randint(0, s - 1) for s in strides])
    d.how, d.scale = "sum", 4 * np.sqrt(c // group * np.prod(w["kernel"]))


@generates("MaxPool", "AveragePool", "LpPool")
def pool(d: Draw) -> None:
    if d.op != "MaxPool":
        d.calm()
    t = d.type("T")
    spatial = d.pick([1, 2, 2, 2, 3])
    dilated = "dilations" in d.schema.attributes
    w = window(d, spatial, dilated)
    if "pads" in d.attributes:  # smaller than the kernel
        d.set(pads=[min(p, k - 1) for p, k in zip(d.attributes["pads"], w["kernel"] * 2)])
    d.set(kernel_shape=w["kernel"])
    d.give(d.array((d.rng.randint(1, 2), d.pick([1, 2, 3, 8, 17]), *w["sizes"]), t), constant=False)
    if "ceil_mode" in d.schema.attributes and d.attributes.get("auto_pad", "NOTSET") == "NOTSET":
        d.maybe(0.5, ceil_mode=d.pick([0, 1]))
    if "count_include_pad" in d.schema.attributes:
        d.maybe(0.6, count_include_pad=d.pick([0, 1]))
    if d.op == "LpPool":
        d.maybe(p=d.pick([1, 2, 3]) if d.since > 1 else 2.0)
    if d.op == "MaxPool" and d.since >= 8:
        if d.chance(0.4):
            d.outputs = [True, True]
        d.maybe(0.3, storage_order=d.pick([0, 1]))
    d.how = "exact" if d.op == "MaxPool" else "sum"


@generates("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(d: Draw) -> None:
    if d.op != "GlobalMaxPool":
        d.calm()
    d.give(d.array((d.rng.randint(1, 2), d.rng.randint(1, 9), *(d.rng.randint(1, 9) for _ in range(d.rng.randint(1, 3)))), d.type("T")), constant=False)
    if d.op == "GlobalLpPool":
        d.maybe(p=d.pick([1, 2, 3]) if d.since > 1 else 2.0)
    d.how = "exact" if d.op == "GlobalMaxPool" else "sum"


@generates("BatchNormalization")
def batch_norm(d: Draw) -> None:
    d.calm()
    t = d.type(d.schema.inputs[0].type_str)
    c = d.rng.randint(1, 9)
    shape = (d.rng.randint(1, 3), c, *(d.rng.randint(1, 7) for _ in range(d.pick([0, 1, 2, 2, 3]) if d.since >= 7 else 2)))
    d.give(d.array(shape, t), constant=False)
    kinds = [d.schema.inputs[k].type_str for k in range(1, 5)]
    types = [d.type(k) for k in kinds]
    for k, u in enumerate(types):
        d.give(np.abs(d.array((c,), u)) + np.array(0.1, u) if k == 3 else d.array((c,), u), constant=d.chance(0.7))
    d.maybe(epsilon=1e-3, momentum=0.7)
    if d.since < 7:
        d.set(is_test=1)
    if d.since >= 14 and d.chance(0.2):
        d.set(training_mode=1)
        d.outputs = [True, True, True]
    d.how = "sum"
    d.loose = 4


@generates("InstanceNormalization", "GroupNormalization")
def instance_norm(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    groups = d.rng.randint(1, 4)
    c = groups * d.rng.randint(1, 4)
    d.give(d.array((d.rng.randint(1, 3), c, *(d.rng.randint(2, 7) for _ in range(d.rng.randint(1, 3)))), t), constant=False)
    width = groups if d.op == "GroupNormalization" and d.since < 21 else c
    for _ in range(2):
        d.give(d.array((width,), t), constant=d.chance(0.7))
    if d.op == "GroupNormalization":
        d.set(num_groups=groups)
    d.maybe(epsilon=1e-3)
    d.how, d.loose = "sum", 10


@generates("LayerNormalization", "RMSNormalization")
def layer_norm(d: Draw) -> None:
    d.calm()
    t, u = d.type("T"), d.type(d.schema.inputs[1].type_str)
    shape = d.shape(1, 4, empty=False)
    axis = d.axis(len(shape))
    if axis != -1 or d.chance(0.5):
        d.set(axis=axis)
    rest = shape[axis:]
    d.give(d.array(shape, t), constant=False)
    d.give(d.array(rest if d.chance(0.8) else d.like(rest), u), constant=d.chance(0.7))
    if d.op == "LayerNormalization" and d.chance(0.7):
        d.give(d.array(rest, u), constant=d.chance(0.7))
    d.maybe(epsilon=1e-3)
    d.maybe(0.3, stash_type=1)
    if d.op == "LayerNormalization":
        d.outputs = d.pick([[True], [True], [True, True, True], [True, False, True]])
    d.how, d.loose = "sum", 10


@generates("LRN", "LpNormalization", "MeanVarianceNormalization")
def other_norms(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    shape = (d.rng.randint(1, 3), d.rng.randint(1, 20), d.rng.randint(1, 7), d.rng.randint(1, 7)) if d.op != "LpNormalization" else d.shape(1, 4)
    d.give(d.array(shape, t), constant=False)
    if d.op == "LRN":
        d.set(size=d.rng.randint(1, 6))
        d.maybe(alpha=0.01, beta=0.6, bias=2.0)
    elif d.op == "LpNormalization":
        d.maybe(axis=d.axis(len(shape)), p=d.pick([1, 2]))
    else:
        d.maybe(axes=d.pick([[0, 2, 3], [1], [0, 1, 2, 3], [-1]]))
    d.how, d.loose = "sum", 4


ACTIVATIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@generates("RNN", "GRU", "LSTM")
def recurrent(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    direction = d.pick(["forward", "reverse", "bidirectional"])
    dirs = 2 if direction == "bidirectional" else 1
    steps, batch, inputs, hidden = d.rng.randint(1, 6), d.rng.randint(1, 4), d.rng.randint(1, 20), d.rng.randint(1, 20)
    gates = GATES[d.op]
    d.set(hidden_size=hidden)
    if direction != "forward" or d.chance(0.5):
        d.set(direction=direction)
    batch_first = d.since >= 14 and d.chance(0.2)
    if batch_first:
        d.set(layout=1)

    def laid(*shape):
        return shape if not batch_first else (shape[1], shape[0], *shape[2:])

    d.give(d.array(laid(steps, batch, inputs), t), constant=False)
    for shape in ((dirs, gates * hidden, inputs), (dirs, gates * hidden, hidden)):
        d.give((d.array(shape, t) * np.array(0.2, t)).astype(t), constant=d.chance(0.8))
    d.give(d.array((dirs, 2 * gates * hidden), t) if d.chance(0.6) else None, constant=d.chance(0.8))
    d.give(d.numbers.integers(1, steps + 1, batch) if d.chance(0.3) else None, dtype=I32)
    d.give(d.array(laid(dirs, batch, hidden), t) if d.chance(0.5) else None)
    if d.op == "LSTM":
        d.give(d.array(laid(dirs, batch, hidden), t) if d.chance(0.5) else None)
        d.give((d.array((dirs, 3 * hidden), t) * np.array(0.2, t)).astype(t) if d.chance(0.3) else None)
        d.maybe(0.2, input_forget=d.pick([0, 1]))
    while d.inputs[-1].value is None:
        d.inputs.pop()
    if d.op == "GRU":
        if d.since >= 3:
            d.maybe(linear_before_reset=d.pick([0, 1]))
    d.maybe(0.15, clip=1.5)
    if d.chance(0.25):
        names = [d.pick(["Tanh", "Sigmoid", "Softsign"] + (["Relu"] if d.op == "RNN" else [])) for _ in range(ACTIVATIONS[d.op] * dirs)]
        d.set(activations=names)
    if d.since == 1:
        d.set(output_sequence=1)
    d.outputs = d.pick([[True, True], [True], [False, True], [True, True]]) + ([True] if d.op == "LSTM" and d.chance(0.7) else [])
    d.how, d.scale, d.loose = "sum", 1, 10


@generates("NonMaxSuppression")
def nms(d: Draw) -> None:
    batch, boxes, classes = d.rng.randint(1, 2), d.rng.randint(1, 20), d.rng.randint(1, 3)
    corners = np.sort(d.numbers.uniform(0, 10, (batch, boxes, 2, 2)).astype(np.float32), axis=2).reshape(batch, boxes, 4)
    if d.chance(0.5):
        d.set(center_point_box=1)
        y1, x1, y2, x2 = (corners[..., k] for k in range(4))
        corners = np.stack([(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1], -1)
    d.give(corners, constant=False)
    scores = d.numbers.permutation(batch * classes * boxes).reshape(batch, classes, boxes).astype(np.float32) / 100
    d.give(scores, constant=False)
    d.give(np.array(d.pick([0, 1, 3, 10])) if d.chance(0.8) else None, dtype=I64)
    d.give(np.array(d.pick([0.0, 0.1, 0.3, 0.5, 1.0]), np.float32) if d.chance(0.8) else None)
    d.give(np.array(d.pick([0.0, 0.05, 0.2]), np.float32) if d.chance(0.5) else None)
    while d.inputs[-1].value is None:
        d.inputs.pop()
    d.how = "exact"


@generates("AffineGrid")
def affine_grid(d: Draw) -> None:
    d.calm()
    n, dims = d.rng.randint(1, 2), d.pick([2, 3])
    d.give(d.array((n, dims, dims + 1), d.type("T1")), constant=False)
    d.parameter([n, 2, *(d.rng.randint(2, 5) for _ in range(dims))])
    d.maybe(align_corners=d.pick([0, 1]))
    d.how, d.loose = "sum", 4


@generates("RotaryEmbedding")
def rotary(d: Draw) -> None:
    d.calm()
    t, (b, h, s, half) = d.type("T"), (d.rng.randint(1, 2), d.rng.randint(1, 3), d.rng.randint(1, 5), d.rng.randint(1, 9))
    size, positions = 2 * half, d.chance(0.6)
    three = d.chance(0.4)
    rotated = 2 * d.rng.randint(1, half) if d.chance(0.3) else 0
    d.give(d.array((b, s, h * size) if three else (b, h, s, size), t), constant=False)
    width = (rotated or size) // 2
    for _ in range(2):
        d.give(d.array((9, width) if positions else (b, s, width), t, low=-1, high=1))
    if positions:
        d.give(d.numbers.integers(0, 9, (b, s)), dtype=I64)
    if three:
        d.set(num_heads=h)
    d.maybe(interleaved=d.pick([0, 1]))
    if rotated:
        d.set(rotary_embedding_dim=rotated)
        if three is False:
            d.maybe(0.3, num_heads=h)
    d.how, d.scale = "sum", 2


def attention_mask(d: Draw, b: int, h: int, s: int, keys: int, t: np.dtype) -> np.ndarray:
    """Of truth values or numbers; rows that see nothing at all are there from version 24 on."""
    if d.since >= 24 and d.chance(0.2):
        keys = d.rng.randint(1, keys)  # the rest is masked
    shape = d.pick([(s, keys), (1, s, keys), (b, h, s, keys), (b, 1, s, keys)] + [(keys,), (b, 1, 1, keys)] * (d.since >= 24))
    if d.chance(0.5):
        return d.array(shape, t)
    mask = d.array(shape, np.dtype(bool))
    if d.since < 25 or d.chance(0.7):
        mask[..., 0] = True
    return mask


@generates("Attention")
def attention(d: Draw) -> None:
    d.calm()
    t = d.type("T1", [F32, F64, F16, BF16])
    b, kv, group, s, l, e, v = d.rng.randint(1, 2), d.rng.randint(1, 2), d.pick([1, 1, 2]), d.rng.randint(1, 5), d.rng.randint(1, 9), d.rng.randint(1, 9), d.rng.randint(1, 9)
    h = kv * group
    if d.chance(0.6):
        v = e
    three = d.chance(0.3)
    past = d.rng.randint(1, 4) if d.chance(0.3) else 0
    d.types["T2"] = t
    d.give(d.array((b, s, h * e) if three else (b, h, s, e), t), constant=False)
    d.give(d.array((b, l, kv * e) if three else (b, kv, l, e), t), constant=False)
    d.give(d.array((b, l, kv * v) if three else (b, kv, l, v), t), constant=False)
    d.give(attention_mask(d, b, h, s, l + past, t) if d.chance(0.5) else None)
    if past:
        d.give(d.array((b, kv, past, e), t), constant=False), d.give(d.array((b, kv, past, v), t), constant=False)
    padded = d.since >= 24 and not past and l >= s and d.chance(0.25)
    if padded:
        most = d.inputs[3].value.shape[-1] if d.inputs[3].value is not None else l
        if most < s:
            raise Unsuitable("the mask covers fewer keys than there are queries")
        d.give(None), d.give(None), d.give(d.numbers.integers(s, most + 1, b), dtype=I64)
    while d.inputs[-1].value is None:
        d.inputs.pop()
    if three:
        d.set(q_num_heads=h, kv_num_heads=kv)
    d.maybe(0.3, is_causal=1, scale=0.3, softcap=2.0)
    if d.since >= 25 and d.chance(0.4):
        d.maybe(left_window_size=d.rng.randint(0, 4), right_window_size=d.rng.randint(0, 4))
    if d.chance(0.1):
        d.set(softmax_precision=1)
    if past or d.chance(0.3) and not padded:
        d.outputs = [True, True, True]
    if d.chance(0.2):
        d.outputs = d.outputs + [False] * (3 - len(d.outputs)) + [True]
        d.maybe(qk_matmul_output_mode=d.pick([0, 1, 2, 3]))
    d.how, d.loose = "sum", 10


@generates("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def losses(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F64, F16, BF16])
    n, c = d.rng.randint(1, 5), d.rng.randint(1, 6)
    rest = tuple(d.rng.randint(1, 3) for _ in range(d.rng.randint(0, 2)))
    d.give(d.array((n, c, *rest), t), constant=False)
    target = d.numbers.integers(0, c, (n, *rest))
    d.maybe(0.4, ignore_index=d.pick([0, -1, c - 1, c + 3]))
    if "ignore_index" in d.attributes:  # it need not be a class
        target = np.where(d.numbers.random(target.shape) < 0.3, d.attributes["ignore_index"], target)
        target.flat[0] = (d.attributes["ignore_index"] + 1) % c
    d.give(target, dtype=d.type(d.schema.inputs[1].type_str, [I32, I64]), constant=False)
    if d.chance(0.5):
        d.give(d.array((c,), t, low=0.5, high=2))
    d.maybe(reduction=d.pick(["none", "sum", "mean"]))
    if d.op == "SoftmaxCrossEntropyLoss" and d.chance(0.5):
        d.outputs = [True, True]
    d.how, d.loose, d.scale = "sum", 4, 1


@generates("HannWindow", "HammingWindow", "BlackmanWindow")
def windows(d: Draw) -> None:
    d.parameter(np.array(d.rng.randint(1, 40)), d.type("T1"))
    d.maybe(periodic=d.pick([0, 1]))
    d.maybe(0.4, output_datatype=d.pick([1, 10, 11]))
    d.how, d.scale = "sum", 1


@generates("SwiGLU")
def swiglu(d: Draw) -> None:
    d.calm()
    t = d.type(d.schema.inputs[0].type_str, FLOATS)
    shape = list(d.shape(1, 3, empty=False))
    if len(d.schema.inputs) == 1:
        shape[-1] = 2 * max(1, shape[-1] // 2)
    for _ in d.schema.inputs:
        d.give(d.array(tuple(shape), t), constant=False)
    d.how = "sum"


@generates("GridSample")
def grid_sample(d: Draw) -> None:
    d.calm()
    t, u = d.type("T1", FLOATS), d.type("T2", FLOATS)
    spatial = 2 if d.since < 20 else d.pick([2, 2, 3])
    n, c = d.rng.randint(1, 2), d.rng.randint(1, 3)
    d.give(d.array((n, c, *(d.rng.randint(1, 6) for _ in range(spatial))), t), constant=False)
    d.give(d.array((n, *(d.rng.randint(1, 6) for _ in range(spatial)), spatial), u, low=-1.4, high=1.4), constant=False)
    names = ["bilinear", "nearest", "bicubic"] if d.since < 20 else ["linear", "nearest"] + (["cubic"] if spatial == 2 else [])
    d.maybe(0.8, mode=d.pick(names), padding_mode=d.pick(["zeros", "border", "reflection"]), align_corners=d.pick([0, 1]))
    d.how, d.loose = "sum", 10


@generates("Det")
def det(d: Draw) -> None:
    d.calm("small")
    n = d.rng.randint(1, 6)
    d.give(d.array((*d.shape(0, 2, most=10), n, n), d.type("T")), constant=False)
    d.how, d.scale, d.loose = "sum", 16.0 ** n / 8, 10


_ = (BF16, F16, F32, F64, FLOATS, I64, INTEGERS, Unsuitable)
