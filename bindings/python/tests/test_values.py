"""Arrays of every type in and out, and the values that are no tensors."""
from __future__ import annotations

import gc

import ml_dtypes
import numpy as np
import pytest

import inlayrt as ort

NUMPY = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "int8": np.int8, "int16": np.int16, "int32": np.int32,
    "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64, "bool": np.bool_,
    "complex64": np.complex64, "complex128": np.complex128,
}  # fmt: skip
ADDED = {
    "bfloat16": ml_dtypes.bfloat16, "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4,
}  # fmt: skip
NEWEST = '<ir_version: 10, opset_import: ["" : 21]> '


@pytest.mark.parametrize("name", [*NUMPY, *ADDED])
def test_elements_of_every_type_go_in_and_come_out_as_they_are(make, name):
    dtype = np.dtype({**NUMPY, **ADDED}[name])
    session = ort.InferenceSession(make(f"g ({name}[N,3] x) => ({name}[3,N] y) {{ y = Transpose(x) }}", NEWEST))
    x = np.array([[0, 1, 2], [3, 4, 5], [1, 0, 7], [2, 2, 6], [5, 1, 3]]).astype(dtype)
    result = session.run(None, {"x": x})[0]
    assert result.dtype == dtype and result.shape == (3, 5)
    np.testing.assert_array_equal(result.astype(np.complex128), x.T.astype(np.complex128))


def test_signed_elements_of_four_bits_keep_their_sign_and_odd_counts_their_last(make):
    session = ort.InferenceSession(make("g (int4[N] x) => (int4[N] y) { y = Identity(x) }", NEWEST))
    x = np.array([-8, 7, -1, 0, 3], ml_dtypes.int4)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0].astype(int), [-8, 7, -1, 0, 3])


def test_strings_come_from_objects_unicode_and_bytes_and_go_to_objects(make):
    session = ort.InferenceSession(make("g (string[N] x) => (string[N] y) { y = Identity(x) }"))
    for x in (np.array(["a", "ü", ""], object), np.array(["a", "ü", ""]), ["a", "ü", ""], np.array(["a", "ü".encode(), ""], object)):  # fmt: skip
        result = session.run(None, {"x": x})[0]
        assert result.dtype == object and result.tolist() == ["a", "ü", ""]
    assert session.run(None, {"x": np.array([b"four", b"more"], np.void)})[0].tolist() == ["four", "more"]
    odd = b"\xff".decode("utf-8", "surrogateescape")
    assert session.run(None, {"x": np.array([odd], object)})[0].tolist() == [odd]
    with pytest.raises(ort.InvalidArgument, match="objects of type int"):
        session.run(None, {"x": np.array(["a", 3], object)})


def test_arrays_that_are_not_contiguous_or_in_another_byte_order_are_copied(make):
    session = ort.InferenceSession(make("g (float[N,M] x) => (float[N,M] y) { y = Neg(x) }"))
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    packed = np.zeros(24, [("pad", "u1"), ("v", "<f4")])
    packed["v"] = x.ravel()
    for array in (x.T, x[::2, 1:], x[::-1], np.asfortranarray(x), x.astype(">f4"), packed["v"].reshape(4, 6), x[:, :1], x[:0]):
        np.testing.assert_array_equal(session.run(None, {"x": array})[0], -array)
    x.flags.writeable = False
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], -x)


def test_lists_and_numbers_are_made_arrays_of_the_models_type(make):
    session = ort.InferenceSession(make("g (float[2] x, int64 k) => (float[2] y) { f = Cast<to = 1>(k) y = Mul(x, f) }"))
    assert session.run(None, {"x": [1, 2], "k": 3})[0].tolist() == [3, 6]
    with pytest.raises(ValueError):
        session.run(None, {"x": [[1], [2, 3]], "k": 3})


