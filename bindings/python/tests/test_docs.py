"""The programs of docs/reference/python.md do what the page says, and those of docs/start print what it shows."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import inlayrt as ort

ROOT = pathlib.Path(__file__).parents[3]
DECODER = """g (int64[1,N] input_ids, float[1,P,1] past) => (float[1,T,1] logits, float[1,T,1] present) <int64[1] last = {-1}> {
    ids = Cast<to = 1>(input_ids) x = Unsqueeze(ids, last) present = Concat<axis = 1>(past, x) logits = Neg(present) }"""


def test_the_programs_of_the_page_run(tmp_path, monkeypatch, make):
    page = ROOT / "docs/reference/python.md"
    if not page.exists():
        pytest.skip("the tests are not in Inlay's source tree")
    programs = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(programs) == 3
    (tmp_path / "digits.onnx").write_bytes((ROOT / "examples/digits/digits.onnx").read_bytes())
    monkeypatch.chdir(tmp_path)
    names = {"image": np.zeros((2, 1, 8, 8), np.float32), "ids": np.array([[1, 2, 3]]), "decoder": ort.InferenceSession(make(DECODER))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for program in programs:
            exec(program, names)
    assert names["scores"].shape == (2, 10) and (tmp_path / "generated/inlay/models/digits.hpp").exists()
    assert names["logits"].ravel().tolist() == [-1, -2, -3] and names["cache"].rows == 3


def test_the_first_pages_print_what_they_show(tmp_path):
    commands = ROOT / "tests/docs/commands.py"
    if not commands.exists():
        pytest.skip("the tests are not in Inlay's source tree")
    pytest.importorskip("onnx")
    tool = tmp_path / "inlay"  # the package's, also where it is not installed
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inlayrt "$@"\n')
    tool.chmod(0o755)
    path = os.pathsep.join([str(pathlib.Path(ort.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    pages = [ROOT / "docs/start/model.md", ROOT / "docs/start/python.md"]
    process = subprocess.run([sys.executable, commands, *pages, "--path", tmp_path], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
