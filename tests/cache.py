"""Where the tests keep what takes long to make: as scripts/setup, in $INLAY_CACHE, else $XDG_CACHE_HOME/inlay, else ~/.cache/inlay."""
import fcntl
import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Callable


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(77)


def cache() -> pathlib.Path:
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("INLAY_CACHE") or pathlib.Path(home) / "inlay")


def made_once(name: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """The cache's folder of this name.  Where it is missing, make(folder) fills one that then takes its place; a second
    process waits for the first, and what a killed one left is never taken for a whole."""
    folder = cache() / name
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            work = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}.", dir=cache()))
            try:
                make(work)
                work.rename(folder)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return folder
