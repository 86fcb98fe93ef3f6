"""A random graph from a seed."""
from __future__ import annotations

import os
import random

import numpy as np
import onnx
from onnx import helper

import codes
import control
import elementwise
import late
import moves
import products
import reductions
import spatial
from builder import Builder, Root
from case import Case, as_whole, has_bfloat16
from control import Choice
from evaluate import make_model, names_read, value_info
from values import BOOL, F16, F32, I64, Rejected, Value

FAMILIES: dict[str, dict[Choice, float]] = {
    "elementwise": elementwise.WEIGHTS, "spatial": spatial.WEIGHTS, "products": products.WEIGHTS,
    "moves": moves.WEIGHTS, "reductions": reductions.WEIGHTS, "late": late.WEIGHTS, "control": control.WEIGHTS,
    "codes": codes.WEIGHTS}
THEMES: dict[str, dict[str, float]] = {  # how often a node comes from each family
    "spatial": {"spatial": 10, "elementwise": 5, "moves": 3, "reductions": 1, "late": 1, "control": 0.5},
    "spatial late": {"spatial": 10, "elementwise": 4, "moves": 3, "reductions": 1, "late": 4, "control": 1},
    "products": {"products": 10, "elementwise": 4, "moves": 3, "reductions": 1, "late": 0.5, "control": 0.5},
    "elementwise": {"elementwise": 10, "moves": 3, "spatial": 1, "products": 1, "reductions": 1, "control": 0.3},
    "moves": {"moves": 10, "elementwise": 4, "reductions": 2, "late": 2, "control": 0.5},
    "control": {"control": 6, "elementwise": 5, "moves": 3, "spatial": 2, "products": 2, "reductions": 1, "late": 1},
    "mixed": {"spatial": 4, "products": 4, "elementwise": 5, "moves": 5, "reductions": 2, "late": 2, "control": 1},
}
ASKED_FOR: dict[str, dict[str, float]] = {  # by graphs.py --theme
    "codes": {"codes": 10, "moves": 1, "elementwise": 1, "late": 0.3, "control": 0.2}}
OPSETS = (9, 10, 11, 12, 13, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 21, 22, 23)
SIZES = (1, 2, 3, 4, 5, 6, 8)


def generate(seed: int) -> Case:
    """Raises Rejected where nothing came of this seed."""
    rng = random.Random(seed)
    theme_name = os.environ.get("INLAY_FUZZ_THEME", "")
    theme = theme_name or rng.choice(list(THEMES))
    sizes = rng.choice([1, 1, 2, 3])
    symbols = {name: [dimension(rng) for _ in range(sizes)] for name in ("n", "t")} if sizes > 1 else {}
    lateness = rng.choice([0.0, 0.0, 0.05, 0.3])
    opset = rng.choice(OPSETS)
    root = Root(rng, max(10, opset) if theme == "codes" else opset, symbols, sizes, lateness)
    b = Builder(root)
    make_inputs(b, theme)
    fill(b, (THEMES | ASKED_FOR)[theme], rng.choice([5, 8, 12, 20, 30, 40]))
    case = finished(b, seed, theme)
    check_whole(case)
    return case


def dimension(rng: random.Random) -> int:
    return 0 if rng.random() < 0.03 else rng.choice(SIZES)


def make_inputs(b: Builder, theme: str) -> None:
    """One to three inputs; a picture or rows, as the theme has them."""
    for k in range(b.rng.choice([1, 1, 2, 3])):
        if "spatial" in theme or (theme not in ("products", "moves") and b.chance(0.5)):
            shape = picture_shape(b)
        else:
            shape = rows_shape(b)
        dtype = b.rng.choice([F32] * 12 + [F16, F16, I64, BOOL]) if k or "spatial" not in theme else F32
        x = new_input(b, shape, dtype)
        if b.root.lateness and x.rank and b.chance(b.root.lateness):
            late.behind_compress(b, x)


def symbol_or(b: Builder, name: str, size: int, probability: float) -> int | str:
    return name if name in b.root.symbols and b.chance(probability) else size


def picture_shape(b: Builder) -> list[int | str]:
    axes = b.rng.choice([1, 2, 2, 2, 2, 3])
    channels = b.rng.choice([1, 2, 3, 4, 4, 6, 8, 8, 12, 16, 17])
    shape: list[int | str] = [symbol_or(b, "n", b.rng.choice([1, 1, 1, 2, 3]), 0.5), channels]
    shape += [symbol_or(b, "t", b.rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9]), 0.25) for _ in range(axes)]
    return shape


def rows_shape(b: Builder) -> list[int | str]:
    rank = b.rng.choice([0, 1, 2, 2, 2, 3, 3, 3, 4])
    shape: list[int | str] = [b.rng.choice([1, 2, 3, 4, 5, 6, 8, 12, 16]) for _ in range(rank)]
    if rank >= 2:
        shape[0] = symbol_or(b, "n", b.rng.choice([1, 1, 2, 3, 4]), 0.6)
    if rank >= 3:
        shape[1] = symbol_or(b, "t", shape[1], 0.5)
    return shape


