"""A graph with its data: what the runner gets, as a folder, and what ONNX Runtime says of it."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import numpy_helper

from evaluate import Session
from values import BF16

Arrays = list[np.ndarray]


@dataclass
class Case:
    """One model, its inputs and right outputs at each size, and the largest error that each output may have."""
    name: str
    model: onnx.ModelProto
    inputs: list[Arrays]
    outputs: list[Arrays]
    tolerances: list[float]
    theme: str = ""
    contents: dict[str, Arrays] = field(default_factory=dict)  # of every value of the outermost graph, at each size

    def write(self, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(self.model.SerializeToString())
        (folder / "tolerance.txt").write_text(" ".join(f"{t:.9g}" for t in self.tolerances))
        for k, (inputs, outputs) in enumerate(zip(self.inputs, self.outputs)):
            write_arrays(folder / f"set_{k}", "input", inputs)
            write_arrays(folder / f"set_{k}", "output", outputs)

    def feeds(self, k: int) -> dict[str, np.ndarray]:
        return {port.name: array for port, array in zip(self.model.graph.input, self.inputs[k])}


def write_arrays(folder: pathlib.Path, kind: str, arrays: Arrays) -> None:
    folder.mkdir(exist_ok=True)
    for k, array in enumerate(arrays):
        (folder / f"{kind}_{k}.pb").write_bytes(numpy_helper.from_array(np.asarray(array)).SerializeToString())


def has_bfloat16(case: Case) -> bool:
    """ONNX Runtime has hardly a kernel for it: then the nodes' own results are what is right."""
    everything = [*case.contents.values(), *case.inputs, *case.outputs]
    return any(a.dtype == BF16 for arrays in everything for a in arrays)


def as_whole(case: Case) -> list[Arrays]:
    """The outputs of the whole model in ONNX Runtime without optimisations, at each size."""
    session = Session(case.model)
    return [session.run(case.feeds(k)) for k in range(len(case.inputs))]
