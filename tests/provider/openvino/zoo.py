#!/usr/bin/env python3
"""The smaller models of the zoo over OpenVINO: the results agree, and the CPU has only what the plan has a reason for.

Needs $INLAY_TOOL and $INLAY_OPENVINO_LIBRARY.  Without the zoo's script the test is skipped.
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "zoo"))
from run import data_sets, write_zoo  # noqa: E402

PROVIDERS = ["--providers", "openvino,cpu"]
NAME = "OpenVINOExecutionProvider"
LATE = "its shapes are known only while it runs"


def problems(tool: str, folder: pathlib.Path) -> list[str]:
    """What is wrong with the model's results and its plan."""
    model = folder / "model.onnx"
    done = subprocess.run([tool, "test", *PROVIDERS, model, *data_sets(folder)], capture_output=True, text=True, check=False)
    found = [(done.stdout + done.stderr).strip()] if done.returncode else []
    plan = json.loads(subprocess.run([tool, "plan", *PROVIDERS, "--json", model], capture_output=True, text=True, check=True).stdout)
    nodes = [n for n in plan["nodes"] if not n["provider"].startswith("(")]
    left = [n for n in nodes if n["provider"] != NAME]
    for n in left:
        reasons = [a["text"] for a in n["answers"] if a["provider"] == NAME]
        if not reasons or not (LATE in reasons[0] or n["op"] == "NonMaxSuppression"):
            found.append(f"{n['name']} ({n['op']}) is on {n['provider']}: {reasons}")
    print(f"{folder.name:18} {done.stdout.strip()}; {len(nodes) - len(left)} of {len(nodes)} nodes", flush=True)
    return [f"{folder.name}: {what}" for what in found]


def main() -> int:
    """The status is 1 if a model has a problem."""
    wrong = [what for file in sorted(write_zoo().glob("*/model.onnx")) for what in problems(os.environ["INLAY_TOOL"], file.parent)]
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
