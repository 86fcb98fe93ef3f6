"""Reductions, searches and CumSum along an axis."""
from __future__ import annotations

import numpy as np

from builder import Builder
from elementwise import exact_floats
from moves import axis_of
from values import F16, F32, F64, I32, I64, Rejected, Value

REDUCTIONS = ("ReduceSum", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare",
              "ReduceProd", "ReduceL2", "ReduceLogSumExp")


def reduced(b: Builder, kind: str, x: Value, axes: list[int] | None, keepdims: int | None) -> Value:
    by_input = b.opset >= 18 or (kind == "ReduceSum" and b.opset >= 13)
    if by_input:
        return b.op(kind, x, b.fixed(axes) if axes is not None else None, keepdims=keepdims)
    return b.op(kind, x, axes=axes, keepdims=keepdims)


def reduce(b: Builder) -> Value:
    kind = b.rng.choice(REDUCTIONS)
    x = b.pick(lambda v: v.dtype in (F32, F16, F64, I32, I64) and v.rank >= 1)
    if kind in ("ReduceL2", "ReduceLogSumExp", "ReduceProd", "ReduceMean") and not x.floating:
        raise Rejected("type")
    if x.empty:
        raise Rejected("nothing to reduce")  # ONNX Runtime keeps the axes of an empty input
    axes = None
    if b.chance(0.85):
        axes = sorted(b.rng.sample(range(x.rank), b.rng.randint(1, x.rank)))
        if b.opset >= 11 and b.chance(0.3):
            axes = [k - x.rank for k in axes]
    return reduced(b, kind, x, axes, b.rng.choice([None, 0, 0, 1]))


def pooled_by_reduction(b: Builder) -> Value:
    """A mean over the planes of a picture, as exporters write global pools."""
    x = b.pick(lambda v: v.dtype == F32 and v.rank in (3, 4, 5) and not v.empty)
    kind = b.rng.choice(["ReduceMean", "ReduceMax", "ReduceSum"])
    return reduced(b, kind, x, list(range(2, x.rank)), b.rng.choice([0, 1]))


def arg(b: Builder) -> Value:
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32 and v.rank >= 1 and not v.empty)
    select_last = b.rng.choice([None, 0, 1]) if b.opset >= 12 else None
    axis = axis_of(b, x) if b.opset >= 11 else b.rng.randrange(x.rank)
    return b.op(b.rng.choice(["ArgMax", "ArgMin"]), x, axis=axis, keepdims=b.rng.choice([0, 1]), select_last_index=select_last)


def top_k(b: Builder) -> Value:
    """Ties go to the lower index."""
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32 and v.rank >= 1 and not v.empty)
    axis = b.rng.randrange(x.rank)
    k = b.rng.randint(1, min(s[axis] for s in x.shapes))
    if b.opset < 10:
        return b.rng.choice(b.ops("TopK", x, outputs=2, axis=axis, k=k))
    largest = b.rng.choice([0, 1]) if b.opset >= 11 else None
    return b.rng.choice(b.ops("TopK", x, b.fixed([k]), outputs=2, axis=axis, largest=largest))


def cum_sum(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype in (F32, I64, I32) and v.rank >= 1 and b.opset >= 11)
    axis = b.ints([[b.rng.randrange(x.rank)]] * b.sizes, scalar=True)
    return b.op("CumSum", x, axis, exclusive=b.rng.choice([0, 1]), reverse=b.rng.choice([0, 1]))


def normalised(b: Builder) -> Value:
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32 and v.rank >= 2 and not v.empty)
    away = b.op("Add", b.op("Abs", x), b.constant(np.array(0.5, np.float32)))
    return b.op("LpNormalization", away, axis=x.rank - 1, p=b.rng.choice([1, 2]))


def hardmax(b: Builder) -> Value:
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32 and v.rank >= 1 and not v.empty)
    return b.op("Hardmax", x, axis=b.rng.randrange(x.rank))


WEIGHTS = {reduce: 5, pooled_by_reduction: 1, arg: 1.5, top_k: 2, cum_sum: 1, normalised: 0.4, hardmax: 0.3}
