"""Shared by inlayrt.ray and inlayrt.spark: a session that is created where it runs, over columns of rows."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import InvalidArgument
from ._options import SessionOptions
from ._providers import Provider
from ._session import InferenceSession

Columns = dict[str, np.ndarray[Any, Any]]


class RowRunner:
    """A model whose inputs and outputs have a row of the batch each.

    - model: a path, which every worker can read
    - providers: as in InferenceSession
    - threads: of a run on the CPU; 1, since there are as many workers as cores
    - columns: for each input the column that it is read from; without it, columns have the inputs' names
    - outputs: the requested ones; None: all
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        providers: Sequence[Provider] | str | None = None,
        threads: int = 1,
        columns: Mapping[str, str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = threads
        self.session = InferenceSession(model, options, providers)
        self._inputs = {i.name: i for i in self.session.get_inputs()}
        self._columns = dict(columns or {})
        if unknown := set(self._columns) - set(self._inputs):
            raise InvalidArgument(f"inlay: columns for {sorted(unknown)}; the model has the inputs {list(self._inputs)}")
        output_names = [o.name for o in self.session.get_outputs()]
        self._outputs = output_names if outputs is None else list(outputs)
        if unknown := set(self._outputs) - set(output_names):
            raise InvalidArgument(f"inlay: no outputs {sorted(unknown)}; the model has {output_names}")

    def columns(self) -> list[str]:
        """The columns that are read, in the order of the inputs."""
        return [self._columns.get(name, name) for name in self._inputs]

    def _feed(self, name: str, value: Any, rows: int) -> np.ndarray[Any, Any]:
        """A column as the input: rows that are lists become an array, flat rows get the shape of the model's input."""
        array = np.asarray(value)
        if array.dtype == object and rows and isinstance(array[0], (list, tuple, np.ndarray)):
            array = np.stack([np.asarray(row) for row in array])
        shape = self._inputs[name].shape[1:]
        if array.ndim < len(shape) + 1 and all(isinstance(d, int) for d in shape):
            array = array.reshape(rows, *shape)
        return array

    def run(self, columns: Mapping[str, Any]) -> Columns:
        """The outputs for these rows. Raises InvalidArgument for missing columns or rows, and the errors of a run."""
        missing = [c for c in self.columns() if c not in columns]
        if missing:
            raise InvalidArgument(f"inlay: the rows have no columns {missing}; they have {sorted(columns)}")
        rows = len(columns[self.columns()[0]])
        feeds = {name: self._feed(name, columns[c], rows) for name, c in zip(self._inputs, self.columns())}
        results: Columns = dict(zip(self._outputs, self.session.run(self._outputs, feeds)))
        wrong = [name for name, array in results.items() if np.shape(array)[:1] != (rows,)]
        if wrong:
            raise InvalidArgument(f"inlay: the outputs {wrong} do not have a row for each of {rows}")
        return results
