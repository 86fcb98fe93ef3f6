"""Inlay runs ONNX models; an ordered list of execution providers says who runs what.

    import inlayrt as ort

    session = ort.InferenceSession("digits.onnx", providers=["CPUExecutionProvider"])
    scores = session.run(["scores"], {"image": image})[0]

Programs for ONNX Runtime's Python interface run with this import. What only Inlay has, InferenceSession.plan() before
all, is in docs/python.md of the source tree.
"""
from __future__ import annotations

from ._inlayrt import Cache, IoBinding, Model, OrtValue, Plugin
from ._errors import (
    EngineError,
    EPFail,
    Error,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    ModelLoadCanceled,
    ModelLoaded,
    ModelRequiresCompilation,
    NoModel,
    NoSuchFile,
    NotFound,
    NotImplemented,
    RuntimeException,
)
from ._device import (
    OrtDevice,
    disable_telemetry_events,
    enable_telemetry_events,
    get_build_info,
    get_device,
    get_version_string,
    preload_dlls,
    set_seed,
)
from ._memory import (
    OrtAllocatorType,
    OrtArenaCfg,
    OrtDeviceMemoryType,
    OrtMemoryInfo,
    OrtMemoryInfoDeviceType,
    OrtMemType,
    create_and_register_allocator,
    create_and_register_allocator_v2,
)
from ._options import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    RunOptions,
    SessionOptions,
    set_default_logger_callback,
    set_default_logger_severity,
    set_default_logger_verbosity,
)
from ._providers import (
    get_all_providers,
    get_available_providers,
    register_execution_provider_library,
    unregister_execution_provider_library,
)
from ._quantize import FloatNode, LayerError, QuantizedModel, quantize
from ._reports import Comparison, Compiled, MemoryReport, OutputComparison, Plan, Profile
from ._session import InferenceSession, ModelMetadata, NodeArg, load_model

__version__ = get_version_string()

__all__ = [
    "Cache",
    "Comparison",
    "Compiled",
    "EPFail",
    "EngineError",
    "Error",
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "FloatNode",
    "GraphOptimizationLevel",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "IoBinding",
    "LayerError",
    "MemoryReport",
    "Model",
    "ModelLoadCanceled",
    "ModelLoaded",
    "ModelMetadata",
    "ModelRequiresCompilation",
    "NoModel",
    "NoSuchFile",
    "NodeArg",
    "NotFound",
    "NotImplemented",
    "OrtAllocatorType",
    "OrtArenaCfg",
    "OrtDevice",
    "OrtDeviceMemoryType",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtMemoryInfoDeviceType",
    "OrtValue",
    "OutputComparison",
    "Plan",
    "Plugin",
    "Profile",
    "QuantizedModel",
    "RunOptions",
    "RuntimeException",
    "SessionOptions",
    "__version__",
    "create_and_register_allocator",
    "create_and_register_allocator_v2",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "load_model",
    "preload_dlls",
    "quantize",
    "register_execution_provider_library",
    "set_default_logger_callback",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
    "unregister_execution_provider_library",
]

# Names of ONNX Runtime's package that programs may ask for, and why they are not here.
_ABSENT = {
    "SparseTensor": "sparse tensors are made dense when a model is loaded, and are no inputs",
    "OrtSparseFormat": "sparse tensors are made dense when a model is loaded, and are no inputs",
    "LoraAdapter": "adapters are not loaded; they are part of the model, or its inputs",
    "AdapterFormat": "adapters are not loaded; they are part of the model, or its inputs",
    "ModelCompiler": "InferenceSession.save() writes what engines compiled",
    "get_ep_devices": "get_available_providers() has the providers, and a device is one of their options",
}


def __getattr__(name: str) -> object:
    if name in _ABSENT:
        raise AttributeError(f"inlayrt has no {name}: {_ABSENT[name]}", name=name)
    raise AttributeError(f"module 'inlayrt' has no attribute {name!r}", name=name)
