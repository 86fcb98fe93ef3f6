#!/usr/bin/env python3
"""Check models on a GPU against the CPU, and compare their times there with PyTorch and ONNX Runtime.

  gpu_compare.py MODELS --tool ./inlay --markdown models.md --json models.json

MODELS holds model folders as bench/gpu_models.py makes them. Each model's outputs on the GPU are compared with those of
the CPU provider. The models of --time are timed for every batch, in float32, with TF32 and in float16, whatever peer
the machine has: torch (recorded as a CUDA graph), torch.compile (which records too) and onnxruntime-gpu (I/O binding
and CUDA graph). Inlay replays a CUDA graph too; inputs and outputs stay on the GPU in all of them. Every runtime lives
in a process of its own (bench/peers.py); they take turns in short slices. The ratio is the better peer's time over
Inlay's, medians of the same slice: its median, and the band of 10 to 90 %. The status is 1 if a model fails or its
outputs differ, and never for what took long.
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnx

import gpu_models
import peers
import zoo_facts
from report import band, spread

SLICES, MOST_RUNS = 11, 20_000
OURS = "inlay"
LABELS = {OURS: "Inlay", "torch": "torch", "torch_compile": "torch.compile", "onnxruntime_cuda": "ONNX Runtime"}
ENDS = {"float32": "", "TF32": "_tf32", "float16": ""}  # of a peer's name
HALF_ERROR = 0.02  # of the largest number, that outputs in float16 may be off


def say(*words) -> None:
    print("gpu_compare:", *words, file=sys.stderr, flush=True)


def tool(args, *words) -> subprocess.CompletedProcess:
    return subprocess.run([args.tool, *map(str, words)], capture_output=True, text=True, check=False)


def make(source: pathlib.Path, folder: pathlib.Path, batch: int, half: bool) -> None:
    model = gpu_models.whole(onnx.load(source / "model.onnx"))
    arrays = gpu_models.in_batches(model, gpu_models.read_inputs(source), batch)
    gpu_models.write(gpu_models.halved(model) if half else model, arrays, folder)


def expect(args, folder: pathlib.Path) -> None:
    """Writes the CPU's outputs next to the inputs."""
    data = folder / "test_data_set_0"
    process = tool(args, "run", folder / "model.onnx", data, "--providers", "cpu", "--out", data, "--format", "pb", "--quiet")
    if process.returncode:
        raise ValueError(f"the CPU provider failed: {process.stderr.strip()}")


def check(args, source: pathlib.Path, work: pathlib.Path) -> dict:
    folder = work / source.name
    make(source, folder, 1, False)
    for file in source.glob("tolerance.json"):
        shutil.copy(file, folder)
    expect(args, folder)
    options = ("--providers", args.providers)
    try:
        plan = zoo_facts.plan_of(args.tool, folder, options)
    except subprocess.CalledProcessError as error:
        raise ValueError(error.stderr.strip()) from error
    placement = {"nodes": collections.Counter(node["provider"] for node in plan["nodes"]), "transfers": len(plan["transfers"])}
    try:
        return {"agrees": True, "largest_error": zoo_facts.largest_error(args.tool, folder, 1, options), "words": "", **placement}
    except ValueError as difference:
        return {"agrees": False, "words": str(difference)[-400:], **placement}


def half_error(args, folder: pathlib.Path, plain: pathlib.Path) -> str:
    """Of outputs in float16 from the CPU's in float32, as a share of the largest."""
    data, out = folder / "test_data_set_0", folder / "found"
    process = tool(args, "run", folder / "model.onnx", data, "--providers", args.providers, "--out", out, "--format", "pb", "--quiet")
    if process.returncode:
        raise ValueError(process.stderr.strip())
    errors = []
    for file in out.glob("output_*.pb"):
        a, b = (onnx.numpy_helper.to_array(onnx.load_tensor(f)).astype("float64") for f in (file, plain / "test_data_set_0" / file.name))
        errors.append(abs(a - b).max(initial=0))
    most, worst = zoo_facts.largest_output(plain), float(numpy.max(errors))  # NaN where one is
    if not worst <= HALF_ERROR * most:
        raise ValueError(f"outputs in float16 are off by {worst:g}, the largest is {most:g}")
    return f"{worst / most:.2%}" if most else "0"


def timed(args, source: pathlib.Path, work: pathlib.Path, batch: int, kind: str) -> dict:
    folder = work / f"{source.name}-{batch}-{kind}"
    make(source, folder, batch, kind == "float16")
    providers = args.providers.replace("cuda", "cuda:enable_cuda_graph=true" + ";use_tf32=true" * (kind == "TF32"), 1)
    arguments = [str(folder / "model.onnx"), str(folder / "test_data_set_0"), "1"]
    commands = {OURS: [args.tool, "serve-bench", "--on-device", "--providers", providers, *arguments]} | {p: [*peers.command(p + ENDS[kind]), *arguments] for p in args.peers}
    measured = peers.measure(commands, args.seconds, MOST_RUNS, SLICES)
    entry = {"model": source.name, "batch": batch, "precision": kind, "failed": measured.errors, "versions": {n: f["version"] for n, f in measured.facts.items()},
             "ms": {n: statistics.median(t for part in slices for t in part) for n, slices in measured.slices.items()},
             "load_s": {n: f["load_s"] for n, f in measured.facts.items()}, "first_run_s": measured.facts.get(OURS, {}).get("first_run_s"), "copied_values": measured.facts.get(OURS, {}).get("copied_values")}
    peer_names = [n for n in entry["ms"] if n != OURS]
    if peer_names and OURS in entry["ms"]:
        better = min(peer_names, key=entry["ms"].get)
        entry |= {"better": better, **band([statistics.median(a) / statistics.median(b) for a, b in zip(measured.slices[better], measured.slices[OURS])])}
    if kind == "float16":
        plain = work / f"{source.name}-{batch}-float32"
        if not list((plain / "test_data_set_0").glob("output_*.pb")):
            make(source, plain, batch, False)
            expect(args, plain)
        try:
            entry["error"] = half_error(args, folder, plain)
        except ValueError as difference:
            entry["failed"]["results"] = str(difference)
    return entry


