"""Graphs under construction: every node runs in ONNX Runtime when it is added, so that all contents are known."""
from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper, numpy_helper

from evaluate import NodeSession, names_read
from values import (BF16, F32, FLOATS, I64, WORST, Rejected, Value, check_useful, distance, looks_exact, rounding)

# Sums, products and moves of exact numbers are exact (if they are small enough, which their contents show).
EXACT_OPERATORS = frozenset("""
    Abs Add And ArgMax ArgMin BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Clip Compress
    Concat Constant ConstantOfShape Conv ConvTranspose CumSum DepthToSpace DequantizeLinear Einsum Equal Expand EyeLike Flatten Floor
    Gather GatherElements GatherND Gemm GlobalMaxPool Greater GreaterOrEqual Hardmax Identity If IsInf IsNaN
    LeakyRelu Less LessOrEqual Loop MatMul Max MaxPool Min Mod Mul Neg NonZero Not OneHot Or PRelu Pad QuantizeLinear Range
    ReduceL1 ReduceMax ReduceMin ReduceSum ReduceSumSquare Relu Reshape ReverseSequence Round Scan ScatterElements
    ScatterND Shape Sign Size Slice SpaceToDepth Split Squeeze Sub Sum ThresholdedRelu Tile TopK Transpose Trilu
    Unique Unsqueeze Where Xor
""".split())


@dataclass
class Root:
    """What all scopes of one model share."""
    rng: random.Random
    opset: int
    symbols: dict[str, list[int]]  # the sizes of each symbolic dimension
    sizes: int
    lateness: float                # how often a parameter is an input of the graph
    inputs: list[tuple[Value, list[int | str]]] = field(default_factory=list)
    counter: int = 0
    rejections: Counter[str] = field(default_factory=Counter)

    @property
    def numbers(self) -> np.random.Generator:
        return np.random.default_rng(self.rng.getrandbits(48))

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"


