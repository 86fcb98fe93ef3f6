#!/usr/bin/env python3
"""The smaller models of the suite as packages: coremltools accepts them, and what they compute is what the CPU provider
does.

    zoo_programs.py MODEL=NODES...

NODES: so many nodes of the model may be left to the CPU. Needs $INLAY_TOOL, and coremltools, as scripts/setup
--provider installs it; skipped without it, and without the model suite's script.
"""
from __future__ import annotations

import importlib.util
import json
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TESTS), str(TESTS / "zoo")]
from cache import skip  # noqa: E402
from run import data_sets, write_zoo  # noqa: E402
from zoo_facts import input_shapes  # noqa: E402

if importlib.util.find_spec("coremltools") is None:
    skip("coremltools is missing; scripts/setup --provider installs it")
import numpy  # noqa: E402
import onnx  # noqa: E402
from written_model import WrittenModel, on_cpu  # noqa: E402


def check(folder: pathlib.Path, most_left: int) -> None:
    """Raises where a package is refused or gives other numbers."""
    shapes = input_shapes(folder)
    tolerance = json.loads((folder / "tolerance.json").read_text())
    with tempfile.TemporaryDirectory() as work:
        written = WrittenModel(folder / "model.onnx", pathlib.Path(work), shapes)
        data = data_sets(folder)[0]
        inputs = {name: onnx.numpy_helper.to_array(onnx.load_tensor(data / f"input_{i}.pb")) for i, name in enumerate(shapes)}
        worst = 0.
        for y, expected in zip(written.run(inputs), on_cpu(folder / "model.onnx", inputs, pathlib.Path(work)), strict=True):
            numpy.testing.assert_allclose(y, expected, **tolerance, err_msg=folder.name)
            worst = max(worst, float(numpy.abs(y - expected).max()))
    operations = sum(len(p.operations()) for p in written.programs.values())
    print(f"{folder.name:14} {len(written.programs)} packages, {operations} operations; left: {written.left}; largest difference {worst:.3g}", flush=True)
    assert len(written.left) <= most_left, written.left


def main() -> int:
    for argument in sys.argv[1:]:
        name, left = argument.split("=")
        check(write_zoo() / name, int(left))
    return 0


if __name__ == "__main__":
    sys.exit(main())
