"""Sources of calibration data."""
from __future__ import annotations

import abc
import enum
from collections.abc import Iterator
from typing import Any


class CalibrationMethod(enum.Enum):
    """How a calibration determines the range of a value."""

    MinMax = 0
    Entropy = 1
    Percentile = 2
    Distribution = 3  # not in Inlay


class CalibrationDataReader(abc.ABC):
    """The inputs of calibration runs, one after another: a class of the program's own."""

    @classmethod
    def __subclasshook__(cls, subclass: type) -> Any:
        return (hasattr(subclass, "get_next") and callable(subclass.get_next)) or NotImplemented

    @abc.abstractmethod
    def get_next(self) -> dict[str, Any] | None:
        """The inputs of the next run by name, for InferenceSession.run(); None after the last."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        inputs = self.get_next()
        if inputs is None:
            raise StopIteration
        return inputs

    def __len__(self) -> int:
        raise NotImplementedError

    def set_range(self, start_index: int, end_index: int) -> None:
        """For readers that can begin anywhere."""
        raise NotImplementedError
