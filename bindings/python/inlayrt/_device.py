"""Devices, and names at the top of the package that ONNX Runtime's programs expect there."""
from __future__ import annotations

from . import _inlayrt
from ._warnings import no_meaning


class OrtDevice:
    """The memory of a device, by its name and number; it may stand wherever a device's name does."""

    def __init__(self, device_type: str, device_id: int = 0) -> None:
        self._type = device_type
        self._id = device_id

    @staticmethod
    def make(ort_device_name: str, device_id: int) -> OrtDevice:
        """OrtDevice.make("cpu", 0)"""
        return OrtDevice(ort_device_name.lower(), device_id)

    def device_type(self) -> str:
        """ "cpu", or the name of a provider's memory."""
        return self._type

    def device_id(self) -> int:
        """0 for the first one."""
        return self._id

    def __repr__(self) -> str:
        return f"OrtDevice({self._type!r}, {self._id})"


def get_device() -> str:
    """"CPU": what a session runs on where its list of providers names no other."""
    return "CPU"


def get_version_string() -> str:
    """The version of Inlay."""
    return _inlayrt.version()


def get_build_info() -> str:
    """The version of Inlay and the providers of this build."""
    return f"Inlay Build Info: version {_inlayrt.version()}, providers {', '.join(_inlayrt.built_providers())}"


def set_seed(seed: int) -> None:
    """Warns: random numbers are seeded by the nodes' attributes."""
    no_meaning(f"set_seed({seed})", "a node with a `seed` gives the same numbers in every run, one without gives others")


def enable_telemetry_events() -> None:
    """Warns: Inlay sends nothing to anybody."""
    no_meaning("enable_telemetry_events()", "Inlay sends nothing to anybody")


def disable_telemetry_events() -> None:
    """There is nothing to disable: Inlay sends nothing to anybody."""


def preload_dlls(**libraries: object) -> None:
    """There is nothing to load, whatever is named: a provider's libraries are opened when a session asks for it."""
