"""Operators that move elements."""
from __future__ import annotations

import numpy as np
from onnx import helper

from draw import (BOOL, F32, FLOATS, I32, I64, INTEGERS, SMALL_FLOATS, SMALL_INTEGERS, TEXT, Draw, Unsuitable, generates,
                  is_float, onnx_type, tensor_of)


def mover(d: Draw, low: int = 0, high: int = 5, empty: bool = True, name: str = "T") -> np.ndarray:
    d.how = "exact"
    return d.give(d.array(d.shape(low, high, empty), d.type(name)), constant=d.chance(d.constants * 0.3))


@generates("Reshape")
def reshape(d: Draw) -> None:
    x = mover(d, empty=d.since >= 5)
    count = x.size
    if count == 0:
        target = d.pick([[0], [0, 3], list(x.shape)]) if d.since >= 14 else list(x.shape)
    else:
        target, rest = [], count
        for _ in range(d.rng.randint(0, 3)):
            factor = d.pick([f for f in range(1, rest + 1) if rest % f == 0][:8])
            target.append(factor)
            rest //= factor
        target.insert(d.rng.randint(0, len(target)), rest)
        if d.chance(0.3):
            target[d.rng.randrange(len(target))] = -1
        if count == 1 and d.chance(0.3):
            target = []
        for k, n in enumerate(x.shape[:len(target)]):
            if target[k] == n and d.chance(0.4) and -1 not in target:
                target[k] = 0
    if count == 0 and d.since >= 14:
        d.set(allowzero=1)
    if d.since < 5:
        d.set(shape=target or [1])
    else:
        d.parameter(target)


@generates("Transpose")
def transpose(d: Draw) -> None:
    x = mover(d)
    perm = list(range(x.ndim))
    d.rng.shuffle(perm)
    d.maybe(0.8 if perm else 0, perm=perm)


@generates("Flatten")
def flatten(d: Draw) -> None:
    x = mover(d, 1)
    d.maybe(axis=d.rng.randint(-x.ndim if d.since >= 11 else 0, x.ndim) if x.ndim else 0)


@generates("Squeeze", "Unsqueeze")
def squeeze(d: Draw) -> None:
    d.how = "exact"
    core = list(d.shape(0, 4))
    count = d.rng.randint(0 if d.op == "Squeeze" else 1, 2)
    axes = sorted(d.rng.sample(range(len(core) + count), count))
    whole = list(core)
    for a in axes:
        whole.insert(a, 1)
    d.give(d.array(tuple(whole if d.op == "Squeeze" else core), d.type("T")), constant=False)
    if d.op == "Squeeze" and (count == 0 or d.chance(0.2)):
        return
    if d.since >= 11 and d.chance(0.4):
        axes = [a - len(whole) for a in axes]
    if d.chance(0.2):
        d.rng.shuffle(axes)
    d.parameter(axes) if d.since >= 13 else d.set(axes=axes)


@generates("Concat")
def concat(d: Draw) -> None:
    d.how = "exact"
    shape, t = d.shape(1, 4), d.type("T")
    axis = d.axis(len(shape), d.since >= 11)
    for _ in range(d.rng.choice([1, 2, 2, 3, 5])):
        part = list(shape)
        part[axis] = d.pick([0, 1, 2, 3, 8, 17])
        d.give(d.array(tuple(part), t))
    if d.since >= 4 or d.chance(0.8):
        d.set(axis=axis)
    elif axis not in (1, 1 - len(shape)):
        d.set(axis=axis)


@generates("Split")
def split(d: Draw) -> None:
    x = mover(d, 1, 4)
    axis = d.axis(x.ndim, d.since >= 11)
    size = x.shape[axis]
    if axis or d.chance(0.5) or d.since == 1:
        d.set(axis=axis)
    parts = d.rng.randint(1, 4)
    d.outputs = [True] * parts
    if d.since >= 18 and d.chance(0.5):
        d.set(num_outputs=parts)
        if size < parts:
            raise Unsuitable("fewer than parts")
        return
    if size % parts == 0 and d.chance(0.3) and d.since < 18:
        return
    cuts = sorted(d.rng.randint(0, size) for _ in range(parts - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, size])]
    if d.since >= 13:
        d.parameter(sizes)
    elif d.since == 1 and d.chance(0.5):
        d.give(np.array(sizes), dtype=x.dtype) if x.dtype in FLOATS else d.set(split=sizes)
    else:
        d.set(split=sizes)


