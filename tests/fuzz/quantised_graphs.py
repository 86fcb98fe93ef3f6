"""Random graphs of quantized values: every float32 operator stands between DequantizeLinear and QuantizeLinear."""
from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper

from evaluate import NodeSession, make_model, value_info
from values import I8, U8, Rejected

OPSETS = (13, 15, 17, 18, 19, 21)
MOST_ELEMENTS = 4000


@dataclass
class Codes:
    """(quantized - zero) * scale."""
    name: str
    array: np.ndarray
    scale: np.float32
    zero: int

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def floats(self) -> np.ndarray:
        return ((self.array.astype(np.int32) - self.zero) * self.scale).astype(np.float32)


def encoded(x: np.ndarray, scale: np.float32, zero: int, dtype: np.dtype) -> np.ndarray:
    ends = np.iinfo(dtype)
    return np.clip(np.rint(x / scale) + zero, ends.min, ends.max).astype(dtype)


class Graph:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.opset = self.rng.choice(OPSETS)
        self.dtype = self.rng.choice([U8, I8])
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.inputs: list[Codes] = []
        self.codes: list[Codes] = []            # that are read or may be
        self.encoded: dict[str, int] = {}       # by what a QuantizeLinear makes: the steps that it may be off
        self.decoded: dict[str, str] = {}       # results of DequantizeLinear so far
        self.counter = 0

    # Parts

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def constant(self, array: np.ndarray, stem: str = "c") -> str:
        name = self.fresh(stem)
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def bytes(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        ends = np.iinfo(dtype)
        return self.numbers.integers(ends.min, ends.max + 1, shape).astype(dtype)

    def some_scale(self) -> np.float32:
        return np.float32(2.0 ** self.rng.uniform(-7, -3))

    def some_zero(self, dtype: np.dtype) -> int:
        ends = np.iinfo(dtype)
        return self.rng.choice([0, 0, ends.min, (ends.min + ends.max + 1) // 2, self.rng.randint(ends.min, ends.max)])

    def new_input(self, shape: tuple[int, ...]) -> Codes:
        dtype = self.dtype if self.chance(0.85) else self.rng.choice([U8, I8])
        x = Codes(self.fresh("x"), self.bytes(shape, dtype), self.some_scale(), self.some_zero(dtype))
        self.inputs.append(x)
        self.codes.append(x)
        return x

    def constant_codes(self, shape: tuple[int, ...]) -> Codes:
        array = self.bytes(shape, self.dtype)
        return Codes(self.constant(array), array, self.some_scale(), self.some_zero(self.dtype))

    def scaling(self, scale: np.ndarray, zero: np.ndarray, decodes: bool = True) -> list[str]:
        """The constants; now and then a zero point of 0 is left out where that leaves the type as it is."""
        names = [self.constant(np.asarray(scale, np.float32), "s")]
        absent = not np.any(zero) and (decodes or zero.dtype == U8) and self.chance(0.4)
        return names if absent else [*names, self.constant(zero, "z")]

    def decode(self, x: Codes) -> str:
        """The float32 values: those that others read already, or by a node of their own."""
        if x.name in self.decoded and self.chance(0.6):
            return self.decoded[x.name]
        y = self.fresh("f")
        scaling = self.scaling(x.scale, np.array(x.zero, x.array.dtype))
        self.nodes.append(helper.make_node("DequantizeLinear", [x.name, *scaling], [y]))
        self.decoded[x.name] = y
        return y

    def weights(self, shape: tuple[int, ...], axis: int) -> tuple[str, np.ndarray, np.ndarray]:
        """Dequantized constants, with their float32 values and scales; per channel or per tensor."""
        dtype = I8 if self.chance(0.7) else U8
        count = shape[axis] if self.chance(0.5) else 1
        w = self.bytes(shape, dtype)
        scale = np.array([self.some_scale() for _ in range(count)], np.float32)
        zero = np.full(count, self.some_zero(dtype) if self.chance(0.4) else 128 * (dtype == U8)).astype(dtype)
        broad = (-1, *(1,) * (len(shape) - 1 - axis % len(shape)))
        floats = (w.astype(np.int32) - zero.astype(np.int32).reshape(broad)) * scale.reshape(broad)
        if count == 1:
            scale, zero = scale.reshape(()), zero.reshape(())
        y = self.fresh("w")
        self.nodes.append(helper.make_node("DequantizeLinear", [self.constant(w), *self.scaling(scale, zero)], [y],
                                           **({"axis": axis} if count > 1 else {})))
        return y, floats.astype(np.float32), scale

    def bias(self, x: Codes, scale: np.ndarray, count: int) -> tuple[str, np.ndarray]:
        b = self.numbers.integers(-4000, 4000, count).astype(np.int32)
        steps = np.asarray(x.scale * scale, np.float32)
        y = self.fresh("b")
        axis = {"axis": 0} if steps.ndim else {}
        operands = [self.constant(b), self.constant(steps, "s")]
        self.nodes.append(helper.make_node("DequantizeLinear", operands, [y], **axis))
        return y, (b * steps).astype(np.float32)

    def layer(self, kind: str, operands: list[Codes | tuple[str, np.ndarray]], same: Codes | None = None,
              **attributes: object) -> Codes:
        """Dequantizes the operands, runs the operator, and quantizes its result, with the scale and zero
        point of `same` or others."""
        return self.layers(kind, operands, 1, same, **attributes)[0]

    def layers(self, kind: str, operands: list[Codes | tuple[str, np.ndarray]], outputs: int, same: Codes | None = None,
               **attributes: object) -> list[Codes]:
        names, feeds = [], {}
        for x in operands:
            name, array = (self.decode(x), x.floats) if isinstance(x, Codes) else x
            names.append(name)
            if name:
                feeds[name] = array
        node = helper.make_node(kind, names, [self.fresh("y") for _ in range(outputs)], **attributes)
        results = NodeSession(node, feeds, self.opset).run(feeds)
        if any(not 0 < r.size <= MOST_ELEMENTS or r.ndim > 6 for r in results):
            raise Rejected("empty, or too large")
        self.nodes.append(node)
        return [self.encode(name, r, same) for name, r in zip(node.output, results)]

    def encode(self, name: str, y: np.ndarray, same: Codes | None) -> Codes:
        dtype = same.array.dtype if same else self.dtype if self.chance(0.9) else self.rng.choice([U8, I8])
        ends = np.iinfo(dtype)
        bounded = self.chance(0.3)
        low, high = float(min(0, y.min())), float(max(0, y.max()))
        if same:
            scale, zero = same.scale, same.zero
        else:
            if bounded and self.chance(0.7):
                low = 0.0
            scale = np.float32(max(high - low, 1e-3) / 255 * self.rng.uniform(0.6, 1.4))
            zero = int(np.clip(round(ends.min - low / float(scale)), ends.min, ends.max))
            if self.chance(0.2):
                zero = self.some_zero(dtype)
        if bounded:
            name, y = self.bound(name, y, scale, zero, dtype)
        q = Codes(self.fresh("q"), encoded(y, scale, zero, dtype), scale, zero)
        scaling = self.scaling(scale, np.array(zero, dtype), False)
        self.nodes.append(helper.make_node("QuantizeLinear", [name, *scaling], [q.name], name=q.name))
        self.codes.append(q)
        self.encoded[q.name] = 1
        return q

    def bound(self, name: str, y: np.ndarray, scale: np.float32, zero: int, dtype: np.dtype) -> tuple[str, np.ndarray]:
        """Relu, or Clip whose bounds are near those of the quantized type."""
        result_name = self.fresh("r")
        if self.chance(0.6):
            self.nodes.append(helper.make_node("Relu", [name], [result_name]))
            return result_name, np.maximum(y, 0)
        ends = np.iinfo(dtype)
        low, high = (np.float32((end - zero + self.rng.choice([-2, -1, -0.6, -0.4, 0, 0.4, 0.6, 1, 2])) * scale)
                     for end in (ends.min, ends.max))
        self.nodes.append(helper.make_node("Clip", [name, self.constant(low), self.constant(high)], [result_name]))
        return result_name, np.clip(y, low, high)

    def pick(self, suits: Callable[[Codes], bool] = lambda x: True) -> Codes:
        candidates = [x for x in self.codes if suits(x)]
        if not candidates:
            raise Rejected("no such codes")
        return self.rng.choices(candidates, [1 + 3 * k for k in range(len(candidates))])[0]  # rather what is new

    # The graph

    def fill(self, node_count: int) -> None:
        import quantised_layers
        for _ in range(4 * node_count):
            if len(self.encoded) >= node_count:
                return
            state = len(self.nodes), len(self.codes), dict(self.encoded), dict(self.decoded)
            try:
                self.rng.choices(list(quantised_layers.WEIGHTS), list(quantised_layers.WEIGHTS.values()))[0](self)
            except Rejected:
                del self.nodes[state[0]:], self.codes[state[1]:]
                self.encoded, self.decoded = state[2:]

    def model(self, outputs: list[str], nodes: list[onnx.NodeProto], more: dict[str, np.ndarray]) -> onnx.ModelProto:
        types = {x.name: x.array for x in self.codes}
        ports = [value_info(x.name, x.array, list(x.shape)) for x in self.inputs]
        ports += [value_info(name, a, list(a.shape)) for name, a in more.items()]
        operands = {name for node in nodes for name in node.input}
        graph = helper.make_graph(nodes, "quantised", ports, [value_info(name, types[name]) for name in outputs],
                                  [i for i in self.initializers if i.name in operands])
        return make_model(graph, self.opset)

    def whole(self) -> onnx.ModelProto:
        return self.model(list(self.encoded), self.nodes, {})

    def leaves(self) -> list[str]:
        operands = {name for node in self.nodes for name in node.input}
        return [name for name in self.encoded if name not in operands]

    def ends(self) -> onnx.ModelProto:
        """With the outputs that no node reads, and no others."""
        return self.model(self.leaves(), self.nodes, {})

    def apart(self) -> onnx.ModelProto:
        """Every layer by itself: what was quantized before it is an input, under another name."""
        nodes = []
        for node in self.nodes:
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            if node.op_type == "DequantizeLinear" and node.input[0] in self.encoded:
                copy.input[0] += "_given"
            nodes.append(copy)
        values = {x.name: x.array for x in self.codes if x.name in self.encoded}
        input_names = {node.input[0].removesuffix("_given") for node in nodes if node.input[0].endswith("_given")}
        return self.model(list(self.encoded), nodes, {f"{name}_given": values[name] for name in sorted(input_names)})


def generate(seed: int) -> Graph:
    g = Graph(seed)
    for _ in range(g.rng.choice([1, 1, 2])):
        if g.chance(0.75):
            batch, channels = g.rng.choice([1, 1, 2]), g.rng.choice([1, 2, 3, 4, 4, 8])
            shape = (batch, channels, g.rng.randint(2, 8), g.rng.randint(2, 8))
            g.new_input(shape if g.chance(0.85) else shape[:3])
        else:
            g.new_input(tuple(g.rng.choice([1, 2, 3, 5, 8, 12]) for _ in range(g.rng.choice([2, 2, 3]))))
    g.fill(g.rng.choice([2, 4, 6, 10]))
    if not g.encoded:
        raise Rejected("no nodes")
    return g
