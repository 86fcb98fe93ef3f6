"""Inlay runs ONNX models; an ordered list of execution providers says which one runs what.

    import inlayrt as ort

    session = ort.InferenceSession("digits.onnx", providers=["CPUExecutionProvider"])
    scores = session.run(["scores"], {"image": image})[0]

Programs for ONNX Runtime's Python interface run with this import, and libraries that import onnxruntime themselves after
as_onnxruntime(). What only Inlay has, InferenceSession.plan() before all, is in docs/python.md of the source tree.

__version__ is the version of ONNX Runtime's Python interface whose names are here; version is that of this package.
"""
from __future__ import annotations

from ._inlayrt import Cache, Model, OrtValue, Plugin
from ._adapters import AdapterFormat, LoraAdapter
from ._compiler import ModelCompiler, OrtCompileApiFlags, OrtExternalInitializerInfo
from ._device import (
    OrtDevice,
    OrtDeviceVendorId,
    disable_telemetry_events,
    enable_telemetry_events,
    get_build_info,
    get_device,
    get_version_string,
    has_collective_ops,
    preload_dlls,
    print_debug_info,
    set_seed,
)
from ._devices import (
    OrtEpDevice,
    OrtExecutionProviderDevicePolicy,
    OrtHardwareDevice,
    OrtHardwareDeviceType,
    OrtSyncStream,
    get_ep_devices,
)
from ._drop_in import as_onnxruntime
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
from ._inner import SessionIOBinding
from ._io_binding import IOBinding, OrtValueVector, copy_tensors
from ._log import set_default_logger_callback, set_default_logger_severity, set_default_logger_verbosity
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
from ._options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ._providers import (
    get_all_providers,
    get_available_providers,
    register_execution_provider_library,
    unregister_execution_provider_library,
)
from ._quantize import FloatNode, LayerError, QuantizedModel, quantize
from ._reports import (
    Comparison,
    Compiled,
    MemoryReport,
    OrtEpAssignedNode,
    OrtEpAssignedSubgraph,
    OutputComparison,
    Plan,
    Profile,
)
from ._session import InferenceSession, ModelMetadata, NodeArg, load_model
from ._sparse import OrtSparseFormat, SparseTensor
from ._threads import set_global_thread_pool_sizes
from ._version import INTERFACE_VERSION as __version__
from ._version import PACKAGE_NAME as package_name
from ._version import package_version as _package_version
from .capi import onnxruntime_validation

IoBinding = IOBinding  # as earlier versions of this package spelled it
version = _package_version()
cuda_version = ""

__all__ = [
    "AdapterFormat",
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
    "IOBinding",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "IoBinding",
    "LayerError",
    "LoraAdapter",
    "MemoryReport",
    "Model",
    "ModelCompiler",
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
    "OrtCompileApiFlags",
    "OrtDevice",
    "OrtDeviceMemoryType",
    "OrtDeviceVendorId",
    "OrtEpAssignedNode",
    "OrtEpAssignedSubgraph",
    "OrtEpDevice",
    "OrtExecutionProviderDevicePolicy",
    "OrtExternalInitializerInfo",
    "OrtHardwareDevice",
    "OrtHardwareDeviceType",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtMemoryInfoDeviceType",
    "OrtSparseFormat",
    "OrtSyncStream",
    "OrtValue",
    "OrtValueVector",
    "OutputComparison",
    "Plan",
    "Plugin",
    "Profile",
    "QuantizedModel",
    "RunOptions",
    "RuntimeException",
    "SessionIOBinding",
    "SessionOptions",
    "SparseTensor",
    "__version__",
    "as_onnxruntime",
    "copy_tensors",
    "create_and_register_allocator",
    "create_and_register_allocator_v2",
    "cuda_version",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_ep_devices",
    "get_version_string",
    "has_collective_ops",
    "load_model",
    "onnxruntime_validation",
    "package_name",
    "preload_dlls",
    "print_debug_info",
    "quantize",
    "register_execution_provider_library",
    "set_default_logger_callback",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_global_thread_pool_sizes",
    "set_seed",
    "unregister_execution_provider_library",
    "version",
]

# Names of ONNX Runtime's package that programs may ask for, and why they are not here.
_ABSENT = {
    "OrtEpContextData": "what was compiled goes to the model or to files beside it, not to a function",
    "OrtEpContextDataBuffer": "what was compiled is read from the model or from files beside it, not from a function",
    "training": "there is no training",
}


def __getattr__(name: str) -> object:
    if name in _ABSENT:
        raise AttributeError(f"inlayrt has no {name}: {_ABSENT[name]}", name=name)
    raise AttributeError(f"module 'inlayrt' has no attribute {name!r}", name=name)
