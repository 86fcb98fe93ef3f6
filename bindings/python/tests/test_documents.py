"""The programs in Python of ONNX Runtime's documents run word for word, but for the package that they import: tests/documents/extract.py
takes them out of ../shared/documents, and names the package."""
from __future__ import annotations

import importlib.util
import pathlib
import types
import warnings
from typing import Any

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[3]
DOCUMENTS = ROOT.parent / "shared/documents"
MODEL = "g (float[1,3,224,224] input) => (float[1,3,224,224] output) { output = Relu(input) }"
# The providers that options belong to, where a page shows them without a session.
PROVIDERS = {"cuda_options": "CUDAExecutionProvider", "trt_options": "TensorrtExecutionProvider", "": "TensorrtExecutionProvider"}


def _extract() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("extract", ROOT / "tests/documents/extract.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _pages() -> list[list[str]]:
    if not DOCUMENTS.is_dir():
        return []
    extract = _extract()
    return [extract.python_examples(page) for page in extract.pages(DOCUMENTS)]


class _Image:
    """The functions of Pillow that the pages use."""

    saved: list[str] = []

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @staticmethod
    def fromarray(array: np.ndarray) -> _Image:
        return _Image(array)

    def save(self, name: str) -> None:
        _Image.saved.append(name)


def _names() -> dict[str, Any]:
    """The names that the pages use and do not define."""
    post = types.SimpleNamespace(image_postprocess=lambda original, size, detections: detections)
    data = np.linspace(-1, 1, 3 * 224 * 224, dtype=np.float32).reshape(1, 3, 224, 224)
    return {"np": np, "post": post, "Image": _Image, "image_data": data, "original_image": data, "input_size": 224, "dummy_input": data}


def _check(names: dict[str, Any], session: Any) -> None:
    x = names["image_data"]
    np.testing.assert_allclose(session.run(None, {"input": x})[0], np.maximum(x, 0))


def _run(page: list[str]) -> None:
    names = _names()
    for example in page:
        before = dict(names)
        exec(compile(example, "the documents", "exec"), names)
        ort = names.get("ort")
        changed = {k: v for k, v in names.items() if k not in before or before[k] is not v}
        for name in ("session", "sess"):
            if name in changed:
                _check(names, changed[name])
        if ort is None or "InferenceSession" in example:
            continue
        options = {k: v for k, v in changed.items() if isinstance(v, dict) and k.endswith("_options")}
        if example.startswith("{"):
            options[""] = eval(example)
        for name, values in options.items():
            _check(names, ort.InferenceSession("model.onnx", providers=[(PROVIDERS[name], values), "CPUExecutionProvider"]))
        if isinstance(changed.get("providers"), list):
            _check(names, ort.InferenceSession("model.onnx", providers=changed["providers"]))


@pytest.mark.parametrize("page", range(4))
def test_the_programs_of_the_documents_run_as_they_stand(page, tmp_path, monkeypatch, make, capsys):
    pages = _pages()
    if not pages:
        pytest.skip(f"there is no {DOCUMENTS}: the documents are not part of Inlay")
    assert [len(examples) for examples in pages] == [1, 1, 20, 1]
    (tmp_path / "model.onnx").write_bytes(make(MODEL))
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of providers that are not available here, as with ONNX Runtime
        _run(pages[page])
    if page != 2:
        assert "Output shape: (1, 3, 224, 224)" in capsys.readouterr().out and _Image.saved.pop() == "kite-with-objects.jpg"
