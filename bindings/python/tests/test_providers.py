"""Providers over libraries that pip installs: by name and options, found without a path. What lacks its library here is skipped."""
from __future__ import annotations

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import inlayrt as ort
from conftest import model_bytes
from inlayrt import _inlayrt, _libraries

# A small network: a convolution, Relu, pooling and a matmul, by weights that are constants.
WEIGHTS = ", ".join(str((k * 7 % 19 - 9) / 20) for k in range(4 * 2 * 3 * 3))
MATRIX = ", ".join(str((k * 5 % 11 - 5) / 10) for k in range(4 * 3))
NETWORK = (
    f"g (float[1,2,8,8] x) => (float[1,3] y) <float[4,2,3,3] w = {{{WEIGHTS}}}, float[4,3] m = {{{MATRIX}}}> "
    "{ c = Conv <pads = [1,1,1,1]> (x, w) r = Relu(c) p = GlobalAveragePool(r) f = Flatten(p) y = MatMul(f, m) }"
)
# Each with options that are not the defaults, and the largest difference from the CPU's results.
LIBRARIES = [
    ("OpenVINOExecutionProvider", {"num_of_threads": "1", "cache_dir": ""}, 1e-5),
    ("DnnlExecutionProvider", {"num_of_threads": "1", "use_arena": "false"}, 1e-5),
    ("TvmExecutionProvider", {"opt_level": "2"}, 1e-5),
    ("XnnpackExecutionProvider", {"intra_op_num_threads": "1"}, 1e-5),
    ("QNNExecutionProvider", {"backend_type": "htp", "vtcm_mb": "4"}, 1e-2),  # it computes in fp16
]
NEEDED = os.environ.get("INLAY_NEEDED_PROVIDERS", "").split()  # a missing one of these is no skip


def skip_unless(name: str, condition: bool, reason: str) -> None:
    if condition:
        return
    if name in NEEDED:
        pytest.fail(f"{name}: {reason}")
    pytest.skip(f"{name}: {reason}")


@pytest.fixture
def image() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((1, 2, 8, 8), dtype=np.float32)


@pytest.mark.parametrize(("name", "options", "tolerance"), LIBRARIES, ids=[entry[0] for entry in LIBRARIES])
def test_a_provider_with_its_library_from_pip_computes_by_name_and_options(image, name, options, tolerance):
    skip_unless(name, name in _inlayrt.built_providers(), "this build is without it")
    skip_unless(name, name in ort.get_available_providers(), "its library is not installed here")
    model = model_bytes(NETWORK)
    expected = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": image})[0]
    session = ort.InferenceSession(model, providers=[(name, options), "CPUExecutionProvider"])
    assert session.get_providers() == [name, "CPUExecutionProvider"]
    assert options.items() <= session.get_provider_options()[name].items()
    np.testing.assert_allclose(session.run(None, {"x": image})[0], expected, atol=tolerance)
    plan = session.plan()
    assert plan.count(name) >= 3 and name in plan.text, plan.text
    with pytest.raises(ort.InvalidArgument, match=f"{name}: no option `nothing`") as failure:
        ort.InferenceSession(model, providers=[(name, {"nothing": 1}), "CPUExecutionProvider"])
    assert failure.value.code == "unknown_option"


WITHOUT_LIBRARY = """
import sys, warnings
import numpy as np
import inlayrt as ort

model = open(sys.argv[1], "rb").read()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    session = ort.InferenceSession(model, providers=[sys.argv[2], "CPUExecutionProvider"])
assert session.get_providers() == ["CPUExecutionProvider"] and sys.argv[2] not in ort.get_available_providers()
session.run(None, {"x": np.zeros((1, 2, 8, 8), np.float32)})
print(*(w.message for w in caught))
options = ort.SessionOptions()
options.strict_providers = True
try:
    ort.InferenceSession(model, options, providers=[sys.argv[2], "CPUExecutionProvider"])
except ort.Error as error:
    print(type(error).__name__, error.code)
"""