def report(run: dict) -> str:
    lines = ["## Outputs on the GPU against the CPU's", "", "| model | outputs | largest error | nodes | transfers |", "|---|---|---:|---|---:|"]
    for name, e in run["models"].items():
        words = "agree" if e.get("agrees") else "**differ or failed**: " + " ".join(e["words"].split()).replace("|", "/")
        lines.append(f"| {name} | {words} | {e.get('largest_error') or '-'} | {', '.join(f'{count} {p}' for p, count in e.get('nodes', {}).items())} | {e.get('transfers', '-')} |")
    versions = {n: v for e in run["times"] for n, v in e["versions"].items()}
    lines += ["", "## Times", "", "Milliseconds of a run, inputs and outputs on the GPU: " + (", ".join(f"{LABELS[n]} {v}" for n, v in versions.items()) or "none") + ".", ""]
    runtimes = [n for n in LABELS if any(n in e["ms"] or n in e["failed"] for e in run["times"])]
    lines += ["| model | batch | precision | " + " | ".join(f"{LABELS[n]} ms" for n in runtimes) + " | Inlay samples/s | better peer / Inlay | load s, first run s | copied values | error |", "|---|---:|---|" + "---:|" * (len(runtimes) + 5)]
    for e in run["times"]:
        ms = [f"{e['ms'][n]:.4g}" if n in e["ms"] else "fails" for n in runtimes]
        rate = f"{1e3 * e['batch'] / e['ms'][OURS]:.0f}" if OURS in e["ms"] else "-"
        ratio = f"{spread(e)}, {LABELS[e['better']]}" if "ratio" in e else "-"
        load = f"{e['load_s'][OURS]:.2g}, {e['first_run_s']:.2g}" if OURS in e["load_s"] else "-"
        lines.append(f"| {e['model']} | {e['batch']} | {e['precision']} | {' | '.join(ms)} | {rate} | {ratio} | {load} | {e['copied_values'] if e['copied_values'] is not None else '-'} | {e.get('error', '-')} |")
    if failed := [f"- {e['model']}, batch {e['batch']}, {e['precision']}, {LABELS.get(n, n)}: {' '.join(words.split())}" for e in run["times"] for n, words in e["failed"].items()]:
        lines += ["", "What failed:", "", *failed]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--providers", default="cuda,cpu", help="Inlay's (default: cuda,cpu)")
    parser.add_argument("--time", default="resnet50,mobilenet_v2,bert_base,gpt2", help="comma-separated; those of MODELS that are timed")
    parser.add_argument("--batches", type=lambda text: [int(t) for t in text.split(",")], default=[1, 16, 64])
    parser.add_argument("--precisions", type=lambda text: text.split(","), default=list(ENDS))
    parser.add_argument("--peers", type=lambda text: [p for p in text.split(",") if p], default=[n for n in LABELS if n != OURS and peers.installed(n)])
    parser.add_argument("--seconds", type=float, default=1.0, help="about this long per runtime, model, batch and precision (default: 1)")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    args = parser.parse_args()
    sources = sorted(p.parent for p in args.models.glob("*/model.onnx"))
    if not sources:
        parser.error(f"no MODEL/model.onnx in {args.models}")
    run: dict = {"schema": "inlay.gpu_models", "version": 1, "peers": args.peers, "models": {}, "times": []}

    def keep() -> None:
        if args.json:
            args.json.write_text(json.dumps(run, indent=1) + "\n")
        if args.markdown:
            args.markdown.write_text(report(run) + "\n")
    for source in sources:
        with tempfile.TemporaryDirectory() as work:  # of one model at a time: they are large
            try:
                run["models"][source.name] = check(args, source, pathlib.Path(work))
            except (OSError, ValueError) as error:
                run["models"][source.name] = {"agrees": False, "words": str(error)}
            say(source.name, "agrees" if run["models"][source.name]["agrees"] else "FAILS: " + run["models"][source.name]["words"])
            keep()
            for batch in args.batches if source.name in args.time.split(",") else []:
                for kind in args.precisions:
                    run["times"].append(timed(args, source, pathlib.Path(work), batch, kind))
                    say(source.name, batch, kind, *(f"{n} {t:.4g} ms," for n, t in run["times"][-1]["ms"].items()), *(f"{n} FAILS: {w}" for n, w in run["times"][-1]["failed"].items()))
                    keep()
    return int(not all(e["agrees"] for e in run["models"].values()) or any(e["failed"].keys() & {OURS, "results"} for e in run["times"]))


if __name__ == "__main__":
    sys.exit(main())
