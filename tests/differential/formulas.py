"""What operators mean that neither ONNX Runtime's CPU nor ONNX's evaluator runs, or that both run wrongly: their
documents' formulas, in numpy's float64. Each takes the case and gives the outputs, those that are left out too; `...`
is one that it does not give."""
from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable

import numpy as np
import onnx
from onnx import numpy_helper

from draw import Draw

Formula = Callable[[Draw], list]
FORMULAS: dict[tuple[str, str], Formula] = {}
MS = "com.microsoft"
erf = np.vectorize(math.erf, otypes=[np.float64])


def formula(*names: str, domain: str = MS):
    def register(f: Formula) -> Formula:
        for name in names:
            FORMULAS[domain, name] = f
        return f
    return register


def value(d: Draw, k: int, default=None):
    """Input k as doubles; where it is absent, the default."""
    is_present = k < len(d.inputs) and d.inputs[k].value is not None
    return d.inputs[k].value.astype(np.float64) if is_present else default


def typed(d: Draw, y: np.ndarray) -> np.ndarray:
    return y.astype(d.inputs[0].value.dtype)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@formula("BiasAdd")
def bias_add(d: Draw) -> list:
    return [typed(d, value(d, 0) + value(d, 1) + value(d, 2))]


@formula("BiasSplitGelu")
def bias_split_gelu(d: Draw) -> list:
    left, right = np.split(value(d, 0) + value(d, 1), 2, -1)
    return [typed(d, left * right * (1 + erf(right / math.sqrt(2))) / 2)]


@formula("BiasDropout")
def bias_dropout(d: Draw) -> list:
    y = value(d, 0) + value(d, 1) + value(d, 2, 0.0)  # out of training nothing is dropped
    return [typed(d, y), np.ones(y.shape, bool)]


@formula("ComplexMul", "ComplexMulConj")
def complex_mul(d: Draw) -> list:
    a, b = (x[..., 0] + 1j * x[..., 1] for x in (value(d, 0), value(d, 1)))
    y = a * (np.conj(b) if d.op == "ComplexMulConj" else b)
    return [typed(d, np.stack([y.real, y.imag], -1))]


@formula("GemmaRotaryEmbedding")
def gemma_rotary(d: Draw) -> list:
    emb = value(d, 0)[:, None]
    sine, cosine = (f(emb).astype(np.float16).astype(np.float64) for f in (np.sin, np.cos))
    return [(value(d, k) * cosine + value(d, k + 1) * sine).astype(np.float16) for k in (1, 3)]


@formula("GroupNorm", "SkipGroupNorm")
def group_norm(d: Draw) -> list:
    channels_last = d.attributes.get("channels_last", 1)
    x = value(d, 0)
    if d.op == "SkipGroupNorm":
        skip = value(d, 3)
        x = x + (skip[:, None, None] if skip.ndim == 2 else skip) + value(d, 4, 0.0)
    first = np.moveaxis(x, -1, 1) if channels_last else x
    groups = d.attributes["groups"]
    rows = first.reshape(first.shape[0], groups, math.prod(first.shape[1:]) // groups)
    normal = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + d.attributes.get("epsilon", 1e-5))
    y = normal.reshape(first.shape) * value(d, 1)[:, None, None] + value(d, 2)[:, None, None]
    y = y * sigmoid(y) if d.attributes["activation"] else y
    return [typed(d, np.moveaxis(y, 1, -1) if channels_last else y), typed(d, x)]


@formula("SimplifiedLayerNormalization")
def simplified(d: Draw) -> list:
    x = value(d, 0)
    return [typed(d, x / np.sqrt((x * x).mean(-1, keepdims=True) + d.attributes.get("epsilon", 1e-5)) * value(d, 1))]


@formula("QLinearReduceMean")
def qlinear_reduce_mean(d: Draw) -> list:
    x = (value(d, 0) - value(d, 2)) * value(d, 1)
    mean = x.mean(tuple(d.attributes["axes"]), keepdims=bool(d.attributes["keepdims"]))
    limits = np.iinfo(d.inputs[0].value.dtype)
    return [typed(d, np.clip(np.round(mean / value(d, 3)) + value(d, 4), limits.min, limits.max))]


