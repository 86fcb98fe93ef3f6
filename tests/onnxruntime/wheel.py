#!/usr/bin/env python3
"""The wheel onnxruntime-ep-inlay: it is built, needs nothing but the system's libraries, and its two lines work in stock ONNX Runtime."""
from __future__ import annotations

import os
import pathlib
import re
import sys
import tempfile
import zipfile

sys.path.append(os.path.join(os.environ["INLAY_SOURCE"], "tests"))
from wheels import SOURCE, build, call, fresh_environment, need  # noqa: E402

need("onnxruntime")

PROGRAM = """
import sys
import numpy as np, onnxruntime, onnxruntime_ep_inlay
options = onnxruntime.SessionOptions()
options.add_provider_for_devices(onnxruntime_ep_inlay.devices(), {"threads": "2"})
session = onnxruntime.InferenceSession(sys.argv[1], options)
assert onnxruntime_ep_inlay.get_ep_names() == session.get_providers()[:1], session.get_providers()
assert len(onnxruntime_ep_inlay.devices()) == 1  # registered once
image = np.random.default_rng(1).random((1, 1, 8, 8), np.float32)
scores, expected = (s.run(["scores"], {"image": image})[0] for s in (session, onnxruntime.InferenceSession(sys.argv[1])))
np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)
print(onnxruntime_ep_inlay.__file__)
"""


def look_inside(wheel: pathlib.Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "-py3-none-" in wheel.name, wheel.name
    assert {"onnxruntime_ep_inlay/__init__.py", "onnxruntime_ep_inlay/libinlay_onnxruntime_ep.so"} <= set(names), names
    assert all(re.match(r"onnxruntime_ep_inlay(/|-[0-9.]+\.dist-info/)", name) for name in names), names
    for file in ("LICENSE", "NOTICE", "libprotobuf-dev.txt", "libxsimd-dev.txt", "libboost-dev.txt"):
        assert any(name.endswith(f".dist-info/licenses/{file}") for name in names), names
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        wheel = build(SOURCE / "bindings/onnxruntime", work)
        look_inside(wheel)
        fresh = fresh_environment(work, wheel)
        assert str(fresh) in call(fresh / "bin/python", "-c", PROGRAM, SOURCE / "examples/digits/digits.onnx", cwd=work)
        print("its results agree with ONNX Runtime's")


main()
