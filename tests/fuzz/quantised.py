#!/usr/bin/env python3
"""Random graphs of 8-bit quantized values, as DequantizeLinear and QuantizeLinear around operators of float32.

  quantised.py --runner RUNNER                       # some graphs of a fixed seed; RUNNER: that of tests/differential
  quantised.py --runner RUNNER --graphs 2000 --seed 3
  quantised.py --runner RUNNER --first 17 --graphs 1 --keep FOLDER  # one graph; the models that go wrong stay there

What is computed in integers must be the same by the CPU's and the reference kernels, whatever the graph's outputs are.
Every layer, given the quantized values that Inlay computed before it, must be within one step of ONNX Runtime's in
float32; what only moves quantized values must be the same.
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
MOST_DISCARDED, LEAST_IN_INTEGERS = 0.1, 0.5


class Results:
    """Of the CPU's and of the reference kernels, by the names of the outputs; and the layers that were computed in
    integers."""

    def __init__(self, folder: pathlib.Path, names: list[str]) -> None:
        import onnx
        from onnx import numpy_helper

        def read(provider: str) -> dict:
            files = {name: folder / f"{provider}_{k}.tensor.pb" for k, name in enumerate(names)}
            protos = {name: onnx.TensorProto.FromString(f.read_bytes()) for name, f in files.items()}
            return {name: numpy_helper.to_array(proto) for name, proto in protos.items()}
        self.cpu, self.plain = read("cpu"), read("reference")
        self.fused = {provider: set((folder / f"{provider}_fused.txt").read_text().split()) for provider in ("cpu", "reference")}


class Trial:
    """One graph at a time, in Inlay and in ONNX Runtime."""

    def __init__(self, runner: str, folder: pathlib.Path) -> None:
        self.runner, self.folder = LineProcess([runner]), folder
        self.layers = self.in_integers = self.whole_graphs = 0

    def results(self, model, arrays: list, names: list[str], settings: str) -> Results:
        from case import write_arrays
        for old in [*self.folder.glob("*.pb"), *self.folder.glob("*.txt")]:
            old.unlink()
        (self.folder / "model.onnx").write_bytes(model.SerializeToString())
        write_arrays(self.folder, "input", arrays)
        answer = self.runner.ask(f"{self.folder} {settings}", SECONDS)
        failed = {name: answer[name] for name in ("cpu", "reference") if answer[name]}
        if failed:
            raise Died(str(failed))
        return Results(self.folder, names)

    def findings(self, g, settings: str) -> list[str]:
        arrays, names = [x.array for x in g.inputs], list(g.encoded)
        whole, ends = self.results(g.whole(), arrays, names, settings), self.results(g.ends(), arrays, g.leaves(), settings)
        integers = whole.fused["reference"] & set(names)
        self.layers += len(names)
        self.in_integers += len(integers)
        texts = [f"{name}: in integers on one of the two only" for name in integers ^ (whole.fused["cpu"] & set(names))]
        texts += different(ends.plain, whole.plain, "other outputs give other quantized values in the reference kernels")
        if len(integers) == len(names):  # float32 may be rounded in another way, and what follows from them
            self.whole_graphs += 1
            texts += different(whole.cpu, whole.plain, "the CPU differs from the reference kernels")
            texts += different(ends.cpu, whole.plain, "the CPU without inner outputs differs from the reference kernels")
        model = g.apart()
        feeds = {x.name: x.array for x in g.inputs}
        feeds |= {p.name: whole.plain[p.name.removesuffix("_given")] for p in model.graph.input if p.name not in feeds}
        apart = self.results(model, [feeds[p.name] for p in model.graph.input], names, settings)
        texts += different(apart.plain, whole.plain, "a layer by itself gives other quantized values")
        texts += different({n: apart.cpu[n] for n in integers}, apart.plain, "a layer differs from the reference kernels'")
        return texts + beside_onnxruntime(g, model, feeds, apart)


def different(results: dict, expected: dict, text: str) -> list[str]:
    import numpy as np
    return [f"{name}: {text}" for name, codes in results.items() if not np.array_equal(codes, expected[name])]


def beside_onnxruntime(g, model, feeds: dict, apart: Results) -> list[str]:
    import numpy as np
    from evaluate import Session
    texts = []
    for (name, steps), expected in zip(g.encoded.items(), Session(model).run(feeds)):
        for side, result in (("the CPU", apart.cpu[name]), ("the reference kernels", apart.plain[name])):
            off = np.abs(result.astype(np.int32) - expected.astype(np.int32))
            if result.dtype != expected.dtype or off.max() > steps:
                texts.append(f"{name}: {side} are {off.max()} steps from ONNX Runtime in {int((off > steps).sum())} of "
                             f"{off.size}")
    return texts


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
        settings = f"{1 + number % 2} {LEVELS[number % len(LEVELS)]}"
        try:
            texts = trial.findings(g, settings)
        except (Died, Rejected) as failure:
            texts = [str(failure)]
        layers.update(node.op_type for node in g.nodes)
        wrong += bool(texts)
        for text in texts[:3]:
            print(f"graph {number} of seed {args.seed}, {settings}: {text[:400]}", flush=True)
        if texts and args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            (args.keep / f"{args.seed}_{number}.onnx").write_bytes(g.whole().SerializeToString())
    print(f"seed {args.seed}: {args.graphs} graphs, {discarded} discarded, {time.monotonic() - start:.0f} s: "
          f"{wrong} go wrong")
    print(f"  {trial.layers} layers, {trial.in_integers} of them in integers; {trial.whole_graphs} graphs wholly")
    print("  " + ", ".join(f"{count} {op}" for op, count in layers.most_common()))
    few = trial.in_integers < LEAST_IN_INTEGERS * trial.layers
    if few:
        print("too few layers are computed in integers: nothing is tested")
    return int(bool(wrong) or few or not layers or discarded > MOST_DISCARDED * max(args.graphs, 10))


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
