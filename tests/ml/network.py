"""A network with what it should give."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import ModelProto


@dataclass
class Network:
    """expected: None where it is ONNX Runtime's output."""
    name: str
    model: ModelProto
    inputs: dict[str, np.ndarray]
    expected: list[np.ndarray] | None = None
    tolerance: float = 1e-4
