#!/usr/bin/env python3
"""Every engine that a build has, on every model of the suite: what it supports, how it agrees, how long it takes;
writes its part of docs/reference/providers/index.md.

  providers.py ZOO [--tool build/engines/bin/inlay] [--write docs/reference/providers/index.md] [--providers NAME...] [--models MODEL...]

ZOO has MODEL/{model.onnx, test_data_set_0}. All on one thread. Runs are interleaved with the CPU provider's in one
process (`inlay bench --against-providers`). Without --write it prints the tables.
"""
from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

from report import processor, put_between_marks, wrapped
from zoo_facts import data_sets, input_shapes

LIMIT = 240  # seconds of one command
NO_ENGINES = ["cpu", "reference"]


class TooSlow(Exception):
    """The command did not end in time."""


class Tool:
    """The program `inlay`, with one list of providers and one model."""

    def __init__(self, program: str, providers: str, folder: pathlib.Path) -> None:
        self.program, self.providers, self.folder = program, providers, folder
        self.shapes = [a for name, dims in input_shapes(folder).items() for a in ("--shape", f"{name}={','.join(map(str, dims))}")]

    def run(self, command: str, *options: str, model: pathlib.Path | None = None) -> dict | None:
        """Its report; None if it failed."""
        line = [self.program, command, str(model or self.folder / "model.onnx"), "--json", "--quiet", "--threads", "1", "--providers", self.providers, *options]
        try:
            process = subprocess.run(line, capture_output=True, text=True, check=False, timeout=LIMIT)
        except subprocess.TimeoutExpired as late:
            raise TooSlow from late
        return json.loads(process.stdout) if process.returncode == 0 else None

    def bench(self, *options: str, model: pathlib.Path | None = None) -> dict:
        report = self.run("bench", "--seconds", "1", *self.shapes, *options, model=model)
        if report is None:
            raise RuntimeError(f"{self.folder.name} on {self.providers}: inlay bench failed")
        return report["results"][0]


def one_threaded(provider: dict) -> str:
    """The provider as the tool takes it, with every option that counts threads at 1."""
    options = [f"{name}=1" for name in provider["options"] if "threads" in name]
    return provider["short_name"] + (":" + ";".join(options) if options else "")


def ratio(report: dict) -> str:
    """How many times as fast as the CPU provider."""
    a = report["against"]
    return f"{a['ratio']:.2f} ({a['low']:.2f}-{a['high']:.2f})"


def from_context(tool: Tool, folder: pathlib.Path) -> str:
    """Seconds until a session over the saved context is ready."""
    with tempfile.TemporaryDirectory() as work:
        saved = pathlib.Path(work) / "context.onnx"
        process = subprocess.run([tool.program, "compile", str(folder / "model.onnx"), "--providers", tool.providers, "-o", str(saved), "--quiet", *tool.shapes], capture_output=True, check=False, timeout=LIMIT)
        if process.returncode or not saved.exists():
            return "-"
        report = tool.run("bench", "--seconds", "0.1", "--contexts", "refuse", *tool.shapes, model=saved)
        return f"{report['results'][0]['seconds']['load']:.2f}" if report else "-"


