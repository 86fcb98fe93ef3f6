"""Matmuls and the operators around them in networks for text."""
from __future__ import annotations

import numpy as np

from builder import Builder
from elementwise import partner
from moves import split_into
from values import BF16, F16, F32, Rejected, Value


def rows(v: Value) -> bool:
    """A float value whose last axis is known."""
    return v.dtype in (F32, F16) and v.rank >= 2 and bool(v.dims[-1])


def wide_rows(v: Value) -> bool:
    return rows(v) and v.dtype == F32


def maybe_narrow(v: Value) -> bool:
    return rows(v) or (v.dtype == BF16 and v.rank >= 2 and bool(v.dims[-1]))


def product(b: Builder, x: Value, outputs: int) -> Value:
    """x times a constant, now and then as a Gemm or from the left."""
    w = b.weight((x.dims[-1], outputs), x.dtype, -2, 2)
    return b.op("MatMul", x, w)


def matmul(b: Builder) -> Value:
    x = b.pick(maybe_narrow)
    style = b.rng.random()
    y = product(b, x, b.rng.choice([1, 2, 3, 4, 8, 12, 16, 17]))
    if style < 0.5:
        y = b.op("Add", y, b.weight((y.dims[-1],), x.dtype))
    if style < 0.3:
        y = b.op(b.rng.choice(["Relu", "Tanh", "Sigmoid"]), y)
    return y


def matmul_of_two(b: Builder) -> Value:
    x = b.pick(lambda v: rows(v) and v.rank <= 4)
    y = b.pick(lambda v: v.dtype == x.dtype and v.rank >= 2)
    if all(p[-1] == q[-2] for p, q in zip(x.shapes, y.shapes)):
        return b.op("MatMul", x, y)
    order = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    return b.op("MatMul", x, b.op("Transpose", x, perm=order))


def gemm(b: Builder) -> Value:
    x = b.pick(lambda v: rows(v) and v.rank == 2)
    turned_x, turned_w = b.chance(0.2), b.chance(0.4)
    depth = x.dims[0] if turned_x else x.dims[1]
    if not depth:
        raise Rejected("size")
    outputs = b.rng.choice([1, 2, 3, 4, 8, 16])
    w = b.weight((outputs, depth) if turned_w else (depth, outputs), x.dtype, -2, 2)
    bias = None
    if b.chance(0.8) or b.opset < 11:
        shapes = [(outputs,), (1, outputs), (), (1, 1)] + ([(x.dims[0], 1)] if x.dims[0] and not turned_x else [])
        bias = b.weight(b.rng.choice(shapes), x.dtype)
    y = b.op("Gemm", x, w, bias, transA=int(turned_x), transB=int(turned_w), alpha=b.rng.choice([1.0, 1.0, 0.5]),
             beta=b.rng.choice([1.0, 1.0, 0.5, 0.0]))
    return b.op(b.rng.choice(["Relu", "Tanh", "Sigmoid"]), y) if b.chance(0.5) else y


def products_of_one(b: Builder) -> Value:
    """Several matmuls of one value, which may be joined; then sums of them."""
    x = b.pick(wide_rows)
    outputs = b.rng.choice([1, 2, 3, 4, 8])
    parts = [product(b, x, outputs) for _ in range(b.rng.randint(2, 3))]
    style = b.rng.random()
    if style < 0.4:
        return b.op("Add", parts[0], parts[1]) if b.chance(0.6) else b.op("Add", parts[1], parts[0])
    if style < 0.7:
        parts = [b.op("Add", p, b.weight((outputs,))) for p in parts]
    if style < 0.55:
        return b.op("Mul", parts[0], b.op("Sigmoid", parts[1]))
    return b.op("Concat", *parts, axis=x.rank - 1)


def lora(b: Builder) -> Value:
    """x w + (x a) b."""
    x = b.pick(wide_rows)
    outputs, rank = b.rng.choice([2, 3, 4, 8]), b.rng.choice([1, 2])
    straight = product(b, x, outputs)
    low = product(b, product(b, x, rank), outputs)
    if b.chance(0.3):
        low = b.op("Mul", low, b.constant(np.array(0.5, np.float32)))
    return b.op("Add", straight, low) if b.chance(0.5) else b.op("Add", low, straight)


def crosswise(b: Builder) -> Value:
    """Matmuls of two inputs, each with a bias that follows from the other."""
    x = b.pick(lambda v: wide_rows(v) and v.rank == 2)
    y = b.pick(lambda v: wide_rows(v) and v.shapes == x.shapes)
    outputs = b.rng.choice([2, 3, 4])
    first_product, two, three, four = (product(b, v, outputs) for v in (x, y, x, y))
    first = b.op("Add", first_product, b.op("ReduceMax", two, keepdims=1) if b.chance(0.3) else two)
    second = b.op("Add", four, b.op("Relu", three))
    return b.op("Add", first, second)


def softmax(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype in (F32, F16) and v.rank >= 1 and not v.empty)
    axis = b.rng.choice([-1, -1, x.rank - 1, b.rng.randrange(x.rank)])
    if b.opset < 11:
        axis %= x.rank
    return b.op(b.rng.choice(["Softmax", "Softmax", "LogSoftmax"]), x, axis=axis)


