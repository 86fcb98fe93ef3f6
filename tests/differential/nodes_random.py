"""Operators of random numbers, and the optimisers of training."""
from __future__ import annotations

import numpy as np

from draw import BOOL, F16, F32, F64, FLOATS, I32, I64, Draw, generates, onnx_type

TRAINING = "ai.onnx.preview.training"


@generates("RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike")
def random_numbers(d: Draw) -> None:
    d.how = "drawn"
    shape = d.shape(0 if d.op.endswith("Like") else 1, 3)
    shape = (40, 20) if d.chance(0.5) else shape  # enough for their mean to be tested
    dtype = None
    if d.op.endswith("Like"):
        t = d.type("T1", [F32, F64, F16, I32, I64])
        d.give(d.array(shape, t), constant=False)
        dtype = d.type("T2", [F32, F64, F16]) if t not in FLOATS or d.chance(0.4) else None
    else:
        d.set(shape=list(shape))
        dtype = d.type("T", [F32, F64, F16]) if d.chance(0.6) else None
    d.set(dtype=None if dtype is None else onnx_type(dtype))
    d.maybe(0.4, seed=3.0)
    if "Uniform" in d.op:
        d.maybe(low=-2.0, high=4.0)
        low, high = d.attributes.get("low", 0.0), d.attributes.get("high", 1.0)
        d.moments, d.bounds = ((low + high) / 2, (high - low) / np.sqrt(12)), (low, high)
    else:
        d.maybe(mean=1.5, scale=2.0)
        d.moments = (d.attributes.get("mean", 0.0), d.attributes.get("scale", 1.0))


@generates("Bernoulli")
def bernoulli(d: Draw) -> None:
    t, p = d.type("T1"), d.pick([0.0, 0.2, 0.5, 1.0])
    shape = (30, 20) if d.chance(0.6) else d.shape(0, 3)
    d.give(np.full(shape, p).astype(t), constant=False)
    d.maybe(0.6, dtype=onnx_type(d.type("T2", [F32, F64, F16, BOOL, I32, I64])))
    d.maybe(0.4, seed=3.0)
    p = float(np.array(p).astype(t))
    d.how, d.moments, d.bounds = "drawn", (p, np.sqrt(p * (1 - p))), (0, 1)


@generates("Multinomial")
def multinomial(d: Draw) -> None:
    d.calm()
    t, rows, classes = d.type("T1", [F32, F64, F16]), d.rng.randint(1, 3), d.rng.randint(1, 6)
    x = d.give(d.array((rows, classes), t, "plain"), constant=False)
    d.set(sample_size=d.pick([1, 5, 400]))
    d.maybe(dtype=onnx_type(d.type("T2")))
    d.maybe(0.4, seed=3.0)
    p = np.exp(x.astype(np.float64))
    p /= p.sum(-1, keepdims=True)
    numbers = np.arange(classes)
    mean = (p * numbers).sum(-1).mean()
    d.how, d.moments, d.bounds = "drawn", (mean, np.sqrt((p * numbers**2).sum(-1).mean() - mean**2)), (0, classes - 1)


@generates("Adagrad", "Adam", "Momentum", domain=TRAINING)
def optimiser(d: Draw) -> None:
    d.calm()
    t, tensors = d.type(d.schema.inputs[2].type_str, [F32, F64]), d.rng.randint(1, 3)
    d.give(np.array(0.1, d.type("T1", [F32, F64]))), d.give(np.array(d.pick([0, 0, 1, 5])), dtype=I64)
    shapes = [d.shape(0, 3, most=100) for _ in range(tensors)]
    states = 2 if d.op == "Adam" else 1
    for group in range(2 + states):  # the tensors, their gradients, and each state
        for shape in shapes:
            x = d.array(shape, t)
            d.give(np.abs(x) if group == 1 + states and d.op != "Momentum" else x, constant=False)
    if d.op == "Momentum":
        d.set(alpha=0.9, beta=0.7, norm_coefficient=0.01, mode=d.pick(["standard", "nesterov"]))
    else:
        d.maybe(norm_coefficient=0.01, epsilon=1e-3)
        d.maybe(**({"decay_factor": 0.1} if d.op == "Adagrad" else {"alpha": 0.8, "beta": 0.95, "norm_coefficient_post": 0.02}))
    d.outputs = [True] * (tensors * (1 + states))
    d.how, d.loose, d.scale = "sum", 4, 1
