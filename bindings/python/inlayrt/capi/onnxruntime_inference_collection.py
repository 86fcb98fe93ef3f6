"""The classes of the package, where programs for ONNX Runtime import them from, and its check of lists of providers."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .._adapters import AdapterFormat
from .._compiler import ModelCompiler
from .._device import OrtDevice, OrtDeviceVendorId
from .._errors import InvalidArgument
from .._inlayrt import OrtValue
from .._io_binding import IOBinding, copy_tensors
from .._providers import option_text, pairs_of
from .._session import InferenceSession
from .._sparse import SparseTensor
from .._warnings import warn

Session = InferenceSession
__all__ = [
    "AdapterFormat",
    "IOBinding",
    "InferenceSession",
    "ModelCompiler",
    "OrtDevice",
    "OrtDeviceVendorId",
    "OrtValue",
    "Session",
    "SparseTensor",
    "check_and_normalize_provider_args",
    "copy_tensors",
    "get_ort_device_type",
]


def get_ort_device_type(device_type: str) -> int:
    """The number of a device's kind by its name."""
    return OrtDevice.make(device_type, 0).device_type()


def check_and_normalize_provider_args(
    providers: Sequence[Any] | None,
    provider_options: Sequence[Mapping[Any, Any]] | None,
    available_provider_names: Collection[str],
) -> tuple[list[str], list[dict[str, str]]]:
    """The names of a list of providers, and for each its options as text.

    A name that is not available, or comes again, is a warning; the first one counts.
    Raises InvalidArgument (a ValueError) for what is no such list.
    """
    if providers is None:
        return [], []
    if not isinstance(providers, Sequence):
        raise InvalidArgument(f"inlay: providers are a list, not {providers!r}")
    texts_by_provider: dict[str, dict[str, str]] = {}
    for name, options in pairs_of(providers, provider_options):
        if name not in available_provider_names:
            warn(f"{name} is not among the providers {', '.join(available_provider_names)}")
        if name in texts_by_provider:
            warn(f"{name} stands in the list of providers twice; its first options count")
            continue
        texts_by_provider[str(name)] = {str(key): option_text(value) for key, value in options.items()}
    return list(texts_by_provider), list(texts_by_provider.values())
