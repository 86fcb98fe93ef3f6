"""Operators that move elements: reshapes, slices, joins, gathers; and shapes that are computed."""
from __future__ import annotations

import numpy as np
from onnx import numpy_helper

from builder import Builder
from values import F32, I64, Rejected, Value


def ranked(v: Value) -> bool:
    return v.rank >= 1


def axis_of(b: Builder, x: Value) -> int:
    """Now and then counted from the end."""
    axis = b.rng.randrange(x.rank)
    return axis - x.rank if b.chance(0.2) else axis


def transpose(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank >= 2)
    orders = [list(range(x.rank))]
    b.rng.shuffle(orders[0])
    if x.rank >= 3:
        orders += [[0, *range(2, x.rank), 1], [0, x.rank - 1, *range(1, x.rank - 1)]]  # to channels-last and back
    orders += [[*range(x.rank - 2), x.rank - 1, x.rank - 2], None]
    return b.op("Transpose", x, perm=b.rng.choice(orders))


def reshaped(b: Builder, x: Value, targets: list[list[int]]) -> Value:
    """With the numbers as they are, or one of them as -1 or 0."""
    if b.chance(0.6) and not x.empty:
        free = b.rng.randrange(len(targets[0])) if targets[0] else None
        for target, shape in zip(targets, x.shapes):
            if free is not None:
                target[free] = -1
            if b.chance(0.3) and target and shape and target[0] == shape[0]:
                target[0] = 0
    return b.op("Reshape", x, b.ints(targets))


