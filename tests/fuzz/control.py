"""If, Loop and Scan whose bodies read the values around them."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx

import elementwise
import moves
import products
import reductions
import spatial
from builder import Builder
from evaluate import value_info
from values import BOOL, F32, FLOATS, I64, Rejected, Value

Choice = Callable[[Builder], Value]
BODY: dict[Choice, float] = {**elementwise.WEIGHTS, **moves.WEIGHTS, **reductions.WEIGHTS, **products.WEIGHTS,
                             **spatial.WEIGHTS}


def some_nodes(b: Builder, count: int) -> list[Value]:
    """What `count` random choices make; the refused ones are left out."""
    values = []
    kinds, weights = list(BODY), list(BODY.values())
    for choice in b.rng.choices(kinds, weights, k=2 * count):
        try:
            values.append(choice(b))
        except Rejected:
            continue
        if len(values) == count:
            break
    return values


def port(v: Value, name: str | None = None) -> onnx.ValueInfoProto:
    """With the rank, or with nothing but the type."""
    return value_info(name or v.name, v.arrays[0], [None] * v.rank if v.rank >= 0 else None)


def sized_port(v: Value) -> onnx.ValueInfoProto:
    """With all sizes, without which the result of no iterations is unknown."""
    return value_info(v.name, v.arrays[0], list(v.shapes[0]))


def result(b: Builder, v: Value) -> Value:
    """A body's output is made by a node of the body; what it captures goes through Identity."""
    return v if v.name in b.values and not v.constant else b.op("Identity", v)


def condition(b: Builder, highest_rank: int = 1) -> Value:
    masks = [v for v in b.visible() if v.dtype == BOOL and 0 <= v.rank <= highest_rank]
    scalars = [v for v in masks if all(a.size == 1 for a in v.arrays)]
    if scalars and b.chance(0.3):
        return b.rng.choice(scalars)
    arrays = [np.array(b.chance(0.5)) for _ in range(b.sizes)]
    return b.constant(arrays[0]) if b.chance(0.15) else b.input(arrays, [])


def branch(b: Builder, name: str, x: Value, outputs: int) -> tuple[onnx.GraphProto, list[Value]]:
    body = Builder(b.root, b)
    candidates = [v for v in some_nodes(body, b.rng.randint(1, 4)) if v.dtype == x.dtype]
    values = (candidates + [x] * outputs)[:outputs]
    results = []
    for v in values:
        v = result(body, v)
        results.append(v if v not in results else body.op("Identity", v))
    return body.graph(name, [], [port(v) for v in results]), results


def if_(b: Builder) -> Value:
    x = b.pick(lambda v: v.rank >= 0 and v.dtype in FLOATS[:1] + (I64, BOOL) and not v.constant)
    outputs = b.rng.choice([1, 1, 2])
    then, then_values = branch(b, b.root.fresh("then"), x, outputs)
    else_branch, two = branch(b, b.root.fresh("else"), x, outputs)
    exact = all(v.exact for v in then_values + two)
    values = b.ops("If", condition(b), outputs=outputs, exact=exact, then_branch=then, else_branch=else_branch)
    return b.rng.choice(values)


def inner(b: Builder, stem: str, arrays: list[np.ndarray], exact: bool) -> Value:
    """An input of a body."""
    value = Value(b.root.fresh(stem), arrays, exact=exact)
    if not exact and value.floating:
        value.error = 1e-4
    return b.keep(value)


def carried_step(b: Builder, x: Value) -> Value:
    """The next contents of a carried value: of the same type and shape."""
    style = b.rng.random()
    if style < 0.15:
        return b.op("Identity", x)
    if x.dtype == F32 and style < 0.5:
        y = b.op("Mul", x, b.constant(np.array(b.rng.choice([0.5, -1.0, 0.75]), np.float32)))
    else:
        y = x
    same = [v for v in b.visible() if v.shapes == x.shapes and v.dtype == x.dtype and v is not x]
    operand = b.rng.choice(same) if same else x
    kind = {BOOL: "Xor"}.get(x.dtype, b.rng.choice(["Add", "Sub"]))
    return b.op(kind, y, operand)


def loop(b: Builder) -> Value:
    """Counted, or until a condition; none of the iterations now and then; carried values and scan outputs."""
    carried = [b.pick(lambda v: v.dtype in (F32, I64) and v.rank >= 0) for _ in range(b.rng.randint(1, 2))]
    body = Builder(b.root, b)
    step = inner(body, "step", [np.array(0)] * b.sizes, True)
    going = inner(body, "going", [np.array(True)] * b.sizes, True)
    states = [inner(body, "state", v.arrays, not v.floating) for v in carried]
    values = some_nodes(body, b.rng.randint(0, 3))
    following = [carried_step(body, s) for s in states]
    scans = [result(body, v) for v in values if v.rank >= 0 and v not in following][:b.rng.randint(0, 2)]
    if b.chance(0.3):
        again = body.op("Less", step, body.constant(np.array(b.rng.randint(0, 2))))
    else:
        again = body.op("Identity", going)
    outputs = [again, *following, *scans]
    if len({v.name for v in outputs}) < len(outputs):
        raise Rejected("one output twice")
    counts = [[b.rng.choice([0, 1, 2, 3])] for _ in range(b.sizes)]
    start = b.constant(np.array(True)) if b.chance(0.8) else condition(b, 0)
    may_be_empty = [0] in counts or not all(np.all(a) for a in start.arrays)
    if may_be_empty and any(None in v.dims for v in scans):
        raise Rejected("sizes of no iterations")  # left open where the body does not declare them
    ports = [port(v) for v in outputs[:1 + len(states)]] + [sized_port(v) if may_be_empty else port(v) for v in scans]
    graph = body.graph(b.root.fresh("body"), [port(v) for v in (step, going, *states)], ports)
    count = b.ints(counts, scalar=True)
    exact = all(v.exact for v in outputs)
    return b.rng.choice(b.ops("Loop", count, start, *carried, outputs=len(outputs) - 1, exact=exact, body=graph))


def scan(b: Builder) -> Value:
    """Along the first axis; a state and the steps' results."""
    x = b.pick(lambda v: v.dtype == F32 and v.rank >= 2 and v.exact and not v.constant and min(v.shapes)[0] > 0)
    body = Builder(b.root, b)
    start = b.pick(lambda v: v.dtype == F32 and v.rank >= 0)
    state = inner(body, "state", start.arrays, False)
    row = inner(body, "row", [a[0] for a in x.arrays], True)
    values = some_nodes(body, b.rng.randint(1, 3))
    following = carried_step(body, state)
    scans = [result(body, v) for v in values if v.rank >= 0 and v is not following][:2] or [body.op("Neg", row)]
    outputs = [following, *scans]
    if len({v.name for v in outputs}) < len(outputs):
        raise Rejected("one output twice")
    graph = body.graph(b.root.fresh("body"), [port(state), port(row)], [port(v) for v in outputs])
    backwards = [1] if b.chance(0.2) else None
    return b.rng.choice(b.ops("Scan", start, x, outputs=len(outputs), exact=all(v.exact for v in outputs), body=graph,
                              num_scan_inputs=1, scan_input_directions=backwards))


WEIGHTS: dict[Choice, float] = {if_: 3, loop: 3, scan: 1}
