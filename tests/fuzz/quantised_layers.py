"""The layers of random quantized graphs: each adds one float32 operator, or a few."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quantised_graphs import Codes, Graph
from values import Rejected


def image(x: Codes) -> bool:
    return len(x.shape) in (3, 4)


def ints(g: Graph, values: list[int]) -> tuple[str, np.ndarray]:
    array = np.array(values, np.int64)
    return g.constant(array), array


def exact(g: Graph, x: Codes) -> Codes:
    """What only moves quantized values is exact."""
    g.encoded[x.name] = 0
    return x


def conv(g: Graph) -> None:
    x = g.pick(image)
    channels, spatial = x.shape[1], x.shape[2:]
    group = g.rng.choice([k for k in (1, 1, 1, 2, channels) if channels % k == 0])
    outputs = group * g.rng.choice([1, 2, 3, 4] if group == 1 else [1, 1, 2])
    dilations = [g.rng.choice([1, 1, 1, 2]) for _ in spatial]
    kernel = [g.rng.choice([1, 2, 3]) for _ in spatial]
    pads = [g.rng.choice([0, 0, 1]) for _ in spatial for _ in (0, 1)]
    w, floats, scale = g.weights((outputs, channels // group, *kernel), 0)
    operands = [x, (w, floats)]
    if g.chance(0.6):
        operands.append(g.bias(x, scale, outputs))
    g.layer("Conv", operands, group=group, kernel_shape=kernel, dilations=dilations, pads=pads,
            strides=[g.rng.choice([1, 1, 2]) for _ in spatial])


def matmul(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 2)
    w, floats, _ = g.weights((x.shape[-1], g.rng.choice([1, 2, 3, 8, 17])), 1)
    g.layer("MatMul", [x, (w, floats)])


def product_of_two(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 2)
    turned = exact(g, g.layer("Transpose", [x], x, perm=[*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]))
    g.layer("MatMul", [x, turned])


def gemm(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) == 2)
    turned, turned_w = int(g.chance(0.2)), int(g.chance(0.4))
    depth, outputs = x.shape[0 if turned else 1], g.rng.choice([1, 2, 4, 9])
    axis = 0 if turned_w else 1
    w, floats, scale = g.weights((outputs, depth) if turned_w else (depth, outputs), axis)
    operands = [x, (w, floats)]
    alpha = g.rng.choice([1.0, 1.0, 0.5])
    if g.chance(0.6):
        operands.append(g.bias(x, scale, outputs))
    g.layer("Gemm", operands, transA=turned, transB=turned_w, alpha=alpha, beta=alpha if g.chance(0.8) else 1.0)


def partner(g: Graph, x: Codes) -> Codes:
    """Quantized values that broadcast with x."""
    like = [v for v in g.codes if v.shape == x.shape]
    if g.chance(0.7):
        return g.rng.choice(like)
    first = g.rng.randrange(len(x.shape) + 1)
    return g.constant_codes(tuple(n if g.chance(0.6) else 1 for n in x.shape[first:]))


def binary(g: Graph) -> None:
    x = g.pick()
    pair = [x, partner(g, x)]
    g.rng.shuffle(pair)
    g.layer(g.rng.choice(["Add", "Add", "Mul", "Sub"]), pair)


def activation(g: Graph) -> None:
    x = g.pick()
    kind = g.rng.choice(["Sigmoid", "LeakyRelu", "Tanh", "Relu"])
    g.layer(kind, [x], **({"alpha": 0.2} if kind == "LeakyRelu" else {}))


def bounded(g: Graph) -> None:
    x = g.pick()
    exact(g, g.layer("Relu", [x], x))


def window(g: Graph, x: Codes) -> dict[str, object]:
    spatial = x.shape[2:]
    kernel = [g.rng.randint(1, min(3, n)) for n in spatial]
    return {"kernel_shape": kernel, "strides": [g.rng.choice([1, 2]) for _ in spatial],
            "pads": [g.rng.randint(0, k - 1) for _ in (0, 1) for k in kernel]}


def max_pool(g: Graph) -> None:
    x = g.pick(image)
    same = g.chance(0.8)
    y = g.layer("MaxPool", [x], x if same else None, **window(g, x))  # ceil_mode: ONNX Runtime takes wrong shapes
    if same:
        exact(g, y)


def average_pool(g: Graph) -> None:
    x = g.pick(image)
    g.layer("AveragePool", [x], count_include_pad=int(g.chance(0.3)), **window(g, x))


def global_pool(g: Graph) -> None:
    g.layer("GlobalAveragePool", [g.pick(image)])


def concat(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 1)
    axis = g.rng.randrange(len(x.shape))
    fits = [v for v in g.codes if len(v.shape) == len(x.shape) and
            all(a == b for k, (a, b) in enumerate(zip(v.shape, x.shape)) if k != axis)]
    parts = [x, *g.rng.choices(fits, k=g.rng.choice([1, 2]))]
    if g.chance(0.3):
        exact(g, g.layer("Concat", [x, x], x, axis=axis))
    else:
        g.layer("Concat", parts, axis=axis)


def resize(g: Graph) -> None:
    x = g.pick(image)
    scales = np.array([1, 1, *(g.rng.choice([1, 2, 0.5, 1.5]) for _ in x.shape[2:])], np.float32)
    mode = g.rng.choice(["nearest", "nearest", "linear"])
    y = g.layer("Resize", [x, ("", None), (g.constant(scales), scales)], x, mode=mode,
                coordinate_transformation_mode="asymmetric", **({"nearest_mode": "floor"} if mode == "nearest" else {}))
    if mode == "nearest":
        exact(g, y)


def move(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 1)
    rank, same = len(x.shape), g.chance(0.85)
    kind = g.rng.choice(["Reshape", "Transpose", "Flatten", "Slice", "Gather", "Unsqueeze", "Pad"])
    if kind == "Reshape":
        y = g.layer(kind, [x, ints(g, [x.shape[0], -1])], x if same else None)
    elif kind == "Transpose":
        y = g.layer(kind, [x], x if same else None, perm=g.rng.sample(range(rank), rank))
    elif kind == "Flatten":
        y = g.layer(kind, [x], x if same else None, axis=g.rng.randint(0, rank))
    elif kind == "Slice":
        y = g.layer(kind, [x, ints(g, [g.rng.choice([0, 1, -1])]), ints(g, [1000]), ints(g, [g.rng.randrange(rank)])],
                    x if same else None)
    elif kind == "Gather":
        axis = g.rng.randrange(rank)
        indices = [g.rng.randrange(x.shape[axis]) for _ in range(3)]
        y = g.layer(kind, [x, ints(g, indices)], x if same else None, axis=axis)
    elif kind == "Unsqueeze":
        y = g.layer(kind, [x, ints(g, [g.rng.randint(0, rank)])], x if same else None)
    else:
        filler = np.float32(g.rng.choice([0, 1.3, -0.7]))
        operands = [x, ints(g, [g.rng.randint(0, 1) for _ in range(2 * rank)])]
        y = g.layer(kind, operands + ([(g.constant(filler), filler)] if g.chance(0.6) else []), x if same else None)
    if same:
        exact(g, y)


def split(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 1 and max(v.shape) >= 2)
    axis = int(np.argmax(x.shape))
    first = g.rng.randint(1, x.shape[axis] - 1)
    for y in g.layers("Split", [x, ints(g, [first, x.shape[axis] - first])], 2, x, axis=axis):
        exact(g, y)


def softmax(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 1)
    g.layer("Softmax", [x], axis=g.rng.randrange(len(x.shape)))


def where(g: Graph) -> None:
    x = g.pick()
    condition = g.numbers.integers(0, 2, x.shape[-1:]).astype(bool)
    g.layer("Where", [(g.constant(condition), condition), x, partner(g, x)])


def reduce_mean(g: Graph) -> None:
    x = g.pick(lambda v: len(v.shape) >= 2)
    axes = sorted(g.rng.sample(range(len(x.shape)), g.rng.randint(1, len(x.shape) - 1)))
    keepdims = int(g.chance(0.6))
    if g.opset >= 18:
        g.layer("ReduceMean", [x, ints(g, axes)], keepdims=keepdims)
    else:
        g.layer("ReduceMean", [x], axes=axes, keepdims=keepdims)


def residual(g: Graph) -> None:
    """A convolution that keeps the shape, and what it reads."""
    x = g.pick(image)
    w, floats, scale = g.weights((x.shape[1], x.shape[1], *(3 for _ in x.shape[2:])), 0)
    y = g.layer("Conv", [x, (w, floats), g.bias(x, scale, x.shape[1])], pads=[1] * (2 * (len(x.shape) - 2)))
    if y.shape != x.shape:
        raise Rejected("no residual")
    g.layer("Add", [y, x])


WEIGHTS: dict[Callable[[Graph], None], float] = {
    conv: 5, residual: 2, matmul: 3, product_of_two: 1, gemm: 3, binary: 3, activation: 2, bounded: 1, max_pool: 1.5,
    average_pool: 1, global_pool: 0.7, concat: 2, resize: 1, move: 3, split: 1, softmax: 1, where: 1, reduce_mean: 1}
