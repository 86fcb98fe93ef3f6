"""The backend suite of onnx through inlayrt.backend: every case, and what the interface itself promises."""
from __future__ import annotations

import functools
import os
import pathlib
import re
import tempfile
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
os.environ["ONNX_HOME"] = tempfile.mkdtemp(prefix="inlay-onnx-")  # where the suite writes inputs of its light models

import onnx.backend.test  # noqa: E402
import onnx.parser  # noqa: E402

import inlayrt  # noqa: E402
import inlayrt.backend as backend  # noqa: E402
from conftest import model_bytes  # noqa: E402

CONFORMANCE = pathlib.Path(__file__).parents[3] / "tests" / "conformance"

# Cases that do not pass, and how they fail; one that passes after all fails the run. For reasons: docs/explanation/conformance.md.
EXCLUDED: dict[str, tuple[type[BaseException], str]] = {
    r"test_bernoulli": (AssertionError, "the expected numbers are those of another generator of random numbers"),
}
# Operators whose libraries a build may lack. The build names those that it has: INLAY_OPERATORS="ImageDecoder ...".
LIBRARIES = {"ImageDecoder": r"test_image_decoder_decode_(jpeg|jpeg2k|png|tiff|webp)_", "RegexFullMatch": r"test_regex_full_match"}
for operator, pattern in LIBRARIES.items():
    if operator not in os.environ.get("INLAY_OPERATORS", "").split():
        EXCLUDED[pattern] = (inlayrt.NotImplemented, f"the build has no library for {operator}")


class Suite(backend.InlayBackend):
    """The backend as the suite calls it: one thread, every case is run, and tolerances do not concern sessions."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **kwargs: Any) -> bool:
        return True  # False would skip the case; it is run, and what does not load fails

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", rtol: float = 0, atol: float = 0, **kwargs: Any) -> backend.InlayRep:
        options = inlayrt.SessionOptions()
        options.intra_op_num_threads = 1
        return super().prepare(model, device, sess_options=options, **kwargs)


def tolerances() -> dict[str, dict[str, float]]:
    """The tolerances of the cases for which exceptions.txt names one."""
    lines = (CONFORMANCE / "exceptions.txt").read_text().splitlines()
    matches = [re.match(r"\w+/(\S+) (rtol|atol)=(\S+) ", line) for line in lines if line and not line.startswith("#")]
    assert all(matches), "a case of exceptions.txt has no tolerance, but must be refused: put it into EXCLUDED"
    return {m[1]: {m[2]: float(m[3])} for m in matches if m}


def must_fail(case: Callable[..., None], exception: type[BaseException], reason: str) -> Callable[..., None]:
    @functools.wraps(case)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            case(*args, **kwargs)
        except exception:
            return
        pytest.fail(f"passes, but is excluded: {reason}")

    return run


def nesting(values: Any) -> Any:
    return [nesting(v) for v in values] if isinstance(values, (list, tuple)) else None


def leaves(values: Any) -> list[Any]:
    return [leaf for v in values for leaf in leaves(v)] if isinstance(values, (list, tuple)) else [values]


class Runner(onnx.backend.test.BackendTest):
    @classmethod
    def assert_similar_outputs(cls, ref_outputs: Any, outputs: Any, rtol: float, atol: float, model_dir: str | None = None) -> None:
        """As onnx's, which treats arrays in a sequence as sequences: those of rank 0 have no length."""
        assert nesting(list(ref_outputs)) == nesting(list(outputs))
        super().assert_similar_outputs(leaves(list(ref_outputs)), leaves(list(outputs)), rtol, atol, model_dir)


