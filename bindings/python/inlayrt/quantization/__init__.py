"""Integer models by ONNX Runtime's names: quantize_static() and quantize_dynamic() over inlayrt.quantize().

    from inlayrt.quantization import CalibrationDataReader, QuantType, quantize_static

docs/how-to/quantize.md of the source tree says what is quantized, and how.
"""
from .calibrate import CalibrationDataReader, CalibrationMethod
from .quant_utils import QuantFormat, QuantType
from .quantize import DynamicQuantConfig, StaticQuantConfig, quantize, quantize_dynamic, quantize_static
from .shape_inference import quant_pre_process

__all__ = [
    "CalibrationDataReader",
    "CalibrationMethod",
    "DynamicQuantConfig",
    "QuantFormat",
    "QuantType",
    "StaticQuantConfig",
    "quant_pre_process",
    "quantize",
    "quantize_dynamic",
    "quantize_static",
]
