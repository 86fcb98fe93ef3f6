"""Providers from shared libraries."""
from __future__ import annotations

import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import inlayrt as ort

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("cc")
    if not compiler or not (ROOT / "tests/plugin/relu.c").exists():
        pytest.skip("there is no C compiler, or the tests are not in Inlay's source tree")
    path = tmp_path_factory.mktemp("plugin") / "librelu.so"
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{ROOT / 'include'}", str(ROOT / "tests/plugin/relu.c"), "-o", str(path)], check=True)
    return str(path)


def test_a_plugin_stands_in_a_list_of_providers_as_itself_or_with_options(make, library):
    plugin = ort.Plugin(library)
    assert plugin.path == library and plugin.name.endswith("ExecutionProvider")
    model = make("g (float[4] x) => (float[4] y) { a = Neg(x) y = Relu(a) }")
    x = np.array([1, -2, 3, -4], np.float32)
    for providers in ([plugin, "cpu"], [(plugin, plugin.options), "cpu"]):
        session = ort.InferenceSession(model, providers=providers)
        assert session.get_providers() == [plugin.name, "CPUExecutionProvider"]
        np.testing.assert_array_equal(session.run(None, {"x": x})[0], [0, 2, 0, 4])
        assert session.plan().count(plugin.name) == 1
    with pytest.raises(ort.InvalidArgument, match="nonsense"):
        ort.InferenceSession(model, providers=[(plugin, {"nonsense": 1}), "cpu"])


def test_a_registered_library_is_a_provider_by_its_name(make, library):
    name = ort.Plugin(library).name
    model = make("g (float[4] x) => (float[4] y) { y = Relu(x) }")
    assert name not in ort.get_available_providers()
    ort.register_execution_provider_library("mine", library)
    try:
        assert name in ort.get_available_providers()
        assert ort.InferenceSession(model, providers=[name]).get_providers()[0] == name
        for again in ("mine", "other"):
            with pytest.raises(ort.InvalidArgument):
                ort.register_execution_provider_library(again, library)
    finally:
        ort.unregister_execution_provider_library("mine")
    assert name not in ort.get_available_providers()
    with pytest.raises(ort.InvalidArgument, match="no library registered"):
        ort.unregister_execution_provider_library("mine")


def test_what_is_no_plugin_is_an_error(tmp_path):
    with pytest.raises(ort.NotFound):
        ort.Plugin(str(tmp_path / "missing.so"))
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(ort.Error):
        ort.Plugin(str(tmp_path / "text.so"))
