"""Devices of providers, and how a session's are chosen: OrtEpDevice, get_ep_devices() and their users."""
from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _inlayrt
from ._device import OrtDeviceVendorId
from ._errors import InvalidArgument, NotImplemented
from ._known import PROVIDERS, REFERENCE
from ._memory import OrtAllocatorType, OrtDeviceMemoryType, OrtMemoryInfo, OrtMemType
from ._providers import get_available_providers
from ._version import package_version


class OrtHardwareDeviceType(enum.IntEnum):
    """Kinds of hardware."""

    CPU = 0
    GPU = 1
    NPU = 2


class OrtExecutionProviderDevicePolicy(enum.IntEnum):
    """How the devices of a session with an empty list of providers are chosen."""

    DEFAULT = 0
    PREFER_CPU = 1
    PREFER_NPU = 2
    PREFER_GPU = 3
    MAX_PERFORMANCE = 4
    MAX_EFFICIENCY = 5
    MIN_OVERALL_POWER = 6


@dataclass(frozen=True)
class OrtHardwareDevice:
    """A device of this machine."""

    type: OrtHardwareDeviceType
    vendor: str
    vendor_id: int
    device_id: int
    metadata: dict[str, str] = field(default_factory=dict)


class OrtSyncStream:
    """A queue of a device's work. Not available: runs and copies have ended when they return."""

    def __init__(self) -> None:
        raise NotImplemented(_NO_STREAM, code="unsupported_model")

    def get_handle(self) -> int:
        """The handle of the device's library. Never called: no object is created."""
        raise NotImplemented(_NO_STREAM, code="unsupported_model")


_NO_STREAM = "inlay: there are no streams to be had: runs and copies have ended when they return, also those on a device"


@dataclass(frozen=True)
class OrtEpDevice:
    """A device that a provider of this build may use."""

    ep_name: str
    ep_vendor: str
    ep_metadata: dict[str, str]
    ep_options: dict[str, str]
    device: OrtHardwareDevice

    def memory_info(self, memory_type: OrtDeviceMemoryType) -> OrtMemoryInfo | None:
        """The memory of the device; None of a CPU, whose memory is the host's, and for what the host can access."""
        if self.device.type == OrtHardwareDeviceType.CPU or memory_type != OrtDeviceMemoryType.DEFAULT:
            return None
        return OrtMemoryInfo(
            self.ep_name, OrtAllocatorType.ORT_DEVICE_ALLOCATOR, 0, OrtMemType.DEFAULT, OrtDeviceMemoryType.DEFAULT, self.device.vendor_id
        )

    def create_sync_stream(self) -> OrtSyncStream:
        """Raises NotImplemented: runs and copies have ended when they return."""
        raise NotImplemented(_NO_STREAM, code="unsupported_model", provider=self.ep_name)


_CPU_VENDORS = {"GenuineIntel": ("Intel", 0x8086), "AuthenticAMD": ("AMD", 0x1022), "HygonGenuine": ("Hygon", 0x1D94)}


def _processor() -> OrtHardwareDevice:
    """This machine's processor, as its system reports it."""
    vendor, vendor_id, metadata = "", 0, {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            entries = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines() if ":" in line)
        fields = {key.strip(): value.strip() for key, value in entries.items()}
        vendor, vendor_id = _CPU_VENDORS.get(fields.get("vendor_id", ""), (fields.get("vendor_id", ""), 0))
        metadata = {"Description": fields["model name"]} if "model name" in fields else {}
    except OSError:  # a system without that file: the vendor stays unknown
        pass
    return OrtHardwareDevice(OrtHardwareDeviceType.CPU, vendor, vendor_id, 0, metadata)


def get_ep_devices() -> list[OrtEpDevice]:
    """A device for each provider that a session can have, in the order of priority, without the reference kernels.

    Whether a device other than the CPU exists is known when a session opens it.
    """
    processor = _processor()
    devices = []
    for name in get_available_providers():
        if name == REFERENCE:
            continue
        entry = next((PROVIDERS[k] for k in PROVIDERS if _inlayrt.names_provider(k, name)), None)
        hardware = processor
        if entry and entry.device != "CPU":
            vendor = OrtDeviceVendorId[entry.vendor]
            hardware = OrtHardwareDevice(OrtHardwareDeviceType[entry.device], vendor.name.capitalize(), int(vendor), 0)
        devices.append(OrtEpDevice(name, "Inlay", {"version": package_version()}, {}, hardware))
    return devices


def provider_of_devices(devices: Sequence[OrtEpDevice], options: Mapping[Any, Any]) -> list[tuple[str, dict[Any, Any]]]:
    """The provider that the devices belong to, with options, as an element of a list for each device."""
    if not devices:
        raise InvalidArgument("inlay: add_provider_for_devices() takes one device or more; get_ep_devices() has them")
    names = sorted({device.ep_name for device in devices})
    if len(names) > 1:
        raise InvalidArgument(f"inlay: the devices belong to {', '.join(names)}; add those of each provider by themselves")
    return [(device.ep_name, {**device.ep_options, **options}) for device in devices[:1]]


_ORDERS = {
    OrtExecutionProviderDevicePolicy.DEFAULT: (),
    OrtExecutionProviderDevicePolicy.PREFER_CPU: (),
    OrtExecutionProviderDevicePolicy.PREFER_NPU: (OrtHardwareDeviceType.NPU,),
    OrtExecutionProviderDevicePolicy.PREFER_GPU: (OrtHardwareDeviceType.GPU,),
    OrtExecutionProviderDevicePolicy.MAX_PERFORMANCE: (OrtHardwareDeviceType.GPU, OrtHardwareDeviceType.NPU),
    OrtExecutionProviderDevicePolicy.MAX_EFFICIENCY: (OrtHardwareDeviceType.NPU,),
    OrtExecutionProviderDevicePolicy.MIN_OVERALL_POWER: (OrtHardwareDeviceType.NPU,),
}


def chosen_devices(policy: OrtExecutionProviderDevicePolicy, devices: Sequence[OrtEpDevice]) -> list[OrtEpDevice]:
    """The devices that a policy prefers, without the CPU, which is always last."""
    return [device for kind in _ORDERS[policy] for device in devices if device.device.type == kind]
