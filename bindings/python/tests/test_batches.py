"""Rows by the million: what inlayrt.ray and inlayrt.spark share, and the example with each, in which a worker is killed."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import inlayrt
from conftest import model_bytes
from inlayrt._batches import RowRunner

ROOT = pathlib.Path(__file__).parents[3]
TWO = "g (float[N,2,2] x, float[N] w) => (float[N,2,2] y, float[N] z) { y = Neg(x) z = Neg(w) }"


@pytest.fixture
def two(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "two.onnx"
    path.write_bytes(model_bytes(TWO))
    return str(path)


def test_rows_that_are_lists_or_flat_get_the_shape_of_the_input(two: str) -> None:
    runner = RowRunner(two, columns={"x": "pixels"})
    flat = np.arange(8, dtype=np.float32).reshape(2, 4)
    w = np.ones(2, dtype=np.float32)
    lists = np.empty(2, dtype=object)
    lists[:] = list(flat)
    for pixels in (flat, lists, flat.reshape(2, 2, 2)):
        results = runner.run({"pixels": pixels, "w": w, "other": [1, 2]})
        np.testing.assert_array_equal(results["y"], -flat.reshape(2, 2, 2))
        np.testing.assert_array_equal(results["z"], -w)


def test_columns_and_outputs_that_there_are_not_are_errors(two: str) -> None:
    with pytest.raises(inlayrt.InvalidArgument, match=r"columns for \['u'\]"):
        RowRunner(two, columns={"u": "pixels"})
    with pytest.raises(inlayrt.InvalidArgument, match=r"no outputs \['u'\]"):
        RowRunner(two, outputs=["u"])
    with pytest.raises(inlayrt.InvalidArgument, match=r"no columns \['w'\]; they have \['x'\]"):
        RowRunner(two).run({"x": np.zeros((1, 4), dtype=np.float32)})


def test_an_output_without_a_row_each_is_an_error(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "sum.onnx"
    path.write_bytes(model_bytes("g (float[N] x) => (float y) { y = ReduceSum <keepdims = 0> (x) }"))
    with pytest.raises(inlayrt.InvalidArgument, match=r"\['y'\] do not have a row for each of 3"):
        RowRunner(path).run({"x": np.zeros(3, dtype=np.float32)})


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_rows_come_once_each_though_a_worker_is_killed(engine: str) -> None:
    pytest.importorskip("ray.data" if engine == "ray" else "pyspark.sql", reason=f"not installed: pip install inlayrt[{engine}]")
    path = os.pathsep.join([str(pathlib.Path(inlayrt.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = [sys.executable, ROOT / "examples" / "batch" / "million_rows.py", engine, "--rows", "40000", "--kill"]
    process = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, env={**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable})
    assert process.returncode == 0, (process.stdout + process.stderr)[-4000:]
    figures = json.loads(process.stdout.strip().splitlines()[-1])
    assert (figures["rows"], figures["killed"]) == (40000, True)
