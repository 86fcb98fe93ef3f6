"""One random node with its inputs: what the generators of the operators draw from."""
from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import onnx
from onnx import defs, helper, numpy_helper

F32, F64, F16 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16)
BF16 = np.dtype(ml_dtypes.bfloat16)
I64, I32, I16, I8 = (np.dtype(t) for t in (np.int64, np.int32, np.int16, np.int8))
U64, U32, U16, U8 = (np.dtype(t) for t in (np.uint64, np.uint32, np.uint16, np.uint8))
BOOL, TEXT = np.dtype(np.bool_), np.dtype(object)
FLOATS = (F32, F64, F16, BF16)
INTEGERS = (I64, I32, I16, I8, U64, U32, U16, U8)
SMALL_FLOATS = tuple(np.dtype(getattr(ml_dtypes, n)) for n in (
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float4_e2m1fn", "float8_e8m0fnu"))
SMALL_INTEGERS = tuple(np.dtype(getattr(ml_dtypes, n)) for n in ("int4", "uint4", "int2", "uint2"))
COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))
NUMPY_KNOWS = (F32, F64, F16, BOOL, TEXT, *INTEGERS, *COMPLEX)  # what ONNX Runtime takes from numpy and gives back

LONGEST_TAIL, MOST_ELEMENTS = 70, 3000


class Unsuitable(Exception):
    """The dice fell so that there is no legal case: others are thrown."""


def dtype_of(text: str) -> np.dtype | None:
    """tensor(float) as numpy's; None: no tensor."""
    if not text.startswith("tensor("):
        return None
    name = {"float": "FLOAT"}.get(text[7:-1], text[7:-1].upper())
    if name.startswith("FLOAT6"):  # Inlay has no such element type yet
        return None
    return TEXT if name == "STRING" else np.dtype(helper.tensor_dtype_to_np_dtype(onnx.TensorProto.DataType.Value(name)))


def tensor_type(dtype: np.dtype, shape: tuple[int, ...] | None = None) -> onnx.TypeProto:
    """A tensor's type; None: it says nothing of the shape."""
    return helper.make_tensor_type_proto(onnx_type(dtype), shape)


def onnx_type(dtype: np.dtype) -> int:
    return onnx.TensorProto.STRING if dtype.kind in "OUST" else helper.np_dtype_to_tensor_dtype(dtype)


def is_float(dtype: np.dtype) -> bool:
    return dtype in FLOATS or dtype in SMALL_FLOATS


@dataclass
class Port:
    """An input: None is absent; a list is a sequence."""
    value: np.ndarray | list | None
    constant: bool
    optional: bool = False     # of optional type: then None is one that holds nothing
    type_proto: onnx.TypeProto | None = None

    @property
    def given(self) -> bool:
        return self.value is not None or self.optional


