"""Operators with bodies: If, Loop, Scan and SequenceMap; and optionals, which bodies give and take."""
from __future__ import annotations

import numpy as np
import onnx
from onnx import helper

from draw import BOOL, F32, F64, I32, I64, TEXT, Draw, generates, tensor_of, tensor_type
from nodes_moves import sequence


class Body:
    """A graph over names of its own, and over captures."""

    def __init__(self, d: Draw, name: str) -> None:
        self.d, self.name, self.count = d, name, 0
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def node(self, op: str, *inputs: str, **attributes) -> str:
        self.count += 1
        y = f"{self.name}{self.count}"
        self.nodes.append(helper.make_node(op, list(inputs), [y], **attributes))
        return y

    def constant(self, value: np.ndarray) -> str:
        return self.node("Constant", value=tensor_of(value, "value"))

    def takes(self, name: str, type_proto: onnx.TypeProto) -> str:
        self.inputs.append(helper.make_value_info(self.name + name, type_proto))
        return self.name + name

    def gives(self, value: str, type_proto: onnx.TypeProto) -> None:
        """An output is always a node's own: several may be of one value."""
        self.outputs.append(helper.make_value_info(self.node("Identity", value), type_proto))

    def step(self, x: str, operands: list[str], dtype: np.dtype) -> str:
        """A value of x's shape and type. others: more of that shape and type."""
        d = self.d
        if dtype in (TEXT, BOOL):
            return self.node(d.pick(["Not", "Identity"]), x) if dtype == BOOL else self.node("Identity", x)
        style = d.rng.random()
        if operands and style < 0.6:
            return self.node(d.pick(["Add", "Sub", "Mul"]), x, d.pick(operands))
        return self.node(d.pick(["Neg", "Abs", "Identity"]), x)

    def steps(self, x: str, operands: list[str], dtype: np.dtype) -> str:
        for _ in range(self.d.rng.randint(0, 2)):
            x = self.step(x, operands, dtype)
        return x

    def graph(self) -> onnx.GraphProto:
        return helper.make_graph(self.nodes, self.name, self.inputs, self.outputs)


def element_type(d: Draw) -> np.dtype:
    """The types that bodies compute with: before opset 7, float32."""
    return d.pick([F32, F32, F64, I64, I32, BOOL, TEXT]) if d.opset >= 7 else F32


def quiet(d: Draw) -> None:
    """Bodies repeat sums and products: small numbers stay exact, or nearly so."""
    d.calm("small")
    d.how, d.scale, d.loose = "sum", 8, 4


@generates("If")
def if_(d: Draw) -> None:
    quiet(d)
    d.give(d.array(() if d.chance(0.7) else (1,), BOOL))
    branches = [Body(d, "t"), Body(d, "e")]
    count = d.rng.randint(1, 3)
    for _ in range(count):
        t, shape = element_type(d), d.shape(0, 3, most=200)
        same = [d.capture(d.array(shape, t)) for _ in range(2)]
        capture = d.capture(d.array(d.shape(0, 3, most=200), t)) if d.since >= 11 and d.chance(0.3) else same[0]
        if d.opset >= 14 and d.chance(0.2):  # which has Identity of sequences
            for b, x in zip(branches, (same[0], capture)):
                b.gives(b.node("SequenceConstruct", x, *same[:d.rng.randint(0, 2)]), helper.make_sequence_type_proto(tensor_type(t)))
            continue
        for b, x in zip(branches, (same[0], capture)):
            if d.chance(0.2):
                x = b.constant(d.array(shape, t))
            elif d.chance(0.2):
                x = nested(d, b, same, t)
            else:
                x = b.steps(x, same if x == same[0] else [], t)
            b.gives(x, tensor_type(t))
    d.set(then_branch=branches[0].graph(), else_branch=branches[1].graph())
    d.outputs = [True] * count


