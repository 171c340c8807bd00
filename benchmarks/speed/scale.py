"""Rows in partitions: what streaming and workers cost beside the plain function, and tables that no function holds.

Files are written into a temporary folder. The sizes of the three parts are those of ``SIZES``; ``SEPAL_SCALE=0.1`` in
the environment makes all of them that much smaller.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

import sepal
from sepal.scale import fit_parts, measure_partitions, partitioned, place_of_work, prepare_blocks
from sepal.scale._planning import measure_rates

SIZES = {"overhead": (200_000, 20), "exact": (1_000_000, 10), "large": (10_000_000, 20)}
PARTITION = 100_000  # rows


def _write(folder: Path, n: int, p: int) -> str:
    """Two classes that overlap, written partition by partition."""
    for at in range(0, n, PARTITION):
        rng = np.random.default_rng(at)
        rows = min(PARTITION, n - at)
        X = rng.normal(size=(rows, p)).astype(np.float32)
        label = np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=rows) > 1, "in", "out")
        columns: dict[str, Any] = {f"x{j}": X[:, j] for j in range(p)} | {"class": label}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{at // PARTITION:05}.parquet")
    return f"{folder}/*.parquet"


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def _share(n: int) -> int:
    return max(10_000, int(n * float(os.environ.get("SEPAL_SCALE", "1"))))


def _rates(pattern: str) -> None:
    with place_of_work(n_jobs=1) as work:
        given = fit_parts(partitioned(pattern), work)
        schema = given.schema
        job = (schema.source.parts[0], schema.source.reading, schema.like, False, given.distance, 1)
        found = [measure_rates(*job) for _ in range(5)]
    for name, text in (
        ("pairs_per_second", "pairs a second of one core, rows that ask others"),
        ("own_pairs_per_second", "pairs a second of one core, rows of a block that ask each other"),
    ):
        print(f"  {text:<70} {np.median([getattr(each, name) for each in found]):10.3g}")
    loading = np.median([each.load_seconds for each in found])
    print(f"  {'microseconds to load a row':<70} {1e6 * loading:10.3g}")


def _score(pattern: str, workers: int | None) -> tuple[float, float]:
    with place_of_work(workers=workers) as work:
        begin = time.perf_counter()
        ready = prepare_blocks(fit_parts(partitioned(pattern), work))
        score = sepal.thornton_test(ready).score
        return time.perf_counter() - begin, score


def _overhead() -> None:
    n, p = _share(SIZES["overhead"][0]), SIZES["overhead"][1]
    print(f"\nExact, {n:,} x {p}: seconds, files read included")
    with tempfile.TemporaryDirectory() as folder:
        pattern = _write(Path(folder), n, p)
        _rates(pattern)
        table = pyarrow.parquet.read_table(folder).to_pandas()
        plain, whole = _timed(lambda: sepal.thornton_test(table.drop(columns="class"), table["class"]).score)
        print(f"  {'plain function, all threads, rows in memory':<70} {plain:10.2f}")
        for text, workers in (("streamed here, all threads", None), ("one worker", 1), ("two workers", 2)):
            taken, score = _score(pattern, workers)
            if score != whole:
                raise AssertionError(f"{text}: {score} is not {whole}")
            print(f"  {text:<70} {taken:10.2f}  {taken / plain:6.2f} x the plain function")


def _exact() -> None:
    n, p = _share(SIZES["exact"][0]), SIZES["exact"][1]
    print(f"\nExact leave-one-out of 1-NN, {n:,} x {p}: seconds")
    with tempfile.TemporaryDirectory() as folder:
        pattern = _write(Path(folder), n, p)
        table = pyarrow.parquet.read_table(folder).to_pandas()
        X, y = table.drop(columns="class"), table["class"]
        plain, whole = _timed(lambda: sepal.thornton_score(X, y))
        taken, score = _score(pattern, None)
        if score != whole:
            raise AssertionError(f"{score} is not {whole}")
        print(f"  {'plain function, rows in memory':<70} {plain:10.1f}")
        print(f"  {'streamed here':<70} {taken:10.1f}")
        _faiss(np.ascontiguousarray(X.to_numpy(dtype=np.float32)))


def _faiss(X: np.ndarray) -> None:
    try:
        import faiss
    except ImportError:
        print("  FAISS is not installed")
        return
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    asked = X[: max(1, len(X) // 100)]
    taken, _ = _timed(lambda: index.search(asked, 2))
    print(f"  {f'FAISS flat, from {len(asked):,} queries extrapolated to all':<70} {taken * len(X) / len(asked):10.1f}")


def _large() -> None:
    n, p = _share(SIZES["large"][0]), SIZES["large"][1]
    print(f"\nSampled, {n:,} x {p}")
    with tempfile.TemporaryDirectory() as folder:
        pattern = _write(Path(folder), n, p)
        size = sum(each.stat().st_size for each in Path(folder).iterdir())
        print(f"  {'gigabytes of Parquet':<70} {size / 1e9:10.2f}")
        found = measure_partitions(pattern, workers=2, n_queries=2_500, say=lambda plan: print(f"  {plan}"))
        print(f"  {'seconds, two workers, all passes':<70} {found.seconds:10.1f}")
        print(f"  {'said before, without the pass over the columns':<70} {found.plan.sampled_seconds:10.1f}")
        print(f"  {found}")


def _memory() -> None:
    print("\nLargest memory of a worker, MB, as partitions grow tenfold (sampled)")
    for n_parts in (5, 50):
        with tempfile.TemporaryDirectory() as folder, place_of_work(workers=2) as work:
            pattern = _write(Path(folder), n_parts * PARTITION, 20)
            from sepal.scale._answer import ask_partitions

            ask_partitions(fit_parts(partitioned(pattern), work), 200, 0.95, 0, None)
            client: Any = work.client  # type: ignore[attr-defined]
            print(f"  {f'{n_parts} partitions of {PARTITION:,} x 20':<70} {max(client.run(_peak).values()):10.0f}")


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


PARTS = {"overhead": _overhead, "memory": _memory, "exact": _exact, "large": _large}


def run(data: Path | None = None) -> None:
    """Print every part, or those that ``SEPAL_SCALE_PARTS`` names."""
    print("\nRows in partitions")
    wanted = os.environ.get("SEPAL_SCALE_PARTS", " ".join(PARTS)).split()
    for name in wanted:
        PARTS[name]()
