#!/usr/bin/env python3
"""Writes docs/reference/operators.md: each operator of ONNX and of com.microsoft, its versions, and what runs it, by `inlay operators` and onnx's schemas.

  operators.py [--tool build/release/bin/inlay] [--write docs/reference/operators.md]
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

from onnx import defs

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from report import wrapped  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WITHOUT_KERNELS = {"Constant": "by the loader", "If": "by the session", "Loop": "by the session", "Scan": "by the session"}
REWRITTEN = re.findall(r'^    \{"(\w+)",', (HERE.parents[1] / "src/onnx/microsoft.cpp").read_text(), re.M)  # the table of that file
BLOCKED = re.findall(r'op == "(\w+)"', (HERE.parents[1] / "src/onnx/nchwc.cpp").read_text())  # of com.microsoft.nchwc
SEARCHES = ["BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"]
WHOLE_NUMBERS = ["int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64"]
SHORT = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16"}


def types_text(types: list[str]) -> str:
    """The element types of the first type constraint, the whole numbers together where there are all of 8 to 64 bits."""
    whole = [t for t in types if t in WHOLE_NUMBERS]
    rest = [SHORT.get(t, t) for t in types if t not in WHOLE_NUMBERS]
    if {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} <= set(whole):
        whole = ["integers"] + [t for t in whole if t in ("int2", "int4", "uint2", "uint4")]
    return ", ".join(rest + whole)


def what_runs(name: str, domain: str, kernels: dict, schemas: list) -> tuple[str, str]:
    """The cells of the fast kernels and of the plain loop."""
    if not kernels:
        if (domain, name) == ("ai.onnx.preview.training", "Gradient"):
            return "by ONNX's operators", ""
        if name in WITHOUT_KERNELS and domain == "ai.onnx":
            return WITHOUT_KERNELS[name], ""
        if domain.startswith("com.microsoft"):
            return "by the session" if name in SEARCHES else "by ONNX's operators", ""
        newest = schemas[-1]
        if newest.has_function or newest.has_context_dependent_function:
            return "by ONNX's function", ""
        return "**missing**", "**missing**"
    return types_text(kernels.get("cpu", {}).get("types", [])), types_text(kernels.get("reference", {}).get("types", []))


def asked(tool: str, *words: str) -> list[dict]:
    """Of each provider, what a command of the tool says."""
    done = subprocess.run([tool, *words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["providers"]


def by_engine(tool: str) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Of each operator, the engines by the element types that they take it of: those of their kernels or contracts, newest version."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    engines = sorted({p["short_name"] for p in asked(tool, "providers")} - {"cpu", "reference"})
    for engine, of in zip(engines, asked(tool, "operators", "--providers", ",".join(engines))):
        types: dict[tuple[str, str], list[str]] = {}
        codes: dict[tuple[str, str], list[str]] = {}
        for o in of["operators"]:
            types[o["domain"], o["name"]] = [t for k in o["kernels"] if k["device"] == engine for t in k["types"]]
        for row in of.get("contract", {}).get("table", []):
            for op in row["operators"].split():
                domain, _, name = op.rpartition(":")
                known = types.setdefault((domain or "ai.onnx", name), [])
                known += [t for t in row["types"] if t not in known]
                coded = codes.setdefault((domain or "ai.onnx", name), [])
                coded += [t for t in row["codes"] if t not in coded]
        for op, names in types.items():
            coded = f"codes of {types_text(codes[op])}" if codes.get(op) else ""
            if names or coded:
                found[op][", ".join(filter(None, [types_text(names), coded]))].append(engine)
    return found


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", default=os.environ.get("INLAY_TOOL") or str(HERE.parents[1] / "build/release/bin/inlay"))
    p.add_argument("--write", type=pathlib.Path)
    a = p.parse_args()
    have = {(o["domain"], o["name"]): {k["device"]: k for k in o["kernels"]} for o in asked(a.tool, "operators", "--providers", "cpu")[0]["operators"]}
    engines = by_engine(a.tool)
    schemas = collections.defaultdict(list)
    for s in sorted(defs.get_all_schemas_with_history(), key=lambda s: s.since_version):
        schemas[s.domain or "ai.onnx", s.name].append(s)
    for domain, name in have:
        if domain == "com.microsoft":
            schemas[domain, name] = []
    for name in REWRITTEN + SEARCHES:
        schemas["com.microsoft", name] = []
    for name in BLOCKED:
        schemas["com.microsoft.nchwc", name] = []
    rows, missing = collections.defaultdict(list), 0
    for (domain, name), of_name in sorted(schemas.items()):
        fast, plain = what_runs(name, domain, have.get((domain, name), {}), of_name)
        missing += fast == "**missing**"
        others = "; ".join(f"{', '.join(names)}: {types}" for types, names in engines[domain, name].items())
        rows[domain].append(f"| {name} | {', '.join(str(s.since_version) for s in of_name) or '1'} | {fast} | {plain} | {others} |")
    text = f"""# Operators
Every operator of onnx's schemas, and those of com.microsoft that Inlay has. Made by `tests/conformance/operators.py --write docs/reference/operators.md` from the catalogue that the planner reads (`inlay operators`).
{sum(map(len, rows.values()))} operators, {missing} of them missing.

*versions*: the schemas; a kernel takes all of them. *fast*, *plain loop*: the element types, of the operator's first type constraint, of the CPU's fast kernels and of the loop that the CPU and the reference provider have.
*by ONNX's function*: the loader replaces the node by the nodes that define it; *by ONNX's operators*: by nodes of ai.onnx that mean the same. *by the session*: it has bodies, which are graphs of their own. *engines*: the types of which other providers take it, by their kernels or the tables of their [contracts](contracts.md), in the newest version of their libraries, which also ask for ranks, constants and attributes (`inlay operators --providers NAME`);
*codes of*: between DequantizeLinear and QuantizeLinear. An engine decides for itself: `inlay plan MODEL --providers LIST` tells of each node.

"""
    for domain in sorted(rows):
        text += f"## {domain}\n| operator | versions | fast | plain loop | engines |\n|---|---|---|---|---|\n" + "\n".join(rows[domain]) + "\n\n"
    if a.write:
        a.write.write_text(wrapped(text).rstrip() + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
