"""Names of ONNX Runtime's inner modules that programs use, descriptions of memory, and the owners of nodes."""
from __future__ import annotations

import numpy as np
import pytest

import inlayrt as ort
from inlayrt.capi import _pybind_state as inner
from inlayrt.capi import onnxruntime_inference_collection as collection
from inlayrt.capi import onnxruntime_pybind11_state as state

CPU = inner.OrtDevice(inner.OrtDevice.cpu(), inner.OrtDevice.default_memory(), 0)


def test_the_inner_session_takes_feeds_before_names(double, x):
    session = ort.InferenceSession(double)
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert value._ortvalue is value and value._get_c_value() is value
    results = session._sess.run_with_ort_values({"X": value}, ["Y"], state.RunOptions())
    assert isinstance(results, state.OrtValueVector) and results[0].numpy().tolist() == (2 * x).tolist()
    assert session._sess.run(["Y"], {"X": x})[0].tolist() == (2 * x).tolist()


def test_an_inner_binding_takes_devices_as_objects(double, x):
    session = ort.InferenceSession(double)
    into = np.zeros_like(x)
    value = inner.OrtValue.ortvalue_from_numpy(x, CPU)
    assert value.data_ptr() == x.ctypes.data
    binding = inner.SessionIOBinding(session._sess)
    binding.bind_input("X", CPU, np.float32, x.shape, value.data_ptr())
    binding.bind_output("Y", CPU, 1, x.shape, into.ctypes.data)
    session._sess.run_with_iobinding(binding, None)
    np.testing.assert_array_equal(into, 2 * x)
    binding.bind_output("Y", CPU)
    session._sess.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.get_outputs()[0].numpy(), 2 * x)
    with pytest.raises(TypeError, match="a device is a str, or an OrtDevice"):
        ort.OrtValue.ortvalue_from_numpy(x, 0)
    with pytest.raises(ort.InvalidArgument, match="abacus"):
        ort.OrtValue.ortvalue_from_numpy(x, ort.OrtDevice.make("abacus", 0))
    with pytest.raises(ort.InvalidArgument, match="default_memory"):
        inner.OrtDevice(inner.OrtDevice.cpu(), 5, 0)


def test_a_capsule_is_asked_for_its_type_and_not_taken():
    for kind, is_bytes in ((np.uint8, True), (np.bool_, False), (np.int8, False), (np.uint16, False)):
        capsule = ort.OrtValue.ortvalue_from_numpy(np.ones(3, kind)).to_dlpack()
        assert inner.is_dlpack_uint8_tensor(capsule) == is_bytes
        assert inner.OrtValue.from_dlpack(capsule).numpy().dtype == kind
        with pytest.raises(ValueError):
            inner.is_dlpack_uint8_tensor(capsule)  # a consumer has taken it


def test_descriptions_of_memory_are_kept_and_change_nothing():
    info = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    assert (info.name, info.device_id, info.device_vendor_id) == ("Cpu", 0, 0)
    assert ort.OrtMemoryInfo.create_v2(
        "Cpu", ort.OrtMemoryInfoDeviceType.CPU, 0, 0, ort.OrtDeviceMemoryType.DEFAULT, 64, ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    ) == info
    with pytest.raises(ValueError):
        ort.OrtMemoryInfo.create_v2("Cpu", 77, 0, 0, ort.OrtDeviceMemoryType.DEFAULT, 64, ort.OrtAllocatorType.INVALID)
    assert vars(ort.OrtArenaCfg(8, 0, 4, 2)) == vars(
        ort.OrtArenaCfg({"max_mem": 8, "arena_extend_strategy": 0, "initial_chunk_size_bytes": 4, "max_dead_bytes_per_chunk": 2})
    )
    for wrong in ((8, 0), ({"most": 8},), ("max_mem",)):
        with pytest.raises(ort.InvalidArgument, match="max_mem"):
            ort.OrtArenaCfg(*wrong)
    messages: list[str] = []
    ort.set_default_logger_callback(lambda *line: messages.append(line[-1]), severity=1)
    try:
        ort.create_and_register_allocator(info, None)
        ort.create_and_register_allocator_v2("CPUExecutionProvider", info, {}, None)
    finally:
        ort.set_default_logger_callback(None, severity=2)
    assert len(messages) == 2 and all("has no effect" in text for text in messages)


def test_a_session_tells_the_memory_of_its_ports(make):
    session = ort.InferenceSession(make("g (float[2] a, float[2] b) => (float[2] y) { y = Add(a, b) }"))
    assert [m.name for m in session.get_input_memory_infos()] == ["Cpu", "Cpu"]
    assert [m.name for m in session.get_output_memory_infos()] == ["Cpu"]
    assert session.get_input_epdevices() == [None, None]


def test_a_session_tells_which_provider_has_which_node(make):
    model = make("g (float[2] a, float[2] b) => (float[2] y) { [first] s = Add(a, b) [second] y = Mul(s, b) }")
    options = ort.SessionOptions()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    parts = ort.InferenceSession(model, options, providers=["reference"]).get_provider_graph_assignment_info()
    assert [(p.ep_name, [(n.name, n.domain, n.op_type) for n in p.get_nodes()]) for p in parts] == [
        ("ReferenceExecutionProvider", [("first", "", "Add")]),
        ("ReferenceExecutionProvider", [("second", "", "Mul")]),
    ]
    with pytest.raises(ort.Fail, match="must be set to \"1\""):
        ort.InferenceSession(model).get_provider_graph_assignment_info()


def test_a_list_of_providers_is_checked_by_the_names_that_are_given():
    check = collection.check_and_normalize_provider_args
    assert check(None, None, ["a"]) == ([], [])
    assert check([("a", {1: True}), "b"], None, ["a", "b"]) == (["a", "b"], [{"1": "true"}, {}])
    with pytest.warns(UserWarning, match="twice"):
        assert check(["a", "a"], [{"x": 1}, {"y": 2}], ["a"]) == (["a"], [{"x": "1"}])
    with pytest.warns(UserWarning, match="not among"):
        check(["c"], None, ["a"])
    for providers, options in ((3, None), ([3], None), (["a"], 3), (["a"], ["x"]), (["a"], []), ([("a", {1: 2})], [{3: 4}])):
        with pytest.raises(ValueError):
            check(providers, options, ["a"])


def test_the_package_and_its_inner_module_share_one_list_of_names():
    from inlayrt import _interface

    for module in (ort, state):
        assert set(_interface.__all__) <= set(module.__all__)
        assert len(module.__all__) == len(set(module.__all__))
        assert all(getattr(module, name) is getattr(_interface, name) for name in _interface.__all__)
