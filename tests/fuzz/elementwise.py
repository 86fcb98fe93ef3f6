"""Element-wise operators: chains of them, broadcasts to lower and higher ranks, casts, comparisons."""
from __future__ import annotations

import numpy as np
from onnx import helper

from builder import Builder
from values import BF16, BOOL, F16, F32, F64, FLOATS, I32, I64, INTEGERS, U8, Rejected, Value

EXACT_UNARY = ("Relu", "Neg", "Abs", "Identity", "LeakyRelu", "Relu", "Abs")
STEPS = ("Floor", "Ceil", "Round", "Sign")
SMOOTH = {"Sigmoid": 9, "Tanh": 9, "Erf": 9, "Softplus": 9, "Elu": 9, "Selu": 9, "HardSigmoid": 9, "Sin": 9, "Cos": 9,
          "Softsign": 9, "Celu": 12, "HardSwish": 14, "Mish": 18, "Gelu": 20, "Atan": 9}


def floats(v: Value) -> bool:
    return v.floating


def exact_floats(v: Value) -> bool:
    return v.floating and v.exact


def numeric(v: Value) -> bool:
    return v.dtype != BOOL


def unary(b: Builder) -> Value:
    x = b.pick(floats)
    kind = b.rng.choice([k for k, since in SMOOTH.items() if since <= b.opset] + list(EXACT_UNARY) * 2)
    if kind == "LeakyRelu":
        return b.op(kind, x, alpha=b.rng.choice([0.0, 0.25, 0.5]))
    return b.op(kind, x)


def step(b: Builder) -> Value:
    x = b.pick(exact_floats)
    kind = b.rng.choice([k for k in STEPS if k != "Round" or b.opset >= 11])
    if kind in STEPS[:3] and b.chance(0.7):
        return b.op(kind, b.op("Mul", x, b.constant(np.array(0.5, x.dtype))))
    return b.op(kind, x)


def bounded_root(b: Builder) -> Value:
    """Sqrt, Log, Reciprocal and Exp where they are tame."""
    x = b.op("Abs", b.pick(floats))
    away = b.op("Add", x, b.constant(np.array(b.rng.choice([1.0, 2.0]), x.dtype)))
    kind = b.rng.choice(["Sqrt", "Log", "Reciprocal", "Exp"])
    return b.op(kind, b.op("Neg", x) if kind == "Exp" else away)


def partner_shape(b: Builder, x: Value) -> tuple[int, ...]:
    """The shape of a constant to which x broadcasts, or which broadcasts to x."""
    dims = [d if d is not None and b.chance(0.6) else 1 for d in x.dims]
    style = b.rng.random()
    if style < 0.25 and x.rank >= 2:      # per channel
        dims = [1] * x.rank
        dims[1] = x.dims[1] if x.dims[1] is not None else 1
    elif style < 0.4:                     # one number
        dims = []
    elif style < 0.55:                    # the rank grows
        dims = [b.rng.choice([1, 1, 1, 2])] + (dims if b.chance(0.5) else [1] * x.rank)
    elif style < 0.75:                    # a lower rank
        dims = dims[b.rng.randint(0, len(dims)):]
    if len(dims) > 7:
        raise Rejected("rank")
    return tuple(dims)


def partner(b: Builder, x: Value) -> Value:
    """Something that can be added to x: a value of its shape, one that broadcasts, or a constant."""
    same = [v for v in b.visible() if v.dtype == x.dtype and v.rank >= 0 and broadcasts(v, x)]
    if same and b.chance(0.6):
        equal = [v for v in same if v.shapes == x.shapes and v is not x]
        return b.rng.choice(equal if equal and b.chance(0.7) else same)
    return b.weight(partner_shape(b, x), x.dtype)


def broadcasts(v: Value, x: Value) -> bool:
    for shape, x_shape in zip(v.shapes, x.shapes):
        if any(p != q and 1 not in (p, q) for p, q in zip(reversed(shape), reversed(x_shape))):
            return False
    return True