def row(tool: Tool, folder: pathlib.Path) -> tuple[list[str], float | None]:
    """The model's line, and the speed of the plan by cost compared with the faster of the CPU alone and the list by
    order."""
    plan = tool.run("plan", *tool.shapes)
    if plan is None:
        return [folder.name, "refused", *["-"] * 9], None
    first = plan["providers"][0]["name"]
    nodes = [n for n in plan["nodes"] if not n["provider"].startswith("(")]
    node_count = sum(n["provider"] == first for n in nodes)
    regions = sum(s["kind"] == "region" for s in plan["schedule"])
    cells = [folder.name, f"{node_count} of {len(nodes)}", str(regions)]
    try:
        test = tool.run("test", *map(str, data_sets(folder)))
        cells.append(f"{test['largest_error']['absolute']:.1e}" if test and test["agrees"] else "**differs**")
        if not node_count:
            return cells + ["-"] * 7, None
        greedy = tool.bench("--against-providers", "cpu")
        cost = tool.bench("--against-providers", "cpu", "--partition", "cost")
        cost_by_order = tool.bench("--partition", "cost", "--against-partition", "order")
        profile = tool.run("profile", "--random", "--runs", "5", *tool.shapes)
        inside = sum(s["seconds"] for s in profile["steps"] if s["op"] == "(region)") / sum(s["seconds"] / s["share"] for s in profile["steps"][:1] if s["share"]) if profile and profile["steps"][0]["share"] else 0
        cells += [f"{greedy['seconds']['load']:.2f}", from_context(tool, folder), f"{greedy['seconds']['median'] * 1e3:.3f}", f"{inside:.0%}", ratio(greedy), ratio(cost), ratio(cost_by_order)]
        return cells, min(cost["against"]["ratio"], cost_by_order["against"]["ratio"])
    except (TooSlow, subprocess.TimeoutExpired):
        return cells + [f"over {LIMIT} s"] + ["-"] * (10 - len(cells)), None


HEAD = """| model | its nodes | regions | largest error | load s | load s, from a context | ms | in its library | CPU alone / by order | CPU alone / by cost | by order / by cost |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def section(program: str, provider: dict, folders: list[pathlib.Path], speeds: list[tuple[str, float]]) -> str:
    text = f"### {provider['name']}\n`--providers {one_threaded(provider)},cpu --threads 1`\n\n" + HEAD
    for folder in folders:
        cells, speed = row(Tool(program, one_threaded(provider) + ",cpu", folder), folder)
        print(" | ".join(cells), file=sys.stderr, flush=True)
        text += "| " + " | ".join(cells) + " |\n"
        if speed is not None:
            speeds.append((f"{folder.name} on {provider['short_name']}", speed))
    return text + "\n"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("zoo", type=pathlib.Path)
    p.add_argument("--tool", default="build/engines/bin/inlay")
    p.add_argument("--write", type=pathlib.Path)
    p.add_argument("--providers", nargs="*")
    p.add_argument("--models", nargs="*")
    a = p.parse_args()
    built = json.loads(subprocess.run([a.tool, "providers", "--json"], capture_output=True, text=True, check=True).stdout)
    engines = [e for e in built["providers"] if e["built_in"] and e["short_name"] not in NO_ENGINES and (not a.providers or e["short_name"] in a.providers)]
    folders = [f.parent for f in sorted(a.zoo.glob("*/model.onnx")) if (a.models and f.parent.name in a.models) or not a.models]
    speeds: list[tuple[str, float]] = []
    sections = "".join(section(a.tool, e, folders, speeds) for e in engines)
    speeds.sort(key=lambda entry: entry[1])
    worst = ", ".join(f"{name} {speed:.2f}" for name, speed in speeds[:5])
    text = f"""## Engines on the model suite
The nodes of the models that each provider over another vendor's library claims, how its results agree, and its times. Written by `bench/providers.py ZOO --write docs/reference/providers/index.md` on {datetime.date.today()}: {processor()}, instruction set {built['instruction_sets'][-1]}, one thread.

*its nodes*: of those that run; the CPU provider has the others. *load*: until the session is ready, the library's own compilation included; *from a context*: the same from what
`inlay compile` saved. *in its library*: the part of a run spent in the provider's regions; the rest is the CPU provider's nodes and Inlay itself. *CPU alone / ...*: how many times as fast as the CPU provider alone, the
median of interleaved runs and the band that holds 10 to 90 % of them. *By order* is the list in its order, *by cost* with `partition_by::cost`; *by order / by cost*: the two, interleaved.

By cost against the faster of the CPU alone and the list by order, the five lowest of {len(speeds)}: {worst}.

{sections}"""
    if a.write:
        put_between_marks(a.write, "engines", wrapped(text.rstrip()))
    else:
        print(text)


if __name__ == "__main__":
    main()
