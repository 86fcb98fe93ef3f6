#!/usr/bin/env python3
"""What the tests run of each folder, of what llvm-cov exports; compared with figures.json next to this file.

  report.py EXPORT.json... [--write] [--partial]
  report.py EXPORT.json... --show FILE

A line or a branch of a template counts once, and as run where any of its instantiations ran it: llvm-cov's own summary
takes the best instantiation alone. A condition that was reached but went neither way is a constant of the types, and no
branch. What no test can reach is left out where the source says so, with the reason: LCOV_EXCL_LINE, LCOV_EXCL_START
and LCOV_EXCL_STOP.
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
ROOTS = ("include", "src", "kernels", "bindings")

Place = tuple[int, int]
Counts = dict[str, dict[Place, bool]]  # of a file: lines by (number, 0), branches by (line, 2 * column + way)


def name_of(file: str) -> str | None:
    """Relative to the repository; None for what is generated, for tests and for the libraries of others."""
    try:
        parts = pathlib.Path(file).resolve().relative_to(SOURCE).parts
    except ValueError:
        return None
    return "/".join(parts) if parts[0] in ROOTS else None


def lines_of(segments: list[list]) -> dict[int, int]:
    """How often each line ran, as llvm-cov's LineCoverageStats has it: the largest count of the regions that begin
    there."""
    by_line: dict[int, list[list]] = collections.defaultdict(list)
    for segment in segments:
        by_line[segment[0]].append(segment)
    runs: dict[int, int] = {}
    wrapped: list | None = None
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else ():
        line_counts = by_line.get(line, [])
        begun = [s[2] for s in line_counts if s[3] and s[4] and not s[5]]
        skipped = bool(line_counts) and not line_counts[0][3] and line_counts[0][4]
        counted = wrapped is not None and wrapped[3]
        if not skipped and (counted or begun):
            runs[line] = max(begun + ([wrapped[2]] if counted else []))
        wrapped = line_counts[-1] if line_counts else wrapped
    return runs


def count_at(segments: list[list], place: Place) -> int:
    """How often the region ran that `place` is in."""
    first, end = 0, len(segments)
    while first < end:
        middle = (first + end) // 2
        if tuple(segments[middle][:2]) <= place:
            first = middle + 1
        else:
            end = middle
    return segments[first - 1][2] if first else 0


def branches_of(branches: list[list], segments: list[list]) -> dict[Place, bool]:
    branch_counts: dict[Place, list[int]] = collections.defaultdict(lambda: [0, 0])
    for line, column, _, _, yes, no, *_ in branches:
        branch_counts[line, column][0] += yes
        branch_counts[line, column][1] += no
    ways = {}
    for (line, column), sums in branch_counts.items():
        if sum(sums) or not count_at(segments, (line, column)):
            ways.update({(line, 2 * column + way): sums[way] > 0 for way in (0, 1)})
    return ways


def excluded(name: str) -> set[int]:
    """Lines that no test can reach, with the reason there: LCOV_EXCL_LINE, or from LCOV_EXCL_START to _STOP."""
    lines, within = set(), False
    for number, text in enumerate((SOURCE / name).read_text().splitlines(), 1):
        within = (within or "LCOV_EXCL_START" in text) and "LCOV_EXCL_STOP" not in text
        if within or "LCOV_EXCL_LINE" in text:
            lines.add(number)
    return lines


def read(exports: list[pathlib.Path]) -> dict[str, Counts]:
    counts: dict[str, Counts] = {}
    for export in exports:
        for file in json.loads(export.read_text())["data"][0]["files"]:
            name = name_of(file["filename"])
            if not name:
                continue
            now = {"lines": {(line, 0): runs > 0 for line, runs in lines_of(file["segments"]).items()}, "branches": branches_of(file["branches"], file["segments"])}
            entry = counts.setdefault(name, {"lines": {}, "branches": {}})
            no_places = excluded(name)
            for kind, places in now.items():
                for place, ran in places.items():
                    if place[0] not in no_places:
                        entry[kind][place] = ran or entry[kind].get(place, False)
    return counts


def uncounted(counts: dict[str, Counts]) -> dict[str, list[str]]:
    """Sources that no program of the suites has, by folder: nothing is known of them."""
    gone = collections.defaultdict(list)
    for pattern in ("bindings/*/*.cpp", "include/**/*.cpp", "src/**/*.cpp", "kernels/**/*.cpp", "kernels/**/*.hpp", "kernels/**/*.cu"):
        for path in sorted(SOURCE.glob(pattern)):
            name = str(path.relative_to(SOURCE))
            if name not in counts:
                gone[name.rpartition("/")[0]].append(name.rpartition("/")[2])
    return gone


def percent(part: list[int]) -> float:
    return 100.0 * part[0] / part[1] if part[1] else 100.0


def show(places: Counts) -> None:
    for line in sorted(line for (line, _), ran in places["lines"].items() if not ran):
        print(f"{line}: never ran")
    for (line, way), ran in sorted(places["branches"].items()):
        if not ran and places["lines"].get((line, 0)):
            print(f"{line}:{way // 2}: never {'false' if way % 2 else 'true'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exports", type=pathlib.Path, nargs="+")
    parser.add_argument("--write", action="store_true", help="make these the figures")
    parser.add_argument("--partial", action="store_true", help="some suites only: compare nothing; --write leaves out the kernels and the sum")
    parser.add_argument("--show", help="the lines and branches of this file that did not run")
    args = parser.parse_args()
    counts = read(args.exports)
    if args.show:
        name = name_of(args.show)
        if name not in counts:
            sys.exit(f"coverage: no program of the suites has {args.show}")
        show(counts[name])
        return 0
    sums: dict[str, dict[str, list[int]]] = collections.defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
    for file, kinds in counts.items():
        for name in {file.rpartition("/")[0], file.partition("/")[0], "all"}:
            for kind, places in kinds.items():
                sums[name][kind][0] += sum(places.values())
                sums[name][kind][1] += len(places)
    figures = {name: {kind: round(percent(part), 1) for kind, part in kinds.items()} for name, kinds in sorted(sums.items())}
    limits = json.loads(FIGURES.read_text()) if FIGURES.exists() and not args.write and not args.partial else {}
    fallen = 0
    for name, now in figures.items():
        below = [k for k in now if k in limits.get(name, {}) and now[k] < limits[name][k] - SLACK]
        fallen += bool(below)
        note = f"  FALLEN from {limits[name]}" if below else ""
        print(f"{name:28} lines {now['lines']:5.1f} % of {sums[name]['lines'][1]:6}, branches {now['branches']:5.1f} % of {sums[name]['branches'][1]:6}{note}")
    for folder, names in uncounted(counts).items():
        if args.partial:
            break
        print(f"not counted, for no program of these suites has it: {folder}: {len(names)} files, {', '.join(names[:3])}{'...' if len(names) > 3 else ''}")
    gone = sorted(set(limits) - set(figures))
    if gone:
        print(f"no counts of: {', '.join(gone)}; --write if these folders are gone")
    if args.write:
        new_figures = {name: now for name, now in figures.items() if not args.partial or (name != "all" and not name.startswith("kernels"))}
        FIGURES.write_text(json.dumps(new_figures, indent=1) + "\n")
    return int(fallen > 0 or bool(gone) or not figures)


if __name__ == "__main__":
    sys.exit(main())
