#!/usr/bin/env python3
"""Writes docs/reference/operators: each operator of ONNX and of com.microsoft in its group, with its formula, its versions, and what runs
it, by `inlay operators`, the kernels' files and onnx's schemas.

  operators.py [--tool build/release/bin/inlay] [--write docs/reference/operators]
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

sys.path += [str(pathlib.Path(__file__).resolve().parents[2] / "bench"), str(pathlib.Path(__file__).resolve().parents[1] / "style")]
from long_sentences import LONGEST, sentences, words_of  # noqa: E402
from operator_groups import GROUPS, HEADINGS  # noqa: E402
from replaced_operators import REPLACED  # noqa: E402
from report import wrapped  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parents[1] / "kernels/inlay"
DOMAINS = {"onnx": "ai.onnx", "ml": "ai.onnx.ml", "microsoft": "com.microsoft", "training": "ai.onnx.preview.training"}
WITHOUT_KERNELS = {"Constant": "by the loader", "If": "by the session", "Loop": "by the session", "Scan": "by the session"}
REWRITTEN = re.findall(r'^    \{"(\w+)",', (HERE.parents[1] / "src/onnx/microsoft.cpp").read_text(), re.M)  # the table of that file
BLOCKED = re.findall(r'op == "(\w+)"', (HERE.parents[1] / "src/onnx/nchwc.cpp").read_text())  # of com.microsoft.nchwc
CONTROL_FLOW = "onnx/control_flow"  # run by the session, so that no list names it
SEARCHES = ["BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"]
MANY = 10  # operators in a heading
WHOLE_NUMBERS = ["int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64"]
SHORT = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16"}


def types_text(types: list[str]) -> str:
    """The element types of the first type constraint, the whole numbers together where there are all of 8 to 64
    bits."""
    whole = [t for t in types if t in WHOLE_NUMBERS]
    rest = [SHORT.get(t, t) for t in types if t not in WHOLE_NUMBERS]
    if {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} <= set(whole):
        whole = ["integers"] + [t for t in whole if t in ("int2", "int4", "uint2", "uint4")]
    return ", ".join(rest + whole)


def what_runs(name: str, domain: str, kernels: dict, schemas: list) -> tuple[str, str]:
    """The cells of the fast kernels and of the reference kernel."""
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


def answer_of(tool: str, *words: str) -> list[dict]:
    """Of each provider, what a command of the tool says."""
    process = subprocess.run([tool, *words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(process.stdout)["providers"]


def by_engine(tool: str) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Of each operator, the engines by the element types for which they claim it: those of their kernels or capability
    tables, newest version."""
    types_by_engine = collections.defaultdict(lambda: collections.defaultdict(list))
    engines = sorted({p["short_name"] for p in answer_of(tool, "providers")} - {"cpu", "reference"})
    for engine, of in zip(engines, answer_of(tool, "operators", "--providers", ",".join(engines))):
        types: dict[tuple[str, str], list[str]] = {}
        codes: dict[tuple[str, str], list[str]] = {}
        for o in of["operators"]:
            types[o["domain"], o["name"]] = [t for k in o["kernels"] if k["device"] == engine for t in k["types"]]
        for row in of.get("contract", {}).get("table", []):
            for op in row["operators"].split():
                domain, _, name = op.rpartition(":")
                type_list = types.setdefault((domain or "ai.onnx", name), [])
                type_list += [t for t in row["types"] if t not in type_list]
                coded = codes.setdefault((domain or "ai.onnx", name), [])
                coded += [t for t in row["codes"] if t not in coded]
        for op, names in types.items():
            coded = f"quantized {types_text(codes[op])}" if codes.get(op) else ""
            if names or coded:
                types_by_engine[op][", ".join(filter(None, [types_text(names), coded]))].append(engine)
    return types_by_engine


