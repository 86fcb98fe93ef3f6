#!/usr/bin/env python3
"""Writes the small models of the programs in this folder, the same each time: make_models.py [FOLDER]."""
from __future__ import annotations

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

random = np.random.RandomState(7)


def weights(name: str, *dims: int, scale: float = 0.4) -> onnx.TensorProto:
    """An initialiser of random float32 numbers."""
    return numpy_helper.from_array((random.randn(*dims) * scale).astype(np.float32), name)


def constant(name: str, values, dtype=np.int64) -> onnx.TensorProto:
    """An initialiser of given numbers."""
    return numpy_helper.from_array(np.array(values, dtype), name)


def ports(*all_ports) -> list[onnx.ValueInfoProto]:
    """Inputs or outputs from (name, type, dims)."""
    return [h.make_tensor_value_info(*p) for p in all_ports]


def model(name: str, nodes, inputs, outputs, initialisers, opsets=(("", 17),), metadata=None) -> onnx.ModelProto:
    """A checked model."""
    graph = h.make_graph(nodes, name, inputs, outputs, initialisers)
    result = h.make_model(graph, opset_imports=[h.make_opsetid(*o) for o in opsets], producer_name="make_models.py")
    result.ir_version = 8
    h.set_model_props(result, metadata or {})
    return result


def voice_activity() -> onnx.ModelProto:
    """A window of sound, and the states of the windows before, to the probability of speech."""
    nodes = [
        h.make_node("Cast", ["sr"], ["rate"], to=T.FLOAT),
        h.make_node("Div", ["rate", "sixteen_thousand"], ["gain"]),
        h.make_node("Mul", ["input", "gain"], ["scaled"]),
        h.make_node("Reshape", ["scaled", "frames"], ["x"]),
        h.make_node("LSTM", ["x", "w", "r", "b", "", "h", "c"], ["", "hn", "cn"], hidden_size=8,
                    direction="bidirectional"),
        h.make_node("Transpose", ["hn"], ["by_batch"], perm=[1, 0, 2]),
        h.make_node("Flatten", ["by_batch"], ["flat"], axis=1),
        h.make_node("MatMul", ["flat", "v"], ["logit"]),
        h.make_node("Sigmoid", ["logit"], ["output"]),
    ]
    state = [2, 1, 8]
    return model("voice_activity", nodes,
                 ports(("input", T.FLOAT, [1, "samples"]), ("sr", T.INT64, [1]), ("h", T.FLOAT, state),
                       ("c", T.FLOAT, state)),
                 ports(("output", T.FLOAT, [1, 1]), ("hn", T.FLOAT, state), ("cn", T.FLOAT, state)),
                 [weights("w", 2, 32, 16), weights("r", 2, 32, 8), weights("b", 2, 64), weights("v", 16, 1),
                  constant("sixteen_thousand", 16000, np.float32), constant("frames", [-1, 1, 16])])


def speech_synthesis() -> onnx.ModelProto:
    """Numbers of phonemes to samples: each becomes eight."""
    nodes = [
        h.make_node("Gather", ["table", "input"], ["pieces"]),
        h.make_node("Reshape", ["pieces", "row"], ["samples"]),
        h.make_node("Gather", ["scales", "second"], ["scale"]),
        h.make_node("Mul", ["samples", "scale"], ["scaled"]),
        h.make_node("Cast", ["input_lengths"], ["length"], to=T.FLOAT),
        h.make_node("Div", ["scaled", "length"], ["output"]),
    ]
    return model("speech_synthesis", nodes,
                 ports(("input", T.INT64, [1, "phonemes"]), ("input_lengths", T.INT64, [1]),
                       ("scales", T.FLOAT, [3])),
                 ports(("output", T.FLOAT, [1, 1, 1, "time"])),
                 [weights("table", 20, 8), constant("row", [1, 1, 1, -1]), constant("second", [1])])


def detector(name: str, kind: int, parameters: list[onnx.TensorProto]) -> onnx.ModelProto:
    """An image to 4 coordinates and 2 classes of each of its 64 cells; in float32, or with fp16 inputs and outputs."""
    half = kind == T.FLOAT16
    nodes = [
        h.make_node("Conv", ["x", "w", "b"], ["cells"], strides=[4, 4], kernel_shape=[4, 4]),
        h.make_node("Sigmoid", ["cells"], ["bounded"]),
        h.make_node("Reshape", ["bounded", "rows"], ["y"]),
    ]
    if half:
        nodes = [h.make_node("Cast", ["images"], ["x"], to=T.FLOAT), *nodes,
                 h.make_node("Cast", ["y"], ["output0"], to=T.FLOAT16)]
    else:
        nodes[0].input[0], nodes[-1].output[0] = "images", "output0"
    return model(name, nodes, ports(("images", kind, [1, 3, 32, 32])), ports(("output0", kind, [1, 6, 64])),
                 parameters)


