"""Operators between DequantizeLinear and QuantizeLinear of 8 bits. All scales are powers of two, so that integers and
float32 give the same numbers, to the last bit."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from builder import Builder
from values import F32, I8, U8, Rejected, Value

ENDS = {U8: (0, 255), I8: (-128, 127)}


def suits(v: Value) -> bool:
    return v.dtype == F32 and v.exact and v.rank >= 1 and not v.constant


def coded(b: Builder, v: Value) -> Value:
    """Quantized and dequantized; now and then with another DequantizeLinear, or with a bound before."""
    dtype = b.rng.choice([U8, U8, I8])
    low, high = ENDS[dtype]
    scale = np.float32(b.rng.choice([1, 0.5, 0.25, 0.125]))
    zero = b.rng.choice([low, (low + high + 1) // 2, b.rng.randint(low, high)])
    bound = b.rng.random()
    if bound < 0.2:
        v = b.op("Relu", v)
    elif bound < 0.3 and b.opset >= 11:
        ends = [np.float32((end - zero + b.rng.choice([-1, -0.5, 0, 0.5, 1])) * scale) for end in (low, high)]
        v = b.op("Clip", v, *(b.constant(end) for end in ends))
    return again(b, b.op("QuantizeLinear", v, b.constant(scale), b.constant(np.array(zero, dtype))), scale, zero)


def again(b: Builder, q: Value, scale: np.float32, zero: int) -> Value:
    return b.op("DequantizeLinear", q, b.constant(scale), b.constant(np.array(zero, q.dtype)))


def pick(b: Builder, fits: Callable[[Value], bool] = lambda v: True) -> Value:
    """Dequantized values: rather those that are there."""
    names = {n.output[0] for n in b.nodes if n.op_type == "DequantizeLinear"}
    candidates = [v for v in b.values.values() if v.name in names and suits(v) and fits(v)]
    if candidates and b.chance(0.8):
        return b.rng.choice(candidates)
    return coded(b, b.pick(lambda v: suits(v) and fits(v)))


def weights(b: Builder, shape: tuple[int, ...], axis: int) -> tuple[Value, np.ndarray]:
    dtype = b.rng.choice([I8, I8, U8])
    count = shape[axis] if b.opset >= 13 and b.chance(0.5) else 1
    scale = np.array([b.rng.choice([1, 0.5, 0.25]) for _ in range(count)], np.float32)
    zero = np.full(count, b.rng.choice([0, 0, 1, 5]), dtype)
    if count == 1:
        scale, zero = scale.reshape(()), zero.reshape(())
    codes = b.constant(b.numbers(shape, dtype, -8, 8))
    return b.op("DequantizeLinear", codes, b.constant(scale), b.constant(zero), axis=axis if count > 1 else None), scale


def bias(b: Builder, x: Value, scale: np.ndarray, count: int) -> Value | None:
    """Of a value whose scale b.nodes have: in its steps."""
    if b.opset < 13 or b.chance(0.4):
        return None
    maker = next(n for n in b.nodes if x.name in n.output)
    steps = np.asarray(b.find(maker.input[1]).arrays[0] * scale, np.float32)
    return b.op("DequantizeLinear", b.constant(b.numbers((count,), np.dtype(np.int32), -60, 60)), b.constant(steps),
                axis=0 if steps.ndim else None)


def conv(b: Builder) -> Value:
    x = pick(b, lambda v: 3 <= v.rank <= 5 and bool(v.dims[1]) and not v.empty)
    axes, channels = x.rank - 2, x.dims[1]
    group = b.rng.choice([1, 1, channels])
    outputs = group * b.rng.choice([1, 2, 3] if group == 1 else [1])
    kernel = [b.rng.choice([1, 1, 2, 3]) for _ in range(axes)]
    w, scale = weights(b, (outputs, channels // group, *kernel), 0)
    y = b.op("Conv", x, w, bias(b, x, scale, outputs), group=group, kernel_shape=kernel, pads=[1] * (2 * axes),
             strides=[b.rng.choice([1, 2])] * axes)
    return coded(b, y)


def product(b: Builder) -> Value:
    x = pick(b, lambda v: v.rank >= 2 and bool(v.dims[-1]) and not v.empty)
    outputs = b.rng.choice([1, 2, 5, 8])
    w, scale = weights(b, (x.dims[-1], outputs), 1)
    if x.rank == 2 and b.opset >= 11 and b.chance(0.5):
        return coded(b, b.op("Gemm", x, w, bias(b, x, scale, outputs)))
    return coded(b, b.op("MatMul", x, w))


def sum_of_two(b: Builder) -> Value:
    x = pick(b)
    y = pick(b, lambda v: v.shapes == x.shapes)
    return coded(b, b.op(b.rng.choice(["Add", "Add", "Mul", "Sub"]), x, y))


def pooled(b: Builder) -> Value:
    x = pick(b, lambda v: 3 <= v.rank <= 5 and not v.empty)
    if b.chance(0.3):
        return coded(b, b.op("GlobalMaxPool", x))
    return same(b, x, b.op("MaxPool", x, kernel_shape=[2] * (x.rank - 2), pads=[1] * (x.rank - 2) + [0] * (x.rank - 2)))


def same(b: Builder, x: Value, y: Value) -> Value:
    """Quantized as x was."""
    maker = next(n for n in b.nodes if x.name in n.output)
    scale, zero = (b.find(name) for name in maker.input[1:3])
    return b.op("DequantizeLinear", b.op("QuantizeLinear", y, scale, zero), scale, zero)


def moved(b: Builder) -> Value:
    x = pick(b)
    kind = b.rng.choice(["Transpose", "Flatten", "Concat", "Relu"])
    if kind == "Transpose":
        return same(b, x, b.op(kind, x, perm=b.rng.sample(range(x.rank), x.rank)))
    if kind == "Flatten":
        return same(b, x, b.op(kind, x, axis=b.rng.randint(0, x.rank)))
    if kind == "Relu":
        return same(b, x, b.op(kind, x))
    y = pick(b, lambda v: v.shapes == x.shapes)
    result = b.op(kind, x, y, axis=b.rng.randrange(x.rank))
    return coded(b, result) if b.chance(0.6) else same(b, x, result)


def alone(b: Builder) -> Value:
    x = b.pick(suits)
    if x.largest() > 500:
        raise Rejected("too large")
    return coded(b, x)


WEIGHTS = {conv: 4, product: 4, sum_of_two: 3, pooled: 2, moved: 3, alone: 1}
