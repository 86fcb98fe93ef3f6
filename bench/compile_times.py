#!/usr/bin/env python3
"""Print what it costs to include Inlay, and to build each example and each kernel file.

  compile_times.py             # after `cmake --preset release`, whose compiler and flags it uses; about 10 minutes
  compile_times.py --headers   # only the rows that have a limit, printed; exits with 1 where one is exceeded

Seconds are the compiler's processor time, best of three for the headers and of one for the rest; memory is the largest
resident set of its processes.
"""
from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
LIMIT_S, DUMMIES = 3.0, 200
USER = """#include <inlay/inlay.hpp>
int main(int, char** words) {
    inlay::session session{words[1], inlay::cpu{.threads = 1}, inlay::reference{}};
    return int(session.run({{"x", inlay::tensor({2}, {1.f, 2.f})}}).size());
}
"""


def cost(command: list[str], folder: pathlib.Path | str = SOURCE, times: int = 1) -> tuple[float, float]:
    """Processor seconds, the minimum of several runs, and peak MiB."""
    best, peak = float("inf"), 0.0
    for _ in range(times):
        child = subprocess.Popen(command, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"does not compile: {shlex.join(command)}")
        best, peak = min(best, usage.ru_utime + usage.ru_stime), max(peak, usage.ru_maxrss / 1024)
    return best, peak


def commands_of(build: pathlib.Path) -> dict[str, list[str]]:
    """The compiler's command line by object file, without a launcher."""
    entries = json.loads((build / "compile_commands.json").read_text())
    commands = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        launcher = [k for k, word in enumerate(words) if pathlib.PurePath(word).name == "ccache"]
        words = words[launcher[0] + 1:] if launcher else words
        at = words.index("-o")
        commands[words[at + 1]] = [*words[:at + 1], os.devnull, *words[at + 2:]]
    return commands


def with_dummies(work: pathlib.Path) -> pathlib.Path:
    """A copy of the headers whose list of operators has DUMMIES more; returns its include folder."""
    for tree in ("include", "kernels"):
        shutil.copytree(SOURCE / tree, work / "include", dirs_exist_ok=True)
    header = work / "include/inlay/onnx/operators.hpp"
    lines = "".join(f"    X(dummy_{k}, \"onnx/dummies\") \\\n" for k in range(DUMMIES))
    header.write_text(header.read_text().replace("#define INLAY_ONNX_OPERATORS(X) \\\n", "#define INLAY_ONNX_OPERATORS(X) \\\n" + lines))
    ops = "\n".join(f'struct dummy_{k} : standard {{ static constexpr std::string_view onnx_name = "Dummy{k}"; static constexpr version_range versions{{1, 1}}; '
                    "static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); } };" for k in range(DUMMIES))
    (work / "include/inlay/onnx/dummies.hpp").write_text(f"// Operators that do nothing.\n#pragma once\n#include <inlay/sdk/operator.hpp>\nnamespace inlay::inline v1::op {{\n{ops}\n}}\n")
    return work / "include"


def header_rows(compiler: list[str]) -> list[tuple[str, float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "header.cpp").write_text("#include <inlay/inlay.hpp>\n")
        (work / "user.cpp").write_text(USER)
        (work / "ort.cpp").write_text("#include <inlay/ort_provider.hpp>\n")
        (work / "ort_program.cpp").write_text("#include <inlay/ort.hpp>\n")
        more = with_dummies(work)
        rows = [("`#include <inlay/inlay.hpp>`", "header.cpp", [SOURCE / "include", SOURCE / "kernels"]),
                ("`#include <inlay/ort_provider.hpp>`, which the other does not", "ort.cpp", [SOURCE / "include", SOURCE / "kernels"]),
                ("`#include <inlay/ort.hpp>`, which neither does", "ort_program.cpp", [SOURCE / "include", SOURCE / "kernels"]),
                ("a program that makes a session and runs it", "user.cpp", [SOURCE / "include", SOURCE / "kernels"]),
                (f"the header with {DUMMIES} dummy operators in the list", "header.cpp", [more]),
                (f"the program with {DUMMIES} dummy operators in the list", "user.cpp", [more])]
        return [(name, *cost([*compiler, "-std=c++20", "-O3", "-DNDEBUG", *(f"-I{folder}" for folder in include), "-c", file, "-o", os.devnull], work, 3))
                for name, file, include in rows]


def table(head: str, rows: list[tuple[str, float, float]]) -> str:
    return "\n".join([f"| {head} | s | peak MiB |", "|---|---:|---:|", *(f"| {name} | {s:.2f} | {mib:.0f} |" for name, s, mib in rows)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--headers", action="store_true")
    args = parser.parse_args()
    commands = commands_of(args.build)
    compiler = next(iter(commands.values()))[:1]
    headers = header_rows(compiler)
    print(table("what", headers), flush=True)
    over = [part for part, seconds, _ in headers if seconds >= LIMIT_S]
    for part in over:
        print(f"over {LIMIT_S:g} s: {part}")
    if args.headers:
        return int(bool(over))

    def measured(pattern: str, name: str) -> list[tuple[str, float, float]]:
        rows = []
        for target, command in sorted(commands.items()):
            if match := re.fullmatch(pattern, target):
                rows.append((match.expand(name), *cost(command, args.build)))
                print(f"{rows[-1][0]}: {rows[-1][1]:.1f} s, {rows[-1][2]:.0f} MiB", file=sys.stderr, flush=True)
        if not rows:
            raise SystemExit(f"the build has no object called like {pattern}")
        return rows
    examples = measured(r"examples/(?:CMakeFiles/\w+\.dir/)?(\w+)/(?:CMakeFiles/\w+\.dir/)?main\.cpp\.o", r"`examples/\1`")
    kernels = measured(r"CMakeFiles/inlay_kernels\.dir/inlay_kernels/\w+/(\w+)\.cpp\.o", r"`\1`")
    levels = measured(r"CMakeFiles/inlay_isa_(\w+)\.dir/kernels/inlay/cpu/isa/(\w+)\.cpp\.o", r"`\2`, \1")
    version = subprocess.run([*compiler, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"""# Compile times

Processor seconds and peak memory of the compiler, Release, g++ {version}, {datetime.date.today().isoformat()}. The first table's limit is {LIMIT_S:g} s per row.

## Using Inlay
{table("what", headers)}

The operators' kernels are compiled once, in `inlay::kernels`: a program pays for the list of their names only.

{table("example", examples)}

## Building Inlay
One generated file per kernel file, for both devices and all its types:

{table("kernel file", kernels)}

One file per family and instruction set:

{table("family", levels)}
""")
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
