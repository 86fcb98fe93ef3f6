#!/usr/bin/env python3
"""Each operator that the provider writes, as a node of one model for each opset: its package computes what the CPU provider does.

Needs $INLAY_TOOL, and coremltools, as scripts/setup --provider installs it; skipped without it.
"""
from __future__ import annotations

import importlib.util
import pathlib
import sys
import tempfile
from typing import Any

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from cache import skip  # noqa: E402

if importlib.util.find_spec("coremltools") is None:
    skip("coremltools is missing; scripts/setup --provider installs it")
import numpy  # noqa: E402
import onnx  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from written_model import WrittenModel, on_cpu  # noqa: E402

generator = numpy.random.default_rng(7)


def x(*dims: int, low: float = -2, high: float = 2, dtype: Any = numpy.float32) -> numpy.ndarray:
    """What a run is given."""
    return numpy.asarray(generator.uniform(low, high, dims), dtype)


class Constant(numpy.ndarray):
    """What the model has."""


def c(*dims: int, low: float = -1, high: float = 1, dtype: Any = numpy.float32) -> Constant:
    return x(*dims, low=low, high=high, dtype=dtype).view(Constant)


def ints(*list_: int) -> Constant:
    return numpy.array(list_, numpy.int64).view(Constant)


def sizes(*list_: float) -> Constant:
    return numpy.array(list_, numpy.float32).view(Constant)


def whole(*dims: int, below: int = 5, least: int = 0) -> numpy.ndarray:
    return generator.integers(least, below, dims)


