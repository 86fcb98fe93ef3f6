"""What tests of wheels share: a wheel is built and repaired as others get it, and installed in a fresh environment."""
import importlib.util
import os
import pathlib
import site
import subprocess
import sys
import venv

from cache import cache, skip

SOURCE = pathlib.Path(os.environ["INLAY_SOURCE"])


def need(*packages: str) -> None:
    """Skips the test where one of these Python packages, or what a wheel is linked with, is not there."""
    for package in ("auditwheel", "scikit_build_core", *packages):
        if importlib.util.find_spec(package) is None:
            skip(f"there is no package {package}; scripts/setup --python installs it")
    if not list(cache().glob("protobuf-*/lib/libprotobuf.a")):
        skip("there is no static protobuf; scripts/setup --wheel builds it")


def call(*words: object, **more: object) -> str:
    """The output of a command, which must succeed."""
    process = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if process.returncode:
        sys.exit(f"failed: {' '.join(map(str, words))}\n{process.stdout[-8000:]}")
    return process.stdout


def unpacked_sdist(work: pathlib.Path) -> pathlib.Path:
    """The source distribution of the tree, unpacked: a tree of its own."""
    call(sys.executable, "-c", "import scikit_build_core.build as b, sys; b.build_sdist(sys.argv[1])", work, cwd=SOURCE)
    (archive,) = work.glob("*.tar.gz")
    print(f"{archive.name}: {archive.stat().st_size} bytes")
    call("tar", "-xzf", archive, "-C", work)
    return work / archive.name.removesuffix(".tar.gz")


def build(folder: pathlib.Path, work: pathlib.Path, *defines: str, source: pathlib.Path = SOURCE) -> pathlib.Path:
    """The wheel of a folder of a source tree."""
    # The name of the compiler and the warnings are those of other builds, so that ccache has what they compiled.
    env = {"CXX": "c++", **os.environ, "CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1", "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    settings = [word for define in ("INLAY_WERROR=ON", *defines) for word in ("-C", f"cmake.define.{define}")]
    call(sys.executable, "-m", "pip", "wheel", folder, "--no-deps", "--no-build-isolation", *settings, "-w", work, env=env)
    (plain,) = work.glob("*.whl")
    print(call(sys.executable, "-m", "auditwheel", "repair", plain, "-w", work / "repaired", env=env))
    (wheel,) = (work / "repaired").glob("*manylinux*.whl")
    return wheel


def fresh_environment(work: pathlib.Path, wheel: pathlib.Path) -> pathlib.Path:
    """An environment with the wheel. Other packages are those of the environment that runs this; of the wheel's own there is nothing there."""
    fresh = work / "venv"
    venv.create(fresh, with_pip=True)
    (packages_of(fresh) / "others.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    call(fresh / "bin/python", "-m", "pip", "install", "--no-deps", "--no-index", wheel)
    return fresh


def packages_of(environment: pathlib.Path) -> pathlib.Path:
    return next((environment / "lib").glob("python3*")) / "site-packages"