def nested(d: Draw, outer: Body, same: list[str], t: np.dtype) -> str:
    """Another If within a branch."""
    inner = [Body(d, outer.name + side + str(outer.count)) for side in "te"]
    for b in inner:
        b.gives(b.steps(d.pick(same), same, t), tensor_type(t))
    condition = outer.constant(np.array(d.chance(0.5)))
    return outer.node("If", condition, then_branch=inner[0].graph(), else_branch=inner[1].graph())


def loop_condition(d: Draw, b: Body, i: str, c: str, has_condition: bool, bounded: bool) -> str:
    """bounded: the count of trips ends the loop, if the condition does not."""
    style = d.rng.random()
    if d.opset >= 9 and (not bounded or style < 0.4):
        return b.node("Less", i, b.constant(np.array(d.rng.randint(0, 4))))
    return b.node("Identity", c) if has_condition and style < 0.7 else b.constant(np.array(True))


@generates("Loop")
def loop(d: Draw) -> None:
    quiet(d)
    bounded = d.opset < 9 or d.chance(0.8)
    has_condition = not bounded or d.chance(0.6)  # with neither a Loop never ends
    scalar = () if d.since >= 11 or d.chance(0.5) else (1,)
    d.give(np.full(scalar, d.rng.randint(0, 5)) if bounded else None, dtype=I64)
    d.give(np.full(scalar, d.chance(0.85)) if has_condition else None, dtype=BOOL)
    b, t = Body(d, "b"), element_type(d)
    i, c = b.takes("i", tensor_type(I64, ())), b.takes("c", tensor_type(BOOL, ()))
    shape = d.shape(0, 3, empty=False, most=60)
    carried = d.rng.randint(1 if d.since == 1 else 0, 3)
    for _ in range(carried):
        d.give(d.array(shape, t), constant=None if t != TEXT else False)
    values = [b.takes(f"v{k}", tensor_type(t)) for k in range(carried)]
    same = values + [d.capture(d.array(shape, t))]
    b.gives(loop_condition(d, b, i, c, has_condition, bounded), tensor_type(BOOL))
    for k, v in enumerate(values):
        b.gives(b.steps(v, same, t), tensor_type(t))
    grown = []
    if shape and d.chance(0.4):  # a value that becomes longer with each trip
        d.give(d.array(shape, t), constant=False)
        grown.append(b.node("Concat", b.takes("grown", tensor_type(t)), same[-1], axis=0))
    for g in grown:
        b.gives(g, tensor_type(t))
    if d.opset >= 14 and d.chance(0.2):
        sequence(d, t)
        d.how = "sum"
        kind = helper.make_sequence_type_proto(tensor_type(t))
        b.gives(b.node("SequenceInsert", b.takes("s", kind), d.pick(same)), kind)
        grown.append("s")
    for _ in range(d.rng.randint(0 if carried + len(grown) else 1, 2)):
        b.gives(b.steps(d.pick(same), same, t), tensor_type(t, shape if d.chance(0.8) else None))
    if d.chance(0.3):
        b.gives(i, tensor_type(I64, ()))
    d.set(body=b.graph())
    d.outputs = [True] * (len(b.outputs) - 1)  # but the condition


def scan_directions(d: Draw, inputs: int, outputs: int) -> None:
    first, second = ("directions", None) if d.since == 8 else ("scan_input_directions", "scan_output_directions")
    if d.chance(0.5):
        d.set(**{first: [d.pick([0, 1]) for _ in range(inputs)]})
    if second and outputs and d.chance(0.5):
        d.set(**{second: [d.pick([0, 1]) for _ in range(outputs)]})


