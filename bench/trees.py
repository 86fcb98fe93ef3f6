#!/usr/bin/env python3
"""Time forests and boosted trees in Inlay and in ONNX Runtime.

  bench/trees.py                        # build/release/bin/inlay, 1 and 2 threads, one row and 10,000
  bench/trees.py --tool PROGRAM --seconds 2 --models forest

forest: TreeEnsembleClassifier, 100 trees of depth 10, three classes. boosting: TreeEnsembleRegressor, 500 trees of
depth 6. 50 features. Trees are complete, their features and thresholds random, of a fixed seed. The runtimes are
processes of their own and take turns in short slices (bench/peers.py); the ratio is ONNX Runtime's time over Inlay's,
medians of the same slice: its median over the slices and the band of 10 to 90 %. Above 1 Inlay is faster. The status is
1 if results differ.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import peers
from report import band

FEATURES, SLICES, MOST_RUNS = 50, 15, 15_000
SOURCE = pathlib.Path(__file__).resolve().parents[1]


def forest(kind: str):
    """The attributes of a model of complete trees, in the order in which converters write them: depth first."""
    import numpy as np
    rng = np.random.default_rng(1)
    trees, depth, targets = (100, 10, 3) if kind == "forest" else (500, 6, 1)
    lists = {name: [] for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")}
    votes = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}

    def grow(tree: int, level: int) -> int:
        at = lists["nodeids"][-1] + 1 if lists["treeids"] and lists["treeids"][-1] == tree else 0
        leaf = level == depth
        row = (tree, at, 0 if leaf else int(rng.integers(FEATURES)), 0.0 if leaf else float(np.float32(rng.normal())), "LEAF" if leaf else "BRANCH_LEQ", 0, 0)
        for values, value in zip(lists.values(), row):
            values.append(value)
        if leaf:
            shares = rng.dirichlet([1] * targets) / trees if targets > 1 else [float(rng.normal() / trees)]
            for target, weight in enumerate(shares):
                for values, value in zip(votes.values(), (tree, at, target, float(np.float32(weight)))):
                    values.append(value)
            return at
        place = len(lists["treeids"]) - 1
        lists["truenodeids"][place] = grow(tree, level + 1)
        lists["falsenodeids"][place] = grow(tree, level + 1)
        return at
    for tree in range(trees):
        grow(tree, 0)
    classes = targets > 1
    attributes = {f"nodes_{k}": v for k, v in lists.items()} | {f"{'class' if classes else 'target'}_{k}": v for k, v in votes.items()}
    return attributes | ({"classlabels_int64s": list(range(targets))} if classes else {"n_targets": 1})


def write_model(kind: str, rows: int, folder: pathlib.Path) -> None:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    classes = kind == "forest"
    outputs = [helper.make_tensor_value_info("label", TensorProto.INT64, [None])] if classes else []
    outputs.append(helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 3 if classes else 1]))
    node = helper.make_node("TreeEnsembleClassifier" if classes else "TreeEnsembleRegressor", ["x"], [o.name for o in outputs], domain="ai.onnx.ml", **forest(kind))
    graph = helper.make_graph([node], kind, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, FEATURES])], outputs)
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)])
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    x = np.random.default_rng(rows).normal(size=(rows, FEATURES)).astype(np.float32)
    (folder / "set").mkdir()
    (folder / "set" / "input_0.pb").write_bytes(numpy_helper.from_array(x, "x").SerializeToString())
    import onnxruntime
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    for k, y in enumerate(session.run(None, {"x": x})):
        (folder / "set" / f"output_{k}.pb").write_bytes(numpy_helper.from_array(y).SerializeToString())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(SOURCE / "build/release/bin/inlay"))
    parser.add_argument("--seconds", type=float, default=4, help="of each runtime, for each line")
    parser.add_argument("--models", default="forest,boosting")
    parser.add_argument("--rows", default="1,10000")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    wrong, lines = 0, []
    print("| model | rows | threads | Inlay | ONNX Runtime | ratio | 10 to 90 % |\n|---|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as work:
        for kind in args.models.split(","):
            for rows in map(int, args.rows.split(",")):
                folder = pathlib.Path(work) / f"{kind}_{rows}"
                write_model(kind, rows, folder)
                process = peers.subprocess.run([args.tool, "test", folder / "model.onnx", folder / "set", "--rtol", "1e-4", "--atol", "1e-5", "--quiet"])
                wrong += process.returncode != 0
                for threads in map(int, args.threads.split(",")):
                    lines.append(measure(args, kind, rows, threads, folder))
    if args.json:
        args.json.write_text(json.dumps(lines, indent=1))
    return int(wrong > 0)


def measure(args, kind: str, rows: int, threads: int, folder: pathlib.Path) -> dict:
    arguments = [str(folder / "model.onnx"), str(folder / "set"), str(threads)]
    commands = {"inlay": [args.tool, "serve-bench", *arguments],
                "onnxruntime": [sys.executable, str(SOURCE / "bench/peers.py"), "onnxruntime", *arguments]}
    measured = peers.measure(commands, args.seconds, MOST_RUNS, SLICES, {})
    if measured.errors:
        print(f"| {kind} | {rows} | {threads} | failed: {measured.errors} |")
        return {"model": kind, "rows": rows, "threads": threads, "failed": measured.errors}
    medians = {name: statistics.median(t for part in slices for t in part) for name, slices in measured.slices.items()}
    ratio = band([statistics.median(a) / statistics.median(b) for a, b in zip(measured.slices["onnxruntime"], measured.slices["inlay"])])
    print(f"| {kind} | {rows} | {threads} | {medians['inlay']:.4g} ms | {medians['onnxruntime']:.4g} ms | {ratio['ratio']:.2f} | {ratio['low']:.2f} to {ratio['high']:.2f} |", flush=True)
    return {"model": kind, "rows": rows, "threads": threads, "ms": medians, **ratio}


if __name__ == "__main__":
    sys.exit(main())
