#!/usr/bin/env python3
"""What README's commands take a newcomer: each in a bare Debian root with a fresh clone, where nothing is installed or
compiled before.

  setup_times.py                                     # scripts/demo, then scripts/test
  setup_times.py --write CONTRIBUTING.md scripts/demo   # one of them; its row of the table between the marks is replaced

A row has the wall-clock time, the time of a processor, the limit that it should keep (scripts/demo 6 minutes,
scripts/test 25), what scripts/test counts in its last line, the date, the commit and the machine. Root and debootstrap
are needed, and ../shared/bare-root.sh, which lays the root; the status is 1 where a command fails.
"""
from __future__ import annotations

import argparse
import datetime
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BARE_ROOT = SOURCE.parent / "shared/bare-root.sh"
LIMITS = {"scripts/demo": 6, "scripts/test": 25}  # minutes on two cores
BEGIN, END = "<!-- times: written by bench/setup_times.py --write -->", "<!-- times end -->"
HEADER = "| command | minutes | of a processor | limit | it says | on |\n|---|---:|---:|---:|---|---|\n"


def processor() -> str:
    name = re.search(r"^model name\s*: (.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1)
    return f"{name}, {len(os.sched_getaffinity(0))} cores"


def measured(command: str) -> tuple[str, bool]:
    """The row of a command, and whether it succeeded."""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    last_line = ""
    with subprocess.Popen([BARE_ROOT, SOURCE, command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as run:
        for line in run.stdout:
            sys.stderr.write(line)
            last_line = line.strip() or last_line
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, cpu = time.monotonic() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout.strip()
    says = last_line if re.fullmatch(r"\d+ passed, \d+ failed, \d+ skipped", last_line) else "" if run.returncode == 0 else f"status {run.returncode}"
    limit = LIMITS.get(command, "")
    return (f"| `{command}` | {wall / 60:.1f} | {cpu / 60:.1f} | {limit} | {says} | {datetime.date.today()}, `{commit}`, {processor()} |\n",
            run.returncode == 0)


def write(page: pathlib.Path, rows: dict[str, str]) -> None:
    """Puts the rows between the marks of the page, in the place of those of the same commands."""
    before, rest = page.read_text().split(BEGIN)
    old, after = rest.split(END)
    old_rows = {match.group(1): match.group(0) + "\n" for match in re.finditer(r"^\| `([^`]+)` .*$", old, re.M)}
    page.write_text(before + BEGIN + "\n" + HEADER + "".join({**old_rows, **rows}.values()) + END + after)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", default=list(LIMITS))
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    arguments = parser.parse_args()
    if not BARE_ROOT.exists():
        parser.error("there is no ../shared/bare-root.sh, which lays the bare root")
    succeeded, rows = True, {}
    for command in arguments.commands:
        rows[command], passed = measured(command)
        succeeded &= passed
    if arguments.write:
        write(arguments.write, rows)
    print(HEADER + "".join(rows.values()), end="")
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
