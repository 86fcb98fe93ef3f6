"""Integer models from float32 ones."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _inlayrt

_FORMS = {"static": (0, False), "dynamic": (1, False), "weights": (2, False), "matmulnbits": (2, True)}
_METHODS = {"minmax": 0, "percentile": 1, "entropy": 2}
_ROUNDINGS = {"nearest": 0, "feedback": 1}
_ACTIVATIONS = {"u8": False, "s8": True}


@dataclass(frozen=True)
class LayerError:
    """A value of the quantized model compared with the float32 model's, over the samples compared."""

    value: str
    node: str  # that produces it
    op: str
    sqnr: float  # the value's power to that of the difference, in dB; infinite where there is none
    largest: float  # difference


@dataclass(frozen=True)
class FloatNode:
    """A node that was not quantized, and why."""

    node: str
    op: str
    why: str


@dataclass(frozen=True)
class QuantizedModel:
    """The result of quantize(): `model` has the bytes of an ONNX file."""

    model: bytes
    nodes: int  # that were quantized
    kept: list[FloatNode]
    layers: list[LayerError]
    outputs: list[LayerError]
    bytes_before: int
    bytes_after: int


def _choice(name: str, value: str, choices: Mapping[str, Any]) -> Any:
    if value not in choices:
        raise ValueError(f"inlay: {name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    return choices[value]


def quantize(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    form: str = "static",
    data: Sequence[Mapping[str, Any]] = (),
    method: str = "minmax",
    percentile: float = 99.99,
    activations: str = "u8",
    per_channel: bool = True,
    bits: int = 4,
    block_size: int = 32,
    rounding: str = "nearest",
    damping: float = 0.01,
    operators: Sequence[str] = (),
    exclude: Sequence[str] = (),
    keep_worst: int = 0,
    compared: int = 4,
    progress: Callable[[str, int, int], object] | None = None,
) -> QuantizedModel:
    """Quantises the float32 model in the file `model` to integers, and writes it to `output`, if one is given.

    - data: the inputs of calibration runs, each a dict for InferenceSession.run(); read by index, more than once
    - progress: called with the name of a phase, the amount done and the total

    The options are those of `inlay quantize`, which docs/how-to/quantize.md of the source tree explains.

    Raises ValueError for unknown options, and the errors of loading and running.
    """
    kind, nbits = _choice("form", form, _FORMS)
    file, nodes, float_nodes, layers, outputs, before, after = _inlayrt.quantize_file(
        os.fspath(model),
        data,
        kind=kind,
        method=_choice("method", method, _METHODS),
        rounding=_choice("rounding", rounding, _ROUNDINGS),
        percentile=percentile,
        symmetric=_choice("activations", activations, _ACTIVATIONS),
        per_channel=per_channel,
        bits=bits,
        block_size=block_size,
        nbits=nbits,
        damping=damping,
        operators=list(operators),
        exclude=list(exclude),
        keep_worst=keep_worst,
        compared=compared,
        progress=progress,
    )
    if output is not None:
        with open(output, "wb") as to:
            to.write(file)
    return QuantizedModel(
        file,
        nodes,
        [FloatNode(*k) for k in float_nodes],
        [LayerError(*e) for e in layers],
        [LayerError(*e) for e in outputs],
        before,
        after,
    )