def binary(b: Builder) -> Value:
    x = b.pick(numeric)
    kinds = ["Add", "Add", "Sub", "Mul", "Mul", "Max", "Min"]
    if x.floating:
        kinds += ["Div", "Sum", "Mean", "Pow"]
    kind = b.rng.choice(kinds)
    if kind in ("Max", "Min") and (b.opset < 12 and not x.floating):
        raise Rejected("opset")
    if kind in ("Div", "Pow"):
        power = b.numbers(partner_shape(b, x), F32, 1, 2) * 4
        y = b.constant((2.0 ** np.floor(power) if kind == "Div" else power).astype(x.dtype))
        return b.op(kind, x, y)
    y = partner(b, x)
    if kind in ("Sum", "Mean", "Max", "Min") and b.chance(0.3):
        return b.op(kind, x, y, partner(b, x))
    return b.op(kind, x, y) if b.chance(0.7) else b.op(kind, y, x)


def chain(b: Builder) -> Value:
    """Several element-wise operators one after the other, each the only reader of the one before."""
    x = b.pick(floats)
    for _ in range(b.rng.randint(2, 5)):
        style = b.rng.random()
        if style < 0.5:
            x = b.op(b.rng.choice(["Add", "Mul", "Sub", "Max", "Min"]), x, partner(b, x))
        elif style < 0.9:
            x = b.op(b.rng.choice(["Relu", "Sigmoid", "Tanh", "Neg", "Abs"]), x)
        else:
            x = clip_between(b, x, -2.0, 3.0)
    return x


def clip_between(b: Builder, x: Value, low: float | None, high: float | None) -> Value:
    if b.opset < 11:
        return b.op("Clip", x, min=low, max=high)
    bounds = [None if v is None else b.constant(np.array(v, x.dtype)) for v in (low, high)]
    return b.op("Clip", x, *bounds)


def clip(b: Builder) -> Value:
    x = b.pick(lambda v: v.floating and v.dtype != BF16)
    low = b.rng.choice([None, 0.0, -1.0, 0.5])
    return clip_between(b, x, low, b.rng.choice([None, 6.0, 1.0]))


def activation_by_hand(b: Builder) -> Value:
    """HardSwish, GELU and Swish, as exporters write them out."""
    x = b.pick(floats)
    number = lambda n: b.constant(np.array(n, x.dtype))
    style = b.rng.choice(["hardswish", "hardswish", "gelu", "swish"])
    if style == "swish":
        return b.op("Mul", x, b.op("Sigmoid", x))
    if style == "gelu":
        bell = b.op("Add", b.op("Erf", b.op("Div", x, number(2**0.5))), number(1.0))
        return b.op("Mul", b.op("Mul", x, bell), number(0.5))
    raised = clip_between(b, b.op("Add", x, number(3.0)), 0.0, 6.0)
    product = b.op("Mul", x, raised) if b.chance(0.5) else b.op("Mul", raised, x)
    return b.op("Div", product, number(6.0)) if b.chance(0.7) else b.op("Mul", product, number(1 / 6))


def prelu(b: Builder) -> Value:
    x = b.pick(lambda v: v.floating and v.rank >= 1)
    shape = [1] * x.rank
    if x.rank >= 2 and x.dims[1]:
        shape[1] = x.dims[1]
    return b.op("PRelu", x, b.weight(tuple(shape[b.rng.randint(0, 1):]), x.dtype))


