#!/usr/bin/env python3
"""Runs the kept cases of tests/fuzz/found: what once went wrong.

  found.py --runner RUNNER [FILE ...]     # all of them, or these
"""
from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from cache import skip  # noqa: E402

REFUSALS = {"invalid_model", "unsupported_model", "no_provider", "shape_mismatch", "type_mismatch", "invalid_value",
            "limit_exceeded", "out_of_memory_limit"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="the program of runner.cpp")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    return run(args.runner, args.files or sorted((HERE / "found").glob("*.txt")))


def run(program: str, files: list[pathlib.Path]) -> int:
    from text_case import complete, read_text
    from trial import Runner
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(program, pathlib.Path(folder) / "case")
        for file in files:
            case, may_refuse = read_text(file)
            findings = [f for f in runner.findings(case if may_refuse else complete(case))
                        if not (may_refuse and f["kind"] in REFUSALS)]
            wrong += bool(findings)
            for f in findings[:3]:
                print(f"{file.name}: {f['configuration']}, {f['phase']}: {f['kind']}: {f['text'][:300]}", flush=True)
        runner.close()
    print(f"{len(files)} kept cases, {wrong} go wrong")
    return int(bool(wrong) or not files)


if __name__ == "__main__":
    sys.exit(main())
