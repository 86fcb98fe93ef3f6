"""One node as a model; ONNX Runtime, ONNX's reference evaluator and formulas, which say what is right."""
from __future__ import annotations

import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from draw import BF16, F16, F32, NUMPY_KNOWS, SMALL_FLOATS, TEXT, Draw, Port, onnx_type, tensor_of
from formulas import FORMULAS

IR_VERSION = {28: 13}
Results = list  # of an array, a list or a dict for each output; None: left out
NARROW = {np.dtype(ml_dtypes.int4): np.int8, np.dtype(ml_dtypes.uint4): np.uint8, np.dtype(ml_dtypes.int2): np.int8,
          np.dtype(ml_dtypes.uint2): np.uint8}


def value_info(name: str, p: Port, d: Draw) -> onnx.ValueInfoProto:
    if p.type_proto is not None:
        return helper.make_value_info(name, p.type_proto)
    style = d.rng.random()
    shape = list(p.value.shape) if style < 0.7 else None if style < 0.75 else [f"{name}_{k}" if d.chance(0.6) else n for k, n in enumerate(p.value.shape)]
    return helper.make_tensor_value_info(name, onnx_type(p.value.dtype), shape)


def opsets(d: Draw) -> list[onnx.OperatorSetIdProto]:
    if d.domain in ("", "ai.onnx"):
        return [helper.make_opsetid("", d.opset)]
    return [helper.make_opsetid("", 21), helper.make_opsetid(d.domain, d.opset)]


def model_of(d: Draw) -> onnx.ModelProto:
    names = [f"x{k}" if p.given else "" for k, p in enumerate(d.inputs)]
    outputs = [f"y{k}" if on else "" for k, on in enumerate(d.outputs)]
    node = helper.make_node(d.op, names, outputs, domain=d.domain, **d.attributes)
    for a in node.attribute:  # an empty list says of nothing what it is one of
        if a.name in d.attributes and d.attributes[a.name] == []:
            a.type = onnx.AttributeProto.INTS
    infos = [value_info(n, p, d) for n, p in d.ports().items() if not p.constant]
    constants = [tensor_of(p.value, n) for n, p in d.ports().items() if p.constant]
    graph = helper.make_graph([node], "node", infos, [helper.make_empty_tensor_value_info(n) for n in outputs if n], constants)
    return helper.make_model(graph, ir_version=10 if d.opset < 24 else 12, opset_imports=opsets(d))


def feeds_of(d: Draw) -> dict[str, object]:
    return {n: p.value for n, p in d.ports().items() if not p.constant}


def short(e: BaseException) -> str:
    return f"{type(e).__name__}: {e}".replace("\n", " ")[-220:]


class Reference:
    """ONNX's own evaluator."""
    name = "reference evaluator"

    def run(self, d: Draw, model: onnx.ModelProto) -> Results:
        if d.domain == "com.microsoft":
            raise NotImplementedError("no such domain")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            feeds = {k: v.astype(str) if isinstance(v, np.ndarray) and v.dtype == TEXT and v.size else v for k, v in feeds_of(d).items()}
            results = ReferenceEvaluator(model).run(None, feeds)
        return [r[0] for r in results] if d.op == "Optional" else results  # it gives a list of what the optional holds


class Formula:
    """What the operator's document says, for those that the others lack."""
    name = "formula"

    def run(self, d: Draw, model: onnx.ModelProto) -> Results:
        if (d.domain, d.op) not in FORMULAS:
            raise NotImplementedError("none is written down")
        return FORMULAS[d.domain, d.op](d)


def widened(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with float32 for its inputs and constants of float16."""
    for i in model.graph.input:
        if i.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16:
            i.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    for c in model.graph.initializer:
        if c.data_type == onnx.TensorProto.FLOAT16:
            c.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(c).astype(F32), c.name))
    return model


class OnnxRuntime:
    """Types that it cannot take from Python are constants there, and are given back as others that hold them."""
    name = "onnxruntime"

    def __init__(self) -> None:
        self.options = onnxruntime.SessionOptions()
        self.options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.options.intra_op_num_threads = self.options.inter_op_num_threads = 1
        self.options.log_severity_level = 4

    def run(self, d: Draw, model: onnx.ModelProto) -> Results:
        if d.op == "Scan" and any(p.value is not None and p.value.size == 0 for p in d.inputs):
            raise NotImplementedError("it divides by zero, and ends the program, where there is nothing to scan")
        adapted = onnx.ModelProto()
        adapted.CopyFrom(model)
        feeds = {}
        for name, value in feeds_of(d).items():
            if isinstance(value, np.ndarray) and value.dtype not in NUMPY_KNOWS:
                adapted.graph.initializer.append(tensor_of(value, name))
                ports = [i for i in adapted.graph.input if i.name != name]
                del adapted.graph.input[:]
                adapted.graph.input.extend(ports)
            else:
                feeds[name] = value
        if d.since == 22 and d.domain == "":  # that version added bfloat16, and nothing else
            adapted.opset_import[0].version = 21
        if (d.domain, d.op) == ("com.microsoft", "Attention") and d.inputs[2].value is None:  # which would end the program
            adapted.graph.node[0].input[2] = "no_bias"
            adapted.graph.initializer.append(tensor_of(np.zeros(d.inputs[1].value.shape[1], d.inputs[1].value.dtype), "no_bias"))
        # Its kernel is of float32; between the casts that it makes for float16 it takes normalize_routing_weights for
        # given.
        if (d.domain, d.op) == ("com.microsoft", "MoE") and d.inputs[0].value.dtype == F16:
            results = self.session(widened(adapted)).run(None, {n: x.astype(F32) if x.dtype == F16 else x for n, x in feeds.items()})
            return [r.astype(F16) for r in results]
        session = self.session(adapted)
        odd = {o.name: o.type for o in session.get_outputs() if any(t in o.type for t in ("bfloat16", "float8", "int4", "int2", "float4"))}
        if odd:
            session = self.with_casts(adapted, odd)
        return session.run(None, feeds)

    def session(self, model: onnx.ModelProto) -> onnxruntime.InferenceSession:
        return onnxruntime.InferenceSession(model.SerializeToString(), self.options, providers=["CPUExecutionProvider"])

    def with_casts(self, model: onnx.ModelProto, odd: dict[str, str]) -> onnxruntime.InferenceSession:
        for output in model.graph.output:
            if output.name in odd:
                to = onnx.TensorProto.FLOAT if "float" in odd[output.name] else onnx.TensorProto.INT8 if "(int" in odd[output.name] else onnx.TensorProto.UINT8
                model.graph.node.append(helper.make_node("Cast", [output.name], [output.name + "_wide"], to=to))
                output.name += "_wide"
        for o in model.opset_import:
            if o.domain == "" and o.version < 13:
                raise NotImplementedError("no Cast for this type")
        return self.session(model)


_ = (BF16, F16, F32, SMALL_FLOATS, NARROW, numpy_helper)
