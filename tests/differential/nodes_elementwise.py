"""Operators that make each element of elements at the same place, and reductions."""
from __future__ import annotations

import numpy as np
from onnx import TensorProto

from draw import (BF16, BOOL, F16, F32, F64, FLOATS, I32, I64, INTEGERS, SMALL_FLOATS, SMALL_INTEGERS, TEXT, U8, Draw, Unsuitable,
                  dtype_of, generates, is_float, onnx_type)


@generates("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish",
           "Identity", "IsNaN", "Log", "Mish", "Neg", "Not", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh",
           "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "BitwiseNot", "Elu", "Selu", "LeakyRelu", "HardSigmoid",
           "ThresholdedRelu", "Celu", "Gelu", "Swish", "Shrink", "IsInf")
def unary(d: Draw) -> None:
    name = d.schema.inputs[0].type_str
    t = d.type(name) if not name.startswith("tensor(") else dtype_of(name)
    d.give(d.array(d.shape(), t), constant=False)
    for attribute in d.schema.attributes.values():
        if attribute.type.name == "FLOAT":
            d.maybe(**{attribute.name: round(d.rng.uniform(0.1, 2), 3)})
    if d.op == "Gelu":
        d.maybe(approximate=d.pick(["none", "tanh"]))
    if d.op == "IsInf":
        d.maybe(detect_negative=d.pick([0, 1]), detect_positive=d.pick([0, 1]))
    if d.op == "LeakyRelu" and d.chance(0.3):
        d.set(alpha=-0.5)
    if d.op in ("Abs", "Neg", "Identity", "Ceil", "Floor", "Round", "Not", "BitwiseNot", "Sign", "IsNaN", "IsInf", "Relu"):
        d.how = "exact"
    if d.op in ("Gelu", "Mish", "Swish", "HardSwish", "Softplus", "Tanh", "Sigmoid", "Elu", "Selu", "Celu", "HardSigmoid"):
        d.calm()
        d.how, d.scale = "sum", 1  # differences of numbers that are nearly the same
    if d.op == "Shrink" and t in INTEGERS:  # beyond the range of an integer nothing is defined
        d.calm()
        d.inputs[0].value = np.abs(d.array(d.inputs[0].value.shape, t)) + np.array(3, t)
    if d.op in ("Sin", "Cos", "Tan") and d.style == "wide":
        d.calm()


ONNX_BINARY = ("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "BitwiseAnd",
               "BitwiseOr", "BitwiseXor", "BitShift", "Mod", "Pow", "PRelu")


