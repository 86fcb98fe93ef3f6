"""Models whose regions were written as packages: `inlay compile` writes them, and Python computes what each of the two
has."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess

import numpy
import onnx
from mil_program import Program
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator


class WrittenModel:
    """The file of `inlay compile`, whose EPContext nodes name the packages."""

    def __init__(self, model: pathlib.Path, folder: pathlib.Path, shapes: dict[str, list[int]], options: str = "") -> None:
        file = folder / "written.onnx"
        sizes = [a for name, dims in shapes.items() for a in ("--shape", f"{name}={','.join(map(str, dims))}")]
        providers = f"coreml:ModelCacheDirectory={folder / 'packages'}{options},cpu"
        done = subprocess.run([os.environ["INLAY_TOOL"], "compile", model, "--providers", providers, "--without-original", "--json", *sizes, "-o", file],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        if left_out := json.loads(done.stdout)["left_out"]:
            raise ValueError(str(left_out))
        self._graph, self._opsets = (loaded := onnx.load(file)).graph, loaded.opset_import
        self.programs = {n.name: Program(folder / "packages" / a.s.decode()) for n in self._graph.node for a in n.attribute
                         if n.op_type == "EPContext" and a.name == "ep_cache_context"}
        self.left = [n.op_type for n in self._graph.node if n.op_type != "EPContext"]

    def run(self, inputs: dict[str, numpy.ndarray]) -> list[numpy.ndarray]:
        values = {**{t.name: numpy_helper.to_array(t) for t in self._graph.initializer}, **inputs}
        types = {v.name: helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type) for v in [*self._graph.value_info, *self._graph.output]}
        for n in self._graph.node:
            if n.op_type == "EPContext":
                made = self.programs[n.name].run([values[name] for name in n.input])
                values |= {name: y.astype(types.get(name, numpy.int64 if y.dtype == numpy.int32 else y.dtype)) for name, y in zip(n.output, made, strict=True)}
            else:
                values |= zip(n.output, self._one(n, values))
        sizes = {o.name: [d.dim_value for d in o.type.tensor_type.shape.dim] for o in self._graph.output}  # 0: known in the run only
        return [values[name].reshape(dims) if all(dims) else values[name] for name, dims in sizes.items()]

    def _one(self, n: onnx.NodeProto, values: dict[str, numpy.ndarray]) -> list[numpy.ndarray]:
        given = {name: values[name] for name in n.input if name}
        ports = [[helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for name, x in given.items()],
                 [helper.make_value_info(name, onnx.TypeProto()) for name in n.output]]
        model = helper.make_model(helper.make_graph([n], "one", *ports), opset_imports=self._opsets)
        return ReferenceEvaluator(model).run(None, given)


def on_cpu(model: pathlib.Path, inputs: dict[str, numpy.ndarray], work: pathlib.Path) -> list[numpy.ndarray]:
    """What the CPU provider gives."""
    given = []
    for k, (name, value) in enumerate(inputs.items()):
        numpy.save(work / f"input_{k}.npy", value)
        given += ["--in", f"{name}={work / f'input_{k}.npy'}"]
    done = subprocess.run([os.environ["INLAY_TOOL"], "run", model, "--providers", "cpu", *given, "--out", work / "expected"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return [numpy.load(work / "expected" / f"output_{k}.npy") for k in range(len(list((work / "expected").iterdir())))]
