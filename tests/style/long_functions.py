#!/usr/bin/env python3
"""Lists the functions of more than 60 lines: long_functions.py FILE...; exits with 1 if there is one.

Sources are formatted, so that a function begins with a line that ends in `{` after a `)` and ends with `}` at the same
indentation.  Lambdas within functions count as lines of the function that holds them.
"""
from __future__ import annotations

import pathlib
import re
import sys

LIMIT = 60
NO_FUNCTION = re.compile(r"^\s*(namespace|struct|class|enum|union|extern|if|for|while|switch|else|do|#|//)\b")
OPENS = re.compile(r"\)\s*(const\b|noexcept\b|override\b|final\b|->[^{;]*|&|\s|requires.*)*\{\s*(//.*)?$|^\s*: .*\{\s*(//.*)?$")


def functions(lines: list[str]) -> list[tuple[int, int]]:
    """(first line from 0, number of lines) of each function that is not inside another one."""
    found, index, raw = [], 0, False
    while index < len(lines):
        line = lines[index]
        raw ^= line.count('R"(') > line.count(')"')
        if raw or NO_FUNCTION.match(line) or not OPENS.search(line):
            raw &= ')"' not in line
            index += 1
            continue
        first = index
        while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}:>]\s*(//.*)?$|^\s*//|^\s*#", lines[first - 1]):
            first -= 1
        indent = len(lines[first]) - len(lines[first].lstrip())
        end = next((k for k in range(index + 1, len(lines)) if lines[k].startswith(" " * indent + "}")), index)
        found.append((first, end - first + 1))
        index = end + 1
    return found


def main() -> int:
    long = 0
    for name in sys.argv[1:]:
        lines = pathlib.Path(name).read_text().splitlines()
        for first, count in functions(lines):
            if count > LIMIT:
                print(f"{name}:{first + 1}: {count} lines: {lines[first].strip()[:80]}")
                long += 1
    return int(long > 0)


if __name__ == "__main__":
    sys.exit(main())
