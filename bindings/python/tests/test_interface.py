"""Names and methods of ONNX Runtime's interface besides sessions, compared with it where it is installed."""
from __future__ import annotations

import copy
import pathlib
import warnings

import numpy as np
import pytest

import inlayrt as ort
from inlayrt.capi import onnxruntime_pybind11_state as state

RELU = "g (float[N,4] x) => (float[N,4] y) { y = Relu(x) }"
HOST = ort.OrtDevice.make("cpu", 0)


@pytest.fixture
def theirs():
    return pytest.importorskip("onnxruntime", reason="onnxruntime is not installed; scripts/setup --python installs it")


def test_every_public_name_of_onnx_runtime_is_here_or_says_why_not(theirs):
    modules = {"capi", "contextlib", "onnxruntime_validation", "import_capi_exception"}
    missing = [name for name in dir(theirs) if not name.startswith("_") and name not in modules and not hasattr(ort, name)]
    packages = [f"ModelPackage{rest}" for rest in ("", "ComponentContext", "Context", "Options", "WriteMode")]  # since 1.32
    assert missing in (["OrtEpContextData", "OrtEpContextDataBuffer"], [*packages, "OrtEpContextData", "OrtEpContextDataBuffer"])
    for name in missing:
        with pytest.raises(AttributeError, match=f"inlayrt has no {name}: "):
            getattr(ort, name)
    assert (ort.package_name, ort.get_version_string()) == ("inlayrt", ort.__version__)
    assert {n for n in dir(theirs.InferenceSession) if not n.startswith("__")} - set(dir(ort.InferenceSession)) <= {
        "_create_inference_session", "_register_ep_custom_ops", "_release_captured_graphs", "_reset_session", "_validate_graph_capture_run_api",
        "_validate_input", "_validate_ortvalue_ownership", "_bind_session", "_check_session_can_be_recreated", "_from_initialized_c_session",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["OrtSparseFormat", "OrtHardwareDeviceType", "OrtExecutionProviderDevicePolicy", "OrtDeviceVendorId", "OrtCompileApiFlags"])
def test_numbers_of_enumerations_are_onnx_runtimes(theirs, name):
    ours = {member.name: int(member) for member in getattr(ort, name)} | ({"NONE": 0} if name == "OrtCompileApiFlags" else {})
    assert ours == {key: int(getattr(value, "value", value)) for key, value in getattr(theirs, name).__members__.items()}


@pytest.mark.parametrize("name", ["cpu", "cuda", "cann", "dml", "webgpu", "gpu", "npu"])
def test_devices_have_the_numbers_that_they_have_there(theirs, name):
    def numbers(device):
        return device.device_type(), device.device_vendor_id(), device.device_mem_type(), device.device_id()

    assert numbers(ort.OrtDevice.make(name, 1)) == numbers(theirs.OrtDevice.make(name, 1))


def coo(package, indices):
    shape = np.array([3, 3], np.int64)
    return package.SparseTensor.sparse_coo_from_numpy(shape, np.array([1, 2, 3], np.float32), np.array(indices, np.int64), package.OrtDevice.make("cpu", 0))


def csr(package):
    parts = [np.array(p, np.int64) for p in ([3, 3], [1, 0, 2], [0, 1, 2, 3])]
    return package.SparseTensor.sparse_csr_from_numpy(parts[0], np.array([1, 2, 3], np.float32), parts[1], parts[2], package.OrtDevice.make("cpu", 0))


def test_sparse_tensors_tell_what_they_tell_there(theirs):
    def told(package, tensor):
        value = package.OrtValue.ort_value_from_sparse_tensor(tensor)
        kinds = (value.is_sparse_tensor(), value.is_tensor(), value.data_type(), list(value.shape()))
        same = value.as_sparse_tensor()
        return int(getattr(same.format(), "value", same.format())), same.dense_shape(), same.data_type(), same.device_name(), kinds, same.values().tolist()

    assert told(ort, coo(ort, [1, 3, 5])) == told(theirs, coo(theirs, [1, 3, 5]))
    assert told(ort, csr(ort)) == told(theirs, csr(theirs))
    assert coo(ort, [1, 3, 5]).as_coo_view().indices().tolist() == coo(theirs, [1, 3, 5]).as_coo_view().indices().tolist()
    ours, peer = csr(ort).as_csrc_view(), csr(theirs).as_csrc_view()
    assert (ours.inner().tolist(), ours.outer().tolist()) == (peer.inner().tolist(), peer.outer().tolist())


