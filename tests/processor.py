"""What tests query of the processor that they run on."""
import pathlib
import re


def lacks_vnni() -> bool:
    """Whether this processor has no dot-product instruction of int8. Read of Linux's list alone."""
    flags = pathlib.Path("/proc/cpuinfo")
    return flags.exists() and not re.search(r"\bavx(512)?_vnni\b", flags.read_text())