class Builder:
    """A scope: the graph itself, or the body of an If, a Loop or a Scan, which sees the values around it."""

    def __init__(self, root: Root, parent: Builder | None = None) -> None:
        self.root, self.parent = root, parent
        self.rng, self.opset, self.sizes = root.rng, root.opset, root.sizes
        self.values: dict[str, Value] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    # Values

    def visible(self) -> Iterator[Value]:
        if self.parent:
            yield from self.parent.visible()
        yield from self.values.values()

    def find(self, name: str) -> Value:
        return self.values[name] if name in self.values or not self.parent else self.parent.find(name)

    def keep(self, value: Value) -> Value:
        self.values[value.name] = value
        return value

    def pick(self, suits: Callable[[Value], bool]) -> Value:
        """A value that suits: rather one that is new or has no reader yet, seldom a constant."""
        candidates = [v for v in self.visible() if suits(v) and not (self.parent and v.dtype == BF16)]
        if not candidates:
            raise Rejected("no such value")
        fresh = [1 + 5 * k / len(candidates) + 4 * (v.uses == 0) for k, v in enumerate(candidates)]
        weights = [weight * (0.15 if v.constant else 1) for weight, v in zip(fresh, candidates)]
        return self.rng.choices(candidates, weights)[0]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # Constants and inputs

    def constant(self, array: np.ndarray) -> Value:
        """An initializer, or now and then a Constant node."""
        array = np.asarray(array)
        value = Value(self.root.fresh("c"), [array] * self.sizes, exact=looks_exact(array), constant=True)
        tensor = numpy_helper.from_array(np.asarray(array), value.name)
        if self.chance(0.2):
            self.nodes.append(helper.make_node("Constant", [], [value.name], value=tensor))
        else:
            self.initializers.append(tensor)
        return self.keep(value)

    def numbers(self, shape: tuple[int, ...], dtype: np.dtype = F32, low: int = -6, high: int = 6) -> np.ndarray:
        """Quarters between low/4 and high/4, integers for integers."""
        drawn = self.root.numbers.integers(low, high + 1, shape)
        if dtype == np.bool_:
            return drawn > 0
        if np.issubdtype(dtype, np.unsignedinteger):
            drawn = np.abs(drawn)
        return np.asarray(drawn / 4 if dtype in FLOATS else drawn).astype(dtype)

    def weight(self, shape: tuple[int, ...], dtype: np.dtype = F32, low: int = -4, high: int = 4) -> Value:
        return self.constant(self.numbers(shape, dtype, low, high))

    def input(self, arrays: list[np.ndarray], shape: list[int | str]) -> Value:
        """An input of the whole graph, whatever the scope."""
        value = Value(self.root.fresh("x"), [np.asarray(a) for a in arrays], exact=all(map(looks_exact, arrays)))
        self.root.inputs.append((value, shape))
        outermost = self
        while outermost.parent:
            outermost = outermost.parent
        return outermost.keep(value)

    def ints(self, per_size: list[list[int]], dtype: np.dtype = I64, scalar: bool = False) -> Value:
        """A parameter: a constant, the result of a node that can be folded, or an input of the graph."""
        arrays = [np.array(numbers[0] if scalar else numbers, dtype) for numbers in per_size]
        same = all(np.array_equal(a, arrays[0]) for a in arrays)
        if not same or self.chance(self.root.lateness):
            return self.input(arrays, list(arrays[0].shape))
        value = self.constant(arrays[0])
        return self.op("Identity", value) if self.chance(0.08) else value

    def fixed(self, numbers: list[int], dtype: np.dtype = I64) -> Value:
        return self.ints([numbers] * self.sizes, dtype)

    # Nodes

    def op(self, kind: str, *inputs: Value | None, exact: bool = True, **attributes: object) -> Value:
        return self.ops(kind, *inputs, outputs=1, exact=exact, **attributes)[0]

    def ops(self, kind: str, *inputs: Value | None, outputs: int, exact: bool = True,
            **attributes: object) -> list[Value]:
        """Adds a node and returns what it makes; Rejected where ONNX Runtime refuses it or the result is of no use."""
        names = [v.name if v else "" for v in inputs]
        while names and not names[-1]:
            names.pop()
        attributes = {k: v for k, v in attributes.items() if v is not None}
        node = helper.make_node(kind, names, [self.root.fresh("v") for _ in range(outputs)], **attributes)
        try:
            values = self.evaluated(node, exact and kind in EXACT_OPERATORS)
        except Rejected as rejection:
            self.root.rejections[f"{kind}: {rejection}"] += 1
            raise
        self.nodes.append(node)
        return [self.keep(v) for v in values]

    def evaluated(self, node: onnx.NodeProto, exact_operator: bool) -> list[Value]:
        operands = [self.find(name) for name in names_read(node)]
        feeds = [{v.name: v.arrays[k] for v in operands} for k in range(self.sizes)]
        session = NodeSession(node, feeds[0], self.opset)
        results = list(zip(*(session.run(f) for f in feeds)))
        noisy = results
        if any(v.error for v in operands):
            noisy = list(zip(*(session.run({v.name: self.disturbed(v, k) for v in operands}) for k in range(self.sizes))))
        exact = exact_operator and all(v.exact for v in operands)
        values = [self.judged(name, list(arrays), list(noisy_arrays), operands, exact)
                  for name, arrays, noisy_arrays in zip(node.output, results, noisy)]
        for v in operands:
            v.uses += 1
        return values

    def disturbed(self, v: Value, k: int) -> np.ndarray:
        """The value with an error of its own in each element."""
        if not v.error:
            return v.arrays[k]
        signs = self.root.numbers.choice((-1.0, 1.0), v.arrays[k].shape)
        return (v.arrays[k].astype(np.float64) + v.error * signs).astype(v.dtype)

    def judged(self, name: str, arrays: list[np.ndarray], noisy: list[np.ndarray], operands: list[Value],
               exact: bool) -> Value:
        for a in arrays:
            check_useful(a)
        value = Value(name, [np.asarray(a) for a in arrays], constant=bool(operands) and all(v.constant for v in operands))
        value.exact = exact and all(map(looks_exact, arrays))
        moved = distance(arrays, noisy)
        if not value.floating and moved:
            raise Rejected("an integer depends on rounding")
        if value.floating and not value.exact:
            value.error = 1.2 * moved + rounding(arrays, operands)
            if value.error > WORST[value.dtype] * max(1.0, value.largest()):
                raise Rejected("too inexact")
        return value

    # Bodies

    def graph(self, name: str, inputs: list[onnx.ValueInfoProto],
              outputs: list[onnx.ValueInfoProto]) -> onnx.GraphProto:
        """The scope as a graph, without unused constants."""
        names = {name for node in self.nodes for name in names_read(node)} | {o.name for o in outputs}
        nodes = [n for n in self.nodes if n.op_type != "Constant" or n.output[0] in names]
        return helper.make_graph(nodes, name, inputs, outputs, [i for i in self.initializers if i.name in names])