def test_a_sparse_tensor_that_does_not_fit_is_an_error_and_a_model_reads_the_dense_one(make):
    for wrong in ([1, 3], [1, 3, 9], [1, 3, -1]):
        with pytest.raises(ort.InvalidArgument, match="[Ii]nde"):
            coo(ort, wrong)
    for ask in (lambda t: t.as_csrc_view(), lambda t: t.as_blocksparse_view()):
        with pytest.raises(ort.InvalidArgument, match="does not contain"):
            ask(coo(ort, [1, 3, 5]))
    value = ort.OrtValue.ort_value_from_sparse_tensor(coo(ort, [1, 3, 5]))
    with pytest.raises(ort.InvalidArgument, match="as_sparse_tensor"):
        value.numpy()
    session = ort.InferenceSession(make("g (float[3,3] x) => (float[3,3] y) { y = Neg(x) }"))
    np.testing.assert_array_equal(session.run(None, {"x": value})[0], [[0, -1, 0], [-2, 0, -3], [0, 0, 0]])


def test_files_of_adapters_are_read_here_and_there(theirs, tmp_path):
    arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1, -2], np.int64), "h": np.ones((1, 4), np.float16)}
    for writer, reader in ((ort, theirs), (theirs, ort), (ort, ort)):
        adapter = writer.AdapterFormat()
        adapter.set_adapter_version(3)
        adapter.set_model_version(7)
        adapter.set_parameters({name: writer.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()})
        adapter.export_adapter(str(tmp_path / "a.onnx_adapter"))
        adapter_file = reader.AdapterFormat.read_adapter(str(tmp_path / "a.onnx_adapter"))
        assert (adapter_file.get_format_version(), adapter_file.get_adapter_version(), adapter_file.get_model_version()) == (1, 3, 7)
        parameters = adapter_file.get_parameters()
        assert parameters.keys() == arrays.keys()
        for name, array in arrays.items():
            np.testing.assert_array_equal(parameters[name].numpy(), array)


def test_a_broken_file_of_an_adapter_is_a_typed_error(tmp_path):
    adapter = ort.AdapterFormat()
    adapter.set_parameters({"w": ort.OrtValue.ortvalue_from_numpy(np.ones(4, np.float32))})
    path = tmp_path / "a.onnx_adapter"
    adapter.export_adapter(path)
    whole = path.read_bytes()
    for k in range(len(whole)):
        for broken in (whole[:k], whole[:k] + b"\xff" + whole[k + 1 :]):
            path.write_bytes(broken)
            try:
                ort.AdapterFormat.read_adapter(path)
            except ort.InvalidProtobuf:
                pass  # any other error, and any crash, is wrong
    with pytest.raises(ort.NoSuchFile):
        ort.LoraAdapter().Load(tmp_path / "nowhere")


def test_active_adapters_stand_for_inputs_and_constants(tmp_path, make):
    path, model = tmp_path / "a.onnx_adapter", tmp_path / "m.onnx"
    model.write_bytes(make("g (float[2] x, float[2] a) => (float[2] y) <float[2] b = {1, 1}> { s = Add(x, a) y = Mul(s, b) }"))
    adapter = ort.AdapterFormat()
    adapter.set_parameters({name: ort.OrtValue.ortvalue_from_numpy(np.array(v, np.float32)) for name, v in (("a", [10, 20]), ("b", [2, 3]))})
    adapter.export_adapter(path)
    lora = ort.LoraAdapter()
    lora.Load(path)
    session, options = ort.InferenceSession(str(model)), ort.RunOptions()
    options.add_active_adapter(lora)
    x = np.array([1, 2], np.float32)
    for _ in range(2):
        assert session.run(None, {"x": x}, options)[0].tolist() == [22, 66]
    values = session.run_with_ort_values(["y"], {"x": ort.OrtValue.ortvalue_from_numpy(x)}, options)
    assert values[0].numpy().tolist() == [22, 66]
    assert session.run(None, {"x": x, "a": 0 * x})[0].tolist() == [1, 2]
    options.add_active_adapter(copy.copy(lora))
    with pytest.raises(ort.InvalidArgument, match=r"two active adapters have the parameters \['a', 'b'\]"):
        session.run(None, {"x": x}, options)


def test_elements_are_copied_from_one_tensor_to_another():
    source, target = ort.OrtValue.ortvalue_from_numpy(np.arange(3, dtype=np.float32)), ort.OrtValue.ortvalue_from_shape_and_type([3], np.float32)
    ort.copy_tensors([source], [target])
    assert target.numpy().tolist() == [0, 1, 2]
    target.update_inplace(ort.OrtValue.ortvalue_from_numpy(np.ones(3, np.float32)))
    assert target.numpy().tolist() == [1, 1, 1]
    wrong = ([source], []), ([source], [ort.OrtValue.ortvalue_from_shape_and_type([4], np.float32)]), ([source], [ort.OrtValue.ortvalue_from_shape_and_type([3], np.int32)])
    for arguments in wrong:
        with pytest.raises(ort.InvalidArgument):
            ort.copy_tensors(*arguments)
    with pytest.raises(ort.InvalidArgument, match="no stream"):
        ort.copy_tensors([source], [target], 7)


