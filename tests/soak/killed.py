#!/usr/bin/env python3
"""Kills the tool while it writes a file over an old one, at times of a fixed seed: the old file or the new one is there, whole.

  killed.py --tool TOOL --digits FILE [--times 200] [--seed 1]
"""
from __future__ import annotations

import argparse
import collections
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

OLD = b"what was there before\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, required=True)
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    digits = args.digits.resolve()
    commands = {
        "quantize": ["quantize", digits, "-o", "out", "--form", "dynamic", "--speed", "0", "--quiet"],
        "optimize": ["optimize", digits, "--output", "out", "--quiet"],
        "plan": ["plan", digits, "--html", "out"],
        "run": ["run", digits, "--random", "--seed", "3", "--set", "batch=2000", "--out", ".", "--quiet"],
    }
    ends, broken = collections.Counter(), []
    for name, words in commands.items():
        target = "output_0.npy" if name == "run" else "out"
        with tempfile.TemporaryDirectory(prefix="inlay-killed-") as folder:
            work = pathlib.Path(folder)
            started = time.monotonic()
            subprocess.run([args.tool.resolve(), *words], cwd=work, check=True, stdout=subprocess.DEVNULL)
            whole, seconds = (work / target).read_bytes(), time.monotonic() - started
            for k in range(args.times // len(commands)):
                (work / target).write_bytes(OLD)
                process = subprocess.Popen([args.tool.resolve(), *words], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(rng.uniform(0.3, 1.05) * seconds)
                process.send_signal(signal.SIGKILL)
                process.wait()
                data = (work / target).read_bytes() if (work / target).exists() else b""
                kind = "old" if data == OLD else "new" if data == whole else "broken"
                ends[kind] += 1
                if kind == "broken":
                    broken.append(f"{name}, seed {args.seed}, number {k}: {len(data)} bytes of {len(whole)}")
    print(*broken, sep="\n")
    print(f"killed {sum(ends.values())} times: {ends['old']} old files, {ends['new']} new ones, {ends['broken']} broken")
    return int(bool(broken) or not sum(ends.values()))


if __name__ == "__main__":
    sys.exit(main())
