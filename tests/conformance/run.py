#!/usr/bin/env python3
"""Run ONNX's own backend tests through `inlay test`: all cases that use only the operators of operators.txt.

  run.py                                        # on the CPU; the tool is $INLAY_TOOL, else build/release/bin/inlay
  run.py --providers reference --filter softmax
  run.py --markdown docs/explanation/conformance.md         # both providers, and the document

The suite is written out once, into the cache of scripts/setup (about a minute).  A case passes when the tool says that
all its outputs agree within the case's own tolerances.  The cases of exceptions.txt must be refused: one that passes,
crashes or gives a wrong result fails the run like any other that does not pass; or, where they name a tolerance, pass with that.
"""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parents[1] / "bench")]
from cache import made_once, skip  # noqa: E402
from report import wrapped  # noqa: E402

try:
    import onnx
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")
from select_cases import operators_of, read_operators  # noqa: E402
from suite import CATEGORIES, write_suite  # noqa: E402

PASSED, UNSUPPORTED = 0, 77


def read_reasons(path: pathlib.Path) -> dict[str, str]:
    lines = (line.split(maxsplit=1) for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return {case: reason.strip() for case, reason in lines}


def read_exceptions(path: pathlib.Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The cases that must be refused, with the reasons; and the tool's options for those that begin with `rtol=NUMBER` or `atol=NUMBER`."""
    reasons = read_reasons(path)
    tolerances = {case: [f"--{m[1]}", m[2]] for case, reason in reasons.items() if (m := re.match(r"(rtol|atol)=(\S+)", reason))}
    return {case: reason for case, reason in reasons.items() if case not in tolerances}, tolerances


def select(suite: pathlib.Path, also: list[str]) -> list[str]:
    operators = read_operators(HERE / "operators.txt") | set(also)
    paths = sorted(suite.glob("*/*/model.onnx"), key=lambda path: path.parts[-3:], reverse=True)  # the slow ones, "real", early
    return [path.parent.relative_to(suite).as_posix() for path in paths
            if operators_of(onnx.load(path, load_external_data=False)) <= operators]


def run_case(command: list[str], folder: pathlib.Path) -> tuple[int, str]:
    """The tool's exit status and last words."""
    try:
        process = subprocess.run([*command, folder / "model.onnx", *sorted(folder.glob("test_data_set_*"))], timeout=400,
                                 capture_output=True, text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return -1, "no answer after 400 s"
    return process.returncode, (process.stdout + process.stderr).strip()[-400:]


def problem(status: int, words: str, expected: str | None) -> str | None:
    """What is wrong with this answer; None: it is as it should be."""
    if status == PASSED:
        return f"passes, but is an exception: {expected}" if expected else None
    return None if expected and status == UNSUPPORTED else words or f"exit status {status}"


def run_all(tool: str, providers: str, suite: pathlib.Path, cases: list[str], jobs: int) -> tuple[list[str], int]:
    """The cases that went wrong, and how many passed."""
    start = time.monotonic()
    reasons, tolerances = read_exceptions(HERE / "exceptions.txt")
    command = [tool, "test", "--threads", "1", "--providers", providers]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(lambda case: run_case(command + tolerances.get(case, []), suite / case), cases))
    wrong = [f"{case}: {reason}" for case, answer in zip(cases, answers) if (reason := problem(*answer, reasons.get(case)))]
    passed = sum(status == PASSED for status, _ in answers)
    print(f"{providers}: {len(cases)} cases, {passed} pass, {len(cases) - passed - len(wrong)} are refused as expected, "
          f"{len(wrong)} go wrong, {time.monotonic() - start:.0f} s", *wrong, sep="\n  ", flush=True)
    return wrong, passed


def document(suite: pathlib.Path, cases: list[str], passed: dict[str, int]) -> str:
    reasons, tolerances = read_exceptions(HERE / "exceptions.txt")
    of_category = collections.Counter(case.split("/")[0] for case in cases)
    total = {c: len(list((suite / c).iterdir())) for c in CATEGORIES}
    operators = sorted(read_operators(HERE / "operators.txt"))
    rows = "\n".join(f"| {c} | {total[c]} | {of_category[c]} |" for c in CATEGORIES)
    results = "\n".join(f"| {p} | {n} | {len(reasons)} | {len(cases) - n - len(reasons)} |" for p, n in passed.items())
    listed = "\n".join(f"| `{case}` | {reason} |" for case, reason in (read_reasons(HERE / "exceptions.txt")).items())
    return f"""# Conformance

The backend tests of onnx {onnx.__version__} decide what an operator means. `tests/conformance/run.py` writes the suite out, selects the cases
that use no operator beyond `tests/conformance/operators.txt` and runs each through `inlay test`, with the case's own tolerances
(relative 1e-3 and absolute 1e-7 unless it says otherwise). `ctest -L '^conformance$'` does so in every test run, on the CPU provider and on the reference kernels. `tests/conformance/run.py --markdown docs/explanation/conformance.md` writes this page.

## Selected
{len(operators)} operators are, with all their versions; `tests/conformance/operators.txt` lists them. An operator in a subgraph or in a function of the model counts too. The cases of ImageDecoder (9) and RegexFullMatch (3) are not selected. They pass in builds with the libraries of INLAY_IMAGES and INLAY_RE2 (`conformance.libraries` runs them where these are). Nor are those of Bernoulli and its function (6), whose expected numbers are from another random generator, so that no seed leads to them.

| category | cases in the suite | selected |
|---|---:|---:|
{rows}
| all | {sum(total.values())} | {len(cases)} |

## Results
| provider | pass | refused, as listed below | fail |
|---|---:|---:|---:|
{results}

## Exceptions, one by one
Kept in `tests/conformance/exceptions.txt`. Each must be refused with a reason, and one that passes fails the test run; or pass with
a tolerance of its own.

| case | reason |
|---|---|
{listed}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=os.environ.get("INLAY_TOOL") or str(HERE.parents[1] / "build/release/bin/inlay"))
    parser.add_argument("--providers", default="cpu", help="as for the tool")
    parser.add_argument("--filter", default="", help="regular expression on category/case")
    parser.add_argument("--also", nargs="*", default=[], metavar="OPERATOR", help="select these too: those that need libraries which this build has")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--markdown", type=pathlib.Path, help="run on both providers and write the document")
    args = parser.parse_args()

    suite = made_once(f"backend-onnx-{onnx.__version__}", write_suite)
    cases = [case for case in select(suite, args.also) if re.search(args.filter, case)]
    unknown = set(read_reasons(HERE / "exceptions.txt")) - set(cases)
    if unknown and not args.filter:
        print("exceptions.txt names cases that are not selected:", *sorted(unknown))
        return 1
    wrong, passed = [], {}
    for providers in ("cpu", "reference") if args.markdown else (args.providers,):
        bad, passed[providers] = run_all(args.tool, providers, suite, cases, args.jobs)
        wrong += bad
    if args.markdown and not wrong:
        args.markdown.write_text(wrapped(document(suite, cases, passed)))
    return int(bool(wrong) or not cases)


if __name__ == "__main__":
    sys.exit(main())
