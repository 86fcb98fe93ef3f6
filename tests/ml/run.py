#!/usr/bin/env python3
"""Models of scikit-learn, LightGBM and XGBoost, converted to ONNX, in Inlay against their own predictions.

  run.py --runner RUNNER                   # the program of tests/differential/runner.cpp
  run.py --runner RUNNER --only "SVC"      # those whose names contain it; --keep FOLDER leaves the files there

A model agrees if labels are the same and numbers are near (models.py has each tolerance: predictions are made in
doubles there, and mostly in floats here). Where Inlay's results are ONNX Runtime's and not scikit-learn's, the
converter or the floats are at fault: such models are listed, and fail nothing. What the converter refuses is listed
too. The status is 1 if Inlay differs from both.
"""
from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "differential"), str(HERE.parent / "fuzz")]
from cache import skip  # noqa: E402

OPSETS = {"": 18, "ai.onnx.ml": 3}
SAME = 1e-5  # two runtimes of one file


def convert(case):
    """The model as ONNX."""
    from skl2onnx import to_onnx, update_registered_converter
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType  # noqa: F401
    register_boosters(update_registered_converter)
    take_arrays()
    kinds = {"f": FloatTensorType, "i": Int64TensorType, "O": StringTensorType}
    types = [(name, kinds[a.dtype.kind]([None, a.shape[1]])) for name, a in case.inputs.items()]
    options = ({id(case.model): case.options} if case.options else {}) | case.inner or None
    return to_onnx(case.model, initial_types=types, options=options, target_opset=OPSETS)


def plain_number(v):
    v = v.item() if hasattr(v, "item") else v
    return int(v) if isinstance(v, bool) else v


def take_arrays() -> None:
    """skl2onnx 1.20 gives attributes of boosted histograms as arrays and booleans, which onnx no longer takes."""
    import numpy as np
    from skl2onnx.common import _container as container
    plain = container.make_node
    if plain.__name__ == "make_node":
        container.make_node = lambda *names, **attributes: plain(
            *names, **{k: [plain_number(v) for v in a] if isinstance(a, (np.ndarray, list)) else a for k, a in attributes.items()})


def register_boosters(update) -> None:
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes, calculate_linear_regressor_output_shapes
    options = {"nocl": [True, False], "zipmap": [True, False, "columns"], "raw_scores": [True, False]}
    try:
        import lightgbm
        from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm
        update(lightgbm.LGBMClassifier, "LightGbmLGBMClassifier", calculate_linear_classifier_output_shapes, convert_lightgbm, options=options)
        update(lightgbm.LGBMRegressor, "LightGbmLGBMRegressor", calculate_linear_regressor_output_shapes, convert_lightgbm, options={"split": None})
    except ImportError:
        pass
    try:
        import xgboost
        from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost
        update(xgboost.XGBClassifier, "XGBoostXGBClassifier", calculate_linear_classifier_output_shapes, convert_xgboost, options=options)
        update(xgboost.XGBRegressor, "XGBoostXGBRegressor", calculate_linear_regressor_output_shapes, convert_xgboost)
    except ImportError:
        pass


def differs(results: list, expected: list, tolerance: float) -> str:
    """Empty, or in what they differ."""
    import numpy as np
    for k, (a, b) in enumerate(zip(results, expected)):
        a, b = np.asarray(a), np.asarray(b)
        if a.size != b.size:
            return f"output {k}: {a.shape}, not {b.shape}"
        a, b = a.ravel(), b.ravel()
        if a.dtype.kind in "OUS" or b.dtype.kind in "OUS":
            wrong = np.array([str(x) != str(y) for x, y in zip(a, b)])
        else:
            limit = tolerance * (np.abs(b) + max(1e-3, float(np.max(np.abs(b), initial=0))))
            wrong = ~(np.isnan(a.astype(float)) & np.isnan(b.astype(float)) | (np.abs(a.astype(float) - b) <= limit))
        if wrong.any():
            at = int(np.nonzero(wrong)[0][0])
            return f"output {k}: element {at} is {a[at]!r}, not {b[at]!r}; {int(wrong.sum())} of {a.size}"
    return ""


def runtime(model, inputs: dict):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)
    except Exception as e:  # it has a dozen types of errors
        return f"{type(e).__name__}: {str(e)[:160]}"


class Inlay:
    def __init__(self, program: str) -> None:
        from process import LineProcess
        self.process = LineProcess([program])

    def run(self, model, inputs: dict, folder: pathlib.Path) -> dict:
        from trial import proto_of, read_output
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        for k, port in enumerate(model.graph.input):
            (folder / f"input_{k}.pb").write_bytes(proto_of(inputs[port.name], port.name).SerializeToString())
        answer = self.process.ask(f"{folder} 2 best", 60)
        results = {}
        for name in ("cpu", "reference"):
            files = sorted(folder.glob(f"{name}_*.pb"), key=lambda f: int(f.name.split("_")[1].split(".")[0]))
            results[name] = answer[name] or [read_output(f) for f in files]
        return results


def judge(case, inlay: Inlay, folder: pathlib.Path) -> tuple[str, str]:
    """Agrees, shared, unconverted, refused or wrong; with details."""
    try:
        model = convert(case)
    except Exception as e:  # the converters raise what they like
        return "unconverted", f"{type(e).__name__}: {str(e).splitlines()[0][:160] if str(e) else ''}"
    theirs = runtime(model, case.inputs)
    verdict = "agrees", ""
    for name, ours in inlay.run(model, case.inputs, folder).items():
        if isinstance(ours, str):
            verdict = "shared" if isinstance(theirs, str) else "refused" if ours.startswith("no_provider") else "wrong"
            return verdict, f"{name}: {ours}; ONNX Runtime: {theirs if isinstance(theirs, str) else 'runs it'}"
        text = differs(ours, case.expected, case.tolerance)
        if not text:
            continue
        if not isinstance(theirs, str) and not differs(ours, theirs, SAME):
            verdict = "shared", f"{text}; ONNX Runtime gives the same"
        else:
            return "wrong", f"{name}: {text}; from ONNX Runtime: {theirs if isinstance(theirs, str) else differs(ours, theirs, SAME)}"
    return verdict


def arguments(text: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    return parser.parse_args()


def main() -> int:
    args = arguments(__doc__)
    try:
        import onnxruntime  # noqa: F401
        import skl2onnx  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError as missing:
        skip(f"{missing}; scripts/setup --ml installs it")
    from models import all_models
    inlay, count = Inlay(args.runner), dict.fromkeys(("agrees", "shared", "unconverted", "refused", "wrong"), 0)
    with tempfile.TemporaryDirectory() as temporary:
        for k, make in enumerate(all_models()):
            case = make()
            if args.only not in case.name:
                continue
            verdict, text = judge(case, inlay, (args.keep or pathlib.Path(temporary)) / str(k))
            count[verdict] += 1
            if text:
                print(f"{case.name}: {verdict}: {text}", flush=True)
    inlay.process.close()
    print(f"{sum(count.values())} models: {count['agrees']} agree with their own predictions, {count['shared']} with ONNX Runtime only, "
          f"{count['unconverted']} could not be converted, {count['refused']} need operators without a kernel, {count['wrong']} are wrong")
    return int(bool(count["wrong"]) or not count["agrees"])


if __name__ == "__main__":
    sys.exit(main())
