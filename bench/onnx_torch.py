"""An ONNX graph as a torch module, the peer of bench/gpu_compare: what only shapes and constants decide is calculated
once, when it is made."""
from __future__ import annotations

import numpy
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = {1: torch.float32, 6: torch.int32, 7: torch.int64, 9: torch.bool, 10: torch.float16, 11: torch.float64, 16: torch.bfloat16}


def ints(x) -> list[int]:
    """A value that must be known when the module is made: axes, sizes."""
    if isinstance(x, torch.Tensor):
        raise NotImplementedError("sizes that only a run can tell")
    return [int(v) for v in numpy.asarray(x).reshape(-1)]


def padded(x, pads, value=0.):
    """ONNX's pads are all beginnings, then all ends; torch's begin with the last axis."""
    half = len(pads) // 2
    if pads[:half] == pads[half:]:
        return x, pads[:half]
    return F.pad(x, [p for i in reversed(range(half)) for p in (pads[i], pads[half + i])], value=value), [0] * half


def spatial(a, rank):
    if a.get("auto_pad", b"NOTSET") != b"NOTSET":
        raise NotImplementedError("auto_pad")
    return a.get("strides", [1] * rank), a.get("pads", [0] * 2 * rank), a.get("dilations", [1] * rank)


def conv(a, x, w, b=None):
    stride, pads, dilation = spatial(a, w.dim() - 2)
    x, pads = padded(x, pads)
    return (F.conv1d, F.conv2d, F.conv3d)[w.dim() - 3](x, w, b, stride, pads, dilation, a.get("group", 1))


