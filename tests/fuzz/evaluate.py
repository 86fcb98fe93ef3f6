"""ONNX Runtime without optimisations, one node or one model at a time."""
from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from values import BF16, F32, Rejected

IR_VERSION = 10


def options() -> onnxruntime.SessionOptions:
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    plain.intra_op_num_threads = plain.inter_op_num_threads = 1
    plain.log_severity_level = 4
    return plain


def make_model(graph: onnx.GraphProto, opset: int) -> onnx.ModelProto:
    return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", opset)])


def value_info(name: str, array: np.ndarray, shape: list[int | str | None] | None = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)


class Session:
    """A model in ONNX Runtime."""

    def __init__(self, model: onnx.ModelProto) -> None:
        try:
            self.session = onnxruntime.InferenceSession(model.SerializeToString(), options(),
                                                        providers=["CPUExecutionProvider"])
        except Exception as e:  # ONNX Runtime has a dozen types of errors without a common base
            raise Rejected(f"load: {short(e)}") from e

    def run(self, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        try:
            return [np.asarray(x) for x in self.session.run(None, {name: np.asarray(a) for name, a in feeds.items()})]
        except Exception as e:
            raise Rejected(f"run: {short(e)}") from e


def short(e: Exception) -> str:
    return str(e).replace("\n", " ")[-160:]


class NodeSession:
    """One node as a model. ONNX Runtime has hardly a kernel for bfloat16, so that such a node runs in float32, and the
    results are then rounded: what the standard requires of one operator."""

    def __init__(self, node: onnx.NodeProto, feeds: dict[str, np.ndarray], opset: int) -> None:
        self.cast = cast_target(node)
        self.narrow = BF16 in {a.dtype for a in feeds.values()}
        if self.cast is not None:
            return
        if self.narrow:
            check_takes_bfloat16(node, opset, feeds)
        wide = {name: self.widened(a) for name, a in feeds.items()}
        infos = [value_info(name, a) for name, a in wide.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        graph = helper.make_graph([node], "node", infos, outputs)
        self.session = Session(make_model(graph, opset))

    def widened(self, a: np.ndarray) -> np.ndarray:
        return a.astype(F32) if a.dtype == BF16 else a

    def run(self, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        if self.cast is not None:
            (array,) = feeds.values()
            return [cast_by_way_of_float(array, self.cast)]
        results = self.session.run({name: self.widened(a) for name, a in feeds.items()})
        return [r.astype(BF16) if self.narrow and r.dtype == F32 else r for r in results]


def check_takes_bfloat16(node: onnx.NodeProto, opset: int, feeds: dict[str, np.ndarray]) -> None:
    """By the standard: ONNX Runtime is not queried."""
    schema = onnx.defs.get_schema(node.op_type, opset)
    allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    for k, name in enumerate(node.input):
        port = schema.inputs[min(k, len(schema.inputs) - 1)]
        if name and feeds[name].dtype == BF16 and "tensor(bfloat16)" not in allowed.get(port.type_str, []):
            raise Rejected("no bfloat16")


def cast_target(node: onnx.NodeProto) -> np.dtype | None:
    """Casts are numpy's: those of exact values are the same everywhere."""
    if node.op_type != "Cast":
        return None
    return np.dtype(helper.tensor_dtype_to_np_dtype(helper.get_node_attr_value(node, "to")))


def cast_by_way_of_float(array: np.ndarray, to: np.dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        return array.astype(F32).astype(to) if BF16 in (array.dtype, to) else array.astype(to)


def free_names(graph: onnx.GraphProto) -> list[str]:
    """What the nodes of a subgraph read from outside, in order."""
    names = {i.name for i in graph.input} | {i.name for i in graph.initializer}
    free: dict[str, None] = {}
    for node in graph.node:
        for name in names_read(node):
            if name not in names:
                free.setdefault(name)
        names |= set(node.output)
    for output in graph.output:
        if output.name not in names:
            free.setdefault(output.name)
    return list(free)


def names_read(node: onnx.NodeProto) -> list[str]:
    """The node's inputs and what its subgraphs capture."""
    names = {name: None for name in node.input if name}
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            names |= dict.fromkeys(free_names(attribute.g))
    return list(names)
