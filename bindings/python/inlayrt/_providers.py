"""Providers as programs name them: those of this build and of registered libraries, and lists of them with options."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _inlayrt
from ._errors import InvalidArgument
from ._known import ASKING_OPTIONS, CPU, PROVIDERS, QUIET_OPTIONS, REFERENCE, how_to_get
from ._warnings import INFO, Tell, no_meaning, silent, warn

ProviderName = Union[str, "_inlayrt.Plugin"]
Provider = Union[ProviderName, tuple[ProviderName, Mapping[Any, Any]]]

_registered: dict[str, _inlayrt.Plugin] = {}  # by the name that the program gave


def option_text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def register_execution_provider_library(registration_name: str, library_path: str | os.PathLike[str]) -> None:
    """Loads a provider from a shared library; from then on its name may be used in lists of providers.

    Raises NotFound where there is no such file, EPFail where it is no plugin for this version of Inlay, and
    InvalidArgument where the name is taken.
    """
    if registration_name in _registered:
        raise InvalidArgument(f"inlay: there is a library registered as `{registration_name}`", code="duplicate_provider")
    plugin = _inlayrt.Plugin(os.fspath(library_path))
    if any(_inlayrt.names_provider(plugin.name, name) for name in get_available_providers()):
        raise InvalidArgument(f"inlay: there is a provider {plugin.name} already", code="duplicate_provider")
    _registered[registration_name] = plugin


def unregister_execution_provider_library(registration_name: str) -> None:
    """Unloads the library of register_execution_provider_library(); sessions that have it keep it."""
    if registration_name not in _registered:
        raise InvalidArgument(f"inlay: there is no library registered as `{registration_name}`", code="not_found")
    del _registered[registration_name]


def get_available_providers() -> list[str]:
    """The providers that a session can have here: of the libraries that were registered, and of this build those whose
    libraries are installed, with the CPU's last but for the reference kernels."""
    plain = [CPU, REFERENCE]
    built = [name for name in _inlayrt.usable_providers() if name not in plain]
    return [*(p.name for p in _registered.values()), *built, *plain]


def get_all_providers() -> list[str]:
    """Every provider that Inlay or ONNX Runtime has, whether this build has it or not, in the order of priority that ONNX
    Runtime gives them."""
    available = get_available_providers()
    spelled = [next((spelling for spelling in available if _inlayrt.names_provider(provider, spelling)), provider) for provider in PROVIDERS]
    return [*(name for name in available if name not in spelled), *spelled]


def _found(name: str) -> ProviderName | None:
    """The provider of that name; None: there is none."""
    for plugin in _registered.values():
        if _inlayrt.names_provider(name, plugin.name):
            return plugin
    return _inlayrt.provider_named(name)


def _known_name(name: str) -> str | None:
    """As PROVIDERS spells it; None: ONNX Runtime and Inlay have none of that name."""
    return next((provider for provider in PROVIDERS if _inlayrt.names_provider(name, provider)), None)


def _one(provider: Provider) -> tuple[ProviderName, Mapping[Any, Any]]:
    if isinstance(provider, (str, _inlayrt.Plugin)):
        return provider, {}
    if (
        isinstance(provider, tuple)
        and len(provider) == 2
        and isinstance(provider[0], (str, _inlayrt.Plugin))
        and isinstance(provider[1], Mapping)
    ):
        return provider
    raise InvalidArgument(f"inlay: a provider is a name or (name, {{option: value}}), not {provider!r}")


def pairs_of(
    providers: Sequence[Provider], provider_options: Sequence[Mapping[Any, Any]] | None
) -> list[tuple[ProviderName, Mapping[Any, Any]]]:
    """Each provider with its options, from either list. Raises InvalidArgument for an invalid list."""
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


def _own_options(provider: ProviderName) -> Mapping[str, str]:
    if isinstance(provider, _inlayrt.Plugin):
        return provider.options
    return _inlayrt.provider_defaults()[provider]


def _kept_options(provider: ProviderName, options: Mapping[Any, Any], tell: Tell) -> dict[str, str]:
    """The options that the provider has, and unknown ones, which are errors later. ONNX Runtime's are reported."""
    name = provider if isinstance(provider, str) else provider.name
    full_name = _known_name(name) or name
    own_options = _own_options(provider)
    texts: dict[str, str] = {}
    for key, value in ((str(k), option_text(v)) for k, v in options.items()):
        if key in own_options or key not in QUIET_OPTIONS.get(full_name, ()) and key not in ASKING_OPTIONS.get(full_name, ()):
            texts[key] = value
        elif key in QUIET_OPTIONS.get(full_name, ()):
            tell(INFO, f"{name}: the option {key} = {value} of ONNX Runtime's provider has no meaning here, and changes no result")
        else:
            no_meaning(f"{name}: the option {key} = {value} of ONNX Runtime's provider", "Inlay's provider has no such choice")
    return texts


def _check_options(name: str, options: Mapping[Any, Any]) -> None:
    """Raises InvalidArgument for options that a provider, which this build lacks, would not accept either."""
    full_name = _known_name(name) or name
    own_options = _inlayrt.planned_defaults(full_name)
    if own_options is None:
        return
    others = QUIET_OPTIONS.get(full_name, frozenset()) | ASKING_OPTIONS.get(full_name, frozenset())
    texts = {str(key): option_text(value) for key, value in options.items()}
    _inlayrt.check_planned_options(full_name, {key: value for key, value in texts.items() if key in own_options or key not in others})


def _missing_text(names: Sequence[str]) -> str:
    """Why these names of a list are missing, and how to get them."""
    unknown = [name for name in names if _known_name(name) is None]
    texts = [how_to_get(provider) for name in names if (provider := _known_name(name))]
    if unknown:
        texts.append(f"Unknown Provider Type: {', '.join(unknown)}; this build has {', '.join(get_available_providers())}")
    return "; ".join(texts)


def choices(
    providers: Sequence[Provider] | str | None,
    provider_options: Sequence[Mapping[Any, Any]] | None,
    tell: Tell = silent,
    strict: bool = False,
) -> list[tuple[ProviderName, dict[str, str]]]:
    """The session's arguments from the lists that users write.

    A provider that this build lacks is a warning that says how to get it, as in ONNX Runtime, and the rest of the list is
    used, in the end the CPU. With `strict` it is an error, and so is a list with only unknown names.
    tell: gets a severity and a text for what changes no result.
    """
    listed: Sequence[Provider] = [providers] if isinstance(providers, (str, _inlayrt.Plugin)) else list(providers or [])
    choice_list: list[tuple[ProviderName, dict[str, str]]] = []
    missing: list[str] = []
    for name, options in pairs_of(listed, provider_options):
        provider = _found(name) if isinstance(name, str) else name
        if provider is None:
            missing.append(str(name))
            _check_options(str(name), options)
        else:
            choice_list.append((provider, _kept_options(provider, options, tell)))
    if missing:
        text = _missing_text(missing)
        if strict or not choice_list and not any(map(_known_name, missing)):
            raise InvalidArgument(f"inlay: {text}", code="unknown_provider")
        warn(f"left out of the list of providers: {text}" + ("" if choice_list else "; the CPU runs the model"))
    return choice_list
