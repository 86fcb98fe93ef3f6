#!/usr/bin/env python3
"""Run the smaller models of the suite through `inlay test`, and check what their plans and bindings promise.

  run.py               # the models below, written into the cache once by ../shared/models/make_models.py
  run.py --zoo FOLDER  # every FOLDER/MODEL/{model.onnx, tolerance.json, test_data_set_N}

Per model: the results agree; the planned arena is at most 1.1 times the largest set of values alive at once; and, where
the program heap_calls was built ($INLAY_HEAP_CALLS) and every shape is known before the run, a bound run makes no heap
call.  Without the model suite's script the test is skipped: the models are no part of this repository.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("INLAY_SOURCE") or HERE.parents[1])
SMALL = ["mlp", "speech_gru", "speech_lstm", "squeezenet", "shufflenet", "mobilenet_v2", "mobilenet_v3", "efficientnet_b0",
         "minilm_real", "yolo", "vit_tiny", "mobilenet_v2_int8_qdq"]
MOST_ARENA = 1.1  # times the largest live set
sys.path += [str(HERE.parent), str(SOURCE / "bench")]
from cache import made_once, skip  # noqa: E402

try:
    import onnx  # noqa: F401
    import onnxruntime  # noqa: F401
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")
from zoo_facts import data_sets, heap_calls, plan_of  # noqa: E402


def write_zoo() -> pathlib.Path:
    script = SOURCE.parent / "shared/models/make_models.py"
    if not script.exists():
        skip("there is no ../shared/models/make_models.py next to the repository, which writes the models")

    def make(folder: pathlib.Path) -> None:
        print("writing the models, once", flush=True)
        subprocess.run([sys.executable, "-W", "ignore", script, "--out", folder, *SMALL], check=True)
    digest = hashlib.sha256(script.read_bytes() + " ".join(SMALL).encode()).hexdigest()
    return made_once(f"zoo-{digest[:12]}", make)


def problems(tool: str, heap: str | None, folder: pathlib.Path) -> list[str]:
    process = subprocess.run([tool, "test", "--threads", "1", folder / "model.onnx", *data_sets(folder)], capture_output=True, text=True, check=False)
    texts = [(process.stdout + process.stderr).strip()] if process.returncode else []
    plan = plan_of(tool, folder)
    arena, live = plan["bytes"]["arena"], plan["bytes"]["live"]
    if arena > MOST_ARENA * live:
        texts.append(f"the arena takes {arena} bytes, the largest live set {live}")
    late = any(n["kernel"] == "chosen at run" or n["provider"] == "(control flow)" for n in plan["nodes"])
    calls = heap_calls(heap, folder) if heap else None
    if calls and not late:
        texts.append(f"a bound run makes {calls} heap calls")
    print(f"{folder.name:18} {process.stdout.strip()}; arena {arena} of at least {live} bytes; heap calls per run: "
          f"{'not counted' if calls is None else calls}{' (shapes known only while running)' if late else ''}", flush=True)
    return [f"{folder.name}: {text}" for text in texts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=os.environ.get("INLAY_TOOL") or str(SOURCE / "build/release/bin/inlay"))
    parser.add_argument("--zoo", type=pathlib.Path)
    args = parser.parse_args()
    heap = os.environ.get("INLAY_HEAP_CALLS")
    heap = heap if heap and pathlib.Path(heap).exists() else None
    folders = sorted(p.parent for p in (args.zoo or write_zoo()).glob("*/model.onnx"))
    if not folders:
        parser.error("no MODEL/model.onnx there")
    wrong = [text for folder in folders for text in problems(args.tool, heap, folder)]
    for program in filter(None, os.environ.get("INLAY_ZOO_PROGRAMS", "").split(":")):
        if subprocess.run([program, "[zoo]"], env=os.environ | {"INLAY_ZOO": str(folders[0].parent)}, check=False).returncode:
            wrong.append(f"{program} failed on the model suite")
    print(f"{len(folders)} models, {len(wrong)} problems", *wrong, sep="\n  ")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
