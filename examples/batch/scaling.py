#!/usr/bin/env python3
"""What two workers of Ray Data or Spark gain over one, on a machine with nothing else to do.

  scaling.py ray --rows 12000000 --rounds 3

Runs million_rows.py over all rows and over a tenth of them, with one worker and with two, in turn; of each the least time counts, and the
difference of the two sizes is without the engine's start. Prints seconds, rows per second of each, and their ratio. Two workers need two
idle cores, and Ray a third one to read.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys


def seconds(engine: str, rows: int, workers: int) -> float:
    words = [sys.executable, str(pathlib.Path(__file__).with_name("million_rows.py")), engine, "--rows", str(rows), "--workers", str(workers)]
    process = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return float(json.loads(process.stdout.splitlines()[-1])["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=["ray", "spark"])
    parser.add_argument("--rows", type=int, default=12_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    few = args.rows // 10
    least: dict[tuple[int, int], float] = {}
    for _ in range(args.rounds):
        for workers in (1, 2):
            for rows in (few, args.rows):
                took = seconds(args.engine, rows, workers)
                least[workers, rows] = min(took, least.get((workers, rows), took))
    rate = {workers: round((args.rows - few) / (least[workers, args.rows] - least[workers, few])) for workers in (1, 2)}
    print(json.dumps({
        "engine": args.engine, "rows": args.rows, "load": round(os.getloadavg()[0], 1),
        "seconds": {f"{workers} workers, {rows} rows": took for (workers, rows), took in least.items()},
        "rows_per_second": rate, "gain": round(rate[2] / rate[1], 2),
    }))


if __name__ == "__main__":
    main()
