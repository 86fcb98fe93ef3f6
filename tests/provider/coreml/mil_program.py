"""Packages of Core ML, read back by coremltools, whose checks they have to pass, and their programs computed in numpy.

What an operation computes is written after coremltools' documentation of it, not after what the provider expects of it.
"""
from __future__ import annotations

import logging
import math
import pathlib
from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib.stride_tricks import sliding_window_view

logging.disable(logging.CRITICAL)  # that the libraries of Apple's systems are missing
import coremltools  # noqa: E402
from coremltools.converters.mil.frontend.milproto.load import load as read_program  # noqa: E402

logging.disable(logging.NOTSET)

Array = numpy.ndarray
TYPES = {"fp32": numpy.float32, "fp16": numpy.float16, "int32": numpy.int32, "bool": numpy.bool_}
SPECIFICATION = (7, "CoreML6", ["CoreML6"])  # as coremltools writes for iOS 16
FEATURE_TYPES = {65568: numpy.float32, 65552: numpy.float16, 131104: numpy.int32}


def windows(x: Array, kernel: list[int], strides: list[int], dilations: list[int]) -> Array:
    """[N, C, outputs..., kernel...] of a padded image."""
    axes = tuple(range(2, x.ndim))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = sliding_window_view(x, reach, axes)
    return view[(slice(None), slice(None), *(slice(None, None, s) for s in strides), *(slice(None, None, d) for d in dilations))]


def padded(x: Array, pad: list[int], what: float) -> Array:
    return numpy.pad(x, [(0, 0), (0, 0), *zip(pad[::2], pad[1::2])], constant_values=what)


def pads_of(a: dict[str, Any], axes: int) -> list[int]:
    assert a["pad_type"] in ("custom", "valid"), a["pad_type"]
    return [int(p) for p in a["pad"]] if a["pad_type"] == "custom" else [0] * (2 * axes)


def conv(a: dict[str, Any]) -> Array:
    x, w, groups = a["x"], a["weight"], int(a["groups"])
    kernel = list(w.shape[2:])
    seen = windows(padded(x, pads_of(a, len(kernel)), 0), kernel, list(a["strides"]), list(a["dilations"]))
    out = seen.shape[2:2 + len(kernel)]
    # [N, group, positions, channels of the group and taps]
    rows = numpy.moveaxis(seen, 1, 1 + len(kernel)).reshape(x.shape[0], math.prod(out), groups, -1).transpose(0, 2, 1, 3)
    columns = w.reshape(groups, w.shape[0] // groups, -1).transpose(0, 2, 1)
    y = (rows @ columns).transpose(0, 1, 3, 2).reshape(x.shape[0], w.shape[0], *out)
    return y + a["bias"].reshape(1, -1, *[1] * len(kernel)) if "bias" in a else y


def conv_transpose(a: dict[str, Any]) -> Array:
    """Each input element adds its weights to the result: [C_in, C_out / groups, kernel...]."""
    x, w, groups = a["x"], a["weight"], int(a["groups"])
    kernel, strides, dilations = w.shape[2:], a["strides"], a["dilations"]
    pad = pads_of(a, len(kernel))
    full = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(x.shape[2:], strides, kernel, dilations)]
    per_in, per_out = x.shape[1] // groups, w.shape[1]
    y = numpy.zeros((x.shape[0], groups * per_out, *full), x.dtype)
    for g in range(groups):
        taken = x[:, g * per_in:(g + 1) * per_in]
        for tap in numpy.ndindex(*kernel):
            part = numpy.tensordot(taken, w[(slice(g * per_in, (g + 1) * per_in), slice(None), *tap)], axes=([1], [0]))
            where = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilations, x.shape[2:], strides))
            y[(slice(None), slice(g * per_out, (g + 1) * per_out), *where)] += numpy.moveaxis(part, -1, 1)
    y = y[(slice(None), slice(None), *(slice(pad[2 * i], full[i] - pad[2 * i + 1]) for i in range(len(full))))]
    return y + a["bias"].reshape(1, -1, *[1] * len(kernel)) if "bias" in a else y


def pool(a: dict[str, Any], most: bool) -> Array:
    assert not a.get("ceil_mode", False)
    x, kernel = a["x"], [int(k) for k in a["kernel_sizes"]]
    pad, axes = pads_of(a, len(kernel)), tuple(range(-len(kernel), 0))

    def seen(image: Array, what: float) -> Array:
        return windows(padded(image, pad, what), kernel, list(a["strides"]), [1] * len(kernel))
    if most:
        return seen(x, -numpy.inf).max(axes)
    counted = seen(numpy.ones_like(x), 0 if a["exclude_padding_from_average"] else 1)
    return seen(x, 0).sum(axes) / counted.sum(axes)


