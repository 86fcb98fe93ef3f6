#!/usr/bin/env python3
"""Time ONNX Runtime on a folder of models and, side by side, a program of ours.

  zoo_reference.py ZOO                                             # ONNX Runtime alone, one thread
  zoo_reference.py ZOO --models mlp,resnet50 --threads 2 --cmd build/bench/inlay_peer --json ours.json

ZOO holds MODEL/model.onnx and MODEL/test_data_set_0/input_I.pb. Each runtime lives in a process of its own; they take
turns in short slices, so that a busy machine slows both. The milliseconds are medians over all runs. The ratio is ours
/ ONNX Runtime within a slice, the median over the slices with the lowest and the highest: below 1 ours is faster.

PROGRAM of --cmd is started as `PROGRAM model.onnx test_data_set_0 THREADS` and speaks the protocol of bench/peers.py.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import shlex
import statistics
import sys

import peers
from report import geometric_mean

SLICES = 11
ORT, OURS = "ort", "ours"


def measure(commands: dict[str, list[str]], seconds: float, most_runs: int) -> dict:
    measured = peers.measure(commands, seconds, most_runs, SLICES)
    entry = {f"{name}_error": words for name, words in measured.errors.items()}
    for name, times in measured.slices.items():
        entry[f"{name}_ms"] = statistics.median(t for part in times for t in part)
        entry[f"{name}_facts"] = measured.facts[name]
    if len(measured.slices) == 2:
        ratios = [statistics.median(a) / statistics.median(b) for a, b in zip(measured.slices[OURS], measured.slices[ORT])]
        entry |= {"ratio": statistics.median(ratios), "ratio_lowest": min(ratios), "ratio_highest": max(ratios)}
    return entry


# --- reporting --------------------------------------------------------------------------------------------------------

def markdown(results: dict[str, dict], compare: bool) -> str:
    def cell(entry, key):
        return f"{entry[key]:.3f}" if key in entry else "fails" if f"{key[:-3]}_error" in entry else "-"
    if not compare:
        return "\n".join(["| model | ort ms |", "|---|---:|", *(f"| {m} | {cell(e, 'ort_ms')} |" for m, e in results.items())])
    lines = ["| model | ours ms | ort ms | ratio (median) | lowest-highest |", "|---|---:|---:|---:|---:|"]
    for model, entry in results.items():
        spread = f"{entry['ratio_lowest']:.2f}-{entry['ratio_highest']:.2f}" if "ratio" in entry else "-"
        lines.append(f"| {model} | {cell(entry, 'ours_ms')} | {cell(entry, 'ort_ms')} | {cell(entry, 'ratio')} | {spread} |")
    ratios = [entry["ratio"] for entry in results.values() if "ratio" in entry]
    if ratios:
        lines.append(f"| geometric mean of {len(ratios)} | | | {geometric_mean(ratios):.3f} | |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--models", default="", help="comma-separated; default: all in ZOO")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cmd", metavar="PROGRAM", help="what to compare with ONNX Runtime, with leading arguments if any")
    parser.add_argument("--seconds", type=float, default=2.0, help="about this long per runtime and model")
    parser.add_argument("--runs", type=int, default=20_000, help="at most this many timed runs per runtime and model")
    parser.add_argument("--json", type=pathlib.Path, help="write {model: {ort_ms, ours_ms, ratio, ...}} here")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table here as well")
    args = parser.parse_args()

    programs = {ORT: peers.command("onnxruntime")}
    if args.cmd:
        programs[OURS] = shlex.split(args.cmd)
    models = args.models.split(",") if args.models else sorted(p.parent.name for p in args.zoo.glob("*/model.onnx"))
    results = {}
    for name in models:
        arguments = [str(args.zoo / name / "model.onnx"), str(args.zoo / name / "test_data_set_0"), str(args.threads)]
        entry = measure({peer: program + arguments for peer, program in programs.items()}, args.seconds, args.runs)
        results[name] = entry
        facts = {k: round(v, 3) if isinstance(v, float) else v for k, v in entry.items() if not k.endswith("_facts")}
        print(name, facts, file=sys.stderr, flush=True)
        if args.json:
            args.json.write_text(json.dumps(results, indent=1) + "\n")
    table = f"{args.threads} thread{'s' * (args.threads > 1)}\n\n{markdown(results, bool(args.cmd))}\n"
    print(table, end="")
    if args.markdown:
        args.markdown.write_text(table)
    return int(any("error" in key for entry in results.values() for key in entry))


if __name__ == "__main__":
    sys.exit(main())
