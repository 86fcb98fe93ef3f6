"""Modules by the names that programs for ONNX Runtime import."""
