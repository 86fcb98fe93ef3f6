"""InferenceSession as in the documents of ONNX Runtime, and its errors."""
from __future__ import annotations

import pathlib
import pickle

import numpy as np
import pytest

import inlayrt as ort
from inlayrt.capi import onnxruntime_pybind11_state as state


def test_a_model_is_read_from_a_path_a_path_object_bytes_and_a_loaded_model(double, x):
    data = pathlib.Path(double).read_bytes()
    loaded = ort.load_model(double)
    for source in (double, pathlib.Path(double), data, bytearray(data), memoryview(data), loaded):
        session = ort.InferenceSession(source, providers=["CPUExecutionProvider"])
        np.testing.assert_array_equal(session.run(["Y"], {"X": x})[0], 2 * x)


def test_a_model_with_more_than_eight_dimensions_is_refused_by_name_and_limit(make):
    model = make("g (float[1,1,1,1,1,1,1,1,2] x) => (float[1,1,1,1,1,1,1,1,2] y) { y = Relu(x) }")
    with pytest.raises(ort.NotImplemented, match="`x` has 9 dimensions; 8 are supported") as failure:
        ort.InferenceSession(model)
    assert failure.value.code == "unsupported_model"


def test_inputs_and_outputs_have_names_shapes_and_types(make):
    session = ort.InferenceSession(make("g (float[N,2,?] x, int64 k, string[3] s) => (float[N,2,?] y) { y = Identity(x) }"))
    ports = [(i.name, i.shape, i.type) for i in session.get_inputs()]
    assert ports == [("x", ["N", 2, None], "tensor(float)"), ("k", [], "tensor(int64)"), ("s", [3], "tensor(string)")]
    assert str(session.get_outputs()[0]) == "NodeArg(name='y', type='tensor(float)', shape=['N', 2, None])"
    assert session.get_overridable_initializers() == []


def test_a_run_gives_the_outputs_asked_for_in_their_order_and_all_for_none(make, x):
    session = ort.InferenceSession(make("g (float[3,2] x) => (float[3,2] a, float[3,2] b) { a = Neg(x) b = Abs(x) }"))
    for names, expected in ((None, [-x, x]), ([], [-x, x]), (["b"], [x]), (["b", "a"], [x, -x]), (("a",), [-x])):
        results = session.run(names, {"x": x})
        assert len(results) == len(expected)
        for result, array in zip(results, expected):
            np.testing.assert_array_equal(result, array)


def test_providers_are_names_pairs_and_one_string_in_the_order_of_the_list(double, x):
    for providers in (["cpu", "reference"], ["CPUExecutionProvider", ("ReferenceExecutionProvider", {})], [("cpu", {"threads": 1}), "REFERENCE"]):
        session = ort.InferenceSession(double, providers=providers)
        assert session.get_providers() == ["CPUExecutionProvider", "ReferenceExecutionProvider"]
    assert ort.InferenceSession(double, providers="reference").get_providers()[0] == "ReferenceExecutionProvider"
    assert ort.InferenceSession(double).get_providers() == ["CPUExecutionProvider"]
    session = ort.InferenceSession(double, providers=["reference", "cpu"])
    assert session.get_providers() == ["ReferenceExecutionProvider", "CPUExecutionProvider"]
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], 2 * x)


def test_options_of_providers_are_given_in_the_list_or_beside_it_and_can_be_read(double):
    beside = ort.InferenceSession(double, providers=["cpu"], provider_options=[{"threads": 1, "flush_denormals": True}])
    within = ort.InferenceSession(double, providers=[("cpu", {"threads": "1", "flush_denormals": "1"})])
    assert beside.get_provider_options() == within.get_provider_options()
    options = within.get_provider_options()["CPUExecutionProvider"]
    assert options["threads"] == "1" and options["flush_denormals"] == "true" and options["precision"] == "standard"
    again = ort.InferenceSession(double, providers=[("cpu", options)])
    assert again.get_provider_options() == within.get_provider_options()


def test_set_providers_makes_the_session_anew_with_a_list_one_string_and_options(double, x):
    session = ort.InferenceSession(double, providers=["cpu"])
    session.set_providers(["reference", "cpu"])
    assert session.get_providers() == ["ReferenceExecutionProvider", "CPUExecutionProvider"]
    assert session.plan().count("ReferenceExecutionProvider") == 1
    session.set_providers("CPUExecutionProvider")
    assert session.get_providers() == ["CPUExecutionProvider"]
    session.set_providers(["CPUExecutionProvider"], [{"threads": "1"}])
    assert session.get_provider_options()["CPUExecutionProvider"]["threads"] == "1"
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], 2 * x)
    with pytest.raises(ort.InvalidArgument, match="threads"):
        session.set_providers([("cpu", {"thread": 1})])
    assert session.get_provider_options()["CPUExecutionProvider"]["threads"] == "1"


