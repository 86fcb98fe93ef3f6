"""IoBinding, as the documents of ONNX Runtime show it."""
from __future__ import annotations

import numpy as np
import pytest

import inlayrt as ort


def test_an_input_on_the_cpu_and_an_output_wherever_it_is_made(double, x):
    session = ort.InferenceSession(double)
    binding = session.io_binding()
    binding.bind_cpu_input("X", x)
    binding.bind_output("Y")
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], 2 * x)
    x += 1
    first = binding.get_outputs()[0]
    binding.synchronize_inputs()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], 2 * x)
    np.testing.assert_array_equal(first.numpy(), 2 * (x - 1))


def test_an_input_and_an_output_in_memory_by_its_address(double, x):
    session = ort.InferenceSession(double)
    y = np.zeros((3, 2), np.float32)
    binding = session.io_binding()
    binding.bind_input(name="X", device_type="cpu", device_id=0, element_type=np.float32, shape=x.shape, buffer_ptr=x.ctypes.data)
    binding.bind_output(name="Y", device_type="cpu", device_id=0, element_type=1, shape=y.shape, buffer_ptr=y.ctypes.data)
    for _ in range(2):
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(y, 2 * x)
        assert binding.get_outputs()[0].data_ptr() == y.ctypes.data
        x += 1


def test_ort_values_on_both_sides_keep_their_memory(double, x):
    session = ort.InferenceSession(double)
    source, target = ort.OrtValue.ortvalue_from_numpy(x), ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32)
    binding = session.io_binding()
    binding.bind_ortvalue_input("X", source)
    binding.bind_ortvalue_output("Y", target)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(target.numpy(), 2 * x)
    assert binding.get_outputs()[0].data_ptr() == target.data_ptr()
    source.update_inplace(x + 1)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(target.numpy(), 2 * (x + 1) if source.data_ptr() != x.ctypes.data else 2 * x)


def test_outputs_are_those_that_are_bound_in_the_order_of_binding(make, x):
    session = ort.InferenceSession(make("g (float[3,2] x) => (float[3,2] a, float[3,2] b, float[3,2] c) { a = Neg(x) b = Abs(x) c = Exp(x) }"))
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("b", "cpu")
    binding.bind_ortvalue_output("a", ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32))
    session.run_with_iobinding(binding)
    b, a = binding.copy_outputs_to_cpu()
    np.testing.assert_array_equal(b, x)
    np.testing.assert_array_equal(a, -x)
    binding.clear_binding_outputs()
    assert binding.get_outputs() == []
    with pytest.raises(ort.InvalidArgument, match="no output is bound"):
        session.run_with_iobinding(binding)
    binding.bind_output("c")
    session.run_with_iobinding(binding)
    np.testing.assert_allclose(binding.copy_outputs_to_cpu()[0], np.exp(x), 1e-6)
    binding.clear_binding_inputs()
    with pytest.raises(ort.InvalidArgument, match="`x` is missing"):
        session.run_with_iobinding(binding)


def test_inputs_of_another_shape_are_bound_between_runs(make):
    session = ort.InferenceSession(make("g (float[N] x) => (float[N] y) { y = Neg(x) }"))
    binding = session.io_binding()
    for n in (3, 5, 3):
        x = np.arange(n, dtype=np.float32)
        y = ort.OrtValue.ortvalue_from_shape_and_type([n], np.float32)
        binding.bind_cpu_input("x", x)
        binding.bind_ortvalue_output("y", y)
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(y.numpy(), -x)
    binding.bind_cpu_input("x", np.zeros(4, np.float32))
    with pytest.raises(ort.InvalidArgument):
        session.run_with_iobinding(binding)


