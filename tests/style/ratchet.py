"""Findings of a style check, counted by room of the source tree; the counts only fall. For words.py, variable_names.py.

A table next to the check has the rooms that are not yet clean, with the number of their findings by kind; a room that is
not in it has none. A room with more findings fails, and so does one with fewer until --write has lowered its number.
"""
from __future__ import annotations

import collections
import dataclasses
import json
import os
import pathlib
import sys
from collections.abc import Callable

Finding = tuple[str, int, str, str]  # kind, line, word, what to write instead
Place = tuple[str, str]              # room and kind
Counts = dict[str, dict[str, int]]
ROOTS = (".ci", "CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "README.md", "SECURITY.md", "bench", "bindings",
         "cmake", "conanfile.py", "docs", "examples", "include", "kernels", "scripts", "src", "test_package", "tests")
SPLIT = ("bindings", "src", "tests")  # a room is a folder of these, or a whole root
LEFT_OUT = {"__pycache__", "build", "node_modules", "results", "target"}


@dataclasses.dataclass
class Check:
    script: str  # relative to the source tree, from which it runs
    noun: str    # of the findings
    advice: str
    find: Callable[[str, str], list[Finding]]  # in a file's path and text

    @property
    def table(self) -> pathlib.Path:
        return pathlib.Path(__file__).with_name(pathlib.Path(self.script).stem + ".json")


def room_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in SPLIT and len(parts) > 2 else parts[0]


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


def counts_of(findings: dict[str, list[Finding]]) -> Counts:
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for path, hits in findings.items():
        counts[room_of(path)].update(kind for kind, *_ in hits)
    return {room: dict(sorted(kinds.items())) for room, kinds in sorted(counts.items()) if kinds}


def differences(counts: Counts, table: Counts) -> tuple[dict[Place, str], dict[Place, str]]:
    """Where there are more findings than the table says, and where fewer, with both numbers as text."""
    more: dict[Place, str] = {}
    fewer: dict[Place, str] = {}
    places = {(room, kind) for numbers in (counts, table) for room, kinds in numbers.items() for kind in kinds}
    for room, kind in sorted(places):
        now, limit = (numbers.get(room, {}).get(kind, 0) for numbers in (counts, table))
        if now != limit:
            (more if now > limit else fewer)[room, kind] = f"{now}, the table says {limit}"
    return more, fewer


def written(table: Counts) -> str:
    """A room a line, so that branches that clean different rooms can be merged."""
    rooms = [f" {json.dumps(room)}: {json.dumps(kinds)}" for room, kinds in table.items()]
    return "{\n" + ",\n".join(rooms) + "\n}\n"


def show(findings: dict[str, list[Finding]], is_shown: Callable[[str, str], bool]) -> None:
    for path, hits in findings.items():
        for kind, line, word, instead in hits:
            if is_shown(room_of(path), kind):
                print(f"{path}:{line}: `{word}` in {kind}: {instead}")


def problems() -> list[tuple]:
    """Of this module: rooms, a falling table, and its text."""
    table = {"src/a": {"comments": 2, "texts": 1}, "docs": {"documents": 1}}
    states = [(table, [0, 0]), ({**table, "docs": {"documents": 2}}, [1, 0]), ({"src/a": {"comments": 2}}, [0, 2]),
              ({**table, "src/b": {"texts": 1}}, [1, 0])]
    wrong: list[tuple] = [("the table", now) for now, sizes in states
                          if [len(lines) for lines in differences(now, table)] != sizes]
    rooms = {"src/a/b/c.cpp": "src/a", "src/a.cpp": "src", "docs/x/y.md": "docs", "README.md": "README.md",
             "include/inlay/a.hpp": "include"}
    wrong += [("room", path, room_of(path)) for path, room in rooms.items() if room_of(path) != room]
    return wrong + ([("written", table, written(table))] if json.loads(written(table)) != table else [])


def main(check: Check, self_test: Callable[[], list[tuple]]) -> int:
    if sys.argv[1:] == ["--self-test"]:
        wrong = problems() + self_test()
        print(*(f"wrong: {case}" for case in wrong), sep="\n", end="\n" * bool(wrong))
        return int(bool(wrong))
    findings = {path: check.find(path, read(path)) for path in files() if path != check.script}
    if sys.argv[1:2] == ["--list"]:
        show(findings, lambda room, kind: not sys.argv[2:] or room in sys.argv[2:])
        return 0
    counts = counts_of(findings)
    more, fewer = differences(counts, json.loads(check.table.read_text()))
    lines = [f"{room}: {check.noun} in {kind}: {numbers}" for (room, kind), numbers in (more or fewer).items()]
    if more:
        show(findings, lambda room, kind: (room, kind) in more)
        print(*lines, check.advice, sep="\n")
    elif fewer and sys.argv[1:] == ["--write"]:
        check.table.write_text(written(counts))
        fewer = {}
    elif fewer:
        print(*lines, f"lower the numbers: python3 {check.script} --write", sep="\n")
    return int(bool(more or fewer or not findings))
