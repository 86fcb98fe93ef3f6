#!/usr/bin/env python3
"""Whether every operator that Inlay has, and every one of ONNX's, has random cases, or a reason why not.

  complete.py --runner RUNNER
"""
from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "fuzz"), str(HERE.parent / "conformance")]
from cache import skip  # noqa: E402

WITHOUT = {
    ("ai.onnx.preview.training", "Gradient"): "it names values of the graph around it, and one node has none",
    ("com.microsoft", "SparseAttention"): "ONNX Runtime runs it only where past and present share memory, which a binding says, and no model",
    ("com.microsoft", "SparseToDenseMatMul"): "ONNX Runtime's first input is a sparse tensor, which no model of one node holds",
}


def operators(runner: str) -> set[tuple[str, str]]:
    """Those with reference kernels, those of ONNX's schemas, and those of com.microsoft that are rewritten or run by
    the session."""
    from onnx import defs
    from operators import REWRITTEN, SEARCHES
    lines = subprocess.run([runner, "--operators"], capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = {tuple(line.split()) for line in lines}
    assert len(pairs) > 200, f"{runner} lists {len(pairs)} operators"
    pairs = {(domain, name) for domain, name in pairs if domain != "inlay"}  # fused nodes, which passes make
    pairs |= {(s.domain or "ai.onnx", s.name) for s in defs.get_all_schemas()}
    pairs |= {("com.microsoft", name) for name in REWRITTEN + SEARCHES}
    return {("" if domain == "ai.onnx" else domain, name) for domain, name in pairs}


def problems(runner: str) -> list[str]:
    from case import GENERATORS
    pairs = operators(runner)
    texts = [f"{d or 'ai.onnx'}: {n} has no generator, and no reason in WITHOUT" for d, n in sorted(pairs - set(GENERATORS) - set(WITHOUT))]
    texts += [f"{d or 'ai.onnx'}: {n} has a generator, and a reason why it has none" for d, n in sorted(set(WITHOUT) & set(GENERATORS))]
    return texts + [f"{d or 'ai.onnx'}: {n} has a reason in WITHOUT, and does not exist" for d, n in sorted(set(WITHOUT) - pairs)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="the program of runner.cpp")
    args = parser.parse_args()
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    texts = problems(args.runner)
    for text in texts:
        print(text)
    return int(bool(texts))


if __name__ == "__main__":
    sys.exit(main())