@generates("Scan")
def scan(d: Draw) -> None:
    quiet(d)
    t = d.pick([F32, F32, F64, I64])
    states, inputs, outputs = d.rng.randint(0, 2), d.rng.randint(1, 2), d.rng.randint(0, 2)
    if not states and not outputs:
        outputs = 1
    shape, length = d.shape(0, 2, empty=False, most=40), d.rng.randint(0 if d.chance(0.1) else 1, 5)
    batches = d.rng.randint(1, 3)
    b = Body(d, "b")
    if d.since == 8:
        d.give(d.numbers.integers(1, length + 1, batches) if length and d.chance(0.3) else None, dtype=I64)
    for _ in range(states):
        d.give(d.array((batches, *shape) if d.since == 8 else shape, t))
    axes = [d.rng.randint(0, len(shape)) if d.since >= 9 and d.chance(0.5) else 0 for _ in range(inputs)]
    for a in axes:
        whole = (*shape[:a], length, *shape[a:])
        d.give(d.array((batches, *whole) if d.since == 8 else whole, t), constant=False)
    values = [b.takes(f"v{k}", tensor_type(t, shape)) for k in range(states + inputs)]
    same = values + ([d.capture(d.array(shape, t))] if d.chance(0.5) else [])
    for k in range(states):
        b.gives(b.step(values[k], same, t), tensor_type(t, shape))
    for _ in range(outputs):
        b.gives(b.steps(d.pick(values), same, t), tensor_type(t, shape))
    d.set(body=b.graph(), num_scan_inputs=inputs)
    if d.since >= 9:
        if any(axes) or d.chance(0.3):
            d.set(scan_input_axes=[a - len(shape) - 1 if d.since >= 11 and d.chance(0.3) else a for a in axes])
        if outputs and d.chance(0.4):
            d.set(scan_output_axes=[d.rng.randint(-len(shape) - 1 if d.since >= 11 else 0, len(shape)) for _ in range(outputs)])
    scan_directions(d, inputs, outputs)
    d.outputs = [True] * (states + outputs)


@generates("SequenceMap")
def sequence_map(d: Draw) -> None:
    quiet(d)
    t = d.pick([F32, F32, F64, I64, TEXT])
    shapes = [d.shape(0, 2, most=40) for _ in range(d.rng.randint(1, 4))]
    sequence(d, t, shapes)
    quiet(d)
    b = Body(d, "b")
    x, same = b.takes("x", tensor_type(t)), []
    for k in range(d.rng.randint(0, 2)):
        if d.chance(0.5):
            sequence(d, t, shapes)
            quiet(d)
        else:
            d.give(d.array((), t), constant=False)  # which broadcasts
        same.append(b.takes(f"a{k}", tensor_type(t)))
    if d.chance(0.3):
        same.append(d.capture(d.array((), t)))
    d.outputs = [True] * d.rng.randint(1, 2)
    for _ in d.outputs:
        b.gives(b.steps(b.step(x, same, t), same, t), tensor_type(t))
    d.set(body=b.graph())


# Optionals

def optional_input(d: Draw, empty: bool) -> None:
    """An input of optional type, of a tensor or a sequence."""
    t = d.pick([F32, I64, BOOL, TEXT])
    if d.chance(0.6):
        elem, value = tensor_type(t), d.array(d.shape(0, 3), t)
    else:
        elem, value = helper.make_sequence_type_proto(tensor_type(t)), [d.array(d.shape(0, 2), t) for _ in range(d.rng.randint(1, 3))]
    d.give(None if empty else value, optional=True, type_proto=helper.make_optional_type_proto(elem))


@generates("Optional")
def optional(d: Draw) -> None:
    d.how = "exact"
    t = d.pick([F32, I64, BOOL, TEXT])
    kind = tensor_type(t) if d.chance(0.6) else helper.make_sequence_type_proto(tensor_type(t))
    if d.chance(0.3):
        d.set(type=kind)
    elif kind.HasField("sequence_type"):
        sequence(d, t)
    else:
        d.give(d.array(d.shape(0, 3), t))


@generates("OptionalHasElement", "OptionalGetElement")
def optional_element(d: Draw) -> None:
    d.how = "exact"
    if d.since >= 18 and d.chance(0.3):  # what is no optional, or, for the first, nothing at all
        if d.op == "OptionalHasElement" and d.chance(0.3):
            return
        if d.chance(0.5):
            sequence(d)
        else:
            d.give(d.array(d.shape(0, 3), d.pick([F32, I64, TEXT])))
        return
    optional_input(d, d.op == "OptionalHasElement" and d.chance(0.4))