def formula(file: str) -> str:
    """The comment that a kernel's file begins with, as Markdown."""
    text = (KERNELS / f"{file}.hpp").read_text()
    comment = re.match(r"(?://.*\n)+", text)[0]
    blocks = [""]
    for line in comment.splitlines():
        words = line.removeprefix("//")
        is_in_item = blocks[-1].startswith("- ") and words.startswith(" " * 6)
        if words.startswith("   ") and not is_in_item:  # further in than the rest: an item of a list
            blocks.append("- " + re.sub(r"^(\w+)  +", r"\1: ", words.strip()))
        elif blocks[-1].startswith("- ") and not is_in_item:
            blocks.append(words.strip())
        else:
            blocks[-1] += words
    blocks = [re.sub(" +", " ", block) for block in blocks]
    plain = "\n\n".join(block if block.startswith("- ") else with_shorter_sentences(block) for block in blocks).replace("\n\n- ", "\n- ")
    return "".join(part if part.startswith("`") else escaped(part) for part in re.split(r"(`[^`]*`)", plain))


def with_shorter_sentences(text: str) -> str:
    """The text, whose long sentences are cut at their semicolons: into a list where there are many, else into others."""
    blocks = [""]
    for sentence in sentences(text):
        parts = re.split(r"; (?![^()]*\)|[^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", sentence.strip())
        if len(words_of(sentence)) <= LONGEST:
            blocks[-1] += sentence
        elif len(parts) > 3:
            parts = re.split("\0", re.sub("\0(?=of (?!com\\.))", "; ", "\0".join(parts)))  # not an item by itself
            blocks += [";\n".join(f"- {part}" for part in parts), ""]
        else:
            blocks[-1] += " " + ". ".join(re.sub(r"^[a-z]+\b(?!_)", lambda word: word[0].capitalize(), part) for part in parts)
    return "\n\n".join(block.strip() for block in blocks if block.strip())


def escaped(text: str) -> str:
    """Without what Markdown and HTML would read otherwise."""
    return re.sub(r"([\\*_\[\]|])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;")).replace("](", "]\\(")