def new_input(b: Builder, shape: list[int | str], dtype: np.dtype) -> Value:
    concrete = [tuple(b.root.symbols[d][k] if isinstance(d, str) else d for d in shape) for k in range(b.sizes)]
    return b.input([b.numbers(s, dtype) for s in concrete], shape)


def fill(b: Builder, theme: dict[str, float], node_count: int) -> None:
    """Adds choices of the theme until the graph has as many nodes as requested, or nothing fits any more."""
    choices, weights = [], []
    for family, share in theme.items():
        total = sum(FAMILIES[family].values())
        for choice, weight in FAMILIES[family].items():
            choices.append(choice)
            weights.append(share * weight / total)
    for _ in range(4 * node_count):
        if len(b.nodes) >= node_count:
            return
        try:
            b.rng.choices(choices, weights)[0](b)
        except Rejected:
            continue


def chosen_outputs(b: Builder) -> list[Value]:
    """Most values without a reader, some of those that nodes read; seldom an input or a constant."""
    results = {name for node in b.nodes for name in node.output}
    operands = {name for node in b.nodes for name in names_read(node)}
    outputs = []
    for v in b.values.values():
        if v.name not in results:
            share = 0.02
        elif v.name in operands:
            share = 0.08
        else:
            share = 0.9
        if v.rank >= 0 and b.chance(share):
            outputs.append(v)
    if not outputs:
        outputs = [b.values[name] for name in list(results)[-1:] if name in b.values and b.values[name].rank >= 0]
    b.rng.shuffle(outputs)
    return outputs[:12]


def declared(b: Builder, v: Value) -> onnx.ValueInfoProto:
    """With its shape, or with its rank and names."""
    if b.sizes == 1 and b.chance(0.4):
        return value_info(v.name, v.arrays[0], list(v.shapes[0]))
    return value_info(v.name, v.arrays[0], [f"{v.name}_{k}" if named else None for k, named in named_axes(b, v)])


def named_axes(b: Builder, v: Value) -> list[tuple[int, bool]]:
    named = b.chance(0.7)
    return [(k, named) for k in range(v.rank)]


def finished(b: Builder, seed: int, theme: str) -> Case:
    outputs = chosen_outputs(b)
    if not outputs:
        raise Rejected("no nodes")
    inputs = used_inputs(b, {v.name for v in outputs})
    ports = [value_info(v.name, v.arrays[0], shape) for v, shape in inputs]
    graph = b.graph(f"fuzz_{seed}", ports, [declared(b, v) for v in outputs])
    if b.chance(0.05):
        graph = inside_if(graph)
    case = Case(str(seed), make_model(graph, b.opset), theme=theme,
                inputs=[[v.arrays[k] for v, _ in inputs] for k in range(b.sizes)],
                outputs=[[v.arrays[k] for v in outputs] for k in range(b.sizes)],
                tolerances=[5 * v.error for v in outputs],
                contents={name: v.arrays for name, v in b.values.items()})
    case.contents["whole"] = [np.array(True)] * b.sizes  # the condition of inside_if()
    return case


def used_inputs(b: Builder, outputs: set[str]) -> list[tuple[Value, list[int | str]]]:
    names = {name for node in b.nodes for name in names_read(node)} | outputs
    return [entry for entry in b.root.inputs if entry[0].name in names]


def inside_if(graph: onnx.GraphProto) -> onnx.GraphProto:
    """The whole graph as both branches of an If whose condition is a new input."""
    names = {name for node in graph.node for name in node.output}
    if any(o.name not in names for o in graph.output):
        return graph
    results = [onnx.ValueInfoProto() for _ in graph.output]
    for to, output in zip(results, graph.output):
        to.CopyFrom(output)
        for dim in to.type.tensor_type.shape.dim:
            dim.Clear()
        to.name = output.name + "_if"
    bodies = [helper.make_graph(graph.node, name, [], graph.output, graph.initializer) for name in ("then", "else")]
    condition = helper.make_node("Constant", [], ["whole"], value=helper.make_tensor("whole", 9, [], [True]))
    if_node = helper.make_node("If", ["whole"], [r.name for r in results], then_branch=bodies[0], else_branch=bodies[1])
    return helper.make_graph([condition, if_node], graph.name, graph.input, results)


def check_whole(case: Case) -> None:
    """The whole model is valid, and ONNX Runtime says of it what it said of its nodes."""
    try:
        onnx.checker.check_model(case.model)
    except onnx.checker.ValidationError as rejection:
        raise Rejected(f"invalid: {str(rejection)[:160]}") from rejection
    if has_bfloat16(case):
        return
    for k, (whole, parts) in enumerate(zip(as_whole(case), case.outputs)):
        for result, expected, tolerance in zip(whole, parts, case.tolerances):
            if result.shape != expected.shape or result.dtype != expected.dtype:
                raise Rejected("ONNX Runtime makes other shapes of the whole")
            if result.size and np.max(np.abs(result.astype(np.float64) - expected.astype(np.float64))) > tolerance:
                raise Rejected("ONNX Runtime makes other numbers of the whole")
        case.outputs[k] = whole
