"""Values whose shape is known only when the graph runs."""
from __future__ import annotations

import numpy as np

from builder import Builder
from elementwise import exact_floats
from values import BOOL, F32, I64, Rejected, Value


def behind_compress(b: Builder, x: Value, share: float = 1.0) -> Value:
    """All of x, or a part of it, chosen by an input of the graph."""
    axis = b.rng.randrange(x.rank) if share < 1 or b.chance(0.3) else 0
    if b.opset < 9 or x.rank < 1:
        raise Rejected("rank")
    keep = [np.array([b.rng.random() < share for _ in range(s[axis])], np.bool_) for s in x.shapes]
    return b.op("Compress", x, b.input(keep, [None]), axis=axis)


def compress(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank >= 1)
    if b.chance(0.1):
        count = min(int(np.prod(s)) for s in x.shapes)
        return b.op("Compress", x, b.input([np.arange(count) % 2 == 0] * b.sizes, [None]))
    return behind_compress(b, x, b.rng.choice([1.0, 1.0, 0.7, 0.0]))


def compress_by_value(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank >= 1)
    mask = b.pick(lambda v: v.dtype == BOOL and v.rank == 1 and all(m[0] <= s[0] for m, s in zip(v.shapes, x.shapes)))
    return b.op("Compress", x, mask, axis=0)


def non_zero(b: Builder) -> Value:
    """The places themselves, or the values there."""
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32 and v.rank >= 1)
    places = b.op("NonZero", x)
    if b.opset < 12 or b.chance(0.3):
        return places
    return b.op("GatherND", x, b.op("Transpose", places, perm=[1, 0]))


def unique(b: Builder) -> Value:
    x = b.pick(lambda v: v.exact and v.dtype in (F32, I64) and v.rank >= 1 and not v.empty and b.opset >= 11)
    if b.chance(0.6):
        return b.op("Unique", x, sorted=1)
    return b.rng.choice(b.ops("Unique", x, outputs=4, sorted=1))


def late_slice(b: Builder) -> Value:
    """The end is an input of the graph."""
    x = b.pick(lambda v: v.rank >= 1 and b.opset >= 10)
    axis = b.rng.randrange(x.rank)
    ends = [[b.rng.randint(min(1, s[axis]), s[axis])] for s in x.shapes]
    stop = b.input([np.array(e) for e in ends], [1])
    return b.op("Slice", x, b.fixed([0]), stop, b.constant(np.array([axis])))


def late_range(b: Builder) -> Value:
    """Range to an input of the graph, as rows to gather."""
    x = b.pick(lambda v: v.rank >= 1 and b.opset >= 11)
    stop = b.input([np.array(b.rng.randint(0, s[0])) for s in x.shapes], [])
    rows = b.op("Range", b.constant(np.array(0)), stop, b.constant(np.array(1)))
    return b.op("Gather", x, rows, axis=0)


def late_reshape(b: Builder) -> Value:
    """The same shape, but given by an input of the graph."""
    x = b.pick(lambda v: v.rank >= 1 and b.opset >= 5)
    return b.op("Reshape", x, b.input([np.array(s, np.int64) for s in x.shapes], [x.rank]))


def late_expand(b: Builder) -> Value:
    x = b.pick(lambda v: 1 <= v.rank <= 5)
    wide = b.rng.choice([1, 2])
    targets = [np.array([wide if d == 1 else d for d in s], np.int64) for s in x.shapes]
    return b.op("Expand", x, b.input(targets, [x.rank]))


def late_pad(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype == F32 and v.rank >= 1 and b.opset >= 11)
    pads = [b.rng.choice([0, 0, 1]) for _ in range(2 * x.rank)]
    return b.op("Pad", x, b.input([np.array(pads)] * b.sizes, [2 * x.rank]))


def late_top_k(b: Builder) -> Value:
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32 and v.rank >= 1 and not v.empty and b.opset >= 10)
    axis = b.rng.randrange(x.rank)
    counts = [np.array([b.rng.randint(1, s[axis])]) for s in x.shapes]
    return b.ops("TopK", x, b.input(counts, [1]), outputs=2, axis=axis)[0]


def late_fill(b: Builder) -> Value:
    count = b.input([np.array([b.rng.randint(0, 4)], np.int64) for _ in range(b.sizes)], [1])
    x = b.pick(lambda v: v.dtype == F32 and v.rank >= 1 and v.dims[0] == 1)
    return b.op("Add", b.op("ConstantOfShape", b.op("Concat", count, b.constant(np.array([1])), axis=0)), x)


def suppressed(b: Builder) -> Value:
    """NonMaxSuppression of boxes that do not touch, and the boxes that are left."""
    if b.opset < 10:
        raise Rejected("opset")
    count = b.rng.randint(1, 6)
    corners = np.array([[3 * k, 0, 3 * k + 2, 2] for k in range(count)], np.float32)[None]
    scores = b.numbers((1, 1, count)) + np.arange(count, dtype=np.float32) / 64
    boxes = b.input([corners] * b.sizes, [1, count, 4])
    scores_value = b.input([scores.astype(np.float32)] * b.sizes, [1, 1, count])
    limits = [b.constant(np.array([v], t)) for v, t in ((3, np.int64), (0.5, np.float32), (0.0, np.float32))]
    indices = b.op("NonMaxSuppression", boxes, scores_value, *limits)
    index = b.op("Gather", indices, b.constant(np.array(2)), axis=1)
    return b.op("Gather", boxes, index, axis=1)


def pick_late(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype == I64 and v.rank == 1)
    return b.op("Cast", x, to=1)


WEIGHTS = {compress: 4, compress_by_value: 1, non_zero: 2, unique: 1, late_slice: 3, late_range: 1, late_reshape: 2,
           late_expand: 1.5, late_pad: 1.5, late_top_k: 1, late_fill: 0.5, suppressed: 0.3, pick_late: 0.3}
