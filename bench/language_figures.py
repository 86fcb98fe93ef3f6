#!/usr/bin/env python3
"""Write bench/results/language.json, of which bench/pictures.py draws the tokens per second, from the tables of llm.md.

  language_figures.py --write
  language_figures.py --check    # status 1 where the page has other figures

Processors, the section that each is measured in, and the dimensions of the model's cache are the file's own.
"""
from __future__ import annotations

import argparse
import copy
import json
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
PAGE, RESULT = SOURCE / "docs/explanation/llm.md", SOURCE / "bench/results/language.json"
NUMBER = r"(\d+(?:\.\d+)?)"
READ_RATE = rf"`bench/peak.cpp` reads {NUMBER}|plain read of the same memory takes {NUMBER}\s+\({NUMBER} GB/s\)"


def found(text: str, pattern: str) -> tuple[str, ...]:
    """The groups of the first match that are not empty."""
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise SystemExit(f"{PAGE} does not say {pattern}")
    return tuple(group for group in match.groups() if group)


def section_of(page: str, heading: str) -> str:
    return found(page, rf"(?s)^(### {re.escape(heading)}\n.*?)(?=^#|\Z)")[0]


def figures(run: dict, page: str) -> dict:
    """The run with the page's figures."""
    run = copy.deepcopy(run)
    run["weights_mb"] = float(found(page, rf"One token reads\s+{NUMBER} MB")[0])
    for machine in run["machines"]:
        section = section_of(page, machine["section"])
        machine["date"] = found(section, r"^Measured (\d{4}-\d\d-\d\d) ")[0]
        machine["read_gb_per_s"] = float(found(section, READ_RATE)[-1])
        for rows, runtimes in machine["ms_per_token"].items():
            cells = found(section, rf"^\| a token after {rows}, with a cache \| {NUMBER} \| {NUMBER} \| {NUMBER} \|")
            runtimes.update(zip(("inlay", "onnxruntime", "openvino"), map(float, cells)))
    run["date"] = max(machine["date"] for machine in run["machines"])
    peers = section_of(page, run["machines"][-1]["section"])
    run["versions"] = {"onnxruntime": found(peers, r"ONNX Runtime (\d\S*\d)")[0], "openvino": found(peers, r"OpenVINO (\d\S*\d)")[0]}
    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    args = parser.parse_args()
    stored = json.loads(RESULT.read_text())
    run = figures(stored, PAGE.read_text())
    if args.check and run != stored:
        print(f"{RESULT} has other figures than {PAGE}: bench/language_figures.py --write, then bench/pictures.py --write")
        return 1
    if args.write:
        RESULT.write_text(json.dumps(run, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
