#!/usr/bin/env python3
"""Random single nodes in Inlay, by the CPU's and the reference kernels, against ONNX Runtime and ONNX's reference
evaluator.

  run.py --runner RUNNER                               # quick: some hundred cases of a fixed seed
  run.py --runner RUNNER --cases 10000 --seed 7 --jobs 2 --report FILE.json
  run.py --runner RUNNER --only Resize,Pad --cases 500
  run.py --runner RUNNER --show 1234 --seed 7          # one case, with every peer's result; --keep FOLDER writes it

The status is 1 if a result or a refusal differs from the peers' and explained.py has no reason for it.
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "fuzz")]
from cache import skip  # noqa: E402
from process import Died, LineProcess  # noqa: E402

SECONDS = 120
PEERS = ("onnxruntime", "reference evaluator", "formula")


class Tally:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.next = 0
        self.answers: list[dict] = []


def work(args, tally: Tally, first: int, count: int) -> None:
    worker = LineProcess([sys.executable, str(HERE / "trial.py"), args.runner, str(args.seed), args.only])
    while True:
        with tally.lock:
            if tally.next >= count:
                break
            number = first + tally.next
            tally.next += 1
        try:
            answer = worker.ask(str(number), SECONDS)
        except Died as e:
            answer = who_died(args, number, str(e))
        with tally.lock:
            tally.answers.append({"number": number, **answer})
    worker.close()


def who_died(args, number: int, text: str) -> dict:
    """A peer that ends the program leaves a case without an answer; if it was none of them, that is a finding."""
    from case import operator_of
    operator = operator_of(number, args.only.split(",") if args.only else None)
    peer = any(text.endswith(f"during {name}") for name in PEERS if name != "formula")
    entries = [] if peer else [{"who": "the worker", "kind": "died", "text": text}]
    return {"operator": operator, "case": operator, "findings": entries, "ran": [], "refusals": {}, "died": text}


def judge(answers: list[dict]) -> tuple[list[dict], collections.Counter]:
    """Findings without a reason, and how often each reason was needed."""
    from explained import explanation
    findings, reasons = [], collections.Counter()
    for a in answers:
        for f in a["findings"]:
            reason = explanation(a["operator"], a["case"], f)
            if reason:
                reasons[reason] += 1
            else:
                findings.append({**f, "operator": a["operator"], "case": a["case"], "number": a["number"]})
    return findings, reasons


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="the program of runner.cpp")
    parser.add_argument("--cases", type=int, default=850)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="operators, with commas")
    parser.add_argument("--show", type=int, help="the number of one case")
    parser.add_argument("--keep", type=pathlib.Path, help="with --show: a folder for the model and its data")
    parser.add_argument("--report", type=pathlib.Path, help="a file of JSON with all findings")
    args = parser.parse_args()
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    if args.show is not None:
        return show(args)
    start, tally = time.monotonic(), Tally()
    threads = [threading.Thread(target=work, args=(args, tally, 0, args.cases)) for _ in range(args.jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return report(args, tally.answers, time.monotonic() - start)


def report(args, answers: list[dict], seconds: float) -> int:
    findings, reasons = judge(answers)
    peers = collections.Counter(len(set(PEERS) & set(a["ran"])) for a in answers)
    for f in sorted(findings, key=lambda f: (f["operator"], f["kind"], f["who"])):
        print(f"{f['number']}: {f['who']}: {f['kind']}: {f['case'][:400]}\n    {f['text'][:400]}")
    for reason, count in sorted(reasons.items()):
        print(f"explained {count} times: {reason}")
    for a in answers:
        if "died" in a:
            print(f"{a['number']}: {a['case']}: {a['died']}")
    if args.report:
        args.report.write_text(json.dumps({"findings": findings, "answers": answers}, indent=1))
    print(f"seed {args.seed}: {len(answers)} cases of {len({a['operator'] for a in answers})} operators in {seconds:.0f} s; run by two peers or three: {peers[2] + peers[3]}, "
          f"by one: {peers[1]}, by none: {peers[0]}; {len(findings)} findings without a reason, {sum(reasons.values())} with one")
    return int(bool(findings) or not answers)


def show(args) -> int:
    from case import case
    from trial import Trial
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="differential-case-"))
    d = case(args.seed, args.show, args.only.split(",") if args.only else None)
    trial = Trial(args.runner, folder)
    from peers import model_of
    model = model_of(d)
    everything = trial.theirs(d, model) | trial.ours(d, model)
    print(d.say())
    for k, p in enumerate(d.inputs):
        print(f"input {k}: {p.value!r}"[:1500])
    for name, r in everything.items():
        print(f"{name}: {r!r}"[:1500])
    answer = trial.answer(d)
    for f in answer["findings"]:
        print(f"{f['who']}: {f['kind']}: {f['text']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
