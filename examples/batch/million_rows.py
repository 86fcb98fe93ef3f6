#!/usr/bin/env python3
"""Classifies a million rows by the digits model with Ray Data or Spark, and checks that every row comes once.

  million_rows.py ray --rows 1000000 --workers 2 --kill    # one of the workers is killed half-way
  million_rows.py spark --rows 1000000 --workers 2 --kill
  million_rows.py cost                                     # microseconds of a core per row, of each part, without an engine

Row k is an image made from k, so that the answers can be computed again. Prints a JSON object with rows and seconds.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import tempfile
import time
from typing import Any

import numpy as np

import inlayrt

MODEL = pathlib.Path(__file__).resolve().parents[1] / "digits" / "digits.onnx"


def images(ids: np.ndarray) -> np.ndarray:
    """Of each row 64 numbers from 0 to 1."""
    mixed = (ids.astype(np.uint64)[:, None] * np.uint64(2654435761) + np.arange(64, dtype=np.uint64) * np.uint64(40503)) % np.uint64(1 << 16)
    return (mixed / np.float32(1 << 16)).astype(np.float32)


def die_once(mark: str, ids: np.ndarray, half: int) -> None:
    """Kills this worker when it meets the row in the middle for the first time."""
    if mark and half in ids and not os.path.exists(mark):
        pathlib.Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)


def with_ray(rows: int, workers: int, mark: str) -> tuple[np.ndarray, np.ndarray]:
    import ray
    import ray.data

    import inlayrt.ray

    class Classify(inlayrt.ray.Model):
        def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
            die_once(mark, batch["id"], rows // 2)
            scores = super().__call__({"id": batch["id"], "image": images(batch["id"])})["scores"]
            return {"id": batch["id"], "digit": scores.argmax(axis=1)}

    ray.init(num_cpus=workers + 1, include_dashboard=False, logging_level="warning")  # one core to read
    data = ray.data.range(rows, override_num_blocks=max(8, rows // 50000)).map_batches(
        Classify, fn_constructor_args=[str(MODEL)], compute=ray.data.ActorPoolStrategy(size=workers), batch_size=4096, max_restarts=3, max_task_retries=3
    )
    parts = list(data.iter_batches(batch_size=65536))
    ray.shutdown()
    return np.concatenate([p["id"] for p in parts]), np.concatenate([p["digit"] for p in parts])


def with_spark(rows: int, workers: int, mark: str) -> tuple[np.ndarray, np.ndarray]:
    from collections.abc import Iterator

    import pandas as pd
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import pandas_udf

    import inlayrt.spark

    spark = SparkSession.builder.master(f"local[{workers},4]").config("spark.ui.enabled", "false").getOrCreate()  # 4: tries of a task
    spark.sparkContext.setLogLevel("ERROR")
    half = rows // 2

    def make(groups: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for ids in groups:
            die_once(mark, ids.to_numpy(), half)
            yield pd.Series(list(images(ids.to_numpy())))

    make.__annotations__ = {"groups": Iterator[pd.Series], "return": Iterator[pd.Series]}
    frame = spark.range(0, rows, 1, max(8, rows // 50000)).withColumn("image", pandas_udf(make, "array<float>")("id"))
    scores = frame.select("id", inlayrt.spark.udf(MODEL, "scores")("image").alias("scores")).selectExpr(
        "id", "array_position(scores, array_max(scores)) - 1 as digit"
    ).toPandas()
    spark.stop()
    return scores["id"].to_numpy(), scores["digit"].to_numpy()


def cost() -> dict[str, float]:
    """Microseconds of processor time per row, the minimum of seven."""
    from inlayrt._batches import RowRunner

    runner, ids = RowRunner(MODEL), np.arange(4096)
    rows = images(ids)
    lists = np.empty(len(ids), dtype=object)
    lists[:] = list(rows)

    def least(work: Any) -> float:
        times = []
        for _ in range(7):
            begun = time.process_time()
            work()
            times.append(time.process_time() - begun)
        return round(min(times) / len(ids) * 1e6, 2)

    return {"image": least(lambda: images(ids)), "lists_to_array": least(lambda: np.stack([np.asarray(r) for r in lists])), "model": least(lambda: runner.run({"image": rows}))}


def check(ids: np.ndarray, digits: np.ndarray, rows: int) -> None:
    """Every row once; and every answer, computed here again."""
    if not np.array_equal(np.sort(ids), np.arange(rows)):
        raise SystemExit(f"{len(ids)} rows of {rows}, {len(np.unique(ids))} of them different")
    session = inlayrt.InferenceSession(str(MODEL))
    for start in range(0, rows, 8192):
        batch = ids[start : start + 8192]
        scores = session.run(["scores"], {"image": images(batch).reshape(-1, 1, 8, 8)})[0]
        differ = scores.argmax(axis=1) != digits[start : start + 8192]
        if differ.any():
            raise SystemExit(f"rows {batch[differ][:5]} have other digits than a session gives")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=["ray", "spark", "cost"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true", help="a worker, half-way")
    args = parser.parse_args()
    if args.engine == "cost":
        print(json.dumps(cost()))
        return
    with tempfile.TemporaryDirectory() as folder:
        mark = os.path.join(folder, "killed") if args.kill else ""
        begun = time.monotonic()
        ids, digits = {"ray": with_ray, "spark": with_spark}[args.engine](args.rows, args.workers, mark)
        seconds = time.monotonic() - begun
        if args.kill and not os.path.exists(mark):
            raise SystemExit("no worker was killed")
    check(ids, digits, args.rows)
    print(json.dumps({"rows": args.rows, "workers": args.workers, "killed": args.kill, "seconds": round(seconds, 1)}))


if __name__ == "__main__":
    main()