def heads(b: Builder, x: Value, count: int, turned: bool) -> Value:
    """[n, t, d] to [n, heads, t, d / heads], of keys with the last two axes exchanged."""
    shapes = [[s[0], s[1], count, s[2] // count] for s in x.shapes]
    return b.op("Transpose", b.op("Reshape", x, b.ints(shapes)), perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3])


def attention(b: Builder) -> Value:
    """Scaled dot-product attention over one or several heads."""
    x = b.pick(lambda v: wide_rows(v) and v.rank == 3 and not v.empty)
    size = b.rng.choice([4, 8, 12])
    if b.chance(0.3):
        q, k, v = split_into(b, product(b, x, 3 * size), 3, 2)
    else:
        q, k, v = (product(b, x, size) for _ in range(3))
        if b.chance(0.6):
            q, k, v = (b.op("Add", operand, b.weight((size,))) for operand in (q, k, v))
    count = b.rng.choice([1, 2, 4])
    q, k, v = heads(b, q, count, False), heads(b, k, count, True), heads(b, v, count, False)
    scores = b.op("MatMul", q, k)
    scale = b.constant(np.array(b.rng.choice([0.5, 0.25, 0.125]), np.float32))
    scores = b.op("Mul", scores, scale) if b.chance(0.5) else b.op("Div", scores, b.op("Reciprocal", scale))
    if b.chance(0.4):
        scores = b.op("Add", scores, b.weight(b.rng.choice([(1,), (1, count, 1, 1), (count, 1, 1)])))
    y = b.op("MatMul", b.op("Softmax", scores, axis=3), v)
    y = b.op("Transpose", y, perm=[0, 2, 1, 3])
    y = b.op("Reshape", y, b.ints([[s[0], s[1], size] for s in x.shapes]))
    return b.op("Add", x, product(b, y, x.dims[2])) if b.chance(0.5) else product(b, y, 4)


def averaged(b: Builder, x: Value, keepdims: int = 1) -> Value:
    if b.opset >= 18:
        return b.op("ReduceMean", x, b.fixed([-1]), keepdims=keepdims)
    return b.op("ReduceMean", x, axes=[x.rank - 1], keepdims=keepdims)


def layer_norm_by_hand(b: Builder) -> Value:
    x = b.pick(lambda v: wide_rows(v) and not v.empty and v.exact)
    epsilon = b.constant(np.array(0.01, np.float32))
    centred = b.op("Sub", x, averaged(b, x)) if b.chance(0.7) else x
    exponent = b.constant(np.array(2.0, np.float32)) if b.chance(0.6) else None
    square = b.op("Pow", centred, exponent) if exponent else b.op("Mul", centred, centred)
    spread = b.op("Sqrt", b.op("Add", averaged(b, square), epsilon))
    y = b.op("Div", centred, spread) if b.chance(0.6) else b.op("Mul", centred, b.op("Reciprocal", spread))
    y = b.op("Mul", y, b.weight((x.dims[-1],))) if b.chance(0.7) else y
    return b.op("Add", y, b.weight((x.dims[-1],))) if b.chance(0.7) else y


def layer_norm(b: Builder) -> Value:
    x = b.pick(lambda v: wide_rows(v) and not v.empty and v.exact and b.opset >= 17)
    bias = b.weight((x.dims[-1],)) if b.chance(0.6) else None
    y = b.op("LayerNormalization", x, b.weight((x.dims[-1],)), bias, axis=-1, epsilon=0.01)
    return b.op("Add", x, y) if b.chance(0.3) else y


def einsum(b: Builder) -> Value:
    x = b.pick(lambda v: wide_rows(v) and v.rank in (2, 3) and b.opset >= 12)
    letters = "abc"[3 - x.rank:]
    w = b.weight((x.dims[-1], b.rng.choice([2, 3])), F32, -2, 2)
    style = b.rng.choice([f"{letters},cd->{letters[:-1]}d", f"{letters},cd->d{letters[:-1]}", "...c,cd->...d",
                          f"{letters},cd->{letters[:-1]}"])
    return b.op("Einsum", x, w, equation=style)


def recurrent(b: Builder) -> Value:
    x = b.pick(lambda v: wide_rows(v) and v.rank == 3 and not v.empty)
    kind, gates = b.rng.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    hidden, size = b.rng.choice([1, 2, 3]), x.dims[2]
    ways = b.rng.choice([1, 1, 2])
    w, r = b.weight((ways, gates * hidden, size)), b.weight((ways, gates * hidden, hidden))
    bias = b.weight((ways, 2 * gates * hidden)) if b.chance(0.6) else None
    direction = "forward" if ways == 1 else "bidirectional"
    values = b.ops(kind, x, w, r, bias, outputs=2, hidden_size=hidden, direction=direction)
    return b.rng.choice(values)


def feed_forward(b: Builder) -> Value:
    x = b.pick(wide_rows)
    y = b.op("Add", product(b, x, 8), b.weight((8,)))
    y = b.op("Relu", y) if b.chance(0.5) else b.op("Mul", y, b.op("Sigmoid", y))
    y = product(b, y, x.dims[-1])
    return b.op("Add", y, x if b.chance(0.7) else partner(b, y))


WEIGHTS = {matmul: 5, matmul_of_two: 2, gemm: 3, products_of_one: 2, lora: 1.5, crosswise: 0.6, softmax: 2,
           attention: 2, layer_norm_by_hand: 1, layer_norm: 0.7, einsum: 0.7, recurrent: 0.7, feed_forward: 1.5}
