"""IOBinding: memory that the caller chooses, with what ONNX Runtime's programs expect of it."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _inlayrt
from ._device import OrtDevice
from ._errors import InvalidArgument
from ._inlayrt import OrtValue
from ._known import MEMORIES
from ._warnings import warn

if TYPE_CHECKING:
    from ._session import InferenceSession


class OrtValueVector(list[OrtValue]):
    """A list of OrtValues, as runs over them return it."""

    def push_back(self, value: OrtValue) -> None:
        """Appends a value."""
        self.append(value)

    def push_back_batch(
        self, tensors: Sequence[Any], data_ptrs: Sequence[int], element_types: Sequence[Any], shapes: Sequence[Sequence[int]],
        devices: Sequence[OrtDevice],
    ) -> None:  # fmt: skip
        """Appends tensors over memory that `tensors` own; each has an address, a type, a shape, a device."""
        for tensor, address, kind, shape, device in zip(tensors, data_ptrs, element_types, shapes, devices, strict=True):
            self.append(OrtValue.ortvalue_from_address(address, kind, shape, device, tensor))

    def reserve(self, count: int) -> None:
        """Has no effect: a list grows by itself."""

    def shrink_to_fit(self) -> None:
        """Has no effect: a list has no capacity to give back."""

    def bool_tensor_indices(self) -> list[int]:
        """The positions of tensors of bool, which older versions of DLPack cannot name."""
        return [k for k, value in enumerate(self) if value.is_tensor() and value.data_type() == "tensor(bool)"]

    def element_type_at(self, idx: int) -> int:
        """ONNX's number of the type of a tensor's elements."""
        return self[idx].element_type()

    def dlpack_at(self, idx: int) -> Any:
        """A tensor's capsule of DLPack."""
        return self[idx].to_dlpack()

    def to_dlpacks(self, to_tensor: Any = None) -> list[Any]:
        """All capsules, or the function's result for each."""
        capsules: Iterable[Any] = (value.to_dlpack() for value in self)
        return [to_tensor(capsule) if to_tensor else capsule for capsule in capsules]


class IOBinding(_inlayrt.IoBinding):
    """IOBinding(session): inputs and outputs of a session in memory that the caller chooses."""

    def __init__(self, session: InferenceSession) -> None:
        super().__init__(session)
        self._session = session

    def bind_output(  # type: ignore[override]
        self,
        name: str,
        device_type: str | OrtDevice = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Each run leaves the result in the memory of the device; with buffer_ptr it writes it to memory of the caller.

        The memory of a device that this build has no provider for is a warning, and the result is in the host's; with
        SessionOptions.strict_providers, or with buffer_ptr, it is an error, InvalidArgument.
        """
        if buffer_ptr is None:
            device_type, device_id = self._present(name, device_type, device_id)
        super().bind_output(name, device_type, device_id, element_type, shape, buffer_ptr)

    def _present(self, name: str, device: str | OrtDevice, number: int) -> tuple[str | OrtDevice, int]:
        memory = device._type if isinstance(device, OrtDevice) else device
        is_memory = isinstance(memory, str) and memory.lower() in MEMORIES
        if not is_memory or _inlayrt.has_memory(memory.lower()):
            return (memory.lower(), number) if is_memory and isinstance(device, str) else (device, number)
        text = f"output `{name}` cannot be in the memory of `{memory}`: this build has no provider of it"
        if self._session.get_session_options()._strict():
            raise InvalidArgument(f"inlay: {text}", code="wrong_memory_space")
        warn(f"{text}; it is in the host's memory")
        return "cpu", 0

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        """get_outputs() as an OrtValueVector."""
        return OrtValueVector(self.get_outputs())


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Copies the elements of tensors to others of the same types and shapes, wherever each is.

    Raises InvalidArgument where the lists differ in length, or a pair in type or shape, and for a stream: there are none.
    """
    if stream is not None:
        raise InvalidArgument("inlay: copy_tensors() takes no stream: copies have ended when it returns")
    if len(src) != len(dst):
        raise InvalidArgument(f"inlay: copy_tensors() has {len(src)} tensors to copy from and {len(dst)} to copy to")
    for source, target in zip(src, dst):
        target.update_inplace(source)