def along(x: Array, row: Array, axes: list[int]) -> Array:
    """A row of the axes' lengths against x."""
    return row.reshape([n if i in axes else 1 for i, n in enumerate(x.shape)])


def normalised(x: Array, axes: list[int], a: dict[str, Any]) -> Array:
    centred = x - x.mean(tuple(axes), keepdims=True)
    return centred / numpy.sqrt((centred * centred).mean(tuple(axes), keepdims=True) + a["epsilon"])


def scaled(y: Array, axes: list[int], a: dict[str, Any]) -> Array:
    if "gamma" in a:
        y = y * along(y, a["gamma"], axes)
    return y + along(y, a["beta"], axes) if "beta" in a else y


def layer_norm(a: dict[str, Any]) -> Array:
    axes = [int(i) % a["x"].ndim for i in a["axes"]]
    return scaled(normalised(a["x"], axes, a), axes, a)


def instance_norm(a: dict[str, Any]) -> Array:
    return scaled(normalised(a["x"], list(range(2, a["x"].ndim)), a), [1], a)


def batch_norm(a: dict[str, Any]) -> Array:
    x = a["x"]
    return scaled((x - along(x, a["mean"], [1])) / numpy.sqrt(along(x, a["variance"], [1]) + a["epsilon"]), [1], a)


