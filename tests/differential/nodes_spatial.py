"""Operators of images and signals: regions, blocks, offsets, and Fourier transforms."""
from __future__ import annotations

import struct

import numpy as np

from draw import F16, F32, F64, I32, I64, Draw, Unsuitable, generates, onnx_type
from nodes_products import window


def picture(d: Draw, t: np.dtype) -> np.ndarray:
    return d.give(d.array((d.rng.randint(1, 2), d.rng.randint(1, 4), d.rng.randint(1, 9), d.rng.randint(1, 12)), t), constant=False)


def corners(d: Draw, count: int, height: float, width: float) -> np.ndarray:
    """Rows x1, y1, x2, y2, some of them partly outside."""
    x, y = (np.sort(d.numbers.uniform(-0.2 * n, 1.2 * n, (count, 2)), -1) for n in (width, height))
    return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], -1)


@generates("RoiAlign")
def roi_align(d: Draw) -> None:
    d.calm()
    t = d.type(d.schema.inputs[0].type_str)
    x, count, scale = picture(d, t), d.pick([0, 1, 2, 5]), d.pick([1.0, 0.5, 0.25])
    d.give(corners(d, count, x.shape[2] / scale, x.shape[3] / scale).astype(t), constant=False)
    d.give(d.numbers.integers(0, x.shape[0], count), dtype=I64)
    d.set(spatial_scale=scale) if scale != 1 else d.maybe(spatial_scale=1.0)
    d.maybe(0.8, output_height=d.rng.randint(1, 5), output_width=d.rng.randint(1, 5), sampling_ratio=d.rng.randint(0, 3))
    d.maybe(0.8, mode=d.pick(["avg", "max"]))
    if "coordinate_transformation_mode" in d.schema.attributes:
        d.maybe(coordinate_transformation_mode=d.pick(["half_pixel", "output_half_pixel"]))
    d.how, d.loose = "sum", 10


@generates("MaxRoiPool")
def max_roi_pool(d: Draw) -> None:
    d.calm()
    t = d.type("T")
    x, count, scale = picture(d, t), d.pick([0, 1, 2, 5]), d.pick([1.0, 0.5])
    boxes = np.round(corners(d, count, x.shape[2] / scale, x.shape[3] / scale)).clip(0, 60)
    d.give(np.concatenate([d.numbers.integers(0, x.shape[0], (count, 1)), boxes], -1).astype(t), constant=False)
    d.set(pooled_shape=[d.rng.randint(1, 4), d.rng.randint(1, 4)])
    d.set(spatial_scale=scale) if scale != 1 else d.maybe(spatial_scale=1.0)
    d.how = "exact"


