#!/usr/bin/env python3
"""Time nodes whose weights are inputs of the model, in Inlay and in ONNX Runtime.

  bench/dynamic_weights.py                              # build/release/bin/inlay, one thread and two, all cases
  bench/dynamic_weights.py --threads 1 --cases conv
  bench/dynamic_weights.py --constant                   # the same nodes with constant weights
  bench/dynamic_weights.py --beside OTHER/bin/inlay     # compared with another build of Inlay, not ONNX Runtime

Runtimes take turns as in bench/nodes.py, which has the meaning of the columns; the status is 1 if results differ.
"""
from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

import nodes


def numbers(*dims: int, scale: float = 1.0, seed: int = 1):
    import numpy as np
    return scale * np.random.default_rng(seed).standard_normal(dims, dtype=np.float32)


def integers(kind: str, *dims: int, seed: int = 1):
    import numpy as np
    bounds = np.iinfo(kind)
    return np.random.default_rng(seed).integers(bounds.min, bounds.max, dims, endpoint=True).astype(kind)


def one(x, kind: str = "float32"):
    import numpy as np
    return np.array(x, kind)


def conv(x: list[int], w: list[int], group: int = 1, stride: int = 1):
    axes = len(x) - 2
    attributes = {"group": group, "strides": [stride] * axes, "pads": [k // 2 for k in w[2:]] * 2}
    return nodes.Case("Conv", 22, attributes, {"x": numbers(*x), "w": numbers(*w, seed=2), "b": numbers(w[0], seed=3)})


def conv_integer(x: list[int], w: list[int]):
    attributes = {"pads": [k // 2 for k in w[2:]] * 2}
    return nodes.Case("ConvInteger", 10, attributes, {"x": integers("uint8", *x), "w": integers("int8", *w)}, {"x_zero": one(7, "uint8")})


def qlinear_conv(x: list[int], w: list[int], group: int = 1):
    attributes = {"group": group, "pads": [k // 2 for k in w[2:]] * 2}
    inputs = {"x": integers("uint8", *x), "x_scale": one(.02), "x_zero": one(120, "uint8"), "w": integers("int8", *w), "w_scale": one(.01),
              "w_zero": one(0, "int8"), "y_scale": one(1), "y_zero": one(128, "uint8")}
    return nodes.Case("QLinearConv", 10, attributes, inputs)


def matmul_integer(m: int, k: int, n: int):
    return nodes.Case("MatMulInteger", 10, {}, {"a": integers("uint8", m, k), "b": integers("int8", k, n)}, {"a_zero": one(9, "uint8")})


def qlinear_matmul(m: int, k: int, n: int):
    inputs = {"a": integers("uint8", m, k), "a_scale": one(.02), "a_zero": one(120, "uint8"), "b": integers("int8", k, n), "b_scale": one(.01),
              "b_zero": one(0, "int8"), "y_scale": one(1), "y_zero": one(128, "uint8")}
    return nodes.Case("QLinearMatMul", 21, {}, inputs)


def attention(rows: int, width: int, heads: int):
    inputs = {"x": numbers(1, rows, width), "w": numbers(width, 3 * width, scale=.05), "b": numbers(3 * width)}
    return nodes.Case("Attention", 1, {"num_heads": heads}, inputs, domain="com.microsoft")


def qattention(rows: int, width: int, heads: int):
    inputs = {"x": integers("uint8", 1, rows, width), "w": integers("int8", width, 3 * width), "b": numbers(3 * width), "x_scale": one(.01),
              "w_scale": one(.002), "": None, "x_zero": one(128, "uint8"), "w_zero": one(0, "int8")}
    return nodes.Case("QAttention", 1, {"num_heads": heads}, inputs, domain="com.microsoft")


def recurrent(kind: str, gates: int, steps: int, batch: int, width: int, hidden: int):
    inputs = {"x": numbers(steps, batch, width), "w": numbers(1, gates * hidden, width, scale=.1),
              "r": numbers(1, gates * hidden, hidden, scale=.1, seed=2), "b": numbers(1, 2 * gates * hidden, scale=.1, seed=3)}
    attributes = {"hidden_size": hidden, **({"linear_before_reset": 1} if kind == "GRU" else {})}
    return nodes.Case(kind, 22, attributes, inputs)


CASES = {
    "conv 3x3, 64 to 64, 56x56": lambda: conv([1, 64, 56, 56], [64, 64, 3, 3]),
    "conv 3x3, 256 to 256, 14x14": lambda: conv([1, 256, 14, 14], [256, 256, 3, 3]),
    "conv 3x3, 512 to 512, 7x7": lambda: conv([1, 512, 7, 7], [512, 512, 3, 3]),
    "conv 3x3 stride 2, 128 to 256, 28x28": lambda: conv([1, 128, 28, 28], [256, 128, 3, 3], stride=2),
    "conv 1x1, 256 to 64, 56x56": lambda: conv([1, 256, 56, 56], [64, 256, 1, 1]),
    "conv 7x7 stride 2, 3 to 64, 224x224": lambda: conv([1, 3, 224, 224], [64, 3, 7, 7], stride=2),
    "conv 3x3 in 4 groups, 64 to 64, 28x28": lambda: conv([1, 64, 28, 28], [64, 16, 3, 3], group=4),
    "conv 1-D 3, 64 to 64, 1000": lambda: conv([1, 64, 1000], [64, 64, 3]),
    "conv 1-D 5, 256 to 256, 200": lambda: conv([1, 256, 200], [256, 256, 5]),
    "conv 3-D 3x3x3, 16 to 16, 16x16x16": lambda: conv([1, 16, 16, 16, 16], [16, 16, 3, 3, 3]),
    "depthwise conv 3x3, 128, 56x56": lambda: conv([1, 128, 56, 56], [128, 1, 3, 3], group=128),
    "depthwise conv 5x5, 256, 14x14": lambda: conv([1, 256, 14, 14], [256, 1, 5, 5], group=256),
    "ConvInteger 3x3, 64 to 64, 28x28": lambda: conv_integer([1, 64, 28, 28], [64, 64, 3, 3]),
    "ConvInteger 1x1, 256 to 256, 14x14": lambda: conv_integer([1, 256, 14, 14], [256, 256, 1, 1]),
    "QLinearConv 3x3, 64 to 64, 28x28": lambda: qlinear_conv([1, 64, 28, 28], [64, 64, 3, 3]),
    "QLinearConv 3x3, 512 to 512, 7x7": lambda: qlinear_conv([1, 512, 7, 7], [512, 512, 3, 3]),
    "QLinearConv 1x1, 256 to 64, 56x56": lambda: qlinear_conv([1, 256, 56, 56], [64, 256, 1, 1]),
    "QLinearConv depthwise 3x3, 128, 28x28": lambda: qlinear_conv([1, 128, 28, 28], [128, 1, 3, 3], 128),
    "MatMulInteger 128x768 by 768x768": lambda: matmul_integer(128, 768, 768),
    "MatMulInteger 1x768 by 768x3072": lambda: matmul_integer(1, 768, 3072),
    "QLinearMatMul 128x768 by 768x768": lambda: qlinear_matmul(128, 768, 768),
    "QLinearMatMul 16x256 by 256x256": lambda: qlinear_matmul(16, 256, 256),
    "Attention (com.microsoft) 128 rows of 768, 12 heads": lambda: attention(128, 768, 12),
    "Attention (com.microsoft) 16 rows of 256, 8 heads": lambda: attention(16, 256, 8),
    "QAttention 128 rows of 768, 12 heads": lambda: qattention(128, 768, 12),
    "LSTM 64 steps of 128, 256 units": lambda: recurrent("LSTM", 4, 64, 1, 128, 256),
    "LSTM 20 steps of 8 rows of 64, 64 units": lambda: recurrent("LSTM", 4, 20, 8, 64, 64),
    "GRU 64 steps of 128, 256 units": lambda: recurrent("GRU", 3, 64, 1, 128, 256),
    "RNN 64 steps of 128, 256 units": lambda: recurrent("RNN", 1, 64, 1, 128, 256),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(nodes.SOURCE / "build/release/bin/inlay"))
    parser.add_argument("--beside", default="", help="another inlay program, instead of ONNX Runtime")
    parser.add_argument("--seconds", type=float, default=2, help="of each runtime, for each case and number of threads (default: 2)")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--cases", default="", help="those whose names contain this; default: all")
    parser.add_argument("--constant", action="store_true", help="all inputs but the first are constants")
    args = parser.parse_args()
    counts, good = args.threads, True
    print(f"| node | threads | Inlay us | {args.beside or 'ONNX Runtime'} us | ratio (10 to 90 %) |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        for i, (name, make) in enumerate(CASES.items()):
            if args.cases not in name:
                continue
            case = make()
            if args.constant and "" in case.inputs:
                continue  # an input that is left out stands before others
            if args.constant:
                first, *rest = case.inputs.items()
                case.inputs, case.constants = dict([first]), {**dict(rest), **case.constants}
            folder = pathlib.Path(work) / str(i)
            folder.mkdir()
            nodes.write_model(case, folder)
            for args.threads in counts:
                good &= nodes.measure(f"{name} | {args.threads}", folder, args)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
