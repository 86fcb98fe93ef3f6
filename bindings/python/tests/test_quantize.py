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
    done = ort.quantize(product, tmp_path / "int8.onnx", data=Samples(), progress=lambda *told: phases.append(told))
    assert done.nodes == 2 and not done.kept and (tmp_path / "int8.onnx").read_bytes() == done.model
    assert [e.value for e in done.outputs] == ["y"] and done.outputs[0].sqnr > 30 and done.outputs[0].op == "Relu"
    assert ("measuring ranges", 3, 3) in phases
    x = Samples()[1]
    want, got = (ort.InferenceSession(m).run(None, x)[0] for m in (str(product), done.model))
    assert np.abs(want - got).max() < 0.1 and not np.array_equal(want, got)


@pytest.mark.parametrize("options", [{"form": "dynamic"}, {"form": "matmulnbits"}, {"form": "weights", "bits": 8, "block_size": 0, "rounding": "feedback", "data": Samples()}])
def test_forms_without_calibration_and_with_feedback(product, options):
    done = ort.quantize(product, **options)
    assert done.nodes == 1 and done.bytes_before > 0
    assert np.isfinite(ort.InferenceSession(done.model).run(None, Samples()[0])[0]).all()


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
