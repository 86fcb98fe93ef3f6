"""How programs with a model in them are compiled, as the documentation says, and how much code they have."""
from __future__ import annotations

import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[1]
# Long plans are long constant expressions; g++'s limits stop at some hundred nodes.
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections",
         "-fconstexpr-ops-limit=2000000000", "-fconstexpr-loop-limit=100000000"]
INCLUDES = [f"-I{SOURCE / 'include'}", f"-I{SOURCE / 'kernels'}"]
STATIC = ["-static", "-Wl,--gc-sections"]


def text_of(program: pathlib.Path) -> int:
    """Bytes of code and constants."""
    printed = subprocess.run(["size", program], capture_output=True, text=True, check=True).stdout
    return int(printed.splitlines()[1].split()[0])


def empty_text(compiler: str, work: pathlib.Path) -> int:
    """Those of a static program that does nothing."""
    (work / "empty.cpp").write_text("int main() {}\n")
    subprocess.run([compiler, *FLAGS, *STATIC, "empty.cpp", "-o", "empty"], cwd=work, check=True)
    return text_of(work / "empty")
