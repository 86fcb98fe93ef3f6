"""ONNX Runtime's inner session and binding: those of the package with their arguments in another order."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _inlayrt
from ._device import OrtDevice
from ._inlayrt import OrtValue
from ._io_binding import IOBinding, OrtValueVector

if TYPE_CHECKING:
    from ._options import RunOptions
    from ._session import InferenceSession as Session


class InnerSession:
    """`session._sess`: runs of that session, with what is fed before the names of the outputs."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        """As session.run()."""
        return list(self._session.run(output_names, input_feed, run_options))

    def run_with_ort_values(
        self, feeds: Mapping[str, OrtValue], output_names: Sequence[str], run_options: RunOptions | None = None
    ) -> OrtValueVector:
        """As session.run_with_ort_values(), which has the names first."""
        return OrtValueVector(self._session.run_with_ort_values(output_names, feeds, run_options))

    def run_with_iobinding(self, binding: _inlayrt.IoBinding, run_options: RunOptions | None = None) -> None:
        """As session.run_with_iobinding()."""
        self._session.run_with_iobinding(binding, run_options)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the session's: get_providers(), end_profiling(), run_with_ortvaluevector(), ..."""
        names = {"inputs_meta": "_inputs_meta", "outputs_meta": "_outputs_meta", "model_meta": "_model_meta"}
        return getattr(self._session, names.get(name, name))


class SessionIOBinding(IOBinding):
    """SessionIOBinding(session._sess): an IOBinding whose calls name a device by an OrtDevice."""

    def __init__(self, session: InnerSession | Session) -> None:
        super().__init__(session._session if isinstance(session, InnerSession) else session)

    def bind_input(  # type: ignore[override]
        self, name: str, device: OrtDevice, element_type: Any = None, shape: Sequence[int] = (), data_ptr: int = 0
    ) -> None:
        """Each run reads memory of the caller; or bind_input(name, array)."""
        if not isinstance(device, OrtDevice):
            self.bind_cpu_input(name, device)
        else:
            super().bind_input(name, device, device.device_id(), element_type, shape, data_ptr)

    def bind_output(  # type: ignore[override]
        self,
        name: str,
        device: OrtDevice,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        data_ptr: int | None = None,
    ) -> None:
        """Each run leaves the result in the device's memory, or writes it to memory of the caller."""
        super().bind_output(name, device, device.device_id(), element_type, shape, data_ptr)

    def get_outputs(self) -> OrtValueVector:
        """The results of the last run."""
        return OrtValueVector(super().get_outputs())
