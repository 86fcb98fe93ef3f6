"""Inlay runs ONNX models; an ordered list of execution providers decides which one runs which node.

    import inlayrt as ort

    session = ort.InferenceSession("digits.onnx", providers=["CPUExecutionProvider"])
    scores = session.run(["scores"], {"image": image})[0]

Programs for ONNX Runtime's Python interface run with this import, and libraries that import onnxruntime themselves after
as_onnxruntime(). What only Inlay has, first of all InferenceSession.plan(), is in docs/reference/python.md of the source tree.

`__version__` is the version of ONNX Runtime's Python interface whose names are here; `version` is that of this package.
"""
from __future__ import annotations

from . import _interface
from ._device import OrtDeviceVendorId, preload_dlls, print_debug_info
from ._drop_in import as_onnxruntime
from ._errors import Error
from ._inlayrt import Cache, Model, Plugin, provider_status
from ._interface import *  # noqa: F403
from ._libraries import find_libraries as _find_libraries
from ._io_binding import IOBinding
from ._log import set_default_logger_callback
from ._quantize import FloatNode, LayerError, QuantizedModel, quantize
from ._reports import Comparison, Compiled, MemoryReport, OutputComparison, Plan, Profile
from ._session import InferenceSession, load_model
from ._version import INTERFACE_VERSION as __version__
from ._version import PACKAGE_NAME as package_name
from ._version import package_version as _package_version
from .capi import onnxruntime_validation

IoBinding = IOBinding  # as earlier versions of this package spelled it
version = _package_version()
cuda_version = ""
_find_libraries()

__all__ = [
    *_interface.__all__,
    "Cache",
    "Comparison",
    "Compiled",
    "Error",
    "FloatNode",
    "IOBinding",
    "InferenceSession",
    "IoBinding",
    "LayerError",
    "MemoryReport",
    "Model",
    "OrtDeviceVendorId",
    "OutputComparison",
    "Plan",
    "Plugin",
    "Profile",
    "QuantizedModel",
    "__version__",
    "as_onnxruntime",
    "cuda_version",
    "load_model",
    "onnxruntime_validation",
    "package_name",
    "preload_dlls",
    "print_debug_info",
    "provider_status",
    "quantize",
    "set_default_logger_callback",
    "version",
]

# Names of ONNX Runtime's package that programs may use, and why they are missing here.
_ABSENT = {
    "OrtEpContextData": "what was compiled goes to the model or to files next to it, not to a function",
    "OrtEpContextDataBuffer": "what was compiled is read from the model or from files next to it, not from a function",
    "training": "there is no training",
    **{
        f"ModelPackage{rest}": "folders with several forms of a model are not read"
        for rest in ("", "ComponentContext", "Context", "Options", "WriteMode")
    },
}


def __getattr__(name: str) -> object:
    if name in _ABSENT:
        raise AttributeError(f"inlayrt has no {name}: {_ABSENT[name]}", name=name)
    raise AttributeError(f"module 'inlayrt' has no attribute {name!r}", name=name)
