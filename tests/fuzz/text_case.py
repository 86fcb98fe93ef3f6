"""Cases as text: what was found is kept so, in tests/fuzz/found.

  # Any comment.
  #const w = float[1,8,16,16] seed 3     an initializer: its numbers, or quarters drawn from a seed
  #tolerance 1e-5                        of each output; without it, outputs are the same
  #refusal                               to load or to run it with an error is right, too (a crash or a hang is not)
  #set                                   begins a set of data; there is one without it, too
  #in x = float[1,2] 1 2                 an input
  #out y = float[2] 0.5 3                a right output; without any, ONNX Runtime, unoptimised, says what is right
  <ir_version: 10, opset_import: ["": 17]>
  g (float[1,2] x) => (float[n] y) { ... }    the model, as onnx.parser reads it
"""
from __future__ import annotations

import math
import pathlib
import re

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser, printer

from case import Arrays, Case, as_whole

NAMES = {"float": "float32", "float16": "float16", "bfloat16": "bfloat16", "double": "float64", "int64": "int64",
         "int32": "int32", "uint8": "uint8", "int8": "int8", "bool": "bool"}
LINE = re.compile(r"#(const|in|out) (\S+) = (\w+)\[([\d,]*)\] ?(.*)")


def type_of(name: str) -> np.dtype:
    return np.dtype(helper.tensor_dtype_to_np_dtype(getattr(onnx.TensorProto, name.upper())))


def read_array(kind: str, dims: str, data: str) -> np.ndarray:
    shape = tuple(int(d) for d in dims.split(",") if d)
    dtype = type_of(kind)
    if data.startswith("seed"):
        quarters = np.random.default_rng(int(data.split()[1])).integers(-6, 7, shape)
        return (quarters / 4 if kind in ("float", "float16", "bfloat16", "double") else quarters).astype(dtype)
    number = float if np.issubdtype(dtype, np.floating) or kind == "bfloat16" else int
    return np.array([number(x) for x in data.split()]).reshape(shape).astype(dtype)


def array_text(array: np.ndarray) -> str:
    names = {np.dtype(helper.tensor_dtype_to_np_dtype(getattr(onnx.TensorProto, n.upper()))): n for n in NAMES}
    numbers = " ".join(number_text(x) for x in array.reshape(-1))
    return f"{names[array.dtype]}[{','.join(map(str, array.shape))}] {numbers}"


def number_text(x: np.generic) -> str:
    if isinstance(x, np.bool_):
        return str(int(x))
    wide = float(x)
    return str(int(wide)) if math.isfinite(wide) and wide == int(wide) else f"{wide:.9g}"


def read_text(file: pathlib.Path) -> tuple[Case, bool]:
    """The case, and whether refusing it is right, too."""
    text = file.read_text()
    header = [line for line in text.splitlines() if line.startswith("#")]
    model = parser.parse_model("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    tolerance, sets = 0.0, [{"in": {}, "out": {}}]
    for line in header:
        if line.startswith("#tolerance "):
            tolerance = float(line.split()[1])
        elif line.strip() == "#set" and (sets[-1]["in"] or sets[-1]["out"]):
            sets.append({"in": {}, "out": {}})
        elif match := LINE.fullmatch(line.rstrip()):
            kind, name, *rest = match.groups()
            if kind == "const":
                model.graph.initializer.append(numpy_helper.from_array(read_array(*rest), name))
            else:
                sets[-1][kind][name] = read_array(*rest)
    inputs = [[data["in"][port.name] for port in model.graph.input] for data in sets]
    outputs: list[Arrays] = [[data["out"][port.name] for port in model.graph.output] for data in sets if data["out"]]
    case = Case(file.stem, model, inputs, outputs, [tolerance] * len(model.graph.output))
    return case, any(line.strip() == "#refusal" for line in header)


def complete(case: Case) -> Case:
    """With what ONNX Runtime says, where the text says nothing."""
    if not case.outputs:
        case.outputs = as_whole(case)
    return case


def write_text(case: Case, file: pathlib.Path, notes: list[str]) -> None:
    lines = [f"# {note}" for note in notes]
    if any(case.tolerances):
        lines.append(f"#tolerance {max(case.tolerances):.3g}")
    for inputs, outputs in zip(case.inputs, case.outputs):
        lines.append("#set")
        lines += [f"#in {port.name} = {array_text(a)}" for port, a in zip(case.model.graph.input, inputs)]
        lines += [f"#out {port.name} = {array_text(a)}" for port, a in zip(case.model.graph.output, outputs)]
    file.write_text("\n".join(lines) + "\n" + printer.to_text(case.model) + "\n")
