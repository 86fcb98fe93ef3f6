#!/usr/bin/env python3
"""No line of prose of the documents is wider than 120 columns: a change of a word is then a change of a line.

  wide_lines.py FILE.md...
  wide_lines.py --self-test

Prose is what is no table, heading, code, comment or picture. Exits with 1 where a line is too wide.
"""
from __future__ import annotations

import pathlib
import re
import sys

WIDTH = 120


def wide_lines(text: str) -> list[int]:
    """The numbers of the lines that are too wide."""
    numbers, in_code, previous_blank = [], False, True
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            in_code = not in_code
        is_code = in_code or (line.startswith("    ") and previous_blank)
        if not is_code and len(line) > WIDTH and not line.lstrip().startswith(("|", "#", "<", "!", "[!")):
            numbers.append(number)
        previous_blank = not line.strip() or (is_code and previous_blank)
    return numbers


def self_test() -> None:
    wide, narrow = "word " * 30, "word " * 20
    assert wide_lines(f"{narrow}\n{wide}\n- {wide}\n") == [2, 3]
    assert wide_lines(f"| {wide} |\n# {wide}\n```\n{wide}\n```\n\n    {wide}\n    {wide}\n<!-- {wide} -->\n") == []
    assert wide_lines(f"- item\n    {wide}\n") == [2]  # it goes on: no code
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