@functools.cache
def cases() -> dict[str, type[unittest.TestCase]]:
    """The suite's classes, with the excluded cases inverted, without devices that the build does not have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # onnx computes some expected numbers from infinities
        classes = Runner(Suite, __name__, tolerances()).test_cases
    unused = set(EXCLUDED)
    for suite in classes.values():
        for name in [n for n in vars(suite) if n.startswith("test_")]:
            if not backend.supports_device(name.rpartition("_")[2].upper()):  # test_NAME_DEVICE
                delattr(suite, name)
                continue
            for pattern, (exception, reason) in EXCLUDED.items():
                if re.match(pattern, name):
                    unused.discard(pattern)
                    setattr(suite, name, must_fail(getattr(suite, name), exception, reason))
    assert not unused, f"patterns of EXCLUDED that no case has: {unused}"
    return classes


globals().update(cases())


def test_the_suite_has_all_cases_of_onnx() -> None:
    count = sum(name.startswith("test_") for suite in cases().values() for name in vars(suite))
    assert count >= 2033


X = np.array([[1.0, -2.0]], dtype=np.float32)


def relu(domain: str = "", opset: int = 17) -> onnx.ModelProto:
    head = f'<ir_version: 8, opset_import: ["" : {opset}, "nowhere" : 1]> '
    return onnx.load_from_string(model_bytes(f"g (float[1,2] X) => (float[1,2] Y) {{ Y = {domain}Relu(X) }}", head))


def test_outputs_of_a_backend_are_asked_for_by_number_and_by_name() -> None:
    prepared = backend.prepare(relu())
    for inputs in ([X], (X,), {"X": X}, X):
        result = prepared.run(inputs)
        np.testing.assert_array_equal(result[0], [[1.0, 0.0]])
        np.testing.assert_array_equal(result["Y"], result[0])
    np.testing.assert_array_equal(backend.run_model(relu(), [X])[0], [[1.0, 0.0]])


def test_a_backend_takes_options_and_providers_of_sessions() -> None:
    prepared = backend.prepare(relu(), providers=["reference"])
    assert prepared.session.get_providers()[0] == "ReferenceExecutionProvider"
    with pytest.raises(inlayrt.InvalidArgument, match="one is enough"):
        backend.prepare(relu(), "Reference", providers=["cpu"])
    with pytest.raises(TypeError, match="rtol"):
        backend.prepare(relu(), rtol=1.0)  # no option is ignored


def test_a_backend_refuses_more_inputs_than_the_model_has() -> None:
    with pytest.raises(inlayrt.InvalidArgument, match="2 inputs for a model of 1"):
        backend.prepare(relu()).run([X, X])


def test_a_backend_tells_which_models_it_takes() -> None:
    assert backend.is_compatible(relu())
    assert not backend.is_compatible(relu("nowhere."))
    broken = relu()
    broken.graph.node[0].input[0] = "nothing"
    assert not backend.is_compatible(broken)
    with pytest.raises(inlayrt.InvalidArgument, match="Unknown Provider Type: no_such_one"):
        backend.is_compatible(relu(), providers=["no_such_one"])


def test_a_backend_tells_which_devices_it_has() -> None:
    assert backend.supports_device("CPU")
    assert backend.supports_device("Reference:1")
    assert not backend.supports_device("TPU")
    with pytest.raises(inlayrt.InvalidArgument, match="no TPUExecutionProvider for the device TPU"):
        backend.prepare(relu(), "TPU")
    with pytest.raises(inlayrt.InvalidArgument, match="a device is CPU or NAME:NUMBER, not `CPU:first`"):
        backend.prepare(relu(), "CPU:first")


def test_a_node_runs_by_itself_in_the_version_that_is_asked_for() -> None:
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    np.testing.assert_array_equal(backend.run_node(node, [X])[0], [[1.0, 0.0]])
    softmax = onnx.helper.make_node("Softmax", ["x"], ["y"])  # over all axes from the second on before opset 13
    x = np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    assert backend.run_node(softmax, [x], opset_version=11)[0].sum() == pytest.approx(1)
    assert backend.run_node(softmax, {"x": x})[0].sum() == pytest.approx(2)


def test_a_node_with_left_out_inputs_and_several_outputs_runs_by_itself() -> None:
    clip = onnx.helper.make_node("Clip", ["x", "", "most"], ["y"])
    np.testing.assert_array_equal(backend.run_node(clip, [X, np.float32(0.5)])[0], [[0.5, -2.0]])
    top = onnx.helper.make_node("TopK", ["x", "k"], ["values", "indices"])
    result = backend.run_node(top, [X, np.array([1])])
    np.testing.assert_array_equal(result["values"], [[1.0]])
    np.testing.assert_array_equal(result["indices"], [[0]])


def test_a_node_of_which_too_little_is_known_is_refused() -> None:
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    with pytest.raises(inlayrt.InvalidArgument, match="2 inputs for a node Relu that has 1: x"):
        backend.run_node(node, [X, X])
    with pytest.raises(inlayrt.InvalidArgument, match="1 outputs of Relu"):
        backend.run_node(node, [X], outputs_info=[])
    with pytest.raises(inlayrt.InvalidArgument, match="the type of None"):
        backend.run_node(node, [None])


def test_a_node_takes_the_types_of_outputs_that_the_caller_tells() -> None:
    node = onnx.helper.make_node("BiasGelu", ["x", "b"], ["y"], domain="com.microsoft")
    b = np.zeros(2, dtype=np.float32)
    result = backend.run_node(node, [X, b], outputs_info=[(np.float32, (1, 2))])[0]
    np.testing.assert_allclose(result, [[0.8413447, -0.0455003]], rtol=1e-5)
    with pytest.raises(inlayrt.InvalidArgument, match="tell outputs_info"):
        backend.run_node(node, [X, b])
