#!/usr/bin/env python3
"""What the tests run of each folder, of the summary that llvm-cov exports; compared with figures.json beside this file.

  report.py SUMMARY.json [--write] [--partial]
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
FIGURES = HERE / "figures.json"
SLACK = 0.3  # percent: what threads and times change from run to run


def folder_of(file: pathlib.Path) -> str | None:
    """kernels/inlay/cpu/onnx/relu.hpp counts for kernels/inlay/cpu/onnx; what is generated, and tests, for nothing."""
    try:
        parts = file.resolve().relative_to(SOURCE).parts
    except ValueError:
        return None
    return "/".join(parts[:-1]) if parts[0] in ("include", "src", "kernels") else None


def percent(part: list[int]) -> float:
    return 100.0 * part[0] / part[1] if part[1] else 100.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("summary", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="make these the figures")
    parser.add_argument("--partial", action="store_true", help="some suites only: compare nothing")
    args = parser.parse_args()
    sums: dict[str, dict[str, list[int]]] = collections.defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
    for file in json.loads(args.summary.read_text())["data"][0]["files"]:
        folder = folder_of(pathlib.Path(file["filename"]))
        for name in (folder, "all") if folder else ():
            for kind in ("lines", "branches"):
                sums[name][kind][0] += file["summary"][kind]["covered"]
                sums[name][kind][1] += file["summary"][kind]["count"]
    figures = {name: {kind: round(percent(part), 1) for kind, part in kinds.items()} for name, kinds in sorted(sums.items())}
    wanted = json.loads(FIGURES.read_text()) if FIGURES.exists() and not args.write and not args.partial else {}
    fallen = 0
    for name, now in figures.items():
        below = [k for k in now if k in wanted.get(name, {}) and now[k] < wanted[name][k] - SLACK]
        fallen += bool(below)
        told = f"  FALLEN from {wanted[name]}" if below else ""
        print(f"{name:28} lines {now['lines']:5.1f} % of {sums[name]['lines'][1]:6}, branches {now['branches']:5.1f} % of {sums[name]['branches'][1]:6}{told}")
    gone = sorted(set(wanted) - set(figures))
    if gone:
        print(f"no counts of: {', '.join(gone)}; --write if these folders are gone")
    if args.write and not args.partial:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    return int(fallen > 0 or bool(gone) or not figures)


if __name__ == "__main__":
    sys.exit(main())
