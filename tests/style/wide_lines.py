#!/usr/bin/env python3
"""No line of prose of the documents is wider than 120 columns: a change of a word is then a change of a line.

  wide_lines.py FILE.md...
  wide_lines.py --self-test

prose.py says what is prose. Exits with 1 where a line is too wide.
"""
from __future__ import annotations

import pathlib
import sys

from prose import prose_lines

WIDTH = 120


def wide_lines(text: str) -> list[int]:
    """The numbers of the lines that are too wide."""
    return [number for number, line in enumerate(prose_lines(text), 1) if len(line) > WIDTH]


def self_test() -> None:
    wide, narrow = "word " * 30, "word " * 20
    assert wide_lines(f"{narrow}\n{wide}\n- {wide}\n") == [2, 3]
    assert wide_lines(f"| {wide} |\n{wide}\n```\n{wide}\n```\n{wide}\n") == [2, 6]
    assert wide_lines("x" * WIDTH) == [] and wide_lines("x" * (WIDTH + 1)) == [1]


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    bad = 0
    for name in sys.argv[1:]:
        numbers = wide_lines(pathlib.Path(name).read_text())
        for number in numbers:
            print(f"{name}:{number}: a line of prose of more than {WIDTH} columns")
        bad += len(numbers)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
