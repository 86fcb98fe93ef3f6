#!/usr/bin/env python3
"""Time models from Python in Inlay's package and in ONNX Runtime's, and write the table of docs/reference/python.md.

  PYTHONPATH=build/release/python bench/python_zoo.py ZOO [--models mlp,resnet50] [--seconds 6] [--markdown docs/reference/python.md]

ZOO holds MODEL/{model.onnx, test_data_set_0/input_I.pb}. Each package lives in a process of its own (bench/peers.py);
they take turns in short slices. A session's creation is the minimum of five processes of each package, interleaved, and
lasts from the constructor's call until it returns; the runs are medians, and a ratio is ONNX Runtime's time over
Inlay's.
"""
from __future__ import annotations

import argparse
import datetime
import pathlib
import statistics
import sys

import peers
from report import geometric_mean, processor, put_between_marks, wrapped

OURS, THEIRS = "inlay", "onnxruntime"
SLICES, STARTS, MOST_RUNS = 11, 5, 4000


def measure(folder: pathlib.Path, threads: int, seconds: float) -> tuple[list[float], list[float], dict[str, str]]:
    """Milliseconds of creation and of a run, ours and theirs, and the versions."""
    words = [str(folder / "model.onnx"), str(folder / "test_data_set_0"), str(threads)]
    commands = {name: peers.command(name) + words for name in (OURS, THEIRS)}
    creation = {name: float("inf") for name in commands}
    for k in range(STARTS - 1):
        for name in list(commands)[::1 if k % 2 else -1]:
            peer = peers.Peer(name, commands[name])
            creation[name] = min(creation[name], 1e3 * peer.facts["load_s"])
            peer.close()
    measured = peers.measure(commands, seconds, MOST_RUNS, SLICES)
    if measured.errors:
        raise SystemExit(f"{folder.name}: {measured.errors}")
    for name in commands:
        creation[name] = min(creation[name], 1e3 * measured.facts[name]["load_s"])
    runs = {name: statistics.median(t for part in measured.slices[name] for t in part) for name in commands}
    return list(creation.values()), list(runs.values()), {name: facts["version"] for name, facts in measured.facts.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--models", help="of these names alone, with commas between them")
    parser.add_argument("--seconds", type=float, default=6, help="of runs per model and number of threads, of both")
    parser.add_argument("--markdown", type=pathlib.Path)
    args = parser.parse_args()
    names = args.models.split(",") if args.models else [path.parent.name for path in sorted(args.zoo.glob("*/model.onnx"))]
    rows, ratios, versions = [], {}, {}
    for model in names:
        cells = []
        for threads in (1, 2):
            *times, versions = measure(args.zoo / model, threads, args.seconds)
            for phase, (ours, theirs) in zip(("creation", "run"), times):
                ratios.setdefault((phase, threads), []).append(theirs / ours)
                cells.append(f"{ours:.3g}, {theirs:.3g}: **{theirs / ours:.2f}**")
        rows.append(f"| {model} | " + " | ".join(cells) + " |")
        print(rows[-1], flush=True)
    means = " | ".join(f"**{geometric_mean(r):.2f}**, least {min(r):.2f}" for r in ratios.values())
    text = "\n".join([f"{datetime.date.today()}, {processor()}, ONNX Runtime {versions[THEIRS]}; milliseconds, Inlay's and ONNX Runtime's, and how many times as fast Inlay is.", "",
                      "| model | creation, 1 thread | run, 1 thread | creation, 2 threads | run, 2 threads |", "|---|---|---|---|---|",
                      *rows, f"| geometric mean of {len(rows)} | {means} |"])
    if args.markdown:
        put_between_marks(args.markdown, "python", wrapped(text))
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
