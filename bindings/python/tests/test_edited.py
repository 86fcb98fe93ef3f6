"""SessionOptions that change the model before it is read: initializers, files in memory, sizes by denotation, weights moved."""
from __future__ import annotations

import sys

import numpy as np
import onnx
import pytest

import inlayrt as ort


@pytest.fixture
def outside() -> bytes:
    """y = x + w, whose int64[4] w is 32 bytes from byte 8 of w.bin, which does not exist."""
    w = onnx.TensorProto(name="w", data_type=onnx.TensorProto.INT64, dims=[4], data_location=onnx.TensorProto.EXTERNAL)
    for key, value in (("location", "w.bin"), ("offset", "8"), ("length", "32")):
        w.external_data.add(key=key, value=value)
    ports = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [4]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", ports[:1], ports[1:], [w])
    return onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)]).SerializeToString()


def value(array: np.ndarray) -> ort.OrtValue:
    return ort.OrtValue.ortvalue_from_numpy(array)


def test_an_initializer_is_replaced_by_a_value_of_its_type_and_shape(double, x):
    options = ort.SessionOptions()
    options.add_initializer("two", value(np.array(5, np.float32)))
    np.testing.assert_array_equal(ort.InferenceSession(double, options).run(None, {"X": x})[0], 5 * x)
    np.testing.assert_array_equal(ort.InferenceSession(double).run(None, {"X": x})[0], 2 * x)
    for wrong in (np.array(5.0), np.ones(2, np.float32)):
        options.add_initializer("two", value(wrong))
        with pytest.raises(ort.InvalidArgument, match="the initializer `two` has elements of type 1"):
            ort.InferenceSession(double, options)
    options = ort.SessionOptions()
    options.add_initializer("three", value(np.array([5], np.float32)))
    with pytest.raises(ort.InvalidArgument, match="no initializer `three`"):
        ort.InferenceSession(double, options)
    with pytest.raises(ort.InvalidArgument, match="is an OrtValue, not None"):
        options.add_initializer("two", None)


def test_a_replaced_initializer_is_in_the_optimized_model(double, tmp_path, x):
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "five.onnx")
    options.add_initializer("two", value(np.array(5, np.float32)))
    ort.InferenceSession(double, options)
    np.testing.assert_array_equal(ort.InferenceSession(options.optimized_model_filepath).run(None, {"X": x})[0], 5 * x)


def test_external_data_comes_from_values_and_from_files_in_memory(outside):
    w, x = np.arange(4), np.ones(4, np.int64)
    by_value, by_file = ort.SessionOptions(), ort.SessionOptions()
    by_value.add_external_initializers(["w"], [value(w)])
    content = b"\xff" * 8 + w.tobytes()
    by_file.add_external_initializers_from_files_in_memory(["w.bin"], [content + b"more"], [len(content)])
    for options in (by_value, by_file):
        assert ort.InferenceSession(outside, options).run(None, {"x": x})[0].tolist() == [1, 2, 3, 4]
    short, long = ort.SessionOptions(), ort.SessionOptions()
    short.add_external_initializers_from_files_in_memory(["w.bin"], [content], [len(content) - 1])
    with pytest.raises(ort.InvalidArgument, match="32 bytes from byte 8 of `w.bin`, which has 39"):
        ort.InferenceSession(outside, short)
    long.add_external_initializers_from_files_in_memory(["v.bin"], [content], [len(content)])
    with pytest.raises(ort.InvalidArgument, match="no file of external data `v.bin`"):
        ort.InferenceSession(outside, long)
    for call in (
        lambda: long.add_external_initializers(["w"], []),
        lambda: long.add_external_initializers_from_files_in_memory(["w.bin"], [content], [len(content) + 1]),
        lambda: long.add_external_initializers_from_files_in_memory(["w.bin"], [content], []),
    ):
        with pytest.raises(ort.InvalidArgument):
            call()


def test_free_dimensions_get_sizes_by_what_they_denote(make):
    model = onnx.load_model_from_string(make("g (float[N,M,5] x) => (float[N,M,5] y) { y = Abs(x) }"))
    dims = model.graph.input[0].type.tensor_type.shape.dim
    dims[0].denotation, dims[1].denotation, dims[2].denotation = "DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE"
    options = ort.SessionOptions()
    options.add_free_dimension_override_by_denotation("DATA_BATCH", 3)
    options.add_free_dimension_override_by_denotation("DATA_FEATURE", 5)
    options.add_free_dimension_override_by_name("M", 2)
    assert ort.InferenceSession(model.SerializeToString(), options).get_inputs()[0].shape == [3, 2, 5]
    for denotation, size, text in (("DATA_FEATURE", 6, "is to be 6, but is 5"), ("DATA_CHANNEL", 4, "`M` is to be 2"), ("DATA", 1, "denotes DATA")):
        wrong = ort.SessionOptions()
        wrong.add_free_dimension_override_by_name("M", 2)
        wrong.add_free_dimension_override_by_denotation(denotation, size)
        with pytest.raises(ort.InvalidArgument, match=text):
            ort.InferenceSession(model.SerializeToString(), wrong)


def test_an_optimized_model_has_large_initializers_in_a_file_beside_it(make, tmp_path):
    source, target = tmp_path / "source.onnx", tmp_path / "target.onnx"
    weights = ", ".join("1" for _ in range(64))
    source.write_bytes(make(f"g (float[64] x) => (float[64] y) <float[64] w = {{{weights}}}> {{ y = Mul(x, w) }}"))
    for least, exists in (("257", False), ("256", True)):
        options = ort.SessionOptions()
        options.optimized_model_filepath = str(target)
        options.add_session_config_entry("session.optimized_model_external_initializers_file_name", "weights.bin")
        options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", least)
        ort.InferenceSession(str(source), options)
        assert (tmp_path / "weights.bin").exists() == exists
        source_x = np.arange(64, dtype=np.float32)
        np.testing.assert_array_equal(ort.InferenceSession(str(target)).run(None, {"x": source_x})[0], source_x)
    options.optimized_model_filepath = ""
    with pytest.warns(UserWarning, match="optimized_model_filepath is not set"):
        ort.InferenceSession(str(source), options)
    options.optimized_model_filepath = str(target)
    for key, wrong in (("file_name", "../w.bin"), ("file_name", ""), ("min_size_in_bytes", "-1")):
        with pytest.raises(ort.InvalidArgument):
            options.add_session_config_entry(f"session.optimized_model_external_initializers_{key}", wrong)
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", "target.onnx")
    with pytest.raises(ort.InvalidArgument, match="cannot be the model and its file"):
        ort.InferenceSession(str(source), options)


def test_changes_to_a_model_that_cannot_be_made_say_why(double, monkeypatch):
    options = ort.SessionOptions()
    options.add_initializer("two", value(np.array(5, np.float32)))
    with pytest.raises(ort.NoSuchFile, match="nowhere.onnx"):
        ort.InferenceSession("nowhere.onnx", options)
    with pytest.raises(ort.InvalidProtobuf, match="no ONNX model"):
        ort.InferenceSession(b"\xff\xff", options)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ort.NotImplemented, match="needs the package onnx"):
        ort.InferenceSession(double, options)
