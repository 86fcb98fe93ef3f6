"""The wheel of the source distribution: it is built, needs nothing but the system's libraries, is small, and its tests pass where it is installed in a fresh environment.

Where scripts/setup --engines has been, it has every provider that opens its library on demand, and those whose
libraries PyPI has compute there. The environment is fresh; the libraries are those of the cache, which pip installed.
`wheel.py --from-pypi` installs them into an environment of its own, by the wheel's extras, with nothing from the cache.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv
import zipfile

sys.path.append(os.path.join(os.environ["INLAY_SOURCE"], "tests"))
from cache import cache  # noqa: E402
from wheels import SOURCE, build, call, fresh_environment, need, packages_of, unpacked_sdist  # noqa: E402

need("mypy", "nanobind", "pytest")


# Every provider of a wheel that was built with all headers.
COMPLETE = {
    "CPU", "Reference", "Azure", "CANN", "CoreML", "Dml", "Dnnl", "MIGraphX", "Nnapi", "NvTensorRTRTX", "OpenVINO", "QNN", "Rknpu", "Tensorrt", "Tvm", "Xnnpack"
}  # fmt: skip
FROM_PYPI = ("openvino", "onednn", "tvm", "qnn", "xnnpack-newer")
HAS_HEADERS = all((cache() / "venv" / f"{name}.stamp").exists() for name in (*FROM_PYPI, "cann", "remote"))

SIMULATE = """
import numpy as np, onnx.parser, inlayrt as ort
model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[1,8] x) => (float[1,8] y) <float[8] b = {0,1,2,3,4,5,6,7}> { s = Add(x, b) y = Relu(s) }')
x = np.linspace(-8, 8, 8, dtype=np.float32)[None]
session = ort.InferenceSession(model.SerializeToString(), providers=[("RknpuExecutionProvider", {"simulator": True}), "CPUExecutionProvider"])
assert session.get_provider_options()["RknpuExecutionProvider"]["simulator"] == "true"
np.testing.assert_allclose(session.run(None, {"x": x})[0], np.maximum(x + np.arange(8), 0), atol=0.01)
assert session.plan().count("RknpuExecutionProvider") == 2, session.plan()
print("the simulator of rknn-toolkit2 computed")
"""


def look_inside(wheel: pathlib.Path, work: pathlib.Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    module = next(n for n in names if re.fullmatch(r"inlayrt/_inlayrt\..*so", n))
    missing = {"inlayrt/py.typed", "inlayrt/_inlayrt.pyi", "inlayrt/__init__.py", "inlayrt/capi/onnxruntime_pybind11_state.py"} - set(names)
    inside = ("nanobind", "libprotobuf-dev", "libxsimd-dev", "libboost-dev", "libdlpack-dev", "libfmt-dev", "libcli11-dev", "nlohmann-json3-dev")
    for file in ("LICENSE", "NOTICE", *(f"{library}.txt" for library in inside)):
        assert any(n.endswith(f".dist-info/licenses/{file}") for n in names), names
    assert not missing, missing
    assert all(n.startswith("inlayrt/") or re.match(r"inlayrt-[0-9.]+\.dist-info/", n) for n in names), names
    assert not [n for n in names if ".libs/" in n], names
    zipfile.ZipFile(wheel).extract(module, work)
    exported = call("nm", "-D", "--defined-only", work / module).split("\n")
    assert [line.split()[-1] for line in exported if line] == ["PyInit__inlayrt"], exported[:20]
    assert "no symbols" in call("nm", work / module), "the module is not stripped"
    assert wheel.stat().st_size < 12_000_000, wheel.stat().st_size
    print(f"{wheel.name}: {wheel.stat().st_size} bytes, of which the module has {(work / module).stat().st_size} unpacked")


def check_tool(fresh: pathlib.Path, work: pathlib.Path) -> None:
    """The wheel's command `inlay` does what the program of the build does, and `python -m inlayrt` too."""
    digits = SOURCE / "examples/digits/digits.onnx"
    for words in (["--version"], ["plan", digits, "--providers", "reference"], ["plan", digits, "--providers", "cpu", "--json"]):
        program = call(os.environ["INLAY_TOOL"], *words)
        assert call(fresh / "bin/inlay", *words, cwd=work) == program, words
        assert call(fresh / "bin/python", "-m", "inlayrt", *words, cwd=work) == program, words
    for words in (["plann"], ["plan", "missing.onnx"]):
        statuses = [subprocess.run([program, *words], capture_output=True, cwd=work).returncode for program in (os.environ["INLAY_TOOL"], fresh / "bin/inlay")]
        assert statuses[0] == statuses[1] > 0, (words, statuses)


def test_providers(environment: pathlib.Path, work: pathlib.Path) -> None:
    needed = " ".join(f"{name}ExecutionProvider" for name in ("OpenVINO", "Dnnl", "Tvm", "QNN", "Xnnpack"))
    file = SOURCE / "bindings/python/tests/test_providers.py"
    print(call(environment / "bin/python", "-m", "pytest", "-q", "-rs", file, cwd=work, env={**os.environ, "INLAY_NEEDED_PROVIDERS": needed})[-1500:])


def check_extras(work: pathlib.Path, wheel: pathlib.Path) -> None:
    """What pip installs by the wheel's extras is enough; the library of executorch has none, for it would bring torch."""
    own = work / "own"
    venv.create(own, with_pip=True)
    call(own / "bin/python", "-m", "pip", "install", f"{wheel}[onednn,openvino,qnn,tvm]", "pytest", "onnx")
    call(own / "bin/python", "-m", "pip", "install", "--no-deps", "executorch==1.5.1")
    print(call(own / "bin/python", "-m", "pip", "list"))
    test_providers(own, work)


def check_providers(fresh: pathlib.Path, work: pathlib.Path, wheel: pathlib.Path) -> None:
    """All are in the wheel, and compute where pip has put their libraries, without a path."""
    listed = call(fresh / "bin/python", "-c", "import inlayrt; print(*inlayrt._inlayrt.built_providers())", cwd=work).split()
    names = {name.removesuffix("ExecutionProvider") for name in listed}
    print(f"the wheel has {len(names)} providers: {' '.join(sorted(names))}")
    if not HAS_HEADERS:
        print("not all headers are here, so that it need not have all; scripts/setup --engines installs them")
        return
    assert names == COMPLETE, names ^ COMPLETE
    library = packages_of(fresh) / "executorch/lib"  # as its wheel has it; the rest is not needed
    library.parent.mkdir()
    library.symlink_to(cache() / "xnnpack-newer/lib")
    test_providers(fresh, work)
    simulator = cache() / "rknpu/bin/python"
    if not simulator.exists():
        print("rknn-toolkit2 is not here; scripts/setup --provider rknpu installs it")
        return
    call(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", work / "only", wheel)
    print(call(simulator, "-c", SIMULATE, cwd=work, env={**os.environ, "PYTHONPATH": str(work / "only"), "PYTHONDONTWRITEBYTECODE": "1"}))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        source = unpacked_sdist(work)
        wheel = build(source, work, *(["INLAY_ENGINES=ON"] if HAS_HEADERS else []), source=source)
        look_inside(wheel, work)
        fresh = fresh_environment(work, wheel)
        python = fresh / "bin/python"
        assert str(fresh) in call(python, "-c", "import inlayrt; print(inlayrt.__file__)", cwd=work)
        check_tool(fresh, work)
        check_providers(fresh, work, wheel)
        if "--from-pypi" in sys.argv:
            check_extras(work, wheel)
        print(call(python, "-m", "pytest", "-q", SOURCE / "bindings/python/tests", cwd=work)[-1500:])


main()
