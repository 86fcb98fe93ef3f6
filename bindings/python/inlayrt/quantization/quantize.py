"""quantize_static() and quantize_dynamic(), by inlayrt.quantize()."""
from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _quantize
from .._edited import move_initializers, node_names
from .._errors import InvalidArgument, NotImplemented
from .._warnings import warn
from .calibrate import CalibrationDataReader, CalibrationMethod
from .quant_utils import QuantFormat, QuantType

_METHODS = {CalibrationMethod.MinMax: "minmax", CalibrationMethod.Percentile: "percentile", CalibrationMethod.Entropy: "entropy"}
_ACTIVATIONS = {QuantType.QUInt8: "u8", QuantType.QInt8: "s8"}

# Entries of extra_options that describe Inlay's behaviour, with the value for it.
_HOLDS_ANYWAY: Mapping[str, Any] = {
    "WeightSymmetric": True,
    "MatMulConstBOnly": True,
    "EnableSubgraph": False,
    "AddQDQPairToWeight": False,
    "DedicatedQDQPair": False,
    "ForceQuantizeNoInputCheck": False,
    "QDQKeepRemovableActivations": False,
    "SmoothQuant": False,
    "UseQDQContribOps": False,
    "CalibMovingAverage": False,
    "CalibTensorRangeSymmetric": False,
}
_CHANGES_NO_RESULT = ("CalibMaxIntermediateOutputs", "CalibStridedMinMax")


@contextlib.contextmanager
def model_file(model: Any) -> Iterator[str]:
    """The path of a model, which may be a ModelProto: that is written to a folder of its own first."""
    if not hasattr(model, "SerializeToString"):
        yield os.fspath(model)
        return
    with tempfile.TemporaryDirectory(prefix="inlay-") as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        yield path


class _Samples(Sequence[Mapping[str, Any]]):
    """The samples of a reader, by number: it is read once, and its samples are used several times."""

    def __init__(self, reader: CalibrationDataReader) -> None:
        self._samples: list[Mapping[str, Any]] = []
        while (inputs := reader.get_next()) is not None:
            self._samples.append(inputs)
        if not self._samples:
            raise InvalidArgument("inlay: the calibration data reader gave no inputs")

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, k: Any) -> Any:
        return self._samples[k]


def _excluded(path: str, only: Sequence[str] | None, without: Sequence[str] | None) -> list[str]:
    excluded = list(without or ())
    if only:
        nodes = node_names(path)
        if unknown := sorted(set(only) - set(nodes)):
            raise InvalidArgument(f"inlay: nodes_to_quantize: the model has no nodes {unknown}", code="not_found")
        excluded += [name for name in nodes if name and name not in only and name not in excluded]
    return excluded


def _check(weight_type: QuantType, reduce_range: bool, extra: Mapping[str, Any]) -> None:
    """Raises NotImplemented for what Inlay's quantization cannot do; harmless options warn."""
    if weight_type == QuantType.QUInt8:
        warn("weight_type = QUInt8: weights become QInt8, symmetric, which no processor here saturates with")
    elif weight_type != QuantType.QInt8:
        raise NotImplemented(f"inlay: weights become QInt8, symmetric, not {weight_type}", code="unsupported_model")
    if reduce_range:
        warn("reduce_range = True has no effect: int8 products do not saturate in Inlay's kernels")
    for name, value in extra.items():
        if name not in _CHANGES_NO_RESULT and (name not in _HOLDS_ANYWAY or value != _HOLDS_ANYWAY[name]) and name != "ActivationSymmetric":
            warn(f"extra_options: {name} = {value!r} has no effect: Inlay's quantization has no such choice")


def _write(quantized: _quantize.QuantizedModel, output: str | os.PathLike[str], external: bool) -> None:
    path = os.fspath(output)
    with open(path, "wb") as file:
        file.write(quantized.model)
    if external:
        move_initializers(path, os.path.basename(path) + ".data", 1024)