@pytest.mark.parametrize(
    ("name", "variable", "advice"),
    [("OpenVINOExecutionProvider", "INLAY_OPENVINO_LIBRARY", "pip install 'openvino=="), ("DnnlExecutionProvider", "INLAY_ONEDNN_LIBRARY", "pip install onednn-cpu-gomp"),
     ("TvmExecutionProvider", "INLAY_TVM_LIBRARY", "pip install 'apache-tvm=="), ("QNNExecutionProvider", "INLAY_QNN_LIBRARY", "pip install onnxruntime-qnn")],
)  # fmt: skip
def test_a_missing_library_is_a_warning_with_pips_command_and_the_next_provider_runs(tmp_path, name, variable, advice):
    skip_unless(name, name in _inlayrt.built_providers(), "this build is without it")
    model = tmp_path / "network.onnx"
    model.write_bytes(model_bytes(NETWORK))
    environment = {**os.environ, variable: "/no/such/place", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.run([sys.executable, "-c", WITHOUT_LIBRARY, model, name], capture_output=True, text=True, check=False, env=environment)
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()  # among them some that libraries print
    assert [line for line in lines if f"left out of the list of providers: {name}" in line and advice in line], lines
    assert "EPFail provider_unavailable" in lines


def test_options_of_a_provider_that_the_build_lacks_are_checked_by_its_capability_table(make):
    lacking = {
        "CUDAExecutionProvider": ({"device_id": 1, "arena_extend_strategy": "kSameAsRequested"}, {"device_idd": 1}, {"device_id": "first"}),
        "VitisAIExecutionProvider": ({"cache_dir": "x"}, {"cachedir": "x"}, None),
    }
    checked = 0
    for name, (good, misspelt, wrong) in lacking.items():
        if name in _inlayrt.built_providers() or _inlayrt.planned_defaults(name) is None:
            continue
        checked += 1
        with pytest.warns(UserWarning, match=f"left out of the list of providers: .*{name}"):
            ort.InferenceSession(make(NETWORK), providers=[(name, good)])
        with pytest.raises(ort.InvalidArgument, match="no option") as failure:
            ort.InferenceSession(make(NETWORK), providers=[(name, misspelt), "CPUExecutionProvider"])
        assert failure.value.code == "unknown_option"
        if wrong:
            with pytest.raises(ort.InvalidArgument, match="device_id") as failure:
                ort.InferenceSession(make(NETWORK), providers=["CPUExecutionProvider"], provider_options=[{}]).set_providers([(name, wrong)])
            assert failure.value.code == "invalid_option"
    skip_unless("", checked > 0, "the build has them all, or no command-line tool, which has the tables")


def test_packages_are_written_where_nothing_can_run_them(tmp_path, make, image):
    name = "CoreMLExecutionProvider"
    skip_unless(name, name in _inlayrt.built_providers(), "this build is without it")
    folder = tmp_path / "packages"
    options = ort.SessionOptions()
    options.fallback = "any"
    messages: list[str] = []
    options.log = lambda severity, text: messages.append(text)
    session = ort.InferenceSession(make(NETWORK), options, providers=[(name, {"ModelCacheDirectory": folder, "MLComputeUnits": "CPUOnly"}), "CPUExecutionProvider"])
    assert session.get_provider_options()[name]["MLComputeUnits"] == "CPUOnly"
    assert session.plan().count(name) == 5
    assert list(folder.glob("*.mlpackage/Manifest.json"))
    expected = ort.InferenceSession(make(NETWORK)).run(None, {"x": image})[0]
    np.testing.assert_array_equal(session.run(None, {"x": image})[0], expected)
    assert any("CoreML runs programs on Apple's systems only" in text for text in messages), messages


class Doubling(http.server.BaseHTTPRequestHandler):
    """A model `double` in the Open Inference Protocol."""

    asked: list[str] = []

    def log_message(self, *arguments: object) -> None:
        pass

    def answer(self, content: dict[str, object]) -> None:
        body = json.dumps(content).encode()
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        port = {"datatype": "FP32", "shape": [3, 2]}
        self.answer({"name": "double", "platform": "", "inputs": [{"name": "X", **port}], "outputs": [{"name": "Y", **port}]})

    def do_POST(self) -> None:
        (tensor,) = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["inputs"]
        data = np.ravel(tensor["data"]) * 2
        self.answer({"model_name": "double", "outputs": [{"name": "Y", "datatype": "FP32", "shape": tensor["shape"], "data": data.tolist()}]})


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Doubling)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_runs_the_model_by_name_and_options(double, x, endpoint):
    name = "AzureExecutionProvider"
    skip_unless(name, name in _inlayrt.built_providers(), "this build is without it")
    Doubling.asked.clear()
    session = ort.InferenceSession(double, providers=[("remote", {"endpoint": endpoint, "model_name": "double", "retries": 0})])
    assert session.get_provider_options()[name]["retries"] == "0"
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], 2 * x)
    assert session.plan().count(name) == 1
    assert Doubling.asked[-1] == "/v2/models/double/infer"


def test_libraries_are_found_next_to_packages_and_above_folders_of_packages_only(tmp_path, monkeypatch):
    packages = tmp_path / "lib" / "python3" / "site-packages"
    for file in (packages / "vendor/libs/libvendor.so.9", tmp_path / "lib/libvendor.so.3"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    monkeypatch.setattr(sys, "path", ["", str(packages.parent), str(packages)])
    assert _libraries._find("vendor/libs/libvendor.so.*") == str(packages / "vendor/libs/libvendor.so.9")
    assert _libraries._find("../../libvendor.so.3") == str(tmp_path / "lib/libvendor.so.3")
    assert _libraries._find("vendor/libs/") == str(packages / "vendor/libs")
    assert _libraries._find("other/libs/") is None
    monkeypatch.setattr(sys, "path", [str(packages.parent), str(packages / "vendor")])
    assert _libraries._find("../libvendor.so.3") is None
    monkeypatch.chdir(packages)
    monkeypatch.setattr(sys, "path", ["", "vendor"])
    assert _libraries._find("vendor/libs/") is None


def test_every_place_is_of_a_variable_and_below_a_folder_of_packages():
    for variable, patterns, _ in _inlayrt.python_places():
        assert variable.startswith("INLAY_")
        assert patterns and not any(pathlib.PurePath(pattern).is_absolute() for pattern in patterns.split(":"))
