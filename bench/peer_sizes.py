#!/usr/bin/env python3
"""Store what a program carries of a runtime that runs model files on the CPU: Inlay's libinlay.so and the libraries of others.

  peer_sizes.py [--build build/release] [--json bench/results/library_sizes.json]

Others are those that this Python's packages bring (onnxruntime, openvino, ai-edge-litert, executorch; the last two install
with --no-deps); one that is missing is named and left out. Sizes are those of the files after `strip`, without Python's modules.
"""
from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
# Runtime: package, its module, and the libraries that a program needs to run a model with optimised CPU kernels.
LIBRARIES = {
    "ONNX Runtime": ("onnxruntime", "onnxruntime", ["capi/libonnxruntime.so.*"]),
    "OpenVINO": ("openvino", "openvino", ["libs/libopenvino.so.*", "libs/libopenvino_intel_cpu_plugin.so", "libs/libopenvino_onnx_frontend.so.*", "libs/libtbb.so.*"]),
    "LiteRT": ("ai-edge-litert", "ai_edge_litert", ["libLiteRt.so"]),
    "ExecuTorch": ("executorch", "executorch", [f"lib/libexecutorch{part}.so" for part in ("", "_kernels_optimized", "_backend_xnnpack", "_threadpool")]),
}


def stripped_bytes(file: pathlib.Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / file.name
        subprocess.run(["strip", "-o", stripped, file], check=True)
        return stripped.stat().st_size


def libraries_of(module: str, patterns: list[str]) -> list[pathlib.Path] | None:
    spec = importlib.util.find_spec(module)
    if not spec or not spec.submodule_search_locations:
        return None
    files = [list(pathlib.Path(spec.submodule_search_locations[0]).glob(pattern)) for pattern in patterns]
    return [file for matches in files for file in matches] if all(files) else None


def with_protobuf(library: pathlib.Path) -> list[pathlib.Path]:
    """The library, and protobuf where it is linked as a shared one."""
    needed = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    return [library, *(pathlib.Path(path) for path in re.findall(r"=> (\S*libprotobuf\S*)", needed))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--json", type=pathlib.Path, default=SOURCE / "bench/results/library_sizes.json")
    args = parser.parse_args()
    ours = with_protobuf(args.build / "bindings/c/libinlay.so")
    version = subprocess.run([args.build / "bin/inlay", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    runtimes = {"Inlay": {"version": version, "bytes": {file.name: stripped_bytes(file.resolve()) for file in ours}}}
    for name, (package, module, patterns) in LIBRARIES.items():
        if files := libraries_of(module, patterns):
            runtimes[name] = {"version": importlib.metadata.version(package), "bytes": {file.name: stripped_bytes(file) for file in files}}
        else:
            print(f"{name} is left out: this Python has no {package} with {', '.join(patterns)}", file=sys.stderr)
    sizes = {"date": datetime.date.today().isoformat(), "platform": f"{platform.system()}, {platform.machine()}", "runtimes": runtimes}
    args.json.write_text(json.dumps(sizes, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
