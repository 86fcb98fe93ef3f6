"""The name and version that programs for ONNX Runtime read here: those of its interface, as `inlayrt.__version__`."""
from .._version import INTERFACE_VERSION as __version__
from .._version import PACKAGE_NAME as package_name

__all__ = ["__version__", "package_name"]