def test_results_whose_size_only_the_run_tells_and_strings_are_copied_to_what_is_bound(make):
    session = ort.InferenceSession(make("g (float[4] x, string[2] s) => (int64[1,K] i, string[2] t) { i = NonZero(x) t = Identity(s) }"))
    indices = ort.OrtValue.ortvalue_from_shape_and_type([1, 2], np.int64)
    text = ort.OrtValue.ortvalue_from_numpy(np.array(["", ""], object))
    binding = session.io_binding()
    binding.bind_cpu_input("x", np.array([0, 1, 0, 2], np.float32))
    binding.bind_cpu_input("s", np.array(["a", "b"], object))
    binding.bind_ortvalue_output("i", indices)
    binding.bind_ortvalue_output("t", text)
    session.run_with_iobinding(binding)
    assert indices.numpy().tolist() == [[1, 3]] and text.numpy().tolist() == ["a", "b"]
    binding.bind_cpu_input("x", np.array([0, 1, 3, 2], np.float32))
    with pytest.raises(ort.InvalidArgument, match=r"output `i` has int64\[1,3\] for memory of int64\[1,2\]"):
        session.run_with_iobinding(binding)


def test_sequences_are_bound_too(make):
    session = ort.InferenceSession(make("g (seq(float[2]) s, int64 i) => (float[2] y, seq(float[2]) t) { y = SequenceAt(s, i) t = Identity(s) }"))
    binding = session.io_binding()
    binding.bind_cpu_input("s", [np.array([1, 2], np.float32), np.array([3, 4], np.float32)])
    binding.bind_cpu_input("i", np.array(1))
    y = ort.OrtValue.ortvalue_from_shape_and_type([2], np.float32)
    binding.bind_ortvalue_output("y", y)
    binding.bind_output("t")
    session.run_with_iobinding(binding)
    assert y.numpy().tolist() == [3, 4] and binding.get_outputs()[1].is_tensor_sequence()


def test_what_does_not_fit_is_an_error_when_it_is_bound(double, x):
    binding = ort.InferenceSession(double).io_binding()
    for call in (
        lambda: binding.bind_cpu_input("Z", x),
        lambda: binding.bind_cpu_input("X", x.astype(np.float64)),
        lambda: binding.bind_cpu_input("X", x[:2]),
        lambda: binding.bind_output("Z"),
        lambda: binding.bind_output("Y", "abacus"),
        lambda: binding.bind_output("Y", "cpu", 0, None, None, x.ctypes.data),
        lambda: binding.bind_output("Y", "cpu", 0, np.float64, [3, 2], x.ctypes.data),
        lambda: binding.bind_input("X", "cpu", 0, np.float32, [3, 2], 0),
        lambda: binding.bind_input("X", "cpu", 1, np.float32, [3, 2], x.ctypes.data),
    ):
        with pytest.raises(ort.InvalidArgument):
            call()


def test_a_binding_follows_its_session_to_other_providers(double, x):
    session = ort.InferenceSession(double)
    binding = session.io_binding()
    y = ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32)
    binding.bind_cpu_input("X", x)
    binding.bind_ortvalue_output("Y", y)
    session.run_with_iobinding(binding)
    session.set_providers("reference")
    y.update_inplace(np.zeros((3, 2), np.float32))
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(y.numpy(), 2 * x)


def test_an_output_that_is_bound_anew_is_no_longer_written_where_it_was(double, x):
    session = ort.InferenceSession(double)
    binding = session.io_binding()
    binding.bind_cpu_input("X", x)
    first, second = (ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32) for _ in range(2))
    for bind in (lambda: binding.bind_ortvalue_output("Y", first), lambda: binding.bind_ortvalue_output("Y", second), lambda: binding.bind_output("Y")):
        bind()
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(binding.get_outputs()[0].numpy(), 2 * x)
        x += 1
    assert (first.numpy()[0, 0], second.numpy()[0, 0], binding.get_outputs()[0].numpy()[0, 0]) == (2, 4, 6)
    binding.bind_cpu_input("X", np.zeros((3, 2), np.float32))
    options = ort.RunOptions()
    options.terminate = True
    with pytest.raises(ort.Fail):
        session.run_with_iobinding(binding, options)
    assert binding.get_outputs() == []
