"""What the fuzzer knows of a value: its contents at every size, and how far from them a right answer may be.

A value is exact when every order of summation gives the same bits: multiples of a power of two, small enough that no
sum of them is rounded. Only exact values are read by operators that jump (comparisons, Round, ArgMax, NonZero, casts to
integers), so that a difference is a fault and not a rounding.
"""
from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

F32, F64, F16 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16)
BF16 = np.dtype(ml_dtypes.bfloat16)
I64, I32, U8, I8, BOOL = (np.dtype(t) for t in (np.int64, np.int32, np.uint8, np.int8, np.bool_))
FLOATS, INTEGERS = (F32, F64, F16, BF16), (I64, I32, U8, I8)

ROUNDING = {F32: 2e-6, F64: 2e-6, F16: 2e-3, BF16: 1.6e-2}  # of one operator, relative to the largest number
WORST = {F32: 1e-3, F64: 1e-3, F16: 0.05, BF16: 0.2}        # an error beyond this makes a value useless
LARGEST = {F32: 2.0**12, F64: 2.0**12, F16: 2.0**9, BF16: 2.0**9}
EXACT = {F32: (2.0**-10, 2.0**12), F64: (2.0**-10, 2.0**12), F16: (2.0**-4, 2.0**6), BF16: (2.0**-2, 2.0**5)}
LARGEST_INTEGER = 10**6
MOST_ELEMENTS, HIGHEST_RANK = 6000, 7


class Rejected(Exception):
    """This operator has no suitable inputs here, or what it would make is of no use."""


@dataclass
class Value:
    """One value of a graph, at each of the sizes."""
    name: str
    arrays: list[np.ndarray]
    exact: bool = True
    error: float = 0.0      # the largest absolute difference that rounding explains
    constant: bool = False
    uses: int = 0

    @property
    def dtype(self) -> np.dtype:
        return self.arrays[0].dtype

    @property
    def rank(self) -> int:
        """-1: not the same at every size."""
        ranks = {a.ndim for a in self.arrays}
        return ranks.pop() if len(ranks) == 1 else -1

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        return [a.shape for a in self.arrays]

    @property
    def dims(self) -> list[int | None]:
        """None: a dimension that depends on the size."""
        if self.rank < 0:
            return []
        return [column[0] if len(set(column)) == 1 else None for column in zip(*self.shapes)]

    @property
    def floating(self) -> bool:
        return self.dtype in FLOATS

    @property
    def empty(self) -> bool:
        return any(a.size == 0 for a in self.arrays)

    def largest(self) -> float:
        return max(largest(a) for a in self.arrays)


def largest(array: np.ndarray) -> float:
    return float(np.max(np.abs(array.astype(np.float64)))) if array.size else 0.0


def looks_exact(array: np.ndarray) -> bool:
    if array.dtype not in EXACT:
        return True
    quantum, limit = EXACT[array.dtype]
    wide = array.astype(np.float64)
    return bool(np.all(np.abs(wide) <= limit) and np.all(wide / quantum == np.floor(wide / quantum)))


def check_useful(array: np.ndarray) -> None:
    if array.size > MOST_ELEMENTS or array.ndim > HIGHEST_RANK:
        raise Rejected("too large")
    if array.dtype in FLOATS and not np.all(np.abs(array.astype(np.float64)) <= LARGEST[array.dtype]):
        raise Rejected("too large a number")
    if array.dtype in (I64, I32) and largest(array) > LARGEST_INTEGER:
        raise Rejected("too large an integer")


def rounding(outputs: list[np.ndarray], inputs: list[Value]) -> float:
    """The absolute error that one operator may add."""
    dtype = outputs[0].dtype
    if dtype not in ROUNDING:
        return 0.0
    unit = max([ROUNDING[dtype]] + [ROUNDING[v.dtype] for v in inputs if v.floating])
    return unit * (max(map(largest, outputs)) + max([v.largest() for v in inputs if v.floating], default=0.0))


def distance(a: list[np.ndarray], b: list[np.ndarray]) -> float:
    """The largest difference; shapes that differ are of no use."""
    if any(x.shape != y.shape for x, y in zip(a, b)):
        raise Rejected("a shape depends on rounding")
    return max((largest(x.astype(np.float64) - y.astype(np.float64)) for x, y in zip(a, b)), default=0.0)
