"""The exceptions, and classes of values, where programs for ONNX Runtime import them from."""
from .._adapters import AdapterFormat, LoraAdapter
from .._compiler import ModelCompiler, OrtCompileApiFlags, OrtExternalInitializerInfo
from .._device import (
    OrtDevice,
    disable_telemetry_events,
    enable_telemetry_events,
    get_build_info,
    get_device,
    get_version_string,
    has_collective_ops,
    set_seed,
)
from .._devices import (
    OrtEpDevice,
    OrtExecutionProviderDevicePolicy,
    OrtHardwareDevice,
    OrtHardwareDeviceType,
    OrtSyncStream,
    get_ep_devices,
)
from .._errors import (
    EngineError,
    EPFail,
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
from .._inlayrt import OrtValue, is_dlpack_uint8_tensor
from .._inner import InnerSession as InferenceSession
from .._inner import SessionIOBinding
from .._io_binding import OrtValueVector, copy_tensors
from .._log import set_default_logger_severity, set_default_logger_verbosity
from .._memory import (
    OrtAllocatorType,
    OrtArenaCfg,
    OrtDeviceMemoryType,
    OrtMemoryInfo,
    OrtMemoryInfoDeviceType,
    OrtMemType,
    create_and_register_allocator,
    create_and_register_allocator_v2,
)
from .._options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from .._providers import (
    get_all_providers,
    get_available_providers,
    register_execution_provider_library,
    unregister_execution_provider_library,
)
from .._reports import OrtEpAssignedNode, OrtEpAssignedSubgraph
from .._session import ModelMetadata, NodeArg
from .._sparse import OrtSparseFormat, SparseCooView, SparseCsrView, SparseTensor
from .._threads import set_global_thread_pool_sizes


def get_default_session_options() -> SessionOptions:
    """SessionOptions()"""
    return SessionOptions()


__all__ = [
    "AdapterFormat",
    "EPFail",
    "EngineError",
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "LoraAdapter",
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
    "RunOptions",
    "RuntimeException",
    "SessionIOBinding",
    "SessionOptions",
    "SparseCooView",
    "SparseCsrView",
    "SparseTensor",
    "copy_tensors",
    "create_and_register_allocator",
    "create_and_register_allocator_v2",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_default_session_options",
    "get_device",
    "get_ep_devices",
    "get_version_string",
    "has_collective_ops",
    "is_dlpack_uint8_tensor",
    "register_execution_provider_library",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_global_thread_pool_sizes",
    "set_seed",
    "unregister_execution_provider_library",
]
