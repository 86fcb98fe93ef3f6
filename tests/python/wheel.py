"""The wheel of bindings/python: it is built, needs nothing but the system's libraries, is small, and its tests pass where it is installed in a fresh environment."""
import os
import pathlib
import re
import site
import subprocess
import sys
import tempfile
import venv
import zipfile

SOURCE = pathlib.Path(os.environ["INLAY_SOURCE"])
sys.path.append(str(SOURCE / "tests"))
from cache import cache, skip  # noqa: E402

try:
    import auditwheel  # noqa: F401
    import mypy  # noqa: F401
    import nanobind  # noqa: F401
    import pytest  # noqa: F401
    import scikit_build_core  # noqa: F401
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")
if not list(cache().glob("protobuf-*/lib/libprotobuf.a")):
    skip("there is no static protobuf; scripts/setup --wheel builds it")


def call(*words: object, **more: object) -> str:
    process = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if process.returncode:
        sys.exit(f"failed: {' '.join(map(str, words))}\n{process.stdout[-8000:]}")
    return process.stdout


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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        # The name of the compiler and the warnings are those of other builds, so that ccache has what they compiled.
        env = {"CXX": "c++", "CCACHE_BASEDIR": str(SOURCE), "CCACHE_NOHASHDIR": "1", **os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
        call(sys.executable, "-m", "pip", "wheel", SOURCE / "bindings/python", "--no-deps", "--no-build-isolation", "-C", "cmake.define.INLAY_WERROR=ON", "-w", work, env=env)
        (plain,) = work.glob("*.whl")
        print(call(sys.executable, "-m", "auditwheel", "repair", plain, "-w", work / "repaired", env=env))
        (wheel,) = (work / "repaired").glob("*manylinux*.whl")
        look_inside(wheel, work)
        fresh = work / "venv"
        venv.create(fresh, with_pip=True)
        python = fresh / "bin/python"
        # numpy and what the tests use are those of the environment that runs this; of the wheel's own there is nothing there.
        (next((fresh / "lib").glob("python3*")) / "site-packages/others.pth").write_text("\n".join(site.getsitepackages()) + "\n")
        call(python, "-m", "pip", "install", "--no-deps", "--no-index", wheel)
        assert str(fresh) in call(python, "-c", "import inlayrt; print(inlayrt.__file__)", cwd=work)
        check_tool(fresh, work)
        print(call(python, "-m", "pytest", "-q", SOURCE / "bindings/python/tests", cwd=work)[-1500:])


main()