@dataclass
class Draw:
    rng: random.Random
    domain: str
    op: str
    since: int
    opset: int
    inputs: list[Port] = field(default_factory=list)
    attributes: dict[str, object] = field(default_factory=dict)
    outputs: list[bool] = field(default_factory=lambda: [True])   # False: left out by an empty name
    captures: list[Port] = field(default_factory=list)   # what bodies read that is no input of the node: c0, c1, ...
    # How results are compared: "exact" (to the bit, but for the payload of a NaN), "rounded" (relative to the element),
    # "sum" (relative to the largest element and to `scale`), or "drawn" (at random: by `moments` and `bounds`).
    how: str = "rounded"
    moments: tuple[float, float] = (0.0, 1.0)                  # mean and standard deviation
    bounds: tuple[float, float] = (-np.inf, np.inf)            # the minimum and the maximum
    scale: float = 0.0
    loose: float = 1.0                                          # times the tolerance
    types: dict[str, np.dtype] = field(default_factory=dict)
    style: str = ""
    notes: list[str] = field(default_factory=list)             # what the line of the case does not show, for explained.py

    def __post_init__(self) -> None:
        self.numbers = np.random.default_rng(self.rng.getrandbits(48))
        self.style = self.rng.choices(["plain", "small", "special", "wide"], [5, 2, 2, 1])[0]
        self.constants = self.rng.choice([0, 0, 0.3, 0.5, 0.7])
        has_schema = defs.has(self.op, domain=self.domain)
        self.schema = defs.get_schema(self.op, self.since, self.domain) if has_schema else None

    # Choices

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, things):
        return self.rng.choice(list(things))

    def type(self, name: str = "T", among=None) -> np.dtype:
        """The type that a constraint of the schema has in this case; drawn once. `among` narrows it."""
        if name not in self.types:
            allowed = []
            for c in self.schema.type_constraints if self.schema else ():
                if c.type_param_str == name:
                    allowed = [d for d in map(dtype_of, c.allowed_type_strs) if d is not None]
            if among is not None:
                allowed = [d for d in among if d in allowed] if allowed else list(among)
            if not allowed:
                raise Unsuitable(f"no type {name}")
            weights = [5 if d == F32 else 2 if d in (F16, BF16, F64, I64, I32, U8, I8) else 1 for d in allowed]
            self.types[name] = self.rng.choices(allowed, weights)[0]
        return self.types[name]

    def dim(self, most: int = LONGEST_TAIL) -> int:
        style = self.rng.random()
        if style < 0.03:
            return 0
        if style < 0.2:
            return 1
        return self.rng.randint(1, min(6, most)) if style < 0.75 else self.rng.randint(1, most)

    def count(self, most: int) -> int:
        """1 to `most`; seldom none at all."""
        return 0 if self.chance(0.03) else self.rng.randint(1, most)

    def shape(self, low: int = 0, high: int = 5, empty: bool = True, most: int = MOST_ELEMENTS) -> tuple[int, ...]:
        rank = self.rng.randint(low, high)
        dims = [self.dim(5 if k < rank - 1 else LONGEST_TAIL) for k in range(rank)]
        if rank and self.chance(0.1):
            dims[self.rng.randrange(rank)] = self.rng.randint(1, 150)
        if not empty or self.chance(0.5):
            dims = [d or 1 for d in dims]
        while np.prod(dims, dtype=np.int64) > most:
            k = int(np.argmax(dims))
            dims[k] = (dims[k] + 1) // 2
        return tuple(int(d) for d in dims)

    def like(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to it."""
        style = self.rng.random()
        if style < 0.35:
            return tuple(shape)
        cut = self.rng.randint(0, len(shape)) if style < 0.7 else 0
        return tuple(1 if self.chance(0.3) else d for d in shape[cut:])

    def pair(self, low: int = 0, high: int = 5) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Two that broadcast with each other."""
        whole = self.shape(low, high)
        a, b = (whole if self.chance(0.6) else self.like(whole)), self.like(whole)
        return (a, b) if self.chance(0.7) else (b, a)

    def axis(self, rank: int, negative: bool = True) -> int:
        if rank == 0:
            raise Unsuitable("no axis")
        axis = self.rng.randrange(rank)
        return axis - rank if negative and self.chance(0.35) else axis

    # Contents

    def array(self, shape, dtype: np.dtype = F32, style: str | None = None, low: float | None = None,
              high: float | None = None) -> np.ndarray:
        """Numbers of a type: plain ones, small integers, all that is special, or the whole range. low, high:
        uniform."""
        style, shape = style or self.style, tuple(shape)
        if dtype == TEXT:
            words = ["", "a", "b", "ab", "Zürich", "A b", "x,y", "é", "日本", "0", "aa"]
            return np.array([self.pick(words) for _ in range(int(np.prod(shape)))], object).reshape(shape)
        if dtype == BOOL:
            return self.numbers.random(shape) < 0.5
        if dtype in COMPLEX:
            return (self.numbers.normal(size=shape) + 1j * self.numbers.normal(size=shape)).astype(dtype)
        if dtype in SMALL_INTEGERS or dtype in SMALL_FLOATS:
            return self.small_type(shape, dtype)
        if low is not None:
            return np.asarray(self.numbers.uniform(low, high, shape)).astype(dtype)
        return self.floats(shape, dtype, style) if is_float(dtype) else self.integers(shape, dtype, style)

    def small_type(self, shape, dtype: np.dtype) -> np.ndarray:
        if dtype in SMALL_INTEGERS:
            info = ml_dtypes.iinfo(dtype)
            return self.numbers.integers(int(info.min), int(info.max) + 1, shape).astype(np.int8).astype(dtype)
        if dtype.name == "float4_e2m1fn":
            values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
            return np.asarray(self.numbers.choice(values, shape)).astype(dtype)
        if self.style == "special":
            return np.asarray(self.numbers.integers(0, 256, shape)).astype(np.uint8).view(dtype)
        values = np.abs(self.numbers.normal(size=shape)) + 0.01 if "e8m0" in dtype.name else self.numbers.normal(size=shape)
        return np.asarray(values, np.float32).astype(dtype)

    def floats(self, shape, dtype: np.dtype, style: str) -> np.ndarray:
        with np.errstate(all="ignore"):
            if style == "small":
                return np.asarray(self.numbers.integers(-8, 9, shape) / 2).astype(dtype)
            if style == "wide":
                limit = 4 if dtype == F16 else 18
                return np.asarray(self.numbers.normal(size=shape) * 10.0 ** self.numbers.uniform(-limit, limit, shape)).astype(dtype)
            values = np.asarray(self.numbers.normal(size=shape) * 2).astype(dtype)
            if style != "special" or values.size == 0:
                return values
            info = ml_dtypes.finfo(dtype)
            special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, float(info.smallest_subnormal), -float(info.smallest_subnormal),
                                float(info.tiny), float(info.max), -float(info.max), 0.5, -0.5, 1.5, 2.5, -1.5, 1.0, -1.0],
                               np.float64).astype(dtype)
            mask = self.numbers.random(shape) < self.pick([0.05, 0.3, 0.8])
            return np.where(mask, self.numbers.choice(special, shape), values).astype(dtype)

    def integers(self, shape, dtype: np.dtype, style: str) -> np.ndarray:
        info = np.iinfo(dtype)
        if style in ("plain", "small"):
            return self.numbers.integers(max(-9, info.min), 10, shape).astype(dtype)
        whole = np.asarray(self.numbers.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))
        if style == "wide" or whole.size == 0:
            return whole
        special = np.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1], dtype)
        return np.where(self.numbers.random(shape) < 0.5, self.numbers.choice(special, shape), whole).astype(dtype)

    def calm(self, style: str = "plain") -> None:
        """No special values: sums of them differ by their order."""
        if self.style in ("special", "wide"):
            self.style = style

    # The node

    def give(self, value, constant: bool | None = None, dtype: np.dtype | None = None, optional: bool = False,
             type_proto: onnx.TypeProto | None = None) -> np.ndarray:
        """The next input. constant: an initializer, or not; drawn where it is not said."""
        if value is not None and not isinstance(value, (list, dict)):
            value = np.asarray(value, dtype)
        if constant is None:
            constant = self.chance(self.constants)
        plain = value is not None and not isinstance(value, (list, dict)) and not optional
        self.inputs.append(Port(value, constant and plain, optional, type_proto))
        return value

    def capture(self, value, constant: bool | None = None) -> str:
        """The name of a value outside of the node that bodies may read."""
        drawn = self.chance(self.constants) if constant is None else constant
        self.captures.append(Port(np.asarray(value), drawn))
        return f"c{len(self.captures) - 1}"

    def ports(self) -> dict[str, Port]:
        """The inputs that are there, and the captures, by their names in the model."""
        named = {f"x{k}": p for k, p in enumerate(self.inputs) if p.given}
        return named | {f"c{k}": p for k, p in enumerate(self.captures)}

    def parameter(self, values, dtype: np.dtype = I64) -> None:
        """An input that is rather a constant: axes, shapes."""
        self.give(np.asarray(values, dtype), constant=self.chance(0.6))

    def set(self, **attributes) -> None:
        self.attributes |= {k: v for k, v in attributes.items() if v is not None}

    def maybe(self, probability: float = 0.6, **attributes) -> None:
        """Given or not: then the default holds."""
        for name, value in attributes.items():
            if self.chance(probability):
                self.set(**{name: value})

    def say(self) -> str:
        """The case on one line."""
        def of(p: Port) -> str:
            if p.value is None:
                return "none" if p.optional else "-"
            if p.optional:
                return f"optional {of(Port(p.value, False))}"
            if isinstance(p.value, list):
                return "[" + " ".join(of(Port(v, False)) for v in p.value) + "]"
            if isinstance(p.value, dict):
                return "map"
            v = p.value
            tags = ""
            if v.dtype in FLOATS and v.size:
                wide = v.astype(np.float64)
                tags = "".join(f"!{t}" for t, on in (("nan", np.isnan(wide).any()), ("inf", np.isinf(wide).any())) if on)
            numbers = f"={v.tolist()}" if v.size <= 8 and v.dtype in (I64, I32) else ""
            tags += "!empty" if v.size == 0 else ""
            return f"{'text' if v.dtype == TEXT else v.dtype}[{'x'.join(map(str, v.shape))}]{'c' if p.constant else ''}{tags}{numbers}"

        def shown(v: object) -> str:
            if isinstance(v, onnx.GraphProto):
                return f"{{{' '.join(n.op_type for n in v.node)}}}"
            return str(numpy_helper.to_array(v).tolist() if isinstance(v, onnx.TensorProto) else v)[:60]

        attributes = " ".join(f"{k}={shown(v)}" for k, v in self.attributes.items())
        name = f"{self.domain}:{self.op}" if self.domain else self.op
        presence = "" if all(self.outputs) else f" outputs {''.join(str(int(on)) for on in self.outputs)}"
        captured = f" captures ({', '.join(map(of, self.captures))})" if self.captures else ""
        return f"{name}-{self.since} opset {self.opset} ({', '.join(map(of, self.inputs))}) {attributes}{captured}{presence} {' '.join([self.style, *self.notes])}".strip()


Generator = Callable[[Draw], None]
GENERATORS: dict[tuple[str, str], Generator] = {}


def generates(*names: str, domain: str = ""):
    def register(f: Generator) -> Generator:
        for name in names:
            GENERATORS[domain, name] = f
        return f
    return register


def tensor_of(value: np.ndarray, name: str) -> onnx.TensorProto:
    if value.dtype == TEXT:
        return helper.make_tensor(name, onnx.TensorProto.STRING, value.shape, [s.encode() for s in value.ravel()])
    return numpy_helper.from_array(value, name)
