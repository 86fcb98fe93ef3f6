#!/usr/bin/env python3
"""Time models in ONNX Runtime, in ONNX Runtime with Inlay's provider, and in Inlay, and write the table of docs/how-to/onnxruntime.md.

  bench/onnxruntime_table.py ZOO --library build/release/bin/libinlay_onnxruntime_ep.so --markdown docs/how-to/onnxruntime.md

ZOO holds MODEL/{model.onnx, test_data_set_0/input_I.pb}. Each runtime lives in a process of its own (bench/peers.py),
with one thread; they take turns in short slices. A time is what the processor worked for a run, as Linux counts it: the
minimum of all slices, so that other work on the machine adds little.
"""
from __future__ import annotations

import argparse
import datetime
import os
import pathlib
import statistics
import sys

import peers
from report import geometric_mean, processor, put_between_marks, wrapped

SOURCE = pathlib.Path(__file__).resolve().parents[1]
ALONE, WITH, OURS = "onnxruntime", "onnxruntime_inlay", "inlay"


def worked(peer: peers.Peer) -> float:
    """Milliseconds that the process's first thread was on a processor."""
    return int(pathlib.Path(f"/proc/{peer.process.pid}/schedstat").read_text().split()[0]) / 1e6


def measure(commands: dict[str, list[str]], slices: int, slice_ms: float) -> tuple[dict[str, float], str]:
    """Milliseconds by runtime, and ONNX Runtime's version."""
    running = {name: peers.Peer(name, words) for name, words in commands.items()}
    counts = {name: max(1, int(slice_ms / statistics.median(peer.run(3)))) for name, peer in running.items()}
    least = dict.fromkeys(running, float("inf"))
    for k in range(slices):
        for name in list(running)[k % 3:] + list(running)[:k % 3]:
            before = worked(running[name])
            running[name].run(counts[name] - 1)  # and one more, which that does not time
            least[name] = min(least[name], (worked(running[name]) - before) / counts[name])
    for peer in running.values():
        peer.close()
    return least, running[ALONE].facts["version"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--library", required=True)
    parser.add_argument("--tool", default=str(SOURCE / "build/release/bin/inlay"))
    parser.add_argument("--slices", type=int, default=12)
    parser.add_argument("--milliseconds", type=float, default=150, help="of a slice, about; one run at least")
    parser.add_argument("--markdown", type=pathlib.Path)
    args = parser.parse_args()
    os.environ["INLAY_ONNXRUNTIME_EP"] = str(pathlib.Path(args.library).resolve())
    rows, ratios = [], []
    for folder in sorted(path.parent for path in args.zoo.glob("*/model.onnx")):
        arguments = [str(folder / "model.onnx"), str(folder / "test_data_set_0"), "1"]
        commands = {ALONE: peers.command(ALONE) + arguments, WITH: peers.command(WITH) + arguments, OURS: [args.tool, "serve-bench", *arguments]}
        ms, version = measure(commands, args.slices, args.milliseconds)
        ratios.append(ms[ALONE] / ms[WITH])
        rows.append(f"| {folder.name} | {ms[ALONE]:.3g} | {ms[WITH]:.3g} | {ms[OURS]:.3g} | **{ratios[-1]:.2f}** |")
        print(rows[-1], flush=True)
    text = "\n".join([f"{datetime.date.today()}, {processor()}, one thread, ONNX Runtime {version}; milliseconds of processor time per run, the minimum of {args.slices} slices; "
                      f"{geometric_mean(ratios):.2f} times the speed in the geometric mean.", "",
                      "| model | ONNX Runtime | with Inlay's provider | Inlay itself | ratio |", "|---|---:|---:|---:|---:|", *rows])
    if args.markdown:
        put_between_marks(args.markdown, "onnxruntime", wrapped(text))
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