def test_devices_of_providers_choose_a_sessions_providers(make):
    devices = ort.get_ep_devices()
    assert devices[-1].ep_name == "CPUExecutionProvider" and devices[-1].device.type == ort.OrtHardwareDeviceType.CPU
    assert devices[-1].memory_info(ort.OrtDeviceMemoryType.DEFAULT) is None
    with pytest.raises(ort.NotImplemented, match="no streams to be had"):
        devices[-1].create_sync_stream()
    options = ort.SessionOptions()
    options.add_provider_for_devices(devices[-1:], {"threads": 2})
    assert options.has_providers()
    assert ort.InferenceSession(make(RELU), options).get_provider_options()["CPUExecutionProvider"]["threads"] == "2"
    with pytest.raises(ort.InvalidArgument, match="one device or more"):
        options.add_provider_for_devices([], {})
    devices_seen: list[object] = []

    def delegate(devices, metadata, environment, most):
        devices_seen.extend([[d.ep_name for d in devices], metadata["graph_name"], environment, most])
        return devices[-1:]

    options = ort.SessionOptions()
    options.set_provider_selection_policy_delegate(delegate)
    assert ort.InferenceSession(make(RELU), options).get_providers() == ["CPUExecutionProvider"]
    assert devices_seen == [[d.ep_name for d in devices], "g", {}, len(devices) + 1]
    for policy in ort.OrtExecutionProviderDevicePolicy:
        options = ort.SessionOptions()
        options.set_provider_selection_policy(policy)
        assert ort.InferenceSession(make(RELU), options).get_providers()[-1] == "CPUExecutionProvider"


def test_a_flag_ends_the_loading(make):
    options = ort.SessionOptions()
    options.set_load_cancellation_flag(True)
    with pytest.raises(ort.ModelLoadCanceled):
        ort.InferenceSession(make(RELU), options)
    options.set_load_cancellation_flag(False)
    model = ort.load_model(make(RELU), options)
    options.set_load_cancellation_flag(True)
    with pytest.raises(ort.ModelLoadCanceled):
        ort.InferenceSession(model, options)


def test_sizes_of_the_global_pool_are_those_of_sessions_without_threads_of_their_own(make):
    ort.set_global_thread_pool_sizes(3, 1)
    try:
        options = ort.SessionOptions()
        assert ort.InferenceSession(make(RELU), options).plan().data["threads"] != 3 or len(__import__("os").sched_getaffinity(0)) == 3
        options.use_per_session_threads = False
        assert ort.InferenceSession(make(RELU), options).plan().data["threads"] == 3
    finally:
        ort.set_global_thread_pool_sizes()
    with pytest.raises(ort.InvalidArgument, match="-1 threads"):
        ort.set_global_thread_pool_sizes(-1)


def test_runs_over_vectors_of_values_give_results_or_write_to_memory(make):
    session = ort.InferenceSession(make(RELU))
    x = np.array([[1, -2, 3, -4]], np.float32)
    results, feeds = ort.OrtValueVector(), [ort.OrtValue.ortvalue_from_numpy(x)]
    session.run_with_ortvaluevector(ort.RunOptions(), ["x"], feeds, ["y"], results, [HOST])
    assert len(results) == 1 and results[0].numpy().tolist() == [[1, 0, 3, 0]]
    assert results.element_type_at(0) == 1 and results.bool_tensor_indices() == []
    into = session.create_ortvalue_from_shape_and_type([1, 4], np.float32)
    vector = state.OrtValueVector([into])
    session.run_with_ortvaluevector(None, ["x"], feeds, ["y"], vector, [HOST])
    assert into.numpy().tolist() == [[1, 0, 3, 0]]
    with pytest.raises(ort.InvalidArgument, match="1 inputs with 0 values"):
        session.run_with_ortvaluevector(None, ["x"], [], ["y"], vector, [HOST])
    binding = ort.IOBinding(session)
    binding.bind_cpu_input("x", x)
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    assert isinstance(binding.get_outputs_as_ortvaluevector(), ort.OrtValueVector)
    pushed = ort.OrtValueVector()
    pushed.push_back_batch([x], [x.ctypes.data], [np.float32], [[1, 4]], [HOST])
    assert pushed[0].data_ptr() == x.ctypes.data and len(pushed.to_dlpacks()) == 1


