"""What bench/compare, bench/zoo_table.py and tests/zoo/run.py ask of one model folder: MODEL/{model.onnx,
test_data_set_N/input_I.pb}."""
import json
import math
import pathlib
import re
import subprocess

import numpy
import onnx


def data_sets(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob("test_data_set_*"))


def input_shapes(folder: pathlib.Path) -> dict[str, list[int]]:
    """Of the first data set, by the names of the model's inputs."""
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    weights = {t.name for t in graph.initializer}
    names = [i.name for i in graph.input if i.name not in weights]
    tensors = [onnx.load_tensor(data_sets(folder)[0] / f"input_{i}.pb") for i in range(len(names))]
    return {name: list(t.dims) for name, t in zip(names, tensors)}


def plan_of(tool: str, folder: pathlib.Path, options: tuple[str, ...] = ()) -> dict:
    """`inlay plan --json` for these shapes and one thread, with `options` of it."""
    shapes = [a for name, dims in input_shapes(folder).items() for a in ("--shape", f"{name}={','.join(map(str, dims))}")]
    process = subprocess.run([tool, "plan", folder / "model.onnx", "--json", "--threads", "1", *options, *shapes], capture_output=True, text=True, check=True)
    return json.loads(process.stdout)


def heap_calls(program: str, folder: pathlib.Path) -> float:
    """Heap calls per bound run, as build/release/bin/heap_calls counts them."""
    process = subprocess.run([program, folder / "model.onnx", data_sets(folder)[0]], capture_output=True, text=True, check=True)
    return json.loads(process.stdout)["heap_calls_per_run"]


def largest_output(folder: pathlib.Path) -> float:
    """The largest finite number among the reference outputs."""
    arrays = [onnx.numpy_helper.to_array(onnx.load_tensor(f)) for data in data_sets(folder) for f in data.glob("output_*.pb")]
    return max((float(abs(a[numpy.isfinite(a)]).max(initial=0)) for a in arrays if a.dtype.kind == "f"), default=0)


def largest_error(tool: str, folder: pathlib.Path, threads: int = 1, options: tuple[str, ...] = ()) -> str:
    """From the reference outputs, absolute; raises ValueError with the tool's words where that is beyond
    tolerance.json, or what `options` of `inlay test` say."""
    process = subprocess.run([tool, "test", "--threads", str(threads), *options, folder / "model.onnx", *data_sets(folder)], capture_output=True, text=True, check=False)
    match = re.search(r"largest absolute error (\S+), relative", process.stdout)
    if process.returncode or not match:
        raise ValueError(f"{folder.name}: {process.stdout}{process.stderr}".strip())
    return match[1]


def is_quantised(folder: pathlib.Path) -> bool:
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    return any(re.search(r"Quantize|QLinear|Integer", node.op_type) for node in graph.node)


def is_float32(folder: pathlib.Path) -> bool:
    """Whether the model computes in float32: it quantises nothing and has no half-precision weights."""
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    halves = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
    return not is_quantised(folder) and not any(t.data_type in halves for t in graph.initializer)


def work_of(folder: pathlib.Path) -> dict[str, float]:
    """Floating-point operations of one run, matmuls and convolutions only, and the bytes of weights that it reads.
    Shapes are ONNX Runtime's."""
    import onnxruntime
    model = onnx.load(folder / "model.onnx")
    graph, tensors = model.graph, {}
    weights = {t.name: list(t.dims) for t in graph.initializer}
    kinds = {"Conv", "ConvTranspose", "MatMul", "Gemm", "LSTM", "GRU"}
    values = {*weights, *(v.name for v in [*graph.input, *graph.output])}
    names = {v for n in graph.node if n.op_type in kinds for v in [*n.input[:3], n.output[0]] if v and v not in values}
    graph.output.extend(onnx.helper.make_empty_tensor_value_info(v) for v in sorted(names))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for i, port in enumerate(session.get_inputs()):
        tensors[port.name] = onnx.numpy_helper.to_array(onnx.load_tensor(data_sets(folder)[0] / f"input_{i}.pb"))
    results = {port.name: value for port, value in zip(session.get_outputs(), session.run(None, tensors))}
    shapes = weights | {name: list(value.shape) for name, value in (tensors | results).items() if hasattr(value, "shape")}

    flops = 0.
    for node in (n for n in graph.node if n.op_type in kinds):
        x, w = (shapes[name] for name in node.input[:2])
        y = shapes.get(node.output[0], [])
        if node.op_type == "Conv":
            flops += 2 * math.prod(y) * math.prod(w[1:])
        elif node.op_type == "ConvTranspose":
            flops += 2 * math.prod(x) * math.prod(w[1:])
        elif node.op_type in ("LSTM", "GRU"):  # weights are [directions, gates * hidden, inputs]
            flops += 2 * x[0] * x[1] * (math.prod(w) + math.prod(shapes[node.input[2]]))
        else:
            inner = 0 if any(a.name == "transA" and a.i for a in node.attribute) else -1
            flops += 2 * math.prod(y) * x[inner]
    operands = {name for n in graph.node if n.op_type != "Gather" for name in n.input}
    return {"flops": flops, "weight_bytes": float(sum(4 * math.prod(dims) for name, dims in weights.items() if name in operands))}