def test_results_are_arrays_of_their_own_that_outlive_the_session(make):
    session = ort.InferenceSession(make("g (float[N] x) => (float[N] y, float[N] same) { y = Neg(x) same = Identity(x) }"))
    x = np.arange(1000, dtype=np.float32)
    first, same = session.run(None, {"x": x})
    again, _ = session.run(None, {"x": x + 1})
    x[:] = -1
    del session
    gc.collect()
    np.testing.assert_array_equal(first, -np.arange(1000))
    np.testing.assert_array_equal(same, np.arange(1000))
    np.testing.assert_array_equal(again, -np.arange(1, 1001))
    first[0] = 5
    assert first.flags.writeable and first.flags.c_contiguous and first.ctypes.data % 64 == 0


def test_sequences_are_lists_and_keep_nothing_of_the_callers_memory(make):
    session = ort.InferenceSession(make("g (float[2] a, float[2] b) => (seq(float[2]) s) { s = SequenceConstruct(a, b) }"))
    a, b = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    result = session.run(None, {"a": a, "b": b})[0]
    a[:] = b[:] = 9
    assert isinstance(result, list) and [item.tolist() for item in result] == [[1, 2], [3, 4]]
    at = ort.InferenceSession(make("g (seq(float[2]) s, int64 i) => (float[2] y) { y = SequenceAt(s, i) }"))
    assert at.get_inputs()[0].type == "seq(tensor(float))"
    assert at.run(None, {"s": [np.array([1, 2], np.float32), np.array([3, 4], np.float32)], "i": 1})[0].tolist() == [3, 4]
    with pytest.raises(ort.InvalidArgument, match="must be a list"):
        at.run(None, {"s": a, "i": 1})
    same = ort.InferenceSession(make("g (seq(float[2]) s) => (seq(float[2]) t) { t = Identity(s) }"))
    items = [np.array([1, 2], np.float32)]
    back = same.run(None, {"s": items})[0]
    items[0][:] = 9
    assert back[0].tolist() == [1, 2]


def test_maps_are_dicts_in_and_out(make):
    zipped = ort.InferenceSession(make("g (float[2,3] x) => (seq(map(int64, float)) z) { z = ai.onnx.ml.ZipMap<classlabels_int64s = [5, 6, 7]>(x) }"))
    result = zipped.run(None, {"x": np.array([[1, 2, 3], [4, 5, 6]], np.float32)})[0]
    assert result == [{5: 1.0, 6: 2.0, 7: 3.0}, {5: 4.0, 6: 5.0, 7: 6.0}] and isinstance(result[0][5], float)
    vector = ort.InferenceSession(make('g (map(string, float) m) => (float[1,2] y) { y = ai.onnx.ml.DictVectorizer<string_vocabulary = ["a", "b"]>(m) }'))
    assert vector.run(None, {"m": {"b": 2.0}})[0].tolist() == [[0, 2]]
    with pytest.raises(ort.InvalidArgument, match="must be a dict"):
        vector.run(None, {"m": [1]})


def test_an_empty_optional_is_none_and_a_full_one_is_what_it_holds(make):
    session = ort.InferenceSession(make("g (optional(float[2]) o) => (bool has) { has = OptionalHasElement(o) }", '<ir_version: 8, opset_import: ["" : 18]> '))
    assert session.run(None, {"o": np.zeros(2, np.float32)})[0].item() is True
    assert session.run(None, {"o": None})[0].item() is False
    same = ort.InferenceSession(make("g (optional(float[2]) o) => (optional(float[2]) p) { p = Identity(o) }"))
    assert same.run(None, {"o": None})[0] is None
    assert same.run(None, {"o": np.ones(2, np.float32)})[0].tolist() == [1, 1]


def test_types_that_onnx_lacks_and_too_many_dimensions_are_errors(make):
    session = ort.InferenceSession(make("g (float[N] x) => (float[N] y) { y = Neg(x) }"))
    for x, reason in ((np.zeros(2, "M8[s]"), "which ONNX does not have"), (np.zeros((1,) * 9, np.float32), "9 dimensions"), (None, None)):
        with pytest.raises((ort.InvalidArgument, TypeError), match=reason):
            session.run(None, {"x": x})
