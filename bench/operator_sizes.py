#!/usr/bin/env python3
"""The size of each operator in libinlay_kernels.so, as docs/reference/operator-sizes.md has it, by `inlay size`.

  operator_sizes.py                # prints the page, of build/release
  operator_sizes.py --write        # into docs/reference/operator-sizes.md
"""
from __future__ import annotations

import argparse
import collections
import json
import pathlib
import subprocess

from report import wrapped

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def kilobytes(size: int) -> str:
    return f"{size / 1000:.1f}" if size >= 50 else ""


def table(of_name: dict[str, collections.Counter], places: list[str], head: str) -> list[str]:
    lines = [f"| {head} | {' | '.join(places)} |", f"|---|{'---:|' * len(places)}"]
    return lines + [f"| {name} | {' | '.join(kilobytes(sizes[p]) for p in places)} |" for name, sizes in sorted(of_name.items()) if any(kilobytes(sizes[p]) for p in places)]


def page(report: dict) -> str:
    operators, families, rest = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter), []
    for group in report["groups"]:
        bytes_ = group["bytes"]["total"]
        if group["kind"] == "operator":
            operators[group["name"]][group["place"]] += bytes_
        elif group["kind"] == "kernels":
            families[group["name"]][group["place"] or "shared"] += bytes_
        else:
            rest.append(f"{group['name']}: {bytes_ / 1000:.0f} kB")
    levels = ["sse2", "avx2", "avx512", "avx512bf16", "amx", "shared"]
    of_operators = sum(sum(sizes.values()) for sizes in operators.values())
    return "\n".join([
        "# Sizes of operators",
        "In `libinlay_kernels.so`, in kB of 1,000 bytes; written by `bench/operator_sizes.py --write` from `inlay size build/release/libinlay_kernels.so`, which reports the same of any program that is not stripped.",
        "A program with an embedded model has of all this only what its model needs.",
        "",
        f"All: {report['bytes']['total'] / 1e6:.1f} MB, of which {of_operators / 1e6:.1f} MB are the {len(operators)} operators' own ({of_operators / 1000 / len(operators):.0f} kB each). Not of operators, nor of the families below: {'; '.join(rest)}.",
        "",
        "## Operators",
        "By the names in the C++ code. *reference*: the reference kernel, in all its types; *cpu*: what stands around the fast kernels. What several operators share counts for one of them.",
        "",
        *table(operators, ["reference", "cpu"], "operator"),
        "",
        "## Families of vector kernels",
        "Once for each instruction set; *shared*: what all of them use.",
        "",
        *table(families, levels, "family"),
    ]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    command = [args.build / "bin/inlay", "size", args.build / "libinlay_kernels.so", "--json"]
    text = page(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    if args.write:
        (SOURCE / "docs/reference/operator-sizes.md").write_text(wrapped(text))
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
