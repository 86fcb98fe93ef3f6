"""Inlay in Ray Data: a class for map_batches, of which each actor of a pool creates one session.

    import ray, inlayrt.ray

    scores = ray.data.read_parquet("images").map_batches(
        inlayrt.ray.Model, fn_constructor_args=["digits.onnx"], compute=ray.data.ActorPoolStrategy(size=2), batch_size=4096
    )
    # or, the same with one thread and one core per actor: inlayrt.ray.map_batches(dataset, "digits.onnx", actors=2)

docs/how-to/scale.md; it needs the package ray[data].
"""
# mypy: no-warn-unused-ignores, disable-error-code="import-untyped,import-not-found,attr-defined"
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import ray.data

from ._batches import Columns, RowRunner
from ._providers import Provider


class Model:
    """The class for map_batches: returns the batch with the outputs as further columns.

    - model, providers, threads, columns, outputs: as in inlayrt._batches.RowRunner
    - keep: columns of the batch that the result has too; None: all
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        providers: Sequence[Provider] | str | None = None,
        threads: int = 1,
        columns: Mapping[str, str] | None = None,
        outputs: Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
    ) -> None:
        self._runner = RowRunner(model, providers, threads, columns, outputs)
        self._keep = keep

    def __call__(self, batch: Columns) -> Columns:
        results = self._runner.run(batch)
        return {**{name: batch[name] for name in (batch if self._keep is None else self._keep)}, **results}


def map_batches(dataset: Any, model: str | os.PathLike[str], *, actors: int, batch_size: int = 4096, restarts: int = 3, **options: Any) -> Any:
    """The dataset with the model's outputs, by so many actors, each with a core per thread.

    - restarts: how often an actor that died is started again; Ray repeats its batches, so that every row comes once
    - options: those of Model
    """
    return dataset.map_batches(
        Model,
        fn_constructor_args=[os.fspath(model)],
        fn_constructor_kwargs=options,
        compute=ray.data.ActorPoolStrategy(size=actors),
        batch_size=batch_size,
        num_cpus=max(1, int(options.get("threads", 1))),
        max_restarts=restarts,
        max_task_retries=restarts,
    )
