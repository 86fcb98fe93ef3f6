"""Inlay's CPU as an execution provider of ONNX Runtime.

    options.add_provider_for_devices(onnxruntime_ep_inlay.devices(), {"threads": "2"})
"""
from __future__ import annotations

import os
import typing

if typing.TYPE_CHECKING:
    import onnxruntime

__all__ = ["devices", "get_ep_name", "get_ep_names", "get_library_path"]


def get_library_path() -> str:
    """The library for onnxruntime.register_execution_provider_library()."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libinlay_onnxruntime_ep.so")


def get_ep_name() -> str:
    """The name of the provider, as in InferenceSession.get_providers()."""
    return "InlayExecutionProvider"


def get_ep_names() -> list[str]:
    """All names of providers in the library."""
    return [get_ep_name()]


def devices() -> list[onnxruntime.OrtEpDevice]:
    """The devices for SessionOptions.add_provider_for_devices(); registers the library where that has not been done."""
    import onnxruntime

    def listed() -> list[onnxruntime.OrtEpDevice]:
        return [device for device in onnxruntime.get_ep_devices() if device.ep_name == get_ep_name()]

    if not listed():
        onnxruntime.register_execution_provider_library("inlay", get_library_path())
    return listed()
