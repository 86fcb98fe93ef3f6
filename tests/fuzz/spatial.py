"""Convolutions, pools, normalisations over channels and what stands around them in networks for pictures."""
from __future__ import annotations

import numpy as np

from builder import Builder
from elementwise import partner
from moves import concat_of, split_into
from values import BF16, F16, F32, Rejected, Value


def picture(v: Value) -> bool:
    """N x C x one to three axes, with a number of channels that is known."""
    return v.dtype in (F32, F16) and 3 <= v.rank <= 5 and bool(v.dims[1])


def filled_picture(v: Value) -> bool:
    return picture(v) and not v.empty


def any_picture(v: Value) -> bool:
    return (picture(v) or (v.dtype == BF16 and 3 <= v.rank <= 5 and bool(v.dims[1])))


def groups_of(b: Builder, channels: int) -> int:
    style = b.rng.random()
    if style < 0.25:
        return channels
    return b.rng.choice([g for g in range(1, channels + 1) if channels % g == 0]) if style < 0.45 else 1


def window(b: Builder, x: Value) -> dict[str, object]:
    """Kernel, strides, dilations and padding; each may be left out."""
    axes, rng = x.rank - 2, b.rng
    kernel = [rng.choice([1, 2, 3, 3, 3, 5]) for _ in range(axes)] if b.chance(0.75) else [rng.choice([1, 2, 3])] * axes
    smallest = [min(s[2 + k] for s in x.shapes) for k in range(axes)]
    kernel = [k if k <= n + 2 else 1 for k, n in zip(kernel, smallest)]
    result: dict[str, object] = {"kernel_shape": kernel}
    if b.chance(0.35):
        result["strides"] = [rng.choice([2, 3, 4])] * axes
        if b.chance(0.5):
            result["strides"] = [rng.choice([1, 2, 2, 3, 4]) for _ in range(axes)]
    if b.chance(0.15):
        result["dilations"] = [rng.choice([1, 2]) for _ in range(axes)]
    if b.chance(0.2):
        result["auto_pad"] = rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        steps = result.get("strides", [1] * axes)
        if any(step > k + 1 for step, k in zip(steps, kernel)):  # ONNX Runtime crops where SAME has nothing to pad
            result["auto_pad"] = "VALID"
    elif b.chance(0.6):
        begins = [rng.randint(0, k // 2) for k in kernel]
        ends = begins if b.chance(0.7) else [rng.randint(0, k // 2) for k in kernel]
        result["pads"] = begins + ends
    return result


def pointwise(b: Builder, x: Value) -> dict[str, object]:
    attributes: dict[str, object] = {"kernel_shape": [1] * (x.rank - 2)}
    if b.chance(0.4):
        attributes["strides"] = [b.rng.choice([1, 2, 2, 3, 4]) for _ in range(x.rank - 2)]
    return attributes


def convolved(b: Builder, x: Value, attributes: dict[str, object], groups: int, outputs: int) -> Value:
    channels = x.dims[1]
    if not channels:
        raise Rejected("channels")
    kernel = attributes["kernel_shape"]
    w = b.weight((outputs, channels // groups, *kernel), x.dtype, -2, 2)
    bias = b.weight((outputs,), x.dtype) if b.chance(0.5) else None
    smooth = 3 in kernel and x.dtype == F32   # Winograd's convolutions round
    if b.chance(0.3) and not smooth:
        attributes = {k: v for k, v in attributes.items() if k != "kernel_shape"}
    return b.op("Conv", x, w, bias, exact=not smooth, group=groups, **attributes)


def conv(b: Builder) -> Value:
    x = b.pick(any_picture)
    groups = groups_of(b, x.dims[1])
    outputs = groups * b.rng.choice([1, 1, 2, 3]) if groups > 1 else b.rng.choice([1, 2, 3, 4, 6, 8, 9, 16, 17])
    attributes = pointwise(b, x) if b.chance(0.3) else window(b, x)
    check_window_fits(x, attributes)
    return convolved(b, x, attributes, groups, outputs)


def check_window_fits(x: Value, attributes: dict[str, object]) -> None:
    """Within the padded input at every size: what a larger one means, the standard leaves open."""
    axes = x.rank - 2
    kernel, pads = attributes["kernel_shape"], attributes.get("pads", [0] * 2 * axes)
    dilations = attributes.get("dilations", [1] * axes)
    for shape in x.shapes:
        for k in range(axes):
            if shape[2 + k] + pads[k] + pads[axes + k] < dilations[k] * (kernel[k] - 1) + 1:
                raise Rejected("the window is larger than the input")


def conv_block(b: Builder) -> Value:
    """Conv, perhaps a normalisation, an activation."""
    x = conv(b)
    if b.chance(0.5):
        x = normalised(b, x)
    if b.chance(0.7):
        x = b.op(b.rng.choice(["Relu", "Sigmoid", "LeakyRelu", "Tanh"]), x)
    return x


def conv_transpose(b: Builder) -> Value:
    x = b.pick(picture)
    attributes = window(b, x)
    if attributes.get("auto_pad") in ("SAME_UPPER", "SAME_LOWER"):
        del attributes["auto_pad"]
    channels = x.dims[1]
    groups = groups_of(b, channels)
    outputs = b.rng.choice([1, 2, 3, 4])
    w = b.weight((channels, outputs, *attributes["kernel_shape"]), x.dtype, -2, 2)
    bias = b.weight((outputs * groups,), x.dtype) if b.chance(0.4) else None
    strides = attributes.get("strides", [1] * (x.rank - 2))
    if b.chance(0.3):
        attributes["output_padding"] = [b.rng.randint(0, s - 1) for s in strides]
    return b.op("ConvTranspose", x, w, bias, group=groups, **attributes)


def pool(b: Builder) -> Value:
    x = b.pick(filled_picture)
    kind = b.rng.choice(["MaxPool", "AveragePool"])
    attributes = window(b, x)
    check_window_fits(x, attributes)
    if "SAME" in str(attributes.get("auto_pad")):  # ONNX Runtime pads as if the window were not dilated
        attributes.pop("dilations", None)
    if kind == "AveragePool" and b.opset < 19 or b.opset < 10:
        attributes.pop("dilations", None)
    if kind == "AveragePool" and b.chance(0.4):
        attributes["count_include_pad"] = 1
    if b.opset >= 10 and b.chance(0.3) and "auto_pad" not in attributes:
        attributes["ceil_mode"] = 1
    if kind == "MaxPool" and b.chance(0.1):
        return b.ops(kind, x, outputs=2, **attributes)[0]
    return b.op(kind, x, **attributes)


def normalised(b: Builder, x: Value) -> Value:
    channels = x.dims[1]
    if not channels or x.dtype == BF16:
        raise Rejected("channels")
    scale, shift = b.weight((channels,), x.dtype), b.weight((channels,), x.dtype)
    mean = b.weight((channels,), x.dtype)
    variance = b.constant((np.abs(b.numbers((channels,))) + 0.5).astype(x.dtype))
    return b.op("BatchNormalization", x, scale, shift, mean, variance, epsilon=b.rng.choice([1e-5, 1e-3]))


def batch_normalization(b: Builder) -> Value:
    return normalised(b, b.pick(picture))


def normalization_of_planes(b: Builder) -> Value:
    x = b.pick(lambda v: filled_picture(v) and v.dtype == F32 and v.exact)
    channels = x.dims[1]
    kind = b.rng.choice(["InstanceNormalization", "LRN", "GroupNormalization", "GlobalLpPool"])
    if kind == "LRN":
        return b.op(kind, x, size=b.rng.choice([1, 3, 5]), alpha=b.rng.choice([0.1, 1e-4]), bias=1.0)
    if kind == "GroupNormalization" and b.opset >= 21:
        groups = b.rng.choice([g for g in range(1, channels + 1) if channels % g == 0])
        return b.op(kind, x, b.weight((channels,)), b.weight((channels,)), num_groups=groups, epsilon=0.01)
    return b.op("InstanceNormalization", x, b.weight((channels,)), b.weight((channels,)), epsilon=0.01)


def global_pool(b: Builder) -> Value:
    return b.op(b.rng.choice(["GlobalAveragePool", "GlobalMaxPool"]), b.pick(filled_picture))


def resize(b: Builder) -> Value:
    """Whole factors, so that no rounding decides which element is taken."""
    x = b.pick(lambda v: filled_picture(v) and v.dtype == F32)
    factors = [b.rng.choice([1, 2, 2, 3]) for _ in range(x.rank - 2)]
    scales = np.array([1, 1, *factors], np.float32)
    if b.opset < 9:
        return b.op("Upsample", x, mode="nearest", scales=[float(s) for s in scales])
    if b.opset == 9:
        return b.op("Upsample", x, b.constant(scales), mode="nearest")
    if b.opset == 10:
        return b.op("Resize", x, b.constant(scales), mode="nearest")
    mode = "linear" if x.rank == 4 and b.chance(0.4) else "nearest"
    coordinates = "asymmetric" if mode == "nearest" else b.rng.choice(["half_pixel", "asymmetric"])
    nearest = "floor" if mode == "nearest" else None
    empty = b.constant(np.zeros(0, np.float32)) if b.opset < 13 else None
    attributes = dict(mode=mode, coordinate_transformation_mode=coordinates, nearest_mode=nearest)
    attributes["exact"] = mode == "nearest"
    if b.chance(0.5):
        sizes = [[s[0], s[1], *(n * f for n, f in zip(s[2:], factors))] for s in x.shapes]
        return b.op("Resize", x, empty, empty, b.ints(sizes), **attributes)
    scale_value = b.constant(scales) if b.chance(0.8) else b.input([scales] * b.sizes, [x.rank])
    return b.op("Resize", x, empty, scale_value, **attributes)


def depth_to_space(b: Builder) -> Value:
    block = b.rng.choice([2, 2, 3])
    if b.chance(0.5):
        x = b.pick(lambda v: picture(v) and v.rank == 4 and v.dims[1] % (block * block) == 0)
        mode = b.rng.choice(["DCR", "CRD"]) if b.opset >= 11 else None
        return b.op("DepthToSpace", x, blocksize=block, mode=mode)
    x = b.pick(lambda v: picture(v) and v.rank == 4 and all(s[2] % block == s[3] % block == 0 for s in v.shapes))
    return b.op("SpaceToDepth", x, blocksize=block)


def residual(b: Builder) -> Value:
    """x + f(x), where f keeps the shape."""
    x = b.pick(picture)
    y = x
    for _ in range(b.rng.randint(1, 2)):
        size = b.rng.choice([1, 3])
        same = {"kernel_shape": [size] * (x.rank - 2), "pads": [size // 2] * 2 * (x.rank - 2)}
        y = convolved(b, y, same, b.rng.choice([1, 1, x.dims[1]]), x.dims[1])
        y = b.op("Relu", y) if b.chance(0.6) else y
    total = b.op("Add", x, y) if b.chance(0.5) else b.op("Add", y, x)
    return b.op("Relu", total) if b.chance(0.5) else total


def squeeze_and_excite(b: Builder) -> Value:
    x = b.pick(filled_picture)
    y = b.op("GlobalAveragePool", x)
    hidden = b.rng.choice([1, 2, 4])
    point = {"kernel_shape": [1] * (x.rank - 2)}
    y = b.op("Relu", convolved(b, y, dict(point), 1, hidden))
    y = b.op(b.rng.choice(["Sigmoid", "HardSigmoid"]), convolved(b, y, dict(point), 1, x.dims[1]))
    return b.op("Mul", x, y) if b.chance(0.5) else b.op("Mul", y, x)


def branches(b: Builder) -> Value:
    """Several convolutions of one value, side by side along the channels."""
    x = b.pick(picture)
    axes = x.rank - 2
    parts = [x] if b.chance(0.3) else []
    for _ in range(b.rng.randint(2, 3)):
        size = b.rng.choice([1, 1, 3])
        same = {"kernel_shape": [size] * axes, "pads": [size // 2] * 2 * axes}
        parts.append(convolved(b, x, same, 1, b.rng.choice([1, 2, 4, 8])))
    whole = concat_of(b, parts, 1)
    return b.op("Relu", whole) if b.chance(0.4) else whole


def split_channels(b: Builder) -> Value:
    """Parts of the channels, some convolved, one added to another or all put together again."""
    x = b.pick(lambda v: picture(v) and v.dims[1] % 2 == 0)
    parts = split_into(b, x, 2, 1)
    axes = x.rank - 2
    half = x.dims[1] // 2
    first = convolved(b, parts[0], {"kernel_shape": [1] * axes}, 1, half) if b.chance(0.6) else parts[0]
    second = b.op("Relu", parts[1]) if b.chance(0.5) else b.op("Add", parts[1], partner(b, parts[1]))
    style = b.rng.random()
    if style < 0.5:
        return concat_of(b, [first, second], 1)
    return b.op(b.rng.choice(["Add", "Mul"]), first, second)


def channel_shuffle(b: Builder) -> Value:
    x = b.pick(lambda v: picture(v) and v.rank == 4 and v.dims[1] % 2 == 0)
    groups = 2
    shapes = [[s[0], groups, s[1] // groups, s[2], s[3]] for s in x.shapes]
    wide = b.op("Reshape", x, b.ints(shapes))
    turned = b.op("Transpose", wide, perm=[0, 2, 1, 3, 4])
    return b.op("Reshape", turned, b.ints([list(s) for s in x.shapes]))


def pool_of_constant(b: Builder) -> Value:
    """Of one that is too large to be folded."""
    x = b.weight((1, b.rng.choice([3, 8]), b.rng.choice([7, 16]), b.rng.choice([9, 16])))
    kind = b.rng.choice(["MaxPool", "AveragePool", "GlobalAveragePool"])
    y = b.op(kind, x, kernel_shape=None if kind.startswith("Global") else [2, 2])
    operand = b.pick(lambda v: v.dtype == F32 and v.rank >= 0)
    return b.op("Mul", y, b.op("ReduceMax", operand, keepdims=0))


def shape_of_pool(b: Builder) -> Value:
    """Folded sizes and those that a pool makes are the same."""
    x = b.pick(lambda v: filled_picture(v) and b.opset >= 10)
    axes = x.rank - 2
    kernel = [b.rng.choice([1, 2, 3]) for _ in range(axes)]
    check_window_fits(x, {"kernel_shape": kernel})
    y = b.op("MaxPool", x, kernel_shape=kernel, strides=[b.rng.choice([2, 3])] * axes,
             pads=[k // 2 for k in kernel] * 2, ceil_mode=1)
    size = b.op("Shape", y)
    return b.op("Reshape", b.op("Neg", y), size) if b.chance(0.5) else size


WEIGHTS = {conv: 6, conv_block: 5, conv_transpose: 2.5, pool: 4, batch_normalization: 1, normalization_of_planes: 1,
           global_pool: 1, resize: 2, depth_to_space: 1.5, residual: 3, squeeze_and_excite: 1.5, branches: 2,
           split_channels: 2, channel_shuffle: 0.7, pool_of_constant: 0.5, shape_of_pool: 0.6}
