"""What bench/gpu_compare makes of a model without weights: whole again, in batches and in 16 bits it still computes; here the CPU stands for the GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(os.environ["INLAY_SOURCE"]) / "tests"))
from cache import skip  # noqa: E402

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")
bench = pathlib.Path(os.environ["INLAY_SOURCE"]) / "bench"
sys.path.insert(0, str(bench))
import gpu_models  # noqa: E402

random = numpy.random.default_rng(1)
w = (0.1 * random.standard_normal((64, 48))).astype(numpy.float32)
graph = helper.make_graph(
    [helper.make_node("Reshape", ["x", "dims"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["y"])], "small",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 4, 4])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 48])],
    [numpy_helper.from_array(w, "w"), numpy_helper.from_array(numpy.array([1, 64]), "dims")])
with tempfile.TemporaryDirectory() as work:
    folder, bare = pathlib.Path(work) / "small", pathlib.Path(work) / "bare/small"
    gpu_models.write(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), [random.standard_normal((1, 4, 4, 4)).astype(numpy.float32)], folder)
    gpu_models.hollow(folder, bare)
    size = [(f / "model.onnx").stat().st_size for f in (folder, bare)]
    assert size[1] < size[0] - w.nbytes + 200, size
    first, second = (gpu_models.whole(onnx.load(bare / "model.onnx")) for _ in range(2))
    assert first == second
    weights = numpy_helper.to_array(first.graph.initializer[0])
    assert weights.shape == w.shape and abs(weights.mean() - w.mean()) < 0.01 and abs(weights.std() - w.std()) < 0.01 and weights.min() >= w.min() and weights.max() <= w.max()
    assert (numpy_helper.to_array(first.graph.initializer[1]) == [1, 64]).all()

    report = pathlib.Path(work) / "report.json"
    words = [sys.executable, bench / "gpu_compare.py", pathlib.Path(work) / "bare", "--tool", os.environ["INLAY_TOOL"], "--providers", "cpu", "--peers", "", "--time", "small",
             "--batches", "1,3", "--precisions", "float32,float16", "--seconds", "0.02", "--json", report]
    subprocess.run(words, check=True)
    run = json.loads(report.read_text())
    assert run["models"]["small"]["agrees"] and run["models"]["small"]["nodes"] == {"CPUExecutionProvider": 2}, run["models"]
    assert [(e["batch"], e["precision"]) for e in run["times"]] == [(1, "float32"), (1, "float16"), (3, "float32"), (3, "float16")]
    assert all(e["ms"]["inlay"] > 0 and e["copied_values"] == 0 and not e["failed"] for e in run["times"]), run["times"]
    assert all(0 < float(e["error"].rstrip("%")) < 1 for e in run["times"] if e["precision"] == "float16"), run["times"]

    words[words.index("cpu")] = "nobody"
    assert subprocess.run(words, capture_output=True, check=False).returncode == 1
    run = json.loads(report.read_text())
    assert not run["models"]["small"]["agrees"] and "nobody" in run["models"]["small"]["words"] and all("inlay" in e["failed"] for e in run["times"]), run
