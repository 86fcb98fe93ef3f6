"""The cost of a call."""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import inlayrt

SCRIPT = pathlib.Path(__file__).parents[3] / "bench/python_calls.py"


def test_a_call_costs_at_most_half_of_what_it_costs_in_onnx_runtime():
    pytest.importorskip("onnxruntime")
    if not SCRIPT.exists():
        pytest.skip("the tests are not in Inlay's source tree")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(inlayrt.__file__).parents[1])}
    command = [sys.executable, str(SCRIPT), "--rounds", "20", "--calls", "500", "--at-most", "0.5"]
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert process.returncode == 0, process.stdout + process.stderr
