"""Models of the Hugging Face cache, where a model and its external data are links."""
from __future__ import annotations

import pathlib
from collections.abc import Callable

import inlayrt as ort
import numpy as np
import onnx
import pytest


@pytest.fixture
def hub_model(make: Callable[..., bytes], tmp_path: pathlib.Path) -> pathlib.Path:
    """y = x + w, laid out as huggingface_hub does; w is [1.5, 2.5], in a file of external data."""
    repository = tmp_path / "models--org--name"
    for folder in ("blobs", "refs", "snapshots/1"):
        (repository / folder).mkdir(parents=True)
    (repository / "refs/main").write_text("1")
    model = onnx.load_model_from_string(make("g (float[2] x) => (float[2] y) <float[2] w = {0, 0}> { y = Add(x, w) }"))
    weights = np.array([1.5, 2.5], np.float32)
    tensor = model.graph.initializer[0]
    tensor.CopyFrom(onnx.numpy_helper.from_array(weights, "w"))
    onnx.external_data_helper.set_external_data(tensor, "model.onnx_data")
    tensor.ClearField("raw_data")
    (repository / "blobs/11aa").write_bytes(model.SerializeToString())
    (repository / "blobs/22bb").write_bytes(weights.tobytes())
    snapshot = repository / "snapshots/1"
    (snapshot / "model.onnx").symlink_to("../../blobs/11aa")
    (snapshot / "model.onnx_data").symlink_to("../../blobs/22bb")
    return snapshot / "model.onnx"


def _sum(session: ort.InferenceSession) -> list[float]:
    return session.run(None, {"x": np.array([1, 2], np.float32)})[0].tolist()


def test_a_model_of_the_hugging_face_cache_finds_its_external_data(hub_model):
    assert _sum(ort.InferenceSession(hub_model)) == [2.5, 4.5]
    assert _sum(ort.InferenceSession(str(hub_model), providers=["CPUExecutionProvider"])) == [2.5, 4.5]


def test_a_changed_model_of_the_hugging_face_cache_finds_its_other_weights(make, hub_model):
    model = onnx.load_model_from_string(hub_model.read_bytes())
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([0, 0], np.float32), "v"))
    model.graph.node[0].output[0] = "s"
    model.graph.node.append(onnx.helper.make_node("Add", ["s", "v"], ["y"]))
    hub_model.resolve().write_bytes(model.SerializeToString())
    options = ort.SessionOptions()
    options.add_initializer("v", ort.OrtValue.ortvalue_from_numpy(np.array([10, 20], np.float32)))
    assert _sum(ort.InferenceSession(hub_model, options)) == [12.5, 24.5]


def test_external_data_that_leads_out_of_the_cache_is_refused(hub_model, tmp_path):
    (tmp_path / "secret").write_bytes(np.zeros(2, np.float32).tobytes())
    data = hub_model.with_name("model.onnx_data")
    data.unlink()
    data.symlink_to(tmp_path / "secret")
    with pytest.raises(ort.InvalidProtobuf, match="leads out of the model's folder"):
        ort.InferenceSession(hub_model)
