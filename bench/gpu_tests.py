#!/usr/bin/env python3
"""Run the tests of the CUDA provider that need a GPU, each case in a process of its own, some at once: an error of the device ends one case only.

  gpu_tests.py ./cuda_tests [--jobs 6] [--seconds 150] [--except REGEX] [--under compute-sanitizer --error-exitcode 9]

Prints a line per case, and what a failed one wrote.  The status is 1 if a case failed, took longer than --seconds or was skipped.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import re
import subprocess
import sys
import time

LONGEST = 12_000  # characters of a failed case that are printed
NEEDS_TWO = "this takes two GPUs"  # skipped on a machine with one


def cases(program: str, left_out: str | None) -> list[str]:
    process = subprocess.run([program, "--list-test-names-only", "[device]"], capture_output=True, text=True, check=False)  # the status is their number
    return [name for line in process.stdout.splitlines() if (name := line.strip()) and not (left_out and re.search(left_out, name))]


def run(args, name: str) -> tuple[str, str]:
    """What became of a case, and what it wrote."""
    pattern = re.sub(r"([\\,\[])", r"\\\1", name)
    try:
        process = subprocess.run([*args.under, args.program, pattern], capture_output=True, text=True, errors="replace", timeout=args.seconds, check=False)
    except subprocess.TimeoutExpired as late:
        return "LATE", (late.stdout or b"").decode(errors="replace")
    words = process.stdout + process.stderr
    if process.returncode not in (0, 77):  # 77: skipped
        return f"FAILED ({process.returncode})", words
    return ("skipped" if "skipped: " in words else "ok", words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=150, help="that a case may take")
    parser.add_argument("--except", dest="left_out", metavar="REGEX", help="cases that are left out")
    parser.add_argument("--under", nargs=argparse.REMAINDER, default=[], help="a program that runs each of them, with its arguments")
    args = parser.parse_args()
    failed = 0
    names = cases(args.program, args.left_out)

    def timed(name: str) -> tuple[float, str, str]:
        start = time.monotonic()
        became, words = run(args, name)
        return time.monotonic() - start, became, words
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, (seconds, became, words) in zip(names, pool.map(timed, names)):
            print(f"{became:10} {seconds:6.1f} s  {name}", flush=True)
            if became != "ok" and NEEDS_TWO not in words:
                failed += 1
                print(words[:LONGEST], flush=True)
    print(f"{len(names)} cases, {failed} failed, late or skipped")
    return int(failed > 0 or not names)


if __name__ == "__main__":
    sys.exit(main())
