#!/usr/bin/env python3
"""Compares what ONNX Runtime has on the CPU of com.microsoft with what Inlay has: onnxruntime_operators.txt with `inlay operators` and what the loader rewrites.

  onnxruntime_operators.py [--tool build/release/bin/inlay]
"""
from __future__ import annotations

import argparse
import os
import sys

from operators import BLOCKED, HERE, REWRITTEN, SEARCHES, answer_of


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", default=os.environ.get("INLAY_TOOL") or str(HERE.parents[1] / "build/release/bin/inlay"))
    a = p.parse_args()
    have = {(o["domain"], o["name"]) for o in answer_of(a.tool, "operators", "--providers", "cpu")[0]["operators"]}
    have |= {("com.microsoft", name) for name in REWRITTEN + SEARCHES} | {("com.microsoft.nchwc", name) for name in BLOCKED}
    faults, count = [], 0
    for line in (HERE / "onnxruntime_operators.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        (domain, name, _), reason = line.partition(":")[0].split(), line.partition(":")[2].strip()
        count += 1
        if ((domain, name) in have) == bool(reason):
            faults.append(f"{domain}.{name}: " + ("Inlay has it; the list gives a reason why not" if reason else "Inlay lacks it"))
    print(f"{count} operators" + "".join(f"\n{fault}" for fault in faults))
    sys.exit(bool(faults or count < 90))


if __name__ == "__main__":
    main()
