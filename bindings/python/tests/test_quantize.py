"""quantize(): an integer model, with its errors."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest

import inlayrt as ort

PRODUCT = """g (float[N,4] x) => (float[N,2] y) <float[4,2] w = {1, -2, 3, 0.5, -0.25, 1, 2, -1}> { a = MatMul(x, w) y = Relu(a) }"""


@pytest.fixture
def product(tmp_path: pathlib.Path, make) -> pathlib.Path:
    path = tmp_path / "product.onnx"
    path.write_bytes(make(PRODUCT))
    return path


class Samples:
    """Created on demand."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, k: int) -> dict[str, np.ndarray]:
        return {"x": np.random.default_rng(k).standard_normal((8, 4)).astype(np.float32)}


def test_a_quantised_model_runs_and_is_near_the_float_one(product, tmp_path):
    phases = []
    result = ort.quantize(product, tmp_path / "int8.onnx", data=Samples(), progress=lambda *arguments: phases.append(arguments))
    assert result.nodes == 2 and not result.kept and (tmp_path / "int8.onnx").read_bytes() == result.model
    assert [e.value for e in result.outputs] == ["y"] and result.outputs[0].sqnr > 30 and result.outputs[0].op == "Relu"
    assert ("measuring ranges", 3, 3) in phases
    x = Samples()[1]
    expected, quantized = (ort.InferenceSession(m).run(None, x)[0] for m in (str(product), result.model))
    assert np.abs(expected - quantized).max() < 0.1 and not np.array_equal(expected, quantized)


@pytest.mark.parametrize("options", [{"form": "dynamic"}, {"form": "matmulnbits"}, {"form": "weights", "bits": 8, "block_size": 0, "rounding": "feedback", "data": Samples()}])
def test_forms_without_calibration_and_with_feedback(product, options):
    result = ort.quantize(product, **options)
    assert result.nodes == 1 and result.bytes_before > 0
    assert np.isfinite(ort.InferenceSession(result.model).run(None, Samples()[0])[0]).all()


def test_what_samples_raise_arrives_as_it_is(product):
    class Broken(Samples):
        def __getitem__(self, k: int) -> dict[str, np.ndarray]:
            raise KeyError("no sample")

    with pytest.raises(KeyError, match="no sample"):
        ort.quantize(product, data=Broken())


def test_options_that_there_are_not_are_refused(product):
    with pytest.raises(ValueError, match="form must be one of 'static'"):
        ort.quantize(product, form="statically")
    with pytest.raises(ort.InvalidArgument, match="needs calibration data"):
        ort.quantize(product)
    with pytest.raises(ort.Error, match="no node has the name `nosuch`"):
        ort.quantize(product, form="dynamic", exclude=["nosuch"])
