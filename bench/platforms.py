#!/usr/bin/env python3
"""Date the rows of bench/results/platforms.json, of which bench/readme.py writes README's table of platforms.

  platforms.py LOG [--date YYYY-MM-DD]   # what .ci/run or scripts/test printed; without a date: today's
  platforms.py --check                   # status 1 where a row names a suite that scripts/test has not, or no date
  platforms.py --self-test

A row with `suites` gets the date where all of them passed in that log. One with `tests` is of a machine that no suite
needs, and is written by hand.
"""
from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
RESULT = SOURCE / "bench/results/platforms.json"


def passed_suites(log: str) -> set[str]:
    """Those that scripts/test built, and of whose tests none failed."""
    parts = re.split(r"^== (\S+)$", log, flags=re.MULTILINE)
    return {suite for suite, text in zip(parts[1::2], parts[2::2]) if re.search(r"\b0 tests failed out of [1-9]", text)}


def dated(rows: list[dict], suites: set[str], date: str) -> list[dict]:
    return [{**row, "passed": date} if row.get("suites") and suites.issuperset(row["suites"]) else row for row in rows]


def problems(rows: list[dict], known_suites: set[str]) -> list[str]:
    wrong = [f"{row['platform']}: scripts/test has no suite {suite}"
             for row in rows for suite in row.get("suites", []) if suite not in known_suites]
    wrong += [f"{row['platform']}: neither suites nor tests, or both" for row in rows if bool(row.get("suites")) == bool(row.get("tests"))]
    for row in rows:
        try:
            datetime.date.fromisoformat(row["passed"])
        except ValueError:
            wrong.append(f"{row['platform']}: {row['passed']} is no date")
    return wrong


def self_test() -> int:
    log = ("== release\n100% tests passed, 0 tests failed out of 9\n== release: built in 3 s, tested in 4 s\n== engines\n"
           "50% tests passed, 1 tests failed out of 2\n== aarch64\n== aarch64 does not build\n== cuda is skipped: no nvcc\n"
           "== tsan\n0% tests passed, 10 tests failed out of 10\n")
    rows = [{"platform": name, "suites": suites, "passed": "2020-01-01"}
            for name, suites in {"a": ["release"], "b": ["release", "engines"], "c": ["aarch64"], "d": ["tsan"]}.items()]
    rows.append({"platform": "e", "tests": "by hand", "passed": "2020-01-01"})
    assert passed_suites(log) == {"release"}
    assert [row["passed"] for row in dated(rows, {"release"}, "2020-02-02")] == ["2020-02-02", *["2020-01-01"] * 4]
    assert problems(rows, {"release", "engines", "aarch64", "tsan"}) == []
    assert len(problems([*rows, {"platform": "f", "passed": "soon"}], {"release", "engines", "aarch64"})) == 3
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", nargs="?", type=pathlib.Path)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    stored = json.loads(RESULT.read_text())
    if args.check:
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["testPresets"]
        wrong = problems(stored["platforms"], {preset["name"] for preset in presets})
        print(*wrong, sep="\n", end="\n" * bool(wrong))
        return int(bool(wrong))
    if not args.log:
        parser.error("a log, --check or --self-test")
    suites = passed_suites(args.log.read_text(errors="replace"))
    stored["platforms"] = dated(stored["platforms"], suites, args.date)
    RESULT.write_text(json.dumps(stored, indent=1) + "\n")
    print("passed:", *sorted(suites) or ["none"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
