#!/usr/bin/env python3
"""Write docs/explanation/zoo.md: what Inlay does with each model of a folder, compared with ONNX Runtime.

  zoo_table.py ZOO                                  # measures for about 2 minutes, one thread each
  zoo_table.py ZOO --seconds 4 --save times.json    # longer, and keeps what was measured
  zoo_table.py ZOO --times times.json               # a table of times measured before

ZOO holds MODEL/{model.onnx, tolerance.json, test_data_set_N/{input,output}_I.pb}. The tool and the program heap_calls
come from build/release/bin. Run it on a quiet machine: every time is compared with ONNX Runtime's side by side, so that
a busy one widens the ranges, but it does not help.
"""
from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

import onnx
from report import SHORTEST_MS, geometric_mean, processor, wrapped
from zoo_facts import heap_calls, largest_error, plan_of
from zoo_reference import SLICES

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def measure(zoo: pathlib.Path, names: list[str], tool: str, seconds: float) -> dict:
    with tempfile.TemporaryDirectory() as work:
        out = pathlib.Path(work) / "times.json"
        subprocess.run([sys.executable, SOURCE / "bench/zoo_reference.py", zoo, "--models", ",".join(names), "--cmd",
                        f"{tool} serve-bench", "--seconds", str(seconds), "--json", out], stdout=subprocess.DEVNULL, check=True)
        return json.loads(out.read_text())


def facts_of(folder: pathlib.Path, tool: str, heap: str) -> dict:
    plan = plan_of(tool, folder)
    return {"nodes": len(onnx.load(folder / "model.onnx", load_external_data=False).graph.node), "steps": plan["steps"],
            "level": plan["instruction_set"], "error": largest_error(tool, folder), "arena": plan["bytes"]["arena"],
            "live": plan["bytes"]["live"], "scratch": plan["bytes"]["scratch"], "heap": heap_calls(heap, folder),
            "late": any(n["kernel"] == "chosen at run" or n["provider"] == "(control flow)" for n in plan["nodes"])}


def row(name: str, f: dict, t: dict) -> str:
    return (f"| {name} | {f['nodes']} | {f['steps']} | {f['error']} | {t['ours_ms']:.3g} | {t['ort_ms']:.3g} | **{1 / t['ratio']:.2f}** ({1 / t['ratio_highest']:.2f}-{1 / t['ratio_lowest']:.2f}) "
            f"| {f['arena'] / 1e6:.3g} | {f['live'] / 1e6:.3g} | {f['arena'] / f['live']:.3f} | {f['scratch'] / 1e6:.3g} | {f['heap']:g}{' *' if f['late'] else ''} |")


def comparable(facts: dict[str, dict], times: dict) -> dict[str, float]:
    """How many times as fast the models are that count in the mean."""
    return {name: 1 / times[name]["ratio"] for name in facts if times[name]["ort_ms"] >= SHORTEST_MS}


def document(facts: dict[str, dict], times: dict, date: str) -> str:
    level = next(iter(facts.values()))["level"]
    version = next(iter(times.values()))["ort_facts"]["version"]
    ratios = comparable(facts, times)
    worst = min(ratios, key=ratios.get)
    short = [name for name in facts if name not in ratios]
    late = [name for name, f in facts.items() if f["late"]]
    note = f"\n\\* {', '.join(late)}: the shapes of some values depend on other values, so these steps allocate while they run.\n" if late else ""
    rows = "\n".join(row(name, f, times[name]) for name, f in facts.items())
    return f"""# The model suite

{len(facts)} float32 models of well-known architectures, run by the CPU provider and compared with ONNX Runtime {version} on the same inputs.
All pass `inlay test`. Measured {date} on {processor()}, instruction set {level}, one thread; geometric mean of the ratios
{geometric_mean(ratios.values()):.2f}, the lowest {ratios[worst]:.2f} ({worst}). This page is written by `bench/zoo_table.py`.

| model | nodes | steps | largest error | ms | ONNX Runtime ms | ratio (lowest-highest) | planned MB | largest live MB | planned / live | scratch MB | heap calls |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
{rows}
{note}
- **nodes**: in the file; **steps**: of the plan for the test data's shapes, after rewrites and fusion, layout conversions included.
- **largest error**: the largest absolute difference from the expected outputs, which ONNX Runtime computed without optimisations.
- **ms**: the median run through a binding. **ratio**: ONNX Runtime's time over Inlay's; both run interleaved, in {SLICES} slices; the median over the
  slices, and the lowest and the highest slice. Above 1 Inlay is faster. ONNX Runtime is called from
  Python, which costs it some microseconds per run; a model below {SHORTEST_MS} ms does not count in the mean ({', '.join(short) or 'none here'}).
- **planned MB**: the arena of one run. **largest live MB**: the largest sum of values that are alive at once: no plan needs less.
- **scratch MB**: the largest scratch memory of any kernel of the plan, in addition to the arena.
- **heap calls**: malloc, free and related calls per bound run once it is warm, counted by `bench/heap_calls.cpp`.

The models are built with generated weights (those of minilm_real are real), so times are real and accuracies mean nothing.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--tool", default=str(SOURCE / "build/release/bin/inlay"))
    parser.add_argument("--heap-calls", default=str(SOURCE / "build/release/bin/heap_calls"))
    parser.add_argument("--seconds", type=float, default=2.0, help="about this long per runtime and model")
    parser.add_argument("--times", type=pathlib.Path, help="read what bench/zoo_reference.py --json wrote instead of measuring")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the measurement")
    parser.add_argument("--save", type=pathlib.Path, help="keep what was measured")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "docs/explanation/zoo.md")
    args = parser.parse_args()

    names = sorted(p.parent.name for p in args.zoo.glob("*/model.onnx"))
    if not names:
        parser.error("no MODEL/model.onnx there")
    try:
        facts = {name: facts_of(args.zoo / name, args.tool, args.heap_calls) for name in names}
    except ValueError as difference:
        raise SystemExit(difference) from None
    times = json.loads(args.times.read_text()) if args.times else measure(args.zoo, names, args.tool, args.seconds)
    if args.save:
        args.save.write_text(json.dumps(times, indent=1) + "\n")
    if unmeasured := [name for name in names if "ratio" not in times.get(name, {})]:
        raise SystemExit(f"not measured: {', '.join(unmeasured)}")
    args.out.write_text(wrapped(document(facts, times, args.date)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
