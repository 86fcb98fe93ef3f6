#!/usr/bin/env python3
"""A static program with mobilenet_v2 in it has at most 320 kB of code more than an empty one, its weights left out.

Needs $INLAY_TOOL, $INLAY_KERNELS (libinlay_kernels.a, optimised) and $CXX.  The kernels of three instruction sets are in it.
"""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

from run import SOURCE, write_zoo  # which makes bench importable
from embedded_programs import FLAGS, INCLUDES, STATIC, empty_text, text_of

MOST = 320_000  # bytes


def main() -> int:
    tool, kernels, compiler = os.environ["INLAY_TOOL"], os.environ["INLAY_KERNELS"], os.environ.get("CXX", "c++")
    model = write_zoo() / "mobilenet_v2" / "model.onnx"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)

        def run(*command: str | os.PathLike) -> None:
            subprocess.run(command, check=True, cwd=work)

        run(tool, "compile", model, "--name", "model", "--shape", "batch=1", "--out", work, "--quiet")
        run(compiler, "-c", "model.S", "-o", "weights.o")
        run(compiler, *FLAGS, "-DMODEL=model", "-DMODEL_HEADER=<inlay/models/model.hpp>", f"-I{work}", *INCLUDES, "-c",
            SOURCE / "bench/embedded_app.cpp", "-o", "app.o")
        run(compiler, "app.o", "weights.o", kernels, *STATIC, "-o", "app")
        weights = (work / "model.weights").stat().st_size
        above = text_of(work / "app") - weights - empty_text(compiler, work)
    print(f"mobilenet_v2 in a static program: {above} bytes of code above an empty one, at most {MOST}")
    return int(above > MOST)


if __name__ == "__main__":
    sys.exit(main())
