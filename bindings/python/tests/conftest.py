"""Small models for the tests, written in ONNX's text form."""
from __future__ import annotations

import pathlib
from collections.abc import Callable

import numpy as np
import onnx
import onnx.parser
import pytest

HEAD = '<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3, "com.microsoft" : 1]> '


def model_bytes(text: str, head: str = HEAD) -> bytes:
    """The bytes of a model file from the text of its graph."""
    return onnx.parser.parse_model(head + text).SerializeToString()


@pytest.fixture
def make() -> Callable[..., bytes]:
    return model_bytes


@pytest.fixture
def double(tmp_path: pathlib.Path) -> str:
    """A file: y = 2 x, for x of 3 rows and 2 columns."""
    path = tmp_path / "double.onnx"
    path.write_bytes(model_bytes("g (float[3,2] X) => (float[3,2] Y) <float two = {2}> { Y = Mul(X, two) }"))
    return str(path)


@pytest.fixture
def x() -> np.ndarray:
    return np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=np.float32)