@generates("Slice")
def slice_(d: Draw) -> None:
    x = mover(d, 1, 5)
    axes = d.rng.sample(range(x.ndim), d.rng.randint(1, x.ndim))
    if d.chance(0.5):
        axes.sort()
    starts, ends, steps = [], [], []
    for a in axes:
        n = x.shape[a]
        starts.append(d.pick([0, d.rng.randint(-n - 2, n + 2), d.rng.randint(0, n)]))
        ends.append(d.pick([n, 2**31 - 1, -2**31, d.rng.randint(-n - 2, n + 2), d.rng.randint(0, n)]))
        steps.append(d.pick([1, 1, 1, 2, 3, -1, -2, 100, -100]) if d.since >= 10 else 1)
    if d.since < 10:
        d.set(starts=starts, ends=ends)
        if axes != list(range(len(axes))) or d.chance(0.5):
            d.set(axes=axes)
        return
    t = d.type("Tind")
    d.parameter(starts, t), d.parameter(ends, t)
    named = axes != list(range(len(axes))) or d.chance(0.5)
    stepped = any(s != 1 for s in steps)
    if d.since >= 11 and d.chance(0.3):
        axes = [a - x.ndim for a in axes]
    if named or stepped:
        d.parameter(axes, t) if named else d.give(None)
    if stepped:
        d.parameter(steps, t)


@generates("Gather")
def gather(d: Draw) -> None:
    x = mover(d, 1, 4, empty=False)
    axis = d.axis(x.ndim)
    n = x.shape[axis]
    low = -n if d.since >= 11 else 0
    d.give(d.numbers.integers(low, n, d.shape(0, 3, most=40)), dtype=d.type("Tind"))
    if axis != 0 or d.chance(0.5):
        d.set(axis=axis)


@generates("GatherElements")
def gather_elements(d: Draw) -> None:
    x = mover(d, 1, 4, empty=False)
    axis = d.axis(x.ndim)
    shape = [d.rng.randint(1, n) for n in x.shape]
    shape[axis] = d.pick([0, 1, 3, 7]) if d.chance(0.3) else shape[axis]
    n = x.shape[axis]
    d.give(d.numbers.integers(-n, n, tuple(shape)), dtype=d.type("Tind"))
    if axis != 0 or d.chance(0.5):
        d.set(axis=axis)


def element_sum(d: Draw, reduction: str | None) -> None:
    if reduction in ("add", "mul"):
        d.calm("small")
        d.how = "sum"


@generates("ScatterElements", "Scatter")
def scatter_elements(d: Draw) -> None:
    reduction = d.pick([None, "none", "add", "mul"] + (["max", "min"] if d.since >= 18 else [])) if d.since >= 16 else None
    numeric = [*FLOATS, *INTEGERS]
    if reduction in ("add", "mul", "max", "min"):
        d.type("T", numeric)
    element_sum(d, reduction)
    mode = d.how
    x = mover(d, 1, 4, empty=False)
    d.how = mode if mode == "sum" else "exact"
    axis = d.axis(x.ndim, d.since >= 11)
    n = x.shape[axis]
    shape = [d.rng.randint(1, k) for k in x.shape]
    order = np.argsort(d.numbers.random((*shape[:axis % x.ndim], n, *shape[axis % x.ndim + 1:])), axis=axis)
    index = np.take(order, range(shape[axis]), axis=axis)
    if reduction in ("add", "mul", "max", "min") and d.chance(0.5):
        index = d.numbers.integers(0, n, index.shape)
    if d.since >= 11 and d.chance(0.4):
        index = index - n
    d.give(index, dtype=d.type("Tind"))
    d.give(d.array(index.shape, x.dtype))
    if axis != 0 or d.chance(0.5):
        d.set(axis=axis)
    d.set(reduction=reduction)


@generates("GatherND")
def gather_nd(d: Draw) -> None:
    x = mover(d, 1, 4, empty=False)
    batch = d.rng.randint(0, x.ndim - 1) if d.since >= 12 and d.chance(0.4) else 0
    depth = d.rng.randint(1, x.ndim - batch)
    rows = (*x.shape[:batch], *d.shape(0, 2, empty=False, most=20))
    index = np.stack([d.numbers.integers(-n, n, rows) for n in x.shape[batch:batch + depth]], -1)
    d.give(index.astype(np.int64))
    if batch or d.since >= 12 and d.chance(0.3):
        d.set(batch_dims=batch)


