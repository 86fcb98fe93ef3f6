#!/usr/bin/env python3
"""A static program with mobilenet_v2 in it has at most 390 kB of code more than an empty one, its weights left out.

Needs $INLAY_TOOL, $INLAY_KERNELS (libinlay_kernels.a, optimised) and $CXX.  The kernels of three instruction sets are in it.
"""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

from run import SOURCE, write_zoo

MOST = 390_000  # bytes
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections",
         "-fconstexpr-ops-limit=2000000000", "-fconstexpr-loop-limit=100000000"]
STATIC = ["-static", "-Wl,--gc-sections"]


def text_of(program: pathlib.Path) -> int:
    printed = subprocess.run(["size", program], capture_output=True, text=True, check=True).stdout
    return int(printed.splitlines()[1].split()[0])


def main() -> int:
    tool, kernels, compiler = os.environ["INLAY_TOOL"], os.environ["INLAY_KERNELS"], os.environ.get("CXX", "c++")
    model = write_zoo() / "mobilenet_v2" / "model.onnx"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)

        def run(*command: str | os.PathLike) -> None:
            subprocess.run(command, check=True, cwd=work)

        run(tool, "compile", model, "--name", "model", "--shapes", "batch=1", "--out", work, "--quiet")
        run(compiler, "-c", "model.S", "-o", "weights.o")
        run(compiler, *FLAGS, "-DMODEL=model", "-DMODEL_HEADER=<inlay/models/model.hpp>", f"-I{work}",
            f"-I{SOURCE / 'include'}", f"-I{SOURCE / 'kernels'}", "-c", SOURCE / "bench/embedded_app.cpp", "-o", "app.o")
        run(compiler, "app.o", "weights.o", kernels, *STATIC, "-o", "app")
        (work / "empty.cpp").write_text("int main() {}\n")
        run(compiler, *FLAGS, "empty.cpp", *STATIC, "-o", "empty")
        weights = (work / "model.weights").stat().st_size
        above = text_of(work / "app") - weights - text_of(work / "empty")
    print(f"mobilenet_v2 in a static program: {above} bytes of code above an empty one, at most {MOST}")
    return int(above > MOST)


if __name__ == "__main__":
    sys.exit(main())
