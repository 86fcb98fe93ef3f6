"""The exceptions, and classes of values, where programs for ONNX Runtime import them from."""
from .. import _interface
from .._inlayrt import is_dlpack_uint8_tensor
from .._inner import InnerSession as InferenceSession
from .._interface import *  # noqa: F403
from .._options import SessionOptions
from .._sparse import SparseCooView, SparseCsrView


def get_default_session_options() -> SessionOptions:
    """SessionOptions()"""
    return SessionOptions()


__all__ = [
    *_interface.__all__,
    "InferenceSession",
    "SparseCooView",
    "SparseCsrView",
    "get_default_session_options",
    "is_dlpack_uint8_tensor",
]
