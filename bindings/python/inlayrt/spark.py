"""Inlay in Spark: a pandas UDF over a model.

    import inlayrt.spark

    classify = inlayrt.spark.udf("digits.onnx", output="scores")
    frame.withColumn("scores", classify("image"))

Each of Spark's Python workers creates the session once, and keeps it. The model is a path that every worker can read.
docs/how-to/scale.md; it needs pyspark, pandas and pyarrow.
"""
# mypy: no-warn-unused-ignores, disable-error-code="import-untyped,import-not-found,attr-defined"
from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql.functions import pandas_udf

from ._batches import RowRunner
from ._errors import InvalidArgument
from ._session import NodeArg, load_model

_SPARK_TYPES = {
    "tensor(float)": "float",
    "tensor(double)": "double",
    "tensor(int64)": "bigint",
    "tensor(int32)": "int",
    "tensor(int16)": "smallint",
    "tensor(int8)": "tinyint",
    "tensor(bool)": "boolean",
    "tensor(string)": "string",
}


@functools.lru_cache(maxsize=8)
def _runner(model: str, modified: int, providers: tuple[str, ...] | None, threads: int, output: str) -> RowRunner:
    """The session of this worker; a file that was rewritten is loaded again."""
    return RowRunner(model, list(providers) if providers else None, threads, outputs=[output])


def _spark_type(port: Any) -> str:
    if port.type not in _SPARK_TYPES:
        raise InvalidArgument(f"inlay: Spark has no type for `{port.name}`, a {port.type}")
    spark_type = _SPARK_TYPES[port.type]
    return spark_type if len(port.shape) == 1 else f"array<{spark_type}>"


def udf(model: str | os.PathLike[str], output: str, *, providers: tuple[str, ...] | None = None, threads: int = 1) -> Any:
    """A pandas UDF that takes the model's inputs as columns, in their order, and gives one of its outputs.

    A row of a tensor is a number, or an array of all its elements, whatever the rank.
    Raises InvalidArgument where the model has no such output, or Spark no type for it.
    """
    path = os.path.abspath(os.fspath(model))
    ports = {port[0]: port for port in load_model(path).outputs()}
    if output not in ports:
        raise InvalidArgument(f"inlay: no output `{output}`; the model has {list(ports)}")
    returned = _spark_type(NodeArg(*ports[output]))
    modified = os.stat(path).st_mtime_ns

    def batches(groups: Iterator[tuple[pd.Series, ...]]) -> Iterator[pd.Series]:
        runner = _runner(path, modified, providers, threads, output)
        for group in groups:
            series = group if isinstance(group, tuple) else (group,)  # of one column, Spark gives the series itself
            result = runner.run(dict(zip(runner.columns(), series)))[output]
            yield pd.Series(list(result.reshape(len(result), -1)) if result.ndim > 1 else result)

    batches.__annotations__ = {"groups": Iterator[tuple[pd.Series, ...]], "return": Iterator[pd.Series]}
    return pandas_udf(batches, returned)
