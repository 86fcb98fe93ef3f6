"""Models for a machine with a GPU: scripts/gpu-pack takes them along without their large weights and inputs, bench/gpu_compare makes them whole again, in batches and in 16 bits.

  gpu_models.py hollow MODEL_FOLDER OUT_FOLDER    # keeps model.onnx, tolerance.json and the inputs of test_data_set_0

A large weight or input becomes its shape, mean, deviation, least and most number; whole again it has random numbers of that kind, the same each
time.  What such a model computes is to be compared with what another provider makes of it, not with the first model's outputs.
"""
from __future__ import annotations

import json
import pathlib
import shutil
import sys
import zlib

import numpy
import onnx
from onnx import TensorProto, numpy_helper

import peers

LARGE = 4096  # bytes that a weight may have and stay
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16)
MARK = "hollow: "
LARGEST_HALF = 65504


def without_numbers(t: TensorProto) -> TensorProto:
    x = numpy_helper.to_array(t)
    if t.data_type not in FLOATS or x.nbytes <= LARGE:
        return t
    x = x.astype(numpy.float64)
    return TensorProto(name=t.name, dims=t.dims, data_type=t.data_type, doc_string=MARK + json.dumps([x.mean(), x.std(), x.min(), x.max()]))


def with_numbers(t: TensorProto) -> TensorProto:
    if not t.doc_string.startswith(MARK):
        return t
    mean, deviation, least, most = json.loads(t.doc_string[len(MARK):])
    random = numpy.random.default_rng(zlib.crc32(t.name.encode()))
    x = (random.standard_normal(list(t.dims), dtype=numpy.float32) * deviation + mean).clip(least, most)
    return numpy_helper.from_array(x.astype(onnx.helper.tensor_dtype_to_np_dtype(t.data_type)), t.name)


def hollow(folder: pathlib.Path, out: pathlib.Path) -> None:
    model = onnx.load(folder / "model.onnx")
    for t in model.graph.initializer:
        t.CopyFrom(without_numbers(t))
    (out / "test_data_set_0").mkdir(parents=True, exist_ok=True)
    (out / "model.onnx").write_bytes(model.SerializeToString())
    for file in (folder / "test_data_set_0").glob("input_*.pb"):
        (out / file.relative_to(folder)).write_bytes(without_numbers(onnx.load_tensor(file)).SerializeToString())
    for file in folder.glob("tolerance.json"):
        shutil.copy(file, out)


def whole(model: onnx.ModelProto) -> onnx.ModelProto:
    for t in model.graph.initializer:
        t.CopyFrom(with_numbers(t))
    return model


def inputs_of(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    weights = {t.name for t in model.graph.initializer}
    return [i for i in model.graph.input if i.name not in weights]


def in_batches(model: onnx.ModelProto, arrays: list[numpy.ndarray], count: int) -> list[numpy.ndarray]:
    """The inputs, `count` times each along the dimension `batch`.  A model of images for a batch of 1 loses that limit: also where a Reshape states it."""
    ports = inputs_of(model)
    weights = {t.name: t for t in model.graph.initializer}
    if count > 1 and not any(d.dim_param for i in ports for d in i.type.tensor_type.shape.dim):
        for port in [*ports, *model.graph.output]:
            port.type.tensor_type.shape.dim[0].dim_param = "batch"
        for node in model.graph.node:
            if node.op_type != "Reshape" or node.input[1] not in weights:
                continue
            dims = numpy_helper.to_array(weights[node.input[1]]).copy()
            if dims[0] != 1 or -1 in dims:
                continue
            dims[0] = -1
            weights[node.input[1]].CopyFrom(numpy_helper.from_array(dims, node.input[1]))
        del model.graph.value_info[:]
    repeated = []
    for port, x in zip(ports, arrays):
        at = [d.dim_param for d in port.type.tensor_type.shape.dim].index("batch") if count > 1 else 0
        repeated.append(numpy.repeat(x, count, axis=at) if count > 1 else x)
    return repeated


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """In float16 throughout."""
    def half(t: TensorProto) -> None:
        if t.data_type == TensorProto.FLOAT:
            x = numpy_helper.to_array(t).clip(-LARGEST_HALF, LARGEST_HALF)
            t.CopyFrom(numpy_helper.from_array(x.astype(numpy.float16), t.name))
    for t in model.graph.initializer:
        half(t)
    for node in model.graph.node:
        for a in node.attribute:
            if a.type == onnx.AttributeProto.TENSOR:
                half(a.t)
            elif node.op_type == "Cast" and a.name == "to" and a.i == TensorProto.FLOAT:
                a.i = TensorProto.FLOAT16
    for port in [*model.graph.input, *model.graph.output]:
        if port.type.tensor_type.elem_type == TensorProto.FLOAT:
            port.type.tensor_type.elem_type = TensorProto.FLOAT16
    del model.graph.value_info[:]
    return model


def read_inputs(folder: pathlib.Path) -> list[numpy.ndarray]:
    return [numpy_helper.to_array(with_numbers(onnx.load_tensor(f))) for f in peers.input_files(folder / "test_data_set_0")]


def write(model: onnx.ModelProto, arrays: list[numpy.ndarray], folder: pathlib.Path) -> None:
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for i, (port, x) in enumerate(zip(inputs_of(model), arrays)):
        x = x.astype(numpy.float16) if port.type.tensor_type.elem_type == TensorProto.FLOAT16 else x
        (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(x, port.name).SerializeToString())


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "hollow":
        raise SystemExit(__doc__)
    hollow(*map(pathlib.Path, sys.argv[2:]))
