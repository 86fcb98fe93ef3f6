"""ONNX Runtime with Inlay's library ($INLAY_ONNXRUNTIME_EP) registered, and the cases that the other tests keep in the cache."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "conformance"), str(HERE.parent / "zoo")]
from cache import skip  # noqa: E402

try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnx import numpy_helper
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")

LIBRARY = os.environ.get("INLAY_ONNXRUNTIME_EP") or str(HERE.parents[1] / "build/release/bin/libinlay_onnxruntime_ep.so")
NAME = "InlayExecutionProvider"
RECORDED = "session.record_ep_graph_assignment_info"


def register(name: str = "inlay", library: str = LIBRARY) -> list:
    """The devices of Inlay's provider, which the library has after this."""
    ort.register_execution_provider_library(name, library)
    return [device for device in ort.get_ep_devices() if device.ep_name == NAME]


def options_with(devices: list, options: dict[str, str] | None = None, entries: dict[str, str] | None = None):
    made = ort.SessionOptions()
    made.intra_op_num_threads = 1
    made.log_severity_level = 4  # what is wrong is raised too
    for key, value in ({RECORDED: "1"} | (entries or {})).items():
        made.add_session_config_entry(key, value)
    if devices:
        made.add_provider_for_devices(devices, options if options is not None else {"threads": "1"})
    return made


def session(model, devices: list, options: dict[str, str] | None = None, entries: dict[str, str] | None = None):
    """Over Inlay, then ONNX Runtime's own CPU provider; without devices over the latter alone."""
    model = model.SerializeToString() if isinstance(model, onnx.ModelProto) else str(model)
    if not devices:
        return ort.InferenceSession(model, options_with([]), providers=["CPUExecutionProvider"])
    return ort.InferenceSession(model, options_with(devices, options, entries))


def assigned(of) -> tuple[int, int]:
    """How many nodes Inlay has, of how many."""
    nodes = {True: 0, False: 0}
    for graph in of.get_provider_graph_assignment_info():
        nodes[graph.ep_name == NAME] += len(graph.get_nodes())
    return nodes[True], nodes[True] + nodes[False]


def read_value(path: pathlib.Path, declared: onnx.TypeProto):
    kind = declared.WhichOneof("value")
    message = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto, "map_type": onnx.MapProto}.get(kind, onnx.TensorProto)()
    message.ParseFromString(path.read_bytes())
    read = {onnx.SequenceProto: numpy_helper.to_list, onnx.OptionalProto: numpy_helper.to_optional, onnx.MapProto: numpy_helper.to_dict}
    return read.get(type(message), numpy_helper.to_array)(message)


def data_of(folder: pathlib.Path, stem: str, ports) -> list:
    return [read_value(folder / f"{stem}_{i}.pb", port.type) for i, port in enumerate(ports) if (folder / f"{stem}_{i}.pb").exists()]


def free_inputs(graph: onnx.GraphProto) -> list:
    weights = {t.name for t in graph.initializer}
    return [i for i in graph.input if i.name not in weights]


def is_plain(value) -> bool:
    """Whether ONNX Runtime takes it as numpy has it; it does not take the types of ml_dtypes."""
    return not isinstance(value, np.ndarray) or value.dtype.kind in "biufcOUS" and value.dtype.type.__module__ == "numpy"


def ort_value(array: np.ndarray):
    message = numpy_helper.from_array(array)
    made = ort.OrtValue.ortvalue_from_shape_and_type(list(array.shape), message.data_type)
    assert made.tensor_size_in_bytes() == len(message.raw_data)
    ctypes.memmove(made.data_ptr(), message.raw_data, len(message.raw_data))
    return made


def array_of(value) -> np.ndarray:
    message = onnx.TensorProto(dims=value.shape(), data_type=value.element_type(), raw_data=ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes()))
    return numpy_helper.to_array(message)


def run(of, inputs: list, wanted: list) -> list:
    """The outputs for these inputs, in the order of the model's."""
    names = [i.name for i in of.get_inputs()]
    if all(is_plain(value) for value in [*inputs, *wanted]):
        return of.run(None, dict(zip(names, inputs)))
    feeds = {name: ort_value(np.asarray(value)) for name, value in zip(names, inputs)}
    return [array_of(value) for value in of.run_with_ort_values(None, feeds)]


def differ(got, wanted, rtol: float, atol: float) -> str | None:
    """Why two values are not alike; None: they are."""
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return "another sequence"
        return next((why for g, w in zip(got, wanted) if (why := differ(g, w, rtol, atol))), None)
    if wanted is None or isinstance(wanted, dict):
        return None if got == wanted else f"{got} instead of {wanted}"
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return f"shape {got.shape} instead of {wanted.shape}"
    if wanted.dtype.kind in "OUS":
        return None if got.astype(str).tolist() == wanted.astype(str).tolist() else "other strings"
    if got.dtype != wanted.dtype and got.dtype.itemsize == wanted.dtype.itemsize and "V" not in (got.dtype.kind, wanted.dtype.kind):
        return f"elements of {got.dtype} instead of {wanted.dtype}"
    if wanted.dtype.kind not in "biufc":  # ml_dtypes': small floats
        got, wanted = got.astype(np.float32), wanted.astype(np.float32)
    with np.errstate(invalid="ignore"):
        close = np.isclose(got, wanted, rtol, atol, equal_nan=True)
    return None if close.all() else f"{int((~close).sum())} of {close.size} elements differ, first {got[~close].flat[0]} instead of {wanted[~close].flat[0]}"
