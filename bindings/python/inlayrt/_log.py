"""Where logs go: those of sessions, and the default log."""
from __future__ import annotations

import sys
from collections.abc import Callable

from ._errors import InvalidArgument
from ._warnings import INFO

NAMES = ("verbose", "info", "warning", "error", "fatal")
Logger = Callable[[int, str], object]

default_severity = 2
default_callback: Callable[[int, str, str, str, str], object] | None = None


def to_standard_error(severity: int, text: str, logid: str = "inlay") -> None:
    """As the library writes it where no function is set."""
    print(f"{logid}: {NAMES[severity]}: {text}", file=sys.stderr)


def tell(severity: int, text: str) -> None:
    """The default log, for messages of no session."""
    if severity < default_severity:
        return
    if default_callback is not None:
        default_callback(severity, "inlay", "", "", text)
    else:
        to_standard_error(severity, text)


def no_effect(subject: str, reason: str) -> None:
    """Reports to the default log a call that changes no result, whatever it requests."""
    tell(INFO, f"{subject} has no effect: {reason}")


def set_default_logger_severity(severity: int) -> None:
    """The log_severity_level of sessions whose options have none: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal."""
    global default_severity
    if severity not in range(5):
        raise InvalidArgument(f"inlay: a severity is 0 to 4, not {severity!r}", code="invalid_option")
    default_severity = severity


def set_default_logger_callback(
    callback: Callable[[int, str, str, str, str], object] | None, severity: int | None = None
) -> None:
    """Sets a function(severity, category, logid, code_location, message) for the log of sessions whose options have
    no `log`; None: standard error. category is "inlay", code_location empty. severity: see set_default_logger_severity.
    """
    global default_callback
    if callback is not None and not callable(callback):
        raise InvalidArgument(f"inlay: {callback!r} is no function")
    if severity is not None:
        set_default_logger_severity(severity)
    default_callback = callback


def set_default_logger_verbosity(level: int) -> None:
    """Has no effect: the severity alone decides what is logged."""
    if level > 0:
        no_effect(f"set_default_logger_verbosity({level})", "the severity alone says what is logged")
