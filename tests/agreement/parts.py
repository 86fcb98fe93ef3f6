#!/usr/bin/env python3
"""Writes parts.onnx: a small network of Split, nested Concat, element-wise operators, a shuffle of channels and squeeze-excite, for the test that session and compiler plan alike."""
import pathlib
import numpy
import onnx
from onnx import numpy_helper, parser

model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> parts (float[1,8,6,6] image) => (float[1,8,6,6] scores)
<int64[2] sizes = {8, 8}, int64[5] groups = {1, 4, 13, 6, 6}, int64[4] whole = {1, 52, 6, 6}> {
    u = Conv(image, w0)  a, b = Split<axis = 1>(u, sizes)
    c = Conv<pads = [1, 1, 1, 1]>(b, w1)  p = Mul(b, c)  d = Add(p, b)  e = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(d)
    inner = Concat<axis = 1>(a, b, c, d, e)  f = Conv(inner, w2)  outer = Concat<axis = 1>(f, inner)
    g = Reshape(outer, groups)  t = Transpose<perm = [0, 2, 1, 3, 4]>(g)  s = Reshape(t, whole)
    v = Conv<group = 52, pads = [1, 1, 1, 1]>(s, w4)  r = Relu(v)  m = GlobalAveragePool(r)  q = Conv(m, w5)  l = Relu(q)  o = Conv(l, w6)  k = Sigmoid(o)  x = Mul(r, k)  scores = Conv(x, w3)
}""")
random = numpy.random.default_rng(1)
for name, shape in {"w0": (16, 8, 1, 1), "w1": (8, 8, 3, 3), "w2": (12, 40, 1, 1), "w3": (8, 52, 1, 1), "w4": (52, 1, 3, 3), "w5": (4, 52, 1, 1), "w6": (52, 4, 1, 1)}.items():
    model.graph.initializer.append(numpy_helper.from_array((random.integers(-8, 9, shape) / 16).astype(numpy.float32), name))
onnx.checker.check_model(model, full_check=True)
onnx.save(model, pathlib.Path(__file__).with_name("parts.onnx"))
