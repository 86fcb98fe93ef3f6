"""The package in the place of `onnxruntime`, for programs and libraries that import that name."""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

from ._version import INTERFACE_VERSION
from ._warnings import warn

_OWN = __package__
_THEIRS = "onnxruntime"


class _Distribution(importlib.metadata.Distribution):
    """The metadata for programs that query the version of the distribution onnxruntime."""

    def read_text(self, filename: str) -> str | None:
        text = f"Metadata-Version: 2.1\nName: {_THEIRS}\nVersion: {INTERFACE_VERSION}\nProvides-Dist: inlayrt\n"
        return text if filename == "METADATA" else None

    def locate_file(self, path: object) -> importlib.metadata.SimplePath:
        raise FileNotFoundError(f"inlay: {_THEIRS} is {_OWN} here, which has the files")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds onnxruntime.X as the module X of this package: the same object, so that nothing is loaded twice."""

    def __init__(self) -> None:
        self._specs: dict[str, importlib.machinery.ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Our module; None, and so an ImportError, where there is none of that name."""
        if fullname.split(".")[0] != _THEIRS:
            return None
        own_name = _own_name(fullname)
        return importlib.machinery.ModuleSpec(fullname, self) if own_name in sys.modules or importlib.util.find_spec(own_name) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Our module. The import system then gives it another spec, which exec_module() takes back."""
        module = importlib.import_module(_own_name(spec.name))
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It was executed under its own name."""
        assert module.__spec__ is not None
        module.__spec__ = self._specs.pop(module.__spec__.name)

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context = importlib.metadata.DistributionFinder.Context()
    ) -> Iterator[importlib.metadata.Distribution]:
        """For importlib.metadata."""
        if context.name == _THEIRS:
            yield _Distribution()


def _own_name(name: str) -> str:
    return f"{_OWN}{name[len(_THEIRS) :]}"


def as_onnxruntime() -> ModuleType:
    """Puts this package in the place of `onnxruntime`, and returns it.

    From then on `import onnxruntime` and `from onnxruntime.capi import ...` give the modules of this package in all
    code; a module that it does not have is an ImportError. Call it first: earlier importers of onnxruntime keep theirs,
    and a warning says so.
    """
    package = sys.modules[_OWN]
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return package
    before = [name for name in sys.modules if name == _THEIRS or name.startswith(f"{_THEIRS}.")]
    if before:
        warn(f"{_THEIRS} was imported before as_onnxruntime(); modules that have it keep it")
    for name in before:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder())
    return importlib.import_module(_THEIRS)
