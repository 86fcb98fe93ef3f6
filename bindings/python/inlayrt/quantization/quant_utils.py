"""Types and formats of quantized models."""
from __future__ import annotations

import enum


class QuantType(enum.Enum):
    """The elements of quantized values."""

    QInt8 = 0
    QUInt8 = 1
    QFLOAT8E4M3FN = 2
    QInt16 = 3
    QUInt16 = 4
    QInt4 = 5
    QUInt4 = 6

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def from_string(t: str) -> QuantType:
        """QuantType.from_string("QInt8")"""
        return QuantType[t]


class QuantFormat(enum.Enum):
    """How a quantized model is written."""

    QOperator = 0  # integer operators (QLinearConv, ...)
    QDQ = 1  # QuantizeLinear and DequantizeLinear around nodes

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def from_string(t: str) -> QuantFormat:
        """QuantFormat.from_string("QDQ")"""
        return QuantFormat[t]
