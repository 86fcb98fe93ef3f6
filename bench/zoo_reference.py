#!/usr/bin/env python3
"""Time ONNX Runtime on a folder of models and, side by side, a program of ours.

  zoo_reference.py ZOO                                             # ONNX Runtime alone, one thread
  zoo_reference.py ZOO --models mlp,resnet50 --threads 2 --cmd build/bench/inlay_peer --json ours.json

ZOO holds MODEL/model.onnx beside MODEL/test_data_set_0/input_I.pb.  Each runtime lives in a process of its own; they
take turns in short slices, so that a busy machine slows both.  The milliseconds are medians over all runs.  The ratio is
ours / ONNX Runtime within a slice, the median over the slices with the lowest and the highest: below 1 ours is faster.

PROGRAM of --cmd is started as `PROGRAM model.onnx test_data_set_0 THREADS`.  Once it has loaded the model and run it
once it prints a line with a JSON object of facts (any, for instance {"load_s": 0.1}).  Then it answers every line "N" on
stdin with one line, the JSON array of the seconds that each of N runs took, and ends when stdin does.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import math
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SLICES = 11
ORT, OURS = "ort", "ours"


# --- the ONNX Runtime process ------------------------------------------------------------------------------------------

def serve_onnxruntime(model: str, data: str, threads: str) -> None:
    import onnx
    import onnxruntime
    start = time.perf_counter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = int(threads), 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    load_s = time.perf_counter() - start
    feeds = {value.name: onnx.numpy_helper.to_array(onnx.load_tensor(f"{data}/input_{i}.pb"))
             for i, value in enumerate(session.get_inputs())}
    session.run(None, feeds)
    print(json.dumps({"load_s": load_s, "version": onnxruntime.__version__}), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            session.run(None, feeds)
            times.append(time.perf_counter() - start)
        print(json.dumps(times), flush=True)


# --- measuring ---------------------------------------------------------------------------------------------------------

class PeerDied(Exception):
    """Arguments: which peer, and its last words."""


class Peer:
    """One runtime with one model loaded, in a process of its own."""

    def __init__(self, name: str, command: list[str]):
        self.name = name
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.facts = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise PeerDied(self.name, self.errors.read().strip()[-300:] or f"status {self.process.returncode}")
        return json.loads(line)

    def run(self, count: int) -> list[float]:
        """Milliseconds of each run, after one that is not counted: the other runtime had the caches since."""
        with contextlib.suppress(BrokenPipeError):  # then answer() tells why
            print(count + 1, file=self.process.stdin, flush=True)
        return [1e3 * s for s in self.answer()[1:]]

    def close(self) -> None:
        with contextlib.suppress(OSError):  # it may have died
            self.process.stdin.close()
        self.process.wait()


def alternate(peers: dict[str, Peer], seconds: float, most_runs: int) -> dict[str, list[list[float]]]:
    """Run times by peer and slice."""
    budget = 1e3 * seconds / SLICES
    counts = {name: max(1, min(most_runs // SLICES, int(budget / statistics.median(peer.run(3)))))
              for name, peer in peers.items()}
    slices = {name: [] for name in peers}
    for _ in range(SLICES):
        for name, peer in peers.items():
            slices[name].append(peer.run(counts[name]))
    return slices


def measure(commands: dict[str, list[str]], seconds: float, most_runs: int) -> dict:
    peers, entry = {}, {}
    for name, command in commands.items():
        try:
            peers[name] = Peer(name, command)
        except (OSError, PeerDied, ValueError) as error:
            entry[f"{name}_error"] = str(error.args[-1])
    try:
        slices = alternate(peers, seconds, most_runs)
    except PeerDied as death:
        name, words = death.args
        return entry | {f"{name}_error": words}
    finally:
        for peer in peers.values():
            peer.close()
    for name, times in slices.items():
        entry[f"{name}_ms"] = statistics.median(t for part in times for t in part)
        entry[f"{name}_facts"] = peers[name].facts
    if len(slices) == 2:
        ratios = [statistics.median(a) / statistics.median(b) for a, b in zip(slices[OURS], slices[ORT])]
        entry |= {"ratio": statistics.median(ratios), "ratio_lowest": min(ratios), "ratio_highest": max(ratios)}
    return entry


# --- reporting ---------------------------------------------------------------------------------------------------------

def markdown(results: dict[str, dict], compare: bool) -> str:
    def cell(entry, key):
        return f"{entry[key]:.3f}" if key in entry else "fails" if f"{key[:-3]}_error" in entry else "-"
    if not compare:
        return "\n".join(["| model | ort ms |", "|---|---:|", *(f"| {m} | {cell(e, 'ort_ms')} |" for m, e in results.items())])
    lines = ["| model | ours ms | ort ms | ratio (median) | lowest-highest |", "|---|---:|---:|---:|---:|"]
    for model, entry in results.items():
        spread = f"{entry['ratio_lowest']:.2f}-{entry['ratio_highest']:.2f}" if "ratio" in entry else "-"
        lines.append(f"| {model} | {cell(entry, 'ours_ms')} | {cell(entry, 'ort_ms')} | {cell(entry, 'ratio')} | {spread} |")
    logs = [math.log(entry["ratio"]) for entry in results.values() if "ratio" in entry]
    if logs:
        lines.append(f"| geometric mean of {len(logs)} | | | {math.exp(statistics.mean(logs)):.3f} | |")
    return "\n".join(lines)


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        serve_onnxruntime(*sys.argv[2:])
        return 0
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

    programs = {ORT: [sys.executable, __file__, "--serve"]}
    if args.cmd:
        programs[OURS] = shlex.split(args.cmd)
    models = args.models.split(",") if args.models else sorted(p.parent.name for p in args.zoo.glob("*/model.onnx"))
    results = {}
    for name in models:
        where = [str(args.zoo / name / "model.onnx"), str(args.zoo / name / "test_data_set_0"), str(args.threads)]
        entry = measure({peer: program + where for peer, program in programs.items()}, args.seconds, args.runs)
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
