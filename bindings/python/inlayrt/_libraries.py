"""Libraries of providers where pip has put them: next to the packages of the running Python."""
from __future__ import annotations

import glob
import os
import sys

from . import _inlayrt

_PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def _find(pattern: str) -> str | None:
    """The first file or folder of that pattern, in the order in which Python looks for packages."""
    for folder in filter(os.path.isabs, sys.path):
        if pattern.startswith("..") and os.path.basename(folder) not in _PACKAGE_FOLDERS:
            continue  # only next to these does pip put anything
        matches = glob.glob(os.path.join(glob.escape(os.path.realpath(folder)), pattern))
        if matches:
            return os.path.normpath(max(matches))
    return None


def find_libraries() -> None:
    """Sets where each provider of the build finds its library, if pip has installed it. Environment variables come first."""
    for variable, patterns, is_interpreter in _inlayrt.python_places():
        places = [_find(pattern) for pattern in patterns.split(":")]
        if all(places):
            place = sys.executable if is_interpreter else ":".join(filter(None, places))
            _inlayrt.set_library_place(variable, place or "")
