#!/usr/bin/env python3
"""Documents, headers and test projects name the version of CMakeLists.txt, and the changelog begins with it: versions.py ROOT"""
from __future__ import annotations

import pathlib
import re
import sys

# Whole versions, and those of which the last number does not count, as packages are compatible within a minor version.
WHOLE = re.compile(r'(?:inlay/|\(Inlay |inlayrt-|inlay-(?:onnx-)?|<artifactId>inlay</artifactId>\s*<version>|inlay_version\(void\); /\* "|Of Inlay: )(\d+\.\d+\.\d+)')
MINOR = re.compile(r"find_package\(inlay (\d+\.\d+)")
FOLDERS = ("bindings", "docs", "examples", "include", "test_package", "tests")
ENDINGS = (".md", ".txt", ".py", ".h", ".hpp", ".sh", ".cpp", ".cmake", ".xml", ".yml")


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    version = re.search(r"^project\(inlay VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)[1]
    wrong, count = [], 0
    for file in [root / "README.md", *(f for folder in FOLDERS for f in sorted((root / folder).rglob("*")))]:
        if not file.is_file() or file.suffix not in ENDINGS:
            continue
        text, name = file.read_text(), file.relative_to(root)
        for pattern, expected in ((WHOLE, version), (MINOR, version.rpartition(".")[0])):
            for match in pattern.finditer(text):
                count += 1
                if match[1] != expected:
                    wrong.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}, the version is {version}")
    newest = re.search(r"^## \[(\S+)\] - (\d{4}-\d\d-\d\d|unreleased)$", (root / "CHANGELOG.md").read_text(), re.M)
    if not newest or newest[1] != version:
        wrong.append(f"CHANGELOG.md: the first section is {newest and newest[0]}, the version is {version}")
    print(*wrong, f"{count} mentions of version {version}", sep="\n")
    return int(bool(wrong) or count < 10)


if __name__ == "__main__":
    sys.exit(main())
