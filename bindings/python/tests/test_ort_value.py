"""OrtValue, and tensors of other libraries by DLPack."""
from __future__ import annotations

import gc

import ml_dtypes
import numpy as np
import pytest

import inlayrt as ort


def test_an_ort_value_of_an_array_is_over_its_memory(x):
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert value.device_name() == "cpu" and value.shape() == [3, 2] and value.data_type() == "tensor(float)"
    assert value.element_type() == 1 and value.is_tensor() and value.has_value() and value.tensor_size_in_bytes() == 24
    assert not value.is_tensor_sequence() and not value.is_sparse_tensor()
    assert value.data_ptr() == x.ctypes.data
    x[0, 0] = 9
    assert value.numpy()[0, 0] == 9
    del x
    gc.collect()
    assert value.numpy().tolist() == [[9, 2], [3, 4], [5, 6]]


def test_an_ort_value_of_an_array_that_is_not_contiguous_is_a_copy(x):
    value = ort.OrtValue.ortvalue_from_numpy(x.T)
    x[:] = 0
    assert value.numpy().tolist() == [[1, 3, 5], [2, 4, 6]]


def test_an_ort_value_is_made_of_a_shape_and_a_type():
    for kind in (np.float32, np.dtype("f4"), "float32", 1):
        value = ort.OrtValue.ortvalue_from_shape_and_type([3, 2], kind)
        assert value.shape() == [3, 2] and value.data_type() == "tensor(float)" and not value.numpy().any()
    assert ort.OrtValue.ortvalue_from_shape_and_type([], ml_dtypes.bfloat16, "cpu", 0).data_type() == "tensor(bfloat16)"
    for shape, kind, device in (([3, -1], 1, "cpu"), ([1] * 9, 1, "cpu"), ([3], 99, "cpu"), ([3], "M8[s]", "cpu"), ([3], 1, "abacus")):
        with pytest.raises(ort.InvalidArgument):
            ort.OrtValue.ortvalue_from_shape_and_type(shape, kind, device)


def test_an_ort_value_is_updated_in_place(x):
    value = ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32)
    address = value.data_ptr()
    value.update_inplace(x)
    np.testing.assert_array_equal(value.numpy(), x)
    assert value.data_ptr() == address
    with pytest.raises(ort.InvalidArgument):
        value.update_inplace(x[:2])
    with pytest.raises(ort.InvalidArgument):
        value.update_inplace(x.astype(np.float64))
    text = ort.OrtValue.ortvalue_from_numpy(np.array(["a", "b"], object))
    text.update_inplace(np.array(["c", "d"], object))
    assert text.numpy().tolist() == ["c", "d"]


def test_the_bytes_of_an_array_are_elements_of_another_type():
    bits = np.array([0x3F80, 0xC000], np.uint16)
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
    assert value.data_type() == "tensor(bfloat16)" and value.numpy().astype(float).tolist() == [1, -2]
    with pytest.raises(ort.InvalidArgument, match="another size"):
        ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 1)


def test_runs_take_and_give_ort_values(double, make, x):
    session = ort.InferenceSession(double)
    feeds = {"X": ort.OrtValue.ortvalue_from_numpy(x)}
    for results in (session.run_with_ort_values(["Y"], feeds), session.run_with_ort_values(None, feeds)):
        np.testing.assert_array_equal(results[0].numpy(), 2 * x)
    np.testing.assert_array_equal(session.run(None, feeds)[0], 2 * x)
    pair = ort.InferenceSession(make("g (float[2] a) => (seq(float[2]) s) { s = SequenceConstruct(a, a) }"))
    a = np.array([1, 2], np.float32)
    sequence = pair.run_with_ort_values(None, {"a": ort.OrtValue.ortvalue_from_numpy(a)})[0]
    a[:] = 9
    assert sequence.is_tensor_sequence() and sequence.data_type() == "seq(tensor(float))" and not sequence.is_tensor()
    assert [item.tolist() for item in sequence.python()] == [[1, 2], [1, 2]]
    with pytest.raises(ort.InvalidArgument, match="holds no tensor"):
        sequence.numpy()
    at = ort.InferenceSession(make("g (seq(float[2]) s, int64 i) => (float[2] y) { y = SequenceAt(s, i) }"))
    assert at.run(None, {"s": sequence, "i": 1})[0].tolist() == [1, 2]


def test_dlpack_goes_both_ways_over_the_same_memory(x):
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert value.__dlpack_device__() == (1, 0)
    array = np.from_dlpack(value)
    assert array.ctypes.data == x.ctypes.data
    np.testing.assert_array_equal(array, x)
    back = ort.OrtValue.from_dlpack(x)
    assert back.data_ptr() == x.ctypes.data and back.shape() == [3, 2]
    capsule = value.to_dlpack()
    again = ort.OrtValue.from_dlpack(capsule)
    assert again.data_ptr() == x.ctypes.data
    with pytest.raises(ValueError):
        ort.OrtValue.from_dlpack(capsule)  # taken
    del value, back, again, x
    gc.collect()
    assert array.tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(ort.InvalidArgument):
        ort.OrtValue.ortvalue_from_numpy(np.array(["a"], object)).to_dlpack()
    with pytest.raises(BufferError):
        ort.OrtValue.ortvalue_from_numpy(array).__dlpack__(copy=True)


def test_numpy_makes_arrays_of_ort_values_without_a_copy(x):
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert np.asarray(value).ctypes.data == np.asarray(value, np.float32).ctypes.data == x.ctypes.data
    assert np.asarray(value, np.float64).dtype == np.float64
    copy = np.array(value)
    x[:] = 0
    assert copy.sum() == 21


def test_tensors_of_other_libraries_are_fed_without_a_copy(double, x):
    class Others:
        """As PyTorch's tensors: no array, but DLPack knows it."""

        def __init__(self, array: np.ndarray) -> None:
            self._array = array
            self.asked = 0

        def __dlpack__(self, **options: object) -> object:
            self.asked += 1
            return self._array.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return self._array.__dlpack_device__()

    tensor = Others(x)
    np.testing.assert_array_equal(ort.InferenceSession(double).run(None, {"X": tensor})[0], 2 * x)
    assert tensor.asked == 1


def test_a_capsule_that_nobody_takes_gives_its_memory_back():
    import resource

    value = ort.OrtValue.ortvalue_from_numpy(np.zeros(1 << 20, np.float32))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        ort.OrtValue.ortvalue_from_shape_and_type([1 << 20], np.float32).to_dlpack()
        np.from_dlpack(value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB; all of them would be 800,000
