#!/usr/bin/env python3
"""Random graphs of 8-bit codes, as DequantizeLinear and QuantizeLinear around operators of floats.

  quantised.py --runner RUNNER                       # some graphs of a fixed seed; RUNNER: that of tests/differential
  quantised.py --runner RUNNER --graphs 2000 --seed 3
  quantised.py --runner RUNNER --first 17 --graphs 1 --keep FOLDER  # one graph; the models that go wrong stay there

The CPU and the plain loops must give the same codes, whatever the graph's outputs are. Every layer, given the codes that
Inlay computed before it, must be within one step of what ONNX Runtime makes of it in floats; what only moves codes must
be the same.
"""
from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from cache import skip  # noqa: E402
from process import Died, LineProcess  # noqa: E402

SECONDS = 60
LEVELS = ("best", "best", "sse2", "avx2", "avx512")
MOST_DISCARDED = 0.1


class Trial:
    """One graph at a time, in Inlay and in ONNX Runtime."""

    def __init__(self, runner: str, folder: pathlib.Path) -> None:
        self.runner, self.folder = LineProcess([runner]), folder

    def results(self, model, arrays: list, names: list[str], how: str) -> dict[str, dict]:
        """Of the CPU and of the plain loops, by the names of the outputs."""
        import onnx
        from case import write_arrays
        from onnx import numpy_helper
        for old in self.folder.glob("*.pb"):
            old.unlink()
        (self.folder / "model.onnx").write_bytes(model.SerializeToString())
        write_arrays(self.folder, "input", arrays)
        failed = {k: v for k, v in self.runner.ask(f"{self.folder} {how}", SECONDS).items() if v}
        if failed:
            raise Died(str(failed))
        return {who: {name: numpy_helper.to_array(onnx.TensorProto.FromString(
            (self.folder / f"{who}_{k}.tensor.pb").read_bytes())) for k, name in enumerate(names)}
            for who in ("cpu", "reference")}

    def findings(self, g, how: str) -> list[str]:
        import numpy as np
        arrays, found = [x.array for x in g.inputs], []
        whole = self.results(g.whole(), arrays, list(g.encoded), how)
        ends = self.results(g.ends(), arrays, g.leaves(), how)
        for name, plain in whole["reference"].items():
            others = {"the CPU": whole["cpu"][name]}
            if name in ends["cpu"]:
                others |= {"the CPU without inner outputs": ends["cpu"][name],
                           "the plain loops without inner outputs": ends["reference"][name]}
            found += [f"{name}: {who} differs from the plain loops" for who, codes in others.items()
                      if not np.array_equal(codes, plain)]
        return found + self.beside_onnxruntime(g, whole["reference"])

    @staticmethod
    def beside_onnxruntime(g, codes: dict) -> list[str]:
        import numpy as np
        from evaluate import Session
        model = g.apart()
        feeds = {x.name: x.array for x in g.inputs}
        for port in model.graph.input:
            if port.name not in feeds:
                feeds[port.name] = codes[port.name.removesuffix("_given")]
        found = []
        for (name, steps), want in zip(g.encoded.items(), Session(model).run(feeds)):
            off = np.abs(codes[name].astype(np.int32) - want.astype(np.int32))
            if codes[name].dtype != want.dtype or off.size and off.max() > steps:
                found.append(f"{name}: {off.max()} steps from ONNX Runtime in {int((off > steps).sum())} of {off.size}")
        return found


def run(args: argparse.Namespace, trial: Trial) -> int:
    from quantised_graphs import generate
    from values import Rejected
    start, wrong, discarded, layers = time.monotonic(), 0, 0, collections.Counter()
    for number in range(args.first, args.first + args.graphs):
        try:
            g = generate(args.seed * 1_000_000 + number)
        except Rejected:
            discarded += 1
            continue
        how = f"{1 + number % 2} {LEVELS[number % len(LEVELS)]}"
        try:
            found = trial.findings(g, how)
        except (Died, Rejected) as why:
            found = [str(why)]
        layers.update(node.op_type for node in g.nodes)
        wrong += bool(found)
        for text in found[:3]:
            print(f"graph {number} of seed {args.seed}, {how}: {text[:400]}", flush=True)
        if found and args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            (args.keep / f"{args.seed}_{number}.onnx").write_bytes(g.whole().SerializeToString())
    print(f"seed {args.seed}: {args.graphs} graphs, {discarded} discarded, {time.monotonic() - start:.0f} s: "
          f"{wrong} go wrong")
    print("  " + ", ".join(f"{count} {op}" for op, count in layers.most_common()))
    return int(bool(wrong) or not layers or discarded > MOST_DISCARDED * max(args.graphs, 10))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="the program of tests/differential/runner.cpp")
    parser.add_argument("--graphs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first graph")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the models that go wrong")
    args = parser.parse_args()
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    with tempfile.TemporaryDirectory() as folder:
        return run(args, Trial(args.runner, pathlib.Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