def recogniser() -> dict[str, onnx.ModelProto]:
    """The three models of a transducer, with sizes in the metadata of the first."""
    encoder = model("encoder", [
        h.make_node("Add", ["x", "cached_avg"], ["sum"]),
        h.make_node("Tanh", ["sum"], ["encoder_out"]),
        h.make_node("ReduceMean", ["encoder_out"], ["new_cached_avg"], axes=[1], keepdims=1),
        h.make_node("Add", ["cached_len", "four"], ["new_cached_len"]),
    ], ports(("x", T.FLOAT, [1, 4, 8]), ("cached_len", T.INT64, [1, 1]), ("cached_avg", T.FLOAT, [1, 1, 8])),
        ports(("encoder_out", T.FLOAT, [1, 4, 8]), ("new_cached_len", T.INT64, [1, 1]),
              ("new_cached_avg", T.FLOAT, [1, 1, 8])),
        [constant("four", [[4]])], metadata={"T": "4", "encoder_dim": "8", "model_type": "small"})
    decoder = model("decoder", [
        h.make_node("Gather", ["table", "y"], ["pieces"]),
        h.make_node("ReduceSum", ["pieces", "axis"], ["decoder_out"], keepdims=0),
    ], ports(("y", T.INT64, ["N", 2])), ports(("decoder_out", T.FLOAT, ["N", 8])),
        [weights("table", 6, 8, scale=1.0), constant("axis", [1])], metadata={"vocab_size": "6", "context_size": "2"})
    joiner = model("joiner", [
        h.make_node("Add", ["encoder_out", "decoder_out"], ["sum"]),
        h.make_node("MatMul", ["sum", "w"], ["logit"]),
    ], ports(("encoder_out", T.FLOAT, ["N", 8]), ("decoder_out", T.FLOAT, ["N", 8])), ports(("logit", T.FLOAT, ["N", 6])),
        [weights("w", 8, 6, scale=1.0)])
    return {"encoder": encoder, "decoder": decoder, "joiner": joiner}


def text_encoder() -> onnx.ModelProto:
    """Tokens to hidden states, and their mean."""
    nodes = [
        h.make_node("Gather", ["table", "input_ids"], ["words"]),
        h.make_node("MatMul", ["words", "w"], ["mixed"]),
        h.make_node("Softmax", ["mixed"], ["last_hidden_state"], axis=-1),
        h.make_node("ReduceMean", ["last_hidden_state"], ["pooler_output"], axes=[1], keepdims=0),
    ]
    return model("text_encoder", nodes, ports(("input_ids", T.INT32, ["batch", 7])),
                 ports(("last_hidden_state", T.FLOAT, ["batch", 7, 8]), ("pooler_output", T.FLOAT, ["batch", 8])),
                 [weights("table", 30, 8, scale=1.0), weights("w", 8, 8, scale=1.0)])


def classifier() -> onnx.ModelProto:
    """Three features to a label, and the probabilities as a sequence of maps, as scikit-learn's models are converted."""
    nodes = [
        h.make_node("LinearClassifier", ["float_input"], ["output_label", "scores"], domain="ai.onnx.ml",
                    coefficients=[0.5, -1.0, 0.25, -0.5, 0.75, 1.0, 0.1, 0.2, -0.9], intercepts=[0.1, 0.0, -0.1],
                    classlabels_ints=[0, 1, 2], multi_class=1, post_transform="SOFTMAX"),
        h.make_node("ZipMap", ["scores"], ["output_probability"], domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2]),
    ]
    maps = h.make_sequence_type_proto(h.make_map_type_proto(T.INT64, h.make_tensor_type_proto(T.FLOAT, [])))
    return model("classifier", nodes, ports(("float_input", T.FLOAT, ["N", 3])),
                 [*ports(("output_label", T.INT64, ["N"])), h.make_value_info("output_probability", maps)], [],
                 (("", 17), ("ai.onnx.ml", 3)))


def custom_operator() -> onnx.ModelProto:
    """Two operators that the program registers, and one of ONNX between them."""
    nodes = [
        h.make_node("CustomOpOne", ["X", "Y"], ["sum"], domain="v1", name="one", gain=2.0),
        h.make_node("Neg", ["sum"], ["negative"]),
        h.make_node("CustomOpTwo", ["negative"], ["Z"], domain="v1", name="two"),
    ]
    result = model("custom_operator", nodes, ports(("X", T.FLOAT, ["n"]), ("Y", T.FLOAT, ["n"])),
                   ports(("Z", T.INT32, ["n"])), [], (("", 17), ("v1", 1)))
    result.graph.value_info.extend(ports(("sum", T.FLOAT, ["n"])))
    return result


def main() -> None:
    """Writes all models."""
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "models"
    folder.mkdir(exist_ok=True)
    convolution = [weights("w", 6, 3, 4, 4), weights("b", 6), constant("rows", [1, 6, 64])]
    every = {"voice_activity": voice_activity(), "speech_synthesis": speech_synthesis(),
             "detector": detector("detector", T.FLOAT, convolution), "detector_half": detector("detector_half", T.FLOAT16, convolution),
             **recogniser(), "text_encoder": text_encoder(), "classifier": classifier(),
             "custom_operator": custom_operator()}
    for name, proto in every.items():
        (folder / f"{name}.onnx").write_bytes(proto.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
