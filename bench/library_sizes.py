#!/usr/bin/env python3
"""What the built libraries and the tool take, as the table of docs/how-to/packages.md.

  library_sizes.py                 # prints the table of build/release
  library_sizes.py --write         # into docs/how-to/packages.md
  library_sizes.py --check         # exits with 1 where the table there is more than a tenth off

Sizes are in MB of 10^6 bytes; of a static library also the code and data of its objects, of the others what `strip` leaves.
"""
from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
HEAD = ["| library | file | stripped |", "|---|---|---|"]
FILES = {"libinlay_kernels.a": "`libinlay_kernels.a`", "libinlay_engine.a": "`libinlay_engine.a`",
         "libinlay_onnx.a": "`libinlay_onnx.a`, without onnx", "libinlay_kernels.so": "`libinlay_kernels.so`",
         "libinlay_onnx.so": "`libinlay_onnx.so`, with engine and onnx",
         "bindings/c/libinlay.so": "`libinlay.so`, for C, with all of these", "bin/inlay": "`inlay`, the tool"}
TOLERANCE = 0.1


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def row(file: pathlib.Path, name: str) -> str:
    if file.suffix == ".a":
        total = subprocess.run(["size", "-t", file], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        rest = f"{megabytes(int(total.split()[3]))} of code and data"
    else:
        with tempfile.TemporaryDirectory() as folder:
            stripped = pathlib.Path(folder) / "stripped"
            subprocess.run(["strip", "-o", stripped, file], check=True)
            rest = megabytes(stripped.stat().st_size)
    return f"| {name} | {megabytes(file.stat().st_size)} | {rest} |"


def figures(line: str) -> list[float]:
    return [float(x) for x in re.findall(r"([0-9.]+) MB", line)]


def agree(written: str, measured: str) -> bool:
    pairs = list(zip(figures(written), figures(measured), strict=True))
    return written.split("|")[1] == measured.split("|")[1] and all(abs(a - b) <= max(TOLERANCE * b, 0.1) for a, b in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--page", type=pathlib.Path, default=SOURCE / "docs/how-to/packages.md")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    args = parser.parse_args()
    table = [row((args.build / file).resolve(), name) for file, name in FILES.items()]
    lines = args.page.read_text().splitlines()
    begin = lines.index(HEAD[0]) + len(HEAD)
    end = next(k for k in range(begin, len(lines) + 1) if k == len(lines) or not lines[k].startswith("|"))
    if args.write:
        args.page.write_text("\n".join(lines[:begin] + table + lines[end:]) + "\n")
    elif args.check:
        written = lines[begin:end]
        wrong = len(written) != len(table) or not all(map(agree, written, table))
        if wrong:
            print(f"{args.page} says\n" + "\n".join(written) + "\nmeasured\n" + "\n".join(table))
        return int(wrong)
    else:
        print("\n".join(HEAD + table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
