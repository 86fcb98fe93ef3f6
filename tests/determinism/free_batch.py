#!/usr/bin/env python3
"""Write a model of a fixed batch of 1 with a free one, which the certificate can then compare alone and inside a batch.

  free_batch.py MODEL.onnx FREE.onnx

The first axis of inputs and outputs becomes `batch`; outputs that have none are left out, by name; a Reshape to a constant
shape that begins with 1 keeps the first axis of its input. Status 1, and a line that says why, where that is no longer the same model for one row.
"""
from __future__ import annotations

import sys

import numpy as np
import onnx
from onnx import numpy_helper


def constants_of(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    constants = {t.name: t for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            constants.update({node.output[0]: a.t for a in node.attribute if a.name == "value"})
    return constants


def has_one_row(port: onnx.ValueInfoProto) -> bool:
    dims = port.type.tensor_type.shape.dim
    return bool(dims) and dims[0].dim_value == 1


def free(graph: onnx.GraphProto) -> str:
    """Empty, or why the batch cannot be free."""
    constants = constants_of(graph)
    ports = [p for p in graph.input if p.name not in constants]
    if without := [p.name for p in ports if not has_one_row(p)]:
        return f"the first axis of {', '.join(without)} is not 1"
    for port in [p for p in graph.output if not has_one_row(p)]:
        print(f"free_batch: without the output `{port.name}`, whose first axis is not 1", file=sys.stderr)
        graph.output.remove(port)
    for port in [*ports, *graph.output]:
        port.type.tensor_type.shape.dim[0].dim_param = "batch"
    del graph.value_info[:]
    for node in graph.node:
        shape = constants.get(node.input[1]) if node.op_type == "Reshape" and len(node.input) > 1 else None
        if shape is None or node.input[0] in constants:
            continue
        target = numpy_helper.to_array(shape).copy()
        if target.size == 0 or target[0] not in (0, 1):
            return f"`{node.name or node.output[0]}` reshapes to {target.tolist()}"
        target[0] = 0
        shape.CopyFrom(numpy_helper.from_array(np.asarray(target, np.int64), shape.name))
    return "" if graph.output else "no output has a first axis of 1"


def main() -> int:
    model = onnx.load(sys.argv[1])
    if reason := free(model.graph):
        print(f"free_batch: {reason}", file=sys.stderr)
        return 1
    onnx.save(model, sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