def quantize_static(
    model_input: str | os.PathLike[str] | Any,
    model_output: str | os.PathLike[str],
    calibration_data_reader: CalibrationDataReader | None = None,
    quant_format: QuantFormat = QuantFormat.QDQ,
    op_types_to_quantize: Sequence[str] | None = None,
    per_channel: bool = False,
    reduce_range: bool = False,
    activation_type: QuantType = QuantType.QInt8,
    weight_type: QuantType = QuantType.QInt8,
    nodes_to_quantize: Sequence[str] | None = None,
    nodes_to_exclude: Sequence[str] | None = None,
    use_external_data_format: bool = False,
    calibrate_method: CalibrationMethod = CalibrationMethod.MinMax,
    calibration_providers: Sequence[Any] | None = None,
    extra_options: Mapping[str, Any] | None = None,
    calibration_cache_path: str | os.PathLike[str] | None = None,
) -> None:
    """Writes a model with QuantizeLinear and DequantizeLinear around nodes, whose ranges come from the reader's inputs.

    QInt8 activations are symmetric, QUInt8 ones have a zero point. Calibration runs on the CPU.
    Raises NotImplemented for other types and methods, and the errors of loading and running the model.
    """
    extra = dict(extra_options or {})
    percentile = float(extra.pop("CalibPercentile", 99.99))
    _check(weight_type, reduce_range, extra)
    if quant_format != QuantFormat.QDQ:
        warn("quant_format = QOperator: the model is written in the form QDQ, which is run by operators of integers all the same")
    if activation_type not in _ACTIVATIONS or calibrate_method not in _METHODS:
        raise NotImplemented(f"inlay: activations of {activation_type} by {calibrate_method} are not done", code="unsupported_model")
    if calibration_cache_path is not None:
        warn("calibration_cache_path has no effect: the ranges are measured in each call")
    if calibration_data_reader is None:
        raise InvalidArgument("inlay: quantize_static() needs a calibration_data_reader")
    symmetric = extra.get("ActivationSymmetric", False)
    samples = _Samples(calibration_data_reader)
    with model_file(model_input) as path:
        quantized = _quantize.quantize(
            path,
            form="static",
            data=samples,
            method=_METHODS[calibrate_method],
            percentile=percentile,
            activations="s8" if symmetric else _ACTIVATIONS[activation_type],
            per_channel=per_channel,
            operators=list(op_types_to_quantize or ()),
            exclude=_excluded(path, nodes_to_quantize, nodes_to_exclude),
            compared=0,
        )
    _write(quantized, model_output, use_external_data_format)


def quantize_dynamic(
    model_input: str | os.PathLike[str] | Any,
    model_output: str | os.PathLike[str],
    op_types_to_quantize: Sequence[str] | None = None,
    per_channel: bool = False,
    reduce_range: bool = False,
    weight_type: QuantType = QuantType.QInt8,
    nodes_to_quantize: Sequence[str] | None = None,
    nodes_to_exclude: Sequence[str] | None = None,
    use_external_data_format: bool = False,
    extra_options: Mapping[str, Any] | None = None,
) -> None:
    """Writes a model whose constant matrices are int8, and whose activations are quantized in each run.

    Raises NotImplemented for other types of weights, and the errors of loading the model.
    """
    _check(weight_type, reduce_range, extra_options or {})
    with model_file(model_input) as path:
        quantized = _quantize.quantize(
            path,
            form="dynamic",
            per_channel=per_channel,
            operators=list(op_types_to_quantize or ()),
            exclude=_excluded(path, nodes_to_quantize, nodes_to_exclude),
        )
    _write(quantized, model_output, use_external_data_format)


@dataclass
class StaticQuantConfig:
    """The arguments of quantize_static(), for quantize()."""

    calibration_data_reader: CalibrationDataReader
    calibrate_method: CalibrationMethod = CalibrationMethod.MinMax
    quant_format: QuantFormat = QuantFormat.QDQ
    activation_type: QuantType = QuantType.QInt8
    weight_type: QuantType = QuantType.QInt8
    op_types_to_quantize: Sequence[str] | None = None
    nodes_to_quantize: Sequence[str] | None = None
    nodes_to_exclude: Sequence[str] | None = None
    per_channel: bool = False
    reduce_range: bool = False
    use_external_data_format: bool = False
    calibration_providers: Sequence[Any] | None = None
    extra_options: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class DynamicQuantConfig:
    """The arguments of quantize_dynamic(), for quantize()."""

    weight_type: QuantType = QuantType.QInt8
    op_types_to_quantize: Sequence[str] | None = None
    nodes_to_quantize: Sequence[str] | None = None
    nodes_to_exclude: Sequence[str] | None = None
    per_channel: bool = False
    reduce_range: bool = False
    use_external_data_format: bool = False
    extra_options: Mapping[str, Any] = field(default_factory=dict)


def quantize(
    model_input: str | os.PathLike[str] | Any, model_output: str | os.PathLike[str], quant_config: StaticQuantConfig | DynamicQuantConfig
) -> None:
    """quantize_static() or quantize_dynamic(), as the configuration says."""
    if isinstance(quant_config, StaticQuantConfig):
        quantize_static(model_input, model_output, **vars(quant_config))
    else:
        quantize_dynamic(model_input, model_output, **vars(quant_config))
