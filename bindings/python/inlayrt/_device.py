"""Devices, and names at the top of the package that ONNX Runtime's programs expect there."""
from __future__ import annotations

import enum
import os
import platform
import sys
from typing import overload

from . import _inlayrt
from ._errors import InvalidArgument
from ._known import MEMORIES
from ._version import INTERFACE_VERSION, PACKAGE_NAME, package_version
from ._warnings import no_meaning


class OrtDeviceVendorId(enum.IntEnum):
    """Vendors of devices, by the numbers that they have on a PCI bus."""

    NONE = 0x0000
    AMD = 0x1002
    NVIDIA = 0x10DE
    ARM = 0x13B5
    MICROSOFT = 0x1414
    HUAWEI = 0x19E5
    QUALCOMM = 0x5143
    INTEL = 0x8086


def _memory_of(kind: int, vendor: int) -> str:
    """The name of the memory of such a device: as in this build, else as in ONNX Runtime."""
    names = [
        name
        for name, memory in MEMORIES.items()
        if memory.kind == kind and vendor in (0, OrtDeviceVendorId[memory.vendor]) and memory.vendor != "NONE"
    ]
    return next((name for name in names if _inlayrt.has_memory(name)), names[0] if names else ("cpu", "gpu", "fpga", "npu")[kind])


class OrtDevice:
    """The memory of a device, by its name and number; accepted wherever a device's name is.

    OrtDevice.make("cpu", 0) creates one. Like ONNX Runtime's inner class it also takes the numbers of a kind, a memory
    and a device, with that of a vendor before the last.
    """

    @overload
    def __init__(self, device_type: str, device_id: int = 0, /) -> None: ...
    @overload
    def __init__(self, device_type: int, memory: int, device_id: int, /) -> None: ...
    @overload
    def __init__(self, device_type: int, memory: int, vendor_id: int, device_id: int, /) -> None: ...
    def __init__(self, device_type: str | int, *numbers: int) -> None:
        if isinstance(device_type, str):
            name = device_type.lower()
            entry = MEMORIES.get(name)
            self._kind = entry.kind if entry else 1
            self._vendor = int(OrtDeviceVendorId[entry.vendor]) if entry else 0
            self._type = _memory_of(self._kind, 0) if name in ("gpu", "npu") else name
            self._id = int(numbers[0]) if numbers else 0
            return
        memory, *vendor, self._id = numbers
        if memory != self.default_memory():
            raise InvalidArgument(f"inlay: a device has default_memory(), {self.default_memory()}, alone, not {memory}")
        self._vendor = int(vendor[0]) if vendor else 0
        self._kind = 1 if device_type == self.dml() else int(device_type)
        if self._kind not in range(4):
            raise InvalidArgument(f"inlay: there are no devices of the kind {device_type}")
        self._type = "dml" if device_type == self.dml() else _memory_of(self._kind, self._vendor)

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        """OrtDevice.make("cpu", 0); with a vendor, the name is "gpu" or "npu"."""
        if vendor_id < 0 or ort_device_name.lower() not in ("gpu", "npu"):
            return OrtDevice(ort_device_name, device_id)
        return OrtDevice(MEMORIES[ort_device_name.lower()].kind, OrtDevice.default_memory(), vendor_id, device_id)

    def device_type(self) -> int:
        """0 for a CPU, 1 for a GPU, 2 for an FPGA, 3 for an NPU."""
        return self._kind

    def device_id(self) -> int:
        """0 for the first one."""
        return self._id

    def device_vendor_id(self) -> int:
        """An OrtDeviceVendorId; 0 where the name does not give it."""
        return self._vendor

    def device_mem_type(self) -> int:
        """default_memory()."""
        return self.default_memory()

    vendor_id, mem_type = device_vendor_id, device_mem_type  # as the inner class has them

    @staticmethod
    def cpu() -> int:
        """The host's kind."""
        return 0

    @staticmethod
    def gpu() -> int:
        """The kind of GPUs."""
        return 1

    @staticmethod
    def fpga() -> int:
        """The kind of FPGAs."""
        return 2

    @staticmethod
    def npu() -> int:
        """The kind of NPUs."""
        return 3

    @staticmethod
    def dml() -> int:
        """The kind of GPUs through DirectML."""
        return 4

    cuda = webgpu = gpu
    cann = npu

    @staticmethod
    def default_memory() -> int:
        """The memory that a device has."""
        return 0

    def _get_c_device(self) -> OrtDevice:
        return self

    def __repr__(self) -> str:
        return f"OrtDevice({self._type!r}, {self._id})"


def get_device() -> str:
    """"CPU": the device of a session whose list of providers names no other."""
    return "CPU"


def get_version_string() -> str:
    """The version of ONNX Runtime's interface that this package has. The package's own is `inlayrt.version`."""
    return INTERFACE_VERSION


def get_build_info() -> str:
    """The version of Inlay and the providers of this build."""
    return f"Inlay Build Info: version {package_version()}, providers {', '.join(_inlayrt.built_providers())}"


def print_debug_info() -> None:
    """Prints what helps to find why something does not run: versions, system, providers, location of the package."""
    print(f"{PACKAGE_NAME} version: {package_version()}, with the interface of ONNX Runtime {INTERFACE_VERSION}")
    print(f"platform: {platform.platform()}")
    print(f"Python: {sys.version.split()[0]}")
    print(f"package: {os.path.dirname(__file__)}")
    print(f"providers: {', '.join(_inlayrt.built_providers())}")
    print(f"LD_LIBRARY_PATH={os.environ.get('LD_LIBRARY_PATH', '(unset)')}")


def has_collective_ops() -> bool:
    """False: operators between processes (AllReduce and the like) are not available."""
    return False


def set_seed(seed: int) -> None:
    """Warns: random numbers are seeded by the nodes' attributes."""
    no_meaning(f"set_seed({seed})", "a node with a `seed` gives the same numbers in every run, one without gives others")


def enable_telemetry_events() -> None:
    """Warns: Inlay sends no telemetry."""
    no_meaning("enable_telemetry_events()", "Inlay sends nothing to anybody")


def disable_telemetry_events() -> None:
    """Nothing to disable: Inlay sends no telemetry."""


def preload_dlls(
    cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: str | os.PathLike[str] | None = None
) -> None:
    """Nothing to load, whatever is named: a provider's libraries are opened when a session needs it."""