def test_available_providers_begin_with_the_cpu_and_a_session_may_have_fewer(double):
    available = ort.get_available_providers()
    assert available[-2:] == ["CPUExecutionProvider", "ReferenceExecutionProvider"]
    assert set(available) <= set(ort.get_all_providers()) >= {"CUDAExecutionProvider", "OpenVINOExecutionProvider"}
    assert set(available) <= set(ort.provider_status())
    assert ort.provider_status()["CPUExecutionProvider"] == {"status": "production", "checked_on": "device"}
    assert set(ort.InferenceSession(double, providers=["cpu"]).get_providers()) < set(available)
    assert ort.get_device() == "CPU" and ort.get_version_string() == ort.__version__


def test_a_provider_that_the_build_lacks_warns_beside_others_and_is_an_error_alone(double, x):
    with pytest.warns(UserWarning, match="Unknown Provider Type: NobodysExecutionProvider; this build has") as warning:
        session = ort.InferenceSession(double, providers=["NobodysExecutionProvider", "CPUExecutionProvider"])
    assert warning[0].filename == __file__
    assert session.get_providers() == ["CPUExecutionProvider"]
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], 2 * x)
    with pytest.raises(ort.InvalidArgument, match="NobodysExecutionProvider") as raised:
        ort.InferenceSession(double, providers=["NobodysExecutionProvider"])
    assert raised.value.code == "unknown_provider"
    with pytest.raises(RuntimeError, match="NobodysExecutionProvider"):
        session.set_providers(["NobodysExecutionProvider"])
    for wrong in ([3], [("cpu", 3)], [("cpu", {}, 1)]):
        with pytest.raises(ort.InvalidArgument, match="a provider is a name or"):
            ort.InferenceSession(double, providers=wrong)
    with pytest.raises(ort.InvalidArgument, match="1 providers have 2 provider_options"):
        ort.InferenceSession(double, providers=["cpu"], provider_options=[{}, {}])
    with pytest.raises(ort.InvalidArgument, match="one is enough"):
        ort.InferenceSession(double, providers=[("cpu", {"threads": 1})], provider_options=[{}])


def test_the_metadata_of_a_model_is_there(make):
    import onnx

    model = onnx.load_from_string(make("g (float[1] x) => (float[1] y) { y = Neg(x) }"))
    model.producer_name, model.domain, model.doc_string, model.model_version = "someone", "org.example", "text", 7
    model.metadata_props.add(key="licence", value="ours")
    meta = ort.InferenceSession(model.SerializeToString()).get_modelmeta()
    assert (meta.producer_name, meta.domain, meta.description, meta.version) == ("someone", "org.example", "text", 7)
    assert meta.graph_name == "g" and meta.custom_metadata_map == {"licence": "ours"} and meta.opsets[""] == 17


def test_errors_have_the_classes_that_programs_catch_and_fields(double, make, x):
    session = ort.InferenceSession(double)
    cases = [
        (lambda: session.run(None, {"X": x.astype(np.float64)}), state.InvalidArgument, "type_mismatch"),
        (lambda: session.run(None, {"X": x[:2]}), state.InvalidArgument, "shape_mismatch"),
        (lambda: session.run(None, {"X": x, "Z": x}), state.InvalidArgument, "not_found"),
        (lambda: session.run(["Q"], {"X": x}), state.InvalidArgument, "not_found"),
        (lambda: session.run(None, {}), ValueError, "invalid_argument"),
        (lambda: ort.InferenceSession(double + ".missing"), state.NoSuchFile, "not_found"),
        (lambda: ort.InferenceSession(b"no model at all"), state.InvalidProtobuf, "invalid_model"),
        (lambda: ort.InferenceSession(b"no model at all"), state.Fail, "invalid_model"),
        (lambda: ort.InferenceSession(make("g (float x) => (float y) { y = unknown.Knows(x) }", '<ir_version: 8, opset_import: ["" : 17, "unknown" : 1]> ')), state.NotImplemented, None),
        (lambda: ort.InferenceSession(double, providers=[("cpu", {"threads": "many"})]), state.InvalidArgument, "invalid_option"),
    ]
    for call, kind, code in cases:
        with pytest.raises(kind) as raised:
            call()
        assert isinstance(raised.value, ort.Error) and isinstance(raised.value, RuntimeError)
        assert code is None or raised.value.code == code
    with pytest.raises(ort.Error) as raised:
        ort.InferenceSession(make("g (float image) => (float y) { y = Neg(image) }")).run(None, {"imag": x})
    assert raised.value.hint and "did you mean `image`?" in str(raised.value) and raised.value.node is None
    copy = pickle.loads(pickle.dumps(raised.value))
    assert type(copy) is type(raised.value) and copy.code == "not_found" and str(copy) == str(raised.value)


