"""The package's own types, and those of a program that uses it, under mypy --strict."""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import inlayrt

HERE = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(inlayrt.__file__).parent


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("mypy")  # the types of numpy are read once


def mypy(cache: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Of the package that is imported here, wherever that is."""
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(cache / "cache"), *arguments]
    installed = PACKAGE.parent.name == "site-packages"  # where mypy looks itself
    environment = {**os.environ, **({} if installed else {"MYPYPATH": str(PACKAGE.parent)})}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cache, env=environment)


def test_a_program_that_uses_the_package_passes_mypy_strict(cache):
    process = mypy(cache, str(HERE / "typed_program.py"))
    assert process.returncode == 0, process.stdout + process.stderr


def test_a_program_that_is_wrong_does_not_pass(cache, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text((HERE / "typed_program.py").read_text().replace("shape: list[int] = ", "shape: list[str] = ").replace("threads = 2", "threads = 'two'"))
    process = mypy(cache, str(wrong))
    assert process.returncode == 1 and process.stdout.count("error: ") == 3, process.stdout + process.stderr


def test_the_package_without_what_needs_other_packages_passes_mypy_strict(cache):
    process = mypy(cache, "-m", "inlayrt", "-m", "inlayrt.capi.onnxruntime_pybind11_state", "-m", "inlayrt.capi.onnxruntime_inference_collection")
    assert process.returncode == 0, process.stdout + process.stderr
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_inlayrt.pyi").exists()