def test_an_output_for_memory_that_the_build_lacks_is_in_the_hosts_with_a_warning(make):
    x = np.array([[1, -2, 3, -4]], np.float32)
    binding = ort.InferenceSession(make(RELU)).io_binding()
    binding.bind_cpu_input("x", x)
    with pytest.warns(UserWarning, match="`webgpu`: this build has no provider of it"):
        binding.bind_output("y", "webgpu")
    binding._session.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0].tolist() == [[1, 0, 3, 0]]
    with pytest.raises(ort.InvalidArgument, match="no memory of the device"):
        binding.bind_output("y", "webgpu", 0, np.float32, [1, 4], x.ctypes.data)
    options = ort.SessionOptions()
    options.strict_providers = True
    with pytest.raises(ort.InvalidArgument, match="`webgpu`"):
        ort.InferenceSession(make(RELU), options).io_binding().bind_output("y", "webgpu")


def test_models_are_compiled_to_files_bytes_and_streams(tmp_path, make):
    source = tmp_path / "m.onnx"
    source.write_bytes(make(RELU.replace("N", "1")))
    compiler = ort.ModelCompiler(ort.SessionOptions(), source)
    compiler.compile_to_file()
    x = np.array([[1, -2, 3, -4]], np.float32)
    assert ort.InferenceSession(tmp_path / "m_ctx.onnx").run(None, {"x": x})[0].tolist() == [[1, 0, 3, 0]]
    parts: list[bytes] = []
    compiler.compile_to_stream(parts.append)
    assert ort.InferenceSession(parts[0]).run(None, {"x": x})[0].tolist() == [[1, 0, 3, 0]]
    flags = ort.OrtCompileApiFlags
    with pytest.raises(ort.Fail, match="no provider of the list compiled a node"):
        ort.ModelCompiler(ort.SessionOptions(), source, flags=flags.ERROR_IF_NO_NODES_COMPILED).compile_to_bytes()
    with pytest.raises(ort.Fail, match="exists already"):
        ort.ModelCompiler(ort.SessionOptions(), source, flags=flags.ERROR_IF_OUTPUT_FILE_EXISTS).compile_to_file(source)
    for wrong in (b"", ""):
        with pytest.raises(ValueError, match="empty"):
            ort.ModelCompiler(ort.SessionOptions(), wrong)


def test_a_session_shows_what_it_is_and_tells_of_feeds_that_are_no_dict(make):
    session = ort.InferenceSession(make(RELU))
    assert repr(session) == "<inlayrt.InferenceSession of 'g', (x: tensor(float)['N', 4]) -> (y: tensor(float)['N', 4]), over CPUExecutionProvider>"
    x = np.ones((1, 4), np.float32)
    for feeds in ([x], (x,), x):
        with pytest.raises(TypeError, match=r"input_feed is a dict of values by the names of the inputs, \{'x': ...\}, not a (list|tuple|ndarray)"):
            session.run(None, feeds)
    assert session._providers == ["CPUExecutionProvider"] and session._enable_fallback and session._inputs_meta == session.get_inputs()
    assert session.get_tuning_results() == [] and session.set_ep_dynamic_options({"ep.dynamic.workload_type": "Efficient"}) is None


class Reader:
    def __init__(self, count: int) -> None:
        self.left = count

    def get_next(self):
        self.left -= 1
        return {"x": np.random.default_rng(self.left).standard_normal((4, 8)).astype(np.float32)} if self.left >= 0 else None


@pytest.mark.parametrize("kind", ["static", "dynamic"])
def test_models_are_quantised_by_onnx_runtimes_functions(tmp_path, make, theirs, kind):
    quantization = pytest.importorskip("inlayrt.quantization")
    weights = ", ".join(str(v) for v in np.random.default_rng(1).standard_normal(64).round(3))
    source, target = tmp_path / "m.onnx", tmp_path / "q.onnx"
    source.write_bytes(make(f"g (float[N,8] x) => (float[N,8] y) <float[8,8] w = {{{weights}}}> {{ [product] a = MatMul(x, w) y = Relu(a) }}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if kind == "static":
            assert isinstance(Reader(1), quantization.CalibrationDataReader)
            quantization.quantize_static(source, target, Reader(4), activation_type=quantization.QuantType.QUInt8, per_channel=True)
        else:
            quantization.quantize_dynamic(source, target)
    x = Reader(1).get_next()
    exact = ort.InferenceSession(source).run(None, x)[0]
    for package in (ort, theirs):
        options = package.SessionOptions()
        if package is theirs:  # without VNNI, its accumulators of uint8 and int8 saturate otherwise
            options.add_session_config_entry("session.x64quantprecision", "1")
        np.testing.assert_allclose(package.InferenceSession(str(target), options).run(None, x)[0], exact, atol=0.2)
    with pytest.raises(ort.NotImplemented, match="QInt16"):
        quantization.quantize_dynamic(source, target, weight_type=quantization.QuantType.QInt16)
    with pytest.raises(ort.InvalidArgument, match="no nodes"):
        quantization.quantize_dynamic(source, target, nodes_to_quantize=["nowhere"])
    assert isinstance(target, pathlib.Path) and target.stat().st_size > 0