def test_an_error_of_a_run_tells_the_node_and_the_operator(make):
    session = ort.InferenceSession(make("g (float[3] x, int64[1] i) => (float[1] y) { [pick] y = Gather(x, i) }"))
    with pytest.raises(ort.Error) as raised:
        session.run(None, {"x": np.zeros(3, np.float32), "i": np.array([7])})
    assert raised.value.node == "pick" and raised.value.op == "Gather" and raised.value.provider == "CPUExecutionProvider"


def test_names_and_feeds_of_wrong_types_are_type_errors(double, x):
    session = ort.InferenceSession(double)
    for names, feeds in (([1], {"X": x}), ("Y", {"X": x}), (None, {1: x}), (3, {"X": x}), (None, 3)):
        with pytest.raises(TypeError):
            session.run(names, feeds)
    with pytest.raises((TypeError, RuntimeError)):
        session.run(None, {"X": x}, run_options=3)
    with pytest.raises(TypeError):
        ort.InferenceSession(3)
    with pytest.raises(TypeError):
        ort.InferenceSession(double, providrs=["cpu"])


def test_run_async_tells_its_callback_the_results_or_the_error(double, x):
    import queue

    answers: queue.Queue = queue.Queue()
    session = ort.InferenceSession(double)
    session.run_async(["Y"], {"X": x}, lambda *arguments: answers.put(arguments), "mine")
    results, data, error = answers.get(timeout=30)
    np.testing.assert_array_equal(results[0], 2 * x)
    assert data == "mine" and error == ""
    session.run_async(["Q"], {"X": x}, lambda *arguments: answers.put(arguments), None)
    results, _, error = answers.get(timeout=30)
    assert results == [] and "Q" in error


def test_names_of_onnx_runtime_that_are_not_here_say_why():
    with pytest.raises(AttributeError, match="no OrtEpContextData: what was compiled goes to the model"):
        ort.OrtEpContextData
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        ort.Nonsense
    assert all(hasattr(ort, name) for name in ort.__all__)


def test_an_input_that_is_an_output_is_copied(make, x):
    session = ort.InferenceSession(make("g (float[3,2] x) => (float[3,2] y, float[3,2] x) { y = Neg(x) }"))
    y, same = session.run(None, {"x": x})
    assert not np.shares_memory(same, x)
    np.testing.assert_array_equal(same, x)


def test_names_that_are_no_utf_8_are_shown_and_told_in_errors(make):
    model = make("g (float[2] x_x) => (float[2] y_y) { [a_a] y_y = Neg(x_x) }")
    odd = model.replace(b"x_x", b"x\xffx").replace(b"y_y", b"y\xffy").replace(b"a_a", b"a\xffa")
    session = ort.InferenceSession(odd)
    assert session.get_inputs()[0].name == "x\udcffx"
    with pytest.raises(ort.InvalidArgument, match="are missing"):
        session.run(None, {})
    assert "a" in str(session.plan()) and session.plan().nodes[0]["op"] == "Neg"


def test_feeds_and_names_may_change_while_they_are_read_and_run(make):
    session = ort.InferenceSession(make("g (float[2] first_input, float[2] second_input) => (float[2] y) { y = Add(first_input, second_input) }"))

    class Clears:
        def __dlpack__(self, **options: object) -> object:
            feeds.clear()
            return np.ones(2, np.float32).__dlpack__()

    feeds: dict[str, object] = {"first_" + "input": Clears(), "second_" + "input": np.ones(2, np.float32)}
    with pytest.raises(ort.InvalidArgument, match="'second_input'.. are missing"):
        session.run(None, feeds)


def test_inputs_that_are_missing_are_named_beside_those_that_are_there(make):
    session = ort.InferenceSession(make("g (float[2] a, float[2] b, float[2] c) => (float[2] y) { d = Add(a, b) y = Add(d, c) }"))
    for run in (session.run, session.run_with_ort_values):
        with pytest.raises(ValueError) as error:
            run(None, {"b": ort.OrtValue.ortvalue_from_numpy(np.ones(2, np.float32))})
        assert "Required inputs (['a', 'c']) are missing from input feed (['b'])" in str(error.value)
