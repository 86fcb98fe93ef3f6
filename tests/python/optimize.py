#!/usr/bin/env python3
"""The files that `inlay optimize --output` writes: sound for the onnx library's checker, and the same results in ONNX Runtime and in Inlay as the models they came from."""
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
    import onnx.parser
    import onnxruntime
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")

TOOL, SOURCE = os.environ["INLAY_TOOL"], pathlib.Path(os.environ["INLAY_SOURCE"])
HEAD = '<ir_version: 8, opset_import: ["" : 17]> g '
CASES = {  # in ONNX's text form, with what each is about
    # Captures, a constant and a captured value as the results of bodies, an initializer that is inlined in both.
    "if": HEAD + """(float[2] x, bool c) => (float[2] y, float[2] z) <float[2] w = {1, 2}> { a = Relu(x) b = Identity(a)
        y = If(c) <then_branch = t () => (float[2] r) { s = Add(b, w) r = Mul(s, b) }, else_branch = e () => (float[2] q) { k = Constant<value = float[2] {3, 4}>() q = Identity(k) }>
        z = If(c) <then_branch = t2 () => (float[2] r) { r = Identity(a) }, else_branch = e2 () => (float[2] q) { q = Identity(w) }> }""",
    "loop": HEAD + """(float[N] x, int64 n, bool c) => (float[N] y, float[K,N] all) <float two = {2}> {
        y, all = Loop(n, c, x) <body = b (int64 i, bool go, float[N] v) => (bool again, float[N] next, float[N] scan) { again = Identity(go) next = Mul(v, two) scan = Add(v, x) }> }""",
    "scan": HEAD + """(float[2] start, float[4,2] x) => (float[2] y, float[4,2] all) {
        y, all = Scan<num_scan_inputs = 1, body = b (float[2] s, float[2] v) => (float[2] t, float[2] o) { t = Add(s, v) o = Identity(t) }>(start, x) }""",
    # A function, shape arithmetic that folds, an input that is an output, a constant output, an operator with attributes of every kind.
    "function": """<ir_version: 8, opset_import: ["" : 17, "local" : 1]> g (float[N,4] x) => (float[N,4] y, int64[2] k) <int64 one = {1}, int64[1] zero = {0}, int64[1] minus = {-1}> { a = local.twice(x) s = Shape(x) t = Gather<axis = 0>(s, one)
        b = Unsqueeze(t, zero) m = Concat<axis = 0>(minus, b) y = Reshape(a, m) k = Constant<value = int64[2] {5, 6}>() }
        <domain: "local", opset_import: ["" : 17]> twice (v) => (w) { w = Add(v, v) }""",
    "slices": HEAD + "(float[1,2,4,4] x) => (float[1,4,4,4] y) { a = Relu(x) b = Sigmoid(x) y = Concat<axis = 1>(a, b) }",
    "batch normalization": HEAD + """(float[1,1,4,4] x) => (float[1,2,3,3] y) <float[2,1,2,2] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] s = {2, 3}, float[2] b = {0.5, 1}, float[2] m = {0.1, 0.2}, float[2] v = {1, 2}> {
        c = Conv(x, w) d = BatchNormalization(c, s, b, m, v) y = Relu(d) }""",
    "gemm between reshapes": """<ir_version: 3, opset_import: ["" : 11]> g (float[2,3,4] x, float[4,5] w, float[5] c, int64[2] f, int64[3] u) => (float[2,3,5] z) <float[4,5] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
        float[5] c = {1, 2, 3, 4, 5}, int64[2] f = {-1, 4}, int64[3] u = {2, 3, 5}> { a = Reshape(x, f) g = Gemm(a, w, c) z = Reshape(g, u) }""",
    "strings": """<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3]> g (string[3] x) => (int64[3] y) { a = Identity(x) y = ai.onnx.ml.LabelEncoder<keys_strings = ["a", "b"], values_int64s = [4, 5], default_int64 = 9>(a) }""",
    "sequence": HEAD + "(float[2] x) => (float[2] y) { a = Relu(x) s = SequenceConstruct(x, a) i = Constant<value = int64 {1}>() y = SequenceAt(s, i) }",
    "half": HEAD + "(float16[2] x) => (float16[2] y) { k = Constant<value_float = 3.0>() h = Cast<to = 10>(k) y = Mul(x, h) }",
    "absent input": HEAD + "(float[1,4] x) => (float[1,4] y) <float high = {0.5}> { a = Identity(x) y = Clip(a, , high) }",
}


def feeds_of(session: onnxruntime.InferenceSession) -> dict[str, numpy.ndarray]:
    random = numpy.random.default_rng(1)
    feeds = {}
    for port in session.get_inputs():
        dims = [d if isinstance(d, int) else 3 for d in port.shape]
        if "string" in port.type:
            feeds[port.name] = numpy.array(["b", "a", "c"], object)
        elif "bool" in port.type:
            feeds[port.name] = numpy.array(random.integers(0, 2, dims), bool)
        elif "int64" in port.type:
            feeds[port.name] = numpy.full(dims, 1 if dims else 3, numpy.int64)
        else:
            feeds[port.name] = random.standard_normal(dims).astype(numpy.float16 if "16" in port.type else numpy.float32)
    return feeds


def check(name: str, source: pathlib.Path, work: pathlib.Path) -> list[str]:
    out = work / "optimised.onnx"
    out.unlink(missing_ok=True)
    compare = name not in ("strings", "sequence")  # random strings would be no labels, and no provider runs the sequence
    process = subprocess.run([TOOL, "optimize", source, "--output", out, *(["--compare"] if compare else [])], capture_output=True, text=True, check=False)
    if process.returncode:
        return [f"{name}: {process.stdout}{process.stderr}"]
    written = onnx.load(out)
    onnx.checker.check_model(written, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    before, after = (onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]) for path in (source, out))
    wrong = []
    for ports in "get_inputs", "get_outputs":
        ports_before, ports_after = ([(p.name, p.type) for p in getattr(s, ports)()] for s in (before, after))
        if ports_before != ports_after:
            wrong.append(f"{name}: {ports}: {ports_before} became {ports_after}")
    feeds = feeds_of(before)
    for flag in (False, True) if any(v.dtype == bool for v in feeds.values()) else (None,):
        feeds = {k: numpy.array(flag) if v.dtype == bool else v for k, v in feeds.items()}
        for port, expected, result in zip(before.get_outputs(), before.run(None, feeds), after.run(None, feeds)):
            if expected.dtype != result.dtype or expected.shape != result.shape or not (numpy.array_equal(expected, result) if expected.dtype == object else numpy.allclose(expected, result, 1e-4, 1e-5)):
                wrong.append(f"{name}: output {port.name}: {expected} became {result}")
    return wrong


def main() -> int:
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        files = {"digits": SOURCE / "examples" / "digits" / "digits.onnx"}
        for name, text in CASES.items():
            files[name] = work / f"{name}.onnx"
            onnx.save(onnx.parser.parse_model(text), files[name])
        for path in map(pathlib.Path, sys.argv[1:]):  # more models, by hand
            files[str(path)] = path
        for name, path in files.items():
            try:
                wrong += check(name, path, work)
            except Exception as e:  # noqa: BLE001: of three libraries
                wrong.append(f"{name}: {e}")
            count += 1
    print(f"{count} models, {len(wrong)} wrong", *wrong, sep="\n  ")
    return bool(wrong)


sys.exit(main())
