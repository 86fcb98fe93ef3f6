"""Providers as programs name them: those of this build, those of registered libraries, and lists of them with options."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _inlayrt
from ._errors import InvalidArgument
from ._warnings import warn

ProviderName = Union[str, "_inlayrt.Plugin"]
Provider = Union[ProviderName, tuple[ProviderName, Mapping[Any, Any]]]

_registered: dict[str, _inlayrt.Plugin] = {}  # by the name that the program gave


def option_text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def register_execution_provider_library(registration_name: str, library_path: str | os.PathLike[str]) -> None:
    """Loads a provider from a shared library; from then on its name may stand in lists of providers.

    Raises NotFound where there is no such file, EPFail where it is no plugin for this version of Inlay, and
    InvalidArgument where the name is taken.
    """
    if registration_name in _registered:
        raise InvalidArgument(f"inlay: there is a library registered as `{registration_name}`", code="duplicate_provider")
    plugin = _inlayrt.Plugin(os.fspath(library_path))
    if any(_inlayrt.names_provider(plugin.name, known) for known in get_available_providers()):
        raise InvalidArgument(f"inlay: there is a provider {plugin.name} already", code="duplicate_provider")
    _registered[registration_name] = plugin


def unregister_execution_provider_library(registration_name: str) -> None:
    """Forgets what register_execution_provider_library() loaded; sessions that have it keep it."""
    if registration_name not in _registered:
        raise InvalidArgument(f"inlay: there is no library registered as `{registration_name}`", code="not_found")
    del _registered[registration_name]


def get_available_providers() -> list[str]:
    """The providers that a session can have here: of the libraries that were registered, and of this build those whose
    libraries are here, the CPU's last but for the plain loops."""
    plain = ["CPUExecutionProvider", "ReferenceExecutionProvider"]
    built = [name for name in _inlayrt.usable_providers() if name not in plain]
    return [*(p.name for p in _registered.values()), *built, *plain]


def get_all_providers() -> list[str]:
    """The same without the plain loops, which have nothing to do after the CPU's kernels: an order of priority."""
    return get_available_providers()[:-1]


def _found(name: str) -> ProviderName | None:
    """The provider that the name stands for; None: there is none."""
    for plugin in _registered.values():
        if _inlayrt.names_provider(name, plugin.name):
            return plugin
    return name if any(_inlayrt.names_provider(name, known) for known in _inlayrt.built_providers()) else None


def _one(given: Provider) -> tuple[ProviderName, Mapping[Any, Any]]:
    if isinstance(given, (str, _inlayrt.Plugin)):
        return given, {}
    if (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[0], (str, _inlayrt.Plugin))
        and isinstance(given[1], Mapping)
    ):
        return given
    raise InvalidArgument(f"inlay: a provider is a name or (name, {{option: value}}), not {given!r}")


def pairs_of(
    providers: Sequence[Provider], provider_options: Sequence[Mapping[Any, Any]] | None
) -> list[tuple[ProviderName, Mapping[Any, Any]]]:
    """Each provider with its options, from wherever they stand. Raises InvalidArgument for what is no such list."""
    pairs = [_one(p) for p in providers]
    if provider_options is not None:
        if not isinstance(provider_options, Sequence) or not all(isinstance(o, Mapping) for o in provider_options):
            raise InvalidArgument(f"inlay: provider_options are a list of dicts, not {provider_options!r}")
        if len(provider_options) != len(pairs):
            raise InvalidArgument(
                f"inlay: {len(pairs)} providers have {len(provider_options)} provider_options; each needs its own"
            )
        if any(options for _, options in pairs):
            raise InvalidArgument("inlay: options stand in the list of providers and in provider_options; one is enough")
        pairs = [(name, options) for (name, _), options in zip(pairs, provider_options)]
    return pairs


def choices(
    providers: Sequence[Provider] | str | None, provider_options: Sequence[Mapping[Any, Any]] | None
) -> list[tuple[ProviderName, dict[str, str]]]:
    """What a session takes of what users write.

    A name that no provider of this build has is a warning where others of the list are here, as ONNX Runtime has it: so
    a program that names a device first runs on machines without one. A list without any is an error.
    """
    listed: Sequence[Provider] = [providers] if isinstance(providers, (str, _inlayrt.Plugin)) else list(providers or [])
    pairs = pairs_of(listed, provider_options)
    found: list[tuple[ProviderName, dict[str, str]]] = []
    missing: list[str] = []
    for name, options in pairs:
        who = _found(name) if isinstance(name, str) else name
        if who is None:
            missing.append(str(name))
        else:
            found.append((who, {str(key): option_text(value) for key, value in options.items()}))
    if missing:
        text = f"Unknown Provider Type: {', '.join(missing)}; this build has {', '.join(get_available_providers())}"
        if not found:
            raise InvalidArgument(f"inlay: {text}", code="unknown_provider")
        warn(f"left out of the list of providers: {text}")
    return found