@generates("MaxUnpool")
def max_unpool(d: Draw) -> None:
    t, spatial = d.type("T1"), d.pick([1, 2, 2, 3])
    n, c = d.count(2), d.rng.randint(1, 3)
    kernel, strides = ([d.rng.randint(1, 3) for _ in range(spatial)] for _ in range(2))
    sizes = [d.rng.randint(1, 5) for _ in range(spatial)]
    pads = [d.rng.randint(0, (k - 1) // 2) for k in kernel * 2] if d.chance(0.3) else [0] * (2 * spatial)
    whole = [(m - 1) * s + k - pads[i] - pads[i + spatial] for i, (m, s, k) in enumerate(zip(sizes, strides, kernel))]
    if min(whole) < 1 or np.prod(whole) < np.prod(sizes):
        raise Unsuitable("fewer places than numbers")
    plane, count = int(np.prod(whole)), int(np.prod(sizes))
    d.give(d.array((n, c, *sizes), t), constant=False)
    places = [k * plane + d.numbers.permutation(plane)[:count] for k in range(n * c)]
    d.give(np.array(places, np.int64).reshape(n, c, *sizes), constant=False)
    d.set(kernel_shape=kernel)
    if any(s != 1 for s in strides) or d.chance(0.5):
        d.set(strides=strides)
    if any(pads) or d.chance(0.3):
        d.set(pads=pads)
    if not any(pads) and d.chance(0.3):
        d.parameter([n, c, *(m + d.pick([0, 0, 1]) for m in whole)])
    d.how = "exact"


@generates("Col2Im")
def col2im(d: Draw) -> None:
    d.calm("small")
    t, spatial = d.type("T"), d.pick([2, 2, 2, 1, 3])
    block = [d.rng.randint(1, 3) for _ in range(spatial)]
    strides, dilations = ([d.pick([1, 1, 2]) for _ in range(spatial)] for _ in range(2))
    pads = [d.pick([0, 0, 1]) for _ in range(2 * spatial)]
    reach = [(b - 1) * e + 1 for b, e in zip(block, dilations)]
    image = [r + d.rng.randint(0, 5) for r in reach]
    counts = [(m + pads[i] + pads[i + spatial] - r) // s + 1 for i, (m, r, s) in enumerate(zip(image, reach, strides))]
    shape = (d.count(2), d.rng.randint(1, 3) * int(np.prod(block)), int(np.prod(counts)))
    d.give(d.array(shape, t), constant=False)
    d.parameter(image), d.parameter(block)
    for name, values, default in (("strides", strides, 1), ("dilations", dilations, 1), ("pads", pads, 0)):
        if any(v != default for v in values) or d.chance(0.4):
            d.set(**{name: values})
    d.how, d.scale = "sum", 4


@generates("DeformConv")
def deform_conv(d: Draw) -> None:
    d.calm()
    t, spatial = d.type("T"), d.pick([2, 2, 2, 1, 3])
    w = window(d, spatial)
    d.attributes.pop("auto_pad", None)
    offsets, group = d.pick([1, 1, 2]), d.pick([1, 1, 2])
    c, m = offsets * group * d.rng.randint(1, 2), group * d.rng.randint(1, 4)
    pads, strides = (d.attributes.get(k, [v] * n * spatial) for k, v, n in (("pads", 0, 2), ("strides", 1, 1)))
    places = [(s + pads[i] + pads[i + spatial] - r) // k + 1 for i, (s, r, k) in enumerate(zip(w["sizes"], w["reach"], strides))]
    n, taps = d.count(2), int(np.prod(w["kernel"]))
    if n * taps * np.prod(places) * c > 4000:
        raise Unsuitable("the evaluator takes too long")
    d.give(d.array((n, c, *w["sizes"]), t), constant=False)
    d.give(d.array((m, c // group, *w["kernel"]), t))
    d.give(d.array((n, offsets * taps * spatial, *places), t, low=-1.5, high=1.5), constant=False)
    bias, mask = d.chance(0.5), d.chance(0.5)
    if bias or mask:
        d.give(d.array((m,), t) if bias else None)
    if mask:
        d.give(d.array((n, offsets * taps, *places), t, low=0, high=1))
    d.maybe(kernel_shape=w["kernel"])
    d.set(group=group) if group > 1 else d.maybe(group=1)
    d.set(offset_group=offsets) if offsets > 1 else d.maybe(offset_group=1)
    d.how, d.scale, d.loose = "sum", 4 * np.sqrt(c // group * taps), 4


def bitmap(pixels: np.ndarray) -> bytes:
    """A BMP file of 24 bits, the lowest row first, each row filled up to four bytes."""
    height, width, _ = pixels.shape
    rows = b"".join(row[:, ::-1].tobytes().ljust(-(-3 * width // 4) * 4, b"\0") for row in pixels[::-1])
    return (struct.pack("<2sIHHI", b"BM", 54 + len(rows), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 2835, 2835, 0, 0) + rows)


@generates("ImageDecoder")
def image_decoder(d: Draw) -> None:
    height, width, d.how = d.rng.randint(1, 9), d.rng.randint(1, 9), "exact"
    pixels = d.numbers.integers(0, 256, (height, width, 3)).astype(np.uint8)
    style = d.pick(["BMP", "P6", "P5", "P3"])
    if style == "BMP":
        data = bitmap(pixels)
    elif style == "P3":
        data = f"P3\n{width} {height}\n255\n{' '.join(str(v) for v in pixels.ravel())}\n".encode()
    else:
        data = f"{style}\n{width} {height}\n255\n".encode() + (pixels if style == "P6" else pixels[..., 0]).tobytes()
    d.give(np.frombuffer(data, np.uint8))
    d.maybe(pixel_format=d.pick(["RGB", "BGR", "Grayscale"]))


# Signals

@generates("DFT")
def dft(d: Draw) -> None:
    d.calm()
    t, rank = d.type("T1", [F32, F64, F16]), d.rng.randint(2, 4)
    shape = [d.count(5) for _ in range(rank)]
    axis = d.rng.randrange(rank - 1)
    shape[axis] = d.rng.randint(1, 24)
    inverse, onesided = d.chance(0.4), d.chance(0.4)
    shape[-1] = 1 if onesided and not inverse else d.pick([1, 2])
    if inverse and onesided:
        if d.since < 20:
            raise Unsuitable("the inverse of onesided frequencies came with version 20")
        shape[-1] = 2
    d.give(d.array(tuple(shape), t), constant=False)
    negative = axis - rank if d.chance(0.4) else axis
    length = d.rng.randint(1, 24) if d.chance(0.4) or inverse and onesided else None
    if d.since >= 20:
        named = axis != rank - 2 or d.chance(0.5)
        if length or named:
            d.give(None if length is None else np.array(length), dtype=d.type("T2"))
        if named:
            d.parameter(np.array(negative))
    else:
        if length:
            d.give(np.array(length), dtype=d.type("T2"))
        if axis != 1 or d.chance(0.5):
            d.set(axis=axis)
    d.maybe(0.5 if not inverse else 1, inverse=int(inverse))
    d.maybe(0.5 if not onesided else 1, onesided=int(onesided))
    d.how, d.loose, d.scale = "sum", 10, 1


@generates("STFT")
def stft(d: Draw) -> None:
    d.calm()
    t, length = d.type("T1", [F32, F64, F16]), d.rng.randint(4, 40)
    frame, parts = d.rng.randint(1, length), d.pick([1, 1, 2])
    d.give(d.array((d.count(3), length, parts), t), constant=False)
    d.parameter(np.array(d.rng.randint(1, 8)), d.type("T2"))
    by_window = d.chance(0.6)
    d.give(d.array((frame,), t, low=0, high=1) if by_window else None)
    if not by_window or d.chance(0.5):
        d.parameter(np.array(frame), d.types["T2"])
    d.set(onesided=0) if parts == 2 else d.maybe(onesided=d.pick([0, 1]))
    d.how, d.loose, d.scale = "sum", 10, 1


@generates("MelWeightMatrix")
def mel(d: Draw) -> None:
    t, u = d.type("T1"), d.type("T2", [F32, F64])
    for v in (d.rng.randint(1, 9), 2 * d.rng.randint(4, 32), 8000):
        d.parameter(np.array(v), t)
    low = d.rng.randint(0, 1000)
    d.parameter(np.array(low), u), d.parameter(np.array(low + d.rng.randint(500, 3000)), u)
    d.maybe(0.4, output_datatype=onnx_type(d.type("T3", [F32, F64, F16, I32])))
    d.how, d.loose = "sum", 4
