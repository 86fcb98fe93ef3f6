"""The version of ONNX Runtime's Python interface that this package has, and the names and versions of the package itself."""
from __future__ import annotations

from . import _inlayrt

#: Of ONNX Runtime's Python package: each of its public names is here; the tests compare them with that version.
INTERFACE_VERSION = "1.31.1"
#: Of the distribution, as pip has it.
PACKAGE_NAME = "inlayrt"


def package_version() -> str:
    """Of Inlay: 0.2.0."""
    return _inlayrt.version()