half = numpy.float16
truth = numpy.array([[True, False, True]])
Case = tuple[str, list[Any], dict[str, Any]]
CASES: dict[int, list[Case]] = {
    21: [
        ("Conv", [x(2, 3, 8, 7), c(4, 3, 3, 2), c(4)], {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
        ("Conv", [x(1, 3, 8, 8), c(4, 3, 3, 3)], {"dilations": [2, 2]}),
        ("Conv", [x(1, 3, 9, 8), c(4, 3, 3, 3), c(4)], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ("Conv", [x(1, 3, 9, 8), c(4, 3, 2, 2), c(4)], {"auto_pad": "SAME_LOWER"}),
        ("Conv", [x(2, 4, 6, 5), c(4, 1, 3, 3), c(4)], {"group": 4, "pads": [1, 1, 1, 1]}),
        ("Conv", [x(1, 4, 6, 5), c(6, 2, 3, 3), c(6)], {"group": 2}),
        ("Conv", [x(1, 2, 9), c(3, 2, 4)], {"strides": [2]}),
        ("Conv", [x(1, 2, 5, 4, 3), c(3, 2, 2, 2, 2)], {}),
        ("Conv", [x(1, 2, 5, 5, dtype=half), c(3, 2, 3, 3, dtype=half), c(3, dtype=half)], {}),
        ("Conv", [x(1, 2, 5, 5, dtype=half), x(3, 2, 3, 3, dtype=half)], {}),
        ("Conv", [x(1, 4, 5, 5), x(4, 2, 1, 1), c(4)], {"group": 2}),
        ("ConvTranspose", [x(1, 3, 4, 5), c(3, 4, 3, 2), c(4)], {"strides": [2, 1], "pads": [1, 0, 0, 1]}),
        ("ConvTranspose", [x(1, 4, 4, 5), c(4, 3, 3, 3)], {"group": 2, "strides": [2, 2], "dilations": [1, 2]}),
        ("ConvTranspose", [x(2, 3, 6), c(3, 2, 3)], {"strides": [3], "output_padding": [1], "pads": [1, 1]}),
        ("Gemm", [x(3, 4), c(5, 4), c(5)], {"transB": 1, "alpha": .5, "beta": 2.}),
        ("Gemm", [x(4, 3), x(4, 2), c(3, 1)], {"transA": 1}),
        ("Gemm", [x(3, 4), c(4, 2)], {}),
        ("Gemm", [x(3, 4), x(5, 4), x(3, 5)], {"transB": 1, "alpha": .5, "beta": 2.}),
        ("Gemm", [x(3, 4, dtype=half), c(4, 2, dtype=half), c(2, dtype=half)], {"alpha": 2.}),
        ("MatMul", [x(2, 3, 4), c(4, 2)], {}),
        ("MatMul", [x(2, 3, 4, dtype=half), c(4, 2, dtype=half)], {}),
        ("MatMul", [x(2, 2, 3, 4), c(4, 2)], {}),
        ("MatMul", [x(2, 2, 3, 4), c(2, 1, 4, 2)], {}),
        ("MatMul", [x(2, 1, 3, 4), x(5, 4, 2)], {}),
        ("MatMul", [x(4), x(3, 4, 2)], {}),
        ("MatMul", [x(3, 4), x(4)], {}),
        ("MatMul", [x(4), x(4)], {}),
        ("MaxPool", [x(1, 2, 7, 8)], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
        ("MaxPool", [x(1, 2, 8, 8)], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
        ("MaxPool", [x(1, 2, 9)], {"kernel_shape": [2]}),
        ("MaxPool", [x(1, 2, 5, 4, 5)], {"kernel_shape": [2, 2, 3]}),
        ("AveragePool", [x(1, 2, 7, 8)], {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1]}),
        ("AveragePool", [x(1, 2, 7, 8)], {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "count_include_pad": 1}),
        ("AveragePool", [x(1, 2, 8, 8)], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
        ("AveragePool", [x(1, 2, 7, 8)], {"kernel_shape": [3, 2], "auto_pad": "SAME_LOWER"}),
        ("GlobalAveragePool", [x(2, 3, 5, 4)], {}),
        ("GlobalMaxPool", [x(2, 3, 5, 4)], {}),
        ("ReduceMean", [x(2, 3, 5, 4), ints(-1, 1)], {"keepdims": 0}),
        ("ReduceMean", [x(2, 3)], {"keepdims": 0}),
        ("ReduceSum", [whole(2, 3), ints(1)], {}),
        ("ReduceMax", [x(2, 3, 4), ints(0, 2)], {"keepdims": 0}),
        ("ReduceMin", [x(2, 3, 4), ints(1)], {}),
        ("ReduceProd", [x(2, 3), ints(1)], {}),
        ("ReduceL1", [x(2, 3), ints(1)], {}),
        ("ReduceL2", [x(2, 3), ints(0)], {}),
        ("ReduceSumSquare", [x(2, 3), ints(1)], {}),
        ("ReduceLogSum", [x(2, 3, low=.5), ints(1)], {}),
        ("ReduceLogSumExp", [x(2, 3), ints(1)], {}),
        *[(op, [x(2, 9)], {}) for op in ("Abs", "Atan", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "Relu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus",
                                         "Softsign", "Tan", "Tanh", "Neg", "Reciprocal", "HardSwish", "Mish", "Identity")],
        *[(op, [x(2, 9, low=-.9, high=.9)], {}) for op in ("Acos", "Asin", "Atanh")],
        *[(op, [x(2, 9, low=.1)], {}) for op in ("Log", "Sqrt")],
        ("Neg", [whole(2, 3)], {}),
        ("Abs", [whole(2, 3, least=-4)], {}),
        ("Relu", [x(2, 5, dtype=half)], {}),
        ("HardSwish", [x(2, 9, dtype=half)], {}),
        ("Mish", [x(2, 9, dtype=half)], {}),
        ("Reciprocal", [x(2, 5, low=1, dtype=half)], {}),
        ("LeakyRelu", [x(2, 5)], {"alpha": .2}),
        ("Elu", [x(2, 5)], {"alpha": 2.}),
        ("HardSigmoid", [x(2, 9)], {"alpha": .4}),
        ("Gelu", [x(2, 9)], {}),
        ("Gelu", [x(2, 9)], {"approximate": "tanh"}),
        ("PRelu", [x(1, 3, 2, 2), c(3, 1, 1)], {}),
        ("PRelu", [x(2, 3), x(3)], {}),
        ("Clip", [x(2, 9), c(low=-1, high=-.5), c(low=.5)], {}),
        ("Clip", [x(2, 9), c(low=-1, high=-.5)], {}),
        ("Clip", [x(2, 9, dtype=half)], {}),
        ("Add", [x(2, 1, 3), c(4, 1)], {}),
        ("Add", [whole(2, 3), whole(3)], {}),
        ("Add", [x(2, 3, dtype=half), c(3, dtype=half)], {}),
        ("Add", [x(), x()], {}),
        ("Sub", [c(2, 1), x(3)], {}),
        ("Mul", [x(2, 3), c()], {}),
        ("Mul", [whole(2, 3), ints(3)], {}),
        ("Div", [x(2, 3), c(3, low=.5)], {}),
        ("Pow", [x(2, 3, low=.1), c(3)], {}),
        ("Max", [x(2, 3), c(3), x(2, 1)], {}),
        ("Min", [x(2, 3), c(3)], {}),
        ("Sum", [x(2, 3), c(3), x(2, 3)], {}),
        ("Equal", [whole(2, 9), whole(1, 9)], {}),
        ("Greater", [x(2, 9), c(9)], {}),
        ("GreaterOrEqual", [whole(2, 9), whole(9)], {}),
        ("Less", [x(2, 9), c(9)], {}),
        ("LessOrEqual", [whole(2, 9), whole(9)], {}),
        ("And", [truth, truth.T], {}),
        ("Or", [truth, truth.T], {}),
        ("Xor", [truth, truth.T], {}),
        ("Not", [truth], {}),
        ("Where", [truth, x(2, 3), c()], {}),
        ("Where", [truth, x(1, 1), c(1, 1)], {}),
        ("Cast", [x(2, 9, low=-9, high=9)], {"to": onnx.TensorProto.INT64}),
        ("Cast", [x(2, 9)], {"to": onnx.TensorProto.FLOAT16}),
        ("Cast", [x(2, 9, dtype=half)], {"to": onnx.TensorProto.FLOAT}),
        ("Cast", [x(2, 9, low=-9, high=9, dtype=half)], {"to": onnx.TensorProto.INT32}),
        ("Cast", [whole(2, 9)], {"to": onnx.TensorProto.BOOL}),
        ("Cast", [truth], {"to": onnx.TensorProto.FLOAT}),
        ("Cast", [whole(2, 9)], {"to": onnx.TensorProto.INT32}),
        ("Softmax", [x(2, 3, 4)], {"axis": 1}),
        ("Softmax", [x(2, 2, 3, 4)], {}),
        ("Softmax", [x(2, 3, dtype=half)], {"axis": 0}),
        ("LogSoftmax", [x(2, 3, 4)], {}),
        ("LayerNormalization", [x(2, 3, 4), c(4), c(4)], {"epsilon": .1}),
        ("LayerNormalization", [x(2, 3, 4), c(3, 4)], {"axis": 1}),
        ("BatchNormalization", [x(2, 3, 4, 2), c(3), c(3), c(3), c(3, low=.5)], {"epsilon": .1}),
        ("BatchNormalization", [x(2, 3, 4, dtype=half), *[c(3, low=.5, dtype=half) for _ in range(4)]], {}),
        ("BatchNormalization", [x(2, 3), c(3), c(3), c(3), c(3, low=.5)], {}),
        ("LayerNormalization", [x(2, 4, dtype=half), c(4, dtype=half)], {}),
        ("InstanceNormalization", [x(2, 3, 4, 2), c(3), c(3)], {}),
        ("LRN", [x(1, 6, 2, 3)], {"size": 3, "alpha": .3, "bias": 2.}),
        ("Reshape", [x(2, 6), ints(3, -1)], {}),
        ("Flatten", [x(2, 3, 4)], {}),
        ("Squeeze", [x(2, 1, 4), ints(1)], {}),
        ("Unsqueeze", [x(2, 4), ints(0, 3)], {}),
        ("Dropout", [x(2, 4)], {}),
        ("Transpose", [x(2, 3, 4)], {"perm": [1, 2, 0]}),
        ("Transpose", [whole(2, 3)], {}),
        ("Concat", [x(2, 3), x(2, 1), c(2, 2)], {"axis": -1}),
        ("Concat", [x(2, 3)], {"axis": 0}),
        ("Slice", [x(5, 6), ints(1, -3), ints(9, 6), ints(0, 1), ints(2, 1)], {}),
        ("Gather", [x(4, 5), whole(2, 3, below=4, least=-4)], {}),
        ("Gather", [c(4, 5), whole(2, below=5)], {"axis": 1}),
        ("Gather", [x(4, 5), numpy.array(2).view(Constant)], {"axis": 1}),
        ("Gather", [x(4, 5), ints(-1, 0, 2)], {}),
        ("Expand", [x(3, 1), ints(2, 3, 4)], {}),
        ("Tile", [x(2, 3), ints(2, 1)], {}),
        ("Pad", [x(2, 3), ints(0, 1, 2, 0), c()], {}),
        ("Pad", [x(2, 3), ints(1, 1), c(), ints(1)], {}),
        ("DepthToSpace", [x(1, 8, 2, 3)], {"blocksize": 2}),
        ("DepthToSpace", [x(1, 8, 2, 3)], {"blocksize": 2, "mode": "CRD"}),
        ("SpaceToDepth", [x(1, 3, 4, 6)], {"blocksize": 2}),
        ("Resize", [x(1, 2, 3, 4), "", sizes(1, 1, 2, 3)], {"mode": "nearest"}),
        ("Resize", [x(2, 3, 4), "", sizes(1, 2, 1)], {"mode": "nearest"}),
        ("Resize", [x(1, 2, 3, 4), "", "", ints(1, 2, 5, 9)], {"mode": "linear"}),
        ("Resize", [x(1, 2, 6, 4), "", "", ints(1, 2, 4, 9)], {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
        ("Resize", [x(1, 2, 6, 4), "", "", ints(1, 2, 9, 2)], {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}),
        ("Resize", [x(1, 2, 3, 4, dtype=half), "", sizes(1, 1, 2, 2)], {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"}),
        ("Resize", [x(1, 2, 3, 4), "", "", ints(1, 2, 9, 4)], {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"})],
    11: [
        ("Softmax", [x(2, 3, 4)], {"axis": 1}),
        ("LogSoftmax", [x(2, 3, 4)], {"axis": 0}),
        ("Squeeze", [x(2, 1, 4)], {"axes": [1]}),
        ("Pad", [x(2, 3), ints(0, 1, 2, 0)], {})],
    9: [
        ("Clip", [x(2, 9)], {"max": .5}),
        ("Upsample", [x(1, 2, 3, 4), sizes(1, 1, 2, 2)], {"mode": "linear"}),
        ("Slice", [x(5, 6)], {"starts": [1], "ends": [4], "axes": [1]}),
        ("Pad", [x(2, 3)], {"pads": [0, 1, 2, 0], "value": 2.}),
        ("Dropout", [x(2, 4)], {"ratio": .3}),
        ("Upsample", [x(1, 2, 3, 4), sizes(1, 1, 3, 2)], {})],
}
SPLIT = [([x(2, 7), ints(3, 4)], {"axis": 1}, 2), ([x(7, 2)], {"num_outputs": 4}, 4)]  # of opset 21, with several outputs


def model_of(opset: int) -> tuple[onnx.ModelProto, dict[str, numpy.ndarray]]:
    """All cases side by side, and what a run of the model is given."""
    nodes, given, constants = [], {}, []
    cases = [(op, inputs, attributes, 1) for op, inputs, attributes in CASES[opset]]
    cases += [("Split", *one) for one in SPLIT] if opset == 21 else []
    for number, (op, inputs, attributes, outputs) in enumerate(cases):
        names = []
        for k, value in enumerate(inputs):
            if isinstance(value, str):  # absent
                names.append(value)
                continue
            names.append(f"{op.lower()}.{number}/in{k}")
            if isinstance(value, Constant):
                constants.append(numpy_helper.from_array(numpy.asarray(value), names[-1]))
            else:
                given[names[-1]] = numpy.asarray(value)
        nodes.append(helper.make_node(op, names, [f"{op}_{number}_{k}" for k in range(outputs)], f"{op}_{number}", **attributes))
    ports = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for name, value in given.items()]
    results = [helper.make_value_info(name, onnx.TypeProto()) for n in nodes for name in n.output]
    graph = helper.make_graph(nodes, "cases", ports, results, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True), given


def main() -> int:
    """Raises where a package is refused or gives other numbers."""
    for opset in CASES:
        model, given = model_of(opset)
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            onnx.save(model, folder / "model.onnx")
            written = WrittenModel(folder / "model.onnx", folder, {})
            assert not written.left, written.left
            assert all(p.metadata["inlay.MLComputeUnits"] == "ALL" for p in written.programs.values())
            for port, y, expected in zip(model.graph.output, written.run(given), on_cpu(folder / "model.onnx", given, folder), strict=True):
                loose = expected.dtype == half
                numpy.testing.assert_allclose(y, expected, rtol=4e-3 if loose else 2e-5, atol=4e-3 if loose else 2e-6, err_msg=port.name)
            print(f"opset {opset}: {len(model.graph.node)} nodes, {len(written.programs)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