@formula("NhwcFusedConv")
def nhwc_fused_conv(d: Draw) -> list:
    """Straightforward sums over the window, of each output's place."""
    at, w = d.attributes, value(d, 1)
    pads, strides, dilations, groups = at.get("pads", [0] * 4), at.get("strides", [1] * 2), at.get("dilations", [1] * 2), at.get("group", 1)
    x = np.pad(value(d, 0), ((0, 0), (pads[0], pads[2]), (pads[1], pads[3]), (0, 0)))
    m, c, *kernel = w.shape
    reach = [(k - 1) * e + 1 for k, e in zip(kernel, dilations)]
    height, width = ((n - r) // s + 1 for n, r, s in zip(x.shape[1:3], reach, strides))
    y = np.zeros((x.shape[0], height, width, m))
    for i in range(height):
        for j in range(width):
            a, b = i * strides[0], j * strides[1]
            part = x[:, a:a + reach[0]:dilations[0], b:b + reach[1]:dilations[1]]
            for g in range(groups):
                members = slice(g * m // groups, (g + 1) * m // groups)
                y[:, i, j, members] = np.einsum("nhwc,mchw->nm", part[..., g * c:(g + 1) * c], w[members])
    y = y + value(d, 2, 0.0) + value(d, 3, 0.0)
    p = at.get("activation_params", [])
    activations = {"Relu": lambda v: np.maximum(v, 0), "Tanh": np.tanh, "Sigmoid": sigmoid, "LeakyRelu": lambda v: np.where(v < 0, p[0] * v, v),
                   "HardSigmoid": lambda v: np.clip(p[0] * v + p[1], 0, 1), "Clip": lambda v: np.clip(v, *p)}
    return [typed(d, activations.get(at.get("activation"), lambda v: v)(y))]


@formula("ImageDecoder", domain="")
def image_decoder(d: Draw) -> list:
    """Of a BMP file of 24 bits, or a PNM file without comments."""
    data = d.inputs[0].value.tobytes()
    if data[:2] == b"BM":
        width, height = struct.unpack("<ii", data[18:26])
        rows = np.frombuffer(data, np.uint8, offset=54).reshape(height, -1)[::-1, :3 * width]
        pixels = rows.reshape(height, width, 3)[..., ::-1]
    else:
        kind, size, _, rest = data.split(b"\n", 3)
        width, height = size.split()
        numbers = np.array(rest.split(), np.uint8) if kind == b"P3" else np.frombuffer(rest, np.uint8)
        pixels = numbers.reshape(int(height), int(width), -1).repeat(3 if kind == b"P5" else 1, -1)
    form = d.attributes.get("pixel_format", "RGB")
    if form == "Grayscale":
        return [((pixels.astype(np.int64) @ [19595, 38470, 7471] + 0x8000) >> 16).astype(np.uint8)[..., None]]
    return [pixels[..., ::-1] if form == "BGR" else pixels]


# Operators whose peers are often wrong, by their documents alone.

@formula("MaxPool", "AveragePool", "LpPool", domain="")
def pool(d: Draw) -> list:
    at, x = d.attributes, value(d, 0)
    kernel, sizes = at["kernel_shape"], x.shape[2:]
    n = len(kernel)
    strides, dilations = (at.get(name, [1] * n) for name in ("strides", "dilations"))
    reach = [(k - 1) * e + 1 for k, e in zip(kernel, dilations)]
    auto, pads = at.get("auto_pad", "NOTSET"), list(at.get("pads", [0] * 2 * n))
    if auto.startswith("SAME"):
        places = [-(-m // s) for m, s in zip(sizes, strides)]
        pad = [max(0, (o - 1) * s + r - m) for o, s, r, m in zip(places, strides, reach, sizes)]
        pads = [p // 2 if auto == "SAME_UPPER" else p - p // 2 for p in pad]
        pads += [p - b for p, b in zip(pad, pads)]
    else:
        room = [m + pads[i] + pads[i + n] - r for i, (m, r) in enumerate(zip(sizes, reach))]
        ceil = at.get("ceil_mode", 0)
        places = [-(-m // s) + 1 if ceil else m // s + 1 for m, s in zip(room, strides)]
        # a window that would begin behind the input is none
        places = [o - 1 if ceil and (o - 1) * s >= m + pads[i] else o for i, (o, s, m) in enumerate(zip(places, strides, sizes))]
    y = np.zeros((*x.shape[:2], *places))
    for o in itertools.product(*map(range, places)):
        elements, padded = [], 0
        for k in itertools.product(*map(range, kernel)):
            i = [o[a] * strides[a] + k[a] * dilations[a] - pads[a] for a in range(n)]
            if all(0 <= v < m for v, m in zip(i, sizes)):
                elements.append(x[(..., *i)])
            padded += all(-pads[a] <= v < sizes[a] + pads[a + n] for a, v in enumerate(i))
        y[(..., *o)] = pooled(d, np.array(elements).reshape(len(elements), *x.shape[:2]), padded)
    return [typed(d, y), ...]


def pooled(d: Draw, elements: np.ndarray, padded: int) -> np.ndarray:
    """Of the elements of a window; padded: how many it has with those of the padding."""
    if d.op == "MaxPool":
        return elements.max(0)
    if d.op == "AveragePool":
        return elements.sum(0) / (padded if d.attributes.get("count_include_pad", 0) else len(elements))
    p = d.attributes.get("p", 2)
    return (np.abs(elements) ** p).sum(0) ** (1 / p)


COMPARE = {"BRANCH_LEQ": np.less_equal, "BRANCH_LT": np.less, "BRANCH_GTE": np.greater_equal, "BRANCH_GT": np.greater,
           "BRANCH_EQ": np.equal, "BRANCH_NEQ": np.not_equal}


def array_of(d: Draw, name: str):
    """An attribute that is a list of numbers, or a tensor of them."""
    attribute = d.attributes.get(name, d.attributes.get(name + "_as_tensor"))
    return numpy_helper.to_array(attribute) if isinstance(attribute, onnx.TensorProto) else attribute


def leaf_of(d: Draw, places: dict, tree: int, x: np.ndarray) -> int:
    """The node of a tree at which a row arrives."""
    node = 0
    while True:
        at = places[tree, node]
        mode = d.attributes["nodes_modes"][at]
        if mode == "LEAF":
            return node
        v = x[d.attributes["nodes_featureids"][at]]
        tracks = d.attributes.get("nodes_missing_value_tracks_true")
        yes = COMPARE[mode](v, array_of(d, "nodes_values")[at]) or bool(tracks and tracks[at] and np.isnan(v))
        node = d.attributes["nodes_truenodeids" if yes else "nodes_falsenodeids"][at]


def transformed(z: np.ndarray, transform: str) -> np.ndarray:
    """Single scores stay what they are."""
    if z.shape[-1] == 1:
        return z
    if transform == "LOGISTIC":
        return sigmoid(z)
    if transform.startswith("SOFTMAX"):
        e = np.exp(z - z.max(-1, keepdims=True))
        e = np.where(np.abs(z) < 1e-7, 0, e) if transform == "SOFTMAX_ZERO" else e
        return e / e.sum(-1, keepdims=True)
    return z


@formula("TreeEnsembleClassifier", "TreeEnsembleRegressor", domain="ai.onnx.ml")
def trees(d: Draw) -> list:
    if "#partial" in d.notes:
        raise NotImplementedError("the standard does not tell what a target without a vote has")
    at, x, prefix = d.attributes, value(d, 0), "class" if d.op == "TreeEnsembleClassifier" else "target"
    places = {key: k for k, key in enumerate(zip(at["nodes_treeids"], at["nodes_nodeids"]))}
    votes: dict[tuple[int, int], list] = {}
    for tree, node, target, weight in zip(*(at[f"{prefix}_{k}"] for k in ("treeids", "nodeids", "ids")), array_of(d, f"{prefix}_weights")):
        votes.setdefault((tree, node), []).append((target, weight))
    targets = at.get("n_targets") or len(at.get("classlabels_int64s") or at["classlabels_strings"])
    numbers = sorted(set(at["nodes_treeids"]))
    scores = np.zeros((len(x), targets, len(numbers)))
    for row, column in itertools.product(range(len(x)), range(len(numbers))):
        for target, weight in votes[numbers[column], leaf_of(d, places, numbers[column], x[row])]:
            scores[row, target, column] += weight
    reduce = {"SUM": np.sum, "AVERAGE": np.mean, "MIN": np.min, "MAX": np.max}[at.get("aggregate_function", "SUM")]
    z = reduce(scores, -1) + np.array(at.get("base_values", 0.0))
    y = transformed(z, at.get("post_transform", "NONE")).astype(np.float32)
    if prefix == "target":
        return [y]
    labels = at.get("classlabels_int64s") or at["classlabels_strings"]
    return [np.array([labels[k] for k in z.argmax(-1)], object if isinstance(labels[0], str) else np.int64), y]
