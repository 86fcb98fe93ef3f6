#!/usr/bin/env python3
"""What a call of run() costs from Python, compared with ONNX Runtime: MatMul, Relu and MatMul of 8, 16 and 4 numbers,
and one Relu.

python_calls.py [--rounds 60] [--calls 2000] [--at-most 0.5]: one thread each, rounds interleaved, the minimum processor
time of a thread per call. With --at-most it exits with 1 where a ratio is larger.
"""
from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import onnx
import onnx.parser
import onnxruntime

import inlayrt

HEAD = '<ir_version: 8, opset_import: ["" : 17]> '


def models() -> dict[str, bytes]:
    random = np.random.default_rng(1)
    weights = [", ".join(f"{x:.4f}" for x in random.standard_normal(n)) for n in (128, 64)]
    texts = {
        "mlp": f"g (float[N,8] x) => (float[N,4] y) <float[8,16] w = {{{weights[0]}}}, float[16,4] v = {{{weights[1]}}}> {{ a = MatMul(x, w) b = Relu(a) y = MatMul(b, v) }}",
        "relu": "g (float[N,8] x) => (float[N,8] y) { y = Relu(x) }",
    }
    return {name: onnx.parser.parse_model(HEAD + text).SerializeToString() for name, text in texts.items()}


def session_of(library: object, model: bytes) -> object:
    options = library.SessionOptions()
    options.intra_op_num_threads = 1
    return library.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def least_microseconds(model: bytes, rounds: int, calls: int) -> list[float]:
    sessions = [session_of(library, model) for library in (inlayrt, onnxruntime)]
    feeds = {"x": np.random.default_rng(2).standard_normal((1, 8)).astype(np.float32)}
    np.testing.assert_allclose(*(s.run(None, feeds)[0] for s in sessions), rtol=1e-4, atol=1e-5)
    least = [float("inf")] * 2
    for _ in range(rounds):
        for k, session in enumerate(sessions):
            run, begun = session.run, time.thread_time_ns()
            for _ in range(calls):
                run(None, feeds)
            least[k] = min(least[k], (time.thread_time_ns() - begun) / calls / 1000)
    return least


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--calls", type=int, default=2000)
    arguments.add_argument("--at-most", type=float)
    a = arguments.parse_args()
    too_much = False
    for name, model in models().items():
        ours, theirs = least_microseconds(model, a.rounds, a.calls)
        print(f"{name}: inlay {ours:.2f} us, onnxruntime {onnxruntime.__version__} {theirs:.2f} us, ratio {ours / theirs:.2f}")
        too_much |= a.at_most is not None and ours > a.at_most * theirs
    return int(too_much)


if __name__ == "__main__":
    sys.exit(main())
