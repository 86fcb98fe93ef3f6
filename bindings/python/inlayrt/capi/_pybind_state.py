"""ONNX Runtime's inner classes, which programs reach by `session._sess`, `value._ortvalue` and this module's name."""
from .onnxruntime_pybind11_state import *  # noqa: F403
from .onnxruntime_pybind11_state import __all__ as __all__
