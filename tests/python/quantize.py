#!/usr/bin/env python3
"""The files that `inlay quantize` writes: sound for the onnx library's checker, and ONNX Runtime and Inlay agree on
what they compute; the digits stay as accurate."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(os.environ["INLAY_SOURCE"]) / "tests"))
from cache import skip  # noqa: E402
from processor import lacks_vnni  # noqa: E402

try:
    import numpy
    import onnx
    import onnx.parser
    import onnx.reference
    import onnxruntime
except ImportError as missing:
    skip(f"{missing}; scripts/setup --python installs it")

TOOL, SOURCE = os.environ["INLAY_TOOL"], pathlib.Path(os.environ["INLAY_SOURCE"])
DIGITS = SOURCE / "examples" / "digits"
CONVOLUTIONS = """<ir_version: 8, opset_import: ["" : 17]> g (float[N,4,12,12] x) => (float[N,10] y) <float[8,4,3,3] w, float[8] b, float[8,1,3,3] d, float[8,4,2,2] t, float[128,10] v, float[10] c, float[1,4,1,1] k,
    int64[2] axes = {2, 3}, int64[2] from = {1, 1}, int64[2] to = {11, 11}, float zero = {0}, float six = {6}, float[4] scales = {1, 1, 2, 2}> { a = Conv<pads = [1, 1, 1, 1]>(x, w, b) r = Clip(a, zero, six) e = Conv<pads = [1, 1, 1, 1], group = 8>(r, d) l = LeakyRelu<alpha = 0.2>(e) s = Add(l, r) m = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(s)
    u = ConvTranspose<strides = [2, 2]>(m, t) f = Mul(u, k) h = HardSwish(f) z = Concat<axis = 1>(x, h) i = AveragePool<kernel_shape = [2, 2], strides = [2, 2]>(z) o = Resize<mode = "nearest">(i, , scales) p = Slice(o, from, to, axes) q = MaxPool<kernel_shape = [4, 4], strides = [2, 2]>(p)
    n = Flatten(q) g1 = Gemm(n, v, c) y = Softmax(g1) }"""
ATTENTION = """<ir_version: 10, opset_import: ["" : 21]> g (float[N,S,32] x) => (float[N,S,32] y) <float[32,32] q, float[32,32] k, float[32,32] v, float[32,64] up, float[64] b, float[64,32] down, float[32] g1, float[32] g0, float root = {0.1767767}> {
    n = LayerNormalization(x, g1, g0) a = MatMul(n, q) c = MatMul(n, k) d = MatMul(n, v) t = Transpose<perm = [0, 2, 1]>(c) s = MatMul(a, t) r = Mul(s, root) p = Softmax(r) o = MatMul(p, d) e = Add(x, o) u = MatMul(e, up) h = Add(u, b) i = Relu(h) j = MatMul(i, down) y = Add(e, j) }"""


def model_of(text: str, sizes: dict[str, list[int]], path: pathlib.Path) -> pathlib.Path:
    """The model with random weights of these sizes in place of initializers that the text only declares."""
    random = numpy.random.default_rng(5)
    for name, dims in sizes.items():
        data = (random.standard_normal(dims) / numpy.sqrt(numpy.prod(dims[1:]) if len(dims) > 1 else 4)).round(5)
        declared = f"float[{','.join(map(str, dims))}] {name}"
        assert text.count(declared) == 1, declared
        text = text.replace(declared, f"{declared} = {{{', '.join(map(str, data.ravel()))}}}")
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def quantize(source: pathlib.Path, out: pathlib.Path, *options: str) -> str:
    process = subprocess.run([TOOL, "quantize", source, "-o", out, "--speed", "0", *map(str, options)], capture_output=True, text=True, check=False)
    assert process.returncode == 0, f"{source.name} {options}: {process.stdout}{process.stderr}"
    onnx.checker.check_model(onnx.load(out), full_check=True)
    return process.stdout


def session_of(path: pathlib.Path, optimised: bool = True) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_inlay(path: pathlib.Path, inputs: dict[str, numpy.ndarray], work: pathlib.Path) -> list[numpy.ndarray]:
    archive, results = work / "in.npz", work / "results"
    numpy.savez(archive, **inputs)
    process = subprocess.run([TOOL, "run", path, archive, "--out", results, "-q"], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    count = len(onnx.load(path, load_external_data=False).graph.output)
    return [numpy.load(results / f"output_{k}.npy") for k in range(count)]


def sqnr(expected: numpy.ndarray, result: numpy.ndarray) -> float:
    return float(10 * numpy.log10((expected**2).sum() / max(((expected - result) ** 2).sum(), 1e-30)))


def compare(name: str, source: pathlib.Path, inputs: dict[str, numpy.ndarray], work: pathlib.Path, least: float, *options: str) -> list[str]:
    """The quantised model in ONNX Runtime, compared with the float model there and with itself in Inlay."""
    out = work / "quantised.onnx"
    quantize(source, out, *options)
    wrong = []
    expected, ours = session_of(source).run(None, inputs), run_inlay(out, inputs, work)
    if lacks_vnni() and "dynamic" in options:  # there ONNX Runtime's uint8 by int8 products saturate
        theirs = onnx.reference.ReferenceEvaluator(onnx.load(out)).run(None, inputs)
    else:
        theirs = session_of(out, optimised=False).run(None, inputs)
    for port, w, t, o in zip(session_of(source).get_outputs(), expected, theirs, ours):
        error, agreement = sqnr(w, t), sqnr(t, o)
        print(f"{name}: {port.name}: {error:.1f} dB compared with float32, {agreement:.1f} dB between ONNX Runtime and Inlay")
        if error < least:
            wrong.append(f"{name}: {port.name}: {error:.1f} dB compared with float32, {least} are wanted")
        if agreement < error + 6:  # values rounded to another step now and then cost far less than quantisation
            wrong.append(f"{name}: {port.name}: ONNX Runtime and Inlay agree to {agreement:.1f} dB only")
    session_of(out).run(None, inputs)  # its optimisers take the model too
    return wrong


def digits(work: pathlib.Path) -> list[str]:
    source, wrong = DIGITS / "digits.onnx", []
    records = numpy.fromfile(DIGITS / "heldout.bin", numpy.uint8).reshape(-1, 65)
    images, labels = records[:, :64].reshape(-1, 1, 8, 8).astype(numpy.float32) / 16, records[:, 64]
    samples = work / "digits"
    samples.mkdir()
    for k in range(0, 64, 16):
        numpy.savez(samples / f"{k:03}.npz", image=images[k : k + 16])
    accuracy = lambda scores: float((scores.argmax(1) == labels).mean())  # noqa: E731
    before = accuracy(session_of(source).run(None, {"image": images})[0])
    forms = [["--data", samples, *more] for more in ([], ["--method", "percentile"], ["--method", "entropy"], ["--activations", "s8"], ["--per-tensor"])]
    for options in [*forms, ["--form", "dynamic"]]:
        out = work / "digits_quantised.onnx"
        quantize(source, out, *options)
        shown = " ".join(str(o) for o in options if o != samples)
        for runtime, scores in ("ONNX Runtime", session_of(out).run(None, {"image": images})[0]), ("Inlay", run_inlay(out, {"image": images}, work)[0]):
            after = accuracy(scores)
            print(f"digits {shown}: accuracy {100 * before:.2f} % before, {100 * after:.2f} % after in {runtime}")
            if before - after >= 0.005:
                wrong.append(f"digits {shown}: accuracy falls from {before} to {after} in {runtime}")
    return wrong


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        random = numpy.random.default_rng(9)
        wrong += digits(work)
        sizes = {"w": [8, 4, 3, 3], "b": [8], "d": [8, 1, 3, 3], "t": [8, 4, 2, 2], "v": [128, 10], "c": [10], "k": [1, 4, 1, 1]}
        images = {"x": random.standard_normal((4, 4, 12, 12)).astype(numpy.float32)}
        numpy.savez(work / "images.npz", **images)
        network = model_of(CONVOLUTIONS, sizes, work / "network.onnx")
        for more in [], ["--method", "percentile", "--percentile", "99.9"], ["--method", "entropy"], ["--activations", "s8"], ["--per-tensor"]:
            wrong += compare(f"convolutions {' '.join(more)}", network, images, work, 15, "--data", work / "images.npz", *more)
        sizes = {"q": [32, 32], "k": [32, 32], "v": [32, 32], "up": [32, 64], "b": [64], "down": [64, 32], "g1": [32], "g0": [32]}
        attention = model_of(ATTENTION, sizes, work / "attention.onnx")
        rows = {"x": random.standard_normal((2, 40, 32)).astype(numpy.float32)}
        numpy.savez(work / "rows.npz", **rows)
        data = ["--data", work / "rows.npz"]
        wrong += compare("attention", attention, rows, work, 20, *data)
        wrong += compare("attention dynamic", attention, rows, work, 25, "--form", "dynamic")
        for form in "weights", "matmulnbits":
            for bits, least in (4, 15), (8, 35):
                for rounding in [], ["--rounding", "feedback", *data]:
                    wrong += compare(f"attention {form} {bits} {' '.join(rounding[:2])}", attention, rows, work, least, "--form", form, "--bits", bits, *rounding)
        wrong += compare("attention int8 per column", attention, rows, work, 35, "--form", "weights", "--bits", "8", "--block-size", "0")
    print(f"{len(wrong)} wrong", *wrong, sep="\n  ")
    return bool(wrong)


sys.exit(main())
