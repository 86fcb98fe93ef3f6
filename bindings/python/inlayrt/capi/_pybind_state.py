"""ONNX Runtime's inner classes, which programs reach by `session._sess`, `value._ortvalue` and this module's name.

They are the classes of the package; what differs is the order of arguments.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _inlayrt
from .._device import OrtDevice as _Device
from .._errors import InvalidArgument
from .._inlayrt import OrtValue, is_dlpack_uint8_tensor
from .._options import RunOptions, SessionOptions
from .._providers import get_all_providers, get_available_providers

__all__ = [
    "InferenceSession",
    "OrtDevice",
    "OrtValue",
    "OrtValueVector",
    "RunOptions",
    "SessionIOBinding",
    "SessionOptions",
    "get_all_providers",
    "get_available_providers",
    "is_dlpack_uint8_tensor",
]

OrtValueVector = list  # what runs over OrtValues give


class OrtDevice(_Device):
    """OrtDevice(OrtDevice.cpu(), OrtDevice.default_memory(), 0)"""

    def __init__(self, device_type: str, memory: int, device_id: int) -> None:
        if memory != self.default_memory():
            raise InvalidArgument(f"inlay: a device has default_memory(), {self.default_memory()}, alone, not {memory}")
        super().__init__(device_type, device_id)

    @staticmethod
    def cpu() -> str:
        """The host."""
        return "cpu"

    @staticmethod
    def default_memory() -> int:
        """The memory that a device has."""
        return 0


class InferenceSession:
    """`session._sess`: runs of that session, with what is fed before the names of the outputs."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        """As session.run()."""
        return list(self._session.run(output_names, input_feed, run_options))

    def run_with_ort_values(
        self, feeds: Mapping[str, OrtValue], output_names: Sequence[str], run_options: RunOptions | None = None
    ) -> list[OrtValue]:
        """As session.run_with_ort_values(), which has the names first."""
        return list(self._session.run_with_ort_values(output_names, feeds, run_options))

    def run_with_iobinding(self, binding: _inlayrt.IoBinding, run_options: RunOptions | None = None) -> None:
        """As session.run_with_iobinding()."""
        self._session.run_with_iobinding(binding, run_options)


class SessionIOBinding(_inlayrt.IoBinding):
    """SessionIOBinding(session._sess): an IoBinding whose calls name a device by an OrtDevice."""

    def __init__(self, session: InferenceSession) -> None:
        super().__init__(session._session)

    def bind_input(  # type: ignore[override]
        self, name: str, device: _Device, element_type: Any, shape: Sequence[int], data_ptr: int
    ) -> None:
        """Each run reads memory of the caller."""
        super().bind_input(name, device, device.device_id(), element_type, shape, data_ptr)

    def bind_output(  # type: ignore[override]
        self,
        name: str,
        device: _Device,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        data_ptr: int | None = None,
    ) -> None:
        """Each run leaves the result in the device's memory, or writes it to memory of the caller."""
        super().bind_output(name, device, device.device_id(), element_type, shape, data_ptr)
