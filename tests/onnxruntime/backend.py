#!/usr/bin/env python3
"""Run ONNX's own backend tests in ONNX Runtime with Inlay's provider in front of its own.

  backend.py                   # all cases, within their own tolerances; $INLAY_ONNXRUNTIME_EP is the library
  backend.py --filter softmax

A case that goes wrong is none of Inlay's where ONNX Runtime by itself goes wrong too: it does not load the newest operators, and has no
kernels for some element types. Cases of ../conformance/exceptions.txt have the tolerances that are written there.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import sys

os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")  # so that ONNX Runtime looks at models of onnx's newest opset
from peer import HERE, NAME, assigned, data_of, differ, free_inputs, onnx, pathlib, register, run, session  # noqa: E402
from cache import made_once  # noqa: E402
from run import read_exceptions  # noqa: E402, of ../conformance
from suite import write_suite  # noqa: E402

NEWEST_IR = 13  # that ONNX Runtime 1.31 reads; the suite says 14, and has nothing that is new there
RANDOM = re.compile("test_bernoulli")  # the numbers of another generator: docs/explanation/conformance.md
LIBRARIES = re.compile("test_image_decoder")  # what most of them need is in builds with INLAY_IMAGES


def load(path: pathlib.Path):
    """The model, or its path where it is large."""
    if path.stat().st_size > 1 << 20:
        return path, onnx.load(path, load_external_data=False).graph
    model = onnx.load(path)
    model.ir_version = min(model.ir_version, NEWEST_IR)
    return model, model.graph


class Case:
    def __init__(self, suite: pathlib.Path, path: pathlib.Path, tolerances: dict[str, list[str]]) -> None:
        self.name, self.folder = path.parent.relative_to(suite).as_posix(), path.parent
        self.tolerance = json.loads((self.folder / "tolerance.json").read_text())
        option, *value = tolerances.get(self.name, [""])
        if value:
            self.tolerance[option.removeprefix("--")] = float(value[0])
        self.model, self.graph = load(path)

    def problem(self, devices: list) -> tuple[str | None, object]:
        """What goes wrong with these devices, None: nothing; and the session."""
        try:
            made = session(self.model, devices, {"threads": "1", "all_nodes": "true"})
            for data in sorted(self.folder.glob("test_data_set_*")):
                wanted = data_of(data, "output", self.graph.output)
                got = run(made, data_of(data, "input", free_inputs(self.graph)), wanted)
                for g, w in zip(got, wanted):
                    if why := differ(g, w, **self.tolerance):
                        return why, made
        except Exception as error:  # noqa: BLE001, whatever ONNX Runtime raises
            return f"{type(error).__name__}: {error}", None
        return None, made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="regular expression on category/case")
    args = parser.parse_args()
    suite = made_once(f"backend-onnx-{onnx.__version__}", write_suite)
    _, tolerances = read_exceptions(HERE.parent / "conformance/exceptions.txt")
    devices = register()
    passed = refused = claimed = nodes = whole = 0
    wrong = []
    for path in sorted(suite.glob("*/*/model.onnx")):
        case = Case(suite, path, tolerances)
        if not re.search(args.filter, case.name) or RANDOM.search(case.name) or LIBRARIES.search(case.name):
            continue
        why, made = case.problem(devices)
        if why is None:
            passed += 1
            of_inlay, all_nodes = assigned(made)
            claimed, nodes, whole = claimed + of_inlay, nodes + all_nodes, whole + (of_inlay == all_nodes)
        elif alone := case.problem([])[0]:
            refused += 1
            if NAME in why and "Inlay" not in alone:  # then it is Inlay's after all
                wrong.append(f"{case.name}: {why}; ONNX Runtime alone: {alone}")
        else:
            wrong.append(f"{case.name}: {why}")
    print(f"{passed} cases pass, {whole} of them on Inlay alone; {claimed} of their {nodes} nodes are Inlay's; "
          f"{refused} go wrong in ONNX Runtime alone too; {len(wrong)} go wrong here", *wrong, sep="\n  ")
    return int(bool(wrong) or not passed)


if __name__ == "__main__":
    sys.exit(main())