@generates("ScatterND")
def scatter_nd(d: Draw) -> None:
    reduction = d.pick([None, "none", "add", "mul"] + (["max", "min"] if d.since >= 18 else [])) if d.since >= 16 else None
    if reduction in ("add", "mul", "max", "min"):
        d.type("T", [*FLOATS, *INTEGERS])
    element_sum(d, reduction)
    mode = d.how
    x = mover(d, 1, 4, empty=False)
    d.how = mode if mode == "sum" else "exact"
    depth = d.rng.randint(1, x.ndim)
    places = int(np.prod(x.shape[:depth]))
    count = d.rng.randint(1, min(places, 6))
    flat = np.array(d.rng.sample(range(places), count)) if reduction in (None, "none") else d.numbers.integers(0, places, count)
    index = np.stack(np.unravel_index(flat, x.shape[:depth]), -1).astype(np.int64)
    if d.chance(0.3):
        index = index - np.array(x.shape[:depth]) * (d.numbers.random(index.shape) < 0.5)
    d.give(index.astype(np.int64))
    d.give(d.array((count, *x.shape[depth:]), x.dtype))
    d.set(reduction=reduction)


@generates("Pad")
def pad(d: Draw) -> None:
    x = mover(d, 1, 4, empty=d.chance(0.3))
    mode = d.pick(["constant", "constant", "edge", "reflect"] + (["wrap"] if d.since >= 19 else []))
    if x.size == 0:
        mode = "constant"
    axes = list(range(x.ndim))
    by_axes = d.since >= 18 and d.chance(0.5)
    if by_axes:
        axes = d.rng.sample(axes, d.rng.randint(1, x.ndim))
    most = {a: 3 if mode in ("constant", "edge") else x.shape[a] - 1 if mode == "reflect" else x.shape[a] for a in axes}
    begin, end = ([d.rng.randint(0, min(most[a], 3)) for a in axes] for _ in range(2))
    if mode == "constant" and d.chance(0.3):
        begin = [-min(1, x.shape[a] // 2) if d.chance(0.5) else b for a, b in zip(axes, begin)]
        end = [-min(1, x.shape[a] // 2) if d.chance(0.5) else b for a, b in zip(axes, end)]
    if mode != "constant" or d.chance(0.5):
        d.set(mode=mode)
    if d.since < 11:
        if x.dtype not in FLOATS:
            raise Unsuitable("floats")
        d.set(**{"paddings" if d.since == 1 else "pads": begin + end})
        d.maybe(value=0.5)
        return
    d.parameter(begin + end)
    value = d.array((), x.dtype) if mode == "constant" and d.chance(0.6) else None
    if value is not None or by_axes:
        d.give(value)
    if by_axes:
        if d.chance(0.4):
            axes = [a - x.ndim for a in axes]
        d.parameter(axes, d.type("Tind"))


@generates("Tile")
def tile(d: Draw) -> None:
    x = mover(d, 1, 4)
    if d.since < 6:
        d.give(np.array(d.pick([1, 2, 3])), dtype=x.dtype) if x.dtype in FLOATS else d.give(np.array(2), dtype=x.dtype)
        d.give(np.array(d.rng.randrange(x.ndim)), dtype=x.dtype)
        return
    d.parameter([d.pick([0, 1, 1, 2, 3]) if d.chance(0.9) else 5 for _ in x.shape])


@generates("Expand")
def expand(d: Draw) -> None:
    whole = d.shape()
    d.how = "exact"
    shape = d.like(whole)
    d.give(d.array(shape, d.type("T")), constant=False)
    target = list(whole)
    for k in range(len(target)):
        at = k - len(target)
        if -at <= len(shape) and shape[at] == target[k] and d.chance(0.3):
            target[k] = 1
    d.parameter(target)


@generates("DepthToSpace", "SpaceToDepth")
def depth(d: Draw) -> None:
    d.how = "exact"
    n, c, h, w, b = d.rng.randint(1, 2), d.rng.randint(1, 4), d.rng.randint(1, 5), d.rng.randint(1, 9), d.rng.randint(1, 3)
    shape = (n, c * b * b, h, w) if d.op == "DepthToSpace" else (n, c, h * b, w * b)
    d.give(d.array(shape, d.type("T")), constant=False)
    d.set(blocksize=b)
    if "mode" in d.schema.attributes:
        d.maybe(mode=d.pick(["DCR", "CRD"] if d.op == "DepthToSpace" or "CRD" in str(d.schema.attributes["mode"].description) else ["DCR"]))


@generates("ReverseSequence")
def reverse_sequence(d: Draw) -> None:
    x = mover(d, 2, 4, empty=False)
    time = d.pick([0, 1])
    d.give(d.numbers.integers(1, x.shape[time] + 1, x.shape[1 - time]).astype(np.int64))
    if time == 1:
        d.set(time_axis=1, batch_axis=0)
    else:
        d.maybe(time_axis=0, batch_axis=1)


@generates("Trilu")
def trilu(d: Draw) -> None:
    mover(d, 2, 4)
    if d.chance(0.6):
        d.give(np.array(d.rng.randint(-6, 6)), dtype=I64)
    d.maybe(upper=d.pick([0, 1]))


@generates("EyeLike")
def eye_like(d: Draw) -> None:
    mover(d, 2, 2, name="T1")
    d.maybe(k=d.rng.randint(-4, 4))
    if d.chance(0.5):
        d.set(dtype=onnx_type(d.type("T2", [F32, I32, I64, BOOL, *FLOATS])))
    elif d.types["T1"] == TEXT:
        raise Unsuitable("strings")


@generates("OneHot")
def one_hot(d: Draw) -> None:
    d.how, t = "exact", d.type("T1", [F32, I64, I32])
    depth = d.rng.randint(1, 9)
    shape = d.shape(0 if d.since >= 11 else 1, 3, most=60)
    d.give(d.numbers.integers(-depth - 1, depth + 2, shape), dtype=t, constant=False)
    depth_type = d.type("T2", [I64, I32, F32])
    d.give(np.array(depth) if d.chance(0.5) else np.array([depth]), dtype=depth_type)
    d.give(d.array((2,), d.type("T3")))
    d.maybe(axis=d.rng.randint(-len(shape) - 1, len(shape)))


@generates("Range")
def range_(d: Draw) -> None:
    t = d.type("T")
    d.how = "sum"
    if is_float(t):
        start, delta = d.pick([0, 1.5, -2]), d.pick([0.5, 1, 0.25, -0.5, 3])
    else:
        start, delta = d.rng.randint(-5, 5), d.pick([1, 2, 3, -1, -2])
    count = d.rng.randint(0, 40)
    for v in (start, start + delta * count - (d.pick([0, 0.1]) * np.sign(delta) if is_float(t) else 0), delta):
        d.give(np.array(v).astype(t))
    if "stash_type" in d.schema.attributes:
        d.maybe(0.3, stash_type=1)


@generates("ConstantOfShape")
def constant_of_shape(d: Draw) -> None:
    d.how = "exact"
    d.parameter(d.shape(0, 4))
    if d.chance(0.7):
        d.set(value=tensor_of(d.array((1,), d.type("T2")), "value"))


@generates("Shape", "Size")
def shape(d: Draw) -> None:
    x = mover(d)
    if d.op == "Shape" and d.since >= 15:
        d.maybe(start=d.rng.randint(-x.ndim - 1, x.ndim + 1), end=d.rng.randint(-x.ndim - 1, x.ndim + 1))


@generates("Compress")
def compress(d: Draw) -> None:
    x = mover(d, 1, 4)
    if d.chance(0.6):
        axis = d.axis(x.ndim, d.since >= 11)
        d.set(axis=axis)
        length = x.shape[axis]
    else:
        length = x.size
    d.give(d.array((d.rng.randint(0, length),) if d.chance(0.4) else (length,), BOOL))


@generates("NonZero")
def non_zero(d: Draw) -> None:
    shape, t = d.shape(0 if d.since >= 13 else 1, 4), d.type("T")
    d.how = "exact"
    x = d.array(shape, t)
    if t != TEXT and x.ndim and t not in SMALL_FLOATS + SMALL_INTEGERS:
        x = np.where(d.numbers.random(shape) < 0.4, np.zeros_like(x), x).astype(t)
    d.give(x, constant=False)


@generates("Unique")
def unique(d: Draw) -> None:
    d.calm("small")
    x = mover(d, 1, 3, empty=d.chance(0.1))
    if d.chance(0.5):
        d.set(axis=d.axis(x.ndim))
    d.maybe(sorted=d.pick([0, 1]))
    d.outputs = d.pick([[True], [True] * 4, [True, False, True], [True, True], [True, False, False, True]])


@generates("TopK")
def top_k(d: Draw) -> None:
    x = mover(d, 1, 4, empty=False)
    axis = d.axis(x.ndim, d.since >= 11)
    k = d.rng.randint(0 if d.chance(0.2) else 1, x.shape[axis])
    if d.since == 1:
        d.set(axis=axis, k=k)
    else:
        if axis not in (-1, x.ndim - 1) or d.chance(0.5):
            d.set(axis=axis)
        d.parameter([k])
    if d.since >= 11:
        d.maybe(largest=d.pick([0, 1]))
        d.set(sorted=1)
    d.outputs = [True, True]


@generates("BitCast")
def bit_cast(d: Draw) -> None:
    x = mover(d, name=d.schema.inputs[0].type_str)
    same = [t for t in (*FLOATS, *INTEGERS) if t.itemsize == x.dtype.itemsize]
    if not same or x.dtype in SMALL_INTEGERS or x.dtype.kind not in "iuf":
        raise Unsuitable("bits")
    d.set(to=onnx_type(d.pick(same)))


@generates("Constant")
def constant(d: Draw) -> None:
    d.how = "exact"
    style = d.pick([n for n in d.schema.attributes if n != "sparse_value"])
    if style == "value":
        d.set(value=tensor_of(d.array(d.shape(0, 3), d.type("T")), "value"))
    else:
        d.set(**{style: {"value_float": 1.5, "value_floats": [0.5, -2.0], "value_int": -7, "value_ints": [1, 2, 3], "value_string": "hé",
                         "value_strings": ["a", "", "b"]}[style]})


@generates("CenterCropPad")
def center_crop_pad(d: Draw) -> None:
    x = mover(d, 1, 4, empty=False)
    axes = d.rng.sample(range(x.ndim), d.rng.randint(1, x.ndim)) if d.chance(0.5) else None
    count = len(axes) if axes else x.ndim
    d.parameter([d.rng.randint(1, 9) for _ in range(count)], d.type("Tind"))
    d.set(axes=axes)


@generates("Upsample")
def upsample(d: Draw) -> None:
    d.calm()
    shape = (d.rng.randint(1, 2), d.rng.randint(1, 3), d.rng.randint(1, 7), d.rng.randint(1, 9))
    d.give(d.array(shape, d.type("T")), constant=False)
    mode = d.pick(["nearest", "linear"] if d.since >= 7 else ["nearest", "bilinear"])
    if mode == "linear" and d.types["T"] not in FLOATS:
        mode = "nearest"
    d.set(mode=mode)
    scales = [1.0, 1.0, d.pick([1.0, 1.5, 2.0, 3.0, 2.3]), d.pick([1.0, 2.0, 2.5, 1.7])]
    if d.since == 1:
        d.set(height_scale=scales[2], width_scale=scales[3])
    elif d.since == 7:
        d.set(scales=scales)
    else:
        d.give(np.array(scales, np.float32))
    d.how = "sum"


@generates("Resize")
def resize(d: Draw) -> None:
    d.calm()
    rank = d.pick([2, 3, 4, 4, 4, 5])
    shape = tuple([d.rng.randint(1, 2), d.rng.randint(1, 4), *(d.rng.randint(1, 11) for _ in range(rank - 2))]) if rank > 2 else (
        d.rng.randint(1, 9), d.rng.randint(1, 20))
    t = d.type(d.schema.inputs[0].type_str)
    d.give(d.array(shape, t), constant=False)
    modes = ["nearest", "linear"] + (["cubic"] if d.since >= 11 else [])
    mode = d.pick(modes) if t in FLOATS else "nearest"
    d.how = "exact" if mode == "nearest" else "sum"
    d.maybe(0.9 if mode == "nearest" else 1, mode=mode)
    axes = list(range(rank)) if rank == 2 else list(range(2, rank))
    scales = [d.pick([1.0, 0.5, 2.0, 1.5, 0.7, 2.3, 3.0]) if k in axes else 1.0 for k in range(rank)]
    if d.since == 10:
        d.give(np.array(scales, np.float32))
        return
    transforms = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
    transforms += ["tf_crop_and_resize"] + (["half_pixel_symmetric"] if d.since >= 19 else [])
    transform = d.pick(transforms)
    d.maybe(0.9, coordinate_transformation_mode=transform)
    transform = d.attributes.get("coordinate_transformation_mode", "half_pixel")
    if mode == "nearest":
        d.maybe(nearest_mode=d.pick(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    if mode == "cubic":
        d.maybe(cubic_coeff_a=-0.5, exclude_outside=d.pick([0, 1]))
    if d.since >= 18 and mode != "nearest":
        d.maybe(0.3, antialias=1)
    if transform == "tf_crop_and_resize":
        roi_type = d.type("T2", [F32])
        d.give(np.array([0.1 if k in axes and d.chance(0.7) else 0 for k in range(rank)] + [0.9 if k in axes else 1 for k in range(rank)]), dtype=roi_type)
        d.maybe(extrapolation_value=10.0)
    else:
        d.give(None if d.since >= 13 else np.zeros(0, np.float32), constant=True)
    named = axes
    use_axes = d.since >= 18 and d.chance(0.4) and transform != "tf_crop_and_resize"
    if use_axes:
        d.set(axes=named)
    sizes = [max(1, int(shape[k] * scales[k])) for k in range(rank)]
    axis_list = named if use_axes else range(rank)
    if d.chance(0.5):
        d.give(np.array([scales[k] for k in axis_list], np.float32))
    else:
        d.give(None if d.since >= 13 else np.zeros(0, np.float32), constant=True)
        d.give(np.array([sizes[k] for k in axis_list], np.int64))
        if d.since >= 18:
            d.maybe(0.5, keep_aspect_ratio_policy=d.pick(["stretch", "not_larger", "not_smaller"]))


@generates("SequenceConstruct")
def sequence_construct(d: Draw) -> None:
    d.how = "exact"
    t = d.type("T")
    for _ in range(d.rng.randint(1, 3)):
        d.give(d.array(d.shape(0, 3), t))


def sequence(d: Draw, dtype=None, shapes=None) -> list[np.ndarray]:
    d.how = "exact"
    t = dtype or d.pick([F32, I64, TEXT, BOOL, I32])
    values = [d.array(s, t) for s in shapes or [d.shape(0, 3, most=200) for _ in range(d.rng.randint(1, 4))]]
    elem = helper.make_tensor_type_proto(onnx_type(t), None)
    d.give(values, type_proto=helper.make_sequence_type_proto(elem))
    return values


@generates("SequenceAt", "SequenceErase", "SequenceInsert", "SequenceLength")
def sequences(d: Draw) -> None:
    values = sequence(d)
    n = len(values)
    t = d.type("I", [I32, I64])
    if d.op == "SequenceInsert":
        d.give(d.array(d.shape(0, 3), values[0].dtype))
        if d.chance(0.7):
            d.give(np.array(d.rng.randint(-n, n)), dtype=t)
    elif d.op == "SequenceAt" or d.op == "SequenceErase" and d.chance(0.7):
        d.give(np.array(d.rng.randint(-n, n - 1)), dtype=t)


@generates("SequenceEmpty")
def sequence_empty(d: Draw) -> None:
    d.how = "exact"
    d.maybe(dtype=onnx_type(d.pick([F32, I64, TEXT])))


@generates("ConcatFromSequence")
def concat_from_sequence(d: Draw) -> None:
    stack = d.chance(0.5)
    shape = d.shape(1, 3, most=200)
    axis = d.rng.randint(-len(shape) - stack, len(shape) - 1 + stack)
    shapes = []
    for _ in range(d.rng.randint(1, 3)):
        part = list(shape)
        if not stack:
            part[axis] = d.rng.randint(0, 4)
        shapes.append(tuple(part))
    sequence(d, shapes=shapes)
    d.set(axis=axis)
    d.set(new_axis=1) if stack else d.maybe(new_axis=0)


@generates("SplitToSequence")
def split_to_sequence(d: Draw) -> None:
    x = mover(d, 1, 3, empty=False)
    axis = d.axis(x.ndim)
    if axis or d.chance(0.5):
        d.set(axis=axis)
    n = x.shape[axis]
    style = d.rng.random()
    t = d.type("I", [I32, I64])
    if style < 0.4:
        d.parameter(np.array(d.rng.randint(1, n)), t)
    elif style < 0.7:
        cut = d.rng.randint(0, n)
        d.parameter([cut, n - cut], t)
    else:
        d.maybe(keepdims=d.pick([0, 1]))