def files_of_operators(operators: set[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The kernel file of each operator: by the lists of operators, whose names are those of types."""
    by_lower = {(domain, name.lower()): (domain, name) for domain, name in operators}
    files = {}
    for listed in KERNELS.glob("*/operators.hpp"):
        if listed.parent.name == "fused":  # those are Inlay's own, of which some have names of com.microsoft's
            continue
        for type_name, file in re.findall(r'X\((\w+), "([\w/]+)"\)', listed.read_text()):
            folder = "microsoft" if type_name.startswith("microsoft_") else file.partition("/")[0]
            plain = re.sub(r"^(microsoft|onnx|logical)_|_of$", "", type_name).replace("_", "")
            op = by_lower.get((DOMAINS[folder], plain)) or by_lower.get(("com.microsoft", plain))
            if op:  # else one of Inlay's own, which no model names
                files[op] = file
    return files


TABLE = "| operator | versions | fast | reference | engines |\n|---|---|---|---|---|\n"
LEGEND = """
*versions*: the schemas; a kernel supports all of them. *fast*, *reference*: the element types, of the operator's first type
constraint, of the CPU's fast kernels and of the reference kernel that the CPU and the reference provider have.
*engines*: the types for which other providers claim it, by their kernels or their [capability tables](../contracts.md), in the
newest version of their libraries. These also check ranks, constants and attributes (`inlay operators --providers NAME`).
*quantized*: between DequantizeLinear and QuantizeLinear. `inlay plan MODEL --providers LIST` shows each node of a model.
"""


REPLACED_PAGE = """# Operators that become others

These operators have no kernel of their own: when a model is loaded, other nodes replace them, which every provider sees. *by ONNX's
function*: those of ONNX's definition; *by ONNX's operators*: nodes of ai.onnx that mean the same.

| operator | versions | replaced | what it becomes |
|---|---|---|---|
"""


def cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split(" | ")]


def named(operators: list[tuple[str, str]]) -> str:
    """The names, first those of ONNX and then those of the other domains."""
    by_domain = collections.defaultdict(list)
    for domain, name in sorted(operators):
        by_domain[domain].append(name)
    return "; ".join(("" if domain.startswith("ai.onnx") else f"*{domain}*: ") + ", ".join(names) for domain, names in by_domain.items())


def heading_of(file: str, operators: list[tuple[str, str]], taken: set[str]) -> str:
    names = HEADINGS.get(file) or ", ".join(dict.fromkeys(name for _, name in operators))
    if len(operators) > MANY and file not in HEADINGS:
        raise SystemExit(f"operator_groups.py has no heading for the {len(operators)} operators of {file}")
    heading = f"{names} ({operators[0][0]})" if names in taken else names
    taken.add(names)
    return heading


def group_pages(rows: dict[tuple[str, str], str], missing: int, have: set[tuple[str, str]]) -> dict[str, str]:
    """The pages by their names: an overview, one for each group, and one for what has no kernel of its own."""
    files = files_of_operators(set(rows))
    pages, overview = {}, []
    for group, (title, listed) in GROUPS.items():
        page, count, taken = f"# {title}\n{LEGEND}\n", [], set()
        for file in listed.split():
            names = [op for op in rows if files.get(op) == file]
            if not names and file != CONTROL_FLOW:
                raise SystemExit(f"{file} has no operator of the list")
            names = names or [op for op in rows if op[1] in ("If", "Loop", "Scan", *SEARCHES)]
            page += f"## {heading_of(file, names, taken)}\n{formula(file)}\n\n{TABLE}" + "\n".join(rows.pop(op) for op in names) + "\n\n"
            count += names
        pages[f"{group}.md"] = page
        overview.append(f"| [{title}]({group}.md) | {len(count)} | {named(count)} |")
    if homeless := sorted(set(rows) & have):
        raise SystemExit(f"no group of operator_groups.py has {homeless}")
    if rows.keys() != REPLACED.keys():
        raise SystemExit(f"replaced_operators.py does not agree: {sorted(rows.keys() ^ REPLACED.keys())}")
    pages["others.md"] = REPLACED_PAGE + "\n".join(f"| {' | '.join(cells_of(row)[:3])} | {REPLACED[op]} |" for op, row in rows.items()) + "\n"
    overview.append(f"| [Operators that become others](others.md) | {len(rows)} | {named(list(rows))} |")
    total = sum(int(line.split(" | ")[1]) for line in overview)
    pages["index.md"] = f"""# Operators

{total} operators, {missing or 'none'} of them missing: every one of onnx's schemas, and those of com.microsoft that Inlay has.
`tests/conformance/operators.py --write docs/reference/operators` writes these pages from the catalogue that the planner reads (`inlay operators`)
and from the first lines of the kernels' files, which have the formulas and the limits.

| group | operators | which |
|---|---:|---|
""" + "\n".join(overview) + "\n"
    return pages


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", default=os.environ.get("INLAY_TOOL") or str(HERE.parents[1] / "build/release/bin/inlay"))
    p.add_argument("--write", type=pathlib.Path)
    a = p.parse_args()
    have = {(o["domain"], o["name"]): {k["device"]: k for k in o["kernels"]} for o in answer_of(a.tool, "operators", "--providers", "cpu")[0]["operators"]}
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
    rows, missing = {}, []
    for (domain, name), of_name in sorted(schemas.items()):
        fast, reference = what_runs(name, domain, have.get((domain, name), {}), of_name)
        if fast == "**missing**":
            missing.append(name)
        remarks = "; ".join(f"{', '.join(names)}: {types}" for types, names in engines[domain, name].items())
        shown = name if domain == "ai.onnx" else f"{name} ({domain})"
        rows[domain, name] = f"| {shown} | {', '.join(str(s.since_version) for s in of_name) or '1'} | {fast} | {reference} | {remarks} |"
    pages = group_pages(rows, len(missing), set(have))
    if not a.write:
        print(*pages.values(), sep="\n")
        return
    a.write.mkdir(exist_ok=True)
    for name, page in pages.items():
        (a.write / name).write_text(wrapped(page).rstrip() + "\n")


if __name__ == "__main__":
    main()