def compare(b: Builder) -> Value:
    x = b.pick(lambda v: v.exact and v.dtype in (F32, F16, I32, I64))
    kind = b.rng.choice(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
    if (kind.endswith("OrEqual") and b.opset < 12) or (kind == "Equal" and x.floating and b.opset < 11):
        raise Rejected("opset")
    y = partner(b, x)
    if not y.exact:
        raise Rejected("inexact")
    return b.op(kind, x, y)


def logic(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype == BOOL)
    if b.chance(0.3):
        return b.op("Not", x)
    return b.op(b.rng.choice(["And", "Or", "Xor"]), x, partner(b, x))


def where(b: Builder) -> Value:
    x = b.pick(numeric)
    masks = [v for v in b.visible() if v.dtype == BOOL and v.rank >= 0 and broadcasts(v, x)]
    mask = b.rng.choice(masks) if masks and b.chance(0.8) else b.weight(partner_shape(b, x), BOOL)
    y = partner(b, x)
    return b.op("Where", mask, x, y) if b.chance(0.5) else b.op("Where", mask, y, x)


def cast(b: Builder) -> Value:
    """Also there and back again."""
    x = b.pick(lambda v: v.dtype in (F32, F16, F64, BF16, I64, I32, BOOL, U8))
    if b.opset < 13 and x.dtype == BF16:
        raise Rejected("opset")
    targets = [F32, F32, F16, F64] + ([BF16] if b.opset >= 13 and not b.parent else [])
    if x.exact:
        targets += [I32, I64, BOOL] + ([U8] if all(np.all(a >= 0) for a in x.arrays) else [])
    to = b.rng.choice([t for t in targets if t != x.dtype])
    y = cast_to(b, x, to)
    if x.dtype == F32 and b.chance(0.3):
        return cast_to(b, b.op(b.rng.choice(["Neg", "Abs"]), y), F32)
    return y


def cast_to(b: Builder, x: Value, to: np.dtype) -> Value:
    """Between floating types the result is rounded, to integers an exact number loses its fraction."""
    if to not in FLOATS and not x.exact:
        raise Rejected("inexact")
    return b.op("Cast", x, to=helper.np_dtype_to_tensor_dtype(to))


def narrow(b: Builder) -> Value:
    """Into 16 bits, so that other operators find such values."""
    x = b.pick(lambda v: v.dtype == F32 and v.rank >= 2)
    return cast_to(b, x, BF16 if b.opset >= 13 and not b.parent and b.chance(0.3) else F16)


def widen(b: Builder) -> Value:
    return cast_to(b, b.pick(lambda v: v.dtype in (F16, BF16)), F32)


def integers(b: Builder) -> Value:
    x = b.pick(lambda v: v.dtype in INTEGERS)
    kind = b.rng.choice(["Mod", "Div", "Abs", "Sign", "BitwiseAnd", "BitwiseXor", "BitwiseNot", "BitShift"])
    if kind in ("Abs", "Sign"):
        return b.op(kind, x)
    if kind.startswith("Bitwise") and b.opset < 18:
        raise Rejected("opset")
    if kind == "BitwiseNot":
        return b.op(kind, x)
    if kind.startswith("Bitwise"):
        return b.op(kind, x, partner(b, x))
    if x.dtype not in (U8, I32, I64) or (kind == "BitShift" and (x.dtype != U8 or b.opset < 11)):
        raise Rejected("type")
    if kind == "Div" and any(np.any(a < 0) for a in x.arrays):
        raise Rejected("division of a negative integer")
    y = b.constant(b.numbers(partner_shape(b, x), x.dtype, 1, 3))
    return b.op(kind, x, y, direction="RIGHT" if kind == "BitShift" else None)


def tests(b: Builder) -> Value:
    return b.op(b.rng.choice(["IsNaN", "IsInf"]) if b.opset >= 10 else "IsNaN", b.pick(lambda v: v.dtype == F32))


def thresholds(b: Builder) -> Value:
    x = b.pick(lambda v: exact_floats(v) and v.dtype == F32)
    if b.opset >= 9 and b.chance(0.5):
        return b.op("Shrink", x, lambd=0.6, bias=0.25)
    return b.op("ThresholdedRelu", x, alpha=0.6) if b.opset >= 10 else b.op("Relu", x)


WEIGHTS = {unary: 5, step: 1, bounded_root: 1, binary: 9, chain: 4, clip: 2, activation_by_hand: 2, prelu: 1,
           compare: 1.5, logic: 0.7, where: 2, cast: 2, narrow: 0.7, widen: 0.7, integers: 1, tests: 0.3,
           thresholds: 0.4}
