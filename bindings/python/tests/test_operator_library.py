"""Libraries of operators that are compiled for ONNX Runtime: onnxruntime-extensions, where it is installed."""
from __future__ import annotations

import ctypes.util
import importlib.util
import pathlib

import numpy as np
import pytest

import inlayrt as ort

onnx = pytest.importorskip("onnx", reason="onnx is not installed; scripts/setup --python installs it")
DOMAIN = "ai.onnx.contrib"


def options_with_extensions():
    """Of sessions with its operators; its own package imports onnxruntime, and is not imported."""
    spec = importlib.util.find_spec("onnxruntime_extensions")
    if spec is None or spec.origin is None:
        pytest.skip("onnxruntime-extensions is not installed; scripts/setup --python installs it")
    (library,) = pathlib.Path(spec.origin).parent.glob("_extensions_pydll*.so")
    options = ort.SessionOptions()
    options.register_custom_ops_library(library)
    return options


def session_of(text: str):
    head = f'<ir_version: 10, opset_import: ["" : 21, "{DOMAIN}" : 1]> '
    return ort.InferenceSession(onnx.parser.parse_model(head + text).SerializeToString(), options_with_extensions())


def strings(*words: str):
    return np.array(words, dtype=object)


def test_an_operator_of_onnxruntime_extensions_gives_its_strings():
    session = session_of("g (string[N] x) => (string[N] y) { y = ai.onnx.contrib.StringUpper(x) }")
    assert session.run(None, {"x": strings("abc", "", "Grüße 9")})[0].tolist() == ["ABC", "", "GRüßE 9"]
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_operators_of_a_library_and_of_onnx_follow_each_other_without_declared_types():
    session = session_of(
        "g (string[N] x, string[N] y) => (int64[N] n, string[N] z) "
        "{ a = ai.onnx.contrib.StringConcat(x, y) z = Identity(a) b = ai.onnx.contrib.StringLength(z) one = Constant <value: tensor = int64[1] {1}> () n = Add(b, one) }"
    )
    n, z = session.run(None, {"x": strings("ab", "c"), "y": strings("", "de")})
    assert z.tolist() == ["ab", "cde"] and n.tolist() == [3, 4]


def test_an_attribute_and_a_constant_reach_a_library_s_kernel():
    session = session_of(
        'g (string[N] x) => (string[N] y) <string[1] pattern = {"a+"}, string[1] by = {"<>"}> '
        "{ y = ai.onnx.contrib.StringRegexReplace <global_replace: int = 0> (x, pattern, by) }"
    )
    assert session.run(None, {"x": strings("caab aa", "xyz")})[0].tolist() == ["c<>b aa", "xyz"]


def test_a_tokenizer_of_a_library_reads_its_vocabulary_from_an_attribute():
    vocabulary = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "wor", "##ld"])
    node = onnx.helper.make_node(
        "BertTokenizer", ["x"], ["ids", "types", "mask"], domain=DOMAIN, vocab_file=vocabulary, do_lower_case=1
    )
    graph = onnx.helper.make_graph(
        [node],
        "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, [1])],
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, None) for name in ("ids", "types", "mask")],
    )
    model = onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid(DOMAIN, 1)])
    session = ort.InferenceSession(model.SerializeToString(), options_with_extensions())
    ids, types, mask = session.run(None, {"x": strings("Hello world!")})
    assert ids.ravel().tolist() == [2, 5, 6, 7, 1, 3] and types.ravel().tolist() == [0] * 6 and mask.ravel().tolist() == [1] * 6


def test_sessions_of_one_library_are_as_many_as_wanted_and_keep_it_when_their_providers_change():
    sessions = [session_of("g (string[N] x) => (string[N] y) { y = ai.onnx.contrib.StringLower(x) }") for _ in range(4)]
    sessions[0].set_providers(["ReferenceExecutionProvider"])
    assert all(session.run(None, {"x": strings("AB")})[0].tolist() == ["ab"] for session in sessions)


def test_what_is_no_library_of_operators_is_refused_with_the_reason(tmp_path):
    options = ort.SessionOptions()
    with pytest.raises(ort.NoSuchFile, match="nowhere.so"):
        options.register_custom_ops_library(tmp_path / "nowhere.so")
    library = ctypes.util.find_library("m")
    with pytest.raises(ort.InvalidArgument, match="RegisterCustomOps"):
        options.register_custom_ops_library(library)
