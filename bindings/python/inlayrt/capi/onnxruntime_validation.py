"""Queries of programs for ONNX Runtime about the package and the system."""
from __future__ import annotations

from .._version import PACKAGE_NAME, package_version


def check_distro_info() -> None:
    """Nothing to check: pip installs a wheel only where it runs."""


def get_package_name_and_version_info() -> tuple[str, str, str]:
    """The package's name and version; the third, of CUDA, is empty."""
    return PACKAGE_NAME, package_version(), ""


def check_training_module() -> tuple[bool, str, str, str]:
    """False, for there is no training, and the result of get_package_name_and_version_info()."""
    return False, *get_package_name_and_version_info()
