#!/usr/bin/env python3
"""Write the figures of README.md, from the results stored in bench/results and from the pages that tests write.

  readme.py --write
  readme.py --check    # status 1 where README has others
"""
from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys

import badges
from report import SHORTEST_MS, geometric_mean, is_between_marks, put_between_marks

SOURCE = pathlib.Path(__file__).resolve().parents[1]
README = SOURCE / "README.md"


def stored(name: str) -> dict:
    return json.loads((SOURCE / f"bench/results/{name}.json").read_text())


def page(name: str) -> pathlib.Path:
    """A page of docs, in whichever folder."""
    pages = list((SOURCE / "docs").rglob(f"{name}.md"))
    if len(pages) != 1:
        raise SystemExit(f"docs has {len(pages)} pages {name}.md")
    return pages[0]


def link(name: str, text: str) -> str:
    return f"[{text}]({page(name).relative_to(SOURCE)})"


def figure(name: str, pattern: str) -> list[int]:
    """The numbers that a page says in these words."""
    match = re.search(pattern, page(name).read_text())
    if not match:
        raise SystemExit(f"{page(name)} does not say {pattern}")
    return [int(number.replace(",", "")) for number in match.groups()]


def mean(threads: str) -> tuple[float, int]:
    """The ratio to the better peer in the geometric mean, and of how many models; those of less than 0.1 ms are out of it."""
    counted = [e["ratio"] for e in stored("float32")["threads"][threads].values() if e["ms"][e["better"]] >= SHORTEST_MS]
    return geometric_mean(counted), len(counted)


def headline() -> str:
    return (f"{badges.line()}\n\n"
            f"Runs ONNX models from C++, C and Python **{mean('1')[0]:.2f} times as fast** as the better of ONNX Runtime and OpenVINO.\n"
            f"Execution providers are C++ types in order of priority. A model can be a type too: MobileNetV2 is **{stored('embedded')['text_kb']['mobilenet_v2']} kB** of code.")


def plot() -> str:
    run, embedded = stored("float32"), stored("embedded")
    single, models = mean("1")
    two, _ = mean("2")
    short = [n for n, e in run["threads"]["1"].items() if e["ms"][e["better"]] < SHORTEST_MS]
    return f"""<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/pictures/speed-1-thread-dark.svg">
  <img alt="Speed of {len(run["threads"]["1"])} models compared with ONNX Runtime and OpenVINO" src="docs/pictures/speed-1-thread-light.svg">
</picture>

{run["processor"]}, {run["date"]}, `bench/compare`: the peer's time over Inlay's is {single:.2f} with one thread and {two:.2f} with two,
in the geometric mean of {models} models; {", ".join(short)}, of less than {SHORTEST_MS} ms, is in no mean. Code, in a static program without weights:
{embedded["compiler"]}, {embedded["date"]}, `bench/embedded_table.py`. {link("performance", "More pictures")}."""


def platforms() -> str:
    rows = [f"| {p['platform']} | {p.get('tests') or '`scripts/test ' + ' '.join(p['suites']) + '`'} | {p['passed']} |"
            for p in stored("platforms")["platforms"]]
    return "\n".join(["| platform | tests | last passed |", "|---|---|---|", *rows])


def checks() -> str:
    all_cases, selected = figure("conformance", r"\| all \| (\d+) \| (\d+) \|")
    passed, = figure("conformance", r"\| cpu \| (\d+) \| 0 \| 0 \|")
    if passed != selected:
        raise SystemExit(f"{page('conformance')}: {passed} of {selected} selected cases pass")
    shipped, = figure("shipped-models", r"not tuned for these models: (\d+) models")
    hostile, = figure("hostile-files", r"tries (\d+) files")
    models = len(stored("float32")["threads"]["1"])
    architectures, packages = link("zoo", "architectures"), link("shipped-models", "packaged models")
    return "\n".join([
        f"- onnx's backend suite: {passed:,} of {all_cases:,} cases pass ({link('conformance', 'the others')}).",
        "- ONNX Runtime, onnx's reference evaluator and formulas: random nodes of every operator (`scripts/differential`).",
        f"- Outputs of {models} {architectures} and {shipped} {packages}.",
        f"- {hostile} damaged and {link('hostile-files', 'hostile files')}: an error or a result, in bounded time and memory.",
        f"- Sanitizers, fuzzers, allocations that fail, seeded faults ({link('trust', 'how far each has come')}).",
    ])


BLOCKS = {"headline": headline, "plot": plot, "platforms": platforms, "checks": checks}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check:
        return max(is_between_marks(README, topic, text()) for topic, text in BLOCKS.items())
    for topic, text in BLOCKS.items():
        put_between_marks(README, topic, text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