def operand_shapes(d: Draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Before opset 7 only with attributes, and only the second is broadcast."""
    if d.since >= 7 or d.op == "PRelu" and d.since >= 7 or "broadcast" not in d.schema.attributes:
        return d.pair()
    a = d.shape(1, 4)
    if d.chance(0.4):
        return a, a
    axis = d.rng.randrange(len(a))
    length = d.rng.randint(1, len(a) - axis)
    d.set(broadcast=1)
    if axis + length == len(a) and d.chance(0.5):
        return a, a[axis:]
    d.set(axis=axis)
    return a, a[axis:axis + length]


@generates(*ONNX_BINARY)
def binary(d: Draw) -> None:
    a, b = operand_shapes(d)
    if d.op == "PRelu":
        a = d.shape(2, 4)
        b = d.like(a) if d.since >= 7 else d.pick([(1,), (a[1],)])
    t = d.type(d.schema.inputs[0].type_str)
    u = d.type(d.schema.inputs[1].type_str)
    x, y = d.array(a, t), d.array(b, u)
    if d.op in ("Div", "Mod") and t in INTEGERS:
        y = np.where(y == 0, np.ones_like(y), y)
        if t.kind == "i":  # the minimum divided by -1 is not defined
            y = np.where((y == -1) & bool((x == np.iinfo(t).min).any()), np.ones_like(y), y)
    if d.op == "Mod":
        if is_float(t) or d.chance(0.4):
            d.set(fmod=1)
        if is_float(t):
            d.calm("small")
            x, y = d.array(a, t), d.array(b, t)
    if d.op == "Pow":
        if t in INTEGERS or u in INTEGERS:
            x, y = d.array(a, t, "plain"), np.clip(np.round(d.array(b, u, "plain")), 0, 5).astype(u)
        elif t != u and d.style in ("special", "wide"):
            d.calm()
            x, y = d.array(a, t), d.array(b, u)
        d.loose = 4
    if d.op == "BitShift":
        d.set(direction=d.pick(["LEFT", "RIGHT"]))
        y = (d.array(b, t, "wide") % (np.iinfo(t).bits)).astype(t)
    if d.op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual") and a == b and d.chance(0.5):
        y = np.where(d.numbers.random(b) < 0.5, x, y).astype(t)
    d.give(x), d.give(y)
    if d.op in ("Add", "Sub", "Mul", "Div"):
        d.how = "rounded"
    elif d.op not in ("Pow", "Mod"):
        d.how = "exact"


@generates("Max", "Min", "Sum", "Mean")
def variadic(d: Draw) -> None:
    t = d.type("T")
    whole = d.shape()
    for _ in range(d.rng.choice([1, 2, 2, 3, 4])):
        d.give(d.array(d.like(whole) if d.since >= 8 else whole, t))
    if d.op in ("Sum", "Mean"):
        d.how = "sum"
        if d.style == "wide":
            d.calm()


@generates("Where")
def where(d: Draw) -> None:
    whole = d.shape()
    t = d.type("T")
    d.give(d.array(d.like(whole), BOOL)), d.give(d.array(d.like(whole), t)), d.give(d.array(d.like(whole), t))
    d.how = "exact"


@generates("Clip")
def clip(d: Draw) -> None:
    t = d.type("T")
    d.give(d.array(d.shape(), t), constant=False)
    d.how = "exact"
    low, high = sorted(int(v) for v in d.numbers.integers(0 if t.kind == "u" else -4, 6, 2))
    if d.chance(0.1):
        low, high = high, low
    if d.since < 11:
        d.maybe(min=float(low), max=float(high))
        return
    presence = [d.chance(0.7), d.chance(0.7)]
    for limit, on in zip((low, high), presence):
        d.give(np.array(limit).astype(t) if on else None)
    if presence == [True, False] or d.chance(0.2) and not presence[1]:
        d.inputs.pop() if d.inputs[-1].value is None else None


@generates("Dropout")
def dropout(d: Draw) -> None:
    t = d.type("T", FLOATS)
    d.give(d.array(d.shape(1), t), constant=False)
    d.how = "exact"
    if d.since < 12:
        d.maybe(ratio=0.25)
        if d.since < 7:
            d.set(is_test=1)
    else:
        d.maybe(seed=3)
        ratio = d.type("T1")
        if d.chance(0.7):
            d.give(np.array(d.pick([0.0, 0.25]), ratio))
            if d.chance(0.5):
                d.give(np.array(False), dtype=BOOL)
            elif float(d.inputs[1].value) == 0 and d.chance(0.6):
                d.give(np.array(True), dtype=BOOL)  # in training nothing of it is dropped either
    if d.chance(0.4) and d.since >= 12:
        d.outputs = [True, True]


@generates("Cast")
def cast(d: Draw) -> None:
    name = d.schema.inputs[0].type_str
    t, to = d.type(name), d.type(d.schema.outputs[0].type_str)
    x = d.array(d.shape(), t)
    d.how = "exact"
    if TEXT in (t, to):
        d.calm("small")
        numbers = d.array(d.shape(0, 3), F32)
        words = ["1", "-2", "3.5", "1e3", "0", "NaN", "INF", "-INF", "+4", "2.25e-2"] if is_float(to) else ["1", "-2", "30", "0", "7"]
        if t == TEXT:
            x = np.array([d.pick(words) for _ in range(numbers.size)], object).reshape(numbers.shape)
            if to in (BOOL,) or to.kind == "u" or to in SMALL_INTEGERS + SMALL_FLOATS:
                x = np.where(np.ones(numbers.shape, bool), np.array("1", object), x)
        else:
            x = d.array(numbers.shape, t)
    elif is_float(t) and (to in INTEGERS or to in SMALL_INTEGERS):  # beyond the range it is not defined
        info = np.iinfo(to) if to in INTEGERS else __import__("ml_dtypes").iinfo(to)
        limit = min(float(info.max), 2.0**20, float(__import__("ml_dtypes").finfo(t).max))
        with np.errstate(all="ignore"):
            x = np.clip(np.nan_to_num(x.astype(np.float64)), max(float(info.min), -limit), limit).astype(t)
        if "e8m0" in t.name or (t in SMALL_FLOATS and x.size and not np.all(np.isfinite(x.astype(np.float64)))):
            raise Unsuitable("range")
        if x.size and (x.astype(np.float64).max() > float(info.max) or x.astype(np.float64).min() < float(info.min)):
            x = np.zeros_like(x)
    if "e8m0" in to.name and t != TEXT:  # of negative numbers it is not defined
        x = np.abs(x) if t not in (BOOL, *SMALL_INTEGERS) else np.ones_like(x)
    d.give(x, constant=False)
    d.set(to=onnx_type(to) if d.since >= 6 else TensorProto.DataType.Name(onnx_type(to)))
    if "saturate" in d.schema.attributes and to in SMALL_FLOATS:
        d.maybe(saturate=d.pick([0, 1]))
    if "round_mode" in d.schema.attributes and "e8m0" in to.name:
        d.maybe(round_mode=d.pick(["up", "down", "nearest"]))


@generates("CastLike")
def cast_like(d: Draw) -> None:
    t, to = d.type("T1", [F32, F64, F16, BF16, I32, I64, U8, BOOL]), d.type("T2", [F32, F64, F16, BF16, I32, I64, BOOL])
    d.calm()
    d.give(np.abs(d.array(d.shape(), t)) if t != BOOL else d.array(d.shape(), t), constant=False)
    d.give(d.array((1,), to))
    d.how = "exact"


# Reductions

@generates("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
           "ReduceSum", "ReduceSumSquare")
def reduce(d: Draw) -> None:
    t = d.type("T")
    if d.op not in ("ReduceMax", "ReduceMin") and not (d.style == "special" and d.chance(0.2) and is_float(t)):
        d.calm()
    shape = d.shape(0 if d.since >= 11 else 1, 5)
    x = d.array(shape, t)
    d.how = "exact" if d.op in ("ReduceMax", "ReduceMin") else "sum"
    d.scale = 8 if is_float(t) else 0  # of what is summed
    if d.op in ("ReduceLogSum",):
        x = np.abs(x)
    if d.op == "ReduceProd":
        x = d.array(shape, t, low=-1.3, high=1.3) if is_float(t) else d.array(shape, t, "small")
    d.give(x, constant=False)
    d.maybe(keepdims=d.pick([0, 1]))
    axes = sorted(d.rng.sample(range(len(shape)), d.rng.randint(0 if d.since >= 18 else 1, len(shape)))) if shape else []
    if d.since >= 11 and d.chance(0.4):
        axes = [a - len(shape) for a in axes]
    by_input = d.since >= 18 or d.op == "ReduceSum" and d.since >= 13
    if d.chance(0.75) and (axes or by_input):
        d.parameter(axes) if by_input else d.set(axes=axes)
    if by_input:
        d.maybe(0.3, noop_with_empty_axes=d.pick([0, 1]))


@generates("ArgMax", "ArgMin")
def arg(d: Draw) -> None:
    shape = d.shape(1, 4, empty=False)
    x = d.array(shape, d.type("T"), "small" if d.chance(0.5) else None)
    if is_float(x.dtype):
        x = np.nan_to_num(x.astype(np.float64)).astype(x.dtype)
    d.give(x, constant=False)
    d.how = "exact"
    axis = d.axis(len(shape), d.since >= 11)
    if d.chance(0.8):
        d.set(axis=axis)
    d.maybe(keepdims=d.pick([0, 1]))
    if d.since >= 12:
        d.maybe(select_last_index=d.pick([0, 1]))


@generates("CumSum", "CumProd")
def cum(d: Draw) -> None:
    d.calm()
    shape = d.shape(1, 4)
    t = d.type("T")
    d.give(d.array(shape, t, low=-1.2, high=1.2) if d.op == "CumProd" and is_float(t) else d.array(shape, t), constant=False)
    d.parameter(d.axis(len(shape)), d.type("T2"))
    d.maybe(exclusive=d.pick([0, 1]), reverse=d.pick([0, 1]))
    d.how = "sum"


@generates("Hardmax", "LogSoftmax", "Softmax")
def softmax(d: Draw) -> None:
    if d.style == "wide" or d.op == "Hardmax":
        d.calm()
    shape = d.shape(1, 4)
    d.give(d.array(shape, d.type("T")), constant=False)
    if d.chance(0.7) or len(shape) < 2:
        d.set(axis=d.axis(len(shape), d.since >= 11))
    d.how = "exact" if d.op == "Hardmax" else "sum"


_ = (F16, F64)
