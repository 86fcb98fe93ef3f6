"""A program as users write it, which mypy --strict accepts; test_typing.py checks it."""
from __future__ import annotations

import numpy as np

import inlayrt as ort
from inlayrt.capi.onnxruntime_pybind11_state import InvalidArgument


def classify(path: str, image: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> int:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = ort.InferenceSession(path, options, providers=["reference", ("cpu", {"threads": 1})])
    names: list[str] = [i.name for i in session.get_inputs()]
    limits = ort.RunOptions()
    limits.seconds = 1.5
    try:
        scores = session.run(None, {names[0]: image}, limits)[0]
    except InvalidArgument as error:
        raise SystemExit(f"{error.code}: {error} {error.hint or ''}") from error
    plan: ort.Plan = session.plan()
    nodes: int = plan.count("CPUExecutionProvider")
    return int(scores.argmax()) + 0 * nodes


def bound(session: ort.InferenceSession, x: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> list[int]:
    binding: ort.IoBinding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_shape_and_type([1, 2], np.float32))
    session.run_with_iobinding(binding)
    value: ort.OrtValue = binding.get_outputs()[0]
    shape: list[int] = value.shape()
    options: dict[str, dict[str, str]] = session.get_provider_options()
    cache: ort.Cache = session.make_cache(16)
    session.run_with_cache(None, {"x": x}, cache)
    return shape if options else []
