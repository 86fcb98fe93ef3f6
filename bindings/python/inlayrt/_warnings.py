"""Warnings about options, calls and lists without effect here."""
from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable

#: Gets what changes no result: function(severity, text), such as a session's log.
Tell = Callable[[int, str], object]
INFO = 1


def silent(severity: int, text: str) -> None:
    """Used where there is no log."""


def warn(text: str) -> None:
    """A warning at the line of the program that called into the package."""
    package, level = os.path.dirname(__file__), 1
    while sys._getframe(level).f_code.co_filename.startswith(package):
        level += 1
    warnings.warn(f"inlay: {text}", UserWarning, stacklevel=level + 1)


def no_meaning(subject: str, reason: str) -> None:
    warn(f"{subject} has no effect: {reason}")
