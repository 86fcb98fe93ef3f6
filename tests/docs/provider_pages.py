#!/usr/bin/env python3
"""The facts of each provider on its page: what it is, how it is installed, its options, what it supports, and on what it was checked.

  provider_pages.py TOOL FOLDER           # the pages' blocks are what the program says of its providers; else exits with 1
  provider_pages.py TOOL FOLDER --write   # writes the blocks

A page has its blocks between `<!-- facts: NAME -->` and `<!-- /facts -->`, one for each provider that it is of. The last
column of a block's options is written by hand, and stays.
"""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- facts: (\w+) -->\n).*?(<!-- /facts -->)", re.DOTALL)
OPTION = re.compile(r"^\| `(\w+)` \| (.*?) \| (.+) \|$", re.MULTILINE)
UNEXPLAINED = "not explained"
DEFAULTS = {"": "empty", str(2**64 - 1): "no limit"}
TYPES = {"cpu": "`inlay::cpu`, in `inlay::kernels`", "reference": "`inlay::reference`, in `inlay::kernels`"}
INCLUDED = ("cpu", "reference")
CHECKED_ON = {
    "device": "its device: results agree with the reference kernels'",
    "simulator": "a simulator or an emulator of its device, never a device",
    "library": "what its vendor's library does without a device; it computed no number there",
    "own stand-in": "a host implementation of its interface that this project wrote; never its library, never a device",
}


def reports_of(tool: str) -> tuple[list[dict], dict[str, dict]]:
    def said(*words: str) -> list[dict]:
        process = subprocess.run([tool, *words, "--json"], capture_output=True, text=True, check=True)
        return json.loads(process.stdout)["providers"]

    providers = said("providers")
    names = [p["short_name"] for p in providers]
    return providers, dict(zip(names, said("operators", "--providers", ",".join(names))))


def ranks_of(row: dict) -> str:
    least, most = row["least_rank"], row["most_rank"]
    return str(most) if least == most else f"{least} to {most}"


def supported(name: str, report: dict) -> str:
    rows = report.get("contract", {}).get("table", [])
    if not rows:
        return "nodes by its kernels: [operators](../operators/index.md) names their types" if report["operators"] else "whole models"
    count = len({op for row in rows for op in row["operators"].split()})
    return f"{count} operators, in the table below"


def table_of(report: dict) -> str:
    rows = report.get("contract", {}).get("table", [])
    if not rows:
        return ""
    lines = ["", '<details markdown="1"><summary>What it supports, operator by operator</summary>', "",
             "| operators | types | quantized values of | dimensions | and |", "|---|---|---|---|---|"]
    for row in rows:
        cells = [row["operators"].replace(" ", ", "), ", ".join(row["types"]), ", ".join(row["codes"]), ranks_of(row),
                 "; ".join(row["demands"]) + (f"; since {row['since']}" if row["since"] else "")]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", textwrap.fill(f"From: {report['contract']['source']}.", 120) if report["contract"].get("source") else "", "</details>", ""])


def options_of(provider: dict, page: str) -> list[str]:
    """The table of options: defaults by the program, meanings by the page. A capability table, which a program has in
    place of a provider that it was built without, has the option `sdk_version` of its own, and may lack others."""
    defaults, by_page = dict(provider["options"]), {option: (default, meaning) for option, default, meaning in OPTION.findall(page)}
    is_table = defaults.pop("sdk_version", None) is not None and not provider["built_in"]
    rows = [f"| `{option}` | {DEFAULTS.get(value, f'`{value}`')} | {by_page.get(option, ('', UNEXPLAINED))[1]} |" for option, value in defaults.items()]
    rows += [f"| `{option}` | {default} | {meaning} |" for option, (default, meaning) in by_page.items() if is_table and option not in defaults]
    return ["", "| option | default | what it does |", "|---|---|---|", *rows] if rows else []


def block_of(provider: dict, report: dict, library: str, page: str) -> str:
    name = provider["short_name"]
    setup = f"`scripts/setup --provider {library}`, then " if (ROOT / f"src/provider/{library}/sdk.sh").exists() else ""
    facts = {
        "type": TYPES.get(name, f"`inlay::{name}`; link `inlay::{library}`"),
        "name": f"`{provider['name']}`, or `{name}`",
        "status": f"{provider['status']}, as the provider of this name in ONNX Runtime" if name not in INCLUDED else "production",
        "install": "in every build" if name in INCLUDED else f"{setup}`-DINLAY_{library.upper()}=ON`",
        "supports": supported(name, report),
        "checked on": CHECKED_ON[provider["checked_on"]],
    }
    lines = [f"| **{name}** | |", "|---|---|", *(f"| {key} | {value} |" for key, value in facts.items()), *options_of(provider, page)]
    return "\n" + "\n".join(lines) + "\n" + table_of(report) + "\n"


def main() -> int:
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    providers, reports = reports_of(tool)
    by_name = {p["short_name"]: p for p in providers}
    shown, stale, unexplained = set(), [], []
    for page in sorted(folder.glob("*.md")):
        text = page.read_text()
        shown |= {name for _, name, _ in BLOCK.findall(text)}
        library = page.stem  # a page is called as the package, which may have several providers
        expected = BLOCK.sub(lambda m: m[1] + block_of(by_name[m[2]], reports[m[2]], library, m[0]) + m[3], text)
        unexplained += [f"{page.name}: no page explains the option {option}" for option, _, meaning in OPTION.findall(expected) if meaning == UNEXPLAINED]
        if expected != text and "--write" in sys.argv:
            page.write_text(expected)
        elif expected != text:
            stale.append(page.name)
    print(*unexplained, sep="\n", end="\n" * bool(unexplained))
    for page in stale:
        print(f"{page}: its facts are not those of the program; {pathlib.Path(__file__).name} --write writes them")
    for name in sorted(by_name.keys() - shown):
        print(f"no page of {folder} has the facts of {name}")
    return int(bool(stale or unexplained or by_name.keys() - shown))


if __name__ == "__main__":
    sys.exit(main())
