#!/usr/bin/env python3
"""Front ends of audio models against numpy, and detectors against ONNX Runtime, by CPU and reference kernels.

  run_networks.py --runner RUNNER          # the program of tests/differential/runner.cpp; --only TEXT and --keep FOLDER as run.py has them

The status is 1 if one differs, or is refused.
"""
from __future__ import annotations

import pathlib
import sys
import tempfile

from run import Inlay, arguments, differs, runtime


def judge(case, inlay: Inlay, folder: pathlib.Path) -> str:
    """Empty, or what is wrong."""
    expected = case.expected if case.expected is not None else runtime(case.model, case.inputs)
    if isinstance(expected, str):
        return f"ONNX Runtime does not run it: {expected}"
    if not any(value.size for value in expected):
        return "it finds nothing: a test without a result"
    for name, ours in inlay.run(case.model, case.inputs, folder).items():
        text = ours if isinstance(ours, str) else differs(ours, expected, case.tolerance)
        if text:
            return f"{name}: {text}"
    return ""


def main() -> int:
    args = arguments(__doc__)
    from cache import skip
    try:
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --python installs it")
    from audio import all_audio
    from detection import all_detection
    inlay, tried, wrong = Inlay(args.runner), 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        for k, make in enumerate(all_audio() + all_detection()):
            case = make()
            if args.only not in case.name:
                continue
            text = judge(case, inlay, (args.keep or pathlib.Path(temporary)) / str(k))
            tried, wrong = tried + 1, wrong + bool(text)
            if text:
                print(f"{case.name}: {text}", flush=True)
    inlay.process.close()
    print(f"{tried} networks, {wrong} are wrong")
    return int(bool(wrong) or not tried)


if __name__ == "__main__":
    sys.exit(main())
