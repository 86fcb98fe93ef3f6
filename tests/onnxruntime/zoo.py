#!/usr/bin/env python3
"""Run the model suite in ONNX Runtime with Inlay's provider in front of its own: the outputs are within each model's
tolerance.

  zoo.py               # the smaller ones, as ../zoo/run.py writes them
  zoo.py --zoo FOLDER  # every FOLDER/MODEL/{model.onnx, tolerance.json, test_data_set_N}
"""
from __future__ import annotations

import argparse
import json
import sys

from peer import HERE, assigned, data_of, differ, free_inputs, onnx, pathlib, register, run, session

sys.path.insert(0, str(HERE.parent / "zoo"))
from run import write_zoo  # noqa: E402


def problems(folder: pathlib.Path, devices: list) -> list[str]:
    tolerance = json.loads((folder / "tolerance.json").read_text())
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    found = []
    made = session(folder / "model.onnx", devices)
    for data in sorted(folder.glob("test_data_set_*")):
        wanted = data_of(data, "output", graph.output)
        inputs = data_of(data, "input", free_inputs(graph))
        for _ in range(2):  # the second run is that of a plan that is there
            got = run(made, inputs, wanted)
            found += [f"{folder.name}: {why}" for g, w in zip(got, wanted) if (why := differ(g, w, tolerance["rtol"], tolerance["atol"]))]
    claimed, nodes = assigned(made)
    print(f"{folder.name:18} {claimed} of {nodes} nodes are Inlay's", flush=True)
    if not claimed:
        found.append(f"{folder.name}: no node is Inlay's")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", type=pathlib.Path)
    args = parser.parse_args()
    folders = sorted(path.parent for path in (args.zoo or write_zoo()).glob("*/model.onnx"))
    devices = register()
    wrong = [what for folder in folders for what in problems(folder, devices)]
    print(f"{len(folders)} models, {len(wrong)} problems", *wrong, sep="\n  ")
    return int(bool(wrong) or not folders)


if __name__ == "__main__":
    sys.exit(main())
