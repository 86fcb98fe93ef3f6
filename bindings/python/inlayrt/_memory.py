"""Descriptions of memory that ONNX Runtime's programs create; they change nothing, since Inlay plans memory itself."""
from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from ._device import OrtDevice, OrtDeviceVendorId
from ._errors import InvalidArgument
from ._known import MEMORIES
from ._log import no_effect


class OrtAllocatorType(enum.IntEnum):
    """Kinds of allocators."""

    INVALID = -1
    ORT_DEVICE_ALLOCATOR = 0
    ORT_ARENA_ALLOCATOR = 1


class OrtMemType(enum.IntEnum):
    """Kinds of memory of a device."""

    CPU_INPUT = -2
    CPU_OUTPUT = -1
    CPU = -1
    DEFAULT = 0


class OrtDeviceMemoryType(enum.IntEnum):
    """Whether the host can read a device's memory."""

    DEFAULT = 0
    HOST_ACCESSIBLE = 5


class OrtMemoryInfoDeviceType(enum.IntEnum):
    """Kinds of devices."""

    CPU = 0
    GPU = 1
    FPGA = 2
    NPU = 3


@dataclass(frozen=True)
class OrtMemoryInfo:
    """Names memory of a device."""

    name: str
    allocator_type: OrtAllocatorType
    device_id: int
    mem_type: OrtMemType
    device_mem_type: OrtDeviceMemoryType = OrtDeviceMemoryType.DEFAULT
    device_vendor_id: int = 0

    @staticmethod
    def create_v2(
        name: str,
        device_type: OrtMemoryInfoDeviceType,
        vendor_id: int,
        device_id: int,
        mem_type: OrtDeviceMemoryType,
        alignment: int,
        allocator_type: OrtAllocatorType,
    ) -> OrtMemoryInfo:
        """The same from the arguments of newer programs. device_type and alignment are not kept: nothing uses them."""
        OrtMemoryInfoDeviceType(device_type)
        return OrtMemoryInfo(name, allocator_type, device_id, OrtMemType.DEFAULT, mem_type, vendor_id)


class OrtArenaCfg:
    """How an arena would grow: four numbers, or a dict with any of the members' names. -1: the library's default."""

    max_mem: int
    arena_extend_strategy: int
    initial_chunk_size_bytes: int
    max_dead_bytes_per_chunk: int
    initial_growth_chunk_size_bytes: int
    max_power_of_two_extend_bytes: int

    _FIRST = ("max_mem", "arena_extend_strategy", "initial_chunk_size_bytes", "max_dead_bytes_per_chunk")
    _NAMES = (*_FIRST, "initial_growth_chunk_size_bytes", "max_power_of_two_extend_bytes")

    def __init__(self, *numbers: int | Mapping[str, int]) -> None:
        values: dict[str, int]
        if len(numbers) == 1 and isinstance(numbers[0], Mapping):
            values = dict(numbers[0])
        elif len(numbers) == len(self._FIRST) and all(isinstance(n, int) for n in numbers):
            values = dict(zip(self._FIRST, numbers))  # type: ignore[arg-type]
        else:
            raise InvalidArgument(f"inlay: OrtArenaCfg takes a dict, or the numbers {', '.join(self._FIRST)}")
        unknown = sorted(set(values) - set(self._NAMES))
        if unknown:
            raise InvalidArgument(f"inlay: OrtArenaCfg has no {', '.join(unknown)}; it has {', '.join(self._NAMES)}")
        for name in self._NAMES:
            setattr(self, name, int(values.get(name, 0 if name == "max_mem" else -1)))


def create_and_register_allocator(mem_info: OrtMemoryInfo, arena_cfg: OrtArenaCfg | None) -> None:
    """Has no effect: memory of runs is planned, without settings. The default log reports it at severity 1."""
    no_effect(f"create_and_register_allocator({mem_info.name})", "the memory of a run is planned, in one arena")


def create_and_register_allocator_v2(
    provider_type: str, mem_info: OrtMemoryInfo, options: Mapping[str, str], arena_cfg: OrtArenaCfg | None
) -> None:
    """Has no effect, as create_and_register_allocator()."""
    no_effect(f"create_and_register_allocator_v2({provider_type})", "the memory of a run is planned, in one arena")


def device_of(info: OrtMemoryInfo) -> OrtDevice:
    """The device whose memory is described: the host, or that of a vendor."""
    if info.device_vendor_id == 0:
        return OrtDevice("cpu", 0)
    kinds = {int(OrtDeviceVendorId[memory.vendor]): memory.kind for memory in MEMORIES.values()}
    kind = kinds.get(info.device_vendor_id, OrtDevice.gpu())
    return OrtDevice(kind, OrtDevice.default_memory(), info.device_vendor_id, info.device_id)
