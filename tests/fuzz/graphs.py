#!/usr/bin/env python3
"""Runs random graphs in Inlay and in ONNX Runtime.

  graphs.py --runner build/release/bin/fuzz_runner                     # 500 graphs from the default seed
  graphs.py --runner RUNNER --graphs 20000 --seed 7 --keep FOLDER  # hours; failing graphs are shrunk and kept
  graphs.py --runner RUNNER --provider NAME  # in a provider of the build, and the reference kernels
  graphs.py --runner RUNNER --theme codes    # graphs of 8-bit quantized values

Graph number K of seed S is the same everywhere: `--first K --graphs 1` runs it alone. The exit status is 1 where a
graph has a difference that explained.py has no reason for.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from cache import skip  # noqa: E402
from process import Died, LineProcess  # noqa: E402

GRAPHS, SEED = 500, 1
MOST_DISCARDED = 0.15
SECONDS = 120  # for one graph, with ONNX Runtime's part


def seed_of(run: int, graph: int) -> int:
    return run * 1_000_000 + graph


def work(runner_program: str) -> None:
    """A worker: reads seeds, answers each with one line of JSON."""
    from generate import generate
    from trial import Runner
    from values import Rejected

    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(runner_program, pathlib.Path(folder) / "case")
        for line in sys.stdin:
            answer: dict[str, object] = {}
            try:
                case = generate(int(line))
                unexplained, reasons = runner.sorted_findings(case)
                answer = {"nodes": len(case.model.graph.node), "theme": case.theme, "reasons": reasons,
                          "findings": unexplained}
            except Rejected as rejection:
                answer = {"discarded": str(rejection)}
            print(json.dumps(answer), flush=True)
        runner.close()


class Campaign:
    """Seeds given to workers, and what they say."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.seeds = iter(seed_of(args.seed, k) for k in range(args.first, args.first + args.graphs))
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.done = self.nodes = 0
        self.discarded: collections.Counter[str] = collections.Counter()
        self.explained: collections.Counter[str] = collections.Counter()
        self.failed: dict[int, list[dict[str, str]]] = {}

    def run(self) -> None:
        threads = [threading.Thread(target=self.drive) for _ in range(self.args.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def drive(self) -> None:
        """Feeds one worker; one that died, for which ONNX Runtime is to blame, is started again."""
        worker = LineProcess([sys.executable, __file__, "--worker", "--runner", self.args.runner])
        while True:
            with self.lock:
                seed = next(self.seeds, None)
            if seed is None:
                break
            try:
                answer = worker.ask(str(seed), SECONDS)
            except Died as death:
                answer = {"discarded": f"the worker ended, {death}: graph {seed}"}
            with self.lock:
                self.note(seed, answer)
        worker.close()

    def note(self, seed: int, answer: dict) -> None:
        self.done += 1
        if "discarded" in answer:
            self.discarded[answer["discarded"][:100]] += 1
        else:
            self.nodes += answer["nodes"]
            self.explained.update(answer["reasons"])
            if answer["findings"]:
                self.failed[seed] = answer["findings"]
                self.tell_failure(seed, answer["findings"])
        if self.done % self.args.tell == 0:
            print(f"{self.done} graphs, {len(self.failed)} with differences, {sum(self.discarded.values())} discarded, "
                  f"{time.monotonic() - self.start:.0f} s", flush=True)

    def tell_failure(self, seed: int, findings: list[dict[str, str]]) -> None:
        from trial import signature
        first = findings[0]
        print(f"graph {seed % 1_000_000} of seed {self.args.seed}: {signature(findings)}: {first['configuration']}, "
              f"{first['phase']}: {first['kind']}: {first['text'][:300]}", flush=True)

    def summary(self) -> int:
        discarded = sum(self.discarded.values())
        graph_count = max(1, self.done - discarded)
        print(f"seed {self.args.seed}: {self.done} graphs of {self.nodes / graph_count:.1f} nodes, "
              f"{time.monotonic() - self.start:.0f} s")
        print(f"  {discarded} discarded ({100 * discarded / max(1, self.done):.1f} %)")
        for reason, count in self.discarded.most_common(8 if discarded else 0):
            print(f"    {count}: {reason}")
        for name, count in self.explained.most_common():
            print(f"  {count} with an explained difference: {name}")
        print(f"  {len(self.failed)} with an unexplained difference", flush=True)
        unanswered = self.args.graphs - self.done
        if unanswered:
            print(f"{unanswered} graphs have no answer")
        too_many = self.done >= 100 and discarded > MOST_DISCARDED * self.done
        if too_many:
            print("too many are discarded: the generator needs work")
        return int(bool(self.failed or unanswered) or too_many)


def keep(campaign: Campaign, folder: pathlib.Path, most: int) -> None:
    """Shrinks the failing graphs, as many of each signature as may be, and writes them out."""
    from trial import signature
    counts: collections.Counter[str] = collections.Counter()
    causes: collections.Counter[str] = collections.Counter()
    for seed, findings in sorted(campaign.failed.items()):
        kind = signature(findings)
        counts[kind] += 1
        if counts[kind] > most:
            continue
        command = [sys.executable, str(HERE / "shrink.py"), "--runner", campaign.args.runner, "--keep", str(folder)]
        shrinker = LineProcess(command)
        try:
            cause = shrinker.ask(str(seed), 600)["cause"]
            causes[cause] += 1
            print(f"shrunk {seed}: {cause}", flush=True)
        except Died as death:
            print(f"seed {seed} could not be shrunk: {death}", flush=True)
        shrinker.close()
    for kind, count in counts.most_common():
        print(f"  {count}: {kind}")
    for cause, count in causes.most_common():
        print(f"  {count} shrunk to {cause}", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="the program of runner.cpp")
    parser.add_argument("--graphs", type=int, default=GRAPHS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=0, help="number of the first graph")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for failing graphs, shrunk")
    parser.add_argument("--most", type=int, default=20, help="failing graphs to shrink of each kind")
    parser.add_argument("--tell", type=int, default=100, help="a line of progress after so many graphs")
    parser.add_argument("--provider", help="the package of a provider, instead of the CPU at each instruction set")
    parser.add_argument("--theme", help="of generate.py, instead of one by chance")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    args = arguments()
    try:
        import onnx  # noqa: F401
        import onnxruntime
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    if args.provider:
        os.environ["INLAY_FUZZ_PROVIDER"] = args.provider
    if args.theme:
        os.environ["INLAY_FUZZ_THEME"] = args.theme
    if args.worker:
        work(args.runner)
        return 0
    print(f"seed {args.seed}, graphs {args.first} to {args.first + args.graphs - 1}, compared with ONNX Runtime "
          f"{onnxruntime.__version__}{', in ' + args.provider if args.provider else ''}", flush=True)
    campaign = Campaign(args)
    campaign.run()
    if args.keep and campaign.failed:
        keep(campaign, args.keep, args.most)
    return campaign.summary()


if __name__ == "__main__":
    sys.exit(main())
