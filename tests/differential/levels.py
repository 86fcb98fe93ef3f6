#!/usr/bin/env python3
"""Random single nodes on every instruction set of this machine: their results compared with those of the baseline.

  levels.py --runner RUNNER [--cases 10000] [--seed 7] [--only MatMul,Conv] [--levels sse2,avx2,avx512,avx512bf16]

The cases are those of run.py. Integers, booleans and texts must be equal; floating-point numbers within the tolerance
that the case has next to its peers; how many are equal to the bit is printed, for each two levels. A level that the
machine lacks is left out, by name. Which kernel ran is read from each plan: the operators whose fast kernels a level
never ran are named.
"""
from __future__ import annotations

import argparse
import collections
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "fuzz")]
from cache import skip  # noqa: E402
from process import Died  # noqa: E402

FLAGS = {"sse2": "sse2", "avx2": "avx2", "avx512": "avx512f", "avx512bf16": "avx512_bf16", "amx": "amx_tile"}


def levels_here(requested: list[str]) -> list[str]:
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split())
    usable = [level for level in requested if FLAGS[level] in flags]
    for level in set(requested) - set(usable):
        print(f"left out: this machine has no {level}")
    return usable


class Comparison:
    def __init__(self, args) -> None:
        from trial import Trial
        self.home = tempfile.TemporaryDirectory(prefix="inlay-levels-")
        self.trial = Trial(args.runner, pathlib.Path(self.home.name) / "case")
        self.levels = levels_here(args.levels.split(","))
        self.counts: collections.Counter = collections.Counter()
        self.pairs: collections.Counter = collections.Counter()  # of levels: equal to the bit
        self.unequal: dict[tuple[str, str], collections.Counter] = collections.defaultdict(collections.Counter)
        self.ran: dict[str, collections.Counter] = {level: collections.Counter() for level in self.levels}
        listed = subprocess.run([args.runner, "--fast-operators"], capture_output=True, text=True, check=True).stdout
        self.fast = {line.split()[1] for line in listed.splitlines() if not line.startswith("inlay ")}
        self.problems: list[str] = []

    def results(self, d, model) -> dict[str, object]:
        from trial import read_output, write_input
        folder, threads, results = self.trial.folder, d.pick([1, 2]), {}
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        for k, port in enumerate(model.graph.input):
            write_input(folder / f"input_{k}.pb", d.ports()[port.name], port.name)
        for level in self.levels:
            for old in folder.glob("cpu_*.pb"):
                old.unlink()
            try:
                answer = self.trial.runner.ask(f"{folder} {threads} {level} cpu", 60)
            except Died as e:
                results[level] = f"died: {e}"
                continue
            self.ran[level].update(k.removesuffix(" cpu") for k in answer["cpu_kernels"] if k.endswith(" cpu"))
            files = sorted(folder.glob("cpu_*.pb"), key=lambda f: int(f.name.split("_")[1].split(".")[0]))
            results[level] = answer["cpu"] or ([read_output(f) for f in files], [f.read_bytes() for f in files])
        return results

    def compare(self, number: int, d, model) -> None:
        from trial import outputs_difference
        results = self.results(d, model)
        first = results[self.levels[0]]
        for level in self.levels[1:]:
            result = results[level]
            if isinstance(first, str) or isinstance(result, str):
                are_texts = isinstance(first, str) and isinstance(result, str)
                if not are_texts or first.startswith("died") or result.startswith("died"):
                    self.problem(f"{number}: {d.say()[:200]}: {self.levels[0]} and {level}: {result if isinstance(result, str) else first}")
                self.counts["refused"] += 1
                continue
            self.counts["compared"] += 1
            self.counts["equal"] += first[1] == result[1]
            self.compare_pairs(level, model, results)
            if text := outputs_difference(result[0], first[0], d, ""):
                self.problem(f"{number}: {d.say()[:200]}: {level} compared with {self.levels[0]}: {text}")

    def problem(self, text: str) -> None:
        self.problems.append(text)
        print(text, flush=True)

    def compare_pairs(self, level: str, model, results) -> None:
        for before in self.levels[:self.levels.index(level)]:
            if results[before][1] == results[level][1]:
                self.pairs[before, level] += 1
            else:
                self.unequal[before, level].update({model.graph.node[0].op_type})

    def tell(self) -> None:
        for pair in itertools.combinations(self.levels, 2):
            unequal = ", ".join(f"{op} {n}" for op, n in sorted(self.unequal[pair].items()))
            print(f"{pair[0]} and {pair[1]}: {self.pairs[pair]} equal to the bit; not: {unequal or 'none'}")
        for level in self.levels:
            missing = sorted(self.fast - set(self.ran[level]))
            print(f"{level}: fast kernels of {len(self.fast) - len(missing)} of {len(self.fast)} operators ran, "
                  f"{sum(self.ran[level].values())} times; never: {', '.join(missing) or 'none'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many, and tell what was compared; 0: all cases")
    parser.add_argument("--only", default="", help="operators, with commas")
    parser.add_argument("--levels", default="sse2,avx2,avx512,avx512bf16,amx")
    args = parser.parse_args()
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    from case import case
    from draw import Unsuitable
    from peers import model_of
    start, c = time.monotonic(), Comparison(args)
    nodes = 0
    end = start + 60 * args.minutes if args.minutes else float("inf")
    for number in range(args.first, args.first + args.cases):
        if time.monotonic() > end:
            print(f"stopped before case {number}, after {args.minutes} minutes")
            break
        try:
            d = case(args.seed, number, args.only.split(",") if args.only else None)
            model = model_of(d)
        except Unsuitable:
            continue
        nodes += 1
        c.compare(number, d, model)
    c.tell()
    print(f"seed {args.seed}: {nodes} nodes on {', '.join(c.levels)} in {time.monotonic() - start:.0f} s: {c.counts['compared']} comparisons, "
          f"{c.counts['equal']} equal to the bit, {c.counts['refused']} refused on both; {len(c.problems)} differ")
    return int(bool(c.problems) or not c.counts["compared"])


if __name__ == "__main__":
    sys.exit(main())
