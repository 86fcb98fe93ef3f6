#!/usr/bin/env python3
"""Seeds for fuzz_load, one file each: single nodes of every operator, as tests/differential draws them, graphs of 8
bits as tests/fuzz does, and small models of the folders given.

  seeds.py CORPUS [FOLDER...] [--nodes 1500] [--graphs 100] [--seed 1] [--most BYTES]
"""
from __future__ import annotations

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "differential"), str(HERE.parent / "fuzz"), str(HERE.parent)]  # before this folder's


def nodes(seed: int, count: int):
    from case import case
    from draw import Unsuitable
    from peers import model_of
    for number in range(count):
        try:
            d = case(seed, number)
            yield f"node_{d.op}_{number}", model_of(d).SerializeToString()
        except Unsuitable:
            continue


def graphs(seed: int, count: int):
    from quantised_graphs import generate
    from values import Rejected
    for number in range(count):
        try:
            yield f"codes_{number}", generate(seed + number).whole().SerializeToString()
        except Rejected:
            continue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="*", help="whose .onnx files, where they are small, are seeds too")
    parser.add_argument("--nodes", type=int, default=1500)
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=20000, help="bytes of a seed")
    args = parser.parse_args()
    args.corpus.mkdir(parents=True, exist_ok=True)
    files = ((f"file_{k}", f.read_bytes()) for folder in args.folders
             for k, f in enumerate(sorted(folder.rglob("*.onnx"))) if f.stat().st_size <= args.most)
    written = 0
    for source in (nodes(args.seed, args.nodes), graphs(args.seed, args.graphs), files):
        for name, data in source:
            if len(data) <= args.most:
                (args.corpus / f"{name}.onnx").write_bytes(data)
                written += 1
    print(f"{written} seeds in {args.corpus}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