def local_response_norm(a: dict[str, Any]) -> Array:
    x, size = a["x"], int(a["size"])
    around = numpy.pad(x * x, [(0, 0), (size // 2, size // 2), *[(0, 0)] * (x.ndim - 2)])
    sums = sliding_window_view(around, size, 1).sum(-1)
    return x / (a["k"] + a["alpha"] / size * sums) ** a["beta"]


def softmax(x: Array, axis: int) -> Array:
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_sum_exp(x: Array, axes: tuple[int, ...]) -> Array:
    most = x.max(axes, keepdims=True)
    return most + numpy.log(numpy.exp(x - most).sum(axes, keepdims=True))


def reduce(how: Callable[[Array, tuple[int, ...]], Array]) -> Callable[[dict[str, Any]], Array]:
    """how() keeps the axes."""
    def run(a: dict[str, Any]) -> Array:
        axes = tuple(int(i) for i in a["axes"])
        y = how(a["x"], axes)
        return y if a["keep_dims"] else y.squeeze(axes)
    return run


def depth_to_space(x: Array, block: int, channel_first: bool) -> Array:
    n, c, h, w = x.shape
    if channel_first:  # as PyTorch's PixelShuffle
        return x.reshape(n, c // block**2, block, block, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, -1, h * block, w * block)
    return x.reshape(n, block, block, c // block**2, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, -1, h * block, w * block)


def space_to_depth(x: Array, block: int) -> Array:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // block, block, w // block, block).transpose(0, 3, 5, 1, 2, 4).reshape(n, -1, h // block, w // block)


def resize_bilinear(a: dict[str, Any]) -> Array:
    y, mode = a["x"], a["sampling_mode"]
    for axis, to in ((-2, int(a["target_size_height"])), (-1, int(a["target_size_width"]))):
        length, place = y.shape[axis], numpy.arange(to)
        if mode == "STRICT_ALIGN_CORNERS":  # of one element the first, as TensorFlow's that it is said to be
            at = place * (length - 1) / max(to - 1, 1)
        else:
            at = {"DEFAULT": place * length / to, "UNALIGN_CORNERS": (place + .5) * length / to - .5}[mode]
        at = at.clip(0, length - 1)
        low = numpy.floor(at).astype(int)
        part = (at - low).reshape([-1 if i == axis else 1 for i in range(-y.ndim, 0)])
        y = y.take(low, axis) * (1 - part) + y.take((low + 1).clip(0, length - 1), axis) * part
    return y


def linear(a: dict[str, Any]) -> Array:
    assert 1 <= a["x"].ndim <= 3
    return a["x"] @ a["weight"].T + (a["bias"] if "bias" in a else 0)


def slice_by_index(a: dict[str, Any]) -> Array:
    assert not {"begin_mask", "end_mask", "squeeze_mask"} & a.keys()
    return a["x"][tuple(slice(int(b), int(e), int(s)) for b, e, s in zip(a["begin"], a["end"], a["stride"]))]


def gather(a: dict[str, Any]) -> Array:
    assert a["batch_dims"] == 0
    x, axis = a["x"], int(a["axis"])
    assert ((a["indices"] >= -x.shape[axis]) & (a["indices"] < x.shape[axis])).all()
    return numpy.take(x, a["indices"], axis)


def swapped(x: Array, flag: bool) -> Array:
    return numpy.swapaxes(x, -1, -2) if flag else x


def gelu(a: dict[str, Any]) -> Array:
    x = a["x"]
    if a["mode"] == "TANH_APPROXIMATION":
        return .5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + .044715 * x**3)))
    return .5 * x * (1 + erf(x / math.sqrt(2)))


def sigmoid(x: Array) -> Array:
    return 1 / (1 + numpy.exp(-x))


erf = numpy.vectorize(math.erf, otypes=[numpy.float64])
UNARY: dict[str, Callable[[Array], Array]] = {
    "abs": numpy.abs, "acos": numpy.arccos, "asin": numpy.arcsin, "atan": numpy.arctan, "atanh": numpy.arctanh, "ceil": numpy.ceil,
    "cos": numpy.cos, "cosh": numpy.cosh, "erf": erf, "exp": numpy.exp, "floor": numpy.floor, "identity": lambda x: x, "log": numpy.log,
    "logical_not": numpy.logical_not, "relu": lambda x: numpy.maximum(x, 0), "sigmoid": sigmoid, "sign": numpy.sign, "sin": numpy.sin,
    "sinh": numpy.sinh, "softplus": lambda x: numpy.logaddexp(x, 0), "softsign": lambda x: x / (1 + numpy.abs(x)), "sqrt": numpy.sqrt,
    "tan": numpy.tan, "tanh": numpy.tanh}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "real_div": numpy.divide, "pow": numpy.power, "maximum": numpy.maximum,
    "minimum": numpy.minimum, "equal": numpy.equal, "greater": numpy.greater, "greater_equal": numpy.greater_equal, "less": numpy.less,
    "less_equal": numpy.less_equal, "logical_and": numpy.logical_and, "logical_or": numpy.logical_or, "logical_xor": numpy.logical_xor}
REDUCED: dict[str, Callable[[Array, tuple[int, ...]], Array]] = {
    "reduce_sum": lambda x, i: x.sum(i, keepdims=True), "reduce_mean": lambda x, i: x.mean(i, keepdims=True),
    "reduce_max": lambda x, i: x.max(i, keepdims=True), "reduce_min": lambda x, i: x.min(i, keepdims=True),
    "reduce_prod": lambda x, i: x.prod(i, keepdims=True), "reduce_l1_norm": lambda x, i: numpy.abs(x).sum(i, keepdims=True),
    "reduce_l2_norm": lambda x, i: numpy.sqrt((x * x).sum(i, keepdims=True)), "reduce_sum_square": lambda x, i: (x * x).sum(i, keepdims=True),
    "reduce_log_sum": lambda x, i: numpy.log(x.sum(i, keepdims=True)), "reduce_log_sum_exp": log_sum_exp}
OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    **{name: (lambda f: lambda a: f(a["x"]))(f) for name, f in UNARY.items()},
    **{name: (lambda f: lambda a: f(a["x"], a["y"]))(f) for name, f in BINARY.items()},
    **{name: reduce(f) for name, f in REDUCED.items()},
    "avg_pool": lambda a: pool(a, False), "batch_norm": batch_norm, "cast": lambda a: a["x"].astype(TYPES[a["dtype"]]),
    "clip": lambda a: numpy.clip(a["x"], a["alpha"], a["beta"]), "concat": lambda a: numpy.concatenate(a["values"], int(a["axis"])),
    "linear": linear, "resize_bilinear": resize_bilinear, "space_to_depth": lambda a: space_to_depth(a["x"], int(a["block_size"])),
    "conv": conv, "conv_transpose": conv_transpose, "depth_to_space": lambda a: depth_to_space(a["x"], int(a["block_size"]), False),
    "elu": lambda a: numpy.where(a["x"] > 0, a["x"], a["alpha"] * numpy.expm1(a["x"])), "gather": gather, "gelu": gelu,
    "instance_norm": instance_norm, "layer_norm": layer_norm, "leaky_relu": lambda a: numpy.where(a["x"] < 0, a["alpha"] * a["x"], a["x"]),
    "local_response_norm": local_response_norm, "matmul": lambda a: swapped(a["x"], a["transpose_x"]) @ swapped(a["y"], a["transpose_y"]),
    "max_pool": lambda a: pool(a, True), "pad": lambda a: numpy.pad(a["x"], a["pad"].reshape(-1, 2), constant_values=a["constant_val"]),
    "pixel_shuffle": lambda a: depth_to_space(a["x"], int(a["upscale_factor"]), True), "reshape": lambda a: a["x"].reshape(a["shape"]),
    "select": lambda a: numpy.where(a["cond"], a["a"], a["b"]), "sigmoid_hard": lambda a: numpy.clip(a["alpha"] * a["x"] + a["beta"], 0, 1),
    "slice_by_index": slice_by_index, "softmax": lambda a: softmax(a["x"], int(a["axis"])),
    "upsample_nearest_neighbor": lambda a: a["x"].repeat(int(a["scale_factor_height"]), -2).repeat(int(a["scale_factor_width"]), -1),
    "tile": lambda a: numpy.tile(a["x"], a["reps"]), "transpose": lambda a: a["x"].transpose(a["perm"])}


