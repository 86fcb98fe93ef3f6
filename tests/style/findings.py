"""Findings of a style check in the files of the source tree: there may be none. For words.py, variable_names.py."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import sys
from collections.abc import Callable

Finding = tuple[str, int, str, str]  # kind, line, word, what to write instead
ROOTS = (".ci", "CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "README.md", "SECURITY.md", "bench", "bindings",
         "cmake", "conanfile.py", "docs", "examples", "include", "kernels", "scripts", "src", "test_package", "tests")
LEFT_OUT = {"__pycache__", "build", "node_modules", "results", "target"}


@dataclasses.dataclass
class Check:
    script: str  # relative to the source tree, from which it runs
    noun: str    # of the findings
    find: Callable[[str, str], list[Finding]]  # in a file's path and text


def files() -> list[str]:
    paths = [root for root in ROOTS if os.path.isfile(root)]
    for root in ROOTS:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(f for f in folders if f not in LEFT_OUT and not f.startswith((".", "build-")))
            paths += [f"{folder}/{name}" for name in sorted(names)]
    return paths


def read(path: str) -> str:
    """Empty, where the file is no text."""
    data = pathlib.Path(path).read_bytes() if not path.endswith((".bin", ".onnx", ".json", ".svg")) else b""
    return "" if b"\0" in data[:4096] else data.decode(errors="replace")


def main(check: Check, self_test: Callable[[], list[tuple]]) -> int:
    if sys.argv[1:] == ["--self-test"]:
        wrong = self_test()
        print(*(f"wrong: {case}" for case in wrong), sep="\n", end="\n" * bool(wrong))
        return int(bool(wrong))
    paths = [path for path in files() if path != check.script]
    lines = [f"{path}:{line}: `{word}` in {kind}: {instead}"
             for path in paths for kind, line, word, instead in check.find(path, read(path))]
    if lines:
        print(*lines, f"{check.noun}: {len(lines)}", sep="\n")
    if not paths:
        print("no files: it runs from the source tree")
    return int(bool(lines or not paths))