def max_pool(a, x):
    stride, pads, dilation = spatial(a, 2)
    kernel = a["kernel_shape"]
    if any(p > k // 2 for p, k in zip(pads, kernel * 2)) or pads[:2] != pads[2:]:
        x, pads = F.pad(x, [pads[1], pads[3], pads[0], pads[2]], value=-torch.inf), [0, 0]
    return F.max_pool2d(x, kernel, stride, pads[:2], dilation, bool(a.get("ceil_mode", 0)))


def average_pool(a, x):
    stride, pads, _ = spatial(a, 2)
    if pads[:2] != pads[2:]:
        raise NotImplementedError("AveragePool with unequal pads")
    return F.avg_pool2d(x, a["kernel_shape"], stride, pads[:2], bool(a.get("ceil_mode", 0)), bool(a.get("count_include_pad", 0)))


def gemm(a, x, w, c=None):
    y = a.get("alpha", 1.) * ((x.T if a.get("transA") else x) @ (w.T if a.get("transB") else w)) if a.get("alpha", 1.) != 1 else (x.T if a.get("transA") else x) @ (w.T if a.get("transB") else w)
    return y if c is None else y + (c if a.get("beta", 1.) == 1 else a["beta"] * c)


def reshape(a, x, dims):
    sizes = ints(dims)
    return x.reshape([x.shape[i] if d == 0 and not a.get("allowzero") else d for i, d in enumerate(sizes)])


def slice_(a, x, starts, ends, axes=None, steps=None):
    starts, ends = ints(starts), ints(ends)
    axes = range(len(starts)) if axes is None else ints(axes)
    for start, end, axis, step in zip(starts, ends, axes, [1] * len(starts) if steps is None else ints(steps)):
        if step < 1:
            raise NotImplementedError("Slice backwards")
        x = x[(slice(None),) * (axis % x.dim()) + (slice(start, end, step),)]
    return x


def gather(a, x, i):
    axis = a.get("axis", 0) % x.dim()
    i = torch.as_tensor(i, device=x.device)
    i = torch.where(i < 0, i + x.shape[axis], i)
    return torch.index_select(x, axis, i.reshape(-1)).reshape(*x.shape[:axis], *i.shape, *x.shape[axis + 1:])


def split(a, x, sizes=None):
    axis = a.get("axis", 0)
    return torch.split(x, ints(sizes) if sizes is not None else x.shape[axis] // a["outputs"], axis)


def squeeze(a, x, axes=None):
    for axis in sorted((d % x.dim() for d in ints(axes)), reverse=True) if axes is not None else []:
        x = x.squeeze(axis)
    return x if axes is not None else x.squeeze()


def unsqueeze(a, x, axes):
    rank = x.dim() + len(ints(axes))
    for axis in sorted(d % rank for d in ints(axes)):
        x = x.unsqueeze(axis)
    return x


def layer_normalization(a, x, w, b=None):
    return F.layer_norm(x, x.shape[a.get("axis", -1) % x.dim():], w, b, a.get("epsilon", 1e-5))


def flatten(a, x):
    axis = a.get("axis", 1)
    return x.reshape(int(numpy.prod(x.shape[:axis])), -1)


def resize(a, x, roi, scales=None, sizes=None):
    if a.get("mode") != b"nearest" or a.get("coordinate_transformation_mode") != b"asymmetric" or a.get("nearest_mode") != b"floor":
        raise NotImplementedError("Resize but for nearest, asymmetric, floor")
    return F.interpolate(x, scale_factor=[float(s) for s in numpy.asarray(scales)[2:]])


OPERATORS = {
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y, "Div": lambda a, x, y: x / y, "Pow": lambda a, x, y: torch.pow(x, y),
    "And": lambda a, x, y: x & y, "LessOrEqual": lambda a, x, y: x <= y, "Where": lambda a, c, x, y: torch.where(c, x, y), "MatMul": lambda a, x, y: x @ y,
    "Relu": lambda a, x: F.relu(x), "Sigmoid": lambda a, x: torch.sigmoid(x), "Tanh": lambda a, x: torch.tanh(x), "Erf": lambda a, x: torch.erf(x), "Sqrt": lambda a, x: torch.sqrt(x),
    "HardSwish": lambda a, x: F.hardswish(x), "HardSigmoid": lambda a, x: torch.clamp(a.get("alpha", .2) * x + a.get("beta", .5), 0, 1), "Identity": lambda a, x: x, "Dropout": lambda a, x, *_: x,
    "Clip": lambda a, x, *limits: torch.clamp(x, *(None if v is None else float(v) for v in limits)), "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)), "LogSoftmax": lambda a, x: torch.log_softmax(x, a.get("axis", -1)),
    "Cast": lambda a, x: x.to(TYPES[a["to"]]), "Concat": lambda a, *x: torch.cat(x, a["axis"]), "Transpose": lambda a, x: x.permute(a.get("perm", list(range(x.dim()))[::-1])),
    "Expand": lambda a, x, dims: x.expand(numpy.broadcast_shapes(tuple(x.shape), tuple(ints(dims)))), "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "ReduceMean": lambda a, x, axes=None: x.mean(ints(a["axes"] if axes is None else axes), keepdim=bool(a.get("keepdims", 1))), "LRN": lambda a, x: F.local_response_norm(x, a["size"], a.get("alpha", 1e-4), a.get("beta", .75), a.get("bias", 1.)),
    "BatchNormalization": lambda a, x, w, b, mean, variance: F.batch_norm(x, mean, variance, w, b, eps=a.get("epsilon", 1e-5)),
    "Conv": conv, "MaxPool": max_pool, "AveragePool": average_pool, "Gemm": gemm, "Reshape": reshape, "Slice": slice_, "Gather": gather, "Split": split, "Squeeze": squeeze, "Unsqueeze": unsqueeze,
    "LayerNormalization": layer_normalization, "Flatten": flatten, "Resize": resize,
}
BY_VALUE = {"Clip": (1, 2), "Reshape": (1,), "Slice": (1, 2, 3, 4), "Expand": (1,), "Split": (1,), "Squeeze": (1,), "Unsqueeze": (1,), "ReduceMean": (1,), "Resize": (1, 2, 3)}  # inputs that functions require as numbers


class Graph(torch.nn.Module):
    """Made for inputs of one set of shapes; forward() takes those."""

    def __init__(self, path: str, inputs: list[torch.Tensor]):
        super().__init__()
        model = onnx.load(path)
        weights = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        self.inputs = [i.name for i in model.graph.input if i.name not in weights]
        self.results = [o.name for o in model.graph.output]
        self.steps = []
        device = inputs[0].device
        values: dict = {"": None, **weights, **dict(zip(self.inputs, inputs))}  # arrays are known, tensors are calculated

        def tensor_of(name: str, value) -> torch.Tensor:
            buffer = f"constant{len(self._buffers)}"
            self.register_buffer(buffer, torch.from_numpy(numpy.array(value)).to(device))
            return buffer

        buffers: dict[str, str] = {}
        for node in model.graph.node:
            operands = [values[name] for name in node.input]
            if node.op_type == "Shape" and isinstance(operands[0], torch.Tensor):
                values[node.output[0]] = numpy.array(operands[0].shape, dtype=numpy.int64)
                continue
            if not any(isinstance(value, torch.Tensor) for value in operands):
                single = onnx.helper.make_model(onnx.helper.make_graph([node], "one", [onnx.ValueInfoProto(name=n) for n in node.input if n], [onnx.ValueInfoProto(name=n) for n in node.output]), opset_imports=model.opset_import)
                values.update(zip(node.output, ReferenceEvaluator(single).run(None, {n: values[n] for n in node.input if n})))
                continue
            if node.op_type not in OPERATORS:
                raise NotImplementedError(node.op_type)
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute} | {"outputs": len(node.output)}
            parameters = []
            for k, (name, value) in enumerate(zip(node.input, operands)):
                if isinstance(value, torch.Tensor) or value is None or k in BY_VALUE.get(node.op_type, ()):
                    parameters.append((name, value if not isinstance(value, torch.Tensor) else None))
                    continue
                if name not in buffers:
                    buffers[name] = tensor_of(name, value)
                parameters.append((name, getattr(self, buffers[name])))
            results = OPERATORS[node.op_type](attributes, *(values[name] if isinstance(values[name], torch.Tensor) else value for name, value in parameters))
            outputs = list(node.output)
            values.update(zip(outputs, results if isinstance(results, (list, tuple)) else [results]))
            arguments = [("value", name) if isinstance(values[name], torch.Tensor) else ("buffer", buffers[name]) if name in buffers and isinstance(value, torch.Tensor) else ("known", value) for name, value in parameters]
            self.steps.append((OPERATORS[node.op_type], attributes, arguments, outputs))

    def forward(self, *inputs):
        values = dict(zip(self.inputs, inputs))
        for function, attributes, arguments, outputs in self.steps:
            results = function(attributes, *(values[value] if kind == "value" else getattr(self, value) if kind == "buffer" else value for kind, value in arguments))
            values.update(zip(outputs, results if isinstance(results, (list, tuple)) else [results]))
        return tuple(values[name] for name in self.results)
