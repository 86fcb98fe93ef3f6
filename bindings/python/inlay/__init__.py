"""Inlay runs ONNX models; an ordered list of execution providers says who runs what.

    import inlay as ort

    session = ort.InferenceSession("digits.onnx", providers=["CPUExecutionProvider"])
    scores = session.run(["scores"], {"image": image})[0]

Programs for ONNX Runtime's Python interface run with this import. What only Inlay has, InferenceSession.plan() before
all, is in docs/python.md of the source tree.
"""
from __future__ import annotations

from ._inlay import IoBinding, Model, OrtValue, Plugin, __version__
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
from ._options import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    RunOptions,
    SessionOptions,
    get_all_providers,
    get_available_providers,
    register_execution_provider_library,
    unregister_execution_provider_library,
)
from ._session import InferenceSession, ModelMetadata, NodeArg, load_model


def get_device() -> str:
    """"CPU": what a session runs on where its list names no other provider."""
    return "CPU"
