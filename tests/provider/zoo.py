#!/usr/bin/env python3
"""The smaller models of the suite over a provider and the CPU: results agree, and what the CPU has, the plan has a
reason for.

    zoo.py NAME [--left OPERATOR...] [--least MODEL=NODES...] [--contexts MODEL...] [--contract MODEL...]
            [--restoring OPTION=VALUE] [MODEL...]

NAME is the provider's short name. --left: nothing but these operators, and nodes of data-dependent shapes, may be left
to the CPU. --least: so many nodes of the model are the provider's. --contexts: these also run from a file of what was
compiled, which has not got the original to compile it again; --restoring: an option of the provider that restores.
--contract: of these the provider's capability table gives the same partition. Without models it runs all that are
there; one that is named anywhere and is not among those that run is an error. Needs $INLAY_TOOL; the test is skipped
without the model suite's script.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "zoo"))
from run import data_sets, write_zoo  # noqa: E402
from zoo_facts import input_shapes  # noqa: E402

LATE = "its shapes are known only while it runs"


def problems_of_context(folder: pathlib.Path, name: str, option: str | None) -> list[str]:
    """What is wrong with the results from a file of what was compiled for the first data set."""
    tool, shapes = os.environ["INLAY_TOOL"], [a for name, dims in input_shapes(folder).items() for a in ("--shape", f"{name}={','.join(map(str, dims))}")]
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work) / "context.onnx"
        shutil.copy(folder / "tolerance.json", work)
        for line in ([tool, "compile", folder / "model.onnx", "--providers", f"{name},cpu", *shapes, "--embed-mode", "0", "--without-original", "-o", file],
                     [tool, "test", file, "--providers", f"{name}:{option},cpu" if option else f"{name},cpu", "--contexts", "refuse", data_sets(folder)[0]]):
            result = subprocess.run(line, capture_output=True, text=True, check=False)
            if result.returncode:
                return [f"from a context, inlay {line[1]}: " + (result.stdout + result.stderr).strip()]
    print(f"{folder.name:18} from a context: {result.stdout.strip()}", flush=True)
    return []


def problems_of_contract(folder: pathlib.Path, name: str, plan: dict) -> list[str]:
    """Nodes that the provider's capability table places otherwise than the plan does."""
    line = [os.environ["INLAY_TOOL"], "plan", "--as", f"{name},cpu", "--json", folder / "model.onnx"]
    by_contract = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    pairs = list(zip(plan["nodes"], by_contract["nodes"], strict=True))
    return [f"{a['name']} ({a['op']}) is on {a['provider']}, and by the contract on {b['provider']}: {a['answers']} {b['answers']}"
            for a, b in pairs if a["provider"] != b["provider"]]


def problems(folder: pathlib.Path, a: argparse.Namespace) -> list[str]:
    """What is wrong with the model's results and its plan."""
    tool, model, providers = os.environ["INLAY_TOOL"], folder / "model.onnx", ["--providers", f"{a.name},cpu"]
    result = subprocess.run([tool, "test", *providers, *([] if a.atol is None else ["--atol", a.atol]), model, *data_sets(folder)], capture_output=True, text=True, check=False)
    found = [(result.stdout + result.stderr).strip()] if result.returncode else []
    plan = json.loads(subprocess.run([tool, "plan", *providers, "--json", model], capture_output=True, text=True, check=True).stdout)
    first = plan["providers"][0]["name"]
    nodes = [n for n in plan["nodes"] if not n["provider"].startswith("(")]
    left = [n for n in nodes if n["provider"] != first]
    for n in left:
        reasons = [r["text"] for r in n["answers"] if r["provider"] == first]
        if not reasons or not reasons[0] or (a.left is not None and not (LATE in reasons[0] or n["op"] in a.left)):
            found.append(f"{n['name']} ({n['op']}) is on {n['provider']}: {reasons}")
    taken = len(nodes) - len(left)
    if taken < dict(a.least).get(folder.name, 0):
        found.append(f"it took {taken} nodes of {len(nodes)}")
    print(f"{folder.name:18} {result.stdout.strip()}; {taken} of {len(nodes)} nodes", flush=True)
    if folder.name in a.contract:
        found += problems_of_contract(folder, a.name, plan)
    if folder.name in a.contexts:
        found += problems_of_context(folder, a.name, a.restoring)
    return [f"{folder.name}: {what}" for what in found]


def main() -> int:
    """The status is 1 if a model has a problem."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("name")
    p.add_argument("models", nargs="*", metavar="MODEL")
    p.add_argument("--left", nargs="*", metavar="OPERATOR")
    p.add_argument("--least", nargs="*", default=[], metavar="MODEL=NODES", type=lambda t: (t.split("=")[0], int(t.split("=")[1])))
    p.add_argument("--atol", help="absolute tolerance, of what computes with 16 bits; else the model's")
    p.add_argument("--contexts", nargs="*", default=[], metavar="MODEL")
    p.add_argument("--restoring", metavar="OPTION=VALUE")
    p.add_argument("--contract", nargs="*", default=[], metavar="MODEL")
    a = p.parse_args()
    folders = [file.parent for file in sorted(write_zoo().glob("*/model.onnx")) if not a.models or file.parent.name in a.models]
    absent = {*a.models, *dict(a.least), *a.contexts, *a.contract} - {folder.name for folder in folders}
    if absent:
        p.error(f"these models are named, and are not among those that run: {' '.join(sorted(absent))}")
    wrong = [what for folder in folders for what in problems(folder, a)]
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