class Program:
    """The program of a package. Making one raises where coremltools refuses the package, the model or the program."""

    def __init__(self, package: pathlib.Path) -> None:
        spec = coremltools.models.MLModel(str(package), skip_model_load=True).get_spec()
        weights = package / "Data/com.apple.CoreML/weights"
        program = read_program(spec, specification_version=spec.specificationVersion, file_weights_dir=str(weights))
        program.validate()
        written = spec.mlProgram.functions["main"]
        if (spec.specificationVersion, written.opset, list(written.block_specializations)) != SPECIFICATION:
            raise ValueError(f"specification {spec.specificationVersion} does not go with the operations of {written.opset}")
        self._main = program.functions["main"]
        self.metadata = dict(spec.description.metadata.userDefined)
        self.inputs = {f.name: FEATURE_TYPES[f.type.multiArrayType.dataType] for f in spec.description.input}
        self.outputs = {f.name: FEATURE_TYPES[f.type.multiArrayType.dataType] for f in spec.description.output}
        self._input_shapes = [tuple(f.type.multiArrayType.shape) for f in spec.description.input]
        self._output_shapes = [tuple(f.type.multiArrayType.shape) for f in spec.description.output]
        declared = {name: (tuple(v.shape), TYPES[coremltools.converters.mil.mil.types.builtin_to_string(v.dtype)]) for name, v in self._main.inputs.items()}
        if declared != {n: (s, t) for (n, t), s in zip(self.inputs.items(), self._input_shapes)}:
            raise ValueError(f"the function's inputs {declared} are not the model's")
        if [v.name for v in self._main.outputs] != list(self.outputs):
            raise ValueError("the function's outputs are not the model's")

    def operations(self) -> list[str]:
        return [op.op_type for op in self._main.operations if op.op_type != "const"]

    def run(self, inputs: list[Array]) -> list[Array]:
        """In the order of the model's features. Scalars are tensors of one element."""
        values: dict[str, Array] = {}
        for (name, dtype), dims, x in zip(self.inputs.items(), self._input_shapes, inputs, strict=True):
            values[name] = x.astype(dtype).reshape(dims)
        with numpy.errstate(all="ignore"):
            for op in self._main.operations:
                self._run(op, values)
        return [values[name].reshape(dims) for name, dims in zip(self.outputs, self._output_shapes)]

    @staticmethod
    def _run(op: Any, values: dict[str, Array]) -> None:
        def value_of(v: Any) -> Any:
            return [values[one.name] for one in v] if isinstance(v, (list, tuple)) else values[v.name]
        if op.op_type == "const":
            values[op.outputs[0].name] = op.outputs[0].val
            return
        arguments = {name: value_of(v) for name, v in op.inputs.items() if v is not None}
        made = OPERATIONS[op.op_type](arguments)
        for v, y in zip(op.outputs, [made], strict=True):
            expected = TYPES[coremltools.converters.mil.mil.types.builtin_to_string(v.dtype)]
            if tuple(v.shape) != y.shape:
                raise ValueError(f"{op.op_type} `{op.name}` makes {y.shape}, and the program says {v.shape}")
            values[v.name] = numpy.asarray(y, expected)