def reshape(b: Builder) -> Value:
    """Joins neighbouring axes, or splits one."""
    x = b.pick(ranked)
    axis = b.rng.randrange(x.rank)
    style = b.rng.random()
    targets = []
    factor = b.rng.choice([1, 2, 2, 3, 4])
    for shape in x.shapes:
        if style < 0.4 and axis + 1 < x.rank:
            targets.append([*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2:]])
        elif style < 0.7 and shape[axis] % factor == 0:
            targets.append([*shape[:axis], factor, shape[axis] // factor, *shape[axis + 1:]])
        else:
            targets.append([int(np.prod(shape))])
    if len({len(t) for t in targets}) > 1:
        raise Rejected("ranks differ")
    return reshaped(b, x, targets)


def reshape_to_picture(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype == F32 and not v.empty)
    channels = b.rng.choice([1, 2, 3, 4])
    targets = []
    for shape in x.shapes:
        count = int(np.prod(shape))
        if count % channels:
            raise Rejected("channels")
        rest = count // channels
        width = max(w for w in range(1, 9) if rest % w == 0)
        targets.append([1, channels, rest // width, width])
    return b.op("Reshape", x, b.ints(targets))


def flatten(b: Builder) -> Value:
    x = b.pick(ranked)
    return b.op("Flatten", x, axis=b.rng.randint(0, x.rank))


def with_axes(b: Builder, kind: str, x: Value, axes: list[int]) -> Value:
    return b.op(kind, x, b.fixed(axes)) if b.opset >= 13 else b.op(kind, x, axes=axes)


def squeeze(b: Builder) -> Value:
    x = b.pick(lambda v: 1 in v.dims)
    axes = [k for k, d in enumerate(x.dims) if d == 1 and b.chance(0.7)]
    if not axes:
        raise Rejected("axes")
    if b.opset >= 11 and b.chance(0.2):
        axes = [k - x.rank for k in axes]
    return with_axes(b, "Squeeze", x, axes)


def unsqueeze(b: Builder) -> Value:
    x = b.pick(lambda v: 0 <= v.rank <= 5)
    count = b.rng.choice([1, 1, 2])
    axes = sorted(b.rng.sample(range(x.rank + count), count))
    if b.opset >= 11 and b.chance(0.2):
        axes = [k - x.rank - count for k in axes]
    return with_axes(b, "Unsqueeze", x, axes)


def concat_of(b: Builder, parts: list[Value], axis: int) -> Value:
    return b.op("Concat", *parts, axis=axis)


def concat(b: Builder) -> Value:
    x = b.pick(ranked)
    axis = axis_of(b, x)
    at = axis % x.rank

    def fits(v: Value) -> bool:
        return v.dtype == x.dtype and v.rank == x.rank and all(
            p[:at] + p[at + 1:] == q[:at] + q[at + 1:] for p, q in zip(v.shapes, x.shapes))

    parts = [x] + [b.pick(fits) for _ in range(b.rng.randint(1, 2))]
    if None not in x.dims[:at] + x.dims[at + 1:] and b.chance(0.3):
        parts.append(b.weight(tuple(2 if k == at else d for k, d in enumerate(x.dims)), x.dtype))
    b.rng.shuffle(parts)
    return concat_of(b, parts, axis)


def split_into(b: Builder, x: Value, count: int, axis: int) -> list[Value]:
    """Equal parts, by any way of saying so."""
    size = x.dims[axis]
    if size is None or size < count:
        raise Rejected("size")
    style = b.rng.random()
    if b.opset >= 18 and style < 0.5:
        return b.ops("Split", x, outputs=count, axis=axis, num_outputs=count)
    if size % count:
        raise Rejected("unequal")
    if style < 0.6 and b.opset < 18:
        return b.ops("Split", x, outputs=count, axis=axis)
    parts = [size // count] * count
    if b.opset >= 13:
        return b.ops("Split", x, b.fixed(parts), outputs=count, axis=axis)
    return b.ops("Split", x, outputs=count, axis=axis, split=parts)


def split(b: Builder) -> Value:
    x = b.pick(lambda v: any(d and d >= 2 for d in v.dims))
    axis = b.rng.choice([k for k, d in enumerate(x.dims) if d and d >= 2])
    size = x.dims[axis]
    if b.chance(0.6):
        parts = split_into(b, x, b.rng.choice([c for c in (2, 3, 4) if c <= size]), axis)
    else:
        first = b.rng.randint(1, size - 1)
        sizes = [first, size - first]
        if b.chance(0.1):
            sizes.append(0)
        if b.opset >= 13:
            parts = b.ops("Split", x, b.fixed(sizes), outputs=len(sizes), axis=axis)
        else:
            parts = b.ops("Split", x, outputs=len(sizes), axis=axis, split=sizes)
    return b.rng.choice(parts)


def splits_of_one(b: Builder) -> Value:
    """Two Splits of one value into different numbers of parts."""
    x = b.pick(lambda v: any(d in (6, 12) for d in v.dims) and v.floating)
    axis = next(k for k, d in enumerate(x.dims) if d in (6, 12))
    first, second = split_into(b, x, 3, axis), split_into(b, x, 2, axis)
    return concat_of(b, [b.op("Neg", second[0]), first[1]], axis)


def slice_(b: Builder) -> Value:
    """Steps of both signs, ends beyond the end; the whole is often cut along the channels or to nothing."""
    x = b.pick(ranked)
    axes = b.rng.sample(range(x.rank), b.rng.choice([1, 1, min(2, x.rank)]))
    starts, ends, steps = [], [], []
    for axis in axes:
        size = min(s[axis] for s in x.shapes)
        step = b.rng.choice([1, 1, 1, 2, -1, -2]) if b.opset >= 10 else 1
        start = b.rng.randint(0, max(0, size - 1))
        end = b.rng.choice([2**31 - 1, b.rng.randint(start, size + 1), -1]) if b.chance(0.9) else start
        if step < 0:
            start, end = (-1, -(2**31 - 1)) if b.chance(0.6) else (size - 1, 0)
        starts, ends, steps = [*starts, start], [*ends, end], [*steps, step]
    if b.opset < 10:
        return b.op("Slice", x, axes=axes, starts=starts, ends=ends)
    inputs = [b.fixed(starts), b.fixed(ends), b.fixed(axes)]
    return b.op("Slice", x, *inputs, b.fixed(steps)) if any(s != 1 for s in steps) else b.op("Slice", x, *inputs)


def pad(b: Builder) -> Value:
    x = b.pick(lambda v: ranked(v) and v.floating)
    mode = b.rng.choice(["constant", "constant", "edge", "reflect"])
    if mode != "constant" and (x.empty or min(min(s) for s in x.shapes) < 3):
        mode = "constant"
    low = -1 if mode == "constant" and b.chance(0.2) and not x.empty else 0
    pads = [b.rng.choice([low, 0, 0, 1, 2]) for _ in range(2 * x.rank)]
    if low < 0 and any(pads[k] + pads[x.rank + k] + min(s[k] for s in x.shapes) < 1 for k in range(x.rank)):
        raise Rejected("nothing is left")
    if b.opset < 11:
        return b.op("Pad", x, pads=pads, mode=mode, value=0.5 if mode == "constant" else 0.0, exact=False)
    value = b.constant(np.array(0.5, x.dtype)) if mode == "constant" and b.chance(0.5) else None
    return b.op("Pad", x, b.fixed(pads), value, mode=mode)


def tile(b: Builder) -> Value:
    x = b.pick(ranked)
    return b.op("Tile", x, b.fixed([b.rng.choice([1, 1, 2, 3]) for _ in range(x.rank)]))


def expand(b: Builder) -> Value:
    x = b.pick(lambda v: 0 <= v.rank <= 5)
    more = [b.rng.choice([1, 2, 3])] if b.chance(0.4) else []
    wide = b.rng.choice([1, 2, 3])
    targets = [more + [wide if d == 1 else d for d in shape] for shape in x.shapes]
    if b.chance(0.3):
        targets = [more + [1] * len(shape) for shape in x.shapes]
    return b.op("Expand", x, b.ints(targets))


def gather(b: Builder) -> Value:
    x = b.pick(lambda v: ranked(v) and not v.empty)
    axis = axis_of(b, x)
    size = min(s[axis] for s in x.shapes)
    shape = b.rng.choice([(), (1,), (2,), (3,), (2, 2), (0,)])
    indices = b.root.numbers.integers(-size, size, shape)
    dtype = b.rng.choice([np.int64, np.int64, np.int32])
    index_array = np.asarray(indices, dtype)
    index_value = b.input([index_array] * b.sizes, list(shape)) if b.chance(b.root.lateness) else b.constant(index_array)
    return b.op("Gather", x, index_value, axis=axis)


def gather_elements(b: Builder) -> Value:
    x = b.pick(lambda v: ranked(v) and not v.empty and None not in v.dims and b.opset >= 11)
    axis = b.rng.randrange(x.rank)
    shape = tuple(b.rng.randint(1, d) if k != axis else b.rng.choice([1, d]) for k, d in enumerate(x.dims))
    indices = b.root.numbers.integers(0, x.dims[axis], shape)
    if b.chance(0.5):
        return b.op("GatherElements", x, b.constant(indices), axis=axis)
    order = np.argsort(b.root.numbers.random(x.dims), axis=axis).astype(np.int64)  # no place twice
    alike = b.chance(0.5)
    updates = b.pick(lambda v: v.dtype == x.dtype and v.shapes == x.shapes) if alike else b.weight(x.dims, x.dtype)
    return b.op("ScatterElements", x, b.constant(order), updates, axis=axis)


def gather_nd(b: Builder) -> Value:
    x = b.pick(lambda v: ranked(v) and not v.empty and b.opset >= 11)
    depth = b.rng.randint(1, min(2, x.rank))
    sizes = [min(s[k] for s in x.shapes) for k in range(depth)]
    rows = {tuple(b.rng.randrange(n) for n in sizes) for _ in range(b.rng.randint(1, 3))}
    indices = np.array(sorted(rows), np.int64)
    if b.chance(0.5) or None in x.dims[depth:]:
        return b.op("GatherND", x, b.constant(indices))
    return b.op("ScatterND", x, b.constant(indices), b.weight((len(rows), *x.dims[depth:]), x.dtype))


def computed_shape(b: Builder) -> Value:
    """Shape, its parts, their sums and products; often for a Reshape of the same value."""
    x = b.pick(lambda v: ranked(v) and v.rank >= 2)
    shape = b.op("Shape", x)
    style = b.rng.random()
    if style < 0.2:
        return shape
    if style < 0.4:
        return b.op("Gather", shape, b.constant(np.array(b.rng.randrange(x.rank))))
    keep = b.rng.randrange(x.rank)
    part = b.op("Gather", shape, b.constant(np.array([keep])))
    rest = b.constant(np.array([-1]))
    if any(s[keep] == 0 for s in x.shapes):
        raise Rejected("empty")
    target = concat_of(b, [part, rest], 0)
    flat = b.op("Reshape", b.op("Transpose", x, perm=[keep, *(k for k in range(x.rank) if k != keep)]), target)
    if b.chance(0.5):
        return flat
    if style < 0.7:
        return b.op("Reshape", flat, shape)
    size = b.op("Mul", part, b.constant(np.array([2])))
    return b.op("Expand", b.op("Unsqueeze", flat, axes=[0]) if b.opset < 13 else b.op("Unsqueeze", flat, b.fixed([0])),
                concat_of(b, [size, b.constant(np.array([1, 1]))], 0))


def filled(b: Builder) -> Value:
    """ConstantOfShape or Range of sizes that are computed, read by an element-wise operator."""
    x = b.pick(lambda v: v.dtype == F32 and ranked(v))
    if b.chance(0.5):
        value = numpy_helper.from_array(np.array([0.75], np.float32))
        return b.op("Mul", x, b.op("ConstantOfShape", b.op("Shape", x), value=value))
    if b.opset < 11:
        raise Rejected("opset")
    last_size = b.op("Gather", b.op("Shape", x), b.constant(np.array(x.rank - 1)))
    steps = b.op("Range", b.constant(np.array(0)), last_size, b.constant(np.array(1)))
    return b.op("Add", x, b.op("Cast", steps, to=1))


def triangle(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank >= 2 and v.dtype == F32 and b.opset >= 14)
    return b.op("Trilu", x, b.ints([[b.rng.choice([-1, 0, 1])]] * b.sizes, scalar=True) if b.chance(0.5) else None,
                upper=b.rng.choice([0, 1]))


def eye(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank == 2 and v.dtype in (F32, I64))
    return b.op("EyeLike", x, k=b.rng.choice([-1, 0, 1]), dtype=b.rng.choice([None, 1, 7]))


def one_hot(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype == I64 and 0 <= v.rank <= 3)
    values = b.constant(np.array([0.25, 1.5], np.float32))
    depth = b.ints([[b.rng.choice([3, 5])]] * b.sizes, scalar=True)
    return b.op("OneHot", x, depth, values, axis=b.rng.choice([-1, 0]))


def reverse(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank >= 2 and v.dtype == F32 and not v.empty and b.opset >= 10)
    lengths = [[b.rng.randint(1, s[0]) for _ in range(s[1])] for s in x.shapes]
    return b.op("ReverseSequence", x, b.input([np.array(n) for n in lengths], [None]), time_axis=0, batch_axis=1)


def identity(b: Builder) -> Value:
    return b.op("Identity", b.pick(lambda v: True))




WEIGHTS = {transpose: 4, reshape: 4, reshape_to_picture: 1.5, flatten: 1, squeeze: 1.5, unsqueeze: 2, concat: 3,
           split: 2, splits_of_one: 0.5, slice_: 4, pad: 2, tile: 1, expand: 1.5, gather: 2, gather_elements: 1,
           gather_nd: 1, computed_shape: 2, filled: 1, triangle: 0.6, eye: 0.4, one_hot: 0.4, reverse: 0.4,
           identity: 0.7}
